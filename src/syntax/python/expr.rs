//! Expressions of Python.

use super::Lower;
use super::stmt::span;
use crate::limits;
use crate::source::Span;
use crate::syntax::script::{Arg, Expr, Function, Kind, Receiver, Stmt, StmtKind};
use rustpython_parser::ast;
use std::rc::Rc;

impl Lower<'_> {
    /// An expression.
    pub(super) fn expr(&self, e: &ast::Expr, depth: u32) -> Expr {
        let at = span(e);
        if depth >= limits::MAX_SCRIPT_NESTING {
            // Where it ends, a call of something that is not known stands for what lies below.
            return Expr::call(TOO_DEEP, Vec::new(), at);
        }
        stacker::maybe_grow(64 << 10, 1 << 20, || self.expr_inner(e, at, depth))
    }

    fn expr_inner(&self, e: &ast::Expr, at: Span, depth: u32) -> Expr {
        let next = depth.saturating_add(1);
        let one = |e: &ast::Expr| self.expr(e, next);
        let boxed = |e: &ast::Expr| Box::new(self.expr(e, next));
        let kind = match e {
            ast::Expr::BoolOp(b) => {
                let op = match b.op {
                    ast::BoolOp::And => "and",
                    ast::BoolOp::Or => "or",
                };
                return fold(op, b.values.iter().map(one), at);
            }
            ast::Expr::NamedExpr(n) => Kind::Assign(Box::new(self.target(&n.target, next)), boxed(&n.value)),
            ast::Expr::BinOp(b) => self.binary(b, next),
            ast::Expr::UnaryOp(u) => {
                let op = match u.op {
                    ast::UnaryOp::Not => "not",
                    ast::UnaryOp::USub => "-",
                    ast::UnaryOp::UAdd => return one(&u.operand),
                    ast::UnaryOp::Invert => "~",
                };
                Kind::Operator(op.into(), vec![one(&u.operand)])
            }
            ast::Expr::Lambda(l) => {
                let value = one(&l.body);
                let body = vec![Stmt { kind: StmtKind::Return(Some(value)), span: at }];
                Kind::Lambda(Rc::new(Function {
                    name: String::new(),
                    params: self.params(&l.args, next),
                    body,
                    receiver: Receiver::Object,
                }))
            }
            ast::Expr::IfExp(i) => Kind::Choice(boxed(&i.test), boxed(&i.body), boxed(&i.orelse)),
            ast::Expr::Dict(d) => match d.keys.iter().map(|k| k.as_ref().map(one)).collect::<Option<Vec<_>>>() {
                Some(keys) => Kind::Map(keys.into_iter().zip(d.values.iter().map(one)).collect()),
                // `{**a, 'k': v}`
                None => Kind::Other(d.keys.iter().flatten().chain(&d.values).map(one).collect()),
            },
            ast::Expr::Set(s) => self.list(&s.elts, at, next),
            ast::Expr::List(l) => self.list(&l.elts, at, next),
            ast::Expr::Tuple(t) => self.list(&t.elts, at, next),
            ast::Expr::ListComp(c) => self.comprehension(one(&c.elt), &c.generators, at, next),
            ast::Expr::SetComp(c) => self.comprehension(one(&c.elt), &c.generators, at, next),
            ast::Expr::GeneratorExp(c) => self.comprehension(one(&c.elt), &c.generators, at, next),
            ast::Expr::DictComp(c) => {
                let pair = Expr::new(Kind::List(vec![one(&c.key), one(&c.value)]), at);
                let pairs = Expr::new(self.comprehension(pair, &c.generators, at, next), at);
                return Expr::call("dict", vec![pairs], at);
            }
            ast::Expr::Await(a) => return one(&a.value),
            ast::Expr::Yield(y) => Kind::Yield(y.value.iter().map(|v| one(v)).collect()),
            ast::Expr::YieldFrom(y) => crate::syntax::tree::yield_all(one(&y.value), at),
            ast::Expr::Compare(c) => {
                let mut left = one(&c.left);
                let mut tests = Vec::with_capacity(c.ops.len());
                for (op, right) in c.ops.iter().zip(&c.comparators) {
                    let right = one(right);
                    let parts = vec![left, right.clone()];
                    tests.push(Expr::new(Kind::Operator(comparison(*op).into(), parts), at));
                    left = right;
                }
                return fold("and", tests.into_iter(), at);
            }
            ast::Expr::Call(c) => {
                let mut args = Vec::with_capacity(c.args.len().saturating_add(c.keywords.len()));
                for a in &c.args {
                    args.push(match a {
                        ast::Expr::Starred(s) => Arg { name: None, spread: true, value: one(&s.value) },
                        a => Arg { name: None, spread: false, value: one(a) },
                    });
                }
                for k in &c.keywords {
                    let name = k.arg.as_ref().map(|n| n.to_string());
                    args.push(Arg { spread: name.is_none(), name, value: one(&k.value) });
                }
                Kind::Call(boxed(&c.func), args)
            }
            ast::Expr::FormattedValue(f) => {
                let value = one(&f.value);
                match (&f.format_spec, f.conversion) {
                    (None, ast::ConversionFlag::None | ast::ConversionFlag::Str) => return value,
                    (spec, _) => {
                        let parts = std::iter::once(value).chain(spec.iter().map(|s| one(s))).collect();
                        Kind::Operator("format".into(), parts)
                    }
                }
            }
            ast::Expr::JoinedStr(j) => Kind::Concat(j.values.iter().map(one).collect()),
            ast::Expr::Constant(c) => self.constant(&c.value),
            ast::Expr::Attribute(a) => match a.attr.as_str() {
                // The names of a module or object as a map: `os.__dict__['system']`.
                "__dict__" => return one(&a.value),
                name if self.text.marked(name) => Kind::Other(vec![one(&a.value)]),
                name => Kind::Attribute(boxed(&a.value), name.to_string()),
            },
            ast::Expr::Subscript(s) => match s.slice.as_ref() {
                ast::Expr::Slice(part) => {
                    let end = |e: &Option<Box<ast::Expr>>| e.as_ref().map(|e| boxed(e));
                    Kind::Slice(boxed(&s.value), end(&part.lower), end(&part.upper), end(&part.step))
                }
                key => Kind::Index(boxed(&s.value), boxed(key)),
            },
            ast::Expr::Starred(s) => return one(&s.value),
            ast::Expr::Name(n) => match n.id.as_str() {
                // Code that is run is never imported.
                "__name__" => return Expr::text(b"__main__", at),
                name if self.text.marked(name) => Kind::Text(self.text.bytes(name)),
                name => Kind::Name(name.to_string()),
            },
            ast::Expr::Slice(s) => {
                Kind::Other([&s.lower, &s.upper, &s.step].into_iter().flatten().map(|e| one(e)).collect())
            }
        };
        Expr::new(kind, at)
    }

    /// An operator; `a + b + c` without a level for each.
    fn binary(&self, b: &ast::ExprBinOp, depth: u32) -> Kind {
        let op = b.op;
        let mut parts = vec![self.expr(&b.right, depth)];
        let mut left = b.left.as_ref();
        while let ast::Expr::BinOp(inner) = left
            && inner.op == op
            && op == ast::Operator::Add
        {
            parts.push(self.expr(&inner.right, depth));
            left = inner.left.as_ref();
        }
        parts.push(self.expr(left, depth));
        parts.reverse();
        Kind::Operator(operator(op).into(), parts)
    }

    /// `[a, *b, c]` is `[a] + b + [c]`.
    fn list(&self, items: &[ast::Expr], at: Span, depth: u32) -> Kind {
        if !items.iter().any(|e| matches!(e, ast::Expr::Starred(_))) {
            return Kind::List(items.iter().map(|e| self.expr(e, depth)).collect());
        }
        let part = |e: &ast::Expr| match e {
            ast::Expr::Starred(s) => self.expr(&s.value, depth),
            e => Expr::new(Kind::List(vec![self.expr(e, depth)]), at),
        };
        let mut parts = vec![Expr::new(Kind::List(Vec::new()), at)];
        parts.extend(items.iter().map(part));
        Kind::Operator("+".into(), parts)
    }

    fn comprehension(&self, element: Expr, generators: &[ast::Comprehension], at: Span, depth: u32) -> Kind {
        let mut element = element;
        for g in generators.iter().rev().take(16) {
            let conditions = g.ifs.iter().map(|c| self.expr(c, depth));
            let kind = Kind::Comprehension {
                element: Box::new(element),
                target: Box::new(self.target(&g.target, depth)),
                over: Box::new(self.expr(&g.iter, depth)),
                condition: (!g.ifs.is_empty()).then(|| Box::new(fold("and", conditions, at))),
            };
            element = Expr::new(kind, at);
        }
        element.kind
    }

    fn constant(&self, c: &ast::Constant) -> Kind {
        match c {
            ast::Constant::None => Kind::Null,
            ast::Constant::Bool(b) => Kind::Bool(*b),
            ast::Constant::Str(s) => Kind::Text(self.text.bytes(s)),
            ast::Constant::Bytes(b) => Kind::Text(b.as_slice().into()),
            ast::Constant::Int(n) => i64::try_from(n).map_or(Kind::Other(Vec::new()), Kind::Number),
            ast::Constant::Tuple(items) => {
                Kind::List(items.iter().map(|c| Expr::new(self.flat(c), Span::default())).collect())
            }
            ast::Constant::Float(_) | ast::Constant::Complex { .. } | ast::Constant::Ellipsis => {
                Kind::Other(Vec::new())
            }
        }
    }

    /// A constant inside a tuple of constants, which the parser never nests.
    fn flat(&self, c: &ast::Constant) -> Kind {
        match c {
            ast::Constant::Tuple(_) => Kind::Other(Vec::new()),
            other => self.constant(other),
        }
    }
}

/// The name that stands where expressions nest too deep: nothing is known of it, so it is a doubt.
pub(super) const TOO_DEEP: &str = "(nested too deep)";

/// `a and b and c`, from the left; one operand stays what it is.
pub(super) fn fold(op: &str, parts: impl Iterator<Item = Expr>, at: Span) -> Expr {
    let mut out: Option<Expr> = None;
    let mut n = 0usize;
    for p in parts {
        n = n.saturating_add(1);
        out = Some(match out {
            None => p,
            // A chain as long as this is no test that anyone wrote: its parts are evaluated, its result is not known.
            Some(Expr { kind: Kind::Other(mut all), span }) if n > CHAIN => {
                all.push(p);
                Expr::new(Kind::Other(all), span)
            }
            Some(a) if n == CHAIN => Expr::new(Kind::Other(vec![a, p]), at),
            Some(a) => Expr::new(Kind::Operator(op.into(), vec![a, p]), at),
        });
    }
    out.unwrap_or(Expr::new(Kind::Null, at))
}

/// Longest chain of `and` or `or` that is computed.
const CHAIN: usize = 48;

/// The sign of an operator.
pub(super) fn operator(op: ast::Operator) -> &'static str {
    use ast::Operator as O;
    match op {
        O::Add => "+",
        O::Sub => "-",
        O::Mult => "*",
        O::MatMult => "@",
        O::Div => "/",
        O::Mod => "%",
        O::Pow => "**",
        O::LShift => "<<",
        O::RShift => ">>",
        O::BitOr => "|",
        O::BitXor => "^",
        O::BitAnd => "&",
        O::FloorDiv => "//",
    }
}

fn comparison(op: ast::CmpOp) -> &'static str {
    use ast::CmpOp as C;
    match op {
        C::Eq => "==",
        C::NotEq => "!=",
        C::Lt => "<",
        C::LtE => "<=",
        C::Gt => ">",
        C::GtE => ">=",
        C::Is => "is",
        C::IsNot => "!=",
        C::In => "in",
        C::NotIn => "not in",
    }
}
