//! PSReadLine's history (`ConsoleHost_history.txt`): one command a line; a backtick at the end of a line stands for the
//! newline of a command with several.

use super::{Batch, Columns, Format, Growing, Hint, Reader};
use crate::audit::Entry;
use crate::effect::Language;

pub(super) static FORMAT: Format = Format {
    name: "psreadline",
    about: "PowerShell history (PSReadLine)",
    shell: Some(Language::PowerShell),
    fits: |hint: &Hint<'_>| if hint.name().ends_with("Host_history.txt") { 90 } else { 0 },
    open: |_: &Columns| Box::new(PsReadLine::default()),
    table: None,
};

#[derive(Default)]
struct PsReadLine {
    text: Growing,
    begin: u64,
    open: bool,
}

impl PsReadLine {
    fn flush(&mut self, out: &mut Batch) {
        let text = self.text.take(out);
        if !text.trim_ascii().is_empty() {
            out.entries.push(Entry::new(text, self.begin));
        }
        self.open = false;
    }
}

impl Reader for PsReadLine {
    fn line(&mut self, number: u64, line: &[u8], out: &mut Batch) {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        // Windows PowerShell may begin the file with a byte order mark.
        let line = if number == 1 { line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line) } else { line };
        if !self.open {
            self.begin = number;
        }
        match line.strip_suffix(b"`") {
            Some(body) => {
                self.text.add(body);
                self.text.add(b"\n");
                self.open = true;
            }
            None => {
                self.text.add(line);
                self.flush(out);
            }
        }
    }
    fn end(&mut self, out: &mut Batch) {
        self.flush(out);
    }
}
