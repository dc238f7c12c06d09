//! Words: the grammar's literals → [`Word`].

use super::text::Rules;
use super::{Kid, Lowering, kids, push_double, push_literal, text};
use crate::source::Span;
use crate::syntax::ast::{ArithText, BraceRange, Bytes, Part, PartKind, Program, Word};

impl<'t> Lowering<'t> {
    /// A literal as a word.
    ///
    /// The grammar's word tokens may begin with white space, even with a newline (`ls` newline `\rm`).
    pub(super) fn word(&mut self, mut kid: Kid<'t>) -> Word {
        let blanks = self.bytes(kid.span).iter().take_while(|b| matches!(b, b' ' | b'\t' | b'\n')).count();
        kid.span = Span::new((kid.span.start as usize).saturating_add(blanks), kid.span.end as usize);
        let mut parts = Vec::new();
        self.parts(kid, &mut parts);
        finish(parts, kid.span)
    }

    /// A literal as the words that it is for the shell: some of the grammar's tokens go over blanks (`] [` is one, and
    /// so is `$ a`).
    pub(super) fn words_of(&mut self, kid: Kid<'t>) -> Vec<Word> {
        let breaks = match kid.kind {
            "word" => blanks(self.bytes(kid.span)),
            "simple_expansion" => match kids(kid.node).as_slice() {
                [sign, name] if sign.span.end < name.span.start => {
                    let mut parts = Vec::new();
                    push_literal(&mut parts, b"$", sign.span);
                    let sign = Word { parts, span: sign.span, assignment: None };
                    return vec![sign, self.word(Kid { kind: "word", ..*name })];
                }
                _ => Vec::new(),
            },
            _ => Vec::new(),
        };
        let mut words = Vec::new();
        let mut start = kid.span.start;
        for gap in breaks {
            let end = kid.span.start.saturating_add(gap.start);
            if start < end {
                words.push(self.word(Kid { span: Span { start, end }, ..kid }));
            }
            start = kid.span.start.saturating_add(gap.end);
        }
        if start < kid.span.end || words.is_empty() {
            words.push(self.word(Kid { span: Span { start, end: kid.span.end }, ..kid }));
        }
        words
    }

    /// A run of nodes as one word, with the text between them (patterns that the grammar gives in pieces).
    pub(super) fn word_of(&mut self, pieces: &[Kid<'t>], at: Span) -> Word {
        let mut parts = Vec::new();
        let mut covered = at.start;
        for kid in pieces {
            self.unquoted(Span { start: covered, end: kid.span.start.max(covered) }, &mut parts);
            self.parts(*kid, &mut parts);
            covered = kid.span.end.max(covered);
        }
        self.unquoted(Span { start: covered, end: at.end.max(covered) }, &mut parts);
        finish(parts, at)
    }

    /// The parts of one literal node.
    pub(super) fn parts(&mut self, kid: Kid<'t>, parts: &mut Vec<Part>) {
        let at = kid.span;
        match kid.kind {
            "word" | "regex" | "extglob_pattern" | "variable_name" | "special_variable_name" | "test_operator" => {
                self.unquoted(at, parts);
            }
            "concatenation" => {
                self.nest(at, |l| {
                    for mut piece in kids(kid.node) {
                        piece.span.start = piece.span.start.max(at.start);
                        l.parts(piece, parts);
                    }
                });
            }
            "number" => {
                let pieces = kids(kid.node);
                if pieces.is_empty() {
                    self.unquoted(at, parts);
                } else {
                    let word = self.word_of(&pieces, at);
                    parts.extend(word.parts);
                }
            }
            "raw_string" => {
                let inside = Span { start: at.start.saturating_add(1), end: at.end.saturating_sub(1) };
                parts.push(Part { kind: PartKind::Single(self.bytes(inside).into()), span: at });
            }
            "ansi_c_string" => {
                let inside = Span { start: at.start.saturating_add(2), end: at.end.saturating_sub(1) };
                parts.push(Part { kind: PartKind::AnsiC(text::ansi_c(self.bytes(inside))), span: at });
            }
            "string" => {
                let inner = self.string(kid);
                push_double(parts, inner, at);
            }
            "translated_string" => {
                let mut inner = Vec::new();
                for piece in kids(kid.node) {
                    match piece.kind {
                        "$" => {}
                        "string" => inner = self.string(piece),
                        _ => self.not_lowered(piece.span),
                    }
                }
                parts.push(Part { kind: PartKind::Locale(inner), span: at });
            }
            "simple_expansion" => self.simple_expansion(kid, parts),
            "expansion" => {
                if let Some(Some(param)) = self.nest(at, |l| l.expansion(kid)) {
                    parts.push(Part { kind: PartKind::Param(Box::new(param)), span: at });
                } else {
                    push_literal(parts, self.bytes(at), at);
                }
            }
            "command_substitution" | "process_substitution" => self.substitution(kid, parts),
            "arithmetic_expansion" => {
                let arith = self.nest(at, |l| l.arithmetic_inside(kid)).unwrap_or_default();
                parts.push(Part { kind: PartKind::Arith(arith), span: at });
            }
            "brace_expression" => {
                // The token of the brace holds the text before it.
                if let Some(open) = kids(kid.node).first().filter(|k| k.span.len() > 1) {
                    let head = Span { start: open.span.start, end: open.span.end.saturating_sub(1) };
                    self.unquoted(head, parts);
                }
                let mut ends = kids(kid.node).into_iter().filter(|k| k.kind == "number").map(|k| k.span);
                let from: Bytes = ends.next().map(|s| self.bytes(s).into()).unwrap_or_default();
                let to: Bytes = ends.next().map(|s| self.bytes(s).into()).unwrap_or_default();
                parts
                    .push(Part { kind: PartKind::BraceRange(Box::new(BraceRange { from, to, step: None })), span: at });
            }
            // `` `` `` in a concatenation: the grammar has no statements between them.
            "``" => parts.push(Part {
                kind: PartKind::Backquote(Box::new(Program { span: at, ..Program::default() })),
                span: at,
            }),
            // Brackets in a default value: `${a:-(b)}`.
            "array" => {
                let pieces: Vec<Kid<'t>> = kids(kid.node).into_iter().filter(|k| k.node.is_named()).collect();
                let word = self.nest(at, |l| l.word_of(&pieces, at)).unwrap_or_default();
                parts.extend(word.parts);
            }
            // A dollar sign that expands nothing, and operators that are words here (`expr a == b`).
            "$" => self.unquoted(at, parts),
            "==" | "=~" => push_literal(parts, self.bytes(at), at),
            "ERROR" => push_literal(parts, self.bytes(at), at),
            _ => {
                self.not_lowered(at);
                push_literal(parts, self.bytes(at), at);
            }
        }
    }

    /// The inside of `"…"`.
    fn string(&mut self, kid: Kid<'t>) -> Vec<Part> {
        let mut parts = Vec::new();
        let end = kid.span.end.saturating_sub(1);
        self.quoted_pieces(
            &kids(kid.node),
            Span { start: kid.span.start.saturating_add(1), end },
            Rules::Double,
            &mut parts,
        );
        parts
    }

    /// Text with expansions in it, between quotes or in a here-document; what no expansion covers is text, since the
    /// grammar drops white space there, too.
    pub(super) fn quoted_pieces(&mut self, pieces: &[Kid<'t>], at: Span, rules: Rules, parts: &mut Vec<Part>) {
        let mut covered = at.start;
        for mut piece in pieces.iter().copied() {
            // The token of the `$` may begin with the blanks before it.
            let blanks = self.bytes(piece.span).iter().take_while(|b| b.is_ascii_whitespace()).count();
            match piece.kind {
                "expansion" | "simple_expansion" | "command_substitution" | "arithmetic_expansion" => {
                    piece.span = Span::new((piece.span.start as usize).saturating_add(blanks), piece.span.end as usize);
                    self.verbatim(Span { start: covered, end: piece.span.start.max(covered) }, rules, parts);
                    self.parts(piece, parts);
                    covered = piece.span.end.max(covered);
                }
                "string_content" | "heredoc_content" | "$" | "\"" | "ERROR" => {}
                _ => self.not_lowered(piece.span),
            }
        }
        self.verbatim(Span { start: covered, end: at.end.max(covered) }, rules, parts);
    }

    /// `$(…)`, `` `…` ``, `<(…)`, `>(…)`.
    fn substitution(&mut self, kid: Kid<'t>, parts: &mut Vec<Part>) {
        let at = kid.span;
        let pieces = kids(kid.node);
        let open = pieces.first().map_or("", |k| k.kind);
        let inner = match pieces.as_slice() {
            [_, inner @ .., last] if matches!(last.kind, ")" | "`") => inner,
            [_, inner @ ..] => inner,
            [] => &[],
        };
        let inside = Span {
            start: pieces.first().map_or(at.start, |k| k.span.end),
            end: pieces.last().map_or(at.end, |k| if matches!(k.kind, ")" | "`") { k.span.start } else { k.span.end }),
        };
        let lists = match inner {
            [only] if only.kind == "file_redirect" => Some(self.only_redirect(*only).into_iter().collect()),
            _ => self.nest(at, |l| l.statements(inner)),
        };
        let Some(lists) = lists else {
            push_literal(parts, self.bytes(at), at);
            return;
        };
        let program = Box::new(Program { lists, span: inside, ..Program::default() });
        let kind = match open {
            "$(" => PartKind::Command(program),
            "`" => PartKind::Backquote(program),
            "<(" => PartKind::ProcessIn(program),
            ">(" => PartKind::ProcessOut(program),
            // "$`" is a dollar sign before a backquote.
            "$`" => {
                push_literal(parts, b"$", Span { start: at.start, end: at.start.saturating_add(1) });
                let span = Span { start: at.start.saturating_add(1), end: at.end };
                parts.push(Part { kind: PartKind::Backquote(program), span });
                return;
            }
            _ => {
                self.not_lowered(at);
                return;
            }
        };
        parts.push(Part { kind, span: at });
    }

    /// The inside of `$((…))`, `$[…]`, `((…))`: all but the first and the last token.
    pub(super) fn arithmetic_inside(&mut self, kid: Kid<'t>) -> ArithText {
        let pieces = kids(kid.node);
        let inner = pieces.get(1..pieces.len().saturating_sub(1)).unwrap_or(&[]);
        let start = pieces.first().map_or(kid.span.start, |k| k.span.end);
        let end = pieces.last().map_or(kid.span.end, |k| k.span.start);
        self.arithmetic(inner, Span { start, end: end.max(start) })
    }

    /// Arithmetic: the expansions in it, in order, and the text between them. The tree's own reading of operators is
    /// not kept, so it is walked with a stack, however deep it is.
    pub(super) fn arithmetic(&mut self, pieces: &[Kid<'t>], at: Span) -> ArithText {
        let mut parts = Vec::new();
        let mut covered = at.start;
        let mut stack: Vec<Kid<'t>> = pieces.iter().rev().copied().collect();
        while let Some(kid) = stack.pop() {
            match kid.kind {
                "expansion"
                | "simple_expansion"
                | "command_substitution"
                | "arithmetic_expansion"
                | "string"
                | "raw_string"
                | "ansi_c_string"
                | "translated_string"
                | "process_substitution" => {
                    let gap = Span { start: covered, end: kid.span.start.max(covered) };
                    self.plain_text(gap, &mut parts);
                    self.parts(kid, &mut parts);
                    covered = kid.span.end.max(covered);
                }
                "binary_expression"
                | "unary_expression"
                | "ternary_expression"
                | "postfix_expression"
                | "parenthesized_expression"
                | "subscript"
                | "number"
                | "variable_assignment"
                | "concatenation"
                | "ERROR" => stack.extend(kids(kid.node).into_iter().rev()),
                "word" | "variable_name" | "special_variable_name" | "test_operator" | "regex" => {}
                _ if !kid.node.is_named() => {}
                _ => self.not_lowered(kid.span),
            }
        }
        self.plain_text(Span { start: covered, end: at.end.max(covered) }, &mut parts);
        ArithText { parts, span: at }
    }

    fn plain_text(&mut self, at: Span, parts: &mut Vec<Part>) {
        let text = self.bytes(at);
        if text.windows(2).any(|w| w == b"\\\n") {
            let mut out = Vec::with_capacity(text.len());
            let mut rest = text;
            while let [b, tail @ ..] = rest {
                rest = tail;
                match (b, tail) {
                    (b'\\', [b'\n', after @ ..]) => rest = after,
                    _ => out.push(*b),
                }
            }
            push_literal(parts, &out, at);
        } else {
            push_literal(parts, text, at);
        }
    }
}

/// The unquoted blanks in a text, outside of its ends.
fn blanks(text: &[u8]) -> Vec<Span> {
    let mut gaps: Vec<Span> = Vec::new();
    let mut i = 0usize;
    while let Some(b) = text.get(i) {
        let next = i.saturating_add(1);
        match b {
            b'\\' => i = next,
            b' ' | b'\t' | b'\n' => match gaps.last_mut() {
                Some(gap) if gap.end as usize == i => gap.end = Span::new(i, next).end,
                _ => gaps.push(Span::new(i, next)),
            },
            _ => {}
        }
        i = i.saturating_add(1);
    }
    gaps
}

/// The last step for a word: a tilde at its start and bracket expressions get their own parts.
pub(super) fn finish(parts: Vec<Part>, span: Span) -> Word {
    let parts = text::parameters(parts);
    let alone = parts.len() == 1;
    let mut out = Vec::with_capacity(parts.len());
    for (i, part) in parts.into_iter().enumerate() {
        let Part { kind: PartKind::Literal(bytes), span } = part else {
            out.push(part);
            continue;
        };
        // Offsets hold only where nothing was taken out of the text.
        let exact = span.len() == bytes.len();
        let place = |from: usize, to: usize| {
            if exact {
                let base = span.start as usize;
                Span::new(base.saturating_add(from), base.saturating_add(to))
            } else {
                span
            }
        };
        let mut at = 0usize;
        if i == 0 && bytes.first() == Some(&b'~') {
            let name = bytes.iter().skip(1).take_while(|b| b.is_ascii_alphanumeric() || b"_.+-".contains(b)).count();
            let end = name.saturating_add(1);
            if bytes.get(end) == Some(&b'/') || alone && end == bytes.len() {
                let name = Bytes::from_slice(bytes.get(1..end).unwrap_or(&[]));
                out.push(Part { kind: PartKind::Tilde(name), span: place(0, end) });
                at = end;
            }
        }
        // `[` can only begin an expression where a `]` follows, so one look back from the end bounds the search.
        let last = bytes.iter().rposition(|&b| b == b']').unwrap_or(0);
        let mut from = at;
        while at < last {
            if bytes.get(at) != Some(&b'[') {
                at = at.saturating_add(1);
                continue;
            }
            let mut inside = at.saturating_add(1);
            if matches!(bytes.get(inside), Some(b'!' | b'^')) {
                inside = inside.saturating_add(1);
            }
            // A `]` in the first place stands for itself.
            inside = inside.saturating_add(1);
            let Some(close) = bytes.iter().skip(inside).position(|&b| b == b']').map(|n| n.saturating_add(inside))
            else {
                break;
            };
            push_literal(&mut out, bytes.get(from..at).unwrap_or(&[]), place(from, at));
            let text = bytes.get(at.saturating_add(1)..close).unwrap_or(&[]);
            let inner = vec![Part { kind: PartKind::Literal(text.into()), span: place(at.saturating_add(1), close) }];
            at = close.saturating_add(1);
            out.push(Part {
                kind: PartKind::GlobBracket(inner),
                span: place(close.saturating_sub(text.len()).saturating_sub(1), at),
            });
            from = at;
        }
        push_literal(&mut out, bytes.get(from..).unwrap_or(&[]), place(from, bytes.len()));
    }
    Word { parts: out, span, assignment: None }
}
