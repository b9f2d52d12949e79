//! Scenarios in one browser, one after the other.

use std::path::Path;

use qa_core::{StopSignal, VisionAdvisor};
use qa_redact::Redactor;
use qa_replay::{Artifact, ArtifactKind, Attempt, RunReport, Settings, markdown};
use qa_report::write_picture;

use super::scenario::Loaded;
use crate::args::ReplayArgs;
use crate::command::advisor::CommandAdvisor;
use crate::command::stage::{How, Stage};
use crate::exit::Failure;
use crate::output;

/// The screen at the end of a run that is no pass.
const PICTURE: &str = "end.png";

/// Who plays scenarios, each in a context of its own.
pub(super) struct Player<'a> {
    args: &'a ReplayArgs,
    settle: Settings,
    redactor: &'a Redactor,
    stop: &'a StopSignal,
    stage: Stage,
}

impl<'a> Player<'a> {
    pub(super) fn new(
        args: &'a ReplayArgs,
        settle: Settings,
        redactor: &'a Redactor,
        stop: &'a StopSignal,
    ) -> Self {
        Self {
            args,
            settle,
            redactor,
            stop,
            stage: Stage::default(),
        }
    }

    /// Ends the browser.
    pub(super) async fn close(&mut self) {
        self.stage.close().await;
    }

    /// Runs a scenario once, and keeps the report of it.
    pub(super) async fn play(
        &mut self,
        position: u32,
        number: u32,
        loaded: &Loaded,
    ) -> Result<Attempt, Failure> {
        let mut name = directory(position, &loaded.path);
        if number > 1 {
            name += &format!("/attempt-{number}");
        }
        let dir = self.args.out.join(&name);
        let command = self.args.advisor.as_deref();
        let mut advisor = command.map(|it| CommandAdvisor::new(it, &dir, self.redactor));
        let advisor = advisor.as_mut().map(|it| it as &mut dyn VisionAdvisor);
        let how = How {
            strict_uniqueness: self.args.strict_uniqueness,
            fail_on_crash: !self.args.ignore_crashes,
            fail_on: self.args.fail_on.iter().copied().collect(),
            settle: self.settle,
        };
        let mut report = self
            .stage
            .replay(&loaded.scenario, &loaded.options, &how, self.stop, advisor)
            .await?;
        store(&dir, &mut report, self.redactor)?;
        Ok(Attempt::of(
            &report,
            format!("{name}/report.json"),
            self.redactor,
        ))
    }
}

/// The directory of a scenario's reports.
fn directory(position: u32, path: &Path) -> String {
    let stem = path.file_stem();
    let stem = stem.map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    format!("{position:03}-{stem}")
}

/// Removes what an earlier run said of a scenario, but for its line in `report.jsonl`.
pub(super) fn forget(out: &Path, position: u32, path: &Path) {
    let dir = out.join(directory(position, path));
    for name in ["report.json", "report.md", PICTURE] {
        // Where it cannot be removed, it cannot be written anew either, and that is told.
        let _ = std::fs::remove_file(dir.join(name));
    }
}

/// Stores a report, and the picture that belongs to it.
pub(in crate::command) fn store(
    dir: &Path,
    report: &mut RunReport,
    redactor: &Redactor,
) -> Result<(), Failure> {
    // That of an earlier run says nothing of this one.
    let _ = std::fs::remove_file(dir.join(PICTURE));
    if let Some(picture) = report.picture.take() {
        match write_picture(dir, PICTURE, &picture, redactor) {
            Ok(true) => report.artifacts.push(Artifact {
                kind: ArtifactKind::Screenshot,
                path: PICTURE.to_owned(),
            }),
            // Nothing says where in it secrets are.
            Ok(false) => {}
            Err(error) => output::say(&format!("note: there is no picture of the end: {error}")),
        }
    }
    let withheld = |error: qa_redact::RedactionError| {
        Failure::internal(format!("the report is withheld: {error}"))
    };
    let json = redactor.json(&*report).map_err(withheld)?;
    let text = redactor
        .text(&markdown(report, redactor))
        .map_err(withheld)?;
    qa_report::write_replay(dir, &json, &text).map_err(|error| {
        Failure::internal(format!("{} could not be written: {error}", dir.display()))
            .hint("give a directory that can be written with --out")
    })
}
