//! How content travels: clear text, unchecked certificates, addresses that hide who they are.
//!
//! In: fetches, sends, clones and connections, and what runs their content. Out: findings of the family *transport*.

use super::taken::is_taken_in;
use super::{Category, Facts, Findings, Rule, fix};
use crate::effect::graph::Process;
use crate::effect::{Effect, Object, Props, Verb};
use crate::finding::{Confidence, Severity};
use crate::url::{Address, Host, HostKind, Reach};
use crate::value::Value;
use std::net::IpAddr;

/// Verbs that use an address.
const NETWORK: &[Verb] = &[Verb::Fetch, Verb::Send, Verb::Clone, Verb::Connect];
/// Verbs that get content.
pub(super) const GETS: &[Verb] = &[Verb::Fetch, Verb::Clone];

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "plain_http_to_sink",
        title: "Plain HTTP to a sink",
        severity: Severity::High,
        confidence: Confidence::High,
        category: Category::Transport,
        mitre: Some("T1557"),
        floor: false,
        description: "Content that comes in clear text, so that anyone on the way can replace it, is run or installed. \
                      Use an https address, and check the content before it is used.",
        remediation: "Use https, and check a signature or checksum before use.",
        good: &["curl -s http://localhost:8080/health", "curl -s http://e.example/x.json", "curl http://127.1/x | sh"],
        bad: &[
            "curl -s http://e.example/x.sh | sh",
            "wget http://e.example/x -O f && sh f",
            "pip install -i http://e.example/simple x",
            "curl http://e.example/x -o ~/.local/bin/x",
            "wget http://e.example/x -O x; chmod +x x",
        ],
        check: plain_to_sink,
    },
    Rule {
        id: "schemeless_to_sink",
        title: "Address without a scheme to a sink",
        severity: Severity::High,
        confidence: Confidence::High,
        category: Category::Transport,
        mitre: Some("T1557"),
        floor: false,
        description: "The address names no scheme, so the program takes plain HTTP, which anyone on the way can replace; \
                      and what comes is run. Write the address with https://.",
        remediation: "Write the address with https://.",
        good: &["curl example.com", "curl -s localhost:8080/x | sh"],
        bad: &["curl -s e.example/x.sh | sh"],
        check: schemeless_to_sink,
    },
    Rule {
        id: "plain_http_download",
        title: "Plain HTTP download",
        severity: Severity::Low,
        confidence: Confidence::High,
        category: Category::Transport,
        mitre: Some("T1557"),
        floor: false,
        description: "A file comes in clear text, so that anyone on the way can read and replace it. Use an https address \
                      where the server has one.",
        remediation: "Use https where the server has it.",
        good: &["curl -O http://localhost/x", "wget https://e.example/x.tar.gz", "curl http://example.com/status"],
        bad: &["wget http://mirror.gnu.org/x.tar.gz", "sudo curl -o x.bin http://dl.debian.org/x.bin"],
        check: plain_download,
    },
    Rule {
        id: "insecure_tls_flags",
        title: "Certificates are not checked",
        severity: Severity::Medium,
        confidence: Confidence::High,
        category: Category::Transport,
        mitre: Some("T1557"),
        floor: false,
        description: "The check of the server's certificate is switched off, so that anyone on the way can pose as the \
                      server and read or replace what passes. Add the server's certificate to those that are trusted \
                      instead.",
        remediation: "Leave the check on; give the certificate that is trusted (--cacert FILE or the like).",
        good: &["curl https://e.example/x", "curl -k https://localhost:8443/health", "curl -k https://10.0.0.2/"],
        bad: &["curl -k https://e.example/x", "wget --no-check-certificate https://e.example/x"],
        check: insecure_tls,
    },
    Rule {
        id: "shortened_url",
        title: "Shortened address",
        severity: Severity::Medium,
        confidence: Confidence::High,
        category: Category::Transport,
        mitre: Some("T1204.001"),
        floor: false,
        description: "The address leads through a link shortener: where to cannot be seen, and can be changed at any \
                      time. Use the address that it leads to.",
        remediation: "Look up where it leads and use that address.",
        good: &["curl https://example.com/bit.ly"],
        bad: &["curl -L https://bit.ly/abc"],
        check: shortened,
    },
    Rule {
        id: "raw_ip_url",
        title: "Address without a name",
        severity: Severity::Medium,
        confidence: Confidence::Medium,
        category: Category::Transport,
        mitre: Some("T1071.001"),
        floor: false,
        description: "The host is a bare number: no name and no certificate say whose it is. Use the host's name.",
        remediation: "Use the host's name, with https.",
        good: &["curl http://192.168.1.10/", "curl http://127.0.0.1:3000/", "curl http://10.0.0.1/x"],
        bad: &["curl http://203.0.113.7/x.sh -o x.sh", "wget http://3405803783/x"],
        check: raw_ip,
    },
    Rule {
        id: "password_in_clear",
        title: "Password travels in clear text",
        severity: Severity::Low,
        confidence: Confidence::Medium,
        category: Category::Transport,
        mitre: Some("T1040"),
        floor: false,
        description: "The address holds a name and a password and is not encrypted, so that everybody on the way can read them; \
                      the history and the list of processes keep them as well. Use https, and let the program read the \
                      password from a file.",
        remediation: "Use https, and keep the password in a file (~/.netrc) that only you can read.",
        good: &["curl http://e.example/x", "curl https://u:p@e.example/x", "curl http://u:p@localhost:8080/x"],
        bad: &["curl http://u:p4ss@e.example/x"],
        check: password_in_clear,
    },
    Rule {
        id: "userinfo_trick",
        title: "Name before the @ of an address",
        severity: Severity::High,
        confidence: Confidence::High,
        category: Category::Transport,
        mitre: Some("T1036"),
        floor: false,
        description: "What stands before the @ looks like a host, but is only a user name: the address leads to the host \
                      behind it. Write the address without it.",
        remediation: "Use the address of the host that is meant, without a user name.",
        good: &["curl https://user:pw@e.example/", "git clone https://token@github.com/o/r"],
        bad: &["curl https://github.com@e.example/x.sh", "curl 'https://github.com\\@e.example/x.sh'"],
        check: userinfo,
    },
    Rule {
        id: "metadata_endpoint",
        title: "Metadata service of a cloud",
        severity: Severity::High,
        confidence: Confidence::High,
        category: Category::Credentials,
        mitre: Some("T1552.005"),
        floor: false,
        description: "The metadata service gives the identity, and often the keys, of the machine to whoever asks from \
                      it. Use the cloud's own client, which asks for what it needs.",
        remediation: "Use the cloud's own client or a role that is meant for it.",
        good: &["curl http://169.254.1.1/"],
        bad: &[
            "curl http://169.254.169.254/latest/meta-data/iam/security-credentials/",
            "wget -qO- http://2852039166/latest/",
        ],
        check: metadata,
    },
    Rule {
        id: "private_network_access",
        title: "Address of a private network",
        severity: Severity::Info,
        confidence: Confidence::High,
        category: Category::Transport,
        mitre: Some("T1046"),
        floor: false,
        description: "The host is a number of this machine or a private network. That is usual where one works in that network; \
                      written in hexadecimal, in octal, as one whole number or inside another address, it is written so as \
                      not to be recognised. Write the number plainly.",
        remediation: "Write the number plainly, or use the host's name.",
        good: &[
            "curl http://localhost:3000/",
            "curl http://127.0.0.1/",
            "curl http://db:5432/",
            "curl http://127.1:8080/",
        ],
        bad: &["curl http://10.0.0.5/x", "curl http://0x7f000001/", "wget http://3232235777/x", "nc 0300.0250.1.1 80"],
        check: private,
    },
];

fn to_sink(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings, wanted: fn(&Address) -> bool) {
    for e in facts.with(GETS) {
        let Some(sink) = facts.run_by(e) else { continue };
        let Some(a) = facts.address(e).filter(|a| wanted(a) && !a.is_near()) else { continue };
        out.add(
            rule.about(facts, e)
                .also(sink)
                .title(format!("{}: {} → {}", rule.title, a.raw, facts.name(sink)))
                .evidence_as("url", "comes in clear text", &a.raw, e.place)
                .evidence("flow", "is run by", facts.command_place(sink))
                .fix(fix::secure(facts, e, a)),
        );
    }
}

fn plain_to_sink(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    let clear = |a: &Address| !a.schemeless && a.is_cleartext();
    to_sink(facts, rule, out, clear);
    plain_program(facts, rule, out);
    plain_setup(facts, rule, out);
    // An installation from an address is a sink of its own.
    // So is another index than the usual one: all packages of the installation may come from it.
    let index = facts.with(&[Verb::Connect]).filter(|e| e.props.has(Props::OTHER_INDEX));
    // So is what a program gets to install, build or apply it itself, or to trust it.
    let taken = facts.with(GETS).filter(|e| facts.run_by(e).is_none() && facts.set_up_by(e).is_none());
    let taken = taken.filter(|e| facts.props(e).has(Props::FROM_URL) || is_taken_in(facts, e));
    for e in facts.with(&[Verb::Install]).chain(index).chain(taken) {
        let Some(a) = facts.address(e).filter(|a| clear(a) && !a.is_near()) else { continue };
        out.add(
            rule.about(facts, e)
                .title(format!("{}: {} → {}", rule.title, a.raw, facts.name(e)))
                .evidence_as("url", "comes in clear text", &a.raw, e.place)
                .fix(fix::secure(facts, e, a)),
        );
    }
}

fn plain_setup(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    for e in facts.with(GETS).filter(|e| facts.run_by(e).is_none()) {
        let Some(a) = facts.address(e).filter(|a| a.is_cleartext() && a.reach() == Reach::Public) else { continue };
        let Some(sink) = facts.set_up_by(e) else { continue };
        out.add(
            rule.about(facts, e)
                .also(sink)
                .title(format!("{}: {} → {}", rule.title, a.raw, facts.name(sink)))
                .evidence_as("url", "comes in clear text", &a.raw, e.place)
                .evidence("flow", "is trusted or applied by", facts.command_place(sink))
                .fix(fix::secure(facts, e, a)),
        );
    }
}

fn plain_program(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    for e in facts.with(GETS).filter(|e| facts.run_by(e).is_none()) {
        let Some(a) = facts.address(e).filter(|a| a.is_cleartext() && a.reach() == Reach::Public) else { continue };
        let Some(kept) = facts.kept_as_program(e) else { continue };
        out.add(
            rule.about(facts, e)
                .also(kept)
                .title(format!("{}: {} → {}", rule.title, a.raw, kept.object.show()))
                .evidence_as("url", "comes in clear text", &a.raw, e.place)
                .evidence("path", "decides what runs or is trusted", kept.place)
                .fix(fix::secure(facts, e, a)),
        );
    }
}

fn schemeless_to_sink(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    to_sink(facts, rule, out, |a| a.schemeless && a.is_cleartext() && a.reach() != Reach::Unknown);
}

fn plain_download(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    for e in facts.with(GETS) {
        let Some(a) = facts.address(e).filter(|a| a.is_cleartext() && a.reach() == Reach::Public) else { continue };
        // Mirrors that speak rsync have no other way.
        if a.scheme == "rsync" || facts.props(e).has(Props::HEAD_ONLY) || facts.run_by(e).is_some() {
            continue;
        }
        // A program is a graver matter.
        if facts.kept_as_program(e).is_some() {
            continue;
        }
        // So is what is set up with it.
        if facts.set_up_by(e).is_some() || is_taken_in(facts, e) {
            continue;
        }
        let kept = facts
            .with(&[Verb::Write, Verb::Append, Verb::Extract])
            .find(|w| !w.props.has(Props::HEAD_ONLY) && facts.sources(w).iter().any(|r| r.from == e.id));
        let Some(kept) = kept.or((e.verb == Verb::Clone).then_some(e)) else { continue };
        // Pictures, tables and texts are looked at; old servers of repositories have no other way.
        let mild = is_looked_at(a) || e.verb == Verb::Clone && a.scheme != "http";
        let severity = if mild { Severity::Info } else { rule.severity };
        out.add(
            rule.about(facts, e)
                .severity(severity)
                .title(format!("{}: {}", rule.title, a.raw))
                .evidence_as("url", "comes in clear text", &a.raw, e.place)
                .evidence("path", "is kept", kept.place)
                .fix(fix::secure(facts, e, a)),
        );
    }
}

/// Endings of files that people look at, and that nothing runs, unpacks or installs.
const LOOKED_AT: &[&str] = &[
    "avi", "bmp", "csv", "epub", "flac", "gif", "htm", "html", "ico", "ics", "jpeg", "jpg", "log", "md", "mkv", "mp3",
    "mp4", "ogg", "pdf", "png", "rss", "svg", "tif", "tiff", "tsv", "txt", "wav", "webm", "webp",
];

/// True where the address names a picture, a table or a text.
fn is_looked_at(a: &Address) -> bool {
    let path = a.path.split(['?', '#']).next().unwrap_or_default();
    let name = path.rsplit('/').next().unwrap_or_default();
    let ending = name.rsplit_once('.').map(|(_, e)| e.to_ascii_lowercase());
    ending.is_some_and(|e| LOOKED_AT.contains(&e.as_str()))
}

fn insecure_tls(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    for e in facts.with(NETWORK).filter(|e| facts.props(e).has(Props::TLS_UNVERIFIED)) {
        let Some(a) = facts.address(e).filter(|a| !a.is_near() && a.scheme != "http") else { continue };
        // A look at the headers gets nothing that could be replaced; a variable is found by itself.
        let by_variable = |x: &Effect| x.process == e.process && super::environment::is_unchecked(x);
        if facts.props(e).has(Props::HEAD_ONLY) || facts.with(&[Verb::Environment]).any(by_variable) {
            continue;
        }
        let severity = if facts.run_by(e).is_some() { Severity::High } else { rule.severity };
        out.add(
            rule.about(facts, e)
                .severity(severity)
                .title(format!("{}: {}", rule.title, a.host_shown()))
                .evidence("command_pattern", "switches the check off", facts.command_place(e))
                .evidence_as("url", "could be anybody", &a.raw, e.place)
                .fix(fix::without(facts, e, Props::TLS_UNVERIFIED)),
        );
    }
    unchecked_elsewhere(facts, rule, out);
}

/// Programs that leave the check out and whose server does not stand in the command: a cluster's, a registry's, the one
/// that `git` connects to by the command that it is given.
fn unchecked_elsewhere(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    let unchecked = |p: &&Process| p.props.has(Props::TLS_UNVERIFIED) && !p.props.has(Props::SIMULATED);
    let by_variable = facts.with(&[Verb::Environment]).any(super::environment::is_unchecked);
    for p in facts.graph.processes.iter().filter(unchecked).filter(|_| !by_variable) {
        // An image without a registry comes from the usual one, or from one that the machine is set up with.
        let own = |e: &&Effect| e.process == p.id && e.verb != Verb::Environment;
        let has_address = |e: &Effect| {
            let place = facts.address(e).is_some_and(|a| NETWORK.contains(&e.verb) || a.is_near());
            place || matches!(e.object, Object::Named("image", _))
        };
        let mut effects = facts.effects().filter(own).peekable();
        let Some(first) = effects.peek().copied() else {
            continue;
        };
        if effects.any(has_address) {
            continue;
        }
        let above: Vec<_> = facts.lineage(p.id).skip(1).map(|q| q.id).collect();
        let mut above = facts.with(NETWORK).filter(|e| above.contains(&e.process)).filter_map(|e| facts.address(e));
        // `mc alias set local https://localhost:9000`: words of which nothing is said, but which name this machine.
        let named = |v: &Value| Address::parse_text(&v.show(), "https").is_some_and(|a| a.is_near() && a.is_listed());
        if above.any(Address::is_near) || p.argv.iter().skip(1).any(named) {
            continue;
        }
        out.add(
            rule.about(facts, first)
                .title(format!("{}: {}", rule.title, p.name))
                .evidence("command_pattern", "switches the check off", p.place)
                .fix(fix::without(facts, first, Props::TLS_UNVERIFIED)),
        );
    }
}

fn shortened(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    for e in facts.with(NETWORK) {
        let Some(a) = facts.address(e) else { continue };
        if a.kind(HostKind::Shortener).is_some() {
            // Asking for the head alone is how one sees where it leads.
            let asks = facts.props(e).has(Props::HEAD_ONLY);
            out.add(
                rule.about(facts, e)
                    .severity(if asks { Severity::Info } else { rule.severity })
                    .title(format!("{}: {}", rule.title, a.raw))
                    .evidence_as("url", "leads somewhere else", &a.raw, e.place),
            );
        }
    }
}

fn raw_ip(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    for e in facts.with(&[Verb::Fetch, Verb::Send, Verb::Clone]) {
        let Some(a) = facts.address(e).filter(|a| a.reach() == Reach::Public) else { continue };
        let Host::Ip(ip) = &a.host else { continue };
        if a.kind(HostKind::Resolver).is_some() {
            continue;
        }
        let plain = ip.to_string();
        let disguised = matches!(ip, IpAddr::V4(_)) && plain != a.host_text.trim_end_matches('.');
        // Copies to and from a machine that one logs in to go by its address all the time: its key says whose it is.
        let login = match a.scheme.as_str() {
            "ssh" | "scp" | "sftp" => true,
            "" | "rsync" => e.verb != Verb::Fetch,
            _ => false,
        };
        let severity = match facts.run_by(e).is_some() || disguised {
            true => Severity::High,
            false if login => Severity::Info,
            false => rule.severity,
        };
        let mut d = rule
            .about(facts, e)
            .severity(severity)
            .title(format!("{}: {}", rule.title, a.host_text))
            .evidence_as("host", "is a number", &a.host_text, e.place);
        if disguised {
            d = d.detail("address", plain);
        }
        out.add(d);
    }
}

fn password_in_clear(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    for e in facts.with(NETWORK) {
        let Some(a) = facts.address(e).filter(|a| a.scheme == "http" && !a.is_near()) else { continue };
        if a.password.as_ref().is_some_and(|p| !p.is_empty()) {
            out.add(
                rule.about(facts, e)
                    .title(format!("{}: {}", rule.title, a.host_shown()))
                    .evidence_as("url", "carries it in clear text", a.host_shown(), e.place)
                    .fix(fix::secure(facts, e, a)),
            );
        }
    }
}

fn userinfo(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    for e in facts.with(NETWORK) {
        const READ: &[&str] = &["http", "https", "ftp", "ssh", "sftp", "git", "ws", "wss"];
        let Some(a) = facts.address(e).filter(|a| READ.contains(&a.scheme.as_str())) else { continue };
        // `https://good.example\@evil.example`, `https://good.example#@evil.example`: which side is the host depends on
        // who reads it (RFC 3986 and WHATWG URL differ).
        let split = a.path.strip_prefix(['\\', '#', '?']).is_some_and(|p| p.starts_with('@'));
        if split {
            let title = format!("{}: {} or what follows the @", rule.title, a.host_shown());
            out.add(rule.about(facts, e).title(title).evidence_as("url", "is read in two ways", &a.raw, e.place));
            continue;
        }
        // A login at another machine has the name of a person: `me.too@host`.
        let login = matches!(a.scheme.as_str(), "ssh" | "sftp" | "git");
        let is_host = |u: &&str| if login { has_known_host(u) } else { is_like_host(u) || has_known_host(u) };
        let Some(user) = a.user.as_deref().filter(is_host) else { continue };
        out.add(
            rule.about(facts, e)
                .title(format!("{}: {user} leads to {}", rule.title, a.host_shown()))
                .evidence_as("url", "leads to the host behind the @", &a.raw, e.place)
                .detail("host", a.host_shown()),
        );
    }
}

/// True where a user name reads like the name or number of a host. A mail address as a user name has its own @, written
/// `%40`.
fn is_like_host(user: &str) -> bool {
    let host = user.split(|c: char| !(c.is_alphanumeric() || "-_.".contains(c))).next().unwrap_or(user);
    let last = host.rsplit('.').next().unwrap_or_default();
    let number = || host.parse::<std::net::Ipv4Addr>().is_ok();
    let name = last.chars().count() >= 2 && last.chars().all(char::is_alphabetic);
    host.contains('.') && (name || number()) && !user.contains("%40")
}

/// True where what stands before the last @ is itself `user@host` with a host that everybody knows.
fn has_known_host(user: &str) -> bool {
    user.split('@').any(|part| {
        let host = part.split([':', '/', '%']).next().unwrap_or(part).to_ascii_lowercase();
        host.contains('.') && crate::url::known::known(&host).is_some()
    })
}

fn metadata(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    for e in facts.with(NETWORK) {
        let Some(a) = facts.address(e) else { continue };
        let other = a.without_backslashes();
        let Some(a) = [Some(a), other.as_ref()].into_iter().flatten().find(|a| a.reach() == Reach::Metadata) else {
            continue;
        };
        out.add(metadata_draft(facts, rule, e, a));
    }
}

fn private(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    for e in facts.with(NETWORK) {
        let Some(a) = facts.address(e).filter(|a| a.is_near() && matches!(a.host, Host::Ip(_))) else { continue };
        let disguised = a.is_disguised();
        // This machine is nobody else's network.
        if a.reach() == Reach::Loopback && !disguised {
            continue;
        }
        let severity = if disguised { Severity::Low } else { rule.severity };
        out.add(
            rule.about(facts, e)
                .severity(severity)
                .title(format!("{}: {}", rule.title, a.host_shown()))
                .evidence_as("host", "is a number of a private network", &a.host_text, e.place)
                .detail("address", a.host_shown()),
        );
    }
}

fn metadata_draft<'f, 'a>(f: &'f Facts<'a>, rule: &'static Rule, e: &Effect, a: &Address) -> super::Draft<'f, 'a> {
    rule.about(f, e)
        .title(format!("{}: {} ({})", rule.title, a.host_shown(), a.kind(HostKind::Metadata).unwrap_or("a cloud")))
        .evidence_as("url", "asks for the machine's identity", &a.raw, e.place)
}
