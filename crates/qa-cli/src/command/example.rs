//! `qa example`: one scenario, replayed on the bundled shop, from this program alone (section 22).

use std::collections::BTreeSet;

use qa_core::{Clock, StopSignal};
use qa_drivers::cdp::{CdpOptions, origin_of};
use qa_replay::{RunReport, Scenario, load};
use qa_web_apps::{Options, WebApp, serve};
use serde_json::json;

use super::explore::choice;
use super::replay::store;
use super::stage::{How, Stage};
use super::{session, settle};
use crate::args::ExampleArgs;
use crate::exit::{self, Failure};
use crate::interrupt;
use crate::output;

/// Two steps, recorded where the shop is no more: they are moved to where it is served.
const SCENARIO: &[u8] = include_bytes!("example/scenario.json");

pub(crate) async fn run(args: &ExampleArgs) -> Result<u8, Failure> {
    let stop = StopSignal::default();
    interrupt::listen_only(stop.clone());
    let sound = Options {
        faults: false,
        ..Options::default()
    };
    let server = serve(WebApp::Shop, sound)
        .await
        .map_err(|error| Failure::internal(format!("the bundled shop: {error}")))?;
    let played = play(args, server.url(), &stop).await;
    server.stop().await;
    let report = played?;
    let code = if stop.is_stopped() {
        exit::INTERRUPTED
    } else {
        report.status.exit_code()
    };
    let path = args.output_dir.join("report.json");
    let (status, path) = (report.status.as_str(), path.display());
    output::print(&if args.json {
        json!({"status": status, "exit_code": code, "report": path.to_string()}).to_string()
    } else {
        output::safe(&format!(
            "[example] status: {status}\n[example] report: {path}"
        ))
    })?;
    Ok(code)
}

/// Replays the scenario on the shop at an address, and writes what came of it.
async fn play(args: &ExampleArgs, url: &str, stop: &StopSignal) -> Result<RunReport, Failure> {
    let scenario = scenario(url)?;
    let mut options = CdpOptions::new(url);
    options.browser = choice(&args.browser);
    options.clock = Clock::Real;
    let redactor = session::redactor(&options.origins(), &[])?;
    output::use_redactor(&redactor);
    let how = How {
        strict_uniqueness: true,
        fail_on_crash: true,
        fail_on: BTreeSet::new(),
        settle: settle::from_environment()?,
    };
    let mut stage = Stage::default();
    let played = stage.replay(&scenario, &options, &how, stop, None).await;
    stage.close().await;
    let mut report = played?;
    store(&args.output_dir, &mut report, &redactor).map_err(|failure| {
        failure.hint("give a directory that can be written with --output-dir")
    })?;
    Ok(report)
}

/// The bundled scenario, on the shop at an address.
fn scenario(url: &str) -> Result<Scenario, Failure> {
    let recorded = load(SCENARIO).map_err(|error| Failure::internal(error.to_string()))?;
    let [from, to] = [recorded.target.launch.as_str(), url].map(origin_of);
    let (Some(from), Some(to)) = (from, to) else {
        return Err(Failure::internal(format!("the shop has no address: {url}")));
    };
    Ok(recorded.moved(&from, &to, url))
}

#[cfg(test)]
mod tests {
    use super::*;

    // REP-152
    #[test]
    fn the_scenario_is_wholly_moved_to_where_the_shop_is() {
        let moved = scenario("http://127.0.0.1:49152/").unwrap();
        assert_eq!(moved.steps.len(), 2);
        let text = serde_json::to_string(&moved).unwrap();
        assert!(text.contains("49152/search"), "{text}");
        assert!(!text.contains("8080"), "{text}");
    }
}
