//! What a report must name beside steps, pages and crashes.

use std::collections::{BTreeMap, BTreeSet};

use crate::{BlockedHost, ElementKey, Reason, Refusal, Refused};

/// What a report must name beside steps, pages and crashes.
#[derive(Debug, Clone, Default)]
pub(super) struct Tally {
    pub(super) duplicates: u64,
    pub(super) unsettled_steps: Vec<u32>,
    refused: BTreeMap<String, Refused>,
    refused_keys: BTreeSet<(String, ElementKey)>,
    foreign: Vec<String>,
    pub(super) blocked: Vec<BlockedHost>,
    popups: BTreeSet<String>,
    warnings: Vec<Reason>,
}

/// Greatest number of examples of one rule.
const MAX_EXAMPLES: usize = 5;
/// Greatest number of foreign places that are kept.
const MAX_FOREIGN: usize = 100;

impl Tally {
    /// An empty tally that names the driver's own conditions.
    pub(super) fn new(remarks: &[String]) -> Self {
        let mut tally = Self::default();
        for remark in remarks {
            tally.warn("DRIVER_REMARK", remark);
        }
        tally
    }

    /// Counts an element that was refused, once.
    pub(super) fn refuse(&mut self, refusal: &Refusal) {
        let identity = (refusal.rule.clone(), refusal.key.clone());
        if !self.refused_keys.insert(identity) {
            return;
        }
        let refused = self.refused.entry(refusal.rule.clone()).or_default();
        refused.count += 1;
        if refused.examples.len() < MAX_EXAMPLES {
            refused.examples.push(refusal.label.clone());
        }
    }

    /// Notes a place outside the app.
    pub(super) fn foreign(&mut self, place: &str) {
        let known = self.foreign.iter().any(|known| known == place);
        if !known && !place.is_empty() && self.foreign.len() < MAX_FOREIGN {
            self.foreign.push(place.to_owned());
        }
    }

    /// Whether a pop-up's address comes up for the first time.
    pub(super) fn is_new_popup(&mut self, url: &str) -> bool {
        !url.is_empty() && self.popups.insert(url.to_owned())
    }

    /// Notes something a reader must know, once.
    pub(super) fn warn(&mut self, code: &str, text: impl Into<String>) {
        let warning = Reason {
            code: code.to_owned(),
            text: text.into(),
        };
        if !self.warnings.contains(&warning) {
            self.warnings.push(warning);
        }
    }

    pub(super) fn refused(&self) -> BTreeMap<String, Refused> {
        self.refused.clone()
    }

    pub(super) fn foreign_places(&self) -> Vec<String> {
        self.foreign.clone()
    }

    pub(super) fn warnings(&self) -> Vec<Reason> {
        self.warnings.clone()
    }
}
