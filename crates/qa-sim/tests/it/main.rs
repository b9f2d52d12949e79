//! The engine against simulated apps.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

mod invariant;
mod play;
mod recorder;
mod scenario;
mod shop;
