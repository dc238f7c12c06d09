//! The shapes that answers take, one file for each. Facts come from the hook documentation of the hosts named in them.

pub mod action;
pub mod cancel;
pub mod copilot;
pub mod decision;
pub mod exit_code;
pub mod permission;
pub mod specific;
