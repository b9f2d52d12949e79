//! A run whose process is killed.

use std::io::{BufRead as _, BufReader, Read as _};

use qa_core::Replay;
use qa_report::Session;

use crate::program::{Ended, Place};
use crate::server::Shop;

// EXP-050, EXP-179, D-11: what was acknowledged is stored
#[test]
fn no_step_is_lost_that_was_acknowledged() {
    for after in [1, 2, 3, 5, 8, 13, 21] {
        let place = Place::new();
        let demo = ["demo", "--sim", "--max-steps", "200", "--out", "out"];
        let mut child = place.qa(&demo).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap());
        let mut seen = String::new();
        while acknowledged(&seen) < after {
            assert_ne!(lines.read_line(&mut seen).unwrap(), 0, "it ended: {seen}");
        }
        child.kill().unwrap();
        lines.read_to_string(&mut seen).unwrap();
        child.wait().unwrap();
        let said = acknowledged(&seen);

        let dir = place.session().unwrap();
        let read = Session::read(&dir).unwrap();
        assert!(!read.live && !read.is_finished());
        // One more may have been stored that nobody was told of.
        assert!((said..=said + 1).contains(&read.steps.len()), "{seen}");
        qa_report::render(&read).unwrap();
    }
}

// EXP-INV-07: what an app does once its server is gone proves nothing of it.
#[test]
fn a_run_whose_server_goes_away_is_not_green() {
    let shop = Shop::without_faults();
    let place = Place::new();
    let url = format!("{}/", shop.url());
    let mut command = place.qa(&[
        "explore",
        "--url",
        &url,
        "--max-steps",
        "40",
        "--out",
        "out",
    ]);
    let mut child = command.spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap());
    let mut seen = String::new();
    while acknowledged(&seen) < 5 {
        assert_ne!(lines.read_line(&mut seen).unwrap(), 0, "it ended: {seen}");
    }
    drop(shop);
    lines.read_to_string(&mut seen).unwrap();
    let ended = child.wait_with_output().unwrap();
    let told = String::from_utf8_lossy(&ended.stdout);
    assert!(matches!(ended.status.code(), Some(1 | 2)), "{told} {seen}");
    assert!(
        told.contains("does not any more") || told.contains("LAUNCH"),
        "{told}"
    );
}

// D-11, EXP-096: numbers go on, the first step is a new start, and the end is a proper one
#[test]
fn a_run_that_was_killed_is_resumed_to_its_end() {
    let shop = Shop::without_faults();
    let place = Place::new();
    let url = format!("{}/", shop.url());
    let mut command = place.qa(&["explore", "--url", &url, "--max-steps", "6", "--out", "out"]);
    let mut child = command.spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap());
    let mut seen = String::new();
    while acknowledged(&seen) < 3 {
        assert_ne!(lines.read_line(&mut seen).unwrap(), 0, "it ended: {seen}");
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let dir = place.session().unwrap();
    let before = Session::read(&dir).unwrap().steps;

    let dir_word = dir.to_str().unwrap();
    let resume = ["explore", "--resume", dir_word, "--json"];
    let refused = Ended::of(&mut place.qa(&[&resume[..], &["--seed", "2"]].concat()));
    assert_eq!(refused.code, Some(64), "{refused:?}");
    assert!(refused.stderr.contains("--seed stays"), "{refused:?}");

    let ended = Ended::of(&mut place.qa(&[&resume[..], &["--max-steps", "8"]].concat()));
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(ended.json()["steps"], 8);
    let whole = Session::read(&dir).unwrap();
    assert_eq!(whole.steps[..before.len()], before[..]);
    let next = &whole.steps[before.len()].record;
    assert_eq!(next.notes.replay, Some(Replay::Launch));
    assert_eq!(whole.meta.extra.config.max_steps, 8);
    assert_eq!(whole.meta.resumed[0].code, "RESUMED");

    let again = Ended::of(&mut place.qa(&resume));
    assert_eq!(again.code, Some(64), "{again:?}");
    assert!(again.stderr.contains("the run has ended"), "{again:?}");
}

/// Steps that the program has said to be done; the last line may be cut off.
fn acknowledged(stderr: &str) -> usize {
    let lines = stderr
        .split_inclusive('\n')
        .filter(|line| line.ends_with('\n'));
    let is_step = |line: &&str| {
        let mut words = line.split_whitespace();
        words.next().is_some_and(|word| word.parse::<u32>().is_ok())
            && matches!(words.next(), Some("ok" | "FAIL" | "skip"))
    };
    lines.filter(is_step).count()
}
