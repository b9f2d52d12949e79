//! Exploring served apps with the release build of `qa`.

use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use super::app::{App, Place};
use super::serve;
use crate::failure::Failure;
use crate::process;
use crate::table;
use crate::workspace::Workspace;

/// Explores apps one after the other and prints what came of it. An app whose exploration found a
/// crash is a row like any other; a `qa` that could not do its work fails the task.
pub(super) fn explore(
    place: &Place,
    workspace: &Workspace,
    apps: &[App],
    steps: u32,
) -> Result<(), Failure> {
    process::run(process::cargo().args(["build", "--release", "--package", "qa-cli"]))?;
    let qa = workspace
        .target
        .join("release")
        .join(format!("qa{}", std::env::consts::EXE_SUFFIX));
    let mut rows = Vec::new();
    let mut broken = Vec::new();
    for app in apps {
        let served = serve::serve(place, *app, None)?;
        match ask(
            &qa,
            &served.url,
            steps,
            &place.sessions().join(app.to_string()),
        ) {
            Ok(answer) => rows.push(row(*app, &answer)),
            Err(failure) => broken.push(format!("{app}: {failure}")),
        }
    }
    table::print(
        &[
            "app", "status", "ended", "steps", "pages", "crashes", "findings", "wall", "steps/s",
        ],
        &rows,
    );
    if broken.is_empty() {
        return Ok(());
    }
    Err(Failure::failed(broken.join("\n")))
}

fn ask(qa: &Path, url: &str, steps: u32, session: &Path) -> Result<Value, Failure> {
    if session.exists() {
        std::fs::remove_dir_all(session)?;
    }
    eprintln!("$ qa explore --url {url} --max-steps {steps} --json");
    let output = Command::new(qa)
        .args(["explore", "--url", url, "--json", "--max-steps"])
        .arg(steps.to_string())
        .arg("--out")
        .arg(session)
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()?;
    // A crash of the app ends with 1 and a run that proves nothing with 2; both have an outcome.
    if !matches!(output.status.code(), Some(0..=2)) {
        return Err(Failure::failed(format!(
            "qa explore ended with {}",
            output.status
        )));
    }
    serde_json::from_slice(&output.stdout)
        .map_err(|error| Failure::failed(format!("qa explore printed no JSON: {error}")))
}

fn row(app: App, answer: &Value) -> Vec<String> {
    // The outcome may stand alone or beside the place of the report.
    let outcome = answer.get("outcome").unwrap_or(answer);
    let word = |key: &str| outcome[key].as_str().unwrap_or("?").to_owned();
    let count = |key: &str| {
        outcome[key]
            .as_u64()
            .map_or_else(|| "?".to_owned(), |count| count.to_string())
    };
    let crashes = outcome["crashes"].as_array().map_or(0, Vec::len);
    let findings: u64 = outcome["findings"]
        .as_object()
        .map_or(0, |kinds| kinds.values().filter_map(Value::as_u64).sum());
    let seconds = outcome["duration_ms"].as_f64().unwrap_or(0.0) / 1000.0;
    let speed = outcome["steps"].as_f64().unwrap_or(0.0) / seconds.max(0.001);
    vec![
        app.to_string(),
        word("status"),
        word("ended"),
        count("steps"),
        count("pages"),
        crashes.to_string(),
        findings.to_string(),
        format!("{seconds:.1} s"),
        format!("{speed:.1}"),
    ]
}
