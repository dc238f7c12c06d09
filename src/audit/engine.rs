//! The line of an audit: inputs → entries → judgements → the caller, in order, on all cores, in bounded memory.
//!
//! Three stages with short queues between them: one thread reads, a pool judges, the caller's thread takes what comes
//! out. A chunk is so many entries or so many bytes, whichever is less, so what is in flight is bounded.

use super::cache::Cache;
use super::filter::Filter;
use super::format::{self, Batch, Hint, Table};
use super::input::{self, Input, Origin};
use super::lines::{Line, Lines};
use super::session::{Chain, Finished, Sessions};
use super::{Entry, Judgement};
use crate::analyzer::Options;
use crate::effect::Language;
use crate::finding::{Confidence, Severity};
use crate::limits::{MAX_AUDIT_LINE, MAX_CACHED, MAX_CHUNK_BYTES, MAX_CHUNK_ENTRIES, MAX_INPUT};
use rayon::prelude::*;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};

/// Bytes at the beginning of a file that say what format it has.
const HEAD: u64 = 64 << 10;

/// An entry with what is thought of it.
#[derive(Debug)]
pub struct Judged {
    /// The entry.
    pub entry: Entry,
    /// The shell it was read as.
    pub shell: Language,
    /// What is thought of it.
    pub judgement: Arc<Judgement>,
}

/// What comes out, in the order of the inputs.
#[derive(Debug)]
pub enum Event {
    /// Commands of one input.
    Commands(Arc<str>, Vec<Judged>),
    /// An input is done.
    Done(Source),
}

/// What became of one input.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Source {
    /// Its name.
    pub name: String,
    /// The format it was read as.
    pub format: &'static str,
    /// Its lines.
    pub lines: u64,
    /// Its bytes, inflated.
    pub bytes: u64,
    /// Its commands.
    pub commands: u64,
    /// Lines that are not what the format has.
    pub undecodable: u64,
    /// Lines and commands that are too long.
    pub too_long: u64,
    /// Commands that were judged alone, because too many of them hung on others.
    pub unchained: u64,
    /// Commands without a time that were left out because only those of some time are asked for.
    pub untimed: u64,
    /// Why it was not read, or not to its end.
    pub problem: Option<String>,
    /// Not read because it is no history.
    pub skipped: bool,
}

impl Source {
    /// What was not read of it, or not as it could have been, in words.
    pub fn oddities(&self) -> Vec<String> {
        let mut facts: Vec<String> = self.problem.iter().cloned().collect();
        let counts = [
            (self.undecodable, "line", format!("not of the format {}", self.format)),
            (self.too_long, "line", "too long".to_string()),
            (self.untimed, "command", "without a time, so left out".to_string()),
            (self.unchained, "command", "not held against those before".to_string()),
        ];
        for (n, noun, what) in counts.into_iter().filter(|(n, ..)| *n > 0) {
            facts.push(format!("{} {what}", crate::count::counted(n, noun)));
        }
        facts
    }
}

/// How far the work is; may be looked at from another thread.
#[derive(Debug, Default)]
pub struct Progress {
    /// Bytes read.
    pub bytes: AtomicU64,
    /// Commands judged.
    pub commands: AtomicU64,
    /// Of these, looked at for the first time.
    pub distinct: AtomicU64,
    /// Set from outside: stop and report what there is.
    pub stop: Arc<AtomicBool>,
}

/// Judges one command.
pub type Judge<'a> = dyn Fn(&[u8], &Options) -> Judgement + Sync + 'a;

enum Message {
    Chunk(Arc<str>, Arc<Input>, Option<Language>, Vec<Entry>),
    Done(Source),
}

/// Runs an audit. `take` gets what comes out and says whether to go on.
pub fn run(
    inputs: Vec<Input>,
    filter: &Filter,
    pool: &rayon::ThreadPool,
    judge: &Judge<'_>,
    progress: &Progress,
    mut take: impl FnMut(Event) -> bool,
) {
    let cache = Cache::new(MAX_CACHED);
    let (chunks, to_judge) = sync_channel::<Message>(2);
    let (judged, to_take) = sync_channel::<Event>(2);
    std::thread::scope(|threads| {
        threads.spawn(move || {
            for input in inputs {
                let source = read(Arc::new(input), filter, progress, &chunks);
                if chunks.send(Message::Done(source)).is_err() || progress.stop.load(Ordering::Relaxed) {
                    return;
                }
            }
        });
        let cache = &cache;
        threads.spawn(move || {
            let mut sessions = Sessions::default();
            for message in to_judge {
                let event = match message {
                    Message::Done(mut source) => {
                        source.unchained = std::mem::take(&mut sessions.dropped);
                        Event::Done(source)
                    }
                    Message::Chunk(name, input, shell, entries) => {
                        let shell = shell.unwrap_or(input.shell);
                        let one = |entry| judge_one(entry, shell, &input, cache, judge, progress);
                        let mut all: Vec<Judged> = pool.install(|| entries.into_par_iter().map(one).collect());
                        let chains = chains(&mut sessions, &name, &all);
                        pool.install(|| {
                            let whole = |(at, chain): (usize, Chain)| {
                                all.get(at).and_then(|j| finish(&chain, j, &input, cache, judge)).map(|f| (at, f))
                            };
                            chains.into_par_iter().filter_map(whole).collect::<Vec<_>>()
                        })
                        .into_iter()
                        .for_each(|(at, finished)| {
                            if let Some(judged) = all.get_mut(at) {
                                judged.judgement = finished;
                            }
                        });
                        Event::Commands(name, all)
                    }
                };
                if judged.send(event).is_err() {
                    return;
                }
            }
        });
        for event in to_take {
            if !take(event) {
                // Both queues close behind this, and the threads end at their next send.
                progress.stop.store(true, Ordering::Relaxed);
                return;
            }
        }
    });
}

fn judge_one(
    entry: Entry,
    shell: Language,
    input: &Input,
    cache: &Cache,
    judge: &Judge<'_>,
    progress: &Progress,
) -> Judged {
    let shell = entry.shell.unwrap_or(shell);
    let cwd = entry.cwd.as_deref().filter(|d| d.starts_with('/'));
    let key = cache.key(&(&entry.command, shell, cwd, &input.home));
    let (judgement, new) = cache.get(key, || {
        let options = Options { shell, cwd: cwd.map(str::to_string), home: input.home.clone(), ..Options::default() };
        judge(&entry.command, &options)
    });
    progress.commands.fetch_add(1, Ordering::Relaxed);
    progress.distinct.fetch_add(u64::from(new), Ordering::Relaxed);
    Judged { entry, shell, judgement }
}

/// The chains that commands complete. In order: what a session remembers hangs on it.
fn chains(sessions: &mut Sessions, name: &Arc<str>, all: &[Judged]) -> Vec<(usize, Chain)> {
    let one = |(at, j): (usize, &Judged)| Some((at, sessions.next(name, &j.entry, &j.judgement)?));
    all.iter().enumerate().filter_map(one).collect()
}

/// What a chain says of the command that completes it.
fn finish(chain: &Chain, own: &Judged, input: &Input, cache: &Cache, judge: &Judge<'_>) -> Option<Finished> {
    let of = |text: &[u8]| {
        // Each command was held against the second reader by itself.
        let options = Options { shell: own.shell, home: input.home.clone(), witness: false, ..Options::default() };
        cache.get(cache.key(&(text, own.shell, "chain", &input.home)), || judge(text, &options)).0
    };
    let (whole, before) = chain.texts();
    let found = chain.finish(&own.judgement, &of(whole), || of(before));
    found.or_else(|| {
        let loose = chain.loose.as_deref()?;
        let (whole, before) = loose.texts();
        loose.finish(&own.judgement, &unsure(&of(whole)), || of(before))
    })
}

/// The same with less trust in it: one step less severe, and no more than likely.
fn unsure(judgement: &Judgement) -> Judgement {
    let mut out = judgement.clone();
    for finding in &mut out.findings {
        finding.confidence = finding.confidence.min(Confidence::Low);
        finding.severity = finding.severity.min(Severity::Medium);
    }
    out
}

/// Reads one input to its end and hands on its entries.
fn read(input: Arc<Input>, filter: &Filter, progress: &Progress, chunks: &SyncSender<Message>) -> Source {
    let name = input.name();
    let mut source = Source { name: name.to_string(), ..Source::default() };
    let raw = match input.open() {
        Ok(raw) => raw,
        Err(e) => {
            source.problem = Some(e.to_string());
            return source;
        }
    };
    let mut raw = raw;
    let mut head = Vec::new();
    if let Err(e) = raw.by_ref().take(HEAD).read_to_end(&mut head) {
        // What came before the error is audited.
        source.problem = Some(e.to_string());
        raw = Box::new(std::io::empty());
    }
    let (format, fit) = match input.format {
        Some(format) => (format, 100),
        None => format::detect(&Hint { path: &name, head: &head }),
    };
    if let (Some(table), Origin::File(path)) = (format.table, &input.origin) {
        source.format = format.name;
        return rows(table, path, &input, filter, progress, chunks, source);
    }
    // Some formats have bytes of that kind, and say so at their beginning.
    let binary = input.format.is_none() && fit < 95 && input::is_binary(&head);
    if binary || (input.only_known && fit <= 1) {
        source.skipped = true;
        source.problem = binary.then(|| "it is a binary file".to_string());
        return source;
    }
    source.format = format.name;
    let mut reader = (format.open)(&input.columns);
    let mut lines = Lines::new(std::io::Cursor::new(head).chain(raw), MAX_AUDIT_LINE);
    let mut batch = Batch::default();
    let mut line = Vec::new();
    let mut held = 0usize;
    loop {
        let before = lines.bytes;
        let next = lines.next(&mut line);
        progress.bytes.fetch_add(lines.bytes.saturating_sub(before), Ordering::Relaxed);
        let ended = match next {
            Ok(Some(kind)) => {
                source.lines = source.lines.saturating_add(1);
                let known = batch.entries.len();
                match kind {
                    Line::Whole => reader.line(source.lines, &line, &mut batch),
                    Line::TooLong => source.too_long = source.too_long.saturating_add(1),
                }
                let new = batch.entries.get(known..).unwrap_or_default();
                held = new.iter().fold(held, |n, e| n.saturating_add(e.command.len()));
                false
            }
            Ok(None) => true,
            Err(e) => {
                source.problem = Some(format!("after line {}: {e}", source.lines));
                true
            }
        };
        let stop = progress.stop.load(Ordering::Relaxed);
        if ended || stop {
            reader.end(&mut batch);
        }
        if ended || stop || batch.entries.len() >= MAX_CHUNK_ENTRIES || held >= MAX_CHUNK_BYTES {
            held = 0;
            let entries = std::mem::take(&mut batch.entries);
            if !hand_on(entries, &input, format.shell, filter, chunks, &mut source) || ended || stop {
                break;
            }
        }
    }
    source.bytes = lines.bytes;
    source.undecodable = batch.undecodable;
    source.too_long = source.too_long.saturating_add(batch.too_long);
    source
}

/// Reads a database to its end and hands on its entries.
fn rows(
    table: Table,
    path: &Path,
    input: &Arc<Input>,
    filter: &Filter,
    progress: &Progress,
    chunks: &SyncSender<Message>,
    mut source: Source,
) -> Source {
    let mut held: Vec<Entry> = Vec::new();
    let mut bytes = 0usize;
    let outcome = table(path, &mut |entry| {
        source.lines = source.lines.saturating_add(1);
        if entry.command.len() > MAX_INPUT {
            source.too_long = source.too_long.saturating_add(1);
            return true;
        }
        bytes = bytes.saturating_add(entry.command.len());
        held.push(entry);
        let full = held.len() >= MAX_CHUNK_ENTRIES || bytes >= MAX_CHUNK_BYTES;
        if full {
            progress.bytes.fetch_add(u64::try_from(bytes).unwrap_or(0), Ordering::Relaxed);
            source.bytes = source.bytes.saturating_add(u64::try_from(bytes).unwrap_or(0));
            bytes = 0;
            return hand_on(std::mem::take(&mut held), input, None, filter, chunks, &mut source)
                && !progress.stop.load(Ordering::Relaxed);
        }
        true
    });
    source.bytes = source.bytes.saturating_add(u64::try_from(bytes).unwrap_or(0));
    source.problem = outcome.err();
    hand_on(held, input, None, filter, chunks, &mut source);
    source
}

/// Sends entries on to be judged; false where nobody takes them any more.
fn hand_on(
    mut entries: Vec<Entry>,
    input: &Arc<Input>,
    shell: Option<Language>,
    filter: &Filter,
    chunks: &SyncSender<Message>,
    source: &mut Source,
) -> bool {
    for entry in &mut entries {
        if entry.user.is_none() {
            entry.user.clone_from(&input.user);
        }
    }
    if filter.since.is_some() || filter.until.is_some() {
        let untimed = entries.iter().filter(|e| e.at.is_none()).count();
        source.untimed = source.untimed.saturating_add(u64::try_from(untimed).unwrap_or(0));
    }
    entries.retain(|e| filter.takes(e));
    source.commands = source.commands.saturating_add(u64::try_from(entries.len()).unwrap_or(0));
    chunks.send(Message::Chunk(input.name(), Arc::clone(input), shell, entries)).is_ok()
}
