//! Session directories, and the reports made from them. It writes what it is given and reads it
//! back; it drives no device and decides nothing about a run.
//!
//! A run writes through [`SessionWriter`], an [`Archive`](qa_core::Archive). Whoever wants to know
//! what happened reads the directory, finished or not:
//!
//! ```no_run
//! use std::path::Path;
//!
//! let session = qa_report::Session::read(Path::new("qa-sessions/2026-11-30_061502_shop_5f0c91aa"))?;
//! println!("{}", qa_report::summary_json(&session));
//! qa_report::render(&session)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | file | holds |
//! | --- | --- |
//! | `meta.json` | what the session is, how it was set up and how it ended |
//! | `steps.jsonl`, `steps/` | steps, and the pictures before and after them |
//! | `crashes.jsonl`, `findings.jsonl`, `crashes/` | crashes and findings, and their evidence |
//! | `state-graph.json` | pages and the ways between them |
//! | `report.json`, `report.md`, `report.html` | the reports |
//!
//! Beside the directories, `report.jsonl` has a line for each run that ended. [`Merge`] puts several
//! sessions together, also as JUnit XML; [`Diff`] says what changed between two states of an app.
#![cfg_attr(test, allow(clippy::unwrap_used, reason = "a test may fail"))]

mod action;
#[cfg(test)]
#[path = "../tests/it/fixture.rs"]
#[expect(dead_code, reason = "the integration tests use all of it")]
mod fixture;
mod language;
mod merge;
mod reason;
mod report;
mod store;

// The made-up session of the tests names this crate as others do.
#[cfg(test)]
extern crate self as qa_report;

pub use action::action_text;
pub use language::Language;
pub use merge::{Changes, DIFF_SCHEMA, Defect, Diff, Gone, MERGE_SCHEMA, Merge, Run, Sighting};
pub use reason::{code_text, reason_text};
pub use report::{
    CrashGroup, REPORT_SCHEMA, RenderError, crash_groups, render, shell_word, summary_json,
    write_report,
};
pub use store::{
    ConfigSetup, DriverSetup, Meta, Resumed, SESSION_SCHEMA, Session, SessionError, SessionStart,
    SessionWriter, Setup, StoredCrash, StoredStep, abandon, timestamp, write_picture, write_replay,
};
