//! `[[ … ]]` and `test`: what is true, what is false, and what is not known.
//!
//! In: the tree's conditions, or the words of `test`. Out: `Some(truth)`, or `None`. Files are never looked at.

use super::Interp;
use super::expand::{Mode, Run};
use super::param::empty;
use super::scope::Content;
use crate::syntax::ast::{Cond, Word};
use crate::value::{Piece, Value};

impl Interp<'_> {
    /// A conditional expression. Both sides are walked where the first does not decide, since expansions in them run.
    pub(crate) fn cond(&mut self, c: &Cond) -> Option<bool> {
        match c {
            Cond::Not(e) => self.cond(e).map(|t| !t),
            Cond::Group(e) => self.cond(e),
            Cond::And(a, b) => match self.cond(a) {
                Some(false) => Some(false),
                Some(true) => self.cond(b),
                None => match self.conditional(|me| me.cond(b)) {
                    Some(false) => Some(false),
                    _ => None,
                },
            },
            Cond::Or(a, b) => match self.cond(a) {
                Some(true) => Some(true),
                Some(false) => self.cond(b),
                None => match self.conditional(|me| me.cond(b)) {
                    Some(true) => Some(true),
                    _ => None,
                },
            },
            Cond::Word(w) => {
                let v = self.single(w);
                empty(&v).map(|e| !e)
            }
            Cond::Unary(op, w) => {
                let v = self.single(w);
                self.unary(op, &v)
            }
            Cond::Binary(op, a, b) => {
                let left = match self.spread(a) {
                    Some(v) => v,
                    None => self.single(a),
                };
                self.binary_word(op, &left, b)
            }
        }
    }

    fn binary_word(&mut self, op: &str, left: &Value, right: &Word) -> Option<bool> {
        match op {
            "==" | "=" => {
                let p = self.pattern(right);
                self.matches(left, &p)
            }
            "!=" => {
                let p = self.pattern(right);
                self.matches(left, &p).map(|t| !t)
            }
            "=~" => self.regex(left, right),
            "-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge" => {
                let r = self.single(right);
                let a = self.arith_inner(|me| me.arith_of(left));
                let b = self.arith_inner(|me| me.arith_of(&r));
                match (a, b) {
                    (Err(()), _) | (_, Err(())) => Some(false),
                    (Ok(a), Ok(b)) => compare(op, a?, b?),
                }
            }
            _ => {
                let r = self.single(right);
                self.binary(op, left, &r)
            }
        }
    }

    fn unary(&mut self, op: &str, v: &Value) -> Option<bool> {
        match op {
            "-n" => empty(v).map(|e| !e),
            "-z" => empty(v),
            "-v" => self.is_set(v),
            // Files, descriptors, terminals: what is there is not known. No file has no name.
            "-o" | "-t" | "-R" => None,
            _ if empty(v) == Some(true) => Some(false),
            _ => None,
        }
    }

    /// `-v name`, `-v name[subscript]`
    fn is_set(&mut self, v: &Value) -> Option<bool> {
        let name = super::builtin::globs_as_text(v).as_str()?.into_owned();
        let at = v.place();
        let (base, subscript) = match name.split_once('[') {
            Some((b, s)) => (b, Some(s.strip_suffix(']').unwrap_or(s))),
            None => (name.as_str(), None),
        };
        let base = self.sh.target(base).into_owned();
        if self.sh.var(&base).is_none()
            && let Some(s) = subscript
        {
            // What is substituted in it runs.
            let _ = self.arith_inner(|me| me.key_text(&base, s, at).ok_or(()).map(|_| 0));
        }
        let var = self.sh.var(&base)?;
        if var.attrs.maybe_unset {
            return None;
        }
        match (&var.content, subscript) {
            (Content::Opaque(_), _) => None,
            (Content::Unset, _) => Some(false),
            (Content::Scalar(v), _)
                if v.pieces
                    .iter()
                    .any(|p| matches!(p, Piece::Unknown(u) if matches!(u.why, crate::value::Why::Environment(_)))) =>
            {
                None
            }
            (Content::Scalar(_), None) => Some(true),
            (Content::Indexed(m), None) => Some(m.contains_key(&0)),
            (Content::Assoc(m), None) => Some(m.iter().any(|(k, _)| k == b"0")),
            (Content::Indexed(m), Some("@" | "*")) => Some(!m.is_empty()),
            (Content::Assoc(m), Some("@" | "*")) => Some(!m.is_empty()),
            (_, Some(s)) => {
                let s = s.to_string();
                let key = self.key_text(&base, &s, at)?;
                Some(self.element(&base, &key, at).is_some())
            }
        }
    }

    /// String comparisons that `[[` and `test` share.
    fn binary(&mut self, op: &str, a: &Value, b: &Value) -> Option<bool> {
        let (l, r) = (a.as_literal()?, b.as_literal()?);
        match op {
            "<" => Some(l < r),
            ">" => Some(l > r),
            _ => None,
        }
    }

    /// `[[ text =~ expression ]]`: quoted parts of the expression are literal. The groups go into `BASH_REMATCH`.
    fn regex(&mut self, left: &Value, right: &Word) -> Option<bool> {
        let mut runs = Vec::new();
        self.runs(&right.parts, false, &mut runs);
        let mut pattern = Some(Vec::new());
        let mut at = left.place();
        for r in runs {
            let Run::Piece(p, mode) = r else { continue };
            at = Value { pieces: smallvec::smallvec![p.clone()] }.place();
            let Some(text) = pattern.as_mut() else { break };
            match p {
                Piece::Literal(l) if mode == Mode::Quoted => {
                    for b in l.bytes.iter() {
                        if b"\\.[](){}*+?|^$".contains(b) {
                            text.push(b'\\');
                        }
                        text.push(*b);
                    }
                }
                Piece::Literal(l) => text.extend_from_slice(&l.bytes),
                Piece::Glob(crate::value::Glob::Bracket(b), _) => {
                    text.push(b'[');
                    text.extend(b.iter().filter(|c| **c != b'\\'));
                    text.push(b']');
                }
                p @ Piece::Glob(..) => text.extend(Value { pieces: smallvec::smallvec![p] }.show().as_bytes()),
                Piece::OneOf(_) | Piece::Unknown(_) => pattern = None,
            }
        }
        let found = match (left.as_literal(), pattern) {
            (Some(l), Some(p)) => {
                self.spend(1 + l.len() as u64 / 16 + p.len() as u64);
                crate::value::transform::regex_groups(&p, &l, self.sh.opts.nocasematch).ok()
            }
            _ => None,
        };
        let Some(groups) = found else {
            // How many groups took part is not known.
            self.sh.set("BASH_REMATCH", Content::Opaque(super::scope::Open::of(left.taint())));
            return None;
        };
        let made = |g: Option<Vec<u8>>| match g {
            Some(g) if !g.is_empty() => Value::computed(&g, at, left.taint()),
            _ => Value::default(),
        };
        let hit = groups.is_some();
        let list = groups.unwrap_or_default().into_iter().enumerate().map(|(i, g)| (i as i64, made(g))).collect();
        self.sh.set("BASH_REMATCH", Content::Indexed(list));
        Some(hit)
    }

    /// `test` and `[`, by the number of their operands (POSIX XCU test). The closing `]` is taken off already. Gives the
    /// exit status: 2 for what is no expression.
    pub(crate) fn test(&mut self, args: &[Value]) -> Option<i32> {
        // A word that may be several or none leaves open which form this is.
        let splits = args.iter().any(|v| v.pieces.iter().any(|p| matches!(p, Piece::Unknown(u) if u.splits)));
        let matches = args.iter().any(|v| v.pieces.iter().any(|p| matches!(p, Piece::Glob(..))));
        let named = matches!(args, [op, _] if op.as_str().as_deref() == Some("-v"));
        if splits || (matches && !named) {
            return None;
        }
        let is = |v: &Value, s: &str| v.as_str().is_some_and(|t| t == s);
        let not = |s: Option<i32>| s.map(|s| if s > 1 { s } else { 1 - s });
        let status = |t: Option<bool>| t.map(|t| i32::from(!t));
        match args {
            [] => Some(1),
            [a] => status(empty(a).map(|e| !e)),
            [op, a] if is(op, "!") => status(empty(a)),
            [op, a] => {
                let op = op.as_str()?.into_owned();
                if is_unary(&op) { status(self.unary(&op, a)) } else { Some(2) }
            }
            [a, op, b] => {
                let op = op.as_str()?.into_owned();
                match op.as_str() {
                    "-a" => status(Some(!empty(a)? && !empty(b)?)),
                    "-o" => status(Some(!empty(a)? || !empty(b)?)),
                    _ if is_binary(&op) => self.test_binary(&op, a, b),
                    _ if is(a, "!") => not(self.test(args.get(1..)?)),
                    _ if is(a, "(") && is(b, ")") => self.test(args.get(1..2)?),
                    _ => a.is_known().then_some(2),
                }
            }
            [first, .., last] => {
                if args.len() == 4 && is(first, "!") {
                    return not(self.test(args.get(1..)?));
                }
                if args.len() == 4 && is(first, "(") && is(last, ")") {
                    return self.test(args.get(1..3)?);
                }
                let mut at = 0usize;
                let r = self.test_or(args, &mut at, 0);
                if at < args.len() && r.is_some() { Some(2) } else { r }
            }
        }
    }

    fn test_or(&mut self, args: &[Value], at: &mut usize, depth: u32) -> Option<i32> {
        let mut all = self.test_and(args, at, depth);
        while args.get(*at).is_some_and(|v| v.as_str().as_deref() == Some("-o")) {
            *at = at.saturating_add(1);
            let next = self.test_and(args, at, depth);
            all = match (all, next) {
                (Some(2..), _) | (_, Some(2..)) => Some(2),
                (Some(0), _) | (_, Some(0)) => Some(0),
                (Some(_), Some(_)) => Some(1),
                _ => None,
            };
        }
        all
    }

    fn test_and(&mut self, args: &[Value], at: &mut usize, depth: u32) -> Option<i32> {
        let mut all = self.test_term(args, at, depth);
        while args.get(*at).is_some_and(|v| v.as_str().as_deref() == Some("-a")) {
            *at = at.saturating_add(1);
            let next = self.test_term(args, at, depth);
            all = match (all, next) {
                (Some(2..), _) | (_, Some(2..)) => Some(2),
                (Some(1), _) | (_, Some(1)) => Some(1),
                (Some(_), Some(_)) => Some(0),
                _ => None,
            };
        }
        all
    }

    fn test_term(&mut self, args: &[Value], at: &mut usize, depth: u32) -> Option<i32> {
        let Some(first) = args.get(*at) else { return Some(2) };
        if depth > crate::limits::MAX_DEPTH {
            return None;
        }
        let word = first.as_str().map(|s| s.into_owned());
        if word.as_deref() == Some("!") {
            *at = at.saturating_add(1);
            return self.test_term(args, at, depth.saturating_add(1)).map(|s| if s > 1 { s } else { 1 - s });
        }
        if word.as_deref() == Some("(") {
            *at = at.saturating_add(1);
            let r = self.test_or(args, at, depth.saturating_add(1));
            let closed = args.get(*at).is_some_and(|v| v.as_str().as_deref() == Some(")"));
            *at = at.saturating_add(1);
            return if closed { r } else { r.map(|_| 2) };
        }
        let next = at.saturating_add(1);
        if let (Some(op), Some(b)) = (args.get(next), args.get(next.saturating_add(1)))
            && let Some(op) = op.as_str().map(|s| s.into_owned())
            && is_binary(&op)
        {
            let r = self.test_binary(&op, first, b);
            *at = at.saturating_add(3);
            return r;
        }
        if let (Some(op), Some(a)) = (&word, args.get(next))
            && is_unary(op)
        {
            let r = self.unary(op, a).map(|t| i32::from(!t));
            *at = at.saturating_add(2);
            return r;
        }
        *at = next;
        empty(first).map(i32::from)
    }

    fn test_binary(&mut self, op: &str, a: &Value, b: &Value) -> Option<i32> {
        let r = match op {
            "=" | "==" => equal(a, b),
            "!=" => equal(a, b).map(|t| !t),
            "-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge" => {
                let (x, y) = (a.as_str(), b.as_str());
                // What is no decimal number is an error.
                let number = |s: &str| s.trim_start().trim_end_matches([' ', '\t']).parse::<i64>().ok();
                match (x.as_deref().map(number), y.as_deref().map(number)) {
                    (Some(None), _) | (_, Some(None)) => return Some(2),
                    (Some(Some(x)), Some(Some(y))) => compare(op, x, y),
                    _ => None,
                }
            }
            _ => self.binary(op, a, b),
        };
        r.map(|t| i32::from(!t))
    }
}

fn is_unary(op: &str) -> bool {
    matches!(op.as_bytes(), [b'-', c] if b"abcdefghknoprstuvwxzGLNORS".contains(c))
}

fn is_binary(op: &str) -> bool {
    matches!(op, "=" | "==" | "!=" | "<" | ">" | "-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge" | "-nt" | "-ot" | "-ef")
}

fn equal(a: &Value, b: &Value) -> Option<bool> {
    let (x, y) = (a.as_literal(), b.as_literal());
    match (x, y) {
        (Some(x), Some(y)) => Some(x == y),
        _ => None,
    }
}

fn compare(op: &str, a: i64, b: i64) -> Option<bool> {
    Some(match op {
        "-eq" => a == b,
        "-ne" => a != b,
        "-lt" => a < b,
        "-le" => a <= b,
        "-gt" => a > b,
        "-ge" => a >= b,
        _ => return None,
    })
}
