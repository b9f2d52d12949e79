//! `meta.json`: what a session is, how it was set up and how it ended.

use std::time::Duration;

use qa_core::{
    Capability, Clock, CrashKind, ExploreConfig, Inputs, Navigation, Outcome, PageIdentity,
    Platform, Reason, Status,
};
use serde::{Deserialize, Serialize};

use super::SessionStart;
use crate::Language;

/// The version of the session directory that this crate writes, and the newest it reads.
pub const SESSION_SCHEMA: u32 = 1;

/// The content of `meta.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Meta {
    /// Version of the whole directory's format.
    pub schema: u32,
    /// Name of the directory.
    pub id: String,
    /// The name that the owner gave.
    pub name: String,
    /// RFC 3339, with the offset of the machine.
    pub started_at: String,
    /// As `started_at`; absent while it runs and after it was killed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<String>,
    /// The verdict; `running` until the end was stored.
    pub status: Status,
    /// Language of the reports.
    pub report_language: Language,
    /// Fields that redaction did not know and left out; more than none is a fault of this program.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub dropped_fields: usize,
    /// When it was resumed, and what was lost or repaired then.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resumed: Vec<Reason>,
    /// How it was set up.
    pub extra: Setup,
    /// How it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// How a session was set up: all that is told of the machine it ran on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setup {
    /// Version of the program.
    pub version: String,
    /// What was driven.
    pub driver: DriverSetup,
    /// What was asked for.
    pub config: ConfigSetup,
    /// Size of the viewport in the unit of [`touched`](qa_core::StepNotes::touched), where known:
    /// pictures may have more pixels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub viewport: Option<(f64, f64)>,
    /// The options on the command line that make such a run again, each with its value as one
    /// word; a value that is not kept is a marker.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arguments: Vec<String>,
}

/// What was driven, of [`DriverInfo`](qa_core::DriverInfo).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(
    missing_docs,
    reason = "each field has the meaning of its namesake in `DriverInfo`"
)]
pub struct DriverSetup {
    pub platform: Platform,
    pub contract: u32,
    pub device: String,
    pub target: String,
    pub capabilities: Vec<Capability>,
    pub clock: Clock,
    pub poll_interval_ms: u64,
    pub remarks: Vec<String>,
}

/// What was asked for, of [`ExploreConfig`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(
    missing_docs,
    reason = "each field has the meaning of its namesake in `ExploreConfig`"
)]
pub struct ConfigSetup {
    /// Origins end with a slash here.
    pub boundary: Vec<String>,
    pub max_steps: u32,
    pub duration_ms: u64,
    pub seed: u64,
    pub navigation: Navigation,
    pub page_identity: PageIdentity,
    pub blocklist: Vec<String>,
    /// `none`, `synthetic` or `given`.
    pub inputs: String,
    /// How many values the owner gave. Those that were typed are in the steps.
    pub given_inputs: usize,
    pub fail_on: Vec<CrashKind>,
    pub tolerate: Vec<CrashKind>,
    pub max_pages_per_skeleton: u32,
}

impl Setup {
    pub(crate) fn new(start: &SessionStart<'_>) -> Self {
        let (driver, config) = (start.driver, start.config);
        let (inputs, given_inputs) = match &config.inputs {
            Inputs::None => ("none", 0),
            Inputs::Synthetic => ("synthetic", 0),
            Inputs::Given(values) => ("given", values.len()),
        };
        Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            driver: DriverSetup {
                platform: driver.platform,
                contract: driver.contract,
                device: driver.device.clone(),
                target: driver.target.clone(),
                capabilities: driver.capabilities.iter().copied().collect(),
                clock: driver.clock,
                poll_interval_ms: millis(driver.poll_interval),
                remarks: driver.remarks.clone(),
            },
            config: ConfigSetup {
                boundary: config.boundary.iter().map(|place| address(place)).collect(),
                max_steps: config.max_steps,
                duration_ms: millis(config.duration),
                seed: config.seed,
                navigation: config.navigation,
                page_identity: config.page_identity,
                blocklist: config.blocklist.clone(),
                inputs: inputs.to_owned(),
                given_inputs,
                fail_on: config.fail_on.iter().copied().collect(),
                tolerate: config.tolerate.iter().copied().collect(),
                max_pages_per_skeleton: config.max_pages_per_skeleton,
            },
            viewport: start.viewport,
            arguments: start.arguments.to_vec(),
        }
    }
}

impl ConfigSetup {
    /// What was asked for, to ask for it again. Values that the owner gave are not stored, so
    /// `inputs` are to be given anew. Texts that redaction changed are as it left them.
    #[must_use]
    pub fn to_config(&self, inputs: Inputs) -> ExploreConfig {
        let boundary = self
            .boundary
            .iter()
            .map(|place| match place.contains("://") {
                true => place.trim_end_matches('/').to_owned(),
                false => place.clone(),
            });
        let mut config = ExploreConfig::new(boundary.collect());
        config.max_steps = self.max_steps;
        config.duration = Duration::from_millis(self.duration_ms);
        config.seed = self.seed;
        config.navigation = self.navigation;
        config.page_identity = self.page_identity;
        config.blocklist.clone_from(&self.blocklist);
        config.inputs = inputs;
        config.fail_on = self.fail_on.iter().copied().collect();
        config.tolerate = self.tolerate.iter().copied().collect();
        config.max_pages_per_skeleton = self.max_pages_per_skeleton;
        config
    }
}

/// An origin as the address of its root: only addresses are kept readable by redaction.
fn address(place: &str) -> String {
    if place.contains("://") && !place.ends_with('/') {
        format!("{place}/")
    } else {
        place.to_owned()
    }
}

/// The present, as sessions and reports state it: RFC 3339 with the offset of the machine.
#[must_use]
pub fn timestamp() -> String {
    let now = jiff::Zoned::now();
    now.strftime("%Y-%m-%dT%H:%M:%S%.3f%:z").to_string()
}

pub(crate) fn millis(span: Duration) -> u64 {
    u64::try_from(span.as_millis()).unwrap_or(u64::MAX)
}
