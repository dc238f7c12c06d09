//! The built-in functions of awk.
//!
//! In: a name and arguments. Out: a value. What awks disagree on is refused.

use super::super::super::Why;
use super::Machine;
use super::format::printf;
use super::parse::{Expr, NOT};
use super::val::Val;
use crate::limits;

impl Machine {
    /// A call of a built-in function.
    pub(super) fn call(&mut self, name: &str, list: &[Expr]) -> Result<Val, Why> {
        if matches!(name, "sub" | "gsub") {
            return self.substitute(name == "gsub", list);
        }
        if name == "split" {
            let (text, array, separator) = match list {
                [t, Expr::Name(a)] => (t, a, None),
                [t, Expr::Name(a), Expr::Regex(r)] => (t, a, Some(r.clone())),
                [t, Expr::Name(a), s] => (t, a, Some(self.eval(s)?.text()?)),
                _ => return Err(NOT),
            };
            let text = self.eval(text)?.text()?;
            let fs = match separator {
                // An empty separator splits characters, in most awks.
                Some(s) if s.is_empty() && text.is_ascii() => None,
                Some(s) => Some(s),
                None => Some(self.named("FS")?),
            };
            let parts = match fs {
                Some(fs) => self.parts(&text, &fs)?,
                None => text.chars().map(String::from).collect(),
            };
            let filled = parts.iter().zip(1usize..).map(|(p, i)| (i.to_string(), Val::input(p))).collect();
            self.arrays.insert(array.clone(), filled);
            return Ok(Val::Number(parts.len() as f64));
        }
        if let ("length", [Expr::Name(a)]) = (name, list)
            && let Some(array) = self.arrays.get(a)
        {
            return Ok(Val::Number(array.len() as f64));
        }
        let values = list.iter().map(|e| self.eval(e)).collect::<Result<Vec<_>, _>>()?;
        // Awks differ in whether they count bytes or characters.
        let ascii = |v: &Val| v.text().and_then(|t| if t.is_ascii() { Ok(t) } else { Err(NOT) });
        Ok(match (name, values.as_slice()) {
            ("length", []) => Val::Number(ascii(&Val::Text(self.record.clone()))?.len() as f64),
            ("length", [v]) => Val::Number(ascii(v)?.len() as f64),
            ("toupper", [v]) => Val::Text(ascii(v)?.to_ascii_uppercase()),
            ("tolower", [v]) => Val::Text(ascii(v)?.to_ascii_lowercase()),
            ("int", [v]) => Val::Number(v.number().trunc()),
            ("index", [a, b]) => {
                let (a, b) = (ascii(a)?, ascii(b)?);
                Val::Number(a.find(&b).map_or(0.0, |i| i as f64 + 1.0))
            }
            ("substr", [v, from, rest @ ..]) => {
                let text = ascii(v)?;
                let first = round(from.number())?;
                // Before the first character, awks count differently.
                if first < 1.0 {
                    return Err(NOT);
                }
                let end = match rest {
                    [] => f64::INFINITY,
                    [n] => first + round(n.number())?,
                    _ => return Err(NOT),
                };
                let kept = text.chars().zip(1u32..).filter(|(_, i)| (first..end).contains(&f64::from(*i)));
                Val::Text(kept.map(|(c, _)| c).collect())
            }
            ("sprintf", values) => Val::Text(String::from_utf8(printf(values)?).map_err(|_| NOT)?),
            _ => return Err(NOT),
        })
    }

    fn substitute(&mut self, all: bool, list: &[Expr]) -> Result<Val, Why> {
        let whole = Expr::Field(Box::new(Expr::Number(0.0)));
        let (pattern, with, target) = match list {
            [p, w] => (p, w, &whole),
            [p, w, t] => (p, w, t),
            _ => return Err(NOT),
        };
        let pattern = match pattern {
            Expr::Regex(r) => r.clone(),
            other => self.eval(other)?.text()?,
        };
        let with = self.eval(with)?.text()?;
        // Backslashes in replacements differ from awk to awk, but for the escaped ampersand.
        if with.replace("\\&", "").contains('\\') {
            return Err(NOT);
        }
        let text = self.read(target)?.text()?;
        let m = self.pattern(&pattern)?;
        let (mut out, mut at, mut done, mut n) = (String::new(), 0usize, 0usize, 0u32);
        while at <= text.len() {
            let Some(w) = m.find_at(text.as_bytes(), at)?.and_then(|c| c.get(0)) else { break };
            if w.is_empty() && all {
                return Err(Why::NotComputed("empty match"));
            }
            out.push_str(text.get(done..w.start()).unwrap_or(""));
            let found = text.get(w.range()).unwrap_or("");
            let mut parts = with.split("\\&").peekable();
            while let Some(p) = parts.next() {
                out.push_str(&p.replace('&', found));
                if parts.peek().is_some() {
                    out.push('&');
                }
            }
            if out.len() > limits::MAX_VALUE {
                return Err(Why::Limit);
            }
            n = n.saturating_add(1);
            (done, at) = (w.end(), w.end());
            if !all {
                break;
            }
        }
        if n > 0 {
            out.push_str(text.get(done..).unwrap_or(""));
            self.write(target, Val::Text(out))?;
        }
        Ok(Val::Number(f64::from(n)))
    }
}

/// Rounds as `substr` does; halves differ from awk to awk.
fn round(n: f64) -> Result<f64, Why> {
    if n.fract().abs() == 0.5 { Err(NOT) } else { Ok(n.round()) }
}
