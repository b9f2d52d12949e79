//! What a person may decide about a run.

use std::collections::BTreeSet;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{CrashKind, PageIdentity, SettlePolicy};

/// What a person may decide about a run. Made by [`ExploreConfig::new`], which takes the
/// defaults; [`ExploreConfig::validate`] refuses what cannot be.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ExploreConfig {
    /// Whose screens may be acted upon: origins, or one package or bundle id.
    pub boundary: Vec<String>,
    /// Hard limit of steps, launch included.
    pub max_steps: u32,
    /// Soft limit of real time.
    pub duration: Duration,
    /// Seed of every random choice.
    pub seed: u64,
    /// Where to go when nothing is unseen on a page.
    pub navigation: Navigation,
    /// How much two views may differ and still be one page.
    pub page_identity: PageIdentity,
    /// Words that mark an element as dangerous, beside the built-in ones.
    pub blocklist: Vec<String>,
    /// Whether and with what fields are filled.
    pub inputs: Inputs,
    /// Kinds that fail a run although they would not by themselves.
    pub fail_on: BTreeSet<CrashKind>,
    /// Kinds that do not fail a run although they would by themselves.
    pub tolerate: BTreeSet<CrashKind>,
    /// At most so many pages of one skeleton are explored (EXP-173).
    pub max_pages_per_skeleton: u32,
    /// Figures of the settle algorithm.
    pub settle: SettlePolicy,
}

/// Where to go when nothing is unseen on a page (D-03).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Navigation {
    /// By the shortest recorded way to the nearest page with something unseen.
    #[default]
    Frontier,
    /// One step back.
    Back,
}

/// Whether and with what text fields are filled (WEB-060).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Inputs {
    /// Nothing is typed.
    None,
    /// With made-up values that fit the field.
    #[default]
    Synthetic,
    /// As `Synthetic`, but these values first.
    Given(Vec<GivenInput>),
}

/// A value that the owner gave for a field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GivenInput {
    /// Label, form name, DOM id or test id of the field; compared without case.
    pub field: String,
    /// What to type.
    pub value: String,
}

/// A setting that cannot be (EXP-007 to EXP-009).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{setting} is {found}, but must be {must_be}")]
pub struct ConfigError {
    /// Which setting.
    pub setting: &'static str,
    /// What was given.
    pub found: String,
    /// What would do.
    pub must_be: &'static str,
}

impl ExploreConfig {
    /// Greatest number of steps of one run.
    pub const MAX_STEPS_LIMIT: u32 = 100_000;

    /// The defaults for a boundary: 30 steps, 10 minutes, frontier navigation, shape identity,
    /// synthetic inputs.
    #[must_use]
    pub fn new(boundary: Vec<String>) -> Self {
        Self {
            boundary,
            max_steps: 30,
            duration: Duration::from_secs(600),
            seed: 0,
            navigation: Navigation::default(),
            page_identity: PageIdentity::default(),
            blocklist: Vec::new(),
            inputs: Inputs::default(),
            fail_on: BTreeSet::new(),
            tolerate: BTreeSet::new(),
            max_pages_per_skeleton: 8,
            settle: SettlePolicy::EXPLORE,
        }
    }

    /// Refuses what cannot be, before anything has been touched.
    pub fn validate(&self) -> Result<(), ConfigError> {
        let refuse = |setting, found: String, must_be| {
            Err(ConfigError {
                setting,
                found,
                must_be,
            })
        };
        if !(1..=Self::MAX_STEPS_LIMIT).contains(&self.max_steps) {
            return refuse(
                "max_steps",
                self.max_steps.to_string(),
                "a whole number from 1 to 100000",
            );
        }
        if self.duration.is_zero() {
            return refuse("duration", "zero".into(), "longer than zero");
        }
        if self.boundary.is_empty() {
            return refuse("boundary", "empty".into(), "at least one origin or package");
        }
        Ok(())
    }
}
