//! `trap`: code that the shell runs at a signal, at its end, after a failure, before a command.
//!
//! In: the invocation. Out: the traps that are set, and programs that a signal may run.

use super::super::Interp;
use crate::command::Invocation;
use crate::effect::{Object, ProcessId, Verb};
use crate::source::Place;
use crate::value::{Value, Why};

impl Interp<'_> {
    /// `trap`
    pub(super) fn trap(&mut self, inv: &Invocation, by: ProcessId, at: Place) {
        let signal = |v: &Value| {
            v.as_str().map(|s| {
                let name = s.to_ascii_uppercase();
                let name = name.strip_prefix("SIG").unwrap_or(&name);
                match name {
                    "0" | "EXIT" => Signal::Exit,
                    "ERR" => Signal::Err,
                    "DEBUG" => Signal::Debug,
                    "RETURN" => Signal::Return,
                    n if n.parse::<u8>().is_ok_and(|n| n <= 64) => Signal::Other,
                    n if SIGNALS.contains(&n) || n.starts_with("RTM") => Signal::Other,
                    _ => Signal::None,
                }
            })
        };
        let Some((code, signals)) = inv.operands.split_first() else {
            // It lists what is set.
            self.emit(1, Value::unknown(Why::NotComputed("list of traps"), at));
            self.sh.status = Some(0);
            return;
        };
        if inv.has("-p") || inv.has("-l") {
            self.emit(1, Value::unknown(Why::NotComputed("list of traps"), at));
            self.sh.status = None;
            return;
        }
        if signals.is_empty() {
            // `trap EXIT` takes the trap back.
            let s = signal(code);
            match s {
                Some(Signal::Exit) => self.sh.exit_trap = None,
                Some(Signal::Err) => self.sh.err_trap = None,
                Some(Signal::Debug) => self.sh.debug_trap = None,
                Some(Signal::Return) => self.sh.return_trap = None,
                _ => {}
            }
            self.sh.status = s.map(|s| if matches!(s, Signal::None) { 2 } else { 0 });
            return;
        }
        let text = code.as_str().map(|s| s.into_owned());
        let resets = text.as_deref() == Some("-")
            || text.as_deref().is_some_and(|t| t.bytes().all(|b| b.is_ascii_digit()) && !t.is_empty());
        let ignores = text.as_deref() == Some("");
        let mut status = Some(0);
        let mut later = false;
        for v in signals {
            match signal(v) {
                Some(Signal::Exit) if resets || ignores => self.sh.exit_trap = None,
                Some(Signal::Exit) => self.sh.exit_trap = Some((code.clone(), by, at, self.certainty)),
                Some(s @ (Signal::Err | Signal::Debug | Signal::Return)) => {
                    let trap = (!resets && !ignores).then(|| (code.clone(), by, at, self.sure()));
                    // That of a function runs when it returns.
                    let soon = matches!(s, Signal::Return) && self.calls.iter().any(|c| !c.contains(' '));
                    later |= trap.is_some() && !soon;
                    if trap.is_some() && matches!(s, Signal::Debug) {
                        // It sees every command before it runs.
                        self.effect(Verb::Interact, Object::Stated("debug-hook"), by, at);
                    }
                    match s {
                        Signal::Return => self.sh.return_trap = trap,
                        Signal::Err => self.sh.err_trap = trap,
                        _ => self.sh.debug_trap = trap,
                    }
                }
                Some(Signal::Other) => later = true,
                Some(Signal::None) => status = status.map(|_| 1),
                None => {
                    later = true;
                    status = None;
                }
            }
        }
        if later && !resets && !ignores {
            self.deferred(code.clone(), self.language, by, at);
        }
        self.sh.status = status;
    }
}

/// What `trap` is told to wait for.
#[derive(Clone, Copy)]
pub(super) enum Signal {
    Exit,
    Err,
    Debug,
    Return,
    /// A signal.
    Other,
    /// No signal.
    None,
}

/// Signals by name (signal(7)).
pub(super) const SIGNALS: &[&str] = &[
    "ABRT", "ALRM", "BUS", "CHLD", "CLD", "CONT", "FPE", "HUP", "ILL", "INT", "IO", "IOT", "KILL", "PIPE", "POLL",
    "PROF", "PWR", "QUIT", "SEGV", "STKFLT", "STOP", "SYS", "TERM", "TRAP", "TSTP", "TTIN", "TTOU", "URG", "USR1",
    "USR2", "VTALRM", "WINCH", "XCPU", "XFSZ",
];
