//! Reading an argv by a grammar: options, sub-commands and operands are told apart, and every word gets a role.
//!
//! In: the words of a command, the command word first, each as far as it is known. Out: an [`Invocation`]. Pure. Words
//! that are not known are operands where they stand, with a doubt where an option could have changed what is done. It
//! does not expand sets ([`crate::value::Piece::OneOf`]): the caller reads each reading of an argv by itself. Floor 4;
//! imports `source`, `value`, `effect`.

use super::facts::{Facts, Given};
use super::grammar::model::{At, Grammar, Info, Level, Opt, Presence, Slot, Style, UnknownOption};
use super::options::{Found, Hit, takes_next, visible, word};
use super::uses::Builder;
use super::{ArgDoubt, Invocation, Role, Use, grammar, name};
use crate::effect::graph::DoubtKind;
use crate::effect::{Language, Verb};
use crate::source::Place;
use crate::value::{Piece, Taint, Value, Why};

/// Reads an argv by the grammar of its command word; without one, only name and words are kept.
pub fn read(argv: &[Value]) -> Invocation {
    read_in(None, argv)
}

/// As [`read`], in the shell of that language: cmdlets and aliases of that shell count, too.
pub fn read_in(shell: Option<Language>, argv: &[Value]) -> Invocation {
    let Some(first) = argv.first() else { return Invocation::default() };
    let command = name::of(first);
    let grammar = command.name.as_deref().and_then(|n| grammar::lookup_in(shell, n));
    read_named(grammar, &command, argv)
}

/// Reads an argv by a given grammar (one that was loaded at run time).
pub fn read_with(grammar: &'static Grammar, argv: &[Value]) -> Invocation {
    let Some(first) = argv.first() else { return Invocation::default() };
    read_named(Some(grammar), &name::of(first), argv)
}

/// What setting a variable for a program, or for every program where `grammar` is `None`, means: an [`Invocation`] with
/// uses, properties and stated effects only. `None` where no grammar knows the variable.
pub fn variable(grammar: Option<&'static Grammar>, name: &str, value: &Value) -> Option<Invocation> {
    static NONE: std::sync::LazyLock<Grammar> = std::sync::LazyLock::new(Grammar::default);
    let env = grammar::variable(grammar, name)?;
    let grammar = grammar.unwrap_or_else(|| &NONE);
    let scan = Scan::new(grammar, Invocation { name: name.to_owned(), ..Invocation::default() }, Vec::new());
    Some(Builder::new(scan).variable(env, value))
}

fn read_named(grammar: Option<&'static Grammar>, command: &name::Command, argv: &[Value]) -> Invocation {
    let place = argv.first().map(Value::place).unwrap_or_default();
    let mut inv = Invocation { name: command.name.clone().unwrap_or_default(), ..Invocation::default() };
    if let Some(path) = command.file.clone() {
        inv.uses.push(Use::new(Role::PathExec, path));
    }
    let Some(grammar) = grammar else {
        inv.operands = argv.get(1..).unwrap_or_default().to_vec();
        inv.doubts.push(match &command.name {
            Some(n) => ArgDoubt { kind: DoubtKind::UnknownProgram, detail: n.clone(), place },
            None => ArgDoubt {
                kind: DoubtKind::UnknownCommand,
                detail: argv.first().map(Value::show).unwrap_or_default(),
                place,
            },
        });
        return inv;
    };
    inv.grammar = grammar.names.first().copied();
    inv.behind = argv.len().saturating_sub(1);
    let mut s = Scan::new(grammar, inv, words(grammar, command, argv));
    s.run();
    Builder::new(s).finish()
}

/// The words after the command word, with those that an alias stands for before them.
fn words(grammar: &'static Grammar, command: &name::Command, argv: &[Value]) -> Vec<Value> {
    let own = argv.get(1..).unwrap_or_default().iter().cloned();
    let place = argv.first().map(Value::place).unwrap_or_default();
    let called = command.name.as_deref().unwrap_or_default();
    let alias = grammar.aliases.iter().find(|a| a.names.contains(&called));
    let implied = alias.into_iter().flat_map(|a| &a.args);
    implied.map(|w| Value::computed(w.as_bytes(), place, Taint::default())).chain(own).collect()
}

/// A command among the words.
#[derive(Debug)]
pub(super) struct Nested {
    /// What it is.
    pub slot: &'static Slot,
    /// The option it belongs to.
    pub option: Option<&'static str>,
    /// Its words.
    pub words: Vec<Value>,
    /// The index of its first word.
    pub index: usize,
}

/// The state of a reading: what [`Builder`] turns into the result.
#[derive(Debug)]
pub(super) struct Scan {
    /// The grammar.
    pub grammar: &'static Grammar,
    /// The level of the program, and of each sub-command taken.
    pub chain: Vec<&'static Level>,
    /// What is found.
    pub inv: Invocation,
    /// Options and operands.
    pub facts: Facts,
    /// The command that is an operand.
    pub command: Option<Nested>,
    /// The words after `--` where the grammar has an entry for them.
    pub dashes: Vec<(usize, Value)>,
    /// Uses that are certain already, with the index of their word.
    pub placed: Vec<(usize, Use)>,
    /// A sub-command may still come.
    sub_open: bool,
    /// Whether an option at that depth of sub-commands could do harm, once asked.
    harmful: Option<(usize, bool)>,
}

impl Scan {
    fn new(grammar: &'static Grammar, inv: Invocation, words: Vec<Value>) -> Self {
        Scan {
            grammar,
            chain: vec![&grammar.top],
            facts: Facts {
                name: inv.name.clone(),
                nocase: grammar.top.nocase,
                has_subs: !grammar.top.subs.is_empty(),
                argv: words,
                ..Facts::default()
            },
            inv,
            command: None,
            dashes: Vec::new(),
            placed: Vec::new(),
            sub_open: true,
            harmful: None,
        }
    }

    fn level(&self) -> &'static Level {
        // The chain starts with the program and only grows.
        self.chain.last().copied().unwrap_or(&self.grammar.top)
    }

    /// Notes a doubt.
    pub(super) fn doubt(&mut self, kind: DoubtKind, detail: String, place: Place) {
        self.inv.doubts.push(ArgDoubt { kind, detail, place });
    }

    fn run(&mut self) {
        let mut i = 0usize;
        // Set once no word is an option any more.
        let mut ended = false;
        while let Some(value) = self.facts.argv.get(i).cloned() {
            let next = i.saturating_add(1);
            let value = if ended { value } else { as_written(&self.chain, value) };
            let found = if ended { Found::Operand } else { word(&self.chain, &value, i == 0) };
            let (hits, unknown) = match found {
                Found::Dashes => {
                    ended = true;
                    self.facts.dashes = true;
                    if self.level().operands.iter().any(|o| o.at == At::Dashes) {
                        self.after_dashes(next);
                        return;
                    }
                    i = next;
                    continue;
                }
                Found::Operand => {
                    if !ended {
                        self.may_be_option(&value);
                    }
                    if !self.operand(i, value) {
                        return;
                    }
                    // A sub-command starts anew: `docker run` stops at the image, `docker` does not at `run`.
                    let taken = self.facts.operands.last().is_some_and(|(at, _)| *at == i);
                    ended = ended || (taken && !self.level().permute);
                    i = next;
                    continue;
                }
                Found::Options(hits) => (hits, None),
                Found::Undeclared(hits, rest) => (hits, Some((DoubtKind::UnknownOption, rest))),
                Found::Unknown(hits) => (hits, Some((DoubtKind::UnknownValue, value.show()))),
            };
            if let Some((kind, rest)) = unknown {
                let rule = self.level().unknown_option;
                if kind == DoubtKind::UnknownOption && rule == UnknownOption::Operand {
                    ended = true;
                    if !self.operand(i, value) {
                        return;
                    }
                    i = next;
                    continue;
                }
                if kind == DoubtKind::UnknownValue || rule == UnknownOption::Error {
                    self.doubt(kind, rest, value.place());
                }
                self.placed.push((i, Use::new(Role::Text, value.clone())));
            }
            let mut after = next;
            for hit in hits {
                ended |= hit.opt.stops;
                after = self.option(i, after, hit);
            }
            i = after;
        }
    }

    /// Notes a doubt for a word that is not known and could be an option of consequence.
    fn may_be_option(&mut self, value: &Value) {
        let open = value.prefix().is_empty() && !value.is_known();
        let glob = matches!(value.pieces.first(), Some(Piece::Glob(..)));
        let level = self.level();
        let sure = !open || glob || is_rooted(value) || level.style == Style::Raw;
        if sure {
            return;
        }
        let known = self.harmful.filter(|(depth, _)| *depth == self.chain.len());
        let harmful = known.map_or_else(|| visible(&self.chain).any(|o| consequential(level, o)), |(_, h)| h);
        self.harmful = Some((self.chain.len(), harmful));
        if harmful {
            self.doubt(DoubtKind::UnknownValue, format!("{} may be an option", value.show()), value.place());
        }
    }

    /// Takes an option with its values; gives the index of the word after it.
    fn option(&mut self, index: usize, mut after: usize, hit: Hit) -> usize {
        let opt = hit.opt;
        let mut values: Vec<Value> = Vec::new();
        let nested = command_slot(opt).filter(|s| self.facts.holds(&s.cond, None));
        if let (Some(slot), None) = (nested, &hit.attached) {
            let left = self.facts.argv.get(after..).unwrap_or_default();
            let ends = |w: &Value| w.as_str().is_some_and(|t| slot.until.contains(&t.as_ref()));
            let end = left.iter().position(ends);
            let n = end.unwrap_or(left.len());
            let words: Vec<Value> = left.iter().take(n).cloned().collect();
            let place = self.facts.argv.get(index).map(Value::place).unwrap_or_default();
            if end.is_none() && !slot.until.is_empty() {
                self.doubt(DoubtKind::UnknownValue, format!("no {} after the command", slot.until.join(" or ")), place);
            }
            if words.is_empty() {
                self.without_value(opt, place);
            }
            self.facts.give(Given { opt, values: words.first().cloned().into_iter().collect(), index });
            let option = opt.names.first().copied();
            Builder::nested(self, &Nested { slot, option, words, index });
            return after.saturating_add(n).saturating_add(usize::from(!slot.until.is_empty()));
        }
        values.extend(hit.attached);
        let wanted = match opt.presence {
            Presence::Required if opt.many => usize::MAX,
            Presence::Required => opt.words.len(),
            Presence::Attached => 0,
            Presence::Next => 1,
        };
        let strict = takes_next(opt) && !opt.many;
        while values.len() < wanted
            && let Some(w) = self.facts.argv.get(after)
        {
            // A required value is whatever comes next, even `-x`; the others stop at what looks like an option.
            let looks = w.prefix().starts_with(b"-") && w.as_literal().as_deref() != Some(b"-");
            if looks && !strict && !(opt.many && values.is_empty()) {
                break;
            }
            values.push(w.clone());
            after = after.saturating_add(1);
        }
        if strict && values.len() < wanted {
            let place = self.facts.argv.get(index).map(Value::place).unwrap_or_default();
            self.without_value(opt, place);
        }
        match opt.info {
            Info::Yes => self.inv.info = true,
            Info::First if index == 0 => self.inv.info = true,
            _ => {}
        }
        self.inv.simulated |= opt.simulate;
        self.facts.give(Given { opt, values, index });
        after
    }

    /// An option whose value is missing: what the program makes of it is not what the grammar says.
    fn without_value(&mut self, opt: &Opt, place: Place) {
        let name = opt.names.first().copied().unwrap_or_default();
        self.doubt(DoubtKind::UnknownOption, format!("{name} without a value"), place);
    }

    /// Takes an operand; false where it began a command, which takes all words after it.
    fn operand(&mut self, index: usize, value: Value) -> bool {
        let level = self.level();
        if self.sub_open && !level.subs.is_empty() {
            let count = (self.facts.operands.len() as u64).saturating_add(1);
            if count == level.sub_at {
                if self.sub(&value) {
                    self.inv.behind = self.facts.argv.len().saturating_sub(index.saturating_add(1));
                    return true;
                }
                self.sub_open = false;
                if level.operands.is_empty() {
                    let kind = if value.is_known() { DoubtKind::UnknownSubcommand } else { DoubtKind::UnknownValue };
                    self.doubt(kind, value.show(), value.place());
                }
            }
        }
        let nth = self.facts.operands.len();
        self.facts.operands.push((index, value));
        if let Some(slot) = self.command_at(nth) {
            let words = self.facts.argv.get(index..).unwrap_or_default().to_vec();
            let (assigned, words) = self.assignments(slot, index, words);
            // Assignments are no operands, the command's words are.
            self.facts.operands.pop();
            let start = index.saturating_add(assigned);
            self.facts.operands.extend(words.iter().enumerate().map(|(k, w)| (start.saturating_add(k), w.clone())));
            if !words.is_empty() {
                self.command = Some(Nested { slot, option: None, words, index: start });
            }
            return false;
        }
        true
    }

    /// Goes into a sub-command.
    fn sub(&mut self, value: &Value) -> bool {
        let level = self.level();
        let Some(text) = value.as_str() else { return false };
        let exact = level.subs.find(text.as_bytes(), level.nocase);
        let sub = exact.or_else(|| {
            if !level.sub_prefix || text.is_empty() {
                return None;
            }
            // Programs that take beginnings give the first in their own order where several fit.
            level.subs.beginning(text.as_bytes(), false).next()
        });
        let Some(sub) = sub else { return false };
        self.inv.subs.extend(sub.names.first());
        self.facts.subs = self.facts.subs.saturating_add(1);
        self.chain.push(&sub.level);
        true
    }

    /// The slot of the operand with that number, where it begins a command.
    fn command_at(&self, nth: usize) -> Option<&'static Slot> {
        let level = self.level();
        if level.multicall && nth == 0 {
            static MULTICALL: std::sync::LazyLock<Slot> =
                std::sync::LazyLock::new(|| Slot { role: Role::Command, ..Slot::default() });
            return Some(&MULTICALL);
        }
        let slots = |s: &Slot| s.role == Role::Command || s.join;
        if !level.operands.iter().flat_map(|o| &o.word.either).any(slots) {
            return None;
        }
        let value = self.facts.operands.get(nth).map(|(_, v)| v);
        let mut front = 0usize;
        for o in level.operands.iter().filter(|o| self.facts.holds(&o.cond, value)) {
            match o.at {
                At::First if front < nth => front = front.saturating_add(1),
                At::First | At::Rest => {
                    return o.word.either.iter().find(|s| self.facts.holds(&s.cond, value)).filter(|s| slots(s));
                }
                At::Last | At::Dashes => {}
            }
        }
        None
    }

    /// Takes the assignments before a command; gives how many words they were, and the words left.
    fn assignments(&mut self, slot: &Slot, index: usize, mut words: Vec<Value>) -> (usize, Vec<Value>) {
        let mut n = 0usize;
        while slot.assignments
            && let Some(w) = words.get(n)
            && w.prefix().iter().position(|b| *b == b'=').is_some_and(|at| at > 0)
        {
            self.placed.push((index.saturating_add(n), Use::new(Role::EnvAssign, w.clone())));
            n = n.saturating_add(1);
        }
        (n, words.split_off(n.min(words.len())))
    }

    /// The words after `--`, where the grammar has an entry for them.
    fn after_dashes(&mut self, start: usize) {
        let words = self.facts.argv.get(start..).unwrap_or_default().to_vec();
        let entry = self.level().operands.iter().find(|o| o.at == At::Dashes && self.facts.holds(&o.cond, None));
        let slot = entry.and_then(|o| o.word.either.iter().find(|s| self.facts.holds(&s.cond, words.first())));
        if let Some(slot) = slot.filter(|s| s.role == Role::Command || s.join) {
            let (assigned, words) = self.assignments(slot, start, words);
            match (words.is_empty(), self.facts.argv.get(start.saturating_sub(1)).map(Value::place)) {
                (false, _) => {
                    self.command = Some(Nested { slot, option: None, words, index: start.saturating_add(assigned) });
                }
                (true, Some(at)) => self.doubt(DoubtKind::UnknownOption, "-- without a command".into(), at),
                (true, None) => {}
            }
            return;
        }
        self.dashes = words.into_iter().enumerate().map(|(k, w)| (start.saturating_add(k), w)).collect();
    }
}

/// The command that an option takes.
fn command_slot(opt: &'static Opt) -> Option<&'static Slot> {
    opt.words.first().and_then(|w| w.either.iter().find(|s| s.role == Role::Command || s.join))
}

/// True where an option changes what happens for the worse: leaving it out of the reading could hide something. One more
/// file that is read (`grep -f`) does not, nor does a property of a level that only looks (`ls -R`).
fn consequential(level: &Level, opt: &Opt) -> bool {
    let acts = |r: Role| r.verbs().iter().any(|v| !looks(*v));
    let slots = opt.words.iter().flat_map(|w| &w.either);
    let level_acts = || level.operands.iter().flat_map(|o| &o.word.either).any(|s| acts(s.role));
    !opt.effects.is_empty() || slots.into_iter().any(|s| acts(s.role)) || (!opt.sets.is_empty() && level_acts())
}

/// `-?` stays as it is written, where it is an option: a file of such a name is made by nobody. As other globs are, it is
/// taken for no option of another name.
fn as_written(chain: &[&'static Level], value: Value) -> Value {
    let glob = value.pieces.iter().any(|p| matches!(p, Piece::Glob(..)));
    let pattern = || value.pieces.iter().all(|p| matches!(p, Piece::Literal(_) | Piece::Glob(..)));
    if !glob || !pattern() || !value.prefix().starts_with(b"-") {
        return value;
    }
    let text = value.show();
    let declared = visible(chain).any(|o| o.names.contains(&text.as_str()));
    if declared { Value::computed(text.as_bytes(), value.place(), value.taint()) } else { value }
}

/// True for what leaves everything as it is.
pub(super) fn looks(verb: Verb) -> bool {
    matches!(verb, Verb::Read | Verb::List | Verb::Inspect | Verb::Chdir | Verb::Environment)
}

/// True where a value that is not known is surely no option, or is the word of whoever started the shell.
fn is_rooted(value: &Value) -> bool {
    let Some(Piece::Unknown(u)) = value.pieces.first() else { return false };
    match &u.why {
        Why::Home(_) => true,
        // What whoever started the shell has set: who can make that an option sets PATH and LD_PRELOAD just as well.
        Why::Environment(_) | Why::Parameter(_) | Why::NotEmpty(_) => true,
        Why::Output(name) => crate::effect::path::prints_place(name),
        // An absolute path, a hash, a name.
        Why::Program(_) | Why::Names(_) => true,
        Why::Near(place) => crate::effect::path::is_absolute(place),
        _ => false,
    }
}
