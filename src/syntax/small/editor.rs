//! Languages of one command a line: ed, Vim's ex commands, gdb.
//!
//! Every command is a call by its name with what follows as one text; where a command of the shell follows (`r !cmd`), the
//! name ends in `!`.

use super::{call, expression, lines, run, text};
use crate::source::Span;
use crate::syntax::script::{Expr, Stmt, StmtKind};

/// ed(1): addresses, a letter, what it takes; text after `a`, `i` and `c` up to a dot.
pub(super) fn ed(whole: &[u8]) -> Vec<Stmt> {
    let mut out = Vec::new();
    let mut input = false;
    for (start, end) in lines(whole) {
        let line = whole.get(start..end).unwrap_or_default();
        if input {
            input = line != b".";
            continue;
        }
        let mut at = addresses(line);
        let span = Span::new(start, end);
        let mut turns = 0;
        while turns < 8 {
            turns += 1;
            let Some(c) = line.get(at).copied() else { break };
            let rest = at.saturating_add(1);
            match c {
                b'a' | b'i' | b'c' => input = true,
                b'!' => out.push(call("!", vec![text(whole, start.saturating_add(rest), end)], span)),
                // The pattern, then the command that runs for each line that matches.
                b'g' | b'v' | b'G' | b'V' => {
                    let Some(quote) = line.get(rest).copied() else { break };
                    let pattern = line.get(rest.saturating_add(1)..).unwrap_or_default();
                    let n = closing(pattern, quote);
                    at = rest.saturating_add(1).saturating_add(n).saturating_add(1);
                    at = at.saturating_add(addresses(line.get(at..).unwrap_or_default()));
                    continue;
                }
                b'e' | b'E' | b'r' | b'w' | b'W' | b'f' => {
                    let mut from = rest;
                    if c == b'w' && line.get(from) == Some(&b'q') {
                        from = from.saturating_add(1);
                    }
                    let arg = line.get(from..).unwrap_or_default().trim_ascii();
                    let mut name = (c as char).to_string();
                    let skip = usize::from(arg.starts_with(b"!"));
                    if skip > 0 {
                        name.push('!');
                    }
                    if !arg.is_empty() {
                        let begin = end.saturating_sub(line.len()).saturating_add(from);
                        let lead = run(line.get(from..).unwrap_or_default(), |b| b.is_ascii_whitespace());
                        let begin = begin.saturating_add(lead).saturating_add(skip);
                        out.push(call(&name, vec![text(whole, begin, end)], span));
                    }
                }
                c if c.is_ascii_alphabetic() || matches!(c, b'=' | b'#') => {
                    out.push(call(&(c as char).to_string(), Vec::new(), span));
                }
                _ => {}
            }
            break;
        }
    }
    out
}

/// The length of the addresses at the beginning of a line.
fn addresses(line: &[u8]) -> usize {
    let mut at = 0usize;
    while let Some(c) = line.get(at).copied() {
        let rest = line.get(at.saturating_add(1)..).unwrap_or_default();
        at = at.saturating_add(match c {
            b'0'..=b'9' | b'.' | b'$' | b',' | b';' | b'+' | b'-' | b'%' | b' ' | b'\t' | b'^' => 1,
            b'/' | b'?' => closing(rest, c).saturating_add(2),
            b'\'' => 2,
            _ => return at,
        });
    }
    at.min(line.len())
}

/// How far a quote that closes is away.
fn closing(text: &[u8], quote: u8) -> usize {
    let mut i = 0usize;
    while let Some(c) = text.get(i) {
        if *c == quote {
            return i;
        }
        i = i.saturating_add(if *c == b'\\' { 2 } else { 1 });
    }
    text.len()
}

/// Ex commands (Vim's `:help ex-cmd-index`): several in a line are parted by `|`.
pub(super) fn vim(whole: &[u8]) -> Vec<Stmt> {
    let mut out = Vec::new();
    for (start, end) in lines(whole) {
        let mut at = start;
        let mut turns = 0u32;
        while at < end && turns < 256 {
            turns = turns.saturating_add(1);
            at = ex(whole, at, end, &mut out);
        }
        if at < end {
            out.push(call("(more commands in a line)", Vec::new(), Span::new(at, end)));
        }
    }
    out
}

/// One ex command; gives where the next begins.
fn ex(whole: &[u8], start: usize, end: usize, out: &mut Vec<Stmt>) -> usize {
    let line = whole.get(start..end).unwrap_or_default();
    let mut at = run(line, |b| matches!(b, b':' | b' ' | b'\t'));
    at = at.saturating_add(addresses(line.get(at..).unwrap_or_default()));
    at = at.saturating_add(run(line.get(at..).unwrap_or_default(), |b| matches!(b, b':' | b' ' | b'<' | b'>' | b'*')));
    let from = start.saturating_add(at);
    let rest = line.get(at..).unwrap_or_default();
    let span = Span::new(from, end);
    match rest.first() {
        None | Some(b'"') => return end,
        Some(b'|') => return from.saturating_add(1),
        Some(b'!') => {
            out.push(call("!", vec![text(whole, from.saturating_add(1), end)], span));
            return end;
        }
        Some(_) => {}
    }
    let mut n = run(rest, |b| b.is_ascii_alphabetic());
    // `py3`: a digit belongs to a name only there; `s/a/b/`, `d3` have none.
    if rest.get(..n).is_some_and(|w| w.starts_with(b"py")) {
        n = n.saturating_add(run(rest.get(n..).unwrap_or_default(), |b| b.is_ascii_alphanumeric()));
    }
    if n == 0 {
        return end;
    }
    let mut name = String::from_utf8_lossy(rest.get(..n).unwrap_or_default()).into_owned();
    let mut after = rest.get(n..).unwrap_or_default();
    let mut arg_at = from.saturating_add(n);
    if after.starts_with(b"!") {
        after = after.get(1..).unwrap_or_default();
        arg_at = arg_at.saturating_add(1);
    }
    let lead = run(after, |b| matches!(b, b' ' | b'\t'));
    arg_at = arg_at.saturating_add(lead);
    let arg = after.get(lead..).unwrap_or_default();
    // Words that only say how the command behind them runs.
    if matches!(
        name.as_str(),
        "silent"
            | "sil"
            | "verbose"
            | "noautocmd"
            | "noa"
            | "keepalt"
            | "keepjumps"
            | "bufdo"
            | "windo"
            | "tabdo"
            | "argdo"
            | "au"
            | "autocmd"
            | "vert"
            | "vertical"
            | "botright"
            | "bo"
            | "topleft"
            | "to"
            | "tab"
    ) {
        let mut skip = 0usize;
        if matches!(name.as_str(), "au" | "autocmd") {
            for _ in 0..2 {
                skip = skip.saturating_add(run(arg.get(skip..).unwrap_or_default(), |b| !b.is_ascii_whitespace()));
                skip = skip.saturating_add(run(arg.get(skip..).unwrap_or_default(), |b| b.is_ascii_whitespace()));
            }
        }
        return arg_at.saturating_add(skip).max(from.saturating_add(1));
    }
    // `g/pattern/command`: the command runs for each line that matches.
    if let Some(quote) = arg.first().copied().filter(u8::is_ascii_punctuation)
        && matches!(name.as_str(), "g" | "gl" | "glo" | "global" | "v" | "vg" | "vglobal")
    {
        let pattern = closing(arg.get(1..).unwrap_or_default(), quote);
        return arg_at.saturating_add(pattern).saturating_add(2).min(end);
    }
    if arg.starts_with(b"!") && matches!(name.as_str(), "r" | "re" | "read" | "w" | "write" | "wr") {
        name.push('!');
        out.push(call(&name, vec![text(whole, arg_at.saturating_add(1), end)], span));
        return end;
    }
    let whole_line =
        ["py", "python", "lua", "rub", "ruby", "perl", "pe", "tcl", "te", "mz", "norm", "g", "global", "v"];
    let takes_all = whole_line.iter().any(|w| name == *w)
        || name.starts_with("py")
        || name.starts_with("ter")
        || name.starts_with("perl")
        || name.starts_with("norm");
    // The pattern and the replacement of `:s` may hold a bar.
    let parts = match arg.first() {
        Some(q) if matches!(name.as_str(), "s" | "substitute") && q.is_ascii_punctuation() => {
            let pattern = closing(arg.get(1..).unwrap_or_default(), *q).saturating_add(2);
            pattern.saturating_add(closing(arg.get(pattern..).unwrap_or_default(), *q)).min(arg.len())
        }
        _ => 0,
    };
    let stop = match takes_all {
        true => arg.len(),
        false => parts.saturating_add(bar(arg.get(parts..).unwrap_or_default())),
    };
    let stop_at = arg_at.saturating_add(stop);
    if matches!(
        name.as_str(),
        "call"
            | "cal"
            | "echo"
            | "ec"
            | "echom"
            | "echomsg"
            | "let"
            | "exe"
            | "exec"
            | "execute"
            | "eval"
            | "if"
            | "return"
            | "put"
    ) {
        // The expressions may call functions: `call system('id')`.
        let inner = whole.get(arg_at..stop_at).unwrap_or_default();
        let mut parts = expression::values(inner, arg_at, &expression::VIM);
        if name.starts_with("exe") {
            out.push(call("execute", parts, span));
        } else {
            out.extend(parts.drain(..).map(|e: Expr| Stmt { span: e.span, kind: StmtKind::Expr(e) }));
        }
    } else {
        out.push(call(&name, vec![text(whole, arg_at, stop_at)], Span::new(from, stop_at)));
    }
    stop_at.saturating_add(1)
}

/// Where a bar outside quotes ends a command.
fn bar(text: &[u8]) -> usize {
    let mut quote = None;
    let mut i = 0usize;
    while let Some(c) = text.get(i) {
        match (quote, c) {
            (None, b'|') => return i,
            (_, b'\\') => i = i.saturating_add(1),
            (None, b'"' | b'\'') => quote = Some(*c),
            (Some(q), c) if q == *c => quote = None,
            _ => {}
        }
        i = i.saturating_add(1);
    }
    text.len()
}

/// gdb (its manual, "Commands"): a word and its arguments; `python` without arguments takes the lines up to `end`.
pub(super) fn gdb(whole: &[u8]) -> Vec<Stmt> {
    let mut out = Vec::new();
    let all = lines(whole);
    let mut i = 0usize;
    while let Some((start, end)) = all.get(i).copied() {
        i = i.saturating_add(1);
        let line = whole.get(start..end).unwrap_or_default();
        let lead = run(line, |b| b.is_ascii_whitespace());
        let from = start.saturating_add(lead);
        let rest = line.get(lead..).unwrap_or_default();
        let span = Span::new(from, end);
        match rest.first() {
            None | Some(b'#') => continue,
            Some(b'!' | b'|') => {
                let name = if rest.starts_with(b"!") { "!" } else { "|" };
                out.push(call(name, vec![text(whole, from.saturating_add(1), end)], span));
                continue;
            }
            Some(_) => {}
        }
        let n = run(rest, |b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'));
        let name = String::from_utf8_lossy(rest.get(..n).unwrap_or_default()).into_owned();
        let arg_at = from.saturating_add(n);
        let arg = whole.get(arg_at..end).unwrap_or_default().trim_ascii();
        if matches!(name.as_str(), "python" | "py" | "python-interactive" | "pi" | "guile" | "gu") && arg.is_empty() {
            let body = all.get(i..).unwrap_or_default();
            let n = body.iter().position(|(a, b)| whole.get(*a..*b).unwrap_or_default().trim_ascii() == b"end");
            let n = n.unwrap_or(body.len());
            let last = body.get(..n).and_then(|l| l.last()).map_or(end, |l| l.1);
            let code = whole.get(end.saturating_add(1)..last).unwrap_or_default();
            out.push(call(&name, vec![Expr::text(code, Span::new(end.saturating_add(1), last))], span));
            i = i.saturating_add(n).saturating_add(1);
            continue;
        }
        if matches!(name.as_str(), "call" | "print" | "p" | "inspect" | "output" | "compile" | "eval") {
            let values = expression::values(whole.get(arg_at..end).unwrap_or_default(), arg_at, &expression::C);
            out.extend(values.into_iter().map(|e| Stmt { span: e.span, kind: StmtKind::Expr(e) }));
            continue;
        }
        if !name.is_empty() {
            out.push(call(&name, vec![text(whole, arg_at, end)], span));
        }
    }
    out
}
