//! Programs in embedded languages: command → what it would do, as data in `tests/languages/*.toml`.
//!
//! Each `[[case]]` has a `run`, and any of: `effects`, texts `VERB OBJECT` that are among the effects; `none`, verbs that are
//! not among them; `rules`, ids that are among the findings; `class`, the assessment (`safe`, `unknown`, `risk`).

use shellward::analyzer::{Options, analyze};
use shellward::effect::Verb;

fn texts(case: &toml::Table, key: &str) -> Vec<String> {
    let list = case.get(key).and_then(|v| v.as_array()).cloned().unwrap_or_default();
    list.iter().filter_map(|v| v.as_str().map(str::to_string)).collect()
}

#[test]
fn programs_do_what_the_cases_say() {
    let mut wrong = Vec::new();
    let mut count = 0usize;
    let dir = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/languages");
    let mut files: Vec<_> = std::fs::read_dir(dir).unwrap().flatten().map(|e| e.path()).collect();
    files.sort();
    for file in files.iter().filter(|f| f.extension().is_some_and(|e| e == "toml")) {
        let table: toml::Table = std::fs::read_to_string(file).unwrap().parse().unwrap();
        for case in table["case"].as_array().unwrap() {
            let case = case.as_table().unwrap();
            let run = case["run"].as_str().unwrap();
            count += 1;
            let analysis = analyze(run.as_bytes(), &Options::default());
            let effects: Vec<String> =
                analysis.graph.effects.iter().map(|e| format!("{} {}", e.verb, e.object.show())).collect();
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            let mut bad = |what: String| wrong.push(format!("{name}: {run}\n    {what}"));
            for e in texts(case, "effects") {
                if !effects.contains(&e) {
                    bad(format!("`{e}` is not among the effects {effects:#?}"));
                }
            }
            for v in texts(case, "none") {
                let verb = Verb::from_name(&v).unwrap_or_else(|| panic!("{name}: `{v}` is no verb"));
                if let Some(e) = analysis.graph.with(verb).next() {
                    bad(format!("`{v} {}` is among the effects", e.object.show()));
                }
            }
            let rules: Vec<&str> = analysis.verdict.findings.iter().map(|f| f.rule_id).collect();
            for r in texts(case, "rules") {
                if !rules.contains(&r.as_str()) {
                    bad(format!("`{r}` is not among the findings {rules:?}"));
                }
            }
            if let Some(class) = case.get("class").and_then(|v| v.as_str()) {
                let got = format!("{:?}", analysis.verdict.assessment.class).to_lowercase();
                if got != class {
                    bad(format!("is {got}, not {class}: {:?}", analysis.verdict.assessment.reasons));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {count} cases:\n{}", wrong.len(), wrong.join("\n"));
    assert!(count > 40, "only {count} cases were found");
}
