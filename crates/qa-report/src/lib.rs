//! Session directories, and the reports made from them. It writes what it is given and reads it
//! back; it drives no device and decides nothing about a run.
#![cfg_attr(test, allow(clippy::unwrap_used, reason = "a test may fail"))]

mod store;

pub use store::{
    ConfigSetup, DriverSetup, Meta, SESSION_SCHEMA, Session, SessionError, SessionStart,
    SessionWriter, Setup, StoredCrash, StoredStep,
};
#[derive(Debug, thiserror::Error)]
#[error("x")]
pub struct RenderError;
pub fn render(_s: &Session) -> Result<(), RenderError> { Ok(()) }
