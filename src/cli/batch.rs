//! `shellward check --batch`: JSON lines in, one verdict a line out, in order, on all cores, in bounded memory.
//!
//! The thread that reads hands each line to a pool and a place in a queue to the thread that writes, which waits for the
//! places in order. So a client that writes one line and waits gets its answer at once, and one slow command holds up
//! the writing but not the work. The length of the queue and the bytes of the lines in it are bounded: the reader waits
//! where either is full.

use super::check::{self, Settings};
use super::exit::{Exit, Failure};
use super::{guard, output, shell};
use crate::limits::{MAX_BATCH_BYTES, MAX_BATCH_LINE, MAX_BATCH_QUEUE, MAX_INPUT};
use crate::report;
use serde::de::{Deserialize, Deserializer, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::io::{BufRead, Write};
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, sync_channel};
use std::sync::{Condvar, Mutex};

/// One line of input. Fields that it does not name are the client's own and are ignored.
#[derive(serde::Deserialize)]
struct Line<'a> {
    /// Given back as it came.
    #[serde(borrow, default)]
    id: Option<&'a RawValue>,
    /// The command.
    command: Bytes,
    /// The shell that would read it.
    #[serde(default)]
    shell: Option<String>,
    /// The directory it would run in.
    #[serde(default)]
    cwd: Option<String>,
}

/// A JSON string as bytes. A lone surrogate U+DC80 to U+DCFF stands for the byte 0x80 to 0xFF, as Python's
/// `surrogateescape` writes bytes that are no UTF-8; so a batch can carry any command that a shell can be given.
struct Bytes(Vec<u8>);

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;
        impl Visitor<'_> for Text {
            type Value = Bytes;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a string")
            }
            fn visit_str<E>(self, v: &str) -> Result<Bytes, E> {
                Ok(Bytes(v.as_bytes().to_vec()))
            }
            fn visit_bytes<E>(self, v: &[u8]) -> Result<Bytes, E> {
                Ok(Bytes(unescape_surrogates(v)))
            }
        }
        deserializer.deserialize_bytes(Text)
    }
}

/// U+DC80..U+DCFF in the generalised UTF-8 that the JSON reader gives for them, as the bytes they stand for.
fn unescape_surrogates(mut text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    while let Some((&first, rest)) = text.split_first() {
        match text {
            [0xED, high @ 0xB2..=0xB3, low @ 0x80..=0xBF, after @ ..] => {
                // ED B2 80 is U+DC80, ED B3 BF is U+DCFF.
                out.push((high & 1) << 6 | (low & 0x3F) | 0x80);
                text = after;
            }
            _ => {
                out.push(first);
                text = rest;
            }
        }
    }
    out
}

/// Bytes of lines that wait or are worked on, and of answers that wait to be written.
struct Budget {
    used: Mutex<Option<usize>>,
    freed: Condvar,
}

impl Budget {
    /// Waits until the bytes fit, or nothing else is held. False where nobody reads the answers any more.
    fn take(&self, bytes: usize) -> bool {
        let Ok(mut used) = self.used.lock() else { return false };
        loop {
            match *used {
                None => return false,
                Some(held) if held > 0 && held.saturating_add(bytes) > MAX_BATCH_BYTES => match self.freed.wait(used) {
                    Ok(u) => used = u,
                    Err(_) => return false,
                },
                Some(held) => {
                    *used = Some(held.saturating_add(bytes));
                    return true;
                }
            }
        }
    }
    /// Takes bytes that are there already, without waiting.
    fn add(&self, bytes: usize) {
        self.change(|held| held.map(|h| h.saturating_add(bytes)));
    }
    /// Gives bytes back.
    fn free(&self, bytes: usize) {
        self.change(|held| held.map(|h| h.saturating_sub(bytes)));
    }
    /// Says that nobody reads the answers any more.
    fn close(&self) {
        self.change(|_| None);
    }
    fn change(&self, to: impl FnOnce(Option<usize>) -> Option<usize>) {
        if let Ok(mut used) = self.used.lock() {
            *used = to(*used);
        }
        self.freed.notify_all();
    }
}

/// A place in the order of answers: where one will be, and the bytes that its line holds of the budget.
struct Place {
    answer: Receiver<Vec<u8>>,
    held: usize,
}

/// Reads standard input to its end.
pub(super) fn run(settings: &Settings) -> Result<Exit, Failure> {
    let pool = rayon::ThreadPoolBuilder::new()
        .thread_name(|i| format!("analysis-{i}"))
        .stack_size(guard::STACK)
        .build()
        .map_err(|e| Failure { exit: Exit::Io, message: format!("cannot start threads: {e}") })?;
    let budget = Budget { used: Mutex::new(Some(0)), freed: Condvar::new() };
    let (queue, places) = sync_channel::<Place>(MAX_BATCH_QUEUE);
    std::thread::scope(|threads| {
        let budget = &budget;
        let writer = threads.spawn(move || {
            let written = write_in_order(&places, budget);
            budget.close();
            written
        });
        let read = pool.in_place_scope_fifo(|jobs| read_lines(jobs, settings, budget, &queue));
        drop(queue);
        output::done(writer.join().unwrap_or(Ok(())))?;
        read.map_err(|e| Failure::io("cannot read standard input", &e))?;
        Ok(Exit::Allow)
    })
}

/// Reads lines and starts the work on each, until the input ends or nobody reads the answers.
fn read_lines<'scope>(
    jobs: &rayon::ScopeFifo<'scope>,
    settings: &'scope Settings,
    budget: &'scope Budget,
    queue: &SyncSender<Place>,
) -> std::io::Result<()> {
    let mut input = std::io::BufReader::with_capacity(64 << 10, std::io::stdin().lock());
    let mut number = 0u64;
    loop {
        let mut line = Vec::new();
        let Some(whole) = read_line(&mut input, &mut line, MAX_BATCH_LINE)? else { return Ok(()) };
        number = number.saturating_add(1);
        if whole && line.trim_ascii().is_empty() {
            continue;
        }
        let held = line.len();
        if !budget.take(held) {
            return Ok(());
        }
        let (done, answer) = sync_channel(1);
        if queue.send(Place { answer, held }).is_err() {
            return Ok(());
        }
        jobs.spawn_fifo(move |_| {
            let answer = if whole {
                guard::catch(|| verdict_on(settings, &line, number))
                    .unwrap_or_else(|panic: String| broken(settings, &line, number, &panic))
            } else {
                refusal(None, number, &format!("the line has more than {MAX_BATCH_LINE} bytes"))
            };
            budget.add(answer.len());
            // The writer is gone where the pipe was closed; then the answer is not wanted.
            let _ = done.send(answer);
        });
    }
}

/// Reads one line without its newline. `None` at the end of the input; false for a line over `most` bytes, which is
/// read to its end and dropped.
fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>, most: usize) -> std::io::Result<Option<bool>> {
    let mut whole = true;
    let mut any = false;
    loop {
        let chunk = match input.fill_buf() {
            Err(e) if e.kind() == std::io::ErrorKind::Interrupted => continue,
            other => other?,
        };
        if chunk.is_empty() {
            return Ok(any.then_some(whole));
        }
        any = true;
        let end = chunk.iter().position(|b| *b == b'\n');
        let part = chunk.get(..end.unwrap_or(chunk.len())).unwrap_or(chunk);
        if line.len().saturating_add(part.len()) > most {
            whole = false;
            *line = Vec::new();
        }
        if whole {
            line.extend_from_slice(part);
        }
        let used = part.len().saturating_add(usize::from(end.is_some()));
        input.consume(used);
        if end.is_some() {
            return Ok(Some(whole));
        }
    }
}

/// Writes the answers in order. What is written is flushed before every wait, so a client that waits, too, gets it.
fn write_in_order(places: &Receiver<Place>, budget: &Budget) -> std::io::Result<()> {
    let mut out = std::io::BufWriter::with_capacity(64 << 10, std::io::stdout().lock());
    loop {
        let place = match places.try_recv() {
            Ok(place) => place,
            Err(TryRecvError::Disconnected) => return out.flush(),
            Err(TryRecvError::Empty) => {
                out.flush()?;
                let Ok(place) = places.recv() else { return Ok(()) };
                place
            }
        };
        let answer = match place.answer.try_recv() {
            Ok(answer) => answer,
            Err(_) => {
                out.flush()?;
                // Every job sends one answer, whatever happens in it; an empty one keeps the order if that were broken.
                place.answer.recv().unwrap_or_default()
            }
        };
        out.write_all(&answer)?;
        out.write_all(b"\n")?;
        budget.free(place.held.saturating_add(answer.len()));
    }
}

/// The answer to one line: a verdict, or what is wrong with the line.
fn verdict_on(settings: &Settings, text: &[u8], number: u64) -> Vec<u8> {
    let line = match parse(text) {
        Ok(line) => line,
        Err(why) => return refusal(id_of(text), number, &why),
    };
    // Copied where a line asks for something else than the others: nearly none does.
    let mut options = Cow::Borrowed(&settings.options);
    if let Some(name) = &line.shell {
        match shell::from_name(name) {
            Some(language) if language == options.shell => {}
            Some(language) => options.to_mut().shell = language,
            None => {
                let why = format!("unknown shell {name:?}; known are {}", shell::names());
                return refusal(line.id, number, &why);
            }
        }
    }
    if let Some(cwd) = line.cwd {
        // A relative directory says nothing without the one it is relative to.
        options.to_mut().cwd = Some(cwd).filter(|d| d.starts_with('/') || d.get(1..3) == Some(":\\"));
    }
    let command = &line.command.0;
    let verdict = if command.len() > MAX_INPUT {
        report::json::verdict(&settings.incomplete(&check::too_large(), command.len()))
    } else {
        settings.judge_with(&options, command, |analysis| report::json::verdict(&analysis.verdict))
    };
    with_id(line.id, &verdict)
}

fn parse(text: &[u8]) -> Result<Line<'_>, String> {
    if text.trim_ascii_start().first() != Some(&b'{') {
        return Err("the line is not a JSON object".into());
    }
    serde_json::from_slice(text).map_err(|e| e.to_string())
}

/// The id of a line that is otherwise wrong, where it can be read.
fn id_of(text: &[u8]) -> Option<&RawValue> {
    #[derive(serde::Deserialize)]
    struct Id<'a> {
        #[serde(borrow, default)]
        id: Option<&'a RawValue>,
    }
    serde_json::from_slice::<Id<'_>>(text).ok()?.id
}

/// The answer where the analysis broke.
fn broken(settings: &Settings, text: &[u8], number: u64, panic: &str) -> Vec<u8> {
    match parse(text) {
        Ok(line) => {
            let verdict = settings.incomplete(&check::internal(panic), line.command.0.len());
            with_id(line.id, &report::json::verdict(&verdict))
        }
        Err(why) => refusal(None, number, &why),
    }
}

/// A verdict's object with the line's id before its first field.
fn with_id(id: Option<&RawValue>, verdict: &[u8]) -> Vec<u8> {
    let id = id.map_or("null", RawValue::get);
    let mut out = Vec::with_capacity(verdict.len().saturating_add(id.len()).saturating_add(8));
    out.extend_from_slice(b"{\"id\":");
    out.extend_from_slice(id.as_bytes());
    out.push(b',');
    out.extend_from_slice(verdict.strip_prefix(b"{").unwrap_or(verdict));
    out
}

/// The error object of a line that is no request.
fn refusal(id: Option<&RawValue>, number: u64, why: &str) -> Vec<u8> {
    let object = serde_json::json!({ "id": id, "line": number, "error": why });
    object.to_string().into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(input: &[u8], most: usize) -> Vec<(Option<bool>, Vec<u8>)> {
        let mut input = std::io::BufReader::with_capacity(3, input);
        let mut all = Vec::new();
        loop {
            let mut line = Vec::new();
            let read = read_line(&mut input, &mut line, most).unwrap();
            all.push((read, line));
            if read.is_none() {
                return all;
            }
        }
    }

    #[test]
    fn lines_are_read_in_bounded_memory() {
        let got = lines(b"abcd\n\nabcdefg\nab", 5);
        let want: Vec<(Option<bool>, Vec<u8>)> = vec![
            (Some(true), b"abcd".to_vec()),
            (Some(true), vec![]),
            (Some(false), vec![]),
            (Some(true), b"ab".to_vec()),
            (None, vec![]),
        ];
        assert_eq!(got, want);
    }

    #[test]
    fn commands_are_bytes() {
        let line = parse(br#"{"command":"a\u0000\udcff\udc80\u00e9","x":[1]}"#).unwrap();
        assert_eq!(line.command.0, b"a\0\xFF\x80\xC3\xA9");
        let line = parse(b"{\"command\":\"\xFF\"}").unwrap();
        assert_eq!(line.command.0, b"\xFF");
    }

    #[test]
    fn ids_come_back_as_they_were_given() {
        let line = parse(br#"{"id": 12345678901234567890123 ,"command":""}"#).unwrap();
        assert_eq!(with_id(line.id, b"{\"a\":1}"), br#"{"id":12345678901234567890123,"a":1}"#);
        assert_eq!(refusal(id_of(br#"{"id":"x"}"#), 4, "no"), br#"{"error":"no","id":"x","line":4}"#);
    }

    #[test]
    fn only_objects_are_requests() {
        for bad in ["", "[null,\"ls\"]", "{", "{\"id\":1}", "{\"command\":7}", "null"] {
            assert!(parse(bad.as_bytes()).is_err(), "{bad}");
        }
    }

    #[test]
    fn the_budget_lets_one_line_of_any_size_through_and_ends_with_the_writer() {
        let budget = Budget { used: Mutex::new(Some(0)), freed: Condvar::new() };
        assert!(budget.take(MAX_BATCH_BYTES * 2));
        std::thread::scope(|s| {
            let second = s.spawn(|| budget.take(1));
            std::thread::sleep(std::time::Duration::from_millis(20));
            assert!(!second.is_finished());
            budget.free(MAX_BATCH_BYTES * 2);
            assert!(second.join().unwrap());
        });
        budget.close();
        assert!(!budget.take(1));
    }
}
