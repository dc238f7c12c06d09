//! Layer 3: a password that is piped into a program that asks for other rights, where none is configured: somebody is
//! guessing, or has found one.

use super::{Case, Layer, Outcome};

/// The rule that finds it. It is on the floor where nobody can configure a password: this layer knows whether one is.
pub const RULE: &str = "sudo_password_stdin";

/// Denies a piped password.
pub fn decide(case: &Case<'_>) -> Option<Outcome> {
    if !case.password_piped || case.request.sudo_password {
        return None;
    }
    let message = "BLOCKED: a password is piped into a program that gives other rights, and none is configured \
                   (SUDO_PASSWORD). Ask the user to run the command, or to configure it.";
    Some(Outcome::denied(Layer::Sudo, message).about(case))
}
