//! Operations on text and bytes: composed, taken apart, in other encodings.
//!
//! In: an operation and what it is given. Out: [`Data`]; `None` where it is not computed.

use super::super::call::Args;
use super::super::data::elements;
use super::super::list::slice;
use super::super::text::{radix, replace, rot13, transformed, unhex, unpercent};
use super::super::{Data, Interp, Run};
use super::Given;
use crate::limits;
use crate::source::Place;
use crate::value::transform;
use crate::value::{Taint, Value, Why};

impl Interp<'_> {
    /// Operations on text.
    pub(super) fn on_text(&mut self, run: &mut Run, op: &str, given: &Given<'_>) -> Option<Data> {
        let (all, at) = (given.all, given.at);
        match op {
            // Text of a thing, a number in a base, bytes in an encoding.
            "text" => match (given.first()?, all.get(1)) {
                (Data::Number(n), Some(base)) => {
                    let base = u32::try_from(base.number()?).ok().filter(|b| (2..=36).contains(b))?;
                    given.made(radix(n, base)?.as_bytes())
                }
                (d @ Data::Object(_), _) if d.content().is_none() => Some(d),
                (Data::List(l), _) if l.iter().all(|d| matches!(d, Data::Number(_))) => {
                    let b: Option<Vec<u8>> = l.iter().map(|d| u8::try_from(d.number()?).ok()).collect();
                    given.made(&b?)
                }
                (Data::List(l), _) => {
                    let comma = Value::computed(b",", at, Taint::default());
                    Some(Data::Text(join(&l, &comma, at)))
                }
                (d, encoding) => match encoding.and_then(|e| e.value(at).as_str().map(|s| s.into_owned())).as_deref() {
                    Some("base64" | "base64url") => transformed("base64 -w0", &Data::Text(d.value(at)), at),
                    Some("hex") => {
                        let hex: String = d.value(at).as_literal()?.iter().map(|b| format!("{b:02x}")).collect();
                        given.made(hex.as_bytes())
                    }
                    _ => Some(Data::Text(d.value(at))),
                },
            },
            // `%41%20`
            "unpercent" => given.made(&unpercent(&given.bytes(0)?)),
            // Parts of a path; one that begins with `/` begins anew.
            "path" => {
                let mut v = Value::default();
                for d in all {
                    let part = d.value(at);
                    if part.prefix().starts_with(b"/") {
                        v = Value::default();
                    } else if !v.pieces.is_empty() && !v.as_literal().is_some_and(|b| b.ends_with(b"/")) {
                        v.push(Value::computed(b"/", at, Taint::default()));
                    }
                    v.push(part);
                }
                Some(Data::Text(v))
            }
            // A number as written in a base of its own (`hex "41"`, `oct "0x41"`).
            "number" => {
                let t = given.text(0)?;
                let t = t.trim().to_ascii_lowercase();
                let n = match t.strip_prefix("0x").or_else(|| t.strip_prefix('x')) {
                    Some(h) => i64::from_str_radix(h, 16),
                    None => i64::from_str_radix(&t, 16),
                };
                n.ok().map(Data::Number)
            }
            // `[65, 66].pack('C*')`
            "packed" => {
                let swapped: Args = vec![(None, all.get(1)?.clone()), (None, given.first()?)];
                self.operation(run, "pack", None, &swapped, at)
            }
            // `text.unpack1('m0')`
            "unpacked" | "unpacked.list" => {
                let d = match given.text(1)?.as_str() {
                    "m" | "m0" => transformed("base64 -d", &given.first()?, at)?,
                    "H*" => {
                        let hex: String = given.bytes(0)?.iter().map(|b| format!("{b:02x}")).collect();
                        given.made(hex.as_bytes())?
                    }
                    _ => return None,
                };
                Some(if op == "unpacked" { d } else { Data::List(vec![d]) })
            }
            // `explode(SEP, TEXT)`, `str_replace(FROM, TO, TEXT)`: the text last
            "explode" | "replaced" => {
                let (subject, rest) = all.split_last()?;
                let turned = std::iter::once(subject).chain(rest).map(|d| (None, d.clone())).collect();
                self.operation(run, if op == "explode" { "split" } else { "replace" }, None, &turned, at)
            }
            "hexdump" => {
                let hex: String = given.bytes(0)?.iter().map(|b| format!("{b:02x}")).collect();
                given.made(hex.as_bytes())
            }
            // Deflate without a header (`gzinflate`)
            "inflate" => {
                let packed = given.bytes(0)?;
                let mut out = Vec::new();
                let limit = u64::try_from(limits::MAX_VALUE).unwrap_or(u64::MAX);
                let mut reader = std::io::Read::take(flate2::read::DeflateDecoder::new(packed.as_slice()), limit);
                std::io::Read::read_to_end(&mut reader, &mut out).ok()?;
                given.made(&out)
            }
            // Bytes as text: the last argument that holds any; wide text has two bytes a character.
            "decoded" => all.iter().find(|d| !matches!(d, Data::Object(_) | Data::Path(_))).cloned(),
            "decoded.wide" => {
                let b = all.last()?.value(at).as_literal()?.into_owned();
                let units: Vec<u16> =
                    b.chunks_exact(2).filter_map(|p| Some(u16::from_le_bytes([*p.first()?, *p.get(1)?]))).collect();
                given.made(String::from_utf16_lossy(&units).as_bytes())
            }
            // `join SEP, LIST`
            "joined" => {
                let (sep, rest) = all.split_first()?;
                let mut items = Vec::new();
                for d in rest {
                    match d {
                        Data::List(l) => items.extend(l.iter().cloned()),
                        other => items.push(other.clone()),
                    }
                }
                Some(Data::Text(join(&items, &sep.value(at), at)))
            }
            // A value from its text in JSON.
            "json" => crate::eval::script::text::json(&given.text(0)?, at, &given.taint),
            // A pattern's matches replaced: `re.sub(PATTERN, WITH, TEXT)`, `text.gsub(PATTERN, WITH)`.
            "sub" if run.language == crate::effect::Language::Lua && given.text(1)?.contains('%') => None,
            "sub" => {
                let order = if given.positions == (0, None) { [1, 2, 0] } else { [0, 1, 2] };
                let [pattern, with, subject] = order.map(|i| given.text(i));
                // Without a `g` among given flags it is the first match alone.
                let once = given.text(3).is_some_and(|f| !f.contains('g'));
                given.made(crate::eval::script::text::substituted(&subject?, &pattern?, &with?, once)?.as_bytes())
            }
            // `text =~ /pattern/`: its groups are `$1`, `$2` …
            "match" => {
                let Some(subject) = given.text(0) else {
                    // What the groups hold is a part of it.
                    let taint = given.first()?.taint();
                    for name in ["$&", "$1", "$2", "$3", "$4"] {
                        run.set(name, Data::unknown("group of a match", at, taint.clone()));
                    }
                    return None;
                };
                let groups = crate::eval::script::text::matched(&subject, &given.text(1)?)?;
                for (i, g) in groups.iter().enumerate() {
                    let name = if i == 0 { "$&".to_string() } else { format!("${i}") };
                    run.set(&name, Data::Text(Value::computed(g.as_bytes(), at, given.taint.clone())));
                }
                Some(Data::Bool(true))
            }
            // `/a/g`: the pattern, and how it is used
            "regexp" => {
                let made = Data::object("regexp");
                if let Data::Object(o) = &made
                    && let Ok(mut o) = o.try_borrow_mut()
                {
                    let value = |i: usize| all.get(i).cloned().unwrap_or(Data::Text(Value::default()));
                    o.fields = vec![("source".into(), value(0)), ("flags".into(), value(1))];
                }
                Some(made)
            }
            // A whole number as bytes, the high one first.
            "bytes" => given.made(&crate::eval::script::text::wide_bytes(given.first()?, all, at)?),
            "str" => match given.first().unwrap_or(Data::Null) {
                Data::Object(o) => Some(Data::Object(o)),
                Data::List(l) if l.iter().all(|d| matches!(d, Data::Number(_))) => {
                    let b: Vec<u8> = l.iter().filter_map(|d| d.number().and_then(|n| u8::try_from(n).ok())).collect();
                    given.made(&b)
                }
                d => Some(Data::Text(d.value(at))),
            },
            "int" => {
                let base = all.get(1).and_then(Data::number).and_then(|n| u32::try_from(n).ok()).unwrap_or(10);
                let t = given.text(0)?;
                let t = t.trim();
                let digits = t.trim_start_matches("0x").trim_start_matches("0X");
                let base = if digits.len() < t.len() || base == 0 { 16 } else { base };
                (2..=36).contains(&base).then(|| i64::from_str_radix(digits, base).ok()).flatten().map(Data::Number)
            }
            "chr" => {
                let mut s = String::new();
                for d in all {
                    match d {
                        Data::List(l) => l
                            .iter()
                            .for_each(|d| s.extend(d.number().and_then(|n| char::from_u32(u32::try_from(n).ok()?)))),
                        d => s.push(char::from_u32(u32::try_from(d.number()?).ok()?)?),
                    }
                }
                given.made(s.as_bytes())
            }
            "ord" => Some(Data::Number(i64::from(u32::from(given.text(0)?.chars().next()?)))),
            "hex" => Some(Data::Text(Value::computed(
                format!("0x{:x}", given.first()?.number()?).as_bytes(),
                at,
                given.taint.clone(),
            ))),
            "unhex" => given.made(&unhex(&given.text(0)?)?),
            // `sep.join(list)` and `list.join(sep)`
            "join" => {
                let (sep, list) = match (all.first()?, all.get(1)) {
                    (Data::List(l), sep) => (sep.map(|s| s.value(at)).unwrap_or_default(), l.clone()),
                    (sep, Some(Data::List(l))) => (sep.value(at), l.clone()),
                    (sep, Some(Data::Text(t))) => (sep.value(at), elements(Data::Text(t.clone()), at).0),
                    _ => return None,
                };
                Some(Data::Text(join(&list, &sep, at)))
            }
            "concat" => {
                let mut v = Value::default();
                all.iter().for_each(|d| v.push(d.value(at)));
                Some(Data::Text(v))
            }
            "format" => {
                let f = given.text(0)?;
                Some(Data::Text(format_braces(&f, all, given.args, at)))
            }
            "sprintf" => {
                let mut words: Vec<Value> = all.iter().map(|d| d.value(at)).collect();
                // `%c` of a number is the character of that code.
                if let Some(format) = given.text(0) {
                    for (i, kind) in directives(&format).into_iter().enumerate().take(256) {
                        let at_word = i.saturating_add(1);
                        let code = all.get(at_word).filter(|d| kind == 'c' && matches!(d, Data::Number(_)));
                        let code = code.and_then(Data::number).and_then(|n| u32::try_from(n).ok());
                        if let (Some(c), Some(w)) = (code.and_then(char::from_u32), words.get_mut(at_word)) {
                            *w = Value::computed(c.to_string().as_bytes(), at, Taint::default());
                        }
                    }
                }
                Some(Data::Text(transform::printf_values(&words, at, transform::Flavour::Bash).0))
            }
            "replace" if matches!(all.get(1), Some(Data::Object(_))) => {
                let Some(Data::Object(o)) = all.get(1) else { return None };
                let o = o.try_borrow().ok()?;
                let field = |name: &str| o.fields.iter().find(|(n, _)| n == name).map(|(_, d)| d.value(at));
                let (source, flags) = (field("source")?, field("flags")?);
                let mut source = source.as_str()?.into_owned();
                let flags = flags.as_str()?.into_owned();
                if flags.contains('i') {
                    source.insert_str(0, "(?i)");
                }
                given.made(
                    crate::eval::script::text::substituted(
                        &given.text(0)?,
                        &source,
                        &given.text(2)?,
                        !flags.contains('g'),
                    )?
                    .as_bytes(),
                )
            }
            "replace" => {
                let (from, to) = (given.bytes(1)?, given.bytes(2)?);
                if from.is_empty() {
                    return None;
                }
                let s = given.bytes(0)?;
                given.made(&replace(&s, &from, &to))
            }
            "translate" => {
                let (s, from, to) = (given.text(0)?, given.text(1)?, given.text(2)?);
                let (f, t): (Vec<char>, Vec<char>) = (from.chars().collect(), to.chars().collect());
                let out: String = s
                    .chars()
                    .map(|c| f.iter().position(|x| *x == c).and_then(|i| t.get(i)).copied().unwrap_or(c))
                    .collect();
                given.made(out.as_bytes())
            }
            "lower" => given.made(given.text(0)?.to_lowercase().as_bytes()),
            "upper" => given.made(given.text(0)?.to_uppercase().as_bytes()),
            "strip" => {
                let t = given.text(0)?;
                match given.text(1) {
                    Some(set) => given.made(t.trim_matches(|c| set.contains(c)).as_bytes()),
                    None => given.made(t.trim().as_bytes()),
                }
            }
            "repeat" => {
                let n = usize::try_from(all.get(1)?.number()?).ok()?;
                let s = given.bytes(0)?;
                (s.len().saturating_mul(n) <= limits::MAX_VALUE).then(|| given.made(&s.repeat(n))).flatten()
            }
            "substr" => {
                let s = given.text(0)?;
                let start = all.get(1)?.number()?;
                let n = i64::try_from(s.chars().count()).ok()?;
                let start = if start < 0 { n.checked_add(start)?.max(0) } else { start };
                let len = match all.get(2).and_then(Data::number) {
                    Some(l) if l < 0 => n.checked_add(l)?.checked_sub(start)?.max(0),
                    Some(l) => l,
                    None => n,
                };
                let (a, l) = (usize::try_from(start).ok()?, usize::try_from(len).ok()?);
                given.made(s.chars().skip(a).take(l).collect::<String>().as_bytes())
            }
            // `[start, end)` by position (slice, substring)
            "slice" => {
                let object = given.first()?;
                Some(slice(object, all.get(1).cloned(), all.get(2).cloned(), None, at))
            }
            // Text in an encoding named by the second argument; without one it stays as it is.
            "decode" => match given.text(1).as_deref() {
                None => match given.first()? {
                    Data::List(l) if l.iter().all(|d| matches!(d, Data::Number(_))) => {
                        let b: Option<Vec<u8>> = l.iter().map(|d| u8::try_from(d.number()?).ok()).collect();
                        given.made(&b?)
                    }
                    d => Some(d),
                },
                Some("hex" | "hex_codec") => given.made(&unhex(&given.text(0)?)?),
                Some("base64" | "base64_codec" | "b64") => transformed("base64 -d", &given.first()?, at),
                Some("rot13" | "rot_13" | "rot-13") => given.made(&rot13(&given.bytes(0)?)),
                Some("zlib" | "zlib_codec" | "zip") => transformed("zlib.decode", &given.first()?, at),
                Some("bz2" | "bz2_codec") => transformed("bzip2.decode", &given.first()?, at),
                Some(_) => given.first(),
            },
            "rot13" => given.made(&rot13(&given.bytes(0)?)),
            // pack('H*', hex), and what is like it
            "pack" => match given.text(0)?.as_str() {
                "H*" => given.made(&unhex(&given.text(1)?)?),
                "C*" | "c*" | "U*" => {
                    let items = match all.get(1)? {
                        Data::List(l) => l.clone(),
                        _ => all.iter().skip(1).cloned().collect(),
                    };
                    let b: Option<Vec<u8>> = items.iter().map(|d| u8::try_from(d.number()?).ok()).collect();
                    given.made(&b?)
                }
                "m" | "m0" => transformed("base64 -d", all.get(1)?, at),
                _ => None,
            },
            _ => None,
        }
    }
}

pub(super) fn join(list: &[Data], sep: &Value, at: Place) -> Value {
    let mut v = Value::default();
    for (i, d) in list.iter().enumerate() {
        if i > 0 && !sep.pieces.is_empty() {
            v.push(sep.clone());
        }
        v.push(d.value(at));
    }
    v
}

/// `'{} {x} {0}'.format(…)`
fn format_braces(f: &str, all: &[Data], args: &Args, at: Place) -> Value {
    let mut v = Value::default();
    let mut next = 1usize;
    let mut rest = f;
    while let Some(i) = rest.find(['{', '}']) {
        let (head, tail) = rest.split_at(i);
        let mut push = |s: &str| v.push(Value::computed(s.as_bytes(), at, Taint::default()));
        push(head);
        if tail.starts_with("{{") || tail.starts_with("}}") {
            push(tail.get(..1).unwrap_or_default());
            rest = tail.get(2..).unwrap_or_default();
            continue;
        }
        let Some(end) = tail.find('}') else {
            push(tail);
            rest = "";
            break;
        };
        let field = tail.get(1..end).unwrap_or_default();
        let name = field.split([':', '!']).next().unwrap_or_default();
        let d = if name.is_empty() {
            next = next.saturating_add(1);
            all.get(next.saturating_sub(1)).cloned()
        } else if let Ok(n) = name.parse::<usize>() {
            all.get(n.saturating_add(1)).cloned()
        } else {
            args.iter().find(|(n, _)| n.as_deref() == Some(name)).map(|(_, d)| d.clone())
        };
        v.push(d.map(|d| d.value(at)).unwrap_or_else(|| Value::unknown(Why::NotComputed("format field"), at)));
        rest = tail.get(end.saturating_add(1)..).unwrap_or_default();
    }
    v.push(Value::computed(rest.as_bytes(), at, Taint::default()));
    v
}

/// The letters of a format's directives, in order.
fn directives(format: &str) -> Vec<char> {
    let mut out = Vec::new();
    let mut rest = format;
    while let Some((_, after)) = rest.split_once('%') {
        let n = after.find(|c: char| !matches!(c, '0'..='9' | '-' | '+' | ' ' | '#' | '.')).unwrap_or(after.len());
        let Some(letter) = after.get(n..).and_then(|s| s.chars().next()) else { break };
        if letter != '%' {
            out.push(letter);
        }
        rest = after.get(n.saturating_add(letter.len_utf8())..).unwrap_or_default();
    }
    out
}
