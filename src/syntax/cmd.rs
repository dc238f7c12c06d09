//! cmd.exe: the command line and batch files.
//!
//! In: the text of a program (`cmd /c`, a `.bat` file). Out: a [`Script`]. Commands keep their words without quotes; `^` takes
//! the meaning off the character behind it; `%x%` and `!x!` are variables in small letters, `%x:~1,3%` a part of one; `if`,
//! `for`, groups, pipes and redirections are followed, jumps are not. Floor 2; imports `limits`, `syntax`.

use super::ast::{Bytes, SyntaxError, Unparsed};
use super::marker::Readable;
use super::script::{Expr, Kind, Script, Stmt, StmtKind, Target};
use crate::limits;
use crate::source::Span;

/// Reads a program.
pub fn read(text: &[u8]) -> Script {
    if text.len() > limits::MAX_SCRIPT_INPUT {
        let whole = Unparsed { span: Span::new(0, text.len()), reason: SyntaxError::TooLarge };
        return Script { body: Vec::new(), unparsed: vec![whole] };
    }
    let readable = Readable::new(text);
    let mut reader =
        Reader { readable: &readable, text: readable.text(), at: 0, depth: 0, unparsed: Vec::new(), raw: false };
    let mut body = Vec::new();
    while reader.at < reader.text.len() {
        reader.sequence(&mut body);
        // A `)` that closes nothing.
        if reader.peek() == Some(')') {
            reader.bump();
        }
    }
    Script { body, unparsed: reader.unparsed }
}

struct Reader<'t> {
    readable: &'t Readable<'t>,
    text: &'t str,
    at: usize,
    depth: u32,
    unparsed: Vec<Unparsed>,
    /// True while the arguments of a program are read: it gets the line as it stands, and `,`, `;` and `=` in a word are
    /// part of it (`rundll32 a.dll,f`). Only the interpreter's own commands split there.
    raw: bool,
}

/// The interpreter's own commands that take files.
const INTERNAL: &[&str] = &[
    "del", "erase", "rd", "rmdir", "md", "mkdir", "copy", "move", "ren", "rename", "type", "dir", "cd", "chdir",
    "echo", "assoc", "ftype",
];

/// A word.
struct Word {
    expr: Expr,
    /// Its text where it holds no variable.
    plain: String,
}

impl<'t> Reader<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }
    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }
    fn bump(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at = self.at.saturating_add(c.len_utf8());
        Some(c)
    }
    fn blanks(&mut self) {
        loop {
            match self.peek() {
                Some(' ' | '\t' | ',' | ';' | '=' | '@' | '\u{b}' | '\u{c}') => {
                    self.bump();
                }
                // A caret at the end of a line joins it with the next.
                Some('^') if self.rest().starts_with("^\n") || self.rest().starts_with("^\r\n") => {
                    self.bump();
                    if self.peek() == Some('\r') {
                        self.bump();
                    }
                    self.bump();
                }
                _ => return,
            }
        }
    }
    /// The next word in small letters, without taking it.
    fn ahead(&self) -> String {
        let end = self.rest().find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(self.rest().len());
        self.rest().get(..end).unwrap_or_default().to_ascii_lowercase()
    }

    /// Commands up to a `)` or the end.
    fn sequence(&mut self, out: &mut Vec<Stmt>) {
        loop {
            self.blanks();
            match self.peek() {
                None | Some(')') => return,
                Some('\n' | '\r' | '&' | '|') => {
                    self.bump();
                }
                _ => {
                    let before = self.at;
                    self.pipeline(out);
                    if self.at == before {
                        self.bump();
                    }
                }
            }
        }
    }

    fn line(&mut self) {
        while !matches!(self.peek(), None | Some('\n')) {
            self.bump();
        }
    }

    /// Commands joined by `|`, and what depends on them by `&&` and `||`.
    fn pipeline(&mut self, out: &mut Vec<Stmt>) {
        let start = self.at;
        if self.depth >= limits::MAX_DEPTH {
            self.unparsed.push(Unparsed { span: Span::new(start, self.text.len()), reason: SyntaxError::TooDeep });
            self.at = self.text.len();
            return;
        }
        self.depth = self.depth.saturating_add(1);
        self.command(out);
        while self.rest().starts_with('|') && !self.rest().starts_with("||") {
            self.bump();
            let input = out.pop();
            let mut next = Vec::new();
            self.command(&mut next);
            let mut it = next.into_iter();
            match (input, it.next()) {
                (Some(Stmt { kind: StmtKind::Expr(mut a), .. }), Some(Stmt { kind: StmtKind::Expr(mut b), span })) => {
                    if let Kind::Command { printed, .. } = &mut a.kind {
                        *printed = false;
                    }
                    if let Kind::Command { input, .. } = &mut b.kind {
                        *input = Some(Box::new(a));
                    }
                    out.push(Stmt { kind: StmtKind::Expr(b), span });
                }
                (a, b) => out.extend(a.into_iter().chain(b)),
            }
            out.extend(it);
        }
        self.depth = self.depth.saturating_sub(1);
    }

    fn command(&mut self, out: &mut Vec<Stmt>) {
        self.blanks();
        let start = self.at;
        match self.peek() {
            Some('(') => {
                self.bump();
                let mut inner = Vec::new();
                self.sequence(&mut inner);
                if self.peek() == Some(')') {
                    self.bump();
                }
                out.push(Stmt { kind: StmtKind::Block(inner), span: Span::new(start, self.at) });
                return;
            }
            // A label, or a comment.
            Some(':') => return self.line(),
            _ => {}
        }
        match self.ahead().as_str() {
            "rem" => self.line(),
            "if" => self.conditional(out),
            "for" => self.looped(out),
            "set" => self.assignment(out),
            _ => self.simple(out),
        }
    }

    /// `if [/i] [not] CONDITION command [else command]`
    fn conditional(&mut self, out: &mut Vec<Stmt>) {
        let start = self.at;
        self.word();
        let mut negated = false;
        let mut test = Vec::new();
        let mut wanted = 1usize;
        while test.len() < wanted {
            self.blanks();
            let Some(w) = self.word() else { break };
            match w.plain.to_ascii_lowercase().as_str() {
                "/i" => {}
                "not" => negated = true,
                "exist" | "defined" | "errorlevel" | "cmdextversion" if test.is_empty() => wanted = 1,
                // `a EQU b`, `a == b`: the blank word reader takes `=` for a blank.
                "equ" | "neq" | "lss" | "leq" | "gtr" | "geq" => {}
                _ => {
                    test.push(w.expr);
                    let rest = self.rest().trim_start_matches([' ', '\t']);
                    let compares = ["equ", "neq", "lss", "leq", "gtr", "geq"];
                    let word: String = rest.chars().take(3).collect::<String>().to_ascii_lowercase();
                    if test.len() == 1 && (rest.starts_with("==") || compares.contains(&word.as_str())) {
                        wanted = 2;
                    }
                }
            }
        }
        let at = Span::new(start, self.at);
        let mut e = match <[Expr; 2]>::try_from(test) {
            Ok([a, b]) => Expr::new(Kind::Operator("==".into(), vec![a, b]), at),
            Err(parts) => Expr::new(Kind::Other(parts), at),
        };
        if negated {
            e = Expr::new(Kind::Operator("not".into(), vec![e]), at);
        }
        let mut then = Vec::new();
        self.pipeline(&mut then);
        self.blanks();
        let mut otherwise = Vec::new();
        if self.ahead() == "else" {
            self.word();
            self.pipeline(&mut otherwise);
        }
        out.push(Stmt { kind: StmtKind::If(vec![(e, then)], otherwise), span: Span::new(start, self.at) });
    }

    /// `for [/f "…"] %%x in (set) do command`
    fn looped(&mut self, out: &mut Vec<Stmt>) {
        let start = self.at;
        self.word();
        let mut name = String::new();
        let mut lines = false;
        let mut below = false;
        let mut root: Option<(&'t str, Span)> = None;
        while let Some(w) = self.spaced() {
            let lower = w.to_ascii_lowercase();
            match lower.as_str() {
                "in" => break,
                "/f" => lines = true,
                // `for /r DIRECTORY %x in (PATTERN)`: the names that fit, all over the tree.
                "/r" => below = true,
                _ if below && !lower.starts_with(['%', '/']) => {
                    root = Some((w.trim_matches('"'), Span::new(self.at.saturating_sub(w.len()), self.at)));
                }
                _ if lower.starts_with('%') => name = format!("%{}", lower.trim_matches('%')),
                _ => {}
            }
            if self.at >= self.text.len() {
                break;
            }
        }
        self.blanks();
        let mut items = Vec::new();
        let from = self.at;
        if self.peek() == Some('(') {
            self.bump();
            loop {
                self.blanks();
                match self.peek() {
                    None | Some(')') => break,
                    // `for /f %%x in ('command') do`: the lines that the command prints
                    Some('\'' | '`') if lines => {
                        let quote = self.bump().unwrap_or('\'');
                        let begin = self.at;
                        let end = self.rest().find(quote).map_or(self.text.len(), |i| begin.saturating_add(i));
                        let code = self.text.get(begin..end).unwrap_or_default();
                        let at = Span::new(begin, end);
                        let code = Expr::new(Kind::Text(self.readable.bytes(&code.replace('^', ""))), at);
                        items.push(Expr::call("for /f", vec![code], at));
                        self.at = end.saturating_add(1).min(self.text.len());
                    }
                    _ => match self.word() {
                        Some(w) => items.push(match root {
                            Some((root, at)) => {
                                let root = root.trim_end_matches(['\\', '/']);
                                let dir = Expr::new(Kind::Text(self.readable.bytes(&format!("{root}\\"))), at);
                                let at = w.expr.span;
                                Expr::new(Kind::Concat(vec![dir, w.expr]), at)
                            }
                            None => w.expr,
                        }),
                        None => {
                            self.bump();
                        }
                    },
                }
            }
            self.bump();
        }
        let over = Expr::new(Kind::List(items), Span::new(from, self.at));
        self.blanks();
        if self.ahead() == "do" {
            self.word();
        }
        let mut body = Vec::new();
        self.pipeline(&mut body);
        let kind = StmtKind::Loop { target: Some(Target::Name(name)), over: Some(over), condition: None, body };
        out.push(Stmt { kind, span: Span::new(start, self.at) });
    }

    /// The next run without blanks.
    fn spaced(&mut self) -> Option<&'t str> {
        while matches!(self.peek(), Some(' ' | '\t')) {
            self.bump();
        }
        let end = self.rest().find([' ', '\t', '\n']).unwrap_or(self.rest().len());
        let w = self.rest().get(..end).filter(|w| !w.is_empty())?;
        self.at = self.at.saturating_add(end);
        Some(w)
    }

    /// `set x=value`, `set "x=value"`
    fn assignment(&mut self, out: &mut Vec<Stmt>) {
        let start = self.at;
        self.word();
        while matches!(self.peek(), Some(' ' | '\t' | '"')) {
            self.bump();
        }
        let end = self.rest().find(['\n', '&', '|', ')']).map_or(self.text.len(), |i| self.at.saturating_add(i));
        let whole = self.text.get(self.at..end).unwrap_or_default();
        let (name, value) = whole.split_once('=').unwrap_or((whole, ""));
        let from = self.at.saturating_add(name.len()).saturating_add(1);
        let value = value.trim_end_matches(['\r', ' ']).trim_end_matches('"');
        let name = name.trim().trim_start_matches("/a ").trim_start_matches("/p ").to_ascii_lowercase();
        let v = self.expand(value, from);
        self.at = end;
        let kind = StmtKind::Assign(Target::Name(format!("%{name}")), v);
        out.push(Stmt { kind, span: Span::new(start, end) });
    }

    fn simple(&mut self, out: &mut Vec<Stmt>) {
        let start = self.at;
        let mut words = Vec::new();
        let mut writes = Vec::new();
        loop {
            self.blanks();
            let digit = self.rest().starts_with(|c: char| c.is_ascii_digit())
                && self.rest().get(1..2).is_some_and(|c| c == ">" || c == "<");
            match self.peek() {
                None | Some('\n' | '\r' | '&' | '|' | ')') => break,
                _ if digit => {
                    self.bump();
                }
                Some('>') => {
                    self.bump();
                    let append = self.peek() == Some('>');
                    if append {
                        self.bump();
                    }
                    // `2>&1`
                    if self.peek() == Some('&') {
                        self.bump();
                        self.bump();
                        continue;
                    }
                    self.blanks();
                    if let Some(w) = self.word() {
                        writes.push((w.expr, append));
                    }
                }
                Some('<') => {
                    self.bump();
                    self.blanks();
                    self.word();
                }
                _ => match if words.is_empty() { self.command_word() } else { self.word() } {
                    Some(w) => {
                        self.raw =
                            !INTERNAL.iter().any(|n| w.plain.eq_ignore_ascii_case(n)) && words.is_empty() || self.raw;
                        words.push(w.expr);
                    }
                    None => {
                        self.bump();
                    }
                },
            }
        }
        self.raw = false;
        if words.is_empty() {
            return;
        }
        let at = Span::new(start, self.at);
        let kind = Kind::Command { words, input: None, writes, printed: true };
        out.push(Stmt { kind: StmtKind::Expr(Expr::new(kind, at)), span: at });
    }

    /// The word that names a program; a switch may follow it without a blank (`rd/s/q x`).
    fn command_word(&mut self) -> Option<Word> {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
        let end = self.rest().find(|c: char| !plain(c))?;
        let name = self.rest().get(..end).unwrap_or_default();
        if name.is_empty() || name.starts_with('.') || !self.rest().get(end..)?.starts_with('/') {
            return self.word();
        }
        let at = Span::new(self.at, self.at.saturating_add(end));
        self.at = self.at.saturating_add(end);
        Some(Word { expr: Expr::new(Kind::Text(self.readable.bytes(name)), at), plain: name.to_string() })
    }

    /// One word: quotes are taken off, carets, too, and variables are put in.
    fn word(&mut self) -> Option<Word> {
        let start = self.at;
        let mut plain = String::new();
        let mut inside = false;
        let mut quoted = false;
        let mut parts: Vec<Expr> = Vec::new();
        let mut run = String::new();
        while let Some(c) = self.peek() {
            match c {
                '"' => {
                    inside = !inside;
                    quoted = true;
                    self.bump();
                }
                '^' if !inside => {
                    self.bump();
                    if let Some(c) = self.bump().filter(|c| *c != '\n') {
                        run.push(c);
                        plain.push(c);
                    }
                }
                ',' | ';' | '=' if !inside && self.raw && self.at > start => {
                    self.bump();
                    run.push(c);
                    plain.push(c);
                }
                ' ' | '\t' | ',' | ';' | '=' | '&' | '|' | '<' | '>' | '(' | ')' | '\n' | '\r' if !inside => {
                    // A parenthesis in the middle of a word is part of it.
                    if c != '(' || self.at == start {
                        break;
                    }
                    self.bump();
                    run.push(c);
                    plain.push(c);
                }
                '\n' => break,
                '%' | '!' => match variable(self.rest(), c) {
                    Some(len) => {
                        if !run.is_empty() {
                            parts.push(self.text_of(&run, start));
                            run.clear();
                        }
                        let whole = self.rest().get(..len).unwrap_or_default();
                        let at = Span::new(self.at, self.at.saturating_add(len));
                        parts.push(value_of(whole, c, at));
                        self.at = self.at.saturating_add(len);
                    }
                    None => {
                        self.bump();
                        run.push(c);
                        plain.push(c);
                    }
                },
                other => {
                    self.bump();
                    run.push(other);
                    plain.push(other);
                }
            }
        }
        if self.at == start {
            return None;
        }
        let at = Span::new(start, self.at);
        if parts.is_empty() {
            let expr = Expr::new(Kind::Text(self.readable.bytes(&run)), at);
            return Some(Word { expr, plain });
        }
        if !run.is_empty() {
            parts.push(self.text_of(&run, start));
        }
        // Variables are put in before the line is split.
        let whole = Expr::new(Kind::Concat(parts), at);
        let expr = if quoted { whole } else { Expr::call("blanks", vec![whole], at) };
        Some(Word { expr, plain: String::new() })
    }

    fn text_of(&self, run: &str, start: usize) -> Expr {
        Expr::new(Kind::Text(self.readable.bytes(run)), Span::new(start, self.at))
    }

    /// A text with its variables.
    fn expand(&self, s: &str, from: usize) -> Expr {
        let at = Span::new(from, from.saturating_add(s.len()));
        let mut parts = Vec::new();
        let mut rest = s;
        while let Some(i) = rest.find(['%', '!']) {
            let (head, tail) = rest.split_at(i);
            let sign = tail.chars().next().unwrap_or('%');
            let len = variable(tail, sign);
            let (taken, next) = tail.split_at(len.unwrap_or(1));
            let plain = if len.is_some() { head.to_string() } else { format!("{head}{taken}") };
            if !plain.is_empty() {
                parts.push(Expr::new(Kind::Text(self.readable.bytes(&plain.replace('^', ""))), at));
            }
            if len.is_some() {
                parts.push(value_of(taken, sign, at));
            }
            rest = next;
        }
        if parts.is_empty() || !rest.is_empty() {
            parts.push(Expr::new(Kind::Text(self.readable.bytes(&rest.replace('^', ""))), at));
        }
        match parts.pop() {
            Some(one) if parts.is_empty() => one,
            Some(last) => {
                parts.push(last);
                Expr::new(Kind::Concat(parts), at)
            }
            None => Expr::new(Kind::Text(Bytes::new()), at),
        }
    }
}

/// The length of the variable that a text begins with: `%x%`, `!x!`, `%%x`, `%~dp0`, `%1`.
fn variable(s: &str, sign: char) -> Option<usize> {
    let rest = s.get(1..)?;
    if sign == '%' {
        // `%%x`, `%%~nx`
        if let Some(inner) = rest.strip_prefix('%') {
            let n = inner.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '~').count();
            return (n > 0).then(|| n.saturating_add(2));
        }
        if let Some(inner) = rest.strip_prefix('~') {
            let n = inner.chars().take_while(char::is_ascii_alphanumeric).count();
            return Some(n.saturating_add(2));
        }
        if rest.starts_with(|c: char| c.is_ascii_digit() || c == '*') {
            return Some(2);
        }
    }
    if let Some(end) = rest.find([sign, '\n']) {
        let name = rest.get(..end)?;
        if rest.get(end..)?.starts_with(sign) && !name.is_empty() && !name.contains([' ', '"', '&', '|']) {
            return Some(end.saturating_add(2));
        }
    }
    // `%x` of a `for` on the command line
    (sign == '%' && rest.starts_with(|c: char| c.is_ascii_alphabetic())).then_some(2)
}

/// The variable that a text names; `%x:~1,3%` is a part of it.
fn value_of(whole: &str, sign: char, at: Span) -> Expr {
    let name = whole.trim_matches(sign).to_ascii_lowercase();
    if let Some((name, range)) = name.split_once(":~") {
        let mut bounds = range.split(',').map(|n| n.trim().parse::<i64>().ok());
        let start = bounds.next().flatten().unwrap_or(0);
        let end = bounds.next().flatten().map(|n| if n < 0 { n } else { start.saturating_add(n) });
        let number = |n: i64| Box::new(Expr::new(Kind::Number(n), at));
        let object = Box::new(Expr::new(Kind::Name(format!("%{name}")), at));
        return Expr::new(Kind::Slice(object, Some(number(start)), end.map(number), None), at);
    }
    let name = name.split(':').next().unwrap_or_default().trim_start_matches('~');
    Expr::new(Kind::Name(format!("%{name}")), at)
}
