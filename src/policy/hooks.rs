//! Settings of hooks: what a verdict and a failure become at a host.

use serde::Deserialize;

/// What happens where there is no verdict: the input is broken, the analysis failed or took too long.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Failing {
    /// The command is denied.
    #[default]
    Closed,
    /// Nothing is said: the host goes on as if there were no hook.
    Open,
}

/// What a warning becomes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OnWarn {
    /// A question to the user.
    #[default]
    Ask,
    /// A no.
    Deny,
    /// Nothing.
    Silent,
}

/// What a block becomes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OnBlock {
    /// A no.
    #[default]
    Deny,
    /// A question to the user, but for what no mode may let through.
    Ask,
}

/// What a question becomes at a host that cannot ask.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NoAsk {
    /// A no: its reason tells the agent what would pass.
    #[default]
    Deny,
    /// Nothing: the host's own rules decide.
    Silent,
}

/// Longest time that a verdict may take: agents give up on a hook at 10 seconds and run the command.
const MAX_DEADLINE_MS: u64 = 9_000;

/// The section `[hooks]`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct HookPolicy {
    /// `fail`: fail-open or fail-closed.
    pub fail: Failing,
    /// `warn`: what a warning becomes.
    pub warn: OnWarn,
    /// `block`: what a block becomes.
    pub block: OnBlock,
    /// `no_ask`: what a question becomes where the host has none.
    pub no_ask: NoAsk,
    /// `allow_safe`: approve, at hosts where that skips the host's own question, what is proven harmless.
    pub allow_safe: bool,
    /// `deadline_ms`: how long a verdict may take. Hosts wait for 5 seconds and more.
    pub deadline_ms: u64,
}

impl HookPolicy {
    /// What is wrong with the time for a verdict: with none every command is denied, with too much the agent goes on alone.
    pub fn time_problem(&self) -> Option<String> {
        let given = self.deadline_ms;
        let fits = (1..=MAX_DEADLINE_MS).contains(&given);
        (!fits).then(|| {
            format!("hooks.deadline_ms = {given}: expected 1 to {MAX_DEADLINE_MS}, since agents wait for 10 seconds")
        })
    }
}

impl Default for HookPolicy {
    fn default() -> Self {
        HookPolicy {
            fail: Failing::default(),
            warn: OnWarn::default(),
            block: OnBlock::default(),
            no_ask: NoAsk::default(),
            allow_safe: false,
            deadline_ms: 4_000,
        }
    }
}
