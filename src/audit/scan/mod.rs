//! Shell text in files: scripts, Dockerfiles, Makefiles, CI pipelines, package scripts, crontabs, Markdown.
//!
//! In: a file's path and bytes. Out: the pieces of shell text in it, each knowing where in the file its bytes stand. A
//! kind of file is one file here and one line in [`KINDS`]. What a kind computes before a shell sees the text (variables
//! of make, expressions of a CI system) becomes a shell variable of unknown value.

mod crontab;
mod dockerfile;
mod makefile;
mod markdown;
mod package_json;
mod pipeline;
pub mod run;
mod script;

use super::format::Hint;
use crate::effect::Language;

/// A piece of shell text in a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Piece {
    /// The text as the shell gets it.
    pub text: Vec<u8>,
    /// The shell; `None` for the usual one of the kind.
    pub shell: Option<Language>,
    /// Where runs of the text stand in the file: offset in the text, offset in the file, and whether the run stands there
    /// byte for byte.
    map: Vec<(usize, usize, bool)>,
}

impl Piece {
    /// Adds bytes that stand in the file at `at`.
    fn copy(&mut self, bytes: &[u8], at: usize) {
        self.map.push((self.text.len(), at, true));
        self.text.extend_from_slice(bytes);
    }
    /// Adds bytes that were computed from what stands in the file at `at`.
    fn computed(&mut self, bytes: &[u8], at: usize) {
        self.map.push((self.text.len(), at, false));
        self.text.extend_from_slice(bytes);
    }
    /// A piece that stands in the file as it is.
    fn at(bytes: &[u8], at: usize) -> Self {
        Piece { text: bytes.to_vec(), map: vec![(0, at, true)], shell: None }
    }
    /// The same text on the standard input of a command.
    fn given_to(self, command: &str) -> Self {
        let at = self.offset(0);
        let mut end = "end".to_string();
        while memchr::memmem::find(&self.text, end.as_bytes()).is_some() && end.len() < 64 {
            end.push('_');
        }
        let mut out = Piece { shell: Some(Language::Bash), ..Piece::default() };
        out.computed(format!("{command} <<'{end}'\n").as_bytes(), at);
        let head = out.text.len();
        out.map.extend(self.map.iter().map(|(t, f, exact)| (t.saturating_add(head), *f, *exact)));
        out.text.extend_from_slice(&self.text);
        out.computed(format!("\n{end}").as_bytes(), at);
        out
    }
    /// The offset in the file at which a part of the text ends. What was put in ends where the text goes on.
    fn end(&self, end: usize) -> usize {
        let last = end.saturating_sub(1);
        let at = self.offset(last);
        let run = self.map.iter().rposition(|(start, ..)| *start <= last);
        let after = run.filter(|i| self.map.get(*i).is_some_and(|(_, _, exact)| !exact));
        let next = after.and_then(|i| self.map.get(i.saturating_add(1))).map(|(_, file, _)| *file);
        next.filter(|n| *n > at).unwrap_or(at.saturating_add(1))
    }
    /// True where all of a part of the text stands in the file byte for byte.
    fn is_exact(&self, start: usize, end: usize) -> bool {
        let ends = self.map.iter().skip(1).map(|(next, ..)| *next).chain([self.text.len()]);
        self.map.iter().zip(ends).all(|((from, _, exact), to)| *exact || to <= start || *from >= end)
    }
    /// The offset in the file of an offset in the text.
    pub fn offset(&self, at: usize) -> usize {
        let run = self.map.iter().rev().find(|(start, ..)| *start <= at);
        run.map_or(0, |(start, file, exact)| {
            let inside = if *exact { at.saturating_sub(*start) } else { 0 };
            file.saturating_add(inside)
        })
    }
}

/// A kind of file.
#[derive(Debug)]
pub struct Kind {
    /// Its name.
    pub name: &'static str,
    /// Whether a file is of it.
    pub fits: fn(&Hint<'_>) -> bool,
    /// The shell text in it.
    pub pieces: fn(&Hint<'_>, &[u8]) -> Vec<Piece>,
    /// Shell text stands in it as it is, without quotes or variables of another language around it.
    pub plain: bool,
}

/// Every kind; the first that fits is taken.
pub static KINDS: &[&Kind] = &[
    &dockerfile::KIND,
    &makefile::KIND,
    &pipeline::GITHUB,
    &pipeline::GITLAB,
    &package_json::KIND,
    &crontab::KIND,
    &script::KIND,
];

/// What kind a file is; Markdown only where asked for.
pub fn kind(hint: &Hint<'_>, markdown: bool) -> Option<&'static Kind> {
    let found = KINDS.iter().copied().find(|k| (k.fits)(hint));
    found.or_else(|| (markdown && (markdown::KIND.fits)(hint)).then_some(&markdown::KIND))
}

/// Line and column (in characters) of an offset, both from 1.
pub fn line_column(bytes: &[u8], offset: usize) -> (usize, usize) {
    let before = bytes.get(..offset).unwrap_or(bytes);
    let begin = memchr::memrchr(b'\n', before).map_or(0, |i| i.saturating_add(1));
    let line = memchr::memchr_iter(b'\n', before).count().saturating_add(1);
    let column = String::from_utf8_lossy(before.get(begin..).unwrap_or_default()).chars().count().saturating_add(1);
    (line, column)
}

/// The lines of a file with their offsets, without their newlines.
fn lines(bytes: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let mut at = 0usize;
    bytes.split_inclusive(|b| *b == b'\n').map(move |line| {
        let start = at;
        at = at.saturating_add(line.len());
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        (start, line.strip_suffix(b"\r").unwrap_or(line))
    })
}

/// The bytes without leading blanks, and how many those were.
fn unindented(line: &[u8]) -> (usize, &[u8]) {
    let rest = line.trim_ascii_start();
    (line.len().saturating_sub(rest.len()), rest)
}

/// Copies a text into a piece with what stands between `open` and `close` replaced by a variable of unknown value, named
/// as the expression is where that is a path (`inputs.dir`: `${inputs_dir}`).
fn without_expressions(piece: &mut Piece, text: &[u8], at: usize, open: &[u8], close: &[u8]) {
    let mut from = 0usize;
    while let Some(i) = text.get(from..).and_then(|t| memchr::memmem::find(t, open)) {
        let start = from.saturating_add(i);
        let after = text.get(start..).and_then(|t| memchr::memmem::find(t, close));
        let Some(length) = after else { break };
        piece.copy(text.get(from..start).unwrap_or_default(), at.saturating_add(from));
        let end = start.saturating_add(length);
        let inside = text.get(start.saturating_add(open.len())..end).unwrap_or_default().trim_ascii();
        let path = inside.first().is_some_and(u8::is_ascii_alphabetic)
            && inside.iter().all(|b| b.is_ascii_alphanumeric() || b"._-".contains(b));
        let mut name = b"${".to_vec();
        match path {
            true => name.extend(inside.iter().map(|b| if b.is_ascii_alphanumeric() { *b } else { b'_' })),
            false => name.extend_from_slice(b"expression"),
        }
        name.push(b'}');
        piece.computed(&name, at.saturating_add(start));
        from = end.saturating_add(close.len());
    }
    piece.copy(text.get(from..).unwrap_or_default(), at.saturating_add(from));
}

/// The shell that runs a script, by the path of its interpreter.
fn interpreter(path: &str) -> Option<Language> {
    let name = path.rsplit(['/', '\\']).next()?;
    script::NAMES
        .lines()
        .filter_map(|l| l.strip_prefix("interpreter "))
        .filter_map(|l| l.split_once(' '))
        .find(|(n, _)| *n == name)
        .and_then(|(_, l)| Language::from_name(l))
}

/// The command that runs code: of a `code` interpreter, or of an `action` at any version.
fn program(kind: &str, name: &str) -> Option<&'static str> {
    let name = name.rsplit_once('@').map_or(name, |(name, _)| name);
    let lines = script::NAMES.lines().filter_map(|l| l.split_once(' ')).filter(|(k, _)| *k == kind);
    lines.filter_map(|(_, l)| l.split_once(' ')).find(|(n, _)| *n == name).map(|(_, command)| command)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(kind: &Kind, path: &str, file: &str) -> Vec<String> {
        let hint = Hint { path, head: file.as_bytes() };
        (kind.pieces)(&hint, file.as_bytes()).iter().map(|p| String::from_utf8_lossy(&p.text).into_owned()).collect()
    }

    #[test]
    fn make_puts_in_what_it_knows() {
        let file = "DIR := /\nD =\nX = a\nX = b\nall: dep ; rm $(DIR)\n\t@echo $(D) $(X) $$y $@ $(RM)\n";
        let want = ["rm /", "echo ${D} ${X} $y ${make} rm -f"];
        assert_eq!(texts(&makefile::KIND, "Makefile", file), want);
        let piece = (makefile::KIND.pieces)(&Hint { path: "Makefile", head: b"" }, file.as_bytes()).remove(0);
        assert_eq!(file.get(piece.offset(0)..piece.end(4)), Some("rm $(DIR)"));
    }

    #[test]
    fn a_pipeline_has_shells_by_default_and_texts_by_anchor() {
        let file = "defaults:\n  run:\n    shell: pwsh\njobs:\n  a:\n    steps:\n      - run: x\n      - run: y\n        shell: sh\n";
        let pieces = (pipeline::GITHUB.pieces)(&Hint { path: ".github/workflows/a.yml", head: b"" }, file.as_bytes());
        let shells: Vec<_> = pieces.iter().map(|p| p.shell).collect();
        assert_eq!(shells, [Some(Language::PowerShell), Some(Language::Sh)]);
        let file = "x: &a\n  - one\ny: &b\n  - other\njob:\n  script: *a\n";
        assert_eq!(texts(&pipeline::GITLAB, ".gitlab-ci.yml", file), ["one"]);
    }

    #[test]
    fn an_expression_is_a_variable_of_its_name() {
        let file = "jobs:\n  a:\n    steps:\n      - run: echo ${{ github.event.issue.title }} ${{inputs.a-b}} ${{ f(x) || 1 }}\n";
        let all = texts(&pipeline::GITHUB, ".github/workflows/a.yml", file);
        assert_eq!(all, ["echo ${github_event_issue_title} ${inputs_a_b} ${expression}"]);
    }

    #[test]
    fn make_has_recipes_of_other_forms() {
        let file = ".RECIPEPREFIX = >\nX != curl a | sh\ndefine GO\n@one $(1)\n> two\nendef\ndefine NOT\nthree\nendef\nall:\n\
                    > -four\n>$(call GO,x)\n\tfive\n";
        assert_eq!(texts(&makefile::KIND, "Makefile", file), ["curl a | sh", "one ${make}", "two", "four", "${make}"]);
        let piece = (makefile::KIND.pieces)(&Hint { path: "Makefile", head: b"" }, file.as_bytes()).remove(0);
        assert_eq!(file.get(piece.offset(0)..), file.find("curl").and_then(|i| file.get(i..)));
    }

    #[test]
    fn a_list_of_words_stands_where_its_words_stand() {
        let file = "FROM x\nRUN [ \"sh\", \"-c\", \"rm -rf /\" ]\nCMD [\"a\\tb\", \"c\"]\n";
        assert_eq!(texts(&dockerfile::KIND, "Dockerfile", file), ["sh -c 'rm -rf /'", "'a\tb' c"]);
        let pieces = (dockerfile::KIND.pieces)(&Hint { path: "Dockerfile", head: b"" }, file.as_bytes());
        let at = |piece: usize, text: &str| {
            let text = String::from_utf8_lossy(&pieces[piece].text).find(text).unwrap();
            file.get(pieces[piece].offset(text)..).unwrap().chars().take(4).collect::<String>()
        };
        let at = [at(0, "sh"), at(0, "-c"), at(0, "'rm"), at(1, "c")];
        assert_eq!(at, ["sh\",", "-c\",", "rm -", "c\"]\n"].map(String::from));
    }

    #[test]
    fn a_pipeline_refers_to_lists_and_runs_other_languages() {
        let file = ".v:\n  cmds:\n    - one\n  other: x\njob:\n  script:\n    - !reference [.v, cmds]\n    - two\n";
        assert_eq!(texts(&pipeline::GITLAB, ".gitlab-ci.yml", file), ["two", "one"]);
        let file = "jobs:\n  a:\n    steps:\n      - run: |\n          import os\n          os.system('x')\n        shell: python\n\
                    \x20     - uses: actions/github-script@v7\n        with:\n          script: |\n            foo()\n      - uses: other/x@v1\n        with:\n          script: bar()\n      - run: y\n";
        let all = texts(&pipeline::GITHUB, ".github/workflows/a.yml", file);
        assert_eq!(all.len(), 3, "{all:?}");
        assert!(all[0].starts_with("python3 - <<'end'\nimport os\n"), "{all:?}");
        assert!(all[1].starts_with("node - <<'end'\nfoo()") && all[2] == "y", "{all:?}");
        let piece =
            (pipeline::GITHUB.pieces)(&Hint { path: ".github/workflows/a.yml", head: b"" }, file.as_bytes()).remove(0);
        let at = String::from_utf8_lossy(&piece.text).find("os.system").unwrap();
        assert_eq!(Some(piece.offset(at)), file.find("os.system"));
    }

    #[test]
    fn prompts_quotations_and_users_are_no_commands() {
        let file = "```sh\n$ a\n```\n> ```sh\n> b\n> ```\n";
        assert_eq!(texts(&markdown::KIND, "x.md", file), ["a", "b"]);
        assert_eq!(texts(&crontab::KIND, "crontab", "@daily root a\n0 0 * * * b\n"), ["a", "b"]);
    }

    #[test]
    fn places_are_lines_and_characters() {
        assert_eq!(line_column("a\nüb\n".as_bytes(), 4), (2, 2));
        assert_eq!(line_column(b"", 0), (1, 1));
    }
}
