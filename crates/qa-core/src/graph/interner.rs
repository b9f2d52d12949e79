//! Equal values, kept once.

use rustc_hash::FxHashMap;

/// Gives equal values equal small numbers.
#[derive(Debug, Clone)]
pub(super) struct Interner<T> {
    numbers: FxHashMap<T, u32>,
    values: Vec<T>,
}

impl<T> Default for Interner<T> {
    fn default() -> Self {
        Self {
            numbers: FxHashMap::default(),
            values: Vec::new(),
        }
    }
}

impl<T: Clone + Eq + std::hash::Hash> Interner<T> {
    pub(super) fn get(&self, value: &T) -> Option<u32> {
        self.numbers.get(value).copied()
    }

    pub(super) fn value(&self, number: u32) -> &T {
        &self.values[number as usize]
    }

    pub(super) fn intern(&mut self, value: &T) -> u32 {
        if let Some(number) = self.get(value) {
            return number;
        }
        let number = u32::try_from(self.values.len()).unwrap_or(u32::MAX);
        self.values.push(value.clone());
        self.numbers.insert(value.clone(), number);
        number
    }
}
