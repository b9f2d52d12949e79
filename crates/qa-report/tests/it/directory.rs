//! What is stored, in which order, and what is left when a run is cut off.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use qa_core::{Archive, Bounds, Ended, Replay, Shown, Status};
use qa_report::{Session, SessionError, abandon, summary_json};
use serde_json::{Value, json};

use crate::fixture::{crash, graph, outcome, picture, session, step, writer};

fn walk(dir: &Path, found: &mut Vec<std::path::PathBuf>) {
    found.push(dir.to_owned());
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            walk(&path, found);
        } else {
            found.push(path);
        }
    }
}

// EXP-INV-32
#[test]
fn everything_stored_is_for_the_owner_only() {
    let root = tempfile::tempdir().unwrap();
    let mut writer = session(root.path(), "Add");
    writer.finish(&outcome("Add"), &graph("Add")).unwrap();
    let mut paths = Vec::new();
    walk(writer.dir(), &mut paths);
    assert!(paths.len() > 15, "{paths:?}");
    for path in paths {
        let expected = if path.is_dir() { 0o700 } else { 0o600 };
        let mode = path.symlink_metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, expected, "{}", path.display());
    }
}

// EXP-048, RED-083
#[test]
fn what_is_read_is_what_was_written() {
    let root = tempfile::tempdir().unwrap();
    let mut writer = session(root.path(), "Add");
    writer.finish(&outcome("Add"), &graph("Add")).unwrap();
    let read = Session::read(writer.dir()).unwrap();
    assert_eq!(read.meta.dropped_fields, 0, "the schema lacks a field");
    assert_eq!(read.warnings, []);
    assert_eq!(read.meta.outcome, Some(outcome("Add")));
    assert_eq!(read.graph, graph("Add").to_snapshot());
    let steps: Vec<_> = read.steps.iter().map(|step| step.record.clone()).collect();
    assert_eq!(steps, [step(1, "Add"), step(2, "Add"), step(3, "Add")]);
    assert_eq!(
        read.steps[2].screenshot_after.as_deref(),
        Some("003_after.png")
    );
    assert_eq!(read.crashes[0].stack, crash("c1", 3, "Add").crash.stack);
    assert_eq!(read.findings[0].id, "f1");
    let stack = fs::read_to_string(writer.dir().join("crashes/c1.stack.txt")).unwrap();
    assert!(
        stack.starts_with("qa-crash 1\nkind: js-exception\n"),
        "{stack}"
    );
}

#[test]
fn the_summary_has_the_fields_of_the_command_line() {
    let root = tempfile::tempdir().unwrap();
    let mut writer = session(root.path(), "Add");
    writer.finish(&outcome("Add"), &graph("Add")).unwrap();
    let summary = summary_json(&Session::read(writer.dir()).unwrap());
    let dir = writer.dir().to_string_lossy().into_owned();
    assert_eq!(
        summary,
        json!({
            "status": "failed", "exit_code": 1, "session_dir": dir,
            "report": format!("{dir}/report.html"), "steps": 3, "max_steps": 30, "pages": 3,
            "edges": 3, "duration_s": 4.2,
            "crashes": [{
                "id": "c1", "kind": "js-exception", "signature": "js-exception|TypeError|Add",
                "step": 3, "count": 5,
            }],
            "findings": {"console-error": 1}, "refused": [{"rule": "delete", "count": 2}],
            "blocked": [{"host": "cdn.test Add", "requests": 7}],
            "unexplored_pages": 1,
        })
    );
}

// EXP-050
#[test]
fn a_crash_needs_its_step() {
    let root = tempfile::tempdir().unwrap();
    let mut writer = writer(root.path());
    let error = writer.crash(&crash("c1", 1, "Add")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "could not store c1: its step 1 is not stored"
    );
    writer.step(&step(1, "Add"), None, None).unwrap();
    assert!(writer.crash(&crash("c2", 1, "Add")).is_err());
    writer.crash(&crash("c1", 1, "Add")).unwrap();
    assert!(writer.step(&step(3, "Add"), None, None).is_err());
}

// EXP-050, EXP-179
#[test]
fn a_session_cut_off_anywhere_is_readable() {
    let root = tempfile::tempdir().unwrap();
    let writer = session(root.path(), "Add");
    let file = writer.dir().join("steps.jsonl");
    let whole = fs::read(&file).unwrap();
    let ends: Vec<_> = (1..=whole.len())
        .filter(|end| whole[end - 1] == b'\n')
        .collect();
    // Every byte of the last step, and the ends of the others.
    let near = |length: &usize| {
        *length >= ends[1] || *length < 3 || ends.iter().any(|end| end.abs_diff(*length) < 3)
    };
    for length in (0..=whole.len()).filter(near) {
        fs::write(&file, &whole[..length]).unwrap();
        let read = Session::read(writer.dir()).unwrap();
        let kept = ends.iter().filter(|end| **end <= length).count();
        assert_eq!(read.steps.len(), kept, "cut at {length}");
        let torn = length > 0 && !ends.contains(&length);
        let has = |code: &str| read.warnings.iter().any(|warning| warning.code == code);
        assert_eq!(has("TORN_LINE"), torn, "cut at {length}");
        assert_eq!(has("STEP_LOST"), kept < 3, "cut at {length}");
        assert_eq!(read.crashes.len(), 1, "evidence is never dropped");
    }
    for length in [0, whole.len() / 2] {
        fs::write(&file, &whole[..length]).unwrap();
        qa_report::render(&Session::read(writer.dir()).unwrap()).unwrap();
    }
}

// EXP-179
#[test]
fn a_killed_run_is_not_finished() {
    let root = tempfile::tempdir().unwrap();
    let writer = session(root.path(), "Add");
    let dir = writer.dir().to_owned();
    assert!(Session::read(&dir).unwrap().live);
    drop(writer);
    let read = Session::read(&dir).unwrap();
    assert!(!read.live && !read.is_finished());
    assert_eq!(read.outcome().status, Status::Running);
    assert_eq!(summary_json(&read)["exit_code"], 2);
    assert_eq!(summary_json(&read)["crashes"][0]["id"], "c1");
    qa_report::render(&read).unwrap();
    let report = fs::read_to_string(dir.join("report.md")).unwrap();
    assert!(report.starts_with("# ◌ Not finished: qa-shop"), "{report}");
}

// EXP-131
#[test]
fn a_run_that_is_told_twice_to_stop_says_so() {
    let root = tempfile::tempdir().unwrap();
    let without_crash = writer(root.path());
    let with_crash = session(root.path(), "Add");
    for (writer, status, code) in [
        (without_crash, Status::Aborted, "INTERRUPTED"),
        (with_crash, Status::Failed, "CRASHES"),
    ] {
        // The writer still holds the session, as in the process that gives it up.
        let dir = writer.dir().to_owned();
        abandon(&dir).unwrap();
        drop(writer);
        let read = Session::read(&dir).unwrap();
        assert!(read.is_finished() && !read.live);
        assert_eq!(
            read.warnings.len(),
            usize::from(read.steps.is_empty()),
            "{:?}",
            read.warnings
        );
        assert!(read.meta.ended_at.is_some());
        let outcome = read.outcome();
        assert_eq!(
            (outcome.status, outcome.ended),
            (status, Ended::Interrupted)
        );
        assert_eq!(outcome.reasons[0].code, code);
        assert_eq!(outcome.reasons.last().unwrap().code, "INTERRUPTED");
        assert_eq!(outcome.warnings[0].code, "DRAIN_SKIPPED");
        assert_eq!(outcome.steps as usize, read.steps.len());
        assert!(!dir.join("lock").exists());
        qa_report::render(&read).unwrap();
    }
}

// EXP-131
#[test]
fn a_session_that_has_ended_stays_as_it_is() {
    let root = tempfile::tempdir().unwrap();
    let mut writer = session(root.path(), "Add");
    writer.finish(&outcome("Add"), &graph("Add")).unwrap();
    let meta = fs::read(writer.dir().join("meta.json")).unwrap();
    abandon(writer.dir()).unwrap();
    assert_eq!(fs::read(writer.dir().join("meta.json")).unwrap(), meta);
}

// EXP-178
#[test]
fn nothing_is_stored_after_the_end() {
    let root = tempfile::tempdir().unwrap();
    let mut writer = session(root.path(), "Add");
    writer.finish(&outcome("Add"), &graph("Add")).unwrap();
    writer.finish(&outcome("Add"), &graph("Add")).unwrap();
    let mut other = outcome("Add");
    other.status = Status::Passed;
    assert!(writer.finish(&other, &graph("Add")).is_err());
    assert!(writer.step(&step(4, "Add"), None, None).is_err());
    assert!(writer.crash(&crash("c2", 3, "Add")).is_err());
}

// EXP-031, EXP-032, RED-077
#[test]
fn what_must_not_be_seen_is_painted_over_or_left_out() {
    let root = tempfile::tempdir().unwrap();
    let mut writer = writer(root.path());
    let shown = |text: &str, bounds| Shown {
        bounds,
        texts: vec![text.to_owned()],
        hidden: false,
    };
    let place = Bounds {
        x: 10.0,
        y: 10.0,
        width: 10.0,
        height: 5.0,
        ..Bounds::default()
    };
    let mut masked = picture(200);
    masked.shown = vec![
        shown("Hello", Some(Bounds::default())),
        shown("api key = 88-aa", Some(place)),
    ];
    let mut omitted = picture(200);
    omitted.shown = vec![shown("api key = 88-aa", None)];
    writer
        .step(&step(1, "Add"), Some(&masked), Some(&omitted))
        .unwrap();
    writer
        .step(&step(2, "Add"), Some(&picture(200)), None)
        .unwrap();

    let steps = fs::read_to_string(writer.dir().join("steps.jsonl")).unwrap();
    let steps: Vec<Value> = steps
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(steps[0]["notes"]["screenshot_redacted"], true);
    assert_eq!(steps[0].get("screenshot_after"), None);
    assert_eq!(steps[1]["notes"].get("screenshot_redacted"), None);
    let name = |step: &Value| step["screenshot"].as_str().unwrap().to_owned();
    let pixels = |step: &Value| {
        let file = writer.dir().join("steps").join(name(step));
        image::open(file).unwrap().to_rgb8()
    };
    let (black, plain) = (image::Rgb([0, 0, 0]), image::Rgb([200, 90, 160]));
    let painted = pixels(&steps[0]);
    for (x, y, is_painted) in [
        (18, 18, true),
        (41, 31, true),
        (17, 20, false),
        (30, 32, false),
    ] {
        let expected = if is_painted { black } else { plain };
        assert_eq!(*painted.get_pixel(x, y), expected, "{x},{y}");
    }
    assert!(pixels(&steps[1]).pixels().all(|pixel| *pixel == plain));
}

// EXP-175
#[test]
fn what_is_over_a_limit_is_refused_and_leaves_nothing() {
    let root = tempfile::tempdir().unwrap();
    let mut writer = writer(root.path());
    let error = writer
        .step(&step(1, &"x".repeat(17_000)), Some(&picture(1)), None)
        .unwrap_err();
    assert!(error.reason.contains("over the limit of 16384"), "{error}");
    let mut broken = picture(1);
    broken.image.bytes.truncate(20);
    assert!(
        writer
            .step(&step(1, "Add"), Some(&picture(1)), Some(&broken))
            .is_err()
    );
    assert_eq!(fs::read_dir(writer.dir().join("steps")).unwrap().count(), 0);
    writer
        .step(&step(1, "Add"), Some(&picture(1)), None)
        .unwrap();
    let mut large = crash("c1", 1, "Add");
    large.crash.stack = "x".repeat(5 << 20);
    assert!(writer.crash(&large).is_err());
    assert_eq!(
        fs::read_dir(writer.dir().join("crashes")).unwrap().count(),
        0
    );
}

// RED-004, RED-012, EXP-028
#[test]
fn secrets_are_not_stored_and_not_replayed() {
    let root = tempfile::tempdir().unwrap();
    let mut writer = writer(root.path());
    let mut typed = step(1, "password=tulip77");
    let key = qa_core::ElementKey("id:note".into());
    typed.notes.replay = Some(Replay::InputText {
        element_key: key.clone(),
        input_value: Some("password=tulip77".into()),
        input_redacted: false,
    });
    writer.step(&typed, None, None).unwrap();
    writer.crash(&crash("c1", 1, "password=tulip77")).unwrap();
    let read = Session::read(writer.dir()).unwrap();
    assert_eq!(
        read.steps[0].record.notes.replay,
        Some(Replay::InputText {
            element_key: key,
            input_value: None,
            input_redacted: true
        })
    );
    let mut paths = Vec::new();
    walk(writer.dir(), &mut paths);
    for path in paths.iter().filter(|path| path.is_file()) {
        let bytes = fs::read(path).unwrap();
        assert!(
            !bytes.windows(7).any(|seven| seven == b"tulip77"),
            "{}",
            path.display()
        );
    }
}

// EXP-176, STYLE of files: a newer one is refused naming both versions
#[test]
fn links_and_newer_versions_are_refused() {
    let root = tempfile::tempdir().unwrap();
    let writer = session(root.path(), "Add");
    let dir = writer.dir().to_owned();
    let meta = fs::read_to_string(dir.join("meta.json")).unwrap();
    fs::write(
        dir.join("meta.json"),
        meta.replace("\"schema\":1", "\"schema\":7"),
    )
    .unwrap();
    let error = Session::read(&dir).unwrap_err();
    assert!(matches!(
        error,
        SessionError::Newer {
            found: 7,
            known: 1,
            ..
        }
    ));
    assert!(
        error
            .to_string()
            .ends_with("has schema 7, but this version reads up to 1")
    );
    fs::write(dir.join("meta.json"), meta).unwrap();

    // What the reader names may be a link of theirs, such as one to the latest session.
    let latest = root.path().join("latest");
    symlink(&dir, &latest).unwrap();
    let read = Session::read(&latest).unwrap();
    assert_eq!(read.steps, Session::read(&dir).unwrap().steps);

    let elsewhere = root.path().join("elsewhere.jsonl");
    fs::rename(dir.join("steps.jsonl"), &elsewhere).unwrap();
    symlink(&elsewhere, dir.join("steps.jsonl")).unwrap();
    assert!(matches!(
        Session::read(&dir),
        Err(SessionError::Read { .. })
    ));
}

// REP-125: a line for each run that ended, behind a torn tail that is repaired
#[test]
fn each_run_that_ends_is_a_line_of_the_history() {
    let root = tempfile::tempdir().unwrap();
    let history = root.path().join("report.jsonl");
    for round in 1..=3 {
        let mut writer = session(root.path(), "Add");
        writer.finish(&outcome("Add"), &graph("Add")).unwrap();
        let text = fs::read_to_string(&history).unwrap();
        assert!(text.ends_with('\n'));
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines.len(), round, "{text}");
        let line: serde_json::Value = serde_json::from_str(lines[round - 1]).unwrap();
        let mut summary = summary_json(&Session::read(writer.dir()).unwrap());
        let id = writer.dir().file_name().unwrap().to_str().unwrap();
        summary["session_dir"] = json!(id);
        summary["report"] = json!(format!("{id}/report.html"));
        for (key, value) in summary.as_object().unwrap() {
            assert_eq!(&line[key], value, "{key}");
        }
        assert_eq!(line["target"], "http://127.0.0.1:8000/");
        assert_eq!(line["name"], "qa-shop");
        assert!(line["ended_at"].is_string());
        let mut torn = fs::OpenOptions::new().append(true).open(&history).unwrap();
        std::io::Write::write_all(&mut torn, b"{\"blocked\":[").unwrap();
    }
    assert_eq!(
        history.metadata().unwrap().permissions().mode() & 0o777,
        0o600
    );
    // Made anew, a report is no other run.
    let dir = fs::read_dir(root.path()).unwrap();
    let dir = dir
        .map(|entry| entry.unwrap().path())
        .find(|path| path.is_dir());
    qa_report::render(&Session::read(&dir.unwrap()).unwrap()).unwrap();
    assert_eq!(fs::read_to_string(&history).unwrap().lines().count(), 4);
}

// REP-125, EXP-176
#[test]
fn a_history_that_is_a_link_is_not_followed() {
    let root = tempfile::tempdir().unwrap();
    let elsewhere = tempfile::NamedTempFile::new().unwrap();
    symlink(elsewhere.path(), root.path().join("report.jsonl")).unwrap();
    let mut writer = session(root.path(), "Add");
    let refused = writer.finish(&outcome("Add"), &graph("Add")).unwrap_err();
    assert_eq!(refused.what, "report.jsonl");
    assert_eq!(fs::read(elsewhere.path()).unwrap(), b"");
}

// EXP-176, EXP-177: a session that is being written can be looked at, at any moment
#[test]
fn a_running_session_can_be_read_and_reported() {
    let root = tempfile::tempdir().unwrap();
    let mut writer = writer(root.path());
    let dir = writer.dir().to_owned();
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut seen = 0;
            while !done.load(std::sync::atomic::Ordering::SeqCst) {
                let read = Session::read(&dir).unwrap();
                assert!(read.steps.len() >= seen && read.live);
                seen = read.steps.len();
                qa_report::render(&read).unwrap();
            }
        });
        for index in 1..=40 {
            writer.step(&step(index, "Add"), None, None).unwrap();
            writer.graph(&graph("Add")).unwrap();
        }
        done.store(true, std::sync::atomic::Ordering::SeqCst);
    });
}
