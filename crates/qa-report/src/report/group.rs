//! Crashes that are one defect, put together.

use std::collections::HashMap;

use qa_core::{CrashKind, Signature};
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
