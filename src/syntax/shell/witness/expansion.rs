//! Parameter expansions: `$name`, `${…}`, and subscripts.

use super::{Kid, Lowering, kids, push_literal};
use crate::source::Span;
use crate::syntax::ast::{ArithText, Param, ParamOp, Part, PartKind, ReplaceAt, Subscript, Word};

impl<'t> Lowering<'t> {
    /// `$name`. The grammar takes every word character for the name; of `$12` the shell takes one digit.
    pub(super) fn simple_expansion(&mut self, kid: Kid<'t>, parts: &mut Vec<Part>) {
        let at = kid.span;
        let Some(name_kid) = kids(kid.node).into_iter().find(|k| k.kind.ends_with("variable_name")) else {
            self.not_lowered(at);
            push_literal(parts, self.bytes(at), at);
            return;
        };
        let text: Vec<u8> = self.bytes(name_kid.span).to_vec();
        let taken = name_len(&text);
        let name: String = text.iter().take(taken).filter(|b| !b"\\\r\n".contains(b)).map(|&b| b as char).collect();
        if name.is_empty() {
            push_literal(parts, self.bytes(at), at);
            return;
        }
        let end = (name_kid.span.start as usize).saturating_add(taken);
        let param = Param { name, subscript: None, indirect: false, op: ParamOp::None };
        let span = Span::new(at.start as usize, end);
        parts.push(Part { kind: PartKind::Param(Box::new(param)), span });
        push_literal(parts, text.get(taken..).unwrap_or(&[]), Span::new(end, at.end as usize));
    }

    /// `${…}`; `None` where there is no parameter in it.
    pub(super) fn expansion(&mut self, kid: Kid<'t>) -> Option<Param> {
        let pieces = kids(kid.node);
        let [open, inner @ .., close] = pieces.as_slice() else {
            self.not_lowered(kid.span);
            return None;
        };
        if open.kind != "${" || close.kind != "}" {
            self.not_lowered(kid.span);
            return None;
        }
        let inside = Span { start: open.span.end, end: close.span.start };
        let is_name = |k: &Kid<'t>| matches!(k.kind, "variable_name" | "special_variable_name" | "subscript");
        let Some(place) = inner.iter().position(is_name) else {
            return self.nameless(inner, inside, kid.span);
        };
        let prefix = inner.get(..place).unwrap_or(&[]);
        let rest = inner.get(place.saturating_add(1)..).unwrap_or(&[]);
        let named = *inner.get(place)?;
        let (name, subscript) = self.parameter(named);
        if prefix.iter().any(|k| !k.is("operator")) {
            self.not_lowered(kid.span);
        }
        let prefix = prefix.first().map_or("", |k| k.kind);
        let all = matches!(subscript, Some(Subscript::At | Subscript::Star));
        let at = matches!(subscript, Some(Subscript::At));
        let op = match (prefix, rest) {
            ("#", []) => ParamOp::Length,
            ("!", []) if all => ParamOp::Keys(at),
            ("!", [k]) if k.kind == "@" => ParamOp::Names(true),
            ("!", [k]) if k.kind == "*" => ParamOp::Names(false),
            (_, []) => ParamOp::None,
            (_, rest) => self.operator(rest, inside),
        };
        let indirect = prefix == "!" && !matches!(op, ParamOp::Names(_) | ParamOp::Keys(_));
        Some(Param { name, subscript, indirect, op })
    }

    /// `${#}`, `${!}`, `${##}` and forms that the grammar reads without a name.
    fn nameless(&mut self, inner: &[Kid<'t>], inside: Span, whole: Span) -> Option<Param> {
        let simple = |name: &str, op| Some(Param { name: name.into(), subscript: None, indirect: false, op });
        match self.bytes(inside) {
            b"#" => simple("#", ParamOp::None),
            b"!" => simple("!", ParamOp::None),
            b"##" => simple("#", ParamOp::Length),
            b"#!" => simple("!", ParamOp::Length),
            _ => {
                self.not_lowered(whole);
                let word = self.word_of(inner, inside);
                simple("", ParamOp::Other(word.parts))
            }
        }
    }

    /// The parameter's name, with its subscript.
    fn parameter(&mut self, kid: Kid<'t>) -> (String, Option<Subscript>) {
        if kid.kind != "subscript" {
            return (String::from_utf8_lossy(self.bytes(kid.span)).into_owned(), None);
        }
        let (name, index) = self.subscript(kid);
        let subscript = match self.bytes(index.span) {
            b"@" => Subscript::At,
            b"*" => Subscript::Star,
            _ => Subscript::Index(index),
        };
        (name, Some(subscript))
    }

    /// A subscripted name: the name and what stands between the brackets.
    pub(super) fn subscript(&mut self, kid: Kid<'t>) -> (String, ArithText) {
        let pieces = kids(kid.node);
        let name = pieces
            .iter()
            .find(|k| k.is("name"))
            .map_or(String::new(), |k| String::from_utf8_lossy(self.bytes(k.span)).into_owned());
        let open = pieces.iter().find(|k| k.kind == "[").map_or(kid.span.start, |k| k.span.end);
        let close = pieces.iter().rev().find(|k| k.kind == "]").map_or(kid.span.end, |k| k.span.start);
        let inner: Vec<Kid<'t>> = pieces.into_iter().filter(|k| k.is("index")).collect();
        let at = Span { start: open, end: close.max(open) };
        let index = self.nest(at, |l| l.arithmetic(&inner, at)).unwrap_or_default();
        (name, index)
    }

    /// The operator after the name and what it takes.
    fn operator(&mut self, rest: &[Kid<'t>], inside: Span) -> ParamOp {
        let Some((op, args)) = rest.split_first() else { return ParamOp::None };
        let after = Span { start: op.span.end, end: inside.end.max(op.span.end) };
        let second = |kind: &str| args.iter().position(|k| k.is("operator") && k.kind == kind);
        let split = |at: Option<usize>| match at.and_then(|n| Some((n, args.get(n)?))) {
            Some((n, k)) => {
                let first = (args.get(..n).unwrap_or(&[]), Span { start: after.start, end: k.span.start });
                (
                    first,
                    Some((args.get(n.saturating_add(1)..).unwrap_or(&[]), Span { start: k.span.end, end: after.end })),
                )
            }
            None => ((args, after), None),
        };
        let colon = op.kind.starts_with(':');
        match op.kind {
            "-" | ":-" => ParamOp::Default(colon, self.word_of(args, after)),
            "=" | ":=" => ParamOp::Assign(colon, self.word_of(args, after)),
            "?" | ":?" => ParamOp::Error(colon, self.word_of(args, after)),
            "+" | ":+" => ParamOp::Alternative(colon, self.word_of(args, after)),
            "#" | "##" => ParamOp::RemovePrefix(op.kind == "##", self.word_of(args, after)),
            "%" | "%%" => ParamOp::RemoveSuffix(op.kind == "%%", self.word_of(args, after)),
            "/" | "//" | "/#" | "/%" => {
                let place = match op.kind {
                    "//" => ReplaceAt::All,
                    "/#" => ReplaceAt::Start,
                    "/%" => ReplaceAt::End,
                    _ => ReplaceAt::First,
                };
                let ((pattern, at), replacement) = split(second("/"));
                let pattern = self.word_of(pattern, at);
                let replacement: Option<Word> = replacement.map(|(kids, at)| self.word_of(kids, at));
                ParamOp::Replace(place, pattern, replacement)
            }
            "," | ",," | "^" | "^^" => {
                let letter = op.kind.as_bytes().first().copied().unwrap_or(b'^');
                ParamOp::Case(letter, op.kind.len() == 2, self.word_of(args, after))
            }
            ":" => {
                let ((offset, at), length) = split(second(":"));
                let offset = self.arithmetic(offset, at);
                ParamOp::Substring(offset, length.map(|(kids, at)| self.arithmetic(kids, at)))
            }
            "@" => match args {
                [k] if k.span.len() == 1 => ParamOp::Transform(self.bytes(k.span).first().copied().unwrap_or(b'@')),
                _ => self.other(rest, inside),
            },
            _ => self.other(rest, inside),
        }
    }

    fn other(&mut self, rest: &[Kid<'t>], inside: Span) -> ParamOp {
        let start = rest.first().map_or(inside.start, |k| k.span.start);
        self.not_lowered(Span { start, end: inside.end.max(start) });
        let pieces: Vec<Kid<'t>> = rest.iter().filter(|k| k.node.is_named()).copied().collect();
        ParamOp::Other(self.word_of(&pieces, Span { start, end: inside.end.max(start) }).parts)
    }
}

/// How much of the text after a `$` the shell takes for the name.
fn name_len(text: &[u8]) -> usize {
    match text.first() {
        Some(b) if b.is_ascii_alphabetic() || *b == b'_' => {
            text.iter().take_while(|b| b.is_ascii_alphanumeric() || b"_\\\r\n".contains(b)).count()
        }
        Some(b) if b.is_ascii_digit() || b"*@#?-$!".contains(b) => 1,
        _ => 0,
    }
}
