//! The figures at the top, and how the run was set up.

use qa_core::{CrashKind, Outcome, Status};
use serde::Serialize;

use super::super::phrase;
use super::super::text::short;
use super::limit::TEXT;
use super::word::Words;
use crate::Session;

/// How many different defects: what was met several times is one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Counts {
    pub(super) crashes: usize,
    pub(super) findings: usize,
}

/// A figure at the top.
pub(super) struct Tile {
    pub(super) name: &'static str,
    pub(super) value: String,
    pub(super) detail: String,
    pub(super) class: &'static str,
    pub(super) link: &'static str,
}

pub(super) fn status_class(session: &Session) -> &'static str {
    match session.meta.status {
        Status::Passed => "passed",
        Status::Failed => "failed",
        _ => "open",
    }
}

pub(super) fn tiles(
    session: &Session,
    outcome: &Outcome,
    counts: Counts,
    words: &Words,
) -> Vec<Tile> {
    let Counts { crashes, findings } = counts;
    let times = outcome.crashes.iter().map(|crash| crash.count).sum::<u64>();
    let left = outcome.unexplored.len();
    let tile = |name, link, value: String, detail: String, class| Tile {
        name,
        value,
        detail,
        class,
        link,
    };
    vec![
        tile(
            words.crashes,
            "#crashes",
            crashes.to_string(),
            match crashes {
                0 => words.none_seen.into(),
                _ => words.seen_times(times),
            },
            if crashes == 0 { "good" } else { "bad" },
        ),
        tile(
            words.findings,
            "#findings",
            findings.to_string(),
            words.kinds(outcome.findings.len()),
            if findings == 0 { "good" } else { "warn" },
        ),
        tile(
            words.pages,
            "#map",
            outcome.pages.to_string(),
            words.ways_between(outcome.edges),
            "",
        ),
        tile(
            words.not_explored,
            "#left",
            match session.is_finished() {
                true => left.to_string(),
                false => "?".into(),
            },
            words.unseen_pages.into(),
            if left == 0 { "" } else { "warn" },
        ),
        tile(
            words.steps,
            "#steps",
            outcome.steps.to_string(),
            words.of_at_most(outcome.max_steps),
            "",
        ),
        tile(
            words.duration,
            "#setup",
            words.span(outcome.duration_ms),
            words.in_the_app(outcome.app_ms),
            "",
        ),
    ]
}

/// A time stamp as people read it: without its letter and without fractions of a second.
pub(super) fn day_and_time(stamp: &str) -> String {
    let (Some(start), Some(rest)) = (stamp.get(..19), stamp.get(19..)) else {
        return stamp.to_owned();
    };
    let fraction = |c: char| c == '.' || c.is_ascii_digit();
    let offset = match rest.trim_start_matches(fraction) {
        "+00:00" | "Z" => "UTC",
        other => other,
    };
    format!("{} {offset}", start.replacen('T', " ", 1))
}

/// A name and a value of the set-up.
pub(super) type Fact = (&'static str, String);

pub(super) fn facts(session: &Session, outcome: &Outcome, words: &Words) -> Vec<Fact> {
    let (meta, setup) = (&session.meta, &session.meta.extra);
    let (config, driver) = (&setup.config, &setup.driver);
    let list = |items: Vec<String>| match items.is_empty() {
        true => words.none.to_owned(),
        false => short(&items.join(", "), TEXT),
    };
    let kinds = |kinds: &[CrashKind]| list(kinds.iter().map(ToString::to_string).collect());
    let ended = meta.ended_at.clone();
    let viewport = setup
        .viewport
        .map(|(width, height)| (words.viewport, format!("{width} × {height}")));
    let mut facts = vec![
        (words.session, meta.id.clone()),
        (words.started, meta.started_at.clone()),
        (words.ended, ended.unwrap_or(words.not_stored.into())),
        (words.app, short(&driver.target, TEXT)),
        (words.device, short(&driver.device, TEXT)),
        (
            words.platform,
            words.contract(&code(&driver.platform), driver.contract),
        ),
    ];
    facts.extend(viewport);
    facts.extend([
        (
            words.clock,
            phrase::clock(words.language, driver.clock).to_owned(),
        ),
        (words.boundary, list(config.boundary.clone())),
        (words.seed, config.seed.to_string()),
        (
            words.limits,
            words.limit(config.max_steps, config.duration_ms),
        ),
        (words.navigation, code(&config.navigation)),
        (words.identity, code(&config.page_identity)),
        (words.inputs, config.inputs.clone()),
        (words.blocked_words, list(config.blocklist.clone())),
        (words.fail_on, kinds(&config.fail_on)),
        (words.tolerated, kinds(&config.tolerate)),
        (words.actions, outcome.actions.to_string()),
        (words.version, format!("qa {}", setup.version)),
    ]);
    let remarks = driver.remarks.iter();
    facts.extend(remarks.map(|remark| (words.remark, short(remark, TEXT))));
    facts
}

/// The word that a closed set uses in files.
fn code(value: &impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::day_and_time;

    #[test]
    fn a_time_stamp_is_for_people() {
        let check = |stamp, text: &str| assert_eq!(day_and_time(stamp), text);
        check(
            "2026-11-30T13:05:25.043+01:00",
            "2026-11-30 13:05:25 +01:00",
        );
        check("2026-11-30T13:05:25.043+00:00", "2026-11-30 13:05:25 UTC");
        check("not a time", "not a time");
    }
}
