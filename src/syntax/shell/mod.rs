//! Shells: text → tree, by two unrelated readers.
//!
//! [`read`] is the authority: it reads as the shell itself does. The [`witness`] reads the same text independently, and
//! [`compare`] says where the two differ.

pub mod compare;
mod reader;
pub mod witness;

pub use reader::{Dialect, read, read_quoted};
