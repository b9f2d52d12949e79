//! What is claimed and done inside a container.

use qa_core::{Capability, Verdict};
use qa_replay::{RunReport, RunStatus};
use qa_sim::{Effect, Element, Screen, SimApp, SimDriver};
use serde_json::{Value, json};

use crate::narrow::Narrow;
use crate::play::{run_on, scenario};

/// Two groups with a button of one name each, one with a list that tells how much is in it, and a
/// long list below.
fn app() -> SimApp {
    let group = |id: &str, name: &str| {
        Element::new("group", id, name).with(Element::button(
            &format!("{id}-add"),
            "Add",
            [Effect::Add(id.into(), 1)],
        ))
    };
    let basket = group("basket", "Basket")
        .with(Element::text("basket-count", "{basket} in it"))
        .with(
            Element::new("list", "rows", "{basket} rows").with(Element::button(
                "more",
                "More",
                [Effect::Add("basket".into(), 1)],
            )),
        );
    let mut far = Element::new("region", "far", "Far");
    for row in 1..40 {
        far = far.with(Element::text(&format!("r{row}"), &format!("Row {row}")));
    }
    let home = Screen::new("home", "Home")
        .with(group("wishes", "Wishes"))
        .with(basket)
        .with(far);
    SimApp::new("com.example.app", "home").screen(home)
}

fn run(sees: (usize, usize), step: Value) -> (RunReport, i64) {
    run_without(sees, step, None)
}

fn run_without(sees: (usize, usize), step: Value, lacks: Option<Capability>) -> (RunReport, i64) {
    let (driver, watch) = SimDriver::new(app());
    let probe = driver.probe();
    let mut narrow = Narrow::new(driver, sees.0, sees.1);
    if let Some(lacks) = lacks {
        narrow = narrow.without(lacks);
    }
    let claim = step["assert"].clone();
    let report = run_on(&mut narrow, watch, &scenario(&[step], &[claim]));
    let touched = probe.counter("basket") + 100 * probe.counter("wishes");
    (report, touched)
}

fn step(target: &str, expected: Value, scope: Value) -> Value {
    json!({
        "action": {"kind": "click", "target": {"role": "button", "name": target}},
        "assert": {"kind": "node-present", "expected": expected, "scope": scope},
    })
}

fn text(name: &str) -> Value {
    json!({"role": "text", "name": name})
}

#[track_caller]
fn check(report: &RunReport, status: RunStatus, reason: Option<&str>) {
    let step = &report.steps[0];
    assert_eq!(
        (report.status, step.reason.as_deref()),
        (status, reason),
        "{report:#?}"
    );
}

// REP-071, REP-077, REP-126
#[test]
fn the_target_of_a_scoped_step_is_looked_for_in_its_container() {
    let basket = json!({"role": "group", "name": "Basket"});
    let (report, touched) = run((99, 99), step("Add", text("1 in it"), basket.clone()));
    check(&report, RunStatus::Pass, None);
    assert_eq!(touched, 1, "the twin outside was not touched");
    assert_eq!(report.steps[0].scope_resolution, Some("proven"));
    let seen = report.steps[0].completeness.as_ref().unwrap();
    assert_eq!(seen.scope.as_ref(), Some(&basket));

    let nested =
        json!({"role": "list", "name": "0 rows", "path": [{"role": "group", "name": "Wishes"}]});
    let (report, touched) = run((99, 99), step("More", text("1 in it"), nested));
    check(&report, RunStatus::Fail, Some("SCOPE_NOT_FOUND"));
    assert_eq!((touched, report.steps[0].receipt.is_none()), (0, true));
    let levels = report.steps[0].scope_levels.as_ref().unwrap();
    let words: Vec<_> = levels.iter().map(|level| level.resolution).collect();
    assert_eq!(words, ["proven", "missing"]);
}

// REP-072 to REP-076, 26.4, REP-INV-16
#[test]
fn a_container_in_a_view_that_is_not_complete_proves_nothing() {
    let plain = json!({"role": "group", "name": "Basket"});
    let (report, touched) = run((12, 12), step("Add", text("1 in it"), plain.clone()));
    check(
        &report,
        RunStatus::Inconclusive,
        Some("INCONCLUSIVE_TRUNCATED"),
    );
    assert_eq!((touched, report.steps[0].receipt.is_none()), (0, true));
    assert_eq!(report.steps[0].scope_resolution, Some("provisional"));

    // A closer look sees all.
    let (report, touched) = run((12, 99), step("Add", text("1 in it"), plain.clone()));
    check(&report, RunStatus::Pass, None);
    assert_eq!(touched, 1);

    let located =
        json!({"role": "group", "name": "Basket", "path": [{"role": "group", "name": "Home"}]});
    for expected in ["1 in it", "7 in it"] {
        let (report, touched) = run((12, 12), step("Add", text(expected), located.clone()));
        check(&report, RunStatus::Inconclusive, Some("INCONCLUSIVE_SCOPE"));
        assert_eq!(
            (touched, report.steps[0].scope_resolution),
            (1, Some("provisional"))
        );
        assert_eq!(
            report.assertions[0].reason.as_deref(),
            Some("INCONCLUSIVE_SCOPE")
        );
    }

    let (report, touched) = run((2, 2), step("Add", text("1 in it"), plain));
    check(
        &report,
        RunStatus::Inconclusive,
        Some("INCONCLUSIVE_TRUNCATED"),
    );
    assert!(report.steps[0].scope_not_located);
    assert_eq!(touched, 0);
}

// REP-075, REP-TRAP-25
#[test]
fn a_container_that_is_named_by_what_is_in_it_is_the_same_after_that_changed() {
    let rows = json!({"role": "list", "name": "0 rows"});
    let more = json!({"role": "button", "name": "More"});
    let mut step = step("More", more, rows);
    let (report, touched) = run((99, 99), step.clone());
    let result = &report.steps[0];
    assert_eq!((result.status, touched), (Verdict::Pass, 1), "{report:#?}");
    assert!(result.scope_name_changed);
    // Another one with that name would not be the same.
    step["assert"]["scope"]["name"] = "5 rows".into();
    let (report, _) = run((99, 99), step);
    check(&report, RunStatus::Fail, Some("SCOPE_NOT_FOUND"));
}

// REP-077 to REP-080
#[test]
fn a_scroll_in_a_container_is_proven_by_the_element_itself() {
    let far = |path: bool| {
        let row = text("Row 20");
        let mut step = json!({
            "action": {"kind": "scroll", "target": row},
            "assert": {"kind": "node-in-viewport", "expected": row,
                       "scope": {"role": "region", "name": "Far"}},
        });
        if path {
            step["assert"]["scope"]["path"] = json!([{"role": "group", "name": "Home"}]);
        }
        step
    };
    for path in [false, true] {
        let (report, _) = run((99, 99), far(path));
        check(&report, RunStatus::Pass, None);
        assert_eq!(report.steps[0].scope_refusal, None);

        // It runs though the container is not sure, and proves nothing then.
        let (report, _) = run((30, 30), far(path));
        check(&report, RunStatus::Inconclusive, Some("INCONCLUSIVE_SCOPE"));
        assert!(report.steps[0].receipt.as_ref().unwrap().dispatched);
        assert_ne!(report.assertions[0].status, Verdict::Pass);
    }
    let (report, _) = run_without((99, 99), far(false), Some(Capability::LastingRefs));
    check(&report, RunStatus::Inconclusive, Some("INCONCLUSIVE_SCOPE"));
    let refusal = report.steps[0].scope_refusal.unwrap();
    assert_eq!(refusal.code, Some("ANCHOR_UNSUPPORTED"));
    assert_eq!(refusal.reason, "anchor-unavailable");
    assert_eq!(
        report.assertions[0].reason.as_deref(),
        Some("INCONCLUSIVE_SCOPE")
    );
}
