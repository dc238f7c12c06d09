//! Names of widely used packages, and names that are a step away from one: `grammars/lists/packages.list`.
//!
//! In: an ecosystem and what an installer is given. Out: the widely used name that it is nearly, and the step between
//! them. The list is compiled in and read when the first name of its ecosystem is asked for.

use crate::url::known::{Step, fold, step};
use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

const TEXT: &str = include_str!("../../grammars/lists/packages.list");
/// Shortest widely used name that is compared: shorter ones are a letter away from too much.
const MIN_NAME: usize = 5;
/// Shortest widely used name in whose middle any letter more is a slip.
const LONG_NAME: usize = 6;

/// A widely used name: as the registry compares it, and as it is written.
type Known = (String, &'static str);

#[derive(Default)]
struct Ecosystem {
    all: HashSet<String>,
    by_length: Vec<Vec<Known>>,
    /// The scopes of names (`@types`), each with one of them.
    scopes: Vec<(String, &'static str)>,
    /// Without separators, for `crossenv` and `python-dateutils`.
    joined: HashMap<String, &'static str>,
}

impl Ecosystem {
    fn of(kind: &str, names: impl Iterator<Item = &'static str>) -> Ecosystem {
        let mut out = Ecosystem::default();
        for name in names {
            let plain = normal(kind, name);
            out.all.insert(plain.clone());
            out.joined.insert(joined(name), name);
            if let Some((scope, _)) = plain.split_once('/').filter(|(s, _)| s.starts_with('@'))
                && !out.scopes.iter().any(|(s, _)| s == scope)
            {
                out.scopes.push((scope.to_string(), name));
            }
            if out.by_length.len() <= plain.len() {
                out.by_length.resize(plain.len().saturating_add(1), Vec::new());
            }
            if let Some(of_length) = out.by_length.get_mut(plain.len()) {
                of_length.push((plain, name));
            }
        }
        out
    }

    /// The widely used name that a name is, as it is written.
    fn known(&self, name: &str) -> Option<&'static str> {
        self.by_length.get(name.len())?.iter().find(|(plain, _)| plain == name).map(|(_, known)| *known)
    }

    /// The widely used name of which a name has all but the scope or owner, which is nearly the same: `@typs/node`,
    /// `host/owner-go/x`.
    fn other_owner(&self, name: &str) -> Option<&'static str> {
        let (owner, rest) = name.rsplit_once('/')?;
        if owner.starts_with('@') {
            // Of a scope any package will do: what is in it is its owner's.
            let own = self.scopes.iter().any(|(scope, _)| scope == owner);
            let near = |scope: &str| {
                joined(scope) == joined(owner)
                    || match step(scope.as_bytes(), owner.as_bytes()) {
                        Some(Step::Exchange) => true,
                        Some(Step::Other) => of_letters(scope.as_bytes(), owner.as_bytes()).is_some(),
                        _ => false,
                    }
            };
            let found =
                self.scopes.iter().filter(|(scope, _)| !own && scope.len() > MIN_NAME).find(|(s, _)| near(s))?;
            return Some(found.1);
        }
        let plain = AFFIXES.iter().find_map(|a| owner.strip_suffix(a))?;
        self.known(&format!("{plain}/{rest}"))
    }
}

/// What is put behind the name of an owner to make another that is read as the same.
const AFFIXES: &[&str] = &["-go", "-golang", "-dev", "-io", "-org", "-js", "-team", "-official"];

/// The lines of each kind; the tables of an ecosystem are made when one of its names is first asked for.
#[derive(Default)]
struct List {
    of: HashMap<&'static str, (Vec<&'static str>, OnceLock<Ecosystem>)>,
    same: HashMap<&'static str, &'static str>,
    honest: HashSet<&'static str>,
}

impl List {
    fn ecosystem(&self, kind: &str) -> Option<&Ecosystem> {
        let (lines, table) = self.of.get(kind)?;
        Some(table.get_or_init(|| Ecosystem::of(kind, lines.iter().flat_map(|l| l.split_whitespace()))))
    }
}

fn list() -> &'static List {
    static LIST: OnceLock<List> = OnceLock::new();
    LIST.get_or_init(|| {
        let mut out = List::default();
        for line in TEXT.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#')) {
            match line.split_once(' ') {
                Some(("same", names)) => out.same.extend(names.split_once(' ')),
                Some(("honest", names)) => out.honest.extend(names.split_whitespace()),
                Some((kind, names)) => out.of.entry(kind).or_default().0.push(names),
                None => {}
            }
        }
        out
    })
}

/// How a name differs from a widely used one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Difference {
    /// Two letters in each other's place.
    Exchanged,
    /// A letter doubled, or left out, or one more.
    Length,
    /// A key beside the right one, or a digit or letter that is read as the right one.
    Key,
    /// Separators left out, put in or moved.
    Separator,
    /// Letters of another alphabet that are read as the right ones.
    Script,
    /// The scope or owner is another one.
    Owner,
}

impl Difference {
    /// For people.
    pub const fn says(self) -> &'static str {
        match self {
            Difference::Exchanged => "two letters in each other's place",
            Difference::Length => "a letter more or less",
            Difference::Key => "another letter",
            Difference::Separator => "another separator",
            Difference::Script => "letters of another alphabet",
            Difference::Owner => "another owner",
        }
    }
}

/// The name in what an installer is given: `requests[socks]>=2`, `lodash@4`, `@scope/name@1`, `rails:7.0`.
pub fn name_of(spec: &str) -> Option<&str> {
    // Files, addresses and options are no names.
    if spec.starts_with(['.', '/', '~', '-']) || spec.contains("://") || spec.ends_with(".whl") || spec.ends_with(".gz")
    {
        return None;
    }
    // `alias@npm:name`, `npm:name`
    let spec = match spec.split_once("npm:") {
        Some((alias, name)) if alias.is_empty() || alias.ends_with('@') => name,
        _ => spec,
    };
    let from = usize::from(spec.starts_with('@'));
    let end = spec
        .char_indices()
        .find(|(i, c)| {
            *i >= from && matches!(c, '@' | '[' | '=' | '<' | '>' | '!' | '~' | ';' | ' ' | ':' | ',' | '^' | '*')
        })
        .map_or(spec.len(), |(i, _)| i);
    spec.get(..end).filter(|n| n.len() >= MIN_NAME.saturating_sub(1))
}

/// The widely used name that a name is nearly; `None` where it is one itself, or near to none.
pub fn nearly(ecosystem: &str, name: &str) -> Option<(&'static str, Difference)> {
    let list = list();
    let kind = list.same.get(ecosystem).copied().unwrap_or(ecosystem);
    let of = list.ecosystem(kind)?;
    let name = normal(kind, name);
    if of.all.contains(&name) || list.honest.contains(name.as_str()) {
        return None;
    }
    // No registry has such names; where the letters are read as a known one, that is what they are for.
    if !name.is_ascii() {
        return of.known(&normal(kind, &fold(&name))).map(|known| (known, Difference::Script));
    }
    if let Some(known) = of.other_owner(&name) {
        return Some((known, Difference::Owner));
    }
    if let Some(known) = of.joined.get(&joined(&name)).filter(|k| k.len() >= MIN_NAME && normal(kind, k) != name) {
        return Some((known, Difference::Separator));
    }
    let around = name.len().saturating_sub(1)..=name.len().saturating_add(1);
    for (plain, known) in around.filter_map(|n| of.by_length.get(n)).flatten().filter(|(k, _)| k.len() >= MIN_NAME) {
        let difference = match step(plain.as_bytes(), name.as_bytes()) {
            Some(Step::Exchange) => Some(Difference::Exchanged),
            Some(Step::Other) => of_letters(plain.as_bytes(), name.as_bytes()),
            // `1odash`: no name begins so.
            Some(Step::First) if name.len() == plain.len() => {
                let first = |t: &str| t.bytes().next().unwrap_or_default();
                let digit = first(&name).is_ascii_digit() && alike(first(plain), first(&name));
                digit.then_some(Difference::Key)
            }
            Some(Step::First) | None => None,
        };
        if let Some(d) = difference {
            return Some((known, d));
        }
    }
    None
}

/// Names as the registry compares them: PEP 503 for pip, hyphens and underscores alike for Rust; lower case for all.
pub(super) fn normal(ecosystem: &str, name: &str) -> String {
    let lower = name.to_ascii_lowercase();
    match ecosystem {
        "pip" => lower.replace(['_', '.'], "-"),
        "cargo" => lower.replace('_', "-"),
        _ => lower,
    }
}

fn joined(name: &str) -> String {
    // The slash of a scope is a separator, too; that of an owner or a path is not.
    let scope = name.starts_with('@');
    let separates = |c: &char| matches!(c, '-' | '_' | '.') || scope && *c == '/';
    name.chars().filter(|c| !separates(c)).collect::<String>().to_ascii_lowercase()
}

/// The difference of two names that are one letter apart, not at the first; `None` where it is one that makes another
/// word rather than a slip.
fn of_letters(known: &[u8], name: &[u8]) -> Option<Difference> {
    let at = known.iter().zip(name).take_while(|(a, b)| a == b).count();
    let (k, n) = (known.get(at), name.get(at));
    if known.len() == name.len() {
        let (k, n) = (*k?, *n?);
        let digit = n.is_ascii_digit() && k.is_ascii_digit();
        return (!digit && (beside(k, n) || alike(k, n))).then_some(Difference::Key);
    }
    let (longer, shorter) = if name.len() > known.len() { (name, known) } else { (known, name) };
    let extra = *longer.get(at)?;
    let before = at.checked_sub(1).and_then(|i| longer.get(i)).copied();
    let last = at.saturating_add(1) == longer.len();
    if !extra.is_ascii_alphabetic() {
        // A number at the end makes a version of its own: lxml2, vue3.
        return None;
    }
    // A letter left out; one doubled; or one more, next to its neighbour on the keyboard.
    let doubled = before == Some(extra);
    let slip = shorter.len() == name.len() && (!last || extra == b's')
        || doubled
        || name.len() > known.len() && !last && shorter.len() >= LONG_NAME
        || before.is_some_and(|b| beside(b, extra)) && !last
        || last && extra == b's' && shorter.len() >= 6;
    slip.then_some(Difference::Length)
}

/// True where two keys are side by side on a keyboard (QWERTY).
fn beside(a: u8, b: u8) -> bool {
    const ROWS: [&[u8]; 3] = [b"qwertyuiop", b"asdfghjkl", b"zxcvbnm"];
    let place = |c: u8| {
        ROWS.iter().enumerate().find_map(|(row, keys)| keys.iter().position(|k| *k == c).map(|column| (row, column)))
    };
    match (place(a), place(b)) {
        // The rows are shifted by about half a key each.
        (Some((r, c)), Some((s, d))) if r == s => c.abs_diff(d) == 1,
        (Some((r, c)), Some((s, d))) if r.saturating_add(1) == s => c == d || c == d.saturating_add(1),
        (Some((r, c)), Some((s, d))) if s.saturating_add(1) == r => c == d || d == c.saturating_add(1),
        _ => false,
    }
}

/// True where one is read as the other.
fn alike(a: u8, b: u8) -> bool {
    const PAIRS: [(u8, u8); 9] = [
        (b'o', b'0'),
        (b'l', b'1'),
        (b'i', b'1'),
        (b'i', b'l'),
        (b'e', b'3'),
        (b's', b'5'),
        (b'a', b'4'),
        (b's', b'z'),
        (b'c', b'k'),
    ];
    PAIRS.iter().any(|(x, y)| (*x, *y) == (a, b) || (*x, *y) == (b, a))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_names() {
        for (spec, name) in [
            ("requests[socks]>=2", Some("requests")),
            ("lodash@4.17", Some("lodash")),
            ("@angular/core@12", Some("@angular/core")),
            ("rails:7.0", Some("rails")),
            ("./local", None),
            ("https://e.example/x.tgz", None),
        ] {
            assert_eq!(name_of(spec), name, "{spec}");
        }
    }

    #[test]
    fn near_names_are_found() {
        use Difference::*;
        for (ecosystem, name, want) in [
            ("pip", "reqeusts", ("requests", Exchanged)),
            ("pip", "request", ("requests", Length)),
            ("pip", "requestss", ("requests", Length)),
            ("pip", "nunpy", ("numpy", Key)),
            ("conda", "pand4s", ("pandas", Key)),
            ("pip", "djang0", ("django", Key)),
            ("npm", "crossenv", ("cross-env", Separator)),
            ("npm", "expres", ("express", Length)),
            ("npm", "loadash", ("lodash", Length)),
            ("npm", "@babel-core", ("@babel/core", Separator)),
            ("npm", "lodahs", ("lodash", Exchanged)),
            ("cargo", "serdejson", ("serde_json", Separator)),
            ("cargo", "rustdecimal", ("rust_decimal", Separator)),
            ("gem", "nokogirii", ("nokogiri", Length)),
        ] {
            assert_eq!(nearly(ecosystem, name), Some(want), "{name}");
        }
    }

    #[test]
    fn honest_names_are_not() {
        for (ecosystem, name) in [
            ("pip", "requests"),
            ("pip", "Typing_Extensions"),
            ("pip", "lxml"),
            ("npm", "preact"),
            ("npm", "vue3"),
            ("cargo", "serde-json"),
            ("apt", "gti"),
            ("pip", "my-project"),
        ] {
            assert_eq!(nearly(ecosystem, name), None, "{name}");
        }
    }
}
