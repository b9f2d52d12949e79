//! What a scenario file says (REP-081 to REP-091). A field that is absent in the file is absent
//! here, so that writing what was read loses nothing.

use qa_core::{Assertion, Claim, PageAddress, Predicate};
use serde::{Serialize, Serializer};

/// The version of the interpretation that export writes, and the newest that is read (REP-082).
pub const SCENARIO_SCHEMA: u32 = 1;

/// A declarative replay: steps with one proof each, and what must hold at the end.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Scenario {
    /// Version of the interpretation; absent is read as 1 (REP-083).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema_version: Option<u32>,
    /// What it is.
    pub meta: Meta,
    /// What is driven.
    pub target: Target,
    /// What is done, in order; at least one.
    pub steps: Vec<Step>,
    /// What must hold at the end.
    pub assertions: Vec<Assertion>,
    /// What a model is asked beside; never judged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub advisory: Option<Vec<Advisory>>,
}

impl Scenario {
    /// The same scenario for an app that stands elsewhere: it is started at `launch`, and each of
    /// its addresses that begins with the origin `from` begins with `to`.
    #[must_use]
    pub fn moved(&self, from: &str, to: &str, launch: &str) -> Self {
        let mut moved = self.as_shown();
        launch.clone_into(&mut moved.target.launch);
        moved.change_addresses(|url| {
            let rest = url.strip_prefix(from);
            let rest = rest.filter(|rest| rest.is_empty() || rest.starts_with(['/', '?', '#']))?;
            Some(format!("{to}{rest}"))
        });
        moved
    }

    /// The same scenario with its addresses as a browser shows them: `http://a.test/` for
    /// `HTTP://A.test`.
    #[must_use]
    pub fn as_shown(&self) -> Self {
        let shown = |url: &str| url::Url::parse(url).ok().map(String::from);
        let mut scenario = self.clone();
        if let Some(launch) = shown(&scenario.target.launch) {
            scenario.target.launch = launch;
        }
        scenario.change_addresses(shown);
        scenario
    }

    /// Changes the addresses that are gone to, and those that are claimed.
    fn change_addresses(&mut self, change: impl Fn(&str) -> Option<String>) {
        let change = |url: &mut String| {
            if let Some(changed) = change(url) {
                *url = changed;
            }
        };
        for step in &mut self.steps {
            if let Action::Navigate { url } = &mut step.action {
                change(url);
            }
        }
        let steps = self.steps.iter_mut().map(|step| &mut step.assert);
        for assertion in steps.chain(&mut self.assertions) {
            if let Claim::PageUrl(PageAddress::Url(url)) = &mut assertion.claim {
                change(url);
            }
        }
    }
}

/// What a scenario is.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Meta {
    /// Its name.
    pub name: String,
    /// What it is about; may be empty.
    pub description: String,
    /// What drives it.
    pub driver: DriverWord,
    /// When it was recorded, as it stands in the file.
    pub created_at: String,
    /// Remarks for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notes: Option<Vec<String>>,
    /// How a view comes to rest, where it differs from the default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settle: Option<Settings>,
}

/// The platform word of a scenario (REP-005).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum DriverWord {
    /// A web browser.
    Browser,
    /// A macOS desktop, by an external driver only.
    Computer,
    /// An iPhone or iPad.
    Ios,
    /// An Android device.
    Android,
}

/// Figures of settling as the file gives them, in milliseconds; values out of range are brought
/// into it when they are used (REP-039).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Settings {
    /// How long to wait at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget_ms: Option<u64>,
    /// How long nothing may change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quiet_ms: Option<u64>,
    /// The same once something has changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub post_change_quiet_ms: Option<u64>,
    /// How often to look.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval_ms: Option<u64>,
    /// How far the budget may be widened; 0 is never.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub adaptive_budget_ms: Option<u64>,
}

/// What is driven.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Target {
    /// An http(s) address in a browser, else a bundle id or package.
    pub launch: String,
    /// The owner's login to begin with; browser only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub login_state: Option<LoginState>,
    /// Which window; desktop only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window_title: Option<String>,
    /// Which device; phones only. The caller's wins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device_id: Option<String>,
}

/// A login file of the owner and the origins it is for (REP-142).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LoginState {
    /// Path of the file.
    pub source: String,
    /// Exact http(s) origins; at least one.
    pub origins: Vec<String>,
}

/// One action and the proof that must hold on a new view after it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Step {
    /// Its position, from 1.
    pub index: u64,
    /// What it is for, for people; never interpreted.
    pub intent: String,
    /// What is done.
    pub action: Action,
    /// What must hold.
    pub assert: Assertion,
    /// Why a scoped scroll could not be looked at more closely when it was recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub escalation_refused: Option<Escalation>,
}

/// A refusal at recording time (REP-080).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Escalation {
    /// A word such as `target-not-returned`.
    pub reason: String,
    /// The driver's code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
}

/// What is done in a step (REP-086).
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
#[expect(
    missing_docs,
    reason = "each field has the meaning that its name says; the grammar is in REP-089"
)]
pub enum Action {
    /// Clicks or taps.
    Click { target: Predicate },
    /// Gives the focus.
    Focus { target: Predicate },
    /// Points without clicking.
    Hover { target: Predicate },
    /// Replaces the text of a field; the text may be empty.
    Fill { target: Predicate, text: String },
    /// Appends to a field.
    Type { target: Predicate, text: String },
    /// Presses a key in an element.
    Press { target: Predicate, key: String },
    /// Presses a key with modifiers; desktop only.
    Key {
        target: Predicate,
        key: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        modifiers: Option<Vec<String>>,
    },
    /// Chooses an option.
    Select { target: Predicate, option: String },
    /// Goes to an address.
    Navigate { url: String },
    /// Scrolls to an element, in an element, or the page.
    Scroll {
        #[serde(skip_serializing_if = "Option::is_none")]
        target: Option<Predicate>,
        #[serde(skip_serializing_if = "Option::is_none")]
        direction: Option<Direction>,
        #[serde(skip_serializing_if = "Option::is_none")]
        amount: Option<Amount>,
    },
    /// Clicks what a model finds in a picture; external desktop drivers only.
    #[serde(rename_all = "camelCase")]
    VisualClick {
        target_description: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        provenance: Option<Provenance>,
    },
    /// Drags what a model finds in a picture.
    #[serde(rename_all = "camelCase")]
    VisualDrag {
        target_description: String,
        to_description: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        provenance: Option<Provenance>,
    },
    /// Scrolls what a model finds in a picture.
    #[serde(rename_all = "camelCase")]
    VisualScroll {
        target_description: String,
        direction: Direction,
        #[serde(skip_serializing_if = "Option::is_none")]
        amount: Option<Amount>,
        #[serde(skip_serializing_if = "Option::is_none")]
        provenance: Option<Provenance>,
    },
}

/// Where to scroll.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "nothing to add")]
pub enum Direction {
    Up,
    Down,
}

/// How far to scroll.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Amount {
    /// A line.
    Line,
    /// What fits on the screen.
    Page,
    /// So many pixels; not negative.
    Units(f64),
}

impl Serialize for Amount {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Line => serializer.serialize_str("line"),
            Self::Page => serializer.serialize_str("page"),
            Self::Units(units) => number(*units, serializer),
        }
    }
}

/// Writes a whole number without a fraction, as it was read.
#[expect(
    clippy::cast_possible_truncation,
    reason = "whole and within 2^53, as the loader saw to it"
)]
fn number<S: Serializer>(value: f64, serializer: S) -> Result<S::Ok, S::Error> {
    if value.fract() == 0.0 {
        serializer.serialize_i64(value as i64)
    } else {
        serializer.serialize_f64(value)
    }
}

/// Who found a place in a picture.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Provenance {
    /// How.
    pub source: ProvenanceSource,
    /// Whose model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// Which model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// How sure, from 0 to 1.
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "optional_number"
    )]
    pub confidence: Option<f64>,
}

#[expect(clippy::ref_option, reason = "serde asks for a reference")]
fn optional_number<S: Serializer>(value: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
    number(value.unwrap_or_default(), serializer)
}

/// How a place in a picture was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "words of other programs")]
pub enum ProvenanceSource {
    ModelGrounding,
    HarnessPoint,
    ReplayGrounding,
}

/// A question to a model (REP-136).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Advisory {
    /// What it is about.
    pub kind: AdvisoryKind,
    /// The question.
    pub question: String,
    /// Why it is asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// What a question is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "there is one")]
pub enum AdvisoryKind {
    Visual,
}
