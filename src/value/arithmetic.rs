//! Shell arithmetic: bash manual 6.5, POSIX XCU 2.6.4.
//!
//! In: the text of an expression after the shell's expansions, and the variables. Out: the number, with assignments
//! made on the way. The language is bash's: 64-bit wrap-around, all operators, values of variables evaluated as
//! expressions in turn. What is not known stays unknown: an expression over an unknown variable has no result, its
//! assignments set unknown values, and a side that is perhaps not evaluated sets nothing that is known.
//!
//! Evaluation follows the reading, as in bash, so there is no tree; nesting is limited. Floor 2; imports `limits`.

mod token;

use crate::limits;
use token::{Op, Token, Tokens};

/// Why an expression has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArithError {
    /// It depends on something that is not known.
    Unknown,
    /// bash would refuse it; what is wrong. The command that it stands in is not run.
    Syntax(&'static str),
    /// Division by zero, a negative exponent, a number with a digit outside its base.
    Math(&'static str),
    /// Nested deeper than is followed.
    Limit,
}

/// What is known of a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lookup {
    /// Its text.
    Text(Vec<u8>),
    /// It is not set: counts as 0.
    Unset,
    /// It is set, or may be, to something that is not known.
    Unknown,
}

/// Which element of an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subscript {
    /// Of an indexed array, evaluated; `None` where it is not known.
    Index(Option<i64>),
    /// Of an associative array; `None` where it is not known.
    Key(Option<Vec<u8>>),
}

/// The variables that an expression reads and sets.
pub trait Variables {
    /// The value of a variable, or of an element of an array.
    fn get(&mut self, name: &str, subscript: Option<&Subscript>) -> Lookup;
    /// Sets it; `None` where the new value is not known, or where it is not known whether it is set.
    fn set(&mut self, name: &str, subscript: Option<&Subscript>, value: Option<i64>);
    /// True for associative arrays, whose subscripts are keys and no expressions.
    fn is_associative(&self, name: &str) -> bool;
    /// Expands the text of a subscript (bash expands it once more: a value `a[$(cmd)]` runs cmd). The answer where
    /// nothing in it would be expanded is the text itself; `None` where the result is not known.
    fn expand(&mut self, text: &[u8]) -> Option<Vec<u8>> {
        let plain = !text.iter().any(|b| matches!(b, b'$' | b'`' | b'"' | b'\'' | b'\\'));
        plain.then(|| text.to_vec())
    }
}

/// Evaluates an expression. An empty one is 0.
pub fn eval(text: &[u8], vars: &mut dyn Variables) -> Result<i64, ArithError> {
    number(text, vars, 0, Mode::Run)?.ok_or(ArithError::Unknown)
}

/// True where a text is a whole expression and then something that no further text makes an expression.
pub fn goes_wrong(text: &[u8]) -> bool {
    struct Nothing;
    impl Variables for Nothing {
        fn get(&mut self, _: &str, _: Option<&Subscript>) -> Lookup {
            Lookup::Unknown
        }
        fn set(&mut self, _: &str, _: Option<&Subscript>, _: Option<i64>) {}
        fn is_associative(&self, _: &str) -> bool {
            true
        }
        fn expand(&mut self, _: &[u8]) -> Option<Vec<u8>> {
            None
        }
    }
    matches!(number(text, &mut Nothing, 0, Mode::Maybe), Err(ArithError::Syntax(EXTRA)))
}

/// What is said of a token behind a whole expression.
const EXTRA: &str = "syntax error in expression";

/// A number, or not known.
type Number = Option<i64>;

/// Whether what is read now is evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Run,
    /// Perhaps: behind a condition that is not known.
    Maybe,
    /// Not: the other side of `&&`, `||`, `?:`.
    Skip,
}

impl Mode {
    /// The mode of a side that is evaluated if `condition`.
    fn when(self, condition: Option<bool>) -> Mode {
        match (self, condition) {
            (Mode::Skip, _) | (_, Some(false)) => Mode::Skip,
            (m, Some(true)) => m,
            (_, None) => Mode::Maybe,
        }
    }
}

fn number(text: &[u8], vars: &mut dyn Variables, depth: u32, mode: Mode) -> Result<Number, ArithError> {
    if depth > limits::MAX_ARITHMETIC_DEPTH {
        return Err(ArithError::Limit);
    }
    let mut e = Evaluator { tokens: Tokens::new(text), vars, depth, mode };
    if e.tokens.peek()? == Token::End {
        return Ok(Some(0));
    }
    let value = e.comma()?;
    match e.tokens.peek()? {
        Token::End => Ok(value),
        _ => Err(ArithError::Syntax(EXTRA)),
    }
}

struct Evaluator<'a> {
    tokens: Tokens<'a>,
    vars: &'a mut dyn Variables,
    depth: u32,
    mode: Mode,
}

/// An operand: its value, and the variable where it is nothing but one.
struct Operand<'a> {
    value: Number,
    variable: Option<(&'a str, Target<'a>)>,
}

/// The subscript of a variable that may be assigned to.
enum Target<'a> {
    /// It was evaluated when the variable was read.
    Read(Option<Subscript>),
    /// `a[i] = …` evaluates it after the right side.
    Later(Option<&'a [u8]>),
}

impl<'a> Evaluator<'a> {
    fn deeper(&mut self) -> Result<(), ArithError> {
        self.depth = self.depth.saturating_add(1);
        if self.depth > limits::MAX_ARITHMETIC_DEPTH { Err(ArithError::Limit) } else { Ok(()) }
    }

    fn up(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    fn take(&mut self, op: Op) -> Result<bool, ArithError> {
        let here = self.tokens.peek()? == Token::Op(op);
        if here {
            self.tokens.next()?;
        }
        Ok(here)
    }

    fn comma(&mut self) -> Result<Number, ArithError> {
        let mut value = self.assignment()?;
        while self.take(Op::Comma)? {
            value = self.assignment()?;
        }
        Ok(value)
    }

    fn assignment(&mut self) -> Result<Number, ArithError> {
        self.deeper()?;
        let left = self.conditional()?;
        let value = match self.tokens.peek()? {
            Token::Assign(op) => {
                let Some((name, target)) = left.variable else {
                    return Err(ArithError::Syntax("attempted assignment to non-variable"));
                };
                self.tokens.next()?;
                let right = self.assignment()?;
                let value = match op {
                    None => right,
                    Some(op) => self.binary(op, left.value, right)?,
                };
                let subscript = match target {
                    Target::Read(s) => s,
                    Target::Later(text) => self.subscript(name, text)?,
                };
                self.set(name, subscript.as_ref(), value);
                value
            }
            _ => left.value,
        };
        self.up();
        Ok(value)
    }

    fn set(&mut self, name: &str, subscript: Option<&Subscript>, value: Number) {
        match self.mode {
            Mode::Run => self.vars.set(name, subscript, value),
            Mode::Maybe => self.vars.set(name, subscript, None),
            Mode::Skip => {}
        }
    }

    fn conditional(&mut self) -> Result<Operand<'a>, ArithError> {
        let test = self.chain(0)?;
        if !self.take(Op::Question)? {
            return Ok(test);
        }
        self.deeper()?;
        if matches!(self.tokens.peek()?, Token::End | Token::Op(Op::Colon)) {
            return Err(ArithError::Syntax("expression expected"));
        }
        let outer = self.mode;
        let condition = test.value.map(|v| v != 0);
        self.mode = outer.when(condition);
        let yes = self.comma()?;
        if !self.take(Op::Colon)? {
            return Err(ArithError::Syntax("`:' expected for conditional expression"));
        }
        self.mode = outer.when(condition.map(|c| !c));
        if self.tokens.peek()? == Token::End {
            return Err(ArithError::Syntax("expression expected"));
        }
        let no = self.conditional()?.value;
        self.mode = outer;
        self.up();
        let value = match condition {
            Some(true) => yes,
            Some(false) => no,
            None => yes.filter(|_| yes == no),
        };
        Ok(Operand { value, variable: None })
    }

    /// Binary operators of at least this precedence.
    fn chain(&mut self, least: u8) -> Result<Operand<'a>, ArithError> {
        let mut left = self.unary()?;
        loop {
            let Token::Op(op) = self.tokens.peek()? else { return Ok(left) };
            let Some(precedence) = op.precedence().filter(|p| *p >= least) else { return Ok(left) };
            self.tokens.next()?;
            self.deeper()?;
            let outer = self.mode;
            let truth = left.value.map(|v| v != 0);
            match op {
                Op::And => self.mode = outer.when(truth),
                Op::Or => self.mode = outer.when(truth.map(|t| !t)),
                _ => {}
            }
            // `**` groups to the right, all others to the left.
            let next = if op == Op::Power { precedence } else { precedence.saturating_add(1) };
            let right = self.chain(next)?.value;
            self.mode = outer;
            self.up();
            let value = match op {
                Op::And | Op::Or => {
                    let decided = op == Op::Or;
                    match (truth, right.map(|v| v != 0)) {
                        (Some(a), _) if a == decided => Some(i64::from(decided)),
                        (_, Some(b)) if b == decided && truth.is_some() => Some(i64::from(decided)),
                        (Some(_), Some(b)) => Some(i64::from(b)),
                        // A side effect aside, an unknown side does not matter where the other one decides.
                        (None, Some(b)) if b == decided => Some(i64::from(decided)),
                        _ => None,
                    }
                }
                _ => self.binary(op, left.value, right)?,
            };
            left = Operand { value, variable: None };
        }
    }

    /// Applies a binary operator without short circuit.
    fn binary(&self, op: Op, a: Number, b: Number) -> Result<Number, ArithError> {
        // An error in what is not evaluated is none; in what is perhaps evaluated it makes the result unknown.
        let fail = |what| match self.mode {
            Mode::Run => Err(ArithError::Math(what)),
            Mode::Maybe => Ok(None),
            Mode::Skip => Ok(Some(0)),
        };
        match (op, b) {
            (Op::Div | Op::Mod, Some(0)) => return fail("division by 0"),
            // bash refuses this even in what is not evaluated.
            (Op::Power, Some(b)) if b < 0 && self.mode == Mode::Maybe => return Ok(None),
            (Op::Power, Some(b)) if b < 0 => return Err(ArithError::Math("exponent less than 0")),
            _ => {}
        }
        let (Some(a), Some(b)) = (a, b) else { return Ok(None) };
        let shift = u32::try_from(b & 63).unwrap_or(0);
        Ok(Some(match op {
            Op::Power => power(a, b),
            Op::Mul => a.wrapping_mul(b),
            Op::Div => a.wrapping_div(b),
            Op::Mod => a.wrapping_rem(b),
            Op::Plus => a.wrapping_add(b),
            Op::Minus => a.wrapping_sub(b),
            Op::Left => a.wrapping_shl(shift),
            Op::Right => a.wrapping_shr(shift),
            Op::Less => i64::from(a < b),
            Op::Greater => i64::from(a > b),
            Op::LessEqual => i64::from(a <= b),
            Op::GreaterEqual => i64::from(a >= b),
            Op::Equal => i64::from(a == b),
            Op::NotEqual => i64::from(a != b),
            Op::BitAnd => a & b,
            Op::BitXor => a ^ b,
            Op::BitOr => a | b,
            _ => return Err(ArithError::Syntax("syntax error: operand expected")),
        }))
    }

    fn unary(&mut self) -> Result<Operand<'a>, ArithError> {
        let op = match self.tokens.peek()? {
            Token::Op(op @ (Op::Not | Op::BitNot | Op::Minus | Op::Plus)) => op,
            _ => return self.operand(),
        };
        self.tokens.next()?;
        self.deeper()?;
        let v = self.unary()?.value;
        self.up();
        let value = v.map(|v| match op {
            Op::Not => i64::from(v == 0),
            Op::BitNot => !v,
            Op::Minus => v.wrapping_neg(),
            _ => v,
        });
        Ok(Operand { value, variable: None })
    }

    fn operand(&mut self) -> Result<Operand<'a>, ArithError> {
        match self.tokens.next()? {
            Token::Number(n) => Ok(Operand { value: Some(n), variable: None }),
            Token::Op(Op::Open) => {
                self.deeper()?;
                let value = self.comma()?;
                if !self.take(Op::Close)? {
                    return Err(ArithError::Syntax("missing `)'"));
                }
                self.up();
                Ok(Operand { value, variable: None })
            }
            Token::Before(step) => match self.tokens.next()? {
                Token::Name(name, subscript) => {
                    let subscript = self.subscript(name, subscript)?;
                    let value = self.value(name, subscript.as_ref())?.map(|v| v.wrapping_add(step));
                    self.set(name, subscript.as_ref(), value);
                    Ok(Operand { value, variable: None })
                }
                _ => Err(ArithError::Syntax("identifier expected after pre-increment or pre-decrement")),
            },
            Token::Name(name, subscript) => {
                let after = self.tokens.peek()?;
                // A variable that is only assigned to is not read.
                if after == Token::Assign(None) {
                    return Ok(Operand { value: Some(0), variable: Some((name, Target::Later(subscript))) });
                }
                let subscript = self.subscript(name, subscript)?;
                let value = self.value(name, subscript.as_ref())?;
                if let Token::After(step) = after {
                    self.tokens.next()?;
                    self.set(name, subscript.as_ref(), value.map(|v| v.wrapping_add(step)));
                    return Ok(Operand { value, variable: None });
                }
                Ok(Operand { value, variable: Some((name, Target::Read(subscript))) })
            }
            _ => Err(ArithError::Syntax("syntax error: operand expected")),
        }
    }

    fn subscript(&mut self, name: &str, text: Option<&[u8]>) -> Result<Option<Subscript>, ArithError> {
        let Some(text) = text else { return Ok(None) };
        if self.mode == Mode::Skip {
            return Ok(Some(Subscript::Index(None)));
        }
        let expanded = self.vars.expand(text);
        if self.vars.is_associative(name) {
            return Ok(Some(Subscript::Key(expanded)));
        }
        let index = match expanded {
            Some(t) => number(&t, self.vars, self.depth.saturating_add(1), self.mode)?,
            None => None,
        };
        Ok(Some(Subscript::Index(index)))
    }

    /// The number that a variable stands for: its text, read as an expression.
    fn value(&mut self, name: &str, subscript: Option<&Subscript>) -> Result<Number, ArithError> {
        if self.mode == Mode::Skip {
            return Ok(Some(0));
        }
        match self.vars.get(name, subscript) {
            Lookup::Unset => Ok(Some(0)),
            Lookup::Unknown => Ok(None),
            Lookup::Text(t) => number(&t, self.vars, self.depth.saturating_add(1), self.mode),
        }
    }
}

/// Whole powers, modulo 2^64.
fn power(mut base: i64, exponent: i64) -> i64 {
    let mut left = u64::try_from(exponent).unwrap_or(0);
    let mut out = 1i64;
    while left > 0 {
        if left & 1 == 1 {
            out = out.wrapping_mul(base);
        }
        base = base.wrapping_mul(base);
        left >>= 1;
    }
    out
}

#[cfg(test)]
mod tests;
