//! Exploring served apps with the release build of `qa`.

use super::app::{App, Place};
use super::serve;
use crate::failure::Failure;
use crate::qa::{Explored, Qa};
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
    let qa = Qa::build(workspace)?;
    let mut rows = Vec::new();
    let mut broken = Vec::new();
    for app in apps {
        let sessions = place.sessions().join(app.to_string());
        std::fs::create_dir_all(&sessions)?;
        let log = sessions.join("server.log");
        let served = serve::serve(place, *app, None, Some(&log))?;
        let steps = steps.to_string();
        let arguments = ["--url", &served.url, "--max-steps", &steps];
        match qa.explore(&arguments, &sessions) {
            Ok(explored) => rows.push(row(*app, &explored)),
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

fn row(app: App, explored: &Explored) -> Vec<String> {
    let summary = &explored.summary;
    let count = |key: &str| summary[key].as_u64().unwrap_or(0);
    let crashes = summary["crashes"].as_array().map_or(0, Vec::len);
    let seconds = summary["duration_s"].as_f64().unwrap_or(0.0);
    let speed = count("steps") as f64 / seconds.max(0.001);
    vec![
        app.to_string(),
        summary["status"].as_str().unwrap_or("?").to_owned(),
        explored.ended.clone(),
        count("steps").to_string(),
        count("pages").to_string(),
        crashes.to_string(),
        (explored.evidence.len() - crashes.min(explored.evidence.len())).to_string(),
        format!("{seconds:.1} s"),
        format!("{speed:.1}"),
    ]
}
