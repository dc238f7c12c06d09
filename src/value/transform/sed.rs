//! `sed`: a safe subset of GNU sed.
//!
//! In: the script (the first operand, or `-e` options) and the input. Out: what is printed. Not computed: commands that
//! touch files or run programs (`r w e`), back references in patterns, the `m` flag.

mod parse;

use super::super::Why;
use super::regex::Matcher;
use super::{Call, Output, lines};
use crate::limits;
use parse::{Address, Case, Command, Part, Script, Substitution, Verb};

/// True for a script that only edits what passes: it reads and writes no file of its own and starts no command (`e`, `r`,
/// `w` and their like are what the reader of scripts does not take).
pub fn only_edits(text: &[u8]) -> bool {
    parse::script(text, false).is_ok() || parse::script(text, true).is_ok()
}

/// The transform: options `-n -E -e -s -z`.
pub(super) fn run(call: &Call<'_>) -> Result<Output, Why> {
    let mut text = Vec::new();
    let given = call.values("-e");
    let parts = if given.is_empty() { call.operands.get(..1).unwrap_or(&[]) } else { &given };
    for (i, p) in parts.iter().enumerate() {
        if i > 0 {
            text.push(b'\n');
        }
        text.extend_from_slice(p);
    }
    let script = parse::script(&text, call.has("-E"))?;
    let input = call.input_lines();
    let (all, ended) = lines(&input);
    let mut m = Machine {
        script: &script,
        lines: &all,
        ended,
        next: 0,
        pattern: Vec::new(),
        hold: Vec::new(),
        pattern_ends: true,
        hold_ends: true,
        missing: false,
        active: vec![None; script.commands.len()],
        quiet: call.has("-n") || script.quiet,
        out: Vec::new(),
        later: Vec::new(),
        replaced: false,
        steps: 0,
        status: 0,
    };
    m.run()?;
    Ok(Output::computed(m.out)?.with_status(m.status))
}

struct Machine<'a> {
    script: &'a Script,
    lines: &'a [&'a [u8]],
    ended: bool,
    /// Lines read so far, which is the number of the current one.
    next: usize,
    pattern: Vec<u8>,
    hold: Vec<u8>,
    /// Whether the text had a newline in the input, and so gets one when it is printed. It goes with the text.
    pattern_ends: bool,
    hold_ends: bool,
    /// The last printed line has no newline; it gets one if more is printed.
    missing: bool,
    /// For each command with a range: where it ends, while it is active.
    active: Vec<Option<usize>>,
    quiet: bool,
    out: Vec<u8>,
    /// Text of `a` commands, printed at the end of the cycle.
    later: Vec<Vec<u8>>,
    replaced: bool,
    steps: usize,
    status: u8,
}

/// What happens after a command.
enum Flow {
    Next,
    Jump(usize),
    /// The cycle ends with printing the pattern space.
    End,
    /// The cycle ends without.
    Delete,
    /// A new cycle with what is left in the pattern space.
    Restart,
    Quit,
    QuitSilently,
}

impl Machine<'_> {
    fn is_last(&self) -> bool {
        self.next >= self.lines.len()
    }

    fn read(&mut self) -> Option<Vec<u8>> {
        let line = self.lines.get(self.next)?;
        self.next = self.next.saturating_add(1);
        self.pattern_ends = !self.is_last() || self.ended;
        Some(line.to_vec())
    }

    fn emit(&mut self, text: &[u8], newline: bool) -> Result<(), Why> {
        if self.missing {
            self.out.push(b'\n');
        }
        self.out.extend_from_slice(text);
        if newline {
            self.out.push(b'\n');
        }
        self.missing = !newline;
        if self.out.len() > limits::MAX_VALUE { Err(Why::Limit) } else { Ok(()) }
    }

    fn print(&mut self) -> Result<(), Why> {
        let text = std::mem::take(&mut self.pattern);
        self.emit(&text, self.pattern_ends)?;
        self.pattern = text;
        Ok(())
    }

    fn run(&mut self) -> Result<(), Why> {
        let mut keep = false;
        loop {
            if !keep {
                match self.read() {
                    Some(line) => self.pattern = line,
                    None => break,
                }
            }
            keep = false;
            self.replaced = false;
            let flow = self.cycle()?;
            match flow {
                Flow::Restart => keep = true,
                Flow::Delete | Flow::QuitSilently => {}
                _ if !self.quiet => self.print()?,
                _ => {}
            }
            for text in std::mem::take(&mut self.later) {
                self.emit(&text, true)?;
            }
            if matches!(flow, Flow::Quit | Flow::QuitSilently) {
                break;
            }
        }
        Ok(())
    }

    fn cycle(&mut self) -> Result<Flow, Why> {
        let mut at = 0usize;
        let script = self.script;
        while let Some(command) = script.commands.get(at) {
            self.steps = self.steps.saturating_add(1);
            if self.steps > limits::MAX_TRANSFORM_STEPS || self.pattern.len() > limits::MAX_VALUE {
                return Err(Why::Limit);
            }
            if matches!(command.verb, Verb::Substitute(_)) || command.first.is_some() {
                self.steps = self.steps.saturating_add(self.pattern.len() / 32);
            }
            if self.selected(at, command)? == command.negated {
                at = match command.verb {
                    Verb::Open(end) => end,
                    _ => at.saturating_add(1),
                };
                continue;
            }
            match self.step(command)? {
                Flow::Next => at = at.saturating_add(1),
                Flow::Jump(to) => at = to,
                other => return Ok(other),
            }
        }
        Ok(Flow::End)
    }

    fn address(&self, a: &Address) -> bool {
        match a {
            Address::Line(n) => self.next == *n,
            Address::Last => self.is_last(),
            Address::Regex(r) => r.is_match(&self.pattern),
            Address::Step(first, step) => {
                let past = self.next.checked_sub(*first);
                past.is_some_and(|p| if *step == 0 { p == 0 } else { p.checked_rem(*step) == Some(0) })
            }
            Address::Plus(_) => false,
        }
    }

    fn selected(&mut self, at: usize, c: &Command) -> Result<bool, Why> {
        let Some(first) = &c.first else { return Ok(true) };
        let Some(second) = &c.second else { return Ok(self.address(first)) };
        let active = self.active.get(at).copied().flatten();
        if let Some(end) = active {
            // An end by number is reached by number; others are tried on each line after the first.
            let done = match second {
                Address::Line(_) | Address::Plus(_) => self.next >= end,
                other => self.address(other),
            };
            let inside = !matches!(second, Address::Line(_)) || self.next <= end;
            if done && let Some(slot) = self.active.get_mut(at) {
                *slot = None;
            }
            if inside {
                return Ok(true);
            }
        }
        let zero = matches!(first, Address::Line(0));
        if zero && self.next == 1 && active.is_none() {
            // `0,/re/`: the end may match on the first line already.
            let done = self.address(second);
            if let Some(slot) = self.active.get_mut(at) {
                *slot = if done { None } else { Some(usize::MAX) };
            }
            return Ok(true);
        }
        if !self.address(first) {
            return Ok(false);
        }
        let end = match second {
            Address::Line(n) => *n,
            Address::Plus(n) => self.next.saturating_add(*n),
            Address::Step(..) => return Err(Why::NotComputed("sed address")),
            _ => usize::MAX,
        };
        let one = end <= self.next || matches!(second, Address::Last) && self.is_last();
        if let Some(slot) = self.active.get_mut(at) {
            *slot = if one { None } else { Some(end) };
        }
        Ok(true)
    }

    fn step(&mut self, c: &Command) -> Result<Flow, Why> {
        match &c.verb {
            Verb::Open(_) | Verb::Close => {}
            Verb::Substitute(s) => {
                if let Some(new) = substitute(&self.pattern, s)? {
                    self.pattern = new;
                    self.replaced = true;
                    if s.print {
                        self.print()?;
                    }
                }
            }
            Verb::Translate(map) => {
                translate(&mut self.pattern, map)?;
            }
            Verb::Delete => return Ok(Flow::Delete),
            Verb::DeleteFirst => {
                return Ok(match self.pattern.iter().position(|b| *b == b'\n') {
                    Some(i) => {
                        self.pattern.drain(..=i);
                        Flow::Restart
                    }
                    None => Flow::Delete,
                });
            }
            Verb::Print => self.print()?,
            Verb::PrintFirst => {
                let first = self.pattern.split(|b| *b == b'\n').next().unwrap_or(&[]).to_vec();
                self.emit(&first, first.len() < self.pattern.len() || self.pattern_ends)?;
            }
            Verb::Number => self.emit(self.next.to_string().as_bytes(), true)?,
            Verb::Next => {
                if self.is_last() {
                    // GNU prints the pattern space and ends.
                    return Ok(Flow::Quit);
                }
                if !self.quiet {
                    self.print()?;
                }
                self.pattern = self.read().unwrap_or_default();
            }
            Verb::Append => {
                let Some(line) = self.read() else { return Ok(Flow::Quit) };
                self.pattern.push(b'\n');
                self.pattern.extend_from_slice(&line);
            }
            Verb::Quit(code) => {
                self.status = *code;
                self.pattern_ends = true;
                return Ok(Flow::Quit);
            }
            Verb::QuitSilently(code) => {
                self.status = *code;
                return Ok(Flow::QuitSilently);
            }
            Verb::Hold => {
                self.hold = self.pattern.clone();
                self.hold_ends = self.pattern_ends;
            }
            Verb::HoldAppend => {
                self.hold.push(b'\n');
                self.hold.extend_from_slice(&self.pattern);
                self.hold_ends = self.pattern_ends;
                if self.hold.len() > limits::MAX_VALUE {
                    return Err(Why::Limit);
                }
            }
            Verb::Get => {
                self.pattern = self.hold.clone();
                self.pattern_ends = self.hold_ends;
            }
            Verb::GetAppend => {
                self.pattern.push(b'\n');
                self.pattern.extend_from_slice(&self.hold);
                self.pattern_ends = self.hold_ends;
            }
            Verb::Exchange => {
                std::mem::swap(&mut self.pattern, &mut self.hold);
                std::mem::swap(&mut self.pattern_ends, &mut self.hold_ends);
            }
            Verb::Insert(text) => self.emit(text, true)?,
            Verb::AppendText(text) => self.later.push(text.clone()),
            Verb::Branch(to) => return Ok(Flow::Jump(*to)),
            Verb::BranchIf(to, when) => {
                let replaced = std::mem::take(&mut self.replaced);
                if replaced == *when {
                    return Ok(Flow::Jump(*to));
                }
            }
        }
        Ok(Flow::Next)
    }
}

fn translate(text: &mut Vec<u8>, map: &[(char, char)]) -> Result<(), Why> {
    let valid = std::str::from_utf8(text).map_err(|_| Why::NotComputed("text that is not UTF-8"))?;
    let new: String = valid.chars().map(|c| map.iter().find(|(f, _)| *f == c).map_or(c, |(_, t)| *t)).collect();
    *text = new.into_bytes();
    Ok(())
}

/// The text with matches replaced; `None` where nothing matched.
fn substitute(text: &[u8], s: &Substitution) -> Result<Option<Vec<u8>>, Why> {
    let regex: &Matcher = &s.regex;
    let mut out = Vec::new();
    let (mut at, mut done, mut n) = (0usize, 0usize, 0usize);
    let mut any = false;
    let mut last_end = None;
    while at <= text.len() {
        let Some(found) = regex.find_at(text, at)? else { break };
        let Some(whole) = found.get(0) else { break };
        let (a, b) = (whole.start(), whole.end());
        // An empty match right behind the one before does not count.
        if a == b && last_end == Some(a) {
            at = a.saturating_add(char_len(text, a));
            continue;
        }
        n = n.saturating_add(1);
        last_end = Some(b);
        // GNU steps over an empty match by bytes, into the middle of characters.
        if a == b && s.all && char_len(text, a) > 1 {
            return Err(Why::NotComputed("empty match"));
        }
        if n >= s.number {
            any = true;
            out.extend_from_slice(text.get(done..a).unwrap_or(&[]));
            expand(&mut out, &s.with, &found)?;
            done = b;
            if out.len() > limits::MAX_VALUE {
                return Err(Why::Limit);
            }
            if !s.all {
                break;
            }
        }
        at = if b > a { b } else { b.saturating_add(char_len(text, b)) };
    }
    out.extend_from_slice(text.get(done..).unwrap_or(&[]));
    Ok(any.then_some(out))
}

/// The length of the character at `at`, at least 1.
fn char_len(text: &[u8], at: usize) -> usize {
    let rest = text.get(at..).unwrap_or(&[]);
    rest.utf8_chunks().next().and_then(|c| c.valid().chars().next()).map_or(1, char::len_utf8)
}

fn expand(out: &mut Vec<u8>, with: &[Part], found: &regex::bytes::Captures<'_>) -> Result<(), Why> {
    let (mut lasting, mut once) = (None, None);
    for part in with {
        let piece: &[u8] = match part {
            Part::Text(t) => t,
            Part::Group(n) => found.get(*n).map_or(&[][..], |m| m.as_bytes()),
            Part::Case(c) => {
                match c {
                    Case::Upper | Case::Lower => lasting = Some(*c),
                    Case::UpperOne | Case::LowerOne => once = Some(*c),
                    Case::End => (lasting, once) = (None, None),
                }
                continue;
            }
        };
        if lasting.is_none() && once.is_none() {
            out.extend_from_slice(piece);
            continue;
        }
        let text = std::str::from_utf8(piece).map_err(|_| Why::NotComputed("case of bytes"))?;
        let mut made = match lasting {
            Some(Case::Upper) => text.to_uppercase(),
            Some(Case::Lower) => text.to_lowercase(),
            _ => text.to_string(),
        };
        if let (Some(c), Some(first)) = (once, made.chars().next()) {
            let one =
                if c == Case::UpperOne { first.to_uppercase().to_string() } else { first.to_lowercase().to_string() };
            made = format!("{one}{}", made.get(first.len_utf8()..).unwrap_or(""));
            once = None;
        }
        out.extend_from_slice(made.as_bytes());
    }
    Ok(())
}

#[cfg(test)]
mod tests;
