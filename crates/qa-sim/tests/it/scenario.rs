//! One rule at a time, each on an app that is made for it.

use std::time::Duration;

use qa_core::{
    CrashKind, Ended, Inputs, Navigation, Notice, Platform, Replay, Status, StepResult,
    UnexploredReason,
};
use qa_sim::{Aftermath, Condition, Effect, Element, Quirk, Screen, SimApp};

use crate::play::{Play, Played};
use crate::recorder::Call;

fn app(home: Screen) -> SimApp {
    SimApp::new("com.example.app", "home").screen(home)
}

fn home() -> Screen {
    Screen::new("home", "Home").with(Element::new("heading", "title", "Home"))
}

fn add(counter: &str) -> Effect {
    Effect::Add(counter.into(), 1)
}

fn fault(name: &str) -> Effect {
    Effect::Fault(name.into())
}

fn simple() -> SimApp {
    app(home()
        .with(Element::button("a", "A", [add("a")]))
        .with(Element::button("b", "B", [add("b")]))
        .with(Element::button("c", "C", [add("c")])))
}

/// The end of a run is stored once, whatever came before.
#[track_caller]
fn check(played: &Played, status: Status, ended: Ended, code: Option<&str>) {
    let story = played.story();
    let outcome = &played.outcome;
    assert_eq!(
        (outcome.status, outcome.ended),
        (status, ended),
        "{story}{outcome:?}"
    );
    if let Some(code) = code {
        assert!(
            played.codes().contains(&code),
            "{:?}\n{story}",
            played.codes()
        );
    }
    assert!(played.archive.outcome.is_some());
}

// EXP-091, D-03
#[test]
fn an_app_without_faults_passes_once_all_is_tried() {
    let played = Play::new(simple(), 50).run();
    check(&played, Status::Passed, Ended::Exhausted, None);
    assert_eq!(
        played.actions()[..4],
        [
            "launch com.example.app",
            "tap button \"A\"",
            "tap button \"B\"",
            "tap button \"C\""
        ]
    );
    assert_eq!(played.outcome.unexplored, []);
}

// D-11, EXP-179
#[test]
fn a_run_that_was_killed_goes_on_where_it_was() {
    let killed = |steps| {
        let played = Play::new(simple(), steps).run();
        assert_eq!(played.archive.steps.len(), steps as usize);
        played.archive
    };
    for (stored, rest) in [(1, &["A", "B", "C"][..]), (3, &["C"]), (4, &[])] {
        for graph_is_lost in [false, true] {
            let mut archive = killed(stored);
            if graph_is_lost {
                archive.graph = None;
            }
            let played = Play::new(simple(), 50).resume(archive);
            check(&played, Status::Passed, Ended::Exhausted, None);
            let mut expected = vec!["launch com.example.app".to_owned()];
            expected.extend(rest.iter().map(|name| format!("tap button \"{name}\"")));
            let actions = &played.actions()[stored as usize..];
            assert_eq!(actions[..expected.len()], expected, "{}", played.story());
            let tried = |action: &&&str| action.starts_with("tap");
            assert_eq!(played.actions().iter().filter(tried).count(), 3);
            assert_eq!(played.outcome.actions, 3);
            assert!(played.outcome.duration_ms >= 60_000);
        }
    }
}

// D-11
#[test]
fn a_run_without_steps_left_is_ended_when_it_is_resumed() {
    let archive = Play::new(simple(), 3).run().archive;
    let played = Play::new(simple(), 3).resume(archive);
    check(&played, Status::Passed, Ended::MaxSteps, None);
    assert_eq!(played.archive.steps.len(), 3);
}

// EXP-055
#[test]
fn a_crash_at_launch_ends_the_run_after_the_drain() {
    let app = app(home().on_enter(fault("boom"))).fault(
        "boom",
        CrashKind::Java,
        Aftermath::Launcher,
        "boom",
    );
    let played = Play::new(app, 50).run();
    check(
        &played,
        Status::Failed,
        Ended::Aborted,
        Some("LAUNCH_CRASHED"),
    );
    assert_eq!(played.archive.steps.len(), 1);
    assert_eq!(played.archive.crashes[0].step_index, 1);
    assert_eq!(played.archive.crashes[0].repro_path, [1]);
    assert_eq!(played.probe.launches(), 1);
}

// EXP-056, EXP-098
#[test]
fn two_failed_launches_in_a_row_end_the_run() {
    let mut once = Play::new(simple(), 50);
    once.mishaps.failed_launches = [1].into();
    let played = once.run();
    check(&played, Status::Passed, Ended::Exhausted, None);
    assert_eq!(played.archive.steps[0].result, StepResult::Fail);

    let mut twice = Play::new(simple(), 50);
    twice.mishaps.failed_launches = [1, 2].into();
    let played = twice.run();
    check(
        &played,
        Status::Aborted,
        Ended::Aborted,
        Some("LAUNCH_FAILED"),
    );
    assert_eq!(played.archive.steps.len(), 2);
}

/// Dies on a tap.
fn mortal() -> SimApp {
    app(home().with(Element::button("die", "Die", [fault("die")]))).fault(
        "die",
        CrashKind::Java,
        Aftermath::Launcher,
        "die",
    )
}

// EXP-098
#[test]
fn a_recovery_that_fails_ends_the_run() {
    let mut play = Play::new(mortal(), 50);
    play.mishaps.failed_launches = [2, 3].into();
    let played = play.run();
    check(
        &played,
        Status::Failed,
        Ended::Aborted,
        Some("RELAUNCH_FAILED"),
    );
    assert_eq!(played.actions().len(), 4);
}

// EXP-098, EXP-TRAP-21
#[test]
fn a_crash_in_a_recovery_launch_ends_the_run() {
    let mut app = mortal();
    let again = Condition::AtLeast("launches".into(), 2);
    app.on_launch.push(Effect::When(again, vec![fault("die")]));
    let played = Play::new(app, 50).run();
    check(
        &played,
        Status::Failed,
        Ended::Aborted,
        Some("RELAUNCH_CRASHED"),
    );
    let steps: Vec<_> = played
        .archive
        .crashes
        .iter()
        .map(|crash| crash.step_index)
        .collect();
    assert_eq!(steps, [2, 3]);
    assert_eq!(played.archive.crashes[1].repro_path, [3]);
}

// EXP-INV-15
#[test]
fn a_lost_device_ends_the_run_with_its_reason() {
    let mut play = Play::new(simple(), 50);
    play.mishaps.lost_at_action = Some(3);
    let played = play.run();
    check(
        &played,
        Status::Aborted,
        Ended::Aborted,
        Some("DEVICE_LOST"),
    );
    assert_eq!(played.archive.steps.len(), 3);
    assert_eq!(played.archive.steps[2].result, StepResult::Fail);
    assert_eq!(played.log.calls().last(), Some(&Call::StopDriver));
}

// EXP-053
#[test]
fn without_a_watch_nothing_is_launched() {
    let mut play = Play::new(simple(), 50);
    play.mishaps.watch_start_fails = true;
    let played = play.run();
    check(
        &played,
        Status::Failed,
        Ended::Aborted,
        Some("CAPTURE_FAILED"),
    );
    assert_eq!(played.probe.launches(), 0);
    assert!(!played.log.calls().contains(&Call::Query));
}

// EXP-060
#[test]
fn a_watch_that_dies_ends_the_run() {
    let mut play = Play::new(simple(), 50);
    play.mishaps.watch_dies_at_action = Some(3);
    let played = play.run();
    check(
        &played,
        Status::Failed,
        Ended::Aborted,
        Some("CAPTURE_FAILED"),
    );
    assert_eq!(played.archive.steps.len(), 3);
}

// EXP-045, EXP-TRAP-09
#[test]
fn a_query_without_an_answer_is_not_no_crash() {
    let mut play = Play::new(simple(), 50);
    play.mishaps.failed_queries = [3].into();
    check(
        &play.run(),
        Status::Failed,
        Ended::Exhausted,
        Some("CRASH_QUERY_FAILED"),
    );

    let mut play = Play::new(simple(), 50);
    play.mishaps.watch_stop_fails = true;
    check(
        &play.run(),
        Status::Failed,
        Ended::Exhausted,
        Some("CAPTURE_FAILED"),
    );
}

// EXP-047
#[test]
fn a_crash_that_cannot_be_stored_ends_the_run() {
    let app = app(home().with(Element::button("a", "A", [fault("x"), fault("y")])))
        .fault("x", CrashKind::Js, Aftermath::Running, "x")
        .fault("y", CrashKind::Js, Aftermath::Running, "y");
    let mut play = Play::new(app, 50);
    play.archive.crashes_until_full = Some(0);
    let played = play.run();
    check(
        &played,
        Status::Failed,
        Ended::Aborted,
        Some("CRASH_ARCHIVE_FAILED"),
    );
    let attempts = |call: &&Call| matches!(call, Call::Crash(..));
    assert_eq!(played.log.calls().iter().filter(attempts).count(), 2);
}

// EXP-090
#[test]
fn a_step_that_cannot_be_stored_ends_the_run() {
    let mut play = Play::new(simple(), 50);
    play.archive.steps_until_full = Some(2);
    let played = play.run();
    check(
        &played,
        Status::Aborted,
        Ended::Aborted,
        Some("STEP_ARCHIVE_FAILED"),
    );
    assert_eq!(played.outcome.steps, 2);
}

// 22.3
#[test]
fn nothing_is_touched_while_nobody_knows_who_is_in_front() {
    let mut play = Play::new(simple(), 50);
    play.mishaps.front_unknown = Some((1, 10_000));
    let played = play.run();
    check(
        &played,
        Status::Aborted,
        Ended::Aborted,
        Some("FOREGROUND_UNKNOWN"),
    );
    let touched = |call: &Call| matches!(call, Call::Act(_));
    assert!(!played.log.calls().iter().any(touched));
}

// EXP-131
#[test]
fn a_stopped_run_is_finished_properly() {
    let play = Play::new(simple(), 50);
    play.stop.stop();
    let played = play.run();
    check(
        &played,
        Status::Aborted,
        Ended::Interrupted,
        Some("INTERRUPTED"),
    );
    assert_eq!(played.probe.launches(), 0);
}

// EXP-058, EXP-091
#[test]
fn limits_are_a_normal_end() {
    let played = Play::new(simple(), 3).run();
    check(&played, Status::Passed, Ended::MaxSteps, None);
    assert_eq!(
        played.outcome.unexplored[0].reason,
        UnexploredReason::Budget
    );
    assert_eq!(played.outcome.unexplored[0].open_keys.len(), 1);

    let mut play = Play::new(simple(), 50);
    play.config.duration = Duration::from_secs(2);
    let played = play.run();
    check(&played, Status::Passed, Ended::Duration, None);
}

// EXP-133
#[test]
fn a_run_that_could_try_nothing_is_not_green() {
    let played = Play::new(app(home()), 50).run();
    check(
        &played,
        Status::Aborted,
        Ended::Exhausted,
        Some("NO_ACTION_EXECUTED"),
    );
}

// EXP-009
#[test]
fn an_impossible_config_touches_nothing() {
    let played = Play::new(simple(), 0).run();
    check(
        &played,
        Status::Aborted,
        Ended::Aborted,
        Some("INVALID_CONFIG"),
    );
    assert_eq!(
        played.log.calls()[..],
        [Call::StopWatch, Call::Finish, Call::StopDriver]
    );
}

// WEB-051, EXP-123
#[test]
fn what_is_refused_is_tried_once_and_is_no_crash() {
    let quirk = |id: &str, quirk| Element::button(id, id, [add(id)]).quirk(quirk);
    let app = app(home()
        .with(quirk("covered", Quirk::Obscured))
        .with(quirk("moving", Quirk::Moving))
        .with(quirk("stale", Quirk::Stale))
        .with(quirk("ruled", Quirk::Rejected("SOME_RULE".into())))
        .with(quirk("lost", Quirk::UnknownAndLost))
        .with(Element::button("fine", "fine", [add("fine")])));
    let played = Play::new(app, 50).run();
    check(&played, Status::Passed, Ended::Exhausted, None);
    for (id, code) in [
        ("covered", "TARGET_OBSCURED"),
        ("moving", "TARGET_MOVING"),
        ("stale", "TARGET_DETACHED"),
        ("ruled", "SOME_RULE"),
        ("lost", "DISPATCH_UNKNOWN"),
    ] {
        let steps: Vec<_> = played
            .archive
            .steps
            .iter()
            .filter(|step| step.action == format!("tap button \"{id}\""))
            .collect();
        assert_eq!(steps.len(), 1, "{id}\n{}", played.story());
        assert_eq!(steps[0].result, StepResult::Fail);
        assert_eq!(steps[0].notes.code.as_deref(), Some(code));
        // Only what may have been delivered can be done again.
        assert_eq!(steps[0].notes.replay.is_some(), id == "lost", "{id}");
    }
    assert_eq!(played.probe.counter("covered"), 0);
}

// EXP-TRAP-10, D-08
#[test]
fn an_unknown_delivery_is_never_sent_again() {
    let app = app(home().with(
        Element::button("go", "Go", [Effect::Go("next".into())]).quirk(Quirk::UnknownButDone),
    ))
    .screen(Screen::new("next", "Next").with(Element::new("heading", "h", "Next")));
    let played = Play::new(app, 50).run();
    let taps: Vec<_> = played
        .archive
        .steps
        .iter()
        .filter(|s| s.action == "tap button \"Go\"")
        .collect();
    assert_eq!(taps.len(), 1, "{}", played.story());
    assert_eq!(taps[0].result, StepResult::Ok);
}

// EXP-130
#[test]
fn a_crash_that_comes_after_the_last_step_is_found_by_the_drain() {
    let app = app(home().with(Element::button(
        "late",
        "Late",
        [Effect::After(2400, vec![fault("late")])],
    )))
    .fault("late", CrashKind::Java, Aftermath::Launcher, "late");
    let played = Play::new(app, 2).run();
    check(&played, Status::Failed, Ended::MaxSteps, None);
    assert_eq!(played.archive.crashes[0].step_index, 2);
    assert_eq!(played.archive.steps[1].result, StepResult::Ok);
}

// WEB-042
#[test]
fn a_crash_that_the_app_survives_leaves_it_running() {
    let app = app(home()
        .with(Element::button("a", "A", [fault("js"), fault("js")]))
        .with(Element::button("b", "B", [add("b")])))
    .fault("js", CrashKind::Js, Aftermath::Running, "js");
    let mut play = Play::new(app, 3);
    let played = play.clone().run();
    check(&played, Status::Failed, Ended::MaxSteps, None);
    assert_eq!(played.probe.launches(), 1);
    assert_eq!(played.archive.steps[1].result, StepResult::Fail);
    assert_eq!(played.outcome.crashes[0].count, 2);

    // A kind that is tolerated is a finding and fails nothing.
    play.config.tolerate = [CrashKind::Js].into();
    let played = play.clone().run();
    check(&played, Status::Passed, Ended::MaxSteps, None);
    assert_eq!(played.archive.findings[0].id, "f1");
    assert_eq!(played.outcome.findings[&CrashKind::Js], 1);

    // One that cannot be stored ends nothing, but the run has not passed.
    play.archive.findings_until_full = Some(0);
    let played = play.clone().run();
    check(
        &played,
        Status::Failed,
        Ended::MaxSteps,
        Some("CRASH_ARCHIVE_FAILED"),
    );
    assert_eq!(played.outcome.findings[&CrashKind::Js], 1);
}

// EXP-172, WEB-042: what lies behind a crash that the app survives is explored to its end.
#[test]
fn a_survived_crash_does_not_close_the_way() {
    let go = |to: &str| Effect::Go(to.into());
    let inner = Screen::new("inner", "Inner")
        .with(Element::new("heading", "ih", "Inner"))
        .with(Element::button("out", "Out", [Effect::Back]))
        .with(Element::button("a", "A", [add("a")]))
        .with(Element::button("b", "B", [add("b")]));
    let app = app(home().with(Element::button("in", "In", [fault("js"), go("inner")])))
        .screen(inner)
        .fault("js", CrashKind::Js, Aftermath::Running, "js");
    let played = Play::new(app, 30).run();
    check(&played, Status::Failed, Ended::Exhausted, None);
    assert_eq!(
        played.actions()[..6],
        [
            "launch com.example.app",
            "tap button \"In\"",
            "tap button \"Out\"",
            "tap button \"In\"",
            "tap button \"A\"",
            "tap button \"B\"",
        ],
        "{}",
        played.story()
    );
    assert!(played.archive.steps[3].notes.navigation);
    assert_eq!(played.outcome.unexplored, []);
    // The crash of the way is the same crash after another step.
    let at: Vec<u32> = played
        .outcome
        .crashes
        .iter()
        .map(|crash| crash.step)
        .collect();
    assert_eq!(at, [2, 4]);
}

// EXP-125, EXP-017
#[test]
fn another_app_is_left_by_one_back_and_never_touched() {
    let outside = Screen::new("outside", "Outside")
        .owned_by("com.other")
        .with(Element::button("bait", "Bait", [add("bait")]).trap());
    let mut sticky = outside.clone();
    sticky.id = "sticky".into();
    sticky.back_ignored = true;
    let app = app(home()
        .with(Element::link("o", "Outside", "outside"))
        .with(Element::link("s", "Sticky", "sticky"))
        .with(Element::button("a", "A", [add("a")])))
    .screen(outside)
    .screen(sticky);
    let played = Play::new(app, 50).run();
    check(&played, Status::Passed, Ended::Exhausted, None);
    assert_eq!(played.probe.touched_traps().len(), 0);
    assert_eq!(
        played.actions()[..7],
        [
            "launch com.example.app",
            "tap button \"Outside\"",
            "back",
            "tap button \"Sticky\"",
            "back",
            "launch com.example.app",
            "tap button \"A\""
        ]
    );
    assert_eq!(played.outcome.foreign, ["com.other"]);
}

// EXP-127, EXP-128
#[test]
fn a_permission_is_granted_once() {
    let prompt = Screen::new("prompt", "Permission")
        .owned_by("com.android.permissioncontroller")
        .dialog()
        .with(Element::text("message", "Allow the app to see you?"))
        .with(Element::button(
            "permission_deny_button",
            "Don't allow",
            [add("denied"), Effect::Back],
        ))
        .with(Element::button(
            "permission_allow_button",
            "Allow",
            [add("allowed"), Effect::Back],
        ));
    let app = app(home()
        .with(Element::link("one", "One", "prompt"))
        .with(Element::link("two", "Two", "prompt")))
    .screen(prompt);
    let played = Play::new(app, 50).run();
    check(&played, Status::Passed, Ended::Exhausted, None);
    let allows = played
        .actions()
        .iter()
        .filter(|a| **a == "tap button \"Allow\"")
        .count();
    assert_eq!(allows, 1, "{}", played.story());
    assert!(!played.actions().contains(&"tap button \"Don't allow\""));
    assert_eq!(played.outcome.pages, 1);
}

// EXP-128: a question that stays whatever is answered.
#[test]
fn an_app_behind_a_question_that_stays_is_given_up() {
    let prompt = Screen::new("prompt", "Permission")
        .owned_by("com.android.permissioncontroller")
        .dialog()
        .with(Element::button("permission_allow_button", "Allow", []));
    let question = Effect::After(0, vec![Effect::Go("prompt".into())]);
    let app = app(home().on_enter(question)).screen(prompt);
    let played = Play::new(app, 500).run();
    let code = Some("RELAUNCHED_IN_VAIN");
    check(&played, Status::Aborted, Ended::Aborted, code);
    assert!(played.archive.steps.len() < 50, "{}", played.story());
}

// WEB-007
#[test]
fn a_pop_up_inside_the_boundary_is_visited_once() {
    let popup = |url: &str, inside| {
        Effect::Notice(Notice::Popup {
            url: url.into(),
            inside,
        })
    };
    let mut app = app(home()
        .with(Element::button(
            "one",
            "One",
            [popup("https://shop.test/news", true)],
        ))
        .with(Element::button(
            "two",
            "Two",
            [popup("https://shop.test/news", true)],
        ))
        .with(Element::button(
            "four",
            "Four",
            [popup("https://shop.test/log-out", true)],
        ))
        .with(Element::button(
            "three",
            "Three",
            [popup("https://ads.test/", false)],
        )))
    .screen(Screen::new("news", "News").with(Element::button(
        "n",
        "Read",
        [add("read")],
    )));
    app.addresses
        .insert("https://shop.test/news".into(), "news".into());
    let mut play = Play::new(app, 50);
    play.config.boundary.push("https://shop.test".into());
    let played = play.run();
    check(&played, Status::Passed, Ended::Exhausted, None);
    assert_eq!(played.outcome.refused["blocklist:Logout"].count, 1);
    let visit = "navigate to https://shop.test/news";
    let visits = played
        .actions()
        .iter()
        .filter(|action| **action == visit)
        .count();
    assert_eq!(visits, 1, "{}", played.story());
    assert!(played.actions().contains(&"tap button \"Read\""));
    assert_eq!(played.outcome.foreign, ["https://ads.test/"]);
}

/// A form that asks for a second field once the first is there.
fn form() -> SimApp {
    let asked = Condition::AtLeast("asked".into(), 1);
    let form = Element::new("form", "form", "Join")
        .with(Element::field("email", "Email", "email", true))
        .with(Element::field("age", "Age", "number", true).shown_if(asked.clone()))
        .with(
            Element::button(
                "join",
                "Join",
                [
                    Effect::IfValid(vec![Effect::When(asked, vec![Effect::Go("done".into())])]),
                    Effect::Set("asked".into(), 1),
                ],
            )
            .submits(),
        );
    let mut app = app(home().with(form))
        .screen(Screen::new("done", "Done").with(Element::new("heading", "d", "Welcome")));
    app.platform = Platform::Web;
    app.package = "https://shop.test".into();
    app
}

// WEB-060
#[test]
fn a_form_is_filled_sent_and_sent_once_more_when_it_asks_for_more() {
    let played = Play::new(form(), 50).run();
    let actions: Vec<&str> = played
        .actions()
        .into_iter()
        .map(|action| action.split(" with").next().unwrap_or(action))
        .collect();
    let sent = actions
        .iter()
        .position(|action| *action == "tap button \"Join\"");
    assert!(sent.is_some(), "{}", played.story());
    assert!(
        actions.windows(2).any(|pair| pair
            == ["fill textbox \"Email\"", "press Enter in textbox \"Email\""]
            || pair == ["fill textbox \"Email\"", "tap button \"Join\""]),
        "{}",
        played.story()
    );
    assert!(
        actions
            .windows(2)
            .any(|pair| pair == ["fill textbox \"Age\"", "tap button \"Join\""]),
        "{}",
        played.story()
    );
    let done = |step: &qa_core::StepRecord| step.notes.observation.as_deref() == Some("Welcome");
    assert!(played.archive.steps.iter().any(done), "{}", played.story());
    let typed = played
        .archive
        .steps
        .iter()
        .find_map(|step| match &step.notes.replay {
            Some(Replay::InputText { input_value, .. }) => input_value.clone(),
            _ => None,
        });
    assert!(typed.is_some_and(|value| value.ends_with("@example.com")));
}

// EXP-022
#[test]
fn an_element_that_turns_dangerous_while_its_form_is_filled_is_left_alone() {
    let filled = Condition::Filled("home".into(), "sum".into());
    let send = Element::button("send", "Send", [add("sent")]);
    let pay = Element::button("send", "Pay now", [add("paid")]);
    let app = app(home()
        .with(Element::field("sum", "Sum", "text", true))
        .with(
            send.submits()
                .shown_if(Condition::Not(Box::new(filled.clone()))),
        )
        .with(pay.submits().trap().shown_if(filled)));
    let played = Play::new(app, 30).run();
    assert!(
        played
            .actions()
            .iter()
            .any(|action| action.starts_with("fill"))
    );
    assert_eq!(played.probe.touched_traps().len(), 0, "{}", played.story());
    assert_eq!(played.outcome.refused["blocklist:Pay Now"].count, 1);
}

// WEB-061
#[test]
fn another_visit_tries_other_values() {
    let form = Element::new("form", "form", "Say")
        .with(Element::field("word", "Word", "text", false))
        .with(Element::button("say", "Say", [Effect::Go("said".into())]).submits())
        .with(Element::button("sing", "Sing", [Effect::Go("said".into())]).submits())
        .with(Element::button("shout", "Shout", [Effect::Go("said".into())]).submits());
    let said = Screen::new("said", "Said").with(Element::link("again", "Again", "home"));
    // A screen starts with empty fields each time it is launched.
    let mut app = app(home().with(form))
        .screen(said.on_enter(Effect::When(
            Condition::Visited("said".into(), 1),
            vec![Effect::After(1, vec![fault("forget")])],
        )))
        .fault("forget", CrashKind::Java, Aftermath::Launcher, "forget");
    app.platform = Platform::Web;
    app.package = "https://shop.test".into();
    let played = Play::new(app, 60).run();
    let typed: Vec<String> = played
        .archive
        .steps
        .iter()
        .filter_map(|step| match &step.notes.replay {
            Some(Replay::InputText { input_value, .. }) => input_value.clone(),
            _ => None,
        })
        .collect();
    assert!(typed.len() >= 2, "{}", played.story());
    assert_ne!(typed[0], typed[1]);
}

// EXP-129
#[test]
fn without_inputs_nothing_is_typed() {
    let mut play = Play::new(form(), 50);
    play.config.inputs = Inputs::None;
    let played = play.run();
    assert!(
        !played
            .actions()
            .iter()
            .any(|action| action.starts_with("fill"))
    );
}

// EXP-016, EXP-INV-06
#[test]
fn a_word_of_the_owner_keeps_an_element_from_being_touched() {
    let mut play = Play::new(simple(), 50);
    play.config.blocklist = vec!["B".into()];
    let played = play.run();
    assert!(!played.actions().contains(&"tap button \"B\""));
    assert_eq!(played.outcome.refused["blocklist:B"].count, 1);
}

// EXP-082
#[test]
fn a_change_that_comes_late_is_an_edge_of_its_action() {
    let app = app(home().with(Element::button(
        "slow",
        "Slow",
        [Effect::After(1800, vec![Effect::Go("next".into())])],
    )))
    .screen(Screen::new("next", "Next").with(Element::button("n", "N", [add("n")])));
    // The view is unchanged until settling gives up; the next look comes after the change.
    let mut play = Play::new(app, 50);
    play.look = Some(Duration::from_millis(200));
    let played = play.run();
    let graph = played.archive.graph.as_ref().unwrap().to_snapshot();
    let late: Vec<_> = graph.edges.iter().filter(|edge| edge.late).collect();
    assert_eq!(late.len(), 1, "{}", played.story());
    assert_eq!(late[0].action, "tap button \"Slow\"");
}

// EXP-122, EXP-123
#[test]
fn plain_navigation_goes_back_and_never_repeats_a_tap() {
    let app = app(home()
        .with(Element::link("x", "X", "x"))
        .with(Element::link("y", "Y", "y")))
    .screen(Screen::new("x", "X page").with(Element::new("heading", "xh", "X page")))
    .screen(Screen::new("y", "Y page").with(Element::new("heading", "yh", "Y page")));
    let mut play = Play::new(app, 50);
    play.config.navigation = Navigation::Back;
    let played = play.run();
    check(&played, Status::Passed, Ended::Exhausted, None);
    assert_eq!(
        played.actions()[..5],
        [
            "launch com.example.app",
            "tap button \"X\"",
            "back",
            "tap button \"Y\"",
            "back"
        ]
    );
    assert!(
        played
            .archive
            .steps
            .iter()
            .all(|step| !step.notes.navigation)
    );
}

// EXP-057, WEB-045
#[test]
fn evidence_that_was_held_up_belongs_to_the_step_it_came_from() {
    let app = app(home()
        .with(Element::button("a", "A", [fault("js")]))
        .with(Element::button("b", "B", [add("b")])))
    .fault("js", CrashKind::Js, Aftermath::Running, "js");
    let mut play = Play::new(app, 3);
    // The query in step 2 and the one before step 3 stay without an answer.
    play.mishaps.failed_queries = [3, 4].into();
    let played = play.run();
    check(
        &played,
        Status::Failed,
        Ended::MaxSteps,
        Some("CRASH_QUERY_FAILED"),
    );
    assert_eq!(played.archive.crashes[0].step_index, 2);
    assert_eq!(played.archive.steps[2].result, StepResult::Ok);
}

// EXP-094, WEB-043
#[test]
fn what_repeats_itself_after_one_step_is_one_record_with_a_count() {
    let app = app(home().with(Element::button(
        "a",
        "A",
        [fault("js"), Effect::After(2000, vec![fault("js")])],
    )))
    .fault("js", CrashKind::Js, Aftermath::Running, "js");
    let played = Play::new(app, 2).run();
    check(&played, Status::Failed, Ended::MaxSteps, None);
    assert_eq!(played.archive.crashes.len(), 1);
    assert_eq!(played.outcome.crashes[0].count, 2);
}

// EXP-099
#[test]
fn what_is_asked_for_before_a_recovery_is_not_charged_to_the_launch() {
    let mut play = Play::new(mortal(), 50);
    // The queries in step 2 and before step 3 stay without an answer, and the evidence is bare.
    play.mishaps.failed_queries = [3, 4].into();
    play.mishaps.watch_knows_no_actions = true;
    let played = play.run();
    assert_eq!(
        played.archive.crashes[0].step_index,
        2,
        "{}",
        played.story()
    );
    assert_eq!(played.archive.crashes[0].repro_path, [1, 2]);
    assert_eq!(played.archive.steps[2].result, StepResult::Ok);
}

// EXP-INV-31: a page that never rests is not waited for twice.
#[test]
fn a_page_that_never_rests_costs_one_settle_a_step() {
    let app = app(home()
        .with(Element::text("flicker", "{flicker}"))
        .with(Element::button("a", "A", [add("a")]))
        .with(Element::button("b", "B", [add("b")])));
    let mut play = Play::new(app, 3);
    play.look = Some(Duration::from_millis(50));
    let played = play.run();
    check(&played, Status::Passed, Ended::MaxSteps, None);
    assert_eq!(played.outcome.unsettled_steps, [1, 2, 3]);
    let between: u64 = played
        .archive
        .steps
        .windows(2)
        .map(|pair| {
            let settle = pair[1]
                .notes
                .settle
                .as_ref()
                .map_or(0, |settle| settle.elapsed_ms);
            pair[1].notes.app_ms - pair[0].notes.app_ms - settle
        })
        .sum();
    assert!(between <= 2 * 50, "{between} ms");
}

// A run can be moved to another thread, as a runtime with several does.
#[test]
fn an_exploration_is_send() {
    fn check(_: &impl Send) {}
    let (mut driver, mut watch) = qa_sim::SimDriver::new(simple());
    let config = qa_core::ExploreConfig::new(vec!["com.example.app".into()]);
    let mut archive = qa_sim::MemoryArchive::default();
    let stop = qa_core::StopSignal::default();
    let ports = qa_core::Ports {
        driver: &mut driver,
        watch: &mut watch,
        archive: &mut archive,
        progress: &mut qa_core::Silent,
        stop: &stop,
    };
    check(&qa_core::explore(&config, ports));
}
