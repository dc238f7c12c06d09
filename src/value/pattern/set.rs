//! Bracket expressions: `[a-z]`, `[!x]`, `[[:alpha:]_]`, `[[=e=]]`, `[[.-.]]`.
//!
//! In: the pattern's units after the `[`. Out: the set, and where it ends. Ranges go by code point, as bash does with
//! `globasciiranges` (its default).

use super::{Flags, Quoted, RAW, Unit};

#[derive(Clone, Debug, PartialEq, Eq)]
enum Item {
    Range(Unit, Unit),
    Class(Class),
}

/// The named classes of POSIX, and bash's `ascii` and `word`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Alnum,
    Alpha,
    Ascii,
    Blank,
    Cntrl,
    Digit,
    Graph,
    Lower,
    Print,
    Punct,
    Space,
    Upper,
    Word,
    Xdigit,
}

/// A set of units.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Bracket {
    negated: bool,
    items: Vec<Item>,
}

impl Bracket {
    /// Reads the set whose first unit is at `start`; gives the position after its `]`. `None` where it never closes.
    pub(super) fn parse(text: &[Quoted], start: usize, flags: Flags) -> Option<(Bracket, usize)> {
        let is = |i: usize, b: u8| text.get(i) == Some(&(Unit::from(b), false));
        let mut at = start;
        let negated = is(at, b'!') || is(at, b'^');
        if negated {
            at = at.saturating_add(1);
        }
        let mut items = Vec::new();
        let mut first = true;
        loop {
            let &(unit, _) = text.get(at)?;
            if is(at, b']') && !first {
                return Some((Bracket { negated, items }, at.saturating_add(1)));
            }
            // A slash ends a component of a file name, and with it the chance of a bracket expression.
            if flags.path && unit == Unit::from(b'/') {
                return None;
            }
            first = false;
            let next = at.saturating_add(1);
            if is(at, b'[')
                && let Some((kind, name, end)) = named(text, next)
            {
                let low = match kind {
                    b':' => {
                        if let Some(c) = Class::of(&name) {
                            items.push(Item::Class(c));
                        }
                        None
                    }
                    _ => match name.as_slice() {
                        [one] => Some(*one),
                        _ => None,
                    },
                };
                at = end;
                let Some(low) = low else { continue };
                at = range(text, at, low, &mut items);
                continue;
            }
            at = range(text, next, unit, &mut items);
        }
    }

    /// True where the unit belongs to the set.
    pub(super) fn has(&self, unit: Unit, nocase: bool) -> bool {
        let one = |u: Unit| {
            self.items.iter().any(|i| match i {
                Item::Range(a, b) => *a <= u && u <= *b,
                Item::Class(c) => c.has(u, nocase),
            })
        };
        let inside = one(unit) || nocase && (one(lower(unit)) || one(upper(unit)));
        inside != self.negated
    }
}

/// After a unit `low`, reads `-high` where it stands there, and adds the range or the single unit.
fn range(text: &[Quoted], at: usize, low: Unit, items: &mut Vec<Item>) -> usize {
    let dash = text.get(at) == Some(&(Unit::from(b'-'), false));
    let after = at.saturating_add(1);
    let closes = text.get(after) == Some(&(Unit::from(b']'), false));
    if !dash || closes || text.get(after).is_none() {
        items.push(Item::Range(low, low));
        return at;
    }
    let mut end = after.saturating_add(1);
    let mut high = text.get(after).map_or(low, |q| q.0);
    if text.get(after) == Some(&(Unit::from(b'['), false))
        && let Some((kind, name, stop)) = named(text, end)
        && kind != b':'
        && let [one] = name.as_slice()
    {
        high = *one;
        end = stop;
    }
    // A range that runs backwards has nothing in it.
    items.push(Item::Range(low, high));
    end
}

/// `:name:]`, `=c=]` or `.c.]` at `at`: its mark, its name and the position after it.
fn named(text: &[Quoted], at: usize) -> Option<(u8, Vec<Unit>, usize)> {
    let &(mark, false) = text.get(at)? else { return None };
    let kind = u8::try_from(mark).ok().filter(|b| matches!(b, b':' | b'=' | b'.'))?;
    let mut name = Vec::new();
    let mut i = at.saturating_add(1);
    loop {
        let &(u, _) = text.get(i)?;
        let after = i.saturating_add(1);
        if u == mark && text.get(after).is_some_and(|q| q.0 == Unit::from(b']')) {
            return Some((kind, name, after.saturating_add(1)));
        }
        // A class name has letters only: `[[:a]` is a set of `[`, `:` and `a`.
        if kind == b':' && !u8::try_from(u).is_ok_and(|b| b.is_ascii_alphanumeric()) || name.len() > 32 {
            return None;
        }
        name.push(u);
        i = after;
    }
}

pub(in crate::value) fn lower(u: Unit) -> Unit {
    // The one letter with two in lower case is a dotted capital I; systems give its first.
    fold(u, |c| c.to_lowercase().next())
}

pub(in crate::value) fn upper(u: Unit) -> Unit {
    fold(u, |c| {
        let mut it = c.to_uppercase();
        it.next().filter(|_| it.next().is_none())
    })
}

fn fold(u: Unit, f: impl Fn(char) -> Option<char>) -> Unit {
    char::from_u32(u).and_then(f).map_or(u, Unit::from)
}

impl Class {
    fn of(name: &[Unit]) -> Option<Class> {
        let text: String = name.iter().filter_map(|u| char::from_u32(*u)).collect();
        Some(match text.as_str() {
            "alnum" => Class::Alnum,
            "alpha" => Class::Alpha,
            "ascii" => Class::Ascii,
            "blank" => Class::Blank,
            "cntrl" => Class::Cntrl,
            "digit" => Class::Digit,
            "graph" => Class::Graph,
            "lower" => Class::Lower,
            "print" => Class::Print,
            "punct" => Class::Punct,
            "space" => Class::Space,
            "upper" => Class::Upper,
            "word" => Class::Word,
            "xdigit" => Class::Xdigit,
            _ => return None,
        })
    }

    fn has(self, u: Unit, nocase: bool) -> bool {
        if u >= RAW {
            return false;
        }
        let Some(c) = char::from_u32(u) else { return false };
        match self {
            Class::Alnum => c.is_alphanumeric(),
            Class::Alpha => c.is_alphabetic(),
            Class::Ascii => c.is_ascii(),
            Class::Blank => matches!(c, ' ' | '\t') || !c.is_ascii() && c.is_whitespace(),
            Class::Cntrl => c.is_control(),
            Class::Digit => c.is_ascii_digit(),
            Class::Graph => !c.is_control() && !c.is_whitespace(),
            Class::Lower => c.is_lowercase() || nocase && c.is_uppercase(),
            Class::Print => !c.is_control(),
            Class::Punct => {
                c.is_ascii_punctuation()
                    || !c.is_ascii() && !c.is_alphanumeric() && !c.is_whitespace() && !c.is_control()
            }
            Class::Space => c.is_whitespace() || c == '\u{b}',
            Class::Upper => c.is_uppercase() || nocase && c.is_lowercase(),
            Class::Word => c.is_alphanumeric() || c == '_',
            Class::Xdigit => c.is_ascii_hexdigit(),
        }
    }
}
