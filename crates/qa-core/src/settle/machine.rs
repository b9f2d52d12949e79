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
                if self.last.is_some_and(|last| last != projection) {
                    self.changed = true;
                }
                if self.before.is_some_and(|before| before != projection) {
                    self.changed = true;
                }
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
        if now < self.deadline() {
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
