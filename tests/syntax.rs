//! The cases of `tests/syntax/*.txt`: shell text and the tree it has to become.
//!
//! A case is `=== name`, perhaps `dialect: posix|bash|zsh|ksh`, the text, `---`, and the tree as
//! `shellward::syntax::compact` writes it. `SHELLWARD_BLESS=1 cargo test --test syntax` writes the trees anew: read what
//! it wrote before you keep it. Every text is also checked for bytes that its tree does not account for.

use shellward::syntax::shell::{Dialect, read};
use shellward::syntax::{compact::compact, cover::gaps};

#[test]
fn texts_become_their_trees() {
    let bless = std::env::var_os("SHELLWARD_BLESS").is_some();
    let mut failures = Vec::new();
    let mut count = 0usize;
    let mut files: Vec<_> = std::fs::read_dir("tests/syntax").unwrap().map(|f| f.unwrap().path()).collect();
    files.sort();
    for path in files.iter().filter(|p| p.extension().is_some_and(|e| e == "txt")) {
        let whole = std::fs::read_to_string(path).unwrap();
        let mut out = String::new();
        for (n, case) in whole.split("=== ").enumerate() {
            if n == 0 {
                out.push_str(case);
                continue;
            }
            let (name, rest) = case.split_once('\n').unwrap();
            let (dialect, text) = match rest.strip_prefix("dialect: ") {
                Some(r) => {
                    let (d, text) = r.split_once('\n').unwrap();
                    let dialect = match d {
                        "posix" => Dialect::POSIX,
                        "zsh" => Dialect::ZSH,
                        "ksh" => Dialect::KSH,
                        _ => Dialect::BASH,
                    };
                    (dialect, text)
                }
                None => (Dialect::BASH, rest),
            };
            let (text, expected) = text.split_once("\n---\n").unwrap_or((text.trim_end(), ""));
            let program = read(text.as_bytes(), dialect);
            let tree = compact(&program);
            let head = rest.split_once("\n---\n").map_or(rest.trim_end(), |r| r.0);
            out.push_str(&format!("=== {name}\n{head}\n---\n{tree}\n\n"));
            count += 1;
            if tree != expected.trim_end() && !bless {
                failures.push(format!(
                    "{}: {name}\n{text}\n  is     {tree}\n  not    {}",
                    path.display(),
                    expected.trim_end()
                ));
            }
            let gaps = gaps(&program, text.as_bytes());
            if !gaps.is_empty() {
                failures.push(format!("{}: {name}: not accounted for: {gaps:?}", path.display()));
            }
        }
        if bless {
            std::fs::write(path, out).unwrap();
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
    assert!(count > 100, "only {count} cases were found");
}
