//! What a trap runs, and what a failure ends.
//!
//! In: the shell's traps and options, and how the last command ended. Out: whether the shell goes on.

use super::super::{Flow, Interp};
use crate::effect::graph::Reach;

impl Interp<'_> {
    /// The code of `trap … EXIT`: what the shell runs before it leaves.
    pub(crate) fn run_exit_trap(&mut self) {
        if let Some((code, by, at, certainty)) = self.sh.exit_trap.take() {
            let saved = self.certainty;
            self.certainty = saved.min(certainty);
            self.evaluate(self.language, code, Reach::Deferred, by, at, super::super::nested::Env::Current(None));
            self.certainty = saved;
        }
    }

    /// Runs the code of a trap that comes between two commands, which neither sees another trap nor changes `$?`.
    pub(super) fn run_trap(&mut self, trap: super::super::scope::ExitTrap) {
        if self.in_trap {
            return;
        }
        let (code, by, at, certainty) = trap;
        let (saved, status, last_arg) = (self.certainty, self.sh.status, self.sh.last_arg.clone());
        self.certainty = saved.min(certainty);
        self.in_trap = true;
        self.evaluate(self.language, code, Reach::Deferred, by, at, super::super::nested::Env::Current(None));
        self.in_trap = false;
        self.certainty = saved;
        (self.sh.status, self.sh.last_arg) = (status, last_arg);
    }

    /// The code of `trap … DEBUG`, before each command.
    pub(crate) fn run_debug_trap(&mut self) {
        if !self.in_trap
            && let Some(trap) = self.sh.debug_trap.clone()
        {
            self.run_trap(trap);
        }
    }

    /// What a command that failed leads to: the code of `trap … ERR`, and under `set -e` the end of the shell.
    pub(super) fn check_failure(&mut self) -> Flow {
        match self.sh.status {
            Some(0) => {}
            Some(_) => {
                if let Some(trap) = self.sh.err_trap.clone() {
                    self.run_trap(trap);
                }
                if self.sh.opts.errexit {
                    return Flow::Exit;
                }
            }
            None => {
                if !self.in_trap
                    && let Some(trap) = self.sh.err_trap.clone()
                {
                    let before = self.sh.clone();
                    self.conditional(|me| me.run_trap(trap));
                    self.after_branch(Flow::Next, before);
                }
            }
        }
        Flow::Next
    }

    /// Runs something whose failure is no error: a condition.
    pub(super) fn unchecked<T>(&mut self, body: impl FnOnce(&mut Self) -> T) -> T {
        self.unchecked = self.unchecked.saturating_add(1);
        let r = body(self);
        self.unchecked = self.unchecked.saturating_sub(1);
        r
    }
}
