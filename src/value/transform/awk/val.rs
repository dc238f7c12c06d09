//! The values of awk: numbers, texts, and texts that look like numbers.

use super::super::super::Why;
use super::format::number_text;

/// A value: text from the input that looks like a number is one.
#[derive(Clone, Debug)]
pub(super) enum Val {
    Unset,
    Number(f64),
    Text(String),
    Input(String, f64),
}

impl Val {
    pub(super) fn input(text: &str) -> Val {
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

    pub(super) fn number(&self) -> f64 {
        match self {
            Val::Unset => 0.0,
            Val::Number(n) | Val::Input(_, n) => *n,
            Val::Text(t) => leading_number(t),
        }
    }

    pub(super) fn text(&self) -> Result<String, Why> {
        match self {
            Val::Unset => Ok(String::new()),
            Val::Number(n) => number_text(*n),
            Val::Text(t) | Val::Input(t, _) => Ok(t.clone()),
        }
    }

    pub(super) fn truth(&self) -> bool {
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
