//! Runs the examples that stand in the grammar files, and keeps what holds of all of them.
//!
//! `GRAMMAR=curl cargo test --test grammars` runs only the examples of `curl.toml`.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use shellward::command::grammar::{self, example::examples};
use shellward::effect::Language;
use std::path::{Path, PathBuf};

fn files() -> Vec<PathBuf> {
    let mut all = Vec::new();
    let mut dirs = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("grammars/commands")];
    while let Some(dir) = dirs.pop() {
        for entry in std::fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                dirs.push(path);
            } else if path.extension().is_some_and(|e| e == "toml") {
                all.push(path);
            }
        }
    }
    all.sort();
    all
}

#[test]
fn examples_have_the_effects_they_state() {
    let only = std::env::var("GRAMMAR").ok();
    let (mut run, mut wrong) = (0, Vec::new());
    for file in files() {
        let stem = file.file_stem().unwrap().to_string_lossy().into_owned();
        if only.as_ref().is_some_and(|o| *o != stem) {
            continue;
        }
        let text = std::fs::read_to_string(&file).unwrap();
        let program = grammar::read::program(&text).unwrap_or_else(|p| panic!("{}: {p:?}", file.display()));
        for e in examples(&text).unwrap() {
            run += 1;
            for what in e.differences(&program) {
                let line = text[..e.at].lines().count() + 1;
                let file = file.strip_prefix(env!("CARGO_MANIFEST_DIR")).unwrap().display();
                wrong.push(format!("{file}:{line}: {}\n  {what}", e.run));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {run} examples differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(run > 0, "no example was run");
}

#[test]
fn the_stored_form_is_what_the_files_say() {
    for file in files() {
        let read = grammar::read::program(&std::fs::read_to_string(&file).unwrap()).unwrap();
        let stored = grammar::all().find(|g| g.names == read.names && g.shells == read.shells);
        assert_eq!(stored, Some(&read), "{}", file.display());
    }
}

#[test]
fn every_name_leads_to_its_grammar() {
    for g in grammar::all() {
        let shell = g.shells.first().and_then(|s| Language::from_name(s));
        for name in g.names.iter().chain(g.aliases.iter().flat_map(|a| &a.names)) {
            if grammar::read::is_glob(name) {
                continue;
            }
            let found = grammar::lookup_in(shell, name).map(|f| f.names[0]);
            assert_eq!(found, Some(g.names[0]), "{name}");
        }
    }
}
