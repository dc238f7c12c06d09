//! What the front ends that read through tree-sitter grammars lower alike.
//!
//! In: nodes, and the caller's functions for a statement and an expression. Out: parts of the common language: blocks,
//! loops, branches over one value, assignments that read what they assign to, arguments, text with expressions in it,
//! numbers. It knows no language's node kinds.

use super::ast::Bytes;
use super::script::{Arg, Expr, Function, Kind, Receiver, Stmt, StmtKind, Target};
use super::tree::{Lowering, field, kids, reading, span, stmt, temporary};
use crate::source::Span;
use tree_sitter::Node;

/// Lowers a statement.
pub(super) type Statement = fn(&mut Lowering<'_>, Node<'_>, &mut Vec<Stmt>);

/// Lowers an expression.
pub(super) type Expression = fn(&mut Lowering<'_>, Node<'_>) -> Expr;

impl Lowering<'_> {
    /// The statements among the children.
    pub(super) fn block(&mut self, n: Node<'_>, statement: Statement) -> Vec<Stmt> {
        self.deeper(n, Vec::new(), |low| {
            let mut out = Vec::new();
            for k in kids(n) {
                statement(low, k, &mut out);
            }
            out
        })
    }
    /// The statements of a node: of a block its children, of anything else itself.
    pub(super) fn body(&mut self, n: Node<'_>, blocks: &[&str], statement: Statement) -> Vec<Stmt> {
        if blocks.contains(&n.kind()) {
            return self.block(n, statement);
        }
        self.deeper(n, Vec::new(), |low| {
            let mut out = Vec::new();
            statement(low, n, &mut out);
            out
        })
    }
    /// The expression in a field; nothing where it is not there.
    pub(super) fn part(&mut self, n: Node<'_>, name: &str, expr: Expression) -> Expr {
        match field(n, name) {
            Some(k) => expr(self, k),
            None => Expr::new(Kind::Null, span(n)),
        }
    }
    /// `if … elseif … else …`, by the field of a branch's body and the kinds of the clauses; the body of `else` is `body`.
    pub(super) fn branches(
        &mut self,
        n: Node<'_>,
        (then, elseif, otherwise): (&str, &str, &str),
        body: fn(&mut Lowering<'_>, Node<'_>, &str) -> Vec<Stmt>,
        expr: Expression,
    ) -> Stmt {
        let mut branches = vec![(self.part(n, "condition", expr), body(self, n, then))];
        let mut rest = Vec::new();
        for k in kids(n) {
            if k.kind() == elseif {
                branches.push((self.part(k, "condition", expr), body(self, k, then)));
            } else if k.kind() == otherwise {
                rest = body(self, k, "body");
            }
        }
        stmt(StmtKind::If(branches, rest), span(n))
    }
    /// All children as expressions.
    pub(super) fn all(&mut self, n: Node<'_>, expr: Expression) -> Vec<Expr> {
        kids(n).into_iter().map(|k| expr(self, k)).collect()
    }
    /// The text in a field.
    pub(super) fn named(&self, n: Node<'_>, name: &str) -> String {
        field(n, name).map(|k| self.text(k).to_string()).unwrap_or_default()
    }
    /// `switch (value) { case a: … default: … }`: the value is compared with each in turn; what stands behind the last
    /// statement of a branch is not fallen into.
    pub(super) fn switch(
        &mut self,
        value: Expr,
        cases: Vec<Node<'_>>,
        (statement, expr): (Statement, Expression),
        out: &mut Vec<Stmt>,
    ) {
        let at = value.span;
        let name = Target::Name(temporary(at));
        out.push(stmt(StmtKind::Assign(name.clone(), value), at));
        let mut branches = Vec::new();
        let mut otherwise = Vec::new();
        for case in cases {
            let value = field(case, "value");
            let mut inner = Vec::new();
            for k in kids(case).into_iter().filter(|k| value.is_none_or(|v| v.id() != k.id())) {
                if k.kind() != "break_statement" {
                    statement(self, k, &mut inner);
                }
            }
            match value {
                Some(v) => {
                    let v = expr(self, v);
                    let test = Kind::Operator("==".into(), vec![reading(&name, span(case)), v]);
                    branches.push((Expr::new(test, span(case)), inner));
                }
                None => otherwise = inner,
            }
        }
        out.push(stmt(StmtKind::If(branches, otherwise), at));
    }
}

/// `while condition { body }`; without a condition it goes on without end.
pub(super) fn repeated(condition: Option<Expr>, body: Vec<Stmt>, at: Span) -> Stmt {
    stmt(StmtKind::Loop { target: None, over: None, condition, body }, at)
}

/// `for target in over { body }`
pub(super) fn each(target: Option<Target>, over: Option<Expr>, body: Vec<Stmt>, at: Span) -> Stmt {
    stmt(StmtKind::Loop { target, over, condition: None, body }, at)
}

/// `not e`
pub(super) fn not(e: Expr) -> Expr {
    let at = e.span;
    Expr::new(Kind::Operator("not".into(), vec![e]), at)
}

/// `a += b` is `a = a + b`.
pub(super) fn combined(op: &str, t: Option<Target>, value: Expr, at: Span) -> Kind {
    match t {
        Some(t) => {
            let whole = super::tree::combined(op, reading(&t, at), value, at);
            Kind::Assign(Box::new(t), Box::new(whole))
        }
        None => Kind::Other(vec![value]),
    }
}

/// `a++`, `--a`: the value afterwards, in either place.
pub(super) fn stepped(op: &str, t: Option<Target>, at: Span) -> Kind {
    match t {
        Some(t) => {
            let sum = vec![reading(&t, at), Expr::new(Kind::Number(1), at)];
            Kind::Assign(Box::new(t), Box::new(Expr::new(Kind::Operator(op.into(), sum), at)))
        }
        None => Kind::Other(Vec::new()),
    }
}

/// What an expression names that can be assigned to.
pub(super) fn target_of(e: Expr) -> Option<Target> {
    match e.kind {
        Kind::Name(v) => Some(Target::Name(v)),
        Kind::Attribute(o, a) => Some(Target::Attribute(o, a)),
        Kind::Index(o, k) => Some(Target::Index(o, k)),
        _ => None,
    }
}

/// An argument without a name.
pub(super) fn plain(value: Expr) -> Arg {
    Arg { name: None, spread: false, value }
}

/// A function or method as most languages have them.
pub(super) fn function(name: String, params: Vec<(String, Option<Expr>)>, body: Vec<Stmt>) -> Function {
    Function { name, params, body, receiver: Receiver::Object }
}

/// Text with expressions in it, as it is put together.
#[derive(Default)]
pub(super) struct Pieces {
    /// What stands there as it is, since the last expression.
    pub(super) text: Bytes,
    parts: Vec<Expr>,
}

impl Pieces {
    /// An expression follows.
    pub(super) fn push(&mut self, e: Expr, at: Span) {
        self.cut(at);
        self.parts.push(e);
    }
    fn cut(&mut self, at: Span) {
        if !self.text.is_empty() {
            self.parts.push(Expr::new(Kind::Text(std::mem::take(&mut self.text)), at));
        }
    }
    /// Whether it is text alone.
    pub(super) fn is_plain(&self) -> bool {
        self.parts.is_empty()
    }
    /// The whole.
    pub(super) fn end(mut self, at: Span) -> Kind {
        if self.is_plain() {
            return Kind::Text(self.text);
        }
        self.cut(at);
        Kind::Concat(self.parts)
    }
}

/// A character by its code.
pub(super) fn character(code: u32, out: &mut Bytes) {
    if let Some(c) = char::from_u32(code) {
        out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
    }
}

/// A whole number, `_` between its digits left out: in the base of its prefix, else in ten; anything else is text.
pub(super) fn number(s: &str, bases: &[(&str, u32)]) -> Kind {
    let s: String = s.chars().filter(|c| *c != '_').collect::<String>().to_ascii_lowercase();
    let based = bases.iter().find_map(|(p, base)| Some((s.strip_prefix(p).filter(|d| !d.is_empty())?, *base)));
    let v = match based {
        Some((digits, base)) => i64::from_str_radix(digits, base).ok(),
        None => s.parse().ok(),
    };
    v.map_or_else(|| Kind::Text(Bytes::from_slice(s.as_bytes())), Kind::Number)
}
