//! Files that the text wrote: what they hold, and what reading one gives.
//!
//! In: paths. Out: content, where the text determines it. Two names of one file are one key.

use super::super::scope::End;
use super::super::{FileEntry, Interp};
use super::Elsewhere;
use super::MAX_TREES;
use crate::effect::{EffectId, Language, Object, ProcessId, Props, Verb};
use crate::limits;
use crate::source::Place;
use crate::value::pattern::{Flags, Pattern};
use crate::value::{Channel, Piece, Taint, Value, Why};

impl Interp<'_> {
    /// One key for all spellings of one file: resolved against the working directory, `.` and `..` taken out.
    pub(crate) fn file_key(&self, path: &Value) -> String {
        let text = path.show();
        // As long as the text has not changed it, `$PWD` is where it starts.
        if let Some(rest) = text.strip_prefix("$PWD/") {
            return normalize(rest);
        }
        let joined = if text.starts_with('/') || text.starts_with('~') || text.starts_with('$') || text.starts_with('<')
        {
            text
        } else {
            match &self.sh.cwd {
                Some(cwd) => format!("{}/{text}", cwd.show()),
                None => text,
            }
        };
        normalize(&joined)
    }

    /// The file that the text wrote and that a module of that name is.
    pub(crate) fn module_file(&self, language: Language, name: &str, at: Place) -> Option<Value> {
        if self.files.is_empty() || name.is_empty() {
            return None;
        }
        let files = crate::command::calls::modules(language).iter();
        let mut paths = files.map(|m| Value::computed(m.replace('%', name).as_bytes(), at, Taint::default()));
        paths.find(|p| self.written(p).is_some())
    }

    /// Reads a script, which may stand at an address or in a file whose name is longer.
    pub(crate) fn read_script(&mut self, language: Language, path: &Value, by: ProcessId, at: Place) -> Value {
        let scheme = path.prefix().get(..8).map(<[u8]>::to_ascii_lowercase).unwrap_or_default();
        if !scheme.starts_with(b"http://") && !scheme.starts_with(b"https://") {
            let module = match path.as_str() {
                Some(name) if self.written(path).is_none() => self.module_file(language, &name, at),
                _ => None,
            };
            return self.read_file(module.as_ref().unwrap_or(path), by, at).0;
        }
        let id = self.effect(Verb::Fetch, Object::Url(path.clone()), by, at);
        self.flow(id, &path.taint());
        Value::unknown_tainted(Why::Network, at, Taint::of(id))
    }

    /// Reads a whole file: the effect, and its content as far as the text says.
    pub(crate) fn read_file(&mut self, path: &Value, by: ProcessId, at: Place) -> (Value, Option<EffectId>) {
        if let Some(text) = path.as_str()
            && let Some(end) = self.special(&text)
        {
            return (self.drain(&end), None);
        }
        let key = self.file_key(path);
        if let Some(f) = self.files.get(&key) {
            if f.substitution {
                return (f.content.clone(), None);
            }
            let mut v = f.content.clone();
            v.step(Channel::File);
            let id = self.effect(Verb::Read, Object::Path(path.clone()), by, at);
            self.flow(id, &v.taint());
            return (v, Some(id));
        }
        let id = self.effect(Verb::Read, Object::Path(path.clone()), by, at);
        self.flow(id, &path.taint());
        if let Some(v) = self.in_tree(&key) {
            self.flow(id, &v.taint());
            return (v, Some(id));
        }
        if let Some(mut v) = self.written_by_pattern(path) {
            v.step(Channel::File);
            self.flow(id, &v.taint());
            return (v, Some(id));
        }
        (Value::unknown_tainted(Why::File(path.show()), at, Taint::of(id)), Some(id))
    }

    /// The files that the text wrote and that a pattern names (`cat /tmp/w/*`), one after the other as the shell sorts
    /// them.
    pub(super) fn written_by_pattern(&self, path: &Value) -> Option<Value> {
        let keys = self.keys_by_pattern(path)?;
        let mut all = Value::default();
        keys.iter().filter_map(|k| self.files.get(*k)).for_each(|f| all.push(f.content.clone()));
        (!keys.is_empty()).then_some(all)
    }

    fn keys_by_pattern(&self, path: &Value) -> Option<Vec<&String>> {
        if let [Piece::Unknown(u)] = path.pieces.as_slice()
            && let Why::Near(place) = &u.why
        {
            return self.keys_by_pattern(place);
        }
        if !path.pieces.iter().any(|p| matches!(p, Piece::Glob(..))) {
            return None;
        }
        let mut text = Vec::new();
        if !super::super::expand::pattern_text(path, &mut text) {
            return None;
        }
        let mut text = text.strip_prefix(b"./").map_or_else(|| text.clone(), <[u8]>::to_vec);
        if let (Some(cwd), false) = (&self.sh.cwd, text.starts_with(b"/")) {
            // Files are known by where they lie.
            let mut whole = Vec::new();
            if !super::super::expand::pattern_text(cwd, &mut whole) {
                return None;
            }
            whole.push(b'/');
            whole.extend_from_slice(&text);
            text = whole;
        }
        let pattern = Pattern::from_text(&text, Flags { extglob: true, path: true, ..Flags::default() });
        let named = |key: &&String| pattern.matches(key.as_bytes()).unwrap_or(false);
        let mut keys: Vec<&String> = self.files.keys().filter(named).take(limits::MAX_TURNS as usize).collect();
        keys.sort();
        Some(keys)
    }

    /// What the text wrote into a file, if it did.
    pub(crate) fn written(&self, path: &Value) -> Option<Value> {
        let key = self.file_key(path);
        let file = self.files.get(&key).map(|f| {
            let mut v = f.content.clone();
            if !f.substitution {
                v.step(Channel::File);
            }
            v
        });
        file.or_else(|| self.in_tree(&key))
    }

    /// Everything in that directory comes from there; `flat` where it may lie in it without a directory of its own.
    pub(crate) fn note_tree(&mut self, dir: &Value, flat: bool, taint: Taint) {
        if self.trees.len() < MAX_TREES && !taint.is_empty() {
            let key = self.file_key(dir);
            self.trees.push((key, flat, Value::unknown_tainted(Why::File(dir.show()), dir.place(), taint)));
        }
    }

    /// What is known of a file that lies in such a directory. What came into the working directory lies below it in a
    /// directory of its own, as archives are packed; files beside that are the user's.
    pub(super) fn in_tree(&self, key: &str) -> Option<Value> {
        let here = self.trees.iter().rev().find(|(dir, flat, _)| match dir.as_str() {
            "" => !key.starts_with(['/', '~', '$', '<', '.']) && (*flat || key.contains('/')),
            dir => key.strip_prefix(dir).is_some_and(|rest| rest.starts_with('/')),
        });
        here.map(|(_, _, v)| {
            let mut v = v.clone();
            v.step(Channel::File);
            v
        })
    }

    /// What something prints on another machine or in a container is taken over from there.
    pub(super) fn taken_over(&mut self, v: &mut Value) {
        let Some(from) = self.elsewhere.clone() else { return };
        let id = match from.taken {
            Some(id) => id,
            None => {
                let object = match &self.site {
                    crate::effect::Site::Remote(host) => Object::Host(host.clone()),
                    crate::effect::Site::Contained(name) => Object::Named("container", name.clone()),
                    crate::effect::Site::Local => return,
                };
                let site = std::mem::replace(&mut self.site, crate::effect::Site::Local);
                let id = self.effect(Verb::Fetch, object, from.by, from.at);
                self.site = site;
                self.elsewhere = Some(Elsewhere { taken: Some(id), ..from });
                id
            }
        };
        v.add_taint(&Taint::of(id));
    }

    /// Adds to the content of a file that the text writes.
    pub(crate) fn add_content(&mut self, key: &str, v: Value) {
        if let Some(p) = self.pending.iter().find(|p| p.3 == key).map(|p| p.0) {
            if let Some(s) = self.sinks.get_mut(p) {
                s.push(v);
            }
            return;
        }
        if let Some(f) = self.files.get_mut(key)
            && f.content.pieces.len() <= limits::MAX_PIECES
        {
            f.content.push(v);
        }
    }

    /// Notes whether all that was written so far stands in the text as a here-document.
    pub(crate) fn note_document(&mut self, id: EffectId, key: &str) {
        let whole = |f: &FileEntry| {
            let plain = |p: &Piece| matches!(p, Piece::Literal(l) if l.taint.is_empty());
            !f.substitution && f.content.pieces.iter().all(plain) && super::super::invoke::is_heredoc(&f.content)
        };
        let from_document = matches!(self.sh.fd(0), End::Input(i) if self.documents.contains(i));
        let document = from_document && self.files.get(key).is_some_and(whole);
        self.amend(id, |e| {
            e.props = match document {
                true => e.props.with(Props::DOCUMENT),
                false => e.props.without(Props::DOCUMENT),
            }
        });
    }

    /// The files that the text wrote below a directory lie below another one, too.
    pub(crate) fn copy_below(&mut self, from: &Value, dest: &Value) {
        if let Some(keys) = self.keys_by_pattern(from) {
            let named =
                |k: &&String| Some((k.rsplit('/').next()?.to_string(), self.files.get(*k).map(|f| f.content.clone())?));
            let all: Vec<(String, Value)> = keys.iter().filter_map(named).take(limits::MAX_LINKS).collect();
            let dest = self.file_key(dest);
            for (name, content) in all {
                if self.files.len() < 4_096 {
                    self.files.insert(format!("{dest}/{name}"), FileEntry { content, substitution: false });
                }
            }
            return;
        }
        let prefix = format!("{}/", self.file_key(from));
        let base = prefix.trim_end_matches('/').rsplit('/').next().unwrap_or_default().to_string();
        let below = self.files.iter().filter_map(|(k, f)| Some((k.strip_prefix(&prefix)?, f)));
        let mut all: Vec<(String, Value)> = below.map(|(k, f)| (k.to_string(), f.content.clone())).collect();
        all.sort_by(|a, b| a.0.cmp(&b.0));
        let dest = self.file_key(dest);
        for (name, content) in all.into_iter().take(limits::MAX_LINKS) {
            for key in [format!("{dest}/{name}"), format!("{dest}/{base}/{name}")] {
                if self.files.len() < 4_096 {
                    self.files.insert(normalize(&key), FileEntry { content: content.clone(), substitution: false });
                }
            }
        }
    }

    /// A file gets another's content (cp, mv, ln).
    pub(crate) fn set_content(&mut self, path: &Value, content: Value) {
        let key = self.file_key(path);
        if self.files.len() < 4_096 {
            self.files.insert(key, FileEntry { content, substitution: false });
        }
    }

    /// A file is gone.
    pub(crate) fn forget(&mut self, path: &Value) {
        let key = self.file_key(path);
        self.files.remove(&key);
    }
}

/// A path without `.`, `..`, `//` and a final `/`.
pub(crate) fn normalize(path: &str) -> String {
    let absolute = path.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();
    for p in path.split('/') {
        match p {
            "" | "." => {}
            ".." => match parts.last() {
                Some(&"..") | None if !absolute => parts.push(".."),
                Some(l) if l.starts_with(['~', '$', '<']) && parts.len() == 1 => parts.push(".."),
                _ => {
                    parts.pop();
                }
            },
            other => parts.push(other),
        }
    }
    let body = parts.join("/");
    if absolute { format!("/{body}") } else { body }
}
