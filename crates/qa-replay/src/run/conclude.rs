//! What becomes of the report: each result taken in, and how the run ended.

use qa_core::{
    Assertion, Awaited, Capability, Claim, DriverError, Judgement, Located, Observation, Picture,
    Verdict, VisionAdvisor,
};
use serde_json::{Value, json};

use super::prove::{InTime, Judged, proves};
use super::report::{
    Completed, CrashSeen, Failure, FinalResult, RunReport, RunStatus, StepResult, seen,
};
use super::runner::{Look, Next, Runner, UNSTABLE};
use super::scope::Scoped;
use super::{advisory, picture};
use crate::{Scenario, Step};

impl Runner<'_> {
    pub(super) fn store(&self, assertion: &Assertion, judged: Judged, result: &mut StepResult) {
        let Judged {
            judgement,
            scoped,
            refusal,
        } = judged;
        result.completeness = self.completeness(assertion, &judgement);
        result.status = judgement.verdict;
        result.assertion_passed = judgement.verdict == Verdict::Pass;
        result.reason = judgement.code.map(str::to_owned);
        result.observed = self.observed(assertion, &judgement);
        result.message = Some(judgement.detail);
        result.scope_refusal = refusal;
        if let Some(scoped) = scoped {
            result.scope(scoped);
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
    fn completeness(&self, assertion: &Assertion, judgement: &Judgement) -> Option<Completed> {
        let view = &self.view.as_ref()?.view;
        let seen = &view.completeness;
        let is_absence = matches!(assertion.claim, Claim::NodeAbsent(_));
        let escalated = self.look == Look::Escalated;
        let depends = is_absence || judgement.verdict == Verdict::Inconclusive;
        let scope = assertion.scope.as_ref();
        if !(is_absence || scope.is_some() || escalated || seen.truncated && depends) {
            return None;
        }
        Some(Completed {
            truncated: seen.truncated,
            node_budget: seen.node_budget,
            truncation_reasons: seen.reasons.clone(),
            hidden_matches: seen.hidden_matches,
            hidden_matches_partial: seen.hidden_matches_partial,
            coverage: seen.coverage.clone(),
            escalated,
            outcome_depends_on_complete_view: depends,
            scope: scope.map(|scope| json!({"role": scope.role, "name": scope.name})),
            reason: judgement.code.map(str::to_owned),
            detail: judgement.detail.clone(),
        })
    }

    /// Takes a result into the report, and says whether the run goes on.
    pub(super) fn conclude(&mut self, step: &Step, mut result: StepResult) -> Next {
        let clock = self.view.as_ref().map(|settled| settled.record.clock);
        result.clock = clock.filter(|clock| *clock != self.report.clock);
        let receipt = result.receipt.as_ref();
        let is_done = receipt.is_some_and(|it| it.dispatched) && result.outcome != "failed";
        let next = match result.status {
            Verdict::Pass if !self.broken => Next::GoOn,
            Verdict::Inconclusive if is_done && !self.broken => Next::GoOn,
            Verdict::Inconclusive if !self.broken => Next::End,
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

    /// Judges what must hold at the end (REP-098, REP-099), once the whole time has passed in which
    /// the last action may still bring a change, or a crash.
    pub(super) async fn judge_end(&mut self, scenario: &Scenario) -> Result<(), DriverError> {
        if self.broken {
            return Ok(());
        }
        let left = self.left();
        if !left.is_zero() {
            self.ports.driver.advance(left).await?;
        }
        // The last look is for the watch, too: a page may have gone blank.
        self.settle(&Awaited::default()).await?;
        for assertion in &scenario.assertions {
            if !assertion.claim.is_positive() {
                // A claim before it may have been proven early, or have widened the budget.
                self.spend_budget().await?;
            }
            let is_proven = |view: &Observation| proves(assertion, view);
            let in_time = self.judge_in_time(assertion, None, &is_proven).await?;
            let Some(InTime {
                judged,
                attempts,
                elapsed_ms,
            }) = in_time
            else {
                self.broken = true;
                let message = "the page never came to rest at the end";
                self.fail(None, Some(UNSTABLE), message);
                return Ok(());
            };
            let judgement = self.inherited(assertion, judged.judgement);
            let status = judgement.verdict;
            if status == Verdict::Fail {
                self.fail(None, judgement.code, &judgement.detail);
            }
            let scoped = judged.scoped.as_ref();
            self.report.assertions.push(FinalResult {
                assertion: assertion.clone(),
                status,
                passed: status == Verdict::Pass,
                observed: self.observed(assertion, &judgement),
                completeness: self.completeness(assertion, &judgement),
                reason: judgement.code.map(str::to_owned),
                scope_resolution: scoped.map(Scoped::resolution),
                scope_not_located: scoped.is_some_and(|it| it.located == Located::NotLocated),
                scope_levels: judged.scoped.map(|scoped| scoped.levels),
                attempts,
                elapsed_ms,
                message: judgement.detail,
            });
        }
        Ok(())
    }

    /// A claim that a step could not prove for want of a sure container is not proven at the end
    /// either: the element that was acted upon is not known any more (REP-074).
    fn inherited(&self, assertion: &Assertion, judgement: Judgement) -> Judgement {
        let is_unsure = |step: &&StepResult| {
            step.assertion == *assertion && step.reason.as_deref() == Some("INCONCLUSIVE_SCOPE")
        };
        if judgement.verdict == Verdict::Pass && self.report.steps.iter().any(|it| is_unsure(&it)) {
            return Judgement {
                verdict: Verdict::Inconclusive,
                code: Some("INCONCLUSIVE_SCOPE"),
                detail: "the step that claims the same did not prove it".to_owned(),
                ..judgement
            };
        }
        judgement
    }

    pub(super) async fn finish(
        mut self,
        scenario: &Scenario,
        advisor: Option<&mut dyn VisionAdvisor>,
    ) -> RunReport {
        let last = self.report.steps.last().map_or(0, |step| step.index);
        self.take_notices(last);
        let is_blocked = self.report.status == RunStatus::Blocked;
        if !is_blocked && !self.lost {
            self.note_crashes(last).await;
        }
        let begun = self.report.steps.len();
        let left = scenario.steps.iter().skip(begun);
        self.report.not_run = left.map(|step| step.index).collect();
        self.fail_on_crashes();
        self.report.status = status(&self.report, scenario);
        let is_asked = self.report.status != RunStatus::Pass && !self.ports.stop.is_stopped();
        if is_asked && !is_blocked && !self.lost {
            self.report.picture = self.picture().await.map(Box::new);
        }
        if let (Some(questions), Some(advisor)) = (&scenario.advisory, advisor)
            && !is_blocked
        {
            let driver = &mut *self.ports.driver;
            self.report.advisory = advisory::ask(questions, driver, &self.policy, advisor).await;
        }
        let stopped = self.stop().await;
        let mut report = self.report;
        report.stop_failed.clone_from(&stopped);
        // An error at the end never makes a pass of what was none (REP-020).
        if let Some(reason) = stopped
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

    pub(super) fn fail_on_crashes(&mut self) {
        let crashes = self.report.crashes.iter();
        let is_asked = |crash: &&CrashSeen| self.options.fail_on.contains(&crash.kind);
        let crashes = crashes.filter(|crash| self.options.fail_on_crash || is_asked(crash));
        let findings = self.report.findings.iter();
        let findings = findings.filter(is_asked);
        if let Some(crash) = crashes.chain(findings).next() {
            let (step, label) = (crash.step_index, format!("{}: {}", crash.kind, crash.label));
            self.fail((step > 0).then_some(step), Some("CRASH"), &label);
        }
    }

    /// The screen as it is now, with what is known of the texts in it.
    async fn picture(&mut self) -> Option<Picture> {
        let can = &self.ports.driver.info().capabilities;
        if !can.contains(&Capability::Screenshot) {
            return None;
        }
        let is_restless = self.is_unsettled();
        picture::take(self.ports.driver, is_restless).await.ok()
    }

    /// Stops the watch and the driver, whatever either says. Why they did not, if so.
    async fn stop(&mut self) -> Option<String> {
        let watch = self.ports.watch.stop().await;
        let driver = self.ports.driver.stop().await;
        let watch = watch.err().map(|error| error.reason);
        let driver = driver.err().map(|error| error.to_string());
        let all: Vec<String> = watch.into_iter().chain(driver).collect();
        (!all.is_empty()).then(|| all.join("; "))
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
