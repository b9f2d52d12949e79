//! What changed from one state of an app to another.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;

use qa_core::{Fingerprint, PageSnapshot, Status};
use serde_json::{Value, json};

use super::json::defect as defect_json;
use super::{Defect, Merge};
use crate::report::phrase;
use crate::report::text::{neutral, short};
use crate::{Language, Session};

/// The version of a diff as JSON.
pub const DIFF_SCHEMA: u32 = 1;
/// Characters of a line that the app wrote.
const LINE: usize = 160;

/// What changed from one state of an app, as some sessions saw it, to another.
#[derive(Debug)]
pub struct Diff<'a> {
    before: &'a Merge,
    after: &'a Merge,
    /// Crashes, by signature.
    pub crashes: Changes<'a>,
    /// Findings, by signature.
    pub findings: Changes<'a>,
    /// Pages that were not seen before, by fingerprint.
    pub gained: BTreeMap<&'a Fingerprint, &'a PageSnapshot>,
    /// Pages that are not seen any more, by fingerprint.
    pub lost: BTreeMap<&'a Fingerprint, &'a PageSnapshot>,
    /// How many pages were seen both times.
    pub kept: usize,
}

/// Crashes or findings of two states, by kind and signature.
#[derive(Debug)]
pub struct Changes<'a> {
    /// Only seen afterwards.
    pub new: Vec<Defect<'a>>,
    /// Only seen before.
    pub fixed: Vec<Gone<'a>>,
    /// Seen both times, as it was seen afterwards.
    pub known: Vec<Defect<'a>>,
}

/// A defect that was not seen again.
#[derive(Debug)]
pub struct Gone<'a> {
    /// As it was seen before.
    pub defect: Defect<'a>,
    /// Whether a page on which it had happened was seen again. If not, nothing says that it is
    /// gone.
    pub page_seen: bool,
}

impl<'a> Diff<'a> {
    /// Compares two states.
    #[must_use]
    pub fn of(before: &'a Merge, after: &'a Merge) -> Self {
        let (old, new) = (before.pages(), after.pages());
        let only = |these: &BTreeMap<&'a Fingerprint, &'a PageSnapshot>,
                    those: &BTreeMap<&'a Fingerprint, &'a PageSnapshot>| {
            let only = these.iter().filter(|(hash, _)| !those.contains_key(*hash));
            only.map(|(hash, page)| (*hash, *page)).collect()
        };
        let gained: BTreeMap<_, _> = only(&new, &old);
        Self {
            crashes: changes(before.crashes(), after.crashes(), &new),
            findings: changes(before.findings(), after.findings(), &new),
            kept: new.len() - gained.len(),
            lost: only(&old, &new),
            gained,
            before,
            after,
        }
    }

    /// 1 for a new crash; 2 without one when the sessions afterwards prove nothing, so that it
    /// might only not have been seen; else 0.
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        match self.after.status() {
            _ if !self.crashes.new.is_empty() => 1,
            Status::Aborted | Status::Running => 2,
            Status::Passed | Status::Failed => 0,
        }
    }

    /// For programs.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let side = |merge: &Merge| {
            let sessions: Vec<_> = merge.sessions().map(|session| &session.meta.id).collect();
            json!({"status": merge.status(), "sessions": sessions})
        };
        let defects =
            |defects: &[Defect<'_>]| -> Vec<Value> { defects.iter().map(defect_json).collect() };
        let changes = |changes: &Changes<'_>| {
            let fixed = changes.fixed.iter().map(|gone| {
                let mut value = defect_json(&gone.defect);
                value["page_seen"] = gone.page_seen.into();
                value
            });
            json!({
                "new": defects(&changes.new),
                "fixed": fixed.collect::<Vec<_>>(),
                "known": defects(&changes.known),
            })
        };
        let pages = |pages: &BTreeMap<&Fingerprint, &PageSnapshot>| -> Vec<Value> {
            let pages = pages.iter();
            pages
                .map(|(hash, page)| json!({"page": hash, "summary": page.summary}))
                .collect()
        };
        json!({
            "schema": DIFF_SCHEMA,
            "exit_code": self.exit_code(),
            "before": side(self.before),
            "after": side(self.after),
            "crashes": changes(&self.crashes),
            "findings": changes(&self.findings),
            "pages": {
                "gained": pages(&self.gained),
                "lost": pages(&self.lost),
                "kept": self.kept,
            },
        })
    }

    /// For people, in the language of the sessions afterwards.
    #[must_use]
    pub fn to_text(&self) -> String {
        let language = self.after.language();
        let mut out = String::new();
        let titles = [
            (&self.crashes, language.pick("crashes", "崩溃")),
            (&self.findings, language.pick("findings", "发现")),
        ];
        for (changes, what) in titles {
            section(&mut out, language, what, changes);
        }
        let (gained, lost, kept) = (self.gained.len(), self.lost.len(), self.kept);
        let _ = writeln!(
            out,
            "{}",
            language.pick(
                format!("pages: {gained} gained, {lost} lost, {kept} kept"),
                format!("页面：新增 {gained}，消失 {lost}，保留 {kept}"),
            )
        );
        for (sign, pages) in [('+', &self.gained), ('-', &self.lost)] {
            for (hash, page) in pages {
                let summary = page.summary.as_deref().unwrap_or("");
                let _ = writeln!(out, "  {sign} {} {}", hash.0, line(summary));
            }
        }
        let unproven: Vec<&Session> = self
            .after
            .sessions()
            .filter(|session| matches!(session.outcome().status, Status::Aborted | Status::Running))
            .collect();
        for session in unproven {
            let (_, word) = phrase::status_in(language, session);
            let _ = writeln!(out, "! {}: {word}", session.meta.id);
        }
        out.truncate(out.trim_end().len());
        out
    }
}

fn changes<'a>(
    before: Vec<Defect<'a>>,
    after: Vec<Defect<'a>>,
    pages: &BTreeMap<&'a Fingerprint, &'a PageSnapshot>,
) -> Changes<'a> {
    let old: HashSet<_> = before.iter().map(Defect::key).collect();
    let now: HashSet<_> = after.iter().map(Defect::key).collect();
    let gone = before
        .into_iter()
        .filter(|defect| !now.contains(&defect.key()));
    let fixed = gone.map(|defect| {
        let mut places = defect.sightings.iter().filter_map(|sighting| sighting.page);
        Gone {
            page_seen: places.any(|page| pages.contains_key(page)),
            defect,
        }
    });
    let (known, new) = after
        .into_iter()
        .partition(|defect| old.contains(&defect.key()));
    Changes {
        new,
        fixed: fixed.collect(),
        known,
    }
}

fn section(out: &mut String, language: Language, what: &str, changes: &Changes<'_>) {
    let (new, fixed, known) = (changes.new.len(), changes.fixed.len(), changes.known.len());
    let head = language.pick(
        format!("{what}: {new} new, {fixed} fixed, {known} known"),
        format!("{what}：新增 {new}，已修复 {fixed}，已知 {known}"),
    );
    let _ = writeln!(out, "{head}");
    for defect in &changes.new {
        let _ = writeln!(out, "  + {}", defect_line(defect));
        if let Some(sighting) = defect.sightings.first() {
            let (session, id, step) = (sighting.session, sighting.id, sighting.step);
            let _ = writeln!(
                out,
                "    {}",
                language.pick(
                    format!("{session} {id}, after step {step}"),
                    format!("{session} {id}，第 {step} 步之后"),
                )
            );
        }
    }
    for gone in &changes.fixed {
        let unseen = language.pick(
            " (not proven: its page was not seen again)",
            "（未证实：未再到达其所在页面）",
        );
        let unseen = if gone.page_seen { "" } else { unseen };
        let _ = writeln!(out, "  - {}{unseen}", defect_line(&gone.defect));
    }
    for defect in &changes.known {
        let _ = writeln!(out, "  = {}", defect_line(defect));
    }
}

fn defect_line(defect: &Defect<'_>) -> String {
    let place = defect.place.filter(|place| !place.contains("[REDACTED"));
    let place = place.map_or(String::new(), |place| format!(" @ {}", line(place)));
    format!("{} {}{place}", defect.kind, line(defect.label))
}

fn line(text: &str) -> String {
    short(&neutral(text).replace(['\n', '\t'], " "), LINE)
}
