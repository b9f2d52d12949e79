//! Several scenarios, each in one attempt or more: what came of them, in all reports and after
//! shards and reruns were put together. A retry never turns anything into a pass: what passed in
//! some attempts only is `flaky`.

mod junit;
mod markdown;
mod merge;

use jiff::Timestamp;
use qa_redact::Redactor;
use serde::{Deserialize, Serialize};

use crate::{RunReport, RunStatus, markdown as run_markdown};

pub use junit::{JunitError, junit};
pub use markdown::suite_markdown;
pub use merge::{SuiteError, merge_suites};

/// The version of the file that holds a [`Suite`].
pub const SUITE_SCHEMA: u32 = 1;

/// What came of several scenarios.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Suite {
    /// The version of this format.
    pub schema_version: u32,
    /// The version of `qa` that made it.
    pub tool: String,
    /// The shards that it holds; none where the job was not sharded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shards: Vec<Shard>,
    /// A digest of the files of the whole job, where it was sharded: parts that were given
    /// other files are parts of other jobs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// It was put together, so that all shards should be there.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub merged: bool,
    /// Its scenarios, in the order in which they were given.
    pub scenarios: Vec<Case>,
}

/// One of several parts of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Shard {
    /// Which, from 1.
    pub index: u32,
    /// Of how many.
    pub of: u32,
}

impl Shard {
    /// Whether the scenario at a position, from 1, belongs to this part.
    #[must_use]
    pub fn has(self, position: u32) -> bool {
        position.wrapping_sub(1) % self.of.max(1) + 1 == self.index
    }
}

/// One scenario, in all its attempts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Case {
    /// Its place among all that were given, shards included, from 1.
    pub position: u32,
    /// Its file, as it was given.
    pub file: String,
    /// The first 40 hex digits of the file's SHA-256.
    pub digest: String,
    /// Its name.
    pub name: String,
    /// What came of it in all.
    pub status: CaseStatus,
    /// The attempts, the first one first; none where it was not run any more.
    pub attempts: Vec<Attempt>,
}

/// One run of a scenario.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Attempt {
    /// What came of it.
    pub status: RunStatus,
    /// The code of what went wrong first, or why a step proves nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// One sentence on that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The step that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step_index: Option<u64>,
    /// How many steps were begun.
    pub steps: usize,
    /// RFC 3339.
    pub started_at: String,
    /// RFC 3339.
    pub finished_at: String,
    /// Its `report.json`, seen from the directory of the suite.
    pub report: String,
    /// Its report for people, unless it passed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<String>,
}

/// What came of a scenario, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CaseStatus {
    /// It passed in each attempt.
    Pass,
    /// It passed in some attempts only: not a pass.
    Flaky,
    /// Something was not proven, and nothing failed.
    Inconclusive,
    /// It was not run any more.
    NotRun,
    /// The app could not be started.
    Blocked,
    /// Something failed.
    Fail,
}

impl CaseStatus {
    /// What comes of attempts.
    #[must_use]
    pub fn of(attempts: &[Attempt]) -> Self {
        let all = || attempts.iter().map(|attempt| attempt.status);
        let one = |status: RunStatus| match status {
            RunStatus::Pass => Self::Pass,
            RunStatus::Inconclusive => Self::Inconclusive,
            RunStatus::Blocked => Self::Blocked,
            RunStatus::Fail => Self::Fail,
        };
        let worst = all().map(one).max().unwrap_or(Self::NotRun);
        let has_passed = all().any(|status| status == RunStatus::Pass);
        if has_passed && worst != Self::Pass {
            Self::Flaky
        } else {
            worst
        }
    }

    /// The word in reports.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Flaky => "flaky",
            Self::Inconclusive => "inconclusive",
            Self::NotRun => "not-run",
            Self::Blocked => "blocked",
            Self::Fail => "fail",
        }
    }

    /// The exit code of D-01: what is neither proven nor refuted is 2.
    #[must_use]
    pub const fn exit_code(self) -> u8 {
        match self {
            Self::Pass => 0,
            Self::Fail => 1,
            Self::Flaky | Self::Inconclusive | Self::NotRun => 2,
            Self::Blocked => 69,
        }
    }
}

impl Attempt {
    /// What a report says, in short; its details are redacted.
    #[must_use]
    pub fn of(run: &RunReport, report: String, redactor: &Redactor) -> Self {
        let failure = run.failure.as_ref();
        let unproven = run.unproven().filter(|_| failure.is_none());
        Self {
            status: run.status,
            reason: run.reason().map(str::to_owned),
            message: failure
                .map(|failure| failure.message.clone())
                .or_else(|| unproven.map(|unproven| unproven.message.to_owned())),
            step_index: failure
                .and_then(|failure| failure.step_index)
                .or(unproven.and_then(|unproven| unproven.step_index)),
            steps: run.steps.len(),
            started_at: run.started_at.clone(),
            finished_at: run.finished_at.clone(),
            report,
            details: (run.status != RunStatus::Pass).then(|| run_markdown(run, redactor)),
        }
    }

    /// How long it took, where both ends are known.
    #[must_use]
    pub fn duration(&self) -> Option<std::time::Duration> {
        let start: Timestamp = self.started_at.parse().ok()?;
        let end: Timestamp = self.finished_at.parse().ok()?;
        end.duration_since(start).try_into().ok()
    }
}

impl Case {
    /// A scenario with what came of it.
    #[must_use]
    pub fn new(
        position: u32,
        file: impl Into<String>,
        name: impl Into<String>,
        attempts: Vec<Attempt>,
    ) -> Self {
        Self {
            position,
            file: file.into(),
            digest: String::new(),
            name: name.into(),
            status: CaseStatus::of(&attempts),
            attempts,
        }
    }
}

impl Suite {
    /// Scenarios that were run here and now.
    #[must_use]
    pub fn new(shard: Option<Shard>, scenarios: Vec<Case>) -> Self {
        Self {
            schema_version: SUITE_SCHEMA,
            tool: env!("CARGO_PKG_VERSION").to_owned(),
            shards: shard.into_iter().collect(),
            digest: None,
            merged: false,
            scenarios,
        }
    }

    /// The shards that should be there and are not: a job that lacks one proves nothing as a whole.
    /// A shard that was not put together with others lacks none.
    #[must_use]
    pub fn missing_shards(&self) -> Vec<u32> {
        let first = self.shards.first().filter(|_| self.merged);
        let of = first.map_or(0, |shard| shard.of);
        (1..=of)
            .filter(|index| self.shards.iter().all(|shard| shard.index != *index))
            .collect()
    }

    /// The worst of all its scenarios. A shard alone is judged by what it has; where shards were put
    /// together and one is missing, that is no pass.
    #[must_use]
    pub fn status(&self) -> CaseStatus {
        let worst = self.scenarios.iter().map(|case| case.status).max();
        let worst = match worst {
            Some(worst) => worst,
            // A shard may have nothing to do.
            None if !self.shards.is_empty() => CaseStatus::Pass,
            None => CaseStatus::NotRun,
        };
        if self.missing_shards().is_empty() {
            worst
        } else {
            worst.max(CaseStatus::NotRun)
        }
    }

    /// How many scenarios have each status, the best first.
    #[must_use]
    pub fn counts(&self) -> Vec<(CaseStatus, usize)> {
        let all = [
            CaseStatus::Pass,
            CaseStatus::Flaky,
            CaseStatus::Inconclusive,
            CaseStatus::NotRun,
            CaseStatus::Blocked,
            CaseStatus::Fail,
        ];
        let count = |status| {
            self.scenarios
                .iter()
                .filter(|case| case.status == status)
                .count()
        };
        all.into_iter()
            .map(|status| (status, count(status)))
            .filter(|(_, count)| *count > 0)
            .collect()
    }
}
