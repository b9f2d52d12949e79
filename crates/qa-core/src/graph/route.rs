//! The shortest way to a page with something unseen.

use petgraph::stable_graph::NodeIndex;
use rustc_hash::{FxHashMap, FxHashSet};

use super::StateGraph;
use crate::{Fingerprint, Replay};

/// A way to a page with something unseen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Route {
    /// Where it leads.
    pub target: Fingerprint,
    /// How, hop by hop; never empty.
    pub hops: Vec<Hop>,
    /// Steps it takes: one for a recorded edge, two for a launch.
    pub cost: u32,
}

/// One hop of a route.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hop {
    /// Where it starts.
    pub from: Fingerprint,
    /// What to do; [`Replay::Launch`] starts the app anew.
    pub replay: Replay,
    /// Where it led when it was recorded.
    pub to: Fingerprint,
}

/// Cost of a recorded edge.
const EDGE: u32 = 1;
/// Cost of a launch.
const LAUNCH: u32 = 2;

/// The cheapest way from a page to one with something unseen (EXP-165 to EXP-168). Among equal
/// costs the page with more open keys wins, then the one seen first. Ways that cost as much as
/// there are steps left, or more, are no ways; `dropped` pages are not aimed at.
#[must_use]
pub fn plan_route(
    graph: &StateGraph,
    from: &Fingerprint,
    steps_left: u32,
    dropped: &FxHashSet<Fingerprint>,
) -> Option<Route> {
    search(graph, from, steps_left, |page| {
        graph.frontier.contains(&page) && !dropped.contains(&graph.graph[page].fingerprint)
    })
}

/// The cheapest way to one given page.
pub(super) fn route_to(
    graph: &StateGraph,
    from: &Fingerprint,
    target: &Fingerprint,
    steps_left: u32,
) -> Option<Route> {
    let target = *graph.pages.get(target)?;
    search(graph, from, steps_left, |page| page == target)
}

/// How a page was reached.
enum Step {
    Start,
    Edge(NodeIndex, u32),
    Launch,
}

/// Breadth first by cost; ends at the first cost at which a wanted page is found.
fn search(
    graph: &StateGraph,
    from: &Fingerprint,
    steps_left: u32,
    wanted: impl Fn(NodeIndex) -> bool,
) -> Option<Route> {
    if graph.frontier.is_empty() {
        return None;
    }
    let start = graph.pages.get(from).copied();
    let mut reached: FxHashMap<NodeIndex, Step> = FxHashMap::default();
    // Pages at the present cost; those at the next; the launch joins at its own cost.
    let mut ring: Vec<NodeIndex> = Vec::new();
    if let Some(start) = start {
        reached.insert(start, Step::Start);
        ring.push(start);
    }
    let mut cost = 0;
    while cost < steps_left {
        if cost == LAUNCH {
            if let Some(page) = graph.launch_page {
                reached.entry(page).or_insert_with(|| {
                    ring.push(page);
                    Step::Launch
                });
            }
        }
        let best = ring
            .iter()
            .copied()
            .filter(|&page| cost > 0 && wanted(page))
            .min_by_key(|&page| (usize::MAX - graph.graph[page].open.len(), page));
        if let Some(best) = best {
            return Some(trace(graph, from, &reached, best, cost));
        }
        if ring.is_empty() && cost >= LAUNCH {
            return None;
        }
        let mut next = Vec::new();
        for &page in &ring {
            for (to, edge) in graph.usable_edges(page) {
                reached.entry(to).or_insert_with(|| {
                    next.push(to);
                    Step::Edge(page, edge.replay)
                });
            }
        }
        ring = next;
        cost += EDGE;
    }
    None
}

fn trace(
    graph: &StateGraph,
    from: &Fingerprint,
    reached: &FxHashMap<NodeIndex, Step>,
    target: NodeIndex,
    cost: u32,
) -> Route {
    let name = |page: NodeIndex| graph.graph[page].fingerprint.clone();
    let mut hops = Vec::new();
    let mut at = target;
    loop {
        match reached.get(&at) {
            Some(Step::Edge(before, replay)) => {
                hops.push(Hop {
                    from: name(*before),
                    replay: graph.replays.value(*replay).clone(),
                    to: name(at),
                });
                at = *before;
            }
            Some(Step::Launch) => {
                hops.push(Hop {
                    from: from.clone(),
                    replay: Replay::Launch,
                    to: name(at),
                });
                break;
            }
            Some(Step::Start) | None => break,
        }
    }
    hops.reverse();
    Route {
        target: name(target),
        hops,
        cost,
    }
}
