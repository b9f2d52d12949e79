//! The pages of the app, with what is known of each.

use qa_core::PageSnapshot;

use super::super::text::short;
use super::card::{Link, link};
use super::limit::{LINE, LINKS};
use super::view::{Shot, View};

/// A page.
pub(super) struct PageCard<'a> {
    pub(super) number: usize,
    pub(super) hash: &'a str,
    pub(super) summary: String,
    pub(super) shot: Option<Shot>,
    pub(super) visits: u64,
    pub(super) tried: usize,
    pub(super) open: Vec<String>,
    pub(super) more_open: usize,
    pub(super) first_ms: u64,
    pub(super) steps: Vec<Link>,
    pub(super) more_steps: usize,
    pub(super) ways: Vec<Way>,
    pub(super) more_ways: usize,
    /// Ids of crashes that happened on it, with their anchors.
    pub(super) crashes: Vec<(String, Option<String>)>,
}

/// A way out of a page.
pub(super) struct Way {
    pub(super) action: String,
    pub(super) to: usize,
    pub(super) linked: bool,
    pub(super) count: u32,
}

pub(super) fn summary(view: &View<'_>, page: Option<&str>) -> String {
    page.map_or(view.words.nameless.to_owned(), |page| short(page, LINE))
}

pub(super) fn card<'a>(
    view: &View<'a>,
    page: &'a PageSnapshot,
    crashes: &[String],
) -> PageCard<'a> {
    let arrivals = view.arrivals.get(&page.hash);
    let steps = arrivals.map_or(&[][..], Vec::as_slice);
    let edges = || {
        let edges = view.session.graph.edges.iter();
        edges.filter(|edge| edge.from == page.hash)
    };
    let way = |edge: &qa_core::EdgeSnapshot| {
        Some(Way {
            action: view.action_line(&edge.action),
            to: *view.numbers.get(&edge.to)?,
            linked: view.number(Some(&edge.to)).is_some(),
            count: edge.count,
        })
    };
    let crashes = crashes.iter().take(LINKS);
    PageCard {
        number: view.numbers.get(&page.hash).copied().unwrap_or(0),
        hash: &page.hash.0,
        summary: summary(view, page.summary.as_deref()),
        shot: view.page_shot(&page.hash),
        visits: page.visit_count,
        tried: page.elements_seen.len(),
        open: page
            .open_keys
            .iter()
            .take(LINKS)
            .map(|key| short(&key.0, LINE))
            .collect(),
        more_open: page.open_keys.len().saturating_sub(LINKS),
        first_ms: page.first_seen,
        steps: steps
            .iter()
            .take(LINKS)
            .map(|index| link(view, *index))
            .collect(),
        more_steps: steps.len().saturating_sub(LINKS),
        ways: edges().filter_map(way).take(LINKS).collect(),
        more_ways: edges().count().saturating_sub(LINKS),
        crashes: crashes
            .map(|id| (id.clone(), view.anchor(id).map(str::to_owned)))
            .collect(),
    }
}
