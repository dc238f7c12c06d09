//! Charts as plain SVG: findings over time, and by hour and day of the week.

use super::{class, text};
use crate::audit::stats::{Count, Stats};
use crate::audit::time;
use crate::finding::Severity;
use crate::report::records::{SEVERITIES, severity};
use crate::report::{counted, number};
use std::fmt::Write;

/// Most bars of the timeline.
const BARS: i64 = 120;
const HEIGHT: u64 = 120;

/// Commands with findings by day; of long times each bar stands for several days.
pub(super) fn timeline(out: &mut String, stats: &Stats) {
    let (Some(first), Some(last)) = (stats.days.keys().min().copied(), stats.days.keys().max().copied()) else {
        return;
    };
    let days = last.saturating_sub(first).saturating_add(1);
    let step = days.saturating_add(BARS).saturating_sub(1).checked_div(BARS).unwrap_or(1).max(1);
    let mut bars: std::collections::BTreeMap<i64, Count> = std::collections::BTreeMap::new();
    for (day, count) in &stats.days {
        bars.entry(day.saturating_sub(first).checked_div(step).unwrap_or(0)).or_default().join(count);
    }
    let most = bars.values().map(|c| c.commands).max().unwrap_or(1).max(1);
    let width = days.checked_div(step).unwrap_or(0).saturating_add(1).saturating_mul(10);
    let day = |n: i64| time::day(n.saturating_mul(86_400));
    let each = if step == 1 { "a day".to_string() } else { format!("in {step} days") };
    let _ = write!(
        out,
        "<section class=\"card wide\"><h2>Over time</h2>\n<p class=\"axis\"><span>at most {1} {each}</span></p><svg \
         class=\"timeline\" role=\"img\" aria-label=\"{0} with findings from {2} to {3}, at most {1} {each}\" viewBox=\"0 0 \
         {width} {HEIGHT}\" preserveAspectRatio=\"none\">\n",
        counted(bars.values().map(|c| c.commands).sum(), "command"),
        number(most),
        day(first),
        day(last),
    );
    for (at, count) in &bars {
        let begin = first.saturating_add(at.saturating_mul(step));
        let _ = write!(out, "<g><title>{}: {}</title>", day(begin), levels(count));
        // The worst stand on the ground.
        let (mut under, mut top) = (0u64, HEIGHT);
        for severity in SEVERITIES {
            let n = count.levels.get(severity as usize).copied().unwrap_or(0);
            under = under.saturating_add(n);
            let height = under.saturating_mul(HEIGHT).div_ceil(most);
            let next = HEIGHT.saturating_sub(height);
            if n > 0 {
                let _ = write!(
                    out,
                    "<rect class=\"{}\" x=\"{}\" y=\"{next}\" width=\"8\" height=\"{}\"/>",
                    class(severity),
                    at.saturating_mul(10),
                    top.saturating_sub(next)
                );
            }
            top = next;
        }
        out.push_str("</g>\n");
    }
    let middle = first.saturating_add(last.saturating_sub(first) / 2);
    let middle = if days > 2 { day(middle) } else { String::new() };
    let _ = writeln!(
        out,
        "</svg>\n<p class=\"axis\"><span>{}</span><span>{middle}</span><span>{}</span></p></section>",
        day(first),
        if days > 1 { day(last) } else { String::new() }
    );
}

/// How many there are of each severity, in words.
fn levels(count: &Count) -> String {
    let of = |s: &Severity| {
        count.levels.get(*s as usize).filter(|n| **n > 0).map(|n| format!("{} {}", number(*n), severity(*s)))
    };
    SEVERITIES.iter().filter_map(of).collect::<Vec<_>>().join(", ")
}

const DAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

/// Commands with findings by hour of the day and day of the week.
pub(super) fn hours(out: &mut String, stats: &Stats) {
    let most = stats.hours.iter().flatten().max().copied().unwrap_or(0);
    if most == 0 {
        return;
    }
    out.push_str(
        "<section class=\"card wide\"><h2>By hour and day (UTC)</h2>\n<div class=\"scroll\"><table class=\"heat\"><thead>\
         <tr><td></td>",
    );
    for hour in 0..24 {
        let _ = write!(out, "<th scope=\"col\">{hour}</th>");
    }
    out.push_str("</tr></thead><tbody>\n");
    for (name, hours) in DAYS.iter().zip(&stats.hours) {
        let _ = write!(out, "<tr><th scope=\"row\">{}</th>", text(name));
        for (hour, n) in hours.iter().enumerate() {
            // Ten shades: the style sheet has a class for each.
            let shade = n.saturating_mul(9).div_ceil(most);
            let _ = write!(
                out,
                "<td class=\"heat{shade}\" title=\"{name} {hour}:00: {0}\"><span>{0}</span></td>",
                number(*n)
            );
        }
        out.push_str("</tr>\n");
    }
    let _ = write!(
        out,
        "</tbody></table></div>\n<p class=\"axis\"><span>lightest: none</span><span>darkest: {}</span></p></section>\n",
        number(most)
    );
}
