//! Permission modes as chmod writes them: POSIX XCU chmod, "octal" and "symbolic".

use crate::effect::Props;

/// What a mode gives: set-id, execution, writing by all. A mode that only takes away gives nothing.
pub(crate) fn props(mode: &str) -> Props {
    let add = |yes: bool, p: Props| if yes { p } else { Props::default() };
    if let Ok(bits) = u32::from_str_radix(mode.trim_start_matches(['=', '+']), 8) {
        return add(bits & 0o4000 != 0, Props::SETUID)
            .with(add(bits & 0o6000 == 0o2000, Props::SETGID))
            .with(add(bits & 0o111 != 0, Props::EXECUTABLE))
            .with(add(bits & 0o002 != 0, Props::WORLD_WRITABLE));
    }
    mode.split(',').map(clause).fold(Props::default(), Props::with)
}

/// One clause: `u+s`, `a=rwx`, `+x`, `g-w+x`.
fn clause(text: &str) -> Props {
    let at = text.find(['+', '-', '=']).unwrap_or(text.len());
    let (who, actions) = text.split_at(at);
    let others = who.is_empty() || who.contains(['o', 'a']);
    // `+w` without letters before it is cut by the umask, which leaves others without.
    let writes_all = who.contains(['o', 'a']);
    let mut all = Props::default();
    let mut gives = false;
    for c in actions.chars() {
        match c {
            '+' | '=' => gives = true,
            '-' => gives = false,
            's' if gives && (who.is_empty() || who.contains(['u', 'a'])) => all = all.with(Props::SETUID),
            's' if gives && who.contains('g') => all = all.with(Props::SETGID),
            'x' if gives => all = all.with(Props::EXECUTABLE),
            'w' if gives && others && writes_all => all = all.with(Props::WORLD_WRITABLE),
            _ => {}
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::props;

    #[test]
    fn modes_give_what_chmod_gives() {
        for (mode, names) in [
            ("777", &["executable", "world-writable"][..]),
            ("0644", &[]),
            ("4755", &["executable", "setuid"]),
            ("+x", &["executable"]),
            ("-x", &[]),
            ("u+s", &["setuid"]),
            ("g+s", &["setgid"]),
            ("2775", &["executable", "setgid"]),
            ("a+rwx", &["executable", "world-writable"]),
            ("go-w", &[]),
            ("o=rw,u+x", &["executable", "world-writable"]),
            ("+w", &[]),
        ] {
            assert_eq!(props(mode).names().collect::<Vec<_>>(), names, "{mode}");
        }
    }
}
