//! Scenarios: small declarative replays that never show a green that was not proven. It loads and
//! judges; devices are reached through the ports of `qa-core`.
//!
//! ```
//! let file = br#"{"meta": {"name": "n", "description": "", "driver": "browser"}}"#;
//! let error = qa_replay::load(file).unwrap_err();
//! assert_eq!(error.code.as_str(), "SCENARIO_MISSING_FIELD");
//! assert_eq!(error.position, "meta.createdAt");
//! ```
//!
//! | module | holds |
//! | --- | --- |
//! | `scenario` | what a scenario file says, field by field |
//! | `load` | reading one, fail-closed and without loss |
//! | `doubt` | what one says that is probably not what was meant |
//! | `export` | from what was done to a scenario |
//! | `minimize` | the fewest steps that still bring a crash about |
//! | `run` | replaying one, and the report of it |
//! | `suite` | several of them, with retries and shards |

mod doubt;
mod export;
mod load;
mod minimize;
mod run;
mod scenario;
#[cfg(feature = "schema")]
mod schema;
#[cfg(feature = "proptest")]
mod strategy;
mod suite;

pub use doubt::{Doubt, doubts};
pub use export::{
    About, Event, Excluded, ExcludedAssertion, Export, Exported, Missing, Recorder, RetraceError,
    Retraced, Trajectory, Undone, Walk, bare_address, export, retrace,
};
pub use load::{Code, LoadError, MAX_BYTES, MAX_DEPTH, MAX_STEPS, load};
pub use minimize::{MinimizeOptions, Minimized, Oracle, minimize, shortest_route, ways};
pub use qa_core::{Assertion, Claim, PageAddress, PathItem, Predicate, Scope, Valued};
pub use run::{
    Acknowledged, Advised, Artifact, ArtifactKind, Collected, CollectionFailed, Completed,
    CrashSeen, Echo, Failure, FinalResult, INTERRUPTED, InStep, Phase, REFUSED_ACTIONS,
    ReceiptSummary, ReplayOptions, ReplayPorts, RunEvidence, RunReport, RunStatus, ScopeRefusal,
    SettleWidened, StepResult, Unproven, markdown, replay, replay_advised, unsupported,
};
pub use scenario::{
    Action, Advisory, AdvisoryKind, Amount, Direction, DriverWord, Escalation, LoginState, Meta,
    Provenance, ProvenanceSource, SCENARIO_SCHEMA, Scenario, Settings, Step, Target,
};
#[cfg(feature = "schema")]
pub use schema::schema;
#[cfg(feature = "proptest")]
pub use strategy::any_scenario;
pub use suite::{
    Attempt, Case, CaseStatus, JunitError, SUITE_SCHEMA, Shard, Suite, SuiteError, junit,
    merge_suites, suite_markdown,
};
