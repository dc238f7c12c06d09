//! Modules import downwards only: each stands on a floor, and uses its own floor and those below.

use std::path::{Path, PathBuf};

/// The floor of each module. A new module has to be entered here.
const FLOORS: &[(&str, u8)] = &[
    ("source", 1),
    ("limits", 1),
    ("bytes", 1),
    ("glob", 1),
    ("count", 1),
    ("escape", 1),
    ("hash", 1),
    ("redact", 1),
    ("time", 1),
    ("syntax", 2),
    ("value", 2),
    ("effect", 3),
    ("finding", 3),
    ("verdict", 3),
    // A policy is applied to a finished analysis.
    ("policy", 7),
    ("command", 4),
    ("rules", 4),
    ("url", 4),
    ("text", 4),
    ("intel", 4),
    ("options", 4),
    ("eval", 5),
    ("analyzer", 6),
    ("gate", 7),
    ("state", 7),
    ("audit", 7),
    ("model", 8),
    ("hooks", 8),
    ("report", 8),
    ("cli", 8),
];

/// What may look up all the same: the module, what it uses, why.
const EXCEPTIONS: &[(&str, &str, &str)] =
    &[("syntax", "effect", "the vocabulary's list of languages says which front end reads a text")];

fn floor(module: &str) -> Option<u8> {
    FLOORS.iter().find(|(m, _)| *m == module).map(|(_, f)| *f)
}

fn files(dir: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            files(&path, out);
        } else if path.extension().is_some_and(|e| e == "rs") {
            out.push(path);
        }
    }
}

/// The modules that a source text names behind `crate::`, in lists, too.
fn uses(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    for (i, _) in text.match_indices("crate::") {
        let rest = &text[i + "crate::".len()..];
        let names: Vec<&str> = match rest.strip_prefix('{') {
            Some(list) => list.split('}').next().unwrap_or_default().split(',').collect(),
            None => vec![rest],
        };
        for name in names {
            let name: String = name.trim().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            out.push(name);
        }
    }
    out
}

#[test]
fn imports_go_down() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut all = Vec::new();
    files(&root, &mut all);
    let mut wrong = Vec::new();
    for file in all {
        let inside = file.strip_prefix(&root).unwrap_or(&file);
        let module = inside.iter().next().and_then(|m| m.to_str()).unwrap_or_default().trim_end_matches(".rs");
        if matches!(module, "lib" | "main") {
            continue;
        }
        let Some(own) = floor(module) else {
            wrong.push(format!("{}: the module `{module}` has no floor in tests/floors.rs", inside.display()));
            continue;
        };
        let name = inside.file_name().and_then(|n| n.to_str()).unwrap_or_default();
        if name.contains("tests") || inside.iter().any(|p| p == "tests") {
            continue;
        }
        let text = std::fs::read_to_string(&file).unwrap();
        // Tests beside the code may look anywhere.
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        for used in uses(code) {
            let Some(theirs) = floor(&used) else { continue };
            let excepted = EXCEPTIONS.iter().any(|(m, u, _)| *m == module && *u == used);
            if theirs > own && !excepted {
                wrong.push(format!("{}: floor {own} uses `{used}` of floor {theirs}", inside.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
