//! What crosses crates.
#![expect(clippy::unwrap_used, reason = "a test may fail")]

mod advisory;
mod block;
mod canary;
mod certificate;
mod cleanup;
mod directory;
mod example;
mod export;
mod html;
mod kill;
mod layers;
mod login;
mod minimize;
mod notice;
mod planted;
mod process;
mod program;
mod recipe;
mod record;
mod redact;
mod replay;
mod report;
mod retrace;
mod server;
mod shop;
mod usage;
