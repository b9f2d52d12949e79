//! Claims about a view, and what a view says of them.

mod assertion;
mod predicate;
mod scope;
mod verdict;

pub use assertion::{Assertion, Claim, PageAddress, Valued};
pub use predicate::{Match, Predicate};
pub use scope::{Level, Located, PathItem, Scope, locate};
pub use verdict::{Judgement, Seen, Verdict, judge};
