//! Python → the common language of scripts.
//!
//! In: the bytes of a Python program, with markers where a piece is not known. Out: a [`Script`]. Python 3 is read by
//! rustpython-parser; what that refuses (Python 2, f-strings of 3.12, broken text, text that nests too deep for it) is
//! read by tree-sitter-python, which recovers from errors, so that what stands around a mistake is known all the same.
//! Floor 2; imports `source`, `limits`, `syntax`. It knows no module and no function: that is data.

mod expr;
mod other;
mod stmt;
mod token;

use super::ast::{SyntaxError, Unparsed};
use super::marker::Readable;
use super::script::Script;
use crate::limits;
use crate::source::Span;
use rustpython_parser::{Parse, ast};

/// Reads a program.
pub fn read(bytes: &[u8]) -> Script {
    let whole = Span::new(0, bytes.len());
    let refuse = |reason| Script { body: Vec::new(), unparsed: vec![Unparsed { span: whole, reason }] };
    if bytes.len() > limits::MAX_SCRIPT_INPUT {
        return refuse(SyntaxError::TooLarge);
    }
    let text = Readable::new(bytes);
    let depth = growth(bytes);
    if depth <= limits::MAX_PYTHON_GROWTH {
        // The parser keeps its own stack, but dropping a tree and walking it take one frame a level.
        let room = depth.saturating_mul(1_024).saturating_add(256 << 10);
        let script = stacker::maybe_grow(room, room.saturating_add(256 << 10), || {
            let suite = ast::Suite::parse(text.text(), "").ok()?;
            let lower = Lower { text: &text };
            Some(Script { body: lower.block(&suite, 0), unparsed: Vec::new() })
        });
        if let Some(script) = script {
            return script;
        }
    }
    other::read(bytes)
}

/// Lowers one text.
struct Lower<'a> {
    text: &'a Readable<'a>,
}

/// A bound for how deep the tree of a text can get: every level costs an operator, a bracket, a dot, a keyword or a
/// block. Strings and comments count, too, since telling them apart takes the lexer.
fn growth(bytes: &[u8]) -> usize {
    let mut n = 0usize;
    let mut word = 0usize;
    for b in bytes {
        match b {
            b'a'..=b'z' => {
                word = word.saturating_add(1);
                continue;
            }
            b'(' | b'[' | b'{' | b'.' | b'+' | b'-' | b'*' | b'/' | b'%' | b'@' | b'&' | b'|' | b'^' | b'~' | b'<'
            | b'>' | b'=' | b':' => n = n.saturating_add(1),
            // `not not not x`, `await`, `lambda`, `a if b else c`: a keyword has two to six letters and a blank after it.
            b' ' | b'\t' | b'\n' | b'\r' | b'\\' | 0x0c if (2..=6).contains(&word) => n = n.saturating_add(1),
            _ => {}
        }
        word = 0;
    }
    n
}

#[cfg(test)]
mod tests;
