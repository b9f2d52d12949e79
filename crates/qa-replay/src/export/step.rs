//! One action as a step: its element, its words and its proof.

use qa_core::{Assertion, Claim, Predicate, Receipt, ReceiptStatus, replay_refusal};
use serde::Serialize;

use super::proof::{self, Proof};
use super::{Event, Export, Reason, bare_address, claimed, scenario, selector, trace};
use crate::{Action, Amount, Direction, Scenario, Step, load};

/// One action as a step. What came of the one that `broke` the app is what a sound app does not
/// show, so that it proves as little as possible: its crash is looked for anyway.
pub(super) fn step(
    event: &Event,
    claims: &[&Assertion],
    export: &Export<'_>,
    broke: bool,
) -> Result<Step, Reason> {
    let done = event.action.as_ref().map_err(|undone| undone.reason())?;
    acknowledged(event, done)?;
    let before = event
        .before
        .as_ref()
        .ok_or(("TARGET_OBSERVATION_MISSING", "no view was read before it"))?;
    if !export.keep_unproven
        && let Some(index) = event.node()
        && let Some(code) = replay_refusal(done, before, index, export.boundary)
    {
        return Err((code, "a replay does not act on its element"));
    }
    let mut weak = Vec::new();
    let target = match event.node() {
        Some(index) => {
            let (predicate, weakness) = selector::durable(before, index)?;
            weak.extend(weakness);
            Some(predicate)
        }
        None => None,
    };
    let action = if event
        .receipt
        .as_ref()
        .is_some_and(|receipt| scrolled_only(is_tap(done), receipt))
    {
        Action::Scroll {
            target: target.clone(),
            direction: None,
            amount: None,
        }
    } else {
        action(done, target.as_ref())?
    };
    let still_there = || proof::still_there(event, target.as_ref());
    let plain = |claim| Assertion {
        claim,
        description: None,
        scope: None,
    };
    let assert = match (claimed::newly(event, claims), proof::of(event, &action)) {
        (Some(claimed), _) => claimed.clone(),
        (
            None,
            Ok(Proof {
                claim: claim @ Claim::NodePresent(_),
                ..
            }),
        ) if broke => {
            weak.push("what came of it was seen in a broken app");
            plain(still_there().unwrap_or(claim))
        }
        (None, Ok(proof)) => {
            weak.extend(proof.weak);
            plain(proof.claim)
        }
        // What only made something go, or checked a box, may be needed by what follows.
        (None, Err(reason))
            if export.keep_unproven
                || reason == proof::NOTHING
                    && (proof::made_go(event) || proof::changed_state(event)) =>
        {
            weak.push("nothing that can be proven came of it");
            plain(still_there().ok_or(reason)?)
        }
        (None, Err(reason)) => return Err(reason),
    };
    let step = Step {
        index: 1,
        intent: intent(&action, &weak),
        action,
        assert,
        escalation_refused: None,
    };
    if is_marked(&step, export) {
        return Err((
            "ACTION_PAYLOAD_REDACTED",
            "it holds something that is never written",
        ));
    }
    // An option without a label, a role without a word: the loader would refuse all of the file.
    if can_be_loaded(&scenario(vec![step.clone()], export)) {
        Ok(step)
    } else {
        Err(("UNSUPPORTED_REPLAY_ACTION", "a scenario cannot hold it"))
    }
}

/// Whether redaction would change something, or has changed it: then it would do or prove
/// something else (REP-114).
pub(super) fn is_marked(part: &impl Serialize, export: &Export<'_>) -> bool {
    let written = serde_json::to_string(part).unwrap_or_default();
    let safe = export.redactor.text(&written);
    safe.map_or(true, |safe| safe.as_str() != written) || trace::is_marked(&written)
}

pub(super) fn can_be_loaded(scenario: &Scenario) -> bool {
    let written = serde_json::to_vec(scenario).unwrap_or_default();
    load(&written).is_ok_and(|read| read == *scenario)
}

/// What the device said of it (26.5).
fn acknowledged(event: &Event, done: &qa_core::Action) -> Result<(), Reason> {
    let receipt = event
        .receipt
        .as_ref()
        .ok_or(("ACTION_RECEIPT_MISSING", "nothing was acknowledged"))?;
    match receipt.status {
        _ if scrolled_only(is_tap(done), receipt) => Ok(()),
        ReceiptStatus::Rejected => Err(("ACTION_REJECTED", "a rule refused it")),
        ReceiptStatus::Failed => Err(("ACTION_FAILED", "it could not be done")),
        _ if !receipt.dispatched => Err(("ACTION_NOT_DISPATCHED", "nothing was sent")),
        _ => Ok(()),
    }
}

fn is_tap(action: &qa_core::Action) -> bool {
    matches!(action, qa_core::Action::Tap { .. })
}

/// Whether all that came of a tap is that its element was brought into view: there it went away,
/// as the last button of an endless list does, or could not be touched.
pub(crate) fn scrolled_only(is_tap: bool, receipt: &Receipt) -> bool {
    // Said before anything is pressed, and with `dispatched` only where the page was scrolled.
    const UNTOUCHED: [&str; 5] = [
        "TARGET_DETACHED",
        "TARGET_INVISIBLE",
        "TARGET_DISABLED",
        "TARGET_MOVING",
        "TARGET_OBSCURED",
    ];
    let code = receipt.code.as_deref();
    is_tap
        && receipt.status == ReceiptStatus::Failed
        && receipt.dispatched
        && code.is_some_and(|code| UNTOUCHED.contains(&code))
}

/// The action in the words of a scenario; `target` is its element.
fn action(done: &qa_core::Action, target: Option<&Predicate>) -> Result<Action, Reason> {
    use qa_core::Action as Done;
    let needed = || {
        target
            .cloned()
            .ok_or(("TARGET_REF_NOT_FOUND", "its element was not in the view"))
    };
    let unsupported = |detail| Err(("UNSUPPORTED_REPLAY_ACTION", detail));
    Ok(match done {
        Done::Tap { .. } => Action::Click { target: needed()? },
        Done::Focus { .. } => Action::Focus { target: needed()? },
        Done::Hover { .. } => Action::Hover { target: needed()? },
        Done::Fill { text, .. } => Action::Fill {
            target: needed()?,
            text: text.clone(),
        },
        Done::Type { text, .. } => Action::Type {
            target: needed()?,
            text: text.clone(),
        },
        Done::Select { option, .. } => Action::Select {
            target: needed()?,
            option: option.clone(),
        },
        Done::Press {
            target: Some(_),
            key,
        } => Action::Press {
            target: needed()?,
            key: key.clone(),
        },
        Done::Navigate { url } => {
            if bare_address(url) != url {
                return Err(("OBSERVATION_RECORDING_FAILED", "its address has a query"));
            }
            Action::Navigate { url: url.clone() }
        }
        Done::ScrollTo { .. } => Action::Scroll {
            target: Some(needed()?),
            direction: None,
            amount: None,
        },
        Done::Scroll { target, dy, .. } if *dy != 0 => Action::Scroll {
            target: match target {
                Some(_) => Some(needed()?),
                None => None,
            },
            direction: Some(if *dy < 0 {
                Direction::Up
            } else {
                Direction::Down
            }),
            amount: Some(Amount::Units(f64::from(dy.unsigned_abs()))),
        },
        Done::Scroll { .. } => return unsupported("a scenario scrolls up or down only"),
        Done::Press { target: None, .. } => {
            return unsupported("a scenario presses a key in an element only");
        }
        _ => return unsupported("a scenario has no such action"),
    })
}

/// What a step is for, with what weakens its proof (REP-111).
fn intent(action: &Action, weak: &[&str]) -> String {
    let named = |target: &Predicate| format!("{:?}", target.name.as_deref().unwrap_or_default());
    let mut text = match action {
        Action::Fill { target, .. } => format!("Fill {}.", named(target)),
        Action::Select { target, option } => format!("Choose {option:?} in {}.", named(target)),
        Action::Press { target, key } => format!("Press {key} in {}.", named(target)),
        Action::Navigate { .. } => "Go to an address.".to_owned(),
        Action::Type { target, .. } => format!("Type into {}.", named(target)),
        Action::Focus { target } => format!("Focus {}.", named(target)),
        Action::Hover { target } => format!("Point at {}.", named(target)),
        Action::Click { target } => format!("Click {}.", named(target)),
        Action::Scroll {
            target: Some(target),
            direction: None,
            ..
        } => format!("Scroll to {}.", named(target)),
        Action::Scroll {
            direction: Some(Direction::Up),
            ..
        } => "Scroll up.".to_owned(),
        Action::Scroll { .. } => "Scroll down.".to_owned(),
        _ => "Do it.".to_owned(),
    };
    if !weak.is_empty() {
        text += &format!(" Weak proof: {} — verify manually.", weak.join("; "));
    }
    text.replace(['\n', '\r', '\u{2028}', '\u{2029}'], "\u{23ce}")
}
