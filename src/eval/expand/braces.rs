//! Brace expansion: one word → several, before any other expansion.
//!
//! In: the parts of a word. Out: the parts of each word that it stands for.

use super::super::Interp;
use crate::limits;
use crate::syntax::ast::{Part, PartKind};
use crate::value::Bytes;

impl Interp<'_> {
    /// Brace expansion: every reading of `parts` appended to every reading so far. False where there are too many.
    pub(super) fn braces(&mut self, parts: &[Part], readings: &mut Vec<Vec<Part>>) -> bool {
        for p in parts {
            let choices: Vec<Vec<Part>> = match &p.kind {
                PartKind::Braces(alternatives) => {
                    let mut all = Vec::new();
                    for alt in alternatives {
                        let mut sub = vec![Vec::new()];
                        if !self.braces(alt, &mut sub) {
                            return false;
                        }
                        all.append(&mut sub);
                    }
                    all
                }
                PartKind::BraceRange(r) => {
                    let words = match crate::value::split::brace_range(&r.from, &r.to, r.step.as_deref()) {
                        Some(Ok(words)) => words,
                        Some(Err(_)) => return false,
                        // bash leaves it as it is.
                        None => vec![p.span.of(&self.source.bytes(self.text)).to_vec()],
                    };
                    let part = |w| vec![Part { kind: PartKind::Literal(Bytes::from_vec(w)), span: p.span }];
                    words.into_iter().map(part).collect()
                }
                _ => {
                    readings.iter_mut().for_each(|r| r.push(p.clone()));
                    continue;
                }
            };
            let mut all = Vec::new();
            let made = readings.len().saturating_mul(choices.len());
            let length = readings.first().map_or(1, Vec::len).saturating_add(1);
            if made > limits::MAX_FIELDS || !self.spend((made as u64).saturating_mul(length as u64) / 16) {
                return false;
            }
            for head in readings.iter() {
                for tail in &choices {
                    let mut r = head.clone();
                    r.extend(tail.iter().cloned());
                    all.push(r);
                }
            }
            *readings = all;
        }
        true
    }
}

/// `$x{a,b}` is `$xa $xb`: braces are expanded before names are read, so what an alternative begins with may belong to
/// the name before it.
pub(super) fn lengthen_names(parts: &mut Vec<Part>) {
    for i in 0..parts.len() {
        let next = i.saturating_add(1);
        let Some([Part { kind: PartKind::Param(p), span }, Part { kind: PartKind::Literal(b), .. }]) =
            parts.get_mut(i..next.saturating_add(1))
        else {
            continue;
        };
        let plain = p.subscript.is_none()
            && !p.indirect
            && p.op == crate::syntax::ast::ParamOp::None
            && span.len() == p.name.len().saturating_add(1)
            && p.name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        if plain {
            let n = b.iter().take_while(|c| c.is_ascii_alphanumeric() || **c == b'_').count();
            let (more, rest) = b.split_at(n);
            p.name.push_str(&String::from_utf8_lossy(more));
            *b = Bytes::from_slice(rest);
        }
    }
    parts.retain(|p| !matches!(&p.kind, PartKind::Literal(b) if b.is_empty()));
}

pub(crate) fn has_braces(parts: &[Part]) -> bool {
    parts.iter().any(|p| matches!(p.kind, PartKind::Braces(_) | PartKind::BraceRange(..)))
}
