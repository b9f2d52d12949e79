//! Arbitrary scenarios for property tests: each can be loaded.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use qa_core::{Assertion, Platform, Predicate, any_assertion, any_predicate};

use crate::{
    Action, Advisory, AdvisoryKind, Amount, Direction, DriverWord, Escalation, LoginState, Meta,
    Provenance, ProvenanceSource, SCENARIO_SCHEMA, Scenario, Settings, Step, Target,
};

/// A text that says something; line ends, quotes and letters of all kinds are in it.
fn text() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z]{1,8}", "\\PC{0,4}[\t\n\u{85}]?[a-z\"\\\\搜😀]"]
}

/// Any text, an empty one too.
fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![Just(String::new()), Just(" ".into()), text()]
}

fn address() -> impl Strategy<Value = String> {
    (
        "(http|HTTPS)",
        "[a-z]{1,5}(\\.test|:8080)?",
        "(/[a-z搜 ]{0,4}[a-z])?(\\?q=@1)?(#/a)?",
    )
        .prop_map(|(scheme, host, rest)| format!("{scheme}://{host}{rest}"))
}

/// Any scenario of a platform that can be loaded.
pub fn any_scenario(driver: DriverWord) -> impl Strategy<Value = Scenario> {
    // What is drawn in parts is large: on the heap it fits into the stack of a test's thread.
    let rest = (
        any_target(driver).boxed(),
        vec(any_step(driver), 1..5),
        vec(any_claim(driver), 0..3),
        option::of(vec(any_advisory(), 0..2)),
        option::of(Just(SCENARIO_SCHEMA)),
    );
    (any_meta(driver).boxed(), rest).prop_map(
        |(meta, (target, mut steps, assertions, advisory, schema_version))| {
            for (step, index) in steps.iter_mut().zip(1..) {
                step.index = index;
            }
            Scenario {
                schema_version,
                meta,
                target,
                steps,
                assertions,
                advisory,
            }
        },
    )
}

fn any_meta(driver: DriverWord) -> impl Strategy<Value = Meta> {
    let figure = || option::of(1..100_000_u64);
    let settings = (
        figure(),
        figure(),
        figure(),
        figure(),
        option::of(0..20_000_u64),
    )
        .prop_map(
            |(budget_ms, quiet_ms, post_change_quiet_ms, interval_ms, adaptive_budget_ms)| {
                Settings {
                    budget_ms,
                    quiet_ms,
                    post_change_quiet_ms,
                    interval_ms,
                    adaptive_budget_ms,
                }
            },
        );
    let created_at = prop::sample::select(vec![
        "2026-11-30T08:00:00Z",
        "2026-11-30T08:00:00.123+02:00",
        "2026-11-30T08:00:00",
    ]);
    let parts = (
        text(),
        any_text(),
        created_at,
        option::of(vec(text(), 0..3)),
        option::of(settings),
    );
    parts.prop_map(move |(name, description, created_at, notes, settle)| Meta {
        name,
        description,
        driver,
        created_at: created_at.into(),
        notes,
        settle,
    })
}

fn any_target(driver: DriverWord) -> impl Strategy<Value = Target> {
    let login = (text(), vec("https?://[a-z]{1,5}(:80)?", 1..3))
        .prop_map(|(source, origins)| LoginState { source, origins });
    let parts = (
        address(),
        "[a-z]{1,4}(\\.[a-z0-9_]{1,4}){1,2}",
        option::of(login),
        option::of(text()),
        option::of(text()),
    );
    parts.prop_map(
        move |(url, package, login_state, window_title, device_id)| {
            let is_phone = matches!(driver, DriverWord::Ios | DriverWord::Android);
            Target {
                launch: if driver == DriverWord::Browser {
                    url
                } else {
                    package
                },
                login_state: login_state.filter(|_| driver == DriverWord::Browser),
                window_title: window_title.filter(|_| driver == DriverWord::Computer),
                device_id: device_id.filter(|_| is_phone),
            }
        },
    )
}

/// What nodes of a platform may be asked for: only phones have identifiers.
fn claims_of(driver: DriverWord) -> Platform {
    match driver {
        DriverWord::Browser | DriverWord::Computer => Platform::Web,
        DriverWord::Ios => Platform::Ios,
        DriverWord::Android => Platform::Android,
    }
}

fn any_claim(driver: DriverWord) -> BoxedStrategy<Assertion> {
    any_assertion(claims_of(driver)).boxed()
}

fn any_step(driver: DriverWord) -> BoxedStrategy<Step> {
    let refused =
        (text(), option::of(text())).prop_map(|(reason, code)| Escalation { reason, code });
    let parts = (
        text(),
        any_action(driver),
        any_claim(driver),
        option::weighted(0.1, refused),
    );
    parts
        .prop_map(|(intent, action, assert, escalation_refused)| Step {
            index: 0,
            intent,
            action,
            assert,
            escalation_refused,
        })
        .boxed()
}

fn any_direction() -> impl Strategy<Value = Direction> {
    prop::sample::select(vec![Direction::Up, Direction::Down])
}

fn any_amount() -> impl Strategy<Value = Amount> {
    prop_oneof![
        Just(Amount::Line),
        Just(Amount::Page),
        (0..2_000_u32).prop_map(|eighths| Amount::Units(f64::from(eighths) / 8.0)),
    ]
}

fn any_action(driver: DriverWord) -> BoxedStrategy<Action> {
    let target = || any_predicate(claims_of(driver)).boxed();
    let scroll = (
        option::of(target()),
        option::of(any_direction()),
        option::of(any_amount()),
    );
    prop_oneof![
        3 => target().prop_map(|target| Action::Click { target }),
        1 => target().prop_map(|target| Action::Focus { target }),
        1 => target().prop_map(|target| Action::Hover { target }),
        3 => (target(), any_text()).prop_map(|(target, text)| Action::Fill { target, text }),
        1 => (target(), text()).prop_map(|(target, text)| Action::Type { target, text }),
        1 => (target(), text()).prop_map(|(target, key)| Action::Press { target, key }),
        1 => (target(), text(), option::of(vec(text(), 0..2)))
            .prop_map(|(target, key, modifiers)| Action::Key { target, key, modifiers }),
        1 => (target(), text()).prop_map(|(target, option)| Action::Select { target, option }),
        1 => address().prop_map(|url| Action::Navigate { url }),
        2 => scroll.prop_map(scrolled),
        1 => any_visual().boxed(),
    ]
    .boxed()
}

/// A scroll of which the parts go together.
fn scrolled(
    (target, direction, amount): (Option<Predicate>, Option<Direction>, Option<Amount>),
) -> Action {
    let direction = match target {
        None => direction.or(Some(Direction::Down)),
        Some(_) => direction,
    };
    let has_target = target.is_some();
    let fits = |amount: &Amount| direction.is_some() && (has_target || *amount != Amount::Line);
    Action::Scroll {
        target,
        direction,
        amount: amount.filter(fits),
    }
}

fn any_visual() -> impl Strategy<Value = Action> {
    let source = prop::sample::select(vec![
        ProvenanceSource::ModelGrounding,
        ProvenanceSource::HarnessPoint,
        ProvenanceSource::ReplayGrounding,
    ]);
    let confidence = option::of((0..=8_u8).prop_map(|eighths| f64::from(eighths) / 8.0));
    let provenance = (source, option::of(text()), option::of(text()), confidence).prop_map(
        |(source, provider, model, confidence)| Provenance {
            source,
            provider,
            model,
            confidence,
        },
    );
    let parts = (
        0..3_u8,
        text(),
        text(),
        any_direction(),
        option::of(any_amount()),
        option::of(provenance),
    );
    parts.prop_map(
        |(kind, target_description, to_description, direction, amount, provenance)| match kind {
            0 => Action::VisualClick {
                target_description,
                provenance,
            },
            1 => Action::VisualDrag {
                target_description,
                to_description,
                provenance,
            },
            _ => Action::VisualScroll {
                target_description,
                direction,
                amount,
                provenance,
            },
        },
    )
}

fn any_advisory() -> impl Strategy<Value = Advisory> {
    (text(), option::of(text())).prop_map(|(question, description)| Advisory {
        kind: AdvisoryKind::Visual,
        question,
        description,
    })
}
