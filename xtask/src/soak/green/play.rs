//! One replay of one scenario on one changed shop.

use qa_core::{Driver as _, StopSignal};
use qa_drivers::cdp::origin_of;
use qa_replay::{ReplayOptions, ReplayPorts, RunReport, RunStatus, Scenario, replay};
use qa_web_apps::RunningServer;

use super::mutation::Mutation;
use super::witness::{Testimony, Witness};
use super::worker::Stand;
use crate::failure::Failure;

/// What came of a replay.
#[derive(Debug)]
pub(super) struct Played {
    /// What the replay says.
    pub(super) report: RunReport,
    /// What the witness says.
    pub(super) testimony: Testimony,
}

impl Played {
    pub(super) fn passed(&self) -> bool {
        self.report.status == RunStatus::Pass
    }

    /// Why it did not pass, in one line.
    pub(super) fn why(&self) -> String {
        let status = self.report.status.as_str();
        let reason = self.report.reason().unwrap_or("refuted");
        let message = self.report.failure.as_ref().map(|failure| {
            let step = failure
                .step_index
                .map_or_else(|| "at the end".to_owned(), |step| format!("in step {step}"));
            format!(" {step}: {}", failure.message)
        });
        format!("{status} ({reason}){}", message.unwrap_or_default())
    }
}

/// The scenario on this shop.
pub(super) fn moved(scenario: &Scenario, server: &RunningServer) -> Scenario {
    let from = origin_of(&scenario.target.launch).unwrap_or_default();
    scenario.moved(&from, server.url(), &format!("{}/", server.url()))
}

/// Replays a scenario while a mutation is in force. A crash of the app does not fail it: the claims
/// alone are to notice what is wrong.
pub(super) async fn play(
    scenario: &Scenario,
    mutation: &Mutation,
    stand: &Stand,
) -> Result<Played, Failure> {
    let server = &stand.server;
    server.change(mutation.change());
    let scenario = moved(scenario, server);
    let (driver, mut watch) = stand.browser().await?;
    let mut witness = Witness::new(driver, &scenario);
    let ports = ReplayPorts {
        driver: &mut witness,
        watch: &mut watch,
        stop: &StopSignal::default(),
    };
    let options = ReplayOptions {
        started_at: qa_report::timestamp(),
        strict_uniqueness: false,
        fail_on_crash: false,
        ..ReplayOptions::default()
    };
    let report = replay(&scenario, ports, &options).await;
    let (mut driver, testimony) = witness.into_parts();
    let is_broken = report.reason() == Some("DRIVER_ERROR") || report.status == RunStatus::Blocked;
    if is_broken {
        // Another run is not to suffer from what became of this browser.
        let _ = driver.stop().await;
    } else {
        stand.keep((driver, watch));
    }
    Ok(Played { report, testimony })
}
