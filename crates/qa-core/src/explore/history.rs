//! Going on with a run whose process died (D-11).

use std::time::Duration;

use super::run::Run;
use crate::safety::trial_of;
use crate::{
    BlockedHost, CrashSummary, EdgeInfo, ElementKey, Ledger, Notice, PageInfo, PageKind, Replay,
    Settle, StateGraph, StepRecord, StepResult,
};

/// What a run left that ended without an end: enough to go on where it was.
#[derive(Debug, Clone)]
pub struct History {
    /// Its steps, from the first, without gaps.
    pub steps: Vec<StepRecord>,
    /// Its crashes, in order.
    pub crashes: Vec<CrashSummary>,
    /// Its findings, in order.
    pub findings: Vec<CrashSummary>,
    /// Its graph as it was stored last. Steps after that are added to it.
    pub graph: StateGraph,
    /// How long it had run.
    pub elapsed: Duration,
}

/// Stands on a page that the graph was not stored with for what can be tried there, so that the
/// page is gone to again.
const UNKNOWN: &str = "(not known)";

impl Run<'_> {
    /// Makes the run as if it had done what a history tells. What was refused, and pages outside
    /// the app, are counted anew.
    pub(super) fn take_up(&mut self, history: History) {
        self.earlier_real = history.elapsed;
        self.earlier_ms = history.steps.last().map_or(0, |step| step.notes.app_ms);
        self.ledger = Ledger::take_up(
            self.config.max_steps,
            &history.steps,
            &history.crashes,
            &history.findings,
        );
        self.graph = history.graph;
        let stored_ms = self.graph.last_ms();
        for step in &history.steps {
            if step.notes.app_ms > stored_ms {
                self.retrace(step);
            }
            self.count(step);
        }
        self.tally
            .warn("RESUMED", "refused elements were counted anew");
        self.is_resumed = true;
    }

    /// Adds a step to the graph that it was not stored with.
    fn retrace(&mut self, step: &StepRecord) {
        let notes = &step.notes;
        let unseen = |run: &mut Self, page| {
            if !run.graph.contains(page) {
                let info = PageInfo {
                    kind: PageKind::Page,
                    summary: notes.observation.clone(),
                    at_ms: notes.app_ms,
                    ..PageInfo::default()
                };
                run.graph.visit(page, info, &[ElementKey(UNKNOWN.into())]);
            }
        };
        for page in [&notes.page_from, &notes.page_to].into_iter().flatten() {
            unseen(self, page);
        }
        if let (Some(page), Some(replay), false) =
            (&notes.page_from, &notes.replay, notes.navigation)
            && let Some(trial) = trial_of(replay)
        {
            self.graph.mark_seen(page, &trial);
        }
        match (&notes.page_from, &notes.replay, &notes.page_to) {
            (_, Some(Replay::Launch), Some(page)) => self.graph.set_launch_page(page),
            (Some(from), Some(replay), Some(to)) if from != to => {
                self.graph.record_edge(EdgeInfo {
                    from: from.clone(),
                    replay: replay.clone(),
                    action: step.action.clone(),
                    to: to.clone(),
                    at_ms: notes.app_ms,
                    via_screenshot: notes.via_screenshot,
                    late: false,
                    failed: step.result != StepResult::Ok,
                    crashed: false,
                });
            }
            _ => {}
        }
    }

    /// Counts what a step did.
    fn count(&mut self, step: &StepRecord) {
        let notes = &step.notes;
        let settle = notes.settle.as_ref();
        if settle.is_some_and(|settle| settle.outcome == Settle::Unsettled) {
            self.tally.unsettled_steps.push(step.index);
        }
        for notice in &notes.notices {
            match notice {
                Notice::Blocked { host, count } => {
                    BlockedHost::count(&mut self.tally.blocked, host, *count);
                }
                // It was visited, or is closed: it is not visited again.
                Notice::Popup { url, .. } => drop(self.tally.is_new_popup(url)),
                _ => {}
            }
        }
        match (&notes.replay, &notes.page_from) {
            (
                Some(
                    Replay::Tap { .. }
                    | Replay::PressKey { .. }
                    | Replay::Scroll { .. }
                    | Replay::Select { .. },
                ),
                _,
            ) => self.actions += 1,
            (Some(Replay::InputText { element_key, .. }), page) => {
                self.actions += 1;
                if let Some(page) = page {
                    let field = (page.clone(), element_key.clone());
                    *self.fills.entry(field).or_default() += 1;
                }
            }
            _ => {}
        }
    }
}
