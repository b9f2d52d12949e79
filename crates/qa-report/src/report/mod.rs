//! The three reports of a session.

mod group;
mod html;
mod layout;
mod map;
mod markdown;
mod phrase;
mod picture;
mod summary;
pub(crate) mod text;
mod word;

use std::io;

use qa_core::ArchiveError;

use crate::Session;
use crate::store::{Lock, PATIENCE, REPORT_BYTES, REPORTS, check};

pub use group::{CrashGroup, crash_groups};
pub use summary::{REPORT_SCHEMA, summary_json};

/// A report that could not be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RenderError {
    /// It could not be written down.
    #[error("could not store {name}")]
    Store {
        /// File name of the report.
        name: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// It could not be put into words.
    #[error("could not make {name}: {reason}")]
    Make {
        /// File name of the report.
        name: &'static str,
        /// What went wrong.
        reason: String,
    },
    /// It is over the limit.
    #[error(transparent)]
    Limit(#[from] ArchiveError),
}

/// Writes `report.json`, `report.md` and `report.html` into the directory of a session, in the
/// place of earlier ones. Nothing else changes.
pub fn render(session: &Session) -> Result<(), RenderError> {
    let json = make("report.json", summary::report_json(session))?;
    let markdown = make("report.md", markdown::markdown(session))?;
    let html = make("report.html", html::html(session))?;
    let unlocked = |source| RenderError::Store {
        name: REPORTS,
        source,
    };
    let lock = Lock::take(&session.root, REPORTS, PATIENCE).map_err(unlocked)?;
    for (name, text) in [
        ("report.json", json),
        ("report.md", markdown),
        ("report.html", html),
    ] {
        check(name, text.len(), REPORT_BYTES)?;
        session
            .root
            .replace(name, text.as_bytes())
            .map_err(|source| RenderError::Store { name, source })?;
    }
    lock.release(&session.root);
    Ok(())
}

fn make<E: ToString>(name: &'static str, made: Result<String, E>) -> Result<String, RenderError> {
    made.map_err(|error| RenderError::Make {
        name,
        reason: error.to_string(),
    })
}
