//! TOML tables that are read strictly: every mistake has a line, a key that nobody asked for is one.
//!
//! In: the text of a grammar file. Out: values by key, and [`Problem`]s. It knows TOML, not grammars.

use std::cell::RefCell;
use std::collections::BTreeSet;
use toml::de::{DeTable, DeValue};

/// A mistake in a grammar file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong.
    pub reason: String,
}

/// The text being read and the mistakes found so far.
#[derive(Debug)]
pub struct Context<'t> {
    text: &'t str,
    problems: RefCell<BTreeSet<Problem>>,
}

impl<'t> Context<'t> {
    /// For a text.
    pub fn new(text: &'t str) -> Self {
        Context { text, problems: RefCell::default() }
    }
    /// Notes a mistake at a byte offset.
    pub fn wrong(&self, at: usize, reason: impl Into<String>) {
        let before = self.text.as_bytes().get(..at).unwrap_or_default();
        let line = before.iter().filter(|b| **b == b'\n').count().saturating_add(1);
        self.problems.borrow_mut().insert(Problem { line, reason: reason.into() });
    }
    /// All mistakes, by line.
    pub fn into_problems(self) -> Vec<Problem> {
        self.problems.into_inner().into_iter().collect()
    }
}

/// A text that lives as long as the program: grammars are few and are kept for good.
pub fn keep(text: &str) -> &'static str {
    Box::leak(text.to_owned().into_boxed_str())
}

/// A text with its place.
#[derive(Clone, Copy, Debug)]
pub struct Text {
    /// The text.
    pub text: &'static str,
    /// Its byte offset.
    pub at: usize,
}

/// A text, or a table, as many keys take both.
#[derive(Clone, Debug)]
pub enum Entry<'a> {
    /// A text.
    Text(Text),
    /// A table.
    Table(Table<'a>),
}

/// A table with its place, and which keys were asked for.
#[derive(Clone, Debug)]
pub struct Table<'a> {
    cx: &'a Context<'a>,
    map: &'a DeTable<'a>,
    /// Its byte offset.
    pub at: usize,
    asked: std::rc::Rc<RefCell<BTreeSet<&'static str>>>,
}

impl<'a> Table<'a> {
    /// A table of a parsed document.
    pub fn new(cx: &'a Context<'a>, map: &'a DeTable<'a>, at: usize) -> Self {
        Table { cx, map, at, asked: std::rc::Rc::default() }
    }
    /// The context.
    pub fn context(&self) -> &'a Context<'a> {
        self.cx
    }
    fn get(&self, key: &'static str) -> Option<(&'a DeValue<'a>, usize)> {
        self.asked.borrow_mut().insert(key);
        self.map.get(key).map(|v| (v.get_ref(), v.span().start))
    }
    /// True where the key is there.
    pub fn has(&self, key: &'static str) -> bool {
        self.get(key).is_some()
    }
    fn expected<T>(&self, at: usize, key: &str, what: &str) -> Option<T> {
        self.cx.wrong(at, format!("`{key}` must be {what}"));
        None
    }
    /// A text.
    pub fn text(&self, key: &'static str) -> Option<Text> {
        let (v, at) = self.get(key)?;
        match v.as_str() {
            Some(s) => Some(Text { text: keep(s), at }),
            None => self.expected(at, key, "a text"),
        }
    }
    /// True or false; false where it is not there.
    pub fn flag(&self, key: &'static str) -> bool {
        self.flag_or(key, false)
    }
    /// True or false, with what holds where it is not there.
    pub fn flag_or(&self, key: &'static str, default: bool) -> bool {
        let Some((v, at)) = self.get(key) else { return default };
        match v.as_bool() {
            Some(b) => b,
            None => self.expected(at, key, "true or false").unwrap_or(default),
        }
    }
    /// True or false, or a text instead.
    pub fn text_or_flag(&self, key: &'static str) -> (bool, Option<Text>) {
        match self.get(key) {
            Some((v, at)) if v.is_str() => (false, v.as_str().map(|s| Text { text: keep(s), at })),
            _ => (self.flag(key), None),
        }
    }
    /// A whole number.
    pub fn number(&self, key: &'static str) -> Option<u64> {
        let (v, at) = self.get(key)?;
        match v.as_integer().and_then(|i| i.as_str().parse().ok()) {
            Some(n) => Some(n),
            None => self.expected(at, key, "a number"),
        }
    }
    /// A text, or a list of texts.
    pub fn texts(&self, key: &'static str) -> Vec<Text> {
        self.entries(key)
            .into_iter()
            .filter_map(|e| match e {
                Entry::Text(t) => Some(t),
                Entry::Table(t) => self.expected(t.at, key, "a text or a list of texts"),
            })
            .collect()
    }
    /// A text, a table, or a list of them.
    pub fn entries(&self, key: &'static str) -> Vec<Entry<'a>> {
        let Some((v, at)) = self.get(key) else { return Vec::new() };
        let one = |v: &'a DeValue<'a>, at: usize| match v {
            DeValue::String(s) => Some(Entry::Text(Text { text: keep(s), at })),
            DeValue::Table(t) => Some(Entry::Table(Table::new(self.cx, t, at))),
            _ => self.expected(at, key, "a text, a table or a list of them"),
        };
        match v {
            DeValue::Array(all) => all.iter().filter_map(|v| one(v.get_ref(), v.span().start)).collect(),
            v => one(v, at).into_iter().collect(),
        }
    }
    /// The tables of `[[key]]`.
    pub fn tables(&self, key: &'static str) -> Vec<Table<'a>> {
        self.entries(key)
            .into_iter()
            .filter_map(|e| match e {
                Entry::Table(t) => Some(t),
                Entry::Text(t) => self.expected(t.at, key, "tables"),
            })
            .collect()
    }
    /// The table of `[key]`.
    pub fn table(&self, key: &'static str) -> Option<Table<'a>> {
        let (v, at) = self.get(key)?;
        match v.as_table() {
            Some(t) => Some(Table::new(self.cx, t, at)),
            None => self.expected(at, key, "a table"),
        }
    }
    /// The names and tables of `[key.NAME]`.
    pub fn named(&self, key: &'static str) -> Vec<(Text, Table<'a>)> {
        let Some(t) = self.table(key) else { return Vec::new() };
        t.all()
            .into_iter()
            .filter_map(|(name, e)| match e {
                Entry::Table(t) => Some((name, t)),
                Entry::Text(t) => self.expected(t.at, key, "tables with names"),
            })
            .collect()
    }
    /// Every key with its list of texts, in the order of the file.
    pub fn lists(&self) -> Vec<(Text, Vec<Text>)> {
        let name = |k: &str, at| Text { text: keep(k), at };
        self.map
            .iter()
            .map(|(k, v)| {
                let key = name(k.get_ref(), k.span().start);
                let texts = match v.get_ref() {
                    DeValue::Array(all) => all
                        .iter()
                        .filter_map(|t| match t.get_ref().as_str() {
                            Some(s) => Some(name(s, t.span().start)),
                            None => self.expected(t.span().start, key.text, "a list of texts"),
                        })
                        .collect(),
                    _ => self.expected(v.span().start, key.text, "a list of texts").unwrap_or_default(),
                };
                (key, texts)
            })
            .collect()
    }
    /// Every key with its text or table, in the order of the file.
    pub fn all(&self) -> Vec<(Text, Entry<'a>)> {
        self.map
            .iter()
            .filter_map(|(k, v)| {
                let name = Text { text: keep(k.get_ref()), at: k.span().start };
                let at = v.span().start;
                match v.get_ref() {
                    DeValue::String(s) => Some((name, Entry::Text(Text { text: keep(s), at }))),
                    DeValue::Table(t) => Some((name, Entry::Table(Table::new(self.cx, t, k.span().start)))),
                    _ => self.expected(at, name.text, "a text or a table"),
                }
            })
            .collect()
    }
    /// Notes every key that was never asked for.
    pub fn finish(&self) {
        let asked = self.asked.borrow();
        for (k, _) in self.map.iter() {
            if !asked.contains(k.get_ref().as_ref()) {
                let known: Vec<&str> = asked.iter().copied().collect();
                self.cx.wrong(k.span().start, format!("unknown key `{}`; here are: {}", k.get_ref(), known.join(", ")));
            }
        }
    }
}
