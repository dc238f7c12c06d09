//! Operations on lists and maps.
//!
//! In: an operation and what it is given. Out: [`Data`].

use super::super::data::{elements, same};
use super::super::{Data, Interp, Run};
use super::Given;
use crate::value::{Taint, Value};

impl Interp<'_> {
    /// Operations on what has elements.
    pub(super) fn on_lists(&mut self, run: &mut Run, op: &str, given: &Given<'_>) -> Option<Data> {
        let (all, at) = (given.all, given.at);
        match op {
            "at" => {
                let n = all.get(1).map_or(Some(0), Data::number)?;
                let (items, known) = elements(given.first()?, at);
                let i = if n < 0 { i64::try_from(items.len()).ok()?.checked_add(n)? } else { n };
                if known { usize::try_from(i).ok().and_then(|i| items.get(i).cloned()) } else { None }
            }
            // `list << x`, `list.push(x)`: a new list; text gets longer, a file gets the text.
            "push" => match given.first()? {
                Data::List(mut l) => {
                    l.extend(all.iter().skip(1).cloned());
                    Some(Data::List(l))
                }
                Data::Text(mut v) => {
                    all.iter().skip(1).for_each(|d| v.push(d.value(at)));
                    Some(Data::Text(v))
                }
                d => Some(d),
            },
            // Known text split at blanks; anything else as it is.
            "blanks" => match given.text(0) {
                Some(t) => {
                    let part = |s: &str| Data::Text(Value::computed(s.as_bytes(), at, given.taint.clone()));
                    Some(Data::List(t.split_whitespace().map(part).collect()))
                }
                None => given.first(),
            },
            // `1..3`, `'a'..'e'`
            "inclusive" => {
                let (a, b) = (given.first()?, all.get(1)?);
                if let (Some(a), Some(b)) = (a.number(), b.number()) {
                    return Some(Data::List((a..=b).take(4_096).map(Data::Number).collect()));
                }
                let (a, b) = (a.value(at).as_str()?.chars().next()?, b.value(at).as_str()?.chars().next()?);
                let one = |c: char| Data::Text(Value::computed(c.to_string().as_bytes(), at, Taint::default()));
                Some(Data::List((a..=b).take(4_096).map(one).collect()))
            }
            // `enumerate(list)`, `ipairs(list)`: pairs of a number and an element; of a map its keys and values.
            "enumerate" => Some(Data::List(match given.first()? {
                Data::Map(m) => m.into_iter().map(|(k, v)| Data::List(vec![k, v])).collect(),
                other => {
                    let (items, known) = elements(other, at);
                    if !known {
                        return None;
                    }
                    let numbered = items.into_iter().zip(i64::try_from(given.positions.0).unwrap_or(0)..);
                    numbered.map(|(d, i)| Data::List(vec![Data::Number(i), d])).collect()
                }
            })),
            "zip" => {
                let lists: Vec<Vec<Data>> = all.iter().map(|d| elements(d.clone(), at).0).collect();
                let n = lists.iter().map(Vec::len).min()?;
                let row = |i: usize| Data::List(lists.iter().filter_map(|l| l.get(i).cloned()).collect());
                Some(Data::List((0..n.min(4_096)).map(row).collect()))
            }
            // awk's `$2`, and `split(text, array, separator)`: parts count from one; without a separator blanks part.
            "field" => {
                let parts = crate::eval::script::text::parts(&given.text(0)?, given.text(1).as_deref())?;
                let n = usize::try_from(all.get(2)?.number()?).ok()?;
                given.made(parts.get(n.checked_sub(1)?).map_or(&b""[..], |p| p.as_bytes()))
            }
            "fields" => {
                let separator =
                    given.text(2).or_else(|| run.get("FS").and_then(|d| d.value(at).as_str().map(|s| s.into_owned())));
                let parts = crate::eval::script::text::parts(&given.text(0)?, separator.as_deref())?;
                let one = |(i, p): (usize, &String)| {
                    let key = Data::Number(i64::try_from(i).unwrap_or(0).saturating_add(1));
                    (key, Data::Text(Value::computed(p.as_bytes(), at, given.taint.clone())))
                };
                Some(Data::Map(parts.iter().enumerate().take(4_096).map(one).collect()))
            }
            "get" => {
                let key = all.get(1)?;
                match given.first()? {
                    Data::Map(m) => Some(
                        m.iter()
                            .find(|(k, _)| same(k, key))
                            .map(|(_, v)| v.clone())
                            .or_else(|| all.get(2).cloned())
                            .unwrap_or(Data::Null),
                    ),
                    _ => None,
                }
            }
            "len" => Some(Data::Number(match given.first()? {
                Data::List(l) => i64::try_from(l.len()).ok()?,
                Data::Map(m) => i64::try_from(m.len()).ok()?,
                d => i64::try_from(d.value(at).as_str()?.chars().count()).ok()?,
            })),
            "range" => {
                let n: Vec<i64> = all.iter().filter_map(Data::number).collect();
                let (a, b, step) = match n.as_slice() {
                    [b] => (0, *b, 1),
                    [a, b] => (*a, *b, 1),
                    [a, b, s, ..] => (*a, *b, *s),
                    [] => return None,
                };
                if step == 0 {
                    return None;
                }
                let mut out = Vec::new();
                let mut i = a;
                while (step > 0 && i < b || step < 0 && i > b) && out.len() < 4_096 {
                    out.push(Data::Number(i));
                    i = i.checked_add(step)?;
                }
                Some(Data::List(out))
            }
            "list" => Some(match given.first().unwrap_or(Data::List(Vec::new())) {
                Data::Text(v) if v.is_known() => Data::List(elements(Data::Text(v), at).0),
                Data::Map(m) => Data::List(m.into_iter().map(|(k, _)| k).collect()),
                d => d,
            }),
            "items" => match given.first()? {
                Data::Map(m) => Some(Data::List(m.into_iter().map(|(k, v)| Data::List(vec![k, v])).collect())),
                _ => None,
            },
            "list.of" => Some(Data::List(all.to_vec())),
            "values" => match given.first()? {
                Data::Map(m) => Some(Data::List(m.into_iter().map(|(_, v)| v).collect())),
                _ => None,
            },
            "reverse" => match given.first()? {
                Data::List(mut l) => {
                    l.reverse();
                    Some(Data::List(l))
                }
                d => given.made(d.value(at).as_str()?.chars().rev().collect::<String>().as_bytes()),
            },
            "split" => {
                let t = given.text(0)?;
                let parts: Vec<String> = match given.text(1) {
                    Some(sep) if sep.is_empty() => t.chars().map(|c| c.to_string()).collect(),
                    Some(sep) => t.split(sep.as_str()).map(str::to_string).collect(),
                    None => t.split_whitespace().map(str::to_string).collect(),
                };
                let part = |s: &String| Data::Text(Value::computed(s.as_bytes(), at, given.taint.clone()));
                Some(Data::List(parts.iter().take(4_096).map(part).collect()))
            }
            _ => None,
        }
    }
}
