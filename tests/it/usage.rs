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
    let calls: [&[&str]; 8] = [
        &["replay", "a.json", "--url", "file:///etc/passwd"],
        &["replay", "a.json", "--allow-origin", "shop"],
        &["replay", "a.json", "--authorize-origin", "shop"],
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

// WEB-009
#[test]
fn a_permission_that_is_not_known_is_refused_with_those_that_are() {
    let place = Place::new();
    let url = "http://127.0.0.1:9/";
    let args = [
        "explore", "--url", url, "--grant", "nfc", "--grant", "camera",
    ];
    let ended = Ended::of(&mut place.qa(&args));
    assert_eq!(ended.code, Some(64), "{ended:?}");
    for word in ["--grant camera", "to do: ", "videoCapture", "geolocation"] {
        assert!(ended.stderr.contains(word), "{word}: {ended:?}");
    }
    assert!(!place.out().exists());
}

// A reader that has seen enough is no failure, and changes no verdict.
#[test]
fn nobody_needs_to_read_to_the_end() {
    let place = Place::new();
    let demo = ["demo", "--sim", "--max-steps", "20", "--out", "out"];
    let calls: [(&[&str], i32); 4] = [
        (&["completions", "bash"], 0),
        (&["doctor", "--browser", "/nowhere"], 69),
        (&["doctor", "--json", "--browser", "/nowhere"], 69),
        (&demo, 0),
    ];
    for (args, code) in calls {
        let mut child = place.qa(args).spawn().unwrap();
        drop(child.stdout.take());
        let ended = Ended::wait(child);
        assert_eq!(ended.code, Some(code), "{args:?}: {ended:?}");
        assert!(!ended.stderr.contains("panicked"), "{args:?}: {ended:?}");
        let mut child = place.qa(args).spawn().unwrap();
        drop(child.stderr.take());
        assert_eq!(Ended::wait(child).code, Some(code), "{args:?}");
    }
}

// Data that somebody waits for and that cannot be written is a failure.
#[test]
fn a_full_disk_is_no_success() {
    let place = Place::new();
    let full = std::fs::OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let mut completions = place.qa(&["completions", "bash"]);
    let ended = Ended::of(completions.stdout(full));
    assert_eq!(ended.code, Some(70), "{ended:?}");
    assert!(
        ended.stderr.contains("stdout could not be written"),
        "{ended:?}"
    );
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
    let ended = Ended::of(&mut Place::new().qa(&["doctor", "--json", "--no-sandbox"]));
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
    // WEB-002: whoever runs it, the sandbox is off and that is said.
    assert!(ended.stdout.contains("sandbox is off"), "{doctor}");
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

// REP-089
#[test]
fn the_schema_of_scenarios_is_data() {
    let place = Place::new();
    let ended = Ended::of(&mut place.qa(&["validate", "--schema"]));
    assert_eq!(
        (ended.code, ended.stderr.as_str()),
        (Some(0), ""),
        "{ended:?}"
    );
    let schema = ended.json();
    assert_eq!(schema["title"], "Scenario");
    assert_eq!(schema["additionalProperties"], false);
    let nothing = Ended::of(&mut place.qa(&["validate"]));
    assert_eq!(nothing.code, Some(64), "{nothing:?}");
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
