//! What is known of indicators: names of packages that many use.
//!
//! A leaf: imports `url::known` for the steps between names only. It judges nothing.

pub mod names;
