//! Scenarios, loaded and replayed against simulated apps.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

#[cfg(feature = "proptest")]
mod invariant;
mod junit;
mod load;
mod look;
mod narrow;
mod play;
mod record;
mod run;
#[cfg(feature = "schema")]
mod schema;
mod scope;
