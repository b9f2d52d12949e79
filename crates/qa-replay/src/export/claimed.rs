//! What a session claimed of its pages, and how much of that a scenario can say.

use qa_core::{Assertion, Observation, Predicate, Settle, Verdict};

use super::step::{can_be_loaded, is_marked};
use super::{Event, ExcludedAssertion, Export, scenario};
use crate::run::judge_alone;
use crate::{Action, Step};

/// The claims after an action that held there and may be written down, and the others.
pub(super) fn speakable<'e>(
    event: &'e Event,
    export: &Export<'_>,
) -> (Vec<&'e Assertion>, Vec<ExcludedAssertion>) {
    let rests = event
        .settle
        .is_some_and(|settle| settle != Settle::Unsettled);
    let after = event.after.as_ref().filter(|_| rests);
    let reason = |claim: &Assertion| {
        if !after.is_some_and(|after| holds(claim, after)) {
            Some(("CLAIM_NOT_PROVEN", "no view at rest shows it"))
        } else if is_marked(claim, export) || !can_be_loaded(&only(claim, export)) {
            let detail = "it holds something that is never written, or that no scenario can hold";
            Some(("OBSERVATION_RECORDING_FAILED", detail))
        } else {
            None
        }
    };
    let mut speakable = Vec::new();
    let mut others = Vec::new();
    for claim in &event.claims {
        match reason(claim) {
            None => speakable.push(claim),
            Some((reason, detail)) => others.push(ExcludedAssertion {
                reason,
                detail: detail.into(),
            }),
        }
    }
    (speakable, others)
}

/// A scenario that makes one claim.
fn only(claim: &Assertion, export: &Export<'_>) -> crate::Scenario {
    let target = Predicate {
        name: Some("x".into()),
        ..Predicate::default()
    };
    let step = Step {
        index: 1,
        intent: "x".into(),
        action: Action::Click { target },
        assert: claim.clone(),
        escalation_refused: None,
    };
    scenario(vec![step], export)
}

/// The claim that is the best proof of an action: it held after it and not before. A claim of an
/// absence proves no step (REP-117).
pub(super) fn newly<'c>(event: &Event, claims: &[&'c Assertion]) -> Option<&'c Assertion> {
    let before = event.before.as_ref()?;
    let claims = claims.iter().rev().copied();
    let mut positive = claims.filter(|claim| claim.claim.is_positive());
    positive.find(|claim| !holds(claim, before))
}

/// The claims after an action that its step does not make; only those of the last page may stand
/// at the end.
pub(super) fn unused(claims: &[&Assertion], step: &Step) -> Vec<ExcludedAssertion> {
    let rest = claims.iter().filter(|claim| ***claim != step.assert);
    let rest = rest.map(|_| ExcludedAssertion {
        reason: "CLAIM_NOT_AT_THE_END",
        detail: "it was claimed on the way, where a step proves one thing".into(),
    });
    rest.collect()
}

/// The claims after an action that is left out itself.
pub(super) fn left_out(claims: &[&Assertion]) -> Vec<ExcludedAssertion> {
    let rest = claims.iter().map(|_| ExcludedAssertion {
        reason: "CLAIM_WITHOUT_ITS_ACTION",
        detail: "the action before it is left out".into(),
    });
    rest.collect()
}

/// Whether a view alone shows that a claim holds.
fn holds(assertion: &Assertion, view: &Observation) -> bool {
    judge_alone(assertion, view).is_some_and(|judgement| judgement.verdict == Verdict::Pass)
}
