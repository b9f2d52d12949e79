//! `qa example`, from the program alone.

use serde_json::Value;

use crate::program::{Ended, Place, browser};

/// The files of a directory, by name.
fn names(dir: &std::path::Path) -> Vec<String> {
    let entries = std::fs::read_dir(dir).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

// REP-152 to REP-155, REP-INV-30
#[test]
fn the_example_passes_and_leaves_three_reports() {
    browser();
    let place = Place::new();
    let ended = Ended::of(&mut place.qa(&["example"]));
    let told = "[example] status: pass\n[example] report: qa-example-report/report.json\n";
    assert_eq!(
        (ended.code, ended.stdout.as_str()),
        (Some(0), told),
        "{ended:?}"
    );

    let dir = place.path().join("qa-example-report");
    assert_eq!(names(&dir), ["report.json", "report.jsonl", "report.md"]);
    let text = |name: &str| std::fs::read_to_string(dir.join(name)).unwrap();
    let report: Value = serde_json::from_str(&text("report.json")).unwrap();
    assert_eq!(report["status"], "pass", "{report:#}");
    assert_eq!(report["steps"].as_array().unwrap().len(), 2);
    assert_eq!(report["receiptSummary"]["confirmed"], 2);
    // It was moved to where the shop was served.
    let address = report["assertions"][0]["observed"].as_str().unwrap();
    assert!(
        address.ends_with("/search") && !address.contains(":8080/"),
        "{address}"
    );
    assert!(text("report.md").contains("does not say that the app is right"));

    // A second run is one line more, and all that stood there before stays (REP-INV-27).
    let first = text("report.jsonl");
    let again =
        Ended::of(&mut place.qa(&["example", "--output-dir", "qa-example-report", "--json"]));
    assert_eq!(again.json()["status"], "pass", "{again:?}");
    let both = text("report.jsonl");
    assert!(both.starts_with(&first), "{first} {both}");
    assert_eq!((first.lines().count(), both.lines().count()), (1, 2));
}

// REP-155, REP-INV-30
#[test]
fn without_a_browser_or_a_report_the_example_is_no_success() {
    let place = Place::new();
    let ended = Ended::of(&mut place.qa(&["example", "--browser", "/nowhere"]));
    assert_eq!(
        (ended.code, ended.stdout.as_str()),
        (Some(69), ""),
        "{ended:?}"
    );
    assert!(ended.stderr.contains("/nowhere"), "{ended:?}");

    browser();
    std::fs::write(place.path().join("taken"), "").unwrap();
    let ended = Ended::of(&mut place.qa(&["example", "--output-dir", "taken"]));
    assert_eq!(
        (ended.code, ended.stdout.as_str()),
        (Some(70), ""),
        "{ended:?}"
    );
}
