//! What a model is asked beside a run: recorded, never judged (section 19).

use std::fmt::Write as _;

use qa_core::{
    Advice, AdvisorError, Awaited, Driver, DriverError, Opinion, Picture, Settle, SettlePolicy,
    SettleRecord, VisionAdvisor, settle,
};
use serde::Serialize;

use super::markdown::Inline;
use super::picture;
use crate::{Advisory, AdvisoryKind};

/// What is to be thought of an answer's reasons (REP-137).
const TRUST: &str = "unverified-model-narration";

/// A question, and what somebody said to it. No verdict rests on it, and two runs are compared
/// without it (REP-138).
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Advised {
    /// What it was about.
    pub kind: AdvisoryKind,
    /// What was asked.
    pub question: String,
    /// Why it was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The answer; `unclear` where there was none.
    pub verdict: Opinion,
    /// How sure the answer said to be, from 0 to 1.
    pub confidence: f64,
    /// The answer's own words; never a fact.
    pub reasoning: String,
    /// Always `unverified-model-narration`.
    pub reasoning_trust: &'static str,
    /// Why there was no answer: `vision-model-unavailable` or `visual-capture-failed`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'static str>,
    /// Name of the picture that was looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub artifact: Option<String>,
    /// How the page came to rest before the picture.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settle: Option<SettleRecord>,
    /// `false` where it never did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capture_settled: Option<bool>,
}

/// Asks each question about a picture of its own, taken of a page that has come to rest anew
/// (REP-139).
pub(super) async fn ask(
    questions: &[Advisory],
    driver: &mut dyn Driver,
    policy: &SettlePolicy,
    advisor: &mut dyn VisionAdvisor,
) -> Vec<Advised> {
    let mut all = Vec::new();
    for question in questions {
        let taken = capture(driver, policy).await;
        let (settle, answer) = match taken {
            Ok((picture, settle)) => {
                let answer = advisor.ask(&question.question, &picture).await;
                (Some(settle), answer)
            }
            Err(error) => (None, Err(AdvisorError::Withheld(error.to_string()))),
        };
        all.push(advised(question, settle, answer));
    }
    all
}

async fn capture(
    driver: &mut dyn Driver,
    policy: &SettlePolicy,
) -> Result<(Picture, SettleRecord), DriverError> {
    let request = driver.info().nodes.judging();
    let settled = settle(driver, policy, &Awaited::default(), request, &mut false).await?;
    let is_restless = settled.record.outcome == Settle::Unsettled;
    let picture = picture::take(driver, is_restless).await?;
    Ok((picture, settled.record))
}

fn advised(
    question: &Advisory,
    settle: Option<SettleRecord>,
    answer: Result<Advice, AdvisorError>,
) -> Advised {
    let reason = answer.as_ref().err().map(AdvisorError::code);
    let advice = answer.unwrap_or_else(|error| Advice {
        verdict: Opinion::Unclear,
        confidence: 0.0,
        reasoning: error.to_string(),
        artifact: None,
    });
    let is_restless = |settle: &SettleRecord| settle.outcome == Settle::Unsettled;
    Advised {
        kind: question.kind,
        question: question.question.clone(),
        description: question.description.clone(),
        verdict: advice.verdict,
        confidence: advice.confidence,
        reasoning: advice.reasoning,
        reasoning_trust: TRUST,
        reason,
        artifact: advice.artifact,
        capture_settled: settle.as_ref().is_some_and(is_restless).then_some(false),
        settle,
    }
}

/// The part of `report.md` that nobody should take for the rest of it.
pub(super) fn write(out: &mut String, advised: &[Advised], inline: Inline<'_>) -> std::fmt::Result {
    if advised.is_empty() {
        return Ok(());
    }
    writeln!(
        out,
        "\n## Advisory (model-generated; never affects pass/fail)\n"
    )?;
    for one in advised {
        let verdict = match one.verdict {
            Opinion::Yes => "yes",
            Opinion::No => "no",
            Opinion::Unclear => "unclear",
        };
        writeln!(
            out,
            "- {} **{verdict}** (confidence {:.2})",
            inline(&one.question),
            one.confidence
        )?;
        if let Some(reason) = one.reason {
            writeln!(out, "  `{reason}`")?;
        }
        writeln!(out, "  > {} — unverified", inline(&one.reasoning))?;
    }
    Ok(())
}
