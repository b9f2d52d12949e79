//! Pages joined by actions.

use std::collections::BTreeSet;

use petgraph::Direction;
use petgraph::stable_graph::{EdgeIndex, NodeIndex, StableGraph};
use petgraph::visit::EdgeRef;
use rustc_hash::{FxHashMap, FxHashSet};

use super::interner::Interner;
use super::novelty::Novelty;
use super::record::{
    Edge, EdgeInfo, FrontierPage, GraphLimits, GraphSummary, Page, PageInfo, PageKind, Pick,
};
use super::route::Ways;
use crate::{ElementKey, Fingerprint, PageIdentity, Replay};

/// Pages joined by actions, with what has been tried on each.
///
/// Picking and recording cost the same for the first page and the millionth.
#[derive(Debug, Clone)]
pub struct StateGraph {
    pub(super) graph: StableGraph<Page, Edge>,
    pub(super) pages: FxHashMap<Fingerprint, NodeIndex>,
    pub(super) keys: Interner<ElementKey>,
    pub(super) replays: Interner<Replay>,
    pub(super) skeletons: Interner<String>,
    /// How many pages each skeleton has.
    skeleton_pages: Vec<u32>,
    /// How many pages a key was tried on.
    tried: Vec<u32>,
    novelty: Novelty,
    /// Pages that may have something new; some have lost it since.
    perhaps_new: BTreeSet<NodeIndex>,
    /// Keys tried on a page.
    seen: FxHashSet<(NodeIndex, u32)>,
    /// Keys tried on any page of a skeleton.
    seen_on_skeleton: FxHashSet<(u32, u32)>,
    edges: FxHashMap<(NodeIndex, u32, NodeIndex), EdgeIndex>,
    pub(super) frontier: BTreeSet<NodeIndex>,
    pub(super) launch_page: Option<NodeIndex>,
    /// An edge was recorded once whose step brought a crash.
    pub(super) has_crashed_edges: bool,
    identity: PageIdentity,
    max_pages_per_skeleton: u32,
    permission_pages: usize,
    limits: GraphLimits,
    truncated: bool,
}

impl Default for StateGraph {
    fn default() -> Self {
        Self::new(PageIdentity::default(), 8)
    }
}

impl StateGraph {
    /// An empty graph for pages told apart by `identity`, of which at most
    /// `max_pages_per_skeleton` of one skeleton are explored fully (EXP-173).
    #[must_use]
    pub fn new(identity: PageIdentity, max_pages_per_skeleton: u32) -> Self {
        Self {
            graph: StableGraph::new(),
            pages: FxHashMap::default(),
            keys: Interner::default(),
            replays: Interner::default(),
            skeletons: Interner::default(),
            skeleton_pages: Vec::new(),
            tried: Vec::new(),
            novelty: Novelty::default(),
            perhaps_new: BTreeSet::new(),
            seen: FxHashSet::default(),
            seen_on_skeleton: FxHashSet::default(),
            edges: FxHashMap::default(),
            frontier: BTreeSet::new(),
            launch_page: None,
            identity,
            max_pages_per_skeleton,
            permission_pages: 0,
            limits: GraphLimits::default(),
            truncated: false,
            has_crashed_edges: false,
        }
    }

    /// The same graph with other limits.
    #[must_use]
    pub fn with_limits(mut self, limits: GraphLimits) -> Self {
        self.limits = limits;
        self
    }

    /// How pages are told apart.
    #[must_use]
    pub fn identity(&self) -> PageIdentity {
        self.identity
    }

    /// How many pages of one skeleton are explored fully.
    #[must_use]
    pub fn max_pages_per_skeleton(&self) -> u32 {
        self.max_pages_per_skeleton
    }

    /// Pages of the app; permission dialogs of the system do not count.
    #[must_use]
    pub fn page_count(&self) -> usize {
        self.graph.node_count() - self.permission_pages
    }

    /// Distinct edges.
    #[must_use]
    pub fn edge_count(&self) -> usize {
        self.graph.edge_count()
    }

    /// Whether something was left out because a limit was reached.
    #[must_use]
    pub fn is_truncated(&self) -> bool {
        self.truncated
    }

    /// Whether a page is known.
    #[must_use]
    pub fn contains(&self, page: &Fingerprint) -> bool {
        self.pages.contains_key(page)
    }

    /// Whether a page is known and has something that can be tried and was not.
    #[must_use]
    pub fn has_open_keys(&self, page: &Fingerprint) -> bool {
        self.pages
            .get(page)
            .is_some_and(|&page| !self.graph[page].open.is_empty())
    }

    /// App time at which a page was seen last, in milliseconds; zero for an empty graph.
    #[must_use]
    pub fn last_ms(&self) -> u64 {
        let times = self.graph.node_weights().map(|page| page.last_seen_ms);
        times.max().unwrap_or(0)
    }

    /// How often a page was visited.
    #[must_use]
    pub fn visit_count(&self, page: &Fingerprint) -> u64 {
        self.pages
            .get(page)
            .map_or(0, |&page| self.graph[page].visits)
    }

    /// Counts a visit of a page on which `offered` can be tried, and reports whether it is new.
    pub fn visit(&mut self, page: &Fingerprint, info: PageInfo, offered: &[ElementKey]) -> bool {
        let known = self.contains(page);
        let Some(at) = self.page_or_new(page, info.at_ms) else {
            return false;
        };
        self.set_skeleton(at, info.skeleton);
        let mut open = Vec::new();
        if info.kind == PageKind::Page {
            let mut taken = FxHashSet::default();
            for key in offered {
                if open.len() >= self.limits.keys_per_page || key.0.len() > self.limits.text {
                    self.truncated = true;
                    continue;
                }
                let key = self.key(key);
                if !self.is_seen(at, key) && taken.insert(key) {
                    open.push(key);
                }
            }
        }
        let summary_limit = self.limits.summary;
        let node = &mut self.graph[at];
        if node.kind != info.kind {
            match info.kind {
                PageKind::Permission => self.permission_pages += 1,
                PageKind::Page => self.permission_pages -= 1,
            }
        }
        node.kind = info.kind;
        node.visits += 1;
        node.last_seen_ms = info.at_ms;
        if let Some(summary) = info.summary {
            let line: String = summary
                .chars()
                .map(|c| if c.is_control() { ' ' } else { c })
                .take(summary_limit)
                .collect();
            node.summary = Some(line.into_boxed_str());
        }
        if node.screenshot.is_none() {
            node.screenshot = info.screenshot.map(String::into_boxed_str);
        }
        node.open = open;
        self.update_frontier(at);
        !known
    }

    /// Remembers that a key was tried on a page. Doing so twice changes nothing; an unknown page
    /// becomes known without a visit.
    pub fn mark_seen(&mut self, page: &Fingerprint, key: &ElementKey) {
        if key.0.len() > self.limits.text {
            self.truncated = true;
            return;
        }
        let Some(at) = self.page_or_new(page, 0) else {
            return;
        };
        let key = self.key(key);
        if self.seen.contains(&(at, key)) {
            return;
        }
        let node = &mut self.graph[at];
        if node.seen.len() >= self.limits.keys_per_page {
            self.truncated = true;
            return;
        }
        node.seen.push(key);
        node.open.retain(|open| *open != key);
        self.seen.insert((at, key));
        if self.tried[key as usize] == 0 {
            self.novelty.tried(key);
        }
        self.tried[key as usize] += 1;
        if let Some(skeleton) = self.graph[at].skeleton {
            self.seen_on_skeleton.insert((skeleton, key));
        }
        self.update_frontier(at);
    }

    /// What to try next among the keys offered, in their order: what was tried nowhere, then what
    /// was not tried on this page (EXP-124), and last what is familiar. Marks nothing.
    #[must_use]
    pub fn pick_next_unseen(&self, page: &Fingerprint, offered: &[ElementKey]) -> Pick {
        let at = self.pages.get(page).copied();
        let mut pick = Pick {
            candidates_count: offered.len(),
            ..Pick::default()
        };
        let (mut only_here, mut familiar) = (None, None);
        for offer in offered {
            let key = self.keys.get(offer);
            let seen = match (at, key) {
                (Some(at), Some(key)) => self.is_seen(at, key),
                _ => false,
            };
            if seen {
                pick.seen_count += 1;
                continue;
            }
            if offer.0.len() > self.limits.text {
                continue;
            }
            if key.is_none_or(|key| self.is_new(key)) {
                pick.picked.get_or_insert_with(|| offer.clone());
            } else if key.is_some_and(|key| self.tried[key as usize] > 0) {
                only_here.get_or_insert(offer);
            } else {
                familiar.get_or_insert(offer);
            }
        }
        pick.is_familiar = pick.picked.is_none() && only_here.is_none() && familiar.is_some();
        pick.picked = pick.picked.or_else(|| only_here.or(familiar).cloned());
        pick
    }

    /// Whether a page that may be aimed at has something that was tried nowhere and is not familiar.
    pub(super) fn has_new(&self, page: NodeIndex) -> bool {
        self.frontier.contains(&page) && self.graph[page].open.iter().any(|&key| self.is_new(key))
    }

    /// Whether any page that may be aimed at has such a thing. Each page that has lost it is looked
    /// at once.
    pub(super) fn any_new(&mut self) -> bool {
        while let Some(&page) = self.perhaps_new.last() {
            if self.has_new(page) {
                return true;
            }
            self.perhaps_new.remove(&page);
        }
        false
    }

    fn is_new(&self, key: u32) -> bool {
        self.tried[key as usize] == 0 && !self.novelty.is_familiar(key)
    }

    /// Takes a key off the open ones of a page: it is not there any more (EXP-170).
    pub fn forget_open_key(&mut self, page: &Fingerprint, key: &ElementKey) {
        if let (Some(&at), Some(key)) = (self.pages.get(page), self.keys.get(key)) {
            self.graph[at].open.retain(|open| *open != key);
            self.update_frontier(at);
        }
    }

    /// Records what an action did. Equal (from, replay, to) are one edge with a count; it is
    /// reliable again. An action that leads to the page it started on is no edge, nor is one that
    /// joins pages which were never seen.
    pub fn record_edge(&mut self, edge: EdgeInfo) {
        self.add_edge(edge);
    }

    fn add_edge(&mut self, edge: EdgeInfo) -> Option<EdgeIndex> {
        let from = *self.pages.get(&edge.from)?;
        let to = *self.pages.get(&edge.to)?;
        if from == to {
            return None;
        }
        self.has_crashed_edges |= edge.crashed;
        let replay = self.replays.intern(&edge.replay);
        if let Some(&known) = self.edges.get(&(from, replay, to)) {
            let known = &mut self.graph[known];
            known.count += 1;
            known.last_ms = edge.at_ms;
            known.misses = 0;
            known.failed &= edge.failed;
            known.crashed &= edge.crashed;
            known.via_screenshot &= edge.via_screenshot;
            known.late &= edge.late;
            return None;
        }
        if self.graph.edge_count() >= self.limits.edges || edge.action.len() > self.limits.text {
            self.truncated = true;
            return None;
        }
        let index = self.graph.add_edge(
            from,
            to,
            Edge {
                replay,
                action: edge.action.into_boxed_str(),
                count: 1,
                first_ms: edge.at_ms,
                last_ms: edge.at_ms,
                via_screenshot: edge.via_screenshot,
                late: edge.late,
                failed: edge.failed,
                crashed: edge.crashed,
                misses: 0,
            },
        );
        self.edges.insert((from, replay, to), index);
        Some(index)
    }

    /// As [`record_edge`](Self::record_edge), with a past of its own.
    pub(super) fn record_edge_as(&mut self, edge: EdgeInfo, count: u32, last_ms: u64, misses: u8) {
        if let Some(edge) = self.add_edge(edge) {
            let edge = &mut self.graph[edge];
            edge.count = count;
            edge.last_ms = last_ms;
            edge.misses = misses;
        }
    }

    pub(super) fn set_visits(&mut self, page: &Fingerprint, visits: u64, last_ms: u64) {
        if let Some(&at) = self.pages.get(page) {
            self.graph[at].visits = visits;
            self.graph[at].last_seen_ms = last_ms;
        }
    }

    pub(super) fn set_open_keys(
        &mut self,
        page: &Fingerprint,
        open: &[ElementKey],
        beyond_cap: bool,
    ) {
        if let Some(&at) = self.pages.get(page) {
            self.graph[at].leads_skeleton = !beyond_cap;
            self.graph[at].open = open.iter().map(|key| self.key(key)).collect();
            self.update_frontier(at);
        }
    }

    pub(super) fn set_truncated(&mut self) {
        self.truncated = true;
    }

    /// Remembers that an edge led elsewhere this time, or could not be walked. After the second
    /// time in a row it is unreliable until it is recorded again (EXP-170).
    pub fn miss_edge(&mut self, from: &Fingerprint, replay: &Replay, to: &Fingerprint) {
        let known = (|| {
            let from = *self.pages.get(from)?;
            let to = *self.pages.get(to)?;
            let replay = self.replays.get(replay)?;
            self.edges.get(&(from, replay, to)).copied()
        })();
        if let Some(edge) = known {
            let edge = &mut self.graph[edge];
            edge.misses = edge.misses.saturating_add(1);
        }
    }

    /// Remembers the page on which the app was after a launch: where a new launch leads.
    pub fn set_launch_page(&mut self, page: &Fingerprint) {
        self.launch_page = self.pages.get(page).copied().or(self.launch_page);
    }

    /// The page last seen after a launch.
    #[must_use]
    pub fn launch_page(&self) -> Option<&Fingerprint> {
        self.launch_page.map(|page| &self.graph[page].fingerprint)
    }

    /// Pages with something unseen that may be aimed at, earliest first.
    pub fn frontier_pages(&self) -> impl Iterator<Item = FrontierPage> {
        self.frontier.iter().map(|&page| self.frontier_page(page))
    }

    /// Pages known from pictures only that have something unseen. Looks at every page.
    pub(super) fn visual_pages(&self) -> impl Iterator<Item = FrontierPage> {
        self.graph
            .node_indices()
            .filter(|&page| is_visual(&self.graph[page]) && !self.graph[page].open.is_empty())
            .map(|page| self.frontier_page(page))
    }

    fn frontier_page(&self, page: NodeIndex) -> FrontierPage {
        let page = &self.graph[page];
        FrontierPage {
            page: page.fingerprint.clone(),
            summary: page.summary.as_deref().map(str::to_owned),
            open_keys: page
                .open
                .iter()
                .map(|&key| self.keys.value(key).clone())
                .collect(),
        }
    }

    /// The graph in figures. Looks at every page: for the end of a run.
    #[must_use]
    pub fn summary(&self) -> GraphSummary {
        let mut summary = GraphSummary {
            edges_count: self.graph.edge_count(),
            frontier_pages: self.frontier.len(),
            ..GraphSummary::default()
        };
        let mut most = 0;
        let mut least = usize::MAX;
        for index in self.graph.node_indices() {
            let page = &self.graph[index];
            if page.kind != PageKind::Page {
                continue;
            }
            summary.pages_count += 1;
            let mut outgoing = self.graph.edges_directed(index, Direction::Outgoing);
            if outgoing.next().is_none() {
                summary.isolated_pages.push(page.fingerprint.clone());
            }
            if page.visits > most {
                most = page.visits;
                summary.most_visited = Some(page.fingerprint.clone());
            }
            if page.seen.len() < least {
                least = page.seen.len();
                summary.least_explored = Some(page.fingerprint.clone());
            }
        }
        summary
    }

    /// Ways from a page that can be walked again.
    pub(super) fn usable_edges(
        &self,
        from: NodeIndex,
        ways: Ways,
    ) -> impl Iterator<Item = (NodeIndex, &Edge)> {
        self.graph
            .edges_directed(from, Direction::Outgoing)
            .filter(move |edge| {
                let edge = edge.weight();
                !edge.failed
                    && (ways == Ways::Any || !edge.crashed)
                    && !edge.via_screenshot
                    && edge.misses < 2
                    && is_repeatable(self.replays.value(edge.replay))
            })
            .map(|edge| (edge.target(), edge.weight()))
    }

    fn page_or_new(&mut self, page: &Fingerprint, at_ms: u64) -> Option<NodeIndex> {
        if let Some(&at) = self.pages.get(page) {
            return Some(at);
        }
        if self.graph.node_count() >= self.limits.pages {
            self.truncated = true;
            return None;
        }
        let at = self.graph.add_node(Page {
            fingerprint: page.clone(),
            kind: PageKind::Page,
            summary: None,
            screenshot: None,
            skeleton: None,
            leads_skeleton: true,
            first_seen_ms: at_ms,
            last_seen_ms: at_ms,
            visits: 0,
            seen: Vec::new(),
            open: Vec::new(),
        });
        self.pages.insert(page.clone(), at);
        Some(at)
    }

    /// Puts a page among those of its skeleton; it stays where it was put first.
    fn set_skeleton(&mut self, at: NodeIndex, skeleton: Option<String>) {
        let Some(skeleton) = skeleton else { return };
        if self.graph[at].skeleton.is_some() {
            return;
        }
        let skeleton = self.skeletons.intern(&skeleton);
        if self.skeleton_pages.len() <= skeleton as usize {
            self.skeleton_pages.push(0);
        }
        let count = &mut self.skeleton_pages[skeleton as usize];
        *count += 1;
        let node = &mut self.graph[at];
        node.skeleton = Some(skeleton);
        node.leads_skeleton = *count <= self.max_pages_per_skeleton;
        for &key in &node.seen {
            self.seen_on_skeleton.insert((skeleton, key));
        }
    }

    fn is_seen(&self, at: NodeIndex, key: u32) -> bool {
        let page = &self.graph[at];
        self.seen.contains(&(at, key))
            || !page.leads_skeleton
                && page
                    .skeleton
                    .is_some_and(|skeleton| self.seen_on_skeleton.contains(&(skeleton, key)))
    }

    fn key(&mut self, key: &ElementKey) -> u32 {
        let number = self.keys.intern(key);
        if self.tried.len() <= number as usize {
            self.tried.push(0);
            self.novelty.add(key);
        }
        number
    }

    fn update_frontier(&mut self, at: NodeIndex) {
        let page = &self.graph[at];
        let is_aim = page.leads_skeleton && !is_visual(page) && page.kind == PageKind::Page;
        if is_aim && !page.open.is_empty() {
            self.frontier.insert(at);
            self.perhaps_new.insert(at);
        } else {
            self.frontier.remove(&at);
            self.perhaps_new.remove(&at);
        }
    }
}

fn is_visual(page: &Page) -> bool {
    page.fingerprint.0.starts_with("visual:")
}

/// Whether an action does the same wherever its page is met again (EXP-166).
fn is_repeatable(replay: &Replay) -> bool {
    match replay {
        Replay::Tap { element_key } | Replay::Select { element_key, .. } => {
            !element_key.0.starts_with("class:") && !element_key.0.starts_with("bounds:")
        }
        Replay::PressButton { .. } | Replay::Navigate { .. } => true,
        Replay::Launch
        | Replay::InputText { .. }
        | Replay::PressKey { .. }
        | Replay::Scroll { .. } => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(name: &str) -> Fingerprint {
        Fingerprint(name.into())
    }

    fn key(name: &str) -> ElementKey {
        ElementKey(name.into())
    }

    fn keys(names: &[&str]) -> Vec<ElementKey> {
        names.iter().map(|name| key(name)).collect()
    }

    fn info(skeleton: &str) -> PageInfo {
        PageInfo {
            skeleton: Some(skeleton.into()),
            ..PageInfo::default()
        }
    }

    fn tap(name: &str) -> Replay {
        Replay::Tap {
            element_key: key(name),
        }
    }

    fn edge(from: &str, replay: Replay, to: &str) -> EdgeInfo {
        EdgeInfo {
            from: page(from),
            replay,
            action: "tap".into(),
            to: page(to),
            at_ms: 1,
            via_screenshot: false,
            late: false,
            failed: false,
            crashed: false,
        }
    }

    fn usable(graph: &StateGraph, from: &str) -> usize {
        graph
            .usable_edges(graph.pages[&page(from)], Ways::Any)
            .count()
    }

    // EXP-124: a form that grows with each use is used a few times, and then comes last.
    #[test]
    fn what_differs_only_in_numbers_becomes_familiar() {
        let mut graph = StateGraph::default();
        let offered = keys(&["row:4", "row:5", "elsewhere", "other"]);
        graph.visit(&page("a"), PageInfo::default(), &offered);
        for row in ["row:1", "row:2", "row:3"] {
            assert!(!graph.pick_next_unseen(&page("a"), &offered).is_familiar);
            graph.mark_seen(&page("before"), &key(row));
        }
        graph.mark_seen(&page("before"), &key("elsewhere"));
        for (expected, is_familiar) in [
            ("other", false),
            ("elsewhere", false),
            ("row:4", true),
            ("row:5", true),
        ] {
            let pick = graph.pick_next_unseen(&page("a"), &offered);
            assert_eq!(pick.picked, Some(key(expected)));
            assert_eq!(pick.is_familiar, is_familiar, "{expected}");
            graph.mark_seen(&page("a"), &key(expected));
        }
    }

    // EXP-124, EXP-158
    #[test]
    fn what_was_tried_nowhere_is_picked_first() {
        let mut graph = StateGraph::default();
        let offered = keys(&["a", "b", "c"]);
        let pick = graph.pick_next_unseen(&page("p"), &offered);
        assert_eq!(
            (pick.picked, pick.seen_count, pick.candidates_count),
            (Some(key("a")), 0, 3)
        );
        graph.mark_seen(&page("q"), &key("a"));
        assert_eq!(
            graph.pick_next_unseen(&page("p"), &offered).picked,
            Some(key("b"))
        );
        for name in ["b", "c"] {
            graph.mark_seen(&page("p"), &key(name));
        }
        let pick = graph.pick_next_unseen(&page("p"), &offered);
        assert_eq!((pick.picked, pick.seen_count), (Some(key("a")), 2));
        graph.mark_seen(&page("p"), &key("a"));
        assert_eq!(graph.pick_next_unseen(&page("p"), &offered).picked, None);
        assert_eq!(graph.pick_next_unseen(&page("p"), &[]), Pick::default());
    }

    // EXP-158
    #[test]
    fn marking_an_unknown_page_makes_it_known_without_a_visit() {
        let mut graph = StateGraph::default();
        for _ in 0..2 {
            graph.mark_seen(&page("p"), &key("a"));
        }
        assert!(graph.contains(&page("p")));
        assert_eq!(graph.visit_count(&page("p")), 0);
        assert_eq!(
            graph.to_snapshot().pages[&page("p")].elements_seen,
            keys(&["a"])
        );
        assert!(!graph.visit(&page("p"), PageInfo::default(), &[]));
        assert!(graph.visit(&page("q"), PageInfo::default(), &[]));
        assert_eq!(graph.visit_count(&page("p")), 1);
    }

    // EXP-165, EXP-170
    #[test]
    fn a_page_with_open_keys_is_a_frontier_page() {
        let mut graph = StateGraph::default();
        let open = |graph: &StateGraph| {
            graph
                .frontier_pages()
                .map(|page| page.open_keys)
                .collect::<Vec<_>>()
        };
        graph.visit(&page("p"), PageInfo::default(), &keys(&["a", "b", "a"]));
        assert_eq!(open(&graph), [keys(&["a", "b"])]);
        graph.mark_seen(&page("p"), &key("a"));
        assert_eq!(open(&graph), [keys(&["b"])]);
        graph.forget_open_key(&page("p"), &key("b"));
        assert!(open(&graph).is_empty());
        assert!(!graph.has_open_keys(&page("p")));
        graph.visit(&page("p"), PageInfo::default(), &keys(&["a", "c"]));
        assert_eq!(open(&graph), [keys(&["c"])]);
        // A page known from pictures only, and a dialog of the system, are none.
        graph.visit(&page("visual:abc"), PageInfo::default(), &keys(&["x"]));
        let permission = PageInfo {
            kind: PageKind::Permission,
            ..PageInfo::default()
        };
        graph.visit(&page("allow"), permission, &keys(&["x"]));
        assert_eq!(open(&graph).len(), 1);
        assert_eq!(graph.page_count(), 2);
    }

    // EXP-173
    #[test]
    fn pages_of_one_make_beyond_the_cap_share_what_was_seen() {
        let mut graph = StateGraph::new(PageIdentity::Shape, 2);
        let offered = keys(&["buy", "share"]);
        for name in ["a", "b", "c", "d"] {
            graph.visit(&page(name), info("product"), &offered);
        }
        let frontier: Vec<_> = graph.frontier_pages().map(|found| found.page).collect();
        assert_eq!(frontier, [page("a"), page("b")]);
        graph.mark_seen(&page("a"), &key("buy"));
        assert_eq!(
            graph.pick_next_unseen(&page("b"), &keys(&["buy"])).picked,
            Some(key("buy"))
        );
        assert_eq!(
            graph.pick_next_unseen(&page("c"), &keys(&["buy"])).picked,
            None
        );
        assert_eq!(
            graph.pick_next_unseen(&page("c"), &offered).picked,
            Some(key("share"))
        );
        graph.mark_seen(&page("c"), &key("share"));
        assert_eq!(graph.pick_next_unseen(&page("d"), &offered).picked, None);
        assert!(graph.visit(&page("e"), info("product"), &offered));
        assert!(!graph.has_open_keys(&page("e")));
    }

    // EXP-159, EXP-INV-18
    #[test]
    fn equal_edges_are_one_with_a_count() {
        let mut graph = StateGraph::default();
        for name in ["p", "q"] {
            graph.visit(&page(name), PageInfo::default(), &[]);
        }
        for _ in 0..3 {
            graph.record_edge(edge("p", tap("a"), "q"));
        }
        graph.record_edge(edge("p", tap("b"), "q"));
        graph.record_edge(edge("p", tap("a"), "p"));
        graph.record_edge(edge("p", tap("a"), "nowhere"));
        let counts: Vec<_> = graph
            .to_snapshot()
            .edges
            .iter()
            .map(|edge| edge.count)
            .collect();
        assert_eq!(counts, [3, 1]);
    }

    // EXP-166, EXP-170
    #[test]
    fn an_edge_that_misled_twice_is_not_used_until_it_is_confirmed() {
        let mut graph = StateGraph::default();
        for name in ["p", "q"] {
            graph.visit(&page(name), PageInfo::default(), &[]);
        }
        graph.record_edge(edge("p", tap("a"), "q"));
        graph.miss_edge(&page("p"), &tap("a"), &page("q"));
        assert_eq!(usable(&graph, "p"), 1);
        graph.miss_edge(&page("p"), &tap("a"), &page("q"));
        assert_eq!(usable(&graph, "p"), 0);
        graph.record_edge(edge("p", tap("a"), "q"));
        assert_eq!(usable(&graph, "p"), 1);
    }

    // EXP-166
    #[test]
    fn only_edges_that_can_be_repeated_are_used() {
        let mut graph = StateGraph::default();
        for name in ["p", "q"] {
            graph.visit(&page(name), PageInfo::default(), &[]);
        }
        graph.record_edge(edge("p", tap("class:x:[0,0][1,1]"), "q"));
        graph.record_edge(edge("p", tap("bounds:0,0,1,1"), "q"));
        let text = Replay::InputText {
            element_key: key("t"),
            input_value: None,
            input_redacted: false,
        };
        graph.record_edge(edge("p", text, "q"));
        let mut failed = edge("p", tap("f"), "q");
        failed.failed = true;
        graph.record_edge(failed);
        assert_eq!(usable(&graph, "p"), 0);
        let mut seen = edge("p", tap("s"), "q");
        seen.via_screenshot = true;
        graph.record_edge(seen);
        assert_eq!((graph.edge_count(), usable(&graph, "p")), (5, 0));
        let back = Replay::PressButton {
            button: "BACK".into(),
        };
        graph.record_edge(edge("p", back, "q"));
        assert_eq!(usable(&graph, "p"), 1);
    }

    // EXP-159
    #[test]
    fn at_a_limit_the_graph_says_so_and_goes_on() {
        let limits = GraphLimits {
            pages: 2,
            edges: 1,
            keys_per_page: 2,
            text: 8,
            summary: 4,
        };
        let mut graph = StateGraph::default().with_limits(limits);
        let told = PageInfo {
            summary: Some("a\nb summary".into()),
            ..PageInfo::default()
        };
        graph.visit(&page("p"), told, &keys(&["a", "b"]));
        assert!(!graph.is_truncated());
        assert_eq!(
            graph.to_snapshot().pages[&page("p")].summary.as_deref(),
            Some("a b ")
        );
        graph.visit(&page("q"), PageInfo::default(), &keys(&["a", "b", "c"]));
        assert!(graph.is_truncated());
        graph.visit(&page("r"), PageInfo::default(), &[]);
        graph.mark_seen(&page("r"), &key("a"));
        assert!(!graph.contains(&page("r")));
        for name in ["a", "b", "c", "far too long"] {
            graph.mark_seen(&page("p"), &key(name));
            graph.record_edge(edge("p", tap(name), "q"));
        }
        assert_eq!(graph.edge_count(), 1);
        assert_eq!(graph.to_snapshot().pages[&page("p")].elements_seen.len(), 2);
    }

    // EXP-160
    #[test]
    fn the_summary_counts_pages_of_the_app() {
        let mut graph = StateGraph::default();
        for name in ["p", "q", "q"] {
            graph.visit(&page(name), PageInfo::default(), &keys(&["a"]));
        }
        graph.record_edge(edge("p", tap("a"), "q"));
        graph.mark_seen(&page("p"), &key("a"));
        let summary = graph.summary();
        assert_eq!(
            (
                summary.pages_count,
                summary.edges_count,
                summary.frontier_pages
            ),
            (2, 1, 1)
        );
        assert_eq!(summary.isolated_pages, [page("q")]);
        assert_eq!(summary.most_visited, Some(page("q")));
        assert_eq!(summary.least_explored, Some(page("q")));
        assert_eq!(StateGraph::default().summary(), GraphSummary::default());
    }
}
