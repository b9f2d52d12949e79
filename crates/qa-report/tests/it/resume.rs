//! Going on with a session whose process died.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use qa_core::{Archive as _, ExploreConfig, Inputs, Status, StepResult};
use qa_report::{Language, Resumed, Session, SessionError, SessionWriter};
use tempfile::TempDir;

use crate::fixture::{ORIGIN, crash, graph, outcome, picture, session, started, step, writer};

/// A session of three steps, a crash and a finding whose process is dead.
fn killed() -> (TempDir, PathBuf) {
    let root = tempfile::tempdir().unwrap();
    let dir = session(root.path(), "Add").dir().to_owned();
    (root, dir)
}

fn try_resume(dir: &Path) -> Result<Resumed, SessionError> {
    started(Language::EnUs, 0, |start| SessionWriter::resume(dir, start))
}

fn resume(dir: &Path) -> Resumed {
    try_resume(dir).unwrap()
}

fn append(file: &Path, text: &str) {
    let mut file = OpenOptions::new().append(true).open(file).unwrap();
    file.write_all(text.as_bytes()).unwrap();
}

fn codes(session: &Session) -> Vec<&str> {
    let warnings = session.warnings.iter();
    warnings.map(|warning| &*warning.code).collect()
}

// D-11, EXP-177: the lock of a dead owner is taken over, and step numbers go on
#[test]
fn a_killed_session_goes_on_where_it_was() {
    let (_root, dir) = killed();
    let Resumed {
        mut writer,
        session,
        history,
        ..
    } = resume(&dir);
    assert_eq!(session.steps.len(), 3);
    assert_eq!(history.graph.to_snapshot(), graph("Add").to_snapshot());
    assert_eq!(history.steps.len(), 3);
    let crashes = history.crashes.iter();
    let crashes: Vec<_> = crashes.map(|crash| (&*crash.id, crash.step)).collect();
    assert_eq!(crashes, [("c1", 3)]);
    assert_eq!(history.findings.len(), 1);
    let asked = session.meta.extra.config.to_config(Inputs::Synthetic);
    assert_eq!(asked, ExploreConfig::new(vec![ORIGIN.into()]));

    assert!(writer.step(&step(3, "Add"), None, None).is_err(), "taken");
    let (before, after) = (picture(1), picture(2));
    writer
        .step(&step(4, "Add"), Some(&before), Some(&after))
        .unwrap();
    writer.crash(&crash("c2", 4, "Add")).unwrap();
    writer.finding(&crash("f2", 4, "Add")).unwrap();
    let mut end = outcome("Add");
    end.steps = 4;
    writer.finish(&end, &graph("Add")).unwrap();
    let read = Session::read(&dir).unwrap();
    assert_eq!((read.steps.len(), read.crashes.len()), (4, 2));
    assert_eq!(codes(&read), ["RESUMED"], "a report says so from now on");
    assert!(!dir.join("lock").exists());
    let report = fs::read_to_string(dir.join("report.md")).unwrap();
    assert!(
        report.contains("`RESUMED`: the run was resumed"),
        "{report}"
    );
}

// EXP-179
#[test]
fn torn_lines_are_cut_off_and_said() {
    let (_root, dir) = killed();
    for name in ["steps.jsonl", "crashes.jsonl", "findings.jsonl"] {
        append(&dir.join(name), "{\"index\":4,\"act");
    }
    // What the process had stored before it died in the middle of the line.
    for name in [
        "steps/004.png",
        "steps/004_after.png.new",
        "crashes/f2.stack.txt",
    ] {
        fs::write(dir.join(name), "left behind").unwrap();
    }
    fs::write(dir.join("crashes/c2.stack.txt"), "the only trace").unwrap();
    let Resumed {
        mut writer,
        session,
        ..
    } = resume(&dir);
    let said = codes(&session);
    let expected = [
        "RESUMED",
        "TORN_LINE",
        "TORN_LINE",
        "TORN_LINE",
        "EVIDENCE_KEPT",
        "EVIDENCE_KEPT",
    ];
    assert_eq!(said, expected);
    let kept = fs::read_to_string(dir.join("crashes/lost-1-c2.stack.txt")).unwrap();
    assert_eq!(kept, "the only trace");
    // Their numbers are free, and so are the names of their files.
    writer
        .step(&step(4, "Add"), Some(&picture(1)), Some(&picture(2)))
        .unwrap();
    writer.crash(&crash("c2", 4, "Add")).unwrap();
    writer.finding(&crash("f2", 4, "Add")).unwrap();
    drop(writer);
    let read = Session::read(&dir).unwrap();
    assert_eq!(read.steps[3].record, step(4, "Add"));
    assert_eq!(codes(&read), expected, "and nothing is torn any more");
}

// EXP-179: a number is used again only if no crash refers to it
#[test]
fn the_number_of_a_lost_step_that_crashed_is_not_used_again() {
    let (_root, dir) = killed();
    let lines = fs::read_to_string(dir.join("steps.jsonl")).unwrap();
    let first = lines.find('\n').unwrap();
    // Two steps are lost, the second of them in part; c1 refers to step 3, f1 to step 2.
    fs::write(dir.join("steps.jsonl"), &lines[..first + 20]).unwrap();
    let Resumed {
        mut writer,
        session,
        ..
    } = resume(&dir);
    assert_eq!(session.steps.len(), 3);
    for lost in &session.steps[1..] {
        assert_eq!(lost.record.result, StepResult::Skip);
        assert_eq!(lost.record.notes.code.as_deref(), Some("STEP_LOST"));
        assert_eq!(lost.record.notes.replay, None);
    }
    let said = codes(&session);
    assert_eq!(
        said,
        ["RESUMED", "TORN_LINE", "NUMBER_SKIPPED", "NUMBER_SKIPPED"]
    );
    assert!(writer.step(&step(3, "Add"), None, None).is_err());
    writer.step(&step(4, "Add"), None, None).unwrap();
}

// EXP-178
#[test]
fn a_session_that_has_ended_is_not_resumed() {
    let root = tempfile::tempdir().unwrap();
    let mut writer = session(root.path(), "Add");
    writer.finish(&outcome("Add"), &graph("Add")).unwrap();
    let dir = writer.dir().to_owned();
    drop(writer);
    let before = fs::read(dir.join("meta.json")).unwrap();
    let refused = try_resume(&dir).unwrap_err();
    assert!(matches!(
        refused,
        SessionError::Ended {
            status: Status::Failed
        }
    ));
    assert_eq!(fs::read(dir.join("meta.json")).unwrap(), before);
    assert!(!dir.join("lock").exists());
}

// EXP-176, EXP-179: what cannot be read is not repaired either
#[test]
fn nothing_is_changed_in_a_session_that_cannot_be_read() {
    let (_root, dir) = killed();
    append(&dir.join("steps.jsonl"), "{\"torn");
    let meta = fs::read_to_string(dir.join("meta.json")).unwrap();
    let newer = meta.replace("\"schema\":1", "\"schema\":2");
    fs::write(dir.join("meta.json"), newer).unwrap();
    let refused = try_resume(&dir).unwrap_err();
    let text = refused.to_string();
    assert!(
        text.ends_with("has schema 2, but this version reads up to 1"),
        "{text}"
    );
    let steps = fs::read_to_string(dir.join("steps.jsonl")).unwrap();
    assert!(steps.ends_with("{\"torn"));
}

// EXP-179: cut anywhere, a session goes on
#[test]
fn a_session_cut_off_anywhere_goes_on() {
    let (_root, dir) = killed();
    let whole = fs::read(dir.join("steps.jsonl")).unwrap();
    let meta = fs::read(dir.join("meta.json")).unwrap();
    for length in (0..=whole.len()).step_by(97).chain([whole.len()]) {
        fs::write(dir.join("steps.jsonl"), &whole[..length]).unwrap();
        fs::write(dir.join("meta.json"), &meta).unwrap();
        let mut writer = resume(&dir).writer;
        // The crash of step 3 is still there, so the next one is 4 in any case.
        writer.step(&step(4, "Add"), None, None).unwrap();
        drop(writer);
        let read = Session::read(&dir).unwrap();
        assert_eq!(read.steps.len(), 4, "cut at {length}");
        qa_report::render(&read).unwrap();
    }
}

// EXP-176: the directory of sessions becomes the owner's own, unless it is more than that
#[test]
fn only_a_directory_of_sessions_is_tightened() {
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    let root = tempfile::tempdir().unwrap();
    for (name, expected) in [("sessions", 0o700), ("project", 0o755)] {
        let dir = root.path().join(name);
        fs::create_dir(&dir).unwrap();
        if name == "project" {
            fs::write(dir.join("Makefile"), "").unwrap();
        }
        for _ in 0..2 {
            fs::set_permissions(&dir, fs::Permissions::from_mode(0o755)).unwrap();
            drop(writer(&dir));
            assert_eq!(mode(&dir), expected, "{name}");
        }
    }
}
