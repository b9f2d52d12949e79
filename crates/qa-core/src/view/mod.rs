//! What is on the screen.

mod completeness;
mod element_key;
mod fingerprint;
mod node;
mod observation;

pub use completeness::{Completeness, Coverage, TruncationReason};
pub use element_key::{ElementKey, is_generated_id, mask_digits};
pub use fingerprint::{Fingerprint, PageIdentity};
pub use node::{Bounds, Choice, Field, Flags, Node, NodeRef, SeedPair, States, Toggle, Unit};
pub use observation::{Observation, Platform};
