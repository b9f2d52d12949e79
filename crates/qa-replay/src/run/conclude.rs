//! What becomes of the report: each result taken in, and how the run ended.

use qa_core::{Assertion, Awaited, Claim, DriverError, Judgement, Located, Verdict};
use serde_json::{Value, json};

use super::prove::Scoped;
use super::report::{Completed, Failure, FinalResult, RunReport, RunStatus, StepResult, seen};
use super::runner::{Next, Runner, UNSTABLE};
use crate::{Scenario, Step};

impl Runner<'_> {
    pub(super) fn store(
        &self,
        assertion: &Assertion,
        judgement: Judgement,
        scoped: Option<Scoped>,
        result: &mut StepResult,
    ) {
        result.completeness = self.completeness(assertion, &judgement, scoped.is_some());
        result.status = judgement.verdict;
        result.assertion_passed = judgement.verdict == Verdict::Pass;
        result.reason = judgement.code.map(str::to_owned);
        result.observed = self.observed(assertion, &judgement);
        result.message = Some(judgement.detail);
        if let Some(scoped) = scoped {
            result.scope_not_located = scoped.located == Located::NotLocated;
            result.scope_resolution = Some(scoped.located.word());
            result.scope_levels = Some(scoped.levels);
        }
        let is_window_only = result.target_uniqueness.is_some();
        if self.options.strict_uniqueness && is_window_only && result.status == Verdict::Pass {
            result.status = Verdict::Inconclusive;
            result.assertion_passed = false;
            result.reason = Some("INCONCLUSIVE_TRUNCATED".into());
        }
    }

    fn observed(&self, assertion: &Assertion, judgement: &Judgement) -> Value {
        match &assertion.claim {
            Claim::PageUrl(_) => {
                let view = self.view.as_ref().map(|settled| &settled.view);
                let url = view.and_then(|view| view.url.as_deref());
                let plain = url.map(|url| url.split(['?', '#']).next().unwrap_or_default());
                json!(plain)
            }
            Claim::NodeAbsent(_) | Claim::NodeValue(_) => {
                serde_json::to_value(judgement.seen.first()).unwrap_or_default()
            }
            _ => seen(&judgement.seen),
        }
    }

    /// What the report says of the view, where the verdict rests on it (REP-126).
    fn completeness(
        &self,
        assertion: &Assertion,
        judgement: &Judgement,
        is_scoped: bool,
    ) -> Option<Completed> {
        let view = &self.view.as_ref()?.view;
        let seen = &view.completeness;
        let is_absence = matches!(assertion.claim, Claim::NodeAbsent(_));
        let depends = is_absence || judgement.verdict == Verdict::Inconclusive;
        if !(is_absence || is_scoped || seen.truncated && depends) {
            return None;
        }
        let scope = assertion.scope.as_ref();
        Some(Completed {
            truncated: seen.truncated,
            node_budget: seen.node_budget,
            truncation_reasons: seen.reasons.clone(),
            hidden_matches: seen.hidden_matches,
            hidden_matches_partial: seen.hidden_matches_partial,
            coverage: seen.coverage.clone(),
            outcome_depends_on_complete_view: depends,
            scope: scope.map(|scope| json!({"role": scope.role, "name": scope.name})),
            reason: judgement.code.map(str::to_owned),
            detail: judgement.detail.clone(),
        })
    }

    /// Takes a result into the report, and says whether the run goes on.
    pub(super) fn conclude(&mut self, step: &Step, result: StepResult) -> Next {
        let is_dispatched = result.receipt.as_ref().is_some_and(|it| it.dispatched);
        let next = match result.status {
            Verdict::Pass => Next::GoOn,
            Verdict::Inconclusive if is_dispatched && !self.broken => Next::GoOn,
            _ => Next::Stop,
        };
        if result.status == Verdict::Fail {
            let message = result.message.clone();
            let message = message.unwrap_or_else(|| "the step failed".into());
            self.fail(Some(step.index), result.reason.as_deref(), &message);
        }
        self.report.steps.push(result);
        next
    }

    /// Judges what must hold at the end (REP-098, REP-099).
    pub(super) async fn judge_end(&mut self, scenario: &Scenario) -> Result<(), DriverError> {
        if self.broken || scenario.assertions.is_empty() {
            return Ok(());
        }
        self.settle(&Awaited::default()).await?;
        if self.is_unsettled() {
            self.broken = true;
            self.fail(
                None,
                Some(UNSTABLE),
                "the page never came to rest at the end",
            );
            return Ok(());
        }
        for assertion in &scenario.assertions {
            let (judgement, scoped) = self.judge(assertion)?;
            let status = judgement.verdict;
            if status == Verdict::Fail {
                self.fail(None, judgement.code, &judgement.detail);
            }
            self.report.assertions.push(FinalResult {
                assertion: assertion.clone(),
                status,
                passed: status == Verdict::Pass,
                observed: self.observed(assertion, &judgement),
                completeness: self.completeness(assertion, &judgement, scoped.is_some()),
                reason: judgement.code.map(str::to_owned),
                scope_resolution: scoped.map(|scoped| scoped.located.word()),
                message: judgement.detail,
            });
        }
        Ok(())
    }

    pub(super) async fn finish(mut self, scenario: &Scenario) -> RunReport {
        let last = self.report.steps.last().map_or(0, |step| step.index);
        if !self.broken {
            self.note_crashes(last).await;
        }
        let stopped = [
            self.ports
                .watch
                .stop()
                .await
                .err()
                .map(|error| error.reason),
            self.ports
                .driver
                .stop()
                .await
                .err()
                .map(|error| error.to_string()),
        ];
        let begun = self.report.steps.len();
        let left = scenario.steps.iter().skip(begun);
        self.report.not_run = left.map(|step| step.index).collect();
        if self.options.fail_on_crash
            && let Some(crash) = self.report.crashes.first()
        {
            let (step, label) = (crash.step_index, format!("{}: {}", crash.kind, crash.label));
            self.fail((step > 0).then_some(step), Some("CRASH"), &label);
        }
        let mut report = self.report;
        report.status = status(&report, scenario);
        // An error at the end never makes a pass of what was none (REP-020).
        if let Some(reason) = stopped.into_iter().flatten().next()
            && report.status == RunStatus::Pass
        {
            report.status = RunStatus::Fail;
            report.failure = Some(Failure {
                step_index: None,
                message: reason,
                code: Some("STOP_FAILED".into()),
                reproduction: Vec::new(),
            });
        }
        let told: Vec<Value> = report.steps.iter().map(reproduction).collect();
        if let Some(failure) = &mut report.failure {
            failure.reproduction = told;
        }
        report
    }
}

/// Table 26.1.
fn status(report: &RunReport, scenario: &Scenario) -> RunStatus {
    if report.status == RunStatus::Blocked {
        return RunStatus::Blocked;
    }
    let verdicts = || {
        let steps = report.steps.iter().map(|step| step.status);
        steps.chain(report.assertions.iter().map(|claim| claim.status))
    };
    if report.failure.is_some() || verdicts().any(|verdict| verdict == Verdict::Fail) {
        return RunStatus::Fail;
    }
    if verdicts().any(|verdict| verdict == Verdict::Inconclusive) {
        return RunStatus::Inconclusive;
    }
    let all_judged = report.assertions.len() == scenario.assertions.len();
    if report.not_run.is_empty() && all_judged {
        RunStatus::Pass
    } else {
        RunStatus::Fail
    }
}

fn reproduction(step: &StepResult) -> Value {
    json!({
        "index": step.index,
        "intent": step.intent,
        "action": step.action,
        "observed": step.observed,
        "expected": step.expected,
        "receipt": step.receipt,
    })
}
