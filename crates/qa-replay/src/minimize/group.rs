//! Steps that belong together: what was typed or chosen on a page, and what was done with it.

use qa_core::{Fingerprint, Replay, StepRecord};

/// Whether a step types or chooses something and stays on its page.
pub(super) fn is_fill(record: &StepRecord) -> bool {
    matches!(
        record.notes.replay,
        Some(Replay::InputText { .. } | Replay::Select { .. })
    ) && record.notes.page_from == record.notes.page_to
}

/// Steps in groups: fills go with the next step on their page.
pub(super) fn groups(records: &[StepRecord], steps: &[u32]) -> Vec<Vec<u32>> {
    let mut groups: Vec<Vec<u32>> = Vec::new();
    let mut open = false;
    for step in steps {
        let Some(record) = record(records, *step) else {
            continue;
        };
        let joins = open
            && groups
                .last()
                .and_then(|group| group.last())
                .is_some_and(|last| page(records, *last) == record.notes.page_from.as_ref());
        match groups.last_mut() {
            Some(group) if joins => group.push(*step),
            _ => groups.push(vec![*step]),
        }
        open = is_fill(record);
    }
    groups
}

/// The record of a step, by its number from 1.
pub(super) fn record(records: &[StepRecord], step: u32) -> Option<&StepRecord> {
    records.get((step as usize).checked_sub(1)?)
}

/// The page on which a step was done.
pub(super) fn page(records: &[StepRecord], step: u32) -> Option<&Fingerprint> {
    record(records, step)?.notes.page_from.as_ref()
}
