//! What may go wrong with a database, and that the one in use goes on serving.

use super::*;
use crate::intel::db::{Builder, Plan, Source, Threat, sign};

const NOW: i64 = 1_800_000_000;
const DAY: i64 = 86_400;

struct Place {
    dir: PathBuf,
    secret: String,
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.dir);
    }
}

/// An empty folder with a trusted key.
fn place(name: &str) -> Place {
    let dir = std::env::temp_dir().join(format!("shellward-store-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).unwrap();
    let (public, secret) = sign::new_keys().unwrap();
    std::fs::write(dir.join("threats.pub"), public).unwrap();
    Place { dir, secret }
}

impl Place {
    fn store(&self) -> Store {
        Store::new(self.dir.clone(), self.dir.join("threats.pub"))
    }
    /// A database with these hosts, not signed.
    fn unsigned(&self, version: u64, expires: i64, hosts: impl IntoIterator<Item = String>) -> PathBuf {
        let mut b = Builder::new();
        b.source(Source { name: "feed".into(), ..Source::default() }).unwrap();
        for h in hosts {
            let record = Record { threat: Threat::Malware, source: 0, day: 9_000, reference: 5 };
            b.add(&Indicator::host(&h).unwrap(), record);
        }
        let path = self.dir.join(format!("new.{version}"));
        b.write(&path, &Plan { name: "test".into(), version, made: NOW - DAY, expires }).unwrap();
        path
    }
    fn signed(&self, version: u64, expires: i64, host: &str) -> PathBuf {
        let path = self.unsigned(version, expires, [host.to_string()]);
        sign::sign(&path, &self.secret, "").unwrap();
        path
    }
    fn update(&self, path: &Path) -> Result<Updated, UpdateError> {
        self.store().update(&mut File::open(path).unwrap(), NOW)
    }
    /// True where the host is listed now, with no complaint.
    fn lists(&self, host: &str) -> bool {
        let (hits, problems) = self.store().find(&[Indicator::host(host).unwrap()], NOW);
        assert_eq!(problems, Vec::<String>::new());
        !hits.is_empty()
    }
}

#[test]
fn a_newer_one_takes_the_place_of_an_older_one_and_nothing_else_does() {
    let p = place("update");
    assert!(!p.lists("a.example"));
    assert_eq!(p.update(&p.signed(5, NOW + DAY, "a.example")).unwrap(), Updated { from: None, to: 5, records: 1 });
    assert!(p.lists("a.example"));

    let stranger = place("stranger");
    let older = p.signed(4, NOW + DAY, "b.example");
    let expired = p.signed(7, NOW, "b.example");
    let unsigned = p.unsigned(8, 0, ["b.example".into()]);
    let foreign = stranger.signed(9, 0, "b.example");
    let cut = p.signed(10, 0, "b.example");
    let bytes = std::fs::read(&cut).unwrap();
    std::fs::write(&cut, &bytes[..bytes.len() - 1]).unwrap();
    let more = p.signed(11, 0, "b.example");
    std::fs::write(&more, [std::fs::read(&more).unwrap(), vec![0]].concat()).unwrap();
    let text = p.dir.join("text");
    std::fs::write(&text, "0.0.0.0 b.example\n".repeat(100)).unwrap();
    for (path, word) in [
        (older, "older than the one in use"),
        (p.signed(5, NOW + DAY, "b.example"), "in use already"),
        (expired, "has expired"),
        (unsigned, "not signed"),
        (foreign, "not trusted"),
        (cut, "truncated"),
        (more, "truncated or has more"),
        (text, "no threat database"),
    ] {
        let refused = p.update(&path).unwrap_err().to_string();
        assert!(refused.contains(word), "{refused:?} does not say {word:?}");
        assert!(p.lists("a.example") && !p.lists("b.example"), "{word}");
    }
    let next = p.update(&p.signed(12, 0, "b.example")).unwrap();
    assert_eq!((next.from, next.to), (Some(5), 12));
    assert!(p.lists("b.example") && !p.lists("a.example"));
    // Not even where the database is gone can an older one come back.
    std::fs::remove_file(p.dir.join(MAIN)).unwrap();
    std::fs::remove_file(p.dir.join(PREVIOUS)).unwrap();
    assert!(p.update(&p.signed(11, 0, "a.example")).unwrap_err().to_string().contains("older"));
    assert!(p.update(&p.signed(12, 0, "b.example")).is_ok());
}

#[test]
fn a_flipped_bit_anywhere_is_refused_and_the_one_before_serves() {
    let p = place("flip");
    p.update(&p.signed(1, 0, "old.example")).unwrap();
    p.update(&p.signed(2, 0, "new.example")).unwrap();
    let main = p.dir.join(MAIN);
    let good = std::fs::read(&main).unwrap();
    let keys = p.store().keys().unwrap();
    for at in 0..good.len() {
        let mut bad = good.clone();
        bad[at] ^= 1 << (at % 8);
        std::fs::write(&main, &bad).unwrap();
        let checked = Database::open(&main, &keys, true).and_then(|d| d.verify());
        assert!(checked.is_err(), "byte {at} of {}", good.len());
        // Only one of the ways there in full: a thousand openings take their time.
        if at % 97 == 0 || at + 200 > good.len() {
            let (hits, problems) = p.store().find(&[Indicator::host("new.example").unwrap()], NOW);
            assert!(hits.is_empty() && problems.len() == 1, "byte {at}: {hits:?} {problems:?}");
            let (hits, _) = p.store().find(&[Indicator::host("old.example").unwrap()], NOW);
            assert_eq!(hits.len(), 1, "byte {at}: the one before does not serve");
        }
    }
    for end in [0, 10, 30, 200, good.len() / 2, good.len() - 1] {
        std::fs::write(&main, &good[..end]).unwrap();
        assert!(Database::open(&main, &keys, true).is_err(), "cut at {end}");
    }
}

/// A damaged database is seen as a whole, and the same version may take its place; the whole one before it is kept.
#[test]
fn a_damaged_one_is_replaced_by_the_same_version() {
    let p = place("same");
    p.update(&p.signed(1, 0, "one.example")).unwrap();
    let second = p.signed(2, 0, "two.example");
    p.update(&second).unwrap();
    assert!(p.store().damage(None).is_empty());
    assert!(matches!(p.update(&second), Err(UpdateError::Refused(Refusal::Same(2)))));
    let main = p.dir.join("threats.db");
    let mut bytes = std::fs::read(&main).unwrap();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    std::fs::write(&main, bytes).unwrap();
    assert!(p.store().opened().problems.is_empty(), "its header is whole");
    let damage = p.store().damage(None);
    assert!(damage.len() == 1 && damage[0].contains("damaged"), "{damage:?}");
    assert_eq!(p.update(&second).unwrap().to, 2);
    assert!(p.store().damage(None).is_empty() && p.lists("two.example"));
    let before = Database::open(&p.dir.join("threats.previous.db"), &p.store().keys().unwrap(), false).unwrap();
    assert_eq!(before.header().version, 1, "the damaged one is not kept");
}

#[test]
fn every_record_is_found_and_no_other() {
    let p = place("many");
    // Enough for pages that run over into the next, and two blocks of digests.
    let all = 12_000;
    let path = p.unsigned(1, 0, (0..all).map(|i| format!("h{i}.example")));
    let d = Database::open(&path, &Keys::default(), true).unwrap();
    d.verify().unwrap();
    assert!(d.header().blocks.len() > 1 && d.header().records == all);
    for i in 0..all {
        let found = d.find(&Indicator::host(&format!("h{i}.example")).unwrap()).unwrap();
        assert_eq!(found.len(), 1, "h{i}.example");
        assert!(d.find(&Indicator::host(&format!("x{i}.example")).unwrap()).unwrap().is_empty());
    }
    assert!(matches!(Database::open(&path, &Keys::default(), false), Err(Refusal::Unsigned)));
}

#[test]
fn overlays_need_no_signature_and_say_that_they_expired() {
    let p = place("overlay");
    let path = p.unsigned(1, NOW - DAY, ["own.example".to_string()]);
    std::fs::create_dir_all(p.dir.join("overlays")).unwrap();
    std::fs::rename(path, p.dir.join("overlays/own.db")).unwrap();
    let (hits, problems) = p.store().find(&[Indicator::host("own.example").unwrap()], NOW);
    assert_eq!((hits.len(), problems.len()), (1, 0));
    assert!(hits[0].expired && hits[0].freshness(NOW).contains("test 1, made 2027-01-14 (1 days ago), expired"));
}

#[test]
fn a_signature_made_elsewhere_is_put_in() {
    let p = place("elsewhere");
    let path = p.unsigned(3, 0, ["a.example".to_string()]);
    let header = sign::header_of(&File::open(&path).unwrap()).unwrap();
    let secret = minisign::SecretKeyBox::from_string(&p.secret).unwrap().into_unencrypted_secret_key().unwrap();
    let made =
        minisign::sign(None, &secret, header.as_slice(), Some("of its own"), Some("anything")).unwrap().into_string();
    let id = sign::attach(&path, &made).unwrap();
    assert_eq!(p.store().keys().unwrap().ids(), [id]);
    assert_eq!(p.update(&path).unwrap().to, 3);
    for wrong in ["", "a\nb\nc\nd\n", &made.replacen("\ntrusted", "\ntrusty", 1), &format!("{made}more\n")] {
        assert!(sign::attach(&path, wrong).is_err(), "{wrong:?}");
    }
}
