//! Replaying a scenario: resolve, act, look again, judge (section 14).

mod act;
mod anchor;
mod conclude;
mod echo;
mod junit;
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
pub use junit::{JunitCase, JunitError, junit};
pub use markdown::markdown;
pub use report::{
    Completed, CrashSeen, Failure, FinalResult, ReceiptSummary, RunReport, RunStatus, StepResult,
};
pub use runner::{ReplayOptions, ReplayPorts, replay};
