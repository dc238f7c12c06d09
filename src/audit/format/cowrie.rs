//! Logs of the Cowrie honeypot (`cowrie.json`): events as JSON lines. A command is the `input` of an event
//! `cowrie.command.input`; the user is the one whose login in the same session succeeded.

use super::json::{self, Last};
use super::{Batch, Columns, Format, Hint, Reader};
use crate::audit::{Entry, time};
use serde::Deserialize;
use std::collections::HashMap;
use std::sync::Arc;

pub(super) static FORMAT: Format = Format {
    name: "cowrie",
    about: "Cowrie honeypot log (JSON)",
    shell: Some(crate::effect::Language::Sh),
    fits: |hint: &Hint<'_>| 95 * u8::from(json::has(hint, "\"cowrie.")),
    open: |_: &Columns| Box::new(Cowrie::default()),
    table: None,
};

/// Sessions whose user is remembered; sessions are short, so the oldest half is over when this is reached.
const USERS: usize = 20_000;

#[derive(Default)]
struct Cowrie {
    users: HashMap<String, Arc<str>>,
    session: Last,
    remote: Last,
    sensor: Last,
}

#[derive(Deserialize)]
struct Line {
    eventid: Option<String>,
    input: Option<String>,
    username: Option<String>,
    timestamp: Option<String>,
    session: Option<String>,
    src_ip: Option<String>,
    sensor: Option<String>,
}

impl Reader for Cowrie {
    fn line(&mut self, number: u64, line: &[u8], out: &mut Batch) {
        let Some(line) = json::read::<Line>(line, out) else { return };
        let session = line.session.as_deref().unwrap_or_default();
        match line.eventid.as_deref() {
            Some("cowrie.login.success") => {
                if self.users.len() >= USERS {
                    self.users.clear();
                }
                if let Some(user) = line.username {
                    self.users.insert(session.to_string(), user.into());
                }
            }
            Some("cowrie.session.closed") => {
                self.users.remove(session);
            }
            Some("cowrie.command.input") => {
                let Some(input) = line.input.filter(|i| !i.trim().is_empty()) else { return };
                out.entries.push(Entry {
                    at: line.timestamp.as_deref().and_then(time::parse),
                    user: self.users.get(session).cloned(),
                    host: self.sensor.share(line.sensor.as_deref()),
                    remote: self.remote.share(line.src_ip.as_deref()),
                    session: self.session.share(line.session.as_deref()),
                    ..Entry::new(input, number)
                });
            }
            _ => {}
        }
    }
}
