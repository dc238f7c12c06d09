//! The check of an expression before it is ever asked: names, kinds, words of closed lists, and what it may cost.
//!
//! In: the tree that the parser made. Out: mistakes with their offset in the expression, which variables it names, and
//! its cost as a function of how long the lists are. An expression of CEL always ends; its cost bounds when. Imports
//! `fields`.

use super::fields::{self, Kind, Record, VARIABLES};
use cel::common::ast::{ComprehensionExpr, Expr, IdedExpr, LiteralValue, SelectExpr, SourceInfo, operators as op};

/// Deepest nesting that is looked at; the parser takes less.
const MAX_DEPTH: u32 = 400;

/// The functions that an expression may call, with what they give.
const FUNCTIONS: &[(&str, Given)] = &[
    ("size", Given::Number),
    ("contains", Given::Flag),
    ("startsWith", Given::Flag),
    ("endsWith", Given::Flag),
    ("matches", Given::Flag),
    ("glob", Given::Flag),
    ("lower", Given::Text),
    ("string", Given::Text),
    ("int", Given::Number),
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Given {
    Number,
    Flag,
    Text,
}

/// What is known of the kind of an expression.
#[derive(Clone, Debug)]
enum Is {
    Any,
    Null,
    Text(Option<fn() -> Vec<&'static str>>),
    Flag,
    Number,
    Record(&'static Record),
    List(Box<Is>),
}

impl Is {
    fn of(kind: Kind) -> Is {
        match kind {
            Kind::Text => Is::Text(None),
            Kind::Word(list) => Is::Text(Some(list)),
            Kind::Flag => Is::Flag,
            Kind::Number => Is::Number,
            Kind::Texts => Is::List(Box::new(Is::Text(None))),
            Kind::Words(list) => Is::List(Box::new(Is::Text(Some(list)))),
            Kind::Record(r) => Is::Record(r),
            Kind::Records(r) => Is::List(Box::new(Is::Record(r))),
        }
    }
    fn name(&self) -> &'static str {
        match self {
            Is::Any => "something",
            Is::Null => "null",
            Is::Text(_) => "a text",
            Is::Flag => "true or false",
            Is::Number => "a number",
            Is::Record(r) => r.name,
            Is::List(_) => "a list",
        }
    }
    /// True where the two can never be the same value.
    fn differs(&self, other: &Is) -> bool {
        match (self, other) {
            (Is::Any, _) | (_, Is::Any) => false,
            (a, b) => std::mem::discriminant(a) != std::mem::discriminant(b),
        }
    }
}

/// A mistake in an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mistake {
    /// Its offset, in characters as the parser counts.
    pub at: usize,
    /// What is wrong.
    pub what: String,
}

/// What the check found out.
#[derive(Debug, Default)]
pub(super) struct Checked {
    /// Mistakes, in the order of the text.
    pub mistakes: Vec<Mistake>,
    /// The variables that it names.
    pub variables: Vec<&'static str>,
    /// True where it asks for the sources of an effect.
    pub sources: bool,
}

struct Check<'a> {
    info: &'a SourceInfo,
    out: Checked,
    /// Variables of comprehensions, innermost last.
    scope: Vec<(String, Is)>,
    depth: u32,
}

/// Checks an expression that has to be true or false.
pub(super) fn check(expr: &IdedExpr, info: &SourceInfo) -> Checked {
    let mut check = Check { info, out: Checked::default(), scope: Vec::new(), depth: 0 };
    let is = check.kind(expr);
    if !matches!(is, Is::Flag | Is::Any) {
        check.wrong(expr, format!("the whole is {}, not true or false", is.name()));
    }
    check.out.mistakes.sort_by_key(|m| m.at);
    check.out.mistakes.dedup();
    check.out
}

impl Check<'_> {
    fn wrong(&mut self, expr: &IdedExpr, what: String) {
        let at = self.info.offset_for(expr.id).map_or(0, |(start, _)| start as usize);
        self.out.mistakes.push(Mistake { at, what });
    }

    fn kind(&mut self, expr: &IdedExpr) -> Is {
        self.depth = self.depth.saturating_add(1);
        let is = if self.depth > MAX_DEPTH {
            self.wrong(expr, "it is nested too deeply".into());
            Is::Any
        } else {
            self.kind_of(expr)
        };
        self.depth = self.depth.saturating_sub(1);
        is
    }

    fn kind_of(&mut self, expr: &IdedExpr) -> Is {
        match &expr.expr {
            Expr::Literal(value) => match value {
                LiteralValue::Boolean(_) => Is::Flag,
                LiteralValue::String(_) => Is::Text(None),
                LiteralValue::Null => Is::Null,
                LiteralValue::Int(_) | LiteralValue::UInt(_) | LiteralValue::Double(_) => Is::Number,
                LiteralValue::Bytes(_) => Is::Any,
            },
            Expr::Ident(name) => self.name(expr, name),
            Expr::Select(select) => match self.kind_noting(select) {
                Is::Record(record) => match record.field(&select.field) {
                    Some(_) if select.test => Is::Flag,
                    Some(kind) => Is::of(kind),
                    None => {
                        let known: Vec<&str> = record.fields.iter().map(|f| f.0).collect();
                        let what =
                            format!("{} has no field `{}`; it has {}", record.name, select.field, known.join(", "));
                        self.wrong(expr, what);
                        Is::Any
                    }
                },
                Is::Any => Is::Any,
                other => {
                    self.wrong(expr, format!("{} has no fields, so not `{}`", other.name(), select.field));
                    Is::Any
                }
            },
            Expr::List(list) => {
                let mut of = Is::Any;
                for element in &list.elements {
                    of = self.kind(element);
                }
                Is::List(Box::new(of))
            }
            Expr::Comprehension(c) => self.comprehension(c),
            Expr::Call(call) => {
                let mut args: Vec<&IdedExpr> = Vec::new();
                args.extend(call.target.as_deref());
                args.extend(&call.args);
                let kinds: Vec<Is> = args.iter().map(|a| self.kind(a)).collect();
                self.call(expr, &call.func_name, &args, &kinds)
            }
            Expr::Map(_) | Expr::Struct(_) => {
                self.wrong(expr, "values with fields cannot be made here".into());
                Is::Any
            }
            Expr::Unspecified => Is::Any,
        }
    }

    fn kind_noting(&mut self, select: &SelectExpr) -> Is {
        self.out.sources |= select.field == "sources";
        self.kind(&select.operand)
    }

    fn name(&mut self, expr: &IdedExpr, name: &str) -> Is {
        if let Some((_, is)) = self.scope.iter().rev().find(|(n, _)| n == name) {
            return is.clone();
        }
        match VARIABLES.iter().find(|v| v.0 == name) {
            Some((name, kind, _)) => {
                if !self.out.variables.contains(name) {
                    self.out.variables.push(name);
                }
                Is::of(*kind)
            }
            None => {
                let known: Vec<&str> = VARIABLES.iter().map(|v| v.0).collect();
                self.wrong(expr, format!("there is no variable `{name}`; there are {}", known.join(", ")));
                Is::Any
            }
        }
    }

    fn comprehension(&mut self, c: &ComprehensionExpr) -> Is {
        let of = match self.kind(&c.iter_range) {
            Is::List(of) => *of,
            Is::Any => Is::Any,
            other => {
                self.wrong(&c.iter_range, format!("{} is no list that could be gone through", other.name()));
                Is::Any
            }
        };
        let held = self.scope.len();
        let start = self.kind(&c.accu_init);
        self.scope.push((c.iter_var.clone(), of));
        self.scope.extend(c.iter_var2.iter().map(|v| (v.clone(), Is::Any)));
        self.scope.push((c.accu_var.clone(), start.clone()));
        self.kind(&c.loop_cond);
        let step = self.kind(&c.loop_step);
        if let Some(last) = self.scope.last_mut() {
            last.1 = if matches!(step, Is::Any) { start } else { step };
        }
        let result = self.kind(&c.result);
        self.scope.truncate(held);
        result
    }

    fn call(&mut self, expr: &IdedExpr, name: &str, args: &[&IdedExpr], kinds: &[Is]) -> Is {
        let first = kinds.first().cloned().unwrap_or(Is::Any);
        let second = kinds.get(1).cloned().unwrap_or(Is::Any);
        match name {
            op::LOGICAL_AND | op::LOGICAL_OR | op::LOGICAL_NOT => {
                for (arg, is) in args.iter().zip(kinds) {
                    if is.differs(&Is::Flag) {
                        self.wrong(arg, format!("it is {}, where true or false is needed", is.name()));
                    }
                }
                Is::Flag
            }
            op::EQUALS | op::NOT_EQUALS => {
                if first.differs(&second) {
                    self.wrong(expr, format!("{} and {} are never the same", first.name(), second.name()));
                }
                self.word(&first, args.get(1));
                self.word(&second, args.first());
                Is::Flag
            }
            op::IN => {
                match &second {
                    Is::List(of) => {
                        self.word(of, args.first());
                        if let (Is::Text(Some(_)), Some(Expr::List(list))) = (&first, args.get(1).map(|a| &a.expr)) {
                            list.elements.iter().for_each(|e| self.word(&first, Some(&e)));
                        }
                        if first.differs(of) {
                            self.wrong(expr, format!("{} is in no list of {}", first.name(), of.name()));
                        }
                    }
                    Is::Any => {}
                    other => self.wrong(expr, format!("{} is no list", other.name())),
                }
                Is::Flag
            }
            op::LESS | op::LESS_EQUALS | op::GREATER | op::GREATER_EQUALS => {
                if first.differs(&second) {
                    self.wrong(expr, format!("{} and {} cannot be compared", first.name(), second.name()));
                }
                Is::Flag
            }
            op::CONDITIONAL => second,
            op::INDEX => match first {
                Is::List(of) => *of,
                _ => Is::Any,
            },
            op::ADD => match (first, second) {
                (Is::List(a), Is::List(b)) => Is::List(if matches!(*a, Is::Any) { b } else { a }),
                (a, _) => a,
            },
            op::SUBSTRACT | op::MULTIPLY | op::DIVIDE | op::MODULO | op::NEGATE => Is::Number,
            op::NOT_STRICTLY_FALSE => Is::Flag,
            _ => match FUNCTIONS.iter().find(|f| f.0 == name) {
                Some((_, given)) => self.function(name, *given, args, kinds),
                None => {
                    let known: Vec<&str> = FUNCTIONS.iter().map(|f| f.0).collect();
                    self.wrong(expr, format!("there is no function `{name}`; there are {}", known.join(", ")));
                    Is::Any
                }
            },
        }
    }

    fn function(&mut self, name: &str, given: Given, args: &[&IdedExpr], kinds: &[Is]) -> Is {
        if given == Given::Flag {
            for (arg, is) in args.iter().zip(kinds) {
                if is.differs(&Is::Text(None)) {
                    self.wrong(arg, format!("`{name}` is about texts, and this is {}", is.name()));
                }
            }
            if args.len() != 2 {
                let at = args.first().copied();
                at.into_iter().for_each(|a| self.wrong(a, format!("`{name}` is about two texts: `text.{name}('…')`")));
            }
        }
        if name == "matches"
            && let Some(Expr::Literal(LiteralValue::String(pattern))) = args.get(1).map(|a| &a.expr)
            && let Err(e) = super::values::regex(pattern.inner())
            && let Some(arg) = args.get(1)
        {
            self.wrong(arg, e);
        }
        match given {
            Given::Number => Is::Number,
            Given::Flag => Is::Flag,
            Given::Text => Is::Text(None),
        }
    }

    /// A literal that is held against a word of a closed list has to be in it.
    fn word(&mut self, is: &Is, literal: Option<&&IdedExpr>) {
        let (Is::Text(Some(list)), Some(expr)) = (is, literal) else { return };
        let Expr::Literal(LiteralValue::String(text)) = &expr.expr else { return };
        let words = list();
        if !words.contains(&text.inner()) {
            let known: Vec<&str> = words.into_iter().filter(|w| !w.is_empty()).collect();
            self.wrong(expr, format!("it is never {:?}; it is one of {}", text.inner(), known.join(", ")));
        }
    }
}

/// How many steps an expression takes at most where every list of the scene has at most `longest` members.
pub(super) fn cost(expr: &IdedExpr, longest: u64) -> u64 {
    Cost { longest, scope: Vec::new() }.of(expr).0
}

struct Cost {
    longest: u64,
    /// Variables of comprehensions with how long a list in them may be.
    scope: Vec<(String, u64)>,
}

impl Cost {
    /// Steps, and how long a list that it gives, or that is in what it gives, may be.
    fn of(&mut self, expr: &IdedExpr) -> (u64, u64) {
        let sum = |a: (u64, u64), b: (u64, u64)| (a.0.saturating_add(b.0), a.1.saturating_add(b.1));
        match &expr.expr {
            Expr::Literal(_) | Expr::Unspecified => (1, 1),
            Expr::Ident(name) => {
                let held = self.scope.iter().rev().find(|(n, _)| n == name).map(|(_, n)| *n);
                (1, held.unwrap_or(0).max(self.longest))
            }
            Expr::Select(s) => sum((1, 0), self.of(&s.operand)),
            Expr::List(l) => l.elements.iter().fold((1, 1), |n, e| sum(n, self.of(e))),
            Expr::Call(c) => {
                let parts = c.target.iter().map(|t| &**t).chain(&c.args);
                parts.fold((1, 0), |n, e| sum(n, self.of(e)))
            }
            Expr::Comprehension(c) => {
                let range = self.of(&c.iter_range);
                let start = self.of(&c.accu_init);
                let held = self.scope.len();
                self.scope.push((c.iter_var.clone(), range.1));
                self.scope.extend(c.iter_var2.iter().map(|v| (v.clone(), range.1)));
                self.scope.push((c.accu_var.clone(), range.1));
                let turn = sum(self.of(&c.loop_cond), self.of(&c.loop_step));
                let result = self.of(&c.result);
                self.scope.truncate(held);
                let steps = range.1.max(1).saturating_mul(turn.0);
                let all = range.0.saturating_add(start.0).saturating_add(steps).saturating_add(result.0);
                (all, range.1.saturating_add(turn.1))
            }
            // The check lets none of them through.
            Expr::Map(_) | Expr::Struct(_) => (u64::MAX, u64::MAX),
        }
    }
}

/// The variables, fields and functions as Markdown.
pub(super) fn tables() -> String {
    let names: Vec<String> = FUNCTIONS.iter().map(|f| format!("`{}`", f.0)).collect();
    format!("{}\nThe functions: {}.\n", fields::tables(), names.join(", "))
}

/// As [`tables`], with the words of every list.
pub fn markdown() -> String {
    tables() + &fields::lists()
}
