//! Turns lists that nearly every command, address or text that is shown is compared with into sorted tables, so that
//! nothing of them is read at start-up. What a line means is said at the head of each list.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

/// Makes a table of the lines of a list, or gives the line that is no entry.
type Table = for<'a> fn(&[&'a str], &mut String) -> Result<(), String>;

/// The tables of `grammars/lists`, as Rust, by the name of the file that they go to. Mistakes are added to `wrong`.
pub(crate) fn compile(dir: &Path, wrong: &mut Vec<String>) -> BTreeMap<&'static str, String> {
    let all: &[(&'static str, &str, Table)] = &[
        ("hosts.rs", "hosts.list", hosts),
        ("hosts.rs", "known_hosts.list", known),
        ("hosts.rs", "letters.list", letters),
        ("secrets.rs", "secrets.list", secrets),
        ("paths.rs", "paths.list", crate::paths::table),
        ("things.rs", "things.list", crate::judged::things),
        ("grades.rs", "grades.list", crate::judged::grades),
        ("variables.rs", "variables.list", crate::judged::variables),
        ("aliases.rs", "aliases.list", crate::judged::aliases),
    ];
    let mut tables = BTreeMap::new();
    for (to, name, table) in all {
        let file = dir.join(name);
        let text = match std::fs::read_to_string(&file) {
            Ok(t) => t,
            Err(e) => {
                wrong.push(format!("{}: {e}", file.display()));
                continue;
            }
        };
        let lines: Vec<&str> = text.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#')).collect();
        if let Err(line) = table(&lines, tables.entry(*to).or_default()) {
            let at = text.lines().position(|l| l.trim() == line).unwrap_or_default().saturating_add(1);
            wrong.push(format!("{}:{at}: `{line}` is no entry of this list", file.display()));
        }
    }
    tables
}

/// By host: whether it stands for all names below it, its kind, what it is.
fn hosts(lines: &[&str], out: &mut String) -> Result<(), String> {
    let mut all = Vec::new();
    for line in lines {
        let mut words = line.splitn(3, ' ');
        let (Some(kind), Some(host), Some(what)) = (words.next(), words.next(), words.next()) else {
            return Err((*line).to_string());
        };
        all.push((host.trim_start_matches('.'), host.starts_with('.'), kind, what));
    }
    // Of two entries for one host, the first in the list stays the first.
    all.sort_by_key(|e| e.0);
    let mut some = [0u64; 64];
    for (host, ..) in &all {
        let at = host.bytes().rev().fold(crate::hash::START, crate::hash::add) % 4096;
        if let Some(bits) = some.get_mut(usize::try_from(at / 64).unwrap_or_default()) {
            *bits |= 1 << (at % 64);
        }
    }
    let _ = writeln!(out, "pub(super) static HOSTS: &[(&str, bool, &str, &str)] = &{all:?};");
    let _ = writeln!(out, "pub(super) static SOME_HOSTS: [u64; 64] = {some:?};");
    Ok(())
}

/// Known domains in order; and by the length of their first label, with that label.
fn known(lines: &[&str], out: &mut String) -> Result<(), String> {
    let mut by_length: Vec<Vec<(&str, &str)>> = Vec::new();
    for line in lines {
        let Some((main, _)) = line.split_once('.') else { return Err((*line).to_string()) };
        if by_length.len() <= main.len() {
            by_length.resize(main.len().saturating_add(1), Vec::new());
        }
        if let Some(of_length) = by_length.get_mut(main.len()) {
            of_length.push((line, main));
        }
    }
    let mut all = lines.to_vec();
    all.sort_unstable();
    all.dedup();
    let _ = writeln!(out, "pub(super) static KNOWN_HOSTS: &[&str] = &{all:?};");
    // With the first letters in a row: most names are passed over by a look at them.
    out.push_str("type OfLength = (&'static [u8], &'static [(&'static str, &'static str)]);\npub(super) static KNOWN_BY_LENGTH: &[OfLength] = &[\n");
    for of_length in by_length {
        let first: Vec<u8> = of_length.iter().filter_map(|(_, main)| main.bytes().next()).collect();
        let _ = writeln!(out, "(&{first:?}, &{of_length:?}),");
    }
    out.push_str("];\n");
    Ok(())
}

/// The lists that names of ASCII letters are compared with. The others are read when a name has further letters.
fn letters(lines: &[&str], out: &mut String) -> Result<(), String> {
    for (kind, name) in [
        ("second", "SECOND_LEVELS"),
        ("typo", "TYPOS"),
        ("registry", "REGISTRIES"),
        ("file", "FILE_ENDINGS"),
        ("front", "FRONTS"),
    ] {
        let of_kind = lines.iter().filter_map(|l| l.split_once(' ')).filter(|(k, _)| *k == kind);
        let mut all: Vec<&str> = of_kind.flat_map(|(_, words)| words.split_whitespace()).collect();
        all.sort_unstable();
        let _ = writeln!(out, "pub(super) static {name}: &[&str] = &{all:?};");
    }
    let mut swaps = Vec::new();
    for line in lines {
        if let Some(pair) = line.strip_prefix("swap ") {
            swaps.push(pair.split_once(' ').ok_or(*line)?);
        }
    }
    let _ = writeln!(out, "pub(super) static SWAPS: &[(&str, &str)] = &{swaps:?};");
    Ok(())
}

/// What a byte may be to a search for secrets, as `src/redact.rs` names the bits.
fn class(b: u8, tokens: &[u32; 256], ends: &BTreeSet<u8>) -> u8 {
    let as_end = if b == b'-' { b'_' } else { b.to_ascii_lowercase() };
    let bits = [
        tokens.get(usize::from(b)).is_some_and(|seconds| *seconds != 0),
        matches!(b, b'-' | b'/' | b'A' | b'a'),
        b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'),
        ends.contains(&as_end),
        matches!(b, b'=' | b':' | b' '),
        matches!(b, b'"' | b'\''),
        b.is_ascii_alphanumeric() || b == b'_',
    ];
    bits.iter().rev().fold(0, |all, bit| all << 1 | u8::from(*bit))
}

/// Kind, beginning, characters, least, most.
fn secrets(lines: &[&str], out: &mut String) -> Result<(), String> {
    let mut all = Vec::new();
    let mut named = Vec::new();
    let mut prompts = Vec::new();
    for line in lines {
        let words: Vec<&str> = line.split(' ').collect();
        if let ["named", ends @ ..] = words.as_slice() {
            named.extend(ends.iter().map(|e| format!("b{e:?}")));
            continue;
        }
        if let ["prompt", parts @ ..] = words.as_slice() {
            prompts.extend(parts.iter().map(|p| format!("b{p:?}")));
            continue;
        }
        let [kind, begin, set, least, most] = words.as_slice() else { return Err((*line).to_string()) };
        let set = match *set {
            "upper" => "Set::Upper",
            "alnum" => "Set::Alnum",
            "word" => "Set::Word",
            "base64" => "Set::Base64",
            "hex" => "Set::Hex",
            _ => return Err((*line).to_string()),
        };
        let (Ok(least), Ok(most)) = (least.parse::<usize>(), most.parse::<usize>()) else {
            return Err((*line).to_string());
        };
        all.push(format!("Shape {{ kind: {kind:?}, begin: {begin:?}, set: {set}, least: {least}, most: {most} }}"));
    }
    let _ = writeln!(out, "static SHAPES: &[Shape] = &[{}];", all.join(", "));
    let shapes = lines.iter().filter(|l| !l.starts_with("named ") && !l.starts_with("prompt "));
    // By the first byte of a beginning: a bit for the low five bits of each second one.
    let mut tokens = [0u32; 256];
    for shape in shapes {
        let Some(&[first, second, ..]) = shape.split(' ').nth(1).map(str::as_bytes) else {
            return Err(shape.to_string());
        };
        if let Some(seconds) = tokens.get_mut(usize::from(first)) {
            *seconds |= 1 << (second & 31);
        }
    }
    let ends: BTreeSet<u8> = named.iter().filter_map(|n| n.trim_end_matches('"').bytes().last()).collect();
    let classes: Vec<u8> = (0..=u8::MAX).map(|b| class(b, &tokens, &ends)).collect();
    let _ = writeln!(out, "static NAMED: &[&[u8]] = &[{}];", named.join(", "));
    let _ = writeln!(out, "static PROMPTS: &[&[u8]] = &[{}];", prompts.join(", "));
    let _ = writeln!(out, "static CLASSES: [u8; 256] = {classes:?};");
    let _ = writeln!(out, "static TOKENS: [u32; 256] = {tokens:?};");
    Ok(())
}
