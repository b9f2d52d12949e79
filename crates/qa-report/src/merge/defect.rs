//! Crashes and findings of several sessions, grouped by what they are.

use std::collections::HashMap;

use qa_core::{CrashKind, Fingerprint, Signature};
use serde::Serialize;

use super::Merge;
use crate::report::{Group, groups};
use crate::{Session, StoredCrash};

/// One defect in all that was merged: what has one kind and signature.
#[derive(Debug, Clone)]
pub struct Defect<'a> {
    /// What happened.
    pub kind: CrashKind,
    /// Its identity.
    pub signature: &'a Signature,
    /// One line for people.
    pub label: &'a str,
    /// Address or component it happened on first.
    pub place: Option<&'a str>,
    /// How often, over all sessions.
    pub count: u64,
    /// Where it was met, in the order of the sessions.
    pub sightings: Vec<Sighting<'a>>,
    /// The session with the shortest way to it.
    pub session: &'a Session,
    /// That way: steps from a start of the app.
    pub repro_path: &'a [u32],
    /// Evidence of the first record.
    pub stack: &'a str,
}

/// One record of a defect.
#[derive(Debug, Clone, Serialize)]
pub struct Sighting<'a> {
    /// Name of the session.
    pub session: &'a str,
    /// The record in it.
    pub id: &'a str,
    /// The step that caused it.
    pub step: u32,
    /// How often.
    pub count: u64,
    /// Steps from a start of the app.
    pub repro_path: &'a [u32],
    /// The page on which it happened, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page: Option<&'a Fingerprint>,
}

impl Merge {
    /// Crashes, the most frequent first.
    #[must_use]
    pub fn crashes(&self) -> Vec<Defect<'_>> {
        self.defects(|session| &session.crashes)
    }

    /// Findings, the most frequent first.
    #[must_use]
    pub fn findings(&self) -> Vec<Defect<'_>> {
        self.defects(|session| &session.findings)
    }

    fn defects<'a>(
        &'a self,
        records: impl Fn(&'a Session) -> &'a [StoredCrash],
    ) -> Vec<Defect<'a>> {
        let mut defects: Vec<Defect<'a>> = Vec::new();
        let mut known = HashMap::new();
        for session in self.sessions() {
            for group in groups(session, records(session)) {
                let at = *known
                    .entry((group.kind, group.signature))
                    .or_insert(defects.len());
                match defects.get_mut(at) {
                    Some(defect) => defect.add(session, &group),
                    None => defects.push(Defect::new(session, &group)),
                }
            }
        }
        // The sort is stable: equally frequent ones stay in the order in which they were met.
        defects.sort_by_key(|defect| std::cmp::Reverse(defect.count));
        defects
    }
}

impl<'a> Defect<'a> {
    fn new(session: &'a Session, group: &Group<'a>) -> Self {
        let mut new = Self {
            kind: group.kind,
            signature: group.signature,
            label: group.label,
            place: group.place,
            count: 0,
            sightings: Vec::new(),
            session,
            repro_path: group.repro_path,
            stack: group.stack,
        };
        new.add(session, group);
        new
    }

    fn add(&mut self, session: &'a Session, group: &Group<'a>) {
        self.count += group.count;
        let sightings = group.records.iter().map(|record| Sighting {
            session: &session.meta.id,
            id: record.id,
            step: record.step,
            count: record.count,
            repro_path: record.repro_path,
            page: page(session, record.step),
        });
        self.sightings.extend(sightings);
        if group.repro_path.len() < self.repro_path.len() {
            (self.session, self.repro_path) = (session, group.repro_path);
        }
    }

    /// What identifies it across sessions.
    pub(super) fn key(&self) -> (CrashKind, &'a Signature) {
        (self.kind, self.signature)
    }

    /// The way to it as lines of steps; none for a step that is lost.
    pub(super) fn actions(&self) -> impl Iterator<Item = (u32, Option<&'a str>)> {
        let steps = &self.session.steps;
        self.repro_path.iter().map(|&index| {
            let step = (index as usize).checked_sub(1).and_then(|at| steps.get(at));
            (index, step.map(|step| step.record.action.as_str()))
        })
    }
}

/// The page on which a step acted; of a start, the one that it led to.
fn page(session: &Session, step: u32) -> Option<&Fingerprint> {
    let step = session.steps.get((step as usize).checked_sub(1)?)?;
    let notes = &step.record.notes;
    notes.page_from.as_ref().or(notes.page_to.as_ref())
}
