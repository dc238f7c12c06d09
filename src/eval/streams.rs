//! Descriptors, redirections and the files that the text writes.
//!
//! In: redirections of the tree. Out: what each descriptor is connected to, and effects for what is opened. Content that
//! is written in the text is kept, so that what reads it later gets it; two names of one file are one key.

mod files;

use super::scope::End;
use super::{FileEntry, Interp};
use crate::effect::{EffectId, Language, Object, ProcessId, Verb};
use crate::limits;
use crate::source::{Place, Span};
use crate::syntax::ast::{Heredoc, Redirect, RedirectFd, RedirectOp};
use crate::value::{Channel, Piece, Taint, Value, Why};
pub(crate) use files::normalize;

/// Descriptors as they were: to be put back after the command.
pub(crate) type Saved = Vec<(u32, Option<End>)>;

/// Another machine or a container in which something runs: who runs it there, and the effect of taking over what it
/// prints, once something does.
#[derive(Clone, Debug)]
pub(crate) struct Elsewhere {
    pub(crate) by: ProcessId,
    pub(crate) at: Place,
    /// Where standard output goes here. What goes into pipes over there stays there.
    pub(crate) out: End,
    pub(crate) taken: Option<EffectId>,
}

/// Most directories from elsewhere that are remembered.
const MAX_TREES: usize = 64;

impl Interp<'_> {
    /// Applies the redirections of one command, left to right.
    pub(crate) fn redirect_all(&mut self, redirects: &[Redirect], span: Span, by: Option<ProcessId>) -> Saved {
        if redirects.is_empty() {
            return Vec::new();
        }
        let saved: Saved = self.sh.fds.iter().map(|(n, e)| (*n, Some(e.clone()))).collect();
        let at = self.at(span);
        let by = by.unwrap_or_else(|| self.process("", Vec::new(), at, true));
        for r in redirects {
            self.redirect(r, by);
        }
        saved
    }

    /// Puts descriptors back.
    pub(crate) fn restore_fds(&mut self, saved: Saved) {
        if saved.is_empty() {
            return;
        }
        self.sh.fds = saved.into_iter().filter_map(|(n, e)| e.map(|e| (n, e))).collect();
    }

    fn redirect(&mut self, r: &Redirect, by: ProcessId) {
        let default = match r.op {
            RedirectOp::Read
            | RedirectOp::ReadWrite
            | RedirectOp::DupIn
            | RedirectOp::Heredoc
            | RedirectOp::HeredocTabs
            | RedirectOp::HereString => 0,
            _ => 1,
        };
        let at = self.at(r.span);
        let n = match &r.fd {
            RedirectFd::Default => default,
            RedirectFd::Number(n) => *n,
            RedirectFd::Variable(name) => {
                // `{fd}>x`: the shell picks a number of ten or more.
                let n = (10..250).find(|n| !self.sh.fds.iter().any(|(k, _)| k == n)).unwrap_or(250);
                self.sh.set_scalar(name, Value::computed(n.to_string().as_bytes(), at, Taint::default()));
                n
            }
        };
        match r.op {
            RedirectOp::Heredoc | RedirectOp::HeredocTabs => {
                if let Some(h) = &r.heredoc {
                    let v = self.heredoc(h);
                    let end = self.new_input(v);
                    if let End::Input(i) = end {
                        self.documents.insert(i);
                    }
                    self.sh.set_fd(n, end);
                }
            }
            RedirectOp::HereString => {
                let mut v = self.single(&r.target);
                v.step(Channel::HereString);
                v.push(Value::computed(b"\n", at, Taint::default()));
                let end = self.new_input(v);
                self.sh.set_fd(n, end);
            }
            RedirectOp::DupIn | RedirectOp::DupOut => {
                let target = self.single(&r.target);
                match target.as_literal().as_deref() {
                    Some(b"-") => self.sh.fds.retain(|(k, _)| *k != n),
                    Some(t) if t.strip_suffix(b"-").unwrap_or(t).iter().all(u8::is_ascii_digit) && !t.is_empty() => {
                        let moved = t.ends_with(b"-");
                        let t = t.strip_suffix(b"-").unwrap_or(t);
                        let from: u32 = std::str::from_utf8(t).ok().and_then(|s| s.parse().ok()).unwrap_or(u32::MAX);
                        let end = self.sh.fd(from).clone();
                        self.sh.set_fd(n, end);
                        if moved {
                            self.sh.fds.retain(|(k, _)| *k != from);
                        }
                    }
                    // The coprocess of zsh and ksh.
                    Some(b"p") if matches!(self.language, Language::Zsh | Language::Ksh) => {
                        let end = self.sh.fd(if r.op == RedirectOp::DupIn { 63 } else { 60 }).clone();
                        self.sh.set_fd(n, end);
                    }
                    // `>& file`: both outputs.
                    _ if r.op == RedirectOp::DupOut && r.fd == RedirectFd::Default && target.is_known() => {
                        let end = self.open(&target, RedirectOp::Write, by, self.at(r.target.span));
                        self.sh.set_fd(1, end.clone());
                        self.sh.set_fd(2, end);
                    }
                    _ => self.sh.set_fd(n, End::Unknown),
                }
            }
            RedirectOp::BothWrite | RedirectOp::BothAppend => {
                let target = self.single(&r.target);
                let op = if r.op == RedirectOp::BothWrite { RedirectOp::Write } else { RedirectOp::Append };
                let end = self.open(&target, op, by, self.at(r.target.span));
                self.sh.set_fd(1, end.clone());
                self.sh.set_fd(2, end);
            }
            RedirectOp::Read | RedirectOp::Write | RedirectOp::Clobber | RedirectOp::Append | RedirectOp::ReadWrite => {
                let target = self.single(&r.target);
                let target = self.drop_parameters_within(target);
                let end = self.open(&target, r.op, by, self.at(r.target.span));
                self.sh.set_fd(n, end);
            }
        }
    }

    fn heredoc(&mut self, h: &Heredoc) -> Value {
        let mut v = self.quoted_parts(&h.parts);
        v.step(Channel::Heredoc);
        v
    }

    /// Opens what a redirection names.
    fn open(&mut self, target: &Value, op: RedirectOp, by: ProcessId, at: Place) -> End {
        let text = target.as_str().map(|s| s.into_owned());
        if let Some(end) = text.as_deref().and_then(|t| self.special(t)) {
            return end;
        }
        if let Some(socket) = Self::socket_path(target) {
            let id = self.effect(Verb::Connect, socket, by, at);
            return End::Socket(id);
        }
        let key = self.file_key(target);
        match op {
            RedirectOp::Read => {
                let (v, _) = self.read_file(target, by, at);
                self.new_input(v)
            }
            RedirectOp::ReadWrite => {
                let id = self.effect(Verb::Update, Object::Path(target.clone()), by, at);
                End::File { key, write: Some(id), read: true }
            }
            _ => {
                let append = op == RedirectOp::Append;
                let id = self.open_write(target, append, by, at);
                End::File { key, write: Some(id), read: false }
            }
        }
    }

    /// A file that is written from now on: the effect, and fresh content (or the old one, where it is added to).
    pub(crate) fn open_write(&mut self, target: &Value, append: bool, by: ProcessId, at: Place) -> EffectId {
        let verb = if append { Verb::Append } else { Verb::Write };
        let id = self.effect(verb, Object::Path(target.clone()), by, at);
        let key = self.file_key(target);
        if self.files.len() < 4_096 && !self.files.get(&key).is_some_and(|f| f.substitution) {
            let entry = self.files.entry(key);
            if append {
                entry.or_insert_with(|| {
                    // What was in it before is not known; it ends with a newline as text files do.
                    let mut v = Value::unknown(Why::File(target.show()), at);
                    v.push(Value::computed(b"\n", at, Taint::default()));
                    FileEntry { content: v, substitution: false }
                });
            } else {
                let fresh = FileEntry { content: Value::default(), substitution: false };
                entry.insert_entry(fresh);
            }
        }
        id
    }

    /// `/dev/tcp/HOST/PORT` and `/dev/udp/…`: connections that the shell itself opens (bash manual, Redirections).
    fn socket_path(target: &Value) -> Option<Object> {
        let prefix = target.prefix();
        let rest = prefix.strip_prefix(b"/dev/tcp/").or_else(|| prefix.strip_prefix(b"/dev/udp/"))?;
        // The pieces after the known beginning belong to host and port, too.
        let mut host = Value::default();
        let mut port = Value::default();
        let mut in_port = false;
        let mut skip = prefix.len().saturating_sub(rest.len());
        for p in &target.pieces {
            match p {
                Piece::Literal(l) => {
                    let mut bytes: &[u8] = &l.bytes;
                    if skip > 0 {
                        let n = skip.min(bytes.len());
                        bytes = bytes.get(n..).unwrap_or(&[]);
                        skip = skip.saturating_sub(n);
                    }
                    let mut push = |b: &[u8], port_side: bool| {
                        if !b.is_empty() {
                            let v = Value::computed(b, l.from, l.taint.clone());
                            if port_side { port.push(v) } else { host.push(v) }
                        }
                    };
                    match bytes.iter().position(|b| *b == b'/') {
                        Some(i) if !in_port => {
                            push(bytes.get(..i).unwrap_or(&[]), false);
                            push(bytes.get(i.saturating_add(1)..).unwrap_or(&[]), true);
                            in_port = true;
                        }
                        _ => push(bytes, in_port),
                    }
                }
                other => {
                    if in_port {
                        port.push_piece(other.clone());
                    } else {
                        host.push_piece(other.clone());
                    }
                }
            }
        }
        Some(Object::Socket(host, port))
    }

    /// Names that mean a descriptor or nothing at all.
    fn special(&self, name: &str) -> Option<End> {
        match name {
            "/dev/null" | "/dev/zero" | "/dev/full" => Some(End::Nothing),
            "/dev/tty" => Some(End::Outer(2)),
            other => self.descriptor(other).map(|n| self.sh.fd(n).clone()),
        }
    }

    /// The descriptor that a name of a file means.
    pub(crate) fn descriptor(&self, name: &str) -> Option<u32> {
        match name {
            "/dev/stdin" => Some(0),
            "/dev/stdout" => Some(1),
            "/dev/stderr" => Some(2),
            other => {
                let digits = other.strip_prefix("/dev/fd/").or_else(|| other.strip_prefix("/proc/self/fd/"))?;
                let n: u32 = digits.parse().ok()?;
                let named =
                    self.files.contains_key(&format!("/dev/fd/{n}")) || self.pending.iter().any(|p| p.3 == other);
                (!named).then_some(n)
            }
        }
    }

    /// Takes everything that can be read from a descriptor.
    pub(crate) fn read_all(&mut self, fd: u32) -> Option<Value> {
        let end = self.sh.fd(fd).clone();
        match end {
            End::Outer(_) => None,
            other => Some(self.drain(&other)),
        }
    }

    /// What can be read from an end, which is empty then.
    fn drain(&mut self, end: &End) -> Value {
        let at = Place::new(self.text, Span::default());
        match end {
            End::Outer(_) => Value::unknown(Why::Stdin, at),
            End::Nothing => Value::default(),
            End::Input(i) => self.set_input(*i, Value::default()),
            End::Sink(_) | End::Unknown => Value::unknown(Why::Stdin, at),
            End::File { key, .. } => match self.files.get(key) {
                Some(f) => {
                    let mut v = f.content.clone();
                    v.step(Channel::File);
                    v
                }
                None => Value::unknown(Why::File(key.clone()), at),
            },
            End::Socket(e) => {
                let place = self.graph.effect(*e).map_or(at, |e| e.place);
                let mut t = Taint::of(*e);
                t.step(Channel::Socket);
                Value::unknown_tainted(Why::Network, place, t)
            }
        }
    }

    /// How much there is left to read, over all inputs: a loop that reads makes progress even if no variable changes.
    pub(crate) fn unread(&self) -> usize {
        self.unread
    }

    /// Changes what an input holds; gives what it held.
    pub(crate) fn set_input(&mut self, i: usize, v: Value) -> Value {
        let Some(slot) = self.inputs.get_mut(i) else { return Value::default() };
        let new = v.pieces.len();
        let old = std::mem::replace(slot, v);
        self.unread = self.unread.saturating_add(new).saturating_sub(old.pieces.len());
        old
    }

    /// The same without taking it: a program of which nothing is known may leave it to those that come after it.
    pub(crate) fn peek_all(&mut self, fd: u32) -> Option<Value> {
        match self.sh.fd(fd).clone() {
            End::Input(i) => Some(self.input(i)),
            _ => self.read_all(fd),
        }
    }

    /// What an input still holds.
    pub(crate) fn input(&self, i: usize) -> Value {
        self.inputs.get(i).cloned().unwrap_or_default()
    }

    /// The first line behind a descriptor, taken away; `Err` where it is not known.
    pub(crate) fn read_line(&mut self, fd: u32, delimiter: u8) -> Result<Option<Value>, Value> {
        let end = self.sh.fd(fd).clone();
        let at = Place::new(self.text, Span::default());
        let End::Input(i) = end else {
            return match end {
                End::Nothing => Ok(None),
                other => Err(self.drain(&other)),
            };
        };
        let v = self.set_input(i, Value::default());
        if v.pieces.is_empty() {
            return Ok(None);
        }
        // The line ends in the first literal piece that holds the delimiter, if no unknown piece stands before it.
        let mut line = Value::default();
        let mut rest = v.pieces.into_iter();
        while let Some(p) = rest.next() {
            match p {
                Piece::Literal(mut l) => match l.bytes.iter().position(|b| *b == delimiter) {
                    Some(n) => {
                        let mut head = l.clone();
                        head.bytes.truncate(n);
                        if head.exact {
                            head.from.span.end = head.from.span.start.saturating_add(n as u32);
                        }
                        let tail = l.bytes.get(n.saturating_add(1)..).unwrap_or(&[]).to_vec();
                        if l.exact {
                            l.from.span.start = l.from.span.start.saturating_add(n as u32).saturating_add(1);
                        }
                        l.bytes = crate::value::Bytes::from_slice(&tail);
                        if !head.bytes.is_empty() {
                            line.push_piece(Piece::Literal(head));
                        }
                        let mut left = Value::default();
                        if !l.bytes.is_empty() {
                            left.push_piece(Piece::Literal(l));
                        }
                        rest.for_each(|p| left.push_piece(p));
                        self.set_input(i, left);
                        if line.pieces.is_empty() {
                            line.push(Value::computed(b"", at, Taint::default()));
                        }
                        return Ok(Some(line));
                    }
                    None => line.push_piece(Piece::Literal(l)),
                },
                other if delimiter == b'\n' && super::read::within_line(&other) => line.push_piece(other),
                other => {
                    // How many lines it has is not known: this one, and all further ones, are unknown.
                    line.push_piece(other);
                    let mut whole = line.clone();
                    rest.for_each(|p| whole.push_piece(p));
                    self.set_input(i, whole);
                    return Err(line);
                }
            }
        }
        // No delimiter: the text is read, but `read` says that it met the end.
        Err(line)
    }

    /// Writes a value to a descriptor.
    pub(crate) fn emit(&mut self, fd: u32, mut v: Value) {
        if v.pieces.is_empty() {
            return;
        }
        let end = self.sh.fd(fd).clone();
        let border = self.elsewhere.as_ref().is_some_and(|e| match (&e.out, &end) {
            (End::Sink(a), End::Sink(b)) => a == b,
            (End::File { key: a, .. }, End::File { key: b, .. }) => a == b,
            _ => false,
        });
        if border {
            self.taken_over(&mut v);
        }
        // Where the shell may have ended before, nothing may have been written.
        let open = self.ended || self.fatal;
        match end {
            End::Sink(i) => {
                let known = v.pieces.iter().any(|p| !matches!(p, Piece::Unknown(_)));
                let v = if open && known { Value::either(Value::default(), v) } else { v };
                let size: usize = self.sinks.get(i).map_or(0, |s| s.pieces.len());
                if let Some(s) = self.sinks.get_mut(i)
                    && size <= limits::MAX_PIECES
                {
                    s.push(v);
                }
            }
            End::File { key, write, .. } => {
                if let Some(id) = write {
                    self.flow(id, &v.taint());
                }
                self.add_content(&key, v);
                if let Some(id) = write {
                    self.note_document(id, &key);
                }
            }
            End::Socket(id) => {
                let (object, by, place) = match self.graph.effect(id) {
                    Some(e) => (e.object.clone(), e.process, e.place),
                    None => return,
                };
                let by = self.last_process.unwrap_or(by);
                let send = self.effect(Verb::Send, object, by, place);
                self.flow(send, &v.taint());
            }
            End::Outer(_) | End::Nothing | End::Input(_) | End::Unknown => {}
        }
    }

    /// The descriptors of a coprocess: `${NAME[0]}` is read from, `${NAME[1]}` written to.
    pub(crate) fn coproc_fds(&mut self, name: &str, span: Span) {
        let at = self.at(span);
        let read = Value::computed(b"63", at, Taint::default());
        let write = Value::computed(b"60", at, Taint::default());
        self.sh.set_fd(60, End::Unknown);
        let map = [(0, read), (1, write)].into_iter().collect();
        self.sh.set(name, super::scope::Content::Indexed(map));
    }
}
