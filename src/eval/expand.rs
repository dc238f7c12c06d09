//! Words → values: the expansions of POSIX XCU 2.6 and the bash manual, in their order, over values.
//!
//! In: words of the tree and the shell's state. Out: fields (argv) or one value. Brace expansion makes several words of
//! one; then tilde, parameter, command and arithmetic expansion give runs of pieces; unquoted results of expansions are
//! split at IFS; what is an active glob stays one as a piece. Nothing that is not known is dropped: it becomes an
//! unknown piece with its reason.

mod braces;
mod fields;

use super::Interp;
use super::scope::Content;
use crate::limits;
use crate::source::{Place, Span};
use crate::syntax::ast::{ArithText, Part, PartKind, Word};
use crate::value::{Bytes, Channel, Glob, Literal, Piece, Taint, Value, Why};
pub(crate) use braces::has_braces;
use braces::lengthen_names;
pub(crate) use fields::glob_literal;
pub(crate) use fields::may_vanish;
pub(crate) use fields::pattern_text;

/// How a piece takes part in splitting and globbing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Quoted: never split, never a pattern.
    Quoted,
    /// Unquoted text of the word itself: not split; its globs are parts of their own.
    Plain,
    /// The result of an unquoted expansion: split at IFS, its glob characters are active.
    Expanded,
}

/// One step of an expanded word.
#[derive(Clone, Debug)]
pub(crate) enum Run {
    /// A piece.
    Piece(Piece, Mode),
    /// A quoted empty string: the field exists even if nothing else is in it.
    Null,
    /// The border between two elements of `$@` or an array.
    Break(Border),
}

/// What stands between two elements of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Border {
    /// `"$@"`: a new field begins, whatever IFS is.
    Quoted,
    /// `$@`: a new field begins; where nothing is split it is a blank.
    At,
    /// `$*`: the same, but where nothing is split it is the first character of IFS.
    Star,
}

/// First byte of a marker that stands for an unknown piece in a text that is read again.
pub(crate) const MARK_OPEN: u8 = 0xF8;
/// Last byte of a marker.
pub(crate) const MARK_CLOSE: u8 = 0xF9;

impl Interp<'_> {
    /// The place of a span of the text that is being interpreted.
    pub(crate) fn at(&self, span: Span) -> Place {
        Place::new(self.text, span)
    }

    /// Expands the words of a simple command to its argv.
    pub(crate) fn fields(&mut self, words: &[Word]) -> Vec<Value> {
        let out = self.all_fields(words);
        let glob = |v: &Value| v.pieces.iter().any(|p| matches!(p, Piece::Glob(..)));
        if self.sh.opts.failglob && out.iter().any(glob) {
            // Where no file matches, the command and all that stands in its line is given up.
            self.ended = true;
        }
        out
    }

    fn all_fields(&mut self, words: &[Word]) -> Vec<Value> {
        let mut out = Vec::with_capacity(words.len());
        for w in words {
            if out.len() >= limits::MAX_FIELDS {
                self.limit("words of one command", self.at(w.span));
                break;
            }
            let first = out.is_empty();
            let from = out.len();
            self.field_word(w, &mut out);
            // zsh: `=name` is the path of that program.
            if self.language == crate::effect::Language::Zsh
                && matches!(w.parts.first().map(|p| &p.kind), Some(PartKind::Literal(b)) if b.len() > 1 && b.starts_with(b"="))
                && let Some(v) = out.get_mut(from)
            {
                *v = v.split_at(1).1;
            }
            // A word that may not be there: the command word has readings with and without it, the others are any number
            // of words.
            for v in out.iter_mut().skip(if first { 1 } else { from }) {
                if may_vanish(v) {
                    *v = Self::many_words(Why::Joined, v.place(), v.taint());
                }
            }
        }
        out
    }

    /// Expands one word to fields.
    pub(crate) fn field_word(&mut self, word: &Word, out: &mut Vec<Value>) {
        // The common word: one literal. Nothing of what follows can change it.
        if let [Part { kind: PartKind::Literal(b), span }] = word.parts.as_slice()
            && self.markers.is_empty()
        {
            out.push(Value::literal(b, self.at(*span)));
            return;
        }
        if self.language == crate::effect::Language::Fish {
            return self.fish_word(&word.parts, out);
        }
        if has_braces(&word.parts) {
            let mut readings: Vec<Vec<Part>> = vec![Vec::new()];
            if !self.braces(&word.parts, &mut readings) {
                // Too many words to write out: one that stands for any number of them.
                let at = self.at(word.span);
                self.limit("words of one brace expansion", at);
                out.push(Self::many_words(Why::Limit, at, Taint::default()));
                return;
            }
            for parts in &mut readings {
                lengthen_names(parts);
                if out.len() >= limits::MAX_FIELDS {
                    self.limit("words of one brace expansion", self.at(word.span));
                    break;
                }
                let mut runs = Vec::new();
                self.runs(parts, false, &mut runs);
                self.split(runs, out);
            }
            return;
        }
        let mut runs = Vec::new();
        self.runs(&word.parts, false, &mut runs);
        self.split(runs, out);
        if out.len() > limits::MAX_FIELDS {
            out.truncate(limits::MAX_FIELDS);
            self.limit("words of one command", self.at(word.span));
        }
    }

    /// Expands a word to one value: assignments, redirection targets, `case` and `[[` operands, here-strings.
    pub(crate) fn single(&mut self, word: &Word) -> Value {
        self.single_parts(&word.parts)
    }

    /// `"$@"$x` where bash makes one value of a word but splits it all the same: the words, joined with spaces. `None` for
    /// other words.
    pub(crate) fn spread(&mut self, word: &Word) -> Option<Value> {
        let list = |p: &Part| match &p.kind {
            PartKind::Double(inner) => inner.iter().any(|q| matches!(&q.kind, PartKind::Param(p) if is_at(p))),
            _ => false,
        };
        if word.parts.len() < 2 || !word.parts.iter().any(list) {
            return None;
        }
        let mut runs = Vec::new();
        self.runs(&word.parts, false, &mut runs);
        let mut words = Vec::new();
        let noglob = std::mem::replace(&mut self.sh.opts.noglob, true);
        self.split(runs, &mut words);
        self.sh.opts.noglob = noglob;
        let mut v = Value::default();
        for (i, w) in words.into_iter().enumerate() {
            if i > 0 {
                v.push(Value::computed(b" ", self.at(word.span), Taint::default()));
            }
            v.push(w);
        }
        Some(v)
    }

    /// Expands parts to one value, without splitting and globbing.
    pub(crate) fn single_parts(&mut self, parts: &[Part]) -> Value {
        if let [Part { kind: PartKind::Literal(b), span }] = parts
            && self.markers.is_empty()
        {
            return Value::literal(b, self.at(*span));
        }
        if self.language == crate::effect::Language::Fish {
            return super::builtin::globs_as_text(&self.fish_single(parts));
        }
        let mut runs = Vec::new();
        self.runs(parts, false, &mut runs);
        self.joined(runs, false)
    }

    /// One part as one value, its globs active.
    pub(crate) fn part_value(&mut self, part: &Part) -> Value {
        let mut runs = Vec::new();
        self.part(part, false, &mut runs);
        self.joined(runs, true)
    }

    /// Expands parts as if between double quotes: here-document bodies, arithmetic.
    pub(crate) fn quoted_parts(&mut self, parts: &[Part]) -> Value {
        let mut runs = Vec::new();
        self.runs(parts, true, &mut runs);
        self.joined(runs, false)
    }

    /// Expands the key of an associative array: quotes and backslashes go.
    pub(crate) fn key_parts(&mut self, parts: &[Part]) -> Value {
        let mut v = Value::default();
        for p in parts {
            match &p.kind {
                PartKind::Literal(b) if b.contains(&b'\\') => {
                    let mut text = Vec::with_capacity(b.len());
                    let mut it = b.iter();
                    while let Some(c) = it.next() {
                        text.push(if *c == b'\\' { it.next().copied().unwrap_or(*c) } else { *c });
                    }
                    v.push(Value::computed(&text, self.at(p.span), Taint::default()));
                }
                _ => v.push(self.quoted_parts(std::slice::from_ref(p))),
            }
        }
        v
    }

    /// Expands a word that is a pattern: quoted text stays literal, unquoted globs (also those that come out of
    /// variables) become glob pieces.
    pub(crate) fn pattern(&mut self, word: &Word) -> Value {
        if self.language == crate::effect::Language::Fish {
            return self.fish_single(&word.parts);
        }
        let mut runs = Vec::new();
        self.runs(&word.parts, false, &mut runs);
        self.joined(runs, true)
    }

    /// Runs → one value; fields of `"$@"` are joined with a space.
    fn joined(&mut self, runs: Vec<Run>, globs: bool) -> Value {
        let mut v = Value::default();
        for r in runs {
            match r {
                Run::Piece(Piece::Literal(l), Mode::Expanded) if globs => {
                    glob_literal(&l, &mut |p| v.push_piece(p));
                }
                Run::Piece(Piece::Glob(g, at), mode) if !globs && mode != Mode::Quoted => {
                    // No file names are generated here, so the character stands for itself.
                    let text = Value { pieces: smallvec::smallvec![Piece::Glob(g, at)] }.show();
                    v.push(Value::literal(text.as_bytes(), at));
                }
                Run::Piece(p, _) => v.push_piece(p),
                Run::Null => {}
                Run::Break(border) => {
                    let at = v.place();
                    let between = match border {
                        Border::Quoted | Border::At => Some(b' '),
                        Border::Star => self.ifs().map_or(Some(b' '), |ifs| ifs.first().copied()),
                    };
                    if let Some(b) = between {
                        v.push(Value::computed(&[b], at, Taint::default()));
                    }
                }
            }
        }
        v
    }

    /// Parts → runs.
    pub(crate) fn runs(&mut self, parts: &[Part], quoted: bool, out: &mut Vec<Run>) {
        for p in parts {
            self.part(p, quoted, out);
        }
    }

    fn part(&mut self, part: &Part, quoted: bool, out: &mut Vec<Run>) {
        let plain = if quoted { Mode::Quoted } else { Mode::Plain };
        match &part.kind {
            PartKind::Literal(b) => self.text_run(b, part.span, plain, out),
            PartKind::Escaped(b) => self.text_run(b, inner(part.span, b.len(), 1), Mode::Quoted, out),
            PartKind::Single(b) | PartKind::AnsiC(b) => {
                if b.is_empty() {
                    out.push(Run::Null);
                } else {
                    let opening = if matches!(part.kind, PartKind::AnsiC(_)) { 2 } else { 1 };
                    self.text_run(b, inner(part.span, b.len(), opening), Mode::Quoted, out);
                }
            }
            PartKind::Double(inner) | PartKind::Locale(inner) => {
                let before = out.len();
                let lists = inner.iter().any(|q| matches!(&q.kind, PartKind::Param(p) if is_at(p)));
                let beside = std::mem::replace(&mut self.beside_list, lists);
                self.runs(inner, true, out);
                self.beside_list = beside;
                // `"$@"` without parameters is no field; `""` and `"$empty"` are one.
                let only_at =
                    inner.len() == 1 && matches!(inner.first().map(|p| &p.kind), Some(PartKind::Param(p)) if is_at(p));
                if out.len() == before && !only_at {
                    out.push(Run::Null);
                }
            }
            PartKind::Param(p) => self.param(p, part.span, quoted, out),
            PartKind::Command(prog) | PartKind::Backquote(prog) => {
                let v = self.substitution(prog, part.span);
                self.value_runs(v, quoted, out);
            }
            PartKind::Arith(t) => {
                let v = self.arith_value(t, part.span);
                self.value_runs(v, quoted, out);
            }
            PartKind::ProcessIn(prog) | PartKind::ProcessFile(prog) => {
                let v = self.process_in(prog, part.span);
                out.push(Run::Piece(first_piece(v), Mode::Quoted));
            }
            PartKind::ProcessOut(prog) => {
                let v = self.process_out(prog, part.span);
                out.push(Run::Piece(first_piece(v), Mode::Quoted));
            }
            PartKind::Tilde(user) => {
                let v = self.tilde(user, part.span);
                for p in v.pieces {
                    out.push(Run::Piece(p, Mode::Quoted));
                }
            }
            PartKind::GlobStar => out.push(Run::Piece(Piece::Glob(Glob::Star, self.at(part.span)), plain)),
            PartKind::GlobQuestion => out.push(Run::Piece(Piece::Glob(Glob::Question, self.at(part.span)), plain)),
            PartKind::GlobBracket(parts) => {
                let v = self.bracket_text(parts);
                let at = self.at(part.span);
                match v.as_literal() {
                    Some(b) => out.push(Run::Piece(Piece::Glob(Glob::Bracket(Bytes::from_slice(&b)), at), plain)),
                    None => {
                        out.push(Run::Piece(Piece::Glob(Glob::Star, at), plain));
                    }
                }
            }
            PartKind::ExtGlob(op, alternatives) => {
                let mut text = vec![*op, b'('];
                let mut known = true;
                for (i, alt) in alternatives.iter().enumerate() {
                    if i > 0 {
                        text.push(b'|');
                    }
                    let mut runs = Vec::new();
                    self.runs(alt, false, &mut runs);
                    let v = self.joined(runs, true);
                    known &= pattern_text(&v, &mut text);
                }
                text.push(b')');
                let at = self.at(part.span);
                if let (crate::effect::Language::Zsh, [one]) = (self.language, alternatives.as_slice()) {
                    let mut runs = Vec::new();
                    self.runs(one, false, &mut runs);
                    let code = super::builtin::globs_as_text(&self.joined(runs, true));
                    self.zsh_qualifier(&code, at);
                }
                let glob = if known { Glob::Ext(Bytes::from_vec(text)) } else { Glob::Star };
                out.push(Run::Piece(Piece::Glob(glob, at), plain));
            }
            // In a place where braces are not expanded (assignments, here-documents) they are text.
            PartKind::Braces(alternatives) => {
                let at = part.span;
                self.text_run(b"{", Span { start: at.start, end: at.start.saturating_add(1) }, plain, out);
                for (i, alt) in alternatives.iter().enumerate() {
                    if i > 0 {
                        self.text_run(b",", at, plain, out);
                    }
                    self.runs(alt, quoted, out);
                }
                self.text_run(b"}", Span { start: at.end.saturating_sub(1), end: at.end }, plain, out);
            }
            PartKind::BraceRange(..) => {
                let text = part.span.of(&self.source.bytes(self.text)).to_vec();
                self.text_run(&text, part.span, plain, out);
            }
        }
    }

    /// Text that stands in the program, with the markers of unknown pieces resolved.
    fn text_run(&mut self, bytes: &[u8], span: Span, mode: Mode, out: &mut Vec<Run>) {
        let from = self.at(span);
        if self.markers.is_empty() || !bytes.contains(&MARK_OPEN) {
            let exact = span.len() == bytes.len();
            let l = Literal { bytes: Bytes::from_slice(bytes), from, exact, taint: Taint::default() };
            out.push(Run::Piece(Piece::Literal(l), mode));
            return;
        }
        let mut v = Value::default();
        self.unmark(bytes, from, mode == Mode::Plain, &mut v);
        let mode = if mode == Mode::Plain { Mode::Expanded } else { mode };
        for p in v.pieces {
            // Known text keeps its own mode: only what the marker stands for is the result of an expansion.
            let m = if matches!(p, Piece::Literal(_)) && mode == Mode::Expanded { Mode::Plain } else { mode };
            out.push(Run::Piece(p, m));
        }
    }

    /// Replaces markers by the pieces that they stand for.
    pub(crate) fn unmark(&self, bytes: &[u8], from: Place, splits: bool, out: &mut Value) {
        let mut rest = bytes;
        while let Some(i) = rest.iter().position(|b| *b == MARK_OPEN) {
            let (text, tail) = rest.split_at(i);
            if !text.is_empty() {
                out.push(Value::computed(text, from, Taint::default()));
            }
            let end = tail.iter().position(|b| *b == MARK_CLOSE);
            let index = end
                .and_then(|e| tail.get(1..e))
                .and_then(|d| std::str::from_utf8(d).ok())
                .and_then(|d| d.parse::<usize>().ok());
            match (index.and_then(|n| self.markers.get(n)), end) {
                (Some(piece), Some(e)) => {
                    let mut piece = piece.clone();
                    if let Piece::Unknown(u) = &mut piece {
                        u.splits |= splits;
                    }
                    out.push_piece(piece);
                    rest = tail.get(e.saturating_add(1)..).unwrap_or(&[]);
                }
                _ => {
                    out.push(Value::computed(tail.get(..1).unwrap_or(&[]), from, Taint::default()));
                    rest = tail.get(1..).unwrap_or(&[]);
                }
            }
        }
        if !rest.is_empty() {
            out.push(Value::computed(rest, from, Taint::default()));
        }
    }

    /// The result of an expansion → runs.
    pub(crate) fn value_runs(&mut self, v: Value, quoted: bool, out: &mut Vec<Run>) {
        if v.pieces.len() > 1 && !self.spend(v.weight()) {
            return;
        }
        let mode = if quoted { Mode::Quoted } else { Mode::Expanded };
        for mut p in v.pieces {
            if let Piece::Unknown(u) = &mut p
                && !quoted
                && !self.sh.opts.no_split
                && !u.why.is_one_word()
            {
                u.splits = true;
            }
            out.push(Run::Piece(p, mode));
        }
    }

    /// `~`, `~user`, `~+`, `~-`
    fn tilde(&mut self, user: &[u8], span: Span) -> Value {
        let at = self.at(span);
        match user {
            b"" => match self.sh.var("HOME").map(|v| v.content.clone()) {
                Some(Content::Scalar(v)) => v,
                _ => Value::unknown(Why::Home(String::new()), at),
            },
            b"+" => self.variable("PWD", at).unwrap_or_default(),
            b"-" => self.variable("OLDPWD", at).unwrap_or_default(),
            u => Value::unknown(Why::Home(String::from_utf8_lossy(u).into_owned()), at),
        }
    }

    /// `$(( … ))` as a value.
    fn arith_value(&mut self, text: &ArithText, span: Span) -> Value {
        let at = self.at(span);
        match self.arith(text) {
            Ok(n) => Value::computed(n.to_string().as_bytes(), at, Taint::default()),
            Err(taint) => Value::unknown_tainted(Why::NotComputed("arithmetic"), at, taint),
        }
    }

    /// `$( … )` and backquotes: runs the program in a subshell, gives its output without the trailing newlines.
    pub(crate) fn substitution(&mut self, prog: &crate::syntax::ast::Program, span: Span) -> Value {
        let at = self.at(span);
        // `$(< file)` is the file's content.
        self.substitutions = self.substitutions.saturating_add(1);
        let mut v = self.capture(|me| me.substitution_body(prog, at));
        drop_nul(&mut v);
        trim_newlines(&mut v);
        v.step(Channel::Substitution);
        v
    }
}

/// Takes the newlines off the end, as command substitution does.
pub(crate) fn trim_newlines(v: &mut Value) {
    if matches!(v.pieces.last(), Some(Piece::OneOf(_))) {
        let mut all = v.readings();
        if all.iter().any(|r| matches!(r.pieces.last(), Some(Piece::OneOf(_)))) {
            return;
        }
        all.iter_mut().for_each(trim_newlines);
        *v = all.into_iter().reduce(Value::either).unwrap_or_default();
        return;
    }
    while let Some(Piece::Literal(l)) = v.pieces.last_mut() {
        let keep = l.bytes.iter().rposition(|b| *b != b'\n').map_or(0, |i| i.saturating_add(1));
        let cut = l.bytes.len().saturating_sub(keep);
        if cut > 0 && l.exact {
            l.from.span.end = l.from.span.end.saturating_sub(cut as u32);
        }
        l.bytes.truncate(keep);
        if keep > 0 {
            break;
        }
        v.pieces.pop();
    }
}

/// The shell keeps no NUL byte of what it reads.
pub(crate) fn drop_nul(v: &mut Value) {
    for p in &mut v.pieces {
        if let Piece::Literal(l) = p
            && l.bytes.contains(&0)
        {
            l.bytes = l.bytes.iter().copied().filter(|b| *b != 0).collect();
            l.exact = false;
        }
    }
}

/// The span of a quoted text without its quotes, where that is a copy.
fn inner(span: Span, len: usize, opening: u32) -> Span {
    let start = span.start.saturating_add(opening);
    let end = start.saturating_add(len as u32);
    let closing = u32::from(opening > 0 && span.end > end);
    if end.saturating_add(closing) == span.end || (opening == 1 && end == span.end) {
        Span { start, end }
    } else {
        span
    }
}

fn is_at(p: &crate::syntax::ast::Param) -> bool {
    use crate::syntax::ast::{ParamOp, Subscript};
    p.name == "@"
        || matches!(p.subscript, Some(Subscript::At))
        || matches!(p.op, ParamOp::Keys(true) | ParamOp::Names(true))
}

fn first_piece(mut v: Value) -> Piece {
    if v.pieces.len() == 1
        && let Some(p) = v.pieces.pop()
    {
        return p;
    }
    Piece::OneOf(vec![v])
}
