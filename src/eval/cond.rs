//! `[[ … ]]` and `test`: what is true, what is false, and what is not known.
//!
//! In: the tree's conditions, or the words of `test`. Out: `Some(truth)`, or `None`. Files are never looked at.

use super::Interp;
use super::param::empty;
use crate::syntax::ast::{Cond, Word};
use crate::value::Value;

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
                let left = self.single(a);
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
            "=~" => {
                // The groups that matched go into BASH_REMATCH; regular expressions are not computed here.
                let v = self.pattern(right);
                let at = v.place();
                let all =
                    Value::unknown_tainted(crate::value::Why::NotComputed("regular expression"), at, left.taint());
                self.sh.set("BASH_REMATCH", super::scope::Content::Scalar(all));
                match (left.as_literal(), v.as_literal()) {
                    // An expression without operators is found or not.
                    (Some(l), Some(r)) if !r.iter().any(|b| b"\\.[](){}*+?|^$".contains(b)) => {
                        Some(r.is_empty() || l.windows(r.len()).any(|w| w == r.as_ref()))
                    }
                    _ => None,
                }
            }
            "-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge" => {
                let r = self.single(right);
                let (a, b) = (self.arith_of(left).ok(), self.arith_of(&r).ok());
                compare(op, a?, b?)
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
            "-v" => {
                let name = v.as_str()?.into_owned();
                let base = name.split('[').next().unwrap_or_default();
                match self.sh.var(base) {
                    Some(var) if var.attrs.maybe_unset => None,
                    Some(var) if !name.contains('[') => Some(!matches!(var.content, super::scope::Content::Unset)),
                    _ => None,
                }
            }
            "-o" => None,
            // Files, descriptors, terminals: what is there is not known.
            _ => None,
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

    /// `test` and `[`, by the number of their operands (POSIX XCU test). The closing `]` is taken off already.
    pub(crate) fn test(&mut self, args: &[Value]) -> Option<bool> {
        // A word that may be several or none leaves open which form this is.
        let splits = args.iter().any(|v| {
            v.pieces.iter().any(|p| {
                matches!(p, crate::value::Piece::Unknown(u) if u.splits) || matches!(p, crate::value::Piece::Glob(..))
            })
        });
        if splits {
            return None;
        }
        match args {
            [] => Some(false),
            [a] => empty(a).map(|e| !e),
            [op, a] if op.as_str().as_deref() == Some("!") => empty(a),
            [op, a] => {
                let op = op.as_str()?.into_owned();
                self.unary(&op, a)
            }
            [a, op, b] => {
                let op = op.as_str()?.into_owned();
                match op.as_str() {
                    "=" | "==" => equal(a, b),
                    "!=" => equal(a, b).map(|t| !t),
                    "-a" => Some(!empty(a)? && !empty(b)?),
                    "-o" => Some(!empty(a)? || !empty(b)?),
                    "-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge" => {
                        let number = |v: &Value| v.as_str().and_then(|s| s.trim().parse::<i64>().ok());
                        compare(&op, number(a)?, number(b)?)
                    }
                    _ => {
                        if a.as_str().as_deref() == Some("!") {
                            return self.test(args.get(1..)?).map(|t| !t);
                        }
                        self.binary(&op, a, b)
                    }
                }
            }
            [not, rest @ ..] if not.as_str().as_deref() == Some("!") && rest.len() == 3 => self.test(rest).map(|t| !t),
            _ => None,
        }
    }
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
