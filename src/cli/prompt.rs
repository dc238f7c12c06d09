//! The question to a person at the terminal of this process.
//!
//! The terminal is opened by its own name, so that pipes on standard input and output stay what they are. Nothing that
//! was typed before the question counts; an empty line, end of input, Ctrl-C, silence and any word that is not offered
//! are a no. Signals from the keyboard are read as what they are, a no, so the caller gets an answer all the same.

use crate::gate::{Answer, Case, Scope};
use crate::redact;
use crate::report::human::{self, Style};
use crate::report::visible;
use std::fmt::Write as _;

/// Asks, and waits that many seconds. Without a terminal the caller has to ask.
pub(super) fn ask(case: &Case<'_>, always: bool, seconds: u32) -> Answer {
    #[cfg(unix)]
    {
        terminal::ask(&question(case), &choices(case, always), seconds).unwrap_or(Answer::Later(None))
    }
    #[cfg(not(unix))]
    {
        let _ = (case, always, seconds, question, choices);
        Answer::Later(None)
    }
}

/// The command in full, with nothing hidden in it, and what was found, with places.
fn question(case: &Case<'_>) -> String {
    let mut out = String::from("\nShellward: this command needs your approval.\n\n");
    for line in visible::lines(&redact::text(&case.text)).lines() {
        let _ = writeln!(out, "    {line}");
    }
    out.push('\n');
    let colour = std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
        && std::env::var_os("TERM").is_some_and(|t| t != "dumb");
    let style = Style { colour, width: super::output::width() };
    for matter in &case.open {
        out.push_str(&human::finding(matter.finding, &case.request.command, style));
        out.push_str("\n\n");
    }
    out
}

/// What can be answered: the letter, the word, the answer.
fn choices(case: &Case<'_>, always: bool) -> Vec<(&'static str, &'static str, Answer)> {
    let mut out = vec![("o", "once", Answer::Approve(Scope::Once))];
    if case.request.session.is_some() {
        out.push(("s", "session", Answer::Approve(Scope::Session)));
    }
    if always {
        out.push(("a", "always", Answer::Approve(Scope::Always)));
    }
    out.push(("d", "deny", Answer::Deny));
    out
}

/// The answer that a line is: a letter or word that was offered, else no.
fn read(line: &[u8], choices: &[(&str, &str, Answer)]) -> Answer {
    let text = String::from_utf8_lossy(line).trim().to_ascii_lowercase();
    let found = choices.iter().find(|(letter, word, _)| text == *letter || text == *word);
    found.map_or(Answer::Deny, |(_, _, answer)| answer.clone())
}

#[cfg(unix)]
mod terminal {
    use super::{Answer, read};
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::termios::{
        self, InputModes, LocalModes, OptionalActions, OutputModes, QueueSelector, SpecialCodeIndex, Termios,
    };
    use std::fs::{File, OpenOptions};
    use std::io::{Read, Write};
    use std::time::{Duration, Instant};

    /// What Ctrl-C is typed as.
    const INTERRUPT: u8 = 0x03;

    /// Gives the terminal back as it was, whatever happens.
    struct Restore(File, Termios);

    impl Drop for Restore {
        fn drop(&mut self) {
            // Nothing can be done where the terminal has gone.
            let _ = termios::tcsetattr(&self.0, OptionalActions::Now, &self.1);
        }
    }

    pub(super) fn ask(question: &str, choices: &[(&str, &str, Answer)], seconds: u32) -> Option<Answer> {
        let mut tty = OpenOptions::new().read(true).write(true).open("/dev/tty").ok()?;
        let before = termios::tcgetattr(&tty).ok()?;
        let mut modes = before.clone();
        // Lines are edited by the terminal as ever. No signals: they would end this process without an answer. A line
        // ends with Ctrl-C, too, so that it is read at once.
        modes.local_modes.remove(LocalModes::ISIG);
        modes.local_modes.insert(LocalModes::ICANON | LocalModes::ECHO);
        // The line editor of a shell may have left these off.
        modes.input_modes.insert(InputModes::ICRNL);
        modes.output_modes.insert(OutputModes::OPOST | OutputModes::ONLCR);
        modes.special_codes[SpecialCodeIndex::VEOL] = INTERRUPT;
        let restore = Restore(tty.try_clone().ok()?, before);
        // Flush: what was typed before the question is no answer to it.
        termios::tcsetattr(&tty, OptionalActions::Flush, &modes).ok()?;
        tty.write_all(question.as_bytes()).ok()?;
        termios::tcflush(&tty, QueueSelector::IFlush).ok()?;
        let offered: Vec<String> = choices.iter().map(|(letter, word, _)| format!("[{letter}] {word}")).collect();
        let answer = wait(&mut tty, &offered.join("  "), choices, seconds);
        let said = match &answer {
            Answer::Approve(_) => "approved",
            Answer::Timeout => "\nno answer: denied",
            _ => "denied",
        };
        // Best effort: the answer counts, whoever still sees it.
        let _ = writeln!(tty, "\x1b[K{said}");
        drop(restore);
        Some(answer)
    }

    fn wait(tty: &mut File, offered: &str, choices: &[(&str, &str, Answer)], seconds: u32) -> Answer {
        let until = Instant::now().checked_add(Duration::from_secs(u64::from(seconds.max(1))));
        let left = || until.map(|u| u.saturating_duration_since(Instant::now())).unwrap_or_default();
        let moves = std::env::var_os("TERM").is_some_and(|t| t != "dumb");
        let count = |left: Duration| format!("Without an answer it is denied in {} s.", left.as_secs_f64().ceil());
        if write!(tty, "{}\n{offered} (default: deny) > ", count(left())).is_err() {
            return Answer::Deny;
        }
        let mut shown = left().as_secs_f64().ceil();
        loop {
            let now = left();
            if now.is_zero() {
                return Answer::Timeout;
            }
            if moves && now.as_secs_f64().ceil() < shown {
                shown = now.as_secs_f64().ceil();
                // One line up and back to where the person types.
                let _ = write!(tty, "\x1b7\x1b[1A\r{}\x1b[K\x1b8", count(now));
            }
            let pause = now.min(Duration::from_millis(200));
            let pause = Timespec { tv_sec: 0, tv_nsec: i64::from(pause.subsec_nanos()).max(1) };
            let ready = poll(&mut [PollFd::new(&*tty, PollFlags::IN)], Some(&pause));
            match ready {
                Ok(0) | Err(rustix::io::Errno::INTR) => {}
                Ok(_) => {
                    let mut line = [0u8; 256];
                    return match tty.read(&mut line) {
                        Ok(n) => read(line.get(..n).unwrap_or_default(), choices),
                        Err(_) => Answer::Deny,
                    };
                }
                Err(_) => return Answer::Deny,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_offered_is_a_yes() {
        let mut all = vec![("o", "once", Answer::Approve(Scope::Once)), ("d", "deny", Answer::Deny)];
        for (line, want) in [
            ("o\n", Answer::Approve(Scope::Once)),
            (" Once \n", Answer::Approve(Scope::Once)),
            ("", Answer::Deny),
            ("\n", Answer::Deny),
            ("a\n", Answer::Deny),
            ("o\x03", Answer::Deny),
            ("yes\n", Answer::Deny),
            ("oo\n", Answer::Deny),
        ] {
            assert_eq!(read(line.as_bytes(), &all), want, "{line:?}");
        }
        all.push(("a", "always", Answer::Approve(Scope::Always)));
        assert_eq!(read(b"a\n", &all), Answer::Approve(Scope::Always));
    }
}
