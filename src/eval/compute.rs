//! What a program prints where that can be computed: the glue between invocations and `value::transform`.
//!
//! In: a transform's name from the grammar, the invocation, its input. Out: a value; unknown, with what it came from,
//! where an option, an operand or the input is not known or the transform does not compute it.

use super::Interp;
use super::invoke::Work;
use crate::command::{Invocation, Role};
use crate::effect::{CLIPBOARD, Language, Object, Verb};
use crate::escape;
use crate::source::Place;
use crate::value::transform::{self, Call, Flavour, PieceFrom};
use crate::value::{Bytes, Channel, Piece, Taint, Value, Why};

/// Where the programs of those names lie: not known, but which program it is.
pub(crate) fn located(names: &[Value], at: Place) -> Value {
    let mut out = Value::default();
    for n in names {
        let base = n.as_str().map(|t| t.rsplit('/').next().unwrap_or_default().to_string());
        out.push(match base {
            Some(n) => Value::unknown(Why::Program(n), at),
            None => Value::unknown(Why::Output(n.show()), at),
        });
    }
    out
}

impl Interp<'_> {
    /// Whose `echo` and `printf` this is.
    pub(crate) fn flavour(&self) -> Flavour {
        if self.sh.opts.xpg_echo || (self.language == Language::Sh && self.depth > 0) {
            Flavour::Dash
        } else {
            Flavour::Bash
        }
    }

    /// `echo`: what it prints, whose unknown words stay unknown in their places.
    pub(crate) fn echo(&mut self, args: &[Value], at: Place) -> Value {
        self.spend(args.len() as u64 / 8);
        self.escapes_differ |= args
            .iter()
            .any(|v| v.pieces.iter().any(|p| matches!(p, crate::value::Piece::Literal(l) if l.bytes.contains(&b'\\'))));
        let v = transform::echo_values(args, at, self.flavour());
        self.unmasked(v, args, at)
    }

    /// `printf`
    pub(crate) fn printf(&mut self, args: &[Value], at: Place) -> (Value, i32) {
        self.spend(args.len() as u64 / 8);
        // Where a word may be none or several, what stands behind it is not known to be which argument.
        let many = |v: &Value| v.pieces.iter().any(|p| matches!(p, Piece::Unknown(u) if u.splits));
        if args.split_last().is_some_and(|(_, rest)| rest.iter().any(many)) {
            let mut taint = Taint::default();
            args.iter().for_each(|a| taint.join(&a.taint()));
            return (Value::unknown_tainted(Why::NotComputed("text operation"), at, taint), 0);
        }
        let (v, status) = transform::printf_values(args, at, self.flavour());
        let size = |p: &crate::value::Piece| if let crate::value::Piece::Literal(l) = p { l.bytes.len() } else { 1 };
        self.spend(v.pieces.iter().map(size).sum::<usize>() as u64 / 32);
        (self.unmasked(v, args, at), i32::from(status))
    }

    /// Output of which letters were written as numbers (`\\162\\155`): that hides what it says, and decodes it. Output that
    /// sets the clipboard does that.
    fn unmasked(&mut self, mut v: Value, args: &[Value], at: Place) -> Value {
        // Operating system command 52 sets the clipboard (XTerm Control Sequences): the next paste runs what stands there.
        let sets = |v: &Value| v.as_literal().is_some_and(|b| memchr::memmem::find(&b, b"\x1b]52;").is_some());
        if let Some(by) = self.last_process.filter(|_| sets(&v) && !args.iter().any(sets)) {
            self.effect(Verb::Interact, Object::Stated(CLIPBOARD), by, at);
        }
        let masked = |a: &Value| a.as_literal().is_some_and(|b| escape::masks_letters(&b));
        let copied = |a: &Value| a.as_literal().is_some_and(|b| v.as_literal().is_some_and(|v| find(&v, &b)));
        if v.pieces.is_empty() || !args.iter().any(|a| masked(a) && !copied(a)) {
            return v;
        }
        let Some(by) = self.last_process else { return v };
        let id = self.effect(Verb::Decode, Object::Stated("escapes"), by, at);
        v.add_taint(&Taint::of(id));
        v
    }

    /// Runs a transform over what an invocation reads.
    pub(crate) fn compute(&mut self, name: &str, inv: &Invocation, words: &[Value], w: &Work, at: Place) -> Value {
        let args = inv_args(inv);
        match name {
            "echo" => return self.echo(words, at),
            "printf" => return self.printf(&args, at).0,
            // Each operand in a line of its own.
            "operands" => return lines_of(inv.operands.iter(), at),
            "which" => return located(&inv.operands, at),
            "cwd" => {
                let mut v = self.variable("PWD", at).unwrap_or_default();
                v.push(Value::computed(b"\n", at, Taint::default()));
                return v;
            }
            "variable" => {
                let names = args.first().and_then(|n| n.as_str().map(|n| n.into_owned()));
                let value = names.and_then(|n| self.variable(&n, at));
                return value.unwrap_or_else(|| Value::unknown(Why::Output(inv.name.clone()), at));
            }
            _ => {}
        }
        // `template.-c`: the text that an option gives, `template.+`: an operand without its sign, where nothing in it
        // stands for something else.
        if let Some(of) = name.strip_prefix("template.") {
            let given = match of {
                "+" => inv.operands.iter().find(|v| v.prefix().starts_with(b"+")).map(|v| v.split_at(1).1),
                option => inv.value_of(option).cloned(),
            };
            return match given.as_ref().map(|v| (v, v.as_literal())) {
                Some((v, Some(b))) if !b.contains(&b'\\') => lines_of(std::iter::once(v), at),
                Some((v, Some(b))) => {
                    let text = String::from_utf8_lossy(&b).replace("\\n", "\n").replace("\\0", "\0");
                    Value::computed(text.as_bytes(), at, v.taint())
                }
                Some((v, None)) => v.clone(),
                None => Value::unknown(Why::Output(inv.name.clone()), at),
            };
        }
        let mut taint = w.content.taint();
        if !w.read
            && let Some(s) = &w.stdin
        {
            taint.join(&s.taint());
        }
        args.iter().for_each(|o| taint.join(&o.taint()));
        taint.step(Channel::Filter);
        if transform::hides(name) {
            taint = Taint::default();
        }
        let unknown = match (name, args.as_slice()) {
            ("dirname", [path]) => match path.pieces.as_slice() {
                // Of what is itself made from a place: made from the one above that.
                [Piece::Unknown(u)] => match &u.why {
                    Why::Near(place) => above(place).near(at),
                    _ => above(path).near(at),
                },
                _ => above(path).near(at),
            },
            // Names that are listed stay those of that place where each line keeps something of itself.
            _ if !w.read && transform::keeps_lines(name, &inv.options, &args) => {
                w.stdin.as_ref().filter(|v| is_listed(v)).and_then(|v| v.near(at)).map(super::invoke::splitting)
            }
            _ => None,
        };
        let unknown =
            unknown.unwrap_or_else(|| Value::unknown_tainted(Why::Output(inv.name.clone()), at, taint.clone()));
        // What was packed in the text is unpacked again, whatever bytes it was packed into.
        let mut input = w.files.first().filter(|_| w.files.len() == 1);
        if w.files.is_empty() && !w.read {
            input = w.stdin.as_ref();
        }
        if let (Some(v), Some(("decode", format))) = (input, name.rsplit_once('.').map(|(f, d)| (d, f)))
            && let [Piece::Unknown(u)] = v.pieces.as_slice()
            && let Why::Packed(by, held) = &u.why
            && (by.strip_suffix(".encode") == Some(format) || format == "any")
        {
            let mut out = (**held).clone();
            out.add_taint(&taint);
            return out;
        }
        if let (Some(v), Some(("encode", _)), Some(coder)) =
            (input, name.rsplit_once('.').map(|(f, d)| (d, f)), packer(inv))
            && v.is_known()
            && !v.pieces.is_empty()
            && transform::run(name, &Call::default()).is_err()
        {
            let mut held = v.clone();
            held.step(Channel::Filter);
            return Value::unknown_tainted(Why::Packed(coder, Box::new(held)), at, taint);
        }
        // Every part of the call has to be known.
        let Some(args_known) = all_known(&args) else { return unknown };
        let Some(files) = all_known(&w.files) else { return unknown };
        let mut options = Vec::new();
        for (n, v) in &inv.options {
            match v.as_ref().map(Value::as_literal) {
                None => options.push((*n, None)),
                Some(Some(b)) => options.push((*n, Some(b))),
                Some(None) => return unknown,
            }
        }
        let stdin = match (&w.stdin, w.read) {
            (Some(s), false) => match s.as_literal() {
                Some(b) => b,
                None => return unknown,
            },
            // Nothing is connected: it would read what the surrounding shell has.
            (None, false) if reads(inv) && !transform::reads_nothing(name, &args_known) => return unknown,
            _ => Default::default(),
        };
        let size: usize = files.iter().map(|f| f.len()).sum::<usize>().saturating_add(stdin.len());
        if !self.spend(2 + size as u64 / 64) {
            return unknown;
        }
        let options: Vec<(&str, Option<&[u8]>)> = options.iter().map(|(n, v)| (*n, v.as_deref())).collect();
        let operands: Vec<&[u8]> = args_known.iter().map(|b| b.as_ref()).collect();
        let files: Vec<&[u8]> = files.iter().map(|b| b.as_ref()).collect();
        let call = Call {
            options: &options,
            operands: &operands,
            files: &files,
            stdin: &stdin,
            flavour: self.flavour(),
            program: &inv.name,
        };
        let Ok(out) = transform::run(name, &call) else { return unknown };
        self.spend(out.bytes.len() as u64 / 32);
        let mut v = Value::default();
        for (range, from) in &out.pieces {
            let bytes = out.bytes.get(range.clone()).unwrap_or(&[]);
            let copied = match from {
                PieceFrom::Operand(i, off) => args.get(*i).and_then(|a| slice(a, *off, bytes.len())),
                PieceFrom::File(i, off) => w.files.get(*i).and_then(|a| slice(a, *off, bytes.len())),
                PieceFrom::Stdin(off) => w.stdin.as_ref().and_then(|a| slice(a, *off, bytes.len())),
                PieceFrom::Computed => None,
            };
            match copied {
                Some(c) => v.push(c),
                None => v.push(Value::computed(bytes, at, taint.clone())),
            }
        }
        self.sh.status = Some(i32::from(out.status));
        v
    }
}

/// Values, each in a line of its own.
fn lines_of<'v>(values: impl Iterator<Item = &'v Value>, at: Place) -> Value {
    let mut out = Value::default();
    for v in values {
        out.push(v.clone());
        out.push(Value::computed(b"\n", at, Taint::default()));
    }
    out
}

/// A path of which the beginning is not known, without its last component.
fn above(path: &Value) -> Value {
    let mut out = path.clone();
    if let Some(Piece::Literal(l)) = out.pieces.last_mut() {
        let text = l.bytes.strip_suffix(b"/").unwrap_or(&l.bytes);
        let end = text.iter().rposition(|b| *b == b'/').unwrap_or(0);
        l.bytes = Bytes::from_slice(text.get(..end).unwrap_or_default());
        l.exact = false;
    }
    out
}

/// The transform by which an invocation packs.
fn packer(inv: &Invocation) -> Option<&'static str> {
    match inv.makes {
        crate::command::Stdout::Transform(name) => Some(name),
        _ => None,
    }
}

/// The operands that are no files, in order.
fn inv_args(inv: &Invocation) -> Vec<Value> {
    let is_file = |v: &Value| {
        inv.uses.iter().any(|u| {
            u.option.is_none()
                && matches!(u.role, Role::PathRead | Role::PathUpdate | Role::PathArchive)
                && u.value.place() == v.place()
                && u.value == *v
        })
    };
    inv.operands.iter().filter(|v| !is_file(v)).cloned().collect()
}

/// True for names that were listed in some place.
fn is_listed(v: &Value) -> bool {
    matches!(v.pieces.as_slice(), [Piece::Unknown(u)] if matches!(u.why, Why::Near(_)))
}

/// Whether a text stands in another.
fn find(text: &[u8], part: &[u8]) -> bool {
    memchr::memmem::find(text, part).is_some()
}

fn reads(inv: &Invocation) -> bool {
    !matches!(inv.stdin, crate::command::Stdin::Ignored)
}

fn all_known(values: &[Value]) -> Option<Vec<std::borrow::Cow<'_, [u8]>>> {
    values.iter().map(Value::as_literal).collect()
}

/// Part of a known value, with the places that it has.
fn slice(v: &Value, off: usize, len: usize) -> Option<Value> {
    let (_, tail) = v.split_at(off);
    let (head, _) = tail.split_at(len);
    (head.as_literal()?.len() == len).then_some(head)
}
