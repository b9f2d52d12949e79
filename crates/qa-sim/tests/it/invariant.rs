//! What holds for every app, every setting and every mishap.

use std::collections::BTreeSet;
use std::time::Duration;

use proptest::prelude::*;
use qa_core::{
    CrashKind, ElementKey, Ended, ExploreConfig, Fingerprint, Inputs, Navigation, Notice,
    PageIdentity, Replay, Settle, Status, StepRecord,
};
use qa_sim::{
    Aftermath, Condition, Effect, Element, Input, MemoryArchive, Mishaps, Quirk, Screen, SimApp,
};

use crate::play::{Play, Played};
use crate::recorder::Call;

const SCREENS: usize = 5;

fn any_screen() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => (0..SCREENS).prop_map(|n| format!("s{n}")),
        1 => Just("outside".to_owned()),
        1 => Just("prompt".to_owned()),
        1 => Just("dialog".to_owned()),
    ]
}

fn any_fault() -> impl Strategy<Value = Effect> {
    prop_oneof![
        Just("kill"),
        Just("gone"),
        Just("hang"),
        Just("js"),
        Just("note")
    ]
    .prop_map(|name| Effect::Fault(name.into()))
}

fn any_effect() -> impl Strategy<Value = Effect> {
    prop_oneof![
        8 => any_screen().prop_map(Effect::Go),
        2 => any_screen().prop_map(Effect::Replace),
        2 => Just(Effect::Back),
        3 => (0..3u8).prop_map(|n| Effect::Add(format!("c{n}"), 1)),
        2 => any_fault(),
        2 => (0..4000u64, any_fault()).prop_map(|(ms, fault)| Effect::After(ms, vec![fault])),
        1 => (0..3000u64, any_screen())
            .prop_map(|(ms, screen)| Effect::After(ms, vec![Effect::Go(screen)])),
        1 => Just(Effect::Restart),
        1 => any_fault().prop_map(|fault| {
            Effect::When(Condition::AtLeast("c0".into(), 2), vec![fault])
        }),
        1 => any_effect_if_valid(),
        1 => (0..2u8).prop_map(|n| Effect::Notice(Notice::Popup {
            url: format!("https://app.test/{n}"),
            inside: true,
        })),
    ]
}

fn any_effect_if_valid() -> impl Strategy<Value = Effect> {
    any_screen().prop_map(|screen| Effect::IfValid(vec![Effect::Go(screen)]))
}

fn any_quirk() -> impl Strategy<Value = Option<Quirk>> {
    prop_oneof![
        12 => Just(None),
        1 => Just(Some(Quirk::Obscured)),
        1 => Just(Some(Quirk::Stale)),
        1 => Just(Some(Quirk::UnknownButDone)),
        1 => Just(Some(Quirk::UnknownAndLost)),
        1 => Just(Some(Quirk::Rejected("RULE".into()))),
    ]
}

/// An element; its names are few, so that keys and labels collide.
fn any_element() -> impl Strategy<Value = Element> {
    let button = (
        0..6u8,
        any_effect(),
        any_quirk(),
        any::<bool>(),
        any::<bool>(),
    )
        .prop_map(|(n, effect, quirk, anonymous, submit)| Element {
            anonymous,
            quirk,
            submit,
            ..Element::button(
                &format!("b{n}"),
                &format!("Button {}", ['A', 'B', 'C'][n as usize % 3]),
                [effect],
            )
        });
    let field = (
        0..3u8,
        any::<bool>(),
        prop_oneof![
            Just("text"),
            Just("email"),
            Just("number"),
            Just("password")
        ],
    )
        .prop_map(|(n, required, kind)| Element {
            input: Some(Input {
                kind: kind.into(),
                required,
                max_length: (n == 0).then_some(4),
                ..Input::default()
            }),
            ..Element::new("textbox", &format!("f{n}"), &format!("Field {n}"))
        });
    let text = prop_oneof![
        Just("{c0} things"),
        Just("{clock_s}"),
        Just("{flicker}"),
        Just("words")
    ]
    .prop_map(|name| Element::text("t", name));
    let rows =
        Just(Element::button("row", "Row {row}", [Effect::Add("c1".into(), 1)]).repeat("c0"));
    let trap = prop_oneof![
        Just("Log out"),
        Just("Pay now"),
        Just("删除账户"),
        Just("Sign-Out")
    ]
    .prop_map(|name| Element::button("trap", name, [Effect::Back]).trap());
    let parent_trap = Just(
        Element::button("card", "Card", [Effect::Back])
            .trap()
            .with(Element::text("inner", "Delete account")),
    );
    // The twin of a trap has its identifier and another label.
    let twin = Just(Element::button("trap", "Harmless", [Effect::Back]).trap());
    prop_oneof![
        10 => button,
        2 => field,
        2 => text,
        1 => rows,
        1 => trap,
        1 => parent_trap,
        1 => Just(Element::checkbox("check", "Check", "c2")),
        1 => twin.prop_map(|twin| Element::new("group", "twins", "")
            .with(Element::button("trap", "Log out", [Effect::Back]).trap())
            .with(twin)),
    ]
}

fn any_app() -> impl Strategy<Value = SimApp> {
    let elements = prop::collection::vec(any_element(), 0..6);
    let enter = prop::option::weighted(0.15, any_effect());
    let screen = (
        elements,
        enter,
        prop_oneof![4 => Just(0u64), 1 => 0..900u64],
        any::<bool>(),
    );
    prop::collection::vec(screen, SCREENS).prop_map(|screens| {
        let mut app = SimApp::new("com.example.app", "s0");
        for (n, (elements, enter, animation_ms, ignored)) in screens.into_iter().enumerate() {
            let mut seen = BTreeSet::new();
            app = app.screen(Screen {
                animation_ms,
                back_ignored: ignored && n == 3,
                // One element for each name: an identifier is unique unless it is a planted twin.
                elements: elements
                    .into_iter()
                    .filter(|element| seen.insert(element.id.clone()))
                    .collect(),
                on_enter: enter
                    .into_iter()
                    .filter(|effect| {
                        !matches!(
                            effect,
                            Effect::Go(_)
                                | Effect::Replace(_)
                                | Effect::Restart
                                | Effect::Back
                                | Effect::IfValid(_)
                        )
                    })
                    .collect(),
                ..Screen::new(&format!("s{n}"), &format!("Screen {n}"))
            });
        }
        app.addresses
            .insert("https://app.test/0".into(), "s4".into());
        app.screen(
            Screen::new("outside", "Outside")
                .owned_by("com.other")
                .with(Element::button("bait", "Bait", [Effect::Back]).trap()),
        )
        .screen(
            Screen::new("prompt", "Permission")
                .owned_by("com.android.permissioncontroller")
                .dialog()
                .with(
                    Element::button("permission_deny_button", "Don't allow", [Effect::Back]).trap(),
                )
                .with(Element::button(
                    "permission_allow_button",
                    "Allow",
                    [Effect::Back],
                )),
        )
        .screen(
            Screen::new("dialog", "Question")
                .dialog()
                .with(Element::button("yes", "Yes", [Effect::Back]))
                .with(Element::button("no", "No", [Effect::Back])),
        )
        .fault("kill", CrashKind::Java, Aftermath::Launcher, "kill")
        .fault("gone", CrashKind::Native, Aftermath::Gone, "gone")
        .fault("hang", CrashKind::Anr, Aftermath::Hung, "hang")
        .fault("js", CrashKind::Js, Aftermath::Running, "js")
        .fault("note", CrashKind::ConsoleError, Aftermath::Running, "note")
    })
}

fn any_mishaps() -> impl Strategy<Value = Mishaps> {
    let rarely = |strategy: std::ops::Range<u64>| prop::option::weighted(0.08, strategy);
    (
        rarely(1..20),
        rarely(1..300),
        rarely(1..4),
        rarely(1..200),
        rarely(1..40),
        rarely(1..20),
        prop::bool::weighted(0.05),
        prop::bool::weighted(0.05),
    )
        .prop_map(
            |(action, look, launch, front, query, dies, stop, driver)| Mishaps {
                lost_at_action: action,
                lost_at_look: look,
                failed_launches: launch.into_iter().collect(),
                front_unknown: front.map(|first| (first, 40)),
                failed_queries: query.into_iter().collect(),
                watch_dies_at_action: dies,
                watch_knows_no_actions: launch == Some(3),
                watch_start_fails: false,
                watch_stop_fails: stop,
                no_screenshot: true,
                stop_fails: driver,
            },
        )
}

fn any_play() -> impl Strategy<Value = Play> {
    let config = (
        1..50u32,
        any::<bool>(),
        any::<bool>(),
        any::<bool>(),
        1..9u32,
        any::<u64>(),
    );
    let archive = (
        prop::option::weighted(0.05, 0..4usize),
        prop::option::weighted(0.05, 0..9usize),
    );
    let look = prop::option::weighted(0.25, 20..250u64);
    (any_app(), config, any_mishaps(), archive, look).prop_map(
        |(app, (steps, back, exact, typing, skeletons, seed), mishaps, full, look)| {
            let mut play = Play::new(app, steps);
            play.config.navigation = if back {
                Navigation::Back
            } else {
                Navigation::Frontier
            };
            play.config.page_identity = if exact {
                PageIdentity::Exact
            } else {
                PageIdentity::Shape
            };
            play.config.inputs = if typing {
                Inputs::Synthetic
            } else {
                Inputs::None
            };
            play.config.max_pages_per_skeleton = skeletons;
            play.config.seed = seed;
            play.config.boundary.push("https://app.test".into());
            play.mishaps = mishaps;
            play.look = look.map(Duration::from_millis);
            play.archive = MemoryArchive {
                crashes_until_full: full.0,
                steps_until_full: full.1,
                ..MemoryArchive::default()
            };
            play
        },
    )
}

fn is_launch(step: &StepRecord) -> bool {
    step.notes.replay == Some(Replay::Launch)
}

/// EXP-INV-01, EXP-INV-02.
fn numbers_have_no_gaps(played: &Played, max_steps: u32) {
    let steps = &played.archive.steps;
    assert!(
        steps
            .iter()
            .map(|step| step.index)
            .eq(1..=u32::try_from(steps.len()).unwrap())
    );
    assert!(steps.len() <= max_steps as usize);
    assert!(steps.first().is_none_or(is_launch));
    for step in steps {
        assert_eq!(is_launch(step), step.action.starts_with("launch "));
    }
}

/// EXP-INV-03, EXP-INV-04, EXP-INV-08, EXP-INV-09.
fn crashes_refer_to_stored_steps(played: &Played) {
    let archive = &played.archive;
    let mut identities = BTreeSet::new();
    for crash in archive.crashes.iter().chain(&archive.findings) {
        let path = &crash.repro_path;
        assert_eq!(path.last(), Some(&crash.step_index));
        assert!(path.windows(2).all(|pair| pair[1] == pair[0] + 1));
        let launches: Vec<bool> = path
            .iter()
            .map(|&i| is_launch(archive.step(i).unwrap()))
            .collect();
        assert!(launches[0] && !launches[1..].contains(&true));
        let identity = (crash.crash.signature.clone(), crash.step_index);
        assert!(identities.insert(identity), "{crash:?} was archived twice");
    }
    let ids: Vec<String> = archive
        .crashes
        .iter()
        .map(|crash| crash.id.clone())
        .collect();
    // Without any stored step there is none that a crash could refer to: it is in the outcome alone.
    let has_steps = archive.steps_until_full != Some(0);
    if archive.crashes_until_full.is_none() && has_steps {
        let expected: Vec<String> = (1..=ids.len()).map(|n| format!("c{n}")).collect();
        assert_eq!(ids, expected);
        assert_eq!(played.outcome.crashes.len(), ids.len());
    }
    let mut stored = BTreeSet::new();
    for call in played.log.calls() {
        match call {
            Call::Step(index, _) => drop(stored.insert(index)),
            Call::Crash(_, step) | Call::Finding(_, step) => assert!(stored.contains(&step)),
            _ => {}
        }
    }
}

/// EXP-INV-07.
fn green_means_nothing_was_found_or_lost(played: &Played) {
    let outcome = &played.outcome;
    if outcome.status == Status::Passed {
        assert!(
            outcome.crashes.is_empty() && outcome.reasons.is_empty(),
            "{outcome:?}"
        );
        assert!(played.archive.crashes.is_empty());
    }
}

/// EXP-INV-11, EXP-INV-12, EXP-INV-15: what follows what.
fn calls_are_in_order(played: &Played) {
    let calls = played.log.calls();
    let mut open: Option<&Call> = None;
    let mut asked = false;
    for call in &calls {
        match call {
            Call::Launch | Call::Act(_) => {
                assert_eq!(open, None, "two actions without a step between them");
                (open, asked) = (Some(call), false);
            }
            Call::Query => asked = true,
            Call::Step(_, action) => {
                assert!(asked, "nobody asked for crashes before {action}");
                let launched = open == Some(&Call::Launch);
                assert_eq!(launched, action.starts_with("launch "), "{action}");
                open = None;
            }
            _ => {}
        }
    }
    assert_eq!(open, None, "an action without a step");
    let tail: Vec<&Call> = calls
        .iter()
        .filter(|call| matches!(call, Call::StopWatch | Call::Finish | Call::StopDriver))
        .collect();
    assert_eq!(tail, [&Call::StopWatch, &Call::Finish, &Call::StopDriver]);
    assert_eq!(calls[calls.len() - 3..].iter().collect::<Vec<_>>(), tail);
    let last_step = calls
        .iter()
        .rposition(|call| matches!(call, Call::Step(..)));
    let queries = calls[last_step.unwrap_or(0)..]
        .iter()
        .filter(|call| **call == Call::Query);
    assert!(queries.count() >= 2, "the drain is missing");
}

/// EXP-INV-18.
fn edges_join_pages_of_the_app(played: &Played) {
    let own = played.log.own_pages();
    let graph = played.archive.graph.as_ref().unwrap().to_snapshot();
    for edge in &graph.edges {
        assert_ne!(edge.from, edge.to);
        assert!(
            own.contains(&edge.from) && own.contains(&edge.to),
            "{edge:?}"
        );
    }
}

/// EXP-INV-19, EXP-INV-30. A form that asked for more is sent once more, right after filling. No
/// step tells of a field that was left empty on purpose, so a run that goes on may fill it with the
/// value of the last time, and send that again.
fn nothing_is_tried_twice(played: &Played, config: &ExploreConfig, is_resumed: bool) {
    let mut tried: BTreeSet<(&Fingerprint, &ElementKey)> = BTreeSet::new();
    // What was sent last, and only filled since; none where that was once more.
    let mut sent: Option<(&ElementKey, bool)> = None;
    let mut is_filled = false;
    for step in &played.archive.steps {
        if step.notes.navigation {
            assert_eq!(config.navigation, Navigation::Frontier);
            assert!(
                step.index < config.max_steps,
                "no step is left for what it leads to"
            );
            sent = None;
            continue;
        }
        match (&step.notes.replay, &step.notes.page_from) {
            (Some(Replay::InputText { .. } | Replay::Select { .. }), _) => {
                sent = sent.map(|(key, _)| (key, true));
            }
            (Some(Replay::Tap { element_key }), Some(_)) if sent == Some((element_key, true)) => {
                sent = None;
            }
            (Some(Replay::Tap { element_key }), Some(page)) => {
                let is_new = tried.insert((page, element_key));
                let may_repeat = is_resumed && is_filled;
                assert!(is_new || may_repeat, "{element_key} twice on {page}");
                sent = Some((element_key, false));
            }
            _ => sent = None,
        }
        is_filled = matches!(
            step.notes.replay,
            Some(Replay::InputText { .. } | Replay::Select { .. })
        );
    }
}

/// EXP-INV-31. A page that is animated is touched.
fn an_untouched_page_costs_little(played: &Played, look: Option<Duration>) {
    let view = look.map_or(0, |look| u64::try_from(look.as_millis()).unwrap());
    for step in &played.archive.steps {
        let Some(settle) = &step.notes.settle else {
            continue;
        };
        if settle.outcome == Settle::Unchanged && !is_launch(step) {
            assert!(settle.elapsed_ms <= 1500 + 100 + 2 * view, "{settle:?}");
        }
    }
}

fn config() -> ProptestConfig {
    ProptestConfig {
        cases: 48,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config())]

    // EXP-INV-01 to 05, 07 to 09, 11, 12, 15, 18, 19, 30, 31
    #[test]
    fn the_invariants_hold(play in any_play()) {
        let (config, look) = (play.config.clone(), play.look);
        let animated = play.app.screens.iter().any(|screen| screen.animation_ms > 0);
        let played = play.run();
        println!("{}{:?}", played.story(), played.outcome.reasons);
        numbers_have_no_gaps(&played, config.max_steps);
        crashes_refer_to_stored_steps(&played);
        prop_assert_eq!(played.probe.touched_traps().len(), 0);
        green_means_nothing_was_found_or_lost(&played);
        calls_are_in_order(&played);
        edges_join_pages_of_the_app(&played);
        nothing_is_tried_twice(&played, &config, false);
        if !animated {
            an_untouched_page_costs_little(&played, look);
        }
    }

}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, ..config() })]

    // EXP-INV-27
    #[test]
    fn equal_inputs_give_an_equal_sequence_of_calls(play in any_play()) {
        let (one, two) = (play.clone().run(), play.run());
        prop_assert_eq!(one.log.calls(), two.log.calls());
        prop_assert_eq!(one.outcome, two.outcome);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..config() })]

    // EXP-INV-28, EXP-INV-29: a run without new pages ends by itself.
    #[test]
    fn every_run_comes_to_an_end(mut play in any_play()) {
        play.config.max_steps = 1500;
        play.mishaps = Mishaps { no_screenshot: true, ..Mishaps::default() };
        play.archive = MemoryArchive::default();
        play.config.page_identity = PageIdentity::Shape;
        let played = play.run();
        prop_assert!(matches!(played.outcome.ended, Ended::Exhausted | Ended::Aborted), "{}", played.story());
    }

    // EXP-INV-01 to 04, 19, D-11: what was stored stays, and what was tried stays tried.
    #[test]
    fn a_killed_run_goes_on(mut play in any_play(), stored in 1..30u32, graph in any::<bool>()) {
        play.mishaps = Mishaps { no_screenshot: true, ..Mishaps::default() };
        play.archive = MemoryArchive::default();
        play.config.max_steps = stored;
        let mut killed = play.clone().run().archive;
        if !graph {
            killed.graph = None;
        }
        play.config.max_steps = 60;
        let config = play.config.clone();
        let before = killed.clone();
        let played = play.resume(killed);
        println!("{}", played.story());
        numbers_have_no_gaps(&played, 60);
        crashes_refer_to_stored_steps(&played);
        prop_assert_eq!(&played.archive.steps[..before.steps.len()], &before.steps[..]);
        prop_assert_eq!(&played.archive.crashes[..before.crashes.len()], &before.crashes[..]);
        prop_assert!(played.archive.steps.get(before.steps.len()).is_none_or(is_launch));
        nothing_is_tried_twice(&played, &config, true);
        prop_assert_eq!(played.probe.touched_traps().len(), 0);
    }

    // EXP-INV-06
    #[test]
    fn a_word_on_the_blocklist_adds_no_touch_of_it(mut play in any_play()) {
        play.config.blocklist = vec!["Button A".into()];
        let played = play.run();
        let touched = |action: &&str| action.contains("\"Button A\"");
        prop_assert!(!played.actions().iter().any(touched));
    }
}
