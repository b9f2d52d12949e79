//! Who is asked about pictures.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use crate::Picture;

/// Somebody who looks at a picture and answers a question about it: a model, as a rule.
///
/// Off unless the owner names one (REP-141). An answer is an opinion: it decides nothing, and its
/// reasons are no observation (REP-137).
#[async_trait]
pub trait VisionAdvisor: Send {
    /// Answers one question about a picture, within a time of its own. It sees to it that what must
    /// not be seen is painted over before anybody looks.
    async fn ask(&mut self, question: &str, picture: &Picture) -> Result<Advice, AdvisorError>;
}

/// An answer, unverified.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Advice {
    /// The answer.
    pub verdict: Opinion,
    /// How sure it says to be, from 0 to 1.
    pub confidence: f64,
    /// Why, in its own words.
    pub reasoning: String,
    /// Name of the picture it saw, where that was stored.
    pub artifact: Option<String>,
}

/// An answer in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Opinion {
    /// Yes.
    Yes,
    /// No.
    No,
    /// It cannot tell.
    Unclear,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AdvisorError {
    /// Nobody answered, or not in the words that were agreed upon.
    #[error("no answer came: {0}")]
    Unavailable(String),
    /// The picture must not be shown, or could not be stored.
    #[error("the picture is withheld: {0}")]
    Withheld(String),
}

impl AdvisorError {
    /// The reason in reports (REP-138).
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Unavailable(_) => "vision-model-unavailable",
            Self::Withheld(_) => "visual-capture-failed",
        }
    }
}
