//! The one table of exit codes. Floor 8; imports `verdict`.

use crate::verdict::Action;

/// How the process ends. 0, 1 and 2 are verdicts, and no input to `check` leads to any other code; from 64 on the
/// caller made a mistake or the machine failed (numbers as in BSD `sysexits.h`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// The verdict is allow; for other sub-commands: done.
    Allow = 0,
    /// The verdict is block; for others: denied, off, or it does not work.
    Block = 1,
    /// The verdict is warn; for others: a person has to be asked, or a part is missing or ignored.
    Warn = 2,
    /// Of `line`: the text has no end yet.
    More = 3,
    /// Wrong arguments, or a file named in them that cannot be read.
    Usage = 64,
    /// A mistake of this program outside any verdict.
    Internal = 70,
    /// Input or output failed.
    Io = 74,
    /// Settings, keys or data are broken or have a form that is not changed here.
    Config = 78,
}

/// The table for people.
pub const TABLE: &str = "\
Exit codes:
   0  allow, approved, done, or all is well
   1  block, denied, off, or it does not work
   2  warn, a question, or a part is missing or ignored; a hook's no, where that is its agent's word for it
   3  the line has no end yet (`line`)
  64  wrong usage: arguments, files named in them, or an answer that fits no request
  70  internal error outside a verdict
  74  reading or writing failed
  78  settings, policy, keys or data are broken, refused, or left as they are";

impl From<Action> for Exit {
    fn from(action: Action) -> Self {
        match action {
            Action::Allow => Exit::Allow,
            Action::Block => Exit::Block,
            Action::Warn => Exit::Warn,
        }
    }
}

impl From<Exit> for std::process::ExitCode {
    fn from(exit: Exit) -> Self {
        std::process::ExitCode::from(exit as u8)
    }
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct Failure {
    /// The code to end with.
    pub exit: Exit,
    /// For people.
    pub message: String,
}

impl Failure {
    /// Wrong arguments.
    pub fn usage(message: impl Into<String>) -> Self {
        Failure { exit: Exit::Usage, message: message.into() }
    }
    /// Failed input or output.
    pub fn io(what: &str, e: &std::io::Error) -> Self {
        Failure { exit: Exit::Io, message: format!("{what}: {e}") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_keep_the_codes_that_clients_read() {
        for action in [Action::Allow, Action::Block, Action::Warn] {
            assert_eq!(Exit::from(action) as u8, action.exit_code());
        }
    }

    #[test]
    fn the_table_for_people_names_every_code() {
        for exit in
            [Exit::Allow, Exit::Block, Exit::Warn, Exit::More, Exit::Usage, Exit::Internal, Exit::Io, Exit::Config]
        {
            let code = format!("{:>4}  ", exit as u8);
            assert!(TABLE.lines().any(|l| l.starts_with(&code)), "{exit:?}");
        }
    }
}
