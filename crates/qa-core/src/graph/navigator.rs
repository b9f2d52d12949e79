//! Walks routes hop by hop and gives up targets that get no nearer.

use rustc_hash::FxHashSet;

use super::route::Ways;
use super::route::{Hop, Route, plan_route, plan_route_to_new, reachable, route_to};
use super::{FrontierPage, StateGraph};
use crate::{Fingerprint, Unexplored, UnexploredReason};

/// Walks routes to pages with something unseen, hop by hop.
///
/// The loop asks [`plan`](Navigator::plan) when a page is exhausted, takes the first hop as a
/// formal step, and asks [`arrived`](Navigator::arrived) with the page it really came to.
#[derive(Debug, Clone, Default)]
pub struct Navigator {
    dropped: FxHashSet<Fingerprint>,
    aim: Option<Aim>,
    /// Hops that are left for a journey to something new.
    journey: Option<u32>,
    /// How large the graph was when nothing new could be reached.
    nothing_new: Option<(usize, usize)>,
}

#[derive(Debug, Clone)]
struct Aim {
    target: Fingerprint,
    cost: u32,
    ways: Ways,
    hop: Hop,
    /// A hop that brought the target no nearer was forgiven.
    stalled: bool,
}

/// What to do after a hop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Arrival {
    /// There is something to try here.
    Explore,
    /// Go on with the first hop of this route.
    GoOn(Route),
    /// Nothing reachable is left: the page is exhausted.
    Exhausted,
}

impl Navigator {
    /// The way to take from an exhausted page, if there is one; its first hop is the next step.
    pub fn plan(
        &mut self,
        graph: &StateGraph,
        from: &Fingerprint,
        steps_left: u32,
    ) -> Option<Route> {
        self.aim = None;
        let route = plan_route(graph, from, steps_left, &self.dropped)?;
        self.aim_at(&route, false);
        Some(route)
    }

    /// The way from a page where all that is left is familiar to one with something new. A journey
    /// that takes more than twice its length is broken off, and its target dropped.
    pub fn plan_to_new(
        &mut self,
        graph: &mut StateGraph,
        from: &Fingerprint,
        steps_left: u32,
    ) -> Option<Route> {
        self.aim = None;
        let size = (graph.page_count(), graph.edge_count());
        if self.nothing_new == Some(size) {
            return None;
        }
        let Some(route) = plan_route_to_new(graph, from, steps_left, &self.dropped) else {
            self.nothing_new = Some(size);
            return None;
        };
        let left = self.journey.get_or_insert(2 * route.cost + 2);
        let Some(fewer) = left.checked_sub(1) else {
            self.dropped.insert(route.target);
            return None;
        };
        *left = fewer;
        self.aim_at(&route, false);
        Some(route)
    }

    /// Something was tried: the next journey is another.
    pub fn tried(&mut self) {
        self.journey = None;
    }

    /// After a hop, with the page it came to and what can be tried there already stored by
    /// [`StateGraph::visit`], or `None` where the hop could not be done and the app is where it
    /// was. An edge that led elsewhere is counted as missed.
    pub fn arrived(
        &mut self,
        graph: &mut StateGraph,
        at: &Fingerprint,
        is_new: bool,
        steps_left: u32,
    ) -> Arrival {
        let Some(aim) = self.aim.take() else {
            return Arrival::Explore;
        };
        if aim.hop.to != *at {
            graph.miss_edge(&aim.hop.from, &aim.hop.replay, &aim.hop.to);
        }
        if is_new || graph.has_open_keys(at) {
            self.seen(at);
            return Arrival::Explore;
        }
        if aim.target == *at {
            // Nothing is left of what was open there: the target is no frontier page any more.
            return self.next(graph, at, steps_left);
        }
        match route_to(graph, at, &aim.target, steps_left, aim.ways) {
            Some(route) if route.cost < aim.cost => {
                self.aim_at(&route, false);
                Arrival::GoOn(route)
            }
            Some(route) if route.cost == aim.cost && !aim.stalled => {
                self.aim_at(&route, true);
                Arrival::GoOn(route)
            }
            _ => {
                self.dropped.insert(aim.target);
                self.next(graph, at, steps_left)
            }
        }
    }

    /// A page was seen, in whatever way: it may be aimed at again.
    pub fn seen(&mut self, page: &Fingerprint) {
        if self.dropped.remove(page) {
            self.nothing_new = None;
        }
    }

    /// Whether a page is not aimed at because the way there did not work.
    #[must_use]
    pub fn is_dropped(&self, page: &Fingerprint) -> bool {
        self.dropped.contains(page)
    }

    /// Where it is going.
    #[must_use]
    pub fn target(&self) -> Option<&Fingerprint> {
        self.aim.as_ref().map(|aim| &aim.target)
    }

    /// The pages that are left with something unseen at the end of a run, and why (EXP-171).
    #[must_use]
    pub fn unexplored(&self, graph: &StateGraph, at: &Fingerprint) -> Vec<Unexplored> {
        let reachable = reachable(graph, at);
        let reason = |found: &FrontierPage| {
            if found.page.0.starts_with("visual:") {
                UnexploredReason::VisualOnly
            } else if self.is_dropped(&found.page) {
                UnexploredReason::Dropped
            } else if graph
                .pages
                .get(&found.page)
                .is_some_and(|page| reachable.contains(page))
            {
                UnexploredReason::Budget
            } else {
                UnexploredReason::Unreachable
            }
        };
        graph
            .frontier_pages()
            .chain(graph.visual_pages())
            .map(|found| Unexplored {
                reason: reason(&found),
                page: found.page,
                summary: found.summary,
                open_keys: found.open_keys,
            })
            .collect()
    }

    fn next(&mut self, graph: &StateGraph, at: &Fingerprint, steps_left: u32) -> Arrival {
        self.plan(graph, at, steps_left)
            .map_or(Arrival::Exhausted, Arrival::GoOn)
    }

    fn aim_at(&mut self, route: &Route, stalled: bool) {
        self.aim = route.hops.first().map(|hop| Aim {
            target: route.target.clone(),
            cost: route.cost,
            ways: route.ways,
            hop: hop.clone(),
            stalled,
        });
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{EdgeInfo, ElementKey, PageInfo, Replay};

    fn page(number: usize) -> Fingerprint {
        Fingerprint(format!("{number:012}"))
    }

    fn key(number: usize) -> ElementKey {
        ElementKey(format!("id:{number}"))
    }

    fn tap(number: usize) -> Replay {
        Replay::Tap {
            element_key: key(number),
        }
    }

    fn visit(graph: &mut StateGraph, number: usize, open: usize) -> bool {
        let offered: Vec<_> = (100..100 + open).map(key).collect();
        graph.visit(&page(number), PageInfo::default(), &offered)
    }

    fn join(graph: &mut StateGraph, from: usize, by: usize, to: usize) {
        graph.record_edge(EdgeInfo {
            from: page(from),
            replay: tap(by),
            action: "tap".into(),
            to: page(to),
            at_ms: 0,
            via_screenshot: false,
            late: false,
            failed: false,
            crashed: false,
        });
    }

    /// 0 → 1 → 2, with something open on 2.
    fn chain() -> StateGraph {
        let mut graph = StateGraph::default();
        for (number, open) in [(0, 0), (1, 0), (2, 2)] {
            visit(&mut graph, number, open);
        }
        join(&mut graph, 0, 1, 1);
        join(&mut graph, 1, 2, 2);
        graph
    }

    /// 0 → 1 → 2, with a familiar key on 1 and another one on 2.
    fn chain_to_new() -> StateGraph {
        let mut graph = StateGraph::default();
        for number in 7..10 {
            graph.mark_seen(&page(9), &key(number));
        }
        for (number, open) in [(0, "id:1"), (1, "id:2"), (2, "other")] {
            graph.visit(
                &page(number),
                PageInfo::default(),
                &[ElementKey(open.into())],
            );
        }
        join(&mut graph, 0, 1, 1);
        join(&mut graph, 1, 2, 2);
        graph
    }

    // EXP-124, EXP-167
    #[test]
    fn it_goes_past_what_is_familiar_to_what_is_new() {
        let mut graph = chain_to_new();
        let mut navigator = Navigator::default();
        let near = navigator.plan(&graph, &page(0), 10).unwrap();
        let new = navigator.plan_to_new(&mut graph, &page(0), 10).unwrap();
        assert_eq!((near.target, new.target), (page(1), page(2)));
        graph.mark_seen(&page(2), &ElementKey("other".into()));
        assert_eq!(navigator.plan_to_new(&mut graph, &page(0), 10), None);
    }

    // EXP-169: a way that leads nowhere is not walked for ever.
    #[test]
    fn a_journey_that_gets_no_nearer_ends() {
        let mut graph = chain_to_new();
        let mut navigator = Navigator::default();
        let mut walked = 0;
        while navigator.plan_to_new(&mut graph, &page(0), 100).is_some() {
            navigator.arrived(&mut graph, &page(1), false, 100);
            walked += 1;
            assert!(walked < 20);
        }
        assert_eq!(walked, 6);
        navigator.tried();
        assert_eq!(navigator.plan_to_new(&mut graph, &page(0), 100), None);
        navigator.seen(&page(2));
        assert!(navigator.plan_to_new(&mut graph, &page(0), 100).is_some());
    }

    // EXP-169
    #[test]
    fn it_walks_hop_by_hop_to_its_target() {
        let mut graph = chain();
        let mut navigator = Navigator::default();
        let route = navigator.plan(&graph, &page(0), 10).unwrap();
        assert_eq!(
            (route.cost, &route.target, route.hops.len()),
            (2, &page(2), 2)
        );
        let Arrival::GoOn(route) = navigator.arrived(&mut graph, &page(1), false, 9) else {
            panic!("it goes on");
        };
        assert_eq!(route.cost, 1);
        assert_eq!(
            navigator.arrived(&mut graph, &page(2), false, 8),
            Arrival::Explore
        );
        assert_eq!(navigator.target(), None);
    }

    // EXP-169
    #[test]
    fn an_unknown_page_or_one_with_something_open_is_explored_where_it_is_met() {
        let mut graph = chain();
        let mut navigator = Navigator::default();
        navigator.plan(&graph, &page(0), 10).unwrap();
        let new = visit(&mut graph, 7, 0);
        assert!(new);
        assert_eq!(
            navigator.arrived(&mut graph, &page(7), new, 9),
            Arrival::Explore
        );
        navigator.plan(&graph, &page(0), 10).unwrap();
        visit(&mut graph, 8, 1);
        assert_eq!(
            navigator.arrived(&mut graph, &page(8), false, 9),
            Arrival::Explore
        );
    }

    // EXP-169, EXP-TRAP-26
    #[test]
    fn a_target_that_gets_no_nearer_is_dropped_until_it_is_seen() {
        let mut graph = chain();
        let mut navigator = Navigator::default();
        navigator.plan(&graph, &page(0), 10).unwrap();
        // The hop led back to where it started: forgiven once.
        assert!(matches!(
            navigator.arrived(&mut graph, &page(0), false, 9),
            Arrival::GoOn(_)
        ));
        assert_eq!(
            navigator.arrived(&mut graph, &page(0), false, 8),
            Arrival::Exhausted
        );
        assert!(navigator.is_dropped(&page(2)));
        assert_eq!(navigator.plan(&graph, &page(1), 10), None);
        navigator.seen(&page(2));
        assert!(navigator.plan(&graph, &page(1), 10).is_some());
    }

    // EXP-170
    #[test]
    fn a_target_without_anything_open_left_is_given_up() {
        let mut graph = chain();
        let mut navigator = Navigator::default();
        navigator.plan(&graph, &page(1), 10).unwrap();
        visit(&mut graph, 2, 0);
        assert_eq!(
            navigator.arrived(&mut graph, &page(2), false, 9),
            Arrival::Exhausted
        );
    }

    // EXP-171
    #[test]
    fn what_is_left_has_its_reason() {
        let mut graph = chain();
        visit(&mut graph, 3, 1);
        visit(&mut graph, 4, 1);
        join(&mut graph, 0, 4, 4);
        let offered = [key(1)];
        let visual = Fingerprint("visual:000000000000".into());
        graph.visit(&visual, PageInfo::default(), &offered);
        let mut navigator = Navigator::default();
        navigator.dropped.insert(page(4));
        let left: Vec<_> = navigator
            .unexplored(&graph, &page(0))
            .into_iter()
            .map(|left| (left.page, left.reason, left.open_keys.len()))
            .collect();
        assert_eq!(
            left,
            [
                (page(2), UnexploredReason::Budget, 2),
                (page(3), UnexploredReason::Unreachable, 1),
                (page(4), UnexploredReason::Dropped, 1),
                (visual, UnexploredReason::VisualOnly, 1),
            ]
        );
    }

    /// What taps really do, which may differ from what was recorded.
    #[derive(Debug, Clone)]
    struct World {
        pages: usize,
        open: Vec<usize>,
        recorded: Vec<(usize, usize, usize)>,
        real: Vec<usize>,
        launch: usize,
    }

    fn any_world() -> impl Strategy<Value = World> {
        (2..9usize).prop_flat_map(|pages| {
            (
                proptest::collection::vec(0..3usize, pages),
                proptest::collection::vec((0..pages, 0..6usize, 0..pages), 0..24),
                proptest::collection::vec(0..pages, 8),
                0..pages,
            )
                .prop_map(move |(open, recorded, real, launch)| World {
                    pages,
                    open,
                    recorded,
                    real,
                    launch,
                })
        })
    }

    proptest! {
        // EXP-INV-29, EXP-INV-30: in any world, with edges that mislead, navigation ends; the cost
        // to one target never rises; a dropped target is not aimed at; no hop without the steps.
        #[test]
        fn navigation_ends_and_never_gets_farther(world in any_world(), budget in 1..60u32) {
            let mut graph = StateGraph::default();
            let mut open = world.open.clone();
            for (number, open) in open.iter().enumerate() {
                visit(&mut graph, number, *open);
            }
            for (from, by, to) in &world.recorded {
                join(&mut graph, *from, *by, *to);
            }
            graph.set_launch_page(&page(world.launch));
            let mut navigator = Navigator::default();
            let mut at = 0;
            let mut steps_left = budget;
            let mut hops = 0;
            let mut costs: Vec<(Fingerprint, u32)> = Vec::new();
            let mut route = navigator.plan(&graph, &page(at), steps_left);
            while let Some(way) = route.take() {
                prop_assert!(way.cost < steps_left);
                prop_assert!(!navigator.is_dropped(&way.target));
                if let Some((target, cost)) = costs.last() {
                    prop_assert!(*target != way.target || way.cost <= *cost);
                }
                costs.push((way.target.clone(), way.cost));
                let hop = &way.hops[0];
                prop_assert_eq!(&hop.from, &page(at));
                // Odd hops do what was recorded, others what the world likes.
                let to = if hops % 2 == 1 {
                    (0..world.pages).find(|number| page(*number) == hop.to).unwrap()
                } else {
                    world.real[hops % world.real.len()]
                };
                hops += 1;
                prop_assert!(hops <= 2 * budget as usize);
                steps_left -= 1;
                at = to;
                if hop.to == page(to) && hop.replay != Replay::Launch {
                    let from = hop.from.0.parse().unwrap();
                    let by = (0..6).find(|by| tap(*by) == hop.replay).unwrap();
                    join(&mut graph, from, by, to);
                }
                visit(&mut graph, at, open[at]);
                navigator.seen(&page(at));
                match navigator.arrived(&mut graph, &page(at), false, steps_left) {
                    Arrival::GoOn(next) => route = Some(next),
                    Arrival::Exhausted => {}
                    Arrival::Explore => {
                        // A pick: something is tried here.
                        open[at] = open[at].saturating_sub(1);
                        visit(&mut graph, at, open[at]);
                        costs.clear();
                        steps_left = steps_left.saturating_sub(1);
                        if open[at] == 0 {
                            route = navigator.plan(&graph, &page(at), steps_left);
                        }
                    }
                }
            }
        }
    }
}
