//! When a view has come to rest: one algorithm for exploring and replaying.

mod closer;
mod machine;
mod projection;
mod record;
mod run;

pub use closer::look_closer;
pub use machine::{Look, SettleMachine};
pub use projection::Projection;
pub use record::{Settle, SettlePolicy, SettleRecord};
pub use run::{Awaited, Settled, settle, settle_or_prove};
