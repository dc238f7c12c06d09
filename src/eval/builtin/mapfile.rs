//! `mapfile` and `readarray`: lines into an array (bash manual, 4.2).
//!
//! In: the invocation, and what its descriptor holds. Out: the array, and its callback as something that may run.

use super::super::Interp;
use super::super::scope::Content;
use crate::command::Invocation;
use crate::effect::ProcessId;
use crate::source::Place;
use crate::value::{Taint, Value};

impl Interp<'_> {
    /// `mapfile`
    pub(super) fn mapfile(&mut self, inv: &Invocation, at: Place, by: ProcessId) {
        let number = |o: &str| inv.value_of(o).and_then(|v| v.as_str()?.parse::<i64>().ok());
        let fd = number("-u").and_then(|n| u32::try_from(n).ok()).unwrap_or(0);
        let delimiter = match inv.value_of("-d") {
            None => b'\n',
            Some(v) => v.as_literal().and_then(|b| b.first().copied()).unwrap_or(0),
        };
        let mut skip = number("-s").unwrap_or(0);
        let most = number("-n").filter(|n| *n > 0).unwrap_or(i64::MAX);
        let first = number("-O").unwrap_or(0);
        let target = inv.operands.first().and_then(|v| v.as_str().map(|s| s.into_owned()));
        let target = self.sh.target(&target.unwrap_or_else(|| "MAPFILE".into())).into_owned();
        // With a first index what is there already stays.
        let mut map = match self.sh.var(&target).map(|v| v.content.clone()) {
            Some(Content::Indexed(m)) if inv.has("-O") => m,
            _ => std::collections::BTreeMap::new(),
        };
        let strip = inv.has("-t");
        let mut n = 0i64;
        let mut unknown = None;
        while n < most {
            let (line, end) = match self.read_line(fd, delimiter) {
                Ok(Some(mut l)) => {
                    if !strip {
                        l.push(Value::computed(&[delimiter], at, Taint::default()));
                    }
                    (l, false)
                }
                Ok(None) => break,
                Err(l) if l.is_known() => {
                    if l.pieces.is_empty() {
                        break;
                    }
                    (l, true)
                }
                Err(l) => {
                    unknown = Some(l);
                    break;
                }
            };
            if skip > 0 {
                skip = skip.saturating_sub(1);
            } else {
                let mut line = line;
                super::super::expand::drop_nul(&mut line);
                map.insert(first.saturating_add(n), line);
                n = n.saturating_add(1);
            }
            if end || n > 10_000 {
                break;
            }
        }
        match unknown {
            Some(l) => {
                let v = super::super::read::several(&l);
                self.sh.set(&target, Content::Scalar(v));
            }
            None => self.fill(&target, map, at),
        }
        if let Some(callback) = inv.value_of("-C").cloned() {
            self.deferred(callback, self.language, by, at);
        }
        self.sh.status = Some(0);
    }
}
