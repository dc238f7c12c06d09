//! `awk`: programs that only compute and print.
//!
//! In: the program (the first operand, or `-e` options), `-v` and `-F` options, the input. Out: what is printed. The
//! language is POSIX awk as far as all awks agree: no functions of one's own, files, pipes or random numbers; letters
//! outside ASCII are passed on, but not counted (awks differ in whether they count bytes).

mod format;
mod function;
mod parse;
mod token;
mod val;

use super::super::Why;
use super::regex::{Matcher, Syntax};
use super::{Call, Output, lines};
use crate::limits;
use format::printf;
use parse::{Expr, NOT, Op, Statement, When};
use std::collections::HashMap;
use std::rc::Rc;
use val::Val;

/// True for a program that has nothing but `BEGIN` rules: it ends before it reads anything.
pub(super) fn only_begins(text: &[u8]) -> bool {
    let rules = std::str::from_utf8(text).ok().and_then(|t| parse::program(t).ok()).unwrap_or_default();
    !rules.is_empty() && rules.iter().all(|(when, _)| matches!(when, parse::When::Begin))
}

/// True for a program that prints something for every line, a head line left out or not (`NR > 1 { print $2 }`).
pub(super) fn takes_every_line(text: &[u8]) -> bool {
    let rules = std::str::from_utf8(text).ok().and_then(|t| parse::program(t).ok()).unwrap_or_default();
    let head = |e: &Expr| match e {
        Expr::Binary(Op::Greater | Op::NotEqual | Op::GreaterEqual, a, b) => {
            matches!((a.as_ref(), b.as_ref()), (Expr::Name(n), Expr::Number(_)) if n == "NR" || n == "FNR")
        }
        _ => false,
    };
    let prints = |s: &Option<Statement>| match s {
        Some(Statement::Print(_) | Statement::Printf(_)) => true,
        Some(Statement::Block(all)) => matches!(all.as_slice(), [Statement::Print(_) | Statement::Printf(_)]),
        _ => false,
    };
    rules.iter().any(|(when, action)| match when {
        When::Always => prints(action),
        When::If(e) => head(e) && prints(action),
        When::Begin | When::End => false,
    })
}

/// The transform: options `-F -v -e`.
pub(super) fn run(call: &Call<'_>) -> Result<Output, Why> {
    let utf8 = |b: &[u8]| String::from_utf8(b.to_vec()).map_err(|_| NOT);
    let given = call.values("-e");
    let (text, rest) = match (given.is_empty(), call.operands) {
        (true, [first, rest @ ..]) => (utf8(first)?, rest),
        (true, []) => return Err(NOT),
        (false, rest) => (utf8(&given.join(&b'\n'))?, rest),
    };
    // Operands `name=value` are assigned when the reading comes to them.
    if !rest.is_empty() {
        return Err(Why::NotComputed("awk operands"));
    }
    let rules = parse::program(&text)?;
    let mut m = Machine {
        names: HashMap::new(),
        arrays: HashMap::new(),
        record: String::new(),
        fields: Vec::new(),
        split: true,
        lines: 0,
        out: Vec::new(),
        steps: 0,
        patterns: HashMap::new(),
        status: 0,
    };
    for (name, value) in [("FS", " "), ("OFS", " "), ("ORS", "\n"), ("SUBSEP", "\u{1c}")] {
        m.names.insert(name.into(), Val::Text(value.into()));
    }
    if let Some(fs) = call.value("-F") {
        let fs = utf8(fs)?;
        // `-Ft` means a tab to some.
        let fs = if fs == "\\t" { "\t".to_string() } else { fs };
        if fs == "t" || fs.len() > 1 && fs.contains('\\') {
            return Err(NOT);
        }
        m.names.insert("FS".into(), Val::Text(fs));
    }
    for v in call.values("-v") {
        let (name, value) = utf8(v)?.split_once('=').map(|(n, v)| (n.to_string(), v.to_string())).ok_or(NOT)?;
        if value.contains('\\') || name == "RS" {
            return Err(NOT);
        }
        m.names.insert(name, Val::input(&value));
    }
    let input = utf8(&call.input_lines())?;
    m.program(&rules, &input)?;
    Ok(Output::computed(m.out)?.with_status(m.status))
}

/// What follows a statement.
#[derive(PartialEq, Eq)]
enum Flow {
    On,
    Next,
    Exit,
    Break,
    Continue,
}

struct Machine {
    names: HashMap<String, Val>,
    arrays: HashMap<String, HashMap<String, Val>>,
    record: String,
    fields: Vec<Val>,
    /// The fields were split from the record.
    split: bool,
    lines: usize,
    out: Vec<u8>,
    steps: usize,
    patterns: HashMap<String, Rc<Matcher>>,
    status: u8,
}

impl Machine {
    fn step(&mut self) -> Result<(), Why> {
        self.steps = self.steps.saturating_add(1);
        let large = self.out.len() > limits::MAX_VALUE;
        if large || self.steps > limits::MAX_TRANSFORM_STEPS { Err(Why::Limit) } else { Ok(()) }
    }

    fn program(&mut self, rules: &[(When, Option<Statement>)], input: &str) -> Result<(), Why> {
        for (when, action) in rules {
            if let (When::Begin, Some(a)) = (when, action)
                && self.statement(a)? == Flow::Exit
            {
                return self.end(rules);
            }
        }
        if !rules.iter().any(|(w, _)| !matches!(w, When::Begin)) {
            return Ok(());
        }
        let (all, _) = lines(input.as_bytes());
        'records: for line in all {
            self.lines = self.lines.saturating_add(1);
            self.set_record(&String::from_utf8_lossy(line));
            for (when, action) in rules {
                let runs = match when {
                    When::Always => true,
                    When::If(e) => self.eval(e)?.truth(),
                    _ => false,
                };
                if !runs {
                    continue;
                }
                let flow = match action {
                    Some(a) => self.statement(a)?,
                    None => self.statement(&Statement::Print(Vec::new()))?,
                };
                match flow {
                    Flow::Next => continue 'records,
                    Flow::Exit => break 'records,
                    _ => {}
                }
            }
        }
        self.end(rules)
    }

    fn end(&mut self, rules: &[(When, Option<Statement>)]) -> Result<(), Why> {
        for (when, action) in rules {
            if let (When::End, Some(a)) = (when, action)
                && self.statement(a)? == Flow::Exit
            {
                break;
            }
        }
        Ok(())
    }

    fn set_record(&mut self, text: &str) {
        self.record = text.to_string();
        self.split = false;
    }

    fn named(&self, name: &str) -> Result<String, Why> {
        self.names.get(name).map_or(Ok(String::new()), Val::text)
    }

    fn parts(&mut self, text: &str, fs: &str) -> Result<Vec<String>, Why> {
        if text.is_empty() {
            return Ok(Vec::new());
        }
        let mut one = fs.chars();
        Ok(match (one.next(), one.next()) {
            (Some(' '), None) => text.split([' ', '\t', '\n']).filter(|p| !p.is_empty()).map(String::from).collect(),
            (Some('\\'), None) | (None, _) => return Err(NOT),
            (Some(c), None) => text.split(c).map(String::from).collect(),
            _ => {
                let m = self.pattern(fs)?;
                let (mut out, mut at, mut start) = (Vec::new(), 0usize, 0usize);
                while let Some(w) = m.find_at(text.as_bytes(), at)?.and_then(|c| c.get(0)) {
                    if w.is_empty() {
                        return Err(NOT);
                    }
                    out.push(text.get(start..w.start()).unwrap_or("").to_string());
                    (start, at) = (w.end(), w.end());
                }
                out.push(text.get(start..).unwrap_or("").to_string());
                out
            }
        })
    }

    fn split_fields(&mut self) -> Result<(), Why> {
        if !self.split {
            let (record, fs) = (self.record.clone(), self.named("FS")?);
            self.fields = self.parts(&record, &fs)?.iter().map(|p| Val::input(p)).collect();
            self.split = true;
        }
        Ok(())
    }

    fn join_fields(&mut self) -> Result<(), Why> {
        let texts = self.fields.iter().map(Val::text).collect::<Result<Vec<_>, _>>()?;
        self.record = texts.join(&self.named("OFS")?);
        Ok(())
    }

    fn pattern(&mut self, text: &str) -> Result<Rc<Matcher>, Why> {
        self.steps = self.steps.saturating_add(self.record.len() / 32);
        self.step()?;
        if let Some(m) = self.patterns.get(text) {
            return Ok(Rc::clone(m));
        }
        if self.patterns.len() >= limits::MAX_REGEXES {
            return Err(Why::Limit);
        }
        let m = Rc::new(Matcher::new(text.as_bytes(), Syntax::Extended, false)?);
        self.patterns.insert(text.into(), Rc::clone(&m));
        Ok(m)
    }

    fn statement(&mut self, s: &Statement) -> Result<Flow, Why> {
        self.step()?;
        match s {
            Statement::Print(list) => {
                let mut text = String::new();
                if list.is_empty() {
                    text.push_str(&self.record);
                }
                for (i, e) in list.iter().enumerate() {
                    if i > 0 {
                        text.push_str(&self.named("OFS")?);
                    }
                    text.push_str(&self.eval(e)?.text()?);
                }
                text.push_str(&self.named("ORS")?);
                self.out.extend_from_slice(text.as_bytes());
            }
            Statement::Printf(list) => {
                let values = list.iter().map(|e| self.eval(e)).collect::<Result<Vec<_>, _>>()?;
                self.out.extend_from_slice(&printf(&values)?);
            }
            Statement::Expr(e) => {
                self.eval(e)?;
            }
            Statement::Block(all) => {
                for s in all {
                    let flow = self.statement(s)?;
                    if flow != Flow::On {
                        return Ok(flow);
                    }
                }
            }
            Statement::If(test, yes, no) => {
                return match (self.eval(test)?.truth(), no) {
                    (true, _) => self.statement(yes),
                    (false, Some(no)) => self.statement(no),
                    _ => Ok(Flow::On),
                };
            }
            Statement::While(test, body) => {
                while self.eval(test)?.truth() {
                    match self.statement(body)? {
                        Flow::Break => break,
                        Flow::On | Flow::Continue => {}
                        other => return Ok(other),
                    }
                }
            }
            Statement::For(first, test, after, body) => {
                if let Some(f) = first {
                    self.statement(f)?;
                }
                while test.as_ref().map_or(Ok(true), |t| self.eval(t).map(|v| v.truth()))? {
                    match self.statement(body)? {
                        Flow::Break => break,
                        Flow::On | Flow::Continue => {}
                        other => return Ok(other),
                    }
                    if let Some(a) = after {
                        self.statement(a)?;
                    }
                }
            }
            Statement::Next => return Ok(Flow::Next),
            Statement::Break => return Ok(Flow::Break),
            Statement::Continue => return Ok(Flow::Continue),
            Statement::Exit(code) => {
                if let Some(c) = code {
                    let n = self.eval(c)?.number();
                    self.status = if (0.0..256.0).contains(&n) { n as u8 } else { return Err(NOT) };
                }
                return Ok(Flow::Exit);
            }
        }
        Ok(Flow::On)
    }

    fn key(&mut self, list: &[Expr]) -> Result<String, Why> {
        let parts = list.iter().map(|e| self.eval(e).and_then(|v| v.text())).collect::<Result<Vec<_>, _>>()?;
        Ok(parts.join(&self.named("SUBSEP")?))
    }

    fn index(&mut self, e: &Expr) -> Result<usize, Why> {
        let n = self.eval(e)?.number();
        if (0.0..10_000.0).contains(&n) { Ok(n as usize) } else { Err(NOT) }
    }

    fn read(&mut self, target: &Expr) -> Result<Val, Why> {
        Ok(match target {
            Expr::Name(n) if n == "NR" || n == "FNR" => Val::Number(self.lines as f64),
            Expr::Name(n) if n == "NF" => {
                self.split_fields()?;
                Val::Number(self.fields.len() as f64)
            }
            Expr::Name(n) => self.names.get(n).cloned().unwrap_or(Val::Unset),
            Expr::Element(a, list) => {
                let key = self.key(list)?;
                self.arrays.entry(a.clone()).or_default().entry(key).or_insert(Val::Unset).clone()
            }
            Expr::Field(e) => match self.index(e)? {
                0 => Val::input(&self.record),
                n => {
                    self.split_fields()?;
                    self.fields.get(n.saturating_sub(1)).cloned().unwrap_or(Val::Unset)
                }
            },
            _ => return Err(NOT),
        })
    }

    fn write(&mut self, target: &Expr, value: Val) -> Result<(), Why> {
        match target {
            Expr::Name(n) if matches!(n.as_str(), "RS" | "NR" | "FNR" | "OFMT" | "CONVFMT") => return Err(NOT),
            Expr::Name(n) if n == "NF" => {
                self.split_fields()?;
                let n = value.number();
                if !(0.0..10_000.0).contains(&n) {
                    return Err(NOT);
                }
                self.fields.resize(n as usize, Val::Unset);
                self.join_fields()?;
            }
            Expr::Name(n) => {
                if n == "FS" {
                    // The record at hand is split the old way.
                    self.split_fields()?;
                }
                self.names.insert(n.clone(), value);
            }
            Expr::Element(a, list) => {
                let key = self.key(list)?;
                self.arrays.entry(a.clone()).or_default().insert(key, value);
            }
            Expr::Field(e) => match self.index(e)? {
                0 => self.set_record(&value.text()?),
                n => {
                    self.split_fields()?;
                    if self.fields.len() < n {
                        self.fields.resize(n, Val::Unset);
                    }
                    if let Some(f) = self.fields.get_mut(n.saturating_sub(1)) {
                        *f = value;
                    }
                    self.join_fields()?;
                }
            },
            _ => return Err(NOT),
        }
        Ok(())
    }

    fn eval(&mut self, e: &Expr) -> Result<Val, Why> {
        self.step()?;
        let truth = |b: bool| Val::Number(f64::from(u8::from(b)));
        Ok(match e {
            Expr::Number(n) => Val::Number(*n),
            Expr::Text(t) => Val::Text(t.clone()),
            Expr::Regex(r) => {
                let m = self.pattern(r)?;
                truth(m.is_match(self.record.as_bytes()))
            }
            Expr::Group(e) => self.eval(e)?,
            Expr::Name(_) | Expr::Element(..) | Expr::Field(_) => self.read(e)?,
            Expr::Assign(target, op, value) => {
                let right = self.eval(value)?;
                let new = match op {
                    None => right,
                    Some(op) => {
                        let left = self.read(target)?.number();
                        Val::Number(arithmetic(*op, left, right.number())?)
                    }
                };
                self.write(target, new.clone())?;
                new
            }
            Expr::Step(target, by, before) => {
                let old = self.read(target)?.number();
                self.write(target, Val::Number(old + by))?;
                Val::Number(if *before { old + by } else { old })
            }
            Expr::Unary('!', e) => truth(!self.eval(e)?.truth()),
            Expr::Unary(sign, e) => {
                let n = self.eval(e)?.number();
                Val::Number(if *sign == '-' { -n } else { n })
            }
            Expr::Choice(test, yes, no) => {
                if self.eval(test)?.truth() {
                    self.eval(yes)?
                } else {
                    self.eval(no)?
                }
            }
            Expr::In(list, array) => {
                let key = self.key(list)?;
                truth(self.arrays.get(array).is_some_and(|a| a.contains_key(&key)))
            }
            Expr::Binary(op, a, b) => return self.binary(*op, a, b),
            Expr::Call(name, list) => return self.call(name, list),
        })
    }

    fn binary(&mut self, op: Op, a: &Expr, b: &Expr) -> Result<Val, Why> {
        let truth = |b: bool| Val::Number(f64::from(u8::from(b)));
        if matches!(op, Op::And | Op::Or) {
            let left = self.eval(a)?.truth();
            let decided = left == (op == Op::Or);
            return Ok(truth(if decided { left } else { self.eval(b)?.truth() }));
        }
        if matches!(op, Op::Match | Op::NoMatch) {
            let text = self.eval(a)?.text()?;
            let pattern = match b {
                Expr::Regex(r) => r.clone(),
                other => self.eval(other)?.text()?,
            };
            let m = self.pattern(&pattern)?;
            self.steps = self.steps.saturating_add(text.len() / 32);
            return Ok(truth(m.is_match(text.as_bytes()) == (op == Op::Match)));
        }
        let (x, y) = (self.eval(a)?, self.eval(b)?);
        let sign = match op {
            Op::Add => '+',
            Op::Sub => '-',
            Op::Mul => '*',
            Op::Div => '/',
            Op::Mod => '%',
            Op::Power => '^',
            Op::Concat => {
                let text = x.text()? + &y.text()?;
                self.steps = self.steps.saturating_add(text.len() / 32);
                return if text.len() > limits::MAX_VALUE { Err(Why::Limit) } else { Ok(Val::Text(text)) };
            }
            _ => {
                let order = match (&x, &y) {
                    (Val::Text(_), _) | (_, Val::Text(_)) => x.text()?.cmp(&y.text()?),
                    _ => x.number().partial_cmp(&y.number()).ok_or(NOT)?,
                };
                return Ok(truth(match op {
                    Op::Less => order.is_lt(),
                    Op::LessEqual => order.is_le(),
                    Op::Equal => order.is_eq(),
                    Op::NotEqual => order.is_ne(),
                    Op::Greater => order.is_gt(),
                    _ => order.is_ge(),
                }));
            }
        };
        Ok(Val::Number(arithmetic(sign, x.number(), y.number())?))
    }
}

fn arithmetic(op: char, a: f64, b: f64) -> Result<f64, Why> {
    Ok(match op {
        '+' => a + b,
        '-' => a - b,
        '*' => a * b,
        '/' | '%' if b == 0.0 => return Err(Why::NotComputed("division by zero")),
        '/' => a / b,
        '%' => a % b,
        _ if b.fract() == 0.0 && b.abs() < 1e6 => a.powi(b as i32),
        _ => return Err(NOT),
    })
}

#[cfg(test)]
mod tests;
