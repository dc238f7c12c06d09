//! Points in time: seconds since 1970 in UTC, from and to text. No time zones: what has none is taken as UTC.

/// Reads a point in time: seconds, milliseconds, microseconds or nanoseconds since 1970, or ISO 8601
/// (`2026-11-30`, `2026-11-30T23:59:59.123Z`, with a blank in place of the T, with an offset).
pub fn parse(text: &str) -> Option<i64> {
    let text = text.trim();
    if let Ok(number) = text.parse::<f64>() {
        return number.is_finite().then(|| scaled(number));
    }
    let (date, rest) = text.split_at_checked(10)?;
    let mut parts = date.split('-');
    let mut part = || parts.next()?.parse::<i64>().ok();
    let (year, month, day) = (part()?, part()?, part()?);
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) || !(1..=9999).contains(&year) {
        return None;
    }
    let midnight = days(year, month, day).saturating_mul(86_400);
    let Some(rest) = rest.strip_prefix(['T', 't', ' ']) else {
        return rest.is_empty().then_some(midnight);
    };
    let end = rest.find(|c: char| !c.is_ascii_digit() && c != ':' && c != '.' && c != ',').unwrap_or(rest.len());
    let (clock, zone) = rest.split_at_checked(end)?;
    let mut parts = clock.split([':', '.', ',']);
    let mut part = || parts.next().unwrap_or("0").parse::<i64>().ok();
    let (hour, minute, second) = (part()?, part()?, part()?);
    if hour > 24 || minute > 59 || second > 60 {
        return None;
    }
    let clock = hour.saturating_mul(3_600).saturating_add(minute.saturating_mul(60)).saturating_add(second);
    Some(midnight.saturating_add(clock).saturating_sub(offset(zone.trim())?))
}

/// Seconds east of UTC.
fn offset(zone: &str) -> Option<i64> {
    let sign = match zone.chars().next() {
        None | Some('Z' | 'z') => return Some(0),
        Some('+') => 1,
        Some('-') => -1,
        Some(_) => return (zone == "UTC").then_some(0),
    };
    let digits: String = zone.chars().filter(char::is_ascii_digit).collect();
    let hours: i64 = digits.get(..2)?.parse().ok()?;
    let minutes: i64 = digits.get(2..4).unwrap_or("0").parse().ok()?;
    Some(hours.saturating_mul(3_600).saturating_add(minutes.saturating_mul(60)).saturating_mul(sign))
}

/// Numbers over 10^11 are no seconds of this age but milliseconds, and so on by thousands.
fn scaled(mut number: f64) -> i64 {
    while number.abs() >= 1e11 {
        number /= 1e3;
    }
    number as i64
}

/// A limit in time as people give it: a point ([`parse`]), or how long before `now` (`90m`, `24h`, `7d`, `2w`).
pub fn limit(text: &str, now: i64) -> Option<i64> {
    let unit = match text.chars().last()? {
        'm' => 60,
        'h' => 3_600,
        'd' => 86_400,
        'w' => 7 * 86_400,
        _ => return parse(text),
    };
    let number: i64 = text.get(..text.len().checked_sub(1)?)?.parse().ok()?;
    Some(now.saturating_sub(number.saturating_mul(unit)))
}

/// Days from 1970-01-01 to a date of the Gregorian calendar: whole years of 365.2425 days that begin in March, so that
/// the leap day is the last of its year.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year.saturating_sub(1) } else { year };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let month = if month > 2 { month.saturating_sub(3) } else { month.saturating_add(9) };
    let of_year = month.saturating_mul(153).saturating_add(2).div_euclid(5).saturating_add(day).saturating_sub(1);
    let leap = of_era.div_euclid(4).saturating_sub(of_era.div_euclid(100));
    let of_era = of_era.saturating_mul(365).saturating_add(leap).saturating_add(of_year);
    era.saturating_mul(146_097).saturating_add(of_era).saturating_sub(719_468)
}

/// Year, month and day.
pub fn date(at: i64) -> (i64, i64, i64) {
    let z = at.div_euclid(86_400).saturating_add(719_468);
    let (era, doe) = (z.div_euclid(146_097), z.rem_euclid(146_097));
    let leaps = doe.div_euclid(1_460).saturating_sub(doe.div_euclid(36_524)).saturating_add(doe.div_euclid(146_096));
    let yoe = doe.saturating_sub(leaps).div_euclid(365);
    let before = yoe.saturating_mul(365).saturating_add(yoe.div_euclid(4)).saturating_sub(yoe.div_euclid(100));
    let doy = doe.saturating_sub(before);
    let mp = doy.saturating_mul(5).saturating_add(2).div_euclid(153);
    let day = doy.saturating_sub(mp.saturating_mul(153).saturating_add(2).div_euclid(5)).saturating_add(1);
    let month = if mp < 10 { mp.saturating_add(3) } else { mp.saturating_sub(9) };
    let year = yoe.saturating_add(era.saturating_mul(400)).saturating_add(i64::from(month <= 2));
    (year, month, day)
}

/// `2026-11-30`.
pub fn day(at: i64) -> String {
    let (year, month, day) = date(at);
    format!("{year:04}-{month:02}-{day:02}")
}

/// `2026-11-30T23:59:59Z`.
pub fn show(at: i64) -> String {
    let clock = at.rem_euclid(86_400);
    let (hour, minute) = (clock.div_euclid(3_600), clock.div_euclid(60).rem_euclid(60));
    format!("{}T{hour:02}:{minute:02}:{:02}Z", day(at), clock.rem_euclid(60))
}

/// Now.
pub fn now() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |d| i64::try_from(d.as_secs()).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_logs_write() {
        let at = 1_700_000_000;
        for text in [
            "1700000000",
            "1700000000.5",
            "1700000000123",
            "1700000000123456",
            "2023-11-14T22:13:20Z",
            "2023-11-14 22:13:20",
            "2023-11-14T22:13:20.123456Z",
            "2023-11-15T00:13:20+02:00",
            "2023-11-14T17:43:20.1-0430",
        ] {
            assert_eq!(parse(text), Some(at), "{text}");
        }
        for bad in ["", "yesterday", "2023-13-01", "2023-11-14T25:00:00Z", "2023-11-14x", "NaN", "inf"] {
            assert_eq!(parse(bad), None, "{bad}");
        }
        assert_eq!(limit("2h", 10_000), Some(2_800));
        assert_eq!(limit("1970-01-02", 0), Some(86_400));
    }

    #[test]
    fn writes_what_it_reads() {
        assert_eq!(show(1_700_000_000), "2023-11-14T22:13:20Z");
        assert_eq!(show(-1), "1969-12-31T23:59:59Z");
        for day_number in (-200_000..200_000).step_by(37) {
            let at = day_number * 86_400;
            assert_eq!(parse(&day(at)).map(|t| t.div_euclid(86_400)), Some(day_number), "{}", day(at));
        }
    }
}
