//! One exploration of a simulated app, and everything that can be asked about it.

use std::time::Duration;

use futures_executor::block_on;
use qa_core::{
    CrashRecord, CrashSummary, ExploreConfig, History, Outcome, Ports, Silent, StateGraph,
    StepRecord, StopSignal, explore, resume,
};
use qa_sim::{MemoryArchive, Mishaps, SimApp, SimDriver, SimProbe};

use crate::recorder::{Log, Recorded};

/// What a run begins with.
#[derive(Debug, Clone)]
pub(crate) struct Play {
    pub(crate) app: SimApp,
    pub(crate) config: ExploreConfig,
    pub(crate) mishaps: Mishaps,
    pub(crate) archive: MemoryArchive,
    /// How long a look takes on a real clock; a virtual clock if absent.
    pub(crate) look: Option<Duration>,
    pub(crate) stop: StopSignal,
}

/// What is left of a run.
pub(crate) struct Played {
    pub(crate) outcome: Outcome,
    pub(crate) archive: MemoryArchive,
    pub(crate) probe: SimProbe,
    pub(crate) log: Log,
}

impl Play {
    /// An app with the defaults, without pictures, for at most so many steps.
    pub(crate) fn new(app: SimApp, max_steps: u32) -> Self {
        let mut config = ExploreConfig::new(vec![app.package.clone()]);
        config.max_steps = max_steps;
        config.duration = Duration::from_secs(100_000);
        Self {
            app,
            config,
            mishaps: Mishaps {
                no_screenshot: true,
                ..Mishaps::default()
            },
            archive: MemoryArchive::default(),
            look: None,
            stop: StopSignal::default(),
        }
    }

    pub(crate) fn run(self) -> Played {
        self.play(None)
    }

    /// Runs on after a run that was killed when it had stored this much, its graph included.
    pub(crate) fn resume(mut self, killed: MemoryArchive) -> Played {
        let summary = |record: &CrashRecord| CrashSummary {
            id: record.id.clone(),
            kind: record.crash.kind,
            signature: record.crash.signature.clone(),
            label: record.crash.label.clone(),
            step: record.step_index,
            count: record.crash.count,
            repro_path: record.repro_path.clone(),
        };
        let config = &self.config;
        let empty = StateGraph::new(config.page_identity, config.max_pages_per_skeleton);
        let history = History {
            steps: killed.steps.clone(),
            crashes: killed.crashes.iter().map(summary).collect(),
            findings: killed.findings.iter().map(summary).collect(),
            graph: killed.graph.clone().unwrap_or(empty),
            elapsed: Duration::from_secs(60),
        };
        self.archive = MemoryArchive {
            outcome: None,
            ..killed
        };
        self.play(Some(history))
    }

    fn play(self, history: Option<History>) -> Played {
        let (mut driver, watch) = SimDriver::with_mishaps(self.app, self.mishaps);
        if let Some(look) = self.look {
            driver = driver.on_real_clock(look);
        }
        let probe = driver.probe();
        let log = Log::default();
        let identity = self.config.page_identity;
        let mut driver = recorded(driver, &log, identity);
        let mut watch = recorded(watch, &log, identity);
        let mut archive = recorded(self.archive, &log, identity);
        let ports = Ports {
            driver: &mut driver,
            watch: &mut watch,
            archive: &mut archive,
            progress: &mut Silent,
            stop: &self.stop,
        };
        let outcome = block_on(async {
            match history {
                None => explore(&self.config, ports).await,
                Some(history) => resume(&self.config, ports, history).await,
            }
        });
        Played {
            outcome,
            archive: archive.inner,
            probe,
            log,
        }
    }
}

fn recorded<T>(inner: T, log: &Log, identity: qa_core::PageIdentity) -> Recorded<T> {
    Recorded {
        inner,
        log: log.clone(),
        identity,
    }
}

impl Played {
    /// The actions, one a line, for messages.
    pub(crate) fn story(&self) -> String {
        let line = |step: &StepRecord| {
            let code = step.notes.code.as_deref().unwrap_or("");
            let to = step.notes.page_to.as_ref().map(ToString::to_string);
            format!(
                "{:3} {:?} {}{} -> {} {:?} {code}\n",
                step.index,
                step.result,
                if step.notes.navigation { "(hop) " } else { "" },
                step.action,
                to.unwrap_or_default(),
                step.notes.observation.as_deref().unwrap_or(""),
            )
        };
        self.archive.steps.iter().map(line).collect()
    }

    pub(crate) fn actions(&self) -> Vec<&str> {
        self.archive
            .steps
            .iter()
            .map(|step| step.action.as_str())
            .collect()
    }

    /// Codes of the reasons.
    pub(crate) fn codes(&self) -> Vec<&str> {
        self.outcome
            .reasons
            .iter()
            .map(|reason| reason.code.as_str())
            .collect()
    }

    /// The step that an action with this ordinal belongs to.
    pub(crate) fn step_of(&self, ordinal: u64) -> Option<&StepRecord> {
        self.archive.steps.iter().find(|step| {
            let receipt = step.notes.receipt.as_ref();
            receipt.is_some_and(|receipt| receipt.ordinal == ordinal)
        })
    }
}
