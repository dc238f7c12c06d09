//! atuin's history (`history.db`, an SQLite database): one row a command in the table `history`, with its time in
//! nanoseconds, its directory, its session, and `HOST:USER`.
//!
//! The database is opened to be read only; what a running shell has in the log beside it is seen, too. Rows that were
//! deleted stay as marks and are left out.

use super::{Batch, Columns, Format, Hint, Reader};
use crate::audit::Entry;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags, Row};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

pub(super) static FORMAT: Format = Format {
    name: "atuin",
    about: "atuin history (SQLite)",
    shell: None,
    fits: |hint: &Hint<'_>| {
        let table = memchr::memmem::find(hint.head, b"CREATE TABLE history").is_some()
            || memchr::memmem::find(hint.head, b"CREATE TABLE IF NOT EXISTS history").is_some();
        95 * u8::from(hint.head.starts_with(b"SQLite format 3\0") && table)
    },
    open: |_: &Columns| Box::new(Nothing),
    table: Some(read),
};

/// A database has no lines: from standard input nothing can be read.
struct Nothing;

impl Reader for Nothing {
    fn line(&mut self, _: u64, _: &[u8], out: &mut Batch) {
        out.undecodable = out.undecodable.saturating_add(1);
    }
}

/// How long a writer is waited for.
const PATIENCE: Duration = Duration::from_secs(5);

fn read(path: &Path, take: &mut dyn FnMut(Entry) -> bool) -> Result<(), String> {
    rows(path, take).map_err(|e| e.to_string())
}

fn rows(path: &Path, take: &mut dyn FnMut(Entry) -> bool) -> rusqlite::Result<()> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let database = Connection::open_with_flags(path, flags)?;
    database.busy_timeout(PATIENCE)?;
    // Columns that later versions added (`deleted_at`) may be missing.
    let columns: Vec<String> = {
        let mut about = database.prepare("SELECT name FROM pragma_table_info('history')")?;
        about.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?
    };
    let column = |name: &'static str| if columns.iter().any(|c| c == name) { name } else { "NULL" };
    let kept = if columns.iter().any(|c| c == "deleted_at") { "WHERE deleted_at IS NULL" } else { "" };
    let query = format!(
        "SELECT rowid, command, timestamp, {}, {}, {} FROM history {kept} ORDER BY timestamp, rowid",
        column("cwd"),
        column("session"),
        column("hostname")
    );
    let mut statement = database.prepare(&query)?;
    let mut rows = statement.query([])?;
    let mut shared = Shared::default();
    while let Some(row) = rows.next()? {
        if let Some(entry) = entry(row, &mut shared)?
            && !take(entry)
        {
            break;
        }
    }
    Ok(())
}

/// Names that come again and again.
#[derive(Default)]
struct Shared([Option<Arc<str>>; 4]);

impl Shared {
    fn name(&mut self, at: usize, name: &str) -> Option<Arc<str>> {
        if name.is_empty() || name == "unknown" {
            return None;
        }
        let last = self.0.get_mut(at)?;
        if last.as_deref() != Some(name) {
            *last = Some(Arc::from(name));
        }
        last.clone()
    }
}

fn entry(row: &Row<'_>, shared: &mut Shared) -> rusqlite::Result<Option<Entry>> {
    let text = |at: usize| -> rusqlite::Result<Vec<u8>> {
        Ok(match row.get_ref(at)? {
            ValueRef::Text(bytes) | ValueRef::Blob(bytes) => bytes.to_vec(),
            _ => Vec::new(),
        })
    };
    let command = text(1)?;
    if command.trim_ascii().is_empty() {
        return Ok(None);
    }
    let number: i64 = row.get(0)?;
    let nanoseconds: Option<i64> = row.get(2)?;
    let (cwd, session, place) = (text(3)?, text(4)?, text(5)?);
    let place = String::from_utf8_lossy(&place).into_owned();
    let (host, user) = place.split_once(':').unwrap_or((&place, ""));
    Ok(Some(Entry {
        at: nanoseconds.map(|n| n.div_euclid(1_000_000_000)),
        cwd: shared.name(0, &String::from_utf8_lossy(&cwd)),
        session: shared.name(1, &String::from_utf8_lossy(&session)),
        host: shared.name(2, host),
        user: shared.name(3, user),
        ..Entry::new(command, u64::try_from(number).unwrap_or(0))
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_in_order_without_the_deleted() {
        let path = std::env::temp_dir().join(format!("shellward-atuin-{}.db", std::process::id()));
        let database = Connection::open(&path).unwrap();
        // The table as version 18 of atuin makes it.
        database
            .execute_batch(
                "CREATE TABLE history (id text primary key, timestamp integer not null, duration integer not null, \
                 exit integer not null, command text not null, cwd text not null, session text not null, \
                 hostname text not null, deleted_at integer, unique(timestamp, cwd, command));\
                 INSERT INTO history VALUES \
                 ('b', 1700000100000000000, 1, 0, 'sh x', '/tmp', 's1', 'box:eve', NULL), \
                 ('a', 1700000000000000000, 1, 0, 'wget https://h.example/x', '/tmp', 's1', 'box:eve', NULL), \
                 ('c', 1700000200000000000, 1, 0, 'rm -rf /', '/', 's1', 'box:eve', 5)",
            )
            .unwrap();
        let head = std::fs::read(&path).unwrap();
        assert_eq!((FORMAT.fits)(&Hint { path: "history.db", head: &head }), 95);
        let mut all = Vec::new();
        read(&path, &mut |e| {
            all.push(e);
            true
        })
        .unwrap();
        drop(database);
        std::fs::remove_file(&path).unwrap();
        let text: Vec<_> = all.iter().map(|e| (e.command.as_slice(), e.at, e.user.as_deref())).collect();
        assert_eq!(
            text,
            [
                (&b"wget https://h.example/x"[..], Some(1_700_000_000), Some("eve")),
                (&b"sh x"[..], Some(1_700_000_100), Some("eve"))
            ]
        );
        assert_eq!((all[0].cwd.as_deref(), all[0].host.as_deref()), (Some("/tmp"), Some("box")));
    }
}
