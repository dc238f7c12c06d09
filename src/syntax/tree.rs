//! What the front ends that read through tree-sitter grammars share: a bounded parse, and the walk over its tree.
//!
//! In: bytes and a grammar. Out: a [`Script`], lowered by the front end that called; a text that is too long, too deep or
//! not read in time is an `Unparsed` region, and so is every error node and missing token, while what the parser
//! recovered is lowered all the same. Floor 2; imports `limits`, `source`, `syntax`. It knows no language's node kinds.

use super::ast::{SyntaxError, Unparsed};
use super::bounded::{self, Allowance};
use super::marker::Readable;
use super::script::{Expr, Kind, Script, Stmt, StmtKind, Target};
use crate::limits;
use crate::source::Span;
use std::cell::RefCell;
use std::collections::HashSet;
use std::time::Duration;
use tree_sitter::{Language, Node, Parser, Tree};

/// The grammars, in the order of their parsers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Grammar {
    JavaScript,
    Lua,
    Perl,
    /// PHP code without its opening tag.
    Php,
    /// A page with PHP in it.
    PhpPage,
    PowerShell,
    Ruby,
    Python,
}

impl Grammar {
    fn language(self) -> Language {
        match self {
            Grammar::JavaScript => tree_sitter_javascript::LANGUAGE.into(),
            Grammar::Lua => tree_sitter_lua::LANGUAGE.into(),
            Grammar::Perl => ts_parser_perl::LANGUAGE.into(),
            Grammar::Php => tree_sitter_php::LANGUAGE_PHP_ONLY.into(),
            Grammar::PhpPage => tree_sitter_php::LANGUAGE_PHP.into(),
            Grammar::PowerShell => tree_sitter_powershell::LANGUAGE.into(),
            Grammar::Ruby => tree_sitter_ruby::LANGUAGE.into(),
            Grammar::Python => tree_sitter_python::LANGUAGE.into(),
        }
    }
}

thread_local! {
    // Made at the first use in a thread: a process that meets no code in a language does not pay for its parser.
    static PARSERS: RefCell<[Option<Parser>; 8]> = const { RefCell::new([const { None }; 8]) };
}

/// Reads a text and lowers it.
pub(super) fn read(grammar: Grammar, text: &[u8], lower: fn(&mut Lowering<'_>, Node<'_>) -> Vec<Stmt>) -> Script {
    let whole =
        |reason| Script { body: Vec::new(), unparsed: vec![Unparsed { span: Span::new(0, text.len()), reason }] };
    if text.len() > limits::MAX_SCRIPT_INPUT {
        return whole(SyntaxError::TooLarge);
    }
    let readable = match grammar {
        // Its scanner never comes back from a here-document whose last line has no end.
        Grammar::Perl => Readable::new(text).whole_lines(),
        _ => Readable::new(text),
    };
    let Some(tree) = parse(grammar, readable.text()) else { return whole(SyntaxError::TooLarge) };
    let mut low = Lowering {
        readable: &readable,
        unparsed: Vec::new(),
        depth: 0,
        too_deep: false,
        bodies: Vec::new(),
        locals: HashSet::new(),
    };
    let root = tree.root_node();
    if root.has_error() {
        low.errors(root);
    }
    let body = lower(&mut low, root);
    Script { body, unparsed: low.unparsed }
}

fn parse(grammar: Grammar, text: &str) -> Option<Tree> {
    PARSERS.with(|cell| {
        let mut all = cell.try_borrow_mut().ok()?;
        let slot = all.get_mut(grammar as usize)?;
        if slot.is_none() {
            let mut parser = Parser::new();
            parser.set_language(&grammar.language()).ok()?;
            *slot = Some(parser);
        }
        let parser = slot.as_mut()?;
        let allowance = Allowance {
            free: limits::MIN_SCRIPT_STEPS,
            time: Duration::from_millis(limits::SCRIPT_DEADLINE_MS),
            bytes: limits::MIN_LOOKED_AT.saturating_add(text.len().saturating_mul(limits::LOOKED_AT_PER_BYTE)),
        };
        bounded::parse(parser, text.as_bytes(), allowance)
    })
}

/// The state of one lowering.
pub(super) struct Lowering<'t> {
    readable: &'t Readable<'t>,
    unparsed: Vec<Unparsed>,
    depth: u32,
    too_deep: bool,
    /// Bodies of here-documents that wait for their operators, the first last.
    pub(super) bodies: Vec<Expr>,
    /// Names that were assigned so far, for languages where any other name is a call.
    pub(super) locals: HashSet<String>,
}

/// The bytes of a node.
pub(super) fn span(n: Node<'_>) -> Span {
    Span::new(n.start_byte(), n.end_byte())
}

/// The named children, comments left out.
pub(super) fn kids(n: Node<'_>) -> Vec<Node<'_>> {
    let mut out = Vec::with_capacity(n.named_child_count());
    let mut c = n.walk();
    if c.goto_first_child() {
        loop {
            let k = c.node();
            if k.is_named() && (!k.is_extra() || k.is_error()) {
                out.push(k);
            }
            if !c.goto_next_sibling() {
                break;
            }
        }
    }
    out
}

/// The child in a field.
pub(super) fn field<'n>(n: Node<'n>, name: &str) -> Option<Node<'n>> {
    n.child_by_field_name(name)
}

/// The first named child of a kind.
pub(super) fn kid<'n>(n: Node<'n>, kind: &str) -> Option<Node<'n>> {
    kids(n).into_iter().find(|k| k.kind() == kind)
}

/// Whether a token without a name stands among the children.
pub(super) fn has_token(n: Node<'_>, token: &str) -> bool {
    let mut c = n.walk();
    if c.goto_first_child() {
        loop {
            if c.node().kind() == token {
                return true;
            }
            if !c.goto_next_sibling() {
                break;
            }
        }
    }
    false
}

/// A statement.
pub(super) fn stmt(kind: StmtKind, span: Span) -> Stmt {
    Stmt { kind, span }
}

/// An expression for its effects.
pub(super) fn run(e: Expr) -> Stmt {
    let span = e.span;
    Stmt { kind: StmtKind::Expr(e), span }
}

/// A value whose name no program can hold, for values that are taken apart.
pub(super) fn temporary(span: Span) -> String {
    format!("%{}", span.start)
}

/// `object.name`
pub(super) fn attribute(object: Expr, name: &str, span: Span) -> Expr {
    Expr::new(Kind::Attribute(Box::new(object), name.to_string()), span)
}

/// `yield from e`: each element of it.
pub(super) fn yield_all(over: Expr, span: Span) -> Kind {
    let name = temporary(span);
    let element = Expr::new(Kind::Yield(vec![Expr::new(Kind::Name(name.clone()), span)]), span);
    let target = Box::new(Target::Name(name));
    Kind::Comprehension { element: Box::new(element), target, over: Box::new(over), condition: None }
}

/// What an operator that is joined with `=` assigns: `a += b` is `a = a + b`.
pub(super) fn combined(op: &str, left: Expr, right: Expr, span: Span) -> Expr {
    Expr::new(Kind::Operator(op.trim_end_matches('=').to_string(), vec![left, right]), span)
}

/// The expression that reads what a target names.
pub(super) fn reading(t: &Target, span: Span) -> Expr {
    let kind = match t {
        Target::Name(n) => Kind::Name(n.clone()),
        Target::Attribute(o, n) => Kind::Attribute(o.clone(), n.clone()),
        Target::Index(o, k) => Kind::Index(o.clone(), k.clone()),
        Target::List(_) | Target::Rest(_) => Kind::Other(Vec::new()),
    };
    Expr::new(kind, span)
}

impl<'t> Lowering<'t> {
    /// The text of a node, markers as the letters that stand for them.
    pub(super) fn text(&self, n: Node<'_>) -> &'t str {
        self.slice(n.start_byte(), n.end_byte())
    }
    /// The text between two offsets.
    pub(super) fn slice(&self, start: usize, end: usize) -> &'t str {
        self.readable.text().get(start..end).unwrap_or_default()
    }
    /// Text that stands as it is.
    pub(super) fn literal(&self, part: &str, span: Span) -> Expr {
        Expr::new(Kind::Text(self.readable.bytes(part)), span)
    }
    /// Text that stands as it is, as the bytes it holds.
    pub(super) fn bytes(&self, part: &str) -> super::ast::Bytes {
        self.readable.bytes(part)
    }
    /// A name; one that a piece that is not known is part of is such a piece itself.
    pub(super) fn name(&self, name: &str, span: Span) -> Expr {
        if self.readable.marked(name) {
            self.literal(name, span)
        } else {
            Expr::new(Kind::Name(name.to_string()), span)
        }
    }
    /// Goes one level down, within the limit; what lies deeper is given by `flat`.
    pub(super) fn deeper<T>(&mut self, n: Node<'_>, flat: T, body: impl FnOnce(&mut Self) -> T) -> T {
        if self.depth >= limits::MAX_SCRIPT_NESTING {
            if !self.too_deep {
                self.too_deep = true;
                self.unparsed.push(Unparsed { span: span(n), reason: SyntaxError::TooDeep });
            }
            return flat;
        }
        self.depth = self.depth.saturating_add(1);
        let r = stacker::maybe_grow(128 * 1024, 2 * 1024 * 1024, || body(self));
        self.depth = self.depth.saturating_sub(1);
        r
    }
    /// Notes what the parser did not understand.
    fn errors(&mut self, root: Node<'_>) {
        let mut c = root.walk();
        loop {
            let n = c.node();
            let bad = n.is_error() || n.is_missing();
            if bad && self.unparsed.len() < 64 {
                let reason = if n.end_byte() >= self.readable.text().trim_end().len() {
                    SyntaxError::UnexpectedEnd
                } else {
                    SyntaxError::UnexpectedToken
                };
                self.unparsed.push(Unparsed { span: span(n), reason });
            }
            if !bad && n.has_error() && c.goto_first_child() {
                continue;
            }
            loop {
                if c.goto_next_sibling() {
                    break;
                }
                if !c.goto_parent() {
                    return;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::syntax::ast::SyntaxError;
    use crate::syntax::script::{Kind, Script, Stmt, StmtKind};
    use crate::syntax::{cmd, javascript, lua, perl, php, powershell, ruby};

    /// How often a name is called anywhere in a script.
    fn calls(s: &Script, name: &str) -> usize {
        format!("{:?}", s.body).matches(&format!("Call(Expr {{ kind: Name({name:?})")).count()
    }

    const FRONTS: [fn(&[u8]) -> Script; 5] = [javascript::read, lua::read, perl::read, php::read, ruby::read];

    #[test]
    fn deep_nesting_ends_and_is_said() {
        for (read, open, close) in [(powershell::read as fn(&[u8]) -> Script, "$(", ")"), (cmd::read, "(", ")")] {
            let s = read(format!("{}a{}", open.repeat(5_000), close.repeat(5_000)).as_bytes());
            assert!(s.unparsed.iter().any(|u| u.reason == SyntaxError::TooDeep), "{:?}", s.unparsed);
        }
        for read in FRONTS {
            let text = format!("f({}1{});", "(".repeat(5_000), ")".repeat(5_000));
            let s = read(text.as_bytes());
            assert!(s.unparsed.iter().any(|u| u.reason == SyntaxError::TooDeep), "{s:?}");
        }
    }

    #[test]
    fn what_is_broken_is_said_and_the_rest_is_read() {
        for read in FRONTS {
            let s = read(b"f(1);\n) ] )\ng(2);\n");
            assert!(!s.unparsed.is_empty());
            assert_eq!(calls(&s, "f"), 1, "{s:?}");
        }
    }

    #[test]
    fn any_bytes_give_a_script() {
        for read in FRONTS.into_iter().chain([powershell::read as fn(&[u8]) -> Script, cmd::read]) {
            for text in [
                &b""[..],
                b"\xFF\xFE\x00",
                b"\xF81\xF9",
                b"\"\xF81\xF9",
                b"<<E",
                b"<<~",
                b"qw(",
                b"`",
                b"<?php",
                b"<?",
                b"${",
                b"@{[",
            ] {
                read(text);
            }
        }
    }

    #[test]
    fn a_text_past_the_limit_is_not_read() {
        let long = vec![b' '; crate::limits::MAX_SCRIPT_INPUT + 1];
        for read in FRONTS {
            assert_eq!(read(&long).unparsed.first().map(|u| u.reason), Some(SyntaxError::TooLarge));
        }
    }

    #[test]
    fn unknown_pieces_stand_in_literals_and_for_names() {
        let s = javascript::read(b"f('a\xF812\xF9', \xF83\xF9)");
        let [Stmt { kind: StmtKind::Expr(e), .. }] = s.body.as_slice() else { panic!("{s:?}") };
        let Kind::Call(_, args) = &e.kind else { panic!("{e:?}") };
        let texts: Vec<&[u8]> = args
            .iter()
            .filter_map(|a| match &a.value.kind {
                Kind::Text(b) => Some(b.as_slice()),
                _ => None,
            })
            .collect();
        assert_eq!(texts, [&b"a\xF812\xF9"[..], b"\xF83\xF9"]);
    }
}
