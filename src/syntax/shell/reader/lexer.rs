//! Bytes, blanks, operators and reserved words: what the parser looks at before it reads a word.
//!
//! In: the text and a position. Out: the next byte as the shell sees it (`\` newline pairs vanish anywhere outside
//! single quotes, also inside `&&`), or which reserved word stands there. Floor 2; imports `source`, `syntax::ast`.

use super::{R, Reader, Stop};
use crate::source::Span;
use crate::syntax::ast::SyntaxError;

/// Ends a word where it is unquoted: blank, newline, `;&|<>()`, and the end of the text.
pub(super) const META: u8 = 1;
/// A letter, digit or `_`.
pub(super) const NAME: u8 = 2;
/// Stops the scan of plain text in a word.
pub(super) const STOP: u8 = 4;
/// Plain in a word, but a later pass looks at it: `{`, `*`, `?`, `[`.
pub(super) const NOTE: u8 = 8;
/// Stops the scan inside double quotes.
pub(super) const QSTOP: u8 = 16;

const fn table() -> [u8; 256] {
    let mut t = [0u8; 256];
    let mut i = 0;
    while i < 256 {
        let b = i as u8;
        let mut c = 0;
        if matches!(b, 0 | b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'<' | b'>' | b'(' | b')') {
            c |= META | STOP;
        }
        if matches!(b, b'\'' | b'"' | b'`' | b'$' | b'\\' | b'}' | b'/') {
            c |= STOP;
        }
        if matches!(b, b'{' | b'*' | b'?' | b'[') {
            c |= NOTE;
        }
        if matches!(b, 0 | b'"' | b'\'' | b'`' | b'$' | b'\\' | b'}') {
            c |= QSTOP;
        }
        if b.is_ascii_alphanumeric() || b == b'_' {
            c |= NAME;
        }
        #[expect(clippy::indexing_slicing, reason = "the loop ends at the array's length; evaluated by the compiler")]
        {
            t[i] = c;
        }
        i += 1;
    }
    t
}

static TABLE: [u8; 256] = table();

/// The class bits of a byte.
#[inline]
pub(super) fn class(b: u8) -> u8 {
    TABLE.get(b as usize).copied().unwrap_or(0)
}

/// True for a byte that may start a name.
pub(super) fn name_start(b: u8) -> bool {
    b.is_ascii_alphabetic() || b == b'_'
}

/// Reserved words: POSIX XCU 2.4 and the bash manual.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reserved {
    Bang,
    LBrace,
    RBrace,
    DBracket,
    /// `]]`: a syntax error where a command may begin.
    CondEnd,
    If,
    Then,
    Elif,
    Else,
    Fi,
    For,
    Select,
    While,
    Until,
    Do,
    Done,
    Case,
    Esac,
    In,
    Function,
    Coproc,
    Time,
    /// zsh `repeat`
    Repeat,
}

impl Reserved {
    /// True for those that end a compound list.
    pub(super) fn ends_list(self) -> bool {
        use Reserved::{Do, Done, Elif, Else, Esac, Fi, RBrace, Then};
        matches!(self, Then | Elif | Else | Fi | Do | Done | Esac | RBrace)
    }
    /// True for those that begin a compound command (`shell_command` in bash's grammar).
    pub(super) fn begins_compound(self) -> bool {
        use Reserved::{Case, DBracket, For, If, LBrace, Repeat, Select, Until, While};
        matches!(self, If | For | Select | While | Until | Case | LBrace | DBracket | Repeat)
    }
}

impl Reader<'_> {
    /// The byte at `i`; 0 at the end (texts hold no NUL: bash drops them, and so does [`super::read`]).
    #[inline]
    pub(super) fn at(&self, i: usize) -> u8 {
        self.text.get(i).copied().unwrap_or(0)
    }

    /// The next byte at or after `i` that is no line continuation, with its place.
    #[inline]
    pub(super) fn look(&self, mut i: usize) -> (u8, usize) {
        loop {
            let b = self.at(i);
            if b == b'\\' && self.at(i + 1) == b'\n' {
                i += 2;
            } else {
                return (b, i);
            }
        }
    }

    /// Whether the two-byte operator `a` `b` stands at the current place; gives the place after it.
    pub(super) fn pair(&self, a: u8, b: u8) -> Option<usize> {
        if self.at(self.pos) != a {
            return None;
        }
        let (c, p) = self.look(self.pos + 1);
        (c == b).then_some(p + 1)
    }

    /// Skips blanks, line continuations and a comment. What follows is the start of a token.
    pub(super) fn blank(&mut self) {
        loop {
            match self.at(self.pos) {
                b' ' | b'\t' => self.pos += 1,
                b'\\' if self.at(self.pos + 1) == b'\n' => self.pos += 2,
                b'#' => {
                    let rest = self.text.get(self.pos..).unwrap_or(&[]);
                    let len = rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
                    self.comments.push(Span::new(self.pos, self.pos + len));
                    self.pos += len;
                }
                _ => break,
            }
        }
    }

    /// Steps over a newline, and over the here-document bodies that begin after it.
    pub(super) fn newline(&mut self) -> R<()> {
        match self.hole {
            Some((newline, after)) if self.pos == newline => {
                self.pos = after;
                self.hole = None;
            }
            Some((newline, _)) if self.pos > newline => return self.torn(),
            _ => self.pos += 1,
        }
        if self.pending.len() > self.pending_base { self.heredocs() } else { Ok(()) }
    }

    /// Skips blanks, comments and newlines.
    pub(super) fn newlines(&mut self) -> R<()> {
        loop {
            self.blank();
            if self.at(self.pos) != b'\n' {
                return Ok(());
            }
            self.newline()?;
        }
    }

    /// True at the end of the text.
    pub(super) fn ended(&self) -> bool {
        self.pos >= self.text.len()
    }

    /// A syntax error at the current place.
    pub(super) fn unexpected<T>(&self) -> R<T> {
        let reason = if self.ended() { SyntaxError::UnexpectedEnd } else { SyntaxError::UnexpectedToken };
        Err(Stop { reason, at: self.pos })
    }

    /// Something that is still open at the end of the text.
    pub(super) fn open_end<T>(&self) -> R<T> {
        Err(Stop { reason: SyntaxError::UnexpectedEnd, at: self.text.len() })
    }

    /// The reserved word at `pos`, with the place after it. Only meaningful where a command may begin, or where the
    /// grammar asks for one (`in`, `do`).
    pub(super) fn reserved(&self, pos: usize) -> Option<(Reserved, usize)> {
        let mut buf = [0u8; 9];
        let mut n = 0usize;
        let mut i = pos;
        loop {
            let (b, p) = self.look(i);
            if class(b) & META != 0 {
                break;
            }
            if !(b.is_ascii_lowercase() || matches!(b, b'!' | b'{' | b'}' | b'[' | b']')) {
                return None;
            }
            *buf.get_mut(n)? = b;
            n += 1;
            i = p + 1;
        }
        let d = self.dialect;
        let word = match buf.get(..n)? {
            b"!" => Reserved::Bang,
            b"{" => Reserved::LBrace,
            b"}" => Reserved::RBrace,
            b"[[" if d.cond => Reserved::DBracket,
            b"]]" if d.cond && !d.zsh => Reserved::CondEnd,
            b"if" => Reserved::If,
            b"then" => Reserved::Then,
            b"elif" => Reserved::Elif,
            b"else" => Reserved::Else,
            b"fi" => Reserved::Fi,
            b"for" => Reserved::For,
            b"foreach" if d.zsh => Reserved::For,
            b"select" if d.select => Reserved::Select,
            b"while" => Reserved::While,
            b"until" => Reserved::Until,
            b"do" => Reserved::Do,
            b"done" => Reserved::Done,
            b"case" => Reserved::Case,
            b"esac" => Reserved::Esac,
            b"in" => Reserved::In,
            b"function" if d.function => Reserved::Function,
            b"coproc" if d.coproc => Reserved::Coproc,
            b"time" if d.time => Reserved::Time,
            b"repeat" if d.zsh => Reserved::Repeat,
            _ => return None,
        };
        Some((word, i))
    }

    /// Steps over the reserved word that has to stand here.
    pub(super) fn expect(&mut self, word: Reserved) -> R<()> {
        match self.reserved(self.pos) {
            Some((w, end)) if w == word => {
                self.pos = end;
                Ok(())
            }
            _ => self.unexpected(),
        }
    }

    /// The operator that ends a `case` clause, with the place after it.
    pub(super) fn case_end(&self) -> Option<(crate::syntax::ast::CaseEnd, usize)> {
        use crate::syntax::ast::CaseEnd;
        if self.at(self.pos) != b';' {
            return None;
        }
        let (b, p) = self.look(self.pos + 1);
        if b == b'&' && self.dialect.case_fall {
            return Some((CaseEnd::FallThrough, p + 1));
        }
        // zsh spells "go on testing" `;|`.
        if b == b'|' && self.dialect.zsh {
            return Some((CaseEnd::Continue, p + 1));
        }
        if b != b';' {
            return None;
        }
        let (c, q) = self.look(p + 1);
        if c == b'&' && self.dialect.case_fall {
            Some((CaseEnd::Continue, q + 1))
        } else {
            Some((CaseEnd::Break, p + 1))
        }
    }
}
