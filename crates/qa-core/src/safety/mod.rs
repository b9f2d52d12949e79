//! What is too dangerous to do.

mod blocklist;
mod boundary;
mod candidate;
mod commit;
mod refusal;
mod text;

pub(crate) use blocklist::tokens as words;
pub use blocklist::{Blocklist, Hit};
pub use boundary::{Boundary, Place, origin, permission_allow};
pub(crate) use candidate::trial_of;
pub use candidate::{
    Candidate, CandidateAction, Candidates, Refusal, candidates, recheck, touch_refusal,
};
pub use commit::{CommitSign, commit_sign};
pub use refusal::replay_refusal;
pub use text::plain;
