//! Reading a session directory back, whatever ended it.

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use qa_core::{
    BlockedHost, CrashSummary, Ended, GraphSnapshot, History, Notice, Outcome, PageIdentity,
    Reason, Settle, StateGraph, Status,
};
use qa_redact::{Redactor, RedactorConfig, Schema};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::line::{StoredCrash, StoredStep};
use super::lock::{self, Lock};
use super::meta::{Meta, SESSION_SCHEMA};
use super::{Directory, limit, schema};
use crate::{Language, code_text};

/// A session as it was stored.
///
/// What is read is not trusted: it passes redaction again, which changes nothing of what this crate
/// wrote.
#[derive(Debug)]
pub struct Session {
    /// Its directory.
    pub dir: PathBuf,
    /// What it is and how it ended.
    pub meta: Meta,
    /// Steps in order.
    pub steps: Vec<StoredStep>,
    /// Crashes in order.
    pub crashes: Vec<StoredCrash>,
    /// Findings in order.
    pub findings: Vec<StoredCrash>,
    /// Pages and the ways between them; of a run that was killed, the last snapshot.
    pub graph: GraphSnapshot,
    /// Another process still writes it.
    pub live: bool,
    /// What is missing or was repaired in memory.
    pub warnings: Vec<Reason>,
    pub(crate) root: Directory,
    pub(crate) pictures: Directory,
}

/// A session that cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SessionError {
    /// A file could not be read.
    #[error("could not read {}", file.display())]
    Read {
        /// Which.
        file: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file holds something else than a session does.
    #[error("{}, line {line}, is not what a session holds: {reason}", file.display())]
    Content {
        /// Which file.
        file: PathBuf,
        /// Which line, from 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
    /// A newer version wrote it.
    #[error("{} has schema {found}, but this version reads up to {known}", file.display())]
    Newer {
        /// Which file.
        file: PathBuf,
        /// The version found.
        found: u64,
        /// The newest version that can be read.
        known: u32,
    },
    /// It has ended, and nothing can be added to it.
    #[error("the session has ended: {status:?}")]
    Ended {
        /// How.
        status: Status,
    },
    /// Another process still writes it.
    #[error("another process still writes the session")]
    Live,
    /// It could not be made ready to go on.
    #[error("could not make {what} ready to go on")]
    Resume {
        /// Which part.
        what: String,
        /// What the system said.
        source: io::Error,
    },
}

impl Session {
    /// Reads a session directory. Links in it are refused; a last line that a power loss cut off is left
    /// out and named in [`warnings`](Self::warnings).
    pub fn read(dir: &Path) -> Result<Self, SessionError> {
        let at = |name: &str| dir.join(name);
        let open = |source| SessionError::Read {
            file: dir.to_owned(),
            source,
        };
        let root = Directory::named(dir).map_err(open)?;
        let pictures = root.enter("steps").map_err(|source| SessionError::Read {
            file: at("steps"),
            source,
        })?;
        let evidence = root.enter("crashes").map_err(|source| SessionError::Read {
            file: at("crashes"),
            source,
        })?;
        let (meta, redactor) = read_meta(&root)?;
        let mut warnings = meta.resumed.clone();
        let steps: Vec<StoredStep> =
            read_lines(&root, "steps.jsonl", schema::STEP, &redactor, &mut warnings)?;
        let mut crashes: Vec<StoredCrash> = read_lines(
            &root,
            "crashes.jsonl",
            schema::CRASH,
            &redactor,
            &mut warnings,
        )?;
        let mut findings: Vec<StoredCrash> = read_lines(
            &root,
            "findings.jsonl",
            schema::CRASH,
            &redactor,
            &mut warnings,
        )?;
        if let Some((position, step)) = steps
            .iter()
            .enumerate()
            .find(|(position, step)| step.record.index as usize != position + 1)
        {
            return Err(SessionError::Content {
                file: at("steps.jsonl"),
                line: position + 1,
                reason: format!("it holds step {}", step.record.index),
            });
        }
        for crash in crashes.iter_mut().chain(&mut findings) {
            match read_stack(&evidence, &crash.stack_path, &redactor) {
                Ok(stack) => crash.stack = stack,
                Err(error) => warnings.push(warning(
                    "EVIDENCE_UNREADABLE",
                    format!("evidence could not be read: {}: {error}", crash.id),
                )),
            }
            if crash.step_index as usize > steps.len() {
                warnings.push(warning(
                    "STEP_LOST",
                    format!(
                        "a crash or finding belongs to a step that is lost: {} ({})",
                        crash.id, crash.step_index
                    ),
                ));
            }
        }
        let graph = read_graph(&root, &redactor, &mut warnings)?;
        let live = meta.status == Status::Running && Lock::is_held(&root, lock::SESSION);
        Ok(Self {
            dir: root.path().to_owned(),
            meta,
            steps,
            crashes,
            findings,
            graph,
            live,
            warnings,
            root,
            pictures,
        })
    }

    /// Whether the end of the run was stored. If not, it still goes on or was killed.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.meta.status != Status::Running && self.meta.outcome.is_some()
    }

    /// What the end of the run knew; of a run without end, what can be told from its records.
    #[must_use]
    pub fn outcome(&self) -> Outcome {
        if let Some(outcome) = &self.meta.outcome {
            return outcome.clone();
        }
        let last = self.steps.last().map_or(0, |step| step.record.notes.app_ms);
        let mut findings = std::collections::BTreeMap::new();
        for finding in &self.findings {
            *findings.entry(finding.kind).or_default() += 1;
        }
        let code = if self.live {
            "STILL_RUNNING"
        } else {
            "NOT_FINISHED"
        };
        Outcome {
            status: Status::Running,
            reasons: vec![known(code)],
            ended: Ended::Interrupted,
            steps: u32::try_from(self.steps.len()).unwrap_or(u32::MAX),
            max_steps: self.meta.extra.config.max_steps,
            pages: self.graph.pages.len(),
            edges: self.graph.edges.len(),
            actions: 0,
            duration_ms: self.wall_ms(),
            app_ms: last,
            crashes: self.crashes.iter().map(summary).collect(),
            findings,
            refused: std::collections::BTreeMap::new(),
            unexplored: Vec::new(),
            foreign: Vec::new(),
            blocked: self.blocked(),
            unsettled_steps: self.unsettled(),
            duplicates: 0,
            warnings: Vec::new(),
        }
    }

    /// What the engine has to know of it to go on.
    pub(super) fn history(&self, graph: StateGraph) -> History {
        History {
            steps: self.steps.iter().map(|step| step.record.clone()).collect(),
            crashes: self.crashes.iter().map(summary).collect(),
            findings: self.findings.iter().map(summary).collect(),
            graph,
            elapsed: Duration::from_millis(self.wall_ms()),
        }
    }

    fn blocked(&self) -> Vec<BlockedHost> {
        let mut blocked = Vec::new();
        let steps = self.steps.iter();
        for notice in steps.flat_map(|step| &step.record.notes.notices) {
            if let Notice::Blocked { host, count } = notice {
                BlockedHost::count(&mut blocked, host, *count);
            }
        }
        blocked
    }

    fn unsettled(&self) -> Vec<u32> {
        let unsettled = |step: &&StoredStep| {
            let settle = step.record.notes.settle.as_ref();
            settle.is_some_and(|settle| settle.outcome == Settle::Unsettled)
        };
        let steps = self.steps.iter().filter(unsettled);
        steps.map(|step| step.record.index).collect()
    }

    /// Real time from the start to the last step.
    fn wall_ms(&self) -> u64 {
        let start = self.meta.started_at.parse::<jiff::Timestamp>();
        let last = self
            .steps
            .last()
            .map(|step| step.ts.parse::<jiff::Timestamp>());
        match (start, last) {
            (Ok(start), Some(Ok(last))) => {
                u64::try_from(last.as_millisecond() - start.as_millisecond()).unwrap_or(0)
            }
            _ => 0,
        }
    }
}

fn summary(crash: &StoredCrash) -> CrashSummary {
    CrashSummary {
        id: crash.id.clone(),
        kind: crash.kind,
        signature: crash.signature.clone(),
        label: crash.label.clone(),
        step: crash.step_index,
        count: crash.count,
        repro_path: crash.repro_path.clone(),
    }
}

pub(super) fn read_meta(root: &Directory) -> Result<(Meta, Redactor), SessionError> {
    let name = "meta.json";
    let value: Value = parse(root, name, 1, &read(root, name, limit::META_BYTES)?)?;
    let found = value.get("schema").and_then(Value::as_u64).unwrap_or(0);
    newest(root, name, found, SESSION_SCHEMA)?;
    let boundary = value
        .pointer("/extra/config/boundary")
        .and_then(Value::as_array);
    let origins = boundary.into_iter().flatten().filter_map(Value::as_str);
    let redactor = redactor(origins.filter(|origin| origin.contains("://")));
    let meta = redact(root, name, 1, schema::META, &redactor, &value)?;
    Ok((meta, redactor))
}

/// Reads as the run itself did, but knows no secrets: those are gone from what was stored.
fn redactor<'a>(origins: impl Iterator<Item = &'a str>) -> Redactor {
    let config = |allowed_origins| RedactorConfig {
        allowed_origins,
        ..RedactorConfig::default()
    };
    let origins = origins.map(|origin| origin.trim_end_matches('/').to_owned());
    let usable = origins.filter(|origin| Redactor::new(config(vec![origin.clone()])).is_ok());
    let usable = usable.collect();
    match Redactor::new(config(usable)) {
        Ok(redactor) => redactor,
        Err(error) => unreachable!("a redactor of entries that are usable alone: {error}"),
    }
}

fn read_lines<T: DeserializeOwned>(
    root: &Directory,
    name: &str,
    schema: Schema,
    redactor: &Redactor,
    warnings: &mut Vec<Reason>,
) -> Result<Vec<T>, SessionError> {
    let bytes = read(root, name, limit::LINES_BYTES)?;
    let whole = bytes
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(0, |last| last + 1);
    let torn = bytes.len() - whole;
    if torn > 0 {
        let text = format!("a last line was cut off and is left out: {name}, {torn} bytes");
        warnings.push(warning("TORN_LINE", text));
    }
    let lines = bytes[..whole].split(|byte| *byte == b'\n').zip(1..);
    lines
        .filter(|(line, _)| !line.is_empty())
        .map(|(line, number)| {
            let value = parse(root, name, number, line)?;
            redact(root, name, number, schema, redactor, &value)
        })
        .collect()
}

fn read_graph(
    root: &Directory,
    redactor: &Redactor,
    warnings: &mut Vec<Reason>,
) -> Result<GraphSnapshot, SessionError> {
    let name = "state-graph.json";
    if !root.has(name) {
        warnings.push(known("NO_GRAPH"));
        return Ok(GraphSnapshot {
            schema: 1,
            page_identity: PageIdentity::default(),
            max_pages_per_skeleton: 0,
            launch_page: None,
            graph_truncated: false,
            pages: std::collections::BTreeMap::new(),
            edges: Vec::new(),
        });
    }
    let value: Value = parse(root, name, 1, &read(root, name, limit::GRAPH_BYTES)?)?;
    newest(
        root,
        name,
        value.get("schema").and_then(Value::as_u64).unwrap_or(0),
        1,
    )?;
    let mut graph: GraphSnapshot = redact(root, name, 1, schema::GRAPH, redactor, &value)?;
    let known: HashSet<_> = graph.pages.keys().cloned().collect();
    graph
        .edges
        .retain(|edge| known.contains(&edge.from) && known.contains(&edge.to));
    Ok(graph)
}

fn read_stack(evidence: &Directory, name: &str, redactor: &Redactor) -> io::Result<String> {
    let invalid = |reason: String| io::Error::new(io::ErrorKind::InvalidData, reason);
    let bytes = evidence.read(name, 2 * limit::STACK_BYTES as u64)?;
    let text = String::from_utf8(bytes).map_err(|e| invalid(e.to_string()))?;
    let stack = StoredCrash::stack_of(&text).ok_or_else(|| invalid("it has no header".into()))?;
    let safe = redactor.text(stack).map_err(|e| invalid(e.to_string()))?;
    Ok(safe.into_string())
}

fn read(root: &Directory, name: &str, limit: usize) -> Result<Vec<u8>, SessionError> {
    root.read(name, limit as u64)
        .map_err(|source| SessionError::Read {
            file: root.path().join(name),
            source,
        })
}

fn parse(root: &Directory, name: &str, line: usize, bytes: &[u8]) -> Result<Value, SessionError> {
    serde_json::from_slice(bytes).map_err(|error| content(root, name, line, &error))
}

fn redact<T: DeserializeOwned>(
    root: &Directory,
    name: &str,
    line: usize,
    schema: Schema,
    redactor: &Redactor,
    value: &Value,
) -> Result<T, SessionError> {
    let record = redactor
        .record(schema, value)
        .map_err(|error| content(root, name, line, &error))?;
    if record.dropped > 0 {
        return Err(content(
            root,
            name,
            line,
            &"it has fields that are not known",
        ));
    }
    serde_json::from_value(record.value.as_value().clone())
        .map_err(|error| content(root, name, line, &error))
}

fn newest(root: &Directory, name: &str, found: u64, known: u32) -> Result<(), SessionError> {
    if found <= u64::from(known) {
        return Ok(());
    }
    Err(SessionError::Newer {
        file: root.path().join(name),
        found,
        known,
    })
}

pub(super) fn content(
    root: &Directory,
    name: &str,
    line: usize,
    reason: &impl ToString,
) -> SessionError {
    SessionError::Content {
        file: root.path().join(name),
        line,
        reason: reason.to_string(),
    }
}

/// A code that says it all.
pub(super) fn known(code: &str) -> Reason {
    let text = code_text(Language::EnUs, code).unwrap_or_default();
    warning(code, text.to_owned())
}

pub(super) fn warning(code: &str, text: String) -> Reason {
    Reason {
        code: code.to_owned(),
        text,
    }
}
