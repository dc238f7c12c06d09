//! Lists and maps that change, and parts of them.
//!
//! In: a list, map or text. Out: the same, changed; unknown where it is not worked out.

use super::Data;
use super::data::{elements, same};
use crate::source::Place;
use crate::value::Value;

/// Changes a list or map; gives what the call gives.
pub(super) fn change(op: &str, object: &mut Data, mut args: Vec<Data>, at: Place) -> Data {
    let mut taint = object.taint();
    args.iter().for_each(|d| taint.join(&d.taint()));
    match (op, &mut *object) {
        ("append", Data::List(l)) if l.len().saturating_add(args.len()) <= 65_536 => l.append(&mut args),
        ("prepend", Data::List(l)) if l.len().saturating_add(args.len()) <= 65_536 => {
            args.append(l);
            *l = args;
        }
        ("extend", Data::List(l)) => match args.into_iter().next().map(|d| elements(d, at)) {
            Some((mut items, true)) if l.len().saturating_add(items.len()) <= 65_536 => l.append(&mut items),
            _ => *object = Data::unknown("list", at, taint),
        },
        ("insert", Data::List(l)) => {
            let place = args.first().and_then(Data::number).and_then(|n| usize::try_from(n).ok());
            match (place, args.pop()) {
                (Some(i), Some(d)) if l.len() <= 65_536 => l.insert(i.min(l.len()), d),
                _ => *object = Data::unknown("list", at, taint),
            }
        }
        ("pop", Data::List(l)) if args.is_empty() => return l.pop().unwrap_or(Data::Null),
        ("shift", Data::List(l)) => return if l.is_empty() { Data::Null } else { l.remove(0) },
        ("pop", Data::List(l)) => match args.first().and_then(Data::number).and_then(|n| usize::try_from(n).ok()) {
            Some(i) if i < l.len() => return l.remove(i),
            _ => *object = Data::unknown("list", at, taint),
        },
        ("reverse", Data::List(l)) => {
            l.reverse();
            return object.clone();
        }
        ("clear", Data::List(l)) => l.clear(),
        ("clear", Data::Map(m)) => m.clear(),
        ("update", Data::Map(m)) => match args.pop() {
            Some(Data::Map(new)) if m.len().saturating_add(new.len()) <= 4_096 => {
                for (k, v) in new {
                    m.retain(|(x, _)| !same(x, &k));
                    m.push((k, v));
                }
            }
            _ => *object = Data::unknown("map", at, taint),
        },
        // What it holds afterwards is not worked out.
        _ => {
            *object = Data::unknown("changed list", at, taint.clone());
            return Data::unknown("element", at, taint);
        }
    }
    Data::Null
}

/// `object[start:end:step]`
pub(super) fn slice(object: Data, start: Option<Data>, end: Option<Data>, step: Option<Data>, at: Place) -> Data {
    let taint = object.taint();
    let unknown = Data::unknown("slice", at, taint.clone());
    let number = |d: &Option<Data>| match d {
        None | Some(Data::Null) => Some(None),
        Some(d) => d.number().map(Some),
    };
    let (Some(start), Some(end), Some(step)) = (number(&start), number(&end), number(&step)) else { return unknown };
    let step = step.unwrap_or(1);
    let (items, text): (Vec<Data>, bool) = match object {
        Data::List(l) => (l, false),
        Data::Text(v) if v.is_known() => (elements(Data::Text(v), at).0, true),
        _ => return unknown,
    };
    let Ok(n) = i64::try_from(items.len()) else { return unknown };
    let place = |v: i64| if v < 0 { n.saturating_add(v).max(0) } else { v.min(n) };
    let mut picked = Vec::new();
    if step > 0 {
        let (a, b) = (start.map_or(0, place), end.map_or(n, place));
        let mut i = a;
        while i < b {
            picked.extend(usize::try_from(i).ok().and_then(|i| items.get(i)).cloned());
            i = i.saturating_add(step);
        }
    } else if step < 0 {
        let a = start.map_or(n.saturating_sub(1), |v| place(v).min(n.saturating_sub(1)));
        let b = end.map_or(-1, place);
        let mut i = a;
        while i > b {
            picked.extend(usize::try_from(i).ok().and_then(|i| items.get(i)).cloned());
            i = i.saturating_add(step);
        }
    }
    if !text {
        return Data::List(picked);
    }
    let mut out = Vec::new();
    for d in picked {
        if let Some(b) = d.value(at).as_literal() {
            out.extend_from_slice(&b);
        }
    }
    Data::Text(Value::computed(&out, at, taint))
}
