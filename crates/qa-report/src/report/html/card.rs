//! Crashes and findings: what happened, how to see it again, and the evidence.

use std::fmt::Write as _;

use super::super::group::{Group, Occurrence};
use super::super::picture::Size;
use super::super::text::short;
use super::limit::{EVIDENCE, LARGE, LINE, LINKS, PATH, STRIP, TEXT};
use super::view::{Shot, View, anchor, is_crash};

/// A crash or finding.
pub(super) struct Card<'a> {
    pub(super) anchor: String,
    pub(super) id: &'a str,
    pub(super) kind: &'static str,
    /// What the kind is, in words.
    pub(super) kind_name: Option<&'static str>,
    pub(super) label: String,
    pub(super) signature: String,
    pub(super) place: Option<String>,
    pub(super) count: u64,
    pub(super) first_step: Link,
    pub(super) records: Vec<Record<'a>>,
    pub(super) more_records: usize,
    /// Anchors of the other records, so that each can be linked to.
    pub(super) more_anchors: Vec<String>,
    pub(super) path_steps: usize,
    /// Steps before those of `strip`.
    pub(super) earlier: usize,
    pub(super) strip: Vec<Frame>,
    /// The path as people paste it into a ticket.
    pub(super) path_text: String,
    pub(super) last: Option<Shot>,
    pub(super) after: Option<Shot>,
    pub(super) evidence: &'a str,
    pub(super) evidence_cut: bool,
    pub(super) evidence_file: &'a str,
}

/// A step that is named; it is linked if it is in the list of steps.
#[derive(Debug, Clone, Copy)]
pub(super) struct Link {
    pub(super) index: u32,
    pub(super) listed: bool,
}

/// One record of a group.
pub(super) struct Record<'a> {
    pub(super) id: &'a str,
    /// None of the first, whose anchor is that of the card.
    pub(super) anchor: Option<String>,
    pub(super) step: Link,
    pub(super) count: u64,
}

/// A step as part of a path.
pub(super) struct Frame {
    pub(super) step: Link,
    pub(super) action: String,
    pub(super) shot: Option<Shot>,
}

/// The cards of groups; `evidence_chars` is what is left for evidence.
pub(super) fn cards<'a>(
    view: &View<'a>,
    groups: &[Group<'a>],
    evidence_chars: &mut usize,
) -> Vec<Card<'a>> {
    let numbered = groups.iter().enumerate();
    numbered
        .map(|(at, group)| card(view, group, at < LARGE, evidence_chars))
        .collect()
}

fn card<'a>(
    view: &View<'a>,
    group: &Group<'a>,
    large: bool,
    evidence_chars: &mut usize,
) -> Card<'a> {
    let id = group.records.first().map_or("", |record| record.id);
    let path = group.repro_path;
    let pictured = is_crash(id);
    let earlier = path.len().saturating_sub(STRIP);
    let frame = |index: &u32| Frame {
        step: link(view, *index),
        action: view.action(*index),
        shot: view
            .step(*index)
            // A start has nothing before it.
            .and_then(|step| {
                let before = view.before(step, Size::Small);
                before.or_else(|| view.after(step, Size::Small))
            }),
    };
    let size = if large { Size::Large } else { Size::Small };
    let blamed = path.last().and_then(|index| view.step(*index));
    let blamed = blamed.filter(|_| pictured);
    let most = EVIDENCE.min(*evidence_chars);
    let cut = group.stack.char_indices().nth(most).map(|(at, _)| at);
    *evidence_chars -= most.min(group.stack.len());
    let others = || group.records.iter().skip(LINKS);
    Card {
        anchor: anchor(id),
        id,
        kind: group.kind.as_str(),
        kind_name: view.words.kind(group.kind),
        label: short(group.label, LINE),
        signature: short(&group.signature.0, TEXT),
        place: group.place.map(|place| short(place, TEXT)),
        count: group.count,
        first_step: link(view, group.first_step),
        records: group
            .records
            .iter()
            .take(LINKS)
            .map(|record| one(view, record, id))
            .collect(),
        more_records: others().count(),
        more_anchors: others()
            .filter(|record| is_crash(record.id))
            .map(|record| anchor(record.id))
            .collect(),
        path_steps: path.len(),
        earlier,
        strip: match pictured {
            true => path[earlier..].iter().map(frame).collect(),
            false => Vec::new(),
        },
        path_text: path_text(view, group),
        last: blamed.and_then(|step| view.before(step, size)),
        after: blamed.and_then(|step| view.after(step, size)),
        evidence: &group.stack[..cut.unwrap_or(group.stack.len())],
        evidence_cut: cut.is_some(),
        evidence_file: group.records.first().map_or("", |record| record.stack_path),
    }
}

pub(super) fn link(view: &View<'_>, index: u32) -> Link {
    Link {
        index,
        listed: view.lists(index),
    }
}

fn one<'a>(view: &View<'_>, record: &Occurrence<'a>, first: &str) -> Record<'a> {
    Record {
        id: record.id,
        anchor: (record.id != first).then(|| anchor(record.id)),
        step: link(view, record.step),
        count: record.count,
    }
}

fn path_text(view: &View<'_>, group: &Group<'_>) -> String {
    let path = group.repro_path;
    let earlier = path.len().saturating_sub(PATH);
    let mut text = format!("{}: {}\n", group.kind, short(group.label, LINE));
    if earlier > 0 {
        let _ = writeln!(text, "… {}", view.words.earlier_steps(earlier));
    }
    for (number, index) in path.iter().enumerate().skip(earlier) {
        let action = view.action(*index).replace('\n', "\u{23ce}");
        let _ = writeln!(text, "{}. {action}", number + 1);
    }
    text
}
