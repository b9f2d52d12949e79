//! What a run knows and the small things it does again and again.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use rustc_hash::FxHashMap;

use super::here::Here;
use super::tally::Tally;
use crate::{
    Archive, Awaited, BlockedHost, Blocklist, Boundary, Capability, Clock, Crash, CrashWatch,
    Driver, DriverError, ElementKey, Ended, ExploreConfig, Filed, Fingerprint, Ledger, Navigator,
    Notice, OpenStep, Picture, Progress, Projection, Refusal, Replay, Settle, SettlePolicy,
    Severity, StateGraph, StepRecord, StopSignal, WatchState, settle,
};

/// How the loop reaches the world.
pub struct Ports<'a> {
    /// The device.
    pub driver: &'a mut dyn Driver,
    /// The evidence of crashes.
    pub watch: &'a mut dyn CrashWatch,
    /// Where records go.
    pub archive: &'a mut dyn Archive,
    /// Who is told.
    pub progress: &'a mut dyn Progress,
    /// Who may end the run.
    pub stop: &'a StopSignal,
}

/// A value, or what ended the exploration.
pub(super) type Flow<T> = Result<T, Ended>;

/// The last step, for an effect that shows late.
#[derive(Debug, Clone)]
pub(super) struct LastStep {
    pub(super) from: Option<Fingerprint>,
    pub(super) to: Option<Fingerprint>,
    pub(super) replay: Option<Replay>,
    pub(super) text: String,
    /// It brought a crash.
    pub(super) crashed: bool,
}

/// One exploration under way.
pub(super) struct Run<'a> {
    pub(super) config: &'a ExploreConfig,
    pub(super) ports: Ports<'a>,
    pub(super) boundary: Boundary,
    pub(super) blocklist: Blocklist,
    pub(super) ledger: Ledger,
    pub(super) graph: StateGraph,
    pub(super) navigator: Navigator,
    pub(super) tally: Tally,
    /// The page in front, as it was last seen; `None` when it has to be looked at.
    pub(super) here: Option<Here>,
    pub(super) last_step: Option<LastStep>,
    pub(super) clock: Clock,
    pub(super) may_widen: bool,
    /// Exhausted rounds without a pick in between (EXP-122).
    pub(super) rounds: u32,
    /// New starts since something was tried or a new page was seen.
    pub(super) vain_starts: u32,
    pub(super) looks_undetermined: u32,
    pub(super) looks_failed: u32,
    /// BACK was pressed on the present excursion out of the app (EXP-125).
    pub(super) back_tried: bool,
    /// Permission dialogs that were answered, by their text (EXP-128).
    pub(super) asked: BTreeSet<String>,
    /// Addresses of pop-ups that are still to be visited (WEB-007).
    pub(super) popups: VecDeque<String>,
    /// How often each field was filled (WEB-061).
    pub(super) fills: FxHashMap<(Fingerprint, ElementKey), u32>,
    /// Fields that ended the app when they were filled.
    pub(super) poison: BTreeSet<ElementKey>,
    /// A finding could not be stored: later ones are only counted.
    findings_full: bool,
    pub(super) last_ordinal: u64,
    pub(super) actions: u32,
    pub(super) began: Duration,
    pub(super) began_real: Duration,
    /// App time, in milliseconds, and real time of the run that this one goes on with.
    pub(super) earlier_ms: u64,
    pub(super) earlier_real: Duration,
    /// It goes on with another run.
    pub(super) is_resumed: bool,
}

impl<'a> Run<'a> {
    pub(super) fn new(config: &'a ExploreConfig, ports: Ports<'a>) -> Self {
        let info = ports.driver.info();
        Self {
            boundary: Boundary::new(info.platform, config.boundary.clone()),
            blocklist: Blocklist::new(&config.blocklist),
            ledger: Ledger::new(config.max_steps),
            graph: StateGraph::new(config.page_identity, config.max_pages_per_skeleton),
            navigator: Navigator::default(),
            tally: Tally::new(&info.remarks),
            here: None,
            last_step: None,
            clock: info.clock,
            may_widen: true,
            rounds: 0,
            vain_starts: 0,
            looks_undetermined: 0,
            looks_failed: 0,
            back_tried: false,
            asked: BTreeSet::new(),
            popups: VecDeque::new(),
            fills: FxHashMap::default(),
            poison: BTreeSet::new(),
            findings_full: false,
            last_ordinal: 0,
            actions: 0,
            began: ports.driver.now(),
            began_real: ports.driver.elapsed(),
            earlier_ms: 0,
            earlier_real: Duration::ZERO,
            is_resumed: false,
            config,
            ports,
        }
    }

    pub(super) fn can(&self, capability: Capability) -> bool {
        self.ports.driver.info().capabilities.contains(&capability)
    }

    /// App time since the run began.
    pub(super) fn app_ms(&self) -> u64 {
        self.earlier_ms + millis(self.ports.driver.now().saturating_sub(self.began))
    }

    /// Real time since the run began.
    pub(super) fn real_time(&self) -> Duration {
        self.earlier_real + self.ports.driver.elapsed().saturating_sub(self.began_real)
    }

    /// Whether another step may be taken (EXP-058, EXP-060, EXP-089).
    pub(super) fn guard(&mut self) -> Flow<()> {
        if self.ports.stop.is_stopped() {
            self.ledger
                .abort("INTERRUPTED", "the run was asked to stop");
            return Err(Ended::Interrupted);
        }
        if self.ledger.steps_left() == 0 {
            return Err(Ended::MaxSteps);
        }
        if self.real_time() > self.config.duration {
            return Err(Ended::Duration);
        }
        match self.ports.watch.state() {
            WatchState::Running => Ok(()),
            WatchState::Failed(reason) => {
                self.ledger.capture_failed(reason);
                Err(Ended::Aborted)
            }
            WatchState::Stopped => {
                self.ledger
                    .capture_failed("the crash watch disappeared unexpectedly");
                Err(Ended::Aborted)
            }
        }
    }

    /// Uses up the number of the next step, if one may be taken.
    pub(super) fn open_step(&mut self) -> Flow<OpenStep> {
        self.guard()?;
        self.ledger.open_step().ok_or(Ended::MaxSteps)
    }

    /// Waits until the view has come to rest and takes it for the page in front. An error is for
    /// the caller to answer.
    pub(super) async fn settle(
        &mut self,
        policy: SettlePolicy,
        before: Option<Projection>,
    ) -> Result<crate::SettleRecord, DriverError> {
        let awaited = Awaited {
            before,
            ..Awaited::default()
        };
        let request = self.ports.driver.info().nodes.judging();
        let settled = settle(
            self.ports.driver,
            &policy,
            &awaited,
            request,
            &mut self.may_widen,
        )
        .await?;
        self.clock = settled.record.clock;
        self.ports.watch.judge_view(&settled.view);
        let is_restless = settled.record.outcome == Settle::Unsettled;
        self.adopt(settled.view, settled.projection, is_restless);
        Ok(settled.record)
    }

    /// Takes a picture of the page in front, if one can be had.
    pub(super) async fn take_picture(&mut self) {
        if !self.can(Capability::Screenshot) {
            return;
        }
        let image = match self.ports.driver.screenshot().await {
            Ok(image) => Some(image),
            Err(error) => {
                self.tally.warn("SCREENSHOT_FAILED", error.to_string());
                None
            }
        };
        if let Some(here) = &mut self.here {
            here.picture = image
                .map(|image| Picture::new(image, &here.view, here.is_restless))
                .map(Arc::new);
        }
    }

    /// New evidence, with the severities that the person asked for. A query that is not answered
    /// closes a latch.
    pub(super) async fn query(&mut self) -> Vec<Crash> {
        match self.ports.watch.query().await {
            Ok(mut crashes) => {
                for crash in &mut crashes {
                    if self.config.fail_on.contains(&crash.kind) {
                        crash.severity = Severity::Crash;
                    } else if self.config.tolerate.contains(&crash.kind) {
                        crash.severity = Severity::Finding;
                    }
                }
                crashes
            }
            Err(error) => {
                self.ledger.crash_query_failed(error.reason);
                Vec::new()
            }
        }
    }

    /// Stores evidence under the steps it belongs to: `current`, unless it tells otherwise. The
    /// whole batch is attempted before a failure ends the exploration (EXP-047). Says how many
    /// crashes were new.
    pub(super) fn file(&mut self, crashes: Vec<Crash>, current: u32) -> Flow<usize> {
        let mut stored = true;
        let mut new = 0;
        for crash in crashes {
            let step = self.ledger.attribute(&crash, current);
            let severity = crash.severity;
            let Filed::New(record) = self.ledger.file(crash, step) else {
                continue;
            };
            let result = match severity {
                Severity::Crash => self.ports.archive.crash(&record),
                // Their numbers have no gaps: after one that could not be stored, none can.
                Severity::Finding if self.findings_full => continue,
                Severity::Finding => self.ports.archive.finding(&record),
            };
            match result {
                Ok(()) => self.ports.progress.crash(&record),
                Err(error) => {
                    self.ledger.crash_archive_failed(error.to_string());
                    match severity {
                        Severity::Crash => stored = false,
                        // The run cannot pass any more, but crashes are worth going on for.
                        Severity::Finding => self.findings_full = true,
                    }
                }
            }
            new += usize::from(severity == Severity::Crash);
        }
        if stored { Ok(new) } else { Err(Ended::Aborted) }
    }

    /// Stores a step; from now on evidence may refer to it. Evidence that belongs to it follows
    /// through [`file`](Self::file), or is lost with it if it cannot be stored.
    pub(super) fn store(
        &mut self,
        open: OpenStep,
        record: &StepRecord,
        pictures: (Option<&Picture>, Option<&Picture>),
        evidence: usize,
    ) -> Flow<()> {
        if let Err(error) = self.ports.archive.step(record, pictures.0, pictures.1) {
            self.ledger.abort("STEP_ARCHIVE_FAILED", error.to_string());
            if evidence > 0 {
                self.ledger.crash_archive_failed(format!(
                    "{evidence} pieces of evidence belong to a step that could not be stored"
                ));
            }
            return Err(Ended::Aborted);
        }
        let is_launch = record.notes.replay == Some(Replay::Launch);
        self.ledger
            .close_step(open, is_launch, Some(self.last_ordinal));
        self.ports.progress.step(record, self.graph.page_count());
        if let Err(error) = self.ports.archive.graph(&self.graph) {
            self.tally.warn("GRAPH_ARCHIVE_FAILED", error.to_string());
        }
        Ok(())
    }

    /// What happened beside the view. Pop-ups inside the boundary are kept for a visit, unless
    /// their address meets the blocklist.
    pub(super) fn take_notices(&mut self) -> Vec<Notice> {
        let notices = self.ports.driver.take_notices();
        for notice in &notices {
            match notice {
                Notice::Popup { url, inside } => self.note_popup(url, *inside),
                Notice::Blocked { host, count } => {
                    BlockedHost::count(&mut self.tally.blocked, host, *count);
                }
                Notice::ClockFallback { reason } => self.tally.warn("CLOCK_FALLBACK", reason),
                _ => {}
            }
        }
        notices
    }

    fn note_popup(&mut self, url: &str, inside: bool) {
        if !inside || !self.boundary.contains_url(url) {
            self.tally.foreign(url);
        } else if let Some(hit) = self.blocklist.hit(url) {
            self.tally.refuse(&Refusal {
                rule: format!("blocklist:{}", hit.word),
                label: format!("pop-up {url}"),
                key: ElementKey(url.to_owned()),
            });
        } else if self.tally.is_new_popup(url) {
            self.popups.push_back(url.to_owned());
        }
    }

    /// Notes the number of an action that was begun; one that ended in an error was begun, too.
    pub(super) fn count_ordinal(&mut self, ordinal: Option<u64>) {
        self.last_ordinal = ordinal.unwrap_or(self.last_ordinal + 1);
    }

    /// Ends the exploration because the device cannot be used any more.
    pub(super) fn give_up(&mut self, error: &DriverError) -> Ended {
        self.ledger.abort(error.code(), error.to_string());
        Ended::Aborted
    }
}

pub(super) fn millis(span: Duration) -> u64 {
    u64::try_from(span.as_millis()).unwrap_or(u64::MAX)
}
