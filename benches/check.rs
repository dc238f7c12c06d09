//! In-process time of one analysis: each of the example commands, all of them, a long script, and code of other languages:
//! one line, 500 lines, many languages inside each other.
//!
//! `cargo bench --bench check`. The examples are those that `tests/examples.rs` holds the verdicts of.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use shellward::analyzer::{Options, analyze};
use std::hint::black_box;

const EXAMPLES: &str = include_str!("../tests/examples/verdicts.jsonl");

fn examples() -> Vec<String> {
    let commands = EXAMPLES.lines().filter_map(|l| serde_json::from_str::<serde_json::Value>(l).ok());
    commands.filter_map(|v| v.get("command")?.as_str().map(str::to_string)).collect()
}

/// A script as installers and build scripts are: functions, options, loops, here-documents, pipes, tests; `bytes` long
/// or a little more. It is the same at each run.
fn script(bytes: usize) -> String {
    let mut text =
        String::from("#!/usr/bin/env bash\nset -euo pipefail\nreadonly ROOT=\"$(cd \"$(dirname \"$0\")\" && pwd)\"\n");
    let mut n = 0usize;
    while text.len() < bytes {
        n += 1;
        text.push_str(&format!(
            r#"
# Step {n}: unpack and register one component.
step_{n}() {{
  local name="$1" version="${{2:-1.{n}.0}}" target
  target="${{PREFIX:-/usr/local}}/share/${{name##*/}}"
  if [[ -z "$name" || ! -d "$ROOT/parts" ]]; then
    echo "usage: step_{n} NAME [VERSION]" >&2
    return 1
  fi
  case "$(uname -s)" in
    Linux|FreeBSD) mkdir -p "$target" ;;
    Darwin) install -d -m 755 "$target" ;;
    *) echo "unsupported: $(uname -s)" >&2; return 1 ;;
  esac
  for file in "$ROOT"/parts/*.conf; do
    [ -e "$file" ] || continue
    sed -e "s|@NAME@|$name|g" -e "s|@VERSION@|$version|g" "$file" > "$target/${{file##*/}}"
  done
  tar -xzf "$ROOT/parts/$name-$version.tar.gz" -C "$target" --strip-components=1
  grep -rl 'TODO({n})' "$target" 2>/dev/null | sort -u | while read -r hit; do
    printf '%s\t%d\n' "$hit" "$(wc -l < "$hit")"
  done
  cat > "$target/manifest.json" <<EOF_{n}
{{ "name": "$name", "version": "$version", "step": {n}, "files": $(ls "$target" | wc -l) }}
EOF_{n}
  count=$(( count + {n} % 7 ))
}}
step_{n} "component-{n}" || exit 1
"#
        ));
    }
    text
}

/// One line of each language that has a front end of its own.
const ONE_LINERS: &[(&str, &str)] = &[
    ("python", r#"python3 -c 'import json,sys; print(json.load(sys.stdin)["version"])'"#),
    ("javascript", r#"node -e 'console.log(JSON.parse(require("fs").readFileSync("package.json")).version)'"#),
    ("ruby", r#"ruby -e 'puts ARGF.each_line.map(&:strip).sort.uniq'"#),
    ("perl", r#"perl -ne 'print if /^\d+/ && !/#/' a.txt"#),
    ("php", r#"php -r 'echo count(array_filter(explode(",", "a,b,,c"))), PHP_EOL;'"#),
    ("awk", r#"awk -F: '$3 > 100 { n++; print $1 } END { print n }' /etc/passwd"#),
    ("sed", r#"sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml"#),
];

/// A program of about 500 lines: imports, functions, loops, texts that are put together, calls of the library.
fn python() -> String {
    let mut text = String::from("python3 - <<'PY'\nimport json, os, re, sys\nfrom pathlib import Path\n");
    for n in 0..50 {
        text.push_str(&format!(
            r#"
def step_{n}(root, names, limit={n}):
    found = []
    for i, name in enumerate(sorted(names)):
        path = os.path.join(root, f"part-{{i}}", name + ".json")
        if re.match(r"^[a-z]{{2,{n}}}$", name) and os.path.exists(path):
            found.append({{"name": name, "size": len(path) * {n}, "at": str(Path(path).parent)}})
    print(json.dumps({{"step": {n}, "found": found[:limit]}}))
    return [f["name"] for f in found]
step_{n}("parts", ["a", "b", "c" + str({n})])
"#
        ));
    }
    text.push_str("PY\n");
    text
}

/// A program that starts one of another language, and so on, `depth` deep.
fn nested(depth: usize) -> String {
    let mut text = String::from("echo done");
    for n in 0..depth {
        // As text of the language around it, and as a word of the shell.
        let quoted = serde_json::Value::String(text).to_string().replace('$', "\\$");
        let code = match n % 3 {
            0 => format!("import os; os.system({quoted})"),
            1 => format!("require('child_process').execSync({quoted})"),
            _ => format!("system({quoted})"),
        };
        let code = code.replace('\'', r"'\''");
        text = match n % 3 {
            0 => format!("python3 -c '{code}'"),
            1 => format!("node -e '{code}'"),
            _ => format!("ruby -e '{code}'"),
        };
        // Quotes double at each level.
        if text.len() > 64 << 10 {
            break;
        }
    }
    text
}

fn languages(c: &mut Criterion) {
    let options = Options::default();
    let mut group = c.benchmark_group("language");
    for (name, command) in ONE_LINERS {
        group.bench_with_input(BenchmarkId::new("one line", name), command, |b, command| {
            b.iter(|| black_box(analyze(black_box(command.as_bytes()), &options)));
        });
    }
    group.sample_size(20);
    for (name, text) in [("500 lines/python", python()), ("nested/30", nested(30))] {
        group.bench_with_input(BenchmarkId::from_parameter(name), &text, |b, text| {
            b.iter(|| black_box(analyze(black_box(text.as_bytes()), &options)));
        });
    }
    group.finish();
}

fn benches(c: &mut Criterion) {
    let options = Options::default();
    let commands = examples();
    let mut each = c.benchmark_group("example");
    for (i, command) in commands.iter().enumerate() {
        let name: String = command.chars().filter(|c| !c.is_control()).take(40).collect();
        each.bench_with_input(BenchmarkId::new(format!("{i:02}"), name), command, |b, command| {
            b.iter(|| black_box(analyze(black_box(command.as_bytes()), &options)));
        });
    }
    each.finish();
    c.bench_function("all examples", |b| {
        b.iter(|| commands.iter().for_each(|c| drop(black_box(analyze(black_box(c.as_bytes()), &options)))));
    });
    let mut long = c.benchmark_group("script");
    long.sample_size(20);
    for kib in [1usize, 20, 200] {
        let text = script(kib << 10);
        long.throughput(Throughput::Bytes(text.len() as u64));
        long.bench_with_input(BenchmarkId::from_parameter(format!("{kib} KiB")), &text, |b, text| {
            b.iter(|| black_box(analyze(black_box(text.as_bytes()), &options)));
        });
    }
    long.finish();
}

criterion_group!(all, benches, languages);
criterion_main!(all);
