//! Which keys promise something that was not seen yet.

use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHasher};

use crate::ElementKey;

/// So many keys of one make have to be tried before the make is familiar.
const FAMILIAR: u32 = 3;

/// Remembers what was tried by its make: keys that differ only in their numbers, such as the rows
/// of a table or the fields of a form that grows, are of one make.
#[derive(Debug, Clone, Default)]
pub(super) struct Novelty {
    /// The make of each key.
    make_of: Vec<u32>,
    makes: FxHashMap<u64, u32>,
    /// How many keys of each make were tried.
    tried: Vec<u32>,
}

impl Novelty {
    /// A key that has just got its number; numbers are given in turn.
    pub(super) fn add(&mut self, key: &ElementKey) {
        let next = u32::try_from(self.tried.len()).unwrap_or(u32::MAX);
        let make = *self.makes.entry(make(key)).or_insert(next);
        if make == next {
            self.tried.push(0);
        }
        self.make_of.push(make);
    }

    /// A key was tried for the first time.
    pub(super) fn tried(&mut self, key: u32) {
        self.tried[self.make_of[key as usize] as usize] += 1;
    }

    /// Whether enough keys of the key's make were tried.
    pub(super) fn is_familiar(&self, key: u32) -> bool {
        self.tried[self.make_of[key as usize] as usize] >= FAMILIAR
    }
}

/// A key without its numbers. Two makes that fall together by chance cost no more than an order.
fn make(key: &ElementKey) -> u64 {
    let mut hasher = FxHasher::default();
    let mut in_number = false;
    for byte in key.0.bytes() {
        if !byte.is_ascii_digit() {
            byte.hash(&mut hasher);
        } else if !in_number {
            b'#'.hash(&mut hasher);
        }
        in_number = byte.is_ascii_digit();
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_differ_in_numbers_are_of_one_make() {
        let mut novelty = Novelty::default();
        for key in ["row:1|a", "row:22|a", "row:3|a", "row:4|a", "row:4|b"] {
            novelty.add(&ElementKey(key.into()));
        }
        for key in 0..3 {
            assert!(!novelty.is_familiar(3));
            novelty.tried(key);
        }
        assert!(novelty.is_familiar(3) && !novelty.is_familiar(4));
    }
}
