//! Values with roles: the second half of reading an argv, when all options and operands are known.
//!
//! In: a [`Scan`]. Out: the finished [`Invocation`].

use super::argv::{Nested, Scan, looks};
use super::facts::Given;
use super::grammar::model::{At, Claim, Cond, Env, Level, Operand, Sets, Slot, Stream, Where, Word};
use super::{Invocation, Role, Stated, Stdin, Stdout, Use, mode};
use crate::effect::graph::DoubtKind;
use crate::effect::{Language, Props, Site, Verb};
use crate::glob;
use crate::url::globbing;
use crate::value::{Piece, Taint, Value};
use std::rc::Rc;

/// Deepest nesting of prefixes in prefixes that is followed (the build allows no more).
const MAX_PREFIXES: usize = 8;

/// Operands with the entries that took them.
type Taken = Vec<(usize, Value, &'static Operand)>;

/// The last operand of each named entry.
type Named = Vec<(&'static str, Value)>;

/// Finishes a [`Scan`].
pub(super) struct Builder {
    scan: Scan,
    taken: Taken,
    named: Named,
}

impl Builder {
    /// Hands the operands to the entries that take them.
    pub(super) fn new(mut scan: Scan) -> Self {
        scan.facts.dash = any_dash(&scan);
        let level = scan.chain.last().copied().unwrap_or(&scan.grammar.top);
        let command = scan.command.as_ref().map_or(usize::MAX, |c| c.index);
        let mut left: std::collections::VecDeque<(usize, Value)> =
            scan.facts.operands.iter().filter(|(i, _)| *i < command).cloned().collect();
        let mut taken: Taken = Vec::new();
        for o in &level.operands {
            if o.at == At::Dashes || !scan.facts.holds(&o.cond, left.front().map(|(_, v)| v)) {
                continue;
            }
            // `bash -c` without a text: what an option calls for is missing.
            let code = |s: &Slot| matches!(s.role, Role::Code(_) | Role::CommandString);
            if left.is_empty() && o.at == At::First && !o.cond.when.is_empty() && o.word.either.iter().any(code) {
                let place = scan.facts.argv.last().map(Value::place).unwrap_or_default();
                scan.doubt(DoubtKind::UnknownOption, "no code after the options".into(), place);
            }
            match o.at {
                At::First => taken.extend(left.pop_front().map(|(i, v)| (i, v, o))),
                At::Last => taken.extend(left.pop_back().map(|(i, v)| (i, v, o))),
                At::Rest => taken.extend(left.drain(..).map(|(i, v)| (i, v, o))),
                At::Dashes => {}
            }
        }
        let dashes = level.operands.iter().find(|o| o.at == At::Dashes);
        if let Some(o) = dashes {
            taken.extend(scan.dashes.iter().map(|(i, v)| (*i, v.clone(), o)));
        }
        // Behind a sub-command that is not known, no word can be.
        let lost = scan.inv.doubts.iter().any(|d| d.kind == DoubtKind::UnknownSubcommand);
        for (i, v) in left {
            if !lost {
                scan.doubt(DoubtKind::UnknownOperand, v.show(), v.place());
            }
            scan.placed.push((i, Use::new(Role::Text, v)));
        }
        let mut named: Named = Vec::new();
        for (_, v, o) in taken.iter().rev() {
            if let Some(name) = o.name
                && !named.iter().any(|(n, _)| *n == name)
            {
                named.push((name, v.clone()));
            }
        }
        Builder { scan, taken, named }
    }

    /// Everything put together.
    pub(super) fn finish(mut self) -> Invocation {
        let chain = self.scan.chain.clone();
        // Nothing is added to them any more; what is asked below still finds them.
        let given = Rc::clone(&self.scan.facts.given);
        for g in given.iter() {
            if g.opt.words.first().is_some_and(|w| w.either.iter().any(|s| s.role == Role::Command || s.join)) {
                continue;
            }
            for (n, value) in g.values.iter().enumerate() {
                // `many` repeats the last word's meaning.
                let at = n.min(g.opt.words.len().saturating_sub(1));
                if let Some(w) = g.opt.words.get(at) {
                    self.word(w, value, Some(g.name()), g.index);
                }
            }
        }
        let taken = std::mem::take(&mut self.taken);
        for (i, v, o) in &taken {
            self.word(&o.word, v, None, *i);
        }
        self.taken = taken;
        if let Some(nested) = self.scan.command.take() {
            Builder::nested_in(&mut self.scan, &self.named, &nested);
        }
        self.properties(&chain, &given);
        self.claims(&chain, &given);
        self.streams(&chain, &given);
        self.surroundings(&chain, &given);
        let mut inv = self.scan.inv;
        let mut placed = self.scan.placed;
        placed.sort_by_key(|(i, _)| *i);
        inv.uses.extend(placed.into_iter().map(|(_, u)| u));
        for g in given.iter() {
            if g.values.is_empty() {
                inv.options.push((g.name(), None));
            }
            inv.options.extend(g.values.iter().map(|v| (g.name(), Some(v.clone()))));
        }
        inv.operands = self.scan.facts.operands.into_iter().chain(self.scan.dashes).map(|(_, v)| v).collect();
        inv.builtin = chain.iter().rev().find_map(|l| l.builtin);
        inv.language = chain.iter().rev().find_map(|l| l.language).and_then(Language::from_name);
        inv
    }

    /// What a variable's value is, without anything else.
    pub(super) fn variable(mut self, env: &'static Env, value: &Value) -> Invocation {
        if !env.word.either.is_empty() {
            self.word(&env.word, value, None, 0);
        }
        let facts = &self.scan.facts;
        let held = |c: &Cond| facts.holds(c, Some(value));
        let mut inv = Invocation { name: self.scan.inv.name.clone(), ..Invocation::default() };
        inv.props = env.sets.iter().filter(|s| held(&s.cond)).fold(Props::default(), |all, s| all.with(Props(s.props)));
        inv.stated = env
            .effects
            .iter()
            .filter(|c| held(&c.cond))
            .filter_map(|c| {
                let verb = Verb::from_name(c.verb)?;
                Some(Stated { verb, object: c.object, value: Some(value.clone()), place: value.place() })
            })
            .collect();
        inv.uses.extend(self.scan.placed.into_iter().map(|(_, u)| u));
        inv.doubts = self.scan.inv.doubts;
        inv
    }

    fn properties(&mut self, chain: &[&'static Level], given: &[Given]) {
        let facts = &self.scan.facts;
        let one = |s: &Sets, before: Option<&Value>| match facts.holds_after(&s.cond, None, before) {
            true => Props(s.props),
            false => Props::default(),
        };
        let before = |g: &Given| g.index.checked_sub(1).and_then(|i| self.scan.facts.argv.get(i));
        let levels = chain.iter().flat_map(|l| &l.sets).map(|s| one(s, None));
        let options = given.iter().flat_map(|g| g.opt.sets.iter().map(move |s| (s, before(g))));
        let all = levels.chain(options.map(|(s, before)| one(s, before)));
        let mut props = all.fold(self.scan.inv.props, Props::with);
        if self.scan.inv.simulated {
            props = props.with(Props::SIMULATED);
        }
        self.scan.inv.props = props;
    }

    fn claims(&mut self, chain: &[&'static Level], given: &[Given]) {
        let at = |i: usize| self.scan.facts.argv.get(i).map(Value::place).unwrap_or_default();
        let first = at(0);
        let levels = chain.iter().enumerate().flat_map(|(d, l)| l.effects.iter().map(move |c| (c, first, d)));
        let options = given.iter().flat_map(|g| g.opt.effects.iter().map(|c| (c, at(g.index), 0)));
        let all: Vec<(&'static Claim, _, usize)> = levels.chain(options).collect();
        let mut stated: Vec<Stated> = Vec::new();
        let add = |stated: &mut Vec<Stated>, c: &'static Claim, place, value: Option<Value>| {
            if let Some(verb) = Verb::from_name(c.verb) {
                let s = Stated { verb, object: c.object, value, place };
                // The same effect of a level and an option is one; values are as many as they are.
                if s.value.is_some() || !stated.contains(&s) {
                    stated.push(s);
                }
            }
        };
        let mut open: Option<Value> = None;
        for (c, place, depth) in all {
            self.scan.facts.depth = depth;
            if !self.scan.facts.holds(&c.cond, None) {
                // `kubectl get $KIND`: of secrets, too.
                if open.is_none() && Verb::from_name(c.verb).is_some_and(|v| !looks(v)) {
                    open = self.scan.facts.undecided(&c.cond).cloned();
                }
                continue;
            }
            let values = c.of.map(|of| self.all_of(of)).unwrap_or_default();
            if values.is_empty() {
                add(&mut stated, c, place, None);
            }
            values.into_iter().for_each(|v| add(&mut stated, c, v.place(), Some(v)));
        }
        self.scan.facts.depth = 0;
        self.scan.inv.stated = stated;
        if let Some(v) = open {
            self.scan.doubt(DoubtKind::UnknownValue, v.show(), v.place());
        }
    }

    /// What stands around the code, in the order of the grammar's options, and files that are run without being named.
    fn surroundings(&mut self, chain: &[&'static Level], given: &[Given]) {
        let some = given.iter().any(|g| !g.opt.around.is_empty());
        for o in chain.iter().filter(|_| some).flat_map(|l| l.options.iter()) {
            let [before, after] = o.around.as_slice() else { continue };
            // A flag counts once, each value by itself (`-MPOSIX -MCwd`).
            let mut one = given.iter().filter(|g| std::ptr::eq(g.opt, o));
            let all = if one.clone().any(|g| g.values.is_empty()) {
                one.next_back().into_iter().collect()
            } else {
                one.collect::<Vec<_>>()
            };
            for g in all {
                let value = g.values.last().and_then(|v| v.as_str().map(|s| s.into_owned())).unwrap_or_default();
                self.scan.inv.around.push((before.replace('%', &value), after.replace('%', &value)));
            }
        }
        let level = chain.last().copied().unwrap_or(&self.scan.grammar.top);
        for f in level.files.iter().filter(|f| self.scan.facts.holds(&f.cond, None)) {
            let Some(language) = f.language.and_then(Language::from_name) else { continue };
            let dir = f.into.iter().find_map(|o| self.last_of(o));
            let place = self.scan.facts.argv.first().map(Value::place).unwrap_or_default();
            let path = |name: &&'static str| {
                let mut v = dir.clone().unwrap_or_default();
                if !v.pieces.is_empty() {
                    v.push(Value::computed(b"/", place, Taint::default()));
                }
                v.push(Value::computed(name.as_bytes(), place, Taint::default()));
                v
            };
            let args = f.args.iter().map(|a| Value::computed(a.as_bytes(), place, Taint::default())).collect();
            self.scan.inv.implied.push((f.names.iter().map(path).collect(), language, args));
        }
    }

    fn streams(&mut self, chain: &[&'static Level], given: &[Given]) {
        let facts = &self.scan.facts;
        let pick = |of: fn(&'static Level) -> &'static Vec<Stream>| {
            let all = chain.iter().rev().map(|l| of(l)).find(|s| !s.is_empty())?;
            all.iter().find(|s| facts.holds(&s.cond, None)).map(|s| s.is)
        };
        let stdin = pick(|l| &l.stdin).and_then(Stdin::from_name);
        let stdout = pick(|l| &l.stdout).and_then(Stdout::from_name);
        let redirected = given.iter().any(|g| {
            let dash = g.opt.words.iter().flat_map(|w| &w.either).any(|s| s.dash);
            g.opt.redirects_stdout && !(dash && g.values.iter().any(is_dash))
        });
        self.scan.inv.stdin = stdin.unwrap_or_default();
        self.scan.inv.makes = stdout.unwrap_or_default();
        self.scan.inv.stdout = if redirected { Stdout::Nothing } else { self.scan.inv.makes };
    }

    /// A word by the first of its alternatives that holds; mere text where none does.
    fn word(&mut self, word: &Word, value: &Value, option: Option<&'static str>, index: usize) {
        // The word before: of an option's value that is the option, which the condition can name itself.
        let before = index.checked_sub(1).and_then(|i| self.scan.facts.argv.get(i)).filter(|_| option.is_none());
        let slot = word.either.iter().find(|s| self.scan.facts.holds_after(&s.cond, Some(value), before));
        let Some(slot) = slot else {
            self.scan.placed.push((index, Use { option, ..Use::new(Role::Text, value.clone()) }));
            return;
        };
        let parts = match slot.split {
            None => return self.slot(slot, value, option, index, 0),
            Some("lines") => value.split(|b| b == b'\n'),
            Some("words") => value.split(|b| b.is_ascii_whitespace()),
            Some("globbing") => globbed(value),
            Some(set) => value.split(|b| set.as_bytes().contains(&b)),
        };
        let several = parts.len() > 1;
        for part in parts.iter().filter(|p| !several || !p.pieces.is_empty()) {
            self.slot(slot, part, option, index, 0);
        }
    }

    fn slot(&mut self, slot: &Slot, value: &Value, option: Option<&'static str>, index: usize, depth: usize) {
        if depth < MAX_PREFIXES {
            let known = if slot.prefixes.is_empty() { Default::default() } else { value.prefix() };
            for p in &slot.prefixes {
                if let Some(n) = prefix_len(p.glob, &known, p.slot.nocase || slot.nocase) {
                    let rest = enclosed(p.glob, value.split_at(n).1);
                    return self.slot(&p.slot, &rest, option, index, depth.saturating_add(1));
                }
            }
            let runs = |s: &Slot| matches!(s.role, Role::Code(_) | Role::CommandString | Role::PathScript);
            if !value.is_known() && value.prefix().is_empty() && slot.prefixes.iter().any(|p| runs(&p.slot)) {
                self.scan.doubt(DoubtKind::UnknownValue, value.show(), value.place());
            }
        }
        let mut u = Use { option, ..Use::new(slot.role, value.clone()) };
        if slot.dash && is_dash(value) {
            u.role = Role::Text;
            self.scan.placed.push((index, u));
            return;
        }
        u.props = Props(slot.props);
        u.language = slot.language.and_then(Language::from_name);
        u.scheme = slot.schemeless;
        u.lines = slot.lines;
        // `npm create x` gets the package create-x; a name with a scope, a path or an address stays as it is.
        let made = matches!(slot.role, Role::Package(_)) && !value.prefix().iter().any(|b| b"@/:.".contains(b));
        if (made || slot.role == Role::CodeVariable)
            && let Some(before) = slot.spelled
        {
            let mut whole = Value::computed(before.as_bytes(), value.place(), Taint::default());
            whole.push(std::mem::take(&mut u.value));
            u.value = whole;
        }
        if slot.schemeless.is_some() && value.is_known() && !has_scheme(&value.prefix()) {
            u.props = u.props.with(Props::SCHEMELESS);
        }
        u.other = slot.other.iter().find_map(|o| self.last_of(o));
        u.site = site(&self.scan, &self.named, slot);
        if u.role == Role::Volume && is_host_path(value, depth > 0) {
            u.props = u.props.with(Props::HOST_ACCESS);
        }
        let role_of_it = u.role;
        let also: Vec<_> = slot.also.iter().map(|r| (index, Use { role: *r, other: None, ..u.clone() })).collect();
        self.scan.placed.push((index, u));
        self.scan.placed.extend(also);
        if role_of_it == Role::ModeBits
            && let Some(mode) = value.as_str()
        {
            self.scan.inv.props = self.scan.inv.props.with(mode::props(&mode));
        }
        if let Some(role) = slot.basename {
            self.basename(slot, role, value, option, index);
        }
        if let [before, behind @ ..] = slot.password.as_slice()
            && let Some(n) = prefix_len(before, &value.prefix(), slot.nocase)
        {
            let rest = value.split_at(n).1;
            let end = behind.first().and_then(|b| b.as_bytes().first());
            let secret = end.and_then(|b| rest.rsplit_once(*b)).map(|(secret, _)| secret).unwrap_or(rest);
            self.scan.placed.push((index, Use { option, ..Use::new(Role::Secret, secret) }));
        }
    }

    /// The file or directory that a program makes from the last part of an address or path.
    fn basename(&mut self, slot: &Slot, role: Role, value: &Value, option: Option<&'static str>, index: usize) {
        let end = value.prefix().iter().position(|b| matches!(b, b'?' | b'#')).unwrap_or(usize::MAX);
        let (path, _) = value.split_at(end);
        let mut base = match path.rsplit_once(b'/') {
            Some((_, base)) => base,
            None => path,
        };
        if let Some(strip) = slot.strip
            && let Some(text) = base.as_str()
            && let Some(rest) = text.strip_suffix(strip).filter(|r| !r.is_empty())
        {
            base = Value::computed(rest.as_bytes(), base.place(), base.taint());
        }
        if let Some(dir) = slot.into.iter().find_map(|o| self.last_of(o)) {
            let mut whole = dir;
            whole.push(Value::computed(b"/", base.place(), base.taint()));
            whole.push(base);
            base = whole;
        }
        self.scan.placed.push((index, Use { option, ..Use::new(role, base) }));
    }

    /// The values of an option, or of the operands whose entry has the name.
    fn all_of(&self, name: &str) -> Vec<Value> {
        let option = self.scan.facts.named(name).flat_map(|g| g.values.iter().cloned());
        let operand = self.taken.iter().filter(|(_, _, o)| o.name == Some(name)).map(|(_, v, _)| v.clone());
        option.chain(operand).collect()
    }

    fn last_of(&self, name: &str) -> Option<Value> {
        last_of(&self.scan, &self.named, name)
    }

    /// A command that an option takes: its place can only be an option's value at this time.
    pub(super) fn nested(scan: &mut Scan, nested: &Nested) {
        Builder::nested_in(scan, &Named::new(), nested);
    }

    fn nested_in(scan: &mut Scan, named: &Named, nested: &Nested) {
        let slot = nested.slot;
        let first = nested.words.first().cloned().unwrap_or_default();
        let mut u = Use { option: nested.option, words: nested.words.clone(), ..Use::new(slot.role, first) };
        if slot.join {
            u.value = joined(&nested.words);
        }
        if let (Some(before), Some(word)) = (slot.spelled, u.words.first_mut()) {
            let mut whole = Value::computed(before.as_bytes(), word.place(), Taint::default());
            whole.push(std::mem::take(word));
            u.value = whole.clone();
            *word = whole;
        }
        u.props = Props(slot.props);
        u.sources = &slot.sources;
        u.site = site(scan, named, slot);
        u.append = slot.append;
        u.placeholder = slot.placeholder.iter().find_map(|p| {
            let option = scan.facts.named(p).next_back();
            match option {
                Some(g) => g.values.last().and_then(Value::as_literal).map(|t| t.into_owned()),
                None => (!p.starts_with('-')).then(|| p.as_bytes().to_vec()),
            }
        });
        // The program itself may be more than a command: a package that is fetched first.
        if let Some(word) = nested.words.first() {
            let also =
                slot.also.iter().map(|r| (nested.index, Use { option: nested.option, ..Use::new(*r, word.clone()) }));
            scan.placed.extend(also);
        }
        scan.placed.push((nested.index, u));
    }
}

/// The last value of the operands whose entry has the name, or of the option.
fn last_of(scan: &Scan, named: &Named, name: &str) -> Option<Value> {
    let operand = named.iter().find(|(n, _)| *n == name).map(|(_, v)| v);
    operand.or_else(|| scan.facts.named(name).next_back().and_then(|g| g.values.last())).cloned()
}

fn site(scan: &Scan, named: &Named, slot: &Slot) -> Option<Site> {
    let place = slot.place.as_ref()?;
    let of = last_of(scan, named, place.of).unwrap_or_default();
    Some(match place.kind {
        Where::Remote => Site::Remote(of),
        Where::Contained => Site::Contained(of),
    })
}

/// True where a volume's source is a path of the host (`/etc:/x`, `./a:/x`, `$HOME:/x`), not the name of a volume and
/// not only a path in the container (`/data`). A source that stands alone (`source=/etc`) needs no colon.
fn is_host_path(value: &Value, alone: bool) -> bool {
    let text = value.prefix();
    let path = text.is_empty() && !value.is_known() || matches!(text.first(), Some(b'/' | b'.' | b'~' | b'\\'));
    let drive = matches!(&*text, [d, b':', b'/' | b'\\', ..] if d.is_ascii_alphabetic());
    let colon = value.split(|b| b == b':').len() > 1;
    (path && (alone || colon)) || drive
}

/// Words with a blank between, as `eval` and the remote shell of `ssh` get them.
fn joined(words: &[Value]) -> Value {
    let mut whole = Value::default();
    for (i, w) in words.iter().enumerate() {
        if i > 0 {
            whole.push(Value::computed(b" ", w.place(), Taint::default()));
        }
        whole.push(w.clone());
    }
    whole
}

fn is_dash(v: &Value) -> bool {
    v.as_literal().as_deref() == Some(b"-")
}

/// True where some value that may be `-` for a standard stream is it.
fn any_dash(scan: &Scan) -> bool {
    let dashed = |w: &Word| w.either.iter().any(|s| s.dash);
    let level = scan.chain.last().copied().unwrap_or(&scan.grammar.top);
    scan.facts.given.iter().any(|g| g.opt.words.iter().any(dashed) && g.values.iter().any(is_dash))
        || (level.operands.iter().any(|o| dashed(&o.word)) && scan.facts.operands.iter().any(|(_, v)| is_dash(v)))
}

/// What follows a prefix that opens a bracket ends where that is closed: `%(command)`, `%output{file}`.
fn enclosed(glob: &str, rest: Value) -> Value {
    let inner = match glob.as_bytes().last() {
        // A command has brackets of its own.
        Some(b'(') => rest.rsplit_once(b')'),
        Some(b'{') => rest.split_once(b'}'),
        _ => None,
    };
    inner.map(|(inner, _)| inner).unwrap_or(rest)
}

/// The length of what a prefix's glob takes from the beginning of a text; a `*` takes no `=`.
fn prefix_len(glob: &str, text: &[u8], nocase: bool) -> Option<usize> {
    let same = |a: &[u8], b: &[u8]| if nocase { a.eq_ignore_ascii_case(b) } else { a == b };
    let Some((head, tail)) = glob.split_once('*') else {
        let start = text.get(..glob.len())?;
        return same(start, glob.as_bytes()).then_some(glob.len());
    };
    if !same(text.get(..head.len())?, head.as_bytes()) {
        return None;
    }
    if tail.is_empty() {
        return Some(text.len());
    }
    let mut at = head.len();
    loop {
        let rest = text.get(at..)?;
        if let Some(n) = prefix_len(tail, rest, nocase) {
            return at.checked_add(n);
        }
        if *rest.first()? == b'=' {
            return None;
        }
        at = at.checked_add(1)?;
    }
}

/// The addresses that one stands for in curl; brackets that no file matched are curl's, too.
fn globbed(value: &Value) -> Vec<Value> {
    let whole = value.pieces.iter().all(|p| matches!(p, Piece::Literal(_) | Piece::Glob(..)));
    let text = whole.then(|| value.as_literal().map_or_else(|| value.show().into_bytes(), |t| t.to_vec()));
    match text.and_then(|text| globbing::expanded(&text)) {
        Some(all) => all.iter().map(|t| Value::computed(t, value.place(), value.taint())).collect(),
        None => vec![value.clone()],
    }
}

/// True where an address begins with a scheme.
fn has_scheme(text: &[u8]) -> bool {
    let colon = text.iter().position(|b| !(b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.')));
    colon.is_some_and(|n| n > 0 && text.get(n..).is_some_and(|r| r.starts_with(b"://") || r.starts_with(b":/")))
        || glob::any("mailto:*|data:*|file:*", text)
}
