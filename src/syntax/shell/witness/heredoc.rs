//! Here-documents: the grammar hangs the rest of the line (arguments, redirections, a pipe, `&&`) on their node.

use super::text::Rules;
use super::{Kid, Lowering, kids, redirect::Lowered};
use crate::source::Span;
use crate::syntax::ast::{AndOr, AndOrOp, Heredoc, Part, PartKind, Redirect, RedirectFd, RedirectOp, Word};

impl<'t> Lowering<'t> {
    /// Puts a `heredoc_redirect` and what hangs on it onto a list.
    pub(super) fn attach_heredoc(&mut self, list: &mut AndOr, kid: Kid<'t>) {
        let pieces = kids(kid.node);
        let mut redirect = Redirect {
            fd: RedirectFd::Default,
            op: RedirectOp::Heredoc,
            target: Word::default(),
            heredoc: None,
            span: Span { start: kid.span.start, end: kid.span.start },
        };
        let closed = pieces.iter().any(|k| k.kind == "heredoc_end" && !k.span.is_empty());
        let mut end = kid.span.start;
        for piece in &pieces {
            let before = std::mem::replace(&mut end, piece.span.end);
            match piece.kind {
                "file_descriptor" => redirect.fd = self.descriptor(piece.span),
                "<<" => redirect.op = RedirectOp::Heredoc,
                "<<-" => redirect.op = RedirectOp::HeredocTabs,
                "heredoc_start" => {
                    redirect.target = self.word(Kid { kind: "word", ..*piece });
                    redirect.span.end = piece.span.end;
                }
                "heredoc_body" => {
                    // White space at the start of a body, empty lines too, is not in the tree: it begins after the
                    // newline that ends what stands before it.
                    let line = Span { start: before, end: piece.span.start.max(before) };
                    let newline = self.bytes(line).iter().position(|&b| b == b'\n');
                    let start = newline
                        .map_or(piece.span.start as usize, |n| (before as usize).saturating_add(n).saturating_add(1));
                    let body = Span::new(start, piece.span.end as usize);
                    let tabs = redirect.op == RedirectOp::HeredocTabs;
                    let quoted = redirect.target.is_quoted();
                    redirect.heredoc = Some(self.heredoc_body(*piece, body, quoted, tabs, closed));
                }
                _ => {}
            }
        }
        self.attach(list, Lowered { redirect, words: Vec::new() });
        let mut op = None;
        for piece in &pieces {
            match piece.kind {
                "file_redirect" | "herestring_redirect" => {
                    if let Some(lowered) = self.redirect(*piece) {
                        self.attach(list, lowered);
                    }
                }
                "pipeline" => self.attach_pipeline(list, *piece),
                "&&" => op = Some(AndOrOp::And),
                "||" => op = Some(AndOrOp::Or),
                "file_descriptor" | "<<" | "<<-" | "heredoc_start" | "heredoc_body" | "heredoc_end" | "\n"
                | "ERROR" => {}
                _ if piece.is("right") => {
                    let Some(Some(right)) = self.nest(piece.span, |l| l.and_or(*piece)) else { continue };
                    list.span = list.span.to(right.span);
                    list.rest.push((op.unwrap_or(AndOrOp::And), right.first));
                    list.rest.extend(right.rest);
                }
                _ if piece.is("argument") => {
                    let word = self.word(*piece);
                    list.span = list.span.to(word.span);
                    let pipeline = list.rest.last_mut().map_or(&mut list.first, |(_, p)| p);
                    match pipeline.stages.last_mut() {
                        Some(command) => self.add_word(command, word),
                        None => self.not_lowered(piece.span),
                    }
                }
                _ => self.not_lowered(piece.span),
            }
        }
    }

    /// `| command` on the line of a here-document.
    fn attach_pipeline(&mut self, list: &mut AndOr, kid: Kid<'t>) {
        let mut stderr = false;
        for piece in kids(kid.node) {
            match piece.kind {
                "|" => stderr = false,
                "|&" => stderr = true,
                "ERROR" => {}
                _ => {
                    let Some(Some(right)) = self.nest(piece.span, |l| l.and_or(piece)) else { continue };
                    super::command::pipe(list, stderr, right);
                }
            }
        }
    }

    fn heredoc_body(&mut self, kid: Kid<'t>, at: Span, quoted: bool, tabs: bool, closed: bool) -> Heredoc {
        let mut parts = Vec::new();
        if quoted {
            let text = self.bytes(at);
            parts.push(Part { kind: PartKind::Literal(text.into()), span: at });
        } else {
            self.quoted_pieces(&kids(kid.node), at, Rules::Heredoc, &mut parts);
        }
        if tabs {
            strip_tabs(&mut parts);
        }
        Heredoc { quoted, parts, span: at, closed }
    }
}

/// `<<-`: tabs at the start of each line go. Only a literal can begin a line.
fn strip_tabs(parts: &mut [Part]) {
    let mut line_start = true;
    for part in parts {
        let PartKind::Literal(text) = &mut part.kind else {
            line_start = false;
            continue;
        };
        let keep = |b: &u8| {
            let drop = line_start && *b == b'\t';
            line_start = *b == b'\n' || drop;
            !drop
        };
        *text = text.iter().copied().filter(keep).collect();
    }
}
