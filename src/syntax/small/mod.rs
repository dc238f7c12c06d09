//! Front ends for small languages: those of which only a few commands reach outside.
//!
//! In: text. Out: a [`Script`] of calls, one for each command, named as the language names it. Whether a command is
//! harmless or what it does is data (`grammars/languages`); one that no data knows is a doubt. They read tolerantly: each
//! command as far as its kind needs, and no more. Floor 2; imports `source`, `limits`, `syntax`.

mod applescript;
mod crontab;
mod editor;
mod elisp;
mod expression;
mod make;
mod scan;
mod scripts;
mod sed;
mod settings;
mod sql;
mod tcl;
mod transfer;

use super::ast::{SyntaxError, Unparsed};
use super::script::{Expr, Script, Stmt, StmtKind};
use crate::effect::Language;
use crate::limits;
use crate::source::Span;

/// Reads text of a small language; `None` where it is none of them.
pub fn read(language: Language, text: &[u8]) -> Option<Script> {
    let lower: fn(&[u8]) -> Vec<Stmt> = match language {
        Language::AppleScript => applescript::read,
        Language::Crontab => crontab::read,
        Language::Ed => editor::ed,
        Language::Elisp => elisp::read,
        Language::Gdb => editor::gdb,
        // jq has no input, output or process of its own beyond what its command line names.
        Language::Jq => |_| Vec::new(),
        Language::Julia => |t| expression::read(t, &expression::JULIA),
        Language::Make => make::read,
        Language::NpmScripts => scripts::read,
        Language::R => |t| expression::read(t, &expression::R),
        Language::Sed => sed::read,
        Language::Settings => settings::read,
        Language::Sql => sql::read,
        Language::Tcl => tcl::read,
        Language::Transfer => transfer::read,
        Language::Vim => editor::vim,
        _ => return None,
    };
    if text.len() > limits::MAX_SCRIPT_INPUT {
        let span = Span::new(0, text.len());
        return Some(Script { body: Vec::new(), unparsed: vec![Unparsed { span, reason: SyntaxError::TooLarge }] });
    }
    Some(Script { body: lower(text), unparsed: Vec::new() })
}

/// The calls with texts for arguments in code of a language that no reader is for.
pub fn scan(text: &[u8]) -> Script {
    let text = text.get(..limits::MAX_SCRIPT_INPUT).unwrap_or(text);
    Script { body: scan::read(text), unparsed: Vec::new() }
}

/// A call for its effects.
fn call(name: &str, args: Vec<Expr>, span: Span) -> Stmt {
    Stmt { kind: StmtKind::Expr(Expr::call(name, args, span)), span }
}

/// A part of the text as text, white space at its ends taken off.
fn text(whole: &[u8], start: usize, end: usize) -> Expr {
    let part = whole.get(start..end).unwrap_or_default();
    let head = part.len().saturating_sub(part.trim_ascii_start().len());
    let span =
        Span::new(start.saturating_add(head), start.saturating_add(head).saturating_add(part.trim_ascii().len()));
    Expr::text(part.trim_ascii(), span)
}

/// The lines with their offsets, a backslash before a newline joining two.
fn lines(text: &[u8]) -> Vec<(usize, usize)> {
    let mut out = Vec::new();
    let mut start = 0usize;
    for (i, b) in text.iter().enumerate() {
        let joined = i > start && text.get(i.saturating_sub(1)) == Some(&b'\\');
        if *b == b'\n' && !joined {
            out.push((start, i));
            start = i.saturating_add(1);
        }
    }
    if start < text.len() {
        out.push((start, text.len()));
    }
    out
}

/// The length of a run of bytes at the beginning.
fn run(text: &[u8], accept: impl Fn(u8) -> bool) -> usize {
    text.iter().take_while(|b| accept(**b)).count()
}

#[cfg(test)]
mod tests;
