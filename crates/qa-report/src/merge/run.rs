//! Which sessions are the same thing done again, and what they prove together.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use qa_core::{Fingerprint, PageSnapshot, Status};

use crate::report::RenderError;
use crate::store::{
    Directory, Lock, PATIENCE, REPORT_BYTES, REPORTS, check, create_private, is_session_id,
};
use crate::{Language, Session, SessionError};

/// Several sessions as one. The order in which they are given does not matter.
#[derive(Debug)]
pub struct Merge {
    /// Different things, in the order of their first starts.
    pub runs: Vec<Run>,
}

/// One thing, done once or again and again.
#[derive(Debug)]
pub struct Run {
    /// In the order of their starts; never empty.
    pub attempts: Vec<Session>,
}

impl Merge {
    /// Puts sessions together. One that is given twice counts once; sessions of the same app,
    /// start, clock, seed and configuration are attempts of one run.
    #[must_use]
    pub fn of(mut sessions: Vec<Session>) -> Self {
        // Of two copies of one session, the one that knows more comes first.
        sessions.sort_by_cached_key(|session| {
            let start = session.meta.started_at.parse::<jiff::Timestamp>();
            (
                start.unwrap_or(jiff::Timestamp::MAX),
                session.meta.id.clone(),
                !session.is_finished(),
                usize::MAX - session.steps.len(),
            )
        });
        sessions.dedup_by(|one, other| one.meta.id == other.meta.id);
        let mut runs: Vec<Run> = Vec::new();
        let mut known = BTreeMap::new();
        for session in sessions {
            let at = *known.entry(identity(&session)).or_insert(runs.len());
            match runs.get_mut(at) {
                Some(run) => run.attempts.push(session),
                None => runs.push(Run {
                    attempts: vec![session],
                }),
            }
        }
        Self { runs }
    }

    /// Reads the sessions in some directories: each is a session, or holds sessions.
    pub fn read(dirs: &[impl AsRef<Path>]) -> Result<Self, SessionError> {
        let mut sessions = Vec::new();
        for dir in dirs {
            let dir = dir.as_ref();
            let error = |source| SessionError::Read {
                file: dir.to_owned(),
                source,
            };
            let root = Directory::open(dir).map_err(error)?;
            if root.has("meta.json") {
                sessions.push(Session::read(dir)?);
                continue;
            }
            let before = sessions.len();
            for name in root.names().map_err(error)? {
                let holds_one = || root.enter(&name).is_ok_and(|inner| inner.has("meta.json"));
                // What looks like a session must be one: a shard that is lost is no green one.
                if is_session_id(&name) || holds_one() {
                    sessions.push(Session::read(&dir.join(name))?);
                }
            }
            if sessions.len() == before {
                let reason = "it is no session and holds none";
                return Err(error(io::Error::new(io::ErrorKind::NotFound, reason)));
            }
        }
        Ok(Self::of(sessions))
    }

    /// The worst verdict of all attempts: a crash stays a crash, and what one of them did not prove
    /// is not proven. Nothing proves nothing.
    #[must_use]
    pub fn status(&self) -> Status {
        let worst = |status: &Status| match status {
            Status::Passed => 0,
            Status::Running => 1,
            Status::Aborted => 2,
            Status::Failed => 3,
        };
        let all = self.sessions().map(|session| session.outcome().status);
        all.max_by_key(worst).unwrap_or(Status::Aborted)
    }

    /// All sessions, run by run.
    pub fn sessions(&self) -> impl Iterator<Item = &Session> {
        self.runs.iter().flat_map(|run| &run.attempts)
    }

    /// The language of all sessions, or English where they differ.
    #[must_use]
    pub fn language(&self) -> Language {
        let mut languages = self.sessions().map(|session| session.meta.report_language);
        let first = languages.next().unwrap_or_default();
        if languages.all(|language| language == first) {
            first
        } else {
            Language::default()
        }
    }

    /// The pages that any of the sessions saw.
    #[must_use]
    pub fn pages(&self) -> BTreeMap<&Fingerprint, &PageSnapshot> {
        let mut pages = BTreeMap::new();
        for (hash, page) in self.sessions().flat_map(|session| &session.graph.pages) {
            pages.entry(hash).or_insert(page);
        }
        pages
    }

    /// Writes `report.json`, `report.md` and `report.xml` into a directory, which is made if it is
    /// not there. One that is a session is refused: it has reports of its own.
    pub fn write(&self, out: &Path) -> Result<(), RenderError> {
        let store = |name| move |source| RenderError::Store { name, source };
        let root = create_private(out).map_err(store("the directory"))?;
        if root.has("meta.json") {
            return Err(RenderError::Refused {
                path: out.to_owned(),
                reason: "is a session, which has reports of its own",
            });
        }
        let json = self.to_json();
        let json = serde_json::to_string_pretty(&json).map_err(|error| RenderError::Make {
            name: "report.json",
            reason: error.to_string(),
        })?;
        let reports = [
            ("report.json", json + "\n"),
            ("report.md", self.to_markdown()),
            ("report.xml", self.to_junit()?),
        ];
        let lock = Lock::take(&root, REPORTS, PATIENCE).map_err(store(REPORTS))?;
        for (name, text) in reports {
            check(name, text.len(), REPORT_BYTES)?;
            root.replace(name, text.as_bytes()).map_err(store(name))?;
        }
        lock.release(&root);
        Ok(())
    }
}

impl Run {
    /// The first attempt: what all of them were to do.
    #[must_use]
    pub fn first(&self) -> &Session {
        &self.attempts[0]
    }
}

/// What two sessions must share to be attempts of one run. Addresses that redaction has hidden
/// cannot be compared, so such a session is only like itself.
fn identity(session: &Session) -> String {
    let setup = &session.meta.extra;
    let hidden = setup.driver.target.contains("[REDACTED");
    let alone = hidden.then_some(&session.meta.id);
    let what = (
        alone,
        setup.driver.platform,
        &setup.driver.target,
        setup.driver.clock,
        &setup.config,
    );
    serde_json::to_string(&what).unwrap_or_else(|_| session.meta.id.clone())
}
