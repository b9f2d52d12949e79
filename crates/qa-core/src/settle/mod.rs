//! When a view has come to rest: one algorithm for exploring and replaying.

mod record;

pub use record::{Settle, SettlePolicy, SettleRecord};
