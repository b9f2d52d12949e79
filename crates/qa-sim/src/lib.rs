//! Simulated apps behind the ports of `qa-core`: no device, no browser, no waiting. An app is
//! data ([`SimApp`]); [`SimDriver`] operates it on a clock of its own and [`SimWatch`] reports the
//! faults that were planted in it. It proves the logic of whoever drives it, not that a real
//! device behaves the same.
//!
//! ```
//! use qa_sim::{SimDriver, demo_shop};
//!
//! let (driver, watch) = SimDriver::new(demo_shop());
//! let probe = driver.probe();
//! # let _ = watch;
//! assert_eq!(probe.launches(), 0);
//! ```
#![cfg_attr(test, allow(clippy::unwrap_used, reason = "a test may fail"))]

mod app;
mod driver;
mod memory_archive;
mod mishap;
mod picture;
mod probe;
mod shop;
mod view;
mod watch;
mod world;

pub use app::{
    Aftermath, AppError, Condition, Effect, Element, Fault, Input, Quirk, Screen, SimApp,
};
pub use driver::SimDriver;
pub use memory_archive::MemoryArchive;
pub use mishap::Mishaps;
pub use probe::{Occurrence, SimProbe};
pub use shop::{Planted, SHOP_FAULTS, SHOP_TRAPS, demo_shop};
pub use watch::SimWatch;
