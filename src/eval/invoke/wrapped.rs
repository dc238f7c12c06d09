//! Commands that run commands: the words they put together, once or once an item.
//!
//! In: a use that is a command, and the items (standard input, a listing, operands). Out: the commands, each run as one.

use super::super::nested::Env;
use super::super::scope::{Content, End};
use super::super::{Flow, Interp};
use super::Work;
use crate::command::{Invocation, Role, Stdin, Use};
use crate::effect::graph::Reach;
use crate::effect::{EffectId, Language, Object, ProcessId, Props, Verb};
use crate::limits;
use crate::source::Place;
use crate::value::{Channel, Glob, Piece, Taint, Value, Why};

impl Interp<'_> {
    /// A command that this one runs.
    #[expect(clippy::too_many_arguments, reason = "all of them are the one invocation")]
    pub(super) fn wrapped(
        &mut self,
        u: &Use,
        inv: &Invocation,
        by: ProcessId,
        at: Place,
        w: &Work,
        socket: Option<EffectId>,
        functions: bool,
    ) -> Flow {
        let mut words = u.words.clone();
        if u.role == Role::CommandString && words.is_empty() {
            words = super::super::nested::quoted_words(&u.value).unwrap_or_else(|| self.split_string(&u.value));
            // `env -S 'a b' c`: the operands follow the words of the string.
            if u.option.is_some() {
                words.extend(inv.uses.iter().filter(|o| is_operand_command(o)).flat_map(|o| o.words.clone()));
            }
        }
        let mut env = Vec::new();
        // NAME=value words before the command are handed over as uses of their own.
        for e in inv.uses.iter().filter(|e| e.role == Role::EnvAssign) {
            if let Some(text) = e.value.as_str()
                && let Some((n, v)) = text.split_once('=')
            {
                env.push((
                    n.to_string(),
                    Value::computed(v.as_bytes(), e.value.place(), e.value.taint()),
                    e.value.place(),
                ));
            }
        }
        let input = match inv.stdin {
            // A file of items takes the place of standard input.
            Stdin::Args if w.read => Some(w.content.clone()),
            Stdin::Args | Stdin::CommandList => {
                w.stdin.clone().or_else(|| Some(Self::many_words(Why::Stdin, at, Taint::default())))
            }
            _ => None,
        };
        let lists = words.iter().position(|x| x.as_str().is_some_and(|s| u.sources.contains(&&*s)));
        let known = input.as_ref().is_some_and(|v| !v.pieces.is_empty() && v.is_known());
        if lists.is_some() || (inv.stdin == Stdin::CommandList && known) {
            let composed = self.composed(u, &words, lists, input, at);
            let id = self.effect(Verb::Spawn, Object::Command(words.clone()), by, at);
            self.amend(id, |e| e.props = e.props.with(u.props));
            for code in composed {
                self.within((u, by), inv, socket, |me| {
                    me.evaluate(Language::Sh, code, Reach::Stdin, by, at, Env::Fresh(None, None));
                });
            }
            return Flow::Next;
        }
        let placeholder = u.placeholder.clone();
        let mut runs: Vec<Vec<Value>> = Vec::new();
        match (&placeholder, input) {
            (Some(mark), input) => {
                let items: Vec<Value> = match input {
                    Some(v) => self.lines(&v),
                    None => vec![self.found(inv, at)],
                };
                let absent =
                    u.append && !words.iter().any(|w| w.show().as_bytes().windows(mark.len()).any(|x| x == mark));
                for item in items.into_iter().take(limits::MAX_TURNS as usize) {
                    let mut run: Vec<Value> = words.iter().map(|x| replace_mark(x, mark, &item)).collect();
                    if absent {
                        run.push(item);
                    }
                    runs.push(run);
                }
                if runs.is_empty() {
                    runs.push(words);
                }
            }
            (None, Some(v)) => {
                let mut more = self.appended(inv, &v);
                if inv.stdin == Stdin::CommandList && words.is_empty() {
                    // Each line is a command of its own.
                    let mut code = v;
                    code.step(Channel::Pipe);
                    self.within((u, by), inv, socket, |me| {
                        me.evaluate(Language::Sh, code, Reach::Stdin, by, at, Env::Fresh(None, None));
                    });
                    return Flow::Next;
                }
                words.append(&mut more);
                runs.push(words);
            }
            (None, None) => runs.push(words),
        }
        let mut flow = Flow::Next;
        // Builtins that run a command of this very shell keep its state; every other wrapper starts a process.
        let same_shell = functions && matches!(inv.builtin, Some("command" | "builtin"));
        let saved_parent = self.parent;
        if self.wrappers >= limits::MAX_WRAPPERS {
            self.limit("commands that run commands", at);
            self.parent = saved_parent;
            return Flow::Next;
        }
        self.wrappers = self.wrappers.saturating_add(1);
        for argv in runs {
            if argv.is_empty() {
                continue;
            }
            let place = argv.iter().map(Value::place).reduce(Place::to).unwrap_or(at);
            let place = if place.text == at.text && at.span.contains(place.span) { place } else { at };
            self.parent = Some(by);
            let id = self.effect(Verb::Spawn, Object::Command(argv.clone()), by, place);
            self.amend(id, |e| e.props = e.props.with(u.props));
            let mut taint = Taint::default();
            argv.first().into_iter().for_each(|v| taint.join(&v.taint()));
            self.flow(id, &taint);
            self.surround(inv, at);
            self.within((u, by), inv, socket, |me| {
                if same_shell {
                    me.skip_functions = true;
                    flow = me.run_words(argv, place, None, &env, true);
                } else {
                    let chdir = inv.uses.iter().find(|x| x.role == Role::PathChdir).map(|x| x.value.clone());
                    let status = me.subshell(|me| {
                        if let Some(d) = chdir {
                            me.change_dir(&d);
                        }
                        // A process of its own knows no functions; a shell that it becomes knows those handed to it.
                        me.sh.functions = me.sh.exported_functions();
                        me.skip_functions = true;
                        me.run_words(argv, place, None, &env, true);
                    });
                    me.sh.status = status;
                }
            });
        }
        self.wrappers = self.wrappers.saturating_sub(1);
        self.parent = saved_parent;
        flow
    }

    /// What `{}` stands for: names below the places that the invocation lists.
    pub(super) fn found(&mut self, inv: &Invocation, at: Place) -> Value {
        let mut out: Option<Value> = None;
        for u in inv.uses.iter().filter(|u| u.role == Role::PathList).take(limits::MAX_READINGS) {
            let mut v = u.value.clone();
            if !v.prefix().ends_with(b"/") {
                v.push(Value::computed(b"/", u.value.place(), Taint::default()));
            }
            v.push_piece(Piece::Glob(Glob::Star, u.value.place()));
            out = Some(match out {
                None => v,
                Some(o) => Value::either(o, v),
            });
        }
        if out.is_none() && inv.operands.is_empty() {
            return below_here(at);
        }
        out.unwrap_or_else(|| Value::unknown(Why::Output(inv.name.clone()), at))
    }

    /// What a listing prints: names at or below the places that it lists. What a pattern chooses is not the whole of
    /// them, and says nothing.
    pub(crate) fn listed(&mut self, inv: &Invocation, at: Place) -> Value {
        let unknown = || Value::unknown(Why::Output(inv.name.clone()), at);
        if inv.props.has(Props::FILTERED) {
            return unknown();
        }
        let mut out: Option<Value> = None;
        let places = || inv.uses.iter().filter(|u| u.role == Role::PathList);
        for u in places().take(limits::MAX_READINGS) {
            let mut place = u.value.clone();
            if u.props.has(Props::RECURSIVE) && !place.pieces.iter().any(|p| matches!(p, Piece::Glob(..))) {
                if !place.prefix().ends_with(b"/") {
                    place.push(Value::computed(b"/", at, Taint::default()));
                }
                // What a test leaves a little out of is told from everything by the form of its pattern.
                let star = match inv.props.has(Props::NEARLY_ALL) {
                    true => Glob::Ext(crate::value::Bytes::from_slice(b"*")),
                    false => Glob::Star,
                };
                place.push_piece(Piece::Glob(star, u.value.place()));
            }
            let v = place.near(at).unwrap_or_else(unknown);
            out = Some(match out {
                None => v,
                Some(o) => Value::either(o, v),
            });
        }
        if out.is_none() && inv.operands.is_empty() {
            out = below_here(at).near(at);
        }
        splitting(out.unwrap_or_else(unknown))
    }

    /// The words that text on standard input becomes: split at blanks, unless an option says at what else, or the text
    /// itself has NULs in it.
    pub(super) fn appended(&mut self, inv: &Invocation, v: &Value) -> Vec<Value> {
        let said =
            inv.uses.iter().find(|u| u.role == Role::Delimiter).map(|u| u.value.as_literal().map(|b| b.into_owned()));
        let nul = || v.pieces.iter().any(|p| matches!(p, Piece::Literal(l) if l.bytes.contains(&0)));
        match said {
            Some(d) => match d.as_deref() {
                Some([b'\\', b'n'] | [b'\n']) => self.items(v, b'\n'),
                Some([b'\\', b't']) => self.items(v, b'\t'),
                Some([b'\\', b'0', ..]) => self.items(v, 0),
                Some([one]) => self.items(v, *one),
                _ => vec![Self::many_words(Why::NotComputed("items"), v.place(), v.taint())],
            },
            None if nul() => self.items(v, 0),
            None => self.split_string(v),
        }
    }

    /// Text split at blanks, as xargs and `command.string` do (quotes hold words together).
    pub(crate) fn split_string(&mut self, v: &Value) -> Vec<Value> {
        let mut out = Vec::new();
        let mut runs = Vec::new();
        for p in &v.pieces {
            runs.push(super::super::expand::Run::Piece(p.clone(), super::super::expand::Mode::Expanded));
        }
        let noglob = std::mem::replace(&mut self.sh.opts.noglob, true);
        let ifs = self.sh.vars.clone();
        self.sh.set("IFS", Content::Unset);
        let no_split = std::mem::replace(&mut self.sh.opts.no_split, false);
        self.split(runs, &mut out);
        self.sh.opts.no_split = no_split;
        self.sh.vars = ifs;
        self.sh.opts.noglob = noglob;
        out
    }

    /// The lines of a value.
    pub(crate) fn lines(&mut self, v: &Value) -> Vec<Value> {
        self.items(v, b'\n')
    }

    /// What stands between the delimiters of a value.
    pub(super) fn items(&mut self, v: &Value, delimiter: u8) -> Vec<Value> {
        let End::Input(i) = self.new_input(v.clone()) else { return Vec::new() };
        let fd = 250;
        self.sh.set_fd(fd, End::Input(i));
        let mut out = Vec::new();
        while out.len() < limits::MAX_TURNS as usize {
            match self.read_line(fd, delimiter) {
                Ok(Some(l)) => out.push(l),
                Ok(None) => break,
                Err(l) => {
                    if !l.pieces.is_empty() {
                        out.push(l);
                    }
                    break;
                }
            }
        }
        self.sh.fds.retain(|(n, _)| *n != fd);
        out
    }
}

/// A value that may be several words.
pub(crate) fn splitting(mut v: Value) -> Value {
    if let [Piece::Unknown(u)] = v.pieces.as_mut_slice() {
        u.splits = true;
    }
    v
}

/// Everything in the working directory, which programs that list take where no place is named.
pub(super) fn below_here(at: Place) -> Value {
    let mut here = Value::computed(b"./", at, Taint::default());
    here.push_piece(Piece::Glob(Glob::Star, at));
    here
}

/// Replaces every occurrence of a placeholder in a word.
pub(crate) fn replace_mark(word: &Value, mark: &[u8], with: &Value) -> Value {
    if mark.is_empty() {
        return word.clone();
    }
    let mut out = Value::default();
    for p in &word.pieces {
        let Piece::Literal(l) = p else {
            out.push_piece(p.clone());
            continue;
        };
        let mut rest: &[u8] = &l.bytes;
        let mut any = false;
        while let Some(i) = rest.windows(mark.len()).position(|w| w == mark) {
            any = true;
            let (head, tail) = rest.split_at(i);
            if !head.is_empty() {
                out.push(Value::computed(head, l.from, l.taint.clone()));
            }
            out.push(with.clone());
            rest = tail.get(mark.len()..).unwrap_or(&[]);
        }
        if !any {
            out.push_piece(p.clone());
        } else if !rest.is_empty() {
            out.push(Value::computed(rest, l.from, l.taint.clone()));
        }
    }
    out
}

/// A command that stands in the operands.
pub(super) fn is_operand_command(u: &Use) -> bool {
    u.role == Role::Command && u.option.is_none()
}

/// An option whose text is the beginning of a command.
pub(super) fn is_string_option(u: &Use) -> bool {
    u.role == Role::CommandString && u.option.is_some()
}
