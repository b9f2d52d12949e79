//! The end of a run: last evidence, verdict, report (section 16).

use std::time::Duration;

use super::here::Here;
use super::run::{Run, millis};
use crate::session::nothing_was_tried;
use crate::{Ended, Outcome, Reason, Status, Unexplored};

/// Queries in a row that must bring nothing new.
const QUIET_QUERIES: u32 = 2;
/// Queries at most.
const MAX_QUERIES: u32 = 5;
/// App time between two queries.
const PAUSE: Duration = Duration::from_secs(1);

impl Run<'_> {
    /// Takes the rest of the path, on every way out (EXP-130 to EXP-133).
    pub(super) async fn finish(mut self, ended: Ended, watched: bool) -> Outcome {
        if watched {
            self.drain().await;
        }
        if let Err(error) = self.ports.watch.stop().await {
            self.ledger.capture_failed(error.reason);
        }
        // What happened since the last step belongs to the run's counts.
        self.take_notices();
        let mut outcome = self.outcome(ended);
        if let Err(error) = self.ports.archive.finish(&outcome, &self.graph) {
            let reason = reason("FINISH_FAILED", error.to_string());
            if outcome.status == Status::Passed {
                outcome.status = Status::Aborted;
            }
            outcome.reasons.push(reason);
        }
        if let Err(error) = self.ports.driver.stop().await {
            let reason = reason("STOP_FAILED", error.to_string());
            outcome.warnings.push(reason);
        }
        outcome
    }

    /// Asks for evidence until two queries in a row bring nothing new. What repeats itself is
    /// counted, but is not new.
    async fn drain(&mut self) {
        let mut quiet = 0;
        for query in 0..MAX_QUERIES {
            if query > 0 && self.ports.driver.advance(PAUSE).await.is_err() {
                self.tally
                    .warn("DRAIN_SHORT", "the device did not wait for late crashes");
            }
            let failures = self.ledger.latches().crash_query.len();
            let crashes = self.query().await;
            let answered = self.ledger.latches().crash_query.len() == failures;
            // A crash that cannot be stored has closed its latch; the others still follow.
            let new = self
                .file(crashes, self.ledger.last_completed())
                .unwrap_or(1);
            quiet = if answered && new == 0 { quiet + 1 } else { 0 };
            if quiet == QUIET_QUERIES {
                return;
            }
        }
        self.ledger.crash_query_failed(format!(
            "crashes still came up after {MAX_QUERIES} queries at the end"
        ));
    }

    fn outcome(&mut self, ended: Ended) -> Outcome {
        let crashes = self.ledger.crashes().to_vec();
        let latches = self.ledger.latches();
        let status = Status::of(crashes.len(), latches, self.config.max_steps, self.actions);
        let mut reasons = latches.reasons();
        if nothing_was_tried(self.config.max_steps, self.actions) {
            reasons.push(reason(
                "NO_ACTION_EXECUTED",
                "nothing was tapped or entered",
            ));
        }
        if !crashes.is_empty() {
            let text = format!("{} crashes were recorded", crashes.len());
            reasons.insert(0, reason("CRASHES", text));
        }
        Outcome {
            status,
            reasons,
            ended,
            steps: self.ledger.last_completed(),
            max_steps: self.config.max_steps,
            pages: self.graph.page_count(),
            edges: self.graph.edge_count(),
            actions: self.actions,
            duration_ms: millis(self.real_time()),
            app_ms: self.app_ms(),
            findings: self.ledger.findings(),
            refused: self.tally.refused(),
            unexplored: self.unexplored(),
            foreign: self.tally.foreign_places(),
            blocked: self.tally.blocked.clone(),
            unsettled_steps: self.tally.unsettled_steps.clone(),
            duplicates: self.tally.duplicates,
            warnings: self.warnings(),
            crashes,
        }
    }

    fn warnings(&self) -> Vec<Reason> {
        let mut warnings = self.tally.warnings();
        if self.graph.is_truncated() {
            let text = "the state graph met a limit and is incomplete";
            warnings.push(reason("GRAPH_TRUNCATED", text));
        }
        warnings
    }

    /// The pages that still have something unseen, seen from where the run ended.
    fn unexplored(&self) -> Vec<Unexplored> {
        let here = self.here.as_ref().and_then(Here::target_page);
        match here.as_ref().or(self.graph.launch_page()) {
            Some(page) => self.navigator.unexplored(&self.graph, page),
            None => Vec::new(),
        }
    }
}

fn reason(code: &str, text: impl Into<String>) -> Reason {
    Reason {
        code: code.to_owned(),
        text: text.into(),
    }
}
