//! `package.json`: the values of `scripts`, which npm gives to a shell.

use super::{Kind, Piece};
use crate::effect::Language;
use serde_json::Value;

pub(super) static KIND: Kind = Kind {
    name: "package.json",
    fits: |hint| hint.name() == "package.json",
    pieces: |_, bytes| pieces(bytes),
    plain: false,
};

fn pieces(bytes: &[u8]) -> Vec<Piece> {
    let Ok(value) = serde_json::from_slice::<Value>(bytes) else { return Vec::new() };
    let base = memchr::memmem::find(bytes, b"\"scripts\"").unwrap_or(0);
    let scripts = value.get("scripts").and_then(Value::as_object);
    let of = |text: &str| {
        // The value as JSON writes it; where the file writes it in another way, the place is that of all scripts.
        let written = serde_json::to_string(text).unwrap_or_default();
        let found = bytes.get(base..).and_then(|b| memchr::memmem::find(b, written.as_bytes()));
        let mut at = base.saturating_add(found.map_or(0, |i| i.saturating_add(1)));
        let mut piece = Piece { shell: Some(Language::Sh), ..Piece::default() };
        // An escape stands for another character than it shows.
        for part in text.split_inclusive(|c: char| matches!(c, '"' | '\\') || c.is_control()) {
            let plain = part.trim_end_matches(|c: char| matches!(c, '"' | '\\') || c.is_control());
            let (plain, escaped) = part.split_at(plain.len());
            piece.copy(plain.as_bytes(), at);
            at = at.saturating_add(plain.len());
            if !escaped.is_empty() {
                piece.computed(escaped.as_bytes(), at);
                let written = serde_json::to_string(escaped).map_or(0, |w| w.len().saturating_sub(2));
                at = at.saturating_add(written);
            }
        }
        piece
    };
    scripts.into_iter().flatten().filter_map(|(_, v)| v.as_str()).map(of).collect()
}
