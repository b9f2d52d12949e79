//! A driver that lets an independent witness in the page look at whatever the replay looks at.

use std::time::Duration;

use async_trait::async_trait;
use qa_core::{
    Action, Advanced, Driver, DriverError, DriverInfo, Image, Notice, Observation, ObserveRequest,
    Receipt,
};
use qa_drivers::cdp::CdpDriver;
use qa_replay::{Assertion, Scenario};
use serde::Deserialize;
use serde_json::{Value, json};

/// What the witness saw of one run.
#[derive(Debug, Clone, Default)]
pub(super) struct Testimony {
    /// For each step that was begun, whether its claim was true on any look after its action.
    pub(super) claims: Vec<bool>,
    /// For each, whether the input arrived at the element that was meant.
    pub(super) actions: Vec<bool>,
    /// Whether the claims about the end were true at the end.
    pub(super) finals: Vec<bool>,
    /// How often the page was changed.
    pub(super) changes: u64,
}

impl Testimony {
    /// What a run that passed would have had to be wrong about.
    pub(super) fn refutes(&self, scenario: &Scenario) -> Option<String> {
        let missing = |list: &[bool], wanted: usize| {
            let held = list.iter().filter(|held| **held).count();
            (held < wanted).then(|| {
                let first = list.iter().position(|held| !held).unwrap_or(list.len());
                first + 1
            })
        };
        let steps = scenario.steps.len();
        if let Some(step) = missing(&self.actions, steps) {
            return Some(format!(
                "the action of step {step} did not reach its element"
            ));
        }
        if let Some(step) = missing(&self.claims, steps) {
            return Some(format!("the claim of step {step} was never true"));
        }
        let last = missing(&self.finals, scenario.assertions.len())?;
        Some(format!(
            "claim {last} about the end was not true at the end"
        ))
    }
}

/// The question about a step.
struct Question {
    claim: Value,
    /// Nothing where an action has no element of its own.
    action: Option<Value>,
}

/// The driver, and what the witness said. It outlives the replay that stops it.
pub(super) struct Witness {
    driver: CdpDriver,
    steps: Vec<Question>,
    finals: Vec<Value>,
    /// The step whose action was done last.
    current: Option<usize>,
    testimony: Testimony,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Answer {
    claims: Vec<bool>,
    action: Option<bool>,
    changes: u64,
}

impl Witness {
    pub(super) fn new(driver: CdpDriver, scenario: &Scenario) -> Self {
        let told = |assertion: &Assertion| serde_json::to_value(assertion).unwrap_or_default();
        let steps = scenario.steps.iter().map(|step| Question {
            claim: told(&step.assert),
            action: action(&step.action),
        });
        Self {
            driver,
            steps: steps.collect(),
            finals: scenario.assertions.iter().map(told).collect(),
            current: None,
            testimony: Testimony::default(),
        }
    }

    /// The driver, which still runs, and what the witness said.
    pub(super) fn into_parts(self) -> (CdpDriver, Testimony) {
        (self.driver, self.testimony)
    }

    /// Asks the witness; nothing where there is no document to ask.
    async fn ask(&self, question: &Value) -> Option<Answer> {
        let question = Value::from(question.to_string());
        let expression = format!(
            "(() => {{ let answer = null; \
             document.addEventListener('witness-answer', event => answer = event.detail, {{once: true}}); \
             document.dispatchEvent(new CustomEvent('witness-question', {{detail: {question}}})); \
             return answer; }})()"
        );
        let answer = self.driver.ask_walker(&expression).await.ok()?;
        serde_json::from_str(answer.as_str()?).ok()
    }

    /// Lets the witness look at what came of the last action.
    async fn look(&mut self) {
        let Some(current) = self.current else { return };
        let Some(step) = self.steps.get(current) else {
            return;
        };
        let question = json!({"claims": [step.claim], "action": step.action});
        let has_no_element = step.action.is_none();
        let Some(answer) = self.ask(&question).await else {
            return;
        };
        let testimony = &mut self.testimony;
        if let (Some(claim), Some(action)) = (
            testimony.claims.get_mut(current),
            testimony.actions.get_mut(current),
        ) {
            *claim |= answer.claims == [true];
            *action |= has_no_element || answer.action == Some(true);
        }
        testimony.changes = testimony.changes.max(answer.changes);
    }
}

/// How input to an element shows in the page.
fn action(action: &qa_replay::Action) -> Option<Value> {
    use qa_replay::Action;
    let (types, target): (&[&str], _) = match action {
        Action::Click { target } => (&["click"], target),
        Action::Fill { target, .. } | Action::Select { target, .. } => {
            (&["input", "change"], target)
        }
        Action::Press { target, .. } => (&["keydown"], target),
        _ => return None,
    };
    Some(json!({"types": types, "role": target.role, "name": target.name}))
}

#[async_trait]
impl Driver for Witness {
    fn info(&self) -> &DriverInfo {
        self.driver.info()
    }

    async fn launch(&mut self) -> Result<Receipt, DriverError> {
        self.driver.launch().await
    }

    async fn observe(&mut self, request: ObserveRequest) -> Result<Observation, DriverError> {
        let view = self.driver.observe(request).await;
        self.look().await;
        view
    }

    async fn act(&mut self, action: &Action) -> Result<Receipt, DriverError> {
        self.ask(&json!({"forget": true})).await;
        let receipt = self.driver.act(action).await?;
        let is_again = receipt.code.as_deref() == Some("TARGET_CHANGED") && !receipt.dispatched;
        if !is_again {
            self.current = Some(self.testimony.claims.len());
            self.testimony.claims.push(false);
            self.testimony.actions.push(false);
        }
        Ok(receipt)
    }

    async fn screenshot(&mut self) -> Result<Image, DriverError> {
        self.driver.screenshot().await
    }

    fn take_notices(&mut self) -> Vec<Notice> {
        self.driver.take_notices()
    }

    fn now(&self) -> Duration {
        self.driver.now()
    }

    fn elapsed(&self) -> Duration {
        self.driver.elapsed()
    }

    async fn advance(&mut self, span: Duration) -> Result<Advanced, DriverError> {
        self.driver.advance(span).await
    }

    async fn stop(&mut self) -> Result<(), DriverError> {
        let question = json!({"claims": self.finals});
        if let Some(answer) = self.ask(&question).await {
            self.testimony.finals = answer.claims;
            self.testimony.changes = self.testimony.changes.max(answer.changes);
        }
        Ok(())
    }
}
