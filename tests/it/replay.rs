//! Scenarios in a real browser: each action reaches the page, and what is not seen is not green.

use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};

use crate::program::{Ended, Place};
use crate::server::serve_pages;

/// Tells what was done to it; has a list of its own and something far below.
fn page(_: &str, _: &str) -> String {
    let rows: String = (1..=60)
        .map(|row| format!("<li style='height:40px'><button>Row {row}</button></li>"))
        .collect();
    format!(
        "<!doctype html><title>Fixture</title><h1>Tools</h1>
         <p role=status></p>
         <button onpointerenter=\"say('hovered')\">Menu</button>
         <label>Code<input onfocus=\"say('focused')\"></label>
         <label>Note<input value=old></label>
         <label>Mask<input oninput=\"setTimeout(() => this.value = 'frien', 250)\"></label>
         <label>PIN<input type=password></label>
         <button onclick=\"this.insertAdjacentHTML('afterend', '<div id=host></div>');
           document.querySelector('#host').attachShadow({{mode: 'closed'}}).innerHTML =
             '<p role=alert aria-label=Failed>Failed</p>'\">Check</button>
         <ul role=list aria-label=Rows style='height:120px;overflow:auto'>{rows}</ul>
         <p style='height:1500px'>long</p><button>Far</button><p style='height:3000px'>long</p>
         <button>Farther</button>
         <script>const say = (word) => document.querySelector('[role=status]').textContent = word;</script>"
    )
}

fn step(action: Value, assert: Value) -> Value {
    json!({"intent": "Do it.", "action": action, "assert": assert})
}

fn target(name: &str) -> Value {
    json!({"name": name})
}

fn status(name: &str) -> Value {
    json!({"kind": "node-present", "expected": {"role": "status", "name": name}})
}

/// Replays steps on the page, and returns how that ended and the report.
fn replay(place: &Place, clock: &str, steps: Vec<Value>) -> (Ended, Value) {
    replay_with(place, clock, steps, &[])
}

fn replay_with(
    place: &Place,
    clock: &str,
    mut steps: Vec<Value>,
    variables: &[(&str, &str)],
) -> (Ended, Value) {
    for (step, index) in steps.iter_mut().zip(1..) {
        step["index"] = index.into();
    }
    let file = json!({
        "meta": {"name": "actions", "description": "", "driver": "browser",
                 "createdAt": "2026-11-30T08:00:00Z"},
        "target": {"launch": format!("{}/", serve_pages(page))},
        "steps": steps,
        "assertions": [],
    });
    std::fs::create_dir_all(place.out()).unwrap();
    let path = place.out().join("actions.json");
    std::fs::write(&path, file.to_string()).unwrap();
    let path = path.to_str().unwrap();
    let arguments = ["replay", path, "--json", "--out", "r", "--clock", clock];
    let ended = Ended::of(place.qa(&arguments).envs(variables.iter().copied()));
    let report = ended.json()["scenarios"][0]["report"].clone();
    let report = place.path().join(report.as_str().unwrap());
    let report = std::fs::read(report).unwrap();
    (ended, serde_json::from_slice(&report).unwrap())
}

// REP-086, REP-077, REP-078
#[test]
fn each_action_of_a_scenario_reaches_the_page() {
    let place = Place::new();
    let row = json!({"role": "button", "name": "Row 50"});
    let far = |name: &str| json!({"kind": "node-in-viewport", "expected": {"name": name}});
    for clock in ["virtual", "real"] {
        let steps = vec![
            step(
                json!({"kind": "hover", "target": target("Menu")}),
                status("hovered"),
            ),
            step(
                json!({"kind": "focus", "target": {"role": "textbox", "name": "Code"}}),
                status("focused"),
            ),
            step(
                json!({"kind": "type", "target": {"role": "textbox", "name": "Note"}, "text": " and new"}),
                json!({"kind": "node-value", "expected":
                    {"role": "textbox", "name": "Note", "value": "old and new"}}),
            ),
            step(
                json!({"kind": "scroll", "target": row}),
                json!({"kind": "node-in-viewport", "expected": row,
                    "scope": {"role": "list", "name": "Rows"}}),
            ),
            step(
                json!({"kind": "scroll", "target": target("Farther")}),
                far("Farther"),
            ),
            step(
                json!({"kind": "scroll", "direction": "up", "amount": 3000}),
                far("Far"),
            ),
        ];
        let (ended, report) = replay(&place, clock, steps);
        assert_eq!(ended.code, Some(0), "{ended:?} {report:#}");
        assert_eq!(
            report["steps"][3]["scopeResolution"], "proven",
            "{report:#}"
        );
    }
}

// REP-TRAP-03: that a field shows what was typed is no news, and what the app makes of it comes later.
#[test]
fn a_value_that_the_app_takes_back_is_not_proven_by_its_echo() {
    let place = Place::new();
    let mask = |value: &str| {
        let fill = json!({"kind": "fill", "target": {"role": "textbox", "name": "Mask"}, "text": "friend"});
        let shows = json!({"kind": "node-value", "expected":
            {"role": "textbox", "name": "Mask", "value": value}});
        vec![step(fill, shows)]
    };
    for clock in ["virtual", "real"] {
        let (ended, report) = replay(&place, clock, mask("friend"));
        assert_eq!(ended.code, Some(1), "{clock} {report:#}");
        let (ended, report) = replay(&place, clock, mask("frien"));
        assert_eq!(ended.code, Some(0), "{clock} {report:#}");
    }
}

// REP-026, WEB-040: an app that breaks as it starts is not one that cannot be reached.
#[test]
fn a_start_that_breaks_is_a_crash_and_one_that_is_refused_is_not() {
    let place = Place::new();
    let started = |address: &str, clock: &str| {
        let menu = json!({"kind": "node-present", "expected": {"name": "Menu"}});
        let hover = json!({"kind": "hover", "target": target("Menu")});
        let file = json!({
            "meta": {"name": "start", "description": "", "driver": "browser",
                     "createdAt": "2026-11-30T08:00:00Z"},
            "target": {"launch": address},
            "steps": [{"index": 1, "intent": "Point.", "action": hover, "assert": menu}],
            "assertions": [],
        });
        std::fs::write(place.path().join("start.json"), file.to_string()).unwrap();
        let arguments = ["replay", "start.json", "--out", "r", "--clock", clock];
        let ended = Ended::of(&mut place.qa(&arguments));
        let report = std::fs::read(place.path().join("r/001-start/report.json")).unwrap();
        let report: Value = serde_json::from_slice(&report).unwrap();
        (ended.code, report)
    };
    let broken = serve_pages(|_, _| {
        "HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
            .into()
    });
    let stuck = serve_pages(|_, _| "<!doctype html><script>for (;;);</script>".into());
    for (address, clock, kind) in [
        (&broken, "real", "http-5xx"),
        (&broken, "virtual", "http-5xx"),
        (&stuck, "virtual", "hang"),
    ] {
        let (code, report) = started(&format!("{address}/"), clock);
        assert_eq!(code, Some(1), "{report:#}");
        assert_eq!(report["failure"]["code"], "CRASH", "{report:#}");
        assert_eq!(report["crashes"][0]["kind"], kind, "{report:#}");
        assert_eq!(report["clock"], clock);
    }

    let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/", nobody.local_addr().unwrap());
    drop(nobody);
    let (code, report) = started(&address, "real");
    assert_eq!(code, Some(69), "{report:#}");
    let asked = &report["evidence"]["network"][0];
    assert_eq!(asked["error"], "net::ERR_CONNECTION_REFUSED", "{report:#}");
}

// WEB-040, REP-042: a claim that was proven early is not the end of what is looked at.
#[test]
fn a_page_that_goes_blank_at_the_end_is_a_crash() {
    let place = Place::new();
    let blank = |_: &str, _: &str| {
        "<!doctype html><title>App</title><p role=status></p><button onclick=\"
           document.querySelector('[role=status]').textContent = 'done';
           setTimeout(() => document.body.replaceChildren(), 900)\">Go</button>"
            .to_owned()
    };
    let file = json!({
        "meta": {"name": "blank", "description": "", "driver": "browser",
                 "createdAt": "2026-11-30T08:00:00Z"},
        "target": {"launch": format!("{}/", serve_pages(blank))},
        "steps": [{"index": 1, "intent": "Go.", "action": {"kind": "click", "target": target("Go")},
                   "assert": status("done")}],
        "assertions": [],
    });
    std::fs::write(place.path().join("blank.json"), file.to_string()).unwrap();
    let ended = Ended::of(&mut place.qa(&["replay", "blank.json", "--out", "r"]));
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.stdout.contains("blank-page"), "{ended:?}");
}

// REP-051, REP-049
#[test]
fn how_much_of_a_page_is_read_can_be_set() {
    let place = Place::new();
    let hover = json!({"kind": "hover", "target": {"role": "button", "name": "Menu"}});
    let absent = json!({"kind": "node-absent", "expected": {"role": "button", "name": "Gone"}});
    let steps = || vec![step(hover.clone(), absent.clone())];
    let (ended, report) = replay(&place, "virtual", steps());
    assert_eq!(ended.code, Some(0), "{report:#}");

    let few = [("QA_NODE_BUDGET", "8"), ("QA_ESCALATED_NODE_BUDGET", "12")];
    let (ended, report) = replay_with(&place, "virtual", steps(), &few);
    assert_eq!(ended.code, Some(2), "{report:#}");
    let seen = &report["steps"][0];
    assert_eq!(seen["reason"], "INCONCLUSIVE_TRUNCATED", "{seen:#}");
    assert_eq!(seen["completeness"]["nodeBudget"], 12, "{seen:#}");
    assert_eq!(seen["completeness"]["escalated"], true, "{seen:#}");

    let mut qa = place.qa(&["replay", "actions.json"]);
    let ended = Ended::of(qa.current_dir(place.out()).env("QA_NODE_BUDGET", "many"));
    assert_eq!(ended.code, Some(64), "{ended:?}");
    assert!(ended.stderr.contains("QA_NODE_BUDGET"), "{ended:?}");
}

// REP-013, VIEW-020
#[test]
fn nothing_is_typed_where_a_secret_belongs() {
    let place = Place::new();
    let present = json!({"kind": "node-present", "expected": {"name": "Menu"}});
    let pin = json!({"role": "textbox", "name": "PIN"});
    let steps = vec![step(
        json!({"kind": "type", "target": pin, "text": "1"}),
        present,
    )];
    let (ended, report) = replay(&place, "virtual", steps);
    assert_eq!(ended.code, Some(1), "{report:#}");
    assert_eq!(report["failure"]["code"], "CREDENTIAL_ENTRY_REJECTED");
    assert_eq!(report["steps"][0]["receipt"]["dispatched"], false);
}

// REP-057, REP-059: what only a thorough look finds is no absence.
#[test]
fn what_hides_in_a_closed_shadow_root_is_not_absent() {
    let place = Place::new();
    let click = json!({"kind": "click", "target": target("Check")});
    let absent =
        |name: &str| json!({"kind": "node-absent", "expected": {"role": "alert", "name": name}});
    let (ended, report) = replay(
        &place,
        "virtual",
        vec![step(click.clone(), absent("Failed"))],
    );
    assert_eq!(ended.code, Some(1), "{report:#}");
    assert_eq!(report["steps"][0]["status"], "fail", "{report:#}");
    let (ended, report) = replay(&place, "virtual", vec![step(click, absent("Lost"))]);
    assert_eq!(ended.code, Some(0), "{report:#}");
    let seen = &report["steps"][0]["completeness"];
    assert_eq!(seen["coverage"]["verified"], true, "{report:#}");
    assert_eq!(seen["coverage"]["closedShadowRoots"], 1, "{report:#}");
    assert_eq!(seen["escalated"], false, "{report:#}");
}

static IS_STUCK: AtomicBool = AtomicBool::new(false);

/// Tells in time, or not any more.
fn stuck(_: &str, _: &str) -> String {
    if IS_STUCK.load(Ordering::Relaxed) {
        std::thread::sleep(std::time::Duration::from_secs(60));
    }
    "<!doctype html><title>App</title><h1>Hello</h1><button onclick=\"document.title += '!';
     document.querySelector('h1').textContent = 'Done'\">Go</button><img src=/none.png>"
        .to_owned()
}

/// A scenario file on that page.
fn going(place: &Place) -> String {
    let file = json!({
        "meta": {"name": "going", "description": "", "driver": "browser",
                 "createdAt": "2026-11-30T08:00:00Z"},
        "target": {"launch": format!("{}/", serve_pages(stuck))},
        "steps": [{"index": 1, "intent": "Go.",
                   "action": {"kind": "click", "target": {"name": "Go"}},
                   "assert": {"kind": "node-present", "expected": {"role": "heading", "name": "Done"}}}],
        "assertions": [],
    });
    let path = place.path().join("going.json");
    std::fs::write(&path, file.to_string()).unwrap();
    path.to_str().unwrap().to_owned()
}

// D-07, REP-101
#[test]
fn a_run_that_is_killed_leaves_nothing_that_passed_before() {
    let place = Place::new();
    let path = going(&place);
    let arguments = ["replay", &path, "--out", "r", "--junit", "r.xml"];
    let passed = Ended::of(&mut place.qa(&arguments));
    assert_eq!(passed.code, Some(0), "{passed:?}");

    IS_STUCK.store(true, Ordering::Relaxed);
    let is_over = |text: &str| !text.contains("not-run");
    let read = || std::fs::read_to_string(place.path().join("r/replay.json")).unwrap();
    let mut child = place.qa(&arguments).spawn().unwrap();
    while is_over(&read()) {
        assert!(child.try_wait().unwrap().is_none(), "it ended");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let junit = std::fs::read_to_string(place.path().join("r.xml")).unwrap();
    assert!(junit.contains("errors=\"1\""), "{junit}");
    let merged = Ended::of(&mut place.qa(&["report", "merge", "r", "-o", "m"]));
    assert_eq!(merged.code, Some(2), "{merged:?}");
}

// D-07: what was found by then is not lost with the process.
#[test]
fn a_run_that_is_killed_keeps_what_it_found() {
    let place = Place::new();
    let going = |name: &str, page: fn(&str, &str) -> String| {
        let file = json!({
            "meta": {"name": name, "description": "", "driver": "browser",
                     "createdAt": "2026-11-30T08:00:00Z"},
            "target": {"launch": format!("{}/", serve_pages(page))},
            "steps": [{"index": 1, "intent": "Go.",
                       "action": {"kind": "hover", "target": {"name": "Go"}},
                       "assert": {"kind": "node-present", "expected": {"role": "heading", "name": "Done"}}}],
            "assertions": [],
        });
        std::fs::write(place.path().join(format!("{name}.json")), file.to_string()).unwrap();
    };
    going("one", |_, _| {
        "<!doctype html><h1>Hello</h1><button>Go</button>".into()
    });
    going("two", |_, _| {
        std::thread::sleep(std::time::Duration::from_secs(60));
        String::new()
    });
    let stale = place.path().join("r/002-two/report.json");
    std::fs::create_dir_all(stale.parent().unwrap()).unwrap();
    std::fs::write(&stale, "{}").unwrap();
    let arguments = [
        "replay", "one.json", "two.json", "--out", "r", "--junit", "r.xml",
    ];
    let mut child = place.qa(&arguments).spawn().unwrap();
    let read = |name: &str| std::fs::read_to_string(place.path().join(name)).unwrap_or_default();
    while !read("r/replay.json").contains("refuted") {
        assert!(child.try_wait().unwrap().is_none(), "it ended");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(
        read("r.xml").contains("failures=\"1\""),
        "{}",
        read("r.xml")
    );
    assert!(
        read("r/replay.json").contains("not-run"),
        "{}",
        read("r/replay.json")
    );
    assert!(!stale.exists());
}

// REP-095: a file may be a pipe.
#[test]
fn a_scenario_is_read_once() {
    let place = Place::new();
    let file = std::fs::read(going(&place)).unwrap();
    let pipe = place.path().join("pipe.json");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let writer = std::thread::spawn(move || std::fs::write(pipe, file));
    let ended = Ended::of(&mut place.qa(&["replay", "pipe.json", "--out", "r"]));
    assert_eq!(ended.code, Some(0), "{ended:?}");
    writer.join().unwrap().unwrap();
}

// REP-093, REP-134
#[test]
fn a_file_that_is_refused_shows_no_secret() {
    let place = Place::new();
    let path = place.path().join("bad.json");
    std::fs::write(&path, r#"{"meta": {"name": "kp-9931-zebra", "driver": 7}}"#).unwrap();
    let arguments = ["replay", "bad.json", "--secret-env", "QA_TEST_SECRET"];
    let refused = Ended::of(place.qa(&arguments).env("QA_TEST_SECRET", "kp-9931-zebra"));
    assert_eq!(refused.code, Some(64), "{refused:?}");
    assert!(refused.stderr.contains("bad.json:1:"), "{refused:?}");
    assert!(!refused.stderr.contains("zebra"), "{refused:?}");
}
