//! Addresses that are read as others: hosts that look like known ones, paths that look like ASCII.
//!
//! In: the addresses of fetches, sends, clones, connections and installations, with the tricks that `url` finds in them.
//! Out: findings of the family *look-alikes*, each with both names, the code points and a rendering in which every
//! character can be seen.

use super::{Category, Draft, Facts, Findings, Rule};
use crate::effect::{Effect, Object, Verb};
use crate::finding::{Confidence, Severity};
use crate::text::{points, shown};
use crate::url::lookalike::{Look, PathTrick, Trick, path_tricks};
use crate::url::{Address, Host};

/// Verbs that use an address.
const USES: &[Verb] =
    &[Verb::Fetch, Verb::Send, Verb::Clone, Verb::Connect, Verb::Probe, Verb::Install, Verb::Configure, Verb::VcsPush];

const fn rule(
    names: (&'static str, &'static str, Severity),
    words: (&'static str, &'static str),
    examples: (&'static [&'static str], &'static [&'static str]),
    check: fn(&Facts<'_>, &'static Rule, &mut Findings),
) -> Rule {
    Rule::of_disguise(Category::Transport, names, words, examples, check)
}

pub(super) const RULES: &[Rule] = &[
    rule(
        ("confusable_domain", "Host that is read as another", Severity::High),
        (
            "The name of the host is read as that of a known one, and is not that one: letters of other scripts or with \
             marks, digits for letters, a letter more or less, or the known name in front of another domain. Write the \
             name of the host that is meant.",
            "Type the name of the host that is meant, letter by letter.",
        ),
        (
            &[
                "curl https://github.com/x",
                "curl https://münchen.de/",
                "curl https://google.com.br/",
                "curl https://новости.рф/",
            ],
            &[
                "curl https://gïthub.com/x",
                "curl https://paypa1.com/",
                "git clone https://githuub.com/o/r",
                "curl https://github.com.evil.example/x",
                "git clone git@gitlаb.com:o/r.git",
                "curl https://раураӏ.com/",
            ],
        ),
        confusable,
    ),
    rule(
        ("mixed_script_in_label", "Letters of several scripts in a host", Severity::High),
        (
            "One label of the host mixes letters of scripts that no language mixes, such as Cyrillic letters among Latin \
             ones: it is made to be read as another name. Write the name of the host that is meant.",
            "Type the name of the host that is meant, letter by letter.",
        ),
        (&["curl https://東京abcカナ.co.jp/", "curl https://новости.рф/"], &["curl https://exаmple-site.com/"]),
        mixed,
    ),
    rule(
        ("punycode_domain", "Host in punycode", Severity::Low),
        (
            "The host is written in the encoded form of a name with letters outside ASCII, so that what it is read as in \
             an address bar cannot be seen here. Look at the decoded name before it is used.",
            "Check that the decoded name is the host that is meant.",
        ),
        (&["curl https://example.org/xn--x"], &["curl https://xn--gthub-zsa.com/", "curl https://xn--99999999.com/"]),
        punycode,
    ),
    rule(
        ("non_ascii_hostname", "Letters outside ASCII in a host", Severity::Low),
        (
            "The host has Latin letters with marks, or signs, that are not those of the language of its domain, and can \
             be read as plain ones. Check that this is the host that is meant.",
            "Check the name; if the plain letters are meant, type them.",
        ),
        (&["curl https://münchen.de/", "curl https://例え.jp/"], &["curl https://schöne-seite.com/"]),
        foreign,
    ),
    rule(
        ("invalid_host_chars", "Characters that a host cannot have", Severity::High),
        (
            "The host has characters that cannot be seen, or that programs silently drop or turn into others, so that \
             it leads elsewhere than it reads. Write the host without them.",
            "Type the name of the host again, in plain letters.",
        ),
        (
            &["curl https://my_host.example.org/", "curl 'https://files[1-3].example.org/'"],
            &[
                "curl https://git\u{200B}hub.com/",
                "curl https://ｇithub.com/",
                "curl https://good.example%40evil.example/",
            ],
        ),
        invalid,
    ),
    rule(
        ("trailing_dot_whitespace", "Dot or blank at the end of a host", Severity::Low),
        (
            "The host ends with a dot, or has a tab or line break in it that programs drop: lists of hosts and checks of \
             certificates may not know it as the same host. Write it without.",
            "Write the host without the dot or blank.",
        ),
        (&["curl https://e.example/x."], &["curl https://e.example./x", "curl $'https://e.exa\\tmple/x'"]),
        trailing,
    ),
    rule(
        ("lookalike_tld", "Ending that is read as another", Severity::Low),
        (
            "The ending of the host is read as something else: a known name with a letter of its ending changed, or an \
             ending that is also one of files. Check that this is the host that is meant.",
            "Check the ending of the host.",
        ),
        (
            &["curl https://e.dev/x.zip", "curl https://web.app/", "curl https://google.de/"],
            &["curl https://github.cm/x", "curl https://update.zip/x"],
        ),
        ending,
    ),
    rule(
        ("non_standard_port", "Known host at an unusual port", Severity::Medium),
        (
            "A host that is widely known is asked at a port where it serves nothing that is known. Use the address \
             without the port.",
            "Leave the port out.",
        ),
        (
            &[
                "curl https://github.com:443/x",
                "curl https://e.example:8443/x",
                "git clone ssh://git@ssh.github.com:443/o/r",
            ],
            &["curl https://github.com:8443/x"],
        ),
        port,
    ),
    rule(
        ("homoglyph_in_path", "Path that is read as another", Severity::Medium),
        (
            "The path of the address has letters of another script that look like ASCII ones among ASCII letters: it is \
             another file than it reads. Write the path in plain letters.",
            "Type the path again, in plain letters.",
        ),
        (
            &["curl https://e.example/wiki/日本", "curl https://e.example/café"],
            &["curl https://e.example/inst\u{430}ll.sh"],
        ),
        homoglyph,
    ),
    rule(
        ("non_ascii_path", "Path outside ASCII", Severity::Info),
        (
            "The path of the address has characters outside ASCII. That is usual where a language is written with them; \
             look at them where it is not.",
            "Write them percent-encoded where in doubt.",
        ),
        (&["curl https://e.example/x"], &["curl https://e.example/wiki/日本"]),
        non_ascii_path,
    ),
    rule(
        ("double_encoding", "Path that is encoded twice", Severity::Medium),
        (
            "The path of the address has a percent sign that is itself encoded: a check that decodes once sees another \
             path than a server that decodes twice. Write the path plainly.",
            "Write the path plainly, encoded once.",
        ),
        (
            &["curl https://e.example/a%20b", "curl 'https://e.example/?u=http%253A%252F'"],
            &["curl https://e.example/%252e%252e/x"],
        ),
        double_encoding,
    ),
];

/// Every address that is used, with its effect.
fn used<'f>(facts: &'f Facts<'_>) -> impl Iterator<Item = (&'f Effect, &'f Address)> {
    facts.with(USES).filter_map(|e| {
        let a = facts.address(e)?;
        // The name of a package is an address only where it has a scheme, or a host and a path.
        let address = !matches!(e.object, Object::Package(..))
            || !a.schemeless
            || a.host_text.contains('.') && a.path.starts_with('/');
        address.then_some((e, a))
    })
}

/// Every look of some trick.
fn with<'f>(
    facts: &'f Facts<'_>,
    tricks: &'static [Trick],
) -> impl Iterator<Item = (&'f Effect, &'f Address, &'f Look)> {
    used(facts)
        .flat_map(move |(e, a)| facts.looks(e).iter().filter(|l| tricks.contains(&l.trick)).map(move |l| (e, a, l)))
}

fn draft<'f, 'a>(
    facts: &'f Facts<'a>,
    rule: &'static Rule,
    e: &Effect,
    a: &Address,
    look: &Look,
    says: &str,
) -> Draft<'f, 'a> {
    let read = shown(&look.shown);
    let mut d = rule.about(facts, e).evidence_as("host", says, &a.host_text, e.place).detail("shown", read);
    if a.host_text != look.shown {
        d = d.detail("ascii", idna::domain_to_ascii(&look.shown).unwrap_or_default());
    }
    if let Some(known) = look.known {
        d = d.detail("known", known);
    }
    if !look.points.is_empty() {
        d = d.detail("code_points", points(&look.points));
    }
    d
}

fn confusable(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    const OF: &[Trick] =
        &[Trick::Confusable, Trick::WholeScript, Trick::MixedScript, Trick::Swapped, Trick::OneLetter, Trick::InFront];
    for (e, a, look) in with(facts, OF) {
        let shown = shown(&look.shown);
        let (severity, confidence) = match (look.trick, look.known) {
            (Trick::MixedScript, None) => continue,
            (Trick::OneLetter, _) => (Severity::Medium, Confidence::Medium),
            (Trick::WholeScript, None) => (Severity::Medium, Confidence::Medium),
            _ => (rule.severity, rule.confidence),
        };
        let title = match (look.trick, look.known) {
            (Trick::InFront, Some(known)) => format!("{known} in front of another domain: {shown}"),
            (_, Some(known)) => format!("{}: {shown} is not {known}", rule.title),
            (_, None) => format!("{}: {shown}", rule.title),
        };
        out.add(
            draft(facts, rule, e, a, look, "is read as another host")
                .severity(severity)
                .confidence(confidence)
                .title(title),
        );
    }
}

fn mixed(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    for (e, a, look) in with(facts, &[Trick::MixedScript]) {
        let title = format!("{}: {}", rule.title, shown(&look.shown));
        out.add(draft(facts, rule, e, a, look, "mixes letters of several scripts").title(title));
    }
}

fn punycode(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    for (e, a, look) in with(facts, &[Trick::Punycode, Trick::BadPunycode]) {
        let bad = look.trick == Trick::BadPunycode;
        // A name that is honest when it is read is honest in its encoded form.
        let tricky = facts.looks(e).iter().any(|l| l.trick != Trick::Punycode);
        let severity = match (bad, tricky) {
            (true, _) => Severity::Medium,
            (false, true) => rule.severity,
            (false, false) => Severity::Info,
        };
        let title = match bad {
            true => format!("{} that stands for nothing: {}", rule.title, a.host_text),
            false => format!("{}: {} is {}", rule.title, a.host_text, shown(&look.shown)),
        };
        out.add(draft(facts, rule, e, a, look, "is an encoded name").severity(severity).title(title));
    }
}

fn foreign(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    for (e, a, look) in with(facts, &[Trick::Foreign]) {
        let title = format!("{}: {}", rule.title, shown(&look.shown));
        out.add(draft(facts, rule, e, a, look, "has letters outside ASCII").title(title));
    }
}

fn invalid(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    for (e, a, look) in with(facts, &[Trick::Invisible, Trick::Invalid]) {
        let title = format!("{}: {}", rule.title, shown(&a.host_text));
        out.add(draft(facts, rule, e, a, look, "has characters that are not those of a host").title(title));
    }
}

fn trailing(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    for (e, a) in used(facts).filter(|(_, a)| a.has_blanks || a.host_text.ends_with('.')) {
        // `.` and `..` are directories, and one label with a dot is no host.
        if !a.has_blanks && !a.host_text.trim_end_matches('.').contains('.') || matches!(a.host, Host::Unknown) {
            continue;
        }
        let severity = if a.has_blanks { Severity::Medium } else { rule.severity };
        out.add(
            rule.about(facts, e).severity(severity).title(format!("{}: {}", rule.title, shown(&a.host_text))).evidence(
                "host",
                "is written in another way",
                e.place,
            ),
        );
    }
}

fn ending(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    for (e, a, look) in with(facts, &[Trick::Ending, Trick::FileLike]) {
        // Without a scheme it may as well be the name of a file.
        if look.trick == Trick::FileLike && a.schemeless {
            continue;
        }
        let severity = if look.trick == Trick::Ending { Severity::Medium } else { rule.severity };
        let title = match look.known {
            Some(known) => format!("{}: {} is not {known}", rule.title, look.shown),
            None => format!("{}: {}", rule.title, look.shown),
        };
        out.add(draft(facts, rule, e, a, look, "ends like something else").severity(severity).title(title));
    }
}

fn port(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    for (e, a) in used(facts) {
        let Host::Name(name) = &a.host else { continue };
        let web = matches!(a.scheme.as_str(), "http" | "https");
        let Some(port) = a.port.as_deref().filter(|_| web) else { continue };
        // What is no number is not known.
        let usual = port.parse::<u16>().is_ok_and(|p| matches!(p, 80 | 443));
        if usual || !port.bytes().all(|b| b.is_ascii_digit()) || crate::url::known::known(name).is_none() {
            continue;
        }
        out.add(rule.about(facts, e).title(format!("{}: {name}:{port}", rule.title)).evidence_as(
            "url",
            "asks at another port",
            &a.raw,
            e.place,
        ));
    }
}

/// What a rule says of a trick in a path, and the characters that do it.
type Pick = fn(&PathTrick) -> Option<(&'static str, &[char])>;

/// Every odd path, with a draft for it where the trick is the one that is asked for.
fn paths(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings, pick: Pick) {
    for (e, a) in used(facts).filter(|(_, a)| a.path.contains('%') || !a.path.is_ascii()) {
        for trick in path_tricks(a) {
            let Some((says, all)) = pick(&trick) else { continue };
            let shown = shown(&a.path);
            let mut d = rule
                .about(facts, e)
                .title(format!("{}: {shown}", rule.title))
                .evidence_as("url", says, &shown, e.place);
            if !all.is_empty() {
                d = d.detail("code_points", points(all));
            }
            out.add(d);
        }
    }
}

fn homoglyph(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    paths(facts, rule, out, |t| match t {
        PathTrick::Homoglyph(_, all) => Some(("has letters that look like others", all)),
        _ => None,
    });
}

fn non_ascii_path(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    paths(facts, rule, out, |t| match t {
        PathTrick::NonAscii(all) => Some(("has characters outside ASCII", all)),
        _ => None,
    });
}

fn double_encoding(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    paths(facts, rule, out, |t| match t {
        PathTrick::DoubleEncoding => Some(("is encoded twice", &[])),
        _ => None,
    });
}
