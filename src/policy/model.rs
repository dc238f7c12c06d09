//! Settings of the model that is asked about what was found.

use serde::Deserialize;

/// The section `[model]`. Without an address and a command no model is asked.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ModelPolicy {
    /// `endpoint`: the address of an OpenAI-compatible server, up to `/v1`.
    pub endpoint: Option<String>,
    /// `name`: the model's name there.
    pub name: String,
    /// `key_env`: the environment variable that holds the key of the server.
    pub key_env: Option<String>,
    /// `command`: a program with its arguments that reads the question on standard input and prints one word; it comes
    /// before `endpoint`.
    pub command: Vec<String>,
    /// `timeout_ms`: how long an answer may take.
    pub timeout_ms: u64,
}

impl Default for ModelPolicy {
    fn default() -> Self {
        ModelPolicy {
            endpoint: None,
            name: "default".to_string(),
            key_env: None,
            command: Vec::new(),
            timeout_ms: 10_000,
        }
    }
}
