//! `string` of fish, as far as it computes text from what is known.
//!
//! In: the words after `string`, and standard input where none of them is a text. Out: what it prints; `None` where that is
//! not computed here. Facts: fish-doc, string(1).

use super::Interp;
use crate::source::Place;
use crate::value::{Taint, Value};

/// Runs it.
pub(crate) fn run(it: &mut Interp<'_>, args: &[Value], at: Place) -> Option<Value> {
    let (verb, args) = args.split_first()?;
    let verb = verb.as_str()?.into_owned();
    let mut all = Vec::new();
    let mut taint = Taint::default();
    for a in args {
        taint.join(&a.taint());
        all.push(a.as_str()?.into_owned());
    }
    let takes: &[&str] = match verb.as_str() {
        "sub" => &["-s", "--start", "-l", "--length", "-e", "--end"],
        "split" | "split0" => &["-m", "--max", "-f", "--fields"],
        "trim" => &["-c", "--chars"],
        "repeat" => &["-n", "--count", "-m", "--max"],
        "unescape" | "escape" => &["--style"],
        _ => &[],
    };
    let mut options: Vec<(String, Option<String>)> = Vec::new();
    let mut words = Vec::new();
    let mut rest = all.into_iter();
    while let Some(w) = rest.next() {
        if w == "--" {
            words.extend(rest.by_ref());
        } else if w.len() > 1 && w.starts_with('-') && words.is_empty() {
            let value = if takes.contains(&w.as_str()) { Some(rest.next()?) } else { None };
            options.push((w, value));
        } else {
            words.push(w);
        }
    }
    let has = |names: &[&str]| options.iter().any(|(n, _)| names.contains(&n.as_str()));
    let number = |names: &[&str]| -> Option<Option<i64>> {
        match options.iter().find(|(n, _)| names.contains(&n.as_str())) {
            None => Some(None),
            Some((_, v)) => v.as_ref()?.parse().ok().map(Some),
        }
    };
    let fixed = match verb.as_str() {
        "join" | "split" => 1,
        "replace" => 2,
        _ => 0,
    };
    let mut texts = words.split_off(fixed.min(words.len()));
    if texts.is_empty() {
        let input = it.read_all(0)?;
        taint.join(&input.taint());
        let input = input.as_str()?.into_owned();
        texts.extend(input.lines().map(str::to_string));
    }
    let size: usize = texts.iter().map(String::len).sum();
    it.spend(1 + size as u64 / 32);
    let lines = |f: &dyn Fn(&str) -> Option<String>| texts.iter().map(|t| f(t)).collect::<Option<Vec<_>>>();
    let out: Vec<String> = match verb.as_str() {
        "join" | "join0" if !has(&["-n", "--no-empty"]) => {
            let by = if verb == "join0" { "\0" } else { words.first()? };
            vec![texts.join(by)]
        }
        "lower" => lines(&|t| Some(t.to_lowercase()))?,
        "upper" => lines(&|t| Some(t.to_uppercase()))?,
        "collect" => vec![texts.join("\n")],
        "replace" if !has(&["-r", "--regex", "-f", "--filter", "-i", "--ignore-case"]) => {
            let (from, to) = (words.first()?, words.get(1)?);
            let every = has(&["-a", "--all"]);
            let once = |t: &str| if every { t.replace(from.as_str(), to) } else { t.replacen(from.as_str(), to, 1) };
            let grown = size.saturating_add(1).saturating_mul(to.len().saturating_add(1));
            if from.is_empty() || grown > crate::limits::MAX_VALUE {
                return None;
            }
            lines(&|t| Some(once(t)))?
        }
        "split" if options.is_empty() => {
            let by = words.first()?;
            let split = |t: &String| -> Vec<String> {
                match by.is_empty() {
                    true => t.chars().map(String::from).collect(),
                    false => t.split(by.as_str()).map(str::to_string).collect(),
                }
            };
            texts.iter().flat_map(split).collect()
        }
        "sub" => {
            let (start, length, end) =
                (number(&["-s", "--start"])?, number(&["-l", "--length"])?, number(&["-e", "--end"])?);
            lines(&|t| {
                let n = i64::try_from(t.chars().count()).ok()?;
                let from = match start.unwrap_or(1) {
                    s if s < 0 => n.saturating_add(s),
                    s => s.saturating_sub(1),
                };
                let to = match (length, end) {
                    (Some(l), _) => from.saturating_add(l),
                    (None, Some(e)) if e < 0 => n.saturating_add(e),
                    (None, Some(e)) => e,
                    _ => n,
                };
                let (from, to) = (usize::try_from(from.max(0)).ok()?, usize::try_from(to.max(0)).ok()?);
                Some(t.chars().skip(from).take(to.saturating_sub(from)).collect())
            })?
        }
        "trim" if options.is_empty() => lines(&|t| Some(t.trim().to_string()))?,
        "repeat" => {
            let n = usize::try_from(number(&["-n", "--count"])??).ok()?;
            if size.saturating_mul(n) > crate::limits::MAX_VALUE || options.len() > 1 {
                return None;
            }
            lines(&|t| Some(t.repeat(n)))?
        }
        "unescape"
            if options.iter().all(|(n, v)| n == "--style=url" || v.as_deref() == Some("url"))
                && !options.is_empty() =>
        {
            lines(&url)?
        }
        // As in a script: escapes are what they are in `$'…'`, quotes go.
        "unescape" if options.is_empty() && !texts.iter().any(|t| t.contains(['\'', '"'])) => {
            lines(&|t| String::from_utf8(crate::value::quote::ansi_c_decode(t.as_bytes())).ok())?
        }
        _ => return None,
    };
    let mut text = out.join("\n");
    text.push('\n');
    Some(Value::computed(text.as_bytes(), at, taint))
}

/// `%41` → `A`
fn url(t: &str) -> Option<String> {
    let mut out = Vec::with_capacity(t.len());
    let mut it = t.bytes();
    while let Some(b) = it.next() {
        if b == b'%' {
            let (a, b) = (char::from(it.next()?).to_digit(16)?, char::from(it.next()?).to_digit(16)?);
            out.push(u8::try_from(a.saturating_mul(16).saturating_add(b)).ok()?);
        } else {
            out.push(b);
        }
    }
    String::from_utf8(out).ok()
}
