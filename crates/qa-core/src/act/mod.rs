//! What we ask an app to do, and what came of it.

mod action;
mod capability;
mod receipt;

pub use action::{Action, Target};
pub use capability::{Back, Capability};
pub use receipt::{Receipt, ReceiptStatus};
