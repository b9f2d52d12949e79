//! One run of a scenario, from the start of the app to its last claim.

use std::collections::BTreeSet;
use std::time::Duration;

use qa_core::{
    Awaited, Boundary, CrashKind, CrashWatch, Driver, DriverError, Observation, Settle,
    SettlePolicy, Settled, Severity, StopSignal, VisionAdvisor, WatchError, look_closer,
    settle_or_prove,
};

use super::contract::{UNSUPPORTED_CONTRACT, contract_refusal};
use super::evidence::{Collected, RunEvidence};
use super::policy::{full_settings, policy};
use super::report::{CrashSeen, Failure, InStep, Phase, RunReport, RunStatus, SettleWidened};
use crate::{Scenario, Settings};

pub(super) const UNSTABLE: &str = "INCONCLUSIVE_UNSTABLE";
/// The code of a run that was asked to stop.
pub const INTERRUPTED: &str = "INTERRUPTED";
pub(super) const DRIVER_ERROR: &str = "DRIVER_ERROR";

/// How a scenario is replayed.
#[derive(Debug, Clone, Default)]
pub struct ReplayOptions {
    /// RFC 3339; `qa-replay` reads no clock.
    pub started_at: String,
    /// A target that is unique only in an incomplete view is not acted upon with a clear
    /// conscience: its step is inconclusive (REP-054).
    pub strict_uniqueness: bool,
    /// A crash of the app fails the run, whatever was claimed.
    pub fail_on_crash: bool,
    /// Kinds of findings that fail the run as crashes do.
    pub fail_on: BTreeSet<CrashKind>,
    /// Origins (packages, bundle ids) that belong to the app beside where the scenario starts it: a
    /// form that is sent elsewhere is refused (REP-012).
    pub allow_origins: Vec<String>,
    /// Words of the owner's that mark what is not touched, beside those that no replay touches.
    pub blocklist: Vec<String>,
    /// Figures of settling for what a scenario does not say itself.
    pub settle: Settings,
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
    let scenario = &scenario.as_shown();
    let policy = policy(scenario.meta.settle.as_ref(), &options.settle);
    let app = options
        .allow_origins
        .iter()
        .chain([&scenario.target.launch]);
    let platform = ports.driver.info().platform;
    let clock = ports.driver.info().clock;
    let mut report = RunReport::new(scenario, clock, options.started_at.clone());
    report.settle = full_settings(&policy);
    let mut runner = Runner {
        boundary: Boundary::new(platform, app.cloned().collect()),
        acted_at: ports.driver.now(),
        phase: Phase::Initial,
        ports,
        options,
        policy,
        may_widen: true,
        view: None,
        look: Look::Plain,
        report,
        broken: false,
        lost: false,
    };
    runner.run(scenario).await;
    runner.finish(scenario, advisor).await
}

pub(super) struct Runner<'a> {
    pub(super) ports: ReplayPorts<'a>,
    pub(super) options: &'a ReplayOptions,
    pub(super) policy: SettlePolicy,
    pub(super) may_widen: bool,
    /// What belongs to the app.
    pub(super) boundary: Boundary,
    /// App time at which the last action, or the start of the app, was over: what it brings may come
    /// until the budget since then is spent.
    pub(super) acted_at: Duration,
    /// Where in the scenario it is.
    pub(super) phase: Phase,
    /// The page as it was last seen.
    pub(super) view: Option<Settled>,
    /// How closely that was.
    pub(super) look: Look,
    pub(super) report: RunReport,
    /// Nothing more can be judged.
    pub(super) broken: bool,
    /// Nothing more can be seen: the app or the device was lost.
    pub(super) lost: bool,
}

/// How closely a page was looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Look {
    /// As while waiting for it to come to rest.
    Plain,
    /// Once more, for what costs extra.
    Thorough,
    /// Once more, with a larger budget.
    Escalated,
}

/// What becomes of the run after a step.
pub(super) enum Next {
    GoOn,
    /// No further step is taken; what must hold at the end is judged (REP-099).
    End,
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
                return self.not_started(code, reason).await;
            }
            Err(error) => return self.not_started(error.code(), &error.to_string()).await,
        }
        self.report.status = RunStatus::Fail;
        self.acted_at = self.ports.driver.now();
        if let Err(error) = self.settle(&Awaited::default()).await {
            return self.break_off(None, &error).await;
        }
        self.note_crashes(0).await;
        if self.broken {
            return;
        }
        if self.is_unsettled() {
            self.broken = true;
            let message = "the page never came to rest after the start";
            return self.fail(None, Some(UNSTABLE), message);
        }
        for step in &scenario.steps {
            if self.ports.stop.is_stopped() {
                self.broken = true;
                // What the app did wrong by then is no less true.
                self.fail_on_crashes();
                let message = "the run was asked to stop";
                return self.fail(Some(step.index), Some(INTERRUPTED), message);
            }
            self.phase = Phase::Step(step.index);
            match self.step(step).await {
                Ok(Next::GoOn) => {}
                Ok(Next::End) => break,
                Ok(Next::Stop) => return,
                Err(error) => {
                    return self.break_off(Some(step.index), &error).await;
                }
            }
        }
        self.phase = Phase::Final;
        if let Err(error) = self.judge_end(scenario).await {
            self.break_off(None, &error).await;
        }
    }

    fn block(&mut self, code: &str, reason: &str) {
        self.broken = true;
        self.report.status = RunStatus::Blocked;
        self.fail(None, Some(code), reason);
    }

    /// Ends a run whose app did not start: blocked, unless it broke as it started.
    async fn not_started(&mut self, code: &str, reason: &str) {
        // Evidence that is gone with the device is no news.
        let _ = self.take_crashes(0).await;
        if self.options.fail_on_crash && !self.report.crashes.is_empty() {
            self.broken = true;
            self.lost = true;
            self.report.status = RunStatus::Fail;
            return self.fail_on_crashes();
        }
        self.block(code, reason);
    }

    /// Ends a run whose app or device was lost. That is evidence itself: the crash, if there was
    /// one, says more than how it was noticed.
    async fn break_off(&mut self, step: Option<u64>, error: &DriverError) {
        let last = self.report.steps.last().map_or(0, |step| step.index);
        // Evidence that is gone with the device is no news.
        let _ = self.take_crashes(step.unwrap_or(last)).await;
        self.fail_on_crashes();
        self.broken = true;
        self.lost = true;
        self.fail(
            step,
            Some(DRIVER_ERROR),
            &format!("{}: {error}", error.code()),
        );
    }

    pub(super) fn fail(&mut self, step: Option<u64>, code: Option<&str>, message: &str) {
        if self.report.failure.is_none() {
            self.report.failure = Some(Failure {
                step_index: step,
                message: message.to_owned(),
                code: code.map(str::to_owned),
                reproduction: Vec::new(),
            });
        }
    }

    pub(super) async fn settle(&mut self, awaited: &Awaited<'_>) -> Result<(), DriverError> {
        let might_widen = self.may_widen;
        let request = self.ports.driver.info().nodes.judging();
        let settled = settle_or_prove(
            self.ports.driver,
            &self.policy,
            awaited,
            request,
            &mut self.may_widen,
        )
        .await?;
        self.ports.watch.judge_view(&settled.view);
        self.view = Some(settled);
        self.look = Look::Plain;
        if might_widen && !self.may_widen {
            self.widen("unstable");
        }
        Ok(())
    }

    /// Takes the wider budget, from here on to the end of the run (REP-039).
    pub(super) fn widen(&mut self, cause: &'static str) {
        let ms = |span: Duration| u64::try_from(span.as_millis()).unwrap_or(u64::MAX);
        self.report.settle_widened = Some(SettleWidened {
            from_ms: ms(self.policy.budget),
            to_ms: ms(self.policy.adaptive),
            at: self.phase,
            cause,
        });
        self.may_widen = false;
        self.policy.budget = self.policy.adaptive;
    }

    /// What is left of the budget since the last action.
    pub(super) fn left(&self) -> Duration {
        let waited = self.ports.driver.now().saturating_sub(self.acted_at);
        self.policy.budget.saturating_sub(waited)
    }

    /// Looks once more, closely, at a page that came to rest. False where that was done already:
    /// there is no more to be seen (REP-INV-15).
    pub(super) async fn look_closer(&mut self) -> Result<bool, DriverError> {
        let is_plain = self.look == Look::Plain;
        let might_widen = self.may_widen;
        let Some(settled) = self.view.as_mut().filter(|_| is_plain) else {
            return Ok(false);
        };
        let request = self.ports.driver.info().nodes.judging();
        let escalated = look_closer(
            self.ports.driver,
            &self.policy,
            settled,
            request,
            &mut self.may_widen,
        )
        .await?;
        self.ports.watch.judge_view(&settled.view);
        self.look = if escalated {
            Look::Escalated
        } else {
            Look::Thorough
        };
        if might_widen && !self.may_widen {
            self.widen("unstable");
        }
        Ok(true)
    }

    pub(super) fn is_unsettled(&self) -> bool {
        let settled = self.view.as_ref();
        settled.is_none_or(|settled| settled.record.outcome == Settle::Unsettled)
    }

    /// Takes in what happened beside the views since a step was begun.
    pub(super) fn take_notices(&mut self, step: u64) {
        let notices = self.ports.driver.take_notices().into_iter();
        let noticed = notices.map(|what| InStep {
            step_index: step,
            what,
        });
        self.report.notices.extend(noticed);
    }

    pub(super) async fn note_crashes(&mut self, step: u64) {
        if let Err(error) = self.take_crashes(step).await {
            self.broken = true;
            let step = (step > 0).then_some(step);
            self.fail(step, Some("CRASH_QUERY_FAILED"), &error.reason);
        }
    }

    /// Takes in what the app did wrong since the last question, and what it logged and asked for.
    async fn take_crashes(&mut self, step: u64) -> Result<(), WatchError> {
        self.take_notices(step);
        let crashes = self.ports.watch.query().await;
        self.take_evidence(step, crashes.as_ref().err());
        for crash in crashes? {
            let seen = match crash.severity {
                Severity::Crash => &mut self.report.crashes,
                Severity::Finding => &mut self.report.findings,
            };
            seen.push(CrashSeen {
                kind: crash.kind,
                signature: crash.signature,
                label: crash.label,
                step_index: step,
                count: crash.count,
            });
        }
        Ok(())
    }

    fn take_evidence(&mut self, step: u64, error: Option<&WatchError>) {
        let evidence = &mut self.report.evidence;
        if let Some(more) = self.ports.watch.take_evidence() {
            let empty = || RunEvidence::Collected(Collected::default());
            if let RunEvidence::Collected(all) = evidence.get_or_insert_with(empty) {
                all.add(step, more);
            }
        }
        match (evidence, error) {
            (Some(RunEvidence::Collected(all)), Some(_)) if !all.is_empty() => all.bounded = true,
            (evidence, Some(error)) => *evidence = Some(RunEvidence::failed(error.reason.clone())),
            (_, None) => {}
        }
    }

    pub(super) fn seen_view(&self) -> Result<&Observation, DriverError> {
        let settled = self.view.as_ref().ok_or_else(|| DriverError::Protocol {
            what: "observe".into(),
            reason: "no view was read".into(),
        })?;
        Ok(&settled.view)
    }
}
