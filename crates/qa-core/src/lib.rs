//! The pure engine of `qa`: what is on a screen, when it has come to rest, what to do next, what
//! is too dangerous to do, and what happened. It performs no I/O, reads no clock, starts no
//! threads and makes no random choice that its caller did not seed: all effects go through the
//! ports [`Driver`], [`CrashWatch`] and [`Archive`].
#![cfg_attr(test, allow(clippy::unwrap_used, reason = "a test may fail"))]

mod act;
mod clip;
mod explore;
mod graph;
mod judge;
mod port;
mod safety;
mod session;
mod settle;
mod view;

pub use act::{Action, Back, Capability, Receipt, ReceiptStatus, Target};
pub use clip::clip;
pub use explore::{
    ConfigError, ExploreConfig, GivenInput, History, Inputs, Navigation, Ports, explore, fillable,
    input_value, resume, synthetic_value,
};
pub use graph::{
    Arrival, EdgeInfo, EdgeSnapshot, FrontierPage, GraphLimits, GraphSnapshot, GraphSummary, Hop,
    Navigator, PageInfo, PageKind, PageSnapshot, Pick, Route, SnapshotError, StateGraph,
    plan_route,
};
pub use judge::{
    Assertion, Claim, Judgement, Level, Located, Match, PageAddress, PathItem, Predicate, Scope,
    Seen, Valued, Verdict, judge, listed, locate,
};
#[cfg(any(test, feature = "proptest"))]
pub use judge::{any_assertion, any_claim, any_predicate, any_scope};
pub use port::{
    Advanced, Advice, AdvisorError, Archive, ArchiveError, Clock, ConsoleLine, CrashWatch, Driver,
    DriverError, DriverInfo, Dropped, Evidence, Exchange, Image, NodeBudget, Notice,
    ObserveRequest, Opinion, Progress, Silent, StopSignal, VisionAdvisor, WatchError, WatchState,
};
pub use safety::{
    Blocklist, Boundary, Candidate, CandidateAction, Candidates, CommitSign, Hit, Place, Refusal,
    candidates, commit_sign, origin, permission_allow, plain, recheck, replay_refusal,
    touch_refusal,
};
pub use session::{
    BlockedHost, Crash, CrashKind, CrashRecord, CrashSummary, Ended, Filed, Latches, Ledger,
    OpenStep, Outcome, Picture, Reason, Refused, Replay, Severity, Shown, Signature, Status,
    StepNotes, StepRecord, StepResult, Unexplored, UnexploredReason, UnknownCrashKind,
};
pub use settle::{
    Awaited, Look, Projection, Settle, SettleMachine, SettlePolicy, SettleRecord, Settled,
    look_closer, settle, settle_or_prove,
};
pub use view::{
    Bounds, Choice, Completeness, Coverage, ElementKey, Field, Fingerprint, Flags, Node, NodeRef,
    Observation, PageIdentity, Platform, SeedPair, States, Toggle, TruncationReason, Unit,
    fingerprint, is_generated_id, mask_digits, page_summary, route_shape, skeleton,
};
#[cfg(any(test, feature = "proptest"))]
pub use view::{any_node, any_observation};
