//! Runs the examples that stand in the grammar files, and keeps what holds of all of them.
//!
//! `GRAMMAR=curl cargo test --test grammars` runs only the examples of `curl.toml`.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use shellward::command::argv::read_in;
use shellward::command::grammar::{self, example::examples};
use shellward::effect::Language;
use shellward::source::{Place, Span, TextId};
use shellward::value::{Value, Why};
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

/// Splits a command line as a shell does, as far as examples need: blanks, both quotes, backslashes, `$NAME` (not
/// known) and `$'…'` without escapes.
fn split(line: &str) -> Vec<Value> {
    let bytes = line.as_bytes();
    let mut words: Vec<Value> = Vec::new();
    let mut word: Option<Value> = None;
    let (mut i, mut quote) = (0, 0u8);
    while i < bytes.len() {
        let b = bytes[i];
        let place = |from: usize, to: usize| Place::new(TextId::ROOT, Span::new(from, to));
        match b {
            b' ' | b'\t' | b'\n' if quote == 0 => words.extend(word.take()),
            b'\'' | b'"' if quote == 0 => {
                quote = b;
                word.get_or_insert_with(Value::default);
            }
            _ if quote != 0 && b == quote => quote = 0,
            b'\\' if quote != b'\'' && i + 1 < bytes.len() => {
                i += 1;
                word.get_or_insert_with(Value::default).push(Value::literal(&bytes[i..=i], place(i, i + 1)));
            }
            b'$' if quote != b'\'' && bytes.get(i + 1).is_some_and(u8::is_ascii_alphabetic) => {
                let end = (i + 1..bytes.len()).find(|n| !bytes[*n].is_ascii_alphanumeric()).unwrap_or(bytes.len());
                let mut v = Value::unknown(Why::Environment(line[i + 1..end].into()), place(i, end));
                if quote == 0
                    && let Some(shellward::value::Piece::Unknown(u)) = v.pieces.first_mut()
                {
                    u.splits = true;
                }
                word.get_or_insert_with(Value::default).push(v);
                i = end - 1;
            }
            _ => word.get_or_insert_with(Value::default).push(Value::literal(&bytes[i..=i], place(i, i + 1))),
        }
        i += 1;
    }
    words.extend(word);
    words
}

fn sorted<S: AsRef<str>>(lines: &[S]) -> Vec<String> {
    let mut all: Vec<String> = lines.iter().map(|l| l.as_ref().to_owned()).collect();
    all.sort();
    all.dedup();
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
        let shell = program.shells.first().and_then(|s| Language::from_name(s));
        for e in examples(&text).unwrap() {
            run += 1;
            let argv = split(e.run);
            let inv = read_in(shell, &argv);
            let mut differ = |what: &str, is: Vec<String>, stated: Vec<String>| {
                if is != stated {
                    let line = text[..e.at].lines().count() + 1;
                    let show = |v: &[String]| format!("{v:?}");
                    wrong.push(format!(
                        "{}:{line}: {}\n  {what} stated: {}\n  {what} found:  {}",
                        file.strip_prefix(env!("CARGO_MANIFEST_DIR")).unwrap().display(),
                        e.run,
                        show(&stated),
                        show(&is)
                    ));
                }
            };
            if inv.grammar != program.names.first().copied() {
                differ("program", vec![inv.grammar.unwrap_or("none").into()], vec![program.names[0].into()]);
                continue;
            }
            differ("effects", sorted(&inv.describe()), sorted(&e.effects));
            differ("doubts", sorted(&inv.describe_doubts()), sorted(&e.doubts));
            if let Some(with) = e.with {
                differ("with", sorted(&inv.props.names().collect::<Vec<_>>()), sorted(&with));
            }
            if let Some(s) = e.stdin {
                differ("stdin", vec![inv.stdin.name().into()], vec![s.into()]);
            }
            if let Some(s) = e.stdout {
                differ("stdout", vec![inv.stdout.name().into()], vec![s.into()]);
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
