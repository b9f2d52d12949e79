//! One run of a scenario, from the start of the app to its last claim.

use std::time::Duration;

use qa_core::{
    Assertion, Awaited, Claim, CrashWatch, Driver, DriverError, Judgement, Located, Match,
    Observation, ObserveRequest, Projection, Receipt, ReceiptStatus, Settle, SettlePolicy, Settled,
    Severity, StopSignal, Verdict, VisionAdvisor, judge, locate, replay_refusal, settle_or_prove,
};
use serde_json::{Value, json};

use super::act;
use super::advisory;
use super::contract::{UNSUPPORTED_CONTRACT, contract_refusal};
use super::echo::Echo;
use super::report::{
    Acknowledged, Completed, CrashSeen, Failure, FinalResult, RunReport, RunStatus, StepResult,
    seen,
};
use crate::{Action, Predicate, Scenario, Settings, Step};

const UNSTABLE: &str = "INCONCLUSIVE_UNSTABLE";
/// How often a target may change under the hand before it is given up.
const TARGET_CHANGES: u32 = 5;

/// How a scenario is replayed.
#[derive(Debug, Clone)]
pub struct ReplayOptions {
    /// RFC 3339; `qa-replay` reads no clock.
    pub started_at: String,
    /// A target that is unique only in an incomplete view is not acted upon with a clear
    /// conscience: its step is inconclusive (REP-054).
    pub strict_uniqueness: bool,
    /// A crash of the app fails the run, whatever was claimed.
    pub fail_on_crash: bool,
}

/// How a replay reaches the world.
pub struct ReplayPorts<'a> {
    /// The device.
    pub driver: &'a mut dyn Driver,
    /// The evidence of crashes.
    pub watch: &'a mut dyn CrashWatch,
    /// Who may end the run.
    pub stop: &'a StopSignal,
}

/// Replays a scenario once. The driver and the watch are stopped on every path (REP-020).
pub async fn replay<'a>(
    scenario: &Scenario,
    ports: ReplayPorts<'a>,
    options: &'a ReplayOptions,
) -> RunReport {
    replay_advised(scenario, ports, options, None).await
}

/// As [`replay`], and asks the scenario's questions once all is judged (REP-136). What is said to
/// them stands in the report, and changes nothing else of it.
pub async fn replay_advised<'a>(
    scenario: &Scenario,
    ports: ReplayPorts<'a>,
    options: &'a ReplayOptions,
    advisor: Option<&mut dyn VisionAdvisor>,
) -> RunReport {
    let mut runner = Runner {
        ports,
        options,
        policy: policy(scenario.meta.settle.as_ref()),
        may_widen: true,
        view: None,
        report: RunReport::new(scenario, options.started_at.clone()),
        broken: false,
    };
    runner.run(scenario).await;
    runner.finish(scenario, advisor).await
}

/// The figures of settling that a scenario asks for, brought into range (REP-039).
fn policy(settings: Option<&Settings>) -> SettlePolicy {
    let plain = SettlePolicy::PROVE;
    let Some(settings) = settings else {
        return plain;
    };
    let ms = |value: Option<u64>, plain: Duration, least: Duration, most: Duration| {
        value
            .map_or(plain, Duration::from_millis)
            .clamp(least, most.max(least))
    };
    let milli = Duration::from_millis;
    let budget = ms(settings.budget_ms, plain.budget, milli(20), milli(15_000));
    let quiet = ms(
        settings.quiet_ms,
        plain.quiet.min(budget),
        milli(10),
        milli(10_000).min(budget),
    );
    let post_quiet = ms(
        settings.post_change_quiet_ms,
        (quiet * 2).min(budget),
        quiet,
        budget,
    );
    let interval = ms(
        settings.interval_ms,
        plain.interval.min(quiet),
        milli(1),
        milli(1000).min(quiet),
    );
    let adaptive = match settings.adaptive_budget_ms {
        Some(0) => Duration::ZERO,
        value => ms(value, plain.adaptive.max(budget), budget, milli(15_000)),
    };
    SettlePolicy {
        budget,
        quiet,
        post_quiet,
        interval,
        adaptive,
        unchanged_after: budget,
    }
}

struct Runner<'a> {
    ports: ReplayPorts<'a>,
    options: &'a ReplayOptions,
    policy: SettlePolicy,
    may_widen: bool,
    /// The page as it was last seen.
    view: Option<Settled>,
    report: RunReport,
    /// Nothing more can be judged.
    broken: bool,
}

/// What becomes of the run after a step.
enum Next {
    GoOn,
    Stop,
}

impl Runner<'_> {
    async fn run(&mut self, scenario: &Scenario) {
        if let Some(reason) = contract_refusal(self.ports.driver.info()) {
            return self.block(UNSUPPORTED_CONTRACT, &reason);
        }
        if let Err(error) = self.ports.watch.start().await {
            return self.block("CAPTURE_FAILED", &error.reason);
        }
        let launched = self.ports.driver.launch().await;
        match launched {
            Ok(receipt) if receipt.is_ok() => {}
            Ok(receipt) => {
                let code = receipt.code.as_deref().unwrap_or("LAUNCH_FAILED");
                let reason = receipt.reason.as_deref().unwrap_or("the app did not start");
                return self.block(code, reason);
            }
            Err(error) => return self.block(error.code(), &error.to_string()),
        }
        self.report.status = RunStatus::Fail;
        if let Err(error) = self.settle(&Awaited::default()).await {
            return self.break_off(None, &error);
        }
        self.note_crashes(0).await;
        if self.is_unsettled() {
            self.broken = true;
            let message = "the page never came to rest after the start";
            return self.fail(None, Some(UNSTABLE), message);
        }
        for step in &scenario.steps {
            if self.ports.stop.is_stopped() {
                self.broken = true;
                let message = "the run was asked to stop";
                return self.fail(Some(step.index), Some("INTERRUPTED"), message);
            }
            match self.step(step).await {
                Ok(Next::GoOn) => {}
                Ok(Next::Stop) => return,
                Err(error) => {
                    // A page that is gone or does not answer is evidence itself.
                    self.note_crashes(step.index).await;
                    return self.break_off(Some(step.index), &error);
                }
            }
        }
        if let Err(error) = self.judge_end(scenario).await {
            self.break_off(None, &error);
        }
    }

    fn block(&mut self, code: &str, reason: &str) {
        self.broken = true;
        self.report.status = RunStatus::Blocked;
        self.fail(None, Some(code), reason);
    }

    fn break_off(&mut self, step: Option<u64>, error: &DriverError) {
        self.broken = true;
        self.fail(
            step,
            Some("DRIVER_ERROR"),
            &format!("{}: {error}", error.code()),
        );
    }

    fn fail(&mut self, step: Option<u64>, code: Option<&str>, message: &str) {
        if self.report.failure.is_none() {
            self.report.failure = Some(Failure {
                step_index: step,
                message: message.to_owned(),
                code: code.map(str::to_owned),
                reproduction: Vec::new(),
            });
        }
    }

    async fn settle(&mut self, awaited: &Awaited<'_>) -> Result<(), DriverError> {
        let settled = settle_or_prove(
            self.ports.driver,
            &self.policy,
            awaited,
            ObserveRequest::JUDGING,
            &mut self.may_widen,
        )
        .await?;
        self.ports.watch.judge_view(&settled.view);
        self.view = Some(settled);
        Ok(())
    }

    fn is_unsettled(&self) -> bool {
        let settled = self.view.as_ref();
        settled.is_none_or(|settled| settled.record.outcome == Settle::Unsettled)
    }

    async fn note_crashes(&mut self, step: u64) {
        match self.ports.watch.query().await {
            Ok(crashes) => {
                for crash in crashes {
                    if crash.severity == Severity::Crash {
                        self.report.crashes.push(CrashSeen {
                            kind: crash.kind,
                            signature: crash.signature,
                            label: crash.label,
                            step_index: step,
                            count: crash.count,
                        });
                    }
                }
            }
            Err(error) => {
                self.broken = true;
                self.fail(Some(step), Some("CRASH_QUERY_FAILED"), &error.reason);
            }
        }
    }

    /// Takes one step (REP-097).
    async fn step(&mut self, step: &Step) -> Result<Next, DriverError> {
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

    /// Whether a claim holds on the page as it was last seen.
    fn holds(&self, assertion: &Assertion) -> bool {
        let view = self.view.as_ref().map(|settled| &settled.view);
        view.is_some_and(|view| proves(assertion, view))
    }

    /// The live element of a step, bound to its action; nothing where the step is decided by that.
    async fn resolve(
        &mut self,
        step: &Step,
        result: &mut StepResult,
    ) -> Result<Option<Bound>, DriverError> {
        let Some(predicate) = act::target(&step.action) else {
            let view = self.seen_view()?;
            return Ok(Some(Bound::Ready(act::bind(&step.action, None, view))));
        };
        loop {
            let settled = self.view.as_ref();
            let is_early = settled.is_some_and(|settled| settled.record.proven_early);
            let view = self.seen_view()?;
            let mut found = predicate.matches(view, None);
            let mut by_name = None;
            if found.is_empty()
                && let Some(name) = predicate.name.as_deref()
            {
                found = only_by_name(name, view);
                by_name = found.first().map(|found| found.role.to_owned());
            }
            match &found[..] {
                [one] => {
                    let node = &view.nodes[one.index];
                    if let Some(role) = by_name {
                        result.target_resolution = Some(json!({
                            "mode": "name-only",
                            "recordedRole": predicate.role,
                            "observedRole": role,
                        }));
                    }
                    if view.completeness.truncated {
                        result.target_uniqueness = Some("window-only");
                    }
                    let action = act::bind(&step.action, Some(node), view);
                    return Ok(Some(match replay_refusal(&action, node) {
                        Some(code) => Bound::Refused(code),
                        None => Bound::Ready(action),
                    }));
                }
                // What was proven early was not at rest: the element may be on its way.
                _ if is_early => {}
                several => {
                    let is_cut = view.completeness.truncated;
                    describe_target(result, predicate, several.len(), is_cut);
                    return Ok(None);
                }
            }
            self.settle(&Awaited::default()).await?;
        }
    }

    fn seen_view(&self) -> Result<&Observation, DriverError> {
        let settled = self.view.as_ref().ok_or_else(|| DriverError::Protocol {
            what: "observe".into(),
            reason: "no view was read".into(),
        })?;
        Ok(&settled.view)
    }

    /// Looks until the claim of a step is proven, or the time for it is spent (REP-043, D-05).
    async fn await_proof(
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
        Some(Echo::of(node, act::written(action)))
    }

    /// Judges a claim on the page as it was last seen, inside its container.
    fn judge(&self, assertion: &Assertion) -> Result<(Judgement, Option<Scoped>), DriverError> {
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

    fn store(
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
    fn conclude(&mut self, step: &Step, result: StepResult) -> Next {
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
    async fn judge_end(&mut self, scenario: &Scenario) -> Result<(), DriverError> {
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

    async fn finish(
        mut self,
        scenario: &Scenario,
        advisor: Option<&mut dyn VisionAdvisor>,
    ) -> RunReport {
        let last = self.report.steps.last().map_or(0, |step| step.index);
        if !self.broken {
            self.note_crashes(last).await;
        }
        if let (Some(questions), Some(advisor)) = (&scenario.advisory, advisor)
            && self.report.status != RunStatus::Blocked
        {
            let driver = &mut *self.ports.driver;
            self.report.advisory = advisory::ask(questions, driver, &self.policy, advisor).await;
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

/// An action that is ready, or the rule that forbids it.
enum Bound {
    Ready(qa_core::Action),
    Refused(&'static str),
}

/// How a container was found.
struct Scoped {
    located: Located,
    levels: Vec<qa_core::Level>,
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

/// The one node that has a name, where nothing has both role and name (REP-054).
fn only_by_name<'v>(name: &str, view: &'v Observation) -> Vec<Match<'v>> {
    let by_name = Predicate {
        name: Some(name.to_owned()),
        ..Predicate::default()
    };
    let found = by_name.matches(view, None);
    if found.len() == 1 { found } else { Vec::new() }
}

fn describe_target(result: &mut StepResult, predicate: &Predicate, count: usize, is_cut: bool) {
    let (status, code, message) = match (count, is_cut) {
        (0, true) => (
            Verdict::Inconclusive,
            "INCONCLUSIVE_TRUNCATED",
            "no node that was seen matches the action target, and more exists".to_owned(),
        ),
        (0, false) => (
            Verdict::Fail,
            "TARGET_NOT_FOUND",
            "no node matches the action target".to_owned(),
        ),
        _ => (
            Verdict::Fail,
            "TARGET_NOT_UNIQUE",
            format!("{count} nodes match the action target"),
        ),
    };
    result.status = status;
    result.reason = Some(code.to_owned());
    result.message = Some(format!("{message}: {}", predicate.describe()));
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
