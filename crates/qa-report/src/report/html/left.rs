//! What was not explored, and why (D-15).

use qa_core::Outcome;

use super::super::phrase;
use super::super::text::short;
use super::card::{Link, link};
use super::limit::LINE;
use super::page::summary;
use super::view::View;

/// So many entries of one reason are listed.
const ENTRIES: usize = 100;

/// Something that was not explored, and why.
pub(super) struct Left {
    pub(super) title: String,
    pub(super) why: String,
    pub(super) items: Vec<LeftItem>,
    pub(super) more: usize,
}

pub(super) enum LeftItem {
    /// Number if it has an entry, name, and how many elements are left.
    Page(Option<usize>, String, String),
    Text(String),
    Step(Link),
}

pub(super) fn left(view: &View<'_>, outcome: &Outcome) -> Vec<Left> {
    let words = view.words;
    let mut left = pages(view, outcome);
    for (rule, refused) in &outcome.refused {
        left.push(group(
            words.refused(refused.count),
            words.refused_why(rule),
            texts(&refused.examples),
        ));
    }
    if !outcome.foreign.is_empty() {
        left.push(group(
            words.left_foreign.into(),
            words.left_foreign_why.into(),
            texts(&outcome.foreign),
        ));
    }
    for blocked in &outcome.blocked {
        left.push(group(
            words.blocked(blocked.requests),
            words.blocked_why(&short(&blocked.host, LINE)),
            Vec::new(),
        ));
    }
    if !outcome.unsettled_steps.is_empty() {
        let steps = outcome.unsettled_steps.iter();
        left.push(group(
            words.left_unsettled.into(),
            words.left_unsettled_why.into(),
            steps
                .map(|step| LeftItem::Step(link(view, *step)))
                .collect(),
        ));
    }
    if outcome.duplicates > 0 {
        left.push(group(
            words.duplicates(outcome.duplicates),
            words.left_duplicates_why.into(),
            Vec::new(),
        ));
    }
    for group in &mut left {
        group.more = group.items.len().saturating_sub(ENTRIES);
        group.items.truncate(ENTRIES);
    }
    left
}

/// Pages with something unseen, by the reason why.
fn pages(view: &View<'_>, outcome: &Outcome) -> Vec<Left> {
    let mut left: Vec<Left> = Vec::new();
    for page in &outcome.unexplored {
        let why = phrase::unexplored(view.words.language, page.reason);
        let item = LeftItem::Page(
            view.number(Some(&page.page)),
            summary(view, page.summary.as_deref()),
            view.words.elements(page.open_keys.len()),
        );
        match left.iter_mut().find(|group| group.why == why) {
            Some(group) => group.items.push(item),
            None => left.push(group(view.words.left_pages.into(), why.into(), vec![item])),
        }
    }
    left
}

fn group(title: String, why: String, items: Vec<LeftItem>) -> Left {
    Left {
        title,
        why,
        items,
        more: 0,
    }
}

fn texts(texts: &[String]) -> Vec<LeftItem> {
    let texts = texts.iter();
    texts
        .map(|text| LeftItem::Text(short(text, LINE)))
        .collect()
}
