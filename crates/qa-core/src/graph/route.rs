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
    pub(super) ways: Ways,
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

/// Which recorded steps may be part of a way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ways {
    /// Those that brought no crash.
    Sound,
    /// Those too that brought a crash which the app survived.
    Any,
}

/// Cost of a recorded edge.
const EDGE: u32 = 1;
/// Cost of a launch.
const LAUNCH: u32 = 2;

/// The cheapest way from a page to one with something unseen (EXP-165 to EXP-168). Among equal
/// costs the page with more open keys wins, then the one seen first. Ways that cost as much as
/// there are steps left, or more, are no ways; `dropped` pages are not aimed at.
///
/// A step that brought a crash is no way (EXP-172) as long as anything can be reached without it.
/// But an app that survives its crashes goes on behind them (WEB-042), and what can be reached by
/// such steps alone is not given up: they are walked then, however long they are.
#[must_use]
pub fn plan_route(
    graph: &StateGraph,
    from: &Fingerprint,
    steps_left: u32,
    dropped: &FxHashSet<Fingerprint>,
) -> Option<Route> {
    let wanted = |page: NodeIndex| {
        graph.frontier.contains(&page) && !dropped.contains(&graph.graph[page].fingerprint)
    };
    search(graph, from, steps_left, Ways::Sound, wanted)
        .or_else(|| search(graph, from, steps_left, Ways::Any, wanted))
}

/// As [`plan_route`], to a page with something that was tried nowhere and is not familiar.
pub(super) fn plan_route_to_new(
    graph: &mut StateGraph,
    from: &Fingerprint,
    steps_left: u32,
    dropped: &FxHashSet<Fingerprint>,
) -> Option<Route> {
    if !graph.any_new() {
        return None;
    }
    let wanted =
        |page: NodeIndex| graph.has_new(page) && !dropped.contains(&graph.graph[page].fingerprint);
    search(graph, from, steps_left, Ways::Sound, wanted)
        .or_else(|| search(graph, from, steps_left, Ways::Any, wanted))
}

/// The cheapest way to one given page, as [`plan_route`] chose its ways: who set out over a crash
/// does not turn back for a longer way without one.
pub(super) fn route_to(
    graph: &StateGraph,
    from: &Fingerprint,
    target: &Fingerprint,
    steps_left: u32,
    ways: Ways,
) -> Option<Route> {
    let target = *graph.pages.get(target)?;
    let wanted = |page: NodeIndex| page == target;
    search(graph, from, steps_left, ways, wanted)
        .or_else(|| search(graph, from, steps_left, Ways::Any, wanted))
}

/// Every page that recorded edges and a launch lead to, the start included. Looks at the whole
/// graph: for the end of a run.
pub(super) fn reachable(graph: &StateGraph, from: &Fingerprint) -> FxHashSet<NodeIndex> {
    let mut waiting: Vec<_> = graph.pages.get(from).copied().into_iter().collect();
    waiting.extend(graph.launch_page);
    let mut reached: FxHashSet<_> = waiting.iter().copied().collect();
    while let Some(page) = waiting.pop() {
        for (to, _) in graph.usable_edges(page, Ways::Any) {
            if reached.insert(to) {
                waiting.push(to);
            }
        }
    }
    reached
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
    ways: Ways,
    wanted: impl Fn(NodeIndex) -> bool,
) -> Option<Route> {
    if graph.frontier.is_empty() || (ways == Ways::Any && !graph.has_crashed_edges) {
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
        if cost == LAUNCH
            && let Some(page) = graph.launch_page
        {
            reached.entry(page).or_insert_with(|| {
                ring.push(page);
                Step::Launch
            });
        }
        let best = ring
            .iter()
            .copied()
            .filter(|&page| cost > 0 && wanted(page))
            .min_by_key(|&page| (usize::MAX - graph.graph[page].open.len(), page));
        if let Some(best) = best {
            let hops = trace(graph, from, &reached, best);
            return Some(Route {
                target: graph.graph[best].fingerprint.clone(),
                hops,
                cost,
                ways,
            });
        }
        if ring.is_empty() && cost >= LAUNCH {
            return None;
        }
        let mut next = Vec::new();
        for &page in &ring {
            for (to, edge) in graph.usable_edges(page, ways) {
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
) -> Vec<Hop> {
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
    hops
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{EdgeInfo, ElementKey, PageInfo};

    fn page(number: usize) -> Fingerprint {
        Fingerprint(format!("{number:012}"))
    }

    /// Pages with as many open keys as said, joined by taps.
    fn graph(open: &[usize], edges: &[(usize, usize)], launch: Option<usize>) -> StateGraph {
        let mut graph = StateGraph::default();
        for (number, open) in open.iter().enumerate() {
            let offered: Vec<_> = (0..*open)
                .map(|key| ElementKey(format!("id:{key}")))
                .collect();
            graph.visit(&page(number), PageInfo::default(), &offered);
        }
        for (index, (from, to)) in edges.iter().enumerate() {
            graph.record_edge(EdgeInfo {
                from: page(*from),
                replay: Replay::Tap {
                    element_key: ElementKey(format!("id:e{index}")),
                },
                action: "tap".into(),
                to: page(*to),
                at_ms: 0,
                via_screenshot: false,
                late: false,
                failed: false,
                crashed: false,
            });
        }
        if let Some(launch) = launch {
            graph.set_launch_page(&page(launch));
        }
        graph
    }

    fn plan(graph: &StateGraph, from: usize, steps_left: u32) -> Option<(usize, u32)> {
        let route = plan_route(graph, &page(from), steps_left, &FxHashSet::default())?;
        Some((route.target.0.parse().unwrap(), route.cost))
    }

    // EXP-167
    #[test]
    fn the_nearest_page_wins_then_more_open_keys_then_age() {
        let edges = [(0, 1), (0, 2), (0, 3), (1, 4)];
        assert_eq!(
            plan(&graph(&[0, 0, 0, 0, 9], &edges, None), 0, 9),
            Some((4, 2))
        );
        assert_eq!(
            plan(&graph(&[0, 1, 0, 0, 9], &edges, None), 0, 9),
            Some((1, 1))
        );
        assert_eq!(
            plan(&graph(&[0, 1, 2, 0, 9], &edges, None), 0, 9),
            Some((2, 1))
        );
        assert_eq!(
            plan(&graph(&[0, 1, 2, 2, 9], &edges, None), 0, 9),
            Some((2, 1))
        );
        assert_eq!(plan(&graph(&[0, 0, 0, 0, 0], &edges, None), 0, 9), None);
        // The page one stands on is no target.
        assert_eq!(plan(&graph(&[5, 0], &[], None), 0, 9), None);
    }

    // EXP-166
    #[test]
    fn a_launch_costs_two_and_leads_from_anywhere() {
        let far = graph(&[0, 0, 0, 1], &[(1, 3)], Some(1));
        assert_eq!(plan(&far, 0, 9), Some((3, 3)));
        let route = plan_route(&far, &page(0), 9, &FxHashSet::default()).unwrap();
        assert_eq!(route.hops[0].replay, Replay::Launch);
        assert_eq!(
            (&route.hops[0].from, &route.hops[0].to),
            (&page(0), &page(1))
        );
        assert_eq!(route.hops.len(), 2);
        // From a page that is not in the graph too.
        assert_eq!(plan(&far, 77, 9), Some((3, 3)));
        // A recorded way of the same cost needs no launch.
        let near = graph(&[0, 0, 1], &[(0, 1), (1, 2)], Some(2));
        let route = plan_route(&near, &page(0), 9, &FxHashSet::default()).unwrap();
        assert!(route.hops.iter().all(|hop| hop.replay != Replay::Launch));
    }

    // EXP-172, WEB-042
    #[test]
    fn a_step_that_brought_a_crash_is_walked_only_where_nothing_else_leads() {
        let mut graph = graph(&[0, 0, 1, 0, 1], &[(0, 1), (1, 2)], None);
        let crashed = |graph: &mut StateGraph, from, to, crashed| {
            graph.record_edge(EdgeInfo {
                from: page(from),
                replay: Replay::Tap {
                    element_key: ElementKey("id:bad".into()),
                },
                action: "tap".into(),
                to: page(to),
                at_ms: 0,
                via_screenshot: false,
                late: false,
                failed: false,
                crashed,
            });
        };
        crashed(&mut graph, 0, 2, true);
        // The short way is through a crash.
        assert_eq!(plan(&graph, 0, 9), Some((2, 2)));
        // Too few steps are left for the long one.
        assert_eq!(plan(&graph, 0, 2), Some((2, 1)));
        let nothing_else = FxHashSet::from_iter([page(2)]);
        assert_eq!(plan_route(&graph, &page(0), 9, &nothing_else), None);
        crashed(&mut graph, 0, 3, true);
        crashed(&mut graph, 3, 4, true);
        let route = plan_route(&graph, &page(0), 9, &nothing_else).unwrap();
        assert_eq!((&route.target, route.cost), (&page(4), 2));
        let on = route_to(&graph, &page(3), &page(4), 9, route.ways).unwrap();
        assert_eq!(on.cost, 1);
        assert!(reachable(&graph, &page(0)).contains(&graph.pages[&page(4)]));
        // The day it goes well it is a way like any other.
        crashed(&mut graph, 0, 2, false);
        assert_eq!(plan(&graph, 0, 9), Some((2, 1)));
    }

    // EXP-168, EXP-INV-30
    #[test]
    fn a_way_as_long_as_the_steps_left_is_none() {
        let graph = graph(&[0, 0, 1], &[(0, 1), (1, 2)], None);
        assert_eq!(plan(&graph, 0, 3), Some((2, 2)));
        assert_eq!(plan(&graph, 0, 2), None);
        assert_eq!(plan(&graph, 0, 0), None);
    }

    // EXP-169
    #[test]
    fn dropped_pages_are_not_aimed_at() {
        let graph = graph(&[0, 3, 1], &[(0, 1), (1, 2)], None);
        let dropped = FxHashSet::from_iter([page(1)]);
        let route = plan_route(&graph, &page(0), 9, &dropped).unwrap();
        assert_eq!(route.target, page(2));
    }

    proptest! {
        // EXP-167: no cheaper way exists, and the hops are recorded edges that join up.
        #[test]
        fn routes_are_cheapest(
            open in proptest::collection::vec(0..3usize, 2..10),
            edges in proptest::collection::vec((0..10usize, 0..10usize), 0..30),
            launch in proptest::option::of(0..10usize),
            steps_left in 0..8u32,
        ) {
            let pages = open.len();
            let edges: Vec<_> = edges
                .into_iter()
                .map(|(from, to)| (from % pages, to % pages))
                .collect();
            let launch = launch.map(|launch| launch % pages);
            let graph = graph(&open, &edges, launch);
            // Bellman and Ford.
            let mut costs = vec![u32::MAX; pages];
            costs[0] = 0;
            if let Some(launch) = launch.filter(|launch| *launch != 0) {
                costs[launch] = LAUNCH;
            }
            for _ in 0..pages {
                for (from, to) in &edges {
                    costs[*to] = costs[*to].min(costs[*from].saturating_add(EDGE));
                }
            }
            let best = (1..pages)
                .filter(|&number| open[number] > 0 && costs[number] < steps_left)
                .min_by_key(|&number| (costs[number], usize::MAX - open[number], number));
            let route = plan_route(&graph, &page(0), steps_left, &FxHashSet::default());
            prop_assert_eq!(
                route.as_ref().map(|route| (route.target.clone(), route.cost)),
                best.map(|best| (page(best), costs[best]))
            );
            let Some(route) = route else { return Ok(()) };
            let mut at = page(0);
            let mut cost = 0;
            for hop in &route.hops {
                prop_assert_eq!(&hop.from, &at);
                at = hop.to.clone();
                cost += if hop.replay == Replay::Launch { LAUNCH } else { EDGE };
            }
            prop_assert_eq!(at, route.target);
            prop_assert_eq!(cost, route.cost);
        }
    }
}
