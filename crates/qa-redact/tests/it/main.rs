//! The invariants of redaction, over texts that an adversary could have written.

#[path = "../../src/hostile.rs"]
mod hostile;
mod invariant;
mod readable;
mod stream;
