//! `awk`: programs that only compute and print.
//!
//! In: the program (the first operand, or `-e` options), `-v` and `-F` options, the input. Out: what is printed. The
//! language is POSIX awk as far as all awks agree: no functions of one's own, files, pipes or random numbers; letters
//! outside ASCII are passed on, but not counted (awks differ in whether they count bytes).

mod format;
mod parse;

use super::super::Why;
use super::regex::{Matcher, Syntax};
use super::{Call, Output, lines};
use crate::limits;
use format::{number_text, printf};
use parse::{Expr, NOT, Op, Statement, When};
use std::collections::HashMap;
use std::rc::Rc;

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

/// A value: text from the input that looks like a number is one.
#[derive(Clone, Debug)]
pub(super) enum Val {
    Unset,
    Number(f64),
    Text(String),
    Input(String, f64),
}

impl Val {
    fn input(text: &str) -> Val {
        match text.trim_matches([' ', '\t', '\n']) {
            t if t.is_empty() || !t.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.')) => {
                Val::Text(text.into())
            }
            t => match t.parse::<f64>() {
                Ok(n) if n.is_finite() => Val::Input(text.into(), n),
                _ => Val::Text(text.into()),
            },
        }
    }

    fn number(&self) -> f64 {
        match self {
            Val::Unset => 0.0,
            Val::Number(n) | Val::Input(_, n) => *n,
            Val::Text(t) => leading_number(t),
        }
    }

    fn text(&self) -> Result<String, Why> {
        match self {
            Val::Unset => Ok(String::new()),
            Val::Number(n) => number_text(*n),
            Val::Text(t) | Val::Input(t, _) => Ok(t.clone()),
        }
    }

    fn truth(&self) -> bool {
        match self {
            Val::Unset => false,
            Val::Number(n) | Val::Input(_, n) => *n != 0.0,
            Val::Text(t) => !t.is_empty(),
        }
    }
}

/// The number that a text begins with.
fn leading_number(text: &str) -> f64 {
    let t = text.trim_start_matches([' ', '\t', '\n']);
    let (mut end, mut digits, mut point) = (0usize, false, false);
    for (i, c) in t.char_indices() {
        match c {
            '-' | '+' if i == 0 => {}
            '0'..='9' => digits = true,
            '.' if !point => point = true,
            'e' | 'E' if digits => {
                let tail = t.get(i.saturating_add(1)..).unwrap_or("");
                let unsigned = tail.strip_prefix(['-', '+']).unwrap_or(tail);
                let n = unsigned.chars().take_while(char::is_ascii_digit).count();
                if n > 0 {
                    end = t.len().saturating_sub(unsigned.len()).saturating_add(n);
                }
                break;
            }
            _ => break,
        }
        end = i.saturating_add(1);
    }
    t.get(..end).filter(|_| digits).and_then(|t| t.parse().ok()).unwrap_or(0.0)
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
        if let Some(m) = self.patterns.get(text) {
            return Ok(Rc::clone(m));
        }
        let m = Rc::new(Matcher::new(text.as_bytes(), Syntax::Extended, false)?);
        if self.patterns.len() < 100 {
            self.patterns.insert(text.into(), Rc::clone(&m));
        }
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

    fn call(&mut self, name: &str, list: &[Expr]) -> Result<Val, Why> {
        if matches!(name, "sub" | "gsub") {
            return self.substitute(name == "gsub", list);
        }
        if name == "split" {
            let (text, array, separator) = match list {
                [t, Expr::Name(a)] => (t, a, None),
                [t, Expr::Name(a), Expr::Regex(r)] => (t, a, Some(r.clone())),
                [t, Expr::Name(a), s] => (t, a, Some(self.eval(s)?.text()?)),
                _ => return Err(NOT),
            };
            let text = self.eval(text)?.text()?;
            let fs = match separator {
                // An empty separator splits characters, in most awks.
                Some(s) if s.is_empty() && text.is_ascii() => None,
                Some(s) => Some(s),
                None => Some(self.named("FS")?),
            };
            let parts = match fs {
                Some(fs) => self.parts(&text, &fs)?,
                None => text.chars().map(String::from).collect(),
            };
            let filled = parts.iter().zip(1usize..).map(|(p, i)| (i.to_string(), Val::input(p))).collect();
            self.arrays.insert(array.clone(), filled);
            return Ok(Val::Number(parts.len() as f64));
        }
        if let ("length", [Expr::Name(a)]) = (name, list)
            && let Some(array) = self.arrays.get(a)
        {
            return Ok(Val::Number(array.len() as f64));
        }
        let values = list.iter().map(|e| self.eval(e)).collect::<Result<Vec<_>, _>>()?;
        // Awks differ in whether they count bytes or characters.
        let ascii = |v: &Val| v.text().and_then(|t| if t.is_ascii() { Ok(t) } else { Err(NOT) });
        Ok(match (name, values.as_slice()) {
            ("length", []) => Val::Number(ascii(&Val::Text(self.record.clone()))?.len() as f64),
            ("length", [v]) => Val::Number(ascii(v)?.len() as f64),
            ("toupper", [v]) => Val::Text(ascii(v)?.to_ascii_uppercase()),
            ("tolower", [v]) => Val::Text(ascii(v)?.to_ascii_lowercase()),
            ("int", [v]) => Val::Number(v.number().trunc()),
            ("index", [a, b]) => {
                let (a, b) = (ascii(a)?, ascii(b)?);
                Val::Number(a.find(&b).map_or(0.0, |i| i as f64 + 1.0))
            }
            ("substr", [v, from, rest @ ..]) => {
                let text = ascii(v)?;
                let first = round(from.number())?;
                // Before the first character, awks count differently.
                if first < 1.0 {
                    return Err(NOT);
                }
                let end = match rest {
                    [] => f64::INFINITY,
                    [n] => first + round(n.number())?,
                    _ => return Err(NOT),
                };
                let kept = text.chars().zip(1u32..).filter(|(_, i)| (first..end).contains(&f64::from(*i)));
                Val::Text(kept.map(|(c, _)| c).collect())
            }
            ("sprintf", values) => Val::Text(String::from_utf8(printf(values)?).map_err(|_| NOT)?),
            _ => return Err(NOT),
        })
    }

    fn substitute(&mut self, all: bool, list: &[Expr]) -> Result<Val, Why> {
        let whole = Expr::Field(Box::new(Expr::Number(0.0)));
        let (pattern, with, target) = match list {
            [p, w] => (p, w, &whole),
            [p, w, t] => (p, w, t),
            _ => return Err(NOT),
        };
        let pattern = match pattern {
            Expr::Regex(r) => r.clone(),
            other => self.eval(other)?.text()?,
        };
        let with = self.eval(with)?.text()?;
        // Backslashes in replacements differ from awk to awk, but for the escaped ampersand.
        if with.replace("\\&", "").contains('\\') {
            return Err(NOT);
        }
        let text = self.read(target)?.text()?;
        let m = self.pattern(&pattern)?;
        let (mut out, mut at, mut done, mut n) = (String::new(), 0usize, 0usize, 0u32);
        while at <= text.len() {
            let Some(w) = m.find_at(text.as_bytes(), at)?.and_then(|c| c.get(0)) else { break };
            if w.is_empty() && all {
                return Err(Why::NotComputed("empty match"));
            }
            out.push_str(text.get(done..w.start()).unwrap_or(""));
            let found = text.get(w.range()).unwrap_or("");
            let mut parts = with.split("\\&").peekable();
            while let Some(p) = parts.next() {
                out.push_str(&p.replace('&', found));
                if parts.peek().is_some() {
                    out.push('&');
                }
            }
            if out.len() > limits::MAX_VALUE {
                return Err(Why::Limit);
            }
            n = n.saturating_add(1);
            (done, at) = (w.end(), w.end());
            if !all {
                break;
            }
        }
        if n > 0 {
            out.push_str(text.get(done..).unwrap_or(""));
            self.write(target, Val::Text(out))?;
        }
        Ok(Val::Number(f64::from(n)))
    }
}

/// Rounds as `substr` does; halves differ from awk to awk.
fn round(n: f64) -> Result<f64, Why> {
    if n.fract().abs() == 0.5 { Err(NOT) } else { Ok(n.round()) }
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
