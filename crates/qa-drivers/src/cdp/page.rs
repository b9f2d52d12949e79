//! Commands to the page of a session, with deadlines and honest errors.

use std::time::Duration;

use qa_core::DriverError;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::clock::HANG;
use super::frame::World;
use super::setup::WORLD;
use super::tab::Tab;
use super::transport::{CallError, Connection};

/// The page, for the length of one request of the engine.
pub(crate) struct Page<'a> {
    pub(crate) connection: &'a Connection,
    pub(crate) tab: &'a Tab,
    pub(crate) session: String,
    pub(crate) product: &'a str,
}

/// How long a command to a page that answers may take.
pub(crate) const DEADLINE: Duration = Duration::from_secs(15);

impl Page<'_> {
    /// A command to the page's own session.
    pub(crate) async fn call<R: DeserializeOwned>(
        &self,
        method: &str,
        params: &Value,
        deadline: Duration,
    ) -> Result<R, CallError> {
        self.connection
            .call(Some(&self.session), method, params, deadline)
            .await
    }

    /// Evaluates an expression in the main document's isolated world.
    pub(crate) async fn evaluate<R: DeserializeOwned>(
        &self,
        expression: &str,
        await_promise: bool,
        deadline: Duration,
    ) -> Result<R, CallError> {
        let world = self.main_world(deadline).await?;
        self.evaluate_in(&world, expression, await_promise, deadline)
            .await
    }

    /// Evaluates an expression in a world.
    pub(crate) async fn evaluate_in<R: DeserializeOwned>(
        &self,
        world: &World,
        expression: &str,
        await_promise: bool,
        deadline: Duration,
    ) -> Result<R, CallError> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Evaluated<R> {
            result: Remote<R>,
            exception_details: Option<Value>,
        }
        #[derive(Deserialize)]
        struct Remote<R> {
            value: Option<R>,
        }
        let params = json!({
            "expression": expression, "contextId": world.context,
            "returnByValue": true, "awaitPromise": await_promise,
        });
        let answer = self
            .connection
            .send(Some(&world.session), "Runtime.evaluate", &params);
        let raw = answer.within(deadline).await?;
        let shape = |error: serde_json::Error| CallError::Shape(error.to_string());
        match serde_json::from_str::<Evaluated<R>>(raw.get()) {
            Ok(Evaluated {
                result: Remote { value: Some(value) },
                exception_details: None,
            }) => Ok(value),
            Err(error) if !raw.get().contains("exceptionDetails") => Err(shape(error)),
            _ => {
                let text = qa_core::clip(raw.get(), 400);
                Err(CallError::Shape(format!("the walker failed: {text}")))
            }
        }
    }

    /// The isolated world of the main document; waits for one that is on its way.
    pub(crate) async fn main_world(&self, deadline: Duration) -> Result<World, CallError> {
        let find = |state: &super::tab::TabState| {
            if state.gone.is_some() || state.lost.is_some() {
                return Some(Err(CallError::TargetGone));
            }
            let main = state.frames.main()?;
            state.frames.world_of(main).cloned().map(Ok)
        };
        // Documents without scripts do not get the world by themselves.
        let patience = deadline.min(Duration::from_millis(300));
        if let Some(world) = self.tab.wait_for(patience, find).await {
            return world;
        }
        self.make_world().await?;
        self.tab
            .wait_for(deadline, find)
            .await
            .unwrap_or(Err(CallError::Deadline(deadline)))
    }

    async fn make_world(&self) -> Result<(), CallError> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Made {
            execution_context_id: i64,
        }
        let main = self.tab.state().frames.main().map(str::to_owned);
        let frame = main.ok_or(CallError::TargetGone)?;
        let params = json!({"frameId": frame, "worldName": WORLD});
        let made: Made = self.call("Page.createIsolatedWorld", &params, HANG).await?;
        let params = json!({
            "expression": super::walker::source(), "contextId": made.execution_context_id,
        });
        self.call::<Value>("Runtime.evaluate", &params, HANG)
            .await?;
        let mut state = self.tab.state();
        if state.frames.world_of(&frame).is_none() {
            state
                .frames
                .world_began(&frame, &self.session, made.execution_context_id);
        }
        Ok(())
    }

    /// Asks for something trivial. A page that is silent for five seconds hangs: that is recorded.
    pub(crate) async fn ping(&self, what: &str) -> Result<(), DriverError> {
        let params = json!({"expression": "1", "returnByValue": true});
        let patience = self.tab.patience();
        let asked = self.call::<Value>("Runtime.evaluate", &params, patience);
        match asked.await {
            // A page between two documents answers with a refusal: it does answer.
            Ok(_) | Err(CallError::Refused { .. } | CallError::Shape(_)) => Ok(()),
            Err(CallError::Deadline(waited)) => Err(self.unresponsive(what, waited)),
            Err(CallError::Closed(_) | CallError::TargetGone) => Err(self.gone()),
        }
    }

    /// The page does not answer: recorded as a hang, and an error for the engine.
    pub(crate) fn unresponsive(&self, what: &str, waited: Duration) -> DriverError {
        self.tab.hang(what, waited);
        let waited_ms = u64::try_from(waited.as_millis()).unwrap_or(u64::MAX);
        DriverError::Unresponsive {
            what: what.to_owned(),
            waited_ms,
        }
    }

    /// The page or the browser is gone.
    pub(crate) fn gone(&self) -> DriverError {
        let state = self.tab.state();
        match (&state.lost, &state.gone) {
            (Some(reason), _) => DriverError::Lost {
                device: self.product.to_owned(),
                reason: reason.clone(),
            },
            (None, Some(reason)) => DriverError::AppGone {
                reason: reason.clone(),
            },
            (None, None) => DriverError::AppGone {
                reason: "its session ended".into(),
            },
        }
    }

    /// What a failed command means: after a silence the page is asked whether it lives.
    pub(crate) async fn error(&self, what: &str, error: CallError) -> DriverError {
        match error {
            CallError::Closed(_) | CallError::TargetGone => self.gone(),
            CallError::Deadline(_) => match self.ping(what).await {
                Err(error) => error,
                Ok(()) => DriverError::Protocol {
                    what: what.to_owned(),
                    reason: error.to_string(),
                },
            },
            error => DriverError::Protocol {
                what: what.to_owned(),
                reason: error.to_string(),
            },
        }
    }
}
