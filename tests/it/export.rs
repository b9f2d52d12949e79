//! From a crash that was found to a scenario that meets it again, and passes once it is gone.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use serde_json::Value;

use crate::program::{Ended, Place};
use crate::server::{Shop, serve_pages};

// REP-106, REP-107, REP-118, D-07
#[test]
fn a_crash_becomes_a_short_scenario_that_tells_a_sound_app_from_a_broken_one() {
    let broken = Shop::with_faults();
    let place = Place::new();
    let explored =
        Ended::of(&mut place.explore(&format!("{}/", broken.url()), &["--max-steps", "28"]));
    let summary = explored.json();
    let crashes = summary["crashes"].as_array().unwrap();
    let crash = |words: &str| {
        let is_meant = |crash: &&Value| crash["signature"].as_str().unwrap().contains(words);
        let crash = crashes.iter().find(is_meant);
        crash.unwrap_or_else(|| panic!("{words}: {summary}"))
    };
    let note = crash("the delivery note has no length");
    assert!(note["step"].as_u64().unwrap() > 10, "{note}");

    let dir = place.session().unwrap();
    let (dir, id) = (dir.to_str().unwrap(), note["id"].as_str().unwrap());
    let arguments = ["export", dir, "--crash", id, "-o", "note.json", "--json"];
    let exported = Ended::of(&mut place.qa(&arguments));
    assert_eq!(exported.code, Some(0), "{exported:?}");
    let told = exported.json();
    assert_eq!(told["crash_met_again"], true, "{told}");
    assert_eq!(told["verified"]["reproduced"], 1, "{told}");
    // Cycles are cut: the product, into the cart, the cart, the note.
    assert!(told["steps"].as_u64().unwrap() <= 6, "{told}");
    let again = Ended::of(&mut place.qa(&arguments));
    assert_eq!(again.code, Some(64), "{again:?}");
    assert!(again.stderr.contains("is there already"), "{again:?}");
    let meta = format!("{dir}/meta.json");
    let inside = ["export", dir, "--crash", id, "-o", &meta, "--overwrite"];
    let inside = Ended::of(&mut place.qa(&inside));
    assert_eq!(inside.code, Some(64), "{inside:?}");
    // REP-105: a link is refused before the search, not after it.
    let link = place.path().join("link.json");
    std::os::unix::fs::symlink("nowhere.json", link).unwrap();
    let linked = [
        "minimize",
        dir,
        "--crash",
        id,
        "-o",
        "link.json",
        "--overwrite",
    ];
    let linked = Ended::of(&mut place.qa(&linked));
    assert_eq!(linked.code, Some(64), "{linked:?}");
    assert!(linked.stderr.contains("is a link"), "{linked:?}");

    // What an endless list brings only once its end was scrolled into view (REP-110).
    let id = crash("the attic letter is torn")["id"].as_str().unwrap();
    let arguments = ["export", dir, "--crash", id, "-o", "letter.json", "--json"];
    let exported = Ended::of(&mut place.qa(&arguments));
    assert_eq!(exported.code, Some(0), "{exported:?}");
    assert_eq!(exported.json()["verified"]["reproduced"], 1, "{exported:?}");
    let letter = std::fs::read_to_string(place.path().join("letter.json")).unwrap();
    assert!(letter.contains("\"scroll\""), "{letter}");

    let valid = Ended::of(&mut place.qa(&["validate", "note.json"]));
    assert_eq!(valid.code, Some(0), "{valid:?}");
    let replay = |url: &str| {
        let url = format!("{url}/");
        let arguments = [
            "replay",
            "note.json",
            "--url",
            &url,
            "--out",
            "replays",
            "--json",
            "--junit",
            "junit.xml",
        ];
        Ended::of(&mut place.qa(&arguments))
    };
    let met = replay(broken.url());
    assert_eq!(met.code, Some(1), "{met:?}");
    let junit = std::fs::read_to_string(place.path().join("junit.xml")).unwrap();
    assert!(
        junit.contains("failures=\"1\"") && junit.contains("type=\"CRASH\""),
        "{junit}"
    );
    assert_eq!(met.json()["scenarios"][0]["reason"], "CRASH");
    let sound = Shop::without_faults();
    let passed = replay(sound.url());
    assert_eq!(passed.code, Some(0), "{passed:?}");
    assert_eq!(passed.json()["status"], "pass");
    assert_eq!(
        [broken.touched_traps().len(), sound.touched_traps().len()],
        [0, 0]
    );
}

// REP-026, REP-101
#[test]
fn an_app_that_is_not_there_is_blocked_and_never_green() {
    let place = Place::new();
    let file = r#"{"meta": {"name": "n", "description": "", "driver": "browser",
        "createdAt": "2026-11-30T08:00:00Z"}, "target": {"launch": "http://127.0.0.1:9/"},
        "steps": [{"index": 1, "intent": "Go.", "action": {"kind": "click", "target": {"name": "Go"}},
        "assert": {"kind": "page-url", "expected": {"contains": "/"}}}], "assertions": []}"#;
    std::fs::create_dir_all(place.out()).unwrap();
    let path = place.out().join("go.json");
    std::fs::write(&path, file).unwrap();
    let path = path.to_str().unwrap();
    let blocked = Ended::of(&mut place.qa(&["replay", path, "--out", "replays", "--json"]));
    assert_eq!(blocked.code, Some(69), "{blocked:?}");
    assert_eq!(blocked.json()["status"], "blocked");

    // What this driver cannot do is known before anything runs (REP-086).
    let desktop = place.out().join("desktop.json");
    let key = r#""kind": "key", "key": "a""#;
    std::fs::write(&desktop, file.replace(r#""kind": "click""#, key)).unwrap();
    let desktop = desktop.to_str().unwrap();
    let refused = Ended::of(&mut place.qa(&["replay", path, desktop, "--out", "none"]));
    assert_eq!(refused.code, Some(64), "{refused:?}");
    assert!(refused.stderr.contains("ACTION_UNSUPPORTED_BY_DRIVER"));
    assert!(!place.path().join("none").exists(), "{refused:?}");
}

/// What pages of an app under test were asked for, and whether its button deletes by now.
static DELETED: AtomicU32 = AtomicU32::new(0);
static IS_DANGEROUS: AtomicBool = AtomicBool::new(false);

fn renamed(path: &str, _: &str) -> String {
    if path == "/deleted" {
        DELETED.fetch_add(1, Ordering::Relaxed);
    }
    let (name, then) = if IS_DANGEROUS.load(Ordering::Relaxed) {
        ("Delete account", "fetch('/deleted')")
    } else {
        ("Next", "document.querySelector('p').textContent = 'Page 2'")
    };
    format!(
        "<!doctype html><title>App</title><h1>App</h1><p></p><button id=go onclick=\"{then}\">{name}</button>"
    )
}

// REP-011, REP-012: an element keeps its key when it is called something else.
#[test]
fn what_has_become_dangerous_is_not_touched_when_steps_are_done_again() {
    let origin = serve_pages(renamed);
    let place = Place::new();
    let options = ["--max-steps", "4"];
    let explored = Ended::of(&mut place.explore(&format!("{origin}/"), &options));
    assert_eq!(explored.code, Some(0), "{explored:?}");
    let dir = place.session().unwrap();
    let dir = dir.to_str().unwrap();
    let export = ["export", dir, "-o", "go.json", "--overwrite"];
    let exported = Ended::of(&mut place.qa(&export));
    assert_eq!(exported.code, Some(0), "{exported:?}");
    IS_DANGEROUS.store(true, Ordering::Relaxed);
    let refused = Ended::of(&mut place.qa(&export));
    assert_eq!(refused.code, Some(64), "{refused:?}");
    let replayed = Ended::of(&mut place.qa(&["replay", "go.json", "--out", "r"]));
    assert_eq!(replayed.code, Some(1), "{replayed:?}");
    assert_eq!(DELETED.load(Ordering::Relaxed), 0);
}

/// Two routes behind the sign `#`.
fn routes(_: &str, _: &str) -> String {
    "<!doctype html><title>App</title><h1></h1><a href=#/list>List</a> <a href=#/about>About</a><script>
     const show = () => document.querySelector('h1').textContent = location.hash || 'start';
     addEventListener('hashchange', show); show()</script>"
        .to_owned()
}

// D-18
#[test]
fn a_route_in_the_fragment_is_kept() {
    let origin = serve_pages(routes);
    let place = Place::new();
    let options = ["--max-steps", "6"];
    let explored = Ended::of(&mut place.explore(&format!("{origin}/#/list"), &options));
    assert_eq!(explored.code, Some(0), "{explored:?}");
    let dir = place.session().unwrap();
    let export = ["export", dir.to_str().unwrap(), "-o", "routes.json"];
    let exported = Ended::of(&mut place.qa(&export));
    assert_eq!(exported.code, Some(0), "{exported:?}");
    let scenario = std::fs::read_to_string(place.path().join("routes.json")).unwrap();
    assert!(
        scenario.contains(&format!("\"launch\": \"{origin}/#/list\"")),
        "{scenario}"
    );
    assert!(
        scenario.contains(&format!("{origin}/#/about")),
        "{scenario}"
    );
    let replayed = Ended::of(&mut place.qa(&["replay", "routes.json", "--out", "r"]));
    assert_eq!(replayed.code, Some(0), "{replayed:?}");
}

/// A form whose outcome comes late, in a status that ARIA does not name by its text.
fn form(_: &str, _: &str) -> String {
    "<!doctype html><title>Fixture</title><h1>Release</h1>
     <form onsubmit=\"event.preventDefault(); setTimeout(() => {
       document.querySelector('[role=status]').textContent = 'PASS';
     }, 400)\"><label for=n>Release name</label><input id=n type=search>
     <button>Run checks</button></form><div role=status></div>"
        .to_owned()
}

// VIEW-010, VIEW-011, VIEW-031, VIEW-032
#[test]
fn a_scenario_in_the_words_of_older_drivers_is_replayed_unchanged() {
    let place = Place::new();
    let origin = serve_pages(form);
    let file = serde_json::json!({
        "meta": {"name": "checks", "description": "", "driver": "browser",
                 "createdAt": "2026-09-01T08:00:00.000Z"},
        "target": {"launch": "http://127.0.0.1:7399/"},
        "steps": [
            {"index": 1, "intent": "Fill it.",
             "action": {"kind": "fill", "target": {"role": "textbox", "name": "Release name"}, "text": "v1"},
             "assert": {"kind": "node-value",
                        "expected": {"role": "textbox", "name": "Release name", "value": "v1"}}},
            {"index": 2, "intent": "Run it.",
             "action": {"kind": "click", "target": {"role": "button", "name": "Run checks"}},
             "assert": {"kind": "node-present", "expected": {"role": "status", "name": "PASS"}}},
        ],
        "assertions": [{"kind": "page-url", "expected": {"url": "http://127.0.0.1:7399/"}}],
    });
    std::fs::create_dir_all(place.out()).unwrap();
    let path = place.out().join("checks.json");
    std::fs::write(&path, file.to_string()).unwrap();
    for clock in ["virtual", "real"] {
        let url = format!("{origin}/");
        let arguments = [
            "replay",
            path.to_str().unwrap(),
            "--url",
            &url,
            "--json",
            "--out",
            "r",
        ];
        let ended = Ended::of(place.qa(&arguments).args(["--clock", clock]));
        assert_eq!(ended.code, Some(0), "{ended:?}");
        assert_eq!(ended.json()["scenarios"][0]["steps"], 2, "{ended:?}");
    }
}
