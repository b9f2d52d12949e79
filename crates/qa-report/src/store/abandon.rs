//! The end of a run that stops where it is.

use std::path::Path;

use qa_core::{Outcome, Status};

use super::meta::{Meta, timestamp};
use super::session::{content, known, read_meta, warning};
use super::{Directory, Session, SessionError, schema};

/// Stores that a run was told to end at once, with what its records tell: aborted, or failed if it
/// had seen a crash. For the process that writes the session and is about to exit: it waits for
/// nothing, and makes no reports. A session that has ended already stays as it is.
pub fn abandon(dir: &Path) -> Result<(), SessionError> {
    let session = Session::read(dir)?;
    let root = Directory::open(dir).map_err(|source| SessionError::Read {
        file: dir.to_owned(),
        source,
    })?;
    let (meta, redactor) = read_meta(&root)?;
    if meta.status != Status::Running {
        return Ok(());
    }
    let text = "the run was told twice to stop: it ended at once and did not wait for late crashes";
    let mut reasons = vec![warning("INTERRUPTED", text.to_owned())];
    let outcome = session.outcome();
    let mut status = Status::Aborted;
    if !outcome.crashes.is_empty() {
        status = Status::Failed;
        let text = format!("{} crashes were recorded", outcome.crashes.len());
        reasons.insert(0, warning("CRASHES", text));
    }
    let ended = Meta {
        status,
        ended_at: Some(timestamp()),
        outcome: Some(Outcome {
            status,
            reasons,
            warnings: vec![known("DRAIN_SKIPPED")],
            ..outcome
        }),
        ..meta
    };
    let name = "meta.json";
    let record = redactor
        .record(schema::META, &ended)
        .map_err(|error| content(&root, name, 1, &error))?;
    let line = record.value.to_line();
    root.replace(name, line.as_str().as_bytes())
        .map_err(|source| SessionError::Read {
            file: dir.join(name),
            source,
        })?;
    root.remove("lock");
    Ok(())
}
