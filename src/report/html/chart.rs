//! Charts as plain SVG: findings over time, and by hour and day of the week.

use super::{class, number, text};
use crate::audit::stats::{Count, Stats};
use crate::audit::time;
use crate::finding::Severity;
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
        let bar = bars.entry(day.saturating_sub(first).checked_div(step).unwrap_or(0)).or_default();
        bar.commands = bar.commands.saturating_add(count.commands);
        bar.worst = bar.worst.max(count.worst);
    }
    let most = bars.values().map(|c| c.commands).max().unwrap_or(1).max(1);
    let width = days.checked_div(step).unwrap_or(0).saturating_add(1).saturating_mul(10);
    let day = |n: i64| time::day(n.saturating_mul(86_400));
    let _ = write!(
        out,
        "<section class=\"card wide\"><h2>Over time</h2>\n<svg class=\"timeline\" role=\"img\" aria-label=\"{} commands \
         with findings from {} to {}, at most {} in {} days\" viewBox=\"0 0 {width} {}\" \
         preserveAspectRatio=\"none\">\n",
        number(bars.values().map(|c| c.commands).sum()),
        day(first),
        day(last),
        number(most),
        step,
        HEIGHT
    );
    for (at, count) in &bars {
        let begin = first.saturating_add(at.saturating_mul(step));
        let height = count.commands.saturating_mul(HEIGHT).div_ceil(most);
        let _ = writeln!(
            out,
            "<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"8\" height=\"{height}\"><title>{}: {}</title></rect>",
            class(count.worst.unwrap_or(Severity::Info)),
            at.saturating_mul(10),
            HEIGHT.saturating_sub(height),
            day(begin),
            number(count.commands)
        );
    }
    let _ =
        writeln!(out, "</svg>\n<p class=\"axis\"><span>{}</span><span>{}</span></p></section>", day(first), day(last));
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
        for n in hours {
            // Ten shades: the style sheet has a class for each.
            let shade = n.saturating_mul(9).div_ceil(most);
            let _ = write!(out, "<td class=\"heat{shade}\" title=\"{0}\"><span>{0}</span></td>", number(*n));
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody></table></div></section>\n");
}
