//! What a replay says of an app.

use futures_executor::block_on;
use qa_core::{Capability, CrashKind, StopSignal, Verdict};
use qa_redact::{Redactor, RedactorConfig};
use qa_replay::{ReplayOptions, ReplayPorts, RunReport, RunStatus, markdown, replay, unsupported};
use qa_sim::{Aftermath, Condition, Effect, Element, Mishaps, Quirk, Screen, SimApp, SimDriver};
use serde_json::{Value, json};

use crate::play::{absent, present, run, run_on, run_with, scenario, tap};

fn app(home: Screen) -> SimApp {
    SimApp::new("com.example.app", "home").screen(home)
}

/// A button that counts, and a text that tells the count.
fn counter(quirk: Option<Quirk>, effect: Effect) -> SimApp {
    let mut button = Element::button("add", "Add", [effect]);
    button.quirk = quirk;
    app(Screen::new("home", "Home")
        .with(button)
        .with(Element::text("count", "{count} things")))
}

fn add() -> Effect {
    Effect::Add("count".into(), 1)
}

#[track_caller]
fn check(report: &RunReport, status: RunStatus, code: Option<&str>) {
    let failure = report
        .failure
        .as_ref()
        .and_then(|failure| failure.code.as_deref());
    let reason = report.steps.iter().find_map(|step| step.reason.as_deref());
    assert_eq!(
        (report.status, failure.or(reason)),
        (status, code),
        "{report:#?}"
    );
    let redactor = Redactor::new(RedactorConfig::default()).unwrap();
    assert!(markdown(report, &redactor).contains(status.as_str()));
}

// REP-097, REP-098, REP-INV-01
#[test]
fn what_holds_is_proven_step_by_step() {
    let steps = [
        tap("Add", &present("text", "1 things")),
        tap("Add", &present("text", "2 things")),
    ];
    let scenario = scenario(&steps, &[absent("text", "1 things")]);
    let (report, probe) = run(counter(None, add()), &scenario);
    check(&report, RunStatus::Pass, None);
    assert!(report.steps.iter().all(|step| step.assertion_passed));
    assert_eq!(report.receipt_summary.confirmed, 2);
    assert_eq!(report.not_run, [0; 0]);
    assert_eq!(probe.launches(), 1);
}

// REP-098, REP-099, REP-INV-02
#[test]
fn what_is_refuted_fails_and_ends_the_run() {
    let steps = [
        tap("Add", &present("text", "7 things")),
        tap("Add", &present("text", "2 things")),
    ];
    let (report, _) = run(counter(None, add()), &scenario(&steps, &[]));
    check(&report, RunStatus::Fail, None);
    assert_eq!(report.not_run, [2]);
    assert_eq!(report.failure.as_ref().unwrap().step_index, Some(1));
    assert!(
        report.steps[0]
            .attempts
            .is_some_and(|attempts| attempts > 1)
    );
}

// REP-043
#[test]
fn what_comes_late_is_waited_for_and_what_comes_too_late_is_not() {
    let late = |ms| Effect::After(ms, vec![add()]);
    let steps = [tap("Add", &present("text", "1 things"))];
    for (ms, status) in [
        (0, RunStatus::Pass),
        (1_500, RunStatus::Pass),
        (4_000, RunStatus::Pass),
        (60_000, RunStatus::Fail),
    ] {
        let (report, _) = run(counter(None, late(ms)), &scenario(&steps, &[]));
        assert_eq!(report.status, status, "{ms} ms: {report:#?}");
    }
}

// REP-TRAP-23, D-05: something else changes first, and all is quiet before the outcome.
#[test]
fn what_goes_late_is_not_taken_to_be_there_nor_to_be_gone_too_early() {
    let panel = Condition::Not(Box::new(Condition::AtLeast("closed".into(), 1)));
    let closing = |after| {
        let tick = Effect::After(200, vec![Effect::Add("ticks".into(), 1)]);
        let close = Effect::After(after, vec![Effect::Set("closed".into(), 1)]);
        app(Screen::new("home", "Home")
            .with(Element::button("close", "Close", [tick, close]))
            .with(Element::text("ticks", "{ticks} ticks"))
            .with(Element::text("panel", "Panel").shown_if(panel.clone())))
    };
    let still = scenario(&[tap("Close", &present("text", "Panel"))], &[]);
    check(&run(closing(1_500), &still).0, RunStatus::Fail, None);
    let gone = scenario(&[tap("Close", &absent("text", "Panel"))], &[]);
    check(&run(closing(1_500), &gone).0, RunStatus::Pass, None);
    // Beyond the budget it is still there.
    check(&run(closing(9_000), &gone).0, RunStatus::Fail, None);
}

/// A button whose effect is seen at once; more of it comes later.
fn saving(later: u64, more: Effect) -> SimApp {
    let done = |counter: &str| Condition::AtLeast(counter.into(), 1);
    let save = [add(), Effect::After(later, vec![more])];
    app(Screen::new("home", "Home")
        .with(Element::button("save", "Save", save))
        .with(Element::text("saved", "Saved").shown_if(done("count")))
        .with(Element::text("alert", "Alert").shown_if(done("late")))
        .with(
            Element::button("next", "Next", [Effect::Add("steps".into(), 1)])
                .shown_if(done("late")),
        )
        .with(Element::text("steps", "{steps} steps")))
    .fault("boom", CrashKind::Java, Aftermath::Running, "boom")
}

// D-05, REP-043, REP-INV-11: a step that is proven early does not cut short what follows.
#[test]
fn what_the_last_action_brings_is_waited_for_at_the_end() {
    let late = || Effect::Set("late".into(), 1);
    let save = tap("Save", &present("text", "Saved"));
    let gone = scenario(std::slice::from_ref(&save), &[absent("text", "Alert")]);
    check(&run(saving(1_500, late()), &gone).0, RunStatus::Fail, None);
    check(&run(saving(9_000, late()), &gone).0, RunStatus::Pass, None);
    let there = scenario(std::slice::from_ref(&save), &[present("text", "Alert")]);
    for ms in [1_500, 4_000] {
        check(&run(saving(ms, late()), &there).0, RunStatus::Pass, None);
    }
    check(
        &run(saving(60_000, late()), &there).0,
        RunStatus::Fail,
        None,
    );

    let alone = scenario(std::slice::from_ref(&save), &[]);
    let (report, _) = run(saving(900, Effect::Fault("boom".into())), &alone);
    check(&report, RunStatus::Fail, Some("CRASH"));
}

// REP-035, REP-TRAP-23
#[test]
fn a_target_that_the_last_action_brings_is_waited_for() {
    let steps = [
        tap("Save", &present("text", "Saved")),
        tap("Next", &present("text", "1 steps")),
    ];
    for (ms, status) in [
        (550, RunStatus::Pass),
        (2_000, RunStatus::Pass),
        (9_000, RunStatus::Fail),
    ] {
        let app = saving(ms, Effect::Set("late".into(), 1));
        let (report, probe) = run(app, &scenario(&steps, &[]));
        assert_eq!(report.status, status, "{ms} ms: {report:#?}");
        assert_eq!(probe.counter("steps"), i64::from(status == RunStatus::Pass));
    }
}

// REP-019, REP-129
#[test]
fn a_step_whose_app_is_lost_is_told_with_its_receipt() {
    let app = app(Screen::new("home", "Home").with(Element::button(
        "add",
        "Add",
        [Effect::Fault("boom".into())],
    )))
    .fault("boom", CrashKind::Java, Aftermath::Gone, "boom");
    let steps = [
        tap("Add", &present("text", "1 things")),
        tap("Add", &present("text", "2 things")),
    ];
    let (report, _) = run(app, &scenario(&steps, &[]));
    check(&report, RunStatus::Fail, Some("CRASH"));
    assert_eq!(report.steps[0].reason.as_deref(), Some("DRIVER_ERROR"));
    assert!(report.steps[0].receipt.is_some());
    assert_eq!((report.steps.len(), &report.not_run[..]), (1, &[2][..]));
}

// REP-039, REP-128
#[test]
fn the_wider_budget_is_kept_and_told() {
    let ticks = |many: u64| {
        (1..many)
            .map(|at| Effect::After(at * 200, vec![add()]))
            .collect::<Vec<_>>()
    };
    let restless = || {
        app(Screen::new("home", "Home")
            .with(Element::button("go", "Go", ticks(18)))
            .with(Element::text("count", "{count} things"))
            .with(Element::text("panel", "Panel")))
    };
    let steps = [
        tap("Go", &absent("text", "Gone")),
        tap("Go", &absent("text", "Gone")),
    ];
    let (report, _) = run(restless(), &scenario(&steps, &[]));
    check(&report, RunStatus::Pass, None);
    let told = serde_json::to_value(&report).unwrap();
    let widened = json!({"fromMs": 2_500, "toMs": 6_000, "at": 1, "cause": "unstable"});
    assert_eq!(told["settleWidened"], widened);
    assert_eq!(told["settle"]["budgetMs"], 2_500);
}

// REP-054, REP-INV-17
#[test]
fn a_target_that_is_missing_or_not_unique_is_not_touched() {
    let twice = app(Screen::new("home", "Home")
        .with(Element::button("a", "Add", [add()]))
        .with(Element::button("b", "Add", [add()])));
    let steps = [tap("Add", &present("button", "Add"))];
    let (report, probe) = run(twice, &scenario(&steps, &[]));
    check(&report, RunStatus::Fail, Some("TARGET_NOT_UNIQUE"));
    assert!(report.steps[0].receipt.is_none());
    assert_eq!(probe.counter("count"), 0);

    let steps = [tap("Gone", &present("button", "Add"))];
    let (report, _) = run(counter(None, add()), &scenario(&steps, &[]));
    check(&report, RunStatus::Fail, Some("TARGET_NOT_FOUND"));
}

// REP-018, REP-023, REP-INV-07, 26.2
#[test]
fn an_unknown_receipt_proves_nothing_by_itself() {
    let newly = [tap("Add", &present("text", "1 things"))];
    let before = [tap("Add", &present("button", "Add"))];
    let done = || counter(Some(Quirk::UnknownButDone), add());
    let lost = || counter(Some(Quirk::UnknownAndLost), add());
    let (report, _) = run(done(), &scenario(&newly, &[]));
    check(&report, RunStatus::Pass, None);
    assert!(report.receipt_summary.warning.is_some());
    let (report, _) = run(lost(), &scenario(&newly, &[]));
    check(&report, RunStatus::Fail, None);
    // An absence of what was not there, and a presence of several, held before as well.
    let twins = || {
        let mut app = lost();
        let twins = ["a", "b"].map(|id| Element::text(id, "Twin"));
        app.screens[0].elements.extend(twins);
        app
    };
    for step in [
        tap("Add", &absent("text", "Alert")),
        tap("Add", &present("text", "Twin")),
    ] {
        let (report, _) = run(twins(), &scenario(&[step], &[]));
        let code = "UNKNOWN_RECEIPT_NO_CHANGE";
        check(&report, RunStatus::Inconclusive, Some(code));
    }
    let (report, _) = run(lost(), &scenario(&before, &[]));
    check(
        &report,
        RunStatus::Inconclusive,
        Some("UNKNOWN_RECEIPT_NO_CHANGE"),
    );
}

// REP-019, REP-INV-08, REP-INV-10
#[test]
fn a_refusal_fails_with_its_code_and_is_not_repeated() {
    let steps = [tap("Add", &present("text", "0 things"))];
    for (quirk, code) in [
        (Quirk::Obscured, "TARGET_OBSCURED"),
        (Quirk::Rejected("RULE".into()), "RULE"),
    ] {
        let (report, _) = run(counter(Some(quirk), add()), &scenario(&steps, &[]));
        check(&report, RunStatus::Fail, Some(code));
        assert_eq!(report.receipt_summary.total, 1);
    }
}

// REP-025, REP-INV-10, 26.2
#[test]
fn a_target_that_is_replaced_each_time_is_given_up() {
    let steps = [tap("Add", &present("text", "1 things"))];
    let app = counter(Some(Quirk::Stale), add());
    let (report, probe) = run(app, &scenario(&steps, &[present("button", "Add")]));
    check(
        &report,
        RunStatus::Inconclusive,
        Some("INCONCLUSIVE_UNSTABLE"),
    );
    assert_eq!(report.steps[0].target_changed_retries, Some(5));
    assert_eq!(report.receipt_summary.total, 6);
    assert_eq!((report.assertions.len(), probe.counter("count")), (0, 0));
}

// VIEW-020 to VIEW-022
#[test]
fn what_pays_or_deletes_is_never_touched() {
    let app =
        app(Screen::new("home", "Home").with(Element::button("pay", "Pay now", [add()]).trap()));
    let steps = [tap("Pay now", &present("button", "Pay now"))];
    let (report, probe) = run(app, &scenario(&steps, &[]));
    check(&report, RunStatus::Fail, Some("FINANCIAL_TARGET"));
    assert_eq!(probe.touched_traps().len(), 0);
}

// A crash is no green, whatever was claimed
#[test]
fn a_crash_fails_a_run_whose_claims_hold() {
    let crashing = counter(None, Effect::Fault("boom".into())).fault(
        "boom",
        CrashKind::Js,
        Aftermath::Running,
        "boom",
    );
    let steps = [tap("Add", &present("button", "Add"))];
    let (report, _) = run(crashing, &scenario(&steps, &[]));
    check(&report, RunStatus::Fail, Some("CRASH"));
    assert_eq!(report.crashes[0].step_index, 1);
    assert!(report.steps[0].assertion_passed);
}

// A finding fails a run only where that was asked for.
#[test]
fn findings_fail_a_run_where_their_kind_is_asked_for() {
    let app = || {
        let effect = Effect::When(
            Condition::AtLeast("count".into(), 0),
            vec![add(), Effect::Fault("boom".into())],
        );
        counter(None, effect).fault("boom", CrashKind::Http4xx, Aftermath::Running, "boom")
    };
    let steps = [tap("Add", &present("text", "1 things"))];
    let scenario = scenario(&steps, &[]);
    for (kind, status) in [
        (CrashKind::Http4xx, RunStatus::Fail),
        (CrashKind::Java, RunStatus::Pass),
    ] {
        let (mut driver, watch) = SimDriver::new(app());
        let options = ReplayOptions {
            fail_on_crash: true,
            fail_on: [kind].into(),
            ..ReplayOptions::default()
        };
        let report = run_with(&mut driver, watch, &scenario, &options);
        assert_eq!(report.findings.len(), 1);
        assert_eq!(report.status, status, "{report:#?}");
    }
}

// REP-086, REP-112
#[test]
fn what_is_typed_is_added_and_what_is_far_is_brought_near() {
    let mut note = Element::field("note", "Note", "text", false);
    note.input.as_mut().unwrap().initial = "old".into();
    let mut home = Screen::new("home", "Home").with(note);
    for row in 1..40 {
        home = home.with(Element::text(&format!("t{row}"), &format!("Line {row}")));
    }
    let field = json!({"role": "textbox", "name": "Note"});
    let steps = [
        json!({
            "action": {"kind": "type", "target": field, "text": " and new"},
            "assert": {"kind": "node-value", "expected": {
                "role": "textbox", "name": "Note", "value": "old and new",
            }},
        }),
        json!({
            "action": {"kind": "scroll", "target": {"role": "text", "name": "Line 39"}},
            "assert": {"kind": "node-in-viewport", "expected": {"role": "text", "name": "Line 39"}},
        }),
    ];
    let (report, _) = run(app(home), &scenario(&steps, &[]));
    check(&report, RunStatus::Pass, None);
}

// REP-013, VIEW-020
#[test]
fn nothing_is_typed_into_a_secret_field() {
    let secret = Element::field("pin", "PIN", "password", false);
    let steps = [json!({
        "action": {"kind": "type", "target": {"role": "textbox", "name": "PIN"}, "text": "1"},
        "assert": present("textbox", "PIN"),
    })];
    let app = app(Screen::new("home", "Home").with(secret));
    let (report, _) = run(app, &scenario(&steps, &[]));
    check(&report, RunStatus::Fail, Some("CREDENTIAL_ENTRY_REJECTED"));
    assert!(!report.steps[0].receipt.as_ref().unwrap().dispatched);
}

// REP-086: known before anything is started.
#[test]
fn an_action_that_a_driver_lacks_is_known_by_its_capabilities() {
    let there = json!({"role": "textbox", "name": "Note"});
    let step = |action: Value| json!({"action": action, "assert": present("textbox", "Note")});
    let steps = [
        step(json!({"kind": "click", "target": there})),
        step(json!({"kind": "hover", "target": there})),
        step(json!({"kind": "scroll", "target": there})),
        step(json!({"kind": "key", "target": there, "key": "a"})),
    ];
    let scenario = scenario(&steps, &[]);
    let can = |can: &[Capability]| unsupported(&scenario, &can.iter().copied().collect());
    assert_eq!(
        can(&[Capability::Tap, Capability::Scroll]),
        [(2, "hover"), (3, "scroll to an element"), (4, "key")]
    );
    let all = [Capability::Tap, Capability::Hover, Capability::ScrollTo];
    assert_eq!(can(&all), [(4, "key")]);
}

// REP-042, REP-INV-11
#[test]
fn a_page_that_never_rests_proves_nothing() {
    let restless = app(Screen::new("home", "Home").with(Element::button(
        "add",
        "Add",
        [Effect::Go("busy".into())],
    )))
    .screen(
        Screen::new("busy", "Busy")
            .with(Element::text("clock", "{flicker}"))
            .with(Element::text("there", "There")),
    );
    let steps = [tap("Add", &absent("text", "nothing"))];
    let (report, _) = run(restless, &scenario(&steps, &[]));
    check(&report, RunStatus::Fail, Some("INCONCLUSIVE_UNSTABLE"));
}

// REP-043, D-05: a claim before it that widens the budget and is proven early leaves time for what
// must not come.
#[test]
fn an_absence_at_the_end_is_judged_when_all_time_is_over() {
    let late = |at: u64, counter: &str| Effect::After(at, vec![Effect::Set(counter.into(), 1)]);
    let word = |name: &str, counter: &str| {
        Element::text(name, name).shown_if(Condition::AtLeast(counter.into(), 1))
    };
    let app = || {
        app(Screen::new("home", "Home")
            .with(Element::button(
                "go",
                "Go",
                [add(), late(4_000, "saved"), late(4_700, "failed")],
            ))
            .with(Element::text("count", "{count} things"))
            .with(word("Saved", "saved"))
            .with(word("Failed", "failed")))
    };
    let steps = [tap("Go", &present("text", "1 things"))];
    let claims = [present("text", "Saved"), absent("text", "Failed")];
    let (report, _) = run(app(), &scenario(&steps, &claims));
    check(&report, RunStatus::Fail, None);
    let verdicts: Vec<Verdict> = report.assertions.iter().map(|it| it.status).collect();
    assert_eq!(verdicts, [Verdict::Pass, Verdict::Fail], "{report:#?}");
}

// REP-020, REP-026: what a run that cannot go on has seen of crashes is told.
#[test]
fn a_crash_is_told_however_the_run_ends() {
    let mut effects = vec![
        add(),
        Effect::After(2_000, vec![Effect::Fault("boom".into())]),
    ];
    effects.extend((1..100).map(|at| Effect::After(at * 200, vec![add()])));
    let app = app(Screen::new("home", "Home")
        .with(Element::button("go", "Go", effects))
        .with(Element::text("count", "{count} things")))
    .fault("boom", CrashKind::JsException, Aftermath::Running, "boom");
    let steps = [
        tap("Go", &present("text", "1 things")),
        tap("Missing", &present("text", "2 things")),
    ];
    let (report, _) = run(app, &scenario(&steps, &[]));
    check(&report, RunStatus::Fail, Some("INCONCLUSIVE_UNSTABLE"));
    assert_eq!(report.crashes.len(), 1, "{report:#?}");
}

// REP-100: that the evidence is lost with the device is no news.
#[test]
fn a_device_that_is_lost_is_what_the_run_failed_by() {
    for mishaps in [
        Mishaps {
            lost_at_action: Some(2),
            ..Mishaps::default()
        },
        Mishaps {
            lost_at_look: Some(1),
            ..Mishaps::default()
        },
    ] {
        let (mut driver, watch) = SimDriver::with_mishaps(counter(None, add()), mishaps);
        let steps = [tap("Add", &present("text", "1 things"))];
        let report = run_on(&mut driver, watch, &scenario(&steps, &[]));
        check(&report, RunStatus::Fail, Some("DRIVER_ERROR"));
    }
}

// REP-020: an error at the end never makes a pass of what was none, nor keeps one.
#[test]
fn a_device_that_does_not_stop_as_asked_is_told() {
    let ends_badly = [
        Mishaps {
            stop_fails: true,
            ..Mishaps::default()
        },
        Mishaps {
            watch_stop_fails: true,
            ..Mishaps::default()
        },
    ];
    for mishaps in ends_badly {
        for (claimed, code) in [("1 things", Some("STOP_FAILED")), ("7 things", None)] {
            let app = counter(None, add());
            let (mut driver, watch) = SimDriver::with_mishaps(app, mishaps.clone());
            let steps = [tap("Add", &present("text", claimed))];
            let report = run_on(&mut driver, watch, &scenario(&steps, &[]));
            check(&report, RunStatus::Fail, code);
            assert!(report.stop_failed.is_some(), "{report:#?}");
        }
    }
}

// REP-026: what is asked for counts more than what is ignored.
#[test]
fn a_kind_of_crash_that_is_asked_for_fails_a_run_that_ignores_crashes() {
    let faulty = || {
        app(Screen::new("home", "Home").with(Element::button(
            "add",
            "Add",
            [Effect::Fault("boom".into())],
        )))
        .fault("boom", CrashKind::JsException, Aftermath::Running, "boom")
    };
    let steps = [tap("Add", &present("button", "Add"))];
    for (fail_on, status) in [
        (Some(CrashKind::JsException), RunStatus::Fail),
        (Some(CrashKind::Hang), RunStatus::Pass),
        (None, RunStatus::Pass),
    ] {
        let (mut driver, watch) = SimDriver::new(faulty());
        let options = ReplayOptions {
            fail_on: fail_on.into_iter().collect(),
            ..ReplayOptions::default()
        };
        let report = run_with(&mut driver, watch, &scenario(&steps, &[]), &options);
        assert_eq!(report.status, status, "{report:#?}");
    }
}

// REP-128
#[test]
fn a_watch_that_does_not_answer_has_collected_nothing() {
    let mishaps = Mishaps {
        failed_queries: [2].into(),
        ..Mishaps::default()
    };
    let (mut driver, watch) = SimDriver::with_mishaps(counter(None, add()), mishaps);
    let steps = [tap("Add", &present("text", "1 things"))];
    let report = run_on(&mut driver, watch, &scenario(&steps, &[]));
    check(&report, RunStatus::Fail, Some("CRASH_QUERY_FAILED"));
    let evidence = serde_json::to_value(&report.evidence).unwrap();
    assert_eq!(evidence["status"], "collection-failed", "{evidence}");
}

// REP-INV-02: who ends a run does not undo what the app did wrong.
#[test]
fn a_crash_is_told_though_the_run_is_stopped() {
    let boom = Effect::Fault("boom".into());
    let app = app(Screen::new("home", "Home")
        .with(Element::button("add", "Add", [add()]))
        .on_enter(boom))
    .fault("boom", CrashKind::JsException, Aftermath::Running, "boom");
    let (mut driver, mut watch) = SimDriver::new(app);
    let stop = StopSignal::default();
    stop.stop();
    let ports = ReplayPorts {
        driver: &mut driver,
        watch: &mut watch,
        stop: &stop,
    };
    let options = ReplayOptions {
        fail_on_crash: true,
        ..ReplayOptions::default()
    };
    let steps = [tap("Add", &present("button", "Add"))];
    let report = block_on(replay(&scenario(&steps, &[]), ports, &options));
    check(&report, RunStatus::Fail, Some("CRASH"));
    assert_eq!(report.not_run, [1]);
}

// REP-020, REP-026
#[test]
fn an_app_that_breaks_at_its_start_fails_with_the_crash() {
    let app = app(Screen::new("home", "Home").on_enter(Effect::Fault("boom".into()))).fault(
        "boom",
        CrashKind::Java,
        Aftermath::Gone,
        "boom",
    );
    let steps = [tap("Add", &present("button", "Add"))];
    let (report, _) = run(app, &scenario(&steps, &[]));
    check(&report, RunStatus::Fail, Some("CRASH"));
    assert_eq!((&report.not_run[..], report.crashes.len()), (&[1][..], 1));
}

// EXP-082: an element shown by a condition is there only after it
#[test]
fn an_effect_on_another_screen_is_followed() {
    let two = app(Screen::new("home", "Home").with(Element::link("next", "Next", "second")))
        .screen(
            Screen::new("second", "Second").with(
                Element::text("late", "Ready").shown_if(Condition::AtLeast("count".into(), 0)),
            ),
        );
    let steps = [tap("Next", &present("text", "Ready"))];
    let (report, _) = run(two, &scenario(&steps, &[]));
    check(&report, RunStatus::Pass, None);
}
