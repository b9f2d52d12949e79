//! The words of the settle algorithm: its figures and what it found.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::Clock;

/// How a view came to rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Settle {
    /// It changed and then was quiet.
    #[serde(rename = "settled-changed")]
    Changed,
    /// It never differed from the view before the action.
    #[serde(rename = "settled-unchanged")]
    Unchanged,
    /// It was never quiet long enough. Proves nothing.
    #[serde(rename = "unsettled")]
    Unsettled,
}

/// The figures of the algorithm, all in app time (REP-039, EXP-082).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SettlePolicy {
    /// After this long an unsettled view gives up, or widens.
    pub budget: Duration,
    /// Quiet time that is enough where nothing changed.
    pub quiet: Duration,
    /// Quiet time that is enough after a change.
    pub post_quiet: Duration,
    /// Time between two looks; drivers may ask for a longer one.
    pub interval: Duration,
    /// The wider budget, used once in a session; zero never widens.
    pub adaptive: Duration,
    /// After this long without any change, "nothing changed" is concluded; `budget` when
    /// something is to be proven, 1,500 ms while exploring (D-04).
    pub unchanged_after: Duration,
}

impl SettlePolicy {
    /// Figures for exploring.
    pub const EXPLORE: Self = Self {
        budget: Duration::from_millis(2500),
        quiet: Duration::from_millis(300),
        post_quiet: Duration::from_millis(600),
        interval: Duration::from_millis(50),
        adaptive: Duration::from_millis(6000),
        unchanged_after: Duration::from_millis(1500),
    };

    /// Figures for proving something.
    pub const PROVE: Self = Self {
        unchanged_after: Self::EXPLORE.budget,
        ..Self::EXPLORE
    };
}

/// What the algorithm found, stored with a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SettleRecord {
    /// How it ended.
    pub outcome: Settle,
    /// How many looks it took.
    pub passes: u32,
    /// App time it took, in milliseconds.
    pub elapsed_ms: u64,
    /// The clock it ran on.
    pub clock: Clock,
    /// The wider budget was used.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub widened: bool,
    /// What was to come had come, before all was quiet.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub proven_early: bool,
    /// What still ran and was left out of account: long polls, endless animations.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ignored: Vec<String>,
}
