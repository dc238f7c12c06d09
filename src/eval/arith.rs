//! Arithmetic: texts → numbers, over the shell's variables.
//!
//! In: the text between `((` and `))`, or a value that is expanded once more. Out: a number, or what it would come from.

use super::Interp;
use super::scope::Content;
use crate::effect::graph::Reach;
use crate::source::{Place, Span};
use crate::syntax::ast::ArithText;
use crate::syntax::shell::Dialect;
use crate::value::arithmetic::{self, Lookup, Subscript};
use crate::value::{Taint, Value, Why};

impl Interp<'_> {
    /// Text that is expanded once more, as `${x@P}` and prompts are.
    pub(crate) fn expand_again(&mut self, v: Value, at: Place) -> Value {
        let Some((bytes, segments)) = v.to_text() else {
            return Value::unknown_tainted(Why::NotComputed("prompt"), at, v.taint());
        };
        if !bytes.iter().any(|b| matches!(b, b'$' | b'`' | b'\\')) {
            return v;
        }
        let text = self.source.add(&bytes, at, segments);
        let parts = crate::syntax::shell::read_quoted(&bytes, Self::dialect(self.language));
        let saved = std::mem::replace(&mut self.text, text);
        let before = self.enter_program(self.language, text, at, Reach::Variable, self.parent);
        let out = self.quoted_parts(&parts);
        self.program = before;
        self.text = saved;
        out
    }

    /// Text that is expanded once more as the key of an associative array: its quotes go, too.
    pub(crate) fn expand_key(&mut self, v: Value, at: Place) -> Value {
        let Some((bytes, segments)) = v.to_text() else { return v };
        if !bytes.iter().any(|b| matches!(b, b'$' | b'`' | b'\\' | b'"' | b'\'')) {
            return v;
        }
        // Read where a key stands: as the subscript of an assignment.
        let mut line = b"_[".to_vec();
        line.extend_from_slice(&bytes);
        line.extend_from_slice(b"]=");
        let mut shifted = vec![crate::source::Segment { start: 0, from: at, exact: false }];
        shifted.extend(segments.into_iter().map(|s| crate::source::Segment { start: s.start.saturating_add(2), ..s }));
        let text = self.source.add(&line, at, shifted);
        let prog = crate::syntax::shell::read(&line, Dialect::BASH);
        let key = prog.lists.first().and_then(|l| l.items.first()).and_then(|i| i.first.stages.first());
        let Some(crate::syntax::ast::CommandKind::Simple(s)) = key.map(|c| &c.kind) else { return v };
        let Some(subscript) = s.assignments.first().and_then(|a| a.subscript.as_ref()) else { return v };
        let saved = std::mem::replace(&mut self.text, text);
        let before = self.enter_program(self.language, text, at, Reach::Variable, self.parent);
        let out = self.quoted_parts(&subscript.parts);
        self.program = before;
        self.text = saved;
        out
    }

    /// Evaluates arithmetic; `Err` with what it depends on where the result is not known.
    pub(crate) fn arith(&mut self, text: &ArithText) -> Result<i64, Taint> {
        let v = self.quoted_parts(&text.parts);
        let v = self.drop_parameters_within(v);
        if self.quoted_outside_keys(text) {
            self.fatal = true;
            return Err(v.taint());
        }
        self.arith_of(&v)
    }

    /// Single quotes are no part of arithmetic; of the key of an associative array they are.
    pub(super) fn quoted_outside_keys(&self, text: &ArithText) -> bool {
        use crate::syntax::ast::PartKind;
        if !text.parts.iter().any(|p| matches!(p.kind, PartKind::Single(_) | PartKind::AnsiC(_))) {
            return false;
        }
        let (mut open, mut name) = (Vec::new(), String::new());
        for p in &text.parts {
            match &p.kind {
                PartKind::Literal(b) => {
                    for c in b.iter() {
                        match c {
                            b'[' => {
                                let target = self.sh.target(&name);
                                open.push(matches!(
                                    self.sh.var(&target).map(|v| &v.content),
                                    Some(Content::Assoc(_) | Content::Opaque(_))
                                ));
                                name.clear();
                            }
                            b']' => {
                                open.pop();
                                name.clear();
                            }
                            c if c.is_ascii_alphanumeric() || *c == b'_' => name.push(char::from(*c)),
                            _ => name.clear(),
                        }
                    }
                }
                PartKind::Single(_) | PartKind::AnsiC(_) if !open.contains(&true) => return true,
                _ => name.clear(),
            }
        }
        false
    }

    /// Evaluates arithmetic that was expanded already.
    pub(crate) fn arith_of(&mut self, v: &Value) -> Result<i64, Taint> {
        let Some(bytes) = v.as_literal() else {
            // `l m …` is no expression, whatever comes next.
            let prefix = v.prefix();
            let whole = prefix.iter().rposition(u8::is_ascii_whitespace).and_then(|n| prefix.get(..n)).unwrap_or(&[]);
            self.spend(1 + whole.len() as u64 / 64);
            self.fatal |= arithmetic::goes_wrong(whole);
            return Err(v.taint());
        };
        let bytes = bytes.into_owned();
        self.spend(1 + bytes.len() as u64 / 64);
        let mut vars = ArithVars { it: self, taint: Taint::default() };
        match arithmetic::eval(&bytes, &mut vars) {
            Ok(n) => Ok(n),
            Err(e) => {
                // bash follows variables that name variables for long, but not for ever.
                let fatal = !matches!(e, arithmetic::ArithError::Unknown);
                let mut t = vars.taint;
                t.join(&v.taint());
                self.fatal |= fatal && v.is_known();
                Err(t)
            }
        }
    }

    /// An error that ends a shell that is not interactive (`${x:?}`).
    pub(crate) fn leave_on_error(&mut self) {
        self.sh.status = Some(1);
        self.fatal = true;
    }
}

/// The variables of a shell, as arithmetic sees them.
struct ArithVars<'i, 'a> {
    it: &'i mut Interp<'a>,
    taint: Taint,
}

impl arithmetic::Variables for ArithVars<'_, '_> {
    fn get(&mut self, name: &str, subscript: Option<&Subscript>) -> Lookup {
        let at = Place::new(self.it.text, Span::default());
        let v = match subscript {
            None => self.it.variable(name, at),
            Some(s) => {
                let target = self.it.sh.target(name).into_owned();
                match key_of(s) {
                    Some(k) => self.it.element(&target, &k, at),
                    None => return Lookup::Unknown,
                }
            }
        };
        match v {
            None => Lookup::Unset,
            Some(v) => match v.as_literal() {
                Some(b) => Lookup::Text(b.into_owned()),
                None => {
                    self.taint.join(&v.taint());
                    Lookup::Unknown
                }
            },
        }
    }
    fn set(&mut self, name: &str, subscript: Option<&Subscript>, value: Option<i64>) {
        let at = Place::new(self.it.text, Span::default());
        let v = match value {
            Some(n) => Value::computed(n.to_string().as_bytes(), at, Taint::default()),
            None => Value::unknown(Why::NotComputed("arithmetic"), at),
        };
        let target = self.it.sh.target(name).into_owned();
        match subscript.map(key_of) {
            None if target.contains('[') => self.it.assign_name(&target, v, at),
            None => self.it.sh.set_scalar(&target, v),
            Some(Some(k)) => self.it.set_element(&target, &k, v),
            Some(None) => self.it.sh.set(&target, Content::Scalar(Value::unknown(Why::Joined, at))),
        }
    }
    fn is_associative(&self, name: &str) -> bool {
        let target = self.it.sh.target(name);
        matches!(self.it.sh.var(&target).map(|v| &v.content), Some(Content::Assoc(_)))
    }
    fn expand(&mut self, text: &[u8]) -> Option<Vec<u8>> {
        if !text.iter().any(|b| matches!(b, b'$' | b'`' | b'"' | b'\'' | b'\\')) {
            return Some(text.to_vec());
        }
        let at = Place::new(self.it.text, Span::default());
        let v = self.it.expand_again(Value::computed(text, at, Taint::default()), at);
        self.taint.join(&v.taint());
        v.as_literal().map(|b| b.into_owned())
    }
}

/// The key of an element, as `element` takes it.
fn key_of(s: &Subscript) -> Option<Vec<u8>> {
    match s {
        Subscript::Index(n) => n.map(|n| n.to_string().into_bytes()),
        Subscript::Key(k) => k.clone(),
    }
}
