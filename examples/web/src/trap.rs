//! Counters of touches that a careful explorer never makes.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// The names of the shop's traps. `foreign-origin` counts requests that arrived at the second origin; the others
/// count presses and submissions reported by the page.
pub const TRAPS: [&str; 12] = [
    "buy-now",
    "delete-account",
    "foreign-form",
    "foreign-link",
    "foreign-origin",
    "log-out",
    "mailto",
    "pay-now",
    "place-order",
    "sign-out",
    "tel",
    "transfer-credit",
];

#[derive(Debug)]
pub(crate) struct TrapCounts(Mutex<BTreeMap<String, u64>>);

impl TrapCounts {
    pub(crate) fn new() -> Self {
        Self(Mutex::new(
            TRAPS.iter().map(|name| ((*name).to_owned(), 0)).collect(),
        ))
    }

    /// Counts one touch; false if there is no trap of that name.
    pub(crate) fn touch(&self, name: &str) -> bool {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match counts.get_mut(name) {
            Some(count) => {
                *count += 1;
                true
            }
            None => false,
        }
    }

    pub(crate) fn snapshot(&self) -> BTreeMap<String, u64> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}
