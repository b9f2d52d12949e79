//! The engine against simulated apps.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

mod play;
mod shop;
