//! The settle algorithm as a state machine over looks.

use std::time::Duration;

use rustc_hash::FxHashMap;

use super::{Projection, Settle, SettlePolicy};

/// Decides after each look whether a view has come to rest (REP-035, EXP-082).
///
/// A view is quiet since its projection last changed, since an animation last ran, since a look
/// last failed and since an open request was last seen, whichever is latest. A request that stays
/// open for a whole budget is no unrest: it is left out of account and named.
#[derive(Debug, Clone)]
pub struct SettleMachine {
    policy: SettlePolicy,
    proof: bool,
    may_widen: bool,
    started: Duration,
    before: Option<Projection>,
    last: Option<Projection>,
    last_effect: Option<Projection>,
    unchanged_since: Duration,
    disturbed_at: Option<Duration>,
    requests: FxHashMap<String, Open>,
    changed: bool,
    passes: u32,
    widened: bool,
}

/// An open request: when it was first and last seen, in a row.
#[derive(Debug, Clone, Copy)]
struct Open {
    first: Duration,
    last: Duration,
}

/// One look at the screen.
#[derive(Debug, Clone, Copy)]
pub struct Look<'a> {
    /// App time at which it began.
    pub at: Duration,
    /// What was seen; `None` when the screen could not be read.
    pub projection: Option<Projection>,
    /// The same without the mere echo of what was typed; `None` where nothing was. It tells whether
    /// something changed, never whether all is quiet (REP-112).
    pub effect: Option<Projection>,
    /// Whether a finite animation ran.
    pub animating: bool,
    /// Requests that are open, by address.
    pub pending: &'a [String],
}

impl SettleMachine {
    /// Begins at app time `now`. With a projection from before an action, quiet alone proves
    /// nothing: only a change, or enough time without one, ends it.
    #[must_use]
    pub fn new(
        policy: SettlePolicy,
        before: Option<Projection>,
        now: Duration,
        may_widen: bool,
    ) -> Self {
        Self {
            policy,
            proof: before.is_some(),
            may_widen,
            started: now,
            before,
            last: None,
            last_effect: None,
            unchanged_since: now,
            disturbed_at: None,
            requests: FxHashMap::default(),
            changed: false,
            passes: 0,
            widened: false,
        }
    }

    /// Takes one look into account; `None` means: let time pass and look again.
    pub fn look(&mut self, look: Look<'_>) -> Option<Settle> {
        self.passes += 1;
        let now = look.at;
        match look.projection {
            None => self.disturb(now),
            Some(projection) => {
                let effect = look.effect.unwrap_or(projection);
                let differs = |other: Option<Projection>| other.is_some_and(|o| o != effect);
                self.changed |= differs(self.last_effect) || differs(self.before);
                self.last_effect = Some(effect);
                if self.last != Some(projection) {
                    self.unchanged_since = now;
                }
                self.last = Some(projection);
            }
        }
        if look.animating {
            self.disturb(now);
        }
        self.note_requests(now, look.pending);
        self.conclude(now, look.projection.is_some())
    }

    /// How long it takes at least until a look can end this, if nothing happens until then.
    #[must_use]
    pub fn due(&self, now: Duration) -> Duration {
        let quiet_at = self.quiet_since() + self.quiet_needed();
        let elapsed_at = if self.proof && !self.changed {
            quiet_at.max(self.started + self.patience())
        } else {
            quiet_at
        };
        elapsed_at.min(self.deadline().max(now)).saturating_sub(now)
    }

    /// What is known before it has come to rest.
    #[must_use]
    pub fn so_far(&self) -> Settle {
        if self.changed {
            Settle::Changed
        } else {
            Settle::Unchanged
        }
    }

    /// Whether the wider budget was used.
    #[must_use]
    pub fn widened(&self) -> bool {
        self.widened
    }

    /// Looks so far.
    #[must_use]
    pub fn passes(&self) -> u32 {
        self.passes
    }

    /// Requests that were left out of account.
    #[must_use]
    pub fn ignored(&self) -> Vec<String> {
        let mut ignored: Vec<_> = self
            .requests
            .iter()
            .filter(|(_, open)| self.is_old(**open))
            .map(|(address, _)| address.clone())
            .collect();
        ignored.sort();
        ignored
    }

    fn conclude(&mut self, now: Duration, seen: bool) -> Option<Settle> {
        let enough_views = !self.proof || self.passes >= 2;
        let quiet = seen && now.saturating_sub(self.quiet_since()) >= self.quiet_needed();
        let elapsed = now.saturating_sub(self.started);
        if quiet && enough_views {
            if self.changed {
                return Some(Settle::Changed);
            }
            if !self.proof || elapsed >= self.patience() {
                return Some(Settle::Unchanged);
            }
        }
        if now < self.deadline() || !enough_views {
            return None;
        }
        if !self.widened && self.may_widen && self.policy.adaptive > self.policy.budget {
            self.widened = true;
            if now < self.deadline() {
                return None;
            }
        }
        Some(Settle::Unsettled)
    }

    fn disturb(&mut self, now: Duration) {
        self.disturbed_at = Some(now);
    }

    fn note_requests(&mut self, now: Duration, pending: &[String]) {
        let first = if self.passes <= 2 { self.started } else { now };
        for address in pending {
            self.requests
                .entry(address.clone())
                .and_modify(|open| open.last = now)
                .or_insert(Open { first, last: now });
        }
        // A request that ended and comes again is a new one, unless it had become old.
        let budget = self.policy.budget;
        self.requests.retain(|_, open| {
            open.last == now || open.last.saturating_sub(open.first) >= budget || {
                self.disturbed_at = self.disturbed_at.max(Some(open.last));
                false
            }
        });
    }

    fn is_old(&self, open: Open) -> bool {
        open.last.saturating_sub(open.first) >= self.policy.budget
    }

    fn quiet_since(&self) -> Duration {
        let open = self
            .requests
            .values()
            .filter(|open| !self.is_old(**open))
            .map(|open| open.last)
            .max();
        self.unchanged_since
            .max(self.disturbed_at.unwrap_or_default())
            .max(open.unwrap_or_default())
    }

    fn quiet_needed(&self) -> Duration {
        if self.changed {
            self.policy.post_quiet
        } else {
            self.policy.quiet
        }
    }

    /// App time without a change after which there will be none.
    fn patience(&self) -> Duration {
        self.policy.unchanged_after.min(self.policy.budget)
    }

    fn deadline(&self) -> Duration {
        let span = if self.widened {
            self.policy.adaptive
        } else {
            self.policy.budget
        };
        self.started + span
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Completeness, Observation, Platform};

    const MS: fn(u64) -> Duration = Duration::from_millis;

    fn projection(title: &str) -> Projection {
        Projection::of(&Observation {
            platform: Platform::Web,
            front: None,
            url: None,
            title: title.into(),
            viewport: (0.0, 0.0),
            nodes: Vec::new(),
            completeness: Completeness::default(),
            document: 1,
            animating: Vec::new(),
        })
    }

    /// Looks every 50 ms at what `screen` says is there: `None` cannot be read, a trailing `~`
    /// means that something is animated, `@x` that a request to x is open.
    fn run(
        policy: SettlePolicy,
        before: Option<&str>,
        may_widen: bool,
        screen: impl Fn(u64) -> Option<&'static str>,
    ) -> (Settle, u64, SettleMachine) {
        let start = MS(10_000);
        let before = before.map(projection);
        let mut machine = SettleMachine::new(policy, before, start, may_widen);
        for passed in (0..).step_by(50) {
            let seen = screen(passed);
            let pending: Vec<String> = seen
                .and_then(|seen| seen.split_once('@'))
                .map(|(_, address)| address.to_owned())
                .into_iter()
                .collect();
            let outcome = machine.look(Look {
                at: start + MS(passed),
                effect: None,
                projection: seen
                    .map(|seen| projection(seen.trim_end_matches('~').split('@').next().unwrap())),
                animating: seen.is_some_and(|seen| seen.ends_with('~')),
                pending: &pending,
            });
            if let Some(outcome) = outcome {
                return (outcome, passed, machine);
            }
            assert!(passed < 60_000, "it never ends");
        }
        unreachable!()
    }

    fn check(
        policy: SettlePolicy,
        before: Option<&str>,
        screen: impl Fn(u64) -> Option<&'static str>,
        expected: (Settle, u64),
    ) {
        let (outcome, passed, _) = run(policy, before, false, screen);
        assert_eq!((outcome, passed), expected);
    }

    const EXPLORE: SettlePolicy = SettlePolicy::EXPLORE;
    const PROVE: SettlePolicy = SettlePolicy::PROVE;

    // EXP-082, D-04, REP-035
    #[test]
    fn nothing_changed_is_concluded_after_its_time() {
        check(EXPLORE, Some("a"), |_| Some("a"), (Settle::Unchanged, 1500));
        check(PROVE, Some("a"), |_| Some("a"), (Settle::Unchanged, 2500));
    }

    // REP-037
    #[test]
    fn without_an_action_quiet_is_enough() {
        check(EXPLORE, None, |_| Some("a"), (Settle::Unchanged, 300));
        let late = |at| Some(if at < 200 { "a" } else { "b" });
        check(EXPLORE, None, late, (Settle::Changed, 800));
    }

    // REP-035 (a)
    #[test]
    fn a_change_needs_the_longer_quiet() {
        check(EXPLORE, Some("a"), |_| Some("b"), (Settle::Changed, 600));
        let late = |at| Some(if at < 1000 { "a" } else { "b" });
        check(EXPLORE, Some("a"), late, (Settle::Changed, 1600));
        let twice = |at| Some(if at < 500 { "b" } else { "c" });
        check(EXPLORE, Some("a"), twice, (Settle::Changed, 1100));
    }

    // REP-036
    #[test]
    fn a_return_to_the_view_before_is_a_change() {
        let blink = |at| Some(if at == 100 { "b" } else { "a" });
        check(PROVE, Some("a"), blink, (Settle::Changed, 750));
    }

    // REP-035 (c), REP-039
    #[test]
    fn what_never_rests_is_unsettled_and_widens_once() {
        let churn = |at: u64| Some(if at.is_multiple_of(100) { "a" } else { "b" });
        check(EXPLORE, Some("a"), churn, (Settle::Unsettled, 2500));
        let (outcome, passed, machine) = run(EXPLORE, Some("a"), true, churn);
        assert_eq!((outcome, passed), (Settle::Unsettled, 6000));
        assert!(machine.widened());
        let calms = |at: u64| {
            Some(if at < 3000 && at.is_multiple_of(100) {
                "a"
            } else {
                "b"
            })
        };
        let (outcome, passed, machine) = run(EXPLORE, Some("a"), true, calms);
        assert_eq!((outcome, passed), (Settle::Changed, 3550));
        assert!(machine.widened());
        // A quiet unchanged view never widens.
        assert!(!run(PROVE, Some("a"), true, |_| Some("a")).2.widened());
    }

    // REP-035 (d)
    #[test]
    fn a_failed_look_breaks_quiet() {
        let gap = |at| (at != 300).then_some("b");
        check(EXPLORE, Some("a"), gap, (Settle::Changed, 900));
        check(EXPLORE, Some("a"), |_| None, (Settle::Unsettled, 2500));
        let fails_late = |at| (at < 200).then_some("b");
        check(EXPLORE, Some("a"), fails_late, (Settle::Unsettled, 2500));
    }

    // WEB-076
    #[test]
    fn an_animated_view_is_not_at_rest() {
        let moving = |at| Some(if at <= 400 { "b~" } else { "b" });
        check(EXPLORE, Some("a"), moving, (Settle::Changed, 1000));
        check(
            EXPLORE,
            Some("a"),
            |_| Some("b~"),
            (Settle::Unsettled, 2500),
        );
    }

    // WEB-073
    #[test]
    fn an_open_request_is_unrest() {
        let loading = |at| Some(if at <= 700 { "b@/api" } else { "b" });
        let (outcome, passed, machine) = run(EXPLORE, Some("a"), false, loading);
        assert_eq!((outcome, passed), (Settle::Changed, 1300));
        assert!(machine.ignored().is_empty());
    }

    // WEB-074
    #[test]
    fn a_request_that_never_ends_stops_counting_and_is_named() {
        let polling = |_| Some("b@/poll");
        let (outcome, passed, machine) = run(EXPLORE, Some("a"), false, polling);
        assert_eq!((outcome, passed), (Settle::Changed, 2500));
        assert_eq!(machine.ignored(), ["/poll"]);
    }

    // REP-040
    #[test]
    fn an_action_takes_at_least_two_views() {
        let mut machine = SettleMachine::new(EXPLORE, Some(projection("a")), MS(0), false);
        let look = |at| Look {
            at,
            projection: Some(projection("a")),
            effect: None,
            animating: false,
            pending: &[],
        };
        assert_eq!(machine.look(look(MS(9000))), None);
        assert_eq!(machine.look(look(MS(9400))), Some(Settle::Unchanged));
    }

    proptest! {
        // REP-035, EXP-INV-31, REP-INV-12: it ends by itself, not before quiet, not after the deadline.
        #[test]
        fn it_always_ends_in_time(
            pages in proptest::collection::vec(0..4usize, 1..80),
            proof in any::<bool>(),
            may_widen in any::<bool>(),
        ) {
            const SEEN: [Option<&str>; 4] = [Some("a"), Some("b"), Some("b~"), None];
            let screen = |at: u64| {
                let index = usize::try_from(at / 50).unwrap().min(pages.len() - 1);
                SEEN[pages[index]]
            };
            let before = proof.then_some("a");
            let (outcome, passed, machine) = run(EXPLORE, before, may_widen, screen);
            let limit = if machine.widened() { 6000 } else { 2500 };
            prop_assert!(passed <= limit);
            let quiet = match outcome {
                Settle::Changed => 600,
                Settle::Unchanged => 300,
                Settle::Unsettled => return Ok(()),
            };
            for at in (0..quiet).step_by(50) {
                prop_assert!(screen(passed - at) == screen(passed));
            }
            prop_assert!(outcome != Settle::Unchanged || !proof || passed >= 1500);
        }

        // REP-INV-12: it widens once at most, and never on a view that is quiet.
        #[test]
        fn it_widens_only_what_does_not_rest(
            pages in proptest::collection::vec(0..4usize, 1..160),
            proof in any::<bool>(),
        ) {
            const SEEN: [Option<&str>; 4] = [Some("a"), Some("b"), Some("b~"), None];
            let screen = |at: u64| {
                let index = usize::try_from(at / 50).unwrap().min(pages.len() - 1);
                SEEN[pages[index]]
            };
            let before = proof.then_some("a");
            let (_, passed, machine) = run(PROVE, before, true, screen);
            prop_assert_eq!(machine.widened(), passed > 2_500);
            let is_same = (1_900..=2_500).step_by(50).all(|at| screen(at) == screen(2_500));
            let rests = is_same && matches!(screen(2_500), Some("a" | "b"));
            prop_assert!(!(machine.widened() && rests));
        }

        // REP-INV-31: with a mask or without one, a view has to be quiet as long, of all that it
        // shows; a mask only tells what is no change.
        #[test]
        fn a_mask_never_changes_what_is_quiet(
            pages in proptest::collection::vec(0..3usize, 1..80),
            masked in proptest::collection::vec(0..2usize, 80),
        ) {
            const SEEN: [&str; 3] = ["a", "b", "c"];
            let shown = |at: u64| {
                let index = usize::try_from(at / 50).unwrap();
                (pages[index.min(pages.len() - 1)], masked[index.min(79)])
            };
            let start = MS(10_000);
            let before = Some(projection("before"));
            let mut machine = SettleMachine::new(PROVE, before, start, false);
            for passed in (0..).step_by(50) {
                let (page, mask) = shown(passed);
                let outcome = machine.look(Look {
                    at: start + MS(passed),
                    projection: Some(projection(SEEN[page])),
                    effect: Some(projection(["before", "other"][mask])),
                    animating: false,
                    pending: &[],
                });
                let Some(outcome) = outcome else { continue };
                let needed = match outcome {
                    Settle::Changed => 600,
                    Settle::Unchanged => 300,
                    Settle::Unsettled => break,
                };
                for ago in (0..needed).step_by(50) {
                    prop_assert_eq!(shown(passed - ago).0, page);
                }
                let has_changed = (0..=passed).step_by(50).any(|at| shown(at).1 == 1);
                prop_assert_eq!(outcome == Settle::Changed, has_changed);
                break;
            }
        }

        // The wait that is proposed never skips the end.
        #[test]
        fn waiting_until_due_ends_no_later(change_at in 0..2000u64) {
            let screen = |at: u64| if at < change_at { "a" } else { "b" };
            let mut machine = SettleMachine::new(EXPLORE, Some(projection("a")), MS(0), false);
            let mut at = 0;
            let mut looks = 0;
            loop {
                let outcome = machine.look(Look {
                    at: MS(at),
                    projection: Some(projection(screen(at))),
                effect: None,
                    animating: false,
                    pending: &[],
                });
                looks += 1;
                if outcome.is_some() {
                    break;
                }
                let wait = machine.due(MS(at)).clamp(MS(1), MS(250));
                at += u64::try_from(wait.as_millis()).unwrap();
            }
            prop_assert!(at <= 2500);
            prop_assert!(looks <= 14);
        }
    }
}
