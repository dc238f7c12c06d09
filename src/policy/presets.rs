//! Policies that ship: `grammars/presets/*.toml`.

/// A policy with a name.
#[derive(Debug)]
pub struct Preset {
    /// Its name.
    pub name: &'static str,
    /// What it is for, in one line.
    pub about: &'static str,
    /// Its file.
    pub text: &'static str,
}

/// Every preset, the default first.
pub const PRESETS: &[Preset] = &[
    Preset {
        name: "default",
        about: "the built-in rules as they are: silent on project-local work",
        text: include_str!("../../grammars/presets/default.toml"),
    },
    Preset {
        name: "strict",
        about: "asks before recursive deletes, inline programs, forced kills, life cycles, history rewrites, removals",
        text: include_str!("../../grammars/presets/strict.toml"),
    },
    Preset {
        name: "hermes",
        about: "asks wherever the dangerous class of Hermes Agent does, but never for what is only mentioned",
        text: include_str!("../../grammars/presets/hermes.toml"),
    },
];

/// The preset with that name.
pub fn find(name: &str) -> Option<&'static Preset> {
    PRESETS.iter().find(|p| p.name == name)
}
