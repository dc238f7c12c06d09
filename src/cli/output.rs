//! The one writer to standard output, and messages to standard error. Floor 8.
//!
//! An answer is made whole before its first byte is written, so a failure on the way never leaves half of one. A reader
//! that closes the pipe has read enough: that is no error.

use super::exit::Failure;
use std::io::{ErrorKind, IsTerminal, Write};

/// When to colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Colour {
    /// On a terminal, unless `NO_COLOR` is set or `TERM` is `dumb`.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// True where output to standard output is to be coloured.
pub fn colour(when: Colour) -> bool {
    let set = |name| std::env::var_os(name).is_some_and(|v| !v.is_empty());
    match when {
        Colour::Always => true,
        Colour::Never => false,
        Colour::Auto => {
            !set("NO_COLOR") && std::env::var_os("TERM").is_none_or(|t| t != "dumb") && std::io::stdout().is_terminal()
        }
    }
}

/// Columns for prose: what the terminal says where it does, at most 120, else 100.
pub fn width() -> usize {
    let columns = std::env::var("COLUMNS").ok().and_then(|c| c.parse::<usize>().ok());
    columns.map_or(100, |c| c.clamp(40, 120))
}

/// Writes a whole answer and flushes it.
pub fn print(bytes: &[u8]) -> Result<(), Failure> {
    done(write(bytes))
}

/// The same for whom a closed pipe is a failure, too.
pub fn write(bytes: &[u8]) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(bytes).and_then(|()| out.flush())
}

/// A result of writing, where a closed pipe counts as success.
pub fn done(result: std::io::Result<()>) -> Result<(), Failure> {
    match result {
        Err(e) if e.kind() == ErrorKind::BrokenPipe => Ok(()),
        Err(e) => Err(Failure::io("cannot write to standard output", &e)),
        Ok(()) => Ok(()),
    }
}

/// Writes a message for people to standard error, with the program's name before it.
pub fn complain(message: &str) {
    note(&format!("shellward: {message}"));
}

/// Writes a text for people to standard error. Where that fails there is nobody to tell.
pub fn note(text: &str) {
    // Best effort: standard error may be closed.
    let _ = writeln!(std::io::stderr().lock(), "{}", text.trim_end());
}

/// Puts a line in place of the last one on the terminal of standard error; an empty one takes it away.
pub fn status(text: &str) {
    // Best effort, as above.
    let _ = write!(std::io::stderr().lock(), "\r\x1b[K{text}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_closed_pipe_is_success_and_a_full_disk_is_not() {
        assert!(done(Err(ErrorKind::BrokenPipe.into())).is_ok());
        assert!(done(Err(ErrorKind::StorageFull.into())).is_err());
    }
}
