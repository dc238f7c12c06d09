//! `shellward audit`: what dangerous commands are in histories, transcripts and logs.

use super::exit::{Exit, Failure};
use super::policy::PolicyArgs;
use super::{check, guard, output, progress};
use crate::analyzer::{Options, analyze};
use crate::audit::discover::{self, Defaults};
use crate::audit::engine::{self, Event, Progress, Source};
use crate::audit::filter::Filter;
use crate::audit::format::{self, Columns, FORMATS};
use crate::audit::input::{Input, Origin};
use crate::audit::known::Known;
use crate::audit::stats::{self, Group, Stats, Top};
use crate::audit::{Judgement, time};
use crate::effect::Language;
use crate::finding::Severity;
use crate::limits::MAX_PICTURES;
use crate::policy::Policy;
use crate::redact;
use crate::report;
use crate::rules;
use crate::verdict::Verdict;
use clap::builder::PossibleValuesParser;
use clap::{ArgMatches, Args, Command, FromArgMatches};
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

/// Arguments of `audit`.
#[derive(Debug, Args)]
struct AuditArgs {
    /// Files and directories; `-` is standard input. Without them, the histories of this user
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// The histories of all users of this machine
    #[arg(long, conflicts_with = "paths")]
    all_users: bool,
    /// The format of the inputs [default: found out for each]
    #[arg(long, value_name = "NAME", value_parser = formats())]
    format: Option<String>,
    /// The column or field that has the command, for tables and JSON lines
    #[arg(long, value_name = "NAME")]
    column: Option<String>,
    /// The shell of commands of which nothing says which
    #[arg(long, value_name = "NAME", default_value = "bash", value_parser = check::shells())]
    shell: Language,
    /// Only commands since then: a date, a time, or how long ago (90m, 24h, 7d, 2w)
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// Only commands before then
    #[arg(long, value_name = "TIME")]
    until: Option<String>,
    /// Only commands of this user (may be repeated)
    #[arg(long, value_name = "NAME")]
    user: Vec<String>,
    /// Only findings of this rule (may be repeated)
    #[arg(long, value_name = "ID")]
    rule: Vec<String>,
    /// Only findings at least that bad
    #[arg(long, value_name = "LEVEL", ignore_case = true, value_parser = check::levels())]
    min_severity: Option<Severity>,
    /// What to count findings by, beside rule and day
    #[arg(long, value_name = "WHAT", default_value = "user", value_parser = groups())]
    group_by: String,
    /// How many commands the summary shows
    #[arg(long, value_name = "N", default_value_t = 10)]
    top: usize,
    /// JSON lines: each command with findings, each input, the summary
    #[arg(long)]
    json: bool,
    /// A table (RFC 4180): a row for each finding
    #[arg(long, conflicts_with = "json")]
    csv: bool,
    /// SARIF 2.1.0
    #[arg(long, conflicts_with_all = ["json", "csv"])]
    sarif: bool,
    /// Write one HTML file with charts and all findings, beside what goes to standard output
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Only what is new since an earlier audit: a file that --json wrote
    #[arg(long, value_name = "OLD")]
    diff: Option<PathBuf>,
    /// End with 1 where a finding is at least that bad; without it only failures change the exit code
    #[arg(long, value_name = "LEVEL", ignore_case = true, value_parser = check::levels())]
    fail_on: Option<Severity>,
    #[command(flatten)]
    policy: PolicyArgs,
    /// When to colour
    #[arg(long, value_enum, value_name = "WHEN", default_value = "auto")]
    color: output::Colour,
}

fn formats() -> PossibleValuesParser {
    PossibleValuesParser::new(FORMATS.iter().map(|f| clap::builder::PossibleValue::new(f.name).help(f.about)))
}

fn groups() -> PossibleValuesParser {
    PossibleValuesParser::new(Group::ALL.iter().map(|g| g.0))
}

pub(super) fn describe(command: Command) -> Command {
    AuditArgs::augment_args(command)
        .about("Say what dangerous commands are in histories, agent transcripts and logs")
        .after_help(
            "Exit codes:\n   0  done\n   1  there are findings at least as bad as --fail-on\n  64  wrong usage\n  \
             74  nothing could be read, or writing failed",
        )
}

pub(super) fn run(matches: &ArgMatches) -> Result<Exit, Failure> {
    let args = AuditArgs::from_arg_matches(matches).map_err(|e| Failure::usage(e.to_string()))?;
    let filter = filter(&args)?;
    let (mut policy, _) = args.policy.load(None)?;
    // What is wrong with it was told; a finding on each command of the past helps nobody.
    policy.gate.broken.clear();
    known_rules(&args.rule, &policy)?;
    let mut problems = Vec::new();
    let inputs = inputs(&args, &mut problems);
    if inputs.is_empty() && args.paths.is_empty() {
        problems.iter().for_each(|p: &Source| output::complain(&unread(p)));
        return Err(Failure { exit: Exit::Io, message: "no history was found; name files to read".into() });
    }
    let known = args.diff.as_deref().map(known).transpose()?;
    let pool = pool()?;
    let progress = Progress::default();
    progress::stoppable(&progress);
    let total = progress::total(&inputs);
    let begin = std::time::Instant::now();
    let group = Group::ALL.iter().find(|g| g.0 == args.group_by).map_or(Group::User, |g| g.1);
    let mut taker = Taker {
        args: &args,
        filter: &filter,
        stats: Stats::new(group),
        page: args.html.is_some().then(Default::default),
        sarif: args.sarif.then(Default::default),
        known,
    };
    let mut out = BufWriter::with_capacity(256 << 10, std::io::stdout().lock());
    let mut written: std::io::Result<()> =
        if args.csv { out.write_all(report::records::CSV_HEADER.as_bytes()) } else { Ok(()) };
    let done = AtomicBool::new(false);
    for problem in problems {
        if written.is_ok() {
            written = taker.take(Event::Done(problem), &mut out);
        }
    }
    std::thread::scope(|threads| {
        let bar = threads.spawn(|| progress::show(&progress, total, &done));
        engine::run(inputs, &filter, &pool, &judge(policy), &progress, |event| {
            if written.is_ok() {
                written = taker.take(event, &mut out);
            }
            written.is_ok()
        });
        done.store(true, Ordering::Relaxed);
        bar.thread().unpark();
    });
    let Taker { stats, page, sarif, known, .. } = taker;
    let whole = !progress.stop.load(Ordering::Relaxed);
    output::done(written.and_then(|()| {
        let distinct = progress.distinct.load(Ordering::Relaxed);
        let seconds = begin.elapsed().as_secs_f64();
        let text = if args.json {
            report::records::json_summary(&stats, distinct, seconds, whole)
        } else if args.csv {
            String::new()
        } else if let Some(sarif) = sarif {
            sarif.write(&mut out)?;
            String::new()
        } else {
            let colour = output::colour(args.color);
            let (most, width) = (args.top, output::width());
            let known = known.as_ref().map_or(0, |k| k.left_out);
            let about = report::audit::About { width, colour, distinct, seconds, most, whole, known };
            report::audit::summary(&stats, &filter, about)
        };
        out.write_all(text.as_bytes())?;
        out.flush()
    }))?;
    if let (Some(path), Some(findings)) = (&args.html, &page) {
        let pictures = pictures(&stats, &filter);
        let page = report::html::Page { stats: &stats, findings, pictures, whole };
        let file = std::fs::File::create(path);
        file.and_then(|file| {
            let mut file = BufWriter::new(file);
            report::html::write(&page, &mut file)?;
            file.flush()
        })
        .map_err(|e| Failure::io(&format!("cannot write {}", path.display()), &e))?;
    }
    // Tables have no room for what was not read: an empty one must not look like a clean history.
    if args.csv || args.sarif {
        for (source, facts) in stats.sources.iter().map(|s| (s, s.oddities())).filter(|(_, f)| !f.is_empty()) {
            output::complain(&format!("{}: {}", source.name, facts.join("; ")));
        }
    }
    Ok(exit(&args, &stats))
}

fn known(path: &std::path::Path) -> Result<Known, Failure> {
    let file = std::fs::File::open(path);
    file.and_then(|f| Known::read(std::io::BufReader::new(f)))
        .map_err(|e| Failure::usage(format!("cannot read the earlier audit {}: {e}", path.display())))
}

/// Most pictures of commands of one rule.
const PICTURES_OF_A_RULE: usize = 2;

/// Pictures of the commands to look at first. They are analysed again: an audit keeps no effects.
fn pictures(stats: &Stats, filter: &Filter) -> Vec<report::html::flow::Picture> {
    let one = |top: &Top| {
        let worst = filter.of(&top.judgement).max_by_key(|f| (f.severity, f.confidence))?;
        let steps = top.judgement.steps(worst).iter().map(|s| &*s.command);
        let command = steps.chain([&*top.command]).collect::<Vec<_>>().join(&b'\n');
        let options = Options { shell: top.shell, ..Options::default() };
        let draw =
            |analysis| report::html::flow::draw(&worst.title, worst.severity, &stats::shown(&command), &analysis);
        // A stack of its own is not a thread of its own.
        redact::with(&top.judgement.secrets, || guard::run(|| draw(analyze(&command, &options)))).ok()
    };
    // Few pictures of each kind of thing: the first commands may be the same with other names in them.
    let mut drawn = std::collections::HashMap::new();
    let mut fresh = |top: &&Top| {
        let worst = filter.of(&top.judgement).max_by_key(|f| (f.severity, f.confidence));
        worst.is_some_and(|f| {
            let before: &mut usize = drawn.entry(f.rule_id).or_default();
            *before = before.saturating_add(1);
            *before <= PICTURES_OF_A_RULE
        })
    };
    stats.first(usize::MAX, filter).into_iter().filter(|top| fresh(top)).take(MAX_PICTURES).filter_map(one).collect()
}

/// What is made of what the engine gives.
struct Taker<'a> {
    args: &'a AuditArgs,
    filter: &'a Filter,
    stats: Stats,
    page: Option<report::html::Findings>,
    sarif: Option<report::sarif::Audit>,
    known: Option<Known>,
}

impl Taker<'_> {
    /// Counts it, keeps it, and writes what is written at once.
    fn take(&mut self, event: Event, out: &mut impl Write) -> std::io::Result<()> {
        let (args, filter) = (self.args, self.filter);
        match event {
            Event::Commands(name, commands) => {
                for mut judged in commands {
                    if let Some(known) = &mut self.known {
                        known.only_new(&mut judged, filter);
                    }
                    if !self.stats.add(&name, &judged, filter) {
                        continue;
                    }
                    if let Some(page) = &mut self.page {
                        page.add(&name, &judged, filter);
                    }
                    if let Some(sarif) = &mut self.sarif {
                        sarif.add(&name, &judged, filter);
                    }
                    let secrets = &judged.judgement.secrets;
                    if args.json {
                        let line = redact::with(secrets, || report::records::json_line(&name, &judged, filter));
                        out.write_all(line.as_bytes())?;
                    } else if args.csv {
                        let rows = redact::with(secrets, || report::records::csv_rows(&name, &judged, filter));
                        out.write_all(rows.as_bytes())?;
                    }
                }
            }
            Event::Done(source) => {
                if (args.csv || args.sarif) && source.problem.is_some() {
                    output::complain(&unread(&source));
                }
                if args.json && !(source.skipped && source.problem.is_none()) {
                    out.write_all(report::records::json_source(&source).as_bytes())?;
                }
                self.stats.done(source);
            }
        }
        Ok(())
    }
}

/// Threads that have the stack an analysis needs.
pub(super) fn pool() -> Result<rayon::ThreadPool, Failure> {
    rayon::ThreadPoolBuilder::new()
        .thread_name(|i| format!("analysis-{i}"))
        .stack_size(guard::STACK)
        .build()
        .map_err(|e| Failure { exit: Exit::Io, message: format!("cannot start threads: {e}") })
}

/// Judges the commands of histories and scripts by a policy, with the threat data of this user.
pub(super) fn judge(policy: Policy) -> impl Fn(&[u8], &Options) -> Judgement + Sync {
    let threats = super::threats::options().threats;
    move |command, options| {
        judge_one(command, &policy, &Options { threats: threats.clone(), stances: policy.assess, ..options.clone() })
    }
}

/// The verdict on one command; where the analysis breaks, the verdict that says so.
fn judge_one(command: &[u8], policy: &Policy, options: &Options) -> Judgement {
    let judged = || {
        let mut analysis = analyze(command, options);
        policy.apply(&mut analysis, options);
        Judgement::of(analysis, options.shell)
    };
    guard::catch(judged)
        .unwrap_or_else(|panic| Judgement::of_verdict(Verdict::incomplete(&check::internal(&panic), command.len())))
}

fn filter(args: &AuditArgs) -> Result<Filter, Failure> {
    let now = time::now();
    let limit = |text: &Option<String>| match text {
        None => Ok(None),
        Some(text) => match time::limit(text, now) {
            Some(at) => Ok(Some(at)),
            None => Err(Failure::usage(format!("{text:?} is no time: give 2026-11-30, 2026-11-30T12:00:00Z or 7d"))),
        },
    };
    Ok(Filter {
        since: limit(&args.since)?,
        until: limit(&args.until)?,
        users: args.user.clone(),
        rules: args.rule.clone(),
        severity: args.min_severity,
    })
}

/// Refuses rules that nobody knows: a run that looks for one of them would find nothing for ever.
pub(super) fn known_rules(ids: &[String], policy: &Policy) -> Result<(), Failure> {
    let own = |id: &str| policy.custom.iter().any(|r| r.id == id) || policy.ask.iter().any(|r| r.id == id);
    let known = |id: &str| rules::find(id).is_some() || rules::all().any(|r| rules::names(r).contains(&id)) || own(id);
    match ids.iter().find(|id| !known(id)) {
        Some(id) => Err(Failure::usage(format!("no rule is called {id}; `shellward rules` lists them"))),
        None => Ok(()),
    }
}

/// What is not read, and why.
fn unread(source: &Source) -> String {
    format!("{}: {}", source.name, source.problem.as_deref().unwrap_or_default())
}

fn inputs(args: &AuditArgs, problems: &mut Vec<Source>) -> Vec<Input> {
    let defaults = Defaults {
        format: args.format.as_deref().and_then(format::named),
        columns: Columns { command: args.column.clone() },
        shell: args.shell,
    };
    let mut out = Vec::new();
    for path in &args.paths {
        if path.as_os_str() == "-" {
            out.push(defaults.input(Origin::Stdin));
        } else if path.is_dir() {
            out.extend(defaults.below(path, problems));
        } else {
            out.push(defaults.input(Origin::File(path.clone())));
        }
    }
    if args.paths.is_empty() {
        let homes = if args.all_users { discover::all_homes() } else { discover::own_home().into_iter().collect() };
        problems.extend(homes.iter().filter_map(|home| discover::barred(&home.path)));
        out.extend(homes.iter().flat_map(|home| defaults.of_home(home)));
    }
    out
}

fn exit(args: &AuditArgs, stats: &Stats) -> Exit {
    let bad = args.fail_on.is_some_and(|level| {
        report::records::SEVERITIES
            .iter()
            .any(|s| *s >= level && stats.severities.get(*s as usize).is_some_and(|n| *n > 0))
    });
    let unread = !stats.sources.is_empty() && stats.sources.iter().all(|s| s.format.is_empty());
    match (bad, unread) {
        (true, _) => Exit::Block,
        (false, true) => Exit::Io,
        (false, false) => Exit::Allow,
    }
}
