//! The pure engine of `qa`: what is on a screen, when it has come to rest, what to do next, what
//! is too dangerous to do, and what happened. It performs no I/O, reads no clock, starts no
//! threads and makes no random choice that its caller did not seed: all effects go through the
//! ports [`Driver`], [`CrashWatch`] and [`Archive`].
#![cfg_attr(test, allow(clippy::unwrap_used, reason = "a test may fail"))]

mod act;
mod explore;
mod graph;
mod port;
mod session;
mod settle;
mod view;

pub use act::{Action, Back, Capability, Receipt, ReceiptStatus, Target};
pub use explore::{ConfigError, ExploreConfig, GivenInput, Inputs, Navigation};
pub use graph::StateGraph;
pub use port::{
    Advanced, Archive, ArchiveError, Clock, CrashWatch, Driver, DriverError, DriverInfo, Image,
    Notice, ObserveRequest, Progress, Silent, StopSignal, WatchError, WatchState,
};
pub use session::{
    Crash, CrashKind, CrashRecord, CrashSummary, Ended, Outcome, Reason, Refused, Replay, Severity,
    Signature, Status, StepNotes, StepRecord, StepResult, Unexplored, UnexploredReason,
    UnknownCrashKind,
};
pub use settle::{Settle, SettlePolicy, SettleRecord};
pub use view::{
    Bounds, Choice, Completeness, Coverage, ElementKey, Field, Fingerprint, Flags, Node, NodeRef,
    Observation, PageIdentity, Platform, SeedPair, States, Toggle, TruncationReason, Unit,
    is_generated_id, mask_digits,
};
