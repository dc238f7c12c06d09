//! In-process time of one analysis: each of the example commands, all of them, and a long script.
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

criterion_group!(all, benches);
criterion_main!(all);
