//! The live element that a step is meant for (REP-054).

use qa_core::{
    Awaited, Blocklist, Capability, DriverError, Match, Node, Observation, Receipt, ReceiptStatus,
    Verdict, listed, replay_refusal,
};
use serde_json::json;

use super::act;
use super::anchor::Anchor;
use super::echo::Echo;
use super::report::StepResult;
use super::runner::{Look, Runner, UNSTABLE};
use super::scope::{self, Known, Scoped, Unscoped};
use crate::{Predicate, Step};

/// An action that is ready, or the rule that forbids it.
pub(super) enum Bound {
    Ready(Box<Aim>),
    /// What is answered instead of the device.
    Refused(Receipt),
}

/// An action on live elements, and what is known of them before it is done.
pub(super) struct Aim {
    pub(super) action: qa_core::Action,
    /// What its own target will show of it.
    pub(super) echo: Echo,
    /// The element itself, where it must be found again.
    pub(super) anchor: Option<Anchor>,
    /// The container that it is done in.
    pub(super) container: Option<Known>,
}

/// The element of a step in a view.
struct Found {
    index: usize,
    container: Option<usize>,
    /// The role it has, where it was found by its name alone.
    other_role: Option<String>,
}

impl Runner<'_> {
    /// The live element of a step, bound to its action; nothing where the step is decided by that.
    pub(super) async fn resolve(
        &mut self,
        step: &Step,
        result: &mut StepResult,
    ) -> Result<Option<Bound>, DriverError> {
        let Some(predicate) = act::target(&step.action) else {
            return Ok(Some(Bound::Ready(Box::new(Aim {
                action: act::bind(&step.action, None, self.seen_view()?),
                echo: Echo::default(),
                anchor: None,
                container: None,
            }))));
        };
        loop {
            if self.is_unsettled() {
                self.unsettled(result);
                return Ok(None);
            }
            let is_closer = self.look != Look::Plain;
            let (scoped, found) = find(step, predicate, self.seen_view()?, is_closer);
            let missed = match found {
                Ok(found) => return self.bind(step, predicate, &found, result).map(Some),
                Err(missed) => missed,
            };
            let settled = self.view.as_ref();
            let is_early = settled.is_some_and(|settled| settled.record.proven_early);
            let there = find(step, predicate, self.seen_view()?, true).1;
            let is_there = there.is_ok_and(|found| found.other_role.is_none());
            if is_early || !is_there && !self.left().is_zero() {
                // What was proven early was not at rest, and what the last action brings may come
                // until its time is spent: the element may be on its way.
                let is_found = |view: &Observation| find(step, predicate, view, false).1.is_ok();
                let awaited = Awaited {
                    is_proven: Some(&is_found),
                    ..Awaited::default()
                };
                self.settle(&awaited).await?;
                continue;
            }
            if missed.rests_on_unseen && self.look_closer().await? {
                continue;
            }
            result.status = missed.verdict;
            result.reason = Some(missed.code.to_owned());
            result.message = Some(missed.detail);
            if let Some(scoped) = scoped {
                result.scope(scoped);
            }
            return Ok(None);
        }
    }

    fn bind(
        &self,
        step: &Step,
        predicate: &Predicate,
        found: &Found,
        result: &mut StepResult,
    ) -> Result<Bound, DriverError> {
        let view = self.seen_view()?;
        let node = &view.nodes[found.index];
        let role = found.other_role.as_ref();
        result.target_resolution = role.map(|role| {
            json!({
                "mode": "name-only",
                "recordedRole": predicate.role,
                "observedRole": role,
            })
        });
        result.target_uniqueness = view.completeness.truncated.then_some("window-only");
        let action = act::bind(&step.action, Some(node), view);
        let refusal = replay_refusal(&action, view, found.index, &self.boundary)
            .or_else(|| self.is_blocked(node).then_some("BLOCKLISTED_TARGET"));
        if let Some(code) = refusal {
            return Ok(Bound::Refused(refused(code, &action, node)));
        }
        let can = &self.ports.driver.info().capabilities;
        let keeps_refs = can.contains(&Capability::LastingRefs);
        let anchor = if keeps_refs {
            Anchor::Kept(node.node_ref.clone())
        } else {
            Anchor::Unsupported
        };
        let container = found.container.filter(|_| keeps_refs);
        Ok(Bound::Ready(Box::new(Aim {
            echo: Echo::of(&action, view),
            action,
            anchor: scope::is_scroll_proof(step).then_some(anchor),
            container: container.map(|index| Known::of(view, index)),
        })))
    }

    /// Whether the owner's own words forbid to touch it.
    fn is_blocked(&self, node: &Node) -> bool {
        let words = &self.options.blocklist;
        let texts = [Some(&node.name), node.text.as_ref(), node.id.as_ref()];
        let texts = texts.into_iter().flatten().map(String::as_str);
        !words.is_empty()
            && Blocklist::new(words)
                .hit_any(texts)
                .is_some_and(|hit| words.contains(&hit.word))
    }

    /// A page that does not come to rest decides a step (REP-042).
    pub(super) fn unsettled(&mut self, result: &mut StepResult) {
        self.broken = true;
        result.status = Verdict::Fail;
        result.reason = Some(UNSTABLE.into());
        result.message = Some("the page never came to rest".into());
    }
}

/// The element of a step, inside the container of its claim if there is one (REP-077), or why it is
/// not acted upon.
fn find(
    step: &Step,
    predicate: &Predicate,
    view: &Observation,
    is_closer: bool,
) -> (Option<Scoped>, Result<Found, Unscoped>) {
    let mut scoped = None;
    let mut container = None;
    if let Some(scope) = &step.assert.scope {
        let found = scope::find(scope, view, None);
        let may_be_provisional = scope.path.is_some() || scope::is_scroll_proof(step);
        let index = found.index(scope, may_be_provisional);
        scoped = Some(found);
        match index {
            Ok(index) => container = Some(index),
            Err(unscoped) => return (scoped, Err(unscoped)),
        }
    }
    let found = predicate.matches(view, container);
    let is_whole = !view.completeness.truncated;
    let found = match &found[..] {
        [one] => Ok(Found {
            index: one.index,
            container,
            other_role: None,
        }),
        // That nothing has the role as well must be sure.
        [] if is_closer && is_whole => by_name(predicate, view, container),
        several => Err(missed(predicate, several, is_whole)),
    };
    (scoped, found)
}

/// The one node that has the name, where nothing has both role and name.
fn by_name(
    predicate: &Predicate,
    view: &Observation,
    container: Option<usize>,
) -> Result<Found, Unscoped> {
    let name = predicate.name.clone().filter(|_| predicate.role.is_some());
    let by_name = Predicate {
        name,
        ..Predicate::default()
    };
    let found: Vec<Match<'_>> = match by_name.name {
        Some(_) => by_name.matches(view, container),
        None => Vec::new(),
    };
    match &found[..] {
        [one] => Ok(Found {
            index: one.index,
            container,
            other_role: Some(one.role.to_owned()),
        }),
        others => Err(missed(predicate, others, true)),
    }
}

/// What is answered instead of the device where a rule forbids an action (VIEW-020).
fn refused(code: &str, action: &qa_core::Action, node: &Node) -> Receipt {
    let what = match code {
        "CREDENTIAL_ENTRY_REJECTED" => "takes a secret",
        "FILE_UPLOAD_REJECTED" => "takes a file",
        "DOWNLOAD_REJECTED" => "gives a file",
        "DESTRUCTIVE_TARGET" => "destroys something",
        "BLOCKLISTED_TARGET" => "is on the blocklist",
        "FINANCIAL_TARGET" => "costs money",
        "SECURITY_TARGET" => "changes how one logs in",
        _ => "sends something out of the app",
    };
    let is_sent_by_key = matches!(action, qa_core::Action::Press { .. }) && node.flags.editable;
    let which = if is_sent_by_key { "the form of " } else { "" };
    let name = &node.name;
    let reason = format!("a replay does not act on what, as it seems, {what}: {which}{name:?}");
    Receipt::not_ok(ReceiptStatus::Rejected, 0, code, reason)
}

fn missed(predicate: &Predicate, found: &[Match<'_>], is_whole: bool) -> Unscoped {
    let (verdict, code, what) = match (found.len(), is_whole) {
        (0, false) => (
            Verdict::Inconclusive,
            "INCONCLUSIVE_TRUNCATED",
            "no node that was seen matches the action target, and more exists".to_owned(),
        ),
        (0, true) => (
            Verdict::Fail,
            "TARGET_NOT_FOUND",
            "no node matches the action target".to_owned(),
        ),
        (count, _) => (
            Verdict::Fail,
            "TARGET_NOT_UNIQUE",
            format!("{count} nodes match the action target ({})", listed(found)),
        ),
    };
    Unscoped {
        verdict,
        code,
        detail: format!("{what}: {}", predicate.describe()),
        rests_on_unseen: found.is_empty(),
    }
}
