//! OSV records (ossf.github.io/osv-schema) of malicious packages, as ossf/malicious-packages keeps them.
//!
//! A package whose range begins at 0 and has no end is malicious as such; else the versions that are named are. Records
//! that were withdrawn are left out.

use super::{FeedError, Sink, json};
use crate::intel::db::Threat;
use crate::intel::indicator::Indicator;
use crate::time;
use serde::Deserialize;
use std::path::Path;

/// Most files in a folder of records.
const MAX_FILES: usize = 10_000_000;

#[derive(Deserialize)]
struct Entry {
    id: String,
    published: Option<String>,
    modified: Option<String>,
    withdrawn: Option<String>,
    #[serde(default)]
    affected: Vec<Affected>,
}

#[derive(Deserialize)]
struct Affected {
    package: Option<Package>,
    #[serde(default)]
    ranges: Vec<Range>,
    #[serde(default)]
    versions: Vec<String>,
}

#[derive(Deserialize)]
struct Package {
    ecosystem: String,
    name: String,
}

#[derive(Deserialize)]
struct Range {
    #[serde(default)]
    events: Vec<Event>,
}

#[derive(Deserialize)]
struct Event {
    introduced: Option<String>,
    fixed: Option<String>,
    last_affected: Option<String>,
}

pub(super) fn read(path: &Path, sink: &mut Sink<'_>) -> Result<(), FeedError> {
    if path.is_file() {
        return json(path, "osv").map(|e| entry(&e, sink));
    }
    let mut folders = vec![path.to_path_buf()];
    let mut files = 0usize;
    while let Some(folder) = folders.pop() {
        for file in std::fs::read_dir(&folder).map_err(|e| FeedError::io(&folder, e))? {
            let file = file.map_err(|e| FeedError::io(&folder, e))?;
            let kind = file.file_type().map_err(|e| FeedError::io(&file.path(), e))?;
            let path = file.path();
            // Links may lead in circles.
            if kind.is_dir() {
                folders.push(path);
            } else if kind.is_file() && path.extension().is_some_and(|e| e == "json") {
                entry(&json(&path, "osv")?, sink);
                files = files.saturating_add(1);
            }
        }
        if files > MAX_FILES {
            return Err(FeedError::wrong(path, "osv", format!("there are more than {MAX_FILES} files")));
        }
    }
    if files == 0 {
        return Err(FeedError::wrong(path, "osv", "there are no .json files"));
    }
    Ok(())
}

fn entry(e: &Entry, sink: &mut Sink<'_>) {
    if e.withdrawn.is_some() {
        return;
    }
    let at = e.published.as_deref().or(e.modified.as_deref()).and_then(time::parse);
    let reference = number(&e.id).unwrap_or(0);
    for a in &e.affected {
        let Some(p) = &a.package else { continue };
        let mut add = |i| sink.add(i, Threat::Package, at, reference);
        let events = || a.ranges.iter().map(|r| &r.events);
        let endless = |r: &Vec<Event>| {
            r.iter().any(|e| e.introduced.as_deref() == Some("0"))
                && !r.iter().any(|e| e.fixed.is_some() || e.last_affected.is_some())
        };
        if events().any(endless) || a.versions.is_empty() && a.ranges.is_empty() {
            add(Indicator::package(&p.ecosystem, &p.name));
            continue;
        }
        add(Indicator::versions(&p.ecosystem, &p.name));
        for version in &a.versions {
            add(Indicator::version(&p.ecosystem, &p.name, version));
        }
    }
}

/// `MAL-2026-123` as a number: the year since 2000 in the highest byte.
fn number(id: &str) -> Option<u32> {
    let (year, n) = id.strip_prefix("MAL-")?.split_once('-')?;
    let year = year.parse::<u32>().ok()?.checked_sub(2_000).filter(|y| *y < 128)?;
    let n = n.parse::<u32>().ok().filter(|n| *n < 1 << 24)?;
    Some(year << 24 | n)
}
