//! Effect graph → the tree from the outer program to the innermost one, with values and effects at each node.
//!
//! In: the texts and the graph of one analysis. Out: lines for people. Nodes are programs, the commands in them, the
//! commands that those run (`sudo`, `xargs`), what each does, and the programs that it evaluates. Floor 8.

use super::visible;
use crate::effect::graph::{Graph, Process, ProgramNode};
use crate::effect::{Certainty, Effect, Site};
use crate::source::Source;
use crate::verdict::convert;

/// Most lines.
const LINES: usize = 2_000;
/// Deepest level that is drawn; what lies deeper is drawn at this one.
const LEVELS: usize = 48;

/// One node: an index into the list of its kind.
#[derive(Clone, Copy)]
enum Node {
    Program(usize),
    Process(usize),
    Effect(usize),
}

/// The whole tree, one node a line.
pub fn tree(source: &Source, graph: &Graph) -> String {
    let branches = Branches::new(graph);
    let mut out = String::new();
    let mut left = LINES;
    // What is still to be drawn, the next at the end: the node, the columns before it, whether it is its parent's last.
    let mut waiting: Vec<(Node, String, Option<bool>)> =
        branches.roots.iter().rev().map(|n| (*n, String::new(), None)).collect();
    while let Some((node, columns, last)) = waiting.pop() {
        if left == 0 {
            out.push_str("… and more\n");
            break;
        }
        left = left.saturating_sub(1);
        let (own, below) = match last {
            None => ("", ""),
            Some(true) => ("└─ ", "   "),
            Some(false) => ("├─ ", "│  "),
        };
        out.push_str(&columns);
        out.push_str(own);
        out.push_str(&visible::line(&describe(source, graph, node)));
        out.push('\n');
        let deeper = if columns.chars().count() < LEVELS.saturating_mul(3) { columns + below } else { columns };
        let children = branches.of(node);
        for (i, child) in children.iter().enumerate().rev() {
            waiting.push((*child, deeper.clone(), Some(i.saturating_add(1) == children.len())));
        }
    }
    for doubt in graph.doubts.iter().take(left) {
        let text = format!("not proven: {}: {}", doubt.kind, convert::cut(doubt.detail.as_bytes(), 200));
        out.push_str(&visible::line(&text));
        out.push('\n');
    }
    out
}

/// The children of every node, each node under one parent.
struct Branches {
    roots: Vec<Node>,
    programs: Vec<Vec<Node>>,
    processes: Vec<Vec<Node>>,
}

impl Branches {
    fn new(graph: &Graph) -> Branches {
        let mut all = Branches {
            roots: Vec::new(),
            programs: vec![Vec::new(); graph.programs.len()],
            processes: vec![Vec::new(); graph.processes.len()],
        };
        for (i, e) in graph.effects.iter().enumerate() {
            all.put(Node::Effect(i), None, Some(e.process.0 as usize));
        }
        for (i, p) in graph.processes.iter().enumerate() {
            // A parent always has a smaller number, so that no node is its own ancestor. One in another program is the
            // command that evaluates this one's, and that stands between them.
            let parent = p.parent.map(|q| q.0 as usize).filter(|q| *q < i);
            let parent = parent.filter(|q| graph.processes.get(*q).is_some_and(|q| q.program == p.program));
            all.put(Node::Process(i), Some(p.program.0 as usize), parent);
        }
        for (i, p) in graph.programs.iter().enumerate() {
            let outer = p.parent.map(|q| q.0 as usize).filter(|q| *q < i);
            // The command that evaluates it has to stand in a program before it, for the same reason.
            let by = p.by.map(|q| q.0 as usize);
            let by = by.filter(|q| graph.processes.get(*q).is_some_and(|q| (q.program.0 as usize) < i));
            all.put(Node::Program(i), outer, by);
        }
        all
    }

    /// Puts a node under the process, else the program, else at the top.
    fn put(&mut self, node: Node, program: Option<usize>, process: Option<usize>) {
        let under = process.and_then(|p| self.processes.get_mut(p));
        match under.or(program.and_then(|p| self.programs.get_mut(p))) {
            Some(list) => list.push(node),
            None => self.roots.push(node),
        }
    }

    fn of(&self, node: Node) -> &[Node] {
        match node {
            Node::Program(i) => self.programs.get(i).map_or(&[], Vec::as_slice),
            Node::Process(i) => self.processes.get(i).map_or(&[], Vec::as_slice),
            Node::Effect(_) => &[],
        }
    }
}

fn describe(source: &Source, graph: &Graph, node: Node) -> String {
    match node {
        Node::Program(i) => graph.programs.get(i).map(|p| program(source, p)),
        Node::Process(i) => graph.processes.get(i).map(process),
        Node::Effect(i) => graph.effects.get(i).map(|e| effect(graph, e)),
    }
    .unwrap_or_default()
}

/// `sh program (argument): rm -rf x`
fn program(source: &Source, p: &ProgramNode) -> String {
    let bytes = convert::program_text(source, p);
    format!("{} program ({}): {}", p.language, p.reach.name(), convert::hidden_cut(bytes, 200))
}

/// `command: sudo rm x [stdin: …]`
fn process(p: &Process) -> String {
    let words = convert::hidden(convert::show_words(&p.argv));
    let mut text = format!("command: {}", if words.is_empty() { &p.name } else { &words });
    if !p.known {
        text.push_str(" [unknown program]");
    }
    if let Some(stdin) = &p.stdin {
        text.push_str(&format!(" [stdin: {}]", convert::hidden(convert::show(stdin))));
    }
    if p.certainty != Certainty::Certain {
        text.push_str(&format!(" [{}]", p.certainty.name()));
    }
    if p.site != Site::Local {
        text.push_str(&format!(" [on {}]", convert::show_site(&p.site)));
    }
    text
}

/// `#3 evaluate sh <…> <- #1 through pipe, filter`
fn effect(graph: &Graph, e: &Effect) -> String {
    let mut text = format!("#{} {}", e.id.0, convert::hidden(convert::sentence(e)));
    for flow in e.inputs.iter().take(8) {
        let via: Vec<&str> = flow.via.iter().map(|c| c.name()).collect();
        let from = graph.effect(flow.from).map(|f| f.verb.name()).unwrap_or_default();
        text.push_str(&format!(" <- #{} {from}", flow.from.0));
        if !via.is_empty() {
            text.push_str(&format!(" through {}", via.join(", ")));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tree_goes_from_the_outer_program_to_the_inner_effect() {
        let (source, graph) = crate::verdict::convert::tests::nested();
        let want = "\
sh program (root): sh -c 'rm -rf x'
└─ command: sh
   └─ sh program (argument): rm -rf x
      └─ command: rm
         └─ #0 delete x (recursive, force) <- #0 delete through here_string
";
        assert_eq!(tree(&source, &graph), want);
    }

    #[test]
    fn long_chains_stay_bounded() {
        let (source, mut graph) = crate::verdict::convert::tests::nested();
        let last = graph.processes[1].clone();
        for i in 2..20_000u32 {
            let parent = Some(crate::effect::ProcessId(i - 1));
            graph.processes.push(Process { id: crate::effect::ProcessId(i), parent, ..last.clone() });
        }
        let text = tree(&source, &graph);
        assert!(text.lines().count() <= LINES + 1 && text.len() < LINES * LEVELS * 10, "{}", text.len());
        assert!(text.ends_with("… and more\n"));
    }
}
