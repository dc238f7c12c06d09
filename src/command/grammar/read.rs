//! Grammar files: TOML → [`Grammar`], strictly.
//!
//! In: the text of one file. Out: the grammar, or every mistake with its line. `build.rs` shares this file, so that the
//! program can load further grammars at run time by exactly the same rules. Floor 4; imports the vocabulary and roles.

use super::condition::{Scope, condition};
use super::model::{
    Alias, At, Claim, Env, Environment, Grammar, Implied, Info, Level, Operand, Opt, Presence, Sets, Stream, Style,
    Sub, UnknownOption, Word,
};
use super::slot::{plain, slot, word, word_of};
use super::table::{Context, Entry, Problem, Table, Text};
use crate::command::role::{Stdin, Stdout};
use crate::effect::{Language, Props, Verb};
use toml::de::DeTable;

/// Deepest nesting of sub-commands (`aws s3api …`, `gcloud a b c d`).
const MAX_SUBS: usize = 12;

/// Reads the text of one file of `grammars/commands/`.
pub fn program(text: &str) -> Result<Grammar, Vec<Problem>> {
    document(text, |root| {
        let mut r = Reader { root: root.clone(), depth: 0 };
        let names = root.texts("names");
        if names.is_empty() {
            root.context().wrong(root.at, "`names` is missing");
        }
        if let Some(first) = names.first().filter(|n| is_glob(n.text)) {
            root.context().wrong(first.at, "the first of `names` must not be a glob: it names the grammar");
        }
        let source = root.text("source").map_or("", |t| t.text);
        if source.is_empty() {
            root.context().wrong(root.at, "`source` is missing: the man page or site that the facts come from");
        }
        let shells = root.texts("shells").into_iter().filter_map(|t| language(root, t)).collect();
        if !root.has("argv") {
            root.context().wrong(root.at, "`argv` is missing: how options are read");
        }
        let (top, scope) = r.level(root, &Level::default(), &Scope::default(), Vec::new());
        if top.stdin.is_empty() || top.stdout.is_empty() {
            root.context().wrong(root.at, "`[stdio]` with `stdin` and `stdout` is missing");
        }
        let env = root.tables("env").iter().filter_map(|t| env_entry(t, &scope)).collect();
        let aliases = root.tables("alias").iter().map(alias).collect();
        root.named("group").iter().for_each(|(_, t)| drop(option_names(t)));
        super::example::check(root);
        root.finish();
        Grammar { names: names.iter().map(|n| n.text).collect(), source, shells, top, env, aliases }
    })
}

/// Reads `grammars/environment.toml`: what matters to every program.
pub fn environment(text: &str) -> Result<Environment, Vec<Problem>> {
    document(text, |root| {
        let env = root.tables("env").iter().filter_map(|t| env_entry(t, &Scope::default())).collect();
        let bin = root.texts("bin").iter().map(|t| t.text).collect();
        let exported = root.texts("exported").iter().map(|t| t.text).collect();
        root.finish();
        Environment { env, bin, exported }
    })
}

/// Reads a document with `f`, and gives what it makes where there is no mistake.
pub(super) fn document<T>(text: &str, f: impl FnOnce(&Table) -> T) -> Result<T, Vec<Problem>> {
    let cx = Context::new(text);
    let made = match DeTable::parse(text) {
        Ok(doc) => {
            // The tables borrow the context for the whole reading, so the problems are taken out after it.
            let table = Table::new(&cx, doc.get_ref(), 0);
            Some(f(&table))
        }
        Err(e) => {
            cx.wrong(e.span().map_or(0, |s| s.start), e.message().to_owned());
            None
        }
    };
    let problems = cx.into_problems();
    match made {
        Some(m) if problems.is_empty() => Ok(m),
        _ => Err(problems),
    }
}

/// True where a name has glob characters (`[` alone is the name of a program).
pub fn is_glob(name: &str) -> bool {
    name.contains(['*', '?']) || (name.contains('[') && name.contains(']'))
}

pub(super) fn language(table: &Table, t: Text) -> Option<&'static str> {
    let known = Language::from_name(t.text).map(Language::name);
    if known.is_none() {
        table.context().wrong(t.at, format!("unknown language `{}`", t.text));
    }
    known
}

pub(super) fn props(table: &Table, t: Text) -> u64 {
    t.text.split_whitespace().fold(0, |all, name| match Props::from_name(name) {
        Some(p) => all | p.0,
        None => {
            table.context().wrong(t.at, format!("unknown property `{name}`; `shellward policy fields` lists them"));
            all
        }
    })
}

fn sets(table: &Table, scope: &Scope) -> Vec<Sets> {
    let one = |e: &Entry| match e {
        Entry::Text(t) => Some(Sets { props: props(table, *t), ..Sets::default() }),
        Entry::Table(t) => {
            let made = is(t).map(|n| Sets { props: props(t, n), cond: condition(t, scope) });
            t.finish();
            made
        }
    };
    table.entries("sets").iter().filter_map(one).collect()
}

fn is(table: &Table) -> Option<Text> {
    let t = table.text("is");
    if t.is_none() {
        table.context().wrong(table.at, "`is` is missing");
    }
    t
}

fn claims(table: &Table, scope: &Scope) -> Vec<Claim> {
    let claim = |t: Text| {
        let words: Vec<&'static str> = t.text.split_whitespace().collect();
        let (verb, object, of) = match words.as_slice() {
            [v, o] => (*v, *o, None),
            [v, o, r] if r.starts_with('$') => (*v, *o, Some(r.trim_start_matches('$'))),
            _ => {
                table
                    .context()
                    .wrong(t.at, format!("effect `{}`: write \"VERB OBJECT\" or \"VERB OBJECT $NAME\"", t.text));
                return None;
            }
        };
        let Some(verb) = Verb::from_name(verb).map(Verb::name) else {
            table.context().wrong(t.at, format!("unknown verb `{verb}`; `shellward policy fields` lists them"));
            return None;
        };
        let of = of.and_then(|r| reference(table, Text { text: r, at: t.at }, scope));
        Some(Claim { verb, object, of, ..Claim::default() })
    };
    let one = |e: &Entry| match e {
        Entry::Text(t) => claim(*t),
        Entry::Table(t) => {
            let made = is(t).and_then(claim).map(|c| Claim { cond: condition(t, scope), ..c });
            t.finish();
            made
        }
    };
    table.entries("effect").iter().filter_map(one).collect()
}

/// An option or operand that another key names.
pub(super) fn reference(table: &Table, t: Text, scope: &Scope) -> Option<&'static str> {
    let found = scope.refer(t.text);
    if found.is_none() {
        table.context().wrong(t.at, format!("no option or operand `{}` is declared", t.text));
    }
    found
}

fn streams(table: &Table, key: &'static str, scope: &Scope, known: fn(&'static str) -> bool) -> Vec<Stream> {
    let stream = |t: Text| {
        if !known(t.text) {
            table.context().wrong(t.at, format!("unknown {key} `{}`", t.text));
        }
        Stream { is: t.text, ..Stream::default() }
    };
    let one = |e: &Entry| match e {
        Entry::Text(t) => Some(stream(*t)),
        Entry::Table(t) => {
            let made = is(t).map(|n| Stream { cond: condition(t, scope), ..stream(n) });
            t.finish();
            made
        }
    };
    table.entries(key).iter().filter_map(one).collect()
}

fn env_entry(t: &Table, scope: &Scope) -> Option<Env> {
    let names: Vec<&'static str> = t.texts("names").iter().map(|n| n.text).collect();
    if names.is_empty() {
        t.context().wrong(t.at, "`names` is missing");
        return None;
    }
    let env = Env { names, word: word(t, scope), sets: sets(t, scope), effects: claims(t, scope) };
    t.finish();
    Some(env)
}

fn alias(t: &Table) -> Alias {
    let words = |key| t.texts(key).iter().map(|n| n.text).collect();
    let made = Alias { names: words("names"), args: words("args") };
    if made.names.is_empty() || made.args.is_empty() {
        t.context().wrong(t.at, "an alias needs `names` and `args`");
    }
    t.finish();
    made
}

/// The names of all options that a table declares, each list with the main name first.
fn option_names(t: &Table) -> Vec<Vec<&'static str>> {
    let mut all: Vec<Vec<&'static str>> = Vec::new();
    for key in ["flags", "info", "simulate"] {
        all.extend(t.texts(key).iter().map(|f| f.text.split_whitespace().collect()));
    }
    for (_, options) in t.table("takes").iter().flat_map(Table::lists) {
        all.extend(options.iter().map(|f| f.text.split_whitespace().collect()));
    }
    all.extend(t.tables("option").iter().map(|o| o.texts("names").iter().map(|n| n.text).collect()));
    all
}

struct Reader<'a> {
    root: Table<'a>,
    depth: usize,
}

impl<'a> Reader<'a> {
    /// A level with the scope that its conditions saw.
    fn level(&mut self, t: &Table<'a>, above: &Level, outer: &Scope, names: Vec<&'static str>) -> (Level, Scope) {
        let sources = self.sources(t);
        let mut scope = outer.clone();
        for s in &sources {
            scope.options.extend(option_names(s));
        }
        scope.operands = t.tables("operand").iter().filter_map(|o| o.text("name")).map(|n| n.text).collect();

        let mut level = Level { names, ..style(t, above) };
        level.unknown_option = named(t, "unknown_option", above.unknown_option, UnknownOption::from_name);
        level.inherit = t.flag("inherit");
        level.sub_prefix = t.flag_or("sub_prefix", above.sub_prefix);
        level.sub_at = t.number("sub_at").unwrap_or(1).max(1);
        level.multicall = t.flag("multicall");
        level.builtin = t.text("builtin").map(|b| b.text);
        level.language = t.text("language").and_then(|l| language(t, l)).or(above.language);
        level.sets = sets(t, &scope);
        level.effects = claims(t, &scope);
        for s in &sources {
            self.options(s, &scope, &mut level);
        }
        level.signs = level.options.iter().any(|o| {
            o.names.iter().any(|n| {
                !(n.starts_with('-') || n.ends_with('=')) || (o.joined && (n.len() != 2 || level.style == Style::Long1))
            })
        });
        level.operands = t.tables("operand").iter().map(|o| operand(o, &scope)).collect();
        level.files = t.tables("file").iter().map(|f| implied(f, &scope)).collect();
        reachable(t, &level);
        if let Some(io) = t.table("stdio") {
            level.stdin = streams(&io, "stdin", &scope, |n| Stdin::from_name(n).is_some());
            level.stdout = streams(&io, "stdout", &scope, |n| Stdout::from_name(n).is_some());
            io.finish();
        }
        self.subs(t, &scope, &mut level);
        (level, scope)
    }

    /// The table itself and the groups that it uses.
    fn sources(&self, t: &Table<'a>) -> Vec<Table<'a>> {
        let groups = self.root.named("group");
        let mut all = vec![t.clone()];
        for used in t.texts("use") {
            match groups.iter().find(|(name, _)| name.text == used.text) {
                Some((_, g)) => all.push(g.clone()),
                None => t.context().wrong(used.at, format!("no `[group.{}]` is defined", used.text)),
            }
        }
        all
    }

    fn options(&self, t: &Table<'a>, scope: &Scope, level: &mut Level) {
        for (key, info, simulate) in
            [("flags", Info::No, false), ("info", Info::Yes, false), ("simulate", Info::No, true)]
        {
            for f in t.texts(key) {
                let names: Vec<&'static str> = f.text.split_whitespace().collect();
                check_names(t, f.at, &names, level);
                level.options.push(Opt { names, info, simulate, ..Opt::default() });
            }
        }
        for (role, options) in t.table("takes").iter().flat_map(Table::lists) {
            for f in options {
                let names: Vec<&'static str> = f.text.split_whitespace().collect();
                check_names(t, f.at, &names, level);
                level.options.push(Opt { names, words: vec![plain(t, role)], ..Opt::default() });
            }
        }
        for o in t.tables("option") {
            let made = option(&o, scope, level);
            level.options.push(made);
        }
    }

    fn subs(&mut self, t: &Table<'a>, scope: &Scope, level: &mut Level) {
        let subs = t.named("sub");
        if subs.is_empty() {
            return;
        }
        if self.depth >= MAX_SUBS {
            t.context().wrong(t.at, "sub-commands are nested too deep");
            return;
        }
        self.depth = self.depth.saturating_add(1);
        let mut seen: Vec<&'static str> = Vec::new();
        for (name, sub) in subs {
            let mut names = vec![name.text];
            names.extend(sub.texts("aliases").iter().map(|a| a.text));
            for n in &names {
                if seen.contains(n) {
                    t.context().wrong(name.at, format!("sub-command `{n}` is declared twice"));
                }
            }
            seen.extend(&names);
            let body = match sub.text("same") {
                None => Some(sub.clone()),
                Some(path) => {
                    sub.finish();
                    self.find(path)
                }
            };
            let Some(body) = body else { continue };
            body.texts("aliases");
            body.text("same");
            let (made, _) = self.level(&body, level, scope, names.clone());
            body.finish();
            level.subs.push(Sub { names, level: made });
        }
        self.depth = self.depth.saturating_sub(1);
    }

    /// The table of the sub-command that `same` names.
    fn find(&self, path: Text) -> Option<Table<'a>> {
        let mut at = self.root.clone();
        for step in path.text.split_whitespace() {
            let next = at
                .named("sub")
                .into_iter()
                .find(|(n, t)| n.text == step || t.texts("aliases").iter().any(|a| a.text == step));
            match next {
                Some((_, t)) => at = t,
                None => {
                    self.root.context().wrong(path.at, format!("`same`: no sub-command `{}`", path.text));
                    return None;
                }
            }
        }
        if at.has("same") {
            self.root.context().wrong(path.at, "`same` must not name another `same`");
            return None;
        }
        Some(at)
    }
}

fn named<T>(t: &Table, key: &'static str, default: T, from: fn(&str) -> Option<T>) -> T {
    match t.text(key) {
        None => default,
        Some(n) => from(n.text).unwrap_or_else(|| {
            t.context().wrong(n.at, format!("`{key}` cannot be `{}`", n.text));
            default
        }),
    }
}

fn style(t: &Table, above: &Level) -> Level {
    let mut level = Level {
        style: above.style,
        abbreviate: above.abbreviate,
        permute: above.permute,
        double_dash: above.double_dash,
        nocase: above.nocase,
        short_equals: above.short_equals,
        negatable: t.flag_or("negatable", above.negatable),
        ..Level::default()
    };
    if t.has("argv") {
        let s = named(t, "argv", Style::Gnu, Style::from_name);
        level.style = s;
        level.abbreviate = matches!(s, Style::Gnu | Style::Posix | Style::Bundle | Style::PowerShell);
        level.permute = !matches!(s, Style::Posix | Style::Raw);
        level.double_dash = !matches!(s, Style::Keyword | Style::Raw | Style::PowerShell | Style::Dos);
        level.nocase = matches!(s, Style::PowerShell | Style::Dos);
        level.short_equals = s == Style::Exact;
    }
    level.abbreviate = t.flag_or("abbreviate", level.abbreviate);
    level.permute = t.flag_or("permute", level.permute);
    level.double_dash = t.flag_or("double_dash", level.double_dash);
    level.nocase = t.flag_or("nocase", level.nocase);
    level.short_equals = t.flag_or("short_equals", level.short_equals);
    level
}

/// Names are well-formed, and none is declared already on this level.
fn check_names(t: &Table, at: usize, names: &[&'static str], level: &Level) {
    if names.is_empty() {
        t.context().wrong(at, "an option needs `names`");
    }
    for n in names {
        let word = !n.is_empty() && !n.contains(char::is_whitespace);
        let keyword = level.style == Style::Keyword && n.ends_with('=');
        if !word || (n.starts_with(char::is_alphanumeric) && !keyword) {
            t.context().wrong(at, format!("`{n}` cannot be an option's name"));
        }
        if level.options.find(n.as_bytes(), false).is_some() {
            t.context().wrong(at, format!("option `{n}` is declared twice"));
        }
    }
}

fn option(t: &Table, scope: &Scope, level: &Level) -> Opt {
    let names: Vec<&'static str> = t.texts("names").iter().map(|n| n.text).collect();
    check_names(t, t.at, &names, level);
    let single = t.has("value") || t.has("either");
    let words = if single {
        vec![word(t, scope)]
    } else {
        t.entries("values")
            .iter()
            .map(|e| match e {
                Entry::Text(n) => Word { either: vec![word_of(t, *n)] },
                Entry::Table(v) => {
                    let made = Word { either: vec![slot(v, scope)] };
                    v.finish();
                    made
                }
            })
            .collect()
    };
    if single && t.has("values") {
        t.context().wrong(t.at, "`value` or `either`, and `values`: only one of them");
    }
    let presence = presence(t);
    let many = t.flag("many");
    let joined = t.flag("joined");
    if words.is_empty() && (presence != Presence::Required || many || joined) {
        t.context().wrong(t.at, "`optional`, `many` and `joined` need a `value`");
    }
    let (info, first) = match t.text_or_flag("info") {
        (flag, None) => (flag, false),
        (_, Some(n)) => {
            if n.text != "first" {
                t.context().wrong(n.at, "`info` is true or \"first\"");
            }
            (false, true)
        }
    };
    let made = Opt {
        names,
        words,
        presence,
        many,
        joined,
        global: t.flag("global"),
        stops: t.flag("stops"),
        sets: sets(t, scope),
        effects: claims(t, scope),
        info: if first {
            Info::First
        } else if info {
            Info::Yes
        } else {
            Info::No
        },
        simulate: t.flag("simulate"),
        redirects_stdout: t.flag("redirects_stdout"),
        around: around(t),
    };
    t.finish();
    made
}

/// What an option puts before and behind the code.
fn around(t: &Table) -> Vec<&'static str> {
    let both: Vec<&'static str> = t.texts("around").iter().map(|n| n.text).collect();
    if !matches!(both.len(), 0 | 2) {
        t.context().wrong(t.at, "`around` is two texts: what stands before the code, and what behind it");
    }
    both
}

/// A file that the program runs by itself.
fn implied(t: &Table, scope: &Scope) -> Implied {
    let made = Implied {
        names: t.texts("names").iter().map(|n| n.text).collect(),
        language: t.text("language").and_then(|l| language(t, l)),
        cond: condition(t, scope),
        into: t.texts("into").into_iter().filter_map(|o| reference(t, o, scope)).collect(),
        args: t.texts("args").iter().map(|n| n.text).collect(),
    };
    if made.names.is_empty() || made.language.is_none() {
        t.context().wrong(t.at, "a `[[file]]` needs `names` and a `language`");
    }
    t.finish();
    made
}

fn presence(t: &Table) -> Presence {
    match t.text_or_flag("optional") {
        (false, None) => Presence::Required,
        (true, None) => Presence::Attached,
        (_, Some(n)) if n.text == "next" => Presence::Next,
        (_, Some(n)) => {
            t.context().wrong(n.at, "`optional` is true or \"next\"");
            Presence::Attached
        }
    }
}

fn operand(t: &Table, scope: &Scope) -> Operand {
    let at = named(t, "at", At::Rest, At::from_name);
    let either = t.has("either");
    // Conditions beside `value` say whether the entry takes anything; within `either` they choose the role.
    let word = word(t, scope);
    let cond = condition(t, scope);
    let word = if either { word } else { word.unconditional() };
    if word.either.is_empty() {
        t.context().wrong(t.at, "an operand needs `value` or `either`");
    }
    let made = Operand { name: t.text("name").map(|n| n.text), at, cond, word };
    t.finish();
    made
}

/// No operand entry stands behind one that takes all.
fn reachable(t: &Table, level: &Level) {
    let mut taken = false;
    for o in level.operands.iter().filter(|o| o.at != At::Dashes) {
        if taken {
            t.context().wrong(t.at, "an `[[operand]]` stands behind one that takes all that are left");
        }
        taken |= o.at == At::Rest && o.cond.when.is_empty() && o.cond.unless.is_empty();
    }
}
