//! The three reports of a session.

mod group;
mod html;
mod layout;
mod map;
mod markdown;
pub(crate) mod phrase;
mod picture;
mod summary;
pub(crate) mod text;

use std::io;
use std::path::{Path, PathBuf};

use qa_core::ArchiveError;

use crate::Session;
use crate::store::{Lock, PATIENCE, REPORT_BYTES, REPORTS, check, create_private};

pub use group::{CrashGroup, crash_groups};
pub(crate) use group::{Group, groups};
pub use html::shell_word;
pub(crate) use summary::history_json;
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
    /// It would take the place of something else.
    #[error("{} {reason}", path.display())]
    Refused {
        /// Where it was to be written.
        path: PathBuf,
        /// What is there.
        reason: &'static str,
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

/// Writes a report where its reader wants it: 0600, whole or not at all, and never through a link.
pub fn write_report(path: &Path, text: &str) -> Result<(), RenderError> {
    let store = |source| RenderError::Store {
        name: "the report",
        source,
    };
    let refuse = |reason| RenderError::Refused {
        path: path.to_owned(),
        reason,
    };
    let name = path.file_name().and_then(|name| name.to_str());
    let name = name.ok_or_else(|| refuse("is no name of a file"))?;
    let parent = path.parent().filter(|parent| *parent != Path::new(""));
    let root = create_private(parent.unwrap_or(Path::new("."))).map_err(store)?;
    check("the report", text.len(), REPORT_BYTES)?;
    if root.has_other_than_file(name) {
        return Err(refuse("is something else than a file"));
    }
    root.replace(name, text.as_bytes()).map_err(store)
}

fn make<E: ToString>(name: &'static str, made: Result<String, E>) -> Result<String, RenderError> {
    made.map_err(|error| RenderError::Make {
        name,
        reason: error.to_string(),
    })
}
