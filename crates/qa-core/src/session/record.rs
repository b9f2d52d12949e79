//! What a session stores: the records that an [`Archive`](crate::Archive) is given.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Crash, CrashKind, Status};
use crate::{Completeness, ElementKey, Fingerprint, Notice, Receipt, SettleRecord};

/// One step of a session: an action, what came of it, and where it led.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StepRecord {
    /// 1, 2, 3, … without gaps.
    pub index: u32,
    /// One readable line (`tap button "Add to cart"`).
    pub action: String,
    /// How it ended.
    pub result: StepResult,
    /// Where and how: machine-readable.
    pub notes: StepNotes,
}

/// How a step ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StepResult {
    /// Done, and nothing crashed.
    Ok,
    /// Could not be done, or something crashed.
    Fail,
    /// Left out.
    Skip,
}

/// The machine-readable part of a step (EXP-083 to EXP-086).
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct StepNotes {
    /// What to do to do it again; absent where nothing was executed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replay: Option<Replay>,
    /// Page before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page_from: Option<Fingerprint>,
    /// Page after; absent when the app was left or crashed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page_to: Option<Fingerprint>,
    /// Address after the step; web only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// What the page is, in one line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observation: Option<String>,
    /// A hop on the way to a page with something unseen.
    #[serde(skip_serializing_if = "is_false")]
    pub navigation: bool,
    /// Acted by coordinates from a picture.
    pub via_screenshot: bool,
    /// Nothing was executed that could be replayed.
    #[serde(skip_serializing_if = "is_false")]
    pub non_replayable: bool,
    /// A picture was masked or left out.
    #[serde(skip_serializing_if = "is_false")]
    pub screenshot_redacted: bool,
    /// Why the step was not `ok`, as a stable code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The device's acknowledgement.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub receipt: Option<Receipt>,
    /// How the view came to rest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settle: Option<SettleRecord>,
    /// Dialogs, pop-ups, downloads and the like.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<Notice>,
    /// Where the touched element was, in the unit of the platform: `[x, y, width, height]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub touched: Option<[f64; 4]>,
    /// What the view after the step left out, if anything.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub incomplete: Option<Completeness>,
    /// App time at the end of the step, in milliseconds since the session began.
    pub app_ms: u64,
}

fn is_false(value: &bool) -> bool {
    !*value
}

/// What to do to do a step again. Elements are named by key.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "action_type", rename_all = "snake_case")]
pub enum Replay {
    /// Start the app from a clean state.
    Launch,
    /// Tap an element.
    Tap {
        /// Which.
        element_key: ElementKey,
    },
    /// Replace the content of a field.
    InputText {
        /// Which.
        element_key: ElementKey,
        /// With what; absent if it was sensitive.
        #[serde(skip_serializing_if = "Option::is_none")]
        input_value: Option<String>,
        /// The text was sensitive and is not stored.
        #[serde(default, skip_serializing_if = "is_false")]
        input_redacted: bool,
    },
    /// Choose an option.
    Select {
        /// Of which list.
        element_key: ElementKey,
        /// Label of the option, else its value.
        option: String,
    },
    /// Press a keyboard key in an element.
    PressKey {
        /// Where; nowhere in particular if absent.
        #[serde(skip_serializing_if = "Option::is_none")]
        element_key: Option<ElementKey>,
        /// Which key.
        key: String,
    },
    /// Press a button of the device, or step back in the history.
    PressButton {
        /// `BACK`.
        button: String,
    },
    /// Scroll.
    Scroll {
        /// What; the page if absent.
        #[serde(skip_serializing_if = "Option::is_none")]
        element_key: Option<ElementKey>,
        /// To the right.
        dx: i32,
        /// Down.
        dy: i32,
    },
    /// Go to an address.
    Navigate {
        /// Absolute URL.
        url: String,
    },
}

/// A crash or finding in the archive.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CrashRecord {
    /// `c1`, `c2`, … for crashes; `f1`, `f2`, … for findings.
    pub id: String,
    /// The step that caused it.
    pub step_index: u32,
    /// Steps from the last start of the app to `step_index`.
    pub repro_path: Vec<u32>,
    /// The evidence.
    #[serde(flatten)]
    pub crash: Crash,
}

/// A page that still has something unseen when the run ends (EXP-171, D-15).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unexplored {
    /// Which.
    pub page: Fingerprint,
    /// What it is, in one line.
    pub summary: Option<String>,
    /// Why it was left.
    pub reason: UnexploredReason,
    /// Keys that were never tried.
    pub open_keys: Vec<ElementKey>,
}

/// Why a page was left with something unseen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum UnexploredReason {
    /// The limit of steps or time came first.
    Budget,
    /// No recorded way leads there.
    Unreachable,
    /// The way there did not work.
    Dropped,
    /// Known from pictures only.
    VisualOnly,
}

/// Everything the end of a run knows; the source of all reports.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// The verdict.
    pub status: Status,
    /// Why it is not `passed`, and what else a reader must know: stable codes with text.
    pub reasons: Vec<Reason>,
    /// What ended the exploration.
    pub ended: Ended,
    /// Steps used.
    pub steps: u32,
    /// Limit of steps.
    pub max_steps: u32,
    /// Distinct pages of the app.
    pub pages: usize,
    /// Distinct edges.
    pub edges: usize,
    /// Taps and inputs executed.
    pub actions: u32,
    /// Wall time, in milliseconds.
    pub duration_ms: u64,
    /// App time, in milliseconds.
    pub app_ms: u64,
    /// Crashes, in the order of the archive, with their final counts.
    pub crashes: Vec<CrashSummary>,
    /// Findings by kind: how many records.
    pub findings: BTreeMap<CrashKind, u64>,
    /// Elements that were never touched, by the rule that refused them.
    pub refused: BTreeMap<String, Refused>,
    /// Pages left with something unseen.
    pub unexplored: Vec<Unexplored>,
    /// Places outside the app that a link or pop-up led to.
    pub foreign: Vec<String>,
    /// Requests outside the app that were blocked, by host.
    #[serde(default)]
    pub blocked: Vec<BlockedHost>,
    /// Steps whose view never came to rest.
    pub unsettled_steps: Vec<u32>,
    /// Candidates left out because another one had the same key.
    pub duplicates: u64,
    /// Failure latches and warnings.
    pub warnings: Vec<Reason>,
}

/// A crash as the end of a run counts it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CrashSummary {
    /// `c1`, `c2`, ….
    pub id: String,
    /// What happened.
    pub kind: CrashKind,
    /// Its identity.
    pub signature: super::Signature,
    /// One line for people.
    pub label: String,
    /// The step that caused it.
    pub step: u32,
    /// How often.
    pub count: u64,
    /// Steps from the last start of the app.
    pub repro_path: Vec<u32>,
}

/// Elements that one rule refused.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Refused {
    /// Distinct elements.
    pub count: u64,
    /// The first few, as a person knows them.
    pub examples: Vec<String>,
}

/// Requests to one place outside the app that were blocked (WEB-012).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockedHost {
    /// Whom they would have asked, with the port unless it is the usual one.
    pub host: String,
    /// How many they were.
    pub requests: u64,
}

/// Hosts that are counted one by one in a run; the last entry holds all others.
const MAX_BLOCKED_HOSTS: usize = 100;

impl BlockedHost {
    /// Adds requests to the counts of a run.
    pub fn count(counts: &mut Vec<Self>, host: &str, requests: u64) {
        let full = counts.len() >= MAX_BLOCKED_HOSTS;
        let known = counts.iter().position(|known| known.host == host);
        let (index, host) = match known {
            None if full => (MAX_BLOCKED_HOSTS, "further hosts"),
            known => (known.unwrap_or(counts.len()), host),
        };
        match counts.get_mut(index) {
            Some(known) => known.requests += requests,
            None => counts.push(Self {
                host: host.to_owned(),
                requests,
            }),
        }
    }
}

/// A stable code with a sentence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reason {
    /// Never changes and is never translated.
    pub code: String,
    /// For people.
    pub text: String,
}

/// What ended an exploration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ended {
    /// Nothing unseen was left within reach.
    Exhausted,
    /// The limit of steps.
    MaxSteps,
    /// The limit of time.
    Duration,
    /// A failure, named in the reasons.
    Aborted,
    /// The person or the system said stop.
    Interrupted,
}

#[cfg(test)]
mod tests {
    use super::*;

    // WEB-012
    #[test]
    fn endless_hosts_are_counted_in_bounded_memory() {
        let mut counts = Vec::new();
        for round in 0..2 {
            for number in 0..1_000 {
                BlockedHost::count(&mut counts, &format!("h{number}.test"), 1 + round);
            }
        }
        assert_eq!(counts.len(), MAX_BLOCKED_HOSTS + 1);
        assert_eq!((&*counts[7].host, counts[7].requests), ("h7.test", 3));
        let last = counts.last().unwrap();
        assert_eq!((&*last.host, last.requests), ("further hosts", 2_700));
    }
}
