//! The bundled shop, explored by the program in a real browser.

use std::collections::BTreeSet;

use qa_core::Status;
use qa_report::{Session, StoredCrash};
use qa_web_apps::{FaultKind, Severity};
use serde_json::Value;

use crate::planted::fault_of;
use crate::program::Explored;
use crate::retrace::retrace;
use crate::server::Shop;

/// How many of the planted crashes a run of 120 steps finds at least.
const FOUND_AT_LEAST: usize = 7;

// WEB-040, WEB-041, WEB-045, EXP-092, EXP-100, EXP-134
#[test]
fn the_faults_of_the_shop_are_found_where_they_were_planted_and_can_be_met_again() {
    let shop = Shop::with_faults();
    let run = Explored::run(shop.url(), &["--max-steps", "120", "--seed", "1"]);
    let session = &run.session;

    assert_eq!(run.ended.code, Some(1), "{:?}", run.ended);
    assert_eq!(session.meta.status, Status::Failed);
    assert_eq!(session.warnings, []);
    assert_eq!(session.steps.len(), 120);
    assert_eq!(shop.touched_traps(), [""; 0]);

    let found = planted(session, &session.crashes, Severity::Crash);
    assert!(found.len() >= FOUND_AT_LEAST, "only {found:?}");
    planted(session, &session.findings, Severity::Finding);
    for crash in &session.crashes {
        check_path(session, crash);
    }
    check_summary(&run);

    shop.runtime().block_on(retrace(shop.url(), session));
    assert_eq!(shop.touched_traps(), [""; 0]);
}

/// The planted faults that some records are. Each must be one.
fn planted(session: &Session, records: &[StoredCrash], severity: Severity) -> BTreeSet<String> {
    let faults = records.iter().map(|record| {
        let fault = fault_of(session, record).unwrap_or_else(|| {
            let step = &session.steps[record.step_index as usize - 1];
            panic!("nobody planted {record:#?} of {step:#?}")
        });
        assert_eq!(fault.severity, severity, "{record:#?}");
        // A page that is gone, or busy for ever, must be started anew; others go on (WEB-042).
        let ends = matches!(fault.kind, FaultKind::RendererCrash | FaultKind::Hang);
        assert_eq!(record.ends_path, ends, "{record:#?}");
        fault.id
    });
    faults.collect()
}

/// A path leads from a start of the app, without another one, to the blamed step (EXP-INV-04).
fn check_path(session: &Session, crash: &StoredCrash) {
    let path = &crash.repro_path;
    let launches: Vec<u32> = path
        .iter()
        .copied()
        .filter(|index| {
            let step = &session.steps[*index as usize - 1];
            step.record.action.starts_with("launch ")
        })
        .collect();
    assert_eq!(launches, path[..1], "{crash:#?}");
    let steps: Vec<u32> = (path[0]..=crash.step_index).collect();
    assert_eq!(*path, steps, "{crash:#?}");
    if crash.ends_path {
        let next = &session.steps[crash.step_index as usize];
        assert!(next.record.action.starts_with("launch "), "{next:#?}");
    }
}

/// What `--json` prints is one object with these fields and no others, and tells what the session
/// holds.
fn check_summary(run: &Explored) {
    let summary = run.ended.json();
    let fields = [
        "blocked",
        "crashes",
        "duration_s",
        "edges",
        "exit_code",
        "findings",
        "max_steps",
        "pages",
        "refused",
        "report",
        "session_dir",
        "status",
        "steps",
        "unexplored_pages",
    ];
    assert_eq!(keys(&summary), fields);
    assert_eq!(summary["status"], "failed");
    assert_eq!(summary["exit_code"], 1);
    assert_eq!(summary["steps"], 120);
    assert_eq!(summary["max_steps"], 120);
    assert_eq!(summary["pages"], run.session.graph.pages.len());
    assert_eq!(summary["edges"], run.session.graph.edges.len());
    assert!(summary["duration_s"].as_f64().unwrap() > 0.0);
    assert!(summary["unexplored_pages"].is_u64());
    let dir = run.session.dir.canonicalize().unwrap();
    assert_eq!(summary["session_dir"], dir.to_str().unwrap());
    assert_eq!(summary["report"], dir.join("report.html").to_str().unwrap());
    assert_eq!(run.place.session().unwrap().canonicalize().unwrap(), dir);

    let crashes = summary["crashes"].as_array().unwrap();
    assert_eq!(crashes.len(), run.session.crashes.len());
    for (told, stored) in crashes.iter().zip(&run.session.crashes) {
        assert_eq!(keys(told), ["count", "id", "kind", "signature", "step"]);
        assert_eq!(told["id"], *stored.id);
        assert_eq!(told["kind"], stored.kind.as_str());
        assert_eq!(told["signature"], *stored.signature.0);
        assert_eq!(told["step"], stored.step_index);
        assert!(told["count"].as_u64() >= Some(stored.count));
    }
    let findings = summary["findings"].as_object().unwrap().values();
    let findings: u64 = findings.map(|count| count.as_u64().unwrap()).sum();
    assert_eq!(findings as usize, run.session.findings.len());
    let refused = summary["refused"].as_array().unwrap();
    assert!(!refused.is_empty());
    for refused in refused {
        assert_eq!(keys(refused), ["count", "rule"]);
        assert!(refused["rule"].is_string() && refused["count"].is_u64());
    }
}

fn keys(value: &Value) -> Vec<&str> {
    value
        .as_object()
        .unwrap()
        .keys()
        .map(|key| &**key)
        .collect()
}

// EXP-133, EXP-134
#[test]
fn a_sound_shop_passes() {
    let shop = Shop::without_faults();
    let run = Explored::run(shop.url(), &["--max-steps", "60", "--seed", "1"]);
    assert_eq!(run.ended.code, Some(0), "{:?}", run.ended);
    assert_eq!(run.session.meta.status, Status::Passed);
    assert_eq!(run.session.warnings, []);
    assert_eq!(run.session.crashes, []);
    assert_eq!(run.session.findings, []);
    assert_eq!(shop.touched_traps(), [""; 0]);
    let outcome = run.session.outcome();
    assert_eq!(outcome.reasons, []);
    assert!(outcome.pages >= 10, "{} pages", outcome.pages);
    assert!(outcome.actions >= 30, "{} actions", outcome.actions);
    let summary = run.ended.json();
    assert_eq!(summary["status"], "passed");
    assert_eq!(summary["exit_code"], 0);
    assert_eq!(summary["crashes"], serde_json::json!([]));
    assert_eq!(summary["findings"], serde_json::json!({}));
}

// WEB-INV-01, EXP-INV-27
#[test]
fn two_runs_with_one_seed_are_the_same() {
    let shop = Shop::with_faults();
    let run = || {
        let run = Explored::run(shop.url(), &["--max-steps", "40", "--seed", "7"]);
        let lines = |name: &str| {
            without_times(&std::fs::read_to_string(run.session.dir.join(name)).unwrap())
        };
        [
            lines("steps.jsonl"),
            lines("crashes.jsonl"),
            lines("findings.jsonl"),
        ]
    };
    let [first, second] = [run(), run()];
    assert_eq!(first[0].len(), 40);
    for (first, second) in first.iter().flatten().zip(second.iter().flatten()) {
        assert_eq!(first, second);
    }
    assert_eq!(first, second);
}

/// The records of a file without times: the time of day, app time, and how long the view took to
/// come to rest. They depend on when the server's answers arrive.
fn without_times(text: &str) -> Vec<Value> {
    let lines = text.lines().map(|line| {
        let mut record: Value = serde_json::from_str(line).unwrap();
        let fields = record.as_object_mut().unwrap();
        assert!(fields.remove("ts").is_some());
        fields.remove("app_ms");
        if let Some(notes) = fields.get_mut("notes").and_then(Value::as_object_mut) {
            notes.remove("app_ms");
            notes.remove("settle");
        }
        record
    });
    lines.collect()
}
