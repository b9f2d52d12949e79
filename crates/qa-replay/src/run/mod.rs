//! Replaying a scenario: resolve, act, look again, judge (section 14).

mod act;
mod anchor;
mod conclude;
mod echo;
mod markdown;
mod policy;
mod prove;
mod report;
mod runner;
mod scope;
mod step;
mod target;

pub use act::{REFUSED_ACTIONS, unsupported};
pub use anchor::ScopeRefusal;
pub(crate) use markdown::inline;
pub use markdown::markdown;
pub use report::{
    Completed, CrashSeen, Failure, FinalResult, ReceiptSummary, RunReport, RunStatus, StepResult,
};
pub use runner::{ReplayOptions, ReplayPorts, replay};
