//! What crosses crates.
#![expect(clippy::unwrap_used, reason = "a test may fail")]

mod layers;
