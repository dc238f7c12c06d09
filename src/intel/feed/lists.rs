//! Lists with one entry a line.

use super::{FeedError, Sink, lines};
use crate::intel::db::Threat;
use crate::intel::ecosystem;
use crate::intel::indicator::{Indicator, Kind, network_of, split_in};
use crate::time;
use std::net::IpAddr;
use std::path::Path;

/// The entry of a line, without comments; `None` for a line without one.
fn entry(line: &str) -> Option<&str> {
    let line = line.trim();
    if line.starts_with(['#', '!', ';', '[']) {
        return None;
    }
    let end = line.find([' ', '\t']).and_then(|at| line.get(at..)?.find(['#', ';']).map(|i| at.saturating_add(i)));
    let line = line.get(..end.unwrap_or(line.len())).unwrap_or_default().trim();
    (!line.is_empty()).then_some(line)
}

/// Hosts, zones, addresses, networks.
pub(super) fn hosts(path: &Path, sink: &mut Sink<'_>) -> Result<(), FeedError> {
    lines(path, |line| {
        let Some(text) = entry(line) else { return };
        // A hosts file begins its lines with an address that leads nowhere, or to whoever keeps the list, and has names of
        // this machine.
        let mut words = text.split_whitespace();
        let first = words.next().unwrap_or_default();
        let is_sink = first.parse::<IpAddr>().is_ok();
        let names: Vec<&str> = words.collect();
        if is_sink && !names.is_empty() {
            for name in names {
                // localhost and its kin, and lines that name the sink itself, are not listed for anything.
                let indicator = Indicator::host(name).filter(|i| i.kind == Kind::Host);
                if indicator.is_some() || name.contains('.') && name.parse::<IpAddr>().is_err() {
                    sink.add(indicator, Threat::Listed, None, 0);
                }
            }
            return;
        }
        sink.add(one_host(first), Threat::Listed, None, 0);
    })
}

fn one_host(text: &str) -> Option<Indicator> {
    // ||zone^, ||zone^$options
    if let Some(rest) = text.strip_prefix("||") {
        return Indicator::zone(rest.split('^').next()?);
    }
    // address=/zone/0.0.0.0, server=/zone/, local=/zone/
    if let Some((_, rest)) = text.split_once("=/") {
        return Indicator::zone(rest.split('/').next()?);
    }
    if text.starts_with(['*', '.']) {
        return Indicator::zone(text);
    }
    if text.contains("://") {
        return Indicator::url(text);
    }
    network_of(text).or_else(|| Indicator::host(text).filter(|_| !text.contains('/')))
}

/// Exits of Tor: bare addresses, or `ExitAddress ADDRESS DATE TIME`.
pub(super) fn tor(path: &Path, sink: &mut Sink<'_>) -> Result<(), FeedError> {
    lines(path, |line| {
        let Some(text) = entry(line) else { return };
        let words: Vec<&str> = text.split_whitespace().collect();
        let (ip, at) = match words.as_slice() {
            ["ExitAddress", ip, date, clock, ..] => (*ip, time::parse(&format!("{date}T{clock}"))),
            ["ExitNode" | "Published" | "LastStatus", ..] | [] => return,
            [ip, ..] => (*ip, None),
        };
        sink.add(ip.parse::<IpAddr>().ok().map(Indicator::ip), Threat::TorExit, at, 0);
    })
}

/// Hashes of malicious files; the first word of the line.
pub(super) fn hashes(path: &Path, sink: &mut Sink<'_>) -> Result<(), FeedError> {
    lines(path, |line| {
        let Some(text) = entry(line) else { return };
        let hash = text.split([' ', '\t', ',']).next().unwrap_or_default().trim_matches('"');
        sink.add(Indicator::hash(hash), Threat::Malware, None, 0);
    })
}

/// Anything, by what it looks like.
pub(super) fn anything(path: &Path, sink: &mut Sink<'_>) -> Result<(), FeedError> {
    lines(path, |line| {
        let Some(text) = entry(line) else { return };
        let package =
            text.split_once(':').filter(|(e, rest)| !rest.starts_with("//") && ecosystem::canonical(e).is_some());
        if let Some((eco, spec)) = package {
            let (name, version) = split_in(eco, spec);
            match version {
                Some(v) => {
                    sink.add(Indicator::version(eco, &name, &v), Threat::Package, None, 0);
                    sink.add(Indicator::versions(eco, &name), Threat::Package, None, 0);
                }
                None => sink.add(Indicator::package(eco, &name), Threat::Package, None, 0),
            }
            return;
        }
        let path = text.split_once("://").map_or(text, |(_, rest)| rest).contains('/');
        let indicator = match Indicator::hash(text).or_else(|| network_of(text)) {
            Some(i) => Some(i),
            None if path => Indicator::url(text),
            None => one_host(text.split_once("://").map_or(text, |(_, rest)| rest)),
        };
        sink.add(indicator, Threat::Listed, None, 0);
    })
}
