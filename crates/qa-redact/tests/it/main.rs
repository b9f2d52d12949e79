//! The invariants of redaction, over texts that an adversary could have written.

mod invariant;
mod readable;
