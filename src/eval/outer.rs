//! What the surrounding shell gives to the text: its parameters, and its own name.
//!
//! In: words and invocations with `$@`, `$*`, `$0` of the surrounding shell in them. Out: how they read where that shell
//! has no parameters, as one that is given its text with `-c` or on a terminal has not. A script may have some: so they
//! are left out only where something else stands beside them, and a doubt says so each time.

use super::Interp;
use super::expand::Run;
use super::scope::End;
use crate::command::{Invocation, Role, Stdin};
use crate::effect::graph::DoubtKind;
use crate::source::Place;
use crate::value::{Piece, Taint, Unknown, Value, Why};

/// All parameters of the surrounding shell, as one piece that may be no word at all.
fn all(u: &Unknown) -> bool {
    u.splits && matches!(&u.why, Why::Parameter(n) if n == "@" || n == "*")
}

/// True for a word that is `$@` or `$*` of the surrounding shell and nothing else.
pub(crate) fn is_parameters(v: &Value) -> bool {
    matches!(v.pieces.as_slice(), [Piece::Unknown(u)] if all(u))
}

impl Interp<'_> {
    /// True where `$@` belongs to the surrounding shell.
    pub(crate) fn outer_parameters(&self) -> bool {
        self.sh.positional.is_none() && self.sh.outer_positional
    }

    fn left_out(&mut self, v: &Value) {
        self.doubt(DoubtKind::UnknownValue, v.show(), v.place());
    }

    /// `r"$@"m`: parameters in the middle of a word. The word is read without them.
    pub(crate) fn drop_glued_parameters(&mut self, runs: &mut Vec<Run>) {
        let parameter = |r: &Run| matches!(r, Run::Piece(Piece::Unknown(u), _) if all(u));
        let more = |r: &Run| match r {
            Run::Piece(Piece::Literal(l), _) => !l.bytes.is_empty(),
            Run::Piece(..) => !parameter(r),
            Run::Null | Run::Break(_) => false,
        };
        if runs.len() < 2 || !runs.iter().any(parameter) || !runs.iter().any(more) {
            return;
        }
        if let Some(Run::Piece(Piece::Unknown(u), _)) = runs.iter().find(|r| parameter(r)) {
            let (detail, from) = (u.why.show(), u.from);
            self.doubt(DoubtKind::UnknownValue, detail, from);
        }
        runs.retain(|r| !parameter(r));
    }

    /// Text of which parameters are a part (arithmetic): without them.
    pub(crate) fn drop_parameters_within(&mut self, v: Value) -> Value {
        let parameter = |p: &Piece| matches!(p, Piece::Unknown(u) if all(u));
        if v.pieces.len() < 2 || !v.pieces.iter().any(parameter) || v.pieces.iter().all(parameter) {
            return v;
        }
        self.left_out(&v);
        Value { pieces: v.pieces.into_iter().filter(|p| !parameter(p)).collect() }
    }

    /// The words of a list that has other words, too (an array's elements), without parameters.
    pub(crate) fn drop_parameters_beside(&mut self, words: &mut Vec<Value>) {
        words.iter().filter(|v| is_parameters(v)).for_each(|v| self.left_out(v));
        words.retain(|v| !is_parameters(v));
    }

    /// `$* cmd args`: the command is the first word that is left without parameters.
    pub(crate) fn drop_leading_parameters(&mut self, argv: &mut Vec<Value>) {
        let n = argv.iter().take_while(|v| is_parameters(v)).count();
        if n == 0 || n == argv.len() {
            return;
        }
        for v in argv.drain(..n).collect::<Vec<_>>() {
            self.left_out(&v);
        }
    }

    /// The invocation without parameters among its operands, where they stand beside other operands, or where the
    /// program then reads the input that the text gives it. `None`: as it is.
    pub(crate) fn without_parameters(&mut self, argv: &[Value], inv: &Invocation) -> Option<(Invocation, Vec<Value>)> {
        if !argv.iter().any(is_parameters) {
            return None;
        }
        // What they would run, if there are any, is a fact of its own: `sudo "$@"`.
        let runs = |r: Role| matches!(r, Role::Command | Role::CommandString | Role::Code(_));
        let run = |u: &crate::command::Use| {
            runs(u.role) && (is_parameters(&u.value) || u.words.first().is_some_and(is_parameters))
        };
        if inv.uses.iter().any(run) {
            return None;
        }
        let fewer: Vec<Value> = argv.iter().filter(|v| !is_parameters(v)).cloned().collect();
        let without = self.read_argv(&fewer);
        let given = !matches!(self.sh.fd(0), End::Outer(_));
        let reads = given && inv.stdin == Stdin::Ignored && without.stdin != Stdin::Ignored;
        if without.operands.is_empty() && !reads {
            return None;
        }
        argv.iter().filter(|v| is_parameters(v)).for_each(|v| self.left_out(v));
        Some((without, fewer))
    }

    /// A command word that is the running shell itself: `$0` of a text that is no script, `$BASH`, `$SHELL`.
    pub(crate) fn own_shell(&self, word: &Value) -> Option<Value> {
        let [Piece::Unknown(u)] = word.pieces.as_slice() else { return None };
        if matches!(&u.why, Why::Environment(n) if n == "COMSPEC") {
            return Some(Value::computed(
                crate::effect::Language::Cmd.name().as_bytes(),
                word.place(),
                Taint::default(),
            ));
        }
        let own = match &u.why {
            Why::Parameter(n) => n == "0",
            Why::Environment(n) => matches!(n.as_str(), "BASH" | "SHELL" | "ZSH_ARGZERO"),
            _ => false,
        };
        own.then(|| Value::computed(self.language.name().as_bytes(), word.place(), Taint::default()))
    }

    /// `c${u}url`, `${CROSS}gcc`: a variable that nothing sets is nothing, so that the command word has a second reading.
    /// The words of that, where it names a program.
    pub(crate) fn without_unset(&self, word: &Value, argv: &[Value]) -> Option<Vec<Value>> {
        let unset = |p: &Piece| match p {
            Piece::Unknown(u) => match &u.why {
                Why::Environment(n) => !crate::command::grammar::is_exported(n),
                Why::Parameter(n) => n != "0" && n.bytes().all(|b| b.is_ascii_digit()),
                _ => false,
            },
            _ => false,
        };
        if !word.pieces.iter().any(unset) {
            return None;
        }
        let rest = Value { pieces: word.pieces.iter().filter(|p| !unset(p)).cloned().collect() };
        if !rest.is_known() {
            return None;
        }
        let mut words = argv.to_vec();
        if rest.pieces.is_empty() {
            words.remove(0);
        } else {
            *words.first_mut()? = rest;
        }
        self.read_argv(&words).grammar?;
        Some(words)
    }

    /// `$0`, where it is the surrounding shell's.
    pub(crate) fn zero(&self, at: Place) -> Value {
        self.sh.zero.clone().unwrap_or_else(|| Value::unknown(Why::Parameter("0".into()), at))
    }
}
