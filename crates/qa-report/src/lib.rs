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
#![cfg_attr(test, allow(clippy::unwrap_used, reason = "a test may fail"))]

#[cfg(test)]
#[path = "../tests/it/fixture.rs"]
#[expect(dead_code, reason = "the integration tests use all of it")]
mod fixture;
mod language;
mod report;
mod store;

// The made-up session of the tests names this crate as others do.
#[cfg(test)]
extern crate self as qa_report;

pub use language::Language;
pub use report::{REPORT_SCHEMA, RenderError, render, summary_json};
pub use store::{
    ConfigSetup, DriverSetup, Meta, SESSION_SCHEMA, Session, SessionError, SessionStart,
    SessionWriter, Setup, StoredCrash, StoredStep, abandon,
};
