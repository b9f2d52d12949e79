//! What all runs came to.

use std::collections::{BTreeMap, BTreeSet};

use super::mutation::Class;
use super::oracle::Expected;
use crate::failure::Failure;
use crate::table;

/// One scenario on one changed shop.
#[derive(Debug)]
pub(super) struct Outcome {
    pub(super) number: usize,
    pub(super) class: Class,
    /// The mutation in words.
    pub(super) what: String,
    pub(super) scenario: String,
    pub(super) expected: Expected,
    /// The page was changed in this run.
    pub(super) took_effect: bool,
    pub(super) passed: bool,
    /// Why it did not pass.
    pub(super) why: String,
    /// What the witness knows against a pass.
    pub(super) doubt: Option<String>,
}

impl Outcome {
    /// Whether it had to notice something.
    fn is_broken(&self) -> bool {
        self.expected == Expected::MustNotPass && self.took_effect
    }

    fn is_false_pass(&self) -> bool {
        self.passed && (self.is_broken() || self.doubt.is_some())
    }

    fn is_false_fail(&self) -> bool {
        !self.passed && self.expected == Expected::MustPass
    }

    /// Says what is wrong with it, as soon as it is known.
    pub(super) fn tell(&self) {
        let Self {
            number,
            what,
            scenario,
            why,
            ..
        } = self;
        if self.is_false_pass() {
            let doubt = self.doubt.as_deref().unwrap_or("the oracle says so");
            eprintln!("FALSE PASS: mutation {number} {what}\n  {scenario}: {doubt}");
        } else if self.is_false_fail() {
            eprintln!("FALSE FAIL: mutation {number} {what}\n  {scenario}: {why}");
        } else if !self.passed && self.class == Class::SlowContent {
            eprintln!("late content: mutation {number} {what}\n  {scenario}: {why}");
        }
    }
}

/// Counts of one class.
#[derive(Debug, Default)]
struct Row {
    pairs: usize,
    broken: usize,
    noticed: usize,
    false_passes: usize,
    must_pass: usize,
    false_fails: usize,
    either_passed: usize,
    either_failed: usize,
    no_effect: usize,
}

/// All outcomes.
#[derive(Debug)]
pub(super) struct Tally {
    outcomes: Vec<Outcome>,
}

impl Tally {
    pub(super) fn of(outcomes: Vec<Outcome>) -> Self {
        Self { outcomes }
    }

    /// Runs in which something that the scenario lists was broken.
    #[cfg(test)]
    pub(super) fn must_not_pass(&self) -> usize {
        let broken = self.outcomes.iter().filter(|outcome| outcome.is_broken());
        broken.count()
    }

    pub(super) fn print(&self) {
        let mut rows: BTreeMap<Class, Row> = BTreeMap::new();
        for outcome in &self.outcomes {
            let row = rows.entry(outcome.class).or_default();
            row.pairs += 1;
            row.false_passes += usize::from(outcome.is_false_pass());
            row.false_fails += usize::from(outcome.is_false_fail());
            match outcome.expected {
                Expected::MustNotPass if outcome.took_effect => {
                    row.broken += 1;
                    row.noticed += usize::from(!outcome.passed);
                }
                Expected::MustNotPass => row.no_effect += 1,
                Expected::MustPass => row.must_pass += 1,
                Expected::Either if outcome.passed => row.either_passed += 1,
                Expected::Either => row.either_failed += 1,
            }
        }
        let mut all = Row::default();
        let mut lines = Vec::new();
        for (class, row) in &rows {
            lines.push(row.line(class.as_str()));
            all.add(row);
        }
        lines.push(all.line("all"));
        let mutations: BTreeSet<usize> = self.outcomes.iter().map(|it| it.number).collect();
        println!(
            "{} mutations, {} runs",
            mutations.len(),
            self.outcomes.len()
        );
        table::print(
            &[
                "class",
                "runs",
                "broken",
                "noticed",
                "recall",
                "false pass",
                "must pass",
                "false fail",
                "open: pass",
                "open: not",
                "no effect",
            ],
            &lines,
        );
    }

    /// A green that was not proven, or a red for what came in time, fails the whole.
    pub(super) fn verdict(&self) -> Result<(), Failure> {
        let false_passes = self.outcomes.iter().filter(|it| it.is_false_pass()).count();
        let false_fails = self
            .outcomes
            .iter()
            .filter(|it| it.class == Class::DelayedWithin && it.is_false_fail())
            .count();
        if false_passes + false_fails == 0 {
            return Ok(());
        }
        Err(Failure::failed(format!(
            "{false_passes} runs passed though something was broken, {false_fails} did not though \
             all came in time"
        )))
    }
}

impl Row {
    fn add(&mut self, other: &Self) {
        self.pairs += other.pairs;
        self.broken += other.broken;
        self.noticed += other.noticed;
        self.false_passes += other.false_passes;
        self.must_pass += other.must_pass;
        self.false_fails += other.false_fails;
        self.either_passed += other.either_passed;
        self.either_failed += other.either_failed;
        self.no_effect += other.no_effect;
    }

    fn line(&self, name: &str) -> Vec<String> {
        let recall = match self.broken {
            0 => "-".to_owned(),
            broken => format!("{} %", self.noticed * 100 / broken),
        };
        let numbers = [
            self.false_passes,
            self.must_pass,
            self.false_fails,
            self.either_passed,
            self.either_failed,
            self.no_effect,
        ];
        let first = [
            name.to_owned(),
            self.pairs.to_string(),
            self.broken.to_string(),
            self.noticed.to_string(),
            recall,
        ];
        first
            .into_iter()
            .chain(numbers.iter().map(usize::to_string))
            .collect()
    }
}
