//! Python's tokens as the second reader sees them: numbers, the text of strings, the parts of a slice.
//!
//! In: a node, or what stands in it. Out: bytes and numbers, escapes undone.

use crate::escape::letter;
use crate::syntax::ast::Bytes;
use crate::syntax::script::Kind;
use tree_sitter::Node;

/// The three parts of a slice, by the colons between them.
pub(super) fn slice(n: Node<'_>) -> [Option<Node<'_>>; 3] {
    let mut out = [None; 3];
    let mut at = 0usize;
    let mut c = n.walk();
    if c.goto_first_child() {
        loop {
            let k = c.node();
            if k.kind() == ":" {
                at = at.saturating_add(1);
            } else if k.is_named()
                && !k.is_extra()
                && let Some(slot) = out.get_mut(at)
            {
                *slot = Some(k);
            }
            if !c.goto_next_sibling() {
                break;
            }
        }
    }
    out
}

/// `10`, `0x1f`, `0o17`, `017`, `0b1`, `1_000`, `10L`
pub(super) fn number(text: &str) -> Kind {
    let digits: String = text.chars().filter(|c| *c != '_').collect::<String>().to_ascii_lowercase();
    let digits = digits.trim_end_matches('l');
    let (digits, base) = match digits.as_bytes() {
        [b'0', b'x', ..] => (digits.get(2..), 16),
        [b'0', b'o', ..] => (digits.get(2..), 8),
        [b'0', b'b', ..] => (digits.get(2..), 2),
        [b'0', _, ..] => (digits.get(1..), 8),
        _ => (Some(digits), 10),
    };
    let value = digits.and_then(|d| i64::from_str_radix(d, base).ok());
    value.map_or(Kind::Other(Vec::new()), Kind::Number)
}

/// `{{` and `}}` of a formatted string are one brace each.
pub(super) fn halved(text: &[u8]) -> Bytes {
    let mut out = Bytes::new();
    let mut rest = text;
    while let Some((b, tail)) = rest.split_first() {
        out.push(*b);
        let twice = matches!(b, b'{' | b'}') && tail.first() == Some(b);
        rest = if twice { tail.get(1..).unwrap_or(&[]) } else { tail };
    }
    out
}

/// Escapes undone, as the language reference has them; in bytes, `\u` is no escape.
pub(super) fn unescape(text: &[u8], bytes: bool) -> Bytes {
    let mut out = Bytes::new();
    let mut rest = text;
    while let Some((b, tail)) = rest.split_first() {
        rest = tail;
        if *b != b'\\' {
            out.push(*b);
            continue;
        }
        let Some((e, tail)) = rest.split_first() else {
            out.push(b'\\');
            break;
        };
        rest = tail;
        let digits = match e {
            b'\n' => continue,
            b'\\' | b'\'' | b'"' => {
                out.push(*e);
                continue;
            }
            e if let Some(control) = letter(*e) => {
                out.push(control);
                continue;
            }
            b'x' => 2,
            b'u' if !bytes => 4,
            b'U' if !bytes => 8,
            b'0'..=b'7' => {
                let n = rest.iter().take(2).take_while(|d| (b'0'..=b'7').contains(d)).count();
                let more = rest.get(..n).unwrap_or(&[]);
                rest = rest.get(n..).unwrap_or(&[]);
                let all = std::iter::once(e).chain(more);
                push(&mut out, all.fold(0, |v, d| v * 8 + u32::from(d.saturating_sub(b'0'))), bytes);
                continue;
            }
            other => {
                out.extend_from_slice(&[b'\\', *other]);
                continue;
            }
        };
        let hex = rest.get(..digits).and_then(|h| std::str::from_utf8(h).ok());
        match hex.and_then(|h| u32::from_str_radix(h, 16).ok()) {
            Some(c) => {
                rest = rest.get(digits..).unwrap_or(&[]);
                push(&mut out, c, bytes);
            }
            None => out.extend_from_slice(&[b'\\', *e]),
        }
    }
    out
}

/// A character, or in bytes a byte.
fn push(out: &mut Bytes, c: u32, bytes: bool) {
    match (u8::try_from(c), char::from_u32(c)) {
        (Ok(b), _) if bytes => out.push(b),
        (_, Some(c)) => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        _ => out.push(b'?'),
    }
}
