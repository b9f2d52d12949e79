//! Walks routes hop by hop and gives up targets that get no nearer.

use rustc_hash::FxHashSet;

use super::StateGraph;
use super::route::{Hop, Route, plan_route, route_to};
use crate::Fingerprint;

/// Walks routes to pages with something unseen, hop by hop.
///
/// The loop asks [`plan`](Navigator::plan) when a page is exhausted, takes the first hop as a
/// formal step, and asks [`arrived`](Navigator::arrived) with the page it really came to.
#[derive(Debug, Clone, Default)]
pub struct Navigator {
    dropped: FxHashSet<Fingerprint>,
    aim: Option<Aim>,
}

#[derive(Debug, Clone)]
struct Aim {
    target: Fingerprint,
    cost: u32,
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
            self.dropped.remove(at);
            return Arrival::Explore;
        }
        if aim.target == *at {
            // Nothing is left of what was open there: the target is no frontier page any more.
            return self.next(graph, at, steps_left);
        }
        match route_to(graph, at, &aim.target, steps_left) {
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
        self.dropped.remove(page);
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

    fn next(&mut self, graph: &StateGraph, at: &Fingerprint, steps_left: u32) -> Arrival {
        self.plan(graph, at, steps_left)
            .map_or(Arrival::Exhausted, Arrival::GoOn)
    }

    fn aim_at(&mut self, route: &Route, stalled: bool) {
        self.aim = route.hops.first().map(|hop| Aim {
            target: route.target.clone(),
            cost: route.cost,
            hop: hop.clone(),
            stalled,
        });
    }
}
