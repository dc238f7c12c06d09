use super::*;
use crate::source::Place;
use crate::value::Unknown;

/// Reads a path as a test writes it: `$NAME` is a variable that is not set, `*` and `?` are active, `~` is a home.
fn value(text: &str) -> Value {
    let mut v = Value::default();
    let mut rest = text;
    if let Some(r) = rest.strip_prefix('~') {
        let end = r.find('/').unwrap_or(r.len());
        let (user, tail) = r.split_at(end);
        v.push(Value::unknown(Why::Home(user.into()), Place::default()));
        rest = tail;
    }
    let mut chars = rest.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '*' => v.push_piece(Piece::Glob(Glob::Star, Place::default())),
            '?' => v.push_piece(Piece::Glob(Glob::Question, Place::default())),
            '$' => {
                let mut name = String::new();
                while let Some(n) = chars.next_if(|c| c.is_ascii_alphanumeric() || *c == '_') {
                    name.push(n);
                }
                v.push_piece(Piece::Unknown(Box::new(Unknown {
                    why: Why::Environment(name),
                    from: Place::default(),
                    taint: Default::default(),
                    splits: false,
                })));
            }
            c => v.push(Value::literal(c.to_string().as_bytes(), Place::default())),
        }
    }
    v
}

fn class(text: &str) -> Class {
    resolve(&value(text), None, Base::default()).class
}

fn marks(text: &str) -> Vec<&'static str> {
    resolve(&value(text), None, Base::default()).marks.iter().map(Mark::name).collect()
}

#[test]
fn classes_absolute_paths() {
    for (path, want) in [
        ("/", Class::Root),
        ("/*", Class::Root),
        ("//", Class::Root),
        ("/./", Class::Root),
        ("/tmp/../", Class::Root),
        ("/../..", Class::Root),
        ("/etc", Class::SystemDirectory),
        ("/etc/", Class::SystemDirectory),
        ("/etc/*", Class::SystemDirectory),
        ("/etc/nginx/nginx.conf", Class::SystemContent),
        ("/usr/bin/python3", Class::SystemContent),
        ("/usr/local/bin/x", Class::Outside),
        ("/opt/tool/x", Class::Outside),
        ("/home", Class::Homes),
        ("/home/*", Class::Homes),
        ("/home/u", Class::Home),
        ("/root", Class::Home),
        ("/Users/u/*", Class::Home),
        ("/home/u/x", Class::HomeContent),
        ("/home/u/.bashrc", Class::HomeDotfile),
        ("/tmp", Class::Temporary),
        ("/tmp/x.log", Class::Temporary),
        ("/var/lib/apt/lists/*", Class::Cache),
        ("/var/log/syslog", Class::SystemContent),
        ("/dev/sda", Class::Device),
        ("/dev/nvme0n1p2", Class::Device),
        ("/dev/sd?", Class::Device),
        ("/dev/null", Class::HarmlessDevice),
        ("/dev/tcp/203.0.113.9/4444", Class::Network),
        ("/proc/cpuinfo", Class::Kernel),
        ("/some/where", Class::Outside),
    ] {
        assert_eq!(class(path), want, "{path}");
    }
}

#[test]
fn classes_relative_and_home_paths() {
    for (path, want) in [
        (".", Class::ProjectRoot),
        ("./*", Class::ProjectRoot),
        ("*", Class::ProjectRoot),
        ("./build", Class::Project),
        ("a/../b", Class::Project),
        ("..", Class::Outside),
        ("../x", Class::Outside),
        ("~", Class::Home),
        ("~/", Class::Home),
        ("~/*", Class::Home),
        ("~/.*", Class::Home),
        ("~other", Class::Home),
        ("~/..", Class::Homes),
        ("~/../..", Class::Root),
        ("$HOME", Class::Home),
        ("$HOME/*", Class::Home),
        ("~/x", Class::HomeContent),
        ("~/.vimrc", Class::HomeDotfile),
        ("~/.cache/x", Class::Cache),
        ("$TMPDIR/a", Class::Temporary),
        ("$PWD/build", Class::Project),
        ("$UNSET/", Class::Unknown),
        ("$UNSET/x", Class::Unknown),
    ] {
        assert_eq!(class(path), want, "{path}");
    }
}

#[test]
fn marks_what_a_place_is_known_for() {
    assert_eq!(marks("~/.ssh/authorized_keys"), ["ssh-access"]);
    assert_eq!(marks("/home/u/.ssh/id_rsa"), ["credential"]);
    assert_eq!(marks("$X/.ssh/id_ed25519"), ["credential"]);
    assert_eq!(marks("/etc/sh?dow"), ["credential", "accounts"]);
    assert_eq!(marks("/etc/passw*"), ["accounts"]);
    assert_eq!(marks("project/.env"), ["credential"]);
    assert_eq!(marks(".git/hooks/pre-commit"), ["repository-hook"]);
    assert_eq!(marks("/etc/cron.d/job"), ["schedule"]);
    assert_eq!(marks("~/.bashrc"), ["shell-startup"]);
    assert_eq!(marks("~/.claude/settings.json"), ["agent"]);
    assert_eq!(marks("/proc/1234/mem"), ["process-memory"]);
    assert_eq!(marks("~/*"), Vec::<&str>::new());
    assert_eq!(marks("/etc/hostname"), Vec::<&str>::new());
    assert_eq!(marks("src/.environment"), Vec::<&str>::new());
}

#[test]
fn resolves_against_the_working_directory() {
    let base = Base { cwd: Some("/home/u/proj"), home: Some("/home/u") };
    let at = |path: &str, cwd: Option<&str>| {
        let cwd = cwd.map(value);
        let r = resolve(&value(path), cwd.as_ref(), base);
        (r.text, r.class)
    };
    assert_eq!(at("build", None), ("~/proj/build".into(), Class::Project));
    assert_eq!(at(".", None), ("~/proj".into(), Class::ProjectRoot));
    assert_eq!(at("..", None), ("~".into(), Class::Home));
    assert_eq!(at("../*", None), ("~/*".into(), Class::Home));
    assert_eq!(at("/home/u/proj/x", None), ("~/proj/x".into(), Class::Project));
    assert_eq!(at("*", Some("/")), ("/*".into(), Class::Root));
    assert_eq!(at(".", Some("/etc")), ("/etc".into(), Class::SystemDirectory));
    assert_eq!(at(".bashrc", Some("~")), ("~/.bashrc".into(), Class::HomeDotfile));
    assert_eq!(at("x", Some("sub")), ("~/proj/sub/x".into(), Class::Project));
    let home = Base { cwd: Some("/home/u"), home: Some("/home/u") };
    assert_eq!(resolve(&value("*"), None, home).class, Class::Home);
    assert_eq!(resolve(&value(".ssh/id_rsa"), None, home).marks.iter().next(), Some(Mark::Credential));
    let root = Base { cwd: Some("/"), home: None };
    assert_eq!(resolve(&value("*"), None, root).class, Class::Root);
}

#[test]
fn a_set_of_readings_gives_the_most_delicate() {
    let set = Value::either(value("/tmp/a"), value("/etc"));
    assert_eq!(resolve(&set, None, Base::default()).class, Class::SystemDirectory);
}

#[test]
fn reads_the_network_names_of_bash() {
    let r = resolve(&value("/dev/tcp/host.example/443"), None, Base::default());
    assert_eq!(r.socket(), Some(("host.example".into(), "443".into())));
}
