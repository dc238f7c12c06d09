//! Taking a newer database into use.

use super::{store, wrong};
use crate::cli::exit::{Exit, Failure};
use crate::cli::output;
use crate::time;
use clap::ArgMatches;
use std::io::Read;

pub(super) fn update(m: &ArgMatches) -> Result<Exit, Failure> {
    let from = m.get_one::<String>("from").cloned().unwrap_or_default();
    let store = store()?;
    let mut reader = open(&from)?;
    match store.update(&mut *reader, time::now()) {
        Ok(done) => {
            let before = done.from.map_or_else(|| "none".to_string(), |v| v.to_string());
            output::print(format!("{before} → {}: {} records in use\n", done.to, done.records).as_bytes())?;
            Ok(Exit::Allow)
        }
        Err(e) => {
            let kept = match store.opened().serving.iter().find(|s| !s.overlay) {
                Some(s) => format!("; version {} stays in use", s.database.header().version),
                None => String::new(),
            };
            Err(wrong(format!("{e}{kept}")))
        }
    }
}

fn open(from: &str) -> Result<Box<dyn Read>, Failure> {
    match from.split_once("://") {
        Some((scheme, _)) if scheme.eq_ignore_ascii_case("https") => fetch(from),
        Some((scheme, _)) if scheme.len() > 1 && !scheme.contains('/') => {
            Err(Failure::usage(format!("{from:?} is not fetched: only https addresses are")))
        }
        _ => {
            let failed = |e: std::io::Error| Failure::usage(format!("cannot read {from}: {e}"));
            // A pipe or a device may never end.
            if !std::fs::metadata(from).map_err(failed)?.is_file() {
                return Err(Failure::usage(format!("{from} is no file")));
            }
            Ok(Box::new(std::fs::File::open(from).map_err(failed)?))
        }
    }
}

/// Fetches over HTTPS. The certificate is checked, but nothing hangs on it: the signature does.
#[cfg(feature = "https")]
fn fetch(url: &str) -> Result<Box<dyn Read>, Failure> {
    use crate::intel::store::MAX_SIZE;
    use std::time::Duration;
    let config = ureq::Agent::config_builder()
        .tls_config(crate::model::tls::config().map_err(wrong)?)
        .https_only(true)
        .max_redirects(4)
        .timeout_global(Some(Duration::from_secs(600)))
        .timeout_connect(Some(Duration::from_secs(20)))
        .build();
    let failed = |e: ureq::Error| Failure { exit: Exit::Io, message: format!("cannot fetch {url}: {e}") };
    let response = ureq::Agent::new_with_config(config).get(url).call().map_err(failed)?;
    Ok(Box::new(response.into_body().into_with_config().limit(MAX_SIZE.saturating_add(1)).reader()))
}

/// Without the feature `https` nothing is fetched.
#[cfg(not(feature = "https"))]
fn fetch(url: &str) -> Result<Box<dyn Read>, Failure> {
    Err(Failure::usage(format!(
        "this build fetches nothing (feature `https`): get {url} by other means and give the file; it is checked all the same"
    )))
}
