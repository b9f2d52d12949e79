//! One exploration of a simulated app, and everything that can be asked about it.

use futures_executor::block_on;
use qa_core::{ExploreConfig, Outcome, Ports, Silent, StopSignal, explore};
use qa_sim::{MemoryArchive, Mishaps, SimApp, SimDriver, SimProbe};

/// What is left of a run.
pub(crate) struct Played {
    pub(crate) outcome: Outcome,
    pub(crate) archive: MemoryArchive,
    pub(crate) probe: SimProbe,
}

/// The defaults for an app, with so many steps.
pub(crate) fn config(app: &SimApp, max_steps: u32) -> ExploreConfig {
    let mut config = ExploreConfig::new(vec![app.package.clone()]);
    config.max_steps = max_steps;
    config
}

pub(crate) fn play(app: SimApp, config: &ExploreConfig) -> Played {
    play_with(app, config, Mishaps::default(), MemoryArchive::default())
}

pub(crate) fn play_with(
    app: SimApp,
    config: &ExploreConfig,
    mishaps: Mishaps,
    mut archive: MemoryArchive,
) -> Played {
    let (mut driver, mut watch) = SimDriver::with_mishaps(app, mishaps);
    let probe = driver.probe();
    let outcome = block_on(explore(
        config,
        Ports {
            driver: &mut driver,
            watch: &mut watch,
            archive: &mut archive,
            progress: &mut Silent,
            stop: &StopSignal::default(),
        },
    ));
    Played {
        outcome,
        archive,
        probe,
    }
}

impl Played {
    /// The actions, one a line, for messages.
    pub(crate) fn story(&self) -> String {
        let line = |step: &qa_core::StepRecord| {
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
}
