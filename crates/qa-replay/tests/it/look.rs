//! How closely a replay looks, and what it concludes from what it does not see.

use qa_core::{ObserveRequest, Verdict};
use qa_replay::{RunReport, RunStatus};
use qa_sim::{Effect, Element, Screen, SimApp, SimDriver};
use serde_json::Value;

use crate::narrow::Narrow;
use crate::play::{absent, present, run_on, scenario, tap};

/// A button, many lines, and below them another button and what both count.
fn tall() -> SimApp {
    let add = || [Effect::Add("count".into(), 1)];
    let mut home = Screen::new("home", "Home").with(Element::button("top", "Top", add()));
    for row in 1..20 {
        home = home.with(Element::text(&format!("t{row}"), &format!("Line {row}")));
    }
    home = home
        .with(Element::button("add", "Add", add()))
        .with(Element::text("count", "{count} things"));
    SimApp::new("com.example.app", "home").screen(home)
}

fn run(sees: (usize, usize), steps: &[Value], assertions: &[Value]) -> (RunReport, Narrow, i64) {
    let (driver, watch) = SimDriver::new(tall());
    let probe = driver.probe();
    let mut narrow = Narrow::new(driver, sees.0, sees.1);
    let report = run_on(&mut narrow, watch, &scenario(steps, assertions));
    let count = probe.counter("count");
    (report, narrow, count)
}

// REP-044, REP-059, REP-INV-04, REP-INV-15
#[test]
fn an_absence_is_proven_by_one_thorough_look() {
    let steps = [tap("Top", &absent("text", "Gone"))];
    let (report, narrow, _) = run((99, 99), &steps, &[]);
    assert_eq!(report.status, RunStatus::Pass, "{report:#?}");
    assert_eq!((narrow.thorough_looks(), narrow.escalated_looks()), (1, 0));
    assert!(narrow.looks.contains(&ObserveRequest::JUDGING));
    let seen = report.steps[0].completeness.as_ref().unwrap();
    assert!(!seen.escalated && seen.coverage.verified);

    // Where the view was cut, the larger look is the one.
    let (report, narrow, _) = run((5, 99), &steps, &[]);
    assert_eq!(report.status, RunStatus::Pass, "{report:#?}");
    assert_eq!((narrow.thorough_looks(), narrow.escalated_looks()), (1, 1));
    assert!(report.steps[0].completeness.as_ref().unwrap().escalated);

    // Claims about the end share the last view, and its closer look.
    let steps = [tap("Top", &present("button", "Top"))];
    let claims = [absent("text", "Gone"), absent("text", "Away")];
    let (report, narrow, _) = run((99, 99), &steps, &claims);
    assert_eq!(report.status, RunStatus::Pass, "{report:#?}");
    assert_eq!(narrow.thorough_looks(), 1);

    // What is there is no absence, however closely one looks.
    let steps = [tap("Top", &absent("button", "Top"))];
    let (report, narrow, _) = run((5, 99), &steps, &[]);
    assert_eq!(report.status, RunStatus::Fail, "{report:#?}");
    // Those around the picture of the end.
    assert_eq!(narrow.thorough_looks(), 2);
    assert!(report.picture.is_some());
}

// REP-049, REP-054
#[test]
fn what_lies_beyond_the_budget_is_looked_for_once_with_a_larger_one() {
    let steps = [tap("Add", &present("text", "1 things"))];
    let (report, narrow, count) = run((5, 99), &steps, &[]);
    assert_eq!((report.status, count), (RunStatus::Pass, 1), "{report:#?}");
    let seen = report.steps[0].completeness.as_ref().unwrap();
    assert!(seen.escalated && !seen.truncated);
    // One for the target, one for the claim.
    assert_eq!(narrow.escalated_looks(), 2);

    // What is seen needs no more of it (REP-048).
    let steps = [tap("Top", &present("button", "Top"))];
    let (report, narrow, _) = run((5, 99), &steps, &[]);
    assert_eq!(report.status, RunStatus::Pass, "{report:#?}");
    assert_eq!(narrow.escalated_looks(), 0);
    assert_eq!(report.steps[0].target_uniqueness, Some("window-only"));
}

// REP-050, REP-054, REP-INV-03, REP-INV-32
#[test]
fn what_lies_beyond_the_larger_budget_too_is_not_proven() {
    let steps = [tap("Add", &present("text", "1 things"))];
    let (report, narrow, count) = run((5, 10), &steps, &[]);
    let step = &report.steps[0];
    assert_eq!(report.status, RunStatus::Inconclusive, "{report:#?}");
    assert_eq!(step.reason.as_deref(), Some("INCONCLUSIVE_TRUNCATED"));
    assert_eq!((step.receipt.is_none(), count), (true, 0));
    assert_eq!(narrow.escalated_looks(), 1);
    // No step is taken after it, and the end is judged all the same (REP-099).
    let steps = [steps[0].clone(), tap("Top", &present("button", "Top"))];
    let (report, ..) = run((5, 10), &steps, &[present("button", "Top")]);
    assert_eq!(report.status, RunStatus::Inconclusive, "{report:#?}");
    assert_eq!(
        (report.not_run.as_slice(), report.assertions.len()),
        (&[2][..], 1)
    );

    for claim in [present("text", "1 things"), absent("text", "1 things")] {
        let (report, ..) = run((5, 10), &[tap("Top", &claim)], &[]);
        let step = &report.steps[0];
        assert_eq!(step.status, Verdict::Inconclusive, "{report:#?}");
        assert_eq!(step.reason.as_deref(), Some("INCONCLUSIVE_TRUNCATED"));
        assert!(step.completeness.as_ref().unwrap().escalated);
    }
}
