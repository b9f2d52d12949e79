//! A scenario's steps, each a click and the proof of what came of it, against Playwright doing the
//! same and against a click of @playwright/mcp, whose reply shows the page after it.

use std::path::Path;
use std::time::Instant;

use qa_core::{Clock, StopSignal};
use qa_drivers::cdp::{BrowserChoice, CdpBrowser, CdpOptions};
use qa_replay::{ReplayOptions, ReplayPorts, RunStatus, Scenario, load, replay};
use serde_json::{Value, json};

use super::measure::{Bar, Comparison};
use super::milliseconds;
use super::rival::{MCP, PLAYWRIGHT, Rival};
use crate::failure::Failure;

/// How many steps a run has.
const STEPS: u32 = 20;

/// Compares the time of a step, in milliseconds.
pub(super) async fn compare(
    browser: &Path,
    modules: &Path,
    url: &str,
    rounds: usize,
) -> Result<[Comparison; 4], Failure> {
    let ours = Player::open(browser, url).await?;
    let program = browser.display().to_string();
    let rival = |script| -> Result<Rival, Failure> {
        let mut rival = Rival::start(modules, script, &[&program])?;
        rival.ask(&json!({"do": "open", "url": url}))?;
        Ok(rival)
    };
    let (mut playwright, mut mcp) = (rival(PLAYWRIGHT)?, rival(MCP)?);
    let mut figures = [const { Vec::new() }; 4];
    let mut clicked = 0;
    for _ in 0..rounds {
        figures[0].push(ours.step(Clock::Virtual).await?);
        figures[1].push(ours.step(Clock::Real).await?);
        for _ in 0..STEPS / 4 {
            clicked += 1;
            let check = json!({"do": "check", "role": "button", "name": "Next", "text": format!("Step {clicked}")});
            figures[2].push(milliseconds(&playwright.ask(&check)?)?);
            figures[3].push(milliseconds(&mcp.ask(&json!({"do": "step"}))?)?);
        }
    }
    for rival in [&mut playwright, &mut mcp] {
        let title = rival.ask(&json!({"do": "title"}))?["title"].clone();
        if title != format!("step {clicked}") {
            let message = format!("clicks were lost: {title} instead of {clicked}");
            return Err(Failure::failed(message));
        }
    }
    ours.close().await;
    let [ahead, real, playwright, mcp] = figures;
    let compare = |what: &str, ours: &[f64], rival: Vec<f64>, bar| Comparison {
        what: what.into(),
        ours: ours.to_vec(),
        rival,
        unit: "ms",
        bar,
    };
    Ok([
        compare(
            "replay step, against Playwright",
            &ahead,
            playwright.clone(),
            Bar::None,
        ),
        compare(
            "replay step, against playwright-mcp",
            &ahead,
            mcp.clone(),
            Bar::AtMost(0.2),
        ),
        compare(
            "real clock, against Playwright",
            &real,
            playwright,
            Bar::None,
        ),
        compare(
            "real clock, against playwright-mcp",
            &real,
            mcp,
            Bar::AtMost(0.2),
        ),
    ])
}

struct Player {
    browser: CdpBrowser,
    options: CdpOptions,
    one: Scenario,
    many: Scenario,
}

impl Player {
    async fn open(browser: &Path, url: &str) -> Result<Self, Failure> {
        let mut options = CdpOptions::new(url);
        options.browser = BrowserChoice::Launch {
            path: Some(browser.to_owned()),
            headed: false,
            no_sandbox: false,
        };
        let opened = CdpBrowser::open(&options).await;
        Ok(Self {
            browser: opened.map_err(|error| Failure::missing(error.to_string()))?,
            options,
            one: scenario(url, 1)?,
            many: scenario(url, STEPS + 1)?,
        })
    }

    /// The time of one step of many: what a run of many takes longer than a run of one.
    async fn step(&self, clock: Clock) -> Result<f64, Failure> {
        let one = self.run(&self.one, clock).await?;
        let many = self.run(&self.many, clock).await?;
        Ok((many - one) / f64::from(STEPS))
    }

    async fn run(&self, scenario: &Scenario, clock: Clock) -> Result<f64, Failure> {
        let mut options = self.options.clone();
        options.clock = clock;
        let (mut driver, mut watch) = self.browser.drive(options);
        let how = ReplayOptions {
            started_at: String::new(),
            strict_uniqueness: true,
            fail_on_crash: true,
            ..ReplayOptions::default()
        };
        let ports = ReplayPorts {
            driver: &mut driver,
            watch: &mut watch,
            stop: &StopSignal::default(),
        };
        let start = Instant::now();
        let report = replay(scenario, ports, &how).await;
        let took = start.elapsed().as_secs_f64() * 1000.0;
        if report.status == RunStatus::Pass {
            return Ok(took);
        }
        Err(Failure::failed(format!("replay: {:?}", report.failure)))
    }

    async fn close(&self) {
        // The figures are known.
        let _ = self.browser.close().await;
    }
}

fn scenario(url: &str, steps: u32) -> Result<Scenario, Failure> {
    let claim = |index: u32| json!({"kind": "node-present", "expected": {"role": "status", "name": format!("Step {index}")}});
    let step = |index: u32| {
        json!({
            "index": index,
            "intent": "Next.",
            "action": {"kind": "click", "target": {"role": "button", "name": "Next"}},
            "assert": claim(index),
        })
    };
    let text: Value = json!({
        "meta": {
            "name": "bench", "description": "", "driver": "browser",
            "createdAt": "2026-11-30T08:00:00Z",
        },
        "target": {"launch": url},
        "steps": (1..=steps).map(step).collect::<Vec<_>>(),
        "assertions": [],
    });
    let bytes = serde_json::to_vec(&text).map_err(|error| Failure::internal(error.to_string()))?;
    load(&bytes).map_err(|error| Failure::internal(error.to_string()))
}
