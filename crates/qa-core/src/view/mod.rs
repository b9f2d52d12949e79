//! What is on the screen.

mod completeness;
mod element_key;
mod fingerprint;
mod node;
mod observation;
mod page_text;
mod route_shape;
mod shape;
#[cfg(any(test, feature = "proptest"))]
mod strategy;

pub use completeness::{Completeness, Coverage, TruncationReason};
pub use element_key::{ElementKey, is_generated_id, mask_digits};
pub use fingerprint::{Fingerprint, PageIdentity, fingerprint, skeleton};
pub use node::{Bounds, Choice, Field, Flags, Node, NodeRef, SeedPair, States, Toggle, Unit};
pub use observation::{Observation, Platform};
pub use page_text::page_summary;
pub use route_shape::route_shape;
#[cfg(any(test, feature = "proptest"))]
pub use strategy::{any_node, any_observation};
