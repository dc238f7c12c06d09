//! Checks `grammars/` and compiles it to static tables.
fn main() {
    println!("cargo:rerun-if-changed=grammars");
}
