//! How answers are shown. Floor 8: pure functions from plain data to text; they translate and never judge.

pub mod audit;
pub mod explain;
pub mod html;
pub mod human;
pub mod json;
pub mod records;
pub mod sarif;
pub mod tree;
pub mod visible;

pub use crate::count::{counted, number};
