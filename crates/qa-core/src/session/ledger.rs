//! The numbered steps, crashes and failure latches of one run.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::{
    Crash, CrashKind, CrashRecord, CrashSummary, Reason, Replay, Severity, Signature, StepRecord,
};

/// The numbered steps, crashes and failure latches of one run. Numbers only grow, latches only
/// close.
#[derive(Debug, Clone)]
pub struct Ledger {
    max_steps: u32,
    /// Steps that were opened; equals the number of the last one.
    opened: u32,
    last_completed: u32,
    /// Numbers of the launch steps.
    launches: Vec<u32>,
    /// Ordinals of actions and the steps they belong to, both growing.
    ordinals: Vec<(u64, u32)>,
    crashes: Book,
    findings: Book,
    latches: Latches,
}

/// A step that may be taken: its number is used up, and must be closed.
#[derive(Debug, PartialEq, Eq)]
#[must_use = "an opened step that is never closed leaves a gap in the numbers"]
pub struct OpenStep {
    /// Its number.
    pub index: u32,
}

/// What became of a piece of evidence.
#[derive(Debug, Clone, PartialEq)]
pub enum Filed {
    /// To be archived.
    New(CrashRecord),
    /// Counted on an earlier record of the same defect and step (WEB-043).
    Counted,
}

/// Failures that a run never recovers from (EXP-044, EXP-045). Each holds what was said, first
/// things first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Latches {
    /// A crash could not be archived.
    pub crash_archive: Vec<String>,
    /// The crash watch ended or never began.
    pub capture: Vec<String>,
    /// A query for crashes was not answered, or the answers never came to an end.
    pub crash_query: Vec<String>,
    /// The app crashed while it was started.
    pub forced_failure: Vec<Reason>,
    /// The exploration could not go on.
    pub aborted: Vec<Reason>,
}

impl Latches {
    /// Whether evidence may be missing.
    #[must_use]
    pub fn evidence_lost(&self) -> bool {
        !(self.crash_archive.is_empty() && self.capture.is_empty() && self.crash_query.is_empty())
    }

    /// Everything that was said, with its code.
    #[must_use]
    pub fn reasons(&self) -> Vec<Reason> {
        let coded = |code: &str, texts: &[String]| -> Vec<Reason> {
            let reason = |text: &String| Reason {
                code: code.to_owned(),
                text: text.clone(),
            };
            texts.iter().map(reason).collect()
        };
        [
            self.forced_failure.clone(),
            coded("CRASH_ARCHIVE_FAILED", &self.crash_archive),
            coded("CAPTURE_FAILED", &self.capture),
            coded("CRASH_QUERY_FAILED", &self.crash_query),
            self.aborted.clone(),
        ]
        .concat()
    }
}

/// The records of one severity, and how often each came up.
#[derive(Debug, Clone, Default)]
struct Book {
    summaries: Vec<CrashSummary>,
    known: FxHashMap<(Signature, u32), usize>,
}

impl Book {
    fn take_up(summaries: &[CrashSummary]) -> Self {
        let identity =
            |(at, summary): (usize, &CrashSummary)| ((summary.signature.clone(), summary.step), at);
        Self {
            known: summaries.iter().enumerate().map(identity).collect(),
            summaries: summaries.to_vec(),
        }
    }
}

impl Ledger {
    /// An empty ledger for at most so many steps.
    #[must_use]
    pub fn new(max_steps: u32) -> Self {
        Self {
            max_steps,
            opened: 0,
            last_completed: 0,
            launches: Vec::new(),
            ordinals: Vec::new(),
            crashes: Book::default(),
            findings: Book::default(),
            latches: Latches::default(),
        }
    }

    /// The ledger of a run that goes on with another one. The device counts its actions anew.
    #[must_use]
    pub fn take_up(
        max_steps: u32,
        steps: &[StepRecord],
        crashes: &[CrashSummary],
        findings: &[CrashSummary],
    ) -> Self {
        let last = steps.last().map_or(0, |step| step.index);
        let is_launch = |step: &&StepRecord| step.notes.replay == Some(Replay::Launch);
        let launches = steps.iter().filter(is_launch);
        Self {
            opened: last,
            last_completed: last,
            launches: launches.map(|step| step.index).collect(),
            crashes: Book::take_up(crashes),
            findings: Book::take_up(findings),
            ..Self::new(max_steps)
        }
    }

    /// Uses up the next number, if there is one left: check and consumption are one (EXP-087).
    #[must_use]
    pub fn open_step(&mut self) -> Option<OpenStep> {
        if self.opened >= self.max_steps {
            return None;
        }
        self.opened += 1;
        Some(OpenStep { index: self.opened })
    }

    /// Says that a step is stored. From now on evidence may refer to it (EXP-088).
    pub fn close_step(&mut self, step: OpenStep, is_launch: bool, ordinal: Option<u64>) {
        self.last_completed = step.index;
        if is_launch {
            self.launches.push(step.index);
        }
        if let Some(ordinal) = ordinal {
            self.ordinals.push((ordinal, step.index));
        }
    }

    /// Steps used so far.
    #[must_use]
    pub fn steps(&self) -> u32 {
        self.opened
    }

    /// Steps that may still be taken.
    #[must_use]
    pub fn steps_left(&self) -> u32 {
        self.max_steps.saturating_sub(self.opened)
    }

    /// Number of the last stored step; zero before the first.
    #[must_use]
    pub fn last_completed(&self) -> u32 {
        self.last_completed
    }

    /// The steps from the last start of the app to a stored step (EXP-092).
    #[must_use]
    pub fn repro_path(&self, step: u32) -> Vec<u32> {
        let launch = self.launches.iter().rev().find(|&&launch| launch <= step);
        (launch.copied().unwrap_or(step)..=step).collect()
    }

    /// The step that evidence belongs to: the one whose action was the last to begin before it
    /// happened, or `current` where the evidence cannot tell or is newer than every stored step.
    #[must_use]
    pub fn attribute(&self, crash: &Crash, current: u32) -> u32 {
        let Some(after) = crash.after_action else {
            return current;
        };
        let later = self
            .ordinals
            .partition_point(|(ordinal, _)| *ordinal <= after);
        match (self.ordinals.get(later), later.checked_sub(1)) {
            // Some step began after it: it belongs to the one before that.
            (Some(_), Some(before)) => self.ordinals[before].1,
            (Some((_, first)), None) => *first,
            (None, Some(last)) if self.ordinals[last].0 == after => self.ordinals[last].1,
            (None, _) => current,
        }
    }

    /// Files a piece of evidence under a stored step.
    pub fn file(&mut self, crash: Crash, step: u32) -> Filed {
        let repro_path = self.repro_path(step);
        let (book, letter) = match crash.severity {
            Severity::Crash => (&mut self.crashes, 'c'),
            Severity::Finding => (&mut self.findings, 'f'),
        };
        let identity = (crash.signature.clone(), step);
        if let Some(&known) = book.known.get(&identity) {
            book.summaries[known].count += crash.count;
            return Filed::Counted;
        }
        let id = format!("{letter}{}", book.summaries.len() + 1);
        book.known.insert(identity, book.summaries.len());
        book.summaries.push(CrashSummary {
            id: id.clone(),
            kind: crash.kind,
            signature: crash.signature.clone(),
            label: crash.label.clone(),
            step,
            count: crash.count,
            repro_path: repro_path.clone(),
        });
        Filed::New(CrashRecord {
            id,
            step_index: step,
            repro_path,
            crash,
        })
    }

    /// Crashes filed so far, with their counts.
    #[must_use]
    pub fn crashes(&self) -> &[CrashSummary] {
        &self.crashes.summaries
    }

    /// How many findings of each kind were filed.
    #[must_use]
    pub fn findings(&self) -> BTreeMap<CrashKind, u64> {
        let mut counts = BTreeMap::new();
        for finding in &self.findings.summaries {
            *counts.entry(finding.kind).or_default() += 1;
        }
        counts
    }

    /// The latches.
    #[must_use]
    pub fn latches(&self) -> &Latches {
        &self.latches
    }

    /// Closes the latch that a crash could not be archived.
    pub fn crash_archive_failed(&mut self, text: impl Into<String>) {
        self.latches.crash_archive.push(text.into());
    }

    /// Closes the latch that the crash watch ended.
    pub fn capture_failed(&mut self, text: impl Into<String>) {
        self.latches.capture.push(text.into());
    }

    /// Closes the latch that crashes could not be asked for.
    pub fn crash_query_failed(&mut self, text: impl Into<String>) {
        self.latches.crash_query.push(text.into());
    }

    /// Closes the latch that the app crashed while it was started.
    pub fn force_failure(&mut self, code: &str, text: impl Into<String>) {
        self.latches.forced_failure.push(reason(code, text));
    }

    /// Closes the latch that exploring could not go on.
    pub fn abort(&mut self, code: &str, text: impl Into<String>) {
        self.latches.aborted.push(reason(code, text));
    }
}

fn reason(code: &str, text: impl Into<String>) -> Reason {
    Reason {
        code: code.to_owned(),
        text: text.into(),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn crash(name: &str, after_action: Option<u64>) -> Crash {
        Crash {
            kind: CrashKind::Java,
            severity: Severity::Crash,
            signature: Signature(name.into()),
            label: name.into(),
            stack: String::new(),
            count: 1,
            after_action,
            place: None,
            at: Duration::ZERO,
            ends_path: true,
        }
    }

    /// Steps 1 (launch), 2, 3 (launch) and 4, with ordinals 1, 2, 4 and 7.
    fn four_steps() -> Ledger {
        let mut ledger = Ledger::new(4);
        for (launch, ordinal) in [(true, 1), (false, 2), (true, 4), (false, 7)] {
            let step = ledger.open_step().unwrap();
            ledger.close_step(step, launch, Some(ordinal));
        }
        ledger
    }

    // EXP-087
    #[test]
    fn no_step_is_opened_beyond_the_limit() {
        let mut ledger = four_steps();
        assert_eq!(ledger.open_step(), None);
        assert_eq!((ledger.steps(), ledger.steps_left()), (4, 0));
    }

    // EXP-092
    #[test]
    fn a_path_begins_at_the_last_launch() {
        let ledger = four_steps();
        assert_eq!(ledger.repro_path(2), [1, 2]);
        assert_eq!(ledger.repro_path(3), [3]);
        assert_eq!(ledger.repro_path(4), [3, 4]);
    }

    // WEB-045
    #[test]
    fn evidence_belongs_to_the_last_action_begun_before_it() {
        let ledger = four_steps();
        for (after, step) in [(1, 1), (2, 2), (3, 2), (4, 3), (6, 3), (7, 4)] {
            assert_eq!(
                ledger.attribute(&crash("a", Some(after)), 4),
                step,
                "{after}"
            );
        }
        assert_eq!(ledger.attribute(&crash("a", None), 4), 4);
        assert_eq!(ledger.attribute(&crash("a", Some(8)), 5), 5);
    }

    // WEB-043, EXP-094
    #[test]
    fn the_same_defect_at_the_same_step_is_one_record() {
        let mut ledger = four_steps();
        let Filed::New(first) = ledger.file(crash("a", None), 2) else {
            panic!("the first one is new");
        };
        assert_eq!((first.id.as_str(), first.step_index), ("c1", 2));
        assert_eq!(ledger.file(crash("a", None), 2), Filed::Counted);
        let Filed::New(second) = ledger.file(crash("a", None), 4) else {
            panic!("another step is another record");
        };
        assert_eq!(second.id, "c2");
        let counts: Vec<_> = ledger.crashes().iter().map(|crash| crash.count).collect();
        assert_eq!(counts, [2, 1]);
    }
}
