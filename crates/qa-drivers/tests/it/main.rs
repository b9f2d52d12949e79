//! The CDP driver against a real browser. A browser must be installed: what cannot be started is
//! a failed test, not a skipped one.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

mod attachment;
mod block;
mod clock;
mod fact;
mod fault;
mod frame;
mod guard;
mod input;
mod login;
mod notice;
mod reference;
mod server;
mod session;
mod source_map;
mod tampering;
