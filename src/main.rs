//! The binary: see `shellward --help`.
fn main() -> std::process::ExitCode {
    shellward::cli::main(std::env::args_os())
}
