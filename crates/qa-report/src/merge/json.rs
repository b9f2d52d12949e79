//! `report.json` of several sessions.

use serde_json::{Value, json};

use super::{Defect, Merge, Run};
use crate::Session;

/// The version of the merged `report.json`.
pub const MERGE_SCHEMA: u32 = 1;

impl Merge {
    /// All that was merged, for programs. `exit_code` is that of the worst verdict (D-01).
    #[must_use]
    pub fn to_json(&self) -> Value {
        let status = self.status();
        let steps: usize = self.sessions().map(|session| session.steps.len()).sum();
        let duration: u64 = self
            .sessions()
            .map(|session| session.outcome().duration_ms)
            .sum();
        let pages = self.pages();
        let pages: Vec<Value> = pages
            .iter()
            .map(|(hash, page)| json!({"page": hash, "summary": page.summary, "kind": page.kind}))
            .collect();
        json!({
            "schema": MERGE_SCHEMA,
            "status": status,
            "exit_code": status.exit_code(),
            "runs": self.runs.iter().map(run).collect::<Vec<_>>(),
            "steps": steps,
            "duration_s": duration as f64 / 1000.0,
            "crashes": self.crashes().iter().map(defect).collect::<Vec<_>>(),
            "findings": self.findings().iter().map(defect).collect::<Vec<_>>(),
            "pages": pages,
        })
    }
}

fn run(run: &Run) -> Value {
    let setup = &run.first().meta.extra;
    let attempts = run.attempts.iter().zip(1..);
    let attempts: Vec<Value> = attempts
        .map(|(session, number)| attempt(session, number))
        .collect();
    json!({
        "name": run.first().meta.name,
        "target": setup.driver.target,
        "platform": setup.driver.platform,
        "config": setup.config,
        "attempts": attempts,
    })
}

fn attempt(session: &Session, number: u32) -> Value {
    let outcome = session.outcome();
    let warnings: Vec<_> = outcome.warnings.iter().chain(&session.warnings).collect();
    json!({
        "attempt": number,
        "session": session.meta.id,
        "status": outcome.status,
        "ended": outcome.ended,
        "started_at": session.meta.started_at,
        "ended_at": session.meta.ended_at,
        "duration_s": outcome.duration_ms as f64 / 1000.0,
        "steps": outcome.steps,
        "pages": outcome.pages,
        "crashes": outcome.crashes.len(),
        "reasons": outcome.reasons,
        "warnings": warnings,
    })
}

/// A defect with its evidence.
pub(super) fn defect(defect: &Defect<'_>) -> Value {
    let actions = defect.actions();
    let actions: Vec<Value> = actions
        .map(|(step, action)| json!({"step": step, "action": action}))
        .collect();
    json!({
        "kind": defect.kind,
        "signature": defect.signature,
        "label": defect.label,
        "place": defect.place,
        "count": defect.count,
        "records": defect.sightings,
        "repro": {"session": defect.session.meta.id, "steps": actions},
        "stack": defect.stack,
    })
}
