//! Loops: unrolled over what is known, walked and joined over what is not.
//!
//! In: the tree's loops. Out: the state after them. At most [`crate::limits::MAX_TURNS`] or
//! [`crate::limits::MAX_KNOWN_TURNS`] turns are walked one by one; a loop whose next turn would change nothing ends at
//! once, whatever its condition.

use super::scope::{End, Shell};
use super::{Flow, Interp};
use crate::effect::Certainty;
use crate::effect::graph::{Doubt, DoubtKind};
use crate::limits;
use crate::source::Span;
use crate::syntax::ast::{ArithFor, For, List, Loop};
use crate::value::{Piece, Value, Why};

impl Interp<'_> {
    /// `for` and `select`.
    pub(crate) fn for_loop(&mut self, f: &For, select: bool) -> Flow {
        self.loops = self.loops.saturating_add(1);
        let flow = self.for_turns(f, select);
        self.loops = self.loops.saturating_sub(1);
        flow
    }

    fn for_turns(&mut self, f: &For, select: bool) -> Flow {
        // `repeat` of zsh has no name.
        let named = matches!(f.name.as_bytes().first(), Some(b) if b.is_ascii_alphabetic() || *b == b'_');
        let valid = named && f.name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        if !valid && !f.name.is_empty() {
            if let Some(ws) = &f.words {
                self.fields(ws);
            }
            // Not a valid identifier: bash runs no turn, and other shells do not read it.
            self.sh.status = Some(1);
            return Flow::Next;
        }
        let mut items = match &f.words {
            Some(ws) => {
                let mut items = self.fields(ws);
                if ws.len() > 1 {
                    self.drop_parameters_beside(&mut items);
                }
                items
            }
            None => match &self.sh.positional {
                Some(p) => p.as_ref().clone(),
                None => vec![Self::many_words(Why::Parameter("@".into()), self.at(f.body.span), Default::default())],
            },
        };
        if let ([count], true) = (items.as_slice(), f.name.is_empty() && !select)
            && let Ok(n) = self.arith_of(count)
        {
            // `repeat n`
            let n = usize::try_from(n).unwrap_or(0).min(limits::MAX_FIELDS);
            items = vec![Value::default(); n];
        }
        if items.is_empty() {
            self.sh.status = Some(0);
        }
        if select {
            let known = !items.iter().any(super::param::is_several);
            let mut turns = 0u32;
            while known
                && turns < limits::MAX_TURNS
                && matches!(self.sh.fd(0), super::scope::End::Input(_))
                && self.spend(1)
            {
                let line = match self.read_line(0, b'\n') {
                    Ok(Some(line)) => line,
                    Ok(None) => {
                        self.sh.status = Some(1);
                        return Flow::Next;
                    }
                    Err(line) if line.is_known() => line,
                    Err(_) => break,
                };
                let Some(text) = line.as_str().map(|s| s.into_owned()) else { break };
                turns = turns.saturating_add(1);
                if text.is_empty() {
                    // It shows the list again.
                    continue;
                }
                let n = text.trim().parse::<usize>().ok().and_then(|n| n.checked_sub(1));
                let item = n.and_then(|n| items.get(n)).cloned().unwrap_or_default();
                self.sh.set_scalar("REPLY", line);
                let target = self.sh.target(&f.name).into_owned();
                self.sh.set_scalar(&target, item);
                match self.list(&f.body) {
                    Flow::Next | Flow::Continue(0 | 1) => {}
                    Flow::Break(n) if n > 1 => return Flow::Break(n.saturating_sub(1)),
                    Flow::Break(_) => return Flow::Next,
                    Flow::Continue(n) => return Flow::Continue(n.saturating_sub(1)),
                    other => return other,
                }
            }
            // Which one a person picks is not known.
            let mut v = Value::default();
            if let Some(first) = items.first().cloned() {
                v = items.iter().skip(1).fold(first, |a, b| Value::either(a, b.clone()));
            }
            let at = self.at(f.body.span);
            if !known {
                // What is no number of the list gives none of its words.
                v = Value::either(v, Value::unknown(Why::Joined, at));
            }
            self.sh.set_scalar("REPLY", Value::unknown(Why::Stdin, at));
            self.sh.set_scalar(&f.name, v);
            let before = self.sh.clone();
            let flow = self.conditional(|me| me.list(&f.body));
            return self.end_turns(flow, Some(before));
        }
        // Text that is put together turn by turn is worth more turns than repeated effects.
        let text = matches!(self.sh.fd(1), End::Sink(_));
        let forks = self.forks;
        let mut turns = 0u32;
        let mut left = None;
        for (i, item) in items.iter().enumerate() {
            let many = item.pieces.iter().any(|p| match p {
                Piece::Unknown(u) => u.splits,
                Piece::Glob(..) => true,
                _ => false,
            });
            if turns >= self.most_turns(text, forks) || !self.spend(1) {
                // The turns that are left, as one: the variable is any of the words.
                let rest = items.get(i..).unwrap_or(&[]);
                self.join_turns(&f.name, rest, &f.body);
                break;
            }
            turns = turns.saturating_add(1);
            let mut v = item.clone();
            if v.pieces.len() > 1 && v.pieces.iter().any(|p| matches!(p, Piece::Unknown(u) if u.splits)) {
                // Where the word is split is not known, so neither is what each turn gets of it.
                v = Value::unknown_tainted(Why::Joined, v.place(), v.taint());
            }
            for p in &mut v.pieces {
                if let Piece::Unknown(u) = p {
                    u.splits = false;
                }
            }
            self.run_debug_trap();
            let attrs = self.sh.var(&f.name).map(|v| v.attrs).unwrap_or_default();
            if attrs.integer || attrs.lower || attrs.upper || attrs.capital {
                let at = v.place();
                self.assign_scalar(&f.name, v, false, at);
            } else {
                self.sh.set_scalar(&f.name, v);
            }
            let before = many.then(|| self.sh.clone());
            let flow = if many { self.conditional(|me| me.list(&f.body)) } else { self.list(&f.body) };
            if let Some(b) = before {
                let flow = self.end_turns(flow, Some(b.clone()));
                self.further_turns(b, &f.body);
                if flow != Flow::Next {
                    left = Some(flow);
                    break;
                }
                continue;
            }
            match flow {
                Flow::Next | Flow::Continue(0 | 1) => {}
                Flow::Continue(n) => {
                    left = Some(Flow::Continue(n.saturating_sub(1)));
                    break;
                }
                Flow::Break(n) => {
                    if n > 1 {
                        left = Some(Flow::Break(n.saturating_sub(1)));
                    }
                    break;
                }
                other => {
                    left = Some(other);
                    break;
                }
            }
        }
        left.unwrap_or(Flow::Next)
    }

    /// How many turns are walked of a loop. Where its turns take branches that are not known, more of them say nothing
    /// more.
    fn most_turns(&self, many: bool, forks: u64) -> u32 {
        if many && self.forks == forks { limits::MAX_KNOWN_TURNS } else { limits::MAX_TURNS }
    }

    /// The words that are left as one turn.
    fn join_turns(&mut self, name: &str, rest: &[Value], body: &List) {
        for some in rest.chunks(limits::MAX_READINGS) {
            let Some((first, more)) = some.split_first() else { return };
            if !self.spend(1 + body.items.len() as u64) {
                return;
            }
            let v = more.iter().cloned().fold(first.clone(), Value::either);
            self.sh.set_scalar(name, v);
            let before = self.sh.clone();
            let flow = self.conditional(|me| me.list(body));
            self.end_turns(flow, Some(before));
        }
    }

    /// The turns after one that may not have been taken, whose state before it is given: each begins with whatever those
    /// before it may have left, until that is all that there is. From the third on what still changes may be anything.
    fn further_turns(&mut self, mut before: Shell, body: &List) {
        for turn in 1..limits::MAX_OPEN_TURNS {
            if self.sh.same(&before) || !self.spend(1) {
                return;
            }
            if turn > 1 {
                self.sh.widen_strings(&before);
            }
            before = self.sh.clone();
            let flow = self.conditional(|me| me.list(body));
            self.end_turns(flow, Some(before.clone()));
        }
    }

    /// After a turn that may not have been taken.
    fn end_turns(&mut self, flow: Flow, before: Option<Shell>) -> Flow {
        if let Some(b) = before {
            let sh = std::mem::take(&mut self.sh);
            self.sh = if matches!(flow, Flow::Next | Flow::Break(_) | Flow::Continue(_)) { sh.join(b) } else { b };
            self.sh.status = None;
        }
        Flow::Next
    }

    /// `while` and `until`.
    pub(crate) fn while_loop(&mut self, l: &Loop) -> Flow {
        let until = l.until;
        let condition = |me: &mut Self| {
            let flow = me.condition(&l.condition);
            (flow, Test::of(me.sh.status.map(|s| (s == 0) != until)))
        };
        self.turns(condition, &l.body, |_| true)
    }

    /// `for (( ; ; ))`
    pub(crate) fn arith_for(&mut self, f: &ArithFor) -> Flow {
        // The expressions of the header leave `$?` as it was. One that cannot be evaluated ends the loop with status 1.
        if f.init.span != Span::default()
            && !f.init.parts.is_empty()
            && self.arith_inner(|me| me.arith(&f.init)).is_err()
        {
            self.sh.status = Some(1);
            return Flow::Next;
        }
        let condition = |me: &mut Self| {
            let test = match blank(&f.test) {
                true => Test::Holds,
                false => match me.arith_inner(|me| me.arith(&f.test)) {
                    Ok(n) => Test::of(n.map(|n| n != 0)),
                    Err(()) => Test::Failed,
                },
            };
            (Flow::Next, test)
        };
        let step = |me: &mut Self| f.step.parts.is_empty() || me.arith_inner(|me| me.arith(&f.step)).is_ok();
        self.turns(condition, &f.body, step)
    }

    /// Turns of a loop while `condition` says so. `step` comes between two turns; false where it failed.
    fn turns(
        &mut self,
        condition: impl FnMut(&mut Self) -> (Flow, Test),
        body: &List,
        step: impl FnMut(&mut Self) -> bool,
    ) -> Flow {
        self.loops = self.loops.saturating_add(1);
        let flow = self.turns_of(condition, body, step);
        self.loops = self.loops.saturating_sub(1);
        flow
    }

    fn turns_of(
        &mut self,
        mut condition: impl FnMut(&mut Self) -> (Flow, Test),
        body: &List,
        mut step: impl FnMut(&mut Self) -> bool,
    ) -> Flow {
        let saved = self.certainty;
        let mut status = Some(0);
        let mut n = 0u32;
        let forks = self.forks;
        let flow = loop {
            n = n.saturating_add(1);
            let before = self.sh.clone();
            let unread = self.unread();
            let (flow, test) = condition(self);
            match flow {
                Flow::Next | Flow::Continue(0 | 1) => {}
                Flow::Break(k) => break if k > 1 { Flow::Break(k.saturating_sub(1)) } else { Flow::Next },
                Flow::Continue(k) => break Flow::Continue(k.saturating_sub(1)),
                flow => break flow,
            }
            let go = match test {
                Test::Holds => Some(true),
                Test::Open => None,
                Test::Fails => {
                    self.sh.status = status;
                    break Flow::Next;
                }
                Test::Failed => {
                    self.sh.status = Some(1);
                    break Flow::Next;
                }
            };
            let without = self.sh.clone();
            if go.is_none() {
                self.certainty = self.certainty.min(Certainty::Conditional);
            }
            let flow = self.list(body);
            status = self.sh.status;
            match flow {
                Flow::Next | Flow::Continue(0 | 1) => {}
                Flow::Continue(k) => break Flow::Continue(k.saturating_sub(1)),
                Flow::Break(k) => {
                    if go.is_none() {
                        let sh = std::mem::take(&mut self.sh);
                        self.sh = sh.join(without);
                    }
                    break if k > 1 { Flow::Break(k.saturating_sub(1)) } else { Flow::Next };
                }
                _ if go.is_none() => {
                    self.sh = without;
                    break Flow::Next;
                }
                other => break other,
            }
            let went = step(self);
            if !went && go.is_some() {
                self.sh.status = Some(1);
                break Flow::Next;
            }
            let settled = self.sh.same(&before) && self.unread() == unread;
            if go.is_none() {
                // The next turn may come or not, from either state.
                let sh = std::mem::take(&mut self.sh);
                self.sh = sh.join(without);
                self.sh.status = None;
                if settled || n >= limits::MAX_OPEN_TURNS || (n >= 2 && self.sh.same(&before)) {
                    break Flow::Next;
                }
                if n >= 2 {
                    // What still changes may be anything from now on.
                    self.sh.widen_strings(&before);
                }
                continue;
            }
            if settled || n >= self.most_turns(true, forks) {
                self.without_end(body);
            }
            if settled {
                // An endless loop, or one that something outside ends.
                break Flow::Next;
            }
            if n >= self.most_turns(true, forks) || !self.spend(1) {
                if self.unread() != unread || !self.widened(&before, &mut condition, body, forks) {
                    self.limit("turns of a loop", self.at(body.span));
                }
                self.sh.status = None;
                break Flow::Next;
            }
        };
        self.certainty = saved;
        flow
    }

    /// One turn that stands for all that are left: what the turns change may have any value. False where that cannot
    /// stand for them: the loop changes more than variables, ends by counting, or runs what it counts.
    fn widened(
        &mut self,
        before: &Shell,
        condition: &mut impl FnMut(&mut Self) -> (Flow, Test),
        body: &List,
        forks: u64,
    ) -> bool {
        if self.exhausted() || !self.sh.widen(before) {
            return false;
        }
        // Where no branch of the loop is open, it ends by what it counts, or never.
        let open = self.forks != forks;
        let without = self.sh.clone();
        let doubts = self.graph.doubts.len();
        let stands = self.conditional(|me| {
            let (flow, test) = condition(me);
            if flow != Flow::Next || !(open || test == Test::Holds) {
                return false;
            }
            me.list(body);
            true
        });
        let sh = std::mem::take(&mut self.sh);
        self.sh = sh.join(without);
        let runs = |d: &Doubt| matches!(d.kind, DoubtKind::UnknownCommand | DoubtKind::UnknownCode | DoubtKind::Limit);
        stands && !self.graph.doubts.iter().skip(doubts).any(runs)
    }
}

impl Interp<'_> {
    /// `while :; do x & done`: a loop without end that only starts processes, and waits for none, exhausts the machine.
    fn without_end(&mut self, body: &List) {
        if !only_starts(body) || self.certainty != Certainty::Certain {
            return;
        }
        let at = self.at(body.span);
        let by = self.process("", Vec::new(), at, true);
        let name = Value::computed(body.span.of(&self.source.bytes(self.text)), at, Default::default());
        self.effect(crate::effect::Verb::Exhaust, crate::effect::Object::Named("process", name), by, at);
    }
}

/// True where every command of a list is started in the background.
fn only_starts(l: &List) -> bool {
    let inner = |p: &crate::syntax::ast::Pipeline| match p.stages.as_slice() {
        [one] => match &one.kind {
            crate::syntax::ast::CommandKind::Subshell(l) | crate::syntax::ast::CommandKind::Group(l) => only_starts(l),
            _ => false,
        },
        _ => false,
    };
    !l.items.is_empty() && l.items.iter().all(|i| i.background || i.rest.is_empty() && inner(&i.first))
}

/// What the condition of a loop came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Test {
    Holds,
    Fails,
    /// It is not known.
    Open,
    /// The shell cannot evaluate it.
    Failed,
}

impl Test {
    fn of(holds: Option<bool>) -> Self {
        holds.map_or(Test::Open, |h| if h { Test::Holds } else { Test::Fails })
    }
}

/// True where an expression is left out.
fn blank(t: &crate::syntax::ast::ArithText) -> bool {
    t.parts
        .iter()
        .all(|p| matches!(&p.kind, crate::syntax::ast::PartKind::Literal(b) if b.iter().all(u8::is_ascii_whitespace)))
}
