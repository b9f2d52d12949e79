//! Claims about a view, and what a view says of them.

mod assertion;
#[cfg(test)]
mod invariant;
mod predicate;
mod scope;
#[cfg(any(test, feature = "proptest"))]
mod strategy;
mod verdict;

pub use assertion::{Assertion, Claim, PageAddress, Valued};
pub use predicate::{Match, Predicate};
pub use scope::{Level, Located, PathItem, Scope, locate};
#[cfg(any(test, feature = "proptest"))]
pub use strategy::{any_assertion, any_claim, any_predicate, any_scope};
pub use verdict::{Judgement, Seen, Verdict, judge, listed};
