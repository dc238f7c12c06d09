//! Shellward reads a shell command before it runs and says what it would do.
//!
//! The line: [`source`] text → [`syntax`] tree → [`eval`] values and [`command`] invocations → [`effect`] graph →
//! [`rules`] findings → [`verdict`]. Each arrow hands on one plain data type.
#![forbid(unsafe_code)]

pub mod analyzer;
pub mod audit;
pub mod bytes;
pub mod cli;
pub mod command;
pub mod count;
pub mod effect;
pub mod escape;
pub mod eval;
pub mod finding;
pub mod gate;
pub mod glob;
mod hash;
pub mod hooks;
pub mod intel;
pub mod limits;
pub mod model;
pub mod options;
pub mod policy;
pub mod redact;
pub mod report;
pub mod rules;
pub mod source;
pub mod state;
pub mod syntax;
pub mod text;
pub mod time;
pub mod url;
pub mod value;
pub mod verdict;
