//! Exploring the bundled shop for equal wall time: which planted faults were found, and how much
//! of the app's code ran. Both sides explore in a browser of the same program, and the same
//! DevTools client counts the code.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{Command, Stdio};

use qa_web_apps::{Options, PlantedFault, Severity, WebApp, ground_truth, serve};
use serde::Deserialize;
use serde_json::Value;

use super::browser::Browser;
use super::measure::{Bar, Comparison};
use super::rival::{HUNT, Rival};
use crate::failure::Failure;
use crate::process;
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

/// Something that went wrong, as the DevTools tell it.
#[derive(Debug, Deserialize)]
struct Evidence {
    kind: String,
    text: String,
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
    process::run(process::cargo().args(["build", "--release", "--package", "qa-cli"]))?;
    let gremlins = gremlins(browser, modules, seconds).await?;
    let ours = ours(workspace, browser, modules, seconds).await?;
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
    let faults = found(|fault| {
        watched.evidence.iter().any(|evidence| {
            evidence.kind == word(fault) && evidence.text.contains(&fault.message_contains)
        })
    });
    shop.stop().await;
    Ok(Hunt {
        faults,
        scripts: watched.scripts,
    })
}

async fn ours(
    workspace: &Workspace,
    browser: &Path,
    modules: &Path,
    seconds: u64,
) -> Result<Hunt, Failure> {
    let shop = shop().await?;
    let browser = Browser::start(browser, modules)?;
    let mut watcher = Rival::start(modules, HUNT, &[&browser.port.to_string()])?;
    watcher.answer()?;
    let session = modules.join("session");
    if session.exists() {
        std::fs::remove_dir_all(&session)?;
    }
    let qa = workspace
        .target
        .join("release")
        .join(format!("qa{}", std::env::consts::EXE_SUFFIX));
    let status = Command::new(qa)
        .arg("explore")
        .args(["--url", &format!("{}/", shop.url())])
        .args(["--cdp", &format!("http://127.0.0.1:{}", browser.port)])
        .args(["--max-steps", "100000"])
        .args(["--duration", &format!("{seconds}s")])
        .arg("--out")
        .arg(&session)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .status()?;
    if !matches!(status.code(), Some(0..=2)) {
        return Err(Failure::failed(format!("qa explore ended with {status}")));
    }
    watcher.end_input();
    let watched = watched(&watcher.answer()?)?;
    shop.stop().await;
    // Only what qa reported counts, not what the browser saw beside it.
    let reported = std::fs::read_to_string(session.join("crashes.jsonl")).unwrap_or_default();
    let faults = found(|fault| {
        reported.lines().any(|line| {
            line.contains(&format!("\"{}\"", word(fault))) && line.contains(&fault.message_contains)
        })
    });
    Ok(Hunt {
        faults,
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

fn found(seen: impl Fn(&PlantedFault) -> bool) -> BTreeSet<String> {
    ground_truth()
        .iter()
        .filter(|fault| fault.severity == Severity::Crash && seen(fault))
        .map(|fault| fault.id.clone())
        .collect()
}

/// The word of a fault's kind.
fn word(fault: &PlantedFault) -> String {
    serde_json::to_value(fault.kind)
        .ok()
        .and_then(|word| word.as_str().map(str::to_owned))
        .unwrap_or_default()
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
