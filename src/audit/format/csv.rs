//! Tables with a header (RFC 4180; tabs in place of commas for TSV). `--column NAME` names the column with the command;
//! without it the usual names are tried. A quoted field may have newlines in it.

use super::fields::{self, Field};
use super::{Batch, Columns, Format, Growing, Hint, Reader};
use crate::audit::Entry;

pub(super) static CSV: Format = Format {
    name: "csv",
    about: "Table with commas and a header (--column)",
    shell: None,
    fits: |hint: &Hint<'_>| fits(hint, b','),
    open: |columns: &Columns| Box::new(Table::new(columns, b',')),
    table: None,
};

pub(super) static TSV: Format = Format {
    name: "tsv",
    about: "Table with tabs and a header (--column)",
    shell: None,
    fits: |hint: &Hint<'_>| fits(hint, b'\t'),
    open: |columns: &Columns| Box::new(Table::new(columns, b'\t')),
    table: None,
};

fn fits(hint: &Hint<'_>, comma: u8) -> u8 {
    let ending = hint.name().rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    match (ending.as_str(), comma) {
        ("csv", b',') | ("tsv" | "tab", b'\t') => 90,
        ("csv", b'\t') => 80 * u8::from(hint.lines().next().is_some_and(|l| l.contains(&b'\t') && !l.contains(&b','))),
        _ => 0,
    }
}

struct Table {
    column: Option<String>,
    comma: u8,
    /// What each column is, once the header was read.
    header: Option<Vec<Option<Field>>>,
    row: Growing,
    begin: u64,
    open: bool,
}

impl Table {
    fn new(columns: &Columns, comma: u8) -> Self {
        Table { column: columns.command.clone(), comma, header: None, row: Growing::default(), begin: 0, open: false }
    }

    fn flush(&mut self, out: &mut Batch) {
        let row = self.row.take(out);
        self.open = false;
        if row.trim_ascii().is_empty() {
            return;
        }
        let cells = cells(&row, self.comma);
        let Some(header) = &self.header else {
            self.header = Some(header(&cells, self.column.as_deref()));
            return;
        };
        let mut entry = Entry::new(Vec::new(), self.begin);
        for (field, cell) in header.iter().zip(&cells) {
            match field {
                Some(Field::Command) => entry.command.clone_from(cell),
                Some(field) => fields::set(&mut entry, *field, &String::from_utf8_lossy(cell)),
                None => {}
            }
        }
        if entry.command.trim_ascii().is_empty() {
            out.undecodable = out.undecodable.saturating_add(1);
        } else {
            out.entries.push(entry);
        }
    }
}

/// What the columns are. Where no name says which has the command, a table of one column is a list of commands.
fn header(cells: &[Vec<u8>], column: Option<&str>) -> Vec<Option<Field>> {
    let names: Vec<String> =
        cells.iter().map(|c| String::from_utf8_lossy(c).trim_start_matches('\u{FEFF}').trim().to_string()).collect();
    let mut out = vec![None; names.len()];
    for (field, usual) in fields::NAMES {
        let place = match (field, column) {
            (Field::Command, Some(column)) => names.iter().position(|n| n == column),
            _ => usual.iter().find_map(|u| names.iter().position(|n| n.eq_ignore_ascii_case(u))),
        };
        if let Some(slot) = place.and_then(|p| out.get_mut(p)) {
            *slot = Some(*field);
        }
    }
    out
}

/// The cells of a row.
fn cells(row: &[u8], comma: u8) -> Vec<Vec<u8>> {
    let mut out = Vec::new();
    let mut cell = Vec::new();
    let mut quoted = false;
    let mut bytes = row.iter().copied().peekable();
    while let Some(b) = bytes.next() {
        match b {
            b'"' if quoted && bytes.peek() == Some(&b'"') => {
                cell.push(b'"');
                bytes.next();
            }
            b'"' if quoted => quoted = false,
            b'"' if cell.is_empty() => quoted = true,
            b if b == comma && !quoted => out.push(std::mem::take(&mut cell)),
            b => cell.push(b),
        }
    }
    out.push(cell);
    out
}

/// Whether a row that was inside a quoted field or not is, after this line, inside one.
fn inside(line: &[u8], comma: u8, open: bool) -> bool {
    let mut quoted = open;
    let mut before = comma;
    for b in line {
        match b {
            b'"' if quoted => quoted = false,
            // A quote opens a field at its beginning; `""` inside closes it and opens it again.
            b'"' if before == comma || before == b'"' => quoted = true,
            _ => {}
        }
        before = *b;
    }
    quoted
}

impl Reader for Table {
    fn line(&mut self, number: u64, line: &[u8], out: &mut Batch) {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if self.open {
            self.row.add(b"\n");
        } else {
            self.begin = number;
        }
        self.open = inside(line, self.comma, self.open);
        self.row.add(line);
        if !self.open {
            self.flush(out);
        }
    }
    fn end(&mut self, out: &mut Batch) {
        self.flush(out);
    }
}
