//! What the interpreter says runs, for short texts. Real bash says the same of all of them.

use crate::analyzer::{Options, analyze};
use crate::effect::Certainty;
use crate::value::{Piece, Value};

/// The programs that certainly run, each with its words.
fn runs(text: &str) -> Vec<String> {
    let words = |argv: &[Value]| argv.iter().map(Value::show).collect::<Vec<_>>().join(" ");
    let analysis = analyze(text.as_bytes(), &Options::default());
    let certain = |p: &&crate::effect::graph::Process| p.certainty == Certainty::Certain;
    let all = analysis.graph.processes.iter().filter(certain).map(|p| words(&p.argv));
    all.filter(|l| l.starts_with("c ")).collect()
}

#[test]
fn the_header_of_an_arithmetic_loop_leaves_the_status_alone() {
    assert_eq!(runs("false; for ((i=0; i<1; i++)); do c $i $?; done"), ["c 0 1"]);
    assert_eq!(runs("(exit 3); for ((i=$?; i<4; i++)); do c $i $?; done"), ["c 3 3"]);
    assert_eq!(runs("false; for ((i=0; i<0; i++)); do c no; done; c $?"), ["c 0"]);
    assert_eq!(runs("for ((i=0; i<2; i++)); do (exit 4); done; c $?"), ["c 4"]);
}

#[test]
fn an_error_in_the_header_ends_the_loop_alone() {
    for header in ["i=1/0; i<4; i++", "i=0; i<1/0; i++", "i=0; i<4; i+=1/0"] {
        let text = format!("for (({header})); do :; done; c $?");
        assert_eq!(runs(&text), ["c 1"], "{header}");
    }
}

#[test]
fn while_and_until_ask_for_the_status_of_their_condition() {
    assert_eq!(runs("n=2; while [ $n -gt 0 ]; do n=$((n-1)); c $n $?; done"), ["c 1 0", "c 0 0"]);
    assert_eq!(runs("n=0; until ! [ $n = 0 ]; do n=1; c $?; :; done; c end $?"), ["c 0", "c end 0"]);
}

#[test]
fn an_error_in_an_expression_gives_up_the_command_and_the_list() {
    assert_eq!(runs("e='p q'; c $((--e)) \"$(echo x)\"; c end"), [""; 0]);
    assert_eq!(runs("e='p q'; c $(c in $((e))) x; c end"), ["c <output of c> x", "c end"]);
    assert_eq!(runs("w=(1 2); declare -i 'w=(3 || e)'; c end"), [""; 0]);
    assert_eq!(runs("w=(1 2); declare 'w=(3 4)'; c ${w[1]}"), ["c 4"]);
}

#[test]
fn getopts_sets_its_index_in_every_call() {
    assert_eq!(runs("unset OPTIND; getopts abc o x -a; c $o $OPTIND"), ["c ? 1"]);
    assert_eq!(runs("OPTIND=1; getopts abc o -- -a; c $o $OPTIND"), ["c ? 2"]);
}

#[test]
fn operators_keep_any_number_of_elements_any_number() {
    // `$NAME` may be no word at all.
    let text = "fn() { c \"${@#f}\" end; }; fn $NAME";
    let analysis = analyze(text.as_bytes(), &Options::default());
    let c = analysis.graph.processes.iter().find(|p| p.name == "c").unwrap();
    assert!(matches!(c.argv[1].pieces.as_slice(), [Piece::Unknown(u)] if u.splits), "{:?}", c.argv);
}
