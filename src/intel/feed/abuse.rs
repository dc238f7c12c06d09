//! Feeds of abuse.ch: URLhaus (addresses that malware is got from) and Feodo Tracker (servers that control botnets).

use super::csv::rows;
use super::{FeedError, Sink, is_json, json};
use crate::intel::db::Threat;
use crate::intel::indicator::{Indicator, Kind};
use crate::time;
use crate::url::{Address, Host};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

#[derive(Deserialize)]
struct Spread {
    dateadded: Option<String>,
    url: String,
}

pub(super) fn urlhaus(path: &Path, sink: &mut Sink<'_>) -> Result<(), FeedError> {
    if is_json(path)? {
        let all: BTreeMap<String, Vec<Spread>> = json(path, "urlhaus")?;
        for (id, entries) in all {
            for e in entries {
                spread(&id, e.dateadded.as_deref().unwrap_or_default(), &e.url, sink);
            }
        }
        return Ok(());
    }
    rows(path, "urlhaus", ["id", "dateadded", "url"], |[id, at, url]| spread(id, at, url, sink))
}

fn spread(id: &str, at: &str, url: &str, sink: &mut Sink<'_>) {
    let (at, id) = (time::parse(at), id.parse().unwrap_or(0));
    sink.add(Indicator::url(url), Threat::Malware, at, id);
    // A bare number that spreads malware is a machine of its own; a name may be that of a service with many users.
    if let Some(Address { host: Host::Ip(ip), .. }) = Address::parse_text(url, "http") {
        sink.add(Some(Indicator::ip(ip)), Threat::Malware, at, id);
    }
}

#[derive(Deserialize)]
struct Server {
    ip_address: String,
    first_seen: Option<String>,
}

pub(super) fn feodo(path: &Path, sink: &mut Sink<'_>) -> Result<(), FeedError> {
    if is_json(path)? {
        let all: Vec<Server> = json(path, "feodo")?;
        for s in all {
            server(&s.ip_address, s.first_seen.as_deref().unwrap_or_default(), sink);
        }
        return Ok(());
    }
    rows(path, "feodo", ["dst_ip", "first_seen_utc"], |[ip, at]| server(ip, at, sink))
}

fn server(ip: &str, at: &str, sink: &mut Sink<'_>) {
    let ip = Indicator::host(ip).filter(|i| i.kind == Kind::Ip);
    sink.add(ip, Threat::Control, time::parse(at), 0);
}
