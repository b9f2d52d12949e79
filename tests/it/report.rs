//! `qa report`: of one session, of several, and what changed.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::program::{Ended, Place};

/// Explores the simulated app into `out`, and says where the session is.
fn demo(place: &Place, out: &str, args: &[&str]) -> PathBuf {
    let mut command = place.qa(&["demo", "--sim", "--json", "--max-steps", "25", "--out", out]);
    let ended = Ended::of(command.args(args));
    assert_eq!(ended.code, Some(0), "{ended:?}");
    PathBuf::from(ended.json()["session_dir"].as_str().unwrap())
}

fn read(path: impl AsRef<Path>) -> String {
    let path = path.as_ref();
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

// D-20: shards and reruns of a job
#[test]
fn sessions_are_merged() {
    let place = Place::new();
    let dir = demo(&place, "shards", &["--seed", "1"]);
    demo(&place, "shards", &["--seed", "2"]);
    demo(&place, "shards", &["--seed", "1"]);
    let merged = Ended::of(&mut place.qa(&["report", "merge", "shards", "-o", "merged"]));
    assert_eq!(merged.code, Some(1), "a crash in any of them: {merged:?}");
    let report = place.path().join(merged.stdout.trim());
    assert!(read(report).starts_with("# ✕ Failed: 2 runs"));
    let json: Value = serde_json::from_str(&read(place.path().join("merged/report.json"))).unwrap();
    assert_eq!(json["runs"][0]["attempts"].as_array().unwrap().len(), 2);
    assert!(read(place.path().join("merged/report.xml")).contains("<testsuite "));
    // REP-125: each run that ended is a line.
    assert_eq!(
        read(place.path().join("shards/report.jsonl"))
            .lines()
            .count(),
        3
    );

    let dir = dir.to_str().unwrap();
    let refused = Ended::of(&mut place.qa(&["report", "merge", dir, "-o", dir]));
    assert_eq!(refused.code, Some(64), "{refused:?}");
    let nothing = Ended::of(&mut place.qa(&["report", "merge", "tmp", "-o", "merged"]));
    assert_eq!(nothing.code, Some(64), "{nothing:?}");
}

// The exit code is for CI: 1 for a crash that is new.
#[test]
fn two_states_are_compared() {
    let place = Place::new();
    demo(&place, "broken", &[]);
    demo(&place, "sound", &["--no-faults"]);
    let diff = |before: &str, after: &str| {
        Ended::of(&mut place.qa(&["report", "diff", before, after, "--json"]))
    };
    let worse = diff("sound", "broken");
    assert_eq!(worse.code, Some(1), "{worse:?}");
    let new = worse.json()["crashes"]["new"].as_array().unwrap().len();
    assert!(new > 0);
    for (before, after, fixed) in [("broken", "sound", new), ("broken", "broken", 0)] {
        let ended = diff(before, after);
        assert_eq!(ended.code, Some(0), "{ended:?}");
        let crashes = &ended.json()["crashes"];
        assert_eq!(crashes["fixed"].as_array().unwrap().len(), fixed);
        assert_eq!(crashes["new"], serde_json::json!([]));
    }
    let text = Ended::of(&mut place.qa(&["report", "diff", "sound", "broken"]));
    assert!(text.stdout.starts_with("crashes: "), "{text:?}");
}

// D-07
#[test]
fn a_report_for_ci_is_made_on_request() {
    let place = Place::new();
    let dir = demo(&place, "out", &[]);
    let report = ["report", dir.to_str().unwrap(), "--junit", "ci/report.xml"];
    let ended = Ended::of(&mut place.qa(&report));
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let junit = read(place.path().join("ci/report.xml"));
    assert!(
        junit.contains("<failure ") && !junit.contains("<error "),
        "{junit}"
    );
    let url = "http://127.0.0.1:9/";
    let refused = Ended::of(&mut place.qa(&["explore", "--url", url, "--junit", "."]));
    assert_eq!(refused.code, Some(64), "{refused:?}");
}

// D-09, EXP-181
#[test]
fn a_session_speaks_one_language() {
    let place = Place::new();
    let shown = |args: &[&str], variable: &str| {
        let mut command = place.qa(&["demo", "--sim", "--max-steps", "12"]);
        command.args(args).env("LC_ALL", "zh_CN.UTF-8");
        if !variable.is_empty() {
            command.env("QA_LANG", variable);
        }
        let ended = Ended::of(&mut command);
        assert_eq!(ended.code, Some(0), "{ended:?}");
        ended
    };
    let english = "  steps    12/12 (11 actions)";
    let chinese = "  步骤     12/12（11 个操作）";
    for (args, variable, line) in [
        (&["--out", "a"][..], "", english),
        (&["--out", "b", "--lang", "zh-CN"], "", chinese),
        (&["--out", "c"], "zh-CN", chinese),
        (&["--out", "d", "--lang", "en-US"], "zh-CN", english),
        (&["--out", "e", "--lang", "auto"], "", chinese),
    ] {
        let ended = shown(args, variable);
        assert!(ended.stdout.contains(line), "{args:?}: {ended:?}");
    }
    // Made anew in another environment, a report stays in the language of its session.
    let entries = std::fs::read_dir(place.path().join("b")).unwrap();
    let dir = entries
        .map(|entry| entry.unwrap().path())
        .find(|path| path.is_dir())
        .unwrap();
    let report = ["report", dir.to_str().unwrap()];
    let ended = Ended::of(place.qa(&report).env("QA_LANG", "en-US"));
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let markdown = read(dir.join("report.md"));
    assert!(markdown.starts_with("# ✕ 失败"), "{markdown}");
    assert!(markdown.contains("点击按钮 \"Catalogue\""), "{markdown}");
    let wrong = Ended::of(place.qa(&["demo", "--sim"]).env("QA_LANG", "de-DE"));
    assert_eq!(wrong.code, Some(64), "{wrong:?}");
}
