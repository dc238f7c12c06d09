//! Logs of the Linux audit daemon: the arguments of each `execve`, in `EXECVE` records.
//!
//! `type=EXECVE msg=audit(1700000000.123:45): argc=2 a0="ls" a1=2F746D70`: quoted where the bytes are harmless, else in
//! hexadecimal. A long argument is split over `a1[0]=… a1[1]=…`, and these over several records of the same event. The
//! records of an event may stand between those of others; `SYSCALL` and `CWD` of the same event say who and where.

use super::{Batch, Columns, Format, Hint, Reader, quoted};
use crate::audit::Entry;
use crate::limits::MAX_INPUT;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

pub(super) static FORMAT: Format = Format {
    name: "auditd",
    about: "Linux audit log (EXECVE records)",
    shell: Some(crate::effect::Language::Sh),
    fits: |hint: &Hint<'_>| if hint.share(|l| stamp(l).is_some()) >= 8 { 95 } else { 0 },
    open: |_: &Columns| Box::new(Auditd::default()),
    table: None,
};

/// Events that wait for more of their records. The daemon writes the records of one event nearly together.
const WAITING: usize = 64;

#[derive(Default)]
struct Auditd {
    waiting: VecDeque<Event>,
}

struct Event {
    serial: u64,
    line: u64,
    at: i64,
    words: BTreeMap<u32, Vec<u8>>,
    bytes: usize,
    cut: bool,
    user: Option<Arc<str>>,
    host: Option<Arc<str>>,
    session: Option<Arc<str>>,
    cwd: Option<Arc<str>>,
}

/// `audit(SECONDS.MS:SERIAL):` with what stands before and after it.
fn stamp(line: &[u8]) -> Option<(&[u8], i64, u64, &[u8])> {
    let start = memchr::memmem::find(line.get(..line.len().min(512))?, b"msg=audit(")?;
    let rest = line.get(start.saturating_add(10)..)?;
    let end = rest.iter().take(64).position(|b| *b == b')')?;
    let (time, serial) = std::str::from_utf8(rest.get(..end)?).ok()?.split_once(':')?;
    let at = time.split('.').next()?.parse().ok()?;
    let after = rest.get(end.saturating_add(1)..)?;
    Some((line.get(..start)?, at, serial.parse().ok()?, after.strip_prefix(b":").unwrap_or(after)))
}

/// `name=value` pairs. A value is quoted or ends at a blank; 0x1D parts what the daemon read from what it looked up.
fn pairs(mut text: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    std::iter::from_fn(move || {
        loop {
            text = text.trim_ascii_start();
            text = text.strip_prefix(b"\x1D").unwrap_or(text);
            if text.is_empty() {
                return None;
            }
            let blank = |t: &[u8]| t.iter().position(|b| matches!(b, b' ' | 0x1D)).unwrap_or(t.len());
            let word = text.get(..blank(text))?;
            let Some(equals) = word.iter().position(|b| *b == b'=') else {
                text = text.get(word.len()..)?;
                continue;
            };
            let name = text.get(..equals)?;
            let rest = text.get(equals.saturating_add(1)..)?;
            let length = match rest.first() {
                Some(b'"') => rest.iter().skip(1).position(|b| *b == b'"').map_or(rest.len(), |i| i.saturating_add(2)),
                _ => blank(rest),
            };
            let value = rest.get(..length)?;
            text = rest.get(length..)?;
            return Some((name, value));
        }
    })
}

/// The bytes that a value stands for.
fn bytes(value: &[u8]) -> Vec<u8> {
    if let Some(inner) = value.strip_prefix(b"\"") {
        return inner.strip_suffix(b"\"").unwrap_or(inner).to_vec();
    }
    if value == b"(null)" {
        return Vec::new();
    }
    let digit = |b: &u8| char::from(*b).to_digit(16).and_then(|d| u8::try_from(d).ok());
    let pair = |two: &[u8]| match two {
        [a, b] => Some(digit(a)? << 4 | digit(b)?),
        _ => None,
    };
    let decoded: Option<Vec<u8>> = value.chunks(2).map(pair).collect();
    decoded.unwrap_or_else(|| value.to_vec())
}

/// The number of an argument in `a3` or `a3[1]`.
fn argument(name: &[u8]) -> Option<u32> {
    let digits = name.strip_prefix(b"a")?;
    let digits = digits.split(|b| *b == b'[').next()?;
    std::str::from_utf8(digits).ok()?.parse().ok()
}

fn text(value: &[u8]) -> Option<Arc<str>> {
    let bytes = bytes(value);
    (!bytes.is_empty()).then(|| Arc::from(String::from_utf8_lossy(&bytes).as_ref()))
}

impl Auditd {
    fn event(&mut self, serial: u64, at: i64, line: u64, out: &mut Batch) -> Option<&mut Event> {
        if let Some(i) = self.waiting.iter().rposition(|e| e.serial == serial) {
            return self.waiting.get_mut(i);
        }
        if self.waiting.len() >= WAITING
            && let Some(event) = self.waiting.pop_front()
        {
            event.finish(out);
        }
        let (words, user, host, session, cwd) = Default::default();
        self.waiting.push_back(Event { serial, line, at, words, bytes: 0, cut: false, user, host, session, cwd });
        self.waiting.back_mut()
    }
}

impl Event {
    fn finish(self, out: &mut Batch) {
        out.too_long = out.too_long.saturating_add(u64::from(self.cut));
        let command = quoted(self.words.values().map(Vec::as_slice));
        if !command.is_empty() {
            let Event { user, host, session, cwd, .. } = self;
            let at = Some(self.at);
            out.entries.push(Entry { at, user, host, session, cwd, ..Entry::new(command, self.line) });
        }
    }

    fn add(&mut self, number: u32, bytes: &[u8]) {
        self.bytes = self.bytes.saturating_add(bytes.len()).saturating_add(1);
        if self.bytes > MAX_INPUT {
            self.cut = true;
        } else {
            self.words.entry(number).or_default().extend_from_slice(bytes);
        }
    }
}

impl Reader for Auditd {
    fn line(&mut self, number: u64, line: &[u8], out: &mut Batch) {
        let Some((before, at, serial, rest)) = stamp(line) else {
            out.undecodable = out.undecodable.saturating_add(u64::from(!line.trim_ascii().is_empty()));
            return;
        };
        let head = |name: &[u8]| pairs(before).find(|(n, _)| *n == name).map(|(_, v)| v);
        let kind = head(b"type").unwrap_or_default();
        if kind == b"EOE" {
            if let Some(event) =
                self.waiting.iter().position(|e| e.serial == serial).and_then(|i| self.waiting.remove(i))
            {
                event.finish(out);
            }
            return;
        }
        if !matches!(kind, b"EXECVE" | b"SYSCALL" | b"CWD") {
            return;
        }
        let host = head(b"node").and_then(|v| Some(Arc::from(std::str::from_utf8(v).ok()?)));
        let Some(event) = self.event(serial, at, number, out) else { return };
        event.host = host.or(event.host.take());
        for (name, value) in pairs(rest) {
            match (kind, name) {
                (b"EXECVE", _) => {
                    if let Some(n) = argument(name) {
                        event.add(n, &bytes(value));
                    }
                }
                // The login user stays the same through su and sudo. 4294967295 is "not set".
                (b"SYSCALL", b"auid") if value != b"4294967295" => {
                    event.user =
                        event.user.take().or_else(|| Some(format!("uid {}", String::from_utf8_lossy(value)).into()));
                }
                (b"SYSCALL", b"AUID") if value != b"\"unset\"" => event.user = text(value),
                (b"SYSCALL", b"ses") if value != b"4294967295" => {
                    event.session = Some(String::from_utf8_lossy(value).into());
                }
                (b"CWD", b"cwd") => event.cwd = text(value),
                _ => {}
            }
        }
    }
    fn end(&mut self, out: &mut Batch) {
        for event in self.waiting.drain(..) {
            event.finish(out);
        }
    }
}
