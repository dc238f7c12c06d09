//! awk against the real program.

use super::super::check::{Compare, Rng, text};
use super::super::{Call, run};
use super::Why;

#[test]
fn agrees_with_the_program() {
    let programs = [
        "{print $2}",
        "{print $1, $NF}",
        "{print $1 $2}",
        "BEGIN{printf \"%s-%d\\n\", \"a\", 42}",
        "NR==2",
        "/foo/{print NR\": \"$0}",
        "{n+=$1} END{print n}",
        "{print length($0)}",
        "{print toupper($1)}",
        "BEGIN{for(i=1;i<4;i++) printf \"%d \", i; print \"\"}",
        "{gsub(/o/,\"0\");print}",
        "{sub(/[a-c]+/,\"<&>\");print}",
        "{print substr($0,2,3)}",
        "{print index($0,\"a\")}",
        "END{print NR}",
        "{$2=\"X\";print}",
        "{print NF}",
        "!seen[$1]++",
        "{a[NR]=$1} END{for(i=NR;i>0;i--) print a[i]}",
        "{print ($1>5)?\"y\":\"n\"}",
        "BEGIN{x=\"A\"; y=x \"B\" 1+2; print y}",
        "{printf \"%5s|%-5s|\\n\", $1, $2}",
        "BEGIN{printf \"%c%c\", 114, 109}",
        "NF",
        "{print $1==1, $1==\"1\", $1<$2}",
        "{n=split($0,p,\"o\"); print n, p[1]}",
        "BEGIN{print 1/3, 100000*100, 1e0}",
        "$1~/^a/",
        "$0!~/a/{print \"no\"}",
        "{print -$1, !$1}",
        "BEGIN{while(i<3){i++; if(i==2)continue; print i}}",
        "BEGIN{print 2^10, 7%3, -7%3}",
        "BEGIN{OFS=\"-\"; print 1,2}",
        "{NF=1; print}",
        "{$0=\"a b\"; print $2}",
        "BEGIN{printf \"%05.1f %e %g\\n\", 3.14159, 12345, 0.0001}",
        "BEGIN{printf \"%x %o %X\\n\", 255, 8, 255}",
        "NR%2",
        "NR==1{next}{print}",
        "{exit} END{print \"done\"}",
        "BEGIN{exit 3}",
        "BEGIN{print length()}",
        "BEGIN{print substr(\"hello\",0,2) substr(\"hello\",4)}",
        "/a/,/b/",
        "{print > \"x\"}",
        "BEGIN{system(\"id\")}",
        "{print \"a\" > \"f\"}",
        "function f(x){return x} {print f(1)}",
        "BEGIN { \"date\" | getline d; print d }",
        "{print $1}{print $2}",
        "BEGIN{print \"a\\tb\\101\\\\\"}",
        "BEGIN{print (1,2) in a, 1 in a}",
        "BEGIN{x[1]=1; if (1 in x) print \"in\"}",
        "{print;print \"\"}",
        "BEGIN{print 1==1.0, \"a\"<\"b\", 10<9, \"10\"<\"9\"}",
        "BEGIN{print 1 \" \" -1}",
        "BEGIN{x=5; x+=2; x*=3; print x--, x, ++x}",
        "{ print $1; if (NR>1) { print \"x\" } else print \"y\" }",
        "BEGIN{print !x, !\"a\", 1&&0, 1||0}",
        "BEGIN{print toupper(substr(\"abc\",1,1))}",
    ];
    let mut rng = Rng::new(97);
    let mut c = Compare::new("awk", "awk");
    for program in programs {
        for _ in 0..4 {
            let data = text(&mut rng);
            let fs: &[(&str, Option<&[u8]>)] = match rng.below(4) {
                0 => &[("-F", Some(b":"))],
                1 => &[("-F", Some(b"o+"))],
                _ => &[],
            };
            c.case(fs, &[program.as_bytes()], &data);
        }
    }
    c.case(&[("-v", Some(b"n=5"))], &[b"BEGIN{print n+1}"], b"");
    c.finish(0.7);
}

#[test]
fn what_leaves_the_program_is_not_computed() {
    for program in [
        "{print > \"x\"}",
        "BEGIN{system(\"id\")}",
        "{print | \"sh\"}",
        "BEGIN{\"date\"|getline}",
        "BEGIN{print rand()}",
        "BEGIN{print ENVIRON[\"HOME\"]}",
        "BEGIN{for (k in ENVIRON) print k}",
        "BEGIN{print ARGV[1], FILENAME}",
    ] {
        let call = Call { operands: &[program.as_bytes()], stdin: b"a\n", ..Call::default() };
        assert!(run("awk", &call).is_err(), "{program}");
    }
    let call = Call { operands: &[b"BEGIN{while(1)x++}"], ..Call::default() };
    assert_eq!(run("awk", &call), Err(Why::Limit));
    let deep = format!("BEGIN{{print {}1{}}}", "(".repeat(5000), ")".repeat(5000));
    assert!(run("awk", &Call { operands: &[deep.as_bytes()], ..Call::default() }).is_err());
}
