//! What stands against *safe*: each effect that is more than looking at things, in words.
//!
//! In: effects, and the stances of the user ([`crate::options::Stances`]). Out: the reason why one is not safe, or none.
//! What stands in the way of safety, but is no risk, is decided here and nowhere else.

use super::own::Own;
use super::{Facts, environment};
use crate::command::calls;
use crate::effect::path::{Class as PathClass, Mark, Part, Resolved};
use crate::effect::{Effect, Language, Object, Props, Site, Verb};
use crate::options::Writes;
use crate::url::Reach;
use crate::value::{Piece, Why};

/// True where every unknown part of a path is what a command prints or standard input holds.
fn is_listed(o: &Object) -> bool {
    let listed = |p: &Piece| match p {
        Piece::Unknown(u) => matches!(u.why, Why::Output(_) | Why::Names(_) | Why::Program(_) | Why::Stdin),
        Piece::OneOf(_) => false,
        _ => true,
    };
    o.value().is_some_and(|v| v.pieces.iter().all(listed))
}

/// Why an effect is more than looking at things; `None` where it is not. `own`: what runs the project's own code, as far
/// as the stance takes that for safe.
pub(super) fn concern(facts: &Facts<'_>, e: &Effect, own: &Own) -> Option<String> {
    let stances = facts.options.stances;
    let trusted = own.has(e.process);
    let shown = || match facts.path(e) {
        Some(p) => p.text.clone(),
        None => e.object.show(),
    };
    if facts.elevated(e) {
        return Some(format!("{} runs with other rights", facts.name(e)));
    }
    if let Site::Remote(_) = e.site
        && e.verb != Verb::Connect
    {
        return Some(format!("{} runs on another machine", facts.name(e)));
    }
    match e.verb {
        Verb::Execute | Verb::Evaluate if trusted && !matches!(e.object, Object::Stated(_)) => None,
        Verb::Evaluate if stances.project_code && builds(facts, e) => {
            own.is_changed(e).then(|| format!("{} runs what the same text has written", facts.name(e)))
        }
        Verb::Create | Verb::Fetch if stances.project_code && builds(facts, e) => None,
        // A development server of the project, and the end of what the text itself has put into the background.
        Verb::Listen if stances.project_code && serves(facts, e) => None,
        Verb::Kill if stances.project_code && is_own_job(e) => None,
        Verb::Read | Verb::List => looks(facts, e),
        Verb::Inspect if !stances.repository && matches!(e.object, Object::Stated("repository" | "worktree")) => {
            Some("the repository's own settings may name programs that run".into())
        }
        Verb::Inspect if facts.props(e).has(Props::TLS_UNVERIFIED) => {
            Some(format!("{} shows who it is to whoever answers", facts.name(e)))
        }
        // The variables of a container are where its services get their passwords from.
        Verb::Inspect if e.object == Object::Stated("environment") && facts.contained(e) => {
            Some(format!("{} shows the variables of a container", facts.name(e)))
        }
        Verb::Inspect | Verb::Decode | Verb::Encode | Verb::Probe | Verb::Chdir => None,
        // What a program starts by itself, or by an option that only says so: its editor, a pager, a decompressor.
        Verb::Spawn => match &e.object {
            Object::Command(_) => None,
            what => Some(format!("{} starts a program of its own choice: {}", facts.name(e), what.show())),
        },
        Verb::Write | Verb::Append | Verb::Update | Verb::Create
            if facts.path(e).is_some_and(|p| p.class == PathClass::HarmlessDevice) =>
        {
            None
        }
        Verb::Write | Verb::Append | Verb::Update | Verb::Create | Verb::Move | Verb::Link | Verb::Mode
            if is_own(facts, e, stances.writes) =>
        {
            None
        }
        Verb::Environment if stances.variables && (is_idle(facts, e) || environment::is_plain(e)) => None,
        // What goes through a connection to this machine is an effect of its own.
        Verb::Connect if stances.network && facts.address(e).is_some_and(|a| a.reach() == Reach::Loopback) => None,
        Verb::Evaluate => match &e.object {
            Object::Code(l, v) if v.is_known() || (l.takes_text() && v.is_settled()) => None,
            Object::Code(l, _) => Some(format!("runs {l} code that is not known")),
            what => Some(format!("runs code that is not known: {}", what.show())),
        },
        Verb::Fetch => match facts.address(e) {
            Some(a) if !stances.network && a.reach() != Reach::Loopback => Some(format!("fetches {}", a.raw)),
            Some(a) if matches!(a.reach(), Reach::Public | Reach::Loopback) && !a.raw.contains('…') => {
                (e.props.has(Props::TLS_UNVERIFIED) && a.reach() != Reach::Loopback)
                    .then(|| format!("fetches unchecked: {}", a.raw))
            }
            _ => Some(format!("fetches {}", shown())),
        },
        Verb::Write | Verb::Append | Verb::Update => Some(format!("writes {}", shown())),
        verb => Some(format!("{} {}", verb.name(), shown()).trim_end().to_string()),
    }
}

/// Why an effect that a dry run withholds is more than looking at things all the same: an installation still fetches and
/// may build, and to say what it would do a program reads its settings, which are code.
pub(super) fn even_dry(facts: &Facts<'_>, e: &Effect, own: &Own) -> Option<String> {
    match e.verb {
        Verb::Install | Verb::Publish => Some(format!("{} may fetch and build even in a dry run", facts.name(e))),
        Verb::Evaluate if matches!(e.object, Object::Stated(_)) => concern(facts, e, own),
        _ => None,
    }
}

/// True for what building and testing the project comes to: its own code and build scripts run, what is built is laid
/// down, and a build gets the packages that the project names. An installation is more than that.
fn builds(facts: &Facts<'_>, e: &Effect) -> bool {
    let runs = |e: &Effect| matches!(e.object, Object::Stated("project-code" | "build-scripts" | "tests"));
    match (e.verb, &e.object) {
        (Verb::Evaluate, _) => runs(e),
        (Verb::Create, Object::Stated(what)) => *what == "build-output",
        (Verb::Fetch, Object::Stated("packages")) => {
            let same = |o: &&Effect| o.process == e.process;
            let built = |o: &Effect| runs(o) || (o.verb == Verb::Create && builds(facts, o));
            facts.options.stances.network
                && facts.with(&[Verb::Evaluate, Verb::Create]).filter(same).any(built)
                && !facts.with(&[Verb::Install, Verb::Publish]).any(|o| same(&o))
        }
        _ => false,
    }
}

/// True where what listens is the project's own code.
fn serves(facts: &Facts<'_>, e: &Effect) -> bool {
    let own = |o: &Effect| o.process == e.process && matches!(o.object, Object::Stated("project-code"));
    facts.with(&[Verb::Evaluate]).any(own)
}

/// True for `kill $!` and `kill %1`.
fn is_own_job(e: &Effect) -> bool {
    let Some(v) = e.object.value() else { return false };
    match v.pieces.as_slice() {
        [Piece::Unknown(u)] => matches!(&u.why, Why::Parameter(name) if name == "!"),
        _ => v.as_str().is_some_and(|t| t.starts_with('%')),
    }
}

/// Why reading or listing is more than that.
fn looks(facts: &Facts<'_>, e: &Effect) -> Option<String> {
    let p = facts.path(e)?;
    if names_a_kind(p) {
        return None;
    }
    if p.marks.any(&[Mark::Credential, Mark::ProcessMemory, Mark::History]) {
        let what = format!("reads {}: {}", p.what.unwrap_or("a secret"), p.text);
        return (e.verb == Verb::Read).then_some(what);
    }
    match p.class {
        PathClass::Network => Some(format!("opens a connection: {}", p.text)),
        PathClass::Device => Some(format!("reads a device: {}", p.text)),
        // `git ls-files | xargs cat`: what the machine itself lists is only shown, as long as nothing leaves it.
        PathClass::Unknown if e.verb == Verb::Read && is_listed(&e.object) => {
            let leaves = [Verb::Send, Verb::Connect, Verb::VcsPush, Verb::Publish].iter().any(|v| facts.any(*v));
            leaves.then(|| format!("which file is read and sent is not known: {}", p.text))
        }
        PathClass::Unknown if e.verb == Verb::Read => Some(format!("which file is read is not known: {}", p.text)),
        _ => None,
    }
}

/// True for `*.json` in the project: whoever asks for all files of a kind asks for none that is a secret. What begins with
/// a dot is not among them.
fn names_a_kind(p: &Resolved) -> bool {
    let last = p.parts.last().map(Part::show).unwrap_or_default();
    let kind = last.strip_prefix("*.");
    p.class == PathClass::Project
        && kind.is_some_and(|k| k.bytes().all(|b| b.is_ascii_alphanumeric()) && !SECRET_KINDS.contains(&k))
}

/// Kinds of files that are secrets, whatever their names.
const SECRET_KINDS: &[&str] =
    &["pem", "key", "p12", "pfx", "jks", "keystore", "kdbx", "gpg", "asc", "env", "tfstate", "tfvars", "ovpn"];

/// True where a change stays with the project's ordinary files, as far as the stance allows it.
fn is_own(facts: &Facts<'_>, e: &Effect, stance: Writes) -> bool {
    let inside = |p: &Resolved| p.class == PathClass::Project && p.is_known() && is_ordinary(p);
    let Some(path) = facts.path(e) else { return false };
    if !inside(path) {
        return false;
    }
    match stance {
        Writes::None => false,
        Writes::Documents => e.verb == Verb::Write && e.props.has(Props::DOCUMENT),
        Writes::Project => facts.other_path(e).is_none_or(inside),
    }
}

/// True where nothing runs or obeys the file by itself: no dotfile, nothing that the list of places knows, no file that
/// would be taken for a module which importing is safe (`json.py`).
fn is_ordinary(p: &Resolved) -> bool {
    let parts: Vec<String> = p.parts.iter().map(Part::show).collect();
    p.marks.is_empty() && !parts.iter().any(|c| c.starts_with('.')) && !calls::stands_for_module(&parts)
}

/// True where a variable has no meaning to anything that runs: no list names it, no program that runs has it in its
/// grammar, and it is not called after one (`GIT_…` is git's).
fn is_idle(facts: &Facts<'_>, e: &Effect) -> bool {
    let Object::Named(_, name) = &e.object else { return false };
    let Some(name) = name.as_str() else { return false };
    !environment::steers(&name) && !facts.readers().have(&name)
}

/// What programs in languages for data, not for commands, start: awk's `system`, sed's `e`, a script's `os.system`.
/// Running commands is not what they are called for, so that a person wants to know, however harmless the command.
pub(super) fn started<'f>(facts: &'f Facts<'_>) -> impl Iterator<Item = String> + 'f {
    let graph = facts.graph;
    let shells = graph.programs.iter().filter(|p| is_shell(p.language)).filter_map(move |p| {
        let outer = graph.program(p.parent?)?.language;
        (!is_shell(outer)).then(|| format!("{outer} code starts a shell"))
    });
    let programs = graph.processes.iter().filter_map(move |p| {
        let language = graph.program(p.program)?.language;
        (!is_shell(language)).then(|| format!("{language} code starts {}", p.name))
    });
    shells.chain(programs)
}

/// Languages whose programs are made of commands.
fn is_shell(language: Language) -> bool {
    use Language as L;
    matches!(
        language,
        L::Sh
            | L::Bash
            | L::Zsh
            | L::Ksh
            | L::Csh
            | L::Fish
            | L::PowerShell
            | L::Cmd
            | L::Nushell
            | L::Make
            | L::Crontab
            | L::NpmScripts
    )
}
