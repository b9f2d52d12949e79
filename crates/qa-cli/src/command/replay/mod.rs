//! `qa replay`: scenarios, run against the app of today.

mod play;
mod scenario;

use std::cell::RefCell;
use std::collections::VecDeque;
use std::path::Path;
use std::time::Instant;

use futures_util::future::join_all;
use qa_core::StopSignal;
use qa_drivers::cdp::LoginState;
use qa_redact::{Redactor, Secret};
use qa_replay::{
    Attempt, Case, CaseStatus, INTERRUPTED, RunStatus, Settings, Suite, junit, suite_markdown,
};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::{explore, report, secret, session, settle, validate};
use crate::args::ReplayArgs;
use crate::exit::{self, Failure};
use crate::interrupt;
use crate::output;

use play::Player;
pub(super) use play::store;
use scenario::Loaded;

/// The file in which a run of several scenarios is kept for `qa report merge`.
pub(super) const SUITE_FILE: &str = "replay.json";

pub(crate) async fn run(args: &ReplayArgs) -> Result<u8, Failure> {
    let began = Instant::now();
    if let Some(file) = &args.junit {
        report::check_junit(file)?;
    }
    if let Some(url) = &args.url {
        explore::check_url(url)?;
    }
    explore::check_origins("--allow-origin", &args.boundary.allow_origin)?;
    explore::check_origins("--authorize-origin", &args.authorize_origin)?;
    let mut secrets = secret::register(&args.secrets)?;
    // All files are read, those of other shards too: what is refused is known before anything runs.
    // Once only: they may be pipes.
    let files = args.files.iter().map(|path| validate::read(path));
    let files = files.collect::<Result<Vec<_>, _>>()?;
    // What is said of a file that is refused passes redaction too.
    output::use_redactor(&session::redactor(
        &scenario::origins(args, &files),
        &secrets,
    )?);
    let loaded = args
        .files
        .iter()
        .zip(&files)
        .map(|(path, bytes)| scenario::read(path, bytes, args))
        .collect::<Result<Vec<_>, _>>()?;
    let settle = settle::from_environment()?;
    let logins = loaded
        .iter()
        .filter_map(|one| one.options.login_state.as_ref());
    secrets.extend(logins.flat_map(LoginState::secrets).map(Secret::new));
    let mut origins: Vec<String> = loaded
        .iter()
        .flat_map(|one| one.options.origins())
        .collect();
    origins.sort_unstable();
    origins.dedup();
    let redactor = session::redactor(&origins, &secrets)?;
    output::use_redactor(&redactor);

    let stop = StopSignal::default();
    interrupt::listen_only(stop.clone());
    let mine = (1..).zip(&loaded);
    let mine: Vec<(u32, &Loaded)> = mine
        .filter(|(position, _)| args.shard.is_none_or(|shard| shard.has(*position)))
        .collect();
    if mine.is_empty() {
        output::say("note: no scenario is of this shard; give fewer shards than scenarios");
    }
    let desk = Desk {
        mine: &mine,
        job: args.shard.map(|_| job(&loaded)),
        waiting: RefCell::new(mine.iter().copied().collect()),
        done: RefCell::default(),
        broken: RefCell::default(),
        args,
        settle,
        redactor: &redactor,
        stop: &stop,
    };
    // Whoever reads the results of a run that was killed finds what that run had found by then, not
    // what an earlier one had.
    for (position, one) in &mine {
        play::forget(&args.out, *position, &one.path);
    }
    desk.store()?;
    let jobs = jobs(args, mine.len());
    join_all((0..jobs).map(|_| desk.work())).await;
    desk.store()?;

    let suite = desk.suite();
    let broken = desk.broken.into_inner();
    let code = match &broken {
        Some(failure) => failure.code,
        None if stop.is_stopped() => exit::INTERRUPTED,
        None => suite.status().exit_code(),
    };
    if args.json {
        output::print(&told(args, &suite, code, began).to_string())?;
    } else if suite.scenarios.len() > 1 {
        output::print(&summary(&suite))?;
    }
    match broken {
        Some(failure) => Err(failure),
        None => Ok(code),
    }
}

/// What tells the files of a job from those of another one.
fn job(loaded: &[Loaded]) -> String {
    let mut digest = Sha256::new();
    for one in loaded {
        digest.update(&one.digest);
    }
    scenario::hex(&digest.finalize())
}

/// How many scenarios run at a time. An attached browser is one.
fn jobs(args: &ReplayArgs, scenarios: usize) -> usize {
    if args.browser.cdp.is_some() && args.jobs > 1 {
        output::say("note: a browser that is attached runs one scenario at a time");
        return 1;
    }
    (args.jobs as usize).min(scenarios).max(1)
}

/// Who takes scenarios one by one, and where their results are laid down. All on one thread: what
/// takes the time are the browsers.
struct Desk<'a> {
    /// What is to be run, by its place among all files.
    mine: &'a [(u32, &'a Loaded)],
    /// What tells the files of a job of shards from those of another one.
    job: Option<String>,
    waiting: RefCell<VecDeque<(u32, &'a Loaded)>>,
    done: RefCell<Vec<(u32, Vec<Attempt>)>>,
    /// What ended the work early.
    broken: RefCell<Option<Failure>>,
    args: &'a ReplayArgs,
    /// What the environment says of how long is waited.
    settle: Settings,
    redactor: &'a Redactor,
    stop: &'a StopSignal,
}

impl<'a> Desk<'a> {
    /// Takes scenarios until none is left, all in one browser.
    async fn work(&self) {
        let mut player = Player::new(self.args, self.settle, self.redactor, self.stop);
        while let Some((position, loaded)) = self.take() {
            let attempts = self.attempts(&mut player, position, loaded).await;
            let Ok(attempts) = attempts.map_err(|failure| {
                self.broken.borrow_mut().get_or_insert(failure);
            }) else {
                break;
            };
            if !self.args.json && !attempts.is_empty() {
                // A reader who has gone does not end the work.
                if let Err(failure) = output::print(&line(self.args, loaded, &attempts)) {
                    self.broken.borrow_mut().get_or_insert(failure);
                }
            }
            self.done.borrow_mut().push((position, attempts));
            if let Err(failure) = self.store() {
                self.broken.borrow_mut().get_or_insert(failure);
            }
        }
        player.close().await;
    }

    /// All scenarios of this run in their order, those that were not run too.
    fn suite(&self) -> Suite {
        let done = self.done.borrow();
        let case = |(position, loaded): &(u32, &Loaded)| {
            let found = done.iter().find(|(done, _)| done == position);
            let attempts = found.map_or_else(Vec::new, |(_, attempts)| attempts.clone());
            let file = loaded.path.display().to_string();
            let name = loaded.scenario.meta.name.clone();
            Case {
                digest: loaded.digest.clone(),
                ..Case::new(*position, file, name, attempts)
            }
        };
        Suite {
            digest: self.job.clone(),
            ..Suite::new(self.args.shard, self.mine.iter().map(case).collect())
        }
    }

    /// Writes what is known of all scenarios, in each form that was asked for.
    fn store(&self) -> Result<(), Failure> {
        let suite = self.suite();
        if let Some(file) = &self.args.junit {
            let text = junit(&suite, self.redactor)
                .map_err(|error| Failure::internal(error.to_string()))?;
            qa_report::write_report(file, &text).map_err(|error| report::not_made(&error))?;
        }
        // Last: where it says that nothing was run, no other form says what an earlier run had found.
        keep(&self.args.out, &suite, self.redactor)
    }

    fn take(&self) -> Option<(u32, &'a Loaded)> {
        if self.stop.is_stopped() || self.broken.borrow().is_some() {
            return None;
        }
        self.waiting.borrow_mut().pop_front()
    }

    /// One attempt, and more of them while none passes and some are left.
    async fn attempts(
        &self,
        player: &mut Player<'_>,
        position: u32,
        loaded: &Loaded,
    ) -> Result<Vec<Attempt>, Failure> {
        let mut attempts = Vec::new();
        for number in 1..=self.args.retries + 1 {
            let attempt = player.play(position, number, loaded).await?;
            if attempt.reason.as_deref() == Some(INTERRUPTED) {
                // What a person ended says nothing of the app.
                break;
            }
            let is_over = attempt.status == RunStatus::Pass || self.stop.is_stopped();
            attempts.push(attempt);
            if is_over {
                break;
            }
        }
        Ok(attempts)
    }
}

/// Writes a suite, for people and for `qa report merge`.
pub(super) fn keep(dir: &Path, suite: &Suite, redactor: &Redactor) -> Result<(), Failure> {
    let withheld = |error: qa_redact::RedactionError| {
        Failure::internal(format!("the report is withheld: {error}"))
    };
    let json = redactor.json(suite).map_err(withheld)?;
    let json = serde_json::to_string_pretty(json.as_value())
        .map_err(|error| Failure::internal(error.to_string()))?;
    let text = redactor
        .text(&suite_markdown(suite, redactor))
        .map_err(withheld)?;
    for (name, text) in [("replay.md", text.into_string()), (SUITE_FILE, json + "\n")] {
        qa_report::write_report(&dir.join(name), &text)
            .map_err(|error| report::not_made(&error))?;
    }
    Ok(())
}

fn line(args: &ReplayArgs, loaded: &Loaded, attempts: &[Attempt]) -> String {
    let status = CaseStatus::of(attempts);
    let mut text = format!("{:<13} {}", status.as_str(), loaded.path.display());
    if attempts.len() > 1 {
        let all: Vec<&str> = attempts.iter().map(|it| it.status.as_str()).collect();
        text += &format!("\n              attempts: {}", all.join(", "));
    }
    let told = attempts.iter().find(|it| it.status != RunStatus::Pass);
    if let Some(attempt) = told {
        let reason = reason(attempt).unwrap_or_default();
        let step = attempt
            .step_index
            .map_or_else(String::new, |index| format!(" in step {index}"));
        let message = attempt.message.as_deref().unwrap_or_default();
        text += &format!("\n              {reason}{step}: {message}");
    }
    if let Some(attempt) = told.or(attempts.last()) {
        let report = args.out.join(&attempt.report).with_extension("md");
        text += &format!("\n              {}", report.display());
    }
    output::safe(&text)
}

/// Why an attempt is no pass: a code, or the plain word.
fn reason(attempt: &Attempt) -> Option<&str> {
    let plain = match attempt.status {
        RunStatus::Pass => return None,
        RunStatus::Fail => "refuted",
        other => other.as_str(),
    };
    Some(attempt.reason.as_deref().unwrap_or(plain))
}

/// One line on all of them: `3 pass, 1 fail`.
fn summary(suite: &Suite) -> String {
    let counts = suite.counts().into_iter();
    let counts: Vec<String> = counts
        .map(|(status, count)| format!("{count} {}", status.as_str()))
        .collect();
    counts.join(", ")
}

fn told(args: &ReplayArgs, suite: &Suite, code: u8, began: Instant) -> Value {
    let scenario = |case: &Case| {
        let told = case.attempts.iter().find(|it| it.status != RunStatus::Pass);
        let told = told.or(case.attempts.last());
        json!({
            "file": case.file,
            "name": output::safe(&case.name),
            "status": case.status.as_str(),
            "steps": told.map_or(0, |attempt| attempt.steps),
            "reason": told.and_then(reason),
            "message": told.and_then(|attempt| attempt.message.as_deref()).map(output::safe),
            "step": told.and_then(|attempt| attempt.step_index),
            "attempts": case.attempts.len(),
            "report": told.map(|attempt| args.out.join(&attempt.report).display().to_string()),
        })
    };
    let scenarios: Vec<Value> = suite.scenarios.iter().map(scenario).collect();
    json!({
        "status": suite.status().as_str(),
        "exit_code": code,
        "shard": args.shard,
        "scenarios": scenarios,
        "duration_s": began.elapsed().as_secs_f64(),
    })
}
