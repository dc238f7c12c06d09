//! `read`: lines, their words, and how many characters of them.
//!
//! In: the invocation, and what its descriptor holds. Out: variables, and the status. Facts: POSIX XCU read, bash manual 4.2.

use super::Interp;
use super::builtin::globs_as_text;
use super::scope::End;
use crate::command::Invocation;
use crate::source::Place;
use crate::value::{Piece, Value, Why};

impl Interp<'_> {
    /// `read`
    pub(super) fn read(&mut self, inv: &Invocation, at: Place) {
        let number = |o: &str| inv.value_of(o).map(|v| v.as_str().and_then(|s| s.parse::<usize>().ok()));
        let fd = number("-u").flatten().and_then(|n| u32::try_from(n).ok()).unwrap_or(0);
        let delimiter = match inv.value_of("-d") {
            None => b'\n',
            Some(v) => v.as_literal().and_then(|b| b.first().copied()).unwrap_or(0),
        };
        let raw = inv.has("-r");
        let whole = inv.has("-N");
        let count = if whole { number("-N") } else { number("-n") };
        let mut names: Vec<String> =
            inv.operands.iter().filter_map(|v| globs_as_text(v).as_str().map(|s| s.into_owned())).collect();
        let (line, status) = match count {
            None => self.read_logical_line(fd, delimiter, raw),
            Some(n) => self.read_count(fd, if whole { None } else { Some(delimiter) }, n, raw),
        };
        let mut line = line;
        super::expand::drop_nul(&mut line);
        let array = inv.value_of("-a").and_then(|v| v.as_str().map(|s| s.into_owned()));
        // What a backslash stands before is no separator.
        let text = line.as_literal().map(|b| if raw { plain(&b) } else { unescape(&b) });
        if let Some(a) = array {
            let fields = match &text {
                Some(t) => self.split_marked(t, &line),
                // A place that is known is one word.
                None if line.pieces.iter().all(within_line) => self.split_value(&line),
                None => vec![several(&line)],
            };
            let map = fields.into_iter().enumerate().map(|(i, v)| (i as i64, v)).collect();
            self.fill(&a, map, at);
            self.sh.status = status;
            return;
        }
        let reply = names.is_empty();
        if reply {
            names.push("REPLY".into());
        }
        if (reply || names.len() == 1 || whole) && text.is_none() {
            let n = names.remove(0);
            // Names that a program lists are taken as they are: backslashes in them are rare.
            let escapes = |p: &Piece| matches!(p, Piece::Literal(l) if l.bytes.contains(&b'\\'));
            let plain = line.pieces.iter().all(within_line) && !line.pieces.iter().any(escapes);
            let line = match raw || plain || is_listed(&line) {
                true => line,
                false => super::param::map_known(line, at, |b| Some(bytes_of(&unescape(b)))),
            };
            self.assign_name(&n, line, at);
            self.sh.status = status;
            return;
        }
        let made = |f: &[u8]| match f.is_empty() {
            true => Value::default(),
            false => Value::computed(f, line.place(), line.taint()),
        };
        match (text, self.ifs()) {
            (Some(text), _) if reply || whole => {
                let v = made(&bytes_of(&text));
                self.assign_name(&names.remove(0), v, at);
                for n in names {
                    self.assign_name(&n, Value::default(), at);
                }
            }
            (Some(text), Some(ifs)) => {
                let fields = read_fields(&text, &ifs, names.len());
                for (n, f) in names.iter().zip(fields) {
                    let v = made(&f);
                    self.assign_name(n, v, at);
                }
            }
            (None, Some(_)) if line.pieces.iter().all(within_line) => {
                let mut fields = self.split_value(&line).into_iter();
                let mut several: Option<Value> = None;
                for (i, n) in names.iter().enumerate() {
                    let mut v = fields.next().unwrap_or_default();
                    if let Some(s) = &several {
                        // One of those before it may be several, and this one of them.
                        v = if v.pieces.is_empty() { s.clone() } else { Value::either(s.clone(), v) };
                    } else if super::param::is_several(&v) {
                        several = Some(v.clone());
                    }
                    if i.saturating_add(1) == names.len() {
                        for more in fields.by_ref() {
                            v.push(Value::computed(b" ", line.place(), line.taint()));
                            v.push(more);
                        }
                    }
                    self.assign_name(n, v, at);
                }
            }
            _ => {
                let taint = line.taint();
                for n in &names {
                    let why = match line.pieces.first() {
                        Some(Piece::Unknown(u)) => u.why.clone(),
                        _ => Why::Stdin,
                    };
                    self.assign_name(n, Value::unknown_tainted(why, line.place(), taint.clone()), at);
                }
            }
        }
        self.sh.status = status;
    }

    /// A line as `read` takes it: without `-r`, one that ends in a backslash goes on in the next.
    fn read_logical_line(&mut self, fd: u32, delimiter: u8, raw: bool) -> (Value, Option<i32>) {
        let mut all = Value::default();
        loop {
            let (line, status) = match self.read_line(fd, delimiter) {
                Ok(Some(l)) => (l, Some(0)),
                Ok(None) => (Value::default(), Some(1)),
                Err(l) => {
                    let known = l.is_known();
                    (l, if known { Some(1) } else { None })
                }
            };
            let open = |b: &[u8]| b.iter().rev().take_while(|c| **c == b'\\').count() % 2 == 1;
            let goes_on = !raw && status == Some(0) && line.as_literal().is_some_and(|b| open(&b)) && self.spend(1);
            if !goes_on {
                all.push(line);
                return (all, status);
            }
            let length = line.as_literal().map_or(0, |b| b.len()).saturating_sub(1);
            all.push(line.split_at(length).0);
            if delimiter != b'\n' {
                // The escaped delimiter stays.
                all.push(Value::computed(&[b'\\', delimiter], line.place(), line.taint()));
            }
        }
    }

    /// `read -n` and `read -N`: that many characters, `-n` at most up to the delimiter.
    fn read_count(&mut self, fd: u32, delimiter: Option<u8>, count: Option<usize>, raw: bool) -> (Value, Option<i32>) {
        let at = Place::new(self.text, Default::default());
        let unknown = (Value::unknown(Why::Stdin, at), None);
        let Some(count) = count else { return unknown };
        let End::Input(i) = self.sh.fd(fd).clone() else {
            return match self.sh.fd(fd) {
                End::Nothing => (Value::default(), Some(i32::from(count > 0))),
                _ => unknown,
            };
        };
        let content = self.input(i);
        let Some(text) = content.as_literal().map(|b| b.into_owned()) else { return unknown };
        let (mut end, mut taken, mut status) = (0usize, 0usize, i32::from(count > 0));
        let mut skip = 0usize;
        while taken < count {
            let Some(b) = text.get(end).copied() else { break };
            if b == 0 && delimiter != Some(0) {
                // It is no character.
                end = end.saturating_add(1);
                continue;
            }
            if Some(b) == delimiter {
                skip = 1;
                status = 0;
                break;
            }
            let escaped = !raw && b == b'\\' && end.saturating_add(1) < text.len();
            let first = end.saturating_add(usize::from(escaped));
            let wide = |b: &&u8| **b & 0xc0 == 0x80;
            let width = text.get(first.saturating_add(1)..).unwrap_or(&[]).iter().take_while(wide).count();
            end = first.saturating_add(1).saturating_add(width);
            taken = taken.saturating_add(1);
        }
        if taken == count {
            status = 0;
        }
        let (head, rest) = content.split_at(end);
        self.set_input(i, rest.split_at(skip).1);
        (head, Some(status))
    }

    /// Field splitting of a line of which parts are not known.
    fn split_value(&mut self, line: &Value) -> Vec<Value> {
        use super::expand::{Mode, Run};
        let runs = line.pieces.iter().map(|p| Run::Piece(p.clone(), Mode::Expanded)).collect();
        let mut out = Vec::new();
        self.split(runs, &mut out);
        out
    }

    /// Field splitting of a line whose escaped bytes are no separators.
    fn split_marked(&mut self, text: &[(u8, bool)], line: &Value) -> Vec<Value> {
        use super::expand::{Mode, Run};
        let mut runs = Vec::new();
        let mut rest = text;
        while let Some((_, quoted)) = rest.first() {
            let n = rest.iter().take_while(|(_, q)| q == quoted).count();
            let (head, tail) = rest.split_at(n);
            let mode = if *quoted { Mode::Quoted } else { Mode::Expanded };
            for p in Value::computed(&bytes_of(head), line.place(), line.taint()).pieces {
                runs.push(Run::Piece(p, mode));
            }
            rest = tail;
        }
        let mut out = Vec::new();
        let noglob = std::mem::replace(&mut self.sh.opts.noglob, true);
        self.split(runs, &mut out);
        self.sh.opts.noglob = noglob;
        out
    }
}

/// Lines or words of text of which the first unknown piece says where they come from.
pub(super) fn several(text: &Value) -> Value {
    let mut v = Interp::many_words(Why::Stdin, text.place(), text.taint());
    let of = text.pieces.iter().find_map(|p| if let Piece::Unknown(u) = p { Some(u.why.clone()) } else { None });
    if let (Some(Piece::Unknown(to)), Some(why)) = (v.pieces.first_mut(), of) {
        to.why = why;
    }
    v
}

/// True for a piece that holds no end of a line: known text, a directory, a pattern.
pub(super) fn within_line(p: &Piece) -> bool {
    match p {
        Piece::Literal(_) | Piece::Glob(..) => true,
        Piece::Unknown(u) => u.why.is_one_word(),
        Piece::OneOf(vs) => vs.iter().all(|v| v.as_literal().is_some_and(|b| !b.contains(&b'\n'))),
    }
}

/// True where some of it are names that a program lists.
fn is_listed(line: &Value) -> bool {
    line.pieces.iter().any(|p| matches!(p, Piece::Unknown(u) if matches!(u.why, Why::Near(_))))
}

/// Bytes of which none is escaped.
fn plain(b: &[u8]) -> Vec<(u8, bool)> {
    b.iter().map(|c| (*c, false)).collect()
}

/// The bytes alone.
fn bytes_of(text: &[(u8, bool)]) -> Vec<u8> {
    text.iter().map(|(b, _)| *b).collect()
}

/// The bytes of a line as `read` without `-r` takes it: backslashes go, and what stood after one is marked.
fn unescape(b: &[u8]) -> Vec<(u8, bool)> {
    let mut out = Vec::with_capacity(b.len());
    let mut it = b.iter();
    while let Some(c) = it.next() {
        if *c == b'\\' {
            if let Some(n) = it.next() {
                out.push((*n, true));
            }
        } else {
            out.push((*c, false));
        }
    }
    out
}

/// The fields of a line for `n` names: the last gets all that is left (POSIX XCU read).
fn read_fields(text: &[(u8, bool)], ifs: &[u8], n: usize) -> Vec<Vec<u8>> {
    let separates = |(b, quoted): (u8, bool)| !quoted && ifs.contains(&b);
    let white = |c: (u8, bool)| separates(c) && matches!(c.0, b' ' | b'\t' | b'\n');
    let get = |i: usize| text.get(i).copied();
    // The first word from `i` on, and where the next one begins.
    let word = |mut i: usize| {
        let start = i;
        while get(i).is_some_and(|c| !separates(c)) {
            i = i.saturating_add(1);
        }
        let word = bytes_of(text.get(start..i).unwrap_or(&[]));
        while get(i).is_some_and(white) {
            i = i.saturating_add(1);
        }
        if get(i).is_some_and(|c| separates(c) && !white(c)) {
            i = i.saturating_add(1);
            while get(i).is_some_and(white) {
                i = i.saturating_add(1);
            }
        }
        (word, i)
    };
    let mut i = text.iter().take_while(|c| white(**c)).count();
    let mut out = Vec::new();
    while out.len().saturating_add(1) < n {
        let (w, next) = word(i);
        out.push(w);
        i = next;
    }
    // A separator at the end goes with the last word if nothing follows it.
    let (w, next) = word(i);
    if next >= text.len() {
        out.push(w);
    } else {
        let rest = text.get(i..).unwrap_or(&[]);
        let end = rest.iter().rposition(|c| !white(*c)).map_or(0, |k| k.saturating_add(1));
        out.push(bytes_of(rest.get(..end).unwrap_or(&[])));
    }
    out
}
