//! Every limit, in one place. Floor 1: imports nothing.
//!
//! A limit that is hit is never silent: the stage that hits it says so in its output, the verdict becomes at least a
//! warning with the rule `analysis_incomplete`, and nothing that lies behind it is called safe.

/// Largest command or script that is read, in bytes. The longest real script in the corpora has 0.9 MB.
pub const MAX_INPUT: usize = 16 << 20;
/// Deepest nesting of shell constructs in one text. Real scripts stay under 20; a level costs the parser and the
/// interpreter together about 3 KiB of stack in a debug build.
pub const MAX_DEPTH: u32 = 100;
/// Deepest nesting of programs in programs (sh -c in ssh in python -c …).
pub const MAX_PROGRAM_DEPTH: u32 = 40;
/// Most syntax nodes in one text: a bound on memory (a node takes about 150 bytes; a real script of 900 KB has 200,000).
pub const MAX_NODES: u32 = 1_000_000;
/// Most here-documents waiting for their bodies at one time.
pub const MAX_HEREDOCS: usize = 1_000;
/// Work units an analysis may use: at least this many, more for long inputs (see `WORK_PER_BYTE`). A unit is about
/// one command, one loop turn or 64 bytes of computed text.
pub const MIN_WORK: u64 = 50_000;
/// Further work units per byte of input.
pub const WORK_PER_BYTE: u64 = 4;
/// Commands that run commands (`sudo env nice …`), one in the other.
pub const MAX_WRAPPERS: u32 = 24;
/// Longest computed text (a value, an output, a decoded payload), in bytes.
pub const MAX_VALUE: usize = 1 << 20;
/// Longest path of a working directory that is followed, in bytes (`PATH_MAX` of Linux, limits.h).
pub const MAX_PATH: usize = 4_096;
/// Most pieces in one value before it is joined into an unknown.
pub const MAX_PIECES: usize = 4_096;
/// Most readings kept for a value with several (a set after a branch, a glob against known names).
pub const MAX_READINGS: usize = 32;
/// Most pieces in all readings of one set together, sets in sets included.
pub const MAX_SET_NODES: usize = 512;
/// Most words one word may expand to (braces, splitting).
pub const MAX_FIELDS: usize = 10_000;
/// Deepest function recursion that is followed.
pub const MAX_CALLS: u32 = 16;
/// Times in all that texts and files that run themselves are entered once more.
pub const MAX_ENTRIES: u32 = 64;
/// Links that one text makes which are followed, and names on one path that are looked up among them.
pub const MAX_LINKS: usize = 64;
/// Turns of one loop over words that are unrolled before its state is joined.
pub const MAX_TURNS: u32 = 64;
/// Turns of a loop with a known condition, or of one whose output is text that something reads, where all is known.
pub const MAX_KNOWN_TURNS: u32 = 1_024;
/// Turns of a loop that are walked where it is not known how many there are.
pub const MAX_OPEN_TURNS: u32 = 4;
/// Doubts kept for one command; those that make an analysis incomplete have room beyond it.
pub const MAX_DOUBTS: usize = 4_000;
/// Effects kept for one command.
pub const MAX_EFFECTS: usize = 20_000;
/// Longest text that the witness reads, in bytes: tree-sitter falls to 2-3 MB/s on one large document.
pub const MAX_WITNESS_INPUT: usize = 64 << 10;
/// Most here-documents on one line for the witness: its scanner copies the list of those that wait at every token.
pub const MAX_WITNESS_HEREDOCS: usize = 16;
/// Deepest nesting of brace expressions in one word that the witness tells apart.
pub const MAX_WITNESS_BRACES: usize = 8;
/// Most differences between the two readers that are reported for one text.
pub const MAX_DIFFERENCES: usize = 1_000;
/// A text up to this many bytes may take the witness `MIN_WITNESS_STEPS` steps of 100 parser operations whatever the
/// clock says, so that on a busy machine the answer for an everyday command does not change from run to run.
pub const SHORT_WITNESS_INPUT: usize = 4_096;
/// See `SHORT_WITNESS_INPUT`: about twice what the densest text of that length took (`a;a;a;…`: 205 steps).
pub const MIN_WITNESS_STEPS: u32 = 400;
/// Processor time the witness has for one text, in milliseconds.
pub const WITNESS_DEADLINE_MS: u64 = 50;
/// Most findings in one verdict.
pub const MAX_FINDINGS: usize = 200;
/// Longest text of one program in a verdict, in bytes; its span says where the whole stands.
pub const MAX_TEXT_OUT: usize = 16 << 10;
/// Program texts of one verdict together, in bytes.
pub const MAX_PROGRAM_TEXTS_OUT: usize = 1 << 20;
/// Longest name, object or value that a verdict shows, in bytes.
pub const MAX_SHOWN: usize = 1 << 10;
/// Longest line of `check --batch`, in bytes: a command of [`MAX_INPUT`] with some of it escaped.
pub const MAX_BATCH_LINE: usize = 2 * MAX_INPUT;
/// Most lines of a batch that wait, are worked on, or wait to be written.
pub const MAX_BATCH_QUEUE: usize = 1_024;
/// Bytes of those lines and their answers together (one line alone may have more).
pub const MAX_BATCH_BYTES: usize = 64 << 20;
/// Largest question of an agent that a hook reads, in bytes: a command of [`MAX_INPUT`] with some of it escaped, and what
/// the agent says beside it.
pub const MAX_HOOK_INPUT: usize = 3 * MAX_INPUT;
/// Deepest nesting of groups in one shell pattern (`@(a|@(b|…))`).
pub const MAX_PATTERN_DEPTH: u32 = 24;
/// Steps one match of a shell pattern may take; a step is one position of the text at one node of the pattern. A plain
/// pattern of 20 nodes over the longest value takes 20 million.
pub const MAX_PATTERN_WORK: u64 = 32 << 20;
/// Operators, brackets and blocks of one Python text, as a bound for the depth of its tree, up to which the parser that
/// makes boxed trees reads it: each takes a stack frame or three when the tree is dropped. A 500-line module has 5,000.
pub const MAX_PYTHON_GROWTH: usize = 32_768;
/// Deepest nesting of an arithmetic expression, variables whose values are expressions included.
pub const MAX_ARITHMETIC_DEPTH: u32 = 60;
/// Steps a computed filter may take: commands of a sed script, expressions of an awk program, 32 bytes searched.
pub const MAX_TRANSFORM_STEPS: usize = 400_000;
/// Bytes that the searches for one pattern may look at: some 5,000 matches in a line of 12 KiB.
pub const MAX_REGEX_WORK: usize = 32 << 20;
/// Most patterns in one filter.
pub const MAX_REGEXES: usize = 100;
/// Longest text of an embedded language that is read through a tree-sitter grammar, in bytes.
pub const MAX_SCRIPT_INPUT: usize = 512 << 10;
/// Processor time that reading it may take, in milliseconds; a grammar reads 5-12 MB/s, so only a text of a costly shape needs it.
pub const SCRIPT_DEADLINE_MS: u64 = 100;
/// Bytes that the scanner of a tree-sitter grammar may look at for each byte of the text, beside `MIN_LOOKED_AT`. Of 16,000
/// texts that people wrote none took more than 10 a byte, and none of over 1 KiB more than 5.
pub const LOOKED_AT_PER_BYTE: usize = 16;
/// See `LOOKED_AT_PER_BYTE`.
pub const MIN_LOOKED_AT: usize = 64 << 10;
/// Steps of 100 parser operations that are free of the clock, so that the answer for an everyday text is always the same:
/// 2 KiB take so many. In a text that is all errors one step may take milliseconds.
pub const MIN_SCRIPT_STEPS: u32 = 20;
/// Deepest nesting of its tree that is lowered; real programs stay under 60 levels.
pub const MAX_SCRIPT_NESTING: u32 = 180;
/// Longest line of a history that is looked at: a command of [`MAX_INPUT`] inside JSON, with room for what is beside it.
pub const MAX_AUDIT_LINE: usize = 2 * MAX_INPUT;
/// Most commands of a history in one chunk of work. Three to six chunks are in flight.
pub const MAX_CHUNK_ENTRIES: usize = 4_096;
/// Bytes of commands at which a chunk is full.
pub const MAX_CHUNK_BYTES: usize = 4 << 20;
/// Commands without findings whose judgement an audit remembers, in each of two generations: about 150 bytes each. One
/// with findings counts as ten and more.
pub const MAX_CACHED: usize = 150_000;
/// Most different commands with findings that the summary of an audit tells apart.
pub const MAX_SUMMED: usize = 20_000;
/// Longest text of one command in the report of an audit, in bytes.
pub const MAX_COMMAND_OUT: usize = 4 << 10;
/// Most names (users, days, hosts) that the summary of an audit counts apart.
pub const MAX_GROUPS: usize = 10_000;
/// Most commands of one session that are remembered for what they left behind, and the longest of them in bytes.
pub const MAX_PAST: usize = 64;
/// See [`MAX_PAST`].
pub const MAX_PAST_COMMAND: usize = 16 << 10;
/// Most changes of directory of a session since the last that named a place from the root.
pub const MAX_TRAIL: usize = 12;
/// Most sessions that are remembered at one time.
pub const MAX_SESSIONS: usize = 20_000;
/// Bytes of all that is remembered of them together; one session may have a quarter of it.
pub const MAX_SESSION_BYTES: usize = 32 << 20;
/// Longest text that the commands of one chain are put together to, in bytes.
pub const MAX_CHAIN: usize = 64 << 10;
/// Most commands in one chain: a dropper writes its file with some hundred of them, its last ones say what it is.
pub const MAX_CHAIN_COMMANDS: usize = 40;
/// Bytes of chains that an audit judges for each byte of commands, on the average.
pub const CHAINS_PER_BYTE: usize = 4;
/// Bytes of chains that it judges at the beginning, and at most after a part of a history that has none.
pub const MAX_CHAIN_CREDIT: usize = 16 << 20;
/// Most commands with findings that a report keeps which needs all of them at once (HTML, SARIF).
pub const MAX_ROWS: usize = 100_000;
/// Bytes of what it keeps of them: a browser opens 20 MB of it in 1.2 s.
pub const MAX_ROW_BYTES: usize = 48 << 20;
/// Most commands of which the HTML report of an audit draws the flow.
pub const MAX_PICTURES: usize = 12;
