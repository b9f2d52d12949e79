//! From what was done to a scenario: durable selectors, one proof a step, and nothing dropped in
//! silence (sections 15 and 16).

mod proof;
mod retrace;
mod selector;

use qa_core::{Assertion, Claim, Observation, Predicate, Receipt, ReceiptStatus, Replay, Settle};
use qa_redact::Redactor;
use serde::Serialize;

use crate::{
    Action, Amount, Direction, DriverWord, MAX_STEPS, Meta, SCENARIO_SCHEMA, Scenario, Step,
    Target, load,
};

pub(crate) use proof::GATHERING;
pub use retrace::{Missing, RetraceError, Retraced, retrace};

/// One action that was done again, with what was seen around it.
#[derive(Debug, Clone)]
pub struct Event {
    /// What was done.
    pub replay: Replay,
    /// The page before it.
    pub before: Option<Observation>,
    /// Its element, as an index of that view.
    pub node: Option<usize>,
    /// What the device acknowledged.
    pub receipt: Option<Receipt>,
    /// The page after it, once it had come to rest.
    pub after: Option<Observation>,
    /// How that came to rest.
    pub settle: Option<Settle>,
}

/// What a scenario is made of beside its events.
#[derive(Debug, Clone)]
pub struct Export<'a> {
    /// Its name.
    pub name: &'a str,
    /// What it is about.
    pub description: &'a str,
    /// RFC 3339.
    pub created_at: &'a str,
    /// Where the app is started.
    pub launch: &'a str,
    /// An action is kept even if nothing that can be proven came of it: it may be needed to meet a
    /// crash again, and the last one is what broke.
    pub keep_unproven: bool,
    /// An action that it would change is left out (REP-114).
    pub redactor: &'a Redactor,
}

/// What came of it.
#[derive(Debug, Clone)]
pub struct Exported {
    /// The scenario, if anything could be proven.
    pub scenario: Option<Scenario>,
    /// The actions that are not in it, in order.
    pub excluded: Vec<Excluded>,
}

/// An action that is not part of a scenario, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Excluded {
    /// `action-N`, counted from 1 over all that was recorded.
    pub action_id: String,
    /// A stable code (26.5).
    pub reason: &'static str,
    /// One sentence.
    pub detail: String,
}

/// Why an action is left out.
type Reason = (&'static str, &'static str);

const TOO_MANY: Reason = (
    "UNSUPPORTED_REPLAY_ACTION",
    "a scenario cannot have more steps",
);

/// Makes a scenario of events; the start of the app is not among them.
#[must_use]
pub fn export(events: &[Event], export: &Export<'_>) -> Exported {
    let mut steps: Vec<Step> = Vec::new();
    let mut excluded = Vec::new();
    for (position, event) in events.iter().enumerate() {
        let broke = export.keep_unproven && position + 1 == events.len();
        let made = step(event, export, broke).and_then(|step| match steps.len() {
            MAX_STEPS => Err(TOO_MANY),
            _ => Ok(step),
        });
        match made {
            Ok(step) => {
                let index = steps.len() as u64 + 1;
                steps.push(Step { index, ..step });
            }
            Err((reason, detail)) => excluded.push(Excluded {
                action_id: format!("action-{}", position + 1),
                reason,
                detail: detail.to_owned(),
            }),
        }
    }
    let scenario = (!steps.is_empty()).then(|| scenario(steps, export));
    Exported { scenario, excluded }
}

/// Steps as a scenario; at the end the proof of the last one must still hold.
fn scenario(steps: Vec<Step>, export: &Export<'_>) -> Scenario {
    Scenario {
        schema_version: Some(SCENARIO_SCHEMA),
        meta: Meta {
            name: export.name.to_owned(),
            description: export.description.to_owned(),
            driver: DriverWord::Browser,
            created_at: export.created_at.to_owned(),
            notes: None,
            settle: None,
        },
        target: Target {
            launch: export.launch.to_owned(),
            login_state: None,
            window_title: None,
            device_id: None,
        },
        assertions: steps
            .last()
            .map(|last| last.assert.clone())
            .into_iter()
            .collect(),
        steps,
        advisory: None,
    }
}

/// One action as a step. What came of the one that `broke` the app is what a sound app does not
/// show, so that it proves as little as possible: its crash is looked for anyway.
fn step(event: &Event, export: &Export<'_>, broke: bool) -> Result<Step, Reason> {
    acknowledged(event)?;
    let before = event
        .before
        .as_ref()
        .ok_or(("TARGET_OBSERVATION_MISSING", "no view was read before it"))?;
    let mut weak = Vec::new();
    let target = match event.node {
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
        .is_some_and(|receipt| scrolled_only(&event.replay, receipt))
    {
        Action::Scroll {
            target: target.clone(),
            direction: None,
            amount: None,
        }
    } else {
        action(&event.replay, target.as_ref())?
    };
    let still_there = || proof::still_there(event, target.as_ref());
    let claim = match proof::of(event, &action) {
        Ok(Proof {
            claim: claim @ Claim::NodePresent(_),
            ..
        }) if broke => {
            weak.push("what came of it was seen in a broken app");
            still_there().unwrap_or(claim)
        }
        Ok(proof) => {
            weak.extend(proof.weak);
            proof.claim
        }
        Err(reason) if export.keep_unproven => {
            weak.push("nothing that can be proven came of it");
            still_there().ok_or(reason)?
        }
        Err(reason) => return Err(reason),
    };
    let step = Step {
        index: 1,
        intent: intent(&action, &weak),
        action,
        assert: Assertion {
            claim,
            description: None,
            scope: None,
        },
        escalation_refused: None,
    };
    let written = serde_json::to_string(&step).unwrap_or_default();
    let safe = export.redactor.text(&written);
    // What redaction would change would do or prove something else.
    if safe.map_or(true, |safe| safe.as_str() != written) {
        return Err((
            "ACTION_PAYLOAD_REDACTED",
            "it holds something that is never written",
        ));
    }
    // An option without a label, a role without a word: the loader would refuse all of the file.
    let alone = scenario(vec![step.clone()], export);
    match load(&serde_json::to_vec(&alone).unwrap_or_default()) {
        Ok(read) if read == alone => Ok(step),
        _ => Err(("UNSUPPORTED_REPLAY_ACTION", "a scenario cannot hold it")),
    }
}

/// What the device said of it (26.5).
fn acknowledged(event: &Event) -> Result<(), Reason> {
    let receipt = event
        .receipt
        .as_ref()
        .ok_or(("ACTION_RECEIPT_MISSING", "nothing was acknowledged"))?;
    match receipt.status {
        _ if scrolled_only(&event.replay, receipt) => Ok(()),
        ReceiptStatus::Rejected => Err(("ACTION_REJECTED", "a rule refused it")),
        ReceiptStatus::Failed => Err(("ACTION_FAILED", "it could not be done")),
        _ if !receipt.dispatched => Err(("ACTION_NOT_DISPATCHED", "nothing was sent")),
        _ => Ok(()),
    }
}

/// Whether all that came of an action is that its element was brought into view: there it went
/// away, as the last button of an endless list does, or could not be touched.
pub(crate) fn scrolled_only(replay: &Replay, receipt: &Receipt) -> bool {
    // Said before anything is pressed, and with `dispatched` only where the page was scrolled.
    const UNTOUCHED: [&str; 5] = [
        "TARGET_DETACHED",
        "TARGET_INVISIBLE",
        "TARGET_DISABLED",
        "TARGET_MOVING",
        "TARGET_OBSCURED",
    ];
    let code = receipt.code.as_deref();
    matches!(replay, Replay::Tap { .. })
        && receipt.status == ReceiptStatus::Failed
        && receipt.dispatched
        && code.is_some_and(|code| UNTOUCHED.contains(&code))
}

/// The action in the words of a scenario.
fn action(replay: &Replay, target: Option<&Predicate>) -> Result<Action, Reason> {
    let needed = || {
        target
            .cloned()
            .ok_or(("TARGET_REF_NOT_FOUND", "its element was not found"))
    };
    Ok(match replay {
        Replay::Tap { .. } => Action::Click { target: needed()? },
        Replay::InputText {
            input_value: Some(text),
            ..
        } => Action::Fill {
            target: needed()?,
            text: text.clone(),
        },
        Replay::InputText { .. } => {
            return Err(("ACTION_PAYLOAD_REDACTED", "its text is not stored"));
        }
        Replay::Select { option, .. } => Action::Select {
            target: needed()?,
            option: option.clone(),
        },
        Replay::PressKey { key, .. } => Action::Press {
            target: needed()?,
            key: key.clone(),
        },
        Replay::Navigate { url } => {
            if url.contains(['?', '#']) {
                return Err(("OBSERVATION_RECORDING_FAILED", "its address has a query"));
            }
            Action::Navigate { url: url.clone() }
        }
        Replay::Scroll {
            element_key, dy, ..
        } if *dy != 0 => Action::Scroll {
            target: match element_key {
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
        Replay::Launch | Replay::PressButton { .. } | Replay::Scroll { .. } => {
            return Err((
                "UNSUPPORTED_REPLAY_ACTION",
                "scenarios have no such action in a browser",
            ));
        }
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

/// A proof, and what weakens it.
struct Proof {
    claim: Claim,
    weak: Vec<&'static str>,
}

#[cfg(test)]
mod tests {
    use qa_core::{Completeness, Coverage, ElementKey, Flags, Node, NodeRef, Platform};
    use qa_redact::{RedactorConfig, Secret};

    use super::*;

    fn node(node_ref: &str, role: &str, name: &str) -> Node {
        Node {
            node_ref: NodeRef(node_ref.into()),
            role: role.into(),
            name: name.into(),
            flags: Flags {
                in_seed_view: true,
                visible: true,
                ..Flags::default()
            },
            ..Node::default()
        }
    }

    fn view(url: &str, nodes: Vec<Node>) -> Observation {
        Observation {
            platform: Platform::Web,
            front: None,
            url: Some(url.into()),
            title: String::new(),
            viewport: (100.0, 100.0),
            nodes,
            completeness: Completeness {
                truncated: false,
                coverage: Coverage::default(),
                ..Completeness::default()
            },
            document: 1,
            animating: Vec::new(),
        }
    }

    fn tap(before: Observation, node: usize, after: Observation) -> Event {
        Event {
            replay: Replay::Tap {
                element_key: ElementKey("role:button|x".into()),
            },
            before: Some(before),
            node: Some(node),
            receipt: Some(Receipt::ok(1)),
            after: Some(after),
            settle: Some(Settle::Changed),
        }
    }

    fn exported(events: &[Event], keep_unproven: bool) -> Exported {
        let redactor = Redactor::new(RedactorConfig {
            allowed_origins: vec!["http://a.test".into()],
            secrets: vec![Secret::new("kp-zebra-tulip")],
            ..RedactorConfig::default()
        })
        .unwrap();
        let how = Export {
            name: "n",
            description: "",
            created_at: "2026-11-30T08:00:00Z",
            launch: "http://a.test/",
            keep_unproven,
            redactor: &redactor,
        };
        let exported = export(events, &how);
        let steps = exported
            .scenario
            .as_ref()
            .map_or(0, |made| made.steps.len());
        // REP-INV-21
        assert_eq!(steps + exported.excluded.len(), events.len());
        if let Some(scenario) = &exported.scenario {
            // REP-INV-20
            let bytes = serde_json::to_vec(scenario).unwrap();
            assert_eq!(&crate::load(&bytes).unwrap(), scenario);
        }
        exported
    }

    fn first(exported: &Exported) -> &Step {
        &exported.scenario.as_ref().unwrap().steps[0]
    }

    // REP-110, REP-119
    #[test]
    fn a_step_has_a_name_and_proves_what_is_new() {
        let page = || vec![node("e1", "button", "Save"), node("e2", "link", "Help")];
        let mut after = page();
        after.push(node("e3", "status", "Saved"));
        let event = tap(
            view("http://a.test/", page()),
            0,
            view("http://a.test/", after),
        );
        let exported = exported(&[event], false);
        let step = first(&exported);
        assert_eq!(step.intent, "Click \"Save\".");
        let Action::Click { target } = &step.action else {
            panic!("{step:?}")
        };
        assert_eq!(target.name.as_deref(), Some("Save"));
        assert_eq!(
            (&target.role, target.role_hint.as_deref()),
            (&None, Some("button"))
        );
        assert_eq!(
            step.assert.claim,
            Claim::NodePresent(Predicate {
                role: Some("status".into()),
                name: Some("Saved".into()),
                ..Predicate::default()
            })
        );
    }

    // REP-110
    #[test]
    fn a_changed_address_is_a_proof_and_its_query_is_left_out() {
        let nodes = || vec![node("e1", "link", "Next")];
        let event = tap(
            view("http://a.test/", nodes()),
            0,
            view("http://a.test/next?page=2", nodes()),
        );
        let exported = exported(&[event], false);
        let wanted = qa_core::PageAddress::Url("http://a.test/next".into());
        assert_eq!(first(&exported).assert.claim, Claim::PageUrl(wanted));
    }

    // REP-108, 26.5, REP-114, REP-122
    #[test]
    fn what_cannot_be_named_or_proven_is_left_out_with_its_reason() {
        let same = || view("http://a.test/", vec![node("e1", "button", "Save")]);
        let twins = || {
            let twins = vec![node("e1", "button", "Add"), node("e2", "button", "Add")];
            view("http://a.test/", twins)
        };
        let nameless = || view("http://a.test/", vec![node("e1", "button", "")]);
        let mut secret = tap(same(), 0, same());
        secret.replay = Replay::InputText {
            element_key: ElementKey("id:a".into()),
            input_value: Some("kp-zebra-tulip".into()),
            input_redacted: false,
        };
        let mut typed = node("e1", "button", "Save");
        typed.value = Some("kp-zebra-tulip".into());
        secret.after = Some(view("http://a.test/", vec![typed]));
        let mut refused = tap(same(), 0, same());
        refused.receipt = Some(Receipt::not_ok(ReceiptStatus::Rejected, 1, "X", "x"));
        let events = [
            tap(same(), 0, same()),
            tap(twins(), 0, same()),
            tap(nameless(), 0, same()),
            secret,
            refused,
        ];
        let exported = exported(&events, false);
        assert!(exported.scenario.is_none());
        let reasons: Vec<_> = exported.excluded.iter().map(|it| it.reason).collect();
        assert_eq!(
            reasons,
            [
                "ASSERTION_NOT_PROVABLE",
                "TARGET_NOT_UNIQUE",
                "TARGET_HAS_NO_ACCESSIBLE_NAME",
                "ACTION_PAYLOAD_REDACTED",
                "ACTION_REJECTED",
            ]
        );
        assert_eq!(exported.excluded[1].action_id, "action-2");
    }

    // REP-110
    #[test]
    fn what_was_only_scrolled_is_a_scroll_and_proves_what_it_brought() {
        let page = || vec![node("e1", "heading", "List"), node("e2", "button", "More")];
        let gone = || {
            vec![
                node("e1", "heading", "List"),
                node("e3", "button", "Letter"),
            ]
        };
        let detached = |dispatched| {
            let mut event = tap(
                view("http://a.test/", page()),
                1,
                view("http://a.test/", gone()),
            );
            let mut receipt = Receipt::not_ok(ReceiptStatus::Failed, 1, "TARGET_DETACHED", "x");
            receipt.dispatched = dispatched;
            event.receipt = Some(receipt);
            event
        };
        let brought = exported(&[detached(true)], false);
        let step = first(&brought);
        assert!(step.intent.starts_with("Scroll to \"More\"."), "{step:?}");
        let Claim::NodePresent(proof) = &step.assert.claim else {
            panic!("{step:?}")
        };
        assert_eq!(proof.name.as_deref(), Some("Letter"));
        // Nothing was done at all.
        let untouched = exported(&[detached(false)], false);
        assert_eq!(untouched.excluded[0].reason, "ACTION_FAILED");
    }

    // REP-110
    #[test]
    fn scrolling_proves_what_came_into_view() {
        let far = |is_near| {
            let mut last = node("e2", "button", "Last");
            last.flags.in_viewport = is_near;
            view("http://a.test/", vec![node("e1", "list", "Rows"), last])
        };
        let scroll = |element_key, dy| {
            let mut event = tap(far(false), 0, far(true));
            event.node = Option::<&ElementKey>::map(element_key, |_| 0);
            event.replay = Replay::Scroll {
                element_key: element_key.cloned(),
                dx: 0,
                dy,
            };
            event
        };
        let list = ElementKey("role:list|Rows".into());
        for (event, intent, direction) in [
            (scroll(None, 700), "Scroll down.", Direction::Down),
            (scroll(Some(&list), -80), "Scroll up.", Direction::Up),
        ] {
            let exported = exported(std::slice::from_ref(&event), false);
            let step = first(&exported);
            assert_eq!(step.intent, intent);
            let Action::Scroll {
                target,
                direction: way,
                ..
            } = &step.action
            else {
                panic!("{step:?}")
            };
            assert_eq!(target.is_some(), event.node.is_some());
            assert_eq!(*way, Some(direction));
            let Claim::NodeInViewport(proof) = &step.assert.claim else {
                panic!("{step:?}")
            };
            assert_eq!(proof.name.as_deref(), Some("Last"));
        }
        let sideways = exported(&[scroll(None, 0)], false);
        assert_eq!(sideways.excluded[0].reason, "UNSUPPORTED_REPLAY_ACTION");
    }

    // REP-INV-20: a page may have an option without a label; one step must not spoil the file.
    #[test]
    fn what_a_scenario_cannot_hold_is_left_out() {
        let nodes = || vec![node("e1", "combobox", "Size")];
        let mut chosen = tap(
            view("http://a.test/", nodes()),
            0,
            view("http://a.test/next", nodes()),
        );
        let tapped = chosen.clone();
        chosen.replay = Replay::Select {
            element_key: ElementKey("id:a".into()),
            option: " ".into(),
        };
        let made = exported(&[chosen], false);
        assert_eq!(made.excluded[0].reason, "UNSUPPORTED_REPLAY_ACTION");

        let made = exported(&vec![tapped; MAX_STEPS + 1], false);
        let scenario = made.scenario.unwrap();
        assert_eq!((scenario.steps.len(), made.excluded.len()), (MAX_STEPS, 1));
        assert!(load(&serde_json::to_vec(&scenario).unwrap()).is_ok());
    }

    // The last action of a crash is what broke: it stays, says that its proof is weak, and claims
    // nothing that a sound app does not show.
    #[test]
    fn what_broke_is_kept() {
        let same = || view("http://a.test/", vec![node("e1", "button", "Save")]);
        let made = exported(&[tap(same(), 0, same())], true);
        assert!(first(&made).intent.contains("Weak proof"));

        let mut broken = same();
        broken.nodes.push(node("e2", "alert", "It went wrong"));
        let events = [
            tap(same(), 0, broken.clone()),
            tap(broken.clone(), 0, broken.clone()),
            tap(same(), 0, broken),
        ];
        let made = exported(&events, true);
        let steps = &made.scenario.as_ref().unwrap().steps;
        let name = |step: &Step| match &step.assert.claim {
            Claim::NodePresent(proof) => proof.name.clone(),
            _ => None,
        };
        assert_eq!(name(&steps[0]).as_deref(), Some("It went wrong"));
        assert_eq!(name(&steps[2]).as_deref(), Some("Save"));
        assert!(steps[2].intent.contains("seen in a broken app"));
    }
}
