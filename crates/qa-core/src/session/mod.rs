//! What happened: the numbered record of one run.

mod crash;
mod record;
mod status;

pub use crash::{Crash, CrashKind, Severity, Signature, UnknownCrashKind};
pub use record::{
    CrashRecord, CrashSummary, Ended, Outcome, Reason, Refused, Replay, StepNotes, StepRecord,
    StepResult, Unexplored, UnexploredReason,
};
pub use status::Status;
