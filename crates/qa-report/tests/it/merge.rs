//! Several sessions as one, and what changed between two of them.

use std::path::{Path, PathBuf};

use qa_core::{Archive as _, CrashRecord, CrashSummary, Outcome, StateGraph, Status};
use qa_report::{Diff, Language, Merge, Session};
use serde_json::Value;
use tempfile::TempDir;

use crate::fixture::{crash, graph, outcome, page, step, writer_with_seed};

/// What one session was: its seed, its verdict and the crashes that it met, each at a step.
struct Was {
    seed: u64,
    status: Status,
    crashes: &'static [(&'static str, u32)],
}

fn passed(seed: u64) -> Was {
    Was {
        seed,
        status: Status::Passed,
        crashes: &[],
    }
}

fn failed(seed: u64, crashes: &'static [(&'static str, u32)]) -> Was {
    Was {
        seed,
        status: Status::Failed,
        crashes,
    }
}

/// Stores a session of three steps.
fn store(root: &Path, was: &Was, pages: &StateGraph) -> PathBuf {
    let mut writer = writer_with_seed(root, Language::EnUs, was.seed);
    for index in 1..=3 {
        writer.step(&step(index, "Add"), None, None).unwrap();
    }
    let mut summaries = Vec::new();
    for ((text, at), number) in was.crashes.iter().zip(1..) {
        let record = crash(&format!("c{number}"), *at, text);
        writer.crash(&record).unwrap();
        summaries.push(summary(&record));
    }
    writer.finding(&crash("f1", 2, "Noise")).unwrap();
    let end = Outcome {
        status: was.status,
        crashes: summaries,
        ..outcome("Add")
    };
    writer.finish(&end, pages).unwrap();
    writer.dir().to_owned()
}

fn summary(record: &CrashRecord) -> CrashSummary {
    CrashSummary {
        id: record.id.clone(),
        kind: record.crash.kind,
        signature: record.crash.signature.clone(),
        label: record.crash.label.clone(),
        step: record.step_index,
        count: record.crash.count,
        repro_path: record.repro_path.clone(),
    }
}

/// Sessions in a directory of their own, in this order.
fn stored(sessions: &[Was]) -> (TempDir, Vec<PathBuf>) {
    let root = tempfile::tempdir().unwrap();
    let dirs = sessions
        .iter()
        .map(|was| store(root.path(), was, &graph("Add")));
    let dirs = dirs.collect();
    (root, dirs)
}

fn read(dirs: &[PathBuf]) -> Merge {
    Merge::read(dirs).unwrap()
}

#[test]
fn the_order_does_not_matter_and_nothing_counts_twice() {
    let (root, mut dirs) = stored(&[
        failed(1, &[("A", 3), ("B", 2)]),
        passed(2),
        failed(1, &[("A", 2)]),
    ]);
    let forwards = read(&dirs);
    dirs.reverse();
    dirs.push(dirs[0].clone());
    let backwards = read(&dirs);
    assert_eq!(forwards.to_json(), backwards.to_json());
    assert_eq!(forwards.to_markdown(), backwards.to_markdown());
    assert_eq!(forwards.to_junit().unwrap(), backwards.to_junit().unwrap());
    let all = Merge::read(&[root.path()]).unwrap();
    assert_eq!(all.to_json(), forwards.to_json(), "a directory of sessions");
}

#[test]
fn a_rerun_is_an_attempt_and_crashes_are_grouped_over_all() {
    let (_root, dirs) = stored(&[
        failed(1, &[("A", 3), ("B", 2)]),
        passed(2),
        failed(1, &[("A", 2)]),
    ]);
    let merge = read(&dirs);
    let attempts: Vec<_> = merge.runs.iter().map(|run| run.attempts.len()).collect();
    assert_eq!(attempts, [2, 1]);
    let json = merge.to_json();
    assert_eq!(json["exit_code"], 1);
    assert_eq!(json["runs"][0]["attempts"][1]["attempt"], 2);
    assert_eq!(json["pages"].as_array().unwrap().len(), 3, "the same three");
    let crashes = merge.crashes();
    assert_eq!(crashes.len(), 2);
    let a = &crashes[0];
    assert_eq!(a.label, "TypeError: A");
    assert_eq!((a.sightings.len(), a.count), (2, 4));
    // The second attempt knows the shorter way.
    assert_eq!(a.repro_path, [1, 2]);
    assert_eq!(Path::new(&a.session.dir), dirs[2]);
    assert_eq!(merge.findings()[0].sightings.len(), 3);
    let report = merge.to_markdown();
    assert!(report.starts_with("# ✕ Failed: 2 runs\n"), "{report}");
    assert_eq!(report.matches("### js-exception").count(), 2, "{report}");
    let junit = junit_parser::from_reader(merge.to_junit().unwrap().as_bytes()).unwrap();
    let names: Vec<_> = junit.suites.iter().map(|suite| &*suite.name).collect();
    assert_eq!(names, ["qa-shop (1/2)", "qa-shop (2/2)", "qa-shop"]);
    assert_eq!((junit.tests, junit.failures), (5, 2), "each crash once");
}

// D-01
#[test]
fn the_worst_verdict_counts() {
    let aborted = |seed| Was {
        status: Status::Aborted,
        ..passed(seed)
    };
    let check = |sessions: &[Was], code: u8| {
        let (_root, dirs) = stored(sessions);
        assert_eq!(read(&dirs).status().exit_code(), code);
    };
    check(&[passed(1), passed(2)], 0);
    check(&[passed(1), aborted(2)], 2);
    check(&[aborted(1), passed(2)], 2);
    check(&[aborted(1), failed(2, &[("A", 3)]), passed(3)], 1);
    check(&[passed(1), failed(1, &[("A", 3)])], 1);
    assert_eq!(Merge::of(Vec::new()).status().exit_code(), 2);
}

// A shard that is lost is no green one.
#[test]
fn a_session_that_cannot_be_read_is_not_left_out() {
    let (root, dirs) = stored(&[passed(1), passed(2)]);
    std::fs::remove_file(dirs[1].join("meta.json")).unwrap();
    assert!(Merge::read(&[root.path()]).is_err());
    let elsewhere = tempfile::tempdir().unwrap();
    let moved = elsewhere.path().join("moved");
    std::fs::rename(&dirs[1], &moved).unwrap();
    assert_eq!(Merge::read(&[root.path()]).unwrap().runs.len(), 1);
    std::os::unix::fs::symlink(&moved, &dirs[1]).unwrap();
    assert!(Merge::read(&[root.path()]).is_err());
}

// RED-030: two addresses that redaction has hidden may be two apps
#[test]
fn what_cannot_be_compared_is_no_attempt() {
    let (_root, dirs) = stored(&[passed(1), passed(1)]);
    let sessions = dirs.iter().map(|dir| {
        let mut session = Session::read(dir).unwrap();
        session.meta.extra.driver.target = "[REDACTED_URL]".into();
        session
    });
    assert_eq!(Merge::of(sessions.collect()).runs.len(), 2);
}

#[test]
fn a_merged_report_is_written_whole_and_never_over_a_session() {
    let (root, dirs) = stored(&[failed(1, &[("A", 3)]), passed(2)]);
    let merge = read(&dirs);
    let out = root.path().join("merged");
    for _ in 0..2 {
        merge.write(&out).unwrap();
        let mut names: Vec<_> = std::fs::read_dir(&out)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        assert_eq!(names, ["report.json", "report.md", "report.xml"]);
    }
    let json = std::fs::read(out.join("report.json")).unwrap();
    let json: Value = serde_json::from_slice(&json).unwrap();
    assert_eq!(json, merge.to_json());
    let refused = merge.write(&dirs[0]).unwrap_err().to_string();
    assert!(
        refused.ends_with("which has reports of its own"),
        "{refused}"
    );
    let empty = tempfile::tempdir().unwrap();
    assert!(Merge::read(&[empty.path()]).is_err());
}

#[test]
fn a_diff_tells_new_from_fixed_and_known() {
    let before = failed(1, &[("A", 3), ("B", 2), ("C", 3)]);
    let (_old, old) = stored(&[before]);
    // The page of step 3 is gone, and another one has come.
    let mut pages = StateGraph::new(qa_core::PageIdentity::Shape, 8);
    for number in [1, 3, 9] {
        let info = qa_core::PageInfo {
            summary: Some(format!("page {number}")),
            ..qa_core::PageInfo::default()
        };
        pages.visit(&page(number), info, &[]);
    }
    let new = tempfile::tempdir().unwrap();
    store(new.path(), &failed(7, &[("C", 2), ("D", 3)]), &pages);
    let (before, after) = (read(&old), Merge::read(&[new.path()]).unwrap());
    let diff = Diff::of(&before, &after);
    let labels = |value: &Value| -> Vec<String> {
        let list = value.as_array().unwrap().iter();
        list.map(|it| it["label"].as_str().unwrap().to_owned())
            .collect()
    };
    let json = diff.to_json();
    let crashes = &json["crashes"];
    assert_eq!(labels(&crashes["new"]), ["TypeError: D"]);
    assert_eq!(labels(&crashes["known"]), ["TypeError: C"]);
    assert_eq!(labels(&crashes["fixed"]), ["TypeError: B", "TypeError: A"]);
    // B happened on page 1, which was seen again; A on page 2, which was not.
    assert_eq!(crashes["fixed"][0]["page_seen"], true);
    assert_eq!(crashes["fixed"][1]["page_seen"], false);
    assert_eq!(labels(&json["findings"]["known"]), ["TypeError: Noise"]);
    let one =
        |hash: u32, summary: &str| serde_json::json!([{"page": page(hash).0, "summary": summary}]);
    assert_eq!(json["pages"]["gained"], one(9, "page 9"));
    assert_eq!(json["pages"]["lost"], one(2, "page Add"));
    assert_eq!(json["pages"]["kept"], 2);
    assert_eq!(json["exit_code"], 1);
    insta::assert_snapshot!(without_ids(&diff.to_text(), &after));
    assert_eq!(Diff::of(&after, &after).exit_code(), 0, "known ones only");
}

#[test]
fn a_diff_with_a_run_that_proves_nothing_is_not_green() {
    let aborted = Was {
        status: Status::Aborted,
        ..passed(1)
    };
    let (_old, old) = stored(&[failed(1, &[("A", 3)])]);
    let (_new, new) = stored(&[aborted]);
    let (before, after) = (read(&old), read(&new));
    let diff = Diff::of(&before, &after);
    assert_eq!(diff.exit_code(), 2);
    assert!(
        diff.to_text().ends_with(": Not proven"),
        "{}",
        diff.to_text()
    );
}

fn without_ids(text: &str, merge: &Merge) -> String {
    let ids = merge.sessions().map(|session| &session.meta.id);
    ids.fold(text.to_owned(), |text, id| text.replace(id.as_str(), "ID"))
}
