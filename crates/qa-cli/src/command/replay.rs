//! `qa replay`: scenarios, run against the app of today.

use std::path::{Path, PathBuf};
use std::time::Instant;

use qa_core::{Clock, StopSignal, VisionAdvisor};
use qa_drivers::cdp::{CdpDriver, CdpOptions, OpenError, origin_of};
use qa_redact::Redactor;
use qa_replay::{
    DriverWord, JunitCase, REFUSED_ACTIONS, ReplayOptions, ReplayPorts, RunReport, RunStatus,
    Scenario, junit, load, markdown, replay_advised, unsupported,
};
use serde_json::{Value, json};

use super::advisor::CommandAdvisor;
use super::explore::choice;
use super::{report, session, validate};
use crate::args::{ClockArg, ReplayArgs};
use crate::exit::{self, Failure};
use crate::interrupt;
use crate::output;

/// A scenario that was loaded.
struct Loaded {
    path: PathBuf,
    scenario: Scenario,
}

/// One that was run.
struct Played {
    path: PathBuf,
    report: RunReport,
    dir: PathBuf,
}

pub(crate) async fn run(args: &ReplayArgs) -> Result<u8, Failure> {
    let began = Instant::now();
    if let Some(file) = &args.junit {
        report::check_junit(file)?;
    }
    let scenarios = args
        .files
        .iter()
        .map(|path| read(path))
        .collect::<Result<Vec<_>, _>>()?;
    let stop = StopSignal::default();
    interrupt::listen_only(stop.clone());
    let mut played = Vec::new();
    let mut broken = None;
    for (number, loaded) in (1..).zip(&scenarios) {
        let one = match play(args, loaded, number, &stop).await {
            Ok(one) => one,
            Err(failure) => {
                broken = Some(failure);
                break;
            }
        };
        if !args.json {
            output::print(&line(&one))?;
        }
        played.push(one);
        if stop.is_stopped() {
            break;
        }
    }
    if let Some(file) = &args.junit {
        write_junit(args, &scenarios, &played, file)?;
    }
    if let Some(failure) = broken {
        return Err(failure);
    }
    let code = if stop.is_stopped() {
        exit::INTERRUPTED
    } else {
        exit_code(&played)
    };
    if args.json {
        let scenarios: Vec<Value> = played.iter().map(told).collect();
        let summary = json!({
            "status": status(&played).as_str(),
            "exit_code": code,
            "scenarios": scenarios,
            "duration_s": began.elapsed().as_secs_f64(),
        });
        output::print(&summary.to_string())?;
    }
    Ok(code)
}

fn read(path: &Path) -> Result<Loaded, Failure> {
    let bytes = validate::read(path)?;
    let scenario =
        load(&bytes).map_err(|error| Failure::usage(validate::excerpt(path, &bytes, &error)))?;
    if scenario.meta.driver != DriverWord::Browser {
        let message = format!("{}: DRIVER_NOT_INSTALLED", path.display());
        return Err(Failure {
            code: exit::UNAVAILABLE,
            ..Failure::usage(message).hint("this version replays scenarios of browsers only")
        });
    }
    if scenario.target.login_state.is_some() {
        let message = format!("{}: LOGIN_NOT_AUTHORIZED", path.display());
        return Err(Failure::usage(message).hint("this version replays without logins"));
    }
    Ok(Loaded {
        path: path.to_owned(),
        scenario,
    })
}

async fn play(
    args: &ReplayArgs,
    loaded: &Loaded,
    number: usize,
    stop: &StopSignal,
) -> Result<Played, Failure> {
    let Loaded { path, scenario } = loaded;
    let launch = launch(args, scenario);
    let scenario = rebound(scenario, launch)?;
    let mut options = CdpOptions::new(launch);
    options.browser = choice(&args.browser);
    options.allow_origins.clone_from(&args.allow_origin);
    options.clock = match args.clock {
        ClockArg::Real => Clock::Real,
        ClockArg::Virtual => Clock::Virtual,
    };
    let redactor = session::redactor(&options.origins(), &[])?;
    output::use_redactor(&redactor);
    let (mut driver, mut watch) = CdpDriver::open(options)
        .await
        .map_err(|error: OpenError| session::no_browser(&error))?;
    if let Some((step, action)) = unsupported(&scenario, &driver).first() {
        let _ = qa_core::Driver::stop(&mut driver).await;
        let message = format!(
            "{}: {REFUSED_ACTIONS} at steps[{}].action: {action}",
            path.display(),
            step - 1
        );
        return Err(Failure::usage(message));
    }
    let ports = ReplayPorts {
        driver: &mut driver,
        watch: &mut watch,
        stop,
    };
    let options = ReplayOptions {
        started_at: qa_report::timestamp(),
        strict_uniqueness: args.strict_uniqueness,
        fail_on_crash: !args.ignore_crashes,
    };
    let stem = path
        .file_stem()
        .map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    let dir = args.out.join(format!("{number:03}-{stem}"));
    let command = args.advisor.as_deref();
    let mut advisor = command.map(|command| CommandAdvisor::new(command, &dir, &redactor));
    let advisor = advisor.as_mut().map(|it| it as &mut dyn VisionAdvisor);
    let mut report = replay_advised(&scenario, ports, &options, advisor).await;
    report.finished_at = qa_report::timestamp();
    store(&dir, &report, &redactor)?;
    Ok(Played {
        path: path.clone(),
        report,
        dir,
    })
}

fn launch<'a>(args: &'a ReplayArgs, scenario: &'a Scenario) -> &'a str {
    args.url.as_deref().unwrap_or(&scenario.target.launch)
}

/// All scenarios in one file for CI, those that were not run any more too.
fn write_junit(
    args: &ReplayArgs,
    scenarios: &[Loaded],
    played: &[Played],
    file: &Path,
) -> Result<(), Failure> {
    let launches = scenarios.iter().map(|one| launch(args, &one.scenario));
    let origins: Vec<String> = launches
        .chain(args.allow_origin.iter().map(String::as_str))
        .filter_map(origin_of)
        .collect();
    let redactor = session::redactor(&origins, &[])?;
    let files: Vec<String> = scenarios
        .iter()
        .map(|one| one.path.display().to_string())
        .collect();
    let reports = played.iter().map(|one| Some(&one.report));
    let cases: Vec<JunitCase<'_>> = scenarios
        .iter()
        .zip(&files)
        .zip(reports.chain(std::iter::repeat(None)))
        .map(|((one, file), report)| JunitCase {
            file,
            name: &one.scenario.meta.name,
            report,
        })
        .collect();
    let text = junit(&cases, &redactor).map_err(|error| Failure::internal(error.to_string()))?;
    qa_report::write_report(file, &text).map_err(|error| report::not_made(&error))
}

/// The scenario on the app of another address: every address of its own is moved there.
fn rebound(scenario: &Scenario, launch: &str) -> Result<Scenario, Failure> {
    let (Some(from), Some(to)) = (origin_of(&scenario.target.launch), origin_of(launch)) else {
        return Err(Failure::usage(format!(
            "--url {launch} is no http(s) address"
        )));
    };
    Ok(scenario.moved(&from, &to, launch))
}

pub(super) fn store(dir: &Path, report: &RunReport, redactor: &Redactor) -> Result<(), Failure> {
    let withheld = |error: qa_redact::RedactionError| {
        Failure::internal(format!("the report is withheld: {error}"))
    };
    let json = redactor.json(report).map_err(withheld)?;
    let text = redactor.text(&markdown(report)).map_err(withheld)?;
    qa_report::write_replay(dir, &json, &text).map_err(|error| {
        Failure::internal(format!("{} could not be written: {error}", dir.display()))
            .hint("give a directory that can be written with --out")
    })
}

fn line(played: &Played) -> String {
    let report = &played.report;
    let name = played.path.display();
    let mut text = format!("{:<13} {name}", report.status.as_str());
    if let Some(failure) = &report.failure {
        let code = failure.code.as_deref().unwrap_or("refuted");
        let step = failure
            .step_index
            .map_or_else(String::new, |index| format!(" in step {index}"));
        text += &format!("\n              {code}{step}: {}", failure.message);
    } else if let Some(step) = report.steps.iter().find(|step| step.reason.is_some()) {
        let reason = step.reason.as_deref().unwrap_or_default();
        text += &format!("\n              {reason} in step {}", step.index);
    }
    text += &format!("\n              {}", played.dir.join("report.md").display());
    output::safe(&text)
}

fn told(played: &Played) -> Value {
    let report = &played.report;
    json!({
        "file": played.path.display().to_string(),
        "name": report.scenario,
        "status": report.status.as_str(),
        "steps": report.steps.len(),
        "reason": report.reason(),
        "attempts": 1,
        "report": played.dir.join("report.json").display().to_string(),
    })
}

/// The worst of all.
fn status(played: &[Played]) -> RunStatus {
    let severity = |status: RunStatus| match status {
        RunStatus::Pass => 0,
        RunStatus::Inconclusive => 1,
        RunStatus::Blocked => 2,
        RunStatus::Fail => 3,
    };
    let statuses = played.iter().map(|one| one.report.status);
    statuses
        .max_by_key(|status| severity(*status))
        .unwrap_or(RunStatus::Blocked)
}

fn exit_code(played: &[Played]) -> u8 {
    status(played).exit_code()
}
