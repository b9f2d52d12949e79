//! Whether what is claimed is so, on views that are newer than the action.

use std::time::Duration;

use qa_core::{
    Assertion, Awaited, DriverError, Judgement, Located, Observation, Projection, Verdict, judge,
    locate,
};

use super::act;
use super::echo::Echo;
use super::report::StepResult;
use super::runner::{Runner, UNSTABLE};
use crate::{Action, Step};

/// How a container was found.
pub(super) struct Scoped {
    pub(super) located: Located,
    pub(super) levels: Vec<qa_core::Level>,
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
        held_before: bool,
        result: &mut StepResult,
    ) -> Result<(), DriverError> {
        let began = self.ports.driver.now();
        let echo = self.echo(&step.action);
        let before = self.view.as_ref().map(|settled| match &echo {
            Some(echo) => echo.without(&settled.view),
            None => settled.projection,
        });
        let without_echo = |view: &Observation| {
            echo.as_ref()
                .map_or_else(|| Projection::of(view), |echo| echo.without(view))
        };
        // What held before proves nothing by holding still: that needs the whole quiet time.
        let may_be_early = step.assert.claim.is_positive() && !held_before;
        let is_proven = |view: &Observation| may_be_early && proves(&step.assert, view);
        let awaited = Awaited {
            before,
            without_echo: echo.is_some().then_some(&without_echo as _),
            is_proven: Some(&is_proven),
        };
        self.settle(&awaited).await?;
        let mut attempts = 1;
        loop {
            if self.is_unsettled() {
                self.broken = true;
                result.status = Verdict::Fail;
                result.reason = Some(UNSTABLE.into());
                result.message = Some("the page never came to rest".into());
                return Ok(());
            }
            let (judgement, scope) = self.judge(&step.assert)?;
            let waited = self.ports.driver.now().saturating_sub(began);
            let may_come = judgement.may_come && step.assert.claim.is_positive();
            if !may_come || !self.may_wait(waited) {
                if attempts > 1 {
                    result.attempts = Some(attempts);
                }
                self.store(&step.assert, judgement, scope, result);
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

    fn echo(&self, action: &Action) -> Option<Echo> {
        let predicate = act::target(action).filter(|_| act::echoes(action))?;
        let view = &self.view.as_ref()?.view;
        let found = predicate.matches(view, None);
        let node = &view.nodes[found.first()?.index];
        Some(Echo::of(node, act::written(action, node)))
    }

    /// Judges a claim on the page as it was last seen, inside its container.
    pub(super) fn judge(
        &self,
        assertion: &Assertion,
    ) -> Result<(Judgement, Option<Scoped>), DriverError> {
        let view = self.seen_view()?;
        let Some(scope) = &assertion.scope else {
            return Ok((judge(&assertion.claim, view, None), None));
        };
        let (located, levels) = locate(scope, view);
        let unfound = |verdict, code, detail: &str| Judgement {
            verdict,
            code: Some(code),
            detail: detail.to_owned(),
            seen: Vec::new(),
            may_come: matches!(located, Located::Missing | Located::NotLocated),
            is_unique: false,
        };
        let judgement = match located {
            Located::Proven(index) => judge(&assertion.claim, view, Some(index)),
            Located::Provisional(_) if scope.path.is_none() => unfound(
                Verdict::Inconclusive,
                "INCONCLUSIVE_TRUNCATED",
                "one container is seen, but the view is not complete",
            ),
            // A twin outside of what was seen may exist (REP-074, REP-076).
            Located::Provisional(index) => Judgement {
                verdict: Verdict::Inconclusive,
                code: Some("INCONCLUSIVE_SCOPE"),
                ..judge(&assertion.claim, view, Some(index))
            },
            Located::NotLocated => unfound(
                Verdict::Inconclusive,
                "INCONCLUSIVE_TRUNCATED",
                "the container is not among what was seen",
            ),
            Located::Missing => unfound(
                Verdict::Fail,
                "SCOPE_NOT_FOUND",
                "there is no such container",
            ),
            Located::Ambiguous => unfound(
                Verdict::Fail,
                "TARGET_NOT_UNIQUE",
                "there are several such containers",
            ),
        };
        Ok((judgement, Some(Scoped { located, levels })))
    }
}

/// Whether a view alone proves a claim of one node, on the whole page or in a proven container.
fn proves(assertion: &Assertion, view: &Observation) -> bool {
    let within = match &assertion.scope {
        None => None,
        Some(scope) => match locate(scope, view).0 {
            Located::Proven(index) => Some(index),
            _ => return false,
        },
    };
    let judgement = judge(&assertion.claim, view, within);
    judgement.verdict == Verdict::Pass && judgement.is_unique
}
