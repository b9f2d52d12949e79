//! Exploring the bundled shop for equal wall time: which planted faults were found, and how much
//! of the app's code ran. Both sides explore in a browser of the same program, and the same
//! DevTools client counts the code.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use qa_web_apps::{Options, Severity, WebApp, ground_truth, serve};
use serde::Deserialize;
use serde_json::Value;

use super::browser::Browser;
use super::measure::{Bar, Comparison};
use super::rival::{HUNT, Rival};
use crate::failure::Failure;
use crate::qa::{Evidence, Qa};
use crate::workspace::Workspace;

/// What an exploration left behind.
struct Hunt {
    /// Ids of the planted faults that were found.
    faults: BTreeSet<String>,
    scripts: BTreeMap<String, Script>,
}

/// How much of a script ran, in characters.
#[derive(Debug, Deserialize)]
struct Script {
    length: u64,
    covered: u64,
}

#[derive(Debug, Deserialize)]
struct Watched {
    evidence: Vec<Evidence>,
    scripts: BTreeMap<String, Script>,
}

/// Lets both explore.
pub(super) async fn compare(
    workspace: &Workspace,
    browser: &Path,
    modules: &Path,
    seconds: u64,
) -> Result<[Comparison; 2], Failure> {
    let qa = Qa::build(workspace)?;
    let gremlins = gremlins(browser, modules, seconds).await?;
    let ours = ours(&qa, browser, modules, seconds).await?;
    println!(
        "planted faults that crash, found by gremlins.js: {:?}",
        gremlins.faults
    );
    println!("planted faults that crash, found by qa: {:?}", ours.faults);
    let lengths = lengths(&[&gremlins, &ours]);
    let compare = |what: &str, ours, rival, unit, bar| Comparison {
        what: format!("exploring for {seconds} s, {what}"),
        ours: vec![ours],
        rival: vec![rival],
        unit,
        bar,
    };
    Ok([
        compare(
            "planted faults found",
            ours.faults.len() as f64,
            gremlins.faults.len() as f64,
            "",
            Bar::None,
        ),
        compare(
            "code that ran",
            coverage(&ours, &lengths),
            coverage(&gremlins, &lengths),
            "%",
            Bar::AtLeast(2.5),
        ),
    ])
}

async fn gremlins(browser: &Path, modules: &Path, seconds: u64) -> Result<Hunt, Failure> {
    let shop = shop().await?;
    let browser = Browser::start(browser, modules)?;
    let port = browser.port.to_string();
    let url = format!("{}/", shop.url());
    let arguments = [port.as_str(), url.as_str(), &seconds.to_string()];
    let mut rival = Rival::start(modules, HUNT, &arguments)?;
    let watched = watched(&rival.answer()?)?;
    shop.stop().await;
    Ok(Hunt {
        faults: found(&watched.evidence),
        scripts: watched.scripts,
    })
}

async fn ours(qa: &Qa, browser: &Path, modules: &Path, seconds: u64) -> Result<Hunt, Failure> {
    let shop = shop().await?;
    let browser = Browser::start(browser, modules)?;
    let mut watcher = Rival::start(modules, HUNT, &[&browser.port.to_string()])?;
    watcher.answer()?;
    let arguments = [
        "--url",
        &format!("{}/", shop.url()),
        "--cdp",
        &browser.address,
        "--max-steps",
        "100000",
        "--duration-min",
        &(seconds as f64 / 60.0).to_string(),
    ];
    let explored = qa.explore(&arguments, &modules.join("sessions"))?;
    eprintln!("{}: {}", explored.ended, explored.summary);
    watcher.end_input();
    let watched = watched(&watcher.answer()?)?;
    shop.stop().await;
    Ok(Hunt {
        // Only what qa reported counts, not what the browser saw beside it.
        faults: found(&explored.evidence),
        scripts: watched.scripts,
    })
}

async fn shop() -> Result<qa_web_apps::RunningServer, Failure> {
    serve(WebApp::Shop, Options::default())
        .await
        .map_err(|error| Failure::internal(error.to_string()))
}

fn watched(report: &Value) -> Result<Watched, Failure> {
    Watched::deserialize(report)
        .map_err(|error| Failure::internal(format!("the watcher's report: {error}")))
}

/// The planted faults that fail a run and of which there is evidence.
fn found(evidence: &[Evidence]) -> BTreeSet<String> {
    ground_truth()
        .iter()
        .filter(|fault| fault.severity == Severity::Crash)
        .filter(|fault| {
            let mut evidence = evidence.iter();
            evidence.any(|evidence| fault.is_shown_by(&evidence.kind, &evidence.text))
        })
        .map(|fault| fault.id.clone())
        .collect()
}

/// The length of each script that either side loaded.
fn lengths(hunts: &[&Hunt]) -> BTreeMap<String, u64> {
    let mut lengths = BTreeMap::new();
    for (path, script) in hunts.iter().flat_map(|hunt| &hunt.scripts) {
        let length = lengths.entry(path.clone()).or_insert(0);
        *length = script.length.max(*length);
    }
    lengths
}

fn coverage(hunt: &Hunt, lengths: &BTreeMap<String, u64>) -> f64 {
    let covered: u64 = hunt.scripts.values().map(|script| script.covered).sum();
    100.0 * covered as f64 / lengths.values().sum::<u64>().max(1) as f64
}
