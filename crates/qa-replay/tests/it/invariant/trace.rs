//! Export: from any trace to a scenario that loads, with nothing dropped in silence.

use std::sync::LazyLock;

use proptest::collection::vec;
use proptest::prelude::*;
use qa_core::{
    Action, Boundary, ElementKey, NodeRef, Observation, Platform, Receipt, ReceiptStatus, Settle,
    Target, any_observation,
};
use qa_redact::{Redactor, RedactorConfig, Secret};
use qa_replay::{
    About, Assertion, Claim, DriverWord, Event, Export, Exported, Predicate, Undone, export, load,
};

use super::config;

const SECRET: &str = "tulip77kestrel";
const ORIGIN: &str = "http://127.0.0.1:8000";

fn any_view() -> impl Strategy<Value = Observation> {
    let parts = (
        any_observation(Platform::Web, ORIGIN),
        any::<prop::sample::Index>(),
        0..8_u8,
    );
    parts.prop_map(|(mut view, at, kind)| {
        for (index, node) in view.nodes.iter_mut().enumerate() {
            node.flags.in_seed_view = true;
            node.node_ref = NodeRef(format!("node~{index}"));
        }
        let count = view.nodes.len();
        if let Some(node) = view.nodes.get_mut(at.index(count.max(1))) {
            match kind {
                0 => node.name = format!("{} {SECRET}", node.name),
                1 => node.name = format!("Chapter {count}"),
                2 => node.name = "two\nlines\u{2028}of it".into(),
                3 => node.value = Some(SECRET.into()),
                4 => node.role.clear(),
                5 => node.name = " ".into(),
                _ => {}
            }
        }
        view.url = Some(format!("{ORIGIN}/{}?q=1#a", count % 3));
        view.completeness.truncated = kind == 7;
        view
    })
}

/// What an action is made of, beside its element.
type Deed = (u8, &'static str, &'static str, i32, &'static str);

fn any_deed() -> impl Strategy<Value = Deed> {
    let urls = [
        "http://127.0.0.1:8000/1",
        "http://127.0.0.1:8000/?a",
        "about:blank",
    ];
    (
        0..17_u8,
        prop::sample::select(vec!["", "Ann", " ", "7", SECRET, "two\nlines"]),
        prop::sample::select(vec!["Enter", "ArrowDown", ""]),
        -99..99_i32,
        prop::sample::select(urls.to_vec()),
    )
}

fn action((kind, text, key, dy, url): Deed, target: Target) -> Result<Action, Undone> {
    let (text, option, key) = (text.to_owned(), text.to_owned(), key.to_owned());
    Ok(match kind {
        0..=4 => Action::Tap { target },
        5..=6 => Action::Fill { target, text },
        7 => Action::Type { target, text },
        8..=9 => Action::Select { target, option },
        10 => Action::Press {
            target: Some(target),
            key,
        },
        11 => Action::ScrollTo { target },
        12 => Action::Scroll {
            target: None,
            dx: 0,
            dy,
        },
        13 => Action::Navigate { url: url.into() },
        14 => Action::Focus { target },
        15 => return Err(Undone::NoElement),
        _ => return Err(Undone::Withheld),
    })
}

/// What a session may claim: of what is there, and of what no scenario can hold.
fn any_claim() -> impl Strategy<Value = Assertion> {
    let name = prop::sample::select(vec!["Chapter 1", "", " ", SECRET, "Ann"]);
    (name, any::<bool>()).prop_map(|(name, is_there)| {
        let predicate = Predicate {
            name: Some(name.into()),
            ..Predicate::default()
        };
        Assertion {
            claim: if is_there {
                Claim::NodePresent(predicate)
            } else {
                Claim::NodeAbsent(predicate)
            },
            description: None,
            scope: None,
        }
    })
}

fn any_receipt() -> impl Strategy<Value = Receipt> {
    prop_oneof![
        6 => Just(Receipt::ok(1)),
        2 => Just(Receipt::not_ok(ReceiptStatus::Unknown, 1, "DISPATCH_UNKNOWN", "")),
        1 => Just(Receipt::not_ok(ReceiptStatus::Rejected, 1, "RULE", "")),
        1 => Just(Receipt::not_ok(ReceiptStatus::Failed, 1, "TARGET_OBSCURED", "")),
    ]
}

fn any_event() -> impl Strategy<Value = Event> {
    let settle = prop::sample::select(vec![Settle::Changed, Settle::Unchanged, Settle::Unsettled]);
    let parts = (
        any_deed(),
        prop::option::weighted(0.95, any_view()),
        prop::option::weighted(0.9, any::<prop::sample::Index>()),
        prop::option::weighted(0.95, any_receipt()),
        prop::option::weighted(0.95, any_view()),
        prop::option::weighted(0.95, settle),
        vec(any_claim(), 0..3),
    );
    parts.prop_map(|(deed, before, node, receipt, after, settle, claims)| {
        let count = before.as_ref().map_or(0, |view| view.nodes.len());
        let node = node.filter(|_| count > 0).map(|node| node.index(count));
        let node_ref = node.map_or_else(|| "node~gone".into(), |node| format!("node~{node}"));
        Event {
            action: action(
                deed,
                Target {
                    node_ref: NodeRef(node_ref),
                    key: ElementKey("role:button|x".into()),
                },
            ),
            before,
            receipt,
            after,
            settle,
            claims,
        }
    })
}

static REDACTOR: LazyLock<Redactor> = LazyLock::new(|| {
    Redactor::new(RedactorConfig {
        allowed_origins: vec![ORIGIN.into()],
        secrets: vec![Secret::new(SECRET)],
        ..RedactorConfig::default()
    })
    .unwrap()
});

fn made(events: &[Event], keep_unproven: bool) -> Exported {
    let how = Export {
        about: About {
            name: "a trace",
            description: "",
            created_at: "2026-11-30T08:00:00Z",
        },
        driver: DriverWord::Browser,
        launch: ORIGIN,
        boundary: &Boundary::new(Platform::Web, vec![ORIGIN.into()]),
        settle: None,
        keep_unproven,
        redactor: &REDACTOR,
    };
    export(events, &how)
}

proptest! {
    #![proptest_config(config())]

    // REP-INV-20
    #[test]
    fn what_is_exported_can_be_loaded(events in vec(any_event(), 0..6), keep in any::<bool>()) {
        if let Some(scenario) = made(&events, keep).scenario {
            let written = serde_json::to_vec_pretty(&scenario).unwrap();
            let read = load(&written);
            prop_assert_eq!(read.as_ref(), Ok(&scenario));
        }
    }

    // REP-INV-21
    #[test]
    fn steps_and_what_is_left_out_are_what_was_done(
        events in vec(any_event(), 0..6),
        keep in any::<bool>(),
    ) {
        let made = made(&events, keep);
        let steps = made.scenario.as_ref().map_or(0, |scenario| scenario.steps.len());
        prop_assert_eq!(steps + made.excluded.len(), events.len());
        let numbers: Vec<usize> = made
            .excluded
            .iter()
            .map(|one| one.action_id.trim_start_matches("action-").parse().unwrap())
            .collect();
        prop_assert!(numbers.is_sorted_by(|one, next| one < next));
        // Each event is where it belongs: alone it is a step, or it is left out. The last one of a
        // crash claims less.
        for (event, number) in events.iter().zip(1..) {
            if keep && number < events.len() {
                continue;
            }
            let alone = self::made(std::slice::from_ref(event), keep);
            prop_assert_eq!(alone.scenario.is_none(), numbers.contains(&number));
        }
    }

    // REP-INV-08, REP-INV-11: what did not happen, and what never came to rest, is no step.
    #[test]
    fn only_what_happened_and_came_to_rest_is_a_step(event in any_event()) {
        let is_step = made(std::slice::from_ref(&event), false).scenario.is_some();
        let is_sent = event.receipt.as_ref().is_some_and(|receipt| receipt.dispatched);
        let rests = event.settle.is_some_and(|settle| settle != Settle::Unsettled);
        prop_assert!(!is_step || is_sent && rests && event.after.is_some());
    }

    // REP-INV-22
    #[test]
    fn nothing_of_one_session_and_no_secret_is_exported(
        events in vec(any_event(), 0..6),
        keep in any::<bool>(),
    ) {
        let made = made(&events, keep);
        let written = serde_json::to_string(&made.scenario).unwrap();
        let told = serde_json::to_string(&made.excluded).unwrap();
        let unsaid = serde_json::to_string(&made.excluded_assertions).unwrap();
        for text in [written, told, unsaid] {
            for word in [SECRET, "node~", "\"x\"", "\"bounds\"", "nth-of-type"] {
                prop_assert!(!text.contains(word), "{} in {}", word, text);
            }
        }
    }
}
