//! Making databases and signing them.

use super::{path, wrong};
use crate::cli::exit::{Exit, Failure};
use crate::cli::output;
use crate::intel::db::{Builder, Plan, Refusal, sign as signing};
use crate::intel::feed;
use crate::time;
use clap::ArgMatches;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

pub(super) fn build(m: &ArgMatches) -> Result<Exit, Failure> {
    let out = path(m, "out")?;
    let now = time::now();
    let days = m.get_one::<u32>("expires").copied().unwrap_or(0);
    let plan = Plan {
        name: m.get_one::<String>("name").cloned().unwrap_or_default(),
        version: m.get_one::<u64>("version").copied().unwrap_or_else(|| u64::try_from(now).unwrap_or(0)),
        made: now,
        expires: if days == 0 { 0 } else { now.saturating_add(i64::from(days).saturating_mul(86_400)) },
    };
    let mut builder = Builder::new();
    let mut said = String::new();
    for feed in m.get_many::<String>("feed").into_iter().flatten() {
        let (head, file) =
            feed.split_once(':').ok_or_else(|| Failure::usage(format!("{feed:?} is not FORMAT[=NAME]:PATH")))?;
        let (name, called) = head.split_once('=').unwrap_or((head, head));
        let format = feed::format(name).ok_or_else(|| Failure::usage(format!("there is no format {name:?}")))?;
        let read =
            feed::read(format, Path::new(file), called, &mut builder).map_err(|e| Failure::usage(e.to_string()))?;
        // Writing to a string cannot fail.
        let _ = writeln!(said, "{called}: {} indicators, {} entries left out", read.read, read.skipped);
    }
    if builder.is_empty() {
        return Err(Failure::usage("the feeds have no indicators"));
    }
    let failed = |e: std::io::Error| Failure::io(&format!("cannot write {}", out.display()), &e);
    // The folder of one's own databases is made with the first of them.
    if let Some(dir) = out.parent().filter(|d| !d.as_os_str().is_empty()) {
        std::fs::create_dir_all(dir).map_err(failed)?;
    }
    let header = builder.write(out, &plan).map_err(|e| match e {
        Refusal::Io(e) => failed(e),
        e => wrong(format!("{} {e}", out.display())),
    })?;
    let _ = writeln!(said, "{}: version {}, {} records, not signed", out.display(), header.version, header.records);
    output::print(said.as_bytes())?;
    Ok(Exit::Allow)
}

pub(super) fn keys(m: &ArgMatches) -> Result<Exit, Failure> {
    let out = path(m, "out")?;
    let (public, secret) = signing::new_keys().map_err(wrong)?;
    for (ending, text, mode) in [("key", secret, 0o600), ("pub", public, 0o644)] {
        let mut name = out.as_os_str().to_owned();
        name.push(format!(".{ending}"));
        let mut options = std::fs::OpenOptions::new();
        // A key that is there is not written over.
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, mode);
        let written = options.open(&name).and_then(|mut f| f.write_all(text.as_bytes()));
        written.map_err(|e| Failure::io(&format!("cannot write {}", Path::new(&name).display()), &e))?;
    }
    output::print(format!("made {0}.pub and {0}.key\n", out.display()).as_bytes())?;
    Ok(Exit::Allow)
}

pub(super) fn header(m: &ArgMatches) -> Result<Exit, Failure> {
    let file = path(m, "file")?;
    let open = std::fs::File::open(file).map_err(|e| Failure::usage(format!("cannot read {}: {e}", file.display())))?;
    let bytes = signing::header_of(&open).map_err(|e| wrong(format!("{} {e}", file.display())))?;
    output::print(&bytes)?;
    Ok(Exit::Allow)
}

pub(super) fn sign(m: &ArgMatches) -> Result<Exit, Failure> {
    let file = path(m, "file")?;
    let read =
        |p: &Path| std::fs::read_to_string(p).map_err(|e| Failure::usage(format!("cannot read {}: {e}", p.display())));
    let id = match m.get_one::<std::path::PathBuf>("signature") {
        Some(signature) => signing::attach(file, &read(signature)?),
        None => {
            let password = std::env::var("SHELLWARD_KEY_PASSWORD").unwrap_or_default();
            signing::sign(file, &read(path(m, "key")?)?, &password)
        }
    }
    .map_err(|e| wrong(format!("{}: {e}", file.display())))?;
    output::print(format!("{} is signed by the key {id}\n", file.display()).as_bytes())?;
    Ok(Exit::Allow)
}
