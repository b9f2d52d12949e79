//! What happened: the numbered record of one run.

mod crash;
mod ledger;
mod picture;
mod record;
mod status;

pub use crash::{Crash, CrashKind, Severity, Signature, UnknownCrashKind};
pub use ledger::{Filed, Latches, Ledger, OpenStep};
pub use picture::{Picture, Shown};
pub use record::{
    BlockedHost, CrashRecord, CrashSummary, Ended, Outcome, Reason, Refused, Replay, StepNotes,
    StepRecord, StepResult, Unexplored, UnexploredReason,
};
pub use status::Status;
pub(crate) use status::nothing_was_tried;
