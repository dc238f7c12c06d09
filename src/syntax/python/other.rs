//! Python through tree-sitter-python: what the first reader refuses.
//!
//! Python 2 (`print x`, `exec code`, `except E, e`), f-strings of 3.12, texts with mistakes in them. The grammar recovers
//! from errors: what it understood is lowered, what not is `Unparsed`.

use super::token::{halved, number, slice, unescape};
use crate::syntax::script::{Arg, Expr, Function, Kind, Receiver, Script, Stmt, StmtKind, Target};
use crate::syntax::tree::{self, Grammar, Lowering, field, kid, kids, run, span, stmt};
use std::rc::Rc;
use tree_sitter::Node;

/// Reads a program.
pub(super) fn read(bytes: &[u8]) -> Script {
    tree::read(Grammar::Python, bytes, |low, root| low.suite(root))
}

/// Lowering of Python's tree.
trait Python {
    fn suite(&mut self, n: Node<'_>) -> Vec<Stmt>;
    fn block_of(&mut self, n: Node<'_>, name: &str) -> Vec<Stmt>;
    fn simple(&mut self, n: Node<'_>, out: &mut Vec<Stmt>);
    fn compound(&mut self, n: Node<'_>, out: &mut Vec<Stmt>);
    fn import(&mut self, n: Node<'_>, out: &mut Vec<Stmt>);
    fn params(&mut self, n: Option<Node<'_>>) -> Vec<(String, Option<Expr>)>;
    fn target(&mut self, n: Node<'_>) -> Target;
    fn value(&mut self, n: Node<'_>) -> Expr;
    fn value_inner(&mut self, n: Node<'_>) -> Expr;
    fn values(&mut self, n: Node<'_>) -> Vec<Expr>;
    fn in_field(&mut self, n: Node<'_>, name: &str) -> Expr;
    fn args(&mut self, n: Node<'_>) -> Vec<Arg>;
    fn list(&mut self, n: Node<'_>) -> Kind;
    fn string(&mut self, n: Node<'_>) -> Expr;
    fn comprehension(&mut self, n: Node<'_>, element: Expr) -> Expr;
}

impl Python for Lowering<'_> {
    fn suite(&mut self, n: Node<'_>) -> Vec<Stmt> {
        self.block(n, |low, k, out| low.simple(k, out))
    }

    fn block_of(&mut self, n: Node<'_>, name: &str) -> Vec<Stmt> {
        field(n, name).or_else(|| kid(n, "block")).map(|b| self.suite(b)).unwrap_or_default()
    }

    fn simple(&mut self, n: Node<'_>, out: &mut Vec<Stmt>) {
        let at = span(n);
        match n.kind() {
            "expression_statement" => {
                for k in kids(n) {
                    let e = self.value(k);
                    out.push(match e.kind {
                        Kind::Assign(t, v) => stmt(StmtKind::Assign(*t, *v), at),
                        _ => run(e),
                    });
                }
            }
            "return_statement" => {
                let v = kids(n).first().map(|k| self.value(*k));
                out.push(stmt(StmtKind::Return(v), at));
            }
            "import_statement" | "import_from_statement" | "future_import_statement" => self.import(n, out),
            // `print x, y` and `print >>f, x`: the second prints to a file.
            "print_statement" => {
                let mut args = Vec::new();
                for k in kids(n) {
                    let name = (k.kind() == "chevron").then(|| "file".to_string());
                    let value = match name {
                        Some(_) => kids(k).first().map_or(Expr::new(Kind::Null, at), |c| self.value(*c)),
                        None => self.value(k),
                    };
                    args.push(Arg { name, spread: false, value });
                }
                let callee = Box::new(Expr::new(Kind::Name("print".into()), at));
                out.push(run(Expr::new(Kind::Call(callee, args), at)));
            }
            "exec_statement" => {
                let code = field(n, "code").map_or(Expr::new(Kind::Null, at), |c| self.value(c));
                out.push(run(Expr::call("exec", vec![code], at)));
            }
            "break_statement" => out.push(stmt(StmtKind::Break, at)),
            "continue_statement" => out.push(stmt(StmtKind::Continue, at)),
            "global_statement" | "nonlocal_statement" => {
                let names = kids(n).into_iter().map(|k| self.text(k).to_string()).collect();
                out.push(stmt(StmtKind::Outer(names), at));
            }
            "pass_statement" | "type_alias_statement" => {}
            "assert_statement" | "delete_statement" | "raise_statement" => {
                let parts = self.values(n);
                out.push(run(Expr::new(Kind::Other(parts), at)));
            }
            _ => self.compound(n, out),
        }
    }

    fn compound(&mut self, n: Node<'_>, out: &mut Vec<Stmt>) {
        let at = span(n);
        match n.kind() {
            "if_statement" => {
                let mut branches = vec![(self.in_field(n, "condition"), self.block_of(n, "consequence"))];
                let mut last = Vec::new();
                for k in kids(n) {
                    match k.kind() {
                        "elif_clause" => {
                            branches.push((self.in_field(k, "condition"), self.block_of(k, "consequence")));
                        }
                        "else_clause" => last = self.block_of(k, "body"),
                        _ => {}
                    }
                }
                out.push(stmt(StmtKind::If(branches, last), at));
            }
            "for_statement" => {
                let target = field(n, "left").map(|t| self.target(t));
                let over = Some(self.in_field(n, "right"));
                let body = self.block_of(n, "body");
                out.push(stmt(StmtKind::Loop { target, over, condition: None, body }, at));
                if let Some(last) = kid(n, "else_clause") {
                    out.push(stmt(StmtKind::Block(self.block_of(last, "body")), at));
                }
            }
            "while_statement" => {
                let condition = Some(self.in_field(n, "condition"));
                let body = self.block_of(n, "body");
                out.push(stmt(StmtKind::Loop { target: None, over: None, condition, body }, at));
                if let Some(last) = kid(n, "else_clause") {
                    out.push(stmt(StmtKind::Block(self.block_of(last, "body")), at));
                }
            }
            "try_statement" => {
                let body = self.block_of(n, "body");
                let mut rest = Vec::new();
                let mut last = Vec::new();
                for k in kids(n) {
                    match k.kind() {
                        "except_clause" | "except_group_clause" => {
                            rest.push(stmt(StmtKind::Maybe(self.suite(k)), span(k)))
                        }
                        "else_clause" | "finally_clause" => {
                            last.push(stmt(StmtKind::Block(self.block_of(k, "body")), span(k)));
                        }
                        _ => {}
                    }
                }
                super::stmt::attempted(body, rest, at, out);
                out.append(&mut last);
            }
            // The handler's name and what it catches, then its block.
            "with_statement" => {
                for item in kid(n, "with_clause").map(kids).unwrap_or_default() {
                    let e = self.in_field(item, "value");
                    out.push(match e.kind {
                        Kind::Assign(t, v) => stmt(StmtKind::Assign(*t, *v), at),
                        _ => run(e),
                    });
                }
                out.push(stmt(StmtKind::Block(self.block_of(n, "body")), at));
            }
            "function_definition" => {
                let name = field(n, "name").map_or("", |k| self.text(k)).to_string();
                let params = self.params(field(n, "parameters"));
                let body = self.block_of(n, "body");
                out.push(stmt(
                    StmtKind::Function(Rc::new(Function { name, params, body, receiver: Receiver::Object })),
                    at,
                ));
            }
            "class_definition" => {
                let bases = field(n, "superclasses").map(|s| self.args(s)).unwrap_or_default();
                let bases = bases.into_iter().map(|a| a.value).collect();
                let name = field(n, "name").map_or("", |k| self.text(k)).to_string();
                let body = self.block_of(n, "body");
                out.push(stmt(StmtKind::Class { name, bases, body }, at));
            }
            "decorated_definition" => {
                let Some(inner) = field(n, "definition") else { return };
                self.compound(inner, out);
                let over =
                    kids(n).into_iter().filter(|k| k.kind() == "decorator").filter_map(|d| kids(d).first().copied());
                let receiver = over.filter_map(|c| super::stmt::decorated(self.text(c))).next();
                if let (Some(r), Some(Stmt { kind: StmtKind::Function(f), .. })) = (receiver, out.last_mut()) {
                    *f = Rc::new(Function { receiver: r, ..(**f).clone() });
                }
                let name = field(inner, "name").map_or("", |k| self.text(k));
                let mut value = Expr::new(Kind::Name(name.to_string()), at);
                for d in kids(n).into_iter().rev().filter(|k| k.kind() == "decorator").take(super::stmt::CHAIN) {
                    let callee = kids(d).first().map_or(Expr::new(Kind::Null, at), |c| self.value(*c));
                    value = Expr::new(Kind::Call(Box::new(callee), vec![Arg { name: None, spread: false, value }]), at);
                }
                out.push(run(value));
            }
            "match_statement" => {
                let subject = self.in_field(n, "subject");
                out.push(run(subject));
                for case in kid(n, "block").map(kids).unwrap_or_default() {
                    let body = self.block_of(case, "consequence");
                    out.push(stmt(StmtKind::Maybe(body), span(case)));
                }
            }
            "block" | "module" => out.extend(self.suite(n)),
            // Statements may stand in what was not understood.
            "ERROR" => out.extend(self.suite(n)),
            _ => {
                let e = self.value(n);
                out.push(run(e));
            }
        }
    }

    fn import(&mut self, n: Node<'_>, out: &mut Vec<Stmt>) {
        let at = span(n);
        let from = field(n, "module_name").map(|m| self.text(m).to_string());
        let module = if n.kind() == "future_import_statement" { Some("__future__".to_string()) } else { from };
        let skip = field(n, "module_name").map(|m| m.id());
        for k in kids(n).into_iter().filter(|k| Some(k.id()) != skip) {
            let (path, alias) = match k.kind() {
                "wildcard_import" => ("", "*"),
                "aliased_import" => {
                    (field(k, "name").map_or("", |k| self.text(k)), field(k, "alias").map_or("", |k| self.text(k)))
                }
                "dotted_name" => (self.text(k), self.text(k)),
                _ => continue,
            };
            let (path, alias) = match &module {
                Some(m) if alias == "*" => (m.clone(), "*".to_string()),
                Some(m) => (format!("{m}.{path}"), alias.to_string()),
                // `import a.b` binds `a`.
                None if path == alias => {
                    let top = path.split('.').next().unwrap_or_default();
                    (top.to_string(), top.to_string())
                }
                None => (path.to_string(), alias.to_string()),
            };
            out.push(stmt(StmtKind::Import { path, alias }, at));
        }
    }

    fn params(&mut self, n: Option<Node<'_>>) -> Vec<(String, Option<Expr>)> {
        let mut out = Vec::new();
        for p in n.map(kids).unwrap_or_default() {
            match p.kind() {
                "identifier" => out.push((self.text(p).to_string(), None)),
                "default_parameter" | "typed_default_parameter" => {
                    let name = field(p, "name").map_or("", |k| self.text(k)).to_string();
                    let value = self.in_field(p, "value");
                    out.push((name, Some(value)));
                }
                "typed_parameter" => {
                    if let Some(k) = kids(p).first() {
                        out.push((self.text(*k).to_string(), None));
                    }
                }
                "list_splat_pattern" => out.push((self.text(p).to_string(), None)),
                "dictionary_splat_pattern" => {
                    out.push((self.text(p).trim_start_matches('*').to_string(), None));
                }
                _ => {}
            }
        }
        out
    }

    fn target(&mut self, n: Node<'_>) -> Target {
        self.deeper(n, Target::List(Vec::new()), |low| match n.kind() {
            "identifier" => Target::Name(low.text(n).to_string()),
            "attribute" => {
                let name = field(n, "attribute").map_or("", |k| low.text(k)).to_string();
                Target::Attribute(Box::new(low.in_field(n, "object")), name)
            }
            "subscript" => Target::Index(Box::new(low.in_field(n, "value")), Box::new(low.in_field(n, "subscript"))),
            "pattern_list" | "tuple_pattern" | "list_pattern" | "tuple" | "list" | "expression_list" => {
                Target::List(kids(n).into_iter().map(|k| low.target(k)).collect())
            }
            "list_splat_pattern" | "parenthesized_expression" | "as_pattern_target" => {
                kids(n).first().map_or(Target::List(Vec::new()), |k| low.target(*k))
            }
            _ => Target::List(Vec::new()),
        })
    }

    fn value(&mut self, n: Node<'_>) -> Expr {
        let flat = Expr::call(super::expr::TOO_DEEP, Vec::new(), span(n));
        self.deeper(n, flat, |low| low.value_inner(n))
    }

    fn values(&mut self, n: Node<'_>) -> Vec<Expr> {
        kids(n).into_iter().map(|k| self.value(k)).collect()
    }

    fn in_field(&mut self, n: Node<'_>, name: &str) -> Expr {
        match field(n, name) {
            Some(k) => self.value(k),
            None => Expr::new(Kind::Other(Vec::new()), span(n)),
        }
    }

    fn value_inner(&mut self, n: Node<'_>) -> Expr {
        let at = span(n);
        let kind = match n.kind() {
            "identifier" => match self.text(n) {
                "__name__" => return Expr::text(b"__main__", at),
                name => return self.name(name, at),
            },
            "string" => return self.string(n),
            "yield" => match (self.text(n).split_whitespace().nth(1), kids(n).first()) {
                (Some("from"), Some(k)) => {
                    let over = self.value(*k);
                    crate::syntax::tree::yield_all(over, at)
                }
                _ => Kind::Yield(self.values(n)),
            },
            "concatenated_string" => Kind::Concat(self.values(n)),
            "integer" => number(self.text(n)),
            "true" => Kind::Bool(true),
            "false" => Kind::Bool(false),
            "none" => Kind::Null,
            "float" | "ellipsis" => Kind::Other(Vec::new()),
            "parenthesized_expression" | "await" | "list_splat" | "parenthesized_list_splat" | "decorator" => {
                match kids(n).first() {
                    Some(k) => return self.value(*k),
                    None => Kind::Null,
                }
            }
            "attribute" => {
                let name = field(n, "attribute").map_or("", |k| self.text(k)).to_string();
                let object = self.in_field(n, "object");
                match name.as_str() {
                    "__dict__" => return object,
                    _ => Kind::Attribute(Box::new(object), name),
                }
            }
            "subscript" => {
                let object = Box::new(self.in_field(n, "value"));
                match field(n, "subscript") {
                    Some(s) if s.kind() == "slice" => {
                        let [a, b, c] = slice(s);
                        let mut part = |e: Option<Node<'_>>| e.map(|e| Box::new(self.value(e)));
                        Kind::Slice(object, part(a), part(b), part(c))
                    }
                    _ => Kind::Index(object, Box::new(self.in_field(n, "subscript"))),
                }
            }
            "call" => {
                let callee = Box::new(self.in_field(n, "function"));
                let args = match field(n, "arguments") {
                    Some(a) if a.kind() == "argument_list" => self.args(a),
                    Some(a) => vec![Arg { name: None, spread: false, value: self.value(a) }],
                    None => Vec::new(),
                };
                Kind::Call(callee, args)
            }
            "list" | "tuple" | "set" | "expression_list" | "pattern_list" => self.list(n),
            "dictionary" => {
                let all = kids(n);
                if all.iter().all(|k| k.kind() == "pair") {
                    let pair = |k: Node<'_>| (self.in_field(k, "key"), self.in_field(k, "value"));
                    Kind::Map(all.into_iter().map(pair).collect())
                } else {
                    Kind::Other(self.values(n))
                }
            }
            "binary_operator" => {
                let op = field(n, "operator").map_or("", |o| self.text(o)).to_string();
                let mut parts = vec![self.in_field(n, "right")];
                let mut left = field(n, "left");
                while let Some(l) = left
                    && op == "+"
                    && l.kind() == "binary_operator"
                    && field(l, "operator").is_some_and(|o| self.text(o) == op)
                {
                    parts.push(self.in_field(l, "right"));
                    left = field(l, "left");
                }
                parts.extend(left.map(|l| self.value(l)));
                parts.reverse();
                Kind::Operator(op, parts)
            }
            "boolean_operator" => {
                let op = field(n, "operator").map_or("", |o| self.text(o)).to_string();
                Kind::Operator(op, vec![self.in_field(n, "left"), self.in_field(n, "right")])
            }
            "not_operator" => Kind::Operator("not".into(), vec![self.in_field(n, "argument")]),
            "unary_operator" => match field(n, "operator").map_or("", |o| self.text(o)) {
                "+" => return self.in_field(n, "argument"),
                op => Kind::Operator(op.to_string(), vec![self.in_field(n, "argument")]),
            },
            "comparison_operator" => {
                let mut parts = self.values(n);
                let op = field(n, "operators").map_or("", |o| self.text(o)).to_string();
                if parts.len() == 2 {
                    let op = if op == "<>" || op == "is not" { "!=".to_string() } else { op };
                    Kind::Operator(op, parts)
                } else {
                    Kind::Other(std::mem::take(&mut parts))
                }
            }
            "conditional_expression" => match self.values(n).try_into() {
                Ok::<[Expr; 3], _>([a, test, b]) => Kind::Choice(Box::new(test), Box::new(a), Box::new(b)),
                Err(parts) => Kind::Other(parts),
            },
            "named_expression" => {
                let t = field(n, "name").map_or(Target::List(Vec::new()), |t| self.target(t));
                Kind::Assign(Box::new(t), Box::new(self.in_field(n, "value")))
            }
            "assignment" => {
                let t = field(n, "left").map_or(Target::List(Vec::new()), |t| self.target(t));
                match field(n, "right") {
                    Some(v) => Kind::Assign(Box::new(t), Box::new(self.value(v))),
                    None => Kind::Null,
                }
            }
            "augmented_assignment" => {
                let op = field(n, "operator").map_or("", |o| self.text(o));
                let value = tree::combined(op, self.in_field(n, "left"), self.in_field(n, "right"), at);
                let t = field(n, "left").map_or(Target::List(Vec::new()), |t| self.target(t));
                Kind::Assign(Box::new(t), Box::new(value))
            }
            // `with e as n`, `except E as n`
            "as_pattern" => {
                let value = kids(n).first().map_or(Expr::new(Kind::Null, at), |k| self.value(*k));
                match field(n, "alias") {
                    Some(t) => Kind::Assign(Box::new(self.target(t)), Box::new(value)),
                    None => return value,
                }
            }
            "lambda" => {
                let params = self.params(field(n, "parameters"));
                let value = self.in_field(n, "body");
                let body = vec![stmt(StmtKind::Return(Some(value)), at)];
                Kind::Lambda(Rc::new(Function { name: String::new(), params, body, receiver: Receiver::Object }))
            }
            "list_comprehension" | "set_comprehension" | "generator_expression" => {
                let element = self.in_field(n, "body");
                return self.comprehension(n, element);
            }
            "dictionary_comprehension" => {
                let pair = field(n, "body");
                let parts = pair.map(|p| vec![self.in_field(p, "key"), self.in_field(p, "value")]).unwrap_or_default();
                let pairs = self.comprehension(n, Expr::new(Kind::List(parts), at));
                return Expr::call("dict", vec![pairs], at);
            }
            "keyword_argument" | "pair" => return self.in_field(n, "value"),
            "block" | "ERROR" => {
                let body = self.suite(n);
                Kind::Do(body)
            }
            _ => Kind::Other(self.values(n)),
        };
        Expr::new(kind, at)
    }

    fn args(&mut self, n: Node<'_>) -> Vec<Arg> {
        let mut out = Vec::new();
        for k in kids(n) {
            let (name, spread, value) = match k.kind() {
                "keyword_argument" => {
                    (field(k, "name").map(|n| self.text(n).to_string()), false, self.in_field(k, "value"))
                }
                "list_splat" | "dictionary_splat" => {
                    let inner = kids(k).first().map_or(Expr::new(Kind::Null, span(k)), |c| self.value(*c));
                    (None, true, inner)
                }
                _ => (None, false, self.value(k)),
            };
            out.push(Arg { name, spread, value });
        }
        out
    }

    fn list(&mut self, n: Node<'_>) -> Kind {
        let all = kids(n);
        if !all.iter().any(|k| k.kind().ends_with("list_splat")) {
            return Kind::List(all.into_iter().map(|k| self.value(k)).collect());
        }
        let mut parts = vec![Expr::new(Kind::List(Vec::new()), span(n))];
        for k in all {
            let e = self.value(k);
            let splat = k.kind().ends_with("list_splat");
            parts.push(if splat { e } else { Expr::new(Kind::List(vec![e]), span(k)) });
        }
        Kind::Operator("+".into(), parts)
    }

    fn string(&mut self, n: Node<'_>) -> Expr {
        let at = span(n);
        let start = kid(n, "string_start").map_or("", |s| self.text(s)).to_ascii_lowercase();
        let raw = start.contains('r');
        let bytes = start.contains('b');
        let mut parts = Vec::new();
        let formatted = start.contains('f') || start.contains('t');
        for k in kids(n) {
            match k.kind() {
                "string_content" => {
                    let text = self.bytes(self.text(k));
                    let text = if raw { text } else { unescape(&text, bytes) };
                    let text = if formatted { halved(&text) } else { text };
                    parts.push(Expr::new(Kind::Text(text), span(k)));
                }
                "interpolation" => {
                    let value = self.in_field(k, "expression");
                    parts.push(match field(k, "format_specifier") {
                        Some(f) => {
                            let mut all = vec![value];
                            all.extend(self.values(f));
                            Expr::new(Kind::Operator("format".into(), all), span(k))
                        }
                        None => value,
                    });
                }
                _ => {}
            }
        }
        match <[Expr; 1]>::try_from(parts) {
            Ok([one]) if matches!(one.kind, Kind::Text(_)) => Expr::new(one.kind, at),
            Ok(one) => Expr::new(Kind::Concat(one.into()), at),
            Err(all) if all.is_empty() => Expr::text(b"", at),
            Err(all) => Expr::new(Kind::Concat(all), at),
        }
    }

    fn comprehension(&mut self, n: Node<'_>, element: Expr) -> Expr {
        let mut element = element;
        let mut conditions = Vec::new();
        for k in kids(n).into_iter().rev() {
            match k.kind() {
                "if_clause" => conditions.extend(kids(k).first().map(|c| self.value(*c))),
                "for_in_clause" => {
                    let target = field(k, "left").map_or(Target::List(Vec::new()), |t| self.target(t));
                    let over = Box::new(self.in_field(k, "right"));
                    let condition = match conditions.is_empty() {
                        true => None,
                        false => Some(Box::new(super::expr::fold("and", conditions.drain(..).rev(), span(k)))),
                    };
                    let kind =
                        Kind::Comprehension { element: Box::new(element), target: Box::new(target), over, condition };
                    element = Expr::new(kind, span(n));
                }
                _ => {}
            }
        }
        element
    }
}
