//! The live element that a step is meant for (REP-054).

use qa_core::{Awaited, DriverError, Match, Observation, Verdict, replay_refusal};
use serde_json::json;

use super::act;
use super::report::StepResult;
use super::runner::Runner;
use crate::{Predicate, Step};

/// An action that is ready, or the rule that forbids it.
pub(super) enum Bound {
    Ready(qa_core::Action),
    Refused(&'static str),
}

impl Runner<'_> {
    /// The live element of a step, bound to its action; nothing where the step is decided by that.
    pub(super) async fn resolve(
        &mut self,
        step: &Step,
        result: &mut StepResult,
    ) -> Result<Option<Bound>, DriverError> {
        let Some(predicate) = act::target(&step.action) else {
            let view = self.seen_view()?;
            return Ok(Some(Bound::Ready(act::bind(&step.action, None, view))));
        };
        loop {
            let settled = self.view.as_ref();
            let is_early = settled.is_some_and(|settled| settled.record.proven_early);
            let view = self.seen_view()?;
            let mut found = predicate.matches(view, None);
            let mut by_name = None;
            if found.is_empty()
                && let Some(name) = predicate.name.as_deref()
            {
                found = only_by_name(name, view);
                by_name = found.first().map(|found| found.role.to_owned());
            }
            match &found[..] {
                [one] => {
                    let node = &view.nodes[one.index];
                    if let Some(role) = by_name {
                        result.target_resolution = Some(json!({
                            "mode": "name-only",
                            "recordedRole": predicate.role,
                            "observedRole": role,
                        }));
                    }
                    if view.completeness.truncated {
                        result.target_uniqueness = Some("window-only");
                    }
                    let action = act::bind(&step.action, Some(node), view);
                    return Ok(Some(match replay_refusal(&action, node) {
                        Some(code) => Bound::Refused(code),
                        None => Bound::Ready(action),
                    }));
                }
                // What was proven early was not at rest: the element may be on its way.
                _ if is_early => {}
                several => {
                    let is_cut = view.completeness.truncated;
                    describe_target(result, predicate, several.len(), is_cut);
                    return Ok(None);
                }
            }
            self.settle(&Awaited::default()).await?;
        }
    }
}

/// The one node that has a name, where nothing has both role and name (REP-054).
fn only_by_name<'v>(name: &str, view: &'v Observation) -> Vec<Match<'v>> {
    let by_name = Predicate {
        name: Some(name.to_owned()),
        ..Predicate::default()
    };
    let found = by_name.matches(view, None);
    if found.len() == 1 { found } else { Vec::new() }
}

fn describe_target(result: &mut StepResult, predicate: &Predicate, count: usize, is_cut: bool) {
    let (status, code, message) = match (count, is_cut) {
        (0, true) => (
            Verdict::Inconclusive,
            "INCONCLUSIVE_TRUNCATED",
            "no node that was seen matches the action target, and more exists".to_owned(),
        ),
        (0, false) => (
            Verdict::Fail,
            "TARGET_NOT_FOUND",
            "no node matches the action target".to_owned(),
        ),
        _ => (
            Verdict::Fail,
            "TARGET_NOT_UNIQUE",
            format!("{count} nodes match the action target"),
        ),
    };
    result.status = status;
    result.reason = Some(code.to_owned());
    result.message = Some(format!("{message}: {}", predicate.describe()));
}
