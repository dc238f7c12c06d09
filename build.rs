//! Checks `grammars/` and compiles it to static tables: a name list in order, and one block of bytes that holds every
//! grammar in the binary form of `src/command/grammar/code.rs`. A wrong file fails the build with file, line and reason.

#![expect(dead_code, unreachable_pub, unused_imports, reason = "the library uses more of the shared files")]
#![expect(clippy::print_stderr, reason = "that is how a build script speaks")]

// The build shares the files that say what a grammar is, under the same paths as in the library.
#[path = "src/command/grammar/code.rs"]
mod code;
#[path = "src/command/grammar/condition.rs"]
mod condition;
#[path = "src/command/grammar/example.rs"]
mod example;
#[path = "src/hash.rs"]
mod hash;
#[path = "src/effect/path/kind.rs"]
mod kind;
#[path = "src/command/grammar/model.rs"]
mod model;
#[path = "src/command/grammar/named.rs"]
mod named;
#[path = "src/command/grammar/read.rs"]
mod read;
#[path = "src/command/role.rs"]
mod role;
#[path = "src/command/grammar/slot.rs"]
mod slot;
#[path = "src/command/grammar/table.rs"]
mod table;
#[path = "src/effect/vocabulary.rs"]
mod vocabulary;

#[path = "build/judged.rs"]
mod judged;
#[path = "build/languages.rs"]
mod languages;
#[path = "build/lists.rs"]
mod lists;
#[path = "build/paths.rs"]
mod paths;
#[path = "build/static_link.rs"]
mod static_link;

mod effect {
    pub(crate) use crate::vocabulary::{Language, Props, Verb};
}
mod command {
    pub(crate) use crate::role;
    pub(crate) mod grammar {
        pub(crate) use crate::code;
    }
}

use code::Coded;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

fn main() -> std::process::ExitCode {
    println!("cargo:rerun-if-changed=grammars");
    println!("cargo:rerun-if-changed=build.rs");
    static_link::prepare();
    let mut wrong: Vec<String> = Vec::new();
    let mut files = Vec::new();
    collect(Path::new("grammars/commands"), &mut files, &mut wrong);
    files.sort();

    let mut blob: Vec<u8> = Vec::new();
    let mut offsets: Vec<usize> = Vec::new();
    // (shell, name) → (file, index); the empty shell stands for all of them.
    let mut names: BTreeMap<(&'static str, &'static str), (PathBuf, usize)> = BTreeMap::new();
    for file in files {
        let Some(text) = read_file(&file, &mut wrong) else { continue };
        let grammar = match read::program(&text) {
            Ok(g) => g,
            Err(problems) => {
                report(&file, &problems, &mut wrong);
                continue;
            }
        };
        let index = offsets.len();
        offsets.push(blob.len());
        grammar.put(&mut blob);
        let shells: &[&'static str] = if grammar.shells.is_empty() { &[""] } else { &grammar.shells };
        let all = grammar.names.iter().chain(grammar.aliases.iter().flat_map(|a| &a.names));
        for name in all {
            for shell in shells {
                if let Some((other, _)) = names.insert((shell, name), (file.clone(), index)) {
                    wrong.push(format!("{}:1: `{name}` is also declared in {}", file.display(), other.display()));
                }
            }
        }
    }
    let environment = Path::new("grammars/environment.toml");
    let mut env = model::Environment::default();
    if let Some(text) = read_file(environment, &mut wrong) {
        match read::environment(&text) {
            Ok(read) => env = read,
            Err(problems) => report(environment, &problems, &mut wrong),
        }
    }
    let mut env_offsets: Vec<usize> = Vec::new();
    for variable in &env.env {
        env_offsets.push(blob.len());
        variable.put(&mut blob);
    }
    let calls = languages::compile(Path::new("grammars/languages"), &mut wrong);
    let lists = lists::compile(Path::new("grammars/lists"), &mut wrong);
    if !wrong.is_empty() {
        for w in &wrong {
            eprintln!("{w}");
        }
        eprintln!("{} mistake(s) in grammars/ (grammars/README.md explains the format)", wrong.len());
        return std::process::ExitCode::FAILURE;
    }
    let out = PathBuf::from(std::env::var_os("OUT_DIR").unwrap_or_default());
    let mut rust = tables(&names, &offsets);
    variables(&env, &env_offsets, &mut rust);
    let written = std::fs::write(out.join("languages.rs"), calls)
        .and_then(|()| lists.iter().try_for_each(|(name, table)| std::fs::write(out.join(name), table)))
        .and_then(|()| std::fs::write(out.join("grammars.bin"), &blob))
        .and_then(|()| std::fs::write(out.join("grammars.rs"), rust));
    if let Err(e) = written {
        eprintln!("{}: {e}", out.display());
        return std::process::ExitCode::FAILURE;
    }
    std::process::ExitCode::SUCCESS
}

fn collect(dir: &Path, files: &mut Vec<PathBuf>, wrong: &mut Vec<String>) {
    let entries = match std::fs::read_dir(dir) {
        Ok(e) => e,
        Err(e) => {
            wrong.push(format!("{}: {e}", dir.display()));
            return;
        }
    };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files, wrong);
        } else if path.extension().is_some_and(|e| e == "toml") {
            files.push(path);
        }
    }
}

fn read_file(file: &Path, wrong: &mut Vec<String>) -> Option<String> {
    match std::fs::read_to_string(file) {
        Ok(t) => Some(t),
        Err(e) => {
            wrong.push(format!("{}: {e}", file.display()));
            None
        }
    }
}

fn report(file: &Path, problems: &[table::Problem], wrong: &mut Vec<String>) {
    wrong.extend(problems.iter().map(|p| format!("{}:{}: {}", file.display(), p.line, p.reason)));
}

fn tables(names: &BTreeMap<(&'static str, &'static str), (PathBuf, usize)>, offsets: &[usize]) -> String {
    let mut out = String::new();
    let shells: std::collections::BTreeSet<&str> = names.keys().map(|(shell, _)| *shell).collect();
    let mut list = |title: &str, item: &str, globs: bool, row: &dyn Fn(&str, usize) -> String| {
        let _ = writeln!(out, "static {title}: &[(&str, &[{item}])] = &[");
        for shell in &shells {
            let _ = writeln!(out, "  ({shell:?}, &[");
            for ((_, name), (_, index)) in names.iter().filter(|((s, n), _)| s == shell && read::is_glob(n) == globs) {
                let _ = writeln!(out, "    {},", row(name, *index));
            }
            out.push_str("  ]),\n");
        }
        out.push_str("];\n");
    };
    list("NAMES", "(&str, u16)", false, &|name, index| format!("({name:?}, {index})"));
    list("GLOBS", "Glob", true, &|name, index| format!("({}, {name:?}, {index})", first_byte(name)));
    out.push_str(&slots(names));
    let _ = writeln!(out, "static OFFSETS: &[u32] = &{offsets:?};");
    let _ = writeln!(out, "const PROGRAMS: usize = {};", offsets.len());
    out.push_str("static BLOB: &[u8] = include_bytes!(concat!(env!(\"OUT_DIR\"), \"/grammars.bin\"));\n");
    out
}

/// The names that hold in every shell, by the hash of the name: where each stands in their list, 0 for a free slot. Every
/// command word is looked up there, and most of them several times.
fn slots(names: &BTreeMap<(&'static str, &'static str), (PathBuf, usize)>) -> String {
    let plain: Vec<&str> = names.keys().filter(|(s, n)| s.is_empty() && !read::is_glob(n)).map(|(_, n)| *n).collect();
    let size = plain.len().saturating_mul(2).next_power_of_two();
    let mut slots = vec![0u16; size];
    for (i, name) in plain.iter().enumerate() {
        let mut at = name.bytes().fold(hash::START, hash::add) as usize % size;
        while slots.get(at).is_some_and(|s| *s != 0) {
            at = at.saturating_add(1) % size;
        }
        if let Some(slot) = slots.get_mut(at) {
            *slot = u16::try_from(i.saturating_add(1)).unwrap_or(0);
        }
    }
    format!("static SLOTS: [u16; {size}] = {slots:?};\n")
}

/// The byte that every text begins with for which the glob stands; 0 where that is open.
fn first_byte(glob: &str) -> u8 {
    match glob.bytes().next() {
        Some(b) if !glob.contains('|') && !b"*?[\\".contains(&b) => b,
        _ => 0,
    }
}

/// The variables that matter to every program: names in order, globs, and where each stands; directories of programs.
fn variables(env: &model::Environment, offsets: &[usize], out: &mut String) {
    let mut plain: BTreeMap<&str, usize> = BTreeMap::new();
    let mut globs = Vec::new();
    for (i, variable) in env.env.iter().enumerate() {
        for name in &variable.names {
            if read::is_glob(name) || name.contains(['|', '\\']) {
                globs.push((first_byte(name), *name, i));
            } else {
                // Of two entries with a name, the first counts.
                plain.entry(name).or_insert(i);
            }
        }
    }
    let plain = Vec::from_iter(plain);
    let _ = writeln!(out, "static VARIABLES: &[(&str, u16)] = &{plain:?};");
    let _ = writeln!(out, "static VARIABLE_GLOBS: &[Glob] = &{globs:?};");
    let _ = writeln!(out, "static VARIABLE_OFFSETS: &[u32] = &{offsets:?};");
    let _ = writeln!(out, "const VARIABLE_COUNT: usize = {};", offsets.len());
    let _ = writeln!(out, "static SYSTEM_DIRS: &[&str] = &{:?};", env.bin);
    let _ = writeln!(out, "static EXPORTED: &[&str] = &{:?};", env.exported);
}
