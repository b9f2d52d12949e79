//! Doing the steps of a session again in a browser, and making a scenario of them.

use std::collections::BTreeSet;
use std::path::Path;

use qa_core::{
    Blocklist, Boundary, Clock, CrashKind, Driver as _, Platform, Replay, Signature, StepRecord,
    StopSignal,
};
use qa_drivers::cdp::{CdpDriver, CdpOptions, CdpWatch, LoginState};
use qa_redact::{MARKER, Redacted, Redactor, Secret};
use qa_replay::{
    About, DriverWord, Event, Excluded, Export, Missing, RetraceError, Retraced, RunReport,
    RunStatus, Scenario, Settings, Walk, bare_address, export, load, retrace,
};
use qa_report::{Session, StoredCrash, write_report};
use serde::Serialize;

use super::report::with_source;
use super::stage::{How, Stage};
use super::{again, explore, secret, session, settle};
use crate::args::TodayArgs;
use crate::exit::{self, Failure};
use crate::{interrupt, output};

/// A session, and how its app is reached today.
pub(super) struct Rerun {
    pub(super) session: Session,
    options: CdpOptions,
    /// What a replay must be given, too, to find the app as the session did.
    answers: String,
    fails_on_crash: bool,
    fail_on: BTreeSet<CrashKind>,
    launch: String,
    redactor: Redactor,
    boundary: Boundary,
    blocklist: Blocklist,
    /// How long a replay waits.
    settle: Settings,
}

impl Rerun {
    /// Reads a session; its app may stand at another address today.
    pub(super) fn new(dir: &Path, today: &TodayArgs) -> Result<Self, Failure> {
        let session = Session::read(dir).map_err(|error| {
            Failure::usage(format!("{}: {}", dir.display(), with_source(&error)))
                .hint("give a session directory, as `qa explore` prints it at its end")
        })?;
        let explored = again::kept(&session, today)?;
        let mut options = explore::options(&explored)?;
        options.browser = explore::choice(&today.browser);
        // Each walk begins as a replay does, whatever was left behind by the one before.
        options.keep_storage = false;
        if options.clock != Clock::Virtual {
            output::say("note: the session ran on the real clock, so are its steps done again");
        }
        let launch = explored.url().to_owned();
        if bare_address(&launch) != launch {
            let message = "a scenario keeps no query of where the app begins, and no fragment but a route (#/…)";
            return Err(Failure::usage(message).hint("give an address without them with --url"));
        }
        let logins = options.login_state.iter().flat_map(LoginState::secrets);
        let mut secrets: Vec<Secret> = logins.map(Secret::new).collect();
        secrets.extend(secret::register(&explored.secrets)?);
        let redactor = session::redactor(&options.origins(), &secrets)?;
        output::use_redactor(&redactor);
        Ok(Self {
            answers: answers(&session),
            fails_on_crash: explored.tolerate.is_empty(),
            fail_on: explored.fail_on.iter().copied().collect(),
            session,
            boundary: Boundary::new(Platform::Web, options.origins()),
            blocklist: Blocklist::new(&explored.boundary.blocklist),
            options,
            launch,
            redactor,
            settle: settle::from_environment()?,
        })
    }

    /// A crash or finding of the session.
    pub(super) fn crash(&self, id: &str) -> Result<&StoredCrash, Failure> {
        if let Some(finding) = self.session.findings.iter().find(|it| it.id == id) {
            let kind = finding.kind;
            output::say(&format!(
                "note: a finding fails no replay by itself; replay with --fail-on {kind}"
            ));
        }
        let all = || self.session.crashes.iter().chain(&self.session.findings);
        let found = all().find(|crash| crash.id == id);
        if found.is_some_and(|crash| crash.signature.0.contains(MARKER)) {
            output::say(
                "note: a part of what tells this crash from others is redacted; another one of its \
                 kind may be taken for it",
            );
        }
        found.ok_or_else(|| {
            let known: Vec<&str> = all().map(|crash| crash.id.as_str()).collect();
            let hint = match known.as_slice() {
                [] => "it has none: export its steps, with --steps or all of them".into(),
                known => format!("it has {}", known.join(", ")),
            };
            let message = format!("--crash {id}: the session has no such crash or finding");
            Failure::usage(message).hint(hint)
        })
    }

    /// Its steps, as the engine wrote them.
    pub(super) fn records(&self) -> Vec<StepRecord> {
        let steps = self.session.steps.iter();
        steps.map(|step| step.record.clone()).collect()
    }

    /// What to do to go a way, given as the numbers of its steps.
    pub(super) fn replays(&self, way: &[u32]) -> Vec<Replay> {
        let replays = way.iter().filter_map(|index| self.replay(*index));
        replays.cloned().collect()
    }

    fn replay(&self, index: u32) -> Option<&Replay> {
        let step = self.session.steps.get((index as usize).checked_sub(1)?)?;
        step.record.notes.replay.as_ref()
    }

    /// The steps of a way that are events when it is gone again: all but starts of the app.
    pub(super) fn done_in(&self, way: &[u32]) -> Vec<u32> {
        let mut done = way.to_vec();
        done.retain(|index| self.replay(*index).is_some_and(|it| *it != Replay::Launch));
        done
    }

    /// Whether what came up now is what the session stored.
    pub(super) fn is(&self, stored: &StoredCrash, kind: CrashKind, signature: &Signature) -> bool {
        let safe = || self.redactor.text(&signature.0);
        kind == stored.kind && safe().is_ok_and(|safe| safe.as_str() == stored.signature.0)
    }

    /// How steps are done again: what may be touched is what might be touched by exploring.
    pub(super) fn walk(&self, missing: Missing) -> Walk<'_> {
        Walk {
            missing,
            patient: false,
            boundary: &self.boundary,
            blocklist: &self.blocklist,
        }
    }

    /// Opens a browser for the app.
    pub(super) async fn open(&self) -> Result<(CdpDriver, CdpWatch), Failure> {
        CdpDriver::open(self.options.clone())
            .await
            .map_err(|error| session::no_browser(&error))
    }

    /// Goes a way once more, in a browser of its own, and waits long enough after each step to know
    /// what is its own. Of an app that breaks right at its start
    /// there is no step to take: it is sent to where it begins.
    pub(super) async fn retrace(
        &self,
        way: &[u32],
        stop: &StopSignal,
    ) -> Result<Retraced, Failure> {
        let (mut driver, mut watch) = self.open().await?;
        let mut steps = self.replays(way);
        if steps.iter().all(|step| *step == Replay::Launch) {
            let url = self.launch.clone();
            steps.push(Replay::Navigate { url });
        }
        let walk = Walk {
            patient: true,
            ..self.walk(Missing::Skip)
        };
        let retraced = tokio::select! {
            retraced = retrace(&steps, walk, &mut driver, &mut watch) => Some(retraced),
            () = interrupt::stopped(stop) => None,
        };
        let _ = driver.stop().await;
        retraced
            .ok_or_else(interrupt::failure)?
            .map_err(|error| not_started(&error))
    }

    /// Whether the crash came up on a way that was gone again.
    pub(super) fn met(&self, crash: &StoredCrash, retraced: &Retraced) -> bool {
        let mut seen = retraced.crashes.iter();
        seen.any(|(_, seen)| self.is(crash, seen.kind, &seen.signature))
    }

    /// A scenario of what was done again. With a crash it is called after it, and keeps what
    /// nothing can be proven of: the last action is what broke.
    pub(super) fn scenario(
        &self,
        events: &[Event],
        way: &[u32],
        crash: Option<&StoredCrash>,
    ) -> Result<Made, Failure> {
        let name = crash.map_or(&self.session.meta.name, |crash| &crash.label);
        let name = self.redactor.text(name);
        let name = name.map_or_else(|_| "crash".to_owned(), Redacted::into_string);
        let made = export(
            events,
            &Export {
                about: About {
                    name: &name,
                    description: &format!("Steps {} of {}.", listed(way), self.session.meta.id),
                    created_at: &qa_report::timestamp(),
                },
                driver: DriverWord::Browser,
                launch: &self.launch,
                boundary: &self.boundary,
                settle: None,
                keep_unproven: crash.is_some(),
                redactor: &self.redactor,
            },
        );
        match made.scenario {
            Some(scenario) => {
                let steps = self.done_in(way);
                let left_out = made.excluded.into_iter().map(|mut action| {
                    if let Some(receipt) = &mut action.receipt {
                        receipt.reason = receipt.reason.as_deref().map(output::safe);
                    }
                    LeftOut {
                        step: steps.get(action.event).copied(),
                        action,
                    }
                });
                Ok(Made {
                    scenario,
                    excluded: left_out.collect(),
                })
            }
            None => {
                let message = "nothing in these steps can be proven: NO_PROVEN_STEPS";
                Err(Failure::usage(message).hint("give other steps with --steps"))
            }
        }
    }

    /// Writes the scenario, and reads back what was written (REP-107).
    pub(super) fn write(&self, path: &Path, scenario: &Scenario) -> Result<(), Failure> {
        let text = serde_json::to_string_pretty(scenario)
            .map_err(|error| Failure::internal(error.to_string()))?;
        // Each step was looked at; this is the last line of defence (RED-080).
        let safe = self.redactor.text(&text);
        if safe.map_or(true, |safe| safe.as_str() != text) {
            let message = "REDACTION_FAILED: the scenario is withheld";
            return Err(Failure::internal(message));
        }
        let text = text + "\n";
        // What would be refused is not put in the place of what is there.
        let refused = match load(text.as_bytes()) {
            Ok(read) if read == *scenario => None,
            Ok(_) => Some("it reads as another one".to_owned()),
            Err(error) => Some(error.to_string()),
        };
        if let Some(why) = refused {
            let message = format!("the scenario cannot be read back: {why}");
            return Err(Failure::internal(message));
        }
        write_report(path, &text).map_err(|error| {
            let source = std::error::Error::source(&error);
            let why = source.map_or_else(String::new, |source| format!(": {source}"));
            Failure::internal(format!("{error}{why}"))
                .hint("give a file in a directory that you may write to with --output")
        })?;
        let written = std::fs::read(path).map_err(|error| Failure::internal(error.to_string()))?;
        if written != text.as_bytes() {
            let _ = std::fs::remove_file(path);
            let message = format!("{} does not hold what was written", path.display());
            return Err(Failure::internal(message));
        }
        if !self.answers.is_empty() {
            output::say(&format!("note: give `qa replay`{}, too", self.answers));
        }
        Ok(())
    }

    /// Replays a scenario so often, unless it is stopped; on wall time, as `qa replay` does if it is
    /// not told otherwise (WEB-071), whatever the clock of the session was.
    pub(super) async fn verify(
        &self,
        scenario: &Scenario,
        crash: Option<&StoredCrash>,
        runs: u32,
        stop: &StopSignal,
    ) -> Result<Verified, Failure> {
        let how = How {
            strict_uniqueness: false,
            fail_on_crash: self.fails_on_crash,
            fail_on: self.fail_on.clone(),
            settle: self.settle,
        };
        let options = CdpOptions {
            clock: Clock::Real,
            ..self.options.clone()
        };
        let mut verified = Verified::default();
        let mut stage = Stage::default();
        for _ in 0..runs {
            let replayed = stage.replay(scenario, &options, &how, stop, None).await;
            if stop.is_stopped() {
                break;
            }
            let report = replayed?;
            verified.runs += 1;
            verified.passed += u32::from(report.status == RunStatus::Pass);
            let is_met = crash.is_some_and(|crash| {
                let mut seen = report.crashes.iter().chain(&report.findings);
                seen.any(|seen| self.is(crash, seen.kind, &seen.signature))
            });
            verified.reproduced += u32::from(is_met);
            let wanted = if crash.is_some() {
                is_met
            } else {
                report.status == RunStatus::Pass
            };
            if !wanted && verified.why.is_none() {
                verified.why = why(&report).map(|why| output::safe(&why));
            }
        }
        stage.close().await;
        Ok(verified)
    }
}

/// The options of a session that a scenario cannot hold, for `qa replay`.
fn answers(session: &Session) -> String {
    let kept = session.meta.extra.arguments.iter();
    let needed = kept.filter_map(|word| {
        let (name, value) = word.split_once('=').unwrap_or((word, ""));
        match name {
            "--allow-origin" | "--blocklist" | "--dialogs" | "--fail-on" | "--grant" => {
                Some(format!(" {name} {}", qa_report::shell_word(value)))
            }
            "--block-origins" => Some(format!(" {name}")),
            // What files hold is not kept.
            "--upload" | "--login-state" => Some(format!(" {name} FILE")),
            _ => None,
        }
    });
    let mut needed: String = needed.collect();
    // A replay tolerates all kinds or none.
    if session
        .meta
        .extra
        .arguments
        .iter()
        .any(|word| word.starts_with("--tolerate="))
    {
        needed += " --ignore-crashes";
    }
    needed
}

/// A scenario, and the actions that are not in it.
pub(super) struct Made {
    pub(super) scenario: Scenario,
    pub(super) excluded: Vec<LeftOut>,
}

/// An action that is not in a scenario.
#[derive(Debug, Serialize)]
pub(super) struct LeftOut {
    /// The step of the session that it was.
    step: Option<u32>,
    #[serde(flatten)]
    action: Excluded,
}

impl Made {
    /// Names what was left out.
    pub(super) fn say_excluded(&self) {
        for LeftOut { step, action } in &self.excluded {
            let Excluded { reason, detail, .. } = action;
            let what = step.map_or_else(|| action.action_id.clone(), |step| format!("step {step}"));
            output::say(&format!("left out {what}: {reason}: {detail}"));
        }
        if !self.excluded.is_empty() {
            output::say("note: what was left out may be needed by what follows it");
        }
    }
}

/// How often a scenario passed, and how often the crash came up.
#[derive(Debug, Default)]
pub(super) struct Verified {
    /// Replays that came to their end.
    pub(super) runs: u32,
    pub(super) passed: u32,
    pub(super) reproduced: u32,
    /// Why a replay first did not do what it should.
    pub(super) why: Option<String>,
}

impl Verified {
    /// Says why a replay did not do what it should, if one did not.
    pub(super) fn say_why(&self) {
        if let Some(why) = &self.why {
            output::say(&format!("a replay ended otherwise: {why}"));
        }
    }
}

fn why(report: &RunReport) -> Option<String> {
    let (step, message) = match (&report.failure, report.unproven()) {
        (Some(failure), _) => (failure.step_index, failure.message.as_str()),
        (None, Some(unproven)) => (unproven.step_index, unproven.message),
        (None, None) => return None,
    };
    let code = report.reason().unwrap_or("refuted");
    let step = step.map_or_else(String::new, |index| format!(" in step {index}"));
    Some(format!("{code}{step}: {message}"))
}

/// Refuses to take the place of a file, unless that was asked for.
pub(super) fn check_output(path: &Path, overwrite: bool, session: &Path) -> Result<(), Failure> {
    let dir = path.parent().filter(|dir| !dir.as_os_str().is_empty());
    if path.is_dir() || path.file_name().is_none() || dir.is_some_and(|dir| !dir.is_dir()) {
        let message = format!("{} is no file in a directory that is there", path.display());
        return Err(Failure::usage(message).hint("make the directory, or give another name"));
    }
    let real = |path: &Path| path.canonicalize().ok();
    let inside = real(dir.unwrap_or(Path::new("."))).zip(real(session));
    if inside.is_some_and(|(dir, session)| dir.starts_with(session)) {
        let message = format!("{} is in the session itself", path.display());
        return Err(Failure::usage(message).hint("give a file in another directory"));
    }
    let name = path.file_name().and_then(|name| name.to_str());
    let there = path.symlink_metadata().ok();
    if name.is_none() || there.as_ref().is_some_and(|it| !it.is_file()) {
        let message = format!("{} is a link, a device or no name", path.display());
        return Err(Failure::usage(message).hint("give the name of a plain file"));
    }
    if there.is_some() && !overwrite {
        let message = format!("{} is there already", path.display());
        return Err(Failure::usage(message).hint("give another name, or --overwrite"));
    }
    Ok(())
}

/// A walk that could not begin, or whose browser was lost.
pub(super) fn not_started(error: &RetraceError) -> Failure {
    Failure {
        code: exit::UNAVAILABLE,
        message: error.to_string(),
        hint: Some("is the app running, and in the state it was explored in?".into()),
    }
}

/// The numbers of steps, such as `1, 7, 9`.
pub(super) fn listed(way: &[u32]) -> String {
    let numbers: Vec<String> = way.iter().map(u32::to_string).collect();
    numbers.join(", ")
}
