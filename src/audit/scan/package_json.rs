//! `package.json`: the values of `scripts`, which npm gives to a shell.

use super::{Kind, Piece};
use crate::effect::Language;
use serde_json::Value;

pub(super) static KIND: Kind =
    Kind { name: "package.json", fits: |hint| hint.name() == "package.json", pieces: |_, bytes| pieces(bytes) };

fn pieces(bytes: &[u8]) -> Vec<Piece> {
    let Ok(value) = serde_json::from_slice::<Value>(bytes) else { return Vec::new() };
    let base = memchr::memmem::find(bytes, b"\"scripts\"").unwrap_or(0);
    let scripts = value.get("scripts").and_then(Value::as_object);
    let of = |text: &str| {
        // The value as JSON writes it; where the file writes it in another way, the place is that of all scripts.
        let written = serde_json::to_string(text).unwrap_or_default();
        let found = bytes.get(base..).and_then(|b| memchr::memmem::find(b, written.as_bytes()));
        let at = base.saturating_add(found.map_or(0, |i| i.saturating_add(1)));
        Piece { shell: Some(Language::Sh), ..Piece::at(text.as_bytes(), at) }
    };
    scripts.into_iter().flatten().filter_map(|(_, v)| v.as_str()).map(of).collect()
}
