//! What an expression of a rule may name: variables, their fields, and the words that a field can hold.
//!
//! The tables are read by the check of an expression, by `shellward policy fields` and by the test that holds the
//! documentation to them. What makes the values is `values`. Imports `effect`.

use crate::effect::graph::DoubtKind;
use crate::effect::path::{Class, Mark};
use crate::effect::{Language, PROPS, Verb};

/// The kind of a value.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    /// A text of any content.
    Text,
    /// One of a list of words.
    Word(fn() -> Vec<&'static str>),
    /// True or false.
    Flag,
    /// A whole number.
    Number,
    /// Texts.
    Texts,
    /// Words of a list.
    Words(fn() -> Vec<&'static str>),
    /// A value with fields.
    Record(&'static Record),
    /// Several of them.
    Records(&'static Record),
}

/// A value with fields.
#[derive(Debug)]
pub(super) struct Record {
    /// Its name.
    pub name: &'static str,
    /// Its fields: name, kind, what it is.
    pub fields: &'static [(&'static str, Kind, &'static str)],
}

impl Record {
    /// The kind of the field with that name.
    pub(super) fn field(&self, name: &str) -> Option<Kind> {
        self.fields.iter().find(|f| f.0 == name).map(|f| f.1)
    }
}

/// The variables: name, kind, what it is.
pub(super) static VARIABLES: &[(&str, Kind, &str)] = &[
    ("effect", Kind::Record(&EFFECT), "the effect that is looked at: a rule that names it is asked about each effect"),
    ("process", Kind::Record(&PROCESS), "the command that is looked at; beside `effect`, the one that does it"),
    ("effects", Kind::Records(&EFFECT), "every effect of the text"),
    ("processes", Kind::Records(&PROCESS), "every command that the text would run"),
    ("doubts", Kind::Records(&DOUBT), "what could not be proven"),
    ("context", Kind::Record(&CONTEXT), "where the text would run"),
];

/// An effect.
pub(super) static EFFECT: Record = Record {
    name: "effect",
    fields: &[
        ("verb", Kind::Word(verbs), "what is done"),
        (
            "kind",
            Kind::Text,
            "the kind of what it is done to: path, url, host, socket, code, command, package, none, …",
        ),
        ("object", Kind::Text, "what it is done to, as written"),
        ("props", Kind::Words(props), "how: the properties of the effect and of its command"),
        ("by", Kind::Text, "the name of the program that does it"),
        ("certainty", Kind::Word(certainties), "whether it happens whenever the text is run"),
        ("site", Kind::Word(sites), "whether it happens on this machine"),
        ("place", Kind::Text, "the other machine or the container, where there is one"),
        ("elevated", Kind::Flag, "it is done with the rights of another user"),
        ("filtered", Kind::Flag, "a pattern or test chooses what it is done to"),
        ("path", Kind::Record(&PATH), "the path that it is done to; empty where it is none"),
        ("target", Kind::Record(&PATH), "the path at the other end of a move, link or copy"),
        ("url", Kind::Record(&ADDRESS), "the address that it is about; empty where it is none"),
        ("language", Kind::Text, "the language of the code that is evaluated"),
        ("package", Kind::Text, "the name of the package"),
        ("ecosystem", Kind::Text, "the ecosystem of the package: npm, pip, apt, …"),
        ("sources", Kind::Records(&SOURCE), "the effects whose content reaches it, the nearest first"),
    ],
};

/// An effect whose content reaches another.
pub(super) static SOURCE: Record = Record {
    name: "source",
    fields: &[
        ("verb", Kind::Word(verbs), "what is done"),
        ("object", Kind::Text, "what it is done to, as written"),
        ("props", Kind::Words(props), "how"),
        ("by", Kind::Text, "the name of the program that does it"),
        ("path", Kind::Record(&PATH), "the path that it is done to; empty where it is none"),
        ("url", Kind::Record(&ADDRESS), "the address that it is about; empty where it is none"),
    ],
};

/// A command that would run.
pub(super) static PROCESS: Record = Record {
    name: "process",
    fields: &[
        ("name", Kind::Text, "the name of the program, without its folder"),
        ("words", Kind::Texts, "its words after all expansions, without the first"),
        ("under", Kind::Texts, "the names of the programs that run it, the nearest first"),
        ("props", Kind::Words(props), "the properties of the command"),
        ("known", Kind::Flag, "a grammar describes it"),
        ("elevated", Kind::Flag, "it runs with the rights of another user"),
        ("certainty", Kind::Word(certainties), "whether it runs whenever the text is run"),
        ("site", Kind::Word(sites), "whether it runs on this machine"),
        ("place", Kind::Text, "the other machine or the container, where there is one"),
    ],
};

/// A path.
pub(super) static PATH: Record = Record {
    name: "path",
    fields: &[
        (
            "text",
            Kind::Text,
            "the whole path, normalised: `~/x` below the home, `./x` where the directory is not known",
        ),
        ("name", Kind::Text, "its last component"),
        ("class", Kind::Word(classes), "what kind of place it is; empty where there is no path"),
        ("marks", Kind::Words(marks), "what the place is known for"),
        ("in_project", Kind::Flag, "it is the directory that the command starts in, or lies below it"),
        ("known", Kind::Flag, "nothing of it is open"),
    ],
};

/// An address.
pub(super) static ADDRESS: Record = Record {
    name: "url",
    fields: &[
        ("text", Kind::Text, "as written"),
        ("scheme", Kind::Text, "its scheme, in lower case"),
        ("host", Kind::Text, "its host: a name in lower case, an address in its plain form"),
        ("port", Kind::Number, "its port, written or usual; 0 where it is not known"),
        ("path", Kind::Text, "path, query and fragment"),
        ("reach", Kind::Word(reaches), "where its host is; empty where there is no address"),
    ],
};

/// Something that could not be proven.
pub(super) static DOUBT: Record = Record {
    name: "doubt",
    fields: &[("kind", Kind::Word(doubts), "what kind of doubt"), ("detail", Kind::Text, "the name, word or reason")],
};

/// Where the text would run.
pub(super) static CONTEXT: Record = Record {
    name: "context",
    fields: &[
        ("cwd", Kind::Text, "the directory it starts in; empty where it is not known"),
        ("home", Kind::Text, "the home directory; empty where it is not known"),
        ("shell", Kind::Word(languages), "the shell that would read it"),
    ],
};

fn verbs() -> Vec<&'static str> {
    Verb::ALL.iter().map(|v| v.name()).collect()
}
fn props() -> Vec<&'static str> {
    PROPS.to_vec()
}
fn classes() -> Vec<&'static str> {
    Class::ALL.iter().map(|c| c.name()).chain([""]).collect()
}
fn marks() -> Vec<&'static str> {
    Mark::ALL.iter().map(|m| m.name()).collect()
}
fn doubts() -> Vec<&'static str> {
    DoubtKind::ALL.iter().map(|d| d.name()).collect()
}
fn languages() -> Vec<&'static str> {
    Language::ALL.iter().map(|l| l.name()).collect()
}
fn certainties() -> Vec<&'static str> {
    vec!["certain", "conditional", "possible"]
}
fn sites() -> Vec<&'static str> {
    vec!["local", "remote", "contained"]
}
fn reaches() -> Vec<&'static str> {
    vec!["loopback", "private", "metadata", "public", "unknown", ""]
}

/// Every variable and field, for people: a Markdown table for each record.
pub(super) fn tables() -> String {
    let mut out = String::from("| variable | kind | what it is |\n|---|---|---|\n");
    for (name, kind, what) in VARIABLES {
        out.push_str(&format!("| `{name}` | {} | {what} |\n", shown(*kind)));
    }
    for record in [&EFFECT, &SOURCE, &PROCESS, &PATH, &ADDRESS, &DOUBT, &CONTEXT] {
        out.push_str(&format!("\n| {} | kind | what it is |\n|---|---|---|\n", record.name));
        for (name, kind, what) in record.fields {
            out.push_str(&format!("| `{name}` | {} | {what} |\n", shown(*kind)));
        }
    }
    out
}

/// The words of the long lists, for people.
pub(super) fn lists() -> String {
    let mut out = String::new();
    let lists = [
        ("verbs", verbs()),
        ("properties", props()),
        ("classes of paths", classes()),
        ("marks of paths", marks()),
        ("doubts", doubts()),
    ];
    for (name, list) in lists {
        let words: Vec<String> = list.iter().filter(|w| !w.is_empty()).map(|w| format!("`{w}`")).collect();
        out.push_str(&format!("\nThe {name}: {}.\n", words.join(", ")));
    }
    out
}

fn shown(kind: Kind) -> String {
    match kind {
        Kind::Text => "text".into(),
        Kind::Word(list) if list().len() <= 6 => {
            let words: Vec<String> = list().iter().filter(|w| !w.is_empty()).map(|w| format!("`{w}`")).collect();
            words.join(", ")
        }
        Kind::Word(_) => "word".into(),
        Kind::Flag => "true or false".into(),
        Kind::Number => "number".into(),
        Kind::Texts => "list of texts".into(),
        Kind::Words(_) => "list of words".into(),
        Kind::Record(r) => r.name.into(),
        Kind::Records(r) => format!("list of {}", r.name),
    }
}
