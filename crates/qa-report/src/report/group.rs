//! Crashes that are one defect, put together.

use std::collections::HashMap;

use qa_core::{CrashKind, CrashSummary, Signature};
use serde::Serialize;

use crate::{Session, StoredCrash};

/// Records of one kind and signature.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Group<'a> {
    pub(crate) kind: CrashKind,
    pub(crate) signature: &'a Signature,
    pub(crate) label: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) place: Option<&'a str>,
    /// How often, over all records.
    pub(crate) count: u64,
    pub(crate) first_step: u32,
    /// The shortest way from a start of the app.
    pub(crate) repro_path: &'a [u32],
    pub(crate) records: Vec<Occurrence<'a>>,
    /// Evidence of the first record.
    pub(crate) stack: &'a str,
}

/// One record of a group.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Occurrence<'a> {
    pub(crate) id: &'a str,
    pub(crate) step: u32,
    pub(crate) count: u64,
    pub(crate) ts: &'a str,
    pub(crate) repro_path: &'a [u32],
    pub(crate) stack_path: &'a str,
}

/// Crashes of one kind and signature, as the end of a run counts them.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CrashGroup<'a> {
    /// What happened.
    pub kind: CrashKind,
    /// Its identity.
    pub signature: &'a Signature,
    /// One line for people.
    pub label: &'a str,
    /// Records, in their order.
    pub ids: Vec<&'a str>,
    /// The steps that caused it, in the order of the records.
    pub steps: Vec<u32>,
    /// How often, over all records.
    pub count: u64,
}

/// Puts together what is one defect, in the order in which it was met first (EXP-182).
#[must_use]
pub fn crash_groups(crashes: &[CrashSummary]) -> Vec<CrashGroup<'_>> {
    let mut groups: Vec<CrashGroup<'_>> = Vec::new();
    let mut known = HashMap::new();
    for crash in crashes {
        let number = *known
            .entry((crash.kind, &crash.signature))
            .or_insert(groups.len());
        if number == groups.len() {
            groups.push(CrashGroup {
                kind: crash.kind,
                signature: &crash.signature,
                label: &crash.label,
                ids: Vec::new(),
                steps: Vec::new(),
                count: 0,
            });
        }
        let group = &mut groups[number];
        group.ids.push(&crash.id);
        group.steps.push(crash.step);
        group.count += crash.count;
    }
    groups
}

/// Groups records: the most frequent first, then the earliest (CRA-083).
pub(crate) fn groups<'a>(session: &'a Session, records: &'a [StoredCrash]) -> Vec<Group<'a>> {
    let outcome = session.meta.outcome.as_ref();
    let finals = outcome.into_iter().flat_map(|outcome| &outcome.crashes);
    let finals: HashMap<&str, u64> = finals
        .map(|crash| (crash.id.as_str(), crash.count))
        .collect();
    let mut groups: Vec<Group<'a>> = Vec::new();
    let mut known = HashMap::new();
    for record in records {
        let count = finals
            .get(record.id.as_str())
            .copied()
            .unwrap_or(record.count);
        let occurrence = Occurrence {
            id: &record.id,
            step: record.step_index,
            count,
            ts: &record.ts,
            repro_path: &record.repro_path,
            stack_path: &record.stack_path,
        };
        let number = *known
            .entry((record.kind, &record.signature))
            .or_insert_with(|| {
                groups.push(Group {
                    kind: record.kind,
                    signature: &record.signature,
                    label: &record.label,
                    place: record.place.as_deref(),
                    count: 0,
                    first_step: record.step_index,
                    repro_path: &record.repro_path,
                    records: Vec::new(),
                    stack: &record.stack,
                });
                groups.len() - 1
            });
        let group = &mut groups[number];
        group.count += count;
        group.first_step = group.first_step.min(record.step_index);
        if record.repro_path.len() < group.repro_path.len() {
            group.repro_path = &record.repro_path;
        }
        group.records.push(occurrence);
    }
    groups.sort_by(|one, other| {
        (other.count, one.first_step, one.signature).cmp(&(
            one.count,
            other.first_step,
            other.signature,
        ))
    });
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    // EXP-182
    #[test]
    fn one_defect_at_two_steps_is_one_crash() {
        let crash = |id: &str, kind, signature: &str, step, count| CrashSummary {
            id: id.into(),
            kind,
            signature: Signature(signature.into()),
            label: format!("label of {id}"),
            step,
            count,
            repro_path: vec![1, step],
        };
        let crashes = [
            crash("c1", CrashKind::Hang, "a", 3, 1),
            crash("c2", CrashKind::JsException, "a", 4, 2),
            crash("c3", CrashKind::JsException, "a", 9, 5),
        ];
        let groups = crash_groups(&crashes);
        assert_eq!(groups.len(), 2, "{groups:?}");
        let twice = &groups[1];
        assert_eq!(
            (&*twice.ids, &*twice.steps),
            (&["c2", "c3"][..], &[4, 9][..])
        );
        assert_eq!((twice.count, twice.label), (7, "label of c2"));
    }
}
