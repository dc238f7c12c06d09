//! sed against the real program.

use super::super::check::{Compare, Rng, text};

#[test]
fn agrees_with_the_program() {
    let scripts = [
        "s/a/X/",
        "s/o/0/g",
        "s/[a-z]*/<&>/g",
        "s/\\(f\\)\\(o*\\)/\\2\\1/",
        "s|/|_|g",
        "s/x*/-/g",
        "y/abc/xyz/",
        "2d",
        "$d",
        "1p",
        "/foo/d",
        "/^$/d",
        "2,3d",
        "/a/,/b/d",
        "/a/,$d",
        "1!d",
        "s/A/b/I",
        "s/o/X/2",
        "s/o/X/2g",
        "n;d",
        "$!N;s/\\n/ /",
        "1!G;h;$!d",
        ":a;N;$!ba;s/\\n/,/g",
        "s/.*/\\U&/",
        "s/\\w/\\u&/g",
        "s/b/\\n/",
        "=",
        "q",
        "2q",
        "$=",
        "P;D",
        "x",
        "x;p",
        "1i hello",
        "$a end",
        "1~2d",
        "2~0p",
        "0,/a/d",
        "2,+1d",
        "s/ //g;s/a/b/;p",
        "/a/{s//X/;p}",
        "s/[]a]/Y/",
        "s/a\\|b/Z/g",
        "s/^/> /",
        "s/$/ </",
        "/foo/!s/a/b/",
        "s/\\t/TAB/",
        "s/./&&/3",
        "s/é/e/",
        "/b/q;d",
        "h;G",
        "N;P;D",
        "s/a*$/E/",
        "s/\\//|/g",
        "s/\\bfoo\\b/W/",
        ":x;s/^ //;tx",
        "s/a/b/;T;s/b/c/",
        "s/x\\?y/Q/",
        "s/[^,]*,//",
        "s/a/\\&/",
        "s,a,\\,,",
        "3,1p",
        "2,/a/s/^/#/",
        "$!d",
    ];
    let mut rng = Rng::new(61);
    let mut c = Compare::new("sed", "sed");
    for script in scripts {
        for _ in 0..6 {
            let data = text(&mut rng);
            let options: &[(&str, Option<&[u8]>)] = if rng.below(4) == 0 { &[("-n", None)] } else { &[] };
            c.case(options, &[script.as_bytes()], &data);
        }
    }
    for script in
        ["s/(a|b)+/X/g", "s/(fo)(o)?/\\2\\1/", "s/a{1,2}/N/", "s/\\(/P/", "s/o+|a/<&>/g", "s/^(.)(.*)$/\\2\\1/"]
    {
        for _ in 0..10 {
            c.case(&[("-E", None)], &[script.as_bytes()], &text(&mut rng));
        }
    }
    c.finish(0.9);
}
