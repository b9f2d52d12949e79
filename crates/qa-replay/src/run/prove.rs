//! Whether what is claimed is so, on views that are newer than the action.

use std::time::Duration;

use qa_core::{
    Assertion, Awaited, Claim, DriverError, Judgement, Located, Observation, Settled, Verdict,
    judge, locate,
};

use super::anchor::{ScopeRefusal, judge_scroll};
use super::report::StepResult;
use super::runner::Runner;
use super::scope::{self, Scoped};
use super::step::Done;
use super::target::Aim;
use crate::Step;

/// What a view says of a claim, and of the container that it is made of.
pub(super) struct Judged {
    pub(super) judgement: Judgement,
    pub(super) scoped: Option<Scoped>,
    pub(super) refusal: Option<ScopeRefusal>,
}

impl Runner<'_> {
    /// What the page as it was last seen says of a claim that is to be proven after an action.
    pub(super) fn held(&self, assertion: &Assertion) -> Held {
        match &self.view {
            Some(settled) => Held::of(assertion, &settled.view),
            None => Held::Perhaps,
        }
    }

    /// Looks until the claim of a step is proven, or the time for it is spent (REP-043, D-05).
    pub(super) async fn await_proof(
        &mut self,
        step: &Step,
        done: &Done,
        result: &mut StepResult,
    ) -> Result<(), DriverError> {
        self.acted_at = self.ports.driver.now();
        let without_echo = |view: &Observation| done.aim.echo.without(view);
        // What held before proves nothing by holding still, nor does an absence by being seen early.
        let is_newly_there = step.assert.claim.is_positive() && done.held_before != Held::Yes;
        // What a field shows of what was typed is the device's doing, not the app's: whether the app
        // leaves it so is seen at rest.
        let is_echo = done.aim.echo.is_heard() && matches!(step.assert.claim, Claim::NodeValue(_));
        // That an element is the one that was scrolled to is seen at rest only, too.
        let may_be_early = is_newly_there && !is_echo && done.aim.anchor.is_none();
        let is_proven = |view: &Observation| may_be_early && proves(&step.assert, view);
        let awaited = Awaited {
            before: (!is_echo).then_some(done.before),
            without_echo: Some(&without_echo),
            is_proven: Some(&is_proven),
        };
        self.settle(&awaited).await?;
        if !is_newly_there {
            self.spend_budget().await?;
        }
        let aim = Some(&done.aim);
        match self.judge_in_time(&step.assert, aim, &is_proven).await? {
            Some(InTime {
                judged,
                attempts,
                elapsed_ms,
            }) => {
                result.attempts = attempts;
                result.elapsed_ms = elapsed_ms;
                self.store(&step.assert, judged, result);
            }
            None => self.unsettled(result),
        }
        Ok(())
    }

    /// Judges a claim, a positive one that does not hold yet again and again until the time since
    /// the last action is spent. Nothing where the page does not come to rest.
    pub(super) async fn judge_in_time(
        &mut self,
        assertion: &Assertion,
        aim: Option<&Aim>,
        is_proven: &(dyn Fn(&Observation) -> bool + Send + Sync),
    ) -> Result<Option<InTime>, DriverError> {
        let mut attempts = 1;
        loop {
            let Some(judged) = self.judge_closely(assertion, aim).await? else {
                return Ok(None);
            };
            let waited = self.ports.driver.now().saturating_sub(self.acted_at);
            let may_come = judged.judgement.may_come && assertion.claim.is_positive();
            if !may_come || !self.may_wait(waited) {
                let is_again = attempts > 1;
                return Ok(Some(InTime {
                    judged,
                    attempts: is_again.then_some(attempts),
                    elapsed_ms: u64::try_from(waited.as_millis()).ok().filter(|_| is_again),
                }));
            }
            attempts += 1;
            let again = Awaited {
                is_proven: Some(is_proven),
                ..Awaited::default()
            };
            self.settle(&again).await?;
        }
    }

    /// Lets the rest of the budget since an action pass, and looks again. A page that changes by
    /// itself comes to rest before the action had its outcome: what is then still there may go, and
    /// what is not there may come (REP-TRAP-23). Judged once, at the end, never until it is so.
    pub(super) async fn spend_budget(&mut self) -> Result<(), DriverError> {
        let left = self.left();
        let is_early = |settled: &Settled| settled.record.proven_early;
        if left.is_zero() && !self.view.as_ref().is_some_and(is_early) {
            return Ok(());
        }
        if !left.is_zero() {
            self.ports.driver.advance(left).await?;
        }
        self.settle(&Awaited::default()).await
    }

    /// Whether a positive claim may still come true; the wider budget is used once in a session.
    fn may_wait(&mut self, waited: Duration) -> bool {
        if waited < self.policy.budget {
            return true;
        }
        if waited < self.policy.adaptive && self.may_widen {
            self.widen("assertion-retry");
            return true;
        }
        false
    }

    /// Judges a claim, and once more on a closer look where it rests on what was not seen (REP-049,
    /// REP-059). Nothing where the page is not at rest: that proves nothing.
    pub(super) async fn judge_closely(
        &mut self,
        assertion: &Assertion,
        aim: Option<&Aim>,
    ) -> Result<Option<Judged>, DriverError> {
        if self.is_unsettled() {
            return Ok(None);
        }
        let judged = self.judge(assertion, aim)?;
        if !(judged.judgement.rests_on_unseen && self.look_closer().await?) {
            return Ok(Some(judged));
        }
        if self.is_unsettled() {
            return Ok(None);
        }
        self.judge(assertion, aim).map(Some)
    }

    /// Judges a claim on the page as it was last seen, inside its container.
    fn judge(&self, assertion: &Assertion, aim: Option<&Aim>) -> Result<Judged, DriverError> {
        let view = self.seen_view()?;
        let claim = &assertion.claim;
        let Some(scope) = &assertion.scope else {
            return Ok(Judged {
                judgement: judge(claim, view, None),
                scoped: None,
                refusal: None,
            });
        };
        let scoped = scope::find(scope, view, aim.and_then(|aim| aim.container.as_ref()));
        let anchor = aim.and_then(|aim| aim.anchor.as_ref());
        let is_proven = matches!(scoped.located, Located::Proven(_));
        let mut refusal = None;
        let judgement = match scoped.index(scope, scope.path.is_some() || anchor.is_some()) {
            Err(unscoped) => Judgement {
                verdict: unscoped.verdict,
                code: Some(unscoped.code),
                detail: unscoped.detail,
                seen: Vec::new(),
                may_come: matches!(scoped.located, Located::Missing | Located::NotLocated),
                rests_on_unseen: unscoped.rests_on_unseen,
                is_unique: false,
            },
            Ok(index) => match (claim, anchor) {
                (Claim::NodeInViewport(wanted), Some(anchor)) => {
                    let (judgement, refused) =
                        judge_scroll(wanted, view, (index, is_proven), anchor);
                    refusal = refused;
                    judgement
                }
                _ if is_proven => judge(claim, view, Some(index)),
                // A twin outside of what was seen may exist (REP-074, REP-076).
                _ => Judgement {
                    verdict: Verdict::Inconclusive,
                    code: Some("INCONCLUSIVE_SCOPE"),
                    rests_on_unseen: true,
                    ..judge(claim, view, Some(index))
                },
            },
        };
        Ok(Judged {
            judgement,
            scoped: Some(scoped),
            refusal,
        })
    }
}

/// A claim that was judged, and how long that took where it was not done at once.
pub(super) struct InTime {
    pub(super) judged: Judged,
    pub(super) attempts: Option<u32>,
    pub(super) elapsed_ms: Option<u64>,
}

/// Whether a claim held before an action (REP-023, 26.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Held {
    /// As far as was seen: to hold still afterwards proves nothing.
    Yes,
    /// It was not seen to hold, and not all was seen.
    Perhaps,
    /// It did not.
    No,
}

impl Held {
    /// What a view before an action says. Here it is enough for an absence that nothing was seen,
    /// and for a presence that something was, be it one or several.
    fn of(assertion: &Assertion, view: &Observation) -> Self {
        let Some(judgement) = judge_alone(assertion, view) else {
            let located = assertion.scope.as_ref().map(|scope| locate(scope, view).0);
            return match located {
                Some(Located::Missing) => Self::No,
                Some(Located::NotLocated) => Self::Perhaps,
                _ => Self::Yes,
            };
        };
        let is_absence = matches!(assertion.claim, Claim::NodeAbsent(_));
        match judgement.verdict {
            Verdict::Pass => Self::Yes,
            Verdict::Inconclusive if is_absence => Self::Yes,
            Verdict::Inconclusive => Self::Perhaps,
            // Several nodes where the value of one is meant.
            Verdict::Fail if judgement.code == Some("TARGET_NOT_UNIQUE") => Self::Perhaps,
            Verdict::Fail => Self::No,
        }
    }
}

/// Whether a view alone proves a claim of one node.
pub(super) fn proves(assertion: &Assertion, view: &Observation) -> bool {
    judge_alone(assertion, view)
        .is_some_and(|judgement| judgement.verdict == Verdict::Pass && judgement.is_unique)
}

/// What a view alone says of a claim, on the whole page or in a container that the view proves.
pub(crate) fn judge_alone(assertion: &Assertion, view: &Observation) -> Option<Judgement> {
    let within = match &assertion.scope {
        None => None,
        Some(scope) => match locate(scope, view).0 {
            Located::Proven(index) => Some(index),
            _ => return None,
        },
    };
    Some(judge(&assertion.claim, view, within))
}
