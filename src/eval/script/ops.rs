//! What calls give: the computed operations that languages share, by the names that `grammars/languages` uses.
//!
//! In: an operation's name, its object and arguments. Out: [`Data`]. What is not computed is unknown and keeps what it
//! came from. The operations are of no one language: which call of which language is which one is data.

use super::call::{Args, received, thing};
use super::data::Data;
use super::{Interp, Run, elements, same};
use crate::command::calls::CallFact;
use crate::effect::EffectId;
use crate::limits;
use crate::source::Place;
use crate::value::transform::{self, Call};
use crate::value::{Taint, Value, Why};

/// What the arguments of a call brought about.
#[derive(Clone, Debug, Default)]
pub(super) struct Outcome {
    /// What the call is a method of.
    pub(super) object: Option<Data>,
    /// A connection, fetch, opened file.
    pub(super) effect: Option<EffectId>,
    /// The file.
    pub(super) path: Option<Value>,
    /// Content that was read, or output that was captured.
    pub(super) content: Option<Value>,
    /// A host that waits for its port.
    pub(super) host: Option<Value>,
    /// The descriptor of the connection.
    pub(super) fd: Option<u32>,
    /// The words of what was run.
    pub(super) runs: Vec<Value>,
    /// The connection that is the standard input of what is run.
    pub(super) input: Option<EffectId>,
    /// The text that what is run reads.
    pub(super) text: Option<Value>,
    /// What evaluated code gave.
    pub(super) value: Option<Data>,
}

impl Interp<'_> {
    /// The result of a call with facts.
    pub(super) fn result(
        &mut self,
        run: &mut Run,
        name: &str,
        fact: &CallFact,
        out: Outcome,
        args: Args,
        at: Place,
    ) -> Data {
        let mut taint = out.object.as_ref().map(Data::taint).unwrap_or_default();
        args.iter().for_each(|(_, d)| taint.join(&d.taint()));
        if let Some(c) = &out.content {
            taint.join(&c.taint());
        }
        let unknown = Data::unknown("result of a call", at, taint.clone());
        let positional: Vec<Data> = args.iter().filter(|(n, _)| n.is_none()).map(|(_, d)| d.clone()).collect();
        let (kind, rest) = fact.result.split_once([' ', '.']).unwrap_or((fact.result, ""));
        match kind {
            "null" => Data::Null,
            "constant" => Data::unknown("text of the program's own", at, Taint::default()),
            "self" => out.object.unwrap_or(unknown),
            "arg" => rest.parse::<usize>().ok().and_then(|i| positional.get(i)).cloned().unwrap_or(unknown),
            "content" | "output" => match (out.content, &out.object) {
                (Some(c), _) => Data::Text(c),
                (None, Some(Data::Object(o))) => match o.try_borrow().ok().and_then(|o| o.content.clone()) {
                    Some(c) => Data::Text(c),
                    None => unknown,
                },
                _ => unknown,
            },
            // What it printed went where the program prints; it gives its status.
            "printed" => {
                if let Some(c) = out.content {
                    self.emit(1, c);
                }
                Data::unknown("exit status", at, Taint::default())
            }
            "fetched" => match out.effect {
                Some(e) => Data::Text(Value::unknown_tainted(Why::Network, at, Taint::of(e))),
                None => unknown,
            },
            "received" => match out.object.as_ref().or(positional.first()) {
                Some(Data::Object(o)) => match o.try_borrow().ok().and_then(|o| o.effect) {
                    Some(e) => Data::Text(received(e, at)),
                    None => unknown,
                },
                _ => unknown,
            },
            // A thing of a class: a connection, a file, a process, a response.
            "object" => {
                let content = out.content.or_else(|| {
                    let e = out.effect?;
                    let fetched = matches!(self.graph.effect(e).map(|e| e.verb), Some(crate::effect::Verb::Fetch));
                    fetched.then(|| Value::unknown_tainted(Why::Network, at, Taint::of(e)))
                });
                let made = thing(if rest.is_empty() { name } else { rest }, out.effect, out.path, content);
                if let Data::Object(o) = &made
                    && let Ok(mut o) = o.try_borrow_mut()
                {
                    o.runs = out.runs;
                    o.fd = out.fd;
                }
                made
            }
            // A connection that is opened on something that is there already.
            "connects" => {
                if let (Some(Data::Object(o)), Some(e)) = (&out.object, out.effect)
                    && let Ok(mut o) = o.try_borrow_mut()
                {
                    o.effect = Some(e);
                    o.fd = out.fd;
                }
                out.object.unwrap_or_else(|| thing("socket", out.effect, None, None))
            }
            // An opened file, or one of the process's own descriptors that becomes another (`open(STDIN, ">&S")`).
            "reopens" => match self.reopened(run, &positional, at) {
                Some(d) => d,
                None => {
                    let made = thing("file", out.effect, out.path, out.content);
                    if let Data::Object(o) = &made
                        && let Ok(mut o) = o.try_borrow_mut()
                    {
                        o.runs = out.runs;
                    }
                    made
                }
            },
            "path" => Data::Path(rest.to_string()),
            "value" => out.value.unwrap_or(unknown),
            "transform" => {
                let input = positional.first().cloned().or(out.object).unwrap_or(Data::Null);
                self.decoded(out.effect, transformed(rest, &input, at).unwrap_or(unknown), at)
            }
            "op" => {
                let d = self.operation(run, rest, out.object, &args, at).unwrap_or(unknown);
                self.decoded(out.effect, d, at)
            }
            _ => unknown,
        }
    }

    /// What a call gives that decodes: it comes from that.
    fn decoded(&self, effect: Option<EffectId>, d: Data, at: Place) -> Data {
        let decodes = |e: &EffectId| self.graph.effect(*e).is_some_and(|e| e.verb == crate::effect::Verb::Decode);
        let Some(e) = effect.filter(decodes) else { return d };
        let mut taint = d.taint();
        taint.join(&Taint::of(e));
        match &d {
            Data::Text(v) => match v.as_literal() {
                Some(b) => Data::Text(Value::computed(&b, at, taint)),
                None => Data::unknown("decoded text", at, taint),
            },
            _ => d,
        }
    }

    /// `open(STDIN, ">&S")`, `open(STDIN, "<&", $s)`: the handle becomes what the other one is.
    fn reopened(&mut self, run: &Run, all: &[Data], at: Place) -> Option<Data> {
        let mode = all.get(1)?.value(at);
        let text = String::from_utf8_lossy(&mode.prefix()).into_owned();
        let (_, name) = text.split_once('&')?;
        let source = match all.get(2) {
            Some(d) => d.clone(),
            None => match run.get(name.trim_start_matches('=').trim()) {
                Some(d) => d.clone(),
                None => Data::Text(mode),
            },
        };
        if let (Some(e), Some(Data::Number(n))) = (self.peer_of(&source), all.first())
            && let Ok(fd) = u32::try_from(*n)
        {
            self.sh.set_fd(fd, super::super::scope::End::Socket(e));
        }
        Some(source)
    }

    /// An operation by its name.
    fn operation(&mut self, run: &mut Run, op: &str, object: Option<Data>, args: &Args, at: Place) -> Option<Data> {
        let mut all: Vec<Data> = object.into_iter().collect();
        all.extend(args.iter().filter(|(n, _)| n.is_none()).map(|(_, d)| d.clone()));
        let first = all.first().cloned();
        let text = |i: usize| -> Option<String> { all.get(i)?.value(at).as_str().map(|s| s.into_owned()) };
        let bytes = |i: usize| -> Option<Vec<u8>> { all.get(i)?.value(at).as_literal().map(|b| b.into_owned()) };
        let mut taint = Taint::default();
        all.iter().for_each(|d| taint.join(&d.taint()));
        self.spend(1 + bytes(0).map_or(0, |b| b.len() as u64 / 64));
        let made = |b: &[u8]| -> Option<Data> {
            (b.len() <= limits::MAX_VALUE).then(|| Data::Text(Value::computed(b, at, taint.clone())))
        };
        // `NAME NUMBER NUMBER`: the numbers are positions of arguments.
        let mut words = op.split(' ');
        let op = words.next().unwrap_or_default();
        let mut number = || words.next().and_then(|n| n.parse::<usize>().ok());
        let positions = (number().unwrap_or(0), number());
        if let Some(d) = self.more(run, op, positions, &all, args, at) {
            return Some(d);
        }
        match op {
            // The name of an attribute, module or function as text.
            "getattr" => {
                let name = text(1)?;
                let object = first?;
                Some(self.attribute(run, object, &name, at))
            }
            "import" => Some(Data::Path(text(0)?.trim_end_matches(".js").trim_start_matches("node:").to_string())),
            "name" => {
                let name = text(if all.len() > 1 && matches!(first, Some(Data::Path(_))) { 1 } else { 0 })?;
                Some(self.name(run, &name))
            }
            "send" => {
                let name = text(1)?;
                let object = first?;
                let callee = match object {
                    Data::Path(_) => self.attribute(run, object, &name, at),
                    other => Data::Bound(Box::new(other), name),
                };
                let rest = all.into_iter().skip(2).map(|d| (None, d)).collect();
                Some(self.apply(run, callee, rest, at))
            }
            "call" => {
                let callee = first?;
                let rest = all.into_iter().skip(1).map(|d| (None, d)).collect();
                Some(self.apply(run, callee, rest, at))
            }
            // `a.pipe(b)`: what comes out of one goes into the other (a connection into a process).
            "pipe" => {
                let to = all.get(1)?;
                let words = to.runs();
                if let (Some(e), false) = (self.peer_of(&first?), words.is_empty()) {
                    let parent = self.parent.replace(run.by);
                    self.capture(|me| {
                        me.connect_input(Some(e));
                        me.run_words(words, at, None, &[], false);
                    });
                    self.parent = parent;
                }
                Some(to.clone())
            }
            // `f.call(this, a)`, `f.apply(this, [a])`, `Reflect.apply(f, this, [a])`
            "method.call" => {
                let rest = all.into_iter().skip(2).map(|d| (None, d)).collect();
                Some(self.apply(run, first?, rest, at))
            }
            "method.apply" | "reflect.construct" => {
                let at_list = if op == "method.apply" { 2 } else { 1 };
                let (rest, _) = all.get(at_list).cloned().map_or((Vec::new(), true), |l| elements(l, at));
                Some(self.apply(run, first?, rest.into_iter().map(|d| (None, d)).collect(), at))
            }
            // `stream.on('data', f)`: what comes out of the thing goes to the function
            "listen" => {
                let object = first?;
                let got = match (&object, object.effect()) {
                    (Data::Bound(..) | Data::Object(_), Some(e)) => match object.content() {
                        Some(c) => Data::Text(c),
                        None => Data::Text(received(e, at)),
                    },
                    _ => Data::unknown("event", at, taint.clone()),
                };
                if let Some(f @ Data::Function(..)) = all.last().cloned() {
                    self.perhaps(run, |me, run| me.apply(run, f, vec![(None, got)], at));
                }
                Some(object)
            }
            // Text of a thing, a number in a base, bytes in an encoding.
            "text" => match (first?, all.get(1)) {
                (Data::Number(n), Some(base)) => {
                    let base = u32::try_from(base.number()?).ok().filter(|b| (2..=36).contains(b))?;
                    made(radix(n, base)?.as_bytes())
                }
                (d @ Data::Object(_), _) if d.content().is_none() => Some(d),
                (Data::List(l), _) if l.iter().all(|d| matches!(d, Data::Number(_))) => {
                    let b: Option<Vec<u8>> = l.iter().map(|d| u8::try_from(d.number()?).ok()).collect();
                    made(&b?)
                }
                (Data::List(l), _) => {
                    let comma = Value::computed(b",", at, Taint::default());
                    Some(Data::Text(join(&l, &comma, at)))
                }
                (d, encoding) => match encoding.and_then(|e| e.value(at).as_str().map(|s| s.into_owned())).as_deref() {
                    Some("base64" | "base64url") => transformed("base64 -w0", &Data::Text(d.value(at)), at),
                    Some("hex") => {
                        let hex: String = d.value(at).as_literal()?.iter().map(|b| format!("{b:02x}")).collect();
                        made(hex.as_bytes())
                    }
                    _ => Some(Data::Text(d.value(at))),
                },
            },
            "at" => {
                let n = all.get(1).map_or(Some(0), Data::number)?;
                let (items, known) = elements(first?, at);
                let i = if n < 0 { i64::try_from(items.len()).ok()?.checked_add(n)? } else { n };
                if known { usize::try_from(i).ok().and_then(|i| items.get(i).cloned()) } else { None }
            }
            "array" => {
                let (items, known) = elements(first?, at);
                if !known {
                    return None;
                }
                match all.get(1).cloned() {
                    Some(f) => {
                        let items = items.into_iter().take(1_024);
                        Some(Data::List(items.map(|i| self.apply(run, f.clone(), vec![(None, i)], at)).collect()))
                    }
                    None => Some(Data::List(items)),
                }
            }
            // `%41%20`
            "unpercent" => made(&unpercent(&bytes(0)?)),
            // Parts of a path; one that begins with `/` begins anew.
            "path" => {
                let mut v = Value::default();
                for d in &all {
                    let part = d.value(at);
                    if part.prefix().starts_with(b"/") {
                        v = Value::default();
                    } else if !v.pieces.is_empty() && !v.as_literal().is_some_and(|b| b.ends_with(b"/")) {
                        v.push(Value::computed(b"/", at, Taint::default()));
                    }
                    v.push(part);
                }
                Some(Data::Text(v))
            }
            "home" => Some(Data::Text(Value::unknown(Why::Home(String::new()), at))),
            // One of the process's own descriptors becomes the thing (`STDIN->fdopen($s, "r")`, `$stdin.reopen(s)`).
            "reopen" => {
                let fd = u32::try_from(first?.number()?).ok()?;
                let e = self.peer_of(all.get(1)?)?;
                self.sh.set_fd(fd, super::super::scope::End::Socket(e));
                Some(Data::Null)
            }
            // All that a handle gives, as one text.
            "contents" => match first? {
                Data::Number(0) => Some(Data::Text(self.standard_input(run, at))),
                Data::Number(n) => Some(Data::Text(self.read_all(u32::try_from(n).ok()?)?)),
                d => match (d.content(), d.effect()) {
                    (Some(c), _) => Some(Data::Text(c)),
                    (None, Some(e)) => Some(Data::Text(received(e, at))),
                    (None, None) => None,
                },
            },
            // The lines of a handle, a descriptor or a connection.
            "readline" => {
                let v = match first? {
                    Data::Number(0) => self.standard_input(run, at),
                    Data::Number(n) => self.read_all(u32::try_from(n).ok()?)?,
                    d @ (Data::Object(_) | Data::Bound(..)) => match (d.content(), d.effect()) {
                        (Some(c), _) => c,
                        (None, Some(e)) => received(e, at),
                        (None, None) => return None,
                    },
                    d => d.value(at),
                };
                match v.as_str() {
                    Some(s) => {
                        let line = |l: &str| Data::Text(Value::computed(l.as_bytes(), at, v.taint()));
                        Some(Data::List(s.split_inclusive('\n').take(4_096).map(line).collect()))
                    }
                    None => Some(Data::Text(v)),
                }
            }
            // A number as written in a base of its own (`hex "41"`, `oct "0x41"`).
            "number" => {
                let t = text(0)?;
                let t = t.trim().to_ascii_lowercase();
                let n = match t.strip_prefix("0x").or_else(|| t.strip_prefix('x')) {
                    Some(h) => i64::from_str_radix(h, 16),
                    None => i64::from_str_radix(&t, 16),
                };
                n.ok().map(Data::Number)
            }
            // The names that a pattern matches, as that pattern.
            "glob" => {
                let v = first?.value(at);
                let mut out = Value::default();
                for p in v.pieces {
                    match p {
                        crate::value::Piece::Literal(l) => {
                            super::super::expand::glob_literal(&l, &mut |p| out.push_piece(p));
                        }
                        other => out.push_piece(other),
                    }
                }
                Some(Data::Text(out))
            }
            // The number of a connection's descriptor.
            "fd" => match first? {
                Data::Object(o) => {
                    let fd = o.try_borrow().ok()?.fd;
                    Some(fd.map_or(Data::Object(o), |n| Data::Number(i64::from(n))))
                }
                d => d.number().map(Data::Number),
            },
            // `list << x`, `list.push(x)`: a new list; text gets longer, a file gets the text.
            "push" => match first? {
                Data::List(mut l) => {
                    l.extend(all.into_iter().skip(1));
                    Some(Data::List(l))
                }
                Data::Text(mut v) => {
                    all.iter().skip(1).for_each(|d| v.push(d.value(at)));
                    Some(Data::Text(v))
                }
                d => Some(d),
            },
            // `[65, 66].pack('C*')`
            "packed" => {
                let swapped: Args = vec![(None, all.get(1)?.clone()), (None, first?)];
                self.operation(run, "pack", None, &swapped, at)
            }
            // `text.unpack1('m0')`
            "unpacked" | "unpacked.list" => {
                let d = match text(1)?.as_str() {
                    "m" | "m0" => transformed("base64 -d", &first?, at)?,
                    "H*" => {
                        let hex: String = bytes(0)?.iter().map(|b| format!("{b:02x}")).collect();
                        made(hex.as_bytes())?
                    }
                    _ => return None,
                };
                Some(if op == "unpacked" { d } else { Data::List(vec![d]) })
            }
            // `explode(SEP, TEXT)`, `str_replace(FROM, TO, TEXT)`: the text last
            "explode" | "replaced" => {
                let (subject, rest) = all.split_last()?;
                let turned = std::iter::once(subject).chain(rest).map(|d| (None, d.clone())).collect();
                self.operation(run, if op == "explode" { "split" } else { "replace" }, None, &turned, at)
            }
            "hexdump" => {
                let hex: String = bytes(0)?.iter().map(|b| format!("{b:02x}")).collect();
                made(hex.as_bytes())
            }
            // Deflate without a header (`gzinflate`)
            "inflate" => {
                let packed = bytes(0)?;
                let mut out = Vec::new();
                let limit = u64::try_from(limits::MAX_VALUE).unwrap_or(u64::MAX);
                let mut reader = std::io::Read::take(flate2::read::DeflateDecoder::new(packed.as_slice()), limit);
                std::io::Read::read_to_end(&mut reader, &mut out).ok()?;
                made(&out)
            }
            // Bytes as text: the last argument that holds any; wide text has two bytes a character.
            "decoded" => all.into_iter().find(|d| !matches!(d, Data::Object(_) | Data::Path(_))),
            "decoded.wide" => {
                let b = all.last()?.value(at).as_literal()?.into_owned();
                let units: Vec<u16> =
                    b.chunks_exact(2).filter_map(|p| Some(u16::from_le_bytes([*p.first()?, *p.get(1)?]))).collect();
                made(String::from_utf16_lossy(&units).as_bytes())
            }
            // Known text split at blanks; anything else as it is.
            "blanks" => match text(0) {
                Some(t) => {
                    let part = |s: &str| Data::Text(Value::computed(s.as_bytes(), at, taint.clone()));
                    Some(Data::List(t.split_whitespace().map(part).collect()))
                }
                None => first,
            },
            // `1..3`, `'a'..'e'`
            "inclusive" => {
                let (a, b) = (first?, all.get(1)?);
                if let (Some(a), Some(b)) = (a.number(), b.number()) {
                    return Some(Data::List((a..=b).take(4_096).map(Data::Number).collect()));
                }
                let (a, b) = (a.value(at).as_str()?.chars().next()?, b.value(at).as_str()?.chars().next()?);
                let one = |c: char| Data::Text(Value::computed(c.to_string().as_bytes(), at, Taint::default()));
                Some(Data::List((a..=b).take(4_096).map(one).collect()))
            }
            // `sockaddr_in(port, address)` as (host, port)
            "address" => Some(Data::List(vec![all.get(1)?.clone(), first?])),
            // `join SEP, LIST`
            "joined" => {
                let (sep, rest) = all.split_first()?;
                let mut items = Vec::new();
                for d in rest {
                    match d {
                        Data::List(l) => items.extend(l.iter().cloned()),
                        other => items.push(other.clone()),
                    }
                }
                Some(Data::Text(join(&items, &sep.value(at), at)))
            }
            // `p.then(f)`: what the function makes of the object
            "then" => {
                let f = all.get(1)?.clone();
                Some(self.apply(run, f, vec![(None, first?)], at))
            }
            // `new Function('a', 'b', 'return a + b')`: the last is the body
            "function" => {
                let (body, params) = all.split_last()?;
                let params = params.iter().filter_map(|p| p.value(at).as_str().map(|s| s.into_owned())).collect();
                Some(self.function_of(run, params, &body.value(at), at))
            }
            // `load(code, name)`: the first is the body
            "chunk" => Some(self.function_of(run, Vec::new(), &first?.value(at), at)),
            // `Thread(target=f, args=(a, b))`: a function, and its arguments as a list.
            "apply" => {
                let named = |n: &str| args.iter().find(|(m, _)| m.as_deref() == Some(n)).map(|(_, d)| d.clone());
                let callable = |d: &&Data| matches!(d, Data::Path(_) | Data::Function(..) | Data::Bound(..));
                let place = all.iter().position(|d| callable(&d) || matches!(d, Data::Text(v) if v.is_known()));
                let callee = named("target").or_else(|| place.and_then(|i| all.get(i)).cloned())?;
                let list = named("args").or_else(|| all.iter().rfind(|d| matches!(d, Data::List(_))).cloned());
                let rest = match list {
                    Some(Data::List(l)) => l.into_iter().map(|d| (None, d)).collect(),
                    _ => match place {
                        Some(i) => all.into_iter().skip(i.saturating_add(1)).map(|d| (None, d)).collect(),
                        None => Vec::new(),
                    },
                };
                Some(self.apply(run, callee, rest, at))
            }
            // `reduce(f, list)`, `list.reduce(f)`: what the function makes of all elements, two at a time.
            "reduce" => {
                let place = all.iter().position(|d| !matches!(d, Data::List(_) | Data::Text(_)))?;
                let f = all.get(place)?.clone();
                let list = all.iter().find(|d| matches!(d, Data::List(_)))?.clone();
                let (items, _) = elements(list, at);
                let begin = if place == 0 { all.get(2) } else { all.get(place.saturating_add(1)) };
                let mut items = begin.cloned().into_iter().chain(items.into_iter().take(1_024));
                let mut sum = items.next()?;
                for i in items {
                    sum = self.apply(run, f.clone(), vec![(None, sum), (None, i)], at);
                }
                Some(sum)
            }
            // A function with some of its arguments: what is called with the others.
            "bind" => {
                let mut all = all.into_iter();
                let callee = all.next()?;
                let given = all.skip(positions.0).map(|d| (None, d)).collect();
                Some(Data::Partial(Box::new(callee), given))
            }
            // `process.stdin.on('data', f)`
            "stdin.listen" => {
                let got = self.standard_input(run, at);
                let f = all.last().cloned()?;
                if matches!(f, Data::Function(..)) {
                    self.perhaps(run, |me, run| me.apply(run, f, vec![(None, Data::Text(got))], at));
                }
                Some(Data::Null)
            }
            // A map as a thing of a class (`bless {…}, 'A'`, `setmetatable({…}, A)`).
            "object" => {
                let class = match all.get(1) {
                    Some(Data::Path(p)) => p.clone(),
                    Some(Data::Map(_) | Data::List(_)) => String::new(),
                    Some(d) => d.value(at).as_str()?.replace("::", "."),
                    None => run.class_now()?,
                };
                // What a table of methods holds may be called without being named.
                if let Some(Data::Map(m)) = all.get(1) {
                    m.iter().for_each(|(_, d)| run.hold(d));
                }
                let made = Data::object(&class);
                if let (Data::Object(o), Some(Data::Map(m))) = (&made, &first)
                    && let Ok(mut o) = o.try_borrow_mut()
                {
                    let field = |(k, v): &(Data, Data)| Some((k.value(at).as_str()?.into_owned(), v.clone()));
                    o.fields = m.iter().filter_map(field).take(256).collect();
                }
                Some(made)
            }
            // A value from its text in JSON.
            "json" => super::text::json(&text(0)?, at, &taint),
            // `enumerate(list)`, `ipairs(list)`: pairs of a number and an element; of a map its keys and values.
            "enumerate" => Some(Data::List(match first? {
                Data::Map(m) => m.into_iter().map(|(k, v)| Data::List(vec![k, v])).collect(),
                other => {
                    let (items, known) = elements(other, at);
                    if !known {
                        return None;
                    }
                    let numbered = items.into_iter().zip(i64::try_from(positions.0).unwrap_or(0)..);
                    numbered.map(|(d, i)| Data::List(vec![Data::Number(i), d])).collect()
                }
            })),
            "zip" => {
                let lists: Vec<Vec<Data>> = all.iter().map(|d| elements(d.clone(), at).0).collect();
                let n = lists.iter().map(Vec::len).min()?;
                let row = |i: usize| Data::List(lists.iter().filter_map(|l| l.get(i).cloned()).collect());
                Some(Data::List((0..n.min(4_096)).map(row).collect()))
            }
            // A pattern's matches replaced: `re.sub(PATTERN, WITH, TEXT)`, `text.gsub(PATTERN, WITH)`.
            "sub" if run.language == crate::effect::Language::Lua && text(1)?.contains('%') => None,
            "sub" => {
                let order = if positions == (0, None) { [1, 2, 0] } else { [0, 1, 2] };
                let [pattern, with, subject] = order.map(&text);
                // Without a `g` among given flags it is the first match alone.
                let once = text(3).is_some_and(|f| !f.contains('g'));
                made(super::text::substituted(&subject?, &pattern?, &with?, once)?.as_bytes())
            }
            // awk's `$2`, and `split(text, array, separator)`: parts count from one; without a separator blanks part.
            "field" => {
                let parts = super::text::parts(&text(0)?, text(1).as_deref())?;
                let n = usize::try_from(all.get(2)?.number()?).ok()?;
                made(parts.get(n.checked_sub(1)?).map_or(&b""[..], |p| p.as_bytes()))
            }
            "fields" => {
                let separator =
                    text(2).or_else(|| run.get("FS").and_then(|d| d.value(at).as_str().map(|s| s.into_owned())));
                let parts = super::text::parts(&text(0)?, separator.as_deref())?;
                let one = |(i, p): (usize, &String)| {
                    let key = Data::Number(i64::try_from(i).unwrap_or(0).saturating_add(1));
                    (key, Data::Text(Value::computed(p.as_bytes(), at, taint.clone())))
                };
                Some(Data::Map(parts.iter().enumerate().take(4_096).map(one).collect()))
            }
            // `text =~ /pattern/`: its groups are `$1`, `$2` …
            "match" => {
                let groups = super::text::matched(&text(0)?, &text(1)?)?;
                for (i, g) in groups.iter().enumerate() {
                    let name = if i == 0 { "$&".to_string() } else { format!("${i}") };
                    run.set(&name, Data::Text(Value::computed(g.as_bytes(), at, taint.clone())));
                }
                Some(Data::Bool(true))
            }
            // `/a/g`: the pattern, and how it is used
            "regexp" => {
                let made = Data::object("regexp");
                if let Data::Object(o) = &made
                    && let Ok(mut o) = o.try_borrow_mut()
                {
                    let value = |i: usize| all.get(i).cloned().unwrap_or(Data::Text(Value::default()));
                    o.fields = vec![("source".into(), value(0)), ("flags".into(), value(1))];
                }
                Some(made)
            }
            // A whole number as bytes, the high one first.
            "bytes" => made(&super::text::wide_bytes(first?, &all, at)?),
            // What the process reads on its standard input.
            "stdin" => Some(Data::Text(self.standard_input(run, at))),
            "map" => {
                let f = first?;
                let (items, _) = elements(all.get(1)?.clone(), at);
                let items = items.into_iter().take(1_024);
                Some(Data::List(items.map(|i| self.apply(run, f.clone(), vec![(None, i)], at)).collect()))
            }
            "method.map" => {
                let (items, _) = elements(first?, at);
                let f = all.get(1)?.clone();
                let items = items.into_iter().take(1_024);
                Some(Data::List(items.map(|i| self.apply(run, f.clone(), vec![(None, i)], at)).collect()))
            }
            "dup" => {
                // A descriptor of the process becomes the connection (dup2).
                let effect = match first? {
                    Data::Object(o) => o.try_borrow().ok().and_then(|o| o.effect),
                    _ => None,
                }?;
                let n = all.get(1).and_then(Data::number).and_then(|n| u32::try_from(n).ok());
                for fd in n.map_or(0..3, |n| n..n.saturating_add(1)) {
                    self.sh.set_fd(fd, super::super::scope::End::Socket(effect));
                }
                Some(Data::Null)
            }
            "exit" => {
                run.left = true;
                Some(Data::Null)
            }
            "get" => {
                let key = all.get(1)?;
                match first? {
                    Data::Map(m) => Some(
                        m.iter()
                            .find(|(k, _)| same(k, key))
                            .map(|(_, v)| v.clone())
                            .or_else(|| all.get(2).cloned())
                            .unwrap_or(Data::Null),
                    ),
                    _ => None,
                }
            }
            "environ" => {
                let name = text(all.len().checked_sub(1)?.min(1)).or_else(|| text(0))?;
                let v = self.variable(&name, at).unwrap_or_default();
                Some(Data::Text(v))
            }
            "str" => match first.unwrap_or(Data::Null) {
                Data::Object(o) => Some(Data::Object(o)),
                Data::List(l) if l.iter().all(|d| matches!(d, Data::Number(_))) => {
                    let b: Vec<u8> = l.iter().filter_map(|d| d.number().and_then(|n| u8::try_from(n).ok())).collect();
                    made(&b)
                }
                d => Some(Data::Text(d.value(at))),
            },
            "int" => {
                let base = all.get(1).and_then(Data::number).and_then(|n| u32::try_from(n).ok()).unwrap_or(10);
                let t = text(0)?;
                let t = t.trim();
                let digits = t.trim_start_matches("0x").trim_start_matches("0X");
                let base = if digits.len() < t.len() || base == 0 { 16 } else { base };
                (2..=36).contains(&base).then(|| i64::from_str_radix(digits, base).ok()).flatten().map(Data::Number)
            }
            "chr" => {
                let mut s = String::new();
                for d in &all {
                    match d {
                        Data::List(l) => l
                            .iter()
                            .for_each(|d| s.extend(d.number().and_then(|n| char::from_u32(u32::try_from(n).ok()?)))),
                        d => s.push(char::from_u32(u32::try_from(d.number()?).ok()?)?),
                    }
                }
                made(s.as_bytes())
            }
            "ord" => Some(Data::Number(i64::from(u32::from(text(0)?.chars().next()?)))),
            "hex" => {
                Some(Data::Text(Value::computed(format!("0x{:x}", first?.number()?).as_bytes(), at, taint.clone())))
            }
            "unhex" => made(&unhex(&text(0)?)?),
            "len" => Some(Data::Number(match first? {
                Data::List(l) => i64::try_from(l.len()).ok()?,
                Data::Map(m) => i64::try_from(m.len()).ok()?,
                d => i64::try_from(d.value(at).as_str()?.chars().count()).ok()?,
            })),
            "range" => {
                let n: Vec<i64> = all.iter().filter_map(Data::number).collect();
                let (a, b, step) = match n.as_slice() {
                    [b] => (0, *b, 1),
                    [a, b] => (*a, *b, 1),
                    [a, b, s, ..] => (*a, *b, *s),
                    [] => return None,
                };
                if step == 0 {
                    return None;
                }
                let mut out = Vec::new();
                let mut i = a;
                while (step > 0 && i < b || step < 0 && i > b) && out.len() < 4_096 {
                    out.push(Data::Number(i));
                    i = i.checked_add(step)?;
                }
                Some(Data::List(out))
            }
            "list" => Some(match first.unwrap_or(Data::List(Vec::new())) {
                Data::Text(v) if v.is_known() => Data::List(elements(Data::Text(v), at).0),
                Data::Map(m) => Data::List(m.into_iter().map(|(k, _)| k).collect()),
                d => d,
            }),
            "items" => match first? {
                Data::Map(m) => Some(Data::List(m.into_iter().map(|(k, v)| Data::List(vec![k, v])).collect())),
                _ => None,
            },
            "list.of" => Some(Data::List(all)),
            "values" => match first? {
                Data::Map(m) => Some(Data::List(m.into_iter().map(|(_, v)| v).collect())),
                _ => None,
            },
            // `sep.join(list)` and `list.join(sep)`
            "join" => {
                let (sep, list) = match (all.first()?, all.get(1)) {
                    (Data::List(l), sep) => (sep.map(|s| s.value(at)).unwrap_or_default(), l.clone()),
                    (sep, Some(Data::List(l))) => (sep.value(at), l.clone()),
                    (sep, Some(Data::Text(t))) => (sep.value(at), elements(Data::Text(t.clone()), at).0),
                    _ => return None,
                };
                Some(Data::Text(join(&list, &sep, at)))
            }
            "concat" => {
                let mut v = Value::default();
                all.iter().for_each(|d| v.push(d.value(at)));
                Some(Data::Text(v))
            }
            "format" => {
                let f = text(0)?;
                Some(Data::Text(format_braces(&f, &all, args, at)))
            }
            "sprintf" => {
                let words: Vec<Value> = all.iter().map(|d| d.value(at)).collect();
                Some(Data::Text(transform::printf_values(&words, at, transform::Flavour::Bash).0))
            }
            "replace" if matches!(all.get(1), Some(Data::Object(_))) => {
                let Some(Data::Object(o)) = all.get(1) else { return None };
                let o = o.try_borrow().ok()?;
                let field = |name: &str| o.fields.iter().find(|(n, _)| n == name).map(|(_, d)| d.value(at));
                let (source, flags) = (field("source")?, field("flags")?);
                let mut source = source.as_str()?.into_owned();
                let flags = flags.as_str()?.into_owned();
                if flags.contains('i') {
                    source.insert_str(0, "(?i)");
                }
                made(super::text::substituted(&text(0)?, &source, &text(2)?, !flags.contains('g'))?.as_bytes())
            }
            "replace" => {
                let (from, to) = (bytes(1)?, bytes(2)?);
                if from.is_empty() {
                    return None;
                }
                let s = bytes(0)?;
                made(&replace(&s, &from, &to))
            }
            "translate" => {
                let (s, from, to) = (text(0)?, text(1)?, text(2)?);
                let (f, t): (Vec<char>, Vec<char>) = (from.chars().collect(), to.chars().collect());
                let out: String = s
                    .chars()
                    .map(|c| f.iter().position(|x| *x == c).and_then(|i| t.get(i)).copied().unwrap_or(c))
                    .collect();
                made(out.as_bytes())
            }
            "lower" => made(text(0)?.to_lowercase().as_bytes()),
            "upper" => made(text(0)?.to_uppercase().as_bytes()),
            "strip" => {
                let t = text(0)?;
                match text(1) {
                    Some(set) => made(t.trim_matches(|c| set.contains(c)).as_bytes()),
                    None => made(t.trim().as_bytes()),
                }
            }
            "reverse" => match first? {
                Data::List(mut l) => {
                    l.reverse();
                    Some(Data::List(l))
                }
                d => made(d.value(at).as_str()?.chars().rev().collect::<String>().as_bytes()),
            },
            "split" => {
                let t = text(0)?;
                let parts: Vec<String> = match text(1) {
                    Some(sep) if sep.is_empty() => t.chars().map(|c| c.to_string()).collect(),
                    Some(sep) => t.split(sep.as_str()).map(str::to_string).collect(),
                    None => t.split_whitespace().map(str::to_string).collect(),
                };
                let part = |s: &String| Data::Text(Value::computed(s.as_bytes(), at, taint.clone()));
                Some(Data::List(parts.iter().take(4_096).map(part).collect()))
            }
            "repeat" => {
                let n = usize::try_from(all.get(1)?.number()?).ok()?;
                let s = bytes(0)?;
                (s.len().saturating_mul(n) <= limits::MAX_VALUE).then(|| made(&s.repeat(n))).flatten()
            }
            "substr" => {
                let s = text(0)?;
                let start = all.get(1)?.number()?;
                let n = i64::try_from(s.chars().count()).ok()?;
                let start = if start < 0 { n.checked_add(start)?.max(0) } else { start };
                let len = match all.get(2).and_then(Data::number) {
                    Some(l) if l < 0 => n.checked_add(l)?.checked_sub(start)?.max(0),
                    Some(l) => l,
                    None => n,
                };
                let (a, l) = (usize::try_from(start).ok()?, usize::try_from(len).ok()?);
                made(s.chars().skip(a).take(l).collect::<String>().as_bytes())
            }
            // `[start, end)` by position (slice, substring)
            "slice" => {
                let object = first?;
                Some(slice(object, all.get(1).cloned(), all.get(2).cloned(), None, at))
            }
            // Text in an encoding named by the second argument; without one it stays as it is.
            "decode" => match text(1).as_deref() {
                None => match first? {
                    Data::List(l) if l.iter().all(|d| matches!(d, Data::Number(_))) => {
                        let b: Option<Vec<u8>> = l.iter().map(|d| u8::try_from(d.number()?).ok()).collect();
                        made(&b?)
                    }
                    d => Some(d),
                },
                Some("hex" | "hex_codec") => made(&unhex(&text(0)?)?),
                Some("base64" | "base64_codec" | "b64") => transformed("base64 -d", &first?, at),
                Some("rot13" | "rot_13" | "rot-13") => made(&rot13(&bytes(0)?)),
                Some("zlib" | "zlib_codec" | "zip") => transformed("zlib.decode", &first?, at),
                Some("bz2" | "bz2_codec") => transformed("bzip2.decode", &first?, at),
                Some(_) => first,
            },
            "rot13" => made(&rot13(&bytes(0)?)),
            // pack('H*', hex), and what is like it
            "pack" => match text(0)?.as_str() {
                "H*" => made(&unhex(&text(1)?)?),
                "C*" | "c*" | "U*" => {
                    let items = match all.get(1)? {
                        Data::List(l) => l.clone(),
                        _ => all.iter().skip(1).cloned().collect(),
                    };
                    let b: Option<Vec<u8>> = items.iter().map(|d| u8::try_from(d.number()?).ok()).collect();
                    made(&b?)
                }
                "m" | "m0" => transformed("base64 -d", all.get(1)?, at),
                _ => None,
            },
            _ => None,
        }
    }
}

/// Changes a list or map; gives what the call gives.
pub(super) fn change(op: &str, object: &mut Data, mut args: Vec<Data>, at: Place) -> Data {
    let mut taint = object.taint();
    args.iter().for_each(|d| taint.join(&d.taint()));
    match (op, &mut *object) {
        ("append", Data::List(l)) if l.len().saturating_add(args.len()) <= 65_536 => l.append(&mut args),
        ("prepend", Data::List(l)) if l.len().saturating_add(args.len()) <= 65_536 => {
            args.append(l);
            *l = args;
        }
        ("extend", Data::List(l)) => match args.into_iter().next().map(|d| elements(d, at)) {
            Some((mut items, true)) if l.len().saturating_add(items.len()) <= 65_536 => l.append(&mut items),
            _ => *object = Data::unknown("list", at, taint),
        },
        ("insert", Data::List(l)) => {
            let place = args.first().and_then(Data::number).and_then(|n| usize::try_from(n).ok());
            match (place, args.pop()) {
                (Some(i), Some(d)) if l.len() <= 65_536 => l.insert(i.min(l.len()), d),
                _ => *object = Data::unknown("list", at, taint),
            }
        }
        ("pop", Data::List(l)) if args.is_empty() => return l.pop().unwrap_or(Data::Null),
        ("shift", Data::List(l)) => return if l.is_empty() { Data::Null } else { l.remove(0) },
        ("pop", Data::List(l)) => match args.first().and_then(Data::number).and_then(|n| usize::try_from(n).ok()) {
            Some(i) if i < l.len() => return l.remove(i),
            _ => *object = Data::unknown("list", at, taint),
        },
        ("reverse", Data::List(l)) => {
            l.reverse();
            return object.clone();
        }
        ("clear", Data::List(l)) => l.clear(),
        ("clear", Data::Map(m)) => m.clear(),
        ("update", Data::Map(m)) => match args.pop() {
            Some(Data::Map(new)) if m.len().saturating_add(new.len()) <= 4_096 => {
                for (k, v) in new {
                    m.retain(|(x, _)| !same(x, &k));
                    m.push((k, v));
                }
            }
            _ => *object = Data::unknown("map", at, taint),
        },
        // What it holds afterwards is not worked out.
        _ => {
            *object = Data::unknown("changed list", at, taint.clone());
            return Data::unknown("element", at, taint);
        }
    }
    Data::Null
}

/// A value through a transform, `NAME OPTION…`.
fn transformed(spec: &str, input: &Data, at: Place) -> Option<Data> {
    let mut words = spec.split(' ');
    let name = words.next()?;
    let options: Vec<(&str, Option<&[u8]>)> = words.map(|o| (o, None)).collect();
    let v = input.value(at);
    let bytes = v.as_literal()?;
    let out = transform::run(name, &Call { options: &options, stdin: &bytes, ..Call::default() }).ok()?;
    Some(Data::Text(Value::computed(&out.bytes, at, v.taint())))
}

fn join(list: &[Data], sep: &Value, at: Place) -> Value {
    let mut v = Value::default();
    for (i, d) in list.iter().enumerate() {
        if i > 0 && !sep.pieces.is_empty() {
            v.push(sep.clone());
        }
        v.push(d.value(at));
    }
    v
}

/// `'{} {x} {0}'.format(…)`
fn format_braces(f: &str, all: &[Data], args: &Args, at: Place) -> Value {
    let mut v = Value::default();
    let mut next = 1usize;
    let mut rest = f;
    while let Some(i) = rest.find(['{', '}']) {
        let (head, tail) = rest.split_at(i);
        let mut push = |s: &str| v.push(Value::computed(s.as_bytes(), at, Taint::default()));
        push(head);
        if tail.starts_with("{{") || tail.starts_with("}}") {
            push(tail.get(..1).unwrap_or_default());
            rest = tail.get(2..).unwrap_or_default();
            continue;
        }
        let Some(end) = tail.find('}') else {
            push(tail);
            rest = "";
            break;
        };
        let field = tail.get(1..end).unwrap_or_default();
        let name = field.split([':', '!']).next().unwrap_or_default();
        let d = if name.is_empty() {
            next = next.saturating_add(1);
            all.get(next.saturating_sub(1)).cloned()
        } else if let Ok(n) = name.parse::<usize>() {
            all.get(n.saturating_add(1)).cloned()
        } else {
            args.iter().find(|(n, _)| n.as_deref() == Some(name)).map(|(_, d)| d.clone())
        };
        v.push(d.map(|d| d.value(at)).unwrap_or_else(|| Value::unknown(Why::NotComputed("format field"), at)));
        rest = tail.get(end.saturating_add(1)..).unwrap_or_default();
    }
    v.push(Value::computed(rest.as_bytes(), at, Taint::default()));
    v
}

fn replace(s: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(s.len());
    let mut rest = s;
    while let Some(i) = rest.windows(from.len()).position(|w| w == from) {
        out.extend_from_slice(rest.get(..i).unwrap_or(&[]));
        out.extend_from_slice(to);
        rest = rest.get(i.saturating_add(from.len())..).unwrap_or(&[]);
        if out.len() > limits::MAX_VALUE {
            return out;
        }
    }
    out.extend_from_slice(rest);
    out
}

/// A whole number in a base, as digits and small letters.
fn radix(n: i64, base: u32) -> Option<String> {
    let mut rest = n.unsigned_abs();
    let mut out = Vec::new();
    loop {
        let digit = u32::try_from(rest.checked_rem(u64::from(base))?).ok()?;
        out.push(char::from_digit(digit, base)?);
        rest = rest.checked_div(u64::from(base))?;
        if rest == 0 {
            break;
        }
    }
    if n < 0 {
        out.push('-');
    }
    Some(out.into_iter().rev().collect())
}

fn unpercent(s: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(s.len());
    let mut rest = s;
    while let Some((first, tail)) = rest.split_first() {
        let hex = tail.get(..2).and_then(|h| std::str::from_utf8(h).ok()).and_then(|h| u8::from_str_radix(h, 16).ok());
        match hex {
            Some(b) if *first == b'%' => {
                out.push(b);
                rest = tail.get(2..).unwrap_or(&[]);
            }
            _ => {
                out.push(*first);
                rest = tail;
            }
        }
    }
    out
}

fn unhex(s: &str) -> Option<Vec<u8>> {
    let digits: Vec<u32> = s.chars().filter(|c| !c.is_whitespace()).map(|c| c.to_digit(16)).collect::<Option<_>>()?;
    if digits.len() % 2 == 1 {
        return None;
    }
    digits.chunks_exact(2).map(|p| u8::try_from(p.first()?.checked_mul(16)?.checked_add(*p.get(1)?)?).ok()).collect()
}

fn rot13(b: &[u8]) -> Vec<u8> {
    let turn = |c: u8, base: u8| base.wrapping_add(c.wrapping_sub(base).wrapping_add(13) % 26);
    b.iter()
        .map(|c| match c {
            b'a'..=b'z' => turn(*c, b'a'),
            b'A'..=b'Z' => turn(*c, b'A'),
            other => *other,
        })
        .collect()
}

/// `object[start:end:step]`
pub(super) fn slice(object: Data, start: Option<Data>, end: Option<Data>, step: Option<Data>, at: Place) -> Data {
    let taint = object.taint();
    let unknown = Data::unknown("slice", at, taint.clone());
    let number = |d: &Option<Data>| match d {
        None | Some(Data::Null) => Some(None),
        Some(d) => d.number().map(Some),
    };
    let (Some(start), Some(end), Some(step)) = (number(&start), number(&end), number(&step)) else { return unknown };
    let step = step.unwrap_or(1);
    let (items, text): (Vec<Data>, bool) = match object {
        Data::List(l) => (l, false),
        Data::Text(v) if v.is_known() => (elements(Data::Text(v), at).0, true),
        _ => return unknown,
    };
    let Ok(n) = i64::try_from(items.len()) else { return unknown };
    let place = |v: i64| if v < 0 { n.saturating_add(v).max(0) } else { v.min(n) };
    let mut picked = Vec::new();
    if step > 0 {
        let (a, b) = (start.map_or(0, place), end.map_or(n, place));
        let mut i = a;
        while i < b {
            picked.extend(usize::try_from(i).ok().and_then(|i| items.get(i)).cloned());
            i = i.saturating_add(step);
        }
    } else if step < 0 {
        let a = start.map_or(n.saturating_sub(1), |v| place(v).min(n.saturating_sub(1)));
        let b = end.map_or(-1, place);
        let mut i = a;
        while i > b {
            picked.extend(usize::try_from(i).ok().and_then(|i| items.get(i)).cloned());
            i = i.saturating_add(step);
        }
    }
    if !text {
        return Data::List(picked);
    }
    let mut out = Vec::new();
    for d in picked {
        if let Some(b) = d.value(at).as_literal() {
            out.extend_from_slice(&b);
        }
    }
    Data::Text(Value::computed(&out, at, taint))
}

/// Most parts of a text that is not known as a whole.
const MAX_PARTS: usize = 64;

/// An operator over what is known.
pub(super) fn operator(op: &str, parts: &[Data], at: Place) -> Data {
    let mut taint = Taint::default();
    parts.iter().for_each(|d| taint.join(&d.taint()));
    let unknown = Data::unknown("operator", at, taint.clone());
    match (op, parts) {
        ("not" | "!", [a]) => a.truth().map_or(unknown, |t| Data::Bool(!t)),
        ("and" | "&&", [a, b]) => match a.truth() {
            Some(true) => b.clone(),
            Some(false) => a.clone(),
            None => unknown,
        },
        ("or" | "||" | "//" | "??", [a, b]) if op != "//" || a.number().is_none() || matches!(a, Data::Text(_)) => {
            match a.truth() {
                Some(true) => a.clone(),
                Some(false) => b.clone(),
                None => Data::either(a.clone(), b.clone(), at),
            }
        }
        ("==" | "===" | "eq" | "is", [a, b]) => equal(a, b).map_or(unknown, Data::Bool),
        ("!=" | "!==" | "ne", [a, b]) => equal(a, b).map_or(unknown, |t| Data::Bool(!t)),
        ("+", [a, rest @ .., b]) if !rest.is_empty() => {
            let mut sum = a.clone();
            for d in rest.iter().chain([b]) {
                sum = add(sum, d, at);
            }
            sum
        }
        ("in" | "not in", [a, b]) => contains(a, b).map_or(unknown, |t| Data::Bool(t == (op == "in"))),
        ("~", [a]) => a.number().map_or(unknown, |n| Data::Number(!n)),
        ("*", [Data::List(a), Data::Number(n)]) => match usize::try_from(*n).unwrap_or(0) {
            n if n.saturating_mul(a.len()) <= 65_536 => {
                Data::List(std::iter::repeat_n(a, n).flatten().cloned().collect())
            }
            _ => unknown,
        },
        ("+", [Data::List(a), Data::List(b)]) => Data::List(a.iter().chain(b).cloned().collect()),
        ("+", [Data::Number(a), Data::Number(b)]) => Data::Number(a.wrapping_add(*b)),
        ("-", [Data::Number(a)]) => Data::Number(a.wrapping_neg()),
        ("+" | "." | "..", [a, b]) => {
            let mut v = a.value(at);
            v.push(b.value(at));
            // A text that grows in a loop by what is not known: its parts say no more than its whole.
            if v.pieces.len() > MAX_PARTS && !v.is_known() { unknown } else { Data::Text(v) }
        }
        ("*" | "x", [Data::Text(a), b]) => match (a.as_literal(), b.number().and_then(|n| usize::try_from(n).ok())) {
            (Some(s), Some(n)) if s.len().saturating_mul(n) <= limits::MAX_VALUE => {
                Data::Text(Value::computed(&s.repeat(n), at, taint))
            }
            _ => unknown,
        },
        ("%", [Data::Text(f), b]) => {
            let mut words = vec![f.clone()];
            words.extend(b.words(at));
            Data::Text(transform::printf_values(&words, at, transform::Flavour::Bash).0)
        }
        // Paths are joined by `/`.
        ("/", [Data::Text(a), b @ Data::Text(_)]) => {
            Data::Text(super::process::path(&[Data::Text(a.clone()), b.clone()], at))
        }
        (_, [a, b]) => match (a.number(), b.number()) {
            (Some(a), Some(b)) => number(op, a, b).unwrap_or(unknown),
            _ => unknown,
        },
        _ => unknown,
    }
}

/// Two texts bit by bit: `^` and `|` as long as the longer one, `&` as the shorter one.
pub(super) fn bitwise(op: &str, a: &Value, b: &Value, at: Place) -> Data {
    let mut taint = a.taint();
    taint.join(&b.taint());
    let (Some(x), Some(y)) = (a.as_literal(), b.as_literal()) else {
        return Data::unknown("operator", at, taint);
    };
    let length = if op == "&" { x.len().min(y.len()) } else { x.len().max(y.len()) };
    let byte = |t: &[u8], i: usize| t.get(i).copied().unwrap_or(0);
    let joined: Vec<u8> = (0..length)
        .map(|i| match op {
            "&" => byte(&x, i) & byte(&y, i),
            "|" => byte(&x, i) | byte(&y, i),
            _ => byte(&x, i) ^ byte(&y, i),
        })
        .collect();
    Data::Text(Value::computed(&joined, at, taint))
}

/// `a + b`, without copying what is there already where both are known text.
fn add(a: Data, b: &Data, at: Place) -> Data {
    match (a, b) {
        (Data::Text(mut x), Data::Text(y)) => {
            match (x.pieces.last_mut(), y.as_literal()) {
                (Some(crate::value::Piece::Literal(l)), Some(more))
                    if !l.exact && l.bytes.len().saturating_add(more.len()) <= limits::MAX_VALUE =>
                {
                    l.bytes.extend_from_slice(&more);
                    l.taint.join(&y.taint());
                }
                _ => x.push(y.clone()),
            }
            Data::Text(x)
        }
        (a, b) => operator("+", &[a, b.clone()], at),
    }
}

/// Whether `b` holds `a`, where both are known.
fn contains(a: &Data, b: &Data) -> Option<bool> {
    match (a, b) {
        (Data::Text(x), Data::Text(y)) => Some(y.as_str()?.contains(x.as_str()?.as_ref())),
        (a, Data::List(l)) if l.iter().any(|d| same(a, d)) => Some(true),
        (a, Data::List(l)) => l.iter().all(|d| equal(a, d) == Some(false)).then_some(false),
        (a, Data::Map(m)) if m.iter().any(|(d, _)| same(a, d)) => Some(true),
        _ => None,
    }
}

fn number(op: &str, a: i64, b: i64) -> Option<Data> {
    let shift = u32::try_from(b).ok();
    Some(Data::Number(match op {
        "-" => a.wrapping_sub(b),
        "*" => a.wrapping_mul(b),
        "/" | "//" => a.checked_div(b)?,
        "%" => a.checked_rem(b)?,
        "**" => a.checked_pow(u32::try_from(b).ok()?)?,
        "&" => a & b,
        "|" => a | b,
        "^" => a ^ b,
        "<<" => a.checked_shl(shift?)?,
        ">>" => a.checked_shr(shift?)?,
        "<" => return Some(Data::Bool(a < b)),
        ">" => return Some(Data::Bool(a > b)),
        "<=" => return Some(Data::Bool(a <= b)),
        ">=" => return Some(Data::Bool(a >= b)),
        _ => return None,
    }))
}

fn equal(a: &Data, b: &Data) -> Option<bool> {
    if same(a, b) {
        return Some(true);
    }
    match (a, b) {
        (Data::Text(x), Data::Text(y)) => (x.is_known() && y.is_known()).then_some(false),
        (Data::Number(_), Data::Number(_)) | (Data::Bool(_), Data::Bool(_)) => Some(false),
        _ => None,
    }
}
