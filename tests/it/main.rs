//! What crosses crates.
#![expect(clippy::unwrap_used, reason = "a test may fail")]

mod block;
mod certificate;
mod cleanup;
mod directory;
mod layers;
mod login;
mod planted;
mod process;
mod program;
mod report;
mod retrace;
mod server;
mod shop;
mod usage;
