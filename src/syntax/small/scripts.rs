//! The scripts of a `package.json` (docs.npmjs.com, scripts): commands under names, with those that run before and after.

use super::call;
use crate::source::Span;
use crate::syntax::script::{Expr, Kind, Stmt, StmtKind};

/// Most scripts that are looked at.
const MAX_SCRIPTS: usize = 256;

/// A script is `script(command)`, for where its name is among the program's arguments. `prex` and `postx` go with `x`.
pub(super) fn read(whole: &[u8]) -> Vec<Stmt> {
    let Ok(serde_json::Value::Object(file)) = serde_json::from_slice(whole) else { return Vec::new() };
    let Some(serde_json::Value::Object(scripts)) = file.get("scripts") else { return Vec::new() };
    let mut out = Vec::new();
    for (name, command) in scripts.iter().take(MAX_SCRIPTS) {
        let Some(command) = command.as_str() else { continue };
        // The command stands in the file as it is, or escaped.
        let at = memchr::memmem::find(whole, command.as_bytes()).unwrap_or(0);
        let end = if at == 0 { whole.len() } else { at.saturating_add(command.len()) };
        let span = Span::new(at, end);
        let test = |wanted: &str| {
            let all = Expr::new(Kind::Name("$@".into()), span);
            Expr::new(Kind::Operator("in".into(), vec![Expr::text(wanted.as_bytes(), span), all]), span)
        };
        let mut asked = test(name);
        for around in ["pre", "post"] {
            if let Some(of) = name.strip_prefix(around) {
                asked = Expr::new(Kind::Operator("or".into(), vec![asked, test(of)]), span);
            }
        }
        let body = vec![call("script", vec![Expr::text(command.as_bytes(), span)], span)];
        out.push(Stmt { kind: StmtKind::If(vec![(asked, body)], Vec::new()), span });
    }
    out
}
