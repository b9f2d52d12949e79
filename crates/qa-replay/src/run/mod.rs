//! Replaying a scenario: resolve, act, look again, judge (section 14).

mod act;
mod advisory;
mod contract;
mod echo;
mod junit;
mod markdown;
mod report;
mod runner;

pub(crate) use contract::{UNSUPPORTED_CONTRACT, contract_refusal};

pub use act::{REFUSED_ACTIONS, unsupported};
pub use advisory::Advised;
pub use junit::{JunitCase, JunitError, junit};
pub use markdown::markdown;
pub use report::{
    Completed, CrashSeen, Failure, FinalResult, ReceiptSummary, RunReport, RunStatus, StepResult,
};
pub use runner::{ReplayOptions, ReplayPorts, replay, replay_advised};
