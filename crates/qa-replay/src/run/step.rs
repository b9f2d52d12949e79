//! One step: resolve, act, look again, judge (REP-097).

use qa_core::{Awaited, DriverError, Receipt, ReceiptStatus, Verdict};
use serde_json::Value;

use super::report::{Acknowledged, StepResult};
use super::runner::{Next, Runner, UNSTABLE};
use super::target::Bound;
use crate::Step;

/// How often a target may change under the hand before it is given up.
const TARGET_CHANGES: u32 = 5;

impl Runner<'_> {
    /// Takes one step (REP-097).
    pub(super) async fn step(&mut self, step: &Step) -> Result<Next, DriverError> {
        let mut result = blank(step);
        let held_before = self.holds(&step.assert);
        let mut retries = 0;
        let receipt = loop {
            let Some(bound) = self.resolve(step, &mut result).await? else {
                return Ok(self.conclude(step, result));
            };
            let receipt = match bound {
                Bound::Refused(code) => Receipt::not_ok(
                    ReceiptStatus::Rejected,
                    0,
                    code,
                    "a replay does not touch such an element",
                ),
                Bound::Ready(action) => self.ports.driver.act(&action).await?,
            };
            self.report.receipt_summary.count(&receipt);
            result.receipt = Some(Acknowledged::from(&receipt));
            let changed = receipt.code.as_deref() == Some("TARGET_CHANGED") && !receipt.dispatched;
            if !changed || retries == TARGET_CHANGES {
                break receipt;
            }
            // Nothing was sent: the same element is looked for again (REP-025).
            retries += 1;
            result.target_changed_retries = Some(retries);
            self.settle(&Awaited::default()).await?;
        };
        result.outcome = match receipt.status {
            ReceiptStatus::Ok => "ok",
            ReceiptStatus::Unknown => "unknown",
            ReceiptStatus::Rejected | ReceiptStatus::Failed => "failed",
        };
        if result.outcome == "failed" {
            let changed = receipt.code.as_deref() == Some("TARGET_CHANGED");
            result.status = if changed {
                Verdict::Inconclusive
            } else {
                Verdict::Fail
            };
            let code = if changed {
                Some(UNSTABLE.to_owned())
            } else {
                receipt.code.clone()
            };
            result.reason = code;
            result.message = receipt.reason.clone();
            self.broken |= changed;
            return Ok(self.conclude(step, result));
        }
        self.await_proof(step, held_before, &mut result).await?;
        self.note_crashes(step.index).await;
        if result.status == Verdict::Pass && receipt.status == ReceiptStatus::Unknown && held_before
        {
            result.status = Verdict::Inconclusive;
            result.assertion_passed = false;
            result.reason = Some("UNKNOWN_RECEIPT_NO_CHANGE".into());
        }
        Ok(self.conclude(step, result))
    }
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
        assertion: step.assert.clone(),
        assertion_passed: false,
        observed: Value::Null,
        expected: claim["expected"].clone(),
        completeness: None,
        reason: None,
        attempts: None,
        scope_resolution: None,
        scope_levels: None,
        scope_not_located: false,
        escalation_refused: step.escalation_refused.clone(),
        target_resolution: None,
        target_uniqueness: None,
        target_changed_retries: None,
        message: None,
    }
}
