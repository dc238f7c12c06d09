//! Branches: `if`, `case`, `&&`, and the state after them.
//!
//! In: the tree. Out: where the condition is known, the branch that is taken is walked; where it is not, every branch, each
//! from the same state, and the states are joined.

use super::super::scope::{End, Shell};
use super::super::{Flow, Interp};
use crate::effect::Certainty;
use crate::syntax::ast::{CaseEnd, List};
use crate::value::Value;

/// What the branches of one command print.
struct Printed {
    sink: Option<usize>,
    before: Value,
    each: Vec<Value>,
}

impl Interp<'_> {
    /// Goes on in both states: where the parts before ran, and where one of them failed.
    pub(super) fn rejoin(&mut self, failed: &mut Option<Shell>) {
        if let Some(without) = failed.take() {
            let with = std::mem::take(&mut self.sh);
            self.sh = with.join(without);
            self.sh.status = None;
        }
    }

    /// Runs something that may or may not run.
    pub(crate) fn conditional<T>(&mut self, body: impl FnOnce(&mut Self) -> T) -> T {
        let saved = self.certainty;
        self.forks = self.forks.saturating_add(1);
        self.certainty = self.certainty.min(Certainty::Conditional);
        let r = body(self);
        self.certainty = saved;
        r
    }

    /// Joins the state after a branch with the state where it was not taken; a branch that leaves counts no more.
    pub(crate) fn after_branch(&mut self, flow: Flow, without: Shell) -> Flow {
        if flow == Flow::Next {
            let with = std::mem::take(&mut self.sh);
            self.sh = with.join(without);
        } else {
            self.sh = without;
        }
        self.sh.status = None;
        Flow::Next
    }

    /// `if`: conditions in order until one is known to hold.
    pub(super) fn branches(&mut self, branches: &[(List, List)], otherwise: Option<&List>) -> Flow {
        let mut ends: Vec<(Flow, Shell)> = Vec::new();
        let saved = self.certainty;
        let mut settled = false;
        let mut printed = self.begin_printed();
        for (condition, body) in branches {
            let flow = self.condition(condition);
            self.condition_printed(&mut printed);
            if flow != Flow::Next {
                self.certainty = saved;
                self.end_printed(printed);
                return self.meet(ends, Some(flow));
            }
            match self.sh.status {
                Some(0) => {
                    let flow = self.list(body);
                    self.branch_printed(&mut printed);
                    ends.push((flow, self.sh.clone()));
                    settled = true;
                    break;
                }
                Some(_) => {}
                None => {
                    let before = self.sh.clone();
                    let flow = self.conditional(|me| me.list(body));
                    self.branch_printed(&mut printed);
                    ends.push((flow, std::mem::replace(&mut self.sh, before)));
                    // From here on, everything depends on this condition.
                    self.certainty = self.certainty.min(Certainty::Conditional);
                }
            }
        }
        if !settled {
            let flow = match otherwise {
                Some(l) => {
                    let flow = self.list(l);
                    self.branch_printed(&mut printed);
                    flow
                }
                None => {
                    if ends.is_empty() {
                        self.sh.status = Some(0);
                    }
                    Flow::Next
                }
            };
            ends.push((flow, self.sh.clone()));
        }
        self.certainty = saved;
        self.end_printed(printed);
        self.meet(ends, None)
    }

    /// What branches print is kept apart, where something collects it.
    fn begin_printed(&mut self) -> Printed {
        let sink = if let End::Sink(i) = self.sh.fd(1) { Some(*i) } else { None };
        Printed { sink, before: sink.map(|i| self.take_sink(i)).unwrap_or_default(), each: Vec::new() }
    }

    /// What a condition printed comes before what any branch prints.
    fn condition_printed(&mut self, p: &mut Printed) {
        if let Some(v) = p.sink.map(|i| self.take_sink(i)).filter(|v| !v.pieces.is_empty()) {
            // A condition prints nothing, as a rule.
            let open = v.pieces.iter().all(|p| matches!(p, crate::value::Piece::Unknown(_)));
            p.before.push(if open { Value::either(v, Value::default()) } else { v });
        }
    }

    fn branch_printed(&mut self, p: &mut Printed) {
        if let Some(v) = p.sink.map(|i| self.take_sink(i)).filter(|v| !v.pieces.is_empty()) {
            p.each.push(v);
        }
    }

    fn end_printed(&mut self, p: Printed) {
        let Some(s) = p.sink.and_then(|i| self.sinks.get_mut(i)) else { return };
        let rest = std::mem::replace(s, p.before);
        if let Some(v) = p.each.into_iter().reduce(Value::either) {
            s.push(v);
        }
        s.push(rest);
    }

    /// One state of the ends of several branches. Where all leave, so does the whole.
    pub(crate) fn meet(&mut self, ends: Vec<(Flow, Shell)>, last: Option<Flow>) -> Flow {
        let mut state: Option<Shell> = None;
        let mut left: Option<(Flow, Shell)> = None;
        for (flow, sh) in ends {
            if flow == Flow::Next {
                state = Some(match state {
                    None => sh,
                    Some(s) => s.join(sh),
                });
            } else {
                left.get_or_insert((flow, sh));
            }
        }
        match (state, left) {
            (Some(s), _) => {
                self.sh = s;
                Flow::Next
            }
            (None, Some((f, s))) => {
                if last.is_none() {
                    self.sh = s;
                }
                last.unwrap_or(f)
            }
            (None, None) => last.unwrap_or(Flow::Next),
        }
    }

    /// `case x"${empty^}" in`: bash 5.2 leaves a byte there that patterns see.
    pub(super) fn keeps_a_null(&mut self, word: &crate::syntax::ast::Word) -> bool {
        use crate::syntax::ast::{ParamOp, PartKind};
        let mut names = Vec::new();
        for p in &word.parts {
            let PartKind::Double(inner) = &p.kind else { continue };
            for q in inner {
                if let PartKind::Param(p) = &q.kind
                    && matches!(
                        p.op,
                        ParamOp::Case(..) | ParamOp::Replace(..) | ParamOp::Transform(_) | ParamOp::Substring(..)
                    )
                {
                    names.push(p.name.clone());
                }
            }
        }
        let alone = word.parts.len() == 1 && names.len() < 2;
        let at = self.at(word.span);
        !alone
            && names.iter().any(|n| self.variable(n, at).is_none_or(|v| super::super::param::empty(&v) != Some(false)))
    }

    /// `case`: the first arm that matches; where that is not known, every arm that may.
    pub(super) fn case(&mut self, k: &crate::syntax::ast::Case) -> Flow {
        let mut word = self.single(&k.word);
        if self.keeps_a_null(&k.word) {
            word = Value::unknown(
                crate::value::Why::NotComputed("empty text in the word of a case"),
                self.at(k.word.span),
            );
        }
        let mut ends: Vec<(Flow, Shell)> = Vec::new();
        let saved = self.certainty;
        let mut falling = false;
        let mut settled = false;
        let mut printed = self.begin_printed();
        for arm in &k.arms {
            let mut hit = Some(false);
            if falling {
                hit = Some(true);
            } else {
                for p in &arm.patterns {
                    let pat = self.pattern(p);
                    match self.matches(&word, &pat) {
                        Some(true) => {
                            hit = Some(true);
                            break;
                        }
                        None => hit = None,
                        Some(false) => {}
                    }
                }
            }
            if hit == Some(false) {
                continue;
            }
            if arm.body.items.is_empty() {
                self.sh.status = Some(0);
            }
            if hit == Some(true) {
                let flow = self.list(&arm.body);
                if arm.end == CaseEnd::Break || !ends.is_empty() {
                    self.branch_printed(&mut printed);
                }
                falling = arm.end == CaseEnd::FallThrough && flow == Flow::Next;
                if falling || (arm.end == CaseEnd::Continue && flow == Flow::Next) {
                    continue;
                }
                ends.push((flow, self.sh.clone()));
                settled = true;
                break;
            }
            let before = self.sh.clone();
            let flow = self.conditional(|me| me.list(&arm.body));
            self.branch_printed(&mut printed);
            ends.push((flow, std::mem::replace(&mut self.sh, before)));
            self.certainty = self.certainty.min(Certainty::Conditional);
        }
        self.certainty = saved;
        self.end_printed(printed);
        if !settled {
            if !falling {
                // No arm.
                self.sh.status = Some(0);
            }
            ends.push((Flow::Next, self.sh.clone()));
        }
        self.meet(ends, None)
    }
}
