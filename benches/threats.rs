//! Opening a database of threat data and asking it.
//!
//! Without more, a database of 200,000 made-up hosts; `SHELLWARD_BENCH_DB=FILE SHELLWARD_BENCH_KEYS=FILE` measures one of
//! your own with hosts named `h1.example` and on.

#![expect(clippy::unwrap_used, reason = "a benchmark fails by panicking")]

use criterion::{Criterion, criterion_group, criterion_main};
use shellward::intel::db::{Builder, Database, Keys, Plan, Record, Source, Threat, sign};
use shellward::intel::indicator::Indicator;
use std::hint::black_box;
use std::path::PathBuf;

/// The database, its keys and the folder to remove.
fn database() -> (PathBuf, Keys, Option<PathBuf>) {
    if let Some(file) = std::env::var_os("SHELLWARD_BENCH_DB") {
        let keys = std::env::var_os("SHELLWARD_BENCH_KEYS").map(|k| std::fs::read_to_string(k).unwrap());
        return (file.into(), Keys::parse(&keys.unwrap_or_default()).unwrap(), None);
    }
    let dir = std::env::temp_dir().join(format!("shellward-bench-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    let mut builder = Builder::new();
    builder.source(Source { name: "made up".into(), ..Source::default() }).unwrap();
    for i in 0..200_000 {
        let record = Record { threat: Threat::Listed, source: 0, day: 0, reference: 0 };
        builder.add(&Indicator::host(&format!("h{i}.example")).unwrap(), record);
    }
    let file = dir.join("bench.db");
    builder.write(&file, &Plan { name: "bench".into(), version: 1, made: 0, expires: 0 }).unwrap();
    let (public, secret) = sign::new_keys().unwrap();
    sign::sign(&file, &secret, "").unwrap();
    (file, Keys::parse(&public).unwrap(), Some(dir))
}

fn threats(c: &mut Criterion) {
    let (file, keys, made) = database();
    c.bench_function("threats/open", |b| b.iter(|| Database::open(black_box(&file), &keys, false).unwrap()));
    // Different ones each time, so that no page is asked for twice in a row.
    let of = |prefix: &str| -> Vec<_> {
        (0..4_096u32)
            .map(|i| {
                Indicator::host(&format!("{prefix}{}.example", i.wrapping_mul(47) % 199_999)).unwrap().fingerprint()
            })
            .collect()
    };
    let (listed, unlisted) = (of("h"), of("x"));
    let open = Database::open(&file, &keys, false).unwrap();
    for (name, all) in [("threats/look-up, listed", listed), ("threats/look-up, not listed", unlisted)] {
        let mut next = all.iter().cycle();
        c.bench_function(name, |b| b.iter(|| open.of_fingerprint(next.next().unwrap()).unwrap()));
    }
    let first = Indicator::host("h77.example").unwrap();
    c.bench_function("threats/open and first look-up", |b| {
        b.iter(|| Database::open(black_box(&file), &keys, false).unwrap().find(&first).unwrap());
    });
    if let Some(dir) = made {
        std::fs::remove_dir_all(dir).unwrap();
    }
}

criterion_group!(benches, threats);
criterion_main!(benches);
