//! PhishTank's `verified_online` and `online-valid`, CSV or JSON.

use super::csv::rows;
use super::{FeedError, Sink, is_json, json};
use crate::intel::db::Threat;
use crate::intel::indicator::Indicator;
use crate::time;
use serde::Deserialize;
use std::path::Path;

#[derive(Deserialize)]
struct Page {
    phish_id: serde_json::Value,
    url: String,
    submission_time: Option<String>,
    verified: Option<String>,
}

pub(super) fn read(path: &Path, sink: &mut Sink<'_>) -> Result<(), FeedError> {
    if is_json(path)? {
        let all: Vec<Page> = json(path, "phishtank")?;
        for p in all {
            let id = p.phish_id.as_str().map_or_else(|| p.phish_id.to_string(), str::to_string);
            page(
                &id,
                &p.url,
                p.submission_time.as_deref().unwrap_or_default(),
                p.verified.as_deref().unwrap_or("yes"),
                sink,
            );
        }
        return Ok(());
    }
    let wanted = ["phish_id", "url", "submission_time", "verified"];
    rows(path, "phishtank", wanted, |[id, url, at, verified]| page(id, url, at, verified, sink))
}

fn page(id: &str, url: &str, at: &str, verified: &str, sink: &mut Sink<'_>) {
    // Anyone may submit a page; only those that others have looked at count.
    let indicator = Indicator::url(url).filter(|_| verified == "yes");
    sink.add(indicator, Threat::Phishing, time::parse(at), id.parse().unwrap_or(0));
}
