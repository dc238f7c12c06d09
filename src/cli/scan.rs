//! `shellward scan`: what dangerous shell text is in the files of a project.

use super::exit::{Exit, Failure};
use super::{audit, check, output};
use crate::audit::scan::run::{self, Located, Scanned};
use crate::count::{counted, number};
use crate::effect::Language;
use crate::finding::Severity;
use crate::redact;
use crate::report::{self, records, visible};
use clap::{ArgMatches, Args, Command, FromArgMatches};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Arguments of `scan`.
#[derive(Debug, Args)]
struct ScanArgs {
    /// Files and directories; in directories, what git would ignore is left out
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    /// Look into fenced blocks of Markdown files
    #[arg(long)]
    markdown: bool,
    /// The shell of texts of which nothing says which
    #[arg(long, value_name = "NAME", default_value = "bash", value_parser = check::shells())]
    shell: Language,
    /// Only findings of this rule (may be repeated)
    #[arg(long, value_name = "ID")]
    rule: Vec<String>,
    /// Only findings at least that bad
    #[arg(long, value_name = "LEVEL", default_value = "low", ignore_case = true, value_parser = check::levels())]
    min_severity: Severity,
    /// JSON lines: one for each finding, then the summary
    #[arg(long)]
    json: bool,
    /// SARIF 2.1.0
    #[arg(long, conflicts_with = "json")]
    sarif: bool,
    /// Leave out the findings that this file lists
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Write the findings of this run to a file for --baseline
    #[arg(long, value_name = "FILE")]
    write_baseline: Option<PathBuf>,
    /// End with 1 where a finding is at least that bad
    #[arg(long, value_name = "LEVEL", default_value = "high", ignore_case = true, value_parser = check::levels())]
    fail_on: Severity,
    #[command(flatten)]
    policy: super::policy::PolicyArgs,
}

pub(super) fn describe(command: Command) -> Command {
    ScanArgs::augment_args(command)
        .about("Say what dangerous shell text is in scripts, Dockerfiles, Makefiles, CI pipelines and the like")
        .after_help(
            "Exit codes:\n   0  done\n   1  there are findings at least as bad as --fail-on\n  64  wrong usage\n  \
             74  a named file could not be read, or writing failed",
        )
}

pub(super) fn run(matches: &ArgMatches) -> Result<Exit, Failure> {
    let args = ScanArgs::from_arg_matches(matches).map_err(|e| Failure::usage(e.to_string()))?;
    let known = args.baseline.as_deref().map(baseline).transpose()?.unwrap_or_default();
    if let Some(missing) = args.paths.iter().find(|p| !p.exists()) {
        return Err(Failure { exit: Exit::Io, message: format!("{}: there is no such file", missing.display()) });
    }
    let here = std::env::current_dir().ok();
    let (mut policy, _) = args.policy.load(here.as_deref())?;
    // What is wrong with it was told; a finding on each file helps nobody.
    policy.gate.broken.clear();
    audit::known_rules(&args.rule, &policy)?;
    let pool = audit::pool()?;
    let mut problems = Vec::new();
    let files = run::files(&args.paths, &mut problems);
    let mut scanned = run::run(&files, &args.paths, args.markdown, args.shell, &pool, &audit::judge(policy));
    let asked = |l: &Located| {
        let rule = args.rule.is_empty() || args.rule.iter().any(|r| r == l.finding.rule_id);
        rule && l.finding.severity >= args.min_severity
    };
    scanned.found.retain(asked);
    if let Some(path) = &args.write_baseline {
        write_baseline(path, &scanned.found)?;
    }
    let before = scanned.found.len();
    scanned.found.retain(|l| !known.contains(&l.fingerprint()));
    let accepted = before.saturating_sub(scanned.found.len());
    for problem in problems.iter().chain(&scanned.problems) {
        output::complain(problem);
    }
    let text = if args.sarif {
        report::sarif::log(&scanned.found)
    } else if args.json {
        json_lines(&scanned, accepted)
    } else {
        people(&scanned, accepted)
    };
    output::print(text.as_bytes())?;
    let bad = scanned.found.iter().any(|l| l.finding.severity >= args.fail_on);
    Ok(if bad { Exit::Block } else { Exit::Allow })
}

/// The fingerprints in a baseline file: the first word of each line that is no comment. A file of another kind is refused:
/// taken for an empty one it would let all that is known fail the run.
fn baseline(path: &Path) -> Result<BTreeSet<String>, Failure> {
    let text = std::fs::read_to_string(path)
        .map_err(|e| Failure::usage(format!("cannot read the baseline {}: {e}", path.display())))?;
    let mut known = BTreeSet::new();
    for (i, line) in text.lines().enumerate().filter(|(_, l)| !l.starts_with('#') && !l.trim().is_empty()) {
        let word = line.split_ascii_whitespace().next().unwrap_or_default();
        if !Located::is_fingerprint(word) {
            return Err(Failure::usage(format!(
                "{}:{}: this is no baseline: a line is a fingerprint, a rule and a file, as --write-baseline makes it",
                path.display(),
                i.saturating_add(1)
            )));
        }
        known.insert(word.to_string());
    }
    Ok(known)
}

fn write_baseline(path: &Path, found: &[Located]) -> Result<(), Failure> {
    let lines: BTreeSet<String> = found
        .iter()
        .map(|l| format!("{} {} {}\n", l.fingerprint(), l.finding.rule_id, visible::line(&l.path)))
        .collect();
    let text =
        format!("# Findings that are known: fingerprint, rule, file.\n{}", lines.into_iter().collect::<String>());
    std::fs::write(path, text).map_err(|e| Failure::io(&format!("cannot write {}", path.display()), &e))
}

fn people(scanned: &Scanned, accepted: usize) -> String {
    let mut out = String::new();
    for l in &scanned.found {
        let f = &l.finding;
        // Writing to a string cannot fail.
        let _ = writeln!(
            out,
            "{}:{}:{}: {} {} ({})",
            visible::line(&l.path),
            l.start.0,
            l.start.1,
            records::severity(f.severity),
            visible::line(&f.title),
            f.rule_id
        );
        let text: String = visible::line(&l.text).chars().take(160).collect();
        let _ = writeln!(out, "    {text}");
        if !f.remediation.is_empty() {
            let _ = writeln!(out, "    safer: {}", visible::line(&f.remediation));
        }
        // Of a text of many lines it would be all of them.
        if let Some(fix) = f.fix.as_deref().filter(|fix| l.fix.is_some() && !fix.contains('\n')) {
            let _ = writeln!(out, "    instead: {}", visible::line(&redact::text(fix)));
        }
    }
    let known = if accepted > 0 { format!(", {accepted} known ones left out") } else { String::new() };
    let _ = writeln!(
        out,
        "{} in {} with {}{known}",
        counted(scanned.found.len() as u64, "finding"),
        counted(scanned.files as u64, "file"),
        match scanned.pieces {
            1 => "1 piece of shell text".to_string(),
            n => format!("{} pieces of shell text", number(n as u64)),
        }
    );
    out
}

fn json_lines(scanned: &Scanned, accepted: usize) -> String {
    let mut out = String::new();
    for l in &scanned.found {
        let f = &l.finding;
        let object = serde_json::json!({
            "type": "finding", "file": l.path, "kind": l.kind, "line": l.start.0, "column": l.start.1,
            "end_line": l.end.0, "end_column": l.end.1, "rule_id": f.rule_id, "severity": f.severity,
            "confidence": f.confidence, "title": f.title, "mitre_id": f.mitre_id, "text": l.text,
            "remediation": f.remediation, "fingerprint": l.fingerprint(),
            "fix": l.fix.as_ref().map(|x| serde_json::json!({
                "line": x.start.0, "column": x.start.1, "end_line": x.end.0, "end_column": x.end.1, "text": x.text,
            })),
        });
        let _ = writeln!(out, "{object}");
    }
    let summary = serde_json::json!({
        "type": "summary", "findings": scanned.found.len(), "files": scanned.files, "pieces": scanned.pieces,
        "accepted": accepted, "problems": scanned.problems.len(),
    });
    let _ = writeln!(out, "{summary}");
    out
}
