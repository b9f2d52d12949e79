//! What a replay says (REP-125 to REP-129).

use qa_core::{
    Assertion, Clock, Level, Located, Notice, Picture, Receipt, ReceiptStatus, Seen, Verdict,
};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;

use super::advisory::Advised;
use super::anchor::ScopeRefusal;
use super::evidence::RunEvidence;
use super::scope::Scoped;
use crate::{Action, DriverWord, Escalation, Settings};

/// The version of the report's format.
const REPORT_SCHEMA: u32 = 1;

/// How a run ended (REP-026, 26.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RunStatus {
    /// Every step and final assertion was proven.
    Pass,
    /// Something was not proven, and nothing failed.
    Inconclusive,
    /// Something failed.
    Fail,
    /// The app could not be started: nothing was tried.
    Blocked,
}

impl RunStatus {
    /// The exit code of D-01.
    #[must_use]
    pub const fn exit_code(self) -> u8 {
        match self {
            Self::Pass => 0,
            Self::Fail => 1,
            Self::Inconclusive => 2,
            Self::Blocked => 69,
        }
    }

    /// The word in reports.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Inconclusive => "inconclusive",
            Self::Fail => "fail",
            Self::Blocked => "blocked",
        }
    }
}

/// What a run found. A pass says that the listed claims held, and nothing else (REP-002).
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RunReport {
    /// Version of this format.
    pub schema_version: u32,
    /// Name of the scenario.
    pub scenario: String,
    /// What drove it.
    pub driver: DriverWord,
    /// Which clock the app ran on.
    pub clock: Clock,
    /// How it ended.
    pub status: RunStatus,
    /// RFC 3339.
    pub started_at: String,
    /// RFC 3339.
    pub finished_at: String,
    /// The steps that were begun.
    pub steps: Vec<StepResult>,
    /// The claims about the end.
    pub assertions: Vec<FinalResult>,
    /// What a model was asked beside; never judged, and left out of comparisons.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub advisory: Vec<Advised>,
    /// What the app did wrong meanwhile.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub crashes: Vec<CrashSeen>,
    /// What it did less wrong: makes a run fail only where its kind is asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<CrashSeen>,
    /// What happened beside the views: dialogs and how they were answered, windows that were
    /// closed, downloads that were denied.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<InStep<Notice>>,
    /// What it logged and asked of servers; nothing where that is not collected.
    pub evidence: Option<RunEvidence>,
    /// What the device acknowledged.
    pub receipt_summary: ReceiptSummary,
    /// What went wrong first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
    /// The figures by which a view came to rest.
    pub settle: Settings,
    /// That they were widened, and where.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settle_widened: Option<SettleWidened>,
    /// Steps that were not begun; with one there is no pass.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_run: Vec<u64>,
    /// Why the device or the watch did not stop as asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop_failed: Option<String>,
    /// Files beside the report.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub artifacts: Vec<Artifact>,
    /// What was on the screen at the end of a run that is no pass, for whoever stores the report;
    /// not part of it.
    #[serde(skip)]
    pub picture: Option<Box<Picture>>,
    /// Version of the program.
    pub tool: String,
}

/// A file beside a report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Artifact {
    /// What it is.
    pub kind: ArtifactKind,
    /// Its name.
    pub path: String,
}

/// What a file beside a report is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ArtifactKind {
    /// The screen at the end of a run that is no pass, with what must not be seen painted over.
    Screenshot,
}

/// The one widening of a run's budget (REP-039).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SettleWidened {
    /// The budget before, in milliseconds of app time.
    pub from_ms: u64,
    /// The budget since then.
    pub to_ms: u64,
    /// Where.
    pub at: Phase,
    /// `unstable`: the page did not come to rest; `assertion-retry`: a claim did not hold yet.
    pub cause: &'static str,
}

/// A place in a scenario: `"initial"`, the number of a step, or `"final"`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Before the first step.
    Initial,
    /// In a step.
    Step(u64),
    /// After the last step.
    Final,
}

impl Serialize for Phase {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Initial => serializer.serialize_str("initial"),
            Self::Step(index) => serializer.serialize_u64(*index),
            Self::Final => serializer.serialize_str("final"),
        }
    }
}

/// What one step brought (REP-129).
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StepResult {
    /// Its number.
    pub index: u64,
    /// What it is for.
    pub intent: String,
    /// Proven, refuted, or neither.
    pub status: Verdict,
    /// What was to be done.
    pub action: Action,
    /// What the device acknowledged, or the rule that kept the action from it; nothing where there was
    /// no element to act on.
    pub receipt: Option<Acknowledged>,
    /// The same in one word: `ok`, `unknown` or `failed`.
    pub outcome: &'static str,
    /// The clock on which the page came to rest, where that was another one than the run's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clock: Option<Clock>,
    /// What was claimed.
    pub assertion: Assertion,
    /// Whether the claim was proven.
    pub assertion_passed: bool,
    /// What was seen.
    pub observed: Value,
    /// What was expected.
    pub expected: Value,
    /// What of the view the verdict rests on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completeness: Option<Completed>,
    /// A stable code where the result is not plain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// How often the claim was judged, where that was more than once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attempts: Option<u32>,
    /// How much app time that took, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elapsed_ms: Option<u64>,
    /// How sure the container is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope_resolution: Option<&'static str>,
    /// The containers around it, outermost first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope_levels: Option<Vec<Level>>,
    /// The container was not among what was seen.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub scope_not_located: bool,
    /// What was scrolled to is not known to be what is claimed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope_refusal: Option<ScopeRefusal>,
    /// What the container is named by has changed; it is the same one.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub scope_name_changed: bool,
    /// What the recording knew of a refusal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub escalation_refused: Option<Escalation>,
    /// The target was found by its name alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_resolution: Option<Value>,
    /// `window-only`: it is the only one of what was seen, and more exists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_uniqueness: Option<&'static str>,
    /// How often the target changed under the hand, and was found again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_changed_retries: Option<u32>,
    /// One sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

impl StepResult {
    pub(super) fn scope(&mut self, scoped: Scoped) {
        self.scope_not_located = scoped.located == Located::NotLocated;
        self.scope_name_changed = scoped.name_changed;
        self.scope_resolution = Some(scoped.resolution());
        self.scope_levels = Some(scoped.levels);
    }
}

/// A receipt as reports spell it (REP-021).
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Acknowledged {
    /// `confirmed`, `unknown`, `rejected` or `failed`.
    pub status: ReceiptStatus,
    /// A stable code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// One sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Whether any input reached the app.
    pub dispatched: bool,
}

impl From<&Receipt> for Acknowledged {
    fn from(receipt: &Receipt) -> Self {
        Self {
            status: receipt.status,
            code: receipt.code.clone(),
            reason: receipt.reason.clone(),
            dispatched: receipt.dispatched,
        }
    }
}

/// A claim about the end.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FinalResult {
    /// What was claimed.
    #[serde(flatten)]
    pub assertion: Assertion,
    /// Proven, refuted, or neither.
    pub status: Verdict,
    /// Whether it was proven.
    pub passed: bool,
    /// What was seen.
    pub observed: Value,
    /// What of the view the verdict rests on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completeness: Option<Completed>,
    /// A stable code where the result is not plain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// How sure the container is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope_resolution: Option<&'static str>,
    /// The containers around it, outermost first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope_levels: Option<Vec<Level>>,
    /// The container was not among what was seen.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub scope_not_located: bool,
    /// How often it was judged, where that was more than once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attempts: Option<u32>,
    /// How much app time after the last action that was, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elapsed_ms: Option<u64>,
    /// One sentence.
    pub message: String,
}

/// What of a view a verdict rests on (REP-126).
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Completed {
    /// Nodes exist that were not seen.
    pub truncated: bool,
    /// The budget that was applied.
    pub node_budget: usize,
    /// Why it is truncated.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub truncation_reasons: Vec<qa_core::TruncationReason>,
    /// Candidates that nobody can see.
    pub hidden_matches: usize,
    /// That is a lower bound.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub hidden_matches_partial: bool,
    /// Whether all of it was walked.
    #[serde(serialize_with = "coverage")]
    pub coverage: qa_core::Coverage,
    /// It was read once more with a larger budget.
    pub escalated: bool,
    /// The verdict would be another one if the view were not complete.
    pub outcome_depends_on_complete_view: bool,
    /// Inside which container.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<Value>,
    /// A stable code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// One sentence.
    pub detail: String,
}

/// Coverage in the words of replay reports (REP-060).
fn coverage<S: Serializer>(coverage: &qa_core::Coverage, serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Words<'a> {
        verified: bool,
        closed_shadow_roots: usize,
        probed_nodes: usize,
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<&'a str>,
    }
    let words = Words {
        verified: coverage.verified,
        closed_shadow_roots: coverage.closed_shadow_roots,
        probed_nodes: coverage.probed_nodes,
        reason: coverage.reason.as_deref(),
    };
    words.serialize(serializer)
}

/// Something that the app did wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CrashSeen {
    /// What happened.
    pub kind: qa_core::CrashKind,
    /// Its identity.
    pub signature: qa_core::Signature,
    /// One line for people.
    pub label: String,
    /// After which step; 0 is the start.
    pub step_index: u64,
    /// How often.
    pub count: u64,
}

/// Something that happened beside the views.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct InStep<T> {
    /// In which step; 0 is the start.
    pub step_index: u64,
    /// What.
    #[serde(flatten)]
    pub what: T,
}

/// What the device acknowledged in all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct ReceiptSummary {
    /// Dispatches that were confirmed.
    pub confirmed: u32,
    /// Those that may or may not have arrived.
    pub unknown: u32,
    /// Those that a rule refused.
    pub rejected: u32,
    /// Those that could not be done.
    pub failed: u32,
    /// All.
    pub total: u32,
    /// Said where nothing was confirmed (REP-023).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warning: Option<&'static str>,
}

impl ReceiptSummary {
    pub(super) fn count(&mut self, receipt: &Receipt) {
        let counter = match receipt.status {
            ReceiptStatus::Ok => &mut self.confirmed,
            ReceiptStatus::Unknown => &mut self.unknown,
            ReceiptStatus::Rejected => &mut self.rejected,
            ReceiptStatus::Failed => &mut self.failed,
        };
        *counter += 1;
        self.total += 1;
        self.warning = (self.confirmed == 0)
            .then_some("no receipt was confirmed: what was done is known from views alone");
    }
}

/// What was neither proven nor refuted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unproven<'r> {
    status: Verdict,
    /// In which step; none at the end.
    pub step_index: Option<u64>,
    /// A stable code.
    pub reason: Option<&'r str>,
    /// One sentence.
    pub message: &'r str,
}

/// What went wrong first.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Failure {
    /// In which step; none before the first and after the last.
    pub step_index: Option<u64>,
    /// One sentence.
    pub message: String,
    /// A stable code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// How to get there by hand.
    pub reproduction: Vec<Value>,
}

impl RunReport {
    /// The code of what went wrong first, or why a step proves nothing.
    #[must_use]
    pub fn reason(&self) -> Option<&str> {
        let failure = self.failure.as_ref().and_then(|it| it.code.as_deref());
        failure.or_else(|| self.unproven().and_then(|unproven| unproven.reason))
    }

    /// The first step or claim about the end that was neither proven nor refuted.
    #[must_use]
    pub fn unproven(&self) -> Option<Unproven<'_>> {
        let steps = self.steps.iter().map(|step| Unproven {
            status: step.status,
            step_index: Some(step.index),
            reason: step.reason.as_deref(),
            message: step.message.as_deref().unwrap_or_default(),
        });
        let claims = self.assertions.iter().map(|claim| Unproven {
            status: claim.status,
            step_index: None,
            reason: claim.reason.as_deref(),
            message: &claim.message,
        });
        let mut all = steps.chain(claims);
        all.find(|one| one.status == Verdict::Inconclusive)
    }

    pub(super) fn new(scenario: &crate::Scenario, clock: Clock, started_at: String) -> Self {
        Self {
            schema_version: REPORT_SCHEMA,
            scenario: scenario.meta.name.clone(),
            driver: scenario.meta.driver,
            clock,
            status: RunStatus::Blocked,
            started_at,
            finished_at: String::new(),
            steps: Vec::new(),
            assertions: Vec::new(),
            advisory: Vec::new(),
            crashes: Vec::new(),
            findings: Vec::new(),
            notices: Vec::new(),
            evidence: None,
            receipt_summary: ReceiptSummary::default(),
            failure: None,
            settle: Settings::default(),
            settle_widened: None,
            not_run: Vec::new(),
            stop_failed: None,
            artifacts: Vec::new(),
            picture: None,
            tool: env!("CARGO_PKG_VERSION").to_owned(),
        }
    }
}

pub(super) fn seen(seen: &[Seen]) -> Value {
    serde_json::to_value(seen).unwrap_or_default()
}
