//! Texts, spans, and where every byte came from.
//!
//! Floor 1: imports nothing of the project. A [`Source`] holds the text that was given and every text that was found
//! or computed inside it (a decoded payload, a heredoc body, the argument of `sh -c`). A nested text knows, segment by
//! segment, where its bytes come from, so a place in it can be followed outwards to the text the person typed.

use std::rc::Rc;

/// A half-open range of byte offsets into one text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// A span from two offsets; offsets past `u32::MAX` are clamped (inputs are bounded far below that).
    pub fn new(start: usize, end: usize) -> Self {
        let clamp = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Span { start: clamp(start), end: clamp(end.max(start)) }
    }
    /// Length in bytes.
    pub fn len(self) -> usize {
        self.end.saturating_sub(self.start) as usize
    }
    /// True where the span covers no byte.
    pub fn is_empty(self) -> bool {
        self.end <= self.start
    }
    /// The smallest span that covers both.
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
    /// The bytes of `text` under this span; empty where the span lies outside.
    pub fn of(self, text: &[u8]) -> &[u8] {
        text.get(self.start as usize..self.end as usize).unwrap_or(&[])
    }
    /// True where `other` lies wholly inside.
    pub fn contains(self, other: Span) -> bool {
        self.start <= other.start && other.end <= self.end
    }
}

/// Which text of a [`Source`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TextId(pub u32);

impl TextId {
    /// The text that was given from outside.
    pub const ROOT: TextId = TextId(0);
}

/// A span in one of the texts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// The text.
    pub text: TextId,
    /// The bytes in it.
    pub span: Span,
}

impl Place {
    /// A place from its parts.
    pub fn new(text: TextId, span: Span) -> Self {
        Place { text, span }
    }
    /// The smallest place that covers both; `self` where they lie in different texts.
    pub fn to(self, other: Place) -> Place {
        if self.text == other.text { Place::new(self.text, self.span.to(other.span)) } else { self }
    }
}

/// Where a run of bytes of a nested text came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Offset of the run's first byte in the nested text; the run ends where the next begins.
    pub start: u32,
    /// The bytes it came from.
    pub from: Place,
    /// True where the run is a byte-for-byte copy, so that offsets inside it carry over.
    pub exact: bool,
}

/// One text.
#[derive(Clone, Debug)]
pub struct Text {
    /// The bytes.
    pub bytes: Rc<[u8]>,
    /// The place in another text that this one was taken or computed from; `None` for the root.
    pub parent: Option<Place>,
    /// Where its runs came from, in order of `start`.
    pub segments: Vec<Segment>,
}

/// The root text and every nested one.
#[derive(Clone, Debug, Default)]
pub struct Source {
    texts: Vec<Text>,
}

impl Source {
    /// A source with its root text.
    pub fn new(root: &[u8]) -> Self {
        Source { texts: vec![Text { bytes: Rc::from(root), parent: None, segments: Vec::new() }] }
    }
    /// Adds a nested text and returns its id.
    pub fn add(&mut self, bytes: &[u8], parent: Place, segments: Vec<Segment>) -> TextId {
        let id = TextId(u32::try_from(self.texts.len()).unwrap_or(u32::MAX));
        self.texts.push(Text { bytes: Rc::from(bytes), parent: Some(parent), segments });
        id
    }
    /// The text with that id.
    pub fn get(&self, id: TextId) -> Option<&Text> {
        self.texts.get(id.0 as usize)
    }
    /// The bytes of a text; empty for an unknown id.
    pub fn bytes(&self, id: TextId) -> Rc<[u8]> {
        self.get(id).map_or_else(|| Rc::from(&[][..]), |t| Rc::clone(&t.bytes))
    }
    /// The bytes under a place, lossily as text for people.
    pub fn show(&self, place: Place) -> String {
        self.get(place.text).map_or_else(String::new, |t| String::from_utf8_lossy(place.span.of(&t.bytes)).into_owned())
    }
    /// All texts with their ids, root first.
    pub fn iter(&self) -> impl Iterator<Item = (TextId, &Text)> {
        self.texts.iter().enumerate().map(|(i, t)| (TextId(u32::try_from(i).unwrap_or(u32::MAX)), t))
    }
    /// One step outwards: the place in the parent text that `place` came from. `None` at the root.
    pub fn outward(&self, place: Place) -> Option<Place> {
        let text = self.get(place.text)?;
        let parent = text.parent?;
        let mut found: Option<Place> = None;
        let after = text.segments.partition_point(|s| s.start <= place.span.start);
        let first = after.saturating_sub(1);
        for (i, seg) in text.segments.iter().enumerate().skip(first) {
            if i > first && seg.start >= place.span.end {
                break;
            }
            let seg_end = text.segments.get(i.saturating_add(1)).map_or(text.bytes.len() as u32, |n| n.start);
            let part = if seg.exact {
                let a = place.span.start.max(seg.start).saturating_sub(seg.start);
                let b = place.span.end.min(seg_end).saturating_sub(seg.start);
                let start = seg.from.span.start.saturating_add(a);
                let end = seg.from.span.start.saturating_add(b.max(a));
                Place::new(seg.from.text, Span { start, end })
            } else {
                seg.from
            };
            found = Some(match found {
                None => part,
                Some(f) if f.text == part.text => f.to(part),
                Some(_) => return Some(parent),
            });
        }
        Some(found.unwrap_or(parent))
    }
    /// The span in the root text that `place` came from.
    pub fn outermost(&self, mut place: Place) -> Span {
        // Each step goes to a text with a smaller id, so this ends; the bound holds even if a caller broke that.
        for _ in 0..=self.texts.len() {
            match self.outward(place) {
                Some(p) => place = p,
                None => break,
            }
        }
        place.span
    }
}
