//! Benchmarks. Against rivals: both do the same on the same pages in the same browser, in turns, and
//! what counts is the ratio of their medians. Where there is no rival: against a fixed figure.

mod browser;
mod hunt;
mod measure;
mod ours;
mod page;
mod redact;
mod replay;
mod rival;
mod web;

use clap::{Args, Subcommand, ValueEnum};

use crate::failure::Failure;
use crate::npm;
use crate::process;
use crate::workspace::Workspace;

/// What to compare.
#[derive(Debug, Subcommand)]
pub(crate) enum Task {
    /// Observing, clicking, settling, replaying and exploring in a browser, against Playwright,
    /// @playwright/mcp and gremlins.js, which are installed into `target/bench`.
    Web(Options),
    /// Redacting a large log on one core, against a fixed speed.
    Redact(redact::Options),
}

/// How to compare.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// How often each thing is done by each side.
    #[arg(long, default_value_t = 15)]
    rounds: usize,
    /// How long each side explores the bundled shop.
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// Only these parts.
    #[arg(long, value_enum, value_delimiter = ',')]
    only: Vec<Part>,
}

/// A part of the comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    /// Reading a page with all names.
    Observe,
    /// Clicking with all checks.
    Click,
    /// An action and the proof that its page has come to rest.
    Step,
    /// Replaying a scenario, with a proof for each step.
    Replay,
    /// Exploring the bundled shop.
    Explore,
}

impl Options {
    fn includes(&self, part: Part) -> bool {
        self.only.is_empty() || self.only.contains(&part)
    }
}

const RIVALS: [&str; 4] = [
    "playwright-core@1.65.1",
    "@playwright/mcp@0.0.83",
    "gremlins.js@2.2.0",
    "ws@8.23.0",
];

pub(crate) fn run(task: &Task) -> Result<(), Failure> {
    if cfg!(debug_assertions) {
        // A debug build would be measured against programs that are optimised.
        return process::in_release();
    }
    let options = match task {
        Task::Web(options) => options,
        Task::Redact(options) => return measure::print(&redact::measure(options)?),
    };
    let workspace = Workspace::read()?;
    let modules = npm::install(&workspace, "bench", &RIVALS)?;
    let measured = web::measure(&workspace, &modules, options)?;
    measure::print(&measured)
}

/// The time that a rival says.
fn milliseconds(answer: &serde_json::Value) -> Result<f64, Failure> {
    answer["ms"]
        .as_f64()
        .ok_or_else(|| Failure::failed(format!("a rival gave no time: {answer}")))
}
