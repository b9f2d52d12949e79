//! The lines of `steps.jsonl`, `crashes.jsonl` and `findings.jsonl`, and the evidence beside them.

use std::fmt::Write as _;

use qa_core::{CrashKind, CrashRecord, Severity, Signature, StepRecord};
use serde::{Deserialize, Serialize};

use super::meta::millis;

/// A step as it is stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StoredStep {
    /// The step itself.
    #[serde(flatten)]
    pub record: StepRecord,
    /// When it was stored, RFC 3339 in UTC.
    pub ts: String,
    /// File name of the picture before it, in `steps/`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub screenshot: Option<String>,
    /// File name of the picture after it, in `steps/`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub screenshot_after: Option<String>,
}

/// A crash or finding as it is stored; its evidence is a file of its own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StoredCrash {
    /// `c1`, `c2`, … for crashes; `f1`, `f2`, … for findings.
    pub id: String,
    /// When it was stored, RFC 3339 in UTC.
    pub ts: String,
    /// The step that caused it.
    pub step_index: u32,
    /// Steps from the last start of the app to `step_index`.
    pub repro_path: Vec<u32>,
    /// What happened.
    pub kind: CrashKind,
    /// Whether it failed the run.
    pub severity: Severity,
    /// Its identity.
    pub signature: Signature,
    /// One line for people.
    pub label: String,
    /// How often it had happened when it was stored.
    pub count: u64,
    /// Address or component it happened on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// App time, in milliseconds.
    pub app_ms: u64,
    /// The app could not go on.
    pub ends_path: bool,
    /// File name of the evidence, in `crashes/`.
    pub stack_path: String,
    /// The evidence: message, stack, console lines, failed requests. Not part of the line.
    #[serde(skip)]
    pub stack: String,
}

impl StoredCrash {
    /// The line of a record; its texts are still raw.
    pub(crate) fn new(record: &CrashRecord, ts: String) -> Self {
        Self {
            id: record.id.clone(),
            ts,
            step_index: record.step_index,
            repro_path: record.repro_path.clone(),
            kind: record.crash.kind,
            severity: record.crash.severity,
            signature: record.crash.signature.clone(),
            label: record.crash.label.clone(),
            count: record.crash.count,
            place: record.crash.place.clone(),
            app_ms: millis(record.crash.at),
            ends_path: record.crash.ends_path,
            stack_path: format!("{}.stack.txt", record.id),
            stack: record.crash.stack.clone(),
        }
    }

    /// The evidence with its canonical header: identity and labels, one line each.
    pub(crate) fn stack_file(&self) -> String {
        let mut text = String::from("qa-crash 1\n");
        let count = self.count.to_string();
        let fields = [
            ("kind", self.kind.as_str()),
            ("signature", &self.signature.0),
            ("label", &self.label),
            ("place", self.place.as_deref().unwrap_or("")),
            ("count", &count),
        ];
        for (key, value) in fields {
            let _ = writeln!(text, "{key}: {}", escape(value));
        }
        let _ = write!(text, "\n{}", self.stack);
        text
    }

    /// The evidence without the header.
    pub(crate) fn stack_of(file: &str) -> Option<&str> {
        let rest = file.strip_prefix("qa-crash 1\n")?;
        rest.split_once("\n\n").map(|(_, stack)| stack)
    }
}

fn escape(value: &str) -> String {
    let mut out = String::with_capacity(value.len());
    for character in value.chars() {
        match character {
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            control if control.is_control() => {
                let _ = write!(out, "\\x{:02x}", u32::from(control));
            }
            other => out.push(other),
        }
    }
    out
}
