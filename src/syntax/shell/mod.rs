//! Shells: text → tree, by two unrelated readers.

pub mod compare;
pub mod witness;
