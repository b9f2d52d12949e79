//! What the app logged and asked for during a run (REP-128).

use std::fmt::Write as _;

use qa_core::{ConsoleLine, Dropped, Exchange};
use serde::Serialize;

use super::markdown::Inline;
use super::report::InStep;

/// Kinds of console lines that may say why something went wrong.
const BAD_LINES: [&str; 3] = ["assert", "error", "warning"];
/// So many lines, and so many exchanges, stand in a report.
const KEPT: usize = 200;

/// What the app logged and asked for. No verdict rests on it, and it is left out of comparisons
/// (REP-102).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum RunEvidence {
    /// The latest of it.
    Collected(Collected),
    /// It could not be collected.
    Failed {
        /// Says so.
        status: CollectionFailed,
        /// What is known.
        reason: String,
    },
}

/// The word of evidence that could not be collected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum CollectionFailed {
    /// The only one.
    #[serde(rename = "collection-failed")]
    CollectionFailed,
}

/// The latest of what the app logged and asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Collected {
    /// Lines, in order.
    pub console: Vec<InStep<ConsoleLine>>,
    /// Requests, in the order of their answers.
    pub network: Vec<InStep<Exchange>>,
    /// Whether some of it is not here.
    pub bounded: bool,
    /// How much that is, as far as it was counted.
    #[serde(skip_serializing_if = "Dropped::is_none")]
    pub dropped: Dropped,
}

impl RunEvidence {
    pub(super) fn failed(reason: String) -> Self {
        let status = CollectionFailed::CollectionFailed;
        Self::Failed { status, reason }
    }
}

impl Collected {
    pub(super) fn add(&mut self, step_index: u64, evidence: qa_core::Evidence) {
        let dropped = evidence.dropped;
        self.dropped.console +=
            dropped.console + add(&mut self.console, step_index, evidence.console);
        self.dropped.network +=
            dropped.network + add(&mut self.network, step_index, evidence.network);
        self.bounded |= !self.dropped.is_none();
    }

    pub(super) fn is_empty(&self) -> bool {
        self.console.is_empty() && self.network.is_empty()
    }
}

/// Says how many earlier ones had to go.
fn add<T>(all: &mut Vec<InStep<T>>, step_index: u64, more: Vec<T>) -> u64 {
    all.extend(more.into_iter().map(|what| InStep { step_index, what }));
    let surplus = all.len().saturating_sub(KEPT);
    all.drain(..surplus);
    u64::try_from(surplus).unwrap_or(u64::MAX)
}

/// What of the evidence may say why: errors and warnings, and requests that failed.
pub(super) fn write(
    out: &mut String,
    evidence: Option<&RunEvidence>,
    inline: Inline<'_>,
) -> std::fmt::Result {
    const SHOWN: usize = 20;
    let collected = match evidence {
        None => return Ok(()),
        Some(RunEvidence::Failed { reason, .. }) => {
            return writeln!(
                out,
                "\nWhat the app logged and asked for could not be collected: {}",
                inline(reason)
            );
        }
        Some(RunEvidence::Collected(collected)) => collected,
    };
    let is_bad = |line: &&InStep<ConsoleLine>| BAD_LINES.contains(&line.what.kind.as_str());
    let lines = collected.console.iter().filter(is_bad);
    let lines: Vec<(u64, String)> = lines
        .map(|line| {
            let ConsoleLine { kind, text } = &line.what;
            (line.step_index, format!("{kind}: {text}"))
        })
        .collect();
    let requests = collected.network.iter().filter(|it| it.what.has_failed());
    let requests: Vec<(u64, String)> = requests
        .map(|request| {
            let Exchange { method, url, .. } = &request.what;
            let status = request.what.status.map(|status| status.to_string());
            let came = status.as_deref().or(request.what.error.as_deref());
            let came = came.unwrap_or_default();
            (request.step_index, format!("{method} {url}: {came}"))
        })
        .collect();
    for (title, all) in [("Console", lines), ("Requests that failed", requests)] {
        if all.is_empty() {
            continue;
        }
        writeln!(out, "\n## {title}\n")?;
        let earlier = all.len().saturating_sub(SHOWN);
        if earlier > 0 {
            writeln!(out, "- {earlier} earlier ones are in `report.json`")?;
        }
        for (step, text) in &all[earlier..] {
            writeln!(out, "- after step {step}: {}", inline(text))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn lines(count: usize) -> qa_core::Evidence {
        let line = ConsoleLine {
            kind: "log".into(),
            text: "a".into(),
        };
        qa_core::Evidence {
            console: vec![line; count],
            dropped: Dropped {
                console: 2,
                network: 0,
            },
            ..Default::default()
        }
    }

    // REP-128
    #[test]
    fn evidence_is_bounded_and_says_so() {
        let mut collected = Collected::default();
        collected.add(0, qa_core::Evidence::default());
        let plain = serde_json::to_value(RunEvidence::Collected(collected.clone())).unwrap();
        assert_eq!(
            plain,
            json!({"console": [], "network": [], "bounded": false})
        );
        collected.add(1, lines(KEPT));
        collected.add(2, lines(3));
        assert_eq!(collected.console.len(), KEPT);
        assert_eq!(collected.console[0].step_index, 1);
        assert_eq!(collected.console[KEPT - 1].step_index, 2);
        assert!(collected.bounded);
        assert_eq!(collected.dropped.console, 7);
    }

    // REP-128
    #[test]
    fn evidence_that_could_not_be_collected_is_not_empty_evidence() {
        let failed = RunEvidence::failed("the log is gone".into());
        let expected = json!({"status": "collection-failed", "reason": "the log is gone"});
        assert_eq!(serde_json::to_value(failed).unwrap(), expected);
    }
}
