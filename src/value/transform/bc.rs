//! `bc` with whole numbers.
//!
//! In: the input. Out: what is printed. Not computed: fractions, functions, control flow, strings.

use super::super::Why;
use super::{Call, Output, lines};
use crate::limits;

/// `bc` with whole numbers: `+ - * / % ^`, parentheses, variables, `ibase`, `obase`.
pub(super) fn run(call: &Call<'_>) -> Result<Output, Why> {
    const NOT: Why = Why::NotComputed("bc statement");
    let input = call.input_lines();
    let text = std::str::from_utf8(&input).map_err(|_| NOT)?;
    if text.contains(['"', '{', '<', '>', '&', '|', '!', '.', '[', '\\', '#'])
        || ["/*", "--", "++"].iter().any(|t| text.contains(t))
    {
        return Err(NOT);
    }
    let mut bc = Bc { text: b"", at: 0, depth: 0, ibase: 10, obase: 10, names: Vec::new() };
    let mut out = Vec::new();
    for line in lines(text.as_bytes()).0 {
        for statement in line.split(|b| *b == b';') {
            let statement = statement.trim_ascii();
            if statement.is_empty() {
                continue;
            }
            if statement == b"quit" {
                return Output::computed(out);
            }
            let at = statement.iter().position(|b| *b == b'=');
            let (target, rest) = match at {
                Some(i) => (statement.get(..i).unwrap_or(&[]).trim_ascii(), statement.get(i.saturating_add(1)..)),
                None => (&[][..], Some(statement)),
            };
            let owned = rest.unwrap_or(&[]).to_vec();
            let (ibase, obase) = (bc.ibase, bc.obase);
            let mut one = Bc { text: &owned, at: 0, depth: 0, ibase, obase, names: std::mem::take(&mut bc.names) };
            let value = one.sum()?;
            if one.peek().is_some() {
                return Err(NOT);
            }
            bc.names = one.names;
            match target {
                b"" => {
                    out.extend(radix(value, bc.obase)?);
                    out.push(b'\n');
                }
                b"ibase" if (2..=16).contains(&value) => bc.ibase = u32::try_from(value).map_err(|_| NOT)?,
                b"obase" if (2..=16).contains(&value) => bc.obase = u32::try_from(value).map_err(|_| NOT)?,
                b"scale" if value == 0 => {}
                name if name.iter().all(u8::is_ascii_lowercase) && name != b"scale" && name.len() < 20 => {
                    bc.names.retain(|(n, _)| n != name);
                    bc.names.push((name.to_vec(), value));
                }
                _ => return Err(NOT),
            }
        }
    }
    Output::computed(out)
}

fn radix(value: i128, base: u32) -> Result<Vec<u8>, Why> {
    let mut digits = Vec::new();
    let mut n = value.unsigned_abs();
    let base = u128::from(base);
    while n > 0 || digits.is_empty() {
        let d = n.checked_rem(base).and_then(|d| u32::try_from(d).ok()).unwrap_or(0);
        digits.push(char::from_digit(d, 16).map_or(b'?', |c| u8::try_from(c.to_ascii_uppercase()).unwrap_or(b'?')));
        n = n.checked_div(base).unwrap_or(0);
    }
    // Longer numbers are broken over lines.
    if digits.len() > 60 {
        return Err(Why::NotComputed("long number"));
    }
    if value < 0 {
        digits.push(b'-');
    }
    digits.reverse();
    Ok(digits)
}

struct Bc<'a> {
    text: &'a [u8],
    at: usize,
    depth: u32,
    ibase: u32,
    obase: u32,
    names: Vec<(Vec<u8>, i128)>,
}

impl Bc<'_> {
    fn peek(&mut self) -> Option<u8> {
        while matches!(self.text.get(self.at), Some(b' ' | b'\t')) {
            self.at = self.at.saturating_add(1);
        }
        self.text.get(self.at).copied()
    }

    fn take(&mut self, set: &[u8]) -> Option<u8> {
        let b = self.peek().filter(|b| set.contains(b))?;
        self.at = self.at.saturating_add(1);
        Some(b)
    }

    fn sum(&mut self) -> Result<i128, Why> {
        let mut v = self.product()?;
        while let Some(op) = self.take(b"+-") {
            let r = self.product()?;
            v = if op == b'+' { v.checked_add(r) } else { v.checked_sub(r) }.ok_or(Why::NotComputed("large number"))?;
        }
        Ok(v)
    }

    fn product(&mut self) -> Result<i128, Why> {
        let mut v = self.power()?;
        while let Some(op) = self.take(b"*/%") {
            let r = self.power()?;
            v = match op {
                b'*' => v.checked_mul(r),
                b'/' => v.checked_div(r),
                _ => v.checked_rem(r),
            }
            .ok_or(Why::NotComputed("bc arithmetic"))?;
        }
        Ok(v)
    }

    fn power(&mut self) -> Result<i128, Why> {
        // A minus sign binds tighter than `^` in bc.
        let base = self.operand()?;
        if self.take(b"^").is_none() {
            return Ok(base);
        }
        let exponent = self.power()?;
        u32::try_from(exponent).ok().and_then(|e| base.checked_pow(e)).ok_or(Why::NotComputed("large number"))
    }

    fn operand(&mut self) -> Result<i128, Why> {
        const NOT: Why = Why::NotComputed("bc statement");
        self.depth = self.depth.saturating_add(1);
        if self.depth > limits::MAX_ARITHMETIC_DEPTH.saturating_mul(20) {
            return Err(Why::Limit);
        }
        if self.take(b"(").is_some() {
            if self.depth > limits::MAX_ARITHMETIC_DEPTH {
                return Err(Why::Limit);
            }
            let v = self.sum()?;
            return if self.take(b")").is_some() { Ok(v) } else { Err(NOT) };
        }
        if self.take(b"-").is_some() {
            if self.depth > limits::MAX_ARITHMETIC_DEPTH {
                return Err(Why::Limit);
            }
            return self.operand()?.checked_neg().ok_or(NOT);
        }
        let start = match self.peek() {
            Some(_) => self.at,
            None => return Err(NOT),
        };
        let rest = self.text.get(start..).unwrap_or(&[]);
        let digits = rest.iter().take_while(|b| matches!(b, b'0'..=b'9' | b'A'..=b'F')).count();
        if digits > 0 {
            self.at = start.saturating_add(digits);
            let one = digits == 1;
            let mut v = 0i128;
            for b in rest.iter().take(digits) {
                let d = char::from(*b).to_digit(16).unwrap_or(0);
                // A digit that is too large counts as the largest, but alone as itself.
                let d = if one { d } else { d.min(self.ibase.saturating_sub(1)) };
                v = v.checked_mul(i128::from(self.ibase)).and_then(|v| v.checked_add(i128::from(d))).ok_or(NOT)?;
            }
            return Ok(v);
        }
        let letters = rest.iter().take_while(|b| b.is_ascii_lowercase()).count();
        if letters == 0 {
            return Err(NOT);
        }
        self.at = start.saturating_add(letters);
        let name = rest.get(..letters).unwrap_or(&[]);
        // Functions and special names are not computed.
        if letters > 1 || self.peek() == Some(b'(') {
            return Err(NOT);
        }
        Ok(self.names.iter().find(|(n, _)| n == name).map_or(0, |(_, v)| *v))
    }
}

#[cfg(test)]
mod tests {
    use super::super::check::{Compare, Rng};

    #[test]
    fn bc_agrees() {
        let mut rng = Rng::new(83);
        let mut c = Compare::new("bc", "bc");
        for _ in 0..150 {
            let atoms = ["1", "7", "12", "(3+4)", "-5", "2^5", "x", "255", "A", "1F", "(2*(1+1))"];
            let ops = ["+", "-", "*", "/", "%", " + "];
            let mut text = (*rng.pick(&["", "obase=16;", "ibase=16\n", "x=9\n", "obase=2; ", "x = 2*3; "])).to_string();
            for _ in 0..1 + rng.below(3) {
                text.push_str(rng.pick::<&str>(&atoms));
                for _ in 0..rng.below(3) {
                    text.push_str(rng.pick::<&str>(&ops));
                    text.push_str(rng.pick::<&str>(&atoms));
                }
                text.push('\n');
            }
            c.case(&[], &[], text.as_bytes());
        }
        c.finish(0.5);
    }
}
