//! What is known of an argv once its options and operands are told apart, and conditions over it.
//!
//! In: options and operands. Out: whether a [`Cond`] holds. A value that is not known matches no glob, but where its
//! beginning is, and the glob leaves the rest open: the reader notes a doubt where that decides something.

use super::grammar::model::{All, Ask, Atom, Cond, Opt};
use crate::glob;
use crate::value::{Piece, Value};
use smallvec::SmallVec;
use std::cell::OnceCell;
use std::rc::Rc;

/// An option that was given.
#[derive(Clone, Debug)]
pub(super) struct Given {
    /// The option.
    pub opt: &'static Opt,
    /// Its values.
    pub values: Vec<Value>,
    /// The index of its word in the argv.
    pub index: usize,
}

impl Given {
    /// Its main name.
    pub(super) fn name(&self) -> &'static str {
        self.opt.names.first().copied().unwrap_or_default()
    }
}

/// What conditions ask about.
///
/// Lists only grow through [`Facts::give`], so that asking for an option does not walk over all that were given: a
/// command line of a million words stays linear.
#[derive(Debug, Default)]
pub(super) struct Facts {
    /// The name the program was called by.
    pub name: String,
    /// Options in order.
    pub given: Rc<Vec<Given>>,
    /// Operands with the index of their word.
    pub operands: Vec<(usize, Value)>,
    /// A value that may be `-` for a standard stream is it.
    pub dash: bool,
    /// A `--` ended the options.
    pub dashes: bool,
    /// How many sub-commands were given, one in another.
    pub subs: usize,
    /// On which level whoever asks stands: how many sub-commands lead to it.
    pub depth: usize,
    /// The words after the program's name.
    pub argv: Vec<Value>,
    /// The program has sub-commands, so that conditions may ask for all words.
    pub has_subs: bool,
    /// The words joined by blanks, once they were asked for.
    pub joined: OnceCell<Vec<u8>>,
    /// The program does not tell upper and lower case apart.
    pub nocase: bool,
    /// The indices in `given` of each option, by its main name.
    pub by_name: SmallVec<[(&'static str, Indices); 4]>,
}

/// Where an option is given: indices in the list of all that are given.
type Indices = SmallVec<[usize; 2]>;

/// Most words that are joined for conditions over all of them.
const MAX_JOINED: usize = 64;

/// The words as one text; those that are not known as they are shown.
fn joined(words: &[Value]) -> Vec<u8> {
    let shown: Vec<_> = words.iter().take(MAX_JOINED).map(Value::show).collect();
    shown.join(" ").into_bytes()
}

/// Most values of one option that a condition looks at.
const MAX_ASKED: usize = 256;

impl Facts {
    /// Notes an option.
    pub(super) fn give(&mut self, given: Given) {
        let (name, at) = (given.name(), self.given.len());
        // A grammar has a few hundred options at most, however many words there are.
        match self.by_name.iter_mut().find(|(n, _)| *n == name) {
            Some((_, all)) => all.push(at),
            None => self.by_name.push((name, SmallVec::from_slice(&[at]))),
        }
        Rc::make_mut(&mut self.given).push(given);
    }

    /// The options given by that main name, in order.
    pub(super) fn named(&self, name: &str) -> impl DoubleEndedIterator<Item = &Given> {
        let all = self.by_name.iter().find(|(n, _)| *n == name).map(|(_, all)| all.as_slice());
        all.unwrap_or_default().iter().filter_map(|i| self.given.get(*i))
    }

    /// True where the condition holds for a value.
    pub(super) fn holds(&self, cond: &Cond, value: Option<&Value>) -> bool {
        self.holds_after(cond, value, None)
    }

    /// The same for an option that stands behind that word.
    pub(super) fn holds_after(&self, cond: &Cond, value: Option<&Value>, before: Option<&Value>) -> bool {
        let all = |a: &All| a.parts.iter().all(|p| self.atom(p, value, before) != p.not);
        (cond.when.is_empty() || cond.when.iter().any(all)) && !cond.unless.iter().any(all)
    }

    /// An operand that could make the condition hold, and is not known.
    pub(super) fn undecided(&self, cond: &Cond) -> Option<&Value> {
        let maybe = |a: &Atom| -> Option<&Value> {
            let at = |i: usize| self.operands.get(i).map(|(_, v)| v);
            let glob = a.text.unwrap_or("*");
            let could = |v: &&Value| could_be(v, glob);
            match a.ask {
                Ask::Any => self.operands.iter().map(|(_, v)| v).find(could),
                Ask::First => at(0).filter(could),
                Ask::Last => self.operands.last().map(|(_, v)| v).filter(could),
                Ask::Nth => usize::try_from(a.number).ok().and_then(|n| n.checked_sub(1)).and_then(at).filter(could),
                _ => None,
            }
        };
        let one = |a: &'_ All| {
            let mut found = None;
            for p in &a.parts {
                let open = maybe(p);
                if open.is_none() && self.atom(p, None, None) == p.not {
                    return None;
                }
                found = found.or(open);
            }
            found
        };
        let never = cond.unless.iter().any(|a| a.parts.iter().all(|p| self.atom(p, None, None) != p.not));
        if never { None } else { cond.when.iter().find_map(one) }
    }

    fn atom(&self, atom: &Atom, value: Option<&Value>, before: Option<&Value>) -> bool {
        let is_in = |v: Option<&Value>, nocase: bool| {
            let glob = atom.text.unwrap_or("*");
            let Some(v) = v else { return false };
            let Some(text) = v.as_literal() else { return begins_as(v, glob, nocase) };
            if nocase {
                return glob::any(&glob.to_ascii_lowercase(), &text.to_ascii_lowercase());
            }
            glob::any(glob, &text)
        };
        let is = |v: Option<&Value>| is_in(v, self.nocase);
        let any_case = |o: &Opt| self.nocase || o.words.iter().any(|w| w.either.iter().any(|s| s.nocase));
        let count = self.operands.len() as u64;
        match atom.ask {
            Ask::Option => self
                .named(atom.name)
                .rev()
                .take(MAX_ASKED)
                .any(|g| atom.text.is_none() || g.values.iter().any(|v| is_in(Some(v), any_case(g.opt)))),
            Ask::Equal => count == atom.number,
            Ask::Less => count < atom.number,
            Ask::More => count > atom.number,
            Ask::Any => self.operands.iter().any(|(_, v)| is(Some(v))),
            Ask::First => is(self.operands.first().map(|(_, v)| v)),
            Ask::Last => is(self.operands.last().map(|(_, v)| v)),
            Ask::Value => is(value),
            Ask::Name if self.nocase => {
                let glob = atom.text.unwrap_or("*").to_ascii_lowercase();
                glob::any(&glob, self.name.to_ascii_lowercase().as_bytes())
            }
            Ask::Name => glob::any(atom.text.unwrap_or("*"), self.name.as_bytes()),
            Ask::Dash => self.dash,
            Ask::Dashes => self.dashes,
            Ask::Nth => {
                let at = usize::try_from(atom.number).ok().and_then(|n| n.checked_sub(1));
                is(at.and_then(|i| self.operands.get(i)).map(|(_, v)| v))
            }
            Ask::Bare => self.subs <= self.depth,
            Ask::After => is(before),
            Ask::Words => {
                let words = self.joined.get_or_init(|| if self.has_subs { joined(&self.argv) } else { Vec::new() });
                glob::any(atom.text.unwrap_or("*"), words)
            }
        }
    }
}

/// True for a value of which only the beginning is known, where that decides: the glob leaves the rest open.
fn begins_as(v: &Value, glob: &str, nocase: bool) -> bool {
    let known = v.prefix();
    if known.is_empty() {
        return false;
    }
    let fits = |g: &str| match nocase {
        true => glob::any(&g.to_ascii_lowercase(), &known.to_ascii_lowercase()),
        false => glob::any(g, &known),
    };
    glob.split('|').filter(|g| g.len() > 1 && g.ends_with('*') && !g.ends_with("\\*")).any(fits)
}

/// True for a value whose beginning is not known, and that could be what the glob says.
fn could_be(v: &Value, glob: &str) -> bool {
    let open = matches!(v.pieces.first(), Some(Piece::Unknown(_)));
    open && glob.split('|').any(|g| !g.starts_with('-'))
}
