//! Matching: sets of text positions are carried through the pattern's nodes.
//!
//! In: a pattern and a text. Out: whether, or up to where, it matches. Every step counts against a work budget.

use super::set::{lower, upper};
use super::{ExtKind, Extent, Limit, Node, Pattern, Unit, units};
use crate::limits;

/// A sorted set of positions, as disjoint half-open runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Positions(Vec<(usize, usize)>);

impl Positions {
    fn one(p: usize) -> Self {
        Positions(vec![(p, p.saturating_add(1))])
    }
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
    /// Adds a run that begins at or after every run's begin.
    fn push(&mut self, a: usize, b: usize) {
        match self.0.last_mut() {
            Some(last) if a <= last.1 => last.1 = last.1.max(b),
            _ => self.0.push((a, b)),
        }
    }
    fn first(&self) -> Option<usize> {
        self.0.first().map(|r| r.0)
    }
    fn last(&self) -> Option<usize> {
        self.0.last().map(|r| r.1.saturating_sub(1))
    }
    fn has(&self, p: usize) -> bool {
        let i = self.0.partition_point(|r| r.1 <= p);
        self.0.get(i).is_some_and(|r| r.0 <= p)
    }
    fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().flat_map(|&(a, b)| a..b)
    }
    fn union(&self, other: &Positions) -> Positions {
        let mut out = Positions::default();
        let (mut i, mut j) = (self.0.iter().peekable(), other.0.iter().peekable());
        loop {
            let next = match (i.peek(), j.peek()) {
                (Some(a), Some(b)) if a.0 <= b.0 => i.next(),
                (_, Some(_)) => j.next(),
                (Some(_), None) => i.next(),
                (None, None) => return out,
            };
            if let Some(&(a, b)) = next {
                out.push(a, b);
            }
        }
    }
    fn minus(&self, other: &Positions) -> Positions {
        let mut out = Positions::default();
        for &(a, b) in &self.0 {
            let mut from = a;
            let first = other.0.partition_point(|r| r.1 <= a);
            for &(c, d) in other.0.iter().skip(first) {
                if c >= b {
                    break;
                }
                if from < c {
                    out.push(from, c);
                }
                from = from.max(d);
            }
            if from < b {
                out.push(from, b);
            }
        }
        out
    }
}

/// A text made ready for matching: its units, and the byte offset of each.
pub(super) struct Text {
    units: Vec<Unit>,
    offsets: Vec<usize>,
}

impl Text {
    pub(super) fn new(text: &[u8], by_bytes: bool) -> Text {
        let units = units(text, by_bytes);
        let mut offsets = Vec::with_capacity(units.len().saturating_add(1));
        let mut at = 0usize;
        for &u in &units {
            offsets.push(at);
            at = at.saturating_add(char::from_u32(u).map_or(1, char::len_utf8));
        }
        offsets.push(at);
        Text { units, offsets }
    }
    pub(super) fn offset(&self, position: usize) -> usize {
        self.offsets.get(position).copied().unwrap_or(0)
    }
    pub(super) fn len(&self) -> usize {
        self.units.len()
    }
    fn reversed(&self) -> Text {
        Text { units: self.units.iter().rev().copied().collect(), offsets: Vec::new() }
    }
}

pub(super) struct Matcher<'a> {
    text: &'a Text,
    pattern: &'a Pattern,
    work: u64,
}

impl<'a> Matcher<'a> {
    pub(super) fn new(text: &'a Text, pattern: &'a Pattern) -> Self {
        Matcher { text, pattern, work: limits::MAX_PATTERN_WORK }
    }

    fn spend(&mut self, n: usize) -> Result<(), Limit> {
        let n = u64::try_from(n).unwrap_or(u64::MAX).saturating_add(1);
        self.work = self.work.checked_sub(n).ok_or(Limit)?;
        Ok(())
    }

    /// All positions that a match which starts at `start` may end at: the first and the last.
    pub(super) fn ends(&mut self, nodes: &[Node], start: usize) -> Result<Option<(usize, usize)>, Limit> {
        let ends = self.sequence(nodes, Positions::one(start))?;
        Ok(ends.first().zip(ends.last()))
    }

    fn whole(&mut self, nodes: &[Node]) -> Result<bool, Limit> {
        Ok(self.sequence(nodes, Positions::one(0))?.has(self.text.len()))
    }

    fn sequence(&mut self, nodes: &[Node], mut from: Positions) -> Result<Positions, Limit> {
        for n in nodes {
            if from.is_empty() {
                break;
            }
            from = self.node(n, &from)?;
        }
        Ok(from)
    }

    fn node(&mut self, node: &Node, from: &Positions) -> Result<Positions, Limit> {
        let mut out = Positions::default();
        match node {
            Node::Unit(_) | Node::Question | Node::Bracket(_) => {
                for p in from.iter() {
                    self.spend(0)?;
                    if self.one(node, p) {
                        out.push(p.saturating_add(1), p.saturating_add(2));
                    }
                }
            }
            Node::Star => {
                if !self.pattern.flags.path {
                    self.spend(0)?;
                    if let Some(p) = from.first() {
                        out.push(p, self.text.len().saturating_add(1));
                    }
                    return Ok(out);
                }
                for p in from.iter() {
                    let end = self.reach(p);
                    self.spend(end.saturating_sub(p))?;
                    out.push(p, end.saturating_add(1));
                }
            }
            Node::Ext(kind, alternatives) => match kind {
                ExtKind::One => return self.any(alternatives, from),
                ExtKind::Optional => return Ok(self.any(alternatives, from)?.union(from)),
                ExtKind::Any => return self.repeated(alternatives, from.clone()),
                ExtKind::Some => {
                    let once = self.any(alternatives, from)?;
                    return self.repeated(alternatives, once);
                }
                ExtKind::Not => {
                    let mut all = Positions::default();
                    for p in from.iter() {
                        let mut reach = Positions::default();
                        reach.push(p, self.reach(p).saturating_add(1));
                        let hit = self.any(alternatives, &Positions::one(p))?;
                        all = all.union(&reach.minus(&hit));
                    }
                    return Ok(all);
                }
            },
        }
        Ok(out)
    }

    fn any(&mut self, alternatives: &[Vec<Node>], from: &Positions) -> Result<Positions, Limit> {
        let mut out = Positions::default();
        for a in alternatives {
            let ends = self.sequence(a, from.clone())?;
            self.spend(ends.0.len())?;
            out = out.union(&ends);
        }
        Ok(out)
    }

    fn repeated(&mut self, alternatives: &[Vec<Node>], start: Positions) -> Result<Positions, Limit> {
        let mut seen = start.clone();
        let mut new = start;
        while !new.is_empty() {
            let ends = self.any(alternatives, &new)?;
            new = ends.minus(&seen);
            self.spend(seen.0.len())?;
            seen = seen.union(&new);
        }
        Ok(seen)
    }

    /// True where a file name's component begins at `p`.
    fn component_start(&self, p: usize) -> bool {
        p == 0 || p.checked_sub(1).and_then(|q| self.text.units.get(q)) == Some(&Unit::from(b'/'))
    }

    /// True where the unit at `p` is one that operators do not match in file names.
    fn barred(&self, p: usize, unit: Unit) -> bool {
        let f = self.pattern.flags;
        f.path && (unit == Unit::from(b'/') || unit == Unit::from(b'.') && !f.dotglob && self.component_start(p))
    }

    /// The last position that `*` reaches from `p`.
    fn reach(&self, p: usize) -> usize {
        if !self.pattern.flags.path {
            return self.text.len();
        }
        let mut q = p;
        while let Some(&u) = self.text.units.get(q) {
            if self.barred(q, u) {
                break;
            }
            q = q.saturating_add(1);
        }
        q
    }

    fn one(&self, node: &Node, p: usize) -> bool {
        let Some(&unit) = self.text.units.get(p) else { return false };
        let nocase = self.pattern.flags.nocase;
        match node {
            Node::Unit(u) => *u == unit || nocase && (lower(*u) == lower(unit) || upper(*u) == upper(unit)),
            Node::Question => !self.barred(p, unit),
            Node::Bracket(set) => !self.barred(p, unit) && set.has(unit, nocase),
            Node::Star | Node::Ext(..) => false,
        }
    }
}

fn reverse(nodes: &[Node]) -> Vec<Node> {
    nodes
        .iter()
        .rev()
        .map(|n| match n {
            Node::Ext(kind, alternatives) => Node::Ext(*kind, alternatives.iter().map(|a| reverse(a)).collect()),
            other => other.clone(),
        })
        .collect()
}

impl Pattern {
    /// The nodes to use for a text, and the text made ready.
    pub(super) fn prepare(&self, text: &[u8]) -> Result<(&[Node], Text), Limit> {
        if self.too_deep {
            return Err(Limit);
        }
        let by_bytes = self.only_bytes || std::str::from_utf8(text).is_err();
        let nodes = if by_bytes { self.bytes.as_deref().unwrap_or(&self.chars) } else { &self.chars };
        Ok((nodes, Text::new(text, by_bytes)))
    }

    /// True where the text differs from the pattern in the letters that it begins or ends with: nearly all do that do not
    /// match, and this is told without taking the text apart.
    fn differs(&self, text: &[u8]) -> bool {
        if self.too_deep || self.only_bytes || self.flags.nocase {
            return false;
        }
        fn apart<'a>(nodes: impl Iterator<Item = &'a Node>, text: impl Iterator<Item = &'a u8>) -> bool {
            let letter = |n: &Node| match n {
                Node::Unit(u) => u8::try_from(*u).ok().filter(u8::is_ascii),
                _ => None,
            };
            nodes.map_while(letter).zip(text).any(|(letter, byte)| letter != *byte)
        }
        apart(self.chars.iter(), text.iter()) || apart(self.chars.iter().rev(), text.iter().rev())
    }

    /// True where the whole text matches.
    pub fn matches(&self, text: &[u8]) -> Result<bool, Limit> {
        if self.differs(text) {
            return Ok(false);
        }
        let (nodes, text) = self.prepare(text)?;
        Matcher::new(&text, self).whole(nodes)
    }

    /// The length in bytes of the prefix that matches (`${x#p}`, `${x##p}`); `None` where none does.
    pub fn prefix(&self, text: &[u8], extent: Extent) -> Result<Option<usize>, Limit> {
        let (nodes, text) = self.prepare(text)?;
        let ends = Matcher::new(&text, self).ends(nodes, 0)?;
        Ok(ends.map(|(short, long)| text.offset(if extent == Extent::Longest { long } else { short })))
    }

    /// The byte offset at which the suffix that matches begins (`${x%p}`, `${x%%p}`); `None` where none does.
    pub fn suffix(&self, text: &[u8], extent: Extent) -> Result<Option<usize>, Limit> {
        let (nodes, text) = self.prepare(text)?;
        let (nodes, mirrored) = (reverse(nodes), text.reversed());
        let ends = Matcher::new(&mirrored, self).ends(&nodes, 0)?;
        Ok(ends.map(|(short, long)| {
            let taken = if extent == Extent::Longest { long } else { short };
            text.offset(text.len().saturating_sub(taken))
        }))
    }

    /// The text without the prefix that matches.
    pub fn strip_prefix<'t>(&self, text: &'t [u8], extent: Extent) -> Result<&'t [u8], Limit> {
        let n = self.prefix(text, extent)?.unwrap_or(0);
        Ok(text.get(n..).unwrap_or(text))
    }

    /// The text without the suffix that matches.
    pub fn strip_suffix<'t>(&self, text: &'t [u8], extent: Extent) -> Result<&'t [u8], Limit> {
        let n = self.suffix(text, extent)?.unwrap_or(text.len());
        Ok(text.get(..n).unwrap_or(text))
    }

    /// Every position (in units) at which a match may start, in order.
    pub(super) fn starts(&self, nodes: &[Node], text: &Text) -> Result<Vec<usize>, Limit> {
        let (nodes, mirrored) = (reverse(nodes), text.reversed());
        let mut all = Positions::default();
        all.push(0, text.len().saturating_add(1));
        let found = Matcher::new(&mirrored, self).sequence(&nodes, all)?;
        let mut starts: Vec<usize> = found.iter().map(|p| text.len().saturating_sub(p)).collect();
        starts.reverse();
        Ok(starts)
    }
}
