//! Going on with a session whose process died (EXP-179, D-11).

use std::io;
use std::path::Path;

use qa_core::{History, Reason, StateGraph, Status, StepNotes, StepRecord, StepResult};

use super::line::StoredStep;
use super::lines::{Lines, whole_lines};
use super::lock::{self, Lock};
use super::meta::{Setup, timestamp};
use super::session::warning;
use super::veil::Veil;
use super::writer::SessionWriter;
use super::{Directory, Session, SessionError, SessionStart, limit, schema};

/// A session that can go on, and all that the run before it left.
#[derive(Debug)]
#[non_exhaustive]
pub struct Resumed {
    /// Where the next records go. The next step is the one after [`Session::steps`].
    pub writer: SessionWriter,
    /// What is stored. Its [`warnings`](Session::warnings) name what was lost or repaired.
    pub session: Session,
    /// The same for the engine. Its graph is not older than ten steps or a tenth of the pages.
    pub history: History,
}

impl SessionWriter {
    /// Goes on with a session whose process died. Takes its lock (a dead owner has none), cuts off
    /// last lines that were not written whole, and takes away what belongs to no record.
    ///
    /// The number of a step that is lost is used again, unless a crash or finding refers to it:
    /// then a record without action takes its place, and says so. A session that has ended, or
    /// that another process still writes, is refused; so is one of a newer version. Nothing is
    /// changed until all of it could be read.
    ///
    /// `start` is that of the run that goes on. Its redactor needs the secrets anew, and its limits
    /// may differ; name and language stay what they were.
    pub fn resume(dir: &Path, start: SessionStart<'_>) -> Result<Resumed, SessionError> {
        let part = |what: &str| {
            let what = what.to_owned();
            move |source| SessionError::Resume { what, source }
        };
        let root = Directory::open(dir).map_err(|source| SessionError::Read {
            file: dir.to_owned(),
            source,
        })?;
        let held = Session::read(dir)?;
        if held.meta.status != Status::Running {
            return Err(SessionError::Ended {
                status: held.meta.status,
            });
        }
        let lock = Lock::take(&root, lock::SESSION, lock::PATIENCE).map_err(|error| match error
            .kind()
        {
            io::ErrorKind::WouldBlock => SessionError::Live,
            _ => part("the lock")(error),
        })?;
        // Its owner may have gone on, or ended it, while the lock was waited for.
        let session = Session::read(dir)?;
        if session.meta.status != Status::Running {
            return Err(SessionError::Ended {
                status: session.meta.status,
            });
        }
        let evidence = root.enter("crashes").map_err(part("crashes"))?;
        let pictures = root.enter("steps").map_err(part("steps"))?;
        let open =
            |name: &str, count: usize| Lines::open_behind(&root, name, count).map_err(part(name));
        let mut repairs = torn(&root, &evidence, &session).map_err(part("the records"))?;
        let steps = open("steps.jsonl", session.steps.len())?;
        let crashes = open("crashes.jsonl", session.crashes.len())?;
        let findings = open("findings.jsonl", session.findings.len())?;
        tidy(&pictures, |number| number <= steps.count).map_err(part("steps"))?;
        let last = steps.count;
        repairs.insert(
            0,
            warning(
                "RESUMED",
                format!("the run was resumed: #{last}, {}", timestamp()),
            ),
        );
        let stack_bytes = session
            .crashes
            .iter()
            .chain(&session.findings)
            .map(|crash| crash.stack_file().len())
            .sum();
        let mut writer = Self {
            root,
            pictures,
            evidence,
            redactor: start.redactor.clone(),
            veil: Veil::default(),
            meta: session.meta.clone(),
            steps,
            crashes,
            findings,
            stack_bytes,
            snapshot: None,
            lock: Some(lock),
        };
        writer.fill_gap(&session, &mut repairs)?;
        writer.meta.resumed.extend(repairs);
        writer.meta.extra = Setup::new(&start);
        writer.store_meta().map_err(refused)?;
        let mut session = Session::read(dir)?;
        session.live = false;
        let history = session.history(graph(&session)?);
        Ok(Resumed {
            writer,
            session,
            history,
        })
    }

    /// Puts a record in the place of each step that is lost and that evidence refers to.
    fn fill_gap(
        &mut self,
        session: &Session,
        repairs: &mut Vec<Reason>,
    ) -> Result<(), SessionError> {
        let evidence = session.crashes.iter().chain(&session.findings);
        let last = evidence.map(|crash| crash.step_index).max().unwrap_or(0);
        let app_ms = session
            .steps
            .last()
            .map_or(0, |step| step.record.notes.app_ms);
        for index in self.steps.count + 1..=last as usize {
            let index = u32::try_from(index).unwrap_or(u32::MAX);
            let stored = StoredStep {
                record: StepRecord {
                    index,
                    action: "(lost)".into(),
                    result: StepResult::Skip,
                    notes: StepNotes {
                        non_replayable: true,
                        code: Some("STEP_LOST".into()),
                        app_ms,
                        ..StepNotes::default()
                    },
                },
                ts: jiff::Timestamp::now().to_string(),
                screenshot: None,
                screenshot_after: None,
            };
            limit::check("the number of steps", index as usize, limit::STEPS).map_err(refused)?;
            let line = self
                .redact("a step", schema::STEP, &stored)
                .map_err(refused)?;
            self.steps
                .append(&line)
                .map_err(|source| SessionError::Resume {
                    what: "steps.jsonl".into(),
                    source,
                })?;
            let text =
                format!("the record of a step is lost, and its number is not used again: {index}");
            repairs.push(warning("NUMBER_SKIPPED", text));
        }
        Ok(())
    }
}

/// What is about to be taken away, as warnings. Evidence whose record was cut off is kept beside
/// the records: there is no other.
fn torn(root: &Directory, evidence: &Directory, session: &Session) -> io::Result<Vec<Reason>> {
    let mut repairs = Vec::new();
    for name in ["steps.jsonl", "crashes.jsonl", "findings.jsonl"] {
        let bytes = root.read(name, limit::LINES_BYTES as u64)?;
        let torn = bytes.len() as u64 - whole_lines(&bytes);
        if torn > 0 {
            let text = format!("a last line was cut off and is left out: {name}, {torn} bytes");
            repairs.push(warning("TORN_LINE", text));
        }
    }
    for name in evidence.names()? {
        let of = |prefix: char| {
            let rest = name.strip_prefix(prefix)?.strip_suffix(".stack.txt")?;
            rest.parse::<usize>().ok()
        };
        let orphan = of('c').is_some_and(|number| number > session.crashes.len())
            || of('f').is_some_and(|number| number > session.findings.len());
        if orphan {
            let kept = free_name(evidence, &name);
            evidence.rename(&name, &kept)?;
            let text = format!("evidence without a record was kept: crashes/{kept}");
            repairs.push(warning("EVIDENCE_KEPT", text));
        }
    }
    Ok(repairs)
}

fn free_name(directory: &Directory, name: &str) -> String {
    let names = (1..).map(|number| format!("lost-{number}-{name}"));
    let mut free = names.filter(|kept| !directory.has(kept));
    free.next()
        .unwrap_or_else(|| unreachable!("there are more numbers than files"))
}

/// Removes the pictures of steps that have no record.
fn tidy(pictures: &Directory, has_record: impl Fn(usize) -> bool) -> io::Result<()> {
    for name in pictures.names()? {
        let digits = name
            .split(|character: char| !character.is_ascii_digit())
            .next();
        let number = digits.and_then(|digits| digits.parse().ok());
        if !number.is_some_and(&has_record) {
            pictures.remove(&name);
        }
    }
    pictures.sync()
}

fn graph(session: &Session) -> Result<StateGraph, SessionError> {
    let config = &session.meta.extra.config;
    if session.graph.pages.is_empty() {
        return Ok(StateGraph::new(
            config.page_identity,
            config.max_pages_per_skeleton,
        ));
    }
    StateGraph::from_snapshot(session.graph.clone()).map_err(|error| SessionError::Content {
        file: session.dir.join("state-graph.json"),
        line: 1,
        reason: error.to_string(),
    })
}

fn refused(error: qa_core::ArchiveError) -> SessionError {
    SessionError::Resume {
        what: error.what,
        source: io::Error::other(error.reason),
    }
}
