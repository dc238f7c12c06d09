//! One word of an argv in option position: which options it is, and what of it is already a value.
//!
//! In: a word and the options that hold at this point. Out: [`Found`]. How options are written is the grammar's style;
//! no word after it is looked at here.

use super::grammar::model::{Level, Opt, Presence, Style};
use crate::value::Value;

/// An option in a word.
#[derive(Debug)]
pub(super) struct Hit {
    /// The option.
    pub opt: &'static Opt,
    /// The value that is attached to it.
    pub attached: Option<Value>,
}

/// What a word in option position is.
#[derive(Debug)]
pub(super) enum Found {
    /// No option: an operand.
    Operand,
    /// `--`: all words after it are operands.
    Dashes,
    /// Options.
    Options(Vec<Hit>),
    /// It has the shape of options, and these of it are, but the rest (the text) is not declared.
    Undeclared(Vec<Hit>, String),
    /// It has the shape of options, and these of it are, but the rest is not known.
    Unknown(Vec<Hit>),
}

/// The options that hold: the innermost level's, and those above that hold after sub-commands.
pub(super) fn visible<'a>(chain: &'a [&'static Level]) -> impl Iterator<Item = &'static Opt> + Clone + 'a {
    levels(chain).flat_map(|(l, holds)| l.options.iter().filter(move |o| holds(o)))
}

/// The levels, the innermost first, and which of their options hold.
fn levels<'a>(
    chain: &'a [&'static Level],
) -> impl Iterator<Item = (&'static Level, impl Fn(&Opt) -> bool + Clone)> + Clone + 'a {
    let last = chain.len().saturating_sub(1);
    chain.iter().enumerate().rev().map(move |(i, l)| (*l, move |o: &Opt| i == last || l.inherit || o.global))
}

/// Reads a word. `first` is true for the word right after the command word.
pub(super) fn word(chain: &[&'static Level], value: &Value, first: bool) -> Found {
    let Some(level) = chain.last() else { return Found::Operand };
    if level.style == Style::Raw {
        return Found::Operand;
    }
    let known = value.prefix();
    let whole = value.is_known();
    if whole && *known == *b"--" && level.double_dash {
        return Found::Dashes;
    }
    let r = Reader { chain, level, value, known: &known, whole };
    if chain.iter().any(|l| l.signs)
        && let Some(found) = r.signs()
    {
        return found;
    }
    match level.style {
        Style::Long1 | Style::PowerShell | Style::Dos => r.single(),
        Style::Keyword => r.keyword().unwrap_or_else(|| r.letters_or_long()),
        Style::Bundle if first && !known.starts_with(b"-") => r.bundle(),
        _ => r.letters_or_long(),
    }
}

struct Reader<'a> {
    chain: &'a [&'static Level],
    level: &'static Level,
    value: &'a Value,
    known: &'a [u8],
    whole: bool,
}

impl Reader<'_> {
    fn same(&self, name: &str, text: &[u8]) -> bool {
        if self.level.nocase { name.as_bytes().eq_ignore_ascii_case(text) } else { name.as_bytes() == text }
    }
    fn exact(&self, text: &[u8]) -> Option<&'static Opt> {
        levels(self.chain).find_map(|(l, holds)| l.options.find(text, self.level.nocase).filter(|o| holds(o)))
    }
    /// The option that a beginning stands for, where only one has it.
    fn shortened(&self, text: &[u8]) -> Option<&'static Opt> {
        if !self.level.abbreviate || text.len() < 2 {
            return None;
        }
        let nocase = self.level.nocase;
        let long = |n: &str| self.level.style == Style::PowerShell || n.starts_with("--");
        let begins = |n: &&str| {
            let head = n.as_bytes().get(..text.len());
            long(n) && head.is_some_and(|h| if nocase { h.eq_ignore_ascii_case(text) } else { h == text })
        };
        let mut all = levels(self.chain)
            .flat_map(|(l, holds)| l.options.beginning(text, nocase).filter(move |o| holds(o)))
            .filter(|o| o.names.iter().any(&begins));
        let one = all.next()?;
        // `--exclude` and `--exclude-dir` for `--exc`: two options, so the program would refuse it.
        all.all(|o| o.names == one.names).then_some(one)
    }
    fn rest(&self, n: usize) -> Value {
        self.value.split_at(n).1
    }
    fn undeclared(&self, hits: Vec<Hit>) -> Found {
        if self.whole { Found::Undeclared(hits, self.value.show()) } else { Found::Unknown(hits) }
    }

    /// Options whose names do not begin with a dash (`+x`, `@file`, `(`), and those that a text may follow (`-Dk=v`).
    fn signs(&self) -> Option<Found> {
        let mut best: Option<(usize, &'static Opt)> = None;
        for o in visible(self.chain) {
            for n in &o.names {
                let plain = n.starts_with('-') || n.ends_with('=');
                if !plain && self.whole && self.same(n, self.known) {
                    return Some(Found::Options(vec![Hit { opt: o, attached: None }]));
                }
                let longer = n.len() < self.known.len() || (n.len() == self.known.len() && !self.whole);
                let begins = longer && self.known.get(..n.len()).is_some_and(|h| self.same(n, h));
                // One letter after one dash takes an attached value anyway, in its turn.
                let own = o.joined && !(n.len() == 2 && plain && self.level.style != Style::Long1);
                if own && begins && best.is_none_or(|(len, _)| n.len() > len) {
                    best = Some((n.len(), o));
                }
            }
        }
        let (len, opt) = best?;
        let name_end = self.known.iter().position(|b| *b == b'=').unwrap_or(self.known.len());
        if self.known.get(..name_end).and_then(|n| self.exact(n)).is_some_and(|o| !std::ptr::eq(o, opt)) {
            return None;
        }
        Some(Found::Options(vec![Hit { opt, attached: Some(self.rest(len)) }]))
    }

    /// `if=x`
    fn keyword(&self) -> Option<Found> {
        let n = self.known.iter().position(|b| *b == b'=')?.saturating_add(1);
        let opt = self.exact(self.known.get(..n)?)?;
        Some(Found::Options(vec![Hit { opt, attached: Some(self.rest(n)) }]))
    }

    /// `-name`, `-name=V`, `-Name:V`, `/x:V`
    fn single(&self) -> Found {
        let slash = self.level.style == Style::Dos && self.known.starts_with(b"/");
        if !(self.known.starts_with(b"-") || slash) || self.known.len() < 2 {
            return Found::Operand;
        }
        if let Some(hit) = self.named(self.known) {
            return Found::Options(vec![hit]);
        }
        // `rd /s/q dir`: several in one word.
        if slash && self.whole {
            let all: Option<Vec<Hit>> = self
                .known
                .split(|b| *b == b'/')
                .skip(1)
                .map(|p| self.exact(&[b"/", p].concat()).map(|opt| Hit { opt, attached: None }))
                .collect();
            if let Some(hits) = all {
                return Found::Options(hits);
            }
            // `/usr/bin`: a path, not options.
            if self.known.iter().skip(1).any(|b| *b == b'/') {
                return Found::Operand;
            }
        }
        self.number(self.known).unwrap_or_else(|| self.undeclared(Vec::new()))
    }

    /// A name that is the whole word, or stands before its sign.
    fn named(&self, text: &[u8]) -> Option<Hit> {
        let style = self.level.style;
        let find = |t: &[u8]| {
            let other = match (style, t) {
                (Style::Long1, [b'-', b'-', rest @ ..]) => Some([b"-", rest].concat()),
                (Style::Dos, [b'-', rest @ ..]) => Some([b"/", rest].concat()),
                _ => None,
            };
            self.exact(t)
                .or_else(|| other.and_then(|o| self.exact(&o)))
                .or_else(|| if style == Style::PowerShell { self.shortened(t) } else { None })
        };
        if self.whole
            && let Some(opt) = find(text)
        {
            return Some(Hit { opt, attached: None });
        }
        let sign = if style == Style::Long1 { b'=' } else { b':' };
        let n = text.iter().position(|b| *b == sign)?;
        let opt = find(text.get(..n)?)?;
        Some(Hit { opt, attached: Some(self.rest(n.saturating_add(1))) })
    }

    /// `-5`
    fn number(&self, text: &[u8]) -> Option<Found> {
        let digits = text.get(1..)?;
        if !self.whole || digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
            return None;
        }
        let opt = self.exact(b"-NUM")?;
        Some(Found::Options(vec![Hit { opt, attached: Some(self.rest(1)) }]))
    }

    fn letters_or_long(&self) -> Found {
        match self.known {
            [b'-'] if self.whole => Found::Operand,
            [b'-', b'-', ..] => self.long(),
            [b'-', ..] => self.short(),
            [b'+', _, ..] if levels(self.chain).any(|(l, holds)| l.options.beginning(b"+", false).any(&holds)) => {
                self.letters(b'+')
            }
            _ => Found::Operand,
        }
    }

    /// `--name`, `--name=V`
    fn long(&self) -> Found {
        let sign = self.known.iter().position(|b| *b == b'=');
        let Some(name) = self.known.get(..sign.unwrap_or(self.known.len())) else { return Found::Operand };
        if sign.is_none() && !self.whole {
            return Found::Unknown(Vec::new());
        }
        let Some(opt) = self.exact(name).or_else(|| self.shortened(name)) else {
            let positive = name.strip_prefix(b"--no-").filter(|_| self.level.negatable && sign.is_none());
            if positive.is_some_and(|p| self.exact(&[b"--", p].concat()).is_some()) {
                // What it undoes is kept: reading too much is the safe side.
                return Found::Options(Vec::new());
            }
            return match sign {
                Some(_) => Found::Undeclared(Vec::new(), String::from_utf8_lossy(name).into_owned()),
                None => self.undeclared(Vec::new()),
            };
        };
        Found::Options(vec![Hit { opt, attached: sign.map(|n| self.rest(n.saturating_add(1))) }])
    }

    /// A word with one dash: a whole name with several letters, a number, or letters.
    fn short(&self) -> Found {
        if self.known.len() > 2 {
            let n = self.known.iter().position(|b| *b == b'=').unwrap_or(self.known.len());
            let attached = n < self.known.len();
            if (self.whole || attached)
                && n > 2
                && let Some(opt) = self.known.get(..n).and_then(|name| self.exact(name))
            {
                let attached = attached.then(|| self.rest(n.saturating_add(1)));
                return Found::Options(vec![Hit { opt, attached }]);
            }
        }
        if let Some(found) = self.number(self.known) {
            return found;
        }
        self.letters(b'-')
    }

    /// `-abc`, `-ofile`
    fn letters(&self, sign: u8) -> Found {
        let mut hits = Vec::new();
        for (i, letter) in self.known.iter().enumerate().skip(1) {
            let Some(opt) = self.exact(&[sign, *letter]) else {
                let rest = String::from_utf8_lossy(self.known.get(i..).unwrap_or_default()).into_owned();
                return Found::Undeclared(hits, format!("{}{rest}", char::from(sign)));
            };
            let after = i.saturating_add(1);
            let more = after < self.known.len() || !self.whole;
            if opt.words.is_empty() || !more {
                hits.push(Hit { opt, attached: None });
                continue;
            }
            let equals = self.level.short_equals && self.known.get(after) == Some(&b'=');
            let attached = Some(self.rest(if equals { after.saturating_add(1) } else { after }));
            hits.push(Hit { opt, attached });
            return Found::Options(hits);
        }
        if self.whole { Found::Options(hits) } else { Found::Unknown(hits) }
    }

    /// tar's first word: letters without a dash, values in the words that follow.
    fn bundle(&self) -> Found {
        let all: Option<Vec<Hit>> = self
            .known
            .iter()
            .map(|letter| self.exact(&[b'-', *letter]).map(|opt| Hit { opt, attached: None }))
            .collect();
        match all {
            Some(hits) if self.whole && !hits.is_empty() => Found::Options(hits),
            _ => Found::Operand,
        }
    }
}

/// True where the option takes the next word when nothing is attached.
pub(super) fn takes_next(opt: &Opt) -> bool {
    !opt.words.is_empty() && opt.presence == Presence::Required
}
