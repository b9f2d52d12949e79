//! A command of the owner's that is asked about pictures (REP-141).

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use async_trait::async_trait;
use qa_core::{Advice, AdvisorError, Opinion, Picture, VisionAdvisor};
use qa_redact::Redactor;
use qa_report::write_picture;
use serde::Deserialize;
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::Command;

/// How long an answer may take.
const DEADLINE: Duration = Duration::from_secs(60);
/// A longer answer is none.
const MAX_ANSWER_BYTES: u64 = 64 << 10;

/// Asks a command, once for each question.
pub(super) struct CommandAdvisor<'a> {
    command: &'a str,
    dir: &'a Path,
    redactor: &'a Redactor,
    asked: u32,
}

#[derive(Deserialize)]
struct Answer {
    verdict: Opinion,
    confidence: f64,
    reasoning: String,
}

impl<'a> CommandAdvisor<'a> {
    /// Pictures are stored in `dir`, and shown from there.
    pub(super) fn new(command: &'a str, dir: &'a Path, redactor: &'a Redactor) -> Self {
        Self {
            command,
            dir,
            redactor,
            asked: 0,
        }
    }
}

#[async_trait]
impl VisionAdvisor for CommandAdvisor<'_> {
    async fn ask(&mut self, question: &str, picture: &Picture) -> Result<Advice, AdvisorError> {
        self.asked += 1;
        let name = format!("advisory-{}.png", self.asked);
        let withheld = |reason: String| AdvisorError::Withheld(reason);
        let is_stored = write_picture(self.dir, &name, picture, self.redactor)
            .map_err(|error| withheld(error.to_string()))?;
        if !is_stored {
            let reason = "nothing says where in it secrets are";
            return Err(withheld(reason.to_owned()));
        }
        let path = self.dir.join(&name).canonicalize();
        let path = path.map_err(|error| withheld(error.to_string()))?;
        let question = self.redactor.text(question);
        let question = question.map_err(|error| withheld(error.to_string()))?;
        let asked = json!({"kind": "visual", "question": question.as_str(), "picture": path});
        let asked = asked.to_string();
        let answer = tokio::time::timeout(DEADLINE, answer(self.command, &asked))
            .await
            .map_err(|_| AdvisorError::Unavailable("the command took too long".into()))??;
        Ok(Advice {
            verdict: answer.verdict,
            confidence: answer.confidence,
            reasoning: answer.reasoning,
            artifact: Some(name),
        })
    }
}

/// Runs the command. What it says beside its answer is not passed on.
async fn answer(command: &str, asked: &str) -> Result<Answer, AdvisorError> {
    let lost = |error: std::io::Error| AdvisorError::Unavailable(error.kind().to_string());
    let none = |reason: &str| AdvisorError::Unavailable(reason.to_owned());
    let mut child = Command::new("/bin/sh")
        .args(["-c", command])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .map_err(lost)?;
    if let Some(mut stdin) = child.stdin.take() {
        // A command that does not read its question may answer all the same.
        let _ = stdin.write_all(asked.as_bytes()).await;
    }
    let mut said = Vec::new();
    if let Some(stdout) = child.stdout.take() {
        let mut limited = stdout.take(MAX_ANSWER_BYTES + 1);
        limited.read_to_end(&mut said).await.map_err(lost)?;
    }
    if said.len() as u64 > MAX_ANSWER_BYTES {
        return Err(none("the command says too much"));
    }
    if !child.wait().await.map_err(lost)?.success() {
        return Err(none("the command failed"));
    }
    let answer: Answer = serde_json::from_slice(&said)
        .map_err(|_| none("the command's answer is not verdict, confidence and reasoning"))?;
    if !(0.0..=1.0).contains(&answer.confidence) {
        return Err(none("the command's confidence is not between 0 and 1"));
    }
    Ok(answer)
}
