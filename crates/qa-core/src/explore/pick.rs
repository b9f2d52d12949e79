//! What to do next on a page of the app (sections E, F, 15 and 18a).

use super::deed::Deed;
use super::run::Run;
use crate::{
    Arrival, Candidate, CandidateAction, Capability, ElementKey, Hop, Navigation, Replay, recheck,
};

/// What to do next on a page of the app.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Move {
    /// Try something unseen here.
    Try(Candidate),
    /// Take one hop towards a page with something unseen.
    Walk(Hop),
    /// Go to the address of a pop-up that was closed.
    Visit(String),
    /// Nothing unseen is left within reach.
    Exhausted,
}

/// How to leave an exhausted page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WayOut {
    /// One step back.
    Back,
    /// A new start.
    Relaunch,
    /// There is none: the exploration is complete.
    End,
}

impl Run<'_> {
    /// What to do next on the page in front. A hop that was just taken is judged first.
    pub(super) fn decide(&mut self) -> Move {
        let Some(here) = &self.here else {
            return Move::Exhausted;
        };
        let steps_left = self.ledger.steps_left();
        if self.navigator.target().is_some() {
            let arrival =
                self.navigator
                    .arrived(&mut self.graph, &here.page, here.is_new, steps_left);
            match arrival {
                Arrival::Explore => self.rounds = 0,
                Arrival::GoOn(route) => return first_hop(route.hops),
                Arrival::Exhausted => return Move::Exhausted,
            }
        }
        let page = here.page.clone();
        let pick = self.graph.pick_next_unseen(&page, &here.offered());
        let offered = |trial: ElementKey| {
            let mut offered = here.found.offered.iter();
            offered.find(|candidate| candidate.trial == trial).cloned()
        };
        let by_frontier = self.config.navigation == Navigation::Frontier;
        if let Some(candidate) = pick.picked.and_then(offered) {
            // A form that grows with each use would be used for ever.
            if pick.is_familiar
                && by_frontier
                && let Some(route) = self
                    .navigator
                    .plan_to_new(&mut self.graph, &page, steps_left)
            {
                return first_hop(route.hops);
            }
            self.navigator.tried();
            return Move::Try(candidate);
        }
        if self.can(Capability::Navigate)
            && let Some(url) = self.popups.pop_front()
        {
            return Move::Visit(url);
        }
        if by_frontier && let Some(route) = self.navigator.plan(&self.graph, &page, steps_left) {
            return first_hop(route.hops);
        }
        Move::Exhausted
    }

    /// A hop as an action on the page in front, unless what it needs is gone or refused now.
    pub(super) fn hop(&self, hop: &Hop) -> Option<Deed> {
        let deed = match &hop.replay {
            Replay::PressButton { .. } => Deed::back(),
            Replay::Navigate { url } => Deed::navigate(url),
            Replay::Tap { element_key } => self.repeat(|candidate| {
                candidate.key == *element_key && candidate.action == CandidateAction::Tap
            })?,
            Replay::Select {
                element_key,
                option,
            } => self.repeat(|candidate| {
                let chosen = CandidateAction::Select {
                    option: option.clone(),
                };
                candidate.key == *element_key && candidate.action == chosen
            })?,
            Replay::Launch
            | Replay::InputText { .. }
            | Replay::PressKey { .. }
            | Replay::Scroll { .. } => return None,
        };
        Some(deed.into_hop())
    }

    fn repeat(&self, is_meant: impl Fn(&Candidate) -> bool) -> Option<Deed> {
        let here = self.here.as_ref()?;
        let candidate = here.found.offered.iter().find(|offer| is_meant(offer))?;
        let index = recheck(&here.view, candidate, &self.boundary, &self.blocklist).ok()?;
        Some(Deed::of(candidate, here.view.nodes.get(index)?))
    }

    /// The way back that the app itself offers, where the platform has none (EXP-121).
    pub(super) fn back_element(&self) -> Option<Deed> {
        const NAMES: [&str; 2] = ["back", "返回"];
        let here = self.here.as_ref()?;
        let is_named_back = |candidate: &Candidate| {
            let node = here.view.nodes.get(candidate.node_index);
            node.is_some_and(|node| NAMES.contains(&crate::plain(&node.name).as_str()))
        };
        self.repeat(|candidate| {
            candidate.action == CandidateAction::Tap && is_named_back(candidate)
        })
    }
}

fn first_hop(hops: Vec<Hop>) -> Move {
    hops.into_iter().next().map_or(Move::Exhausted, Move::Walk)
}

/// How to leave an exhausted page in so manieth a round without a pick (EXP-120, EXP-122, D-03).
/// Right after a launch another one would only repeat itself.
pub(super) fn way_out(round: u32, navigation: Navigation, just_launched: bool) -> WayOut {
    match (round, navigation) {
        (..=1, _) | (2, Navigation::Back) => WayOut::Back,
        (2, Navigation::Frontier) if !just_launched => WayOut::Relaunch,
        _ => WayOut::End,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // EXP-122, EXP-INV-28
    #[test]
    fn the_third_exhausted_round_ends_the_run() {
        for navigation in [Navigation::Frontier, Navigation::Back] {
            for just_launched in [false, true] {
                assert_eq!(way_out(1, navigation, just_launched), WayOut::Back);
                assert_eq!(way_out(3, navigation, just_launched), WayOut::End);
                assert_eq!(way_out(4, navigation, just_launched), WayOut::End);
            }
        }
        assert_eq!(way_out(2, Navigation::Frontier, false), WayOut::Relaunch);
        assert_eq!(way_out(2, Navigation::Frontier, true), WayOut::End);
        assert_eq!(way_out(2, Navigation::Back, true), WayOut::Back);
    }
}
