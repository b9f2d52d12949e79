//! The session directory that a run in a real browser leaves.

use std::collections::BTreeSet;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;

use qa_core::Replay;
use qa_report::Session;
use serde_json::Value;

use crate::process::wait_for;
use crate::program::{Ended, Place};
use crate::server::Shop;

#[test]
fn the_directory_of_a_session_is_private_complete_and_in_order() {
    let shop = Shop::with_faults();
    let place = Place::new();
    // A page that fails whenever it is opened: there are crashes from the first step on.
    let url = format!("{}/product/6", shop.url());
    let mut child = place.explore(&url, &["--max-steps", "15"]).spawn().unwrap();
    let dir = wait_for("the session directory", || place.session());
    wait_for("the end of the run", || {
        check_steps_come_first(&dir);
        child.try_wait().unwrap()
    });
    let ended = Ended::wait(child);
    assert_eq!(ended.code, Some(1), "{ended:?}");

    let session = Session::read(&dir).unwrap();
    assert!(!session.crashes.is_empty());
    check_is_private(&place.out());
    check_pictures(&session);
    check_report(&dir);
    for name in ["meta.json", "state-graph.json", "report.json", "report.md"] {
        assert!(dir.join(name).is_file(), "{name}");
    }
    assert!(!dir.join("lock").exists());
}

/// Whoever reads a directory at any moment never finds a crash without its step (EXP-050,
/// EXP-INV-03).
fn check_steps_come_first(dir: &Path) {
    // Read in this order: what is stored in between is a step more, not a step less.
    let blamed = ["crashes.jsonl", "findings.jsonl"].map(|name| numbers(dir, name, "step_index"));
    let steps = numbers(dir, "steps.jsonl", "index");
    let blamed: BTreeSet<u64> = blamed.into_iter().flatten().collect();
    assert!(blamed.is_subset(&steps), "{blamed:?} of {steps:?}");
}

/// A field of each whole line of a file; none before the file is there.
fn numbers(dir: &Path, name: &str, field: &str) -> BTreeSet<u64> {
    let text = std::fs::read_to_string(dir.join(name)).unwrap_or_default();
    let lines = text
        .split_inclusive('\n')
        .filter(|line| line.ends_with('\n'));
    let values = lines.map(|line| serde_json::from_str::<Value>(line).unwrap());
    values.map(|value| value[field].as_u64().unwrap()).collect()
}

/// Directories 0700, files 0600 with one name, and nothing else (EXP-176, EXP-INV-32).
fn check_is_private(path: &Path) {
    let metadata = path.symlink_metadata().unwrap();
    let mode = metadata.permissions().mode() & 0o7777;
    if metadata.is_dir() {
        assert_eq!(mode, 0o700, "{}", path.display());
        for entry in std::fs::read_dir(path).unwrap() {
            check_is_private(&entry.unwrap().path());
        }
    } else {
        assert!(metadata.is_file(), "{}", path.display());
        assert_eq!(mode, 0o600, "{}", path.display());
        assert_eq!(metadata.nlink(), 1, "{}", path.display());
    }
}

/// Each step has a picture of the page before and one of the page after it; a start of the app has
/// no page before it, and a page that is gone none after it (EXP-048).
fn check_pictures(session: &Session) {
    let mut expected = BTreeSet::new();
    for step in &session.steps {
        let name = format!("{:03}", step.record.index);
        let notes = &step.record.notes;
        let is_launch = notes.replay == Some(Replay::Launch);
        let before = (!is_launch).then(|| format!("{name}.png"));
        // A picture with something secret on a page that never rests is left out (EXP-032).
        let may_lack = notes.screenshot_redacted;
        if step.screenshot.is_some() || !may_lack {
            assert_eq!(step.screenshot, before, "{step:?}");
        }
        let is_gone = matches!(notes.code.as_deref(), Some("APP_GONE" | "APP_UNRESPONSIVE"));
        let after = (!is_gone).then(|| format!("{name}_after.png"));
        if step.screenshot_after.is_some() || !may_lack {
            assert_eq!(step.screenshot_after, after, "{step:?}");
        }
        let stored = [&step.screenshot, &step.screenshot_after];
        expected.extend(stored.into_iter().flatten().cloned());
    }
    let dir = session.dir.join("steps");
    let files = std::fs::read_dir(&dir).unwrap();
    let files = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    assert_eq!(files.collect::<BTreeSet<_>>(), expected);
    for name in &expected {
        let bytes = std::fs::read(dir.join(name)).unwrap();
        assert!(bytes.starts_with(b"\x89PNG\r\n\x1a\n"), "{name}");
    }
}

/// It loads nothing, runs nothing but its own script, and links to nothing but files beside it (EXP-180, WEB-081).
fn check_report(dir: &Path) {
    let html = std::fs::read_to_string(dir.join("report.html")).unwrap();
    let policy = "http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; \
                  style-src 'sha256-";
    assert_eq!(html.matches(policy).count(), 1);
    assert!(!html.contains("unsafe-"));
    // One script: that of the report itself.
    assert_eq!(html.matches("<script").count(), 1);
    assert_eq!(html.matches("<script>").count(), 1);
    for forbidden in ["<link", "<iframe", "<object", "<embed", "@import"] {
        assert!(!html.contains(forbidden), "{forbidden}");
    }
    let mut embedded = 0;
    for attribute in [" src=\"", " href=\"", " srcset=\"", " action=\"", "url("] {
        for rest in html.split(attribute).skip(1) {
            let (value, _) = rest.split_once(['"', ')']).unwrap();
            let is_picture = value.starts_with("data:image/");
            let is_own = !value.contains([':', '?']) && !value.contains("..");
            let is_file = is_own && dir.join(value).is_file();
            assert!(
                is_picture || is_file || value.starts_with('#'),
                "{attribute:?} {value:.80}"
            );
            embedded += usize::from(is_picture);
        }
    }
    assert!(embedded > 0, "the report shows no picture");
}
