//! How often the two readers differ over many real texts. A measurement, so it is ignored by default:
//! `SHELLWARD_CORPORA=DIR cargo test --test readers -- --ignored --nocapture`, with `SHELLWARD_SHOW=SUITE` (or `all`) to see the
//! differences of one suite. DIR holds JSON lines, a suite a file, each line an object with a `command`.
#![expect(clippy::print_stdout, reason = "a test that prints a table")]

use shellward::syntax::ast::{Program, SyntaxError};
use shellward::syntax::shell::compare::{self, DifferenceKind};
use shellward::syntax::shell::{self, Dialect, witness};

#[derive(Default)]
struct Row {
    texts: usize,
    plain: usize,
    refused: usize,
    ours_broken: usize,
    witness_broken: usize,
    not_lowered: usize,
    differ: usize,
    differ_firm: usize,
    only_ours: usize,
    only_witness: usize,
    words: usize,
}

#[test]
#[ignore = "a measurement over texts that are not part of the project"]
fn readers_over_a_corpus() {
    let Ok(dir) = std::env::var("SHELLWARD_CORPORA") else {
        eprintln!("SKIPPED: SHELLWARD_CORPORA names no directory");
        return;
    };
    let show = std::env::var("SHELLWARD_SHOW").unwrap_or_default();
    let mut files: Vec<_> = std::fs::read_dir(dir).unwrap().map(|e| e.unwrap().path()).collect();
    files.retain(|p| p.extension().is_some_and(|e| e == "jsonl"));
    files.sort();
    println!(
        "{:20} {:>6} {:>6} {:>7} {:>6} {:>7} {:>6} {:>6} {:>6} {:>7} {:>7} {:>6}",
        "suite", "texts", "plain", "refused", "broken", "errors", "unlow", "differ", "firm", "ours", "witness", "words"
    );
    let mut total = Row::default();
    for file in files {
        let suite = file.file_stem().unwrap().to_string_lossy().into_owned();
        let mut row = Row::default();
        for line in std::fs::read_to_string(&file).unwrap().lines() {
            let value: serde_json::Value = serde_json::from_str(line).unwrap();
            if let Some(text) = value["command"].as_str() {
                measure(text.as_bytes(), &mut row, show == suite || show == "all");
            }
        }
        print_row(&suite, &row);
        for (sum, n) in [
            (&mut total.texts, row.texts),
            (&mut total.plain, row.plain),
            (&mut total.refused, row.refused),
            (&mut total.ours_broken, row.ours_broken),
            (&mut total.witness_broken, row.witness_broken),
            (&mut total.not_lowered, row.not_lowered),
            (&mut total.differ, row.differ),
            (&mut total.differ_firm, row.differ_firm),
            (&mut total.only_ours, row.only_ours),
            (&mut total.only_witness, row.only_witness),
            (&mut total.words, row.words),
        ] {
            *sum += n;
        }
    }
    print_row("all", &total);
}

fn print_row(suite: &str, row: &Row) {
    println!(
        "{suite:20} {:>6} {:>6} {:>7} {:>6} {:>7} {:>6} {:>6} {:>6} {:>7} {:>7} {:>6}",
        row.texts,
        row.plain,
        row.refused,
        row.ours_broken,
        row.witness_broken,
        row.not_lowered,
        row.differ,
        row.differ_firm,
        row.only_ours,
        row.only_witness,
        row.words
    );
}

fn broken(program: &Program) -> bool {
    program.unparsed.iter().any(|u| u.reason != SyntaxError::NotLowered)
}

fn measure(text: &[u8], row: &mut Row, show: bool) {
    row.texts += 1;
    let plain = compare::plain(text);
    row.plain += plain as usize;
    let ours = shell::read(text, Dialect::BASH);
    row.ours_broken += broken(&ours) as usize;
    let Ok(theirs) = witness::read(text) else {
        row.refused += 1;
        return;
    };
    row.witness_broken += broken(&theirs) as usize;
    row.not_lowered += (!broken(&theirs) && !theirs.unparsed.is_empty()) as usize;
    let found = compare::differences(&ours, &theirs, text);
    if found.is_empty() {
        return;
    }
    assert!(!plain, "plain, and read differently: {}", String::from_utf8_lossy(text));
    row.differ += 1;
    // A difference that is not explained by what the witness says it could not read.
    let firm = found.iter().any(|d| !d.doubtful);
    row.differ_firm += firm as usize;
    for difference in found.iter().filter(|d| !d.doubtful) {
        match difference.kind {
            DifferenceKind::OnlyOurs => row.only_ours += 1,
            DifferenceKind::OnlyWitness => row.only_witness += 1,
            DifferenceKind::Words => row.words += 1,
        }
    }
    if show {
        println!("--- {}{}", if firm { "(firm) " } else { "" }, String::from_utf8_lossy(text));
        for gap in &ours.unparsed {
            println!("    ours   !{:?} {:?}", gap.reason, String::from_utf8_lossy(gap.span.of(text)));
        }
        for gap in &theirs.unparsed {
            println!("    theirs !{:?} {:?}", gap.reason, String::from_utf8_lossy(gap.span.of(text)));
        }
        for d in &found {
            println!(
                "    {:?}{} {:?}",
                d.kind,
                if d.doubtful { "?" } else { "" },
                String::from_utf8_lossy(d.span.of(text))
            );
        }
    }
}
