//! Whether an argument has its role: the conditions of `grammars/languages`.
//!
//! In: a fact and the arguments. Out: yes or no; what is not known holds.

use super::Data;
use super::data::named;
use crate::command::calls::{ArgFact, CallFact};

/// Whether all of a value stands in the script.
fn known(d: &Data, depth: u32) -> bool {
    let next = depth.saturating_add(1);
    match d {
        Data::Text(v) => v.is_known() && v.taint().is_empty(),
        Data::Number(_) | Data::Bool(_) | Data::Null => true,
        Data::List(l) => depth < 4 && l.iter().all(|d| known(d, next)),
        Data::Map(m) => depth < 4 && m.iter().all(|(k, v)| known(k, next) && known(v, next)),
        _ => false,
    }
}

/// Whether the conditions of an argument hold; where that is not known, they do.
pub(super) fn holds<'d>(arg: &ArgFact, fact: &CallFact, get: &dyn Fn(usize) -> Option<&'d Data>) -> bool {
    let when = arg.when.is_empty() || tested(arg.when, fact, get).unwrap_or(true);
    let unless = !arg.unless.is_empty() && tested(arg.unless, fact, get).unwrap_or(false);
    when && !unless
}

/// Whether a condition holds for certain; an empty one does.
pub(super) fn surely<'d>(when: &str, fact: &CallFact, get: &dyn Fn(usize) -> Option<&'d Data>) -> bool {
    when.is_empty() || tested(when, fact, get) == Some(true)
}

/// Whether a condition holds; nothing where that is not known.
fn tested<'d>(text: &str, fact: &CallFact, get: &dyn Fn(usize) -> Option<&'d Data>) -> Option<bool> {
    let test = |text: &str| -> Option<bool> {
        let (param, rest) = text.split_once(' ')?;
        let (op, want) = rest.split_once(' ')?;
        let (param, key) = param.split_once('.').unwrap_or((param, ""));
        let at = fact.params.iter().position(|p| *p == param)?;
        let mut data = get(at);
        for key in key.split('.').filter(|k| !k.is_empty()) {
            data = match data {
                Some(Data::Map(m)) => m.iter().find(|(k, _)| named(k, key)).map(|(_, v)| v),
                Some(Data::Text(v)) if !v.is_known() => return None,
                _ => None,
            };
        }
        let Some(data) = data else { return Some(op == "=" && want == "absent") };
        if want == "known" {
            return Some(known(data, 0));
        }
        let data = match data {
            Data::Path(p) if op == "=" && p == want => return Some(true),
            Data::Text(v) => v.as_str()?.into_owned(),
            Data::Number(n) => n.to_string(),
            Data::Bool(b) => b.to_string(),
            Data::List(_) => "list".to_string(),
            Data::Map(_) => "map".to_string(),
            Data::Null => "null".to_string(),
            Data::Function(..) | Data::Partial(..) | Data::Bound(..) | Data::Path(_) => "function".to_string(),
            _ => return None,
        };
        Some(match op {
            "~" => data.chars().any(|c| want.contains(c)),
            "^" => data.starts_with(want),
            "$" => data.ends_with(want),
            _ => data == want,
        })
    };
    let mut known = true;
    for t in text.split(" & ") {
        let (t, wanted) = t.strip_prefix('!').map_or((t, true), |t| (t, false));
        match test(t) {
            Some(r) if r != wanted => return Some(false),
            Some(_) => {}
            None => known = false,
        }
    }
    known.then_some(true)
}
