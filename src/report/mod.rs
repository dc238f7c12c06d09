//! How answers are shown. Floor 8: pure functions from plain data to text; they translate and never judge.

pub mod json;
