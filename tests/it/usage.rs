//! The program's command line: what it refuses, what it needs and what it says.

use crate::program::{Ended, Place, browser};

#[test]
fn wrong_usage_is_refused_before_anything_is_touched() {
    let place = Place::new();
    let steps = [
        "explore",
        "--url",
        "http://127.0.0.1:9/",
        "--max-steps",
        "0",
    ];
    let calls: [&[&str]; 5] = [
        &steps,
        &["explore", "--url", "example.com"],
        &["explore", "--url", "file:///etc/passwd"],
        &["explore"],
        &["report", "nowhere"],
    ];
    for args in calls {
        let ended = Ended::of(&mut place.qa(args));
        assert_eq!(ended.code, Some(64), "{args:?}: {ended:?}");
        assert_eq!(ended.stdout, "", "{args:?}");
        assert!(ended.stderr.contains("error: "), "{args:?}: {ended:?}");
    }
    assert!(!place.out().exists());
    assert_eq!(std::fs::read_dir(place.temporary()).unwrap().count(), 0);
}

// WEB-001
#[test]
fn a_browser_that_is_not_there_is_named() {
    let place = Place::new();
    let url = "http://127.0.0.1:9/";
    let calls: [&[&str]; 2] = [
        &["explore", "--url", url, "--browser", "/nowhere"],
        &["demo", "--web", "--browser", "/nowhere"],
    ];
    for args in calls {
        let ended = Ended::of(&mut place.qa(args));
        assert_eq!(ended.code, Some(69), "{args:?}: {ended:?}");
        assert_eq!(ended.stdout, "", "{args:?}");
        assert!(ended.stderr.contains("/nowhere"), "{args:?}: {ended:?}");
        assert!(ended.stderr.contains("to do: "), "{args:?}: {ended:?}");
    }
    let doctor = Ended::of(&mut place.qa(&["doctor", "--json", "--browser", "/nowhere"]));
    assert_eq!(doctor.code, Some(69), "{doctor:?}");
    assert_eq!(doctor.json()["ok"], false);
}

#[test]
fn the_doctor_finds_the_browser_at_work() {
    browser();
    let ended = Ended::of(&mut Place::new().qa(&["doctor", "--json"]));
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let doctor = ended.json();
    assert_eq!(doctor["ok"], true);
    let checks = doctor["checks"].as_array().unwrap();
    assert!(checks.iter().all(|check| check["ok"] == true), "{doctor}");
    let names: Vec<&str> = checks
        .iter()
        .map(|check| check["name"].as_str().unwrap())
        .collect();
    assert!(names.contains(&"page on virtual clock"), "{names:?}");
}

#[test]
fn each_shell_gets_its_completions() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let ended = Ended::of(&mut place.qa(&["completions", shell]));
        assert_eq!(ended.code, Some(0), "{ended:?}");
        assert!(ended.stdout.contains("max-steps"), "{shell}: {ended:?}");
        assert_eq!(ended.stderr, "");
    }
}

#[test]
fn the_demo_shows_crashes_without_a_browser() {
    let place = Place::new();
    let demo = [
        "demo",
        "--sim",
        "--json",
        "--max-steps",
        "40",
        "--out",
        "out",
    ];
    let ended = Ended::of(&mut place.qa(&demo));
    // Finding what is there to be found is a demo's success.
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let summary = ended.json();
    assert_eq!(summary["status"], "failed");
    assert!(!summary["crashes"].as_array().unwrap().is_empty());
    let sound = Ended::of(place.qa(&demo).arg("--no-faults"));
    assert_eq!(sound.code, Some(0), "{sound:?}");
    assert_eq!(sound.json()["status"], "passed");
}
