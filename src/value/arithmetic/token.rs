//! The tokens of shell arithmetic.
//!
//! In: the text. Out: one token after the other, with bash's rules for `++` and `--` and for constants.

use super::ArithError;

/// Operators and brackets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Op {
    Comma,
    Question,
    Colon,
    Open,
    Close,
    Not,
    BitNot,
    Or,
    And,
    BitOr,
    BitXor,
    BitAnd,
    Equal,
    NotEqual,
    Less,
    Greater,
    LessEqual,
    GreaterEqual,
    Left,
    Right,
    Plus,
    Minus,
    Mul,
    Div,
    Mod,
    Power,
}

impl Op {
    /// How tightly a binary operator binds; `None` for the others.
    pub(super) fn precedence(self) -> Option<u8> {
        Some(match self {
            Op::Or => 1,
            Op::And => 2,
            Op::BitOr => 3,
            Op::BitXor => 4,
            Op::BitAnd => 5,
            Op::Equal | Op::NotEqual => 6,
            Op::Less | Op::Greater | Op::LessEqual | Op::GreaterEqual => 7,
            Op::Left | Op::Right => 8,
            Op::Plus | Op::Minus => 9,
            Op::Mul | Op::Div | Op::Mod => 10,
            Op::Power => 11,
            _ => return None,
        })
    }
}

/// One token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    End,
    Number(i64),
    /// A variable and the text of its subscript.
    Name(&'a str, Option<&'a [u8]>),
    Op(Op),
    /// `=` or an operator with `=`.
    Assign(Option<Op>),
    /// `++` or `--` before a name: what it adds.
    Before(i64),
    /// `++` or `--` after a name.
    After(i64),
}

/// A cursor over an expression.
pub(super) struct Tokens<'a> {
    text: &'a [u8],
    at: usize,
    after_name: bool,
    peeked: Option<(Token<'a>, usize)>,
}

impl<'a> Tokens<'a> {
    pub(super) fn new(text: &'a [u8]) -> Self {
        Tokens { text, at: 0, after_name: false, peeked: None }
    }

    pub(super) fn peek(&mut self) -> Result<Token<'a>, ArithError> {
        if let Some((t, _)) = self.peeked {
            return Ok(t);
        }
        let (token, end) = self.read()?;
        self.peeked = Some((token, end));
        Ok(token)
    }

    pub(super) fn next(&mut self) -> Result<Token<'a>, ArithError> {
        let token = self.peek()?;
        if let Some((_, end)) = self.peeked.take() {
            self.at = end;
        }
        self.after_name = matches!(token, Token::Name(..));
        Ok(token)
    }

    fn skip_blanks(&self, mut at: usize) -> usize {
        while matches!(self.text.get(at), Some(b' ' | b'\t' | b'\n')) {
            at = at.saturating_add(1);
        }
        at
    }

    fn read(&self) -> Result<(Token<'a>, usize), ArithError> {
        let at = self.skip_blanks(self.at);
        let Some(&c) = self.text.get(at) else { return Ok((Token::End, at)) };
        if c.is_ascii_alphabetic() || c == b'_' {
            return self.name(at);
        }
        if c.is_ascii_digit() {
            let mut end = at;
            while self.text.get(end).is_some_and(|b| b.is_ascii_alphanumeric() || matches!(b, b'#' | b'@' | b'_')) {
                end = end.saturating_add(1);
            }
            let digits = self.text.get(at..end).unwrap_or(&[]);
            return Ok((Token::Number(constant(digits)?), end));
        }
        let byte = |i: usize| self.text.get(at.saturating_add(i)).copied();
        let (token, length) = match (c, byte(1), byte(2)) {
            (b'<', Some(b'<'), Some(b'=')) => (Token::Assign(Some(Op::Left)), 3),
            (b'>', Some(b'>'), Some(b'=')) => (Token::Assign(Some(Op::Right)), 3),
            (b'<', Some(b'<'), _) => (Token::Op(Op::Left), 2),
            (b'>', Some(b'>'), _) => (Token::Op(Op::Right), 2),
            (b'<', Some(b'='), _) => (Token::Op(Op::LessEqual), 2),
            (b'>', Some(b'='), _) => (Token::Op(Op::GreaterEqual), 2),
            (b'=', Some(b'='), _) => (Token::Op(Op::Equal), 2),
            (b'!', Some(b'='), _) => (Token::Op(Op::NotEqual), 2),
            (b'&', Some(b'&'), _) => (Token::Op(Op::And), 2),
            (b'|', Some(b'|'), _) => (Token::Op(Op::Or), 2),
            (b'*', Some(b'*'), _) => (Token::Op(Op::Power), 2),
            (b'+' | b'-', Some(d), _) if d == c => {
                let step = if c == b'+' { 1 } else { -1 };
                let next = self.text.get(self.skip_blanks(at.saturating_add(2)));
                if self.after_name {
                    (Token::After(step), 2)
                } else if next.is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_') {
                    (Token::Before(step), 2)
                } else {
                    // `3++4` is 3 + (+4).
                    (Token::Op(if c == b'+' { Op::Plus } else { Op::Minus }), 1)
                }
            }
            (c, next, _) => {
                let op = single(c).ok_or(ArithError::Syntax("syntax error: invalid arithmetic operator"))?;
                match (op, next) {
                    (None, _) => (Token::Assign(None), 1),
                    (Some(op), Some(b'=')) if matches!(c, b'*' | b'/' | b'%' | b'+' | b'-' | b'&' | b'^' | b'|') => {
                        (Token::Assign(Some(op)), 2)
                    }
                    (Some(op), _) => (Token::Op(op), 1),
                }
            }
        };
        Ok((token, at.saturating_add(length)))
    }

    fn name(&self, at: usize) -> Result<(Token<'a>, usize), ArithError> {
        let mut end = at;
        while self.text.get(end).is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_') {
            end = end.saturating_add(1);
        }
        let name = self.text.get(at..end).and_then(|b| std::str::from_utf8(b).ok()).unwrap_or("");
        if self.text.get(end) != Some(&b'[') {
            return Ok((Token::Name(name, None), end));
        }
        let open = end.saturating_add(1);
        let close = subscript_end(self.text, open).ok_or(ArithError::Syntax("bad array subscript"))?;
        Ok((Token::Name(name, self.text.get(open..close)), close.saturating_add(1)))
    }
}

/// The `]` that closes a subscript: brackets nest, quotes hide them.
fn subscript_end(text: &[u8], open: usize) -> Option<usize> {
    let mut depth = 0u32;
    let mut quote = 0u8;
    let mut at = open;
    loop {
        match *text.get(at)? {
            b'\\' => at = at.saturating_add(1),
            c if quote != 0 => quote = if c == quote { 0 } else { quote },
            c @ (b'\'' | b'"' | b'`') => quote = c,
            b'[' => depth = depth.saturating_add(1),
            b']' if depth == 0 => return Some(at),
            b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        at = at.saturating_add(1);
    }
}

/// The operator of one character; `Some(None)` is `=`.
fn single(c: u8) -> Option<Option<Op>> {
    Some(Some(match c {
        b'=' => return Some(None),
        b',' => Op::Comma,
        b'?' => Op::Question,
        b':' => Op::Colon,
        b'(' => Op::Open,
        b')' => Op::Close,
        b'!' => Op::Not,
        b'~' => Op::BitNot,
        b'|' => Op::BitOr,
        b'^' => Op::BitXor,
        b'&' => Op::BitAnd,
        b'<' => Op::Less,
        b'>' => Op::Greater,
        b'+' => Op::Plus,
        b'-' => Op::Minus,
        b'*' => Op::Mul,
        b'/' => Op::Div,
        b'%' => Op::Mod,
        _ => return None,
    }))
}

/// A constant: decimal, `0` octal, `0x` hexadecimal, `base#digits` with base 2 to 64. Too large a number wraps.
fn constant(text: &[u8]) -> Result<i64, ArithError> {
    let (base, digits): (i64, &[u8]) = match text {
        [b'0'] => return Ok(0),
        [b'0', b'x' | b'X', rest @ ..] => (16, rest),
        [b'0', rest @ ..] => (8, rest),
        _ => match text.iter().position(|b| *b == b'#') {
            Some(i) => {
                let (head, rest) = text.split_at_checked(i).unwrap_or((text, &[]));
                let base = accumulate(head, 10)?;
                if !(2..=64).contains(&base) {
                    return Err(ArithError::Math("invalid arithmetic base"));
                }
                let rest = rest.get(1..).unwrap_or(&[]);
                if rest.is_empty() {
                    return Err(ArithError::Math("invalid integer constant"));
                }
                (base, rest)
            }
            None => (10, text),
        },
    };
    accumulate(digits, base)
}

fn accumulate(digits: &[u8], base: i64) -> Result<i64, ArithError> {
    let mut value = 0i64;
    for &d in digits {
        let digit = match d {
            b'0'..=b'9' => d.saturating_sub(b'0'),
            b'a'..=b'z' => d.saturating_sub(b'a').saturating_add(10),
            b'A'..=b'Z' if base <= 36 => d.saturating_sub(b'A').saturating_add(10),
            b'A'..=b'Z' => d.saturating_sub(b'A').saturating_add(36),
            b'@' => 62,
            b'_' => 63,
            _ => return Err(ArithError::Math("invalid number")),
        };
        if i64::from(digit) >= base {
            return Err(ArithError::Math("value too great for base"));
        }
        value = value.wrapping_mul(base).wrapping_add(i64::from(digit));
    }
    Ok(value)
}
