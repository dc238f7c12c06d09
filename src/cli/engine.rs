//! Where the command line meets the analyzer.

pub(super) use crate::analyzer::analyze;
