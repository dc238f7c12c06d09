//! Numbers as text, and printf, as awk has them.
//!
//! In: values. Out: text. awk computes with doubles, and so does this.

use super::super::super::Why;
use super::super::number::Spec;
use super::parse::NOT;
use super::val::Val;
use crate::limits;

/// A number as `print` shows it: whole numbers in full, others as `%.6g`.
pub(super) fn number_text(n: f64) -> Result<String, Why> {
    if !n.is_finite() {
        return Err(NOT);
    }
    if n.fract() == 0.0 {
        return if n.abs() < 1e9 { Ok(format!("{}", n as i64)) } else { whole(n) };
    }
    Ok(general(n, 6, false))
}

/// Large whole numbers: awks differ from 2^31 and from 2^53 on.
fn whole(n: f64) -> Result<String, Why> {
    if n.abs() < 2_147_483_648.0 { Ok(format!("{}", n as i64)) } else { Err(NOT) }
}

fn scientific(n: f64, places: usize) -> String {
    let text = format!("{n:.places$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let e: i32 = exponent.parse().unwrap_or(0);
    format!("{mantissa}e{}{:02}", if e < 0 { '-' } else { '+' }, e.unsigned_abs())
}

/// `%g`
fn general(n: f64, precision: usize, keep_zeros: bool) -> String {
    let p = precision.max(1);
    let text = format!("{n:.0$e}", p.saturating_sub(1));
    let exponent: i32 = text.split_once('e').and_then(|(_, e)| e.parse().ok()).unwrap_or(0);
    let limit = i32::try_from(p).unwrap_or(i32::MAX);
    let fixed = (-4..limit).contains(&exponent);
    let out = if fixed {
        let places = usize::try_from(limit.saturating_sub(1).saturating_sub(exponent)).unwrap_or(0);
        format!("{n:.places$}")
    } else {
        scientific(n, p.saturating_sub(1))
    };
    if keep_zeros || !out.contains('.') {
        return out;
    }
    let (mantissa, tail) = out.find('e').map_or((out.as_str(), ""), |i| out.split_at(i));
    format!("{}{tail}", mantissa.trim_end_matches('0').trim_end_matches('.'))
}

/// `printf` and `sprintf`: the format and its values.
pub(super) fn printf(values: &[Val]) -> Result<Vec<u8>, Why> {
    let (format, mut rest) = values.split_first().ok_or(NOT)?;
    let format = format.text()?;
    let mut out = Vec::new();
    let mut it = format.chars().peekable();
    while let Some(c) = it.next() {
        if c != '%' {
            out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            continue;
        }
        if it.peek() == Some(&'%') {
            it.next();
            out.push(b'%');
            continue;
        }
        let mut spec = Spec::default();
        while let Some(f) = it.peek() {
            match f {
                '-' => spec.left = true,
                '+' => spec.plus = true,
                ' ' => spec.space = true,
                '#' => spec.alternative = true,
                '0' => spec.zero = true,
                _ => break,
            }
            it.next();
        }
        let mut digits = |it: &mut std::iter::Peekable<std::str::Chars<'_>>| -> Result<usize, Why> {
            if it.peek() == Some(&'*') {
                it.next();
                let (v, more) = rest.split_first().ok_or(NOT)?;
                rest = more;
                let n = v.number();
                return if (0.0..10_000.0).contains(&n) { Ok(n as usize) } else { Err(NOT) };
            }
            let mut n = 0usize;
            while let Some(d) = it.peek().and_then(|c| c.to_digit(10)) {
                n = n.saturating_mul(10).saturating_add(usize::try_from(d).unwrap_or(0));
                it.next();
            }
            Ok(n)
        };
        spec.width = digits(&mut it)?;
        if it.peek() == Some(&'.') {
            it.next();
            spec.precision = Some(digits(&mut it)?);
        }
        if spec.width > limits::MAX_VALUE || spec.precision.is_some_and(|p| p > 1000) {
            return Err(Why::Limit);
        }
        let conversion = it.next().ok_or(NOT)?;
        let (value, more) = rest.split_first().ok_or(NOT)?;
        rest = more;
        let n = value.number();
        let float = |body: String| {
            let digits = body.trim_start_matches('-').to_string();
            spec.pad(spec.sign(n < 0.0), digits.as_bytes(), spec.zero)
        };
        let precision = spec.precision.unwrap_or(6);
        let field = match conversion {
            'd' | 'i' if n.abs() < 1e15 => spec.integer(n.trunc() as i128, b'd'),
            'o' | 'x' | 'X' | 'u' if (0.0..2_147_483_648.0).contains(&n) => {
                spec.integer(n.trunc() as i128, u8::try_from(conversion).unwrap_or(b'x'))
            }
            'c' => {
                let text = match value {
                    Val::Number(n) | Val::Input(_, n) if (0.0..128.0).contains(n) => vec![*n as u8],
                    Val::Text(t) if t.is_ascii() => t.bytes().take(1).collect(),
                    _ => return Err(NOT),
                };
                Spec { precision: None, ..spec }.text(&text)
            }
            's' => {
                let text = value.text()?;
                // Awks differ in whether widths count bytes.
                if !text.is_ascii() && (spec.width > 0 || spec.precision.is_some()) {
                    return Err(NOT);
                }
                spec.text(text.as_bytes())
            }
            'f' | 'F' if n.is_finite() => float(format!("{n:.precision$}")),
            'e' | 'E' | 'g' | 'G' if n.is_finite() => {
                let body = if conversion.eq_ignore_ascii_case(&'e') {
                    scientific(n, precision)
                } else {
                    general(n, precision, spec.alternative)
                };
                float(if conversion.is_ascii_uppercase() { body.to_uppercase() } else { body })
            }
            _ => return Err(NOT),
        };
        out.extend(field);
        if out.len() > limits::MAX_VALUE {
            return Err(Why::Limit);
        }
    }
    Ok(out)
}
