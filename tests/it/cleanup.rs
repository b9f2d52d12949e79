//! However `qa` ends, nothing of it is left behind (WEB-004, WEB-INV-05).

use std::collections::BTreeSet;
use std::io::Read as _;
use std::path::PathBuf;
use std::process::Child;

use qa_core::{Ended as EndedBy, Status};
use qa_report::Session;
use rustix::process::{Pid, Signal, kill_process};

use crate::process::{Process, descendants, left_over, wait_for};
use crate::program::{Ended, Place};
use crate::server::Shop;

/// A run of `qa` in which the browser is at work.
struct AtWork {
    place: Place,
    child: Child,
    session: PathBuf,
    /// Everything that it has started.
    processes: BTreeSet<Process>,
    _shop: Shop,
}

impl AtWork {
    /// Starts a long run and waits until it has stored some steps.
    fn start() -> Self {
        Self::with(&[])
    }

    fn with(args: &[&str]) -> Self {
        let shop = Shop::without_faults();
        let place = Place::new();
        let child = place
            .explore(shop.url(), &["--max-steps", "5000"])
            .args(args)
            .spawn()
            .unwrap();
        let session = wait_for("the third step", || {
            let dir = place.session()?;
            let steps = std::fs::read_to_string(dir.join("steps.jsonl")).ok()?;
            (steps.lines().count() >= 3).then_some(dir)
        });
        let processes = descendants(child.id());
        // The keeper of the profile, the browser, and at least one page.
        assert!(processes.len() >= 3, "{processes:?}");
        assert!(!profiles(&place).is_empty(), "the profile is elsewhere");
        Self {
            place,
            child,
            session,
            processes,
            _shop: shop,
        }
    }

    fn send(&self, signal: Signal) {
        let id = i32::try_from(self.child.id()).unwrap();
        kill_process(Pid::from_raw(id).unwrap(), signal).unwrap();
    }

    /// Waits until `qa` says something.
    fn wait_for_words(&mut self, words: &str) {
        let mut said = String::new();
        let stderr = self.child.stderr.as_mut().unwrap();
        while !said.contains(words) {
            let mut byte = [0];
            assert_eq!(stderr.read(&mut byte).unwrap(), 1, "not said: {words}");
            said.push(char::from(byte[0]));
        }
    }

    /// Sends a signal to `qa` alone, and waits for its end.
    fn signal(self, signal: Signal) -> Left {
        self.send(signal);
        Left {
            ended: Ended::wait(self.child),
            place: self.place,
            session: self.session,
            processes: self.processes,
        }
    }
}

/// What a run left.
struct Left {
    ended: Ended,
    place: Place,
    session: PathBuf,
    processes: BTreeSet<Process>,
}

impl Left {
    fn check_nothing_is_left(&self) {
        assert_nothing_left(&self.place, &self.processes);
    }

    /// The end of a run that was asked to stop: everything is there, and says so.
    fn check_proper_end(&self) {
        assert_eq!(self.ended.code, Some(130), "{:?}", self.ended);
        let session = Session::read(&self.session).unwrap();
        assert!(session.is_finished());
        assert_eq!(session.warnings, []);
        let outcome = session.outcome();
        assert_eq!(outcome.status, Status::Aborted);
        assert_eq!(outcome.ended, EndedBy::Interrupted);
        let codes: Vec<&str> = outcome.reasons.iter().map(|reason| &*reason.code).collect();
        assert_eq!(codes, ["INTERRUPTED"]);
        assert_eq!(outcome.steps as usize, session.steps.len());
        for report in ["report.html", "report.md", "report.json"] {
            assert!(self.session.join(report).is_file(), "{report}");
        }
        assert!(!self.session.join("lock").exists());
        let summary = self.ended.json();
        assert_eq!(summary["exit_code"], 130);
        assert_eq!(summary["status"], "aborted");
    }
}

fn assert_nothing_left(place: &Place, processes: &BTreeSet<Process>) {
    wait_for("the end of all processes", || {
        left_over(processes, &place.temporary())
            .is_empty()
            .then_some(())
    });
    wait_for("the end of the profile", || {
        profiles(place).is_empty().then_some(())
    });
}

/// The profile directories that are there.
fn profiles(place: &Place) -> Vec<String> {
    let entries = std::fs::read_dir(place.temporary()).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names
        .filter(|name| name.starts_with("qa-profile-"))
        .collect()
}

// WEB-004, WEB-INV-05
#[test]
fn nothing_is_left_after_a_normal_end() {
    let shop = Shop::without_faults();
    let place = Place::new();
    let ended = Ended::of(&mut place.explore(shop.url(), &["--max-steps", "3"]));
    assert_eq!(ended.code, Some(0), "{ended:?}");
    // `qa` itself waits for all of it.
    assert_eq!(profiles(&place), [""; 0]);
    assert_nothing_left(&place, &BTreeSet::new());
}

// WEB-004: the browser runs already when the session turns out to have no place.
#[test]
fn nothing_is_left_after_an_error() {
    let shop = Shop::without_faults();
    let place = Place::new();
    std::fs::write(place.out(), "no directory").unwrap();
    let ended = Ended::of(&mut place.explore(shop.url(), &[]));
    assert_eq!(ended.code, Some(70), "{ended:?}");
    assert_eq!(ended.stdout, "");
    assert!(ended.stderr.contains("--out"), "{ended:?}");
    assert_nothing_left(&place, &BTreeSet::new());
}

// WEB-004, EXP-131
#[test]
fn an_interrupt_ends_the_run_properly() {
    let left = AtWork::start().signal(Signal::INT);
    left.check_proper_end();
    left.check_nothing_is_left();
}

// WEB-004, EXP-131
#[test]
fn a_request_to_terminate_ends_the_run_properly() {
    let left = AtWork::start().signal(Signal::TERM);
    left.check_proper_end();
    left.check_nothing_is_left();
}

// WEB-004, EXP-131
#[test]
fn a_second_request_ends_the_run_at_once_and_its_session_says_so() {
    // On the real clock late crashes are waited for longer than a signal takes.
    let mut at_work = AtWork::with(&["--clock", "real"]);
    at_work.send(Signal::INT);
    at_work.wait_for_words("once more to stop at once");
    let left = at_work.signal(Signal::TERM);
    assert_eq!(left.ended.code, Some(130), "{:?}", left.ended);
    assert_eq!(left.ended.stdout, "");
    assert!(left.ended.stderr.contains("qa report"), "{:?}", left.ended);
    left.check_nothing_is_left();
    let session = Session::read(&left.session).unwrap();
    assert!(session.is_finished() && !session.live);
    let outcome = session.outcome();
    assert_eq!(outcome.status, Status::Aborted);
    assert_eq!(outcome.ended, EndedBy::Interrupted);
    assert!(outcome.reasons[0].text.contains("late crashes"));
    assert!(!left.session.join("lock").exists());
}

// WEB-004, EXP-INV-03
#[test]
fn a_killed_run_leaves_a_session_that_can_be_read_and_nothing_else() {
    let left = AtWork::start().signal(Signal::KILL);
    assert_eq!(left.ended.code, None);
    left.check_nothing_is_left();
    let session = Session::read(&left.session).unwrap();
    assert!(!session.is_finished());
    assert!(!session.live);
    assert_eq!(session.meta.status, Status::Running);
    assert!(session.steps.len() >= 3);
    let report = Ended::of(left.place.qa(&["report", "--json"]).arg(&left.session));
    assert_eq!(report.code, Some(0), "{report:?}");
    let summary = report.json();
    assert_eq!(summary["status"], "running");
    assert_eq!(summary["steps"], session.steps.len());
    assert!(left.session.join("report.html").is_file());
}
