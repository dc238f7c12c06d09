//! Asking databases: what they are, what they know, how two of them differ.

use super::{path, store, wrong};
use crate::cli::exit::{Exit, Failure};
use crate::cli::output;
use crate::intel::db::{Database, Header, Keys};
use crate::intel::indicator::{Indicator, Kind};
use crate::time;
use clap::ArgMatches;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// The keys that were named, or those of this user.
fn keys(m: &ArgMatches) -> Result<Keys, Failure> {
    match m.get_one::<PathBuf>("keys") {
        Some(file) => {
            let text = std::fs::read_to_string(file);
            let text = text.map_err(|e| Failure::usage(format!("cannot read {}: {e}", file.display())))?;
            Keys::parse(&text).map_err(|e| wrong(format!("{}: {e}", file.display())))
        }
        None => store()?.keys().map_err(wrong),
    }
}

pub(super) fn verify(m: &ArgMatches) -> Result<Exit, Failure> {
    let file = path(m, "file")?;
    let keys = keys(m)?;
    let refused = |e| wrong(format!("{} {e}", file.display()));
    let database = Database::open(file, &keys, false).map_err(refused)?;
    database.verify().map_err(refused)?;
    let mut out = about(file, database.header(), database.signer(), false);
    if database.header().is_expired(time::now()) {
        output::print(out.as_bytes())?;
        return Err(wrong(format!("{} has expired on {}", file.display(), time::day(database.header().expires))));
    }
    out.push_str("every byte is as it was signed\n");
    output::print(out.as_bytes())?;
    Ok(Exit::Allow)
}

/// A database in words.
fn about(file: &Path, h: &Header, signer: Option<&str>, overlay: bool) -> String {
    let now = time::now();
    let mut out = String::new();
    let days = |at: i64| at.max(0).div_euclid(86_400);
    let kind = if overlay { " (overlay)" } else { "" };
    // Writing to a string cannot fail.
    let _ = writeln!(out, "{}{kind}", file.display());
    let _ = writeln!(out, "  name      {} {}", h.name, h.version);
    let _ = writeln!(out, "  made      {} ({} days ago)", time::show(h.made), days(now.saturating_sub(h.made)));
    let expires = match h.expires {
        0 => "never".to_string(),
        at if h.is_expired(now) => format!("{}: EXPIRED {} days ago", time::show(at), days(now.saturating_sub(at))),
        at => format!("{} (in {} days)", time::show(at), days(at.saturating_sub(now))),
    };
    let _ = writeln!(out, "  expires   {expires}");
    let _ = writeln!(out, "  signed by {}", signer.unwrap_or("nobody"));
    let _ = writeln!(out, "  records   {}", h.records);
    for (kind, n) in Kind::ALL.iter().zip(&h.kinds).filter(|(_, n)| **n > 0) {
        let _ = writeln!(out, "    {:<9} {n} given", kind.name());
    }
    for s in &h.sources {
        let _ = writeln!(out, "  source    {}: {} records, got {}", s.name, s.records, time::day(s.at));
    }
    out
}

/// A database as data.
fn record(file: &Path, h: &Header, signer: Option<&str>, overlay: bool) -> Value {
    let now = time::now();
    let kinds: serde_json::Map<String, Value> =
        Kind::ALL.iter().zip(&h.kinds).map(|(k, n)| (k.name().to_string(), json!(n))).collect();
    let source = |s: &crate::intel::db::Source| json!({"name": s.name, "records": s.records, "at": time::show(s.at)});
    json!({
        "file": file.display().to_string(),
        "overlay": overlay,
        "name": h.name,
        "version": h.version,
        "made": time::show(h.made),
        "age_days": now.saturating_sub(h.made).max(0).div_euclid(86_400),
        "expires": (h.expires != 0).then(|| time::show(h.expires)),
        "expired": h.is_expired(now),
        "signer": signer,
        "records": h.records,
        "given": kinds,
        "sources": h.sources.iter().map(source).collect::<Vec<_>>(),
    })
}

pub(super) fn status(m: &ArgMatches) -> Result<Exit, Failure> {
    let store = store()?;
    let opened = store.opened();
    let keys = store.keys().map(|k| k.ids().to_vec()).unwrap_or_default();
    let expired = opened.serving.iter().any(|s| s.database.header().is_expired(time::now()));
    let problems: Vec<String> = opened.problems.iter().cloned().chain(store.damage(None)).collect();
    let state = match (opened.serving.is_empty(), problems.is_empty(), expired) {
        (true, true, _) => "none",
        (true, false, _) => "refused",
        (false, false, _) | (false, true, true) => "degraded",
        (false, true, false) => "in use",
    };
    let text = if m.get_flag("json") {
        let databases: Vec<Value> = opened
            .serving
            .iter()
            .map(|s| record(&s.path, s.database.header(), s.database.signer(), s.overlay))
            .collect();
        let all = json!({
            "state": state,
            "folder": store.dir().display().to_string(),
            "keys_file": store.keys_file().display().to_string(),
            "trusted_keys": keys,
            "version_floor": store.version(),
            "databases": databases,
            "problems": problems,
        });
        format!("{all}\n")
    } else {
        let mut out = format!("threat data: {state}\n");
        let trusted = if keys.is_empty() { "none".to_string() } else { keys.join(", ") };
        let _ = writeln!(out, "trusted keys: {trusted} ({})", store.keys_file().display());
        for s in &opened.serving {
            out.push_str(&about(&s.path, s.database.header(), s.database.signer(), s.overlay));
        }
        for p in &problems {
            let _ = writeln!(out, "problem: {p}");
        }
        if state == "none" {
            let _ = writeln!(out, "nothing in {}; see `shellward threats update --help`", store.dir().display());
        }
        out
    };
    output::print(text.as_bytes())?;
    Ok(if matches!(state, "refused" | "degraded") { Exit::Warn } else { Exit::Allow })
}

pub(super) fn explain(m: &ArgMatches) -> Result<Exit, Failure> {
    let text = m.get_one::<String>("indicator").cloned().unwrap_or_default();
    let all = Indicator::guess(&text);
    if all.is_empty() {
        return Err(Failure::usage(format!(
            "{text:?} is no URL, host, address, network, hash or ECOSYSTEM:NAME[@VERSION]"
        )));
    }
    let store = store()?;
    let now = time::now();
    let (hits, problems) = store.find(&all, now);
    let out = if m.get_flag("json") {
        let hits: Vec<Value> = hits
            .iter()
            .map(|h| {
                json!({
                    "kind": h.indicator.kind.name(), "key": h.indicator.key, "threat": h.record.threat.name(),
                    "source": h.source, "reference": h.reference, "database": h.database,
                    "reported": h.record.reported().map(time::day), "made": time::show(h.made), "expired": h.expired,
                })
            })
            .collect();
        let asked: Vec<String> = all.iter().map(ToString::to_string).collect();
        format!("{}\n", json!({"asked": asked, "hits": hits, "problems": problems}))
    } else {
        let mut out = String::new();
        for h in &hits {
            let reference = h.reference.as_ref().map(|r| format!(" ({r})")).unwrap_or_default();
            // Writing to a string cannot fail.
            let _ = writeln!(
                out,
                "{}: {}, says {}{reference}; {}",
                h.indicator,
                h.record.threat,
                h.source,
                h.freshness(now)
            );
        }
        for p in &problems {
            let _ = writeln!(out, "problem: {p}");
        }
        if hits.is_empty() {
            let asked: Vec<String> = all.iter().map(ToString::to_string).collect();
            let of = store.opened().serving.len();
            let _ = writeln!(out, "not listed: {} (of {of} databases)", asked.join(", "));
        }
        out
    };
    output::print(out.as_bytes())?;
    Ok(if hits.is_empty() { Exit::Allow } else { Exit::Warn })
}

pub(super) fn diff(m: &ArgMatches) -> Result<Exit, Failure> {
    let keys = keys(m)?;
    let open = |name| {
        let file = path(m, name)?;
        Database::open(file, &keys, true).map(|d| (file, d)).map_err(|e| wrong(format!("{} {e}", file.display())))
    };
    let ((old_file, old), (new_file, new)) = (open("old")?, open("new")?);
    let (mut added, mut removed, mut kept) = (0u64, 0u64, 0u64);
    // What is listed, for what, by whom: the numbers of the sources may differ.
    let name = |d: &Database, source: u8| d.header().sources.get(usize::from(source)).map(|s| s.name.clone());
    let mut left = old.all().peekable();
    let mut right = new.all().peekable();
    loop {
        let order = match (left.peek(), right.peek()) {
            (None, None) => break,
            (Some(Err(_)), _) => return Err(wrong(format!("{} is damaged", old_file.display()))),
            (_, Some(Err(_))) => return Err(wrong(format!("{} is damaged", new_file.display()))),
            (Some(_), None) => std::cmp::Ordering::Less,
            (None, Some(_)) => std::cmp::Ordering::Greater,
            (Some(Ok((a, x))), Some(Ok((b, y)))) => {
                let of = |d, r: &crate::intel::db::Record| (name(d, r.source), r.threat);
                a.cmp(b).then_with(|| of(&old, x).cmp(&of(&new, y)))
            }
        };
        if order.is_le() {
            left.next();
        }
        if order.is_ge() {
            right.next();
        }
        let count = match order {
            std::cmp::Ordering::Less => &mut removed,
            std::cmp::Ordering::Greater => &mut added,
            std::cmp::Ordering::Equal => &mut kept,
        };
        *count = count.saturating_add(1);
    }
    let (from, to) = (old.header().version, new.header().version);
    let out = match m.get_flag("json") {
        true => format!("{}\n", json!({"from": from, "to": to, "added": added, "removed": removed, "kept": kept})),
        false => format!("{from} → {to}: {added} added, {removed} removed, {kept} kept\n"),
    };
    output::print(out.as_bytes())?;
    Ok(Exit::Allow)
}
