//! Operations on descriptors, connections and what they carry.
//!
//! In: an operation and what it is given. Out: [`Data`]; descriptors that became connections.

use super::super::result::received;
use super::super::{Data, Interp, Run};
use super::Given;
use crate::effect::Language;
use crate::effect::graph::Reach;
use crate::eval::nested::Env;
use crate::value::{Taint, Value, Why};

impl Interp<'_> {
    /// Operations on what is read and connected.
    pub(super) fn on_streams(&mut self, run: &mut Run, op: &str, given: &Given<'_>) -> Option<Data> {
        let (all, at) = (given.all, given.at);
        match op {
            // `a.pipe(b)`: what comes out of one goes into the other (a connection into a process).
            "pipe" => {
                let to = all.get(1)?;
                let words = to.runs();
                if let (Some(e), false) = (self.peer_of(&given.first()?), words.is_empty()) {
                    let parent = self.parent.replace(run.by);
                    self.capture(|me| {
                        me.connect_input(Some(e));
                        me.run_words(words, at, None, &[], false);
                    });
                    self.parent = parent;
                } else if words.is_empty() {
                    let content = self.held(&given.first()?, at);
                    self.pour(run, content, to, at);
                }
                Some(to.clone())
            }
            // Text for those who watch the program.
            "complain" => {
                let mut text = Value::default();
                all.iter().for_each(|d| text.push(d.value(at)));
                text.push(Value::computed(b"\n", at, Taint::default()));
                self.emit(2, text);
                Some(Data::Null)
            }
            // `stream.on('data', f)`: what comes out of the thing goes to the function
            "listen" => {
                let object = given.first()?;
                let got = match (&object, object.effect()) {
                    (Data::Bound(..) | Data::Object(_), Some(e)) => match object.content() {
                        Some(c) => Data::Text(c),
                        None => Data::Text(received(e, at)),
                    },
                    _ => Data::unknown("event", at, given.taint.clone()),
                };
                if let Some(f @ Data::Function(..)) = all.last().cloned() {
                    self.perhaps(run, |me, run| me.apply(run, f, vec![(None, got)], at));
                }
                Some(object)
            }
            "home" => Some(Data::Text(Value::unknown(Why::Home(String::new()), at))),
            // One of the process's own descriptors becomes the thing (`STDIN->fdopen($s, "r")`, `$stdin.reopen(s)`).
            "reopen" => {
                let fd = u32::try_from(given.first()?.number()?).ok()?;
                let e = self.peer_of(all.get(1)?)?;
                self.sh.set_fd(fd, crate::eval::scope::End::Socket(e));
                Some(Data::Null)
            }
            // All that a handle gives, as one text.
            "contents" => match given.first()? {
                Data::Number(0) => Some(Data::Text(self.standard_input(run, at))),
                Data::Number(n) => Some(Data::Text(self.read_all(u32::try_from(n).ok()?)?)),
                d => match (d.content(), d.effect()) {
                    (Some(c), _) => Some(Data::Text(c)),
                    (None, Some(e)) => Some(Data::Text(received(e, at))),
                    (None, None) => None,
                },
            },
            // `<>` of perl: the arguments as the script left them, or standard input. A name with a bar is a command.
            "argv" => {
                let names = match run.get("@ARGV").cloned() {
                    Some(Data::List(l)) if !l.is_empty() => l,
                    Some(Data::Map(m)) => m.into_iter().map(|(_, v)| v).collect(),
                    Some(d @ Data::Text(_)) => vec![d],
                    _ => {
                        let v = self.standard_input(run, at);
                        return Some(crate::eval::script::text::lines(&v, at));
                    }
                };
                let mut whole = Value::default();
                for d in names.into_iter().take(16) {
                    let name = d.value(at);
                    let text = name.as_str().map(|s| s.trim().to_string()).unwrap_or_default();
                    whole.push(match text.strip_suffix('|').or_else(|| text.strip_prefix('|')) {
                        Some(command) => {
                            let code = Value::computed(command.as_bytes(), at, name.taint());
                            let by = run.by;
                            self.capture(|me| {
                                me.evaluate(Language::Sh, code, Reach::Argument, by, at, Env::Fresh(None, None));
                            })
                        }
                        None => self.read_file(&name, run.by, at).0,
                    });
                }
                Some(crate::eval::script::text::lines(&whole, at))
            }
            // The lines of a handle, a descriptor or a connection.
            "readline" => {
                let v = match given.first()? {
                    Data::Number(0) => self.standard_input(run, at),
                    Data::Number(n) => self.read_all(u32::try_from(n).ok()?)?,
                    d @ (Data::Object(_) | Data::Bound(..)) => match (d.content(), d.effect()) {
                        (Some(c), _) => c,
                        (None, Some(e)) => received(e, at),
                        (None, None) => return None,
                    },
                    d => d.value(at),
                };
                Some(crate::eval::script::text::lines(&v, at))
            }
            // The names that a pattern matches, as that pattern.
            "glob" => {
                let mut v = given.first()?.value(at);
                if given.positions.0 == 1 {
                    self.expand_tilde(&mut v);
                }
                let mut out = Value::default();
                for p in v.pieces {
                    match p {
                        crate::value::Piece::Literal(l) => {
                            crate::eval::expand::glob_literal(&l, &mut |p| out.push_piece(p));
                        }
                        other => out.push_piece(other),
                    }
                }
                Some(Data::Text(out))
            }
            // What lies in a directory, as the pattern of its names: with the directory, or the names alone.
            "entries" | "entries.names" => {
                let place = all.get(given.positions.0).map(|d| d.value(at)).filter(|_| op == "entries");
                let place = place.unwrap_or_default();
                let pattern =
                    given.text(1).filter(|p| p.contains('*')).map_or("*".to_string(), |p| p.replace("**/", ""));
                let mut out = place;
                if !out.pieces.is_empty() && !out.as_literal().is_some_and(|b| b.ends_with(b"/")) {
                    out.push(Value::computed(b"/", at, Taint::default()));
                }
                for p in Value::computed(pattern.as_bytes(), at, given.taint.clone()).pieces {
                    match p {
                        crate::value::Piece::Literal(l) => {
                            crate::eval::expand::glob_literal(&l, &mut |p| out.push_piece(p));
                        }
                        other => out.push_piece(other),
                    }
                }
                Some(Data::Text(out))
            }
            // The number of a connection's descriptor.
            "fd" => match given.first()? {
                Data::Object(o) => {
                    let fd = o.try_borrow().ok()?.fd;
                    Some(fd.map_or(Data::Object(o), |n| Data::Number(i64::from(n))))
                }
                d => d.number().map(Data::Number),
            },
            // `sockaddr_in(port, address)` as (host, port)
            "address" => Some(Data::List(vec![all.get(1)?.clone(), given.first()?])),
            // `process.stdin.on('data', f)`
            "stdin.listen" => {
                let got = self.standard_input(run, at);
                let f = all.last().cloned()?;
                if matches!(f, Data::Function(..)) {
                    self.perhaps(run, |me, run| me.apply(run, f, vec![(None, Data::Text(got))], at));
                }
                Some(Data::Null)
            }
            // What the process reads on its standard input.
            "stdin" => Some(Data::Text(self.standard_input(run, at))),
            "dup" => {
                // A descriptor of the process becomes the connection (dup2).
                let effect = match given.first()? {
                    Data::Object(o) => o.try_borrow().ok().and_then(|o| o.effect),
                    _ => None,
                }?;
                let n = all.get(1).and_then(Data::number).and_then(|n| u32::try_from(n).ok());
                for fd in n.map_or(0..3, |n| n..n.saturating_add(1)) {
                    self.sh.set_fd(fd, crate::eval::scope::End::Socket(effect));
                }
                Some(Data::Null)
            }
            _ => None,
        }
    }
}
