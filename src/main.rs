//! The binary: see `shellward --help`.
fn main() {}
