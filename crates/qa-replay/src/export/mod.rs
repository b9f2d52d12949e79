//! From what was done to a scenario: durable selectors, one proof a step, and nothing dropped in
//! silence (sections 15 and 16).

mod claimed;
mod event;
mod proof;
mod recorder;
mod retrace;
mod selector;
mod step;
mod trace;

use qa_core::{Assertion, Boundary};
use qa_redact::Redactor;
use serde::Serialize;

use crate::{
    Acknowledged, DriverWord, MAX_STEPS, Meta, SCENARIO_SCHEMA, Scenario, Settings, Step, Target,
};

pub use event::{Event, Undone};
pub(crate) use proof::GATHERING;
pub use proof::bare_address;
pub use recorder::{Recorder, Trajectory};
pub use retrace::{Missing, RetraceError, Retraced, Walk, retrace};
pub(crate) use step::scrolled_only;
use step::step;

/// What a scenario is called.
#[derive(Debug, Clone, Copy)]
pub struct About<'a> {
    /// Its name.
    pub name: &'a str,
    /// What it is about.
    pub description: &'a str,
    /// RFC 3339.
    pub created_at: &'a str,
}

/// What a scenario is made of beside its events.
#[derive(Debug, Clone)]
pub struct Export<'a> {
    /// What it is called.
    pub about: About<'a>,
    /// What is driven.
    pub driver: DriverWord,
    /// Where the app is started.
    pub launch: &'a str,
    /// What belongs to the app: an action that a replay would refuse is left out.
    pub boundary: &'a Boundary,
    /// How a view came to rest, where that was not by the default.
    pub settle: Option<Settings>,
    /// An action is kept even if nothing that can be proven came of it: it may be needed to meet a
    /// crash again, and the last one is what broke.
    pub keep_unproven: bool,
    /// An action that it would change is left out (REP-114).
    pub redactor: &'a Redactor,
}

/// What came of it.
#[derive(Debug, Clone)]
pub struct Exported {
    /// The scenario, if it has any step.
    pub scenario: Option<Scenario>,
    /// The actions that are not in it, in order.
    pub excluded: Vec<Excluded>,
    /// What was claimed and is not in it.
    pub excluded_assertions: Vec<ExcludedAssertion>,
}

/// A claim that is not part of a scenario, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ExcludedAssertion {
    /// A stable code.
    pub reason: &'static str,
    /// One sentence.
    pub detail: String,
}

/// An action that is not part of a scenario, and why.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Excluded {
    /// `action-N`, counted from 1 over all that was recorded.
    pub action_id: String,
    /// Which event it is, from 0.
    #[serde(skip)]
    pub event: usize,
    /// A stable code (26.5).
    pub reason: &'static str,
    /// One sentence.
    pub detail: String,
    /// What the device acknowledged.
    pub receipt: Option<Acknowledged>,
}

/// Why an action is left out.
type Reason = (&'static str, &'static str);

const LAUNCH_WITHHELD: Reason = (
    "ACTION_PAYLOAD_REDACTED",
    "where the app is started must not be told",
);
const TOO_MANY: Reason = (
    "UNSUPPORTED_REPLAY_ACTION",
    "a scenario cannot have more steps",
);

/// Makes a scenario of events; the start of the app is not among them.
#[must_use]
pub fn export(events: &[Event], export: &Export<'_>) -> Exported {
    let mut steps: Vec<Step> = Vec::new();
    let mut excluded = Vec::new();
    let mut excluded_assertions = Vec::new();
    let mut at_end: Vec<Assertion> = Vec::new();
    let launch = export.redactor.text(export.launch);
    let is_withheld = launch.map_or(true, |safe| safe.as_str() != export.launch);
    for (position, event) in events.iter().enumerate() {
        let is_last = position + 1 == events.len();
        let broke = export.keep_unproven && is_last;
        let (claims, unspeakable) = claimed::speakable(event, export);
        excluded_assertions.extend(unspeakable);
        let made = step(event, &claims, export, broke).and_then(|step| match steps.len() {
            _ if is_withheld => Err(LAUNCH_WITHHELD),
            MAX_STEPS => Err(TOO_MANY),
            _ => Ok(step),
        });
        match made {
            Ok(step) => {
                if is_last {
                    at_end = claims.into_iter().cloned().collect();
                } else {
                    excluded_assertions.extend(claimed::unused(&claims, &step));
                }
                let index = steps.len() as u64 + 1;
                steps.push(Step { index, ..step });
            }
            Err((reason, detail)) => {
                excluded_assertions.extend(claimed::left_out(&claims));
                excluded.push(Excluded {
                    action_id: format!("action-{}", position + 1),
                    event: position,
                    reason,
                    detail: detail.to_owned(),
                    receipt: event.receipt.as_ref().map(Acknowledged::from),
                });
            }
        }
    }
    let scenario = (!steps.is_empty()).then(|| {
        let mut scenario = scenario(steps, export);
        if !at_end.is_empty() {
            scenario.assertions = at_end;
        }
        scenario
    });
    Exported {
        scenario,
        excluded,
        excluded_assertions,
    }
}

/// Steps as a scenario; at the end the proof of the last one must still hold.
fn scenario(steps: Vec<Step>, export: &Export<'_>) -> Scenario {
    Scenario {
        schema_version: Some(SCENARIO_SCHEMA),
        meta: Meta {
            name: export.about.name.to_owned(),
            description: export.about.description.to_owned(),
            driver: export.driver,
            created_at: export.about.created_at.to_owned(),
            notes: None,
            settle: export.settle,
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

#[cfg(test)]
mod tests {
    use qa_core::Action as Done;
    use qa_core::{
        Claim, Completeness, Coverage, ElementKey, Flags, Node, NodeRef, Observation, Platform,
        Predicate, Receipt, ReceiptStatus, Settle, Target, Toggle,
    };
    use qa_redact::{RedactorConfig, Secret};

    use super::*;
    use crate::{Action, Direction, load};

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

    fn boundary() -> Boundary {
        Boundary::new(Platform::Web, vec!["http://a.test".into()])
    }

    fn tap(before: Observation, node: usize, after: Observation) -> Event {
        Event {
            action: Ok(Done::Tap {
                target: Target {
                    node_ref: before.nodes[node].node_ref.clone(),
                    key: ElementKey("role:button|x".into()),
                },
            }),
            before: Some(before),
            receipt: Some(Receipt::ok(1)),
            after: Some(after),
            settle: Some(Settle::Changed),
            claims: Vec::new(),
        }
    }

    fn target(event: &Event) -> Target {
        event.action.as_ref().unwrap().target().unwrap().clone()
    }

    fn exported(events: &[Event], keep_unproven: bool) -> Exported {
        let redactor = Redactor::new(RedactorConfig {
            allowed_origins: vec!["http://a.test".into()],
            secrets: vec![Secret::new("kp-zebra-tulip")],
            ..RedactorConfig::default()
        })
        .unwrap();
        let how = Export {
            about: About {
                name: "n",
                description: "",
                created_at: "2026-11-30T08:00:00Z",
            },
            driver: DriverWord::Browser,
            launch: "http://a.test/",
            boundary: &boundary(),
            settle: None,
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
        secret.action = Ok(Done::Fill {
            target: target(&secret),
            text: "kp-zebra-tulip".into(),
        });
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
        let scroll = |in_list: bool, dy| {
            let mut event = tap(far(false), 0, far(true));
            event.action = Ok(Done::Scroll {
                target: in_list.then(|| target(&event)),
                dx: 0,
                dy,
            });
            event
        };
        for (event, intent, direction) in [
            (scroll(false, 700), "Scroll down.", Direction::Down),
            (scroll(true, -80), "Scroll up.", Direction::Up),
        ] {
            let exported = exported(std::slice::from_ref(&event), false);
            let step = first(&exported);
            assert_eq!(step.intent, intent);
            let Action::Scroll {
                target: list,
                direction: way,
                ..
            } = &step.action
            else {
                panic!("{step:?}")
            };
            assert_eq!(list.is_some(), event.node().is_some());
            assert_eq!(*way, Some(direction));
            let Claim::NodeInViewport(proof) = &step.assert.claim else {
                panic!("{step:?}")
            };
            assert_eq!(proof.name.as_deref(), Some("Last"));
        }
        let sideways = exported(&[scroll(false, 0)], false);
        assert_eq!(sideways.excluded[0].reason, "UNSUPPORTED_REPLAY_ACTION");
    }

    // REP-112: what was written or chosen is shown, be it by another element in its place.
    #[test]
    fn what_a_field_shows_is_the_proof_of_writing_and_choosing() {
        let field = |node_ref: &str, role: &str, name: &str, value: &str| Node {
            value: Some(value.into()),
            ..node(node_ref, role, name)
        };
        let page = |node| view("http://a.test/", vec![node]);
        let done = |before: Node, action: fn(Target) -> Done, after: Node| {
            let mut event = tap(page(before), 0, page(after));
            event.action = Ok(action(target(&event)));
            event
        };
        let fill = |target| Done::Fill {
            target,
            text: "two  words".into(),
        };
        let select = |target| Done::Select {
            target,
            option: "Dutch".into(),
        };
        let add = |target| Done::Type {
            target,
            text: "b".into(),
        };
        for (event, role, value) in [
            (
                done(
                    field("e1", "textbox", "Note", ""),
                    fill,
                    field("e1", "textbox", "Note", "two words"),
                ),
                Some("textbox"),
                "two words",
            ),
            (
                done(
                    field("e1", "textbox", "Note", "a"),
                    add,
                    field("e1", "textbox", "Note", "ab"),
                ),
                Some("textbox"),
                "ab",
            ),
            // A list tells the value, not the label.
            (
                done(
                    field("e1", "combobox", "Language", "en"),
                    select,
                    field("e1", "combobox", "Language", "nl"),
                ),
                Some("combobox"),
                "nl",
            ),
            // Drawn anew, with another role.
            (
                done(
                    field("e1", "textbox", "Note", ""),
                    fill,
                    field("e9", "searchbox", "Note", "two words"),
                ),
                None,
                "two words",
            ),
        ] {
            let exported = exported(&[event], false);
            let Claim::NodeValue(proof) = &first(&exported).assert.claim else {
                panic!("{exported:?}")
            };
            assert_eq!(
                (proof.node.role.as_deref(), proof.value.as_str()),
                (role, value)
            );
        }
        let untouched = done(
            field("e1", "combobox", "Language", "en"),
            select,
            field("e1", "combobox", "Language", "en"),
        );
        assert_eq!(
            exported(&[untouched], false).excluded[0].reason,
            "ASSERTION_NOT_PROVABLE"
        );
    }

    // REP-109
    #[test]
    fn what_nothing_acknowledged_needs_a_change() {
        let page = || {
            let mut field = node("e1", "textbox", "Note");
            field.value = Some("a".into());
            view("http://a.test/", vec![field])
        };
        let mut event = tap(page(), 0, page());
        event.action = Ok(Done::Fill {
            target: target(&event),
            text: "a".into(),
        });
        assert!(exported(&[event.clone()], false).scenario.is_some());
        event.receipt = Some(Receipt::not_ok(ReceiptStatus::Unknown, 1, "UNKNOWN", "x"));
        assert_eq!(
            exported(&[event], false).excluded[0].reason,
            "ASSERTION_NOT_PROVABLE"
        );
    }

    // REP-117: what follows may rest on it.
    #[test]
    fn what_only_made_something_go_is_kept_and_named_weak() {
        let page = |names: &[&str]| {
            let texts = names.iter().enumerate();
            let texts = texts.map(|(at, name)| node(&format!("t{at}"), "text", name));
            let nodes = std::iter::once(node("e1", "checkbox", "Gift wrap")).chain(texts);
            view("http://a.test/", nodes.collect())
        };
        let made = exported(&[tap(page(&["With a ribbon"]), 0, page(&[]))], false);
        let step = &made.scenario.unwrap().steps[0];
        assert!(step.intent.contains("Weak proof"), "{}", step.intent);
        let same = exported(&[tap(page(&["Ribbon"]), 0, page(&["Ribbon"]))], false);
        assert!(same.scenario.is_none());
    }

    // VIEW-020, REP-011: such a step would fail each replay; on the way to a crash it is needed.
    #[test]
    fn what_a_replay_refuses_is_left_out() {
        let page = || vec![node("e1", "button", "Delete list")];
        let gone = || view("http://a.test/", vec![node("e2", "status", "Gone")]);
        let event = || tap(view("http://a.test/", page()), 0, gone());
        let made = exported(&[event()], false);
        assert_eq!(made.excluded[0].reason, "DESTRUCTIVE_TARGET");
        assert!(exported(&[event()], true).scenario.is_some());
    }

    // REP-085, REP-117: what follows may rest on a box that is checked, or on a text that is too
    // long to be read.
    #[test]
    fn what_only_changed_a_state_is_kept_and_named_weak() {
        let page = |checked, value: &str| {
            let mut shown = node("e1", "checkbox", "Gift wrap");
            shown.states.checked = Some(checked);
            shown.value = Some(value.into());
            shown.flags.value_truncated = true;
            view("http://a.test/", vec![shown])
        };
        let before = || page(Toggle::Off, "xx");
        for after in [page(Toggle::On, "xx"), page(Toggle::Off, "xxx")] {
            let made = exported(&[tap(before(), 0, after)], false);
            let step = &made.scenario.unwrap().steps[0];
            assert!(step.intent.contains("Weak proof"), "{}", step.intent);
        }
        assert!(
            exported(&[tap(before(), 0, before())], false)
                .scenario
                .is_none()
        );
        let mut focused = before();
        focused.nodes[0].states.focused = Some(true);
        assert!(
            exported(&[tap(before(), 0, focused)], false)
                .scenario
                .is_none()
        );
    }

    // REP-110
    #[test]
    fn what_is_named_by_all_of_its_content_proves_nothing() {
        let page = |text: &str| {
            let list = node("e2", "list", &text.repeat(30));
            view("http://a.test/", vec![node("e1", "button", "More"), list])
        };
        let excluded = exported(&[tap(page("a b "), 0, page("a c "))], false).excluded;
        assert_eq!(excluded[0].reason, "FRAGILE_PROOF_ONLY");
        assert!(excluded[0].receipt.is_some());
    }

    // RED-080: where the app is started is part of the file.
    #[test]
    fn a_start_that_must_not_be_told_gives_no_scenario() {
        let secret = Redactor::new(RedactorConfig {
            secrets: vec![Secret::new("kp-9931-zebra")],
            allowed_origins: vec!["http://a.test".into()],
            ..RedactorConfig::default()
        })
        .unwrap();
        let page = || view("http://a.test/", vec![node("e1", "button", "Add")]);
        let events = [tap(page(), 0, page()), tap(page(), 0, page())];
        let made = export(
            &events,
            &Export {
                about: About {
                    name: "n",
                    description: "",
                    created_at: "2026-11-30T08:00:00Z",
                },
                driver: DriverWord::Browser,
                launch: "http://a.test/kp-9931-zebra",
                boundary: &boundary(),
                settle: None,
                keep_unproven: true,
                redactor: &secret,
            },
        );
        assert!(made.scenario.is_none());
        let reasons: Vec<&str> = made.excluded.iter().map(|it| it.reason).collect();
        assert_eq!(reasons, ["ACTION_PAYLOAD_REDACTED"; 2]);
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
        chosen.action = Ok(Done::Select {
            target: target(&chosen),
            option: " ".into(),
        });
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
