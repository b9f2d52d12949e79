//! Replaying a scenario: resolve, act, look again, judge (section 14).

mod act;
mod advisory;
mod anchor;
mod conclude;
mod contract;
mod echo;
mod evidence;
mod markdown;
mod picture;
mod policy;
mod prove;
mod report;
mod runner;
mod scope;
mod step;
mod target;

pub(crate) use contract::{UNSUPPORTED_CONTRACT, contract_refusal};

pub use act::{REFUSED_ACTIONS, unsupported};
pub use advisory::Advised;
pub use anchor::ScopeRefusal;
pub use echo::Echo;
pub(crate) use echo::written;
pub use evidence::{Collected, CollectionFailed, RunEvidence};
pub use markdown::markdown;
pub(crate) use markdown::safe_inline;
pub(crate) use policy::settings;
pub(crate) use prove::judge_alone;
pub use report::{
    Acknowledged, Artifact, ArtifactKind, Completed, CrashSeen, Failure, FinalResult, InStep,
    Phase, ReceiptSummary, RunReport, RunStatus, SettleWidened, StepResult, Unproven,
};
pub use runner::{INTERRUPTED, ReplayOptions, ReplayPorts, replay, replay_advised};
