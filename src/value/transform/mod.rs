//! Programs whose output can be computed: what they print for known input.
//!
//! In: the name of a transform, as grammars state it (`stdout = "transform.NAME"`), its options by the first name in
//! the grammar, its operands and the content that it reads. Out: the bytes it would print, with the parts that are
//! copies marked. Everything is pure and bounded by [`limits::MAX_VALUE`] and a work limit; an option that a transform
//! does not know makes the result *not computed*, never wrong. Floor 2; imports `source`, `limits`, `value`.
//!
//! What is known of each transform stands in [`TABLE`]: its name and the options that it understands. File operands
//! are not operands here: their contents come in [`Call::files`], and where there are none, the program reads
//! [`Call::stdin`]. `-` among files is the caller's to resolve.

mod awk;
mod base;
mod bc;
mod build;
mod calc;
mod compress;
mod copy;
mod decimal;
mod digest;
mod dump;
mod echo;
mod encoding;
mod grep;
mod hex;
mod jq;
mod lines;
mod number;
mod printf;
mod regex;
mod sed;
mod sort;
mod tr;

use super::Why;
use crate::limits;
use std::ops::Range;

pub use echo::echo_values;
pub use printf::printf_values;
pub use sed::only_edits as sed_only_edits;

/// Groups of a match: the whole first; `None` for one that took no part.
pub type Groups = Vec<Option<Vec<u8>>>;

/// Whether an extended regular expression matches somewhere in a text, and its groups (`[[ text =~ expression ]]`).
/// `Err` where that is not computed.
pub fn regex_groups(pattern: &[u8], text: &[u8], nocase: bool) -> Result<Option<Groups>, Why> {
    let m = regex::Matcher::new(pattern, regex::Syntax::Extended, nocase)?;
    Ok(m.find_at(text, 0)?.map(|c| c.iter().map(|g| g.map(|g| g.as_bytes().to_vec())).collect()))
}

/// True where a program gives something for every line that it reads, or for all but a head line: what it is given to
/// choose lines by leaves none out.
pub fn keeps_lines(name: &str, options: &[(&'static str, Option<super::Value>)], operands: &[super::Value]) -> bool {
    match name {
        "cut" | "sort" | "uniq" | "tr" | "nl" | "rev" | "tac" => true,
        "tail" => options
            .iter()
            .any(|(_, v)| v.as_ref().and_then(super::Value::as_literal).is_some_and(|t| t.starts_with(b"+"))),
        "awk" => operands.first().and_then(super::Value::as_literal).is_some_and(|t| awk::takes_every_line(&t)),
        "sed" => {
            operands.first().and_then(super::Value::as_literal).is_some_and(|t| t.starts_with(b"s") || &*t == b"1d")
        }
        _ => false,
    }
}

/// Which shell's builtins print (they differ in `echo` and `printf`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Flavour {
    /// bash without `xpg_echo`; also the programs of coreutils, as far as they agree with it.
    #[default]
    Bash,
    /// dash and other POSIX shells: `echo` always interprets escapes.
    Dash,
}

/// One invocation of a program.
#[derive(Clone, Copy, Debug, Default)]
pub struct Call<'a> {
    /// Options in order, each by its first name in the grammar, with its value.
    pub options: &'a [(&'a str, Option<&'a [u8]>)],
    /// The operands that are not files: scripts, patterns, texts.
    pub operands: &'a [&'a [u8]],
    /// The contents of the operands that are files, in order. Empty: standard input is read.
    pub files: &'a [&'a [u8]],
    /// Standard input.
    pub stdin: &'a [u8],
    /// Whose builtin it is.
    pub flavour: Flavour,
    /// The base name that it was called by, for programs with several (`od`, `hexdump`).
    pub program: &'a str,
}

/// Where a run of an output comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PieceFrom {
    /// A copy of an operand, from that offset on.
    Operand(usize, usize),
    /// A copy of a file's content.
    File(usize, usize),
    /// A copy of standard input.
    Stdin(usize),
    /// Made by the program.
    Computed,
}

/// What a program prints.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// Standard output.
    pub bytes: Vec<u8>,
    /// Where its runs come from: in order, covering all of it.
    pub pieces: Vec<(Range<usize>, PieceFrom)>,
    /// The exit status.
    pub status: u8,
}

impl Output {
    /// Output that is no copy of anything.
    pub(crate) fn computed(bytes: Vec<u8>) -> Result<Output, Why> {
        let mut out = Output::default();
        out.push(&bytes, PieceFrom::Computed)?;
        Ok(out)
    }

    pub(crate) fn with_status(mut self, status: u8) -> Output {
        self.status = status;
        self
    }

    /// Appends a run.
    pub(crate) fn push(&mut self, bytes: &[u8], from: PieceFrom) -> Result<(), Why> {
        let start = self.bytes.len();
        let end = start.saturating_add(bytes.len());
        if end > limits::MAX_VALUE {
            return Err(Why::Limit);
        }
        if bytes.is_empty() {
            return Ok(());
        }
        self.bytes.extend_from_slice(bytes);
        if let Some((range, before)) = self.pieces.last_mut() {
            let length = range.len();
            let goes_on = match (*before, from) {
                (PieceFrom::Computed, PieceFrom::Computed) => true,
                (PieceFrom::Operand(i, a), PieceFrom::Operand(j, b))
                | (PieceFrom::File(i, a), PieceFrom::File(j, b)) => i == j && a.saturating_add(length) == b,
                (PieceFrom::Stdin(a), PieceFrom::Stdin(b)) => a.saturating_add(length) == b,
                _ => false,
            };
            if goes_on {
                range.end = end;
                return Ok(());
            }
        }
        self.pieces.push((start..end, from));
        Ok(())
    }
}

impl<'a> Call<'a> {
    /// True where the option was given.
    fn has(&self, name: &str) -> bool {
        self.options.iter().any(|(n, _)| *n == name)
    }

    /// The value that was given last to an option.
    fn value(&self, name: &str) -> Option<&'a [u8]> {
        self.options.iter().rev().find(|(n, _)| *n == name).and_then(|(_, v)| *v)
    }

    /// All values that were given to an option.
    fn values(&self, name: &str) -> Vec<&'a [u8]> {
        self.options.iter().filter(|(n, _)| *n == name).filter_map(|(_, v)| *v).collect()
    }

    /// What it reads: the runs of content with where each comes from.
    fn inputs(&self) -> Vec<(&'a [u8], PieceFrom)> {
        if self.files.is_empty() {
            return vec![(self.stdin, PieceFrom::Stdin(0))];
        }
        self.files.iter().enumerate().map(|(i, f)| (*f, PieceFrom::File(i, 0))).collect()
    }

    /// All that it reads, as one text.
    fn input(&self) -> std::borrow::Cow<'a, [u8]> {
        match self.files {
            [] => self.stdin.into(),
            [one] => (*one).into(),
            many => many.concat().into(),
        }
    }

    /// All that it reads, where each file's last line is ended before the next file begins.
    fn input_lines(&self) -> std::borrow::Cow<'a, [u8]> {
        let [_, _, ..] = self.files else { return self.input() };
        let mut all = Vec::new();
        for f in self.files {
            if !all.is_empty() && !all.ends_with(b"\n") {
                all.push(b'\n');
            }
            all.extend_from_slice(f);
        }
        all.into()
    }
}

/// A transform: its names in grammars, the options that it understands, and what computes it.
pub struct Transform {
    /// The names behind `transform.`.
    pub names: &'static [&'static str],
    /// The options it understands: all names of one in one text.
    pub options: &'static [&'static str],
    run: fn(&Call<'_>) -> Result<Output, Why>,
}

const fn entry(
    names: &'static [&'static str],
    options: &'static [&'static str],
    run: fn(&Call<'_>) -> Result<Output, Why>,
) -> Transform {
    Transform { names, options, run }
}

const DECODE: &str = "-d --decode -D";
const UNPACK: &str = "-d --decompress --uncompress";
const IGNORE: &str = "-i --ignore-garbage";
const DIGEST: &[&str] = &["-b --binary", "-t --text", "-z --zero"];
const WRAP: &str = "-w --wrap -b --break";

/// Every transform.
#[rustfmt::skip]
pub static TABLE: &[Transform] = &[
    entry(&["awk"], &["-F --field-separator", "-v --assign", "-e --source", "-S --sandbox", "-P --posix", "-c --traditional"], awk::run),
    entry(&["base32", "base32.encode"], &[DECODE, IGNORE, WRAP], base::base32),
    entry(&["base32.decode"], &[DECODE, IGNORE, WRAP], base::base32_decode),
    entry(&["base64", "base64.encode"], &[DECODE, IGNORE, WRAP], base::base64),
    entry(&["base64.decode"], &[DECODE, IGNORE, WRAP], base::base64_decode),
    entry(&["basename"], &["-a --multiple", "-s --suffix", "-z --zero"], calc::basename),
    entry(&["basenc"], &["--base64", "--base64url", "--base32", "--base32hex", "--base16", "--base2msbf", DECODE, IGNORE, WRAP], base::basenc),
    entry(&["bc"], &["-q --quiet", "-s --standard"], bc::run),
    entry(&["bzip2.decode"], &[UNPACK, "-c --stdout --to-stdout", "-k --keep", "-f --force", "-q --quiet", "-s --small"], compress::bzip2),
    entry(&["cat"], &["-u", "-n --number", "-b --number-nonblank", "-s --squeeze-blank", "-E --show-ends", "-T --show-tabs", "-A --show-all", "-e", "-t", "-v --show-nonprinting"], copy::cat),
    entry(&["cut"], &["-b --bytes", "-c --characters", "-f --fields", "-d --delimiter", "-s --only-delimited", "-n", "--complement", "--output-delimiter", "-z --zero-terminated"], lines::cut),
    entry(&["digest.md5"], DIGEST, digest::md5),
    entry(&["digest.sha"], &["-b --binary", "-t --text", "-z --zero", "-a --algorithm"], digest::shasum),
    entry(&["digest.sha1"], DIGEST, digest::sha1),
    entry(&["digest.sha224"], DIGEST, digest::sha224),
    entry(&["digest.sha256"], DIGEST, digest::sha256),
    entry(&["digest.sha384"], DIGEST, digest::sha384),
    entry(&["digest.sha512"], DIGEST, digest::sha512),
    entry(&["dirname"], &["-z --zero"], calc::dirname),
    entry(&["decompress"], &[UNPACK, "-c --stdout --to-stdout", "-k --keep", "-f --force", "-q --quiet"], compress::any),
    entry(&["echo"], &["-n", "-e", "-E"], echo::run),
    entry(&["expr"], &[], calc::expr),
    entry(&["fold"], &["-w --width", "-b --bytes", "-s --spaces", "-NUM"], lines::fold),
    entry(&["grep"], &["-e --regexp", "-E --extended-regexp", "-F --fixed-strings", "-G --basic-regexp", "-P --perl-regexp", "-i --ignore-case -y", "-v --invert-match", "-w --word-regexp", "-x --line-regexp", "-c --count", "-o --only-matching", "-q --quiet --silent", "-n --line-number", "-m --max-count", "-h --no-filename", "-s --no-messages", "-a --text", "--line-buffered", "--color --colour"], grep::run),
    entry(&["head"], &["-n --lines", "-c --bytes", "-NUM", "-q --quiet --silent"], copy::head),
    entry(&["gzip.decode"], &[UNPACK, "-c --stdout --to-stdout", "-k --keep", "-f --force", "-q --quiet", "-n --no-name", "-N --name"], compress::gzip),
    entry(&["hex.decode"], &["-r -revert", "-p -ps -postscript -plain"], hex::xxd),
    entry(&["iconv"], &["-f --from-code", "-t --to-code", "-s --silent"], encoding::iconv),
    entry(&["jq"], &["-n --null-input", "-r --raw-output", "-j --join-output", "-c --compact-output", "-M --monochrome-output"], jq::run),
    entry(&["nl"], &["-b --body-numbering", "-s --number-separator", "-w --number-width", "-v --starting-line-number", "-i --line-increment"], lines::nl),
    entry(&["od", "hexdump"], &["-A --address-radix", "-j --skip-bytes", "-N --read-bytes", "-t --format", "-v --no-squeezing --output-duplicates", "-w --width", "-b --one-byte-octal", "-c --one-byte-char", "-d --two-bytes-decimal", "-o --two-bytes-octal", "-s --skip", "-x --two-bytes-hex", "-i", "-l", "-a", "-f", "-C --canonical", "-n --length", "-e"], dump::run),
    entry(&["openssl.base64"], &["-d", "-e", "-a -base64", "-A"], encoding::base64),
    entry(&["paste"], &["-s --serial", "-d --delimiters"], lines::paste),
    entry(&["printf"], &[], printf::run),
    entry(&["rev"], &[], copy::rev),
    entry(&["seq"], &["-s --separator", "-w --equal-width"], calc::seq),
    entry(&["sed"], &["-n --quiet --silent", "-E -r --regexp-extended", "-e --expression", "-s --separate", "-u --unbuffered", "--posix", "--sandbox", "-i --in-place", "-I"], sed::run),
    entry(&["sort"], &["-r --reverse", "-n --numeric-sort", "-u --unique", "-f --ignore-case", "-b --ignore-leading-blanks", "-s --stable", "-t --field-separator", "-k --key"], sort::run),
    entry(&["tac"], &["-s --separator"], copy::tac),
    entry(&["tail"], &["-n --lines", "-c --bytes", "-NUM", "-q --quiet --silent"], copy::tail),
    entry(&["tee"], &["-a --append", "-i --ignore-interrupts", "-p --output-error"], copy::tee),
    entry(&["tr"], &["-c -C --complement", "-d --delete", "-s --squeeze-repeats", "-t --truncate-set1", "-u"], tr::run),
    entry(&["uniq"], &["-c --count", "-d --repeated", "-u --unique", "-i --ignore-case"], lines::uniq),
    entry(&["uudecode"], &["-o --output-file", "-p"], encoding::uudecode),
    entry(&["wc"], &["-l --lines", "-w --words", "-c --bytes", "-m --chars"], lines::wc),
    entry(&["xz.decode", "lzma.decode"], &[UNPACK, "-c --stdout --to-stdout", "-k --keep", "-f --force", "-q --quiet"], compress::xz),
    entry(&["xxd", "hex.encode"], &["-r -revert", "-p -ps -postscript -plain", "-u -upper", "-c -cols", "-l -len", "-g -groupsize", "-b -bits"], hex::xxd),
    entry(&["zlib.decode"], &[UNPACK, "-uncompress"], compress::zlib),
    entry(&["zstd.decode"], &[UNPACK, "-c --stdout --to-stdout", "-k --keep", "-f --force", "-q --quiet"], compress::zstd),
];

/// True where the output says nothing of the input: nobody gets back what went into a digest or was counted.
pub fn hides(name: &str) -> bool {
    name.starts_with("digest.") || matches!(name, "bc" | "expr" | "wc")
}

/// True where the program that is given as operand reads no input at all (`awk 'BEGIN { … }'`).
pub fn reads_nothing(name: &str, operands: &[std::borrow::Cow<'_, [u8]>]) -> bool {
    name == "awk" && operands.first().is_some_and(|program| awk::only_begins(program))
}

/// The transform of that name.
pub fn find(name: &str) -> Option<&'static Transform> {
    TABLE.iter().find(|t| t.names.contains(&name))
}

/// What the program prints. `Err`: it is not computed here, or a limit was reached. An option may be given by any of
/// its names.
pub fn run(name: &str, call: &Call<'_>) -> Result<Output, Why> {
    let t = find(name).ok_or(Why::NotComputed("unknown transform"))?;
    let mut options = Vec::with_capacity(call.options.len());
    for (given, value) in call.options {
        let known = t.options.iter().find(|all| all.split(' ').any(|n| n == *given));
        let first = known.and_then(|all| all.split(' ').next()).ok_or(Why::NotComputed("option"))?;
        options.push((first, *value));
    }
    (t.run)(&Call { options: &options, ..*call })
}

/// The lines of a text, each without its newline; the second is false where the last line has none.
fn lines(text: &[u8]) -> (Vec<&[u8]>, bool) {
    let ended = text.ends_with(b"\n");
    let mut all: Vec<&[u8]> = text.split(|b| *b == b'\n').collect();
    if ended || text.is_empty() {
        all.pop();
    }
    (all, ended)
}

/// A whole number from an option's value.
fn count(text: &[u8]) -> Result<usize, Why> {
    std::str::from_utf8(text).ok().and_then(|t| t.parse().ok()).ok_or(Why::NotComputed("number"))
}

#[cfg(test)]
pub(crate) mod check;

#[cfg(test)]
mod tests;
