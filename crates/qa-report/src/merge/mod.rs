//! Several sessions as one: shards, reruns, and what changed between two of them.

mod defect;
mod diff;
mod json;
mod junit;
mod markdown;
mod run;

pub use defect::{Defect, Sighting};
pub use diff::{Changes, DIFF_SCHEMA, Diff, Gone};
pub use json::MERGE_SCHEMA;
pub use run::{Merge, Run};
