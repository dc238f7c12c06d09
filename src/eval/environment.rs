//! What variables of the environment mean to the programs that get them, and commands that are put together from lists.
//!
//! In: an invocation and the exported variables. Out: effects of what the program makes of them, and argvs with the options
//! that a variable holds.

use super::Interp;
use super::scope::Content;
use crate::command::grammar::{self, model};
use crate::command::{Invocation, Role, Use};
use crate::effect::ProcessId;
use crate::glob;
use crate::limits;
use crate::source::Place;
use crate::value::{Channel, Taint, Value};

/// Most variables of one kind that hold options.
const MAX_VARIABLES: usize = 16;
/// Most lists that a command is run with.
const MAX_LISTS: usize = 8;

impl Interp<'_> {
    /// The value of an exported variable that the text set.
    fn exported(&self, is: impl Fn(&str) -> bool) -> Vec<(String, Value)> {
        let known = |c: &Content| match c {
            Content::Scalar(v) => Some(v.clone()),
            _ => None,
        };
        let named = self.sh.vars.iter().filter(|(n, v)| v.attrs.exported && !v.attrs.temporary && is(n));
        named.filter_map(|(n, v)| Some((n.to_string(), known(&v.content)?))).take(16).collect()
    }

    /// What exported variables are to a program that has a meaning for them (`export PAGER=…; man ls`).
    pub(super) fn exported_roles(&mut self, inv: &Invocation, at: Place, by: ProcessId) {
        let Some(g) = inv.grammar.and_then(grammar::lookup) else { return };
        if g.env.is_empty() {
            return;
        }
        let own = |n: &str| g.env.iter().any(|e| e.names.iter().any(|p| glob::any(p, n.as_bytes())));
        for (name, value) in self.exported(own) {
            if self.spend(1) {
                self.variable_roles(&name, value, at, by, inv.grammar);
            }
        }
    }

    /// Words that a program takes from variables: options before its own (`NODE_OPTIONS`, `RUBYOPT`), further arguments
    /// behind them (`TF_CLI_ARGS`, `MAKEFLAGS`).
    pub(super) fn words_of_environment(
        &mut self,
        argv: &mut Vec<Value>,
        inv: &mut Invocation,
        env: &[(String, Value, Place)],
    ) {
        let Some(g) = inv.grammar.and_then(grammar::lookup) else { return };
        let Some(first) = argv.first().cloned() else { return };
        let mut options: Vec<Value> = Vec::new();
        let mut arguments: Vec<Value> = Vec::new();
        for entry in &g.env {
            self.settings_of_environment(entry, env, &mut options);
        }
        for (role, name) in g.env.iter().flat_map(words_of) {
            // `{}` stands for the sub-command.
            let name = name.replace("{}", inv.subs.first().copied().unwrap_or_default());
            let given = env.iter().find(|(n, _, _)| *n == name).map(|(_, v, _)| v.clone());
            let value = match given {
                Some(v) => v,
                None if self.sh.var(&name).is_some_and(|v| v.attrs.exported) => {
                    let Some(v) = self.variable(&name, first.place()) else { continue };
                    v
                }
                None => continue,
            };
            let words = super::nested::quoted_words(&value).unwrap_or_else(|| self.split_string(&value));
            if role == Role::Options { options.extend(words) } else { arguments.extend(words) }
        }
        if options.is_empty() && arguments.is_empty() {
            return;
        }
        argv.extend(arguments);
        let mut longer = vec![first];
        longer.extend(options);
        longer.extend(argv.iter().skip(1).cloned());
        *inv = self.read_argv(&longer);
    }

    /// The words of variables of which each stands behind an option of its own (`GIT_CONFIG_KEY_0`).
    fn settings_of_environment(&self, entry: &model::Env, env: &[(String, Value, Place)], out: &mut Vec<Value>) {
        let Some((slot, option)) = setting_of(entry) else { return };
        let is = |n: &str| entry.names.iter().any(|p| glob::any(p, n.as_bytes()));
        let given = env.iter().filter(|(n, _, _)| is(n)).map(|(n, v, _)| (n.clone(), v.clone()));
        let mut all: Vec<(String, Value)> = given.take(MAX_VARIABLES).collect();
        if all.is_empty() {
            all = self.exported(is);
        }
        for (name, value) in all {
            let words = match slot.with {
                Some(with) => self.paired(entry, with, &name, value, env).into_iter().collect(),
                None => super::nested::quoted_words(&value).unwrap_or_else(|| vec![value]),
            };
            for word in words {
                out.push(Value::computed(option.as_bytes(), word.place(), Taint::default()));
                out.push(word);
            }
        }
    }

    /// `NAME=VALUE` of two variables with the same number: the one holds the name, the other its value.
    fn paired(
        &self,
        entry: &model::Env,
        with: &str,
        name: &str,
        mut key: Value,
        env: &[(String, Value, Place)],
    ) -> Option<Value> {
        let number = entry.names.iter().find_map(|p| name.strip_prefix(p.strip_suffix('*')?))?;
        let other = with.replace('*', number);
        let given = env.iter().find(|(n, _, _)| *n == other).map(|(_, v, _)| v.clone());
        let value = given.or_else(|| self.exported(|n| n == other).into_iter().next().map(|(_, v)| v))?;
        key.push(Value::computed(b"=", value.place(), Taint::default()));
        key.push(value);
        Some(key)
    }

    /// Commands for the shell that a command and lists of items make, one for each item: what stands behind a word like
    /// `:::`, or lines of the input.
    pub(super) fn composed(
        &mut self,
        u: &Use,
        words: &[Value],
        lists: Option<usize>,
        input: Option<Value>,
        at: Place,
    ) -> Vec<Value> {
        let (command, rest) = words.split_at(lists.unwrap_or(words.len()));
        let begins = |w: &Value| w.as_str().is_some_and(|s| u.sources.contains(&&*s));
        let mut all: Vec<Vec<Value>> = Vec::new();
        for w in rest {
            if begins(w) && all.len() < MAX_LISTS {
                all.push(Vec::new());
            } else if let Some(list) = all.last_mut() {
                list.push(w.clone());
            }
        }
        if all.is_empty() {
            all.push(input.map(|v| self.lines(&v)).unwrap_or_default());
        }
        // Every combination, within limits.
        let mut rows: Vec<Vec<Value>> = vec![Vec::new()];
        for list in all {
            let mut longer = Vec::new();
            for row in &rows {
                for item in &list {
                    if longer.len() < limits::MAX_TURNS as usize {
                        let mut r = row.clone();
                        r.push(item.clone());
                        longer.push(r);
                    }
                }
            }
            rows = longer;
        }
        rows.iter().map(|row| line(command, row, at)).collect()
    }
}

/// What a variable holds that stands behind an option, and that option.
fn setting_of(entry: &model::Env) -> Option<(&model::Slot, &'static str)> {
    entry.word.either.iter().find(|s| s.role == Role::Options).and_then(|s| Some((s, s.spelled?)))
}

/// The variables of an entry whose value is words of the command line.
fn words_of(entry: &model::Env) -> impl Iterator<Item = (Role, &'static str)> {
    let plain = setting_of(entry).is_none();
    let role = entry.word.either.iter().map(|s| s.role).find(|r| matches!(r, Role::Options | Role::Arguments));
    role.filter(|_| plain).into_iter().flat_map(move |r| entry.names.iter().map(move |n| (r, *n)))
}

/// One command: the words with their places filled, the items behind them where there is no place.
fn line(command: &[Value], row: &[Value], at: Place) -> Value {
    let mut out = Value::default();
    let blank = || Value::computed(b" ", at, Taint::default());
    // Without a command the items are the command, as they stand.
    if command.is_empty() {
        for (i, item) in row.iter().enumerate() {
            if i > 0 {
                out.push(blank());
            }
            let mut item = item.clone();
            item.step(Channel::Pipe);
            out.push(item);
        }
        return out;
    }
    let quoted = |v: &Value| match v.as_literal() {
        Some(b) => Value::computed(&crate::value::quote::shell_quote(&b), v.place(), v.taint()),
        None => v.clone(),
    };
    let joined = row.iter().map(quoted).reduce(|mut a, b| {
        a.push(blank());
        a.push(b);
        a
    });
    let joined = joined.unwrap_or_default();
    let marks = ["{}", "{.}", "{/}", "{//}", "{/.}"];
    let mut placed = false;
    for (i, w) in command.iter().enumerate() {
        if i > 0 {
            out.push(blank());
        }
        let mut w = w.clone();
        let holds = |w: &Value, mark: &str| {
            w.pieces.iter().any(|p| matches!(p, crate::value::Piece::Literal(l) if memchr::memmem::find(&l.bytes, mark.as_bytes()).is_some()))
        };
        for mark in marks {
            if holds(&w, mark) {
                placed = true;
                w = super::invoke::replace_mark(&w, mark.as_bytes(), &joined);
            }
        }
        for (n, item) in row.iter().enumerate().take(9) {
            let mark = format!("{{{}}}", n.saturating_add(1));
            if holds(&w, &mark) {
                placed = true;
                w = super::invoke::replace_mark(&w, mark.as_bytes(), &quoted(item));
            }
        }
        out.push(w);
    }
    if !placed && !row.is_empty() {
        out.push(blank());
        out.push(joined);
    }
    out
}
