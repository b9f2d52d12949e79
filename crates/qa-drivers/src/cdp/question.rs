//! Questions to the walker in its own words.

use qa_core::DriverError;
use serde_json::Value;

use super::CdpDriver;
use super::page::DEADLINE;

impl CdpDriver {
    /// Evaluates an expression in the isolated world of the main document, where the walker lives
    /// as `__qa`, and returns its value; a promise is awaited. For the tests of this crate: what
    /// the walker answers is an agreement between it and the driver, and may change at any time.
    #[doc(hidden)]
    pub async fn ask_walker(&self, expression: &str) -> Result<Value, DriverError> {
        let page = self.page()?;
        match page.evaluate(expression, true, DEADLINE).await {
            Ok(answer) => Ok(answer),
            Err(error) => Err(page.error("a question to the walker", error).await),
        }
    }
}
