//! The release build of `qa`, used as the program it is.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::Deserialize;
use serde_json::Value;

use crate::failure::Failure;
use crate::process;
use crate::workspace::Workspace;

/// The release build of `qa`.
#[derive(Debug)]
pub(crate) struct Qa {
    /// Where it is.
    pub(crate) program: PathBuf,
}

/// What an exploration left behind.
#[derive(Debug)]
pub(crate) struct Explored {
    /// What it printed at its end.
    pub(crate) summary: Value,
    /// Its directory.
    pub(crate) dir: PathBuf,
    /// What ended it.
    pub(crate) ended: String,
    /// Its crashes and findings.
    pub(crate) evidence: Vec<Evidence>,
}

/// Something that went wrong.
#[derive(Debug, Deserialize)]
pub(crate) struct Evidence {
    /// `c1`, `f1`, …; empty where it is of no session.
    #[serde(default)]
    pub(crate) id: String,
    /// The word of its kind.
    pub(crate) kind: String,
    /// Everything that is known of it.
    pub(crate) text: String,
}

impl Qa {
    /// Builds it.
    pub(crate) fn build(workspace: &Workspace) -> Result<Self, Failure> {
        process::run(process::cargo().args(["build", "--release", "--package", "qa-cli"]))?;
        let program = workspace
            .target
            .join("release")
            .join(format!("qa{}", std::env::consts::EXE_SUFFIX));
        Ok(Self { program })
    }

    /// Explores; the folder for the session is made anew.
    pub(crate) fn explore(&self, arguments: &[&str], out: &Path) -> Result<Explored, Failure> {
        if out.exists() {
            std::fs::remove_dir_all(out)?;
        }
        let line = format!("qa explore {}", arguments.join(" "));
        eprintln!("$ {line}");
        let output = Command::new(&self.program)
            .args(["explore", "--json", "--out"])
            .arg(out)
            .args(arguments)
            .stdin(Stdio::null())
            .stderr(Stdio::inherit())
            .output()?;
        // A crash of the app ends with 1 and a run that proves nothing with 2; both have a session.
        if !matches!(output.status.code(), Some(0..=2)) {
            return Err(Failure::failed(format!(
                "`{line}` ended with {}",
                output.status
            )));
        }
        let summary: Value = serde_json::from_slice(&output.stdout)
            .map_err(|error| Failure::failed(format!("`{line}` printed no JSON: {error}")))?;
        let dir = PathBuf::from(summary["session_dir"].as_str().unwrap_or_default());
        let meta = read(&dir.join("meta.json"))?;
        let meta: Value = serde_json::from_str(&meta)
            .map_err(|error| Failure::failed(format!("meta.json is unreadable: {error}")))?;
        let mut evidence = Vec::new();
        for file in ["crashes.jsonl", "findings.jsonl"] {
            for line in read(&dir.join(file))?.lines() {
                evidence.push(stored(&dir, line)?);
            }
        }
        Ok(Explored {
            summary,
            dir,
            ended: meta["outcome"]["ended"].as_str().unwrap_or("?").to_owned(),
            evidence,
        })
    }
}

/// A line of a session, with the file that holds the rest of it.
fn stored(dir: &Path, line: &str) -> Result<Evidence, Failure> {
    let record: Value = serde_json::from_str(line)
        .map_err(|error| Failure::failed(format!("a stored crash is unreadable: {error}")))?;
    let stack = match record["stack_path"].as_str() {
        Some(file) => read(&dir.join("crashes").join(file))?,
        None => String::new(),
    };
    Ok(Evidence {
        id: record["id"].as_str().unwrap_or_default().to_owned(),
        kind: record["kind"].as_str().unwrap_or_default().to_owned(),
        text: format!("{line}\n{stack}"),
    })
}

fn read(file: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(file)
        .map_err(|error| Failure::failed(format!("cannot read {}: {error}", file.display())))
}
