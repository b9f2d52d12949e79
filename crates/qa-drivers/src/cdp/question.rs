//! Questions to the walker in its own words.

use qa_core::DriverError;
use serde_json::Value;

use super::CdpDriver;
use super::page::DEADLINE;
use super::transport::CallError;

impl CdpDriver {
    /// Evaluates an expression in the isolated world of the main document, where the walker lives
    /// as `__qa`, and returns its value; a promise is awaited. For the tests of this crate: what
    /// the walker answers is an agreement between it and the driver, and may change at any time.
    #[doc(hidden)]
    pub async fn ask_walker(&self, expression: &str) -> Result<Value, DriverError> {
        let page = self.page()?;
        let what = "a question to the walker";
        let mut answer = page.evaluate(expression, true, DEADLINE).await;
        for _ in 0..4 {
            // A document that goes away before it answers: the next one is asked.
            if !matches!(answer, Err(CallError::Refused { .. })) {
                break;
            }
            page.ping(what).await?;
            answer = page.evaluate(expression, true, DEADLINE).await;
        }
        match answer {
            Ok(answer) => Ok(answer),
            Err(error) => Err(page.error(what, error).await),
        }
    }
}
