//! Whether what is claimed is so, on views that are newer than the action.

use std::time::Duration;

use qa_core::{
    Assertion, Awaited, Claim, DriverError, Judgement, Located, Observation, Projection, Verdict,
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
    /// Whether a claim holds on the page as it was last seen.
    pub(super) fn holds(&self, assertion: &Assertion) -> bool {
        let view = self.view.as_ref().map(|settled| &settled.view);
        view.is_some_and(|view| proves(assertion, view))
    }

    /// Looks until the claim of a step is proven, or the time for it is spent (REP-043, D-05).
    pub(super) async fn await_proof(
        &mut self,
        step: &Step,
        done: &Done,
        result: &mut StepResult,
    ) -> Result<(), DriverError> {
        let began = self.ports.driver.now();
        let echo = done.aim.echo.as_ref();
        let without_echo = |view: &Observation| {
            echo.map_or_else(|| Projection::of(view), |echo| echo.without(view))
        };
        // What held before proves nothing by holding still, nor does an absence by being seen early.
        let is_newly_there = step.assert.claim.is_positive() && !done.held_before;
        // That an element is the one that was scrolled to is seen at rest only.
        let may_be_early = is_newly_there && done.aim.anchor.is_none();
        let is_proven = |view: &Observation| may_be_early && proves(&step.assert, view);
        let awaited = Awaited {
            before: Some(done.before),
            without_echo: echo.is_some().then_some(&without_echo as _),
            is_proven: Some(&is_proven),
        };
        self.settle(&awaited).await?;
        if !is_newly_there {
            self.spend_budget(began).await?;
        }
        let mut attempts = 1;
        loop {
            let Some(judged) = self.judge_closely(&step.assert, Some(&done.aim)).await? else {
                self.unsettled(result);
                return Ok(());
            };
            let waited = self.ports.driver.now().saturating_sub(began);
            let may_come = judged.judgement.may_come && step.assert.claim.is_positive();
            if !may_come || !self.may_wait(waited) {
                if attempts > 1 {
                    result.attempts = Some(attempts);
                    result.elapsed_ms = u64::try_from(waited.as_millis()).ok();
                }
                self.store(&step.assert, judged, result);
                return Ok(());
            }
            attempts += 1;
            let again = Awaited {
                is_proven: Some(&is_proven),
                ..Awaited::default()
            };
            self.settle(&again).await?;
        }
    }

    /// Lets the rest of the budget since an action pass, and looks again. A page that changes by
    /// itself comes to rest before the action had its outcome: what is then still there may go, and
    /// what is not there may come (REP-TRAP-23). Judged once, at the end, never until it is so.
    async fn spend_budget(&mut self, began: Duration) -> Result<(), DriverError> {
        let waited = self.ports.driver.now().saturating_sub(began);
        let left = self.policy.budget.saturating_sub(waited);
        if left.is_zero() {
            return Ok(());
        }
        self.ports.driver.advance(left).await?;
        self.settle(&Awaited::default()).await
    }

    /// Whether a positive claim may still come true; the wider budget is used once in a session.
    fn may_wait(&mut self, waited: Duration) -> bool {
        if waited < self.policy.budget {
            return true;
        }
        if waited < self.policy.adaptive && self.may_widen {
            self.may_widen = false;
            self.policy.budget = self.policy.adaptive;
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

/// Whether a view alone proves a claim of one node.
fn proves(assertion: &Assertion, view: &Observation) -> bool {
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
