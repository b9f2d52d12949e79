//! One step: resolve, act, look again, judge (REP-097).

use qa_core::{Awaited, DriverError, ObserveRequest, Projection, Receipt, ReceiptStatus, Verdict};
use serde_json::Value;

use super::prove::Held;
use super::report::{Acknowledged, StepResult};
use super::runner::{DRIVER_ERROR, Look, Next, Runner, UNSTABLE};
use super::target::{Aim, Bound};
use crate::{Action, Step};

/// What drivers say where the element of a ref is no longer the one that was seen (REP-025).
const CHANGED: [&str; 3] = ["TARGET_CHANGED", "TARGET_DETACHED", "REF_EXPIRED"];
/// How often a target may change under the hand before it is given up.
const TARGET_CHANGES: u32 = 5;

/// What was done, and how the page was before it.
pub(super) struct Done {
    pub(super) aim: Aim,
    pub(super) before: Projection,
    pub(super) held_before: Held,
}

impl Runner<'_> {
    /// Takes one step (REP-097).
    pub(super) async fn step(&mut self, step: &Step) -> Result<Next, DriverError> {
        let mut result = blank(step);
        let mut is_begun = false;
        match self.attempt(step, &mut result, &mut is_begun).await {
            Ok(()) => Ok(self.conclude(step, result)),
            Err(error) => {
                // What was begun is told, with what is known of it (REP-019).
                if is_begun {
                    result.status = Verdict::Fail;
                    result.assertion_passed = false;
                    result.reason = Some(DRIVER_ERROR.to_owned());
                    result.message = Some(error.to_string());
                    self.report.steps.push(result);
                }
                Err(error)
            }
        }
    }

    /// Does what a step asks for, and judges what came of it.
    async fn attempt(
        &mut self,
        step: &Step,
        result: &mut StepResult,
        is_begun: &mut bool,
    ) -> Result<(), DriverError> {
        let mut retries = 0;
        let (receipt, done) = loop {
            let Some(bound) = self.resolve(step, result).await? else {
                return Ok(());
            };
            let (receipt, done) = match bound {
                Bound::Refused(receipt) => (receipt, None),
                Bound::Ready(aim) => {
                    let done = Done {
                        before: self.before(&aim).await?,
                        held_before: self.held(&step.assert),
                        aim: *aim,
                    };
                    *is_begun = true;
                    result.outcome = "unknown";
                    (self.ports.driver.act(&done.aim.action).await?, Some(done))
                }
            };
            self.report.receipt_summary.count(&receipt);
            result.receipt = Some(Acknowledged::from(&receipt));
            if !has_changed(step, &receipt) || retries == TARGET_CHANGES {
                break (receipt, done);
            }
            // Nothing was sent: the same element is looked for again (REP-025).
            retries += 1;
            result.outcome = "failed";
            result.target_changed_retries = Some(retries);
            self.settle(&Awaited::default()).await?;
        };
        result.outcome = match receipt.status {
            ReceiptStatus::Ok => "ok",
            ReceiptStatus::Unknown => "unknown",
            ReceiptStatus::Rejected | ReceiptStatus::Failed => "failed",
        };
        let Some(done) = done.filter(|_| result.outcome != "failed") else {
            let changed = has_changed(step, &receipt);
            result.status = if changed {
                Verdict::Inconclusive
            } else {
                Verdict::Fail
            };
            result.reason = if changed {
                Some(UNSTABLE.to_owned())
            } else {
                receipt.code
            };
            result.message = receipt.reason;
            self.broken |= changed;
            return Ok(());
        };
        self.await_proof(step, &done, result).await?;
        self.note_crashes(step.index).await;
        let is_unknown = receipt.status == ReceiptStatus::Unknown;
        if result.status == Verdict::Pass && is_unknown && done.held_before != Held::No {
            result.status = Verdict::Inconclusive;
            result.assertion_passed = false;
            result.reason = Some("UNKNOWN_RECEIPT_NO_CHANGE".into());
        }
        Ok(())
    }

    /// The page before an action without the echo to come, at the budget of the looks that follow.
    async fn before(&mut self, aim: &Aim) -> Result<Projection, DriverError> {
        let view = if self.look == Look::Escalated {
            let plain = ObserveRequest {
                thorough: false,
                ..self.ports.driver.info().nodes.judging()
            };
            &self.ports.driver.observe(plain).await?
        } else {
            self.seen_view()?
        };
        Ok(aim.echo.without(view))
    }
}

/// Whether the target was replaced before anything was sent to it. For a click the page may have
/// been scrolled, and nothing was pressed.
fn has_changed(step: &Step, receipt: &Receipt) -> bool {
    let code = receipt.code.as_deref();
    let is_click = matches!(step.action, Action::Click { .. } | Action::Hover { .. });
    let is_untouched = !receipt.dispatched || is_click && receipt.status != ReceiptStatus::Unknown;
    is_untouched && code.is_some_and(|code| CHANGED.contains(&code))
}

fn blank(step: &Step) -> StepResult {
    let claim = serde_json::to_value(&step.assert.claim).unwrap_or_default();
    StepResult {
        index: step.index,
        intent: step.intent.clone(),
        status: Verdict::Fail,
        action: step.action.clone(),
        receipt: None,
        outcome: "failed",
        clock: None,
        assertion: step.assert.clone(),
        assertion_passed: false,
        observed: Value::Null,
        expected: claim["expected"].clone(),
        completeness: None,
        reason: None,
        attempts: None,
        elapsed_ms: None,
        scope_resolution: None,
        scope_levels: None,
        scope_not_located: false,
        scope_refusal: None,
        scope_name_changed: false,
        escalation_refused: step.escalation_refused.clone(),
        target_resolution: None,
        target_uniqueness: None,
        target_changed_retries: None,
        message: None,
    }
}
