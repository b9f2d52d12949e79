//! Writing a session directory, record by record.

use std::io;
use std::path::Path;

use jiff::{Timestamp, Zoned};
use qa_core::{
    Archive, ArchiveError, CrashRecord, DriverInfo, ExploreConfig, Outcome, Picture, Replay,
    Severity, StateGraph, Status, StepRecord,
};
use qa_redact::{Image, Record, Redacted, RedactionError, Redactor, Schema};
use serde::Serialize;
use serde_json::Value;

use super::line::{StoredCrash, StoredStep};
use super::lines::Lines;
use super::lock::{self, Lock};
use super::meta::{Meta, SESSION_SCHEMA, Setup, timestamp};
use super::veil::{Veil, Verdict};
use super::{Directory, Session, create_private, limit, schema};
use crate::Language;
use crate::report::history_json;

/// A snapshot of a small graph is stored at most once in so many steps.
const STEPS_PER_SNAPSHOT: u32 = 10;
/// A graph with more pages is stored when it has grown by a tenth.
const SMALL_GRAPH: usize = 200;

/// The runs that ended in one directory of sessions.
const HISTORY: &str = "report.jsonl";

/// What a session begins with.
#[derive(Debug)]
pub struct SessionStart<'a> {
    /// What the owner calls it (`qa-shop`); part of the directory's name.
    pub name: &'a str,
    /// What is driven.
    pub driver: &'a DriverInfo,
    /// What was asked for.
    pub config: &'a ExploreConfig,
    /// Size of the viewport in the unit of the nodes' bounds, where it is known.
    pub viewport: Option<(f64, f64)>,
    /// The options on the command line that make such a run again; none if there was no such line.
    pub arguments: &'a [String],
    /// In which words it is reported.
    pub language: Language,
    /// Everything that is stored passes through it.
    pub redactor: Redactor,
}

/// Writes a session directory. Every record is durable when the call that stores it returns.
#[derive(Debug)]
pub struct SessionWriter {
    pub(super) root: Directory,
    pub(super) pictures: Directory,
    pub(super) evidence: Directory,
    pub(super) redactor: Redactor,
    pub(super) veil: Veil,
    pub(super) meta: Meta,
    pub(super) steps: Lines,
    pub(super) crashes: Lines,
    pub(super) findings: Lines,
    pub(super) stack_bytes: usize,
    pub(super) snapshot: Option<Snapshot>,
    /// Until the end of the run.
    pub(super) lock: Option<Lock>,
}

/// When the graph was stored last.
#[derive(Debug, Clone, Copy)]
pub(super) struct Snapshot {
    steps: u32,
    pages: usize,
}

impl SessionWriter {
    /// Creates `<root>/<local time>_<name>_<8 hex digits>` and what is in it before the first
    /// step. The root is created if it is not there.
    pub fn create(root: &Path, start: SessionStart<'_>) -> Result<Self, ArchiveError> {
        let now = Zoned::now();
        let error = |what: &str, error: &io::Error| ArchiveError {
            what: format!("{what} in {}", root.display()),
            reason: error.to_string(),
        };
        let parent = create_private(root).map_err(|e| error("the directory of sessions", &e))?;
        tighten(&parent).map_err(|e| error("a session", &e))?;
        let (id, root) = new_directory(&parent, start.name, &now)
            .map_err(|e| error("a session directory", &e))?;
        let meta = Meta {
            schema: SESSION_SCHEMA,
            id,
            name: start.name.to_owned(),
            started_at: now.strftime("%Y-%m-%dT%H:%M:%S%.3f%:z").to_string(),
            ended_at: None,
            status: Status::Running,
            report_language: start.language,
            dropped_fields: 0,
            resumed: Vec::new(),
            extra: Setup::new(&start),
            outcome: None,
        };
        let lock =
            Lock::take(&root, lock::SESSION, lock::PATIENCE).map_err(|e| error("the lock", &e))?;
        let create = |name: &str| root.create(name).map_err(|e| error(name, &e));
        let append = |name: &str| Lines::open(&root, name).map_err(|e| error(name, &e));
        let mut writer = Self {
            pictures: create("steps")?,
            evidence: create("crashes")?,
            steps: append("steps.jsonl")?,
            crashes: append("crashes.jsonl")?,
            findings: append("findings.jsonl")?,
            lock: Some(lock),
            redactor: start.redactor,
            veil: Veil::default(),
            meta,
            stack_bytes: 0,
            snapshot: None,
            root,
        };
        writer.store_meta()?;
        Ok(writer)
    }

    /// The session directory.
    #[must_use]
    pub fn dir(&self) -> &Path {
        self.root.path()
    }

    pub(super) fn store_meta(&mut self) -> Result<(), ArchiveError> {
        let what = "meta.json";
        let record = self.redact(what, schema::META, &self.meta.clone())?;
        let line = record.to_line();
        limit::check(what, line.as_str().len(), limit::META_BYTES)?;
        self.root
            .replace(what, line.as_str().as_bytes())
            .map_err(|e| refused(what, &e))
    }

    fn store_graph(&mut self, graph: &StateGraph) -> Result<(), ArchiveError> {
        let what = "state-graph.json";
        let line = self
            .redact(what, schema::GRAPH, &graph.to_snapshot())?
            .to_line();
        limit::check(what, line.as_str().len(), limit::GRAPH_BYTES)?;
        self.root
            .replace(what, line.as_str().as_bytes())
            .map_err(|e| refused(what, &e))
    }

    fn store_crash(&mut self, record: &CrashRecord) -> Result<(), ArchiveError> {
        let what = record.id.as_str();
        self.still_open(what)?;
        let finding = record.crash.severity == Severity::Finding;
        let lines = if finding {
            &self.findings
        } else {
            &self.crashes
        };
        let (prefix, most) = if finding {
            ('f', limit::FINDINGS)
        } else {
            ('c', limit::CRASHES)
        };
        let number = lines.count + 1;
        if record.id != format!("{prefix}{number}") {
            return Err(refused(what, &format!("the next one is {prefix}{number}")));
        }
        if record.step_index as usize > self.steps.count || record.step_index == 0 {
            let reason = format!("its step {} is not stored", record.step_index);
            return Err(refused(what, &reason));
        }
        limit::check("the number of records", number, most)?;
        limit::check(
            "a signature",
            record.crash.signature.0.chars().count(),
            limit::SIGNATURE_CHARS,
        )?;
        limit::check(
            "a reproduction path",
            record.repro_path.len(),
            limit::PATH_STEPS,
        )?;

        let stored = StoredCrash::new(record, Timestamp::now().to_string());
        limit::check(
            "the evidence of a crash",
            stored.stack.len(),
            limit::STACK_BYTES,
        )?;
        let stack = self
            .redactor
            .text(&stored.stack_file())
            .map_err(|e| withheld(what, e))?;
        let all = self.stack_bytes + stack.as_str().len();
        limit::check("the evidence of all crashes", all, limit::STACKS_BYTES)?;
        let line = self.redact(what, schema::CRASH, &stored)?;
        self.evidence
            .write_new(&stored.stack_path, stack.as_str().as_bytes())
            .and_then(|()| self.evidence.sync())
            .map_err(|e| refused(what, &e))?;
        let lines = if finding {
            &mut self.findings
        } else {
            &mut self.crashes
        };
        lines
            .append(&line)
            .inspect_err(|_| self.evidence.remove(&stored.stack_path))
            .map_err(|e| refused(what, &e))?;
        self.stack_bytes = all;
        Ok(())
    }

    /// A picture without what must not be seen, unless it has to be left out; and whether
    /// something was taken from it.
    fn veiled(
        &mut self,
        name: &str,
        picture: &Picture,
    ) -> Result<(Option<Redacted<Image>>, bool), ArchiveError> {
        let bytes = &picture.image.bytes;
        limit::check(name, bytes.len(), limit::IMAGE_BYTES)?;
        let verdict = self.veil.judge(picture, &self.redactor);
        match verdict.map_err(|e| withheld(name, e))? {
            Verdict::Omit => Ok((None, true)),
            Verdict::Store(masks) => {
                let safe = Redacted::png(bytes, &masks).map_err(|e| withheld(name, e))?;
                Ok((Some(safe), !masks.is_empty()))
            }
        }
    }

    /// Leaves out a replay that redaction would change: it would do something else (RED-012).
    fn guard_replay(&self, step: &mut StepRecord) -> Result<(), ArchiveError> {
        let changes = |text: &str| {
            let safe = self.redactor.text(text);
            safe.map(|safe| safe.as_str() != text)
                .map_err(|e| withheld("a step", e))
        };
        if let Some(Replay::InputText {
            input_value,
            input_redacted,
            ..
        }) = &mut step.notes.replay
            && let Some(value) = input_value
            && (*input_redacted || changes(value)?)
        {
            *input_value = None;
            *input_redacted = true;
        }
        let changed = match &step.notes.replay {
            None | Some(Replay::Launch | Replay::PressButton { .. }) => false,
            Some(Replay::Tap { element_key } | Replay::InputText { element_key, .. }) => {
                changes(&element_key.0)?
            }
            Some(Replay::Select {
                element_key,
                option,
            }) => changes(&element_key.0)? || changes(option)?,
            Some(Replay::PressKey { element_key, .. } | Replay::Scroll { element_key, .. }) => {
                element_key
                    .as_ref()
                    .map_or(Ok(false), |key| changes(&key.0))?
            }
            Some(Replay::Navigate { url }) => changes(url)?,
        };
        if changed {
            step.notes.replay = None;
            step.notes.non_replayable = true;
        }
        Ok(())
    }

    /// Appends the run to those that ended in the same directory of sessions (REP-125).
    fn append_to_history(&self, session: &Session) -> Result<(), ArchiveError> {
        let failed = |error: &io::Error| refused(HISTORY, error);
        let line = self
            .redactor
            .record(schema::RUN, &history_json(session))
            .map_err(|e| withheld(HISTORY, e))?;
        let root = self.dir().parent().unwrap_or(Path::new("/"));
        let root = Directory::open(root).map_err(|e| failed(&e))?;
        let lock = Lock::take(&root, lock::REPORTS, lock::PATIENCE).map_err(|e| failed(&e))?;
        let appended = Lines::open(&root, HISTORY).and_then(|mut lines| lines.append(&line.value));
        lock.release(&root);
        appended.map_err(|e| failed(&e))
    }

    pub(super) fn redact(
        &mut self,
        what: &str,
        schema: Schema,
        value: &impl Serialize,
    ) -> Result<Redacted<Value>, ArchiveError> {
        let Record { value, dropped } = self
            .redactor
            .record(schema, value)
            .map_err(|e| withheld(what, e))?;
        self.meta.dropped_fields += dropped;
        Ok(value)
    }

    fn still_open(&self, what: &str) -> Result<(), ArchiveError> {
        if self.meta.status == Status::Running {
            return Ok(());
        }
        Err(refused(what, &"the session has ended"))
    }
}

impl Archive for SessionWriter {
    fn step(
        &mut self,
        step: &StepRecord,
        before: Option<&Picture>,
        after: Option<&Picture>,
    ) -> Result<(), ArchiveError> {
        let what = format!("step {}", step.index);
        self.still_open(&what)?;
        if step.index as usize != self.steps.count + 1 {
            let reason = format!("the next one is {}", self.steps.count + 1);
            return Err(refused(&what, &reason));
        }
        limit::check("the number of steps", step.index as usize, limit::STEPS)?;
        limit::check(
            "the action of a step",
            step.action.chars().count(),
            limit::ACTION_CHARS,
        )?;
        let mut record = step.clone();
        self.guard_replay(&mut record)?;
        self.veil
            .note(step, &self.redactor)
            .map_err(|e| withheld(&what, e))?;
        let mut veiled = |suffix: &str, picture: Option<&Picture>| {
            let Some(picture) = picture else {
                return Ok(None);
            };
            let name = format!("{:03}{suffix}.{}", step.index, picture.image.extension);
            let (safe, touched) = self.veiled(&name, picture)?;
            record.notes.screenshot_redacted |= touched;
            Ok(safe.map(|safe| (name, safe)))
        };
        let pictures = [veiled("", before)?, veiled("_after", after)?];
        self.veil.lift(step, after);
        let [screenshot, screenshot_after] = pictures
            .each_ref()
            .map(|picture| picture.as_ref().map(|(name, _)| name.clone()));
        let stored = StoredStep {
            record,
            ts: Timestamp::now().to_string(),
            screenshot,
            screenshot_after,
        };
        let line = self.redact(&what, schema::STEP, &stored)?;
        let notes = line
            .as_value()
            .get("notes")
            .map_or(0, |notes| notes.to_string().chars().count());
        limit::check("the notes of a step", notes, limit::NOTES_CHARS)?;

        let pictures = || pictures.iter().flatten();
        let written = pictures()
            .try_for_each(|(name, safe)| {
                self.pictures
                    .write_new(name, safe.as_bytes())
                    .map_err(|e| refused(name, &e))
            })
            .and_then(|()| match pictures().next() {
                None => Ok(()),
                Some(_) => self.pictures.sync().map_err(|e| refused(&what, &e)),
            })
            .and_then(|()| self.steps.append(&line).map_err(|e| refused(&what, &e)));
        written.inspect_err(|_| {
            for (name, _) in pictures() {
                self.pictures.remove(name);
            }
        })
    }

    fn crash(&mut self, crash: &CrashRecord) -> Result<(), ArchiveError> {
        self.store_crash(crash)
    }

    fn finding(&mut self, finding: &CrashRecord) -> Result<(), ArchiveError> {
        self.store_crash(finding)
    }

    fn graph(&mut self, graph: &StateGraph) -> Result<(), ArchiveError> {
        let steps = u32::try_from(self.steps.count).unwrap_or(u32::MAX);
        let pages = graph.page_count();
        if !is_due(self.snapshot, steps, pages) {
            return Ok(());
        }
        self.store_graph(graph)?;
        self.snapshot = Some(Snapshot { steps, pages });
        Ok(())
    }

    fn finish(&mut self, outcome: &Outcome, graph: &StateGraph) -> Result<(), ArchiveError> {
        if self.meta.status != Status::Running {
            if self.meta.status == outcome.status {
                return Ok(());
            }
            return Err(refused(
                "the end",
                &"the session has ended with another status",
            ));
        }
        self.store_graph(graph)?;
        let running = self.meta.clone();
        self.meta.status = outcome.status;
        self.meta.ended_at = Some(timestamp());
        self.meta.outcome = Some(outcome.clone());
        if let Err(error) = self.store_meta() {
            self.meta = running;
            return Err(error);
        }
        if let Some(lock) = self.lock.take() {
            lock.release(&self.root);
        }
        let session = Session::read(self.dir()).map_err(|e| refused("the reports", &e))?;
        crate::render(&session).map_err(|e| refused("the reports", &e))?;
        self.append_to_history(&session)
    }
}

/// Whether a graph should be stored now.
fn is_due(last: Option<Snapshot>, steps: u32, pages: usize) -> bool {
    let Some(last) = last else { return true };
    if pages <= SMALL_GRAPH {
        steps >= last.steps + STEPS_PER_SNAPSHOT
    } else {
        pages >= last.pages + last.pages.div_ceil(10)
    }
}

/// Makes the directory of sessions the owner's own (EXP-176), unless it holds anything else: it may
/// be the owner's project, or a directory that many share.
fn tighten(root: &Directory) -> io::Result<()> {
    let ours = |name: &String| is_session_id(name) || [HISTORY, lock::REPORTS].contains(&&**name);
    if root.names()?.iter().all(ours) {
        root.tighten()?;
    }
    Ok(())
}

/// Whether a name is one that [`new_directory`] gives.
pub(crate) fn is_session_id(name: &str) -> bool {
    let mut parts = name.splitn(3, '_');
    let digits = |part: Option<&str>, length: usize, between: u8| {
        part.is_some_and(|part| {
            let fits = |byte: u8| byte.is_ascii_digit() || byte == between;
            part.len() == length && part.bytes().all(fits)
        })
    };
    let random = name.rsplit('_').next().unwrap_or_default();
    digits(parts.next(), 10, b'-')
        && digits(parts.next(), 6, b'0')
        && random.len() == 8
        && random.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn new_directory(parent: &Directory, name: &str, now: &Zoned) -> io::Result<(String, Directory)> {
    loop {
        let mut random = [0; 4];
        getrandom::fill(&mut random).map_err(|e| io::Error::other(e.to_string()))?;
        let random = u32::from_be_bytes(random);
        let id = format!(
            "{}_{}_{random:08x}",
            now.strftime("%Y-%m-%d_%H%M%S"),
            file_name(name)
        );
        match parent.create(&id) {
            Ok(directory) => return Ok((id, directory)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
}

/// A name as part of a file name: runs of other characters become `_`, at most 40 are kept.
fn file_name(name: &str) -> String {
    let mut out = String::new();
    for character in name.chars() {
        if character.is_ascii_alphanumeric() || "._-".contains(character) {
            out.push(character);
        } else if !out.ends_with('_') {
            out.push('_');
        }
    }
    out.truncate(40);
    out
}

fn refused(what: &str, reason: &impl ToString) -> ArchiveError {
    ArchiveError {
        what: what.to_owned(),
        reason: reason.to_string(),
    }
}

fn withheld(what: &str, error: RedactionError) -> ArchiveError {
    refused(what, &error)
}

#[cfg(test)]
mod tests {
    use super::*;

    // EXP-048
    #[test]
    fn a_name_becomes_part_of_a_file_name() {
        for (name, expected) in [
            ("qa-shop", "qa-shop"),
            ("my shop / § 3", "my_shop_3"),
            ("../../etc", ".._.._etc"),
            (&"x".repeat(99), &"x".repeat(40)),
        ] {
            assert_eq!(file_name(name), expected);
        }
    }

    #[test]
    fn snapshots_follow_the_growth_of_a_graph() {
        let last = |steps, pages| Some(Snapshot { steps, pages });
        assert!(is_due(None, 1, 1));
        assert!(!is_due(last(1, 1), 10, 9));
        assert!(is_due(last(1, 1), 11, 1));
        assert!(!is_due(last(300, 1000), 400, 1099));
        assert!(is_due(last(300, 1000), 301, 1100));
    }
}
