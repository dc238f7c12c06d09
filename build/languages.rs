//! Compiles `grammars/languages/*.toml` to static tables: what the calls of embedded languages do.
//!
//! In: the files. Out: Rust source with one table of calls and one sorted list of names for each language. Mistakes are
//! reported as `file:line: reason`.

use crate::role::Role;
use crate::vocabulary::{Language, Verb};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

/// Keys of a call.
const KEYS: &[&str] = &[
    "names", "params", "args", "result", "effect", "sets", "fds", "callback", "object", "assigns", "input", "env",
    "binds",
];

/// Keys of a file.
const TOP: &[&str] = &[
    "language",
    "source",
    "call",
    "harmless",
    "transparent",
    "constants",
    "tilde",
    "implicit",
    "applied",
    "files",
    "modules",
    "standard",
    "libraries",
];

/// The tables of all files in a folder, as Rust source.
pub(crate) fn compile(dir: &Path, wrong: &mut Vec<String>) -> String {
    let mut files: Vec<_> = std::fs::read_dir(dir).into_iter().flatten().flatten().map(|e| e.path()).collect();
    files.retain(|p| p.extension().is_some_and(|e| e == "toml"));
    files.sort();
    let mut out = String::from("static LANGUAGES: &[Table] = &[\n");
    for file in &files {
        match std::fs::read_to_string(file) {
            Ok(text) => one(file, &text, &mut out, wrong),
            Err(e) => wrong.push(format!("{}: {e}", file.display())),
        }
    }
    out.push_str("];\n");
    out
}

fn one(file: &Path, text: &str, out: &mut String, wrong: &mut Vec<String>) {
    let line = |at: usize| text.get(..at).unwrap_or(text).matches('\n').count() + 1;
    let mut bad = |at: usize, what: String| wrong.push(format!("{}:{}: {what}", file.display(), line(at)));
    let table: toml::Table = match text.parse() {
        Ok(t) => t,
        Err(e) => {
            bad(e.span().map_or(0, |s| s.start), e.message().to_string());
            return;
        }
    };
    let Some(language) = table.get("language").and_then(|v| v.as_str()).filter(|l| Language::from_name(l).is_some())
    else {
        bad(0, "`language` has to name a language of the vocabulary".into());
        return;
    };
    if table.get("source").and_then(|v| v.as_str()).is_none_or(str::is_empty) {
        bad(0, "`source` has to say where the facts come from".into());
    }
    // Where each call stands, for messages: the n-th `[[call]]`.
    let places: Vec<usize> = text.match_indices("[[call]]").map(|(i, _)| i).collect();
    let mut names: BTreeMap<String, usize> = BTreeMap::new();
    let mut calls = String::new();
    let list = table.get("call").and_then(|v| v.as_array()).cloned().unwrap_or_default();
    for (n, call) in list.iter().enumerate() {
        let at = places.get(n).copied().unwrap_or(0);
        let Some(call) = call.as_table() else { continue };
        for key in call.keys().filter(|k| !KEYS.contains(&k.as_str())) {
            bad(at, format!("unknown key `{key}` (known: {})", KEYS.join(", ")));
        }
        let own = texts(call.get("names"));
        if own.is_empty() {
            bad(at, "`names` is missing".into());
        }
        for name in own {
            if names.insert(name.clone(), n).is_some() {
                bad(at, format!("`{name}` is declared twice"));
            }
        }
        let params = texts(call.get("params"));
        let mut args = String::new();
        for (i, arg) in call.get("args").and_then(|v| v.as_array()).cloned().unwrap_or_default().iter().enumerate() {
            let get = |k: &str| arg.get(k).and_then(|v| v.as_str()).unwrap_or_default().to_string();
            let (role, of, when, unless) = match arg.as_str() {
                Some(role) => (role.to_string(), String::new(), String::new(), String::new()),
                None => (get("role"), get("arg"), get("when"), get("unless")),
            };
            let (with, strip) = (get("with"), get("strip"));
            let of_with = with.split('.').next().unwrap_or_default().to_string();
            if !with.is_empty() && with != "*" && !params.contains(&of_with) {
                bad(at, format!("`{with}` is not among `params`"));
            }
            if Role::from_name(Box::leak(role.clone().into_boxed_str())).is_none() {
                bad(at, format!("`{role}` is no role"));
            }
            let (of, key) = of.split_once('.').map_or((of.clone(), String::new()), |(a, b)| (a.into(), b.into()));
            let position = match of.as_str() {
                "" => i,
                "self" => 254,
                name => match params.iter().position(|p| p == name) {
                    Some(p) => p,
                    None => {
                        bad(at, format!("`{name}` is not among `params`"));
                        0
                    }
                },
            };
            let _ = write!(
                args,
                "ArgFact {{ at: {position}, role: {role:?}, when: {when:?}, unless: {unless:?}, with: {with:?}, strip: {strip:?}, key: {key:?} }}, "
            );
        }
        let mut effects = String::new();
        for e in texts(call.get("effect")) {
            let (verb, object) = e.split_once(' ').unwrap_or((&e, ""));
            if Verb::from_name(verb).is_none() {
                bad(at, format!("`{verb}` is no verb"));
            }
            let _ = write!(effects, "({verb:?}, {object:?}), ");
        }
        let result = call.get("result").and_then(|v| v.as_str()).unwrap_or("unknown");
        let callback = match call.get("callback") {
            Some(v) => v.as_integer().and_then(|n| u8::try_from(n).ok()).unwrap_or(u8::from(v.as_bool() == Some(true))),
            None => 0,
        };
        let set = |v: &toml::Value| -> Option<(String, String)> {
            let of = |key: &str| Some(v.as_table()?.get(key)?.as_str()?.to_string());
            let is = v.as_str().map(str::to_string).or_else(|| of("is"))?;
            Some((is, of("when").unwrap_or_default()))
        };
        let sets: Vec<(String, String)> = match call.get("sets") {
            Some(toml::Value::Array(all)) => all.iter().filter_map(set).collect(),
            Some(v) => set(v).into_iter().collect(),
            None => Vec::new(),
        };
        for (_, when) in &sets {
            let asked = when.split(" & ").filter_map(|t| t.trim_start_matches('!').split([' ', '.']).next());
            for name in asked.filter(|n| !n.is_empty() && !params.iter().any(|p| p == n)) {
                bad(at, format!("`{name}` is not among `params`"));
            }
        }
        let param = |key: &str| call.get(key).and_then(|v| v.as_str()).unwrap_or_default().to_string();
        let (object, assigns) = (param("object"), param("assigns"));
        for name in [&object, &assigns].into_iter().filter(|n| !n.is_empty() && !params.contains(n)) {
            bad(at, format!("`{name}` is not among `params`"));
        }
        let (input, env) = (param("input"), param("env"));
        let top = |n: &String| n.split('.').next().unwrap_or_default().to_string();
        for name in [&input, &env].into_iter().filter(|n| !n.is_empty() && *n != "*" && !params.contains(&top(n))) {
            bad(at, format!("`{name}` is not among `params`"));
        }
        let (fds, binds) = (texts(call.get("fds")), texts(call.get("binds")));
        for name in fds.iter().filter(|f| !params.contains(f)) {
            bad(at, format!("`{name}` is not among `params`"));
        }
        let _ = writeln!(
            calls,
            "        CallFact {{ params: &{params:?}, args: &[{args}], result: {result:?}, effects: &[{effects}], sets: &{sets:?}, fds: &{fds:?}, input: {input:?}, env: {env:?}, object: {object:?}, assigns: {assigns:?}, callback: {callback}, binds: &{binds:?} }},"
        );
    }
    let _ = write!(out, "    Table {{ language: {language:?}, names: &[");
    for (name, index) in &names {
        let _ = write!(out, "({name:?}, {index}), ");
    }
    let mut harmless = texts(table.get("harmless"));
    harmless.sort();
    let transparent = texts(table.get("transparent"));
    let tilde = table.get("tilde").and_then(|v| v.as_bool()).unwrap_or(false);
    let mut constants: Vec<(String, String)> = Vec::new();
    for (name, value) in table.get("constants").and_then(|v| v.as_table()).into_iter().flatten() {
        match value {
            toml::Value::String(s) => constants.push((name.clone(), s.clone())),
            toml::Value::Integer(n) => constants.push((name.clone(), n.to_string())),
            _ => bad(0, format!("the constant `{name}` has to be text or a number")),
        }
    }
    constants.sort();
    for key in table.keys().filter(|k| !TOP.contains(&k.as_str())) {
        bad(0, format!("unknown key `{key}` (known: {})", TOP.join(", ")));
    }
    let pairs = |key: &str| -> Vec<(String, String)> {
        let table = table.get(key).and_then(|v| v.as_table());
        let text = |(k, v): (&String, &toml::Value)| Some((k.clone(), v.as_str()?.to_string()));
        table.into_iter().flatten().filter_map(text).collect()
    };
    let modules = texts(table.get("modules"));
    let mut known = texts(table.get("standard"));
    known.extend(texts(table.get("libraries")));
    known.sort();
    known.dedup();
    let (implicit, applied, files) = (texts(table.get("implicit")), texts(table.get("applied")), pairs("files"));
    let _ = writeln!(
        out,
        "], calls: &[\n{calls}    ], harmless: &{harmless:?}, transparent: &{transparent:?}, tilde: {tilde}, constants: &{constants:?}, implicit: &{implicit:?}, applied: &{applied:?}, modules: &{modules:?}, known: &{known:?}, files: &{files:?} }},"
    );
}

fn texts(v: Option<&toml::Value>) -> Vec<String> {
    match v {
        Some(toml::Value::String(s)) => vec![s.clone()],
        Some(toml::Value::Array(a)) => a.iter().filter_map(|x| x.as_str().map(str::to_string)).collect(),
        _ => Vec::new(),
    }
}
