//! Statements of Python, and patterns that they bind.

use super::Lower;
use crate::limits;
use crate::source::Span;
use crate::syntax::script::{Arg, Expr, Function, Kind, Receiver, Stmt, StmtKind, Target};
use rustpython_parser::ast::{self, Ranged};
use std::rc::Rc;

impl Lower<'_> {
    /// Statements in order.
    pub(super) fn block(&self, body: &[ast::Stmt], depth: u32) -> Vec<Stmt> {
        if depth >= limits::MAX_SCRIPT_NESTING {
            return Vec::new();
        }
        let mut out = Vec::with_capacity(body.len());
        for s in body {
            stacker::maybe_grow(64 << 10, 1 << 20, || self.stmt(s, depth.saturating_add(1), &mut out));
        }
        out
    }

    fn stmt(&self, s: &ast::Stmt, depth: u32, out: &mut Vec<Stmt>) {
        let span = span(s);
        for e in annotations(s) {
            out.push(Stmt { kind: StmtKind::Expr(self.expr(e, depth)), span });
        }
        let mut push = |kind| out.push(Stmt { kind, span });
        match s {
            ast::Stmt::FunctionDef(f) => {
                let receiver = receiver(&f.decorator_list);
                push(StmtKind::Function(self.function(&f.name, &f.args, &f.body, receiver, depth)));
                self.decorators(&f.decorator_list, &f.name, span, depth, out);
            }
            ast::Stmt::AsyncFunctionDef(f) => {
                let receiver = receiver(&f.decorator_list);
                push(StmtKind::Function(self.function(&f.name, &f.args, &f.body, receiver, depth)));
                self.decorators(&f.decorator_list, &f.name, span, depth, out);
            }
            ast::Stmt::ClassDef(c) => {
                let mut bases: Vec<Expr> = c.bases.iter().map(|b| self.expr(b, depth)).collect();
                bases.extend(c.keywords.iter().map(|k| self.expr(&k.value, depth)));
                push(StmtKind::Class { name: c.name.to_string(), bases, body: self.block(&c.body, depth) });
                self.decorators(&c.decorator_list, &c.name, span, depth, out);
            }
            ast::Stmt::Return(r) => push(StmtKind::Return(r.value.as_ref().map(|v| self.expr(v, depth)))),
            ast::Stmt::Delete(d) => {
                let parts = d.targets.iter().map(|t| self.expr(t, depth)).collect();
                push(StmtKind::Expr(Expr::new(Kind::Other(parts), span)));
            }
            ast::Stmt::Assign(a) => {
                // `a = b = e` gives `e` to each, from the left.
                let mut value = self.expr(&a.value, depth);
                // Each is a level of the tree, so that as many as that are told apart as may nest.
                let mut targets = a.targets.iter().take(CHAIN);
                let first = targets.next();
                for t in targets.rev() {
                    let kind = Kind::Assign(Box::new(self.target(t, depth)), Box::new(value));
                    value = Expr::new(kind, span);
                }
                if let Some(t) = first {
                    push(StmtKind::Assign(self.target(t, depth), value));
                }
            }
            ast::Stmt::TypeAlias(_) | ast::Stmt::Pass(_) => {}
            ast::Stmt::AugAssign(a) => {
                let parts = vec![self.expr(&a.target, depth), self.expr(&a.value, depth)];
                let value = Expr::new(Kind::Operator(super::expr::operator(a.op).into(), parts), span);
                push(StmtKind::Assign(self.target(&a.target, depth), value));
            }
            ast::Stmt::AnnAssign(a) => {
                if let Some(v) = &a.value {
                    push(StmtKind::Assign(self.target(&a.target, depth), self.expr(v, depth)));
                }
            }
            ast::Stmt::For(f) => self.each(&f.target, &f.iter, &f.body, &f.orelse, span, depth, out),
            ast::Stmt::AsyncFor(f) => self.each(&f.target, &f.iter, &f.body, &f.orelse, span, depth, out),
            ast::Stmt::While(w) => {
                let condition = Some(self.expr(&w.test, depth));
                push(StmtKind::Loop { target: None, over: None, condition, body: self.block(&w.body, depth) });
                if !w.orelse.is_empty() {
                    out.push(Stmt { kind: StmtKind::Block(self.block(&w.orelse, depth)), span });
                }
            }
            ast::Stmt::If(i) => push(self.branches(i, depth)),
            ast::Stmt::With(w) => self.with(&w.items, &w.body, span, depth, out),
            ast::Stmt::AsyncWith(w) => self.with(&w.items, &w.body, span, depth, out),
            ast::Stmt::Match(m) => self.cases(m, span, depth, out),
            ast::Stmt::Raise(r) => {
                let parts = r.exc.iter().chain(&r.cause).map(|e| self.expr(e, depth)).collect();
                push(StmtKind::Expr(Expr::new(Kind::Other(parts), span)));
            }
            ast::Stmt::Try(t) => self.attempt([&t.body, &t.orelse, &t.finalbody], &t.handlers, span, depth, out),
            ast::Stmt::TryStar(t) => self.attempt([&t.body, &t.orelse, &t.finalbody], &t.handlers, span, depth, out),
            ast::Stmt::Assert(a) => {
                let parts = std::iter::once(&a.test).chain(&a.msg).map(|e| self.expr(e, depth)).collect();
                push(StmtKind::Expr(Expr::new(Kind::Other(parts), span)));
            }
            ast::Stmt::Import(i) => {
                for a in &i.names {
                    // `import a.b` binds `a`; `import a.b as c` binds what `a.b` is.
                    let (path, alias) = match &a.asname {
                        Some(n) => (a.name.as_str(), n.as_str()),
                        None => {
                            let top = a.name.split('.').next().unwrap_or_default();
                            (top, top)
                        }
                    };
                    push(StmtKind::Import { path: path.into(), alias: alias.into() });
                }
            }
            ast::Stmt::ImportFrom(i) => {
                let dots = ".".repeat(i.level.map_or(0, |l| l.to_usize().min(8)));
                let module = format!("{dots}{}", i.module.as_ref().map_or("", |m| m.as_str()));
                for a in &i.names {
                    let name = a.name.as_str();
                    let kind = match name {
                        "*" => StmtKind::Import { path: module.clone(), alias: "*".into() },
                        _ => StmtKind::Import {
                            path: format!("{module}.{name}"),
                            alias: a.asname.as_ref().map_or(name, |n| n.as_str()).into(),
                        },
                    };
                    push(kind);
                }
            }
            ast::Stmt::Global(g) => push(StmtKind::Outer(g.names.iter().map(|n| n.to_string()).collect())),
            ast::Stmt::Nonlocal(g) => push(StmtKind::Outer(g.names.iter().map(|n| n.to_string()).collect())),
            ast::Stmt::Expr(e) => push(StmtKind::Expr(self.expr(&e.value, depth))),
            ast::Stmt::Break(_) => push(StmtKind::Break),
            ast::Stmt::Continue(_) => push(StmtKind::Continue),
        }
    }

    fn function(
        &self,
        name: &str,
        args: &ast::Arguments,
        body: &[ast::Stmt],
        receiver: Receiver,
        depth: u32,
    ) -> Rc<Function> {
        let params = self.params(args, depth);
        Rc::new(Function { name: name.into(), params, body: self.block(body, depth), receiver })
    }

    /// Parameters with their defaults; `*rest` takes what is left.
    pub(super) fn params(&self, args: &ast::Arguments, depth: u32) -> Vec<(String, Option<Expr>)> {
        let one = |a: &ast::ArgWithDefault| (a.def.arg.to_string(), a.default.as_ref().map(|d| self.expr(d, depth)));
        let mut out: Vec<_> = args.posonlyargs.iter().chain(&args.args).map(one).collect();
        out.extend(args.vararg.iter().map(|a| (format!("*{}", a.arg), None)));
        out.extend(args.kwonlyargs.iter().map(one));
        out.extend(args.kwarg.iter().map(|a| (a.arg.to_string(), None)));
        out
    }

    /// `@d` over `def f` calls `d(f)`, the nearest first.
    fn decorators(&self, list: &[ast::Expr], name: &str, span: Span, depth: u32, out: &mut Vec<Stmt>) {
        let mut value = Expr::new(Kind::Name(name.into()), span);
        let told = |d: &&ast::Expr| !matches!(d, ast::Expr::Name(n) if decorated(n.id.as_str()).is_some());
        for d in list.iter().rev().filter(told).take(CHAIN) {
            let callee = Box::new(self.expr(d, depth));
            value = Expr::new(Kind::Call(callee, vec![Arg { name: None, spread: false, value }]), span);
        }
        if !list.is_empty() {
            out.push(Stmt { kind: StmtKind::Expr(value), span });
        }
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of one statement")]
    fn each(
        &self,
        target: &ast::Expr,
        over: &ast::Expr,
        body: &[ast::Stmt],
        otherwise: &[ast::Stmt],
        span: Span,
        depth: u32,
        out: &mut Vec<Stmt>,
    ) {
        let kind = StmtKind::Loop {
            target: Some(self.target(target, depth)),
            over: Some(self.expr(over, depth)),
            condition: None,
            body: self.block(body, depth),
        };
        out.push(Stmt { kind, span });
        if !otherwise.is_empty() {
            out.push(Stmt { kind: StmtKind::Block(self.block(otherwise, depth)), span });
        }
    }

    /// `if`, and the `elif`s that hang on it, without a level for each.
    fn branches(&self, first: &ast::StmtIf, depth: u32) -> StmtKind {
        let mut branches = Vec::new();
        let mut now = first;
        loop {
            branches.push((self.expr(&now.test, depth), self.block(&now.body, depth)));
            match now.orelse.as_slice() {
                [ast::Stmt::If(next)] => now = next,
                rest => return StmtKind::If(branches, self.block(rest, depth)),
            }
        }
    }

    /// `with e as n: …`: the name is what `e` gives.
    fn with(&self, items: &[ast::WithItem], body: &[ast::Stmt], span: Span, depth: u32, out: &mut Vec<Stmt>) {
        for i in items {
            let value = self.expr(&i.context_expr, depth);
            let kind = match &i.optional_vars {
                Some(t) => StmtKind::Assign(self.target(t, depth), value),
                None => StmtKind::Expr(value),
            };
            out.push(Stmt { kind, span });
        }
        out.push(Stmt { kind: StmtKind::Block(self.block(body, depth)), span });
    }

    fn attempt(
        &self,
        [body, otherwise, last]: [&Vec<ast::Stmt>; 3],
        handlers: &[ast::ExceptHandler],
        span: Span,
        depth: u32,
        out: &mut Vec<Stmt>,
    ) {
        let body = self.block(body, depth);
        let mut rest = Vec::new();
        for h in handlers {
            let ast::ExceptHandler::ExceptHandler(h) = h;
            let mut inner = Vec::new();
            let value = Expr::new(Kind::Other(h.type_.iter().map(|t| self.expr(t, depth)).collect()), span);
            inner.push(Stmt {
                kind: match &h.name {
                    Some(n) => StmtKind::Assign(Target::Name(n.to_string()), value),
                    None => StmtKind::Expr(value),
                },
                span,
            });
            inner.extend(self.block(&h.body, depth));
            rest.push(Stmt { kind: StmtKind::Maybe(inner), span });
        }
        attempted(body, rest, span, out);
        for more in [otherwise, last] {
            if !more.is_empty() {
                out.push(Stmt { kind: StmtKind::Block(self.block(more, depth)), span });
            }
        }
    }

    /// `match`: which case holds is not known; names in patterns are parts of the subject.
    fn cases(&self, m: &ast::StmtMatch, span: Span, depth: u32, out: &mut Vec<Stmt>) {
        out.push(Stmt { kind: StmtKind::Expr(self.expr(&m.subject, depth)), span });
        for case in &m.cases {
            let mut body = Vec::new();
            let mut names = Vec::new();
            self.pattern(&case.pattern, depth, &mut names);
            for n in names {
                let subject = Expr::new(Kind::Other(vec![self.expr(&m.subject, depth)]), span);
                body.push(Stmt { kind: StmtKind::Assign(Target::Name(n), subject), span });
            }
            if let Some(g) = &case.guard {
                body.push(Stmt { kind: StmtKind::Expr(self.expr(g, depth)), span });
            }
            body.extend(self.block(&case.body, depth));
            out.push(Stmt { kind: StmtKind::Maybe(body), span });
        }
    }

    fn pattern(&self, p: &ast::Pattern, depth: u32, names: &mut Vec<String>) {
        if depth >= limits::MAX_SCRIPT_NESTING {
            return;
        }
        let next = depth.saturating_add(1);
        match p {
            ast::Pattern::MatchSequence(s) => s.patterns.iter().for_each(|p| self.pattern(p, next, names)),
            ast::Pattern::MatchMapping(m) => {
                m.patterns.iter().for_each(|p| self.pattern(p, next, names));
                names.extend(m.rest.iter().map(|n| n.to_string()));
            }
            ast::Pattern::MatchClass(c) => {
                c.patterns.iter().chain(&c.kwd_patterns).for_each(|p| self.pattern(p, next, names));
            }
            ast::Pattern::MatchStar(s) => names.extend(s.name.iter().map(|n| n.to_string())),
            ast::Pattern::MatchAs(a) => {
                a.pattern.iter().for_each(|p| self.pattern(p, next, names));
                names.extend(a.name.iter().map(|n| n.to_string()));
            }
            ast::Pattern::MatchOr(o) => o.patterns.iter().for_each(|p| self.pattern(p, next, names)),
            ast::Pattern::MatchValue(_) | ast::Pattern::MatchSingleton(_) => {}
        }
    }

    /// What is assigned to.
    pub(super) fn target(&self, e: &ast::Expr, depth: u32) -> Target {
        if depth >= limits::MAX_SCRIPT_NESTING {
            return Target::List(Vec::new());
        }
        let next = depth.saturating_add(1);
        match e {
            ast::Expr::Name(n) => Target::Name(n.id.to_string()),
            ast::Expr::Attribute(a) => Target::Attribute(Box::new(self.expr(&a.value, next)), a.attr.to_string()),
            ast::Expr::Subscript(s) => {
                Target::Index(Box::new(self.expr(&s.value, next)), Box::new(self.expr(&s.slice, next)))
            }
            ast::Expr::Tuple(t) => Target::List(t.elts.iter().map(|e| self.target(e, next)).collect()),
            ast::Expr::List(t) => Target::List(t.elts.iter().map(|e| self.target(e, next)).collect()),
            ast::Expr::Starred(s) => Target::Rest(Box::new(self.target(&s.value, next))),
            _ => Target::List(Vec::new()),
        }
    }
}

/// Annotations that call something: they run where they stand.
fn annotations(s: &ast::Stmt) -> Vec<&ast::Expr> {
    let (args, returns) = match s {
        ast::Stmt::FunctionDef(f) => (&f.args, &f.returns),
        ast::Stmt::AsyncFunctionDef(f) => (&f.args, &f.returns),
        ast::Stmt::AnnAssign(a) => return Some(&*a.annotation).filter(|e| acts(e, 0)).into_iter().collect(),
        _ => return Vec::new(),
    };
    let named = args.posonlyargs.iter().chain(&args.args).chain(&args.kwonlyargs).map(|a| &a.def);
    let all = named.chain(args.vararg.as_deref()).chain(args.kwarg.as_deref());
    let noted = all.filter_map(|a| a.annotation.as_deref()).chain(returns.as_deref());
    noted.filter(|e| acts(e, 0)).collect()
}

/// Whether an annotation is more than the name of a type.
fn acts(e: &ast::Expr, depth: u32) -> bool {
    let next = depth.saturating_add(1);
    match e {
        _ if depth > 64 => true,
        ast::Expr::Name(_) | ast::Expr::Constant(_) => false,
        ast::Expr::Attribute(a) => acts(&a.value, next),
        ast::Expr::Subscript(s) => acts(&s.value, next) || acts(&s.slice, next),
        ast::Expr::Tuple(t) => t.elts.iter().any(|e| acts(e, next)),
        ast::Expr::List(t) => t.elts.iter().any(|e| acts(e, next)),
        ast::Expr::BinOp(b) => acts(&b.left, next) || acts(&b.right, next),
        _ => true,
    }
}

/// Most targets of one assignment, and decorators of one definition, that are followed.
pub(super) const CHAIN: usize = 64;

/// A body with its handlers. One that leaves would hide them, and they run where an error leaves it before: they stand in
/// front of it then.
pub(super) fn attempted(body: Vec<Stmt>, mut handlers: Vec<Stmt>, span: Span, out: &mut Vec<Stmt>) {
    let first = leaves(&body);
    let block = Stmt { kind: StmtKind::Block(body), span };
    if first {
        out.append(&mut handlers);
        out.push(block);
    } else {
        out.push(block);
        out.append(&mut handlers);
    }
}

/// Whether a statement of a block leaves the function or the program.
fn leaves(body: &[Stmt]) -> bool {
    body.iter().any(|s| match &s.kind {
        StmtKind::Return(_) | StmtKind::Exit => true,
        StmtKind::Expr(e) => matches!(&e.kind, Kind::Call(..)) && body.len() == 1,
        StmtKind::Block(b) => leaves(b),
        StmtKind::Loop { body, .. } => leaves(body),
        _ => false,
    })
}

/// What a method gets first, by what stands over it.
fn receiver(decorators: &[ast::Expr]) -> Receiver {
    let named = decorators.iter().find_map(|d| match d {
        ast::Expr::Name(n) => decorated(n.id.as_str()),
        ast::Expr::Attribute(a) => decorated(a.attr.as_str()),
        _ => None,
    });
    named.unwrap_or_default()
}

/// What one decorator says of that.
pub(super) fn decorated(name: &str) -> Option<Receiver> {
    match name {
        "staticmethod" => Some(Receiver::Nothing),
        "classmethod" => Some(Receiver::Class),
        "property" | "cached_property" => Some(Receiver::Read),
        _ => None,
    }
}

/// The bytes of a node.
pub(super) fn span(n: &impl Ranged) -> Span {
    let r = n.range();
    Span { start: u32::from(r.start()), end: u32::from(r.end()) }
}
