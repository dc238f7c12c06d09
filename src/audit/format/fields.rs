//! The columns of a table that say something about a command, by the names they usually have.

use super::super::{Entry, time};
use std::sync::Arc;

/// What a column is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Field {
    Command,
    Time,
    User,
    Host,
    Session,
    Remote,
    Cwd,
}

/// Usual names, in lower case, each field's best first.
pub(super) const NAMES: &[(Field, &[&str])] = &[
    (
        Field::Command,
        &["command", "cmd", "commandline", "command_line", "processcommandline", "process.command_line", "input"],
    ),
    (Field::Time, &["time", "timestamp", "@timestamp", "ts", "date", "datetime", "when", "start_time"]),
    (Field::User, &["user", "username", "user.name", "account", "accountname", "uid"]),
    (Field::Host, &["host", "hostname", "host.name", "device", "devicename", "computer", "sensor"]),
    (Field::Session, &["session", "session_id", "sessionid"]),
    (Field::Remote, &["src_ip", "source_ip", "source.ip", "remote", "ip"]),
    (Field::Cwd, &["cwd", "directory", "dir", "workdir", "process.working_directory"]),
];

/// Puts a field's text into an entry. The command is not one of them.
pub(super) fn set(entry: &mut Entry, field: Field, text: &str) {
    let text = text.trim();
    if text.is_empty() {
        return;
    }
    let name = || Some(Arc::from(text));
    match field {
        Field::Command => {}
        Field::Time => entry.at = time::parse(text),
        Field::User => entry.user = name(),
        Field::Host => entry.host = name(),
        Field::Session => entry.session = name(),
        Field::Remote => entry.remote = name(),
        Field::Cwd => entry.cwd = name(),
    }
}
