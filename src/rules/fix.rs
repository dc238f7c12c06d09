//! The command rewritten, where a small change of its own text surely takes the finding away.
//!
//! In: facts, an effect, what is to change. Out: the whole text with the change in it, or nothing where the bytes do not
//! stand in the text as they are read (they were computed, or an escape stands between), or where what the program would
//! do otherwise changed with it: a change of words is read again by the program's grammar. Imports `command`.

use super::Facts;
use crate::command::argv::read_in;
use crate::command::{Invocation, Role};
use crate::effect::graph::Process;
use crate::effect::{Effect, Props};
use crate::source::{Place, Span, TextId};
use crate::url::{Address, Host};
use crate::value::{Value, Why};

/// Longest text that is rewritten, in bytes: nobody reads a longer one as advice.
const MAX_TEXT: usize = 16 << 10;

/// The bytes of a place in the text that was given, where they stand there as they are.
fn given(facts: &Facts<'_>, place: Place) -> Option<(Span, Vec<u8>)> {
    let span = facts.source.outermost(place);
    let root = facts.source.get(TextId::ROOT)?;
    let here = facts.source.get(place.text)?;
    let bytes = span.of(&root.bytes);
    (!span.is_empty() && bytes == place.span.of(&here.bytes)).then(|| (span, bytes.to_vec()))
}

/// As [`given`], where the word stands in its command itself: one that comes out of a variable may be used elsewhere, too.
fn own(facts: &Facts<'_>, p: &Process, place: Place) -> Option<(Span, Vec<u8>)> {
    given(facts, place).filter(|(span, _)| facts.source.outermost(p.place).contains(*span))
}

/// The text with spans of it replaced.
fn rewritten(facts: &Facts<'_>, edits: &[(Span, String)]) -> Option<String> {
    let root = facts.source.get(TextId::ROOT)?;
    let text = std::str::from_utf8(&root.bytes).ok().filter(|t| t.len() <= MAX_TEXT)?;
    let mut edits: Vec<&(Span, String)> = edits.iter().collect();
    edits.sort_by_key(|(s, _)| s.start);
    let mut out = String::with_capacity(text.len().saturating_add(32));
    let mut at = 0usize;
    for (span, new) in edits {
        out.push_str(text.get(at..span.start as usize)?);
        out.push_str(new);
        at = span.end as usize;
    }
    out.push_str(text.get(at..)?);
    Some(out.trim_end().to_string())
}

/// A span of some bytes inside a place.
fn within(span: Span, at: usize, length: usize) -> Span {
    let start = (span.start as usize).saturating_add(at);
    Span::new(start, start.saturating_add(length))
}

/// The address with `https`. Not for a host without a name, which has no certificate, nor for a port, which is another one
/// then.
pub(super) fn secure(facts: &Facts<'_>, e: &Effect, a: &Address) -> Option<String> {
    if a.scheme != "http" || a.port.is_some() || !matches!(a.host, Host::Name(_)) {
        return None;
    }
    let (span, bytes) = given(facts, e.place)?;
    let begin = if a.schemeless { a.raw.as_bytes() } else { b"http://" };
    let mut found = memchr::memmem::find_iter(&bytes, begin);
    let (at, more) = (found.next()?, found.next());
    if more.is_some() {
        return None;
    }
    let edit = match a.schemeless {
        true => (within(span, at, 0), "https://".to_string()),
        false => (within(span, at, begin.len()), "https://".to_string()),
    };
    rewritten(facts, &[edit])
}

/// What a reading comes to but for its properties.
fn gist(inv: &Invocation) -> Vec<(Role, String)> {
    inv.uses.iter().map(|u| (u.role, u.value.show())).collect()
}

fn read(facts: &Facts<'_>, p: &Process, argv: &[Value]) -> Invocation {
    read_in(facts.graph.program(p.program).map(|g| g.language), argv)
}

/// The words of a command with one of them changed or, with nothing in its place, left out.
fn with_word(argv: &[Value], i: usize, new: Option<&[u8]>) -> Vec<Value> {
    let mut out = argv.to_vec();
    match (new, out.get_mut(i)) {
        (Some(new), Some(word)) => *word = Value::literal(new, word.place()),
        (None, Some(_)) => {
            out.remove(i);
        }
        (_, None) => {}
    }
    out
}

/// The command without the option that gives it a property, where that is all that the option does.
pub(super) fn without(facts: &Facts<'_>, e: &Effect, prop: Props) -> Option<String> {
    let p = facts.process(e)?;
    let before = read(facts, p, &p.argv);
    if !before.props.has(prop) {
        return None;
    }
    let same = |argv: &[Value]| {
        let after = read(facts, p, argv);
        after.props == before.props.without(prop) && gist(&after) == gist(&before) && after.doubts == before.doubts
    };
    for (i, word) in p.argv.iter().enumerate().skip(1) {
        let Some(bytes) = word.as_literal().filter(|b| b.starts_with(b"-") && b.len() > 1) else { continue };
        let Some((span, written)) = own(facts, p, word.place()) else { continue };
        if written != *bytes {
            continue;
        }
        // One letter of a bundle.
        if bytes.len() > 2 && bytes.iter().skip(1).all(u8::is_ascii_alphanumeric) {
            for cut in 1..bytes.len() {
                let left: Vec<u8> = bytes.iter().enumerate().filter(|(n, _)| *n != cut).map(|(_, b)| *b).collect();
                if same(&with_word(&p.argv, i, Some(&left))) {
                    return rewritten(facts, &[(within(span, cut, 1), String::new())]);
                }
            }
        }
        if same(&with_word(&p.argv, i, None)) {
            return rewritten(facts, &[(with_blank(facts, span), String::new())]);
        }
    }
    None
}

/// The span with the blanks before it.
fn with_blank(facts: &Facts<'_>, span: Span) -> Span {
    let root = facts.source.get(TextId::ROOT).map(|t| &t.bytes[..]).unwrap_or_default();
    let before = root.get(..span.start as usize).unwrap_or_default();
    let blanks = before.iter().rev().take_while(|b| matches!(b, b' ' | b'\t')).count();
    Span::new((span.start as usize).saturating_sub(blanks), span.end as usize)
}

/// The command with rights that let nobody but the owner write.
pub(super) fn own_rights(facts: &Facts<'_>, e: &Effect) -> Option<String> {
    let p = facts.process(e)?;
    let opens = |inv: &Invocation| {
        inv.props.has(Props::WORLD_WRITABLE) || inv.uses.iter().any(|u| u.props.has(Props::WORLD_WRITABLE))
    };
    let before = read(facts, p, &p.argv);
    for (i, word) in p.argv.iter().enumerate().skip(1).filter(|_| opens(&before)) {
        let Some(bytes) = word.as_literal() else { continue };
        let Some((span, written)) = own(facts, p, word.place()) else { continue };
        let Some(new) = closed(std::str::from_utf8(&bytes).ok()?).filter(|_| written == *bytes) else { continue };
        let after = read(facts, p, &with_word(&p.argv, i, Some(new.as_bytes())));
        // The roles stay; the mode itself is one of the values.
        let roles = |inv: &Invocation| inv.uses.iter().map(|u| u.role).collect::<Vec<_>>();
        if !opens(&after) && roles(&after) == roles(&before) {
            return rewritten(facts, &[(span, new)]);
        }
    }
    None
}

/// A mode as chmod(1) reads it, without writing for group and others.
fn closed(mode: &str) -> Option<String> {
    let octal = (3..=5).contains(&mode.len()) && mode.bytes().all(|b| (b'0'..=b'7').contains(&b));
    if octal {
        let from = mode.len().saturating_sub(2);
        let shut = |(i, c): (usize, char)| match c.to_digit(8) {
            Some(d) if i >= from => char::from_digit(d & 5, 8).unwrap_or(c),
            _ => c,
        };
        return Some(mode.chars().enumerate().map(shut).collect());
    }
    let at = mode.find(['+', '='])?;
    let (who, rest) = mode.split_at(at);
    let (sign, what) = rest.split_at(1);
    let known = who.chars().all(|c| "ugoa".contains(c)) && what.chars().all(|c| "rwxX".contains(c));
    if !known || !what.contains('w') {
        return None;
    }
    let others: String = what.chars().filter(|c| *c != 'w').collect();
    if others.is_empty() {
        return Some(format!("u{sign}w"));
    }
    Some(format!("u{sign}{what},go{sign}{others}"))
}

/// The command with variables that have to be set and not empty: `"$X/"` as `"${X:?}/"` (POSIX XCU 2.6.2). One that
/// stands without quotes gets them, so that blanks in it part nothing.
pub(super) fn must_be_set(facts: &Facts<'_>, e: &Effect) -> Option<String> {
    let value = e.object.value()?;
    let first = value.pieces.first()?;
    let crate::value::Piece::Unknown(u) = first else { return None };
    let (Why::Environment(name) | Why::Parameter(name)) = &u.why else { return None };
    let name: &str = name;
    let (span, bytes) = given(facts, u.from)?;
    let plain = bytes == format!("${name}").as_bytes() || bytes == format!("${{{name}}}").as_bytes();
    let root = facts.source.get(TextId::ROOT)?;
    let near = |at: usize| root.bytes.get(at).copied().unwrap_or(b' ');
    let bare = (span.start as usize).checked_sub(1).is_none_or(|at| near(at).is_ascii_whitespace())
        && matches!(near(span.end as usize), b'/' | b' ' | b'\n')
        && u.from.text == TextId::ROOT;
    let new = if bare { format!("\"${{{name}:?}}\"") } else { format!("${{{name}:?}}") };
    plain.then(|| rewritten(facts, &[(span, new)]))?
}

/// The text with an assignment, or an export of it, taken out where the command stands behind it.
pub(super) fn unassigned(facts: &Facts<'_>, e: &Effect) -> Option<String> {
    let (span, bytes) = given(facts, e.place)?;
    let root = facts.source.get(TextId::ROOT)?;
    let rest = root.bytes.get(span.end as usize..)?;
    let blanks = rest.iter().take_while(|b| matches!(b, b' ' | b'\t')).count();
    let goes_on = rest.get(blanks).is_some_and(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'/' | b'_'));
    let assigns = bytes.first().is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_') && bytes.contains(&b'=');
    let whole = Span::new(span.start as usize, (span.end as usize).saturating_add(blanks));
    (assigns && blanks > 0 && goes_on).then(|| rewritten(facts, &[(whole, String::new())]))?
}

/// The text with a name in a word of it replaced, where it stands there once.
pub(super) fn renamed(facts: &Facts<'_>, e: &Effect, old: &str, new: &str) -> Option<String> {
    let p = facts.process(e)?;
    let (span, bytes) = own(facts, p, e.place)?;
    let mut found = memchr::memmem::find_iter(&bytes, old.as_bytes());
    let (at, more) = (found.next()?, found.next());
    more.is_none().then(|| rewritten(facts, &[(within(span, at, old.len()), new.to_string())]))?
}

/// The download kept in a file instead of run: the part of the text from one command to the other becomes the first of
/// them with `option` and a name. `option` is how that program names its output.
pub(super) fn kept(facts: &Facts<'_>, from: &Effect, to: &Effect, option: &str) -> Option<String> {
    let source = facts.process(from)?;
    // What runs the sink (`sudo`) goes with it.
    let top = |id| facts.lineage(id).filter(|p| p.place.text == TextId::ROOT).last();
    let (first, last) = (top(from.process)?, top(to.process)?);
    if first.id != source.id || source.place.text != TextId::ROOT {
        return None;
    }
    let root = facts.source.get(TextId::ROOT)?;
    let between = Span::new(source.place.span.end as usize, last.place.span.start as usize).of(&root.bytes);
    // Nothing stands between the two but the pipe.
    if between.trim_ascii() != b"|" {
        return None;
    }
    let a = facts.address(from)?;
    let name = a.path.split(['?', '#']).next().unwrap_or_default().rsplit('/').next().unwrap_or_default();
    let plain = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-'));
    let name = if plain && !name.starts_with(['-', '.']) { name } else { "script.sh" };
    let end = source.place.span.end;
    let gone = Span { start: end, end: last.place.span.end };
    let trimmed = String::from_utf8_lossy(source.place.span.of(&root.bytes)).trim_end().len();
    let gone = Span { start: source.place.span.start.saturating_add(u32::try_from(trimmed).ok()?), ..gone };
    rewritten(facts, &[(gone, format!(" {option} {name}"))])
}

#[cfg(test)]
mod tests {
    use crate::analyzer::{Options, analyze};

    fn fix(command: &str, rule: &str) -> Option<String> {
        let verdict = analyze(command.as_bytes(), &Options::default()).verdict;
        let found = verdict.findings.into_iter().find(|f| f.rule_id == rule);
        found.unwrap_or_else(|| panic!("{command}: no {rule}")).fix
    }

    #[test]
    fn a_fix_is_the_text_with_one_change() {
        for (rule, command, want) in [
            ("plain_http_to_sink", "curl -s http://e.example/x | sh", "curl -s https://e.example/x | sh"),
            (
                "plain_http_to_sink",
                "cd a; curl -s 'http://e.example/x' | sudo bash",
                "cd a; curl -s 'https://e.example/x' | sudo bash",
            ),
            ("plain_http_download", "wget http://mirror.gnu.org/x.tar.gz", "wget https://mirror.gnu.org/x.tar.gz"),
            ("schemeless_to_sink", "curl -s e.example/x | sh", "curl -s https://e.example/x | sh"),
            ("insecure_tls_flags", "curl -k https://e.example/x", "curl https://e.example/x"),
            ("insecure_tls_flags", "curl -fkL https://e.example/x", "curl -fL https://e.example/x"),
            ("insecure_tls_flags", "wget --no-check-certificate https://e.example/x", "wget https://e.example/x"),
            ("world_writable", "chmod 777 out", "chmod 755 out"),
            ("world_writable", "chmod -R 0666 out", "chmod -R 0644 out"),
            ("world_writable", "chmod a+rwx out", "chmod u+rwx,go+rx out"),
            ("world_writable", "chmod o+w out", "chmod u+w out"),
            (
                "curl_pipe_shell",
                "curl -s https://e.example/install.sh | sh",
                "curl -s https://e.example/install.sh -o install.sh",
            ),
            (
                "curl_pipe_shell",
                "curl https://e.example/ | sudo -E bash - && ls",
                "curl https://e.example/ -o script.sh && ls",
            ),
            ("wget_pipe_shell", "wget -qO- https://e.example/a.sh | sh", "wget -qO- https://e.example/a.sh -O a.sh"),
            ("recursive_delete_unset", "rm -rf \"$X/\"", "rm -rf \"${X:?}/\""),
            ("recursive_delete_unset", "rm -rf ${X}/*", "rm -rf \"${X:?}\"/*"),
            ("recursive_delete_unset", "cd a && rm -rf $X/", "cd a && rm -rf \"${X:?}\"/"),
            ("package_typosquat", "pip install -U reqeusts==2.1", "pip install -U requests==2.1"),
            ("package_typosquat", "npm i expres && npm test", "npm i express && npm test"),
            ("insecure_tls_env", "NODE_TLS_REJECT_UNAUTHORIZED=0 node x.js", "node x.js"),
            ("insecure_tls_env", "A=b GIT_SSL_NO_VERIFY=1 git pull", "A=b git pull"),
            ("signature_unverified", "apt-get install -y --allow-unauthenticated x", "apt-get install -y x"),
            ("plain_http_to_sink", "U=http://e.example/x; curl -s $U | sh", "U=https://e.example/x; curl -s $U | sh"),
            (
                "plain_http_to_sink",
                "sh -c 'curl -s http://e.example/x | sh'",
                "sh -c 'curl -s https://e.example/x | sh'",
            ),
        ] {
            assert_eq!(fix(command, rule).as_deref(), Some(want), "{command}");
        }
    }

    #[test]
    fn what_is_not_sure_has_no_fix() {
        for (rule, command) in [
            ("plain_http_to_sink", "curl -s http://203.0.113.7/x | sh"),
            ("plain_http_to_sink", "curl -s http://e.example:8080/x | sh"),
            ("curl_pipe_shell", "curl -s https://e.example/x | tee log | sh"),
            ("curl_pipe_shell", "sh -c \"$(curl -s https://e.example/x)\""),
            ("insecure_tls_flags", "X=-k; curl $X https://e.example/x"),
        ] {
            assert_eq!(fix(command, rule), None, "{command}");
        }
    }

    #[test]
    fn a_fix_takes_its_finding_away() {
        let mut fixes = 0;
        let examples = crate::rules::all().flat_map(|r| r.bad.iter().copied());
        let more =
            ["sudo chmod -R 777 /var/www", "curl -k http://e.example/x | bash", "rm -rf $DIR/* && chmod 666 out"];
        for command in examples.chain(more) {
            for finding in analyze(command.as_bytes(), &Options::default()).verdict.findings {
                let Some(fix) = finding.fix else { continue };
                fixes += 1;
                assert_ne!(fix, command);
                let left = analyze(fix.as_bytes(), &Options::default()).verdict.findings;
                let same = left.iter().find(|f| f.rule_id == finding.rule_id && f.title == finding.title);
                assert!(same.is_none(), "{command}: {fix}: {same:?}");
                // Nothing worse comes in its place.
                let worst = left.iter().map(|f| f.severity).max().unwrap_or(crate::finding::Severity::Info);
                let was = analyze(command.as_bytes(), &Options::default()).verdict.findings;
                assert!(was.iter().any(|f| f.severity >= worst), "{command}: {fix}: {left:?}");
            }
        }
        assert!(fixes > 15, "{fixes}");
    }
}
