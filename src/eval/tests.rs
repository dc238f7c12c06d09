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

#[test]
fn variables_are_shown_as_text_that_makes_them_anew() {
    let set = "declare -A m=([k]=v1 [l m]='v 2'); a=(one 'two 2'); export x='p q';";
    assert_eq!(runs(&format!("{set} c \"${{a[@]@K}}\"")), ["c 0 \"one\" 1 \"two 2\""]);
    assert_eq!(runs(&format!("{set} c ${{#a[@]}} \"${{a[@]@k}}\"")), ["c 2 0 one 1 two 2"]);
    assert_eq!(runs(&format!("{set} c \"${{m[@]@K}}\"")), ["c \"l m\" \"v 2\" k \"v1\" "]);
    assert_eq!(runs(&format!("{set} c \"${{a[*]@A}}\"")), ["c declare -a a=([0]=\"one\" [1]=\"two 2\")"]);
    assert_eq!(runs(&format!("{set} c \"${{x@A}}\" ${{x@a}}")), ["c declare -x x='p q' x"]);
    assert_eq!(runs("set -- 'a b' c; c \"${@@A}\""), ["c set -- 'a b' 'c'"]);
    assert_eq!(runs("IFS=x; a=(1); set -- \"${a[@]@A}\"; c $#"), ["c 1"]);
    assert_eq!(runs("x=$'a\\nb'; c \"$(declare -p x)\""), ["c declare -- x=$'a\\nb'"]);
    assert_eq!(runs("declare -lx w=ABC; c $w ${w@a}; declare -c v=aBC; c $v"), ["c abc xl", "c Abc"]);
}

#[test]
fn options_of_the_shell_that_change_what_runs() {
    assert_eq!(runs("unset u; ( set -u; c a; c $u; c b ); c end"), ["c a", "c end"]);
    assert_eq!(runs("unset u; set -u; c ${u-x} ${u:-y} \"$@\""), ["c x y $@"]);
    assert_eq!(runs("set -o pipefail; (exit 3) | true; c $?; true | false; c $?"), ["c 3", "c 1"]);
    assert_eq!(runs("set -a; z=1; c ${z@a}; set +a; y=1; c x${y@a}"), ["c x", "c x"]);
}

#[test]
fn what_stands_in_front_of_a_command_is_taken_back() {
    assert_eq!(runs("b=o; fn() { unset b; c $b; }; b=i fn; c $b"), ["c o", "c o"]);
    assert_eq!(runs("x=; fn() { c $x; }; x=${x:=d}2 fn; c $x"), ["c d2", "c d"]);
}

#[test]
fn a_function_runs_its_trap_when_it_returns() {
    assert_eq!(runs("fn() { trap 'c t $1' RETURN; c in; }; fn a; c out"), ["c in", "c t a", "c out"]);
    assert_eq!(
        runs("fn() { trap 'c t' RETURN; }; gn() { c g; }; fn; gn; trap - RETURN; fn2() { c 2; }; fn2"),
        ["c t", "c g", "c 2"]
    );
}

#[test]
fn odd_ends_of_words() {
    assert_eq!(runs("x=; c ${x:0:-1}; c end"), [""; 0]);
    assert_eq!(runs("x=ab; c ${x:0:-1} ${x:1:-1}"), ["c a"]);
    assert_eq!(runs("printf -v r 'a%cb' ''; c $r"), ["c a"]);
    assert_eq!(runs("set -- 1 2; v=$'a  b\\nc'; declare -A m=([x]=\"$@\"$v); c \"${m[x]}\""), ["c 1 2a b c"]);
    assert_eq!(
        runs("select v in a b; do c $v; break; done <<< ''; select v in a b; do c $v; break; done <<< 2"),
        ["c b"]
    );
    assert_eq!(runs("n=5; fn() { local a=$((n++)){1,2}; c $a $n; }; fn"), ["c 62 7"]);
    assert_eq!(runs("return 2>/dev/null; c $?"), ["c 2"]);
}

#[test]
fn a_local_variable_hides_what_stood_in_front_of_the_call() {
    assert_eq!(runs("v=g; f() { local v; (unset v; c ${v-none}); }; v=t f"), ["c none"]);
    assert_eq!(runs("unset v; local v=1; c $? ${v-none}"), ["c 1 none"]);
}

#[test]
fn mapfile_and_arrays_keep_what_they_do_not_set() {
    assert_eq!(runs("w=(a b); mapfile -t -O 3 w <<< x; c \"${w[@]}\" ${#w[@]}"), ["c a b x 3"]);
    assert_eq!(runs("w=([\\*]=x y); c ${#w[@]} \"${w[@]}\""), ["c 1 y"]);
}
