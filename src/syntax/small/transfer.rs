//! Commands of programs that transfer files: ftp(1), sftp(1), lftp(1), smbclient(1), tftp(1).
//!
//! A command a line, or between `;`: a name and words, with quotes and backslashes as a shell has them. Each is a call by its
//! name in lower case, with its words but for options; what takes several files (`mput a b`) is a call for each. A mirror
//! that goes the other way (`mirror -R`) is `mirror-reverse`. `!` is a command of the shell.

use super::{call, lines, run, text};
use crate::source::Span;
use crate::syntax::script::{Expr, Stmt};

/// Most files of one command that are looked at.
const MAX_FILES: usize = 256;

/// Options that take the next word (lftp's `put -O DIR`, `get -o NAME`).
const WITH_VALUE: &[&[u8]] =
    &[b"-O", b"-P", b"-n", b"-x", b"-i", b"-X", b"-I", b"--exclude", b"--include", b"--parallel"];

pub(super) fn read(whole: &[u8]) -> Vec<Stmt> {
    let mut out = Vec::new();
    for (start, end) in lines(whole) {
        let mut from = start;
        while from < end {
            let line = whole.get(from..end).unwrap_or_default();
            let lead = run(line, |b| b.is_ascii_whitespace() || b == b';');
            from = from.saturating_add(lead);
            let line = whole.get(from..end).unwrap_or_default();
            match line.first() {
                None | Some(b'#') => break,
                Some(b'!') => {
                    let span = Span::new(from, end);
                    out.push(call("!", vec![text(whole, from.saturating_add(1), end)], span));
                    break;
                }
                Some(_) => {}
            }
            let (words, n) = words(line, from);
            let span = Span::new(from, from.saturating_add(n));
            command(words, span, &mut out);
            from = from.saturating_add(n.max(1));
        }
    }
    out
}

/// The words up to a `;` or the end, with their places, and how many bytes that is.
fn words(line: &[u8], base: usize) -> (Vec<(Vec<u8>, Span)>, usize) {
    let mut out = Vec::new();
    let mut i = 0usize;
    while let Some(b) = line.get(i).copied() {
        if b == b';' {
            break;
        }
        if b.is_ascii_whitespace() {
            i = i.saturating_add(1);
            continue;
        }
        let begin = i;
        let (mut word, mut quote) = (Vec::new(), None);
        while let Some(b) = line.get(i).copied() {
            match (b, quote) {
                (b'\\', None | Some(b'"')) => {
                    i = i.saturating_add(1);
                    word.extend(line.get(i));
                }
                (b'"' | b'\'', None) => quote = Some(b),
                (b, Some(q)) if b == q => quote = None,
                (b';', None) => break,
                (b, None) if b.is_ascii_whitespace() => break,
                _ => word.push(b),
            }
            i = i.saturating_add(1);
        }
        let end = i.min(line.len());
        out.push((word, Span::new(base.saturating_add(begin), base.saturating_add(end))));
    }
    (out, i.min(line.len()))
}

fn command(words: Vec<(Vec<u8>, Span)>, span: Span, out: &mut Vec<Stmt>) {
    let mut words = words.into_iter();
    let Some((name, _)) = words.next() else { return };
    // sftp: `-` ignores errors, `@` prints less.
    let name = name.strip_prefix(b"-").or_else(|| name.strip_prefix(b"@")).unwrap_or(&name);
    let mut name = String::from_utf8_lossy(name).to_ascii_lowercase();
    let (mut args, mut skip) = (Vec::new(), false);
    for (word, at) in words.take(MAX_FILES) {
        if std::mem::take(&mut skip) {
            continue;
        }
        if word.first() == Some(&b'-') && word.len() > 1 {
            skip = WITH_VALUE.contains(&word.as_slice());
            let reverse = word == b"--reverse" || !word.starts_with(b"--") && word.contains(&b'R');
            if name == "mirror" && reverse {
                name = "mirror-reverse".into();
            }
            continue;
        }
        args.push(Expr::text(&word, at));
    }
    let many = matches!(name.as_str(), "mput" | "mget" | "mdelete");
    if many && args.len() > 1 {
        out.extend(args.into_iter().map(|a| call(&name, vec![a], span)));
    } else if !name.is_empty() {
        out.push(call(&name, args, span));
    }
}
