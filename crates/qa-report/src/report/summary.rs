//! What a program wants to know of a run.

use qa_core::Outcome;
use serde::Serialize;
use serde_json::{Value, json};

use super::group::groups;
use crate::{Meta, Session, StoredStep};

/// The version of `report.json`.
pub const REPORT_SCHEMA: u32 = 1;

/// The summary that `qa explore --json` prints.
///
/// Paths are those of this machine; the exit code is that of the verdict.
#[must_use]
pub fn summary_json(session: &Session) -> Value {
    let mut summary = figures(session);
    let dir = session.dir.to_string_lossy();
    let report = session.dir.join("report.html");
    summary["session_dir"] = json!(dir);
    summary["report"] = json!(report.to_string_lossy());
    summary
}

/// A run as a line of `report.jsonl`, which lies beside its directory.
pub(crate) fn history_json(session: &Session) -> Value {
    let meta = &session.meta;
    let mut line = figures(session);
    line["schema"] = json!(REPORT_SCHEMA);
    line["name"] = json!(meta.name);
    line["platform"] = json!(meta.extra.driver.platform);
    line["target"] = json!(meta.extra.driver.target);
    line["seed"] = json!(meta.extra.config.seed);
    line["version"] = json!(meta.extra.version);
    line["started_at"] = json!(meta.started_at);
    line["ended_at"] = json!(meta.ended_at);
    line["report"] = json!(format!("{}/report.html", meta.id));
    line
}

/// The summary without places on this machine: reports travel.
fn figures(session: &Session) -> Value {
    let outcome = session.outcome();
    let crashes: Vec<Value> = outcome
        .crashes
        .iter()
        .map(|crash| {
            json!({
                "id": crash.id,
                "kind": crash.kind,
                "signature": crash.signature,
                "step": crash.step,
                "count": crash.count,
            })
        })
        .collect();
    let refused: Vec<Value> = outcome
        .refused
        .iter()
        .map(|(rule, refused)| json!({ "rule": rule, "count": refused.count }))
        .collect();
    json!({
        "status": outcome.status,
        "exit_code": outcome.status.exit_code(),
        "session_dir": session.meta.id,
        "report": "report.html",
        "steps": outcome.steps,
        "max_steps": outcome.max_steps,
        "pages": outcome.pages,
        "edges": outcome.edges,
        "duration_s": outcome.duration_ms as f64 / 1000.0,
        "crashes": crashes,
        "findings": outcome.findings,
        "refused": refused,
        "blocked": outcome.blocked,
        "unexplored_pages": outcome.unexplored.len(),
    })
}

/// `report.json`: everything that the other reports are made of.
pub(super) fn report_json(session: &Session) -> Result<String, serde_json::Error> {
    #[derive(Serialize)]
    struct Report<'a> {
        schema: u32,
        summary: Value,
        session: Meta,
        outcome: Outcome,
        crashes: Vec<super::group::Group<'a>>,
        findings: Vec<super::group::Group<'a>>,
        graph: &'a qa_core::GraphSnapshot,
        steps: &'a [StoredStep],
        warnings: &'a [qa_core::Reason],
    }
    let report = Report {
        schema: REPORT_SCHEMA,
        summary: figures(session),
        session: Meta {
            outcome: None,
            ..session.meta.clone()
        },
        outcome: session.outcome(),
        crashes: groups(session, &session.crashes),
        findings: groups(session, &session.findings),
        graph: &session.graph,
        steps: &session.steps,
        warnings: &session.warnings,
    };
    serde_json::to_string_pretty(&report).map(|text| text + "\n")
}
