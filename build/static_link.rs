//! Links the release binary statically where that is sure to work.
//!
//! A scanner is started for every command, and a third of a short run is the dynamic loader's: a static binary starts
//! 0.25 ms sooner. The usual switch (`-C target-feature=+crt-static`) cannot be set from inside a package, and set from
//! outside it breaks procedural macros unless `--target` is given, too, which moves the binary. So the libraries that
//! rustc asks for by `-lc`, `-lm` and `-lgcc_s` are found first in a folder of linker scripts that name the archives, for
//! this package's binaries alone. The binary has a fixed address: made to be moved, it has 17,000 places to patch at each
//! start, on a hundred pages. Stack, heap and mappings are placed at random as ever.
//!
//! The functions that every short run calls stand together (`start.order`, made by `build/order`): spread over 15 MB of
//! code each brings a page fault of its own, and those are most of what a start costs. A name of the list that the binary
//! does not have, since code has changed, is passed over.
//!
//! It is done for release builds on Linux with glibc, for the host, with default flags, where the C compiler has the
//! archives and a program that unwinds and starts a thread can be linked that way and runs. Anything else is linked as
//! ever. `SHELLWARD_DYNAMIC=1` switches it off.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The names that rustc links by, and the archives that hold the same code.
const LIBRARIES: &[(&str, &str)] = &[("c", "libc.a"), ("m", "libm.a"), ("gcc_s", "libgcc_eh.a")];

/// A program that needs what ours needs of the two libraries.
const PROBE: &str = r#"
fn main() {
    std::panic::set_hook(Box::new(|_| ()));
    let caught = std::panic::catch_unwind(|| std::env::args().nth(9).unwrap().len()).is_err();
    let joined = std::thread::spawn(|| 0.5f64.sin() > 0.4).join().unwrap_or(false);
    std::process::exit(if caught && joined { 7 } else { 1 });
}
"#;

/// Prints the instructions for cargo.
pub(crate) fn prepare() {
    println!("cargo:rerun-if-env-changed=SHELLWARD_DYNAMIC");
    println!("cargo:rerun-if-changed=build/static_link.rs");
    println!("cargo:rerun-if-changed=build/start.order");
    if let Some(arguments) = arguments() {
        for argument in arguments {
            println!("cargo:rustc-link-arg-bins={argument}");
        }
    }
}

fn arguments() -> Option<Vec<String>> {
    let is = |name: &str, value: &str| std::env::var(name).is_ok_and(|v| v == value);
    let empty = |name: &str| std::env::var_os(name).is_none_or(|v| v.is_empty());
    let wanted = is("PROFILE", "release")
        && is("CARGO_CFG_TARGET_OS", "linux")
        && is("CARGO_CFG_TARGET_ENV", "gnu")
        && std::env::var("HOST").ok() == std::env::var("TARGET").ok()
        && empty("CARGO_ENCODED_RUSTFLAGS")
        && empty("SHELLWARD_DYNAMIC");
    if !wanted {
        return None;
    }
    let out = PathBuf::from(std::env::var_os("OUT_DIR")?);
    let scripts = out.join("static");
    std::fs::create_dir_all(&scripts).ok()?;
    let linker = std::env::var("RUSTC_LINKER").unwrap_or_else(|_| "cc".into());
    for (name, archive) in LIBRARIES {
        let archive = find(&linker, archive)?;
        std::fs::write(scripts.join(format!("lib{name}.so")), format!("INPUT({})\n", archive.display())).ok()?;
    }
    let arguments = vec!["-static".to_string(), "-no-pie".to_string(), format!("-L{}", scripts.display())];
    if !runs(&out, &linker, &arguments) {
        return None;
    }
    // Only some linkers (lld) put functions in a given order.
    let order = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR")?).join("build/start.order");
    let mut ordered = arguments.clone();
    ordered.push(format!("-Wl,--symbol-ordering-file={}", order.display()));
    ordered.push("-Wl,--no-warn-symbol-ordering".to_string());
    let fits = order.is_file() && !order.display().to_string().contains([',', ' ']);
    Some(if fits && runs(&out, &linker, &ordered) { ordered } else { arguments })
}

/// Where the compiler has this file.
fn find(linker: &str, file: &str) -> Option<PathBuf> {
    let found = Command::new(linker).arg(format!("-print-file-name={file}")).output().ok()?;
    let path = PathBuf::from(String::from_utf8(found.stdout).ok()?.trim());
    // A compiler that does not have it prints the bare name. A script cannot name a path with white space.
    (path.is_absolute() && path.is_file() && !path.display().to_string().contains(char::is_whitespace)).then_some(path)
}

/// True where the probe can be linked with these arguments and does what it should.
fn runs(out: &Path, linker: &str, arguments: &[String]) -> bool {
    let (source, binary) = (out.join("probe.rs"), out.join("probe"));
    if std::fs::write(&source, PROBE).is_err() {
        return false;
    }
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let mut compile = Command::new(rustc);
    compile.args(["--edition=2024", &format!("-Clinker={linker}"), "-o"]).arg(&binary).arg(&source);
    compile.args(arguments.iter().map(|a| format!("-Clink-arg={a}"))).stdout(Stdio::null()).stderr(Stdio::null());
    compile.status().is_ok_and(|s| s.success()) && Command::new(&binary).status().is_ok_and(|s| s.code() == Some(7))
}
