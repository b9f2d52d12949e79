//! `qa export`: a scenario out of what a session found.

use std::path::Path;

use qa_core::{Clock, Driver as _, Replay, StopSignal};
use qa_drivers::cdp::{CdpDriver, CdpOptions};
use qa_redact::Redactor;
use qa_replay::{
    Export, Exported, ReplayOptions, ReplayPorts, RunStatus, Scenario, export, load, replay,
    retrace, shortest_route,
};
use qa_report::{Session, StoredCrash, write_report};
use serde_json::json;

use super::{again, explore, session};
use crate::args::ExportArgs;
use crate::exit::{self, Failure};
use crate::output;

pub(crate) async fn run(args: &ExportArgs) -> Result<u8, Failure> {
    if args.output.exists() && !args.overwrite {
        let message = format!("{} is there already", args.output.display());
        return Err(Failure::usage(message).hint("give another name, or --overwrite"));
    }
    let session = Session::read(&args.session).map_err(|error| {
        Failure::usage(format!("{}: {error}", args.session.display()))
            .hint("give a session directory, as `qa explore` prints it at its end")
    })?;
    let crash = match &args.crash {
        Some(id) => Some(find(&session, id)?),
        None => None,
    };
    let ways = ways(args, &session, crash)?;
    let explored = again::kept(&session, args.url.as_deref())?;
    let mut options = explore::options(&explored)?;
    options.browser = explore::choice(&args.browser);
    if options.clock != Clock::Virtual {
        output::say("note: the session ran on the real clock, so does this");
    }
    let launch = explored.url().to_owned();
    if launch.contains(['?', '#']) {
        let message = "a scenario keeps no query and no fragment of where the app begins";
        return Err(Failure::usage(message).hint("give an address without them with --url"));
    }
    let redactor = session::redactor(&options.origins(), &[])?;
    output::use_redactor(&redactor);

    // The shortest way on which the crash comes up again; else the way it was met on.
    let mut done = None;
    for way in ways {
        let (events, met) = again_on(&options, &replays(&session, &way), crash).await?;
        done = Some((way, events, met));
        if met {
            break;
        }
    }
    let Some((way, retraced, met)) = done else {
        return Err(Failure::internal("there is no way to go"));
    };
    let name = crash.map_or_else(|| session.meta.name.clone(), |crash| crash.label.clone());
    let created_at = qa_report::timestamp();
    let made = export(
        &retraced,
        &Export {
            name: &redactor
                .text(&name)
                .map_or_else(|_| "crash".to_owned(), qa_redact::Redacted::into_string),
            description: &format!("Steps {} of {}.", listed(&way), session.meta.id),
            created_at: &created_at,
            launch: &launch,
            keep_unproven: crash.is_some(),
            redactor: &redactor,
        },
    );
    let Some(scenario) = &made.scenario else {
        return Err(
            Failure::usage("nothing in these steps can be proven: NO_PROVEN_STEPS")
                .hint("give other steps with --steps"),
        );
    };
    write(&args.output, scenario, &redactor)?;
    let verified = verify(args, &options, scenario, crash, &redactor).await?;
    say(args, &made, met, &verified)?;
    let wanted = if crash.is_some() {
        verified.reproduced
    } else {
        verified.passed
    };
    Ok(if wanted == args.verify {
        exit::PASS
    } else {
        exit::FAIL
    })
}

fn find<'s>(session: &'s Session, id: &str) -> Result<&'s StoredCrash, Failure> {
    let mut all = session.crashes.iter().chain(&session.findings);
    all.find(|crash| crash.id == id).ok_or_else(|| {
        let known = session.crashes.iter().chain(&session.findings);
        let known: Vec<&str> = known.map(|crash| crash.id.as_str()).collect();
        let hint = match known.as_slice() {
            [] => "it has none: export its steps, with --steps or all of them".into(),
            known => format!("it has {}", known.join(", ")),
        };
        Failure::usage(format!(
            "--crash {id}: the session has no such crash or finding"
        ))
        .hint(hint)
    })
}

/// The numbers of steps, such as `1, 7, 9`.
fn listed(way: &[u32]) -> String {
    let numbers: Vec<String> = way.iter().map(u32::to_string).collect();
    numbers.join(", ")
}

fn replays(session: &Session, way: &[u32]) -> Vec<Replay> {
    let steps = way
        .iter()
        .filter_map(|index| session.steps.get(*index as usize - 1));
    steps
        .filter_map(|step| step.record.notes.replay.clone())
        .collect()
}

/// The ways to try, the best first, as the numbers of their steps: those to a crash, those that
/// were asked for, or those from the first start of the app to the next one. They always begin at a
/// start.
fn ways(
    args: &ExportArgs,
    session: &Session,
    crash: Option<&StoredCrash>,
) -> Result<Vec<Vec<u32>>, Failure> {
    let is_launch = |index: u32| {
        let step = session.steps.get(index as usize - 1);
        step.is_some_and(|step| step.record.notes.replay == Some(Replay::Launch))
    };
    let count = u32::try_from(session.steps.len()).unwrap_or(u32::MAX);
    let (first, last) = match (crash, args.steps) {
        (Some(crash), _) => (
            crash
                .repro_path
                .first()
                .copied()
                .unwrap_or(crash.step_index),
            crash.step_index,
        ),
        (None, Some((from, to))) => {
            if to > count || from < 1 || from > to {
                let message = format!("--steps {from}..{to}: the session has the steps 1..{count}");
                return Err(Failure::usage(message));
            }
            let start = (1..=from)
                .rev()
                .find(|index| is_launch(*index))
                .unwrap_or(1);
            (start, to)
        }
        (None, None) => {
            let next = (2..=count).find(|index| is_launch(*index));
            (1, next.map_or(count, |next| next - 1))
        }
    };
    if (first + 1..=last).any(is_launch) {
        let message = format!("the steps {first}..{last} hold more than one start of the app");
        return Err(Failure::usage(message).hint("a scenario has one: give fewer with --steps"));
    }
    let whole: Vec<u32> = (first..=last).collect();
    let records: Vec<_> = session
        .steps
        .iter()
        .map(|step| step.record.clone())
        .collect();
    let short = crash.and_then(|crash| shortest_route(&records, crash.step_index));
    let short = short.filter(|short| short.len() < whole.len());
    Ok(short.into_iter().chain([whole]).collect())
}

/// Does the steps again in a browser, and says whether the crash came up again.
async fn again_on(
    options: &CdpOptions,
    steps: &[Replay],
    crash: Option<&StoredCrash>,
) -> Result<(Vec<qa_replay::Event>, bool), Failure> {
    let (mut driver, mut watch) = CdpDriver::open(options.clone())
        .await
        .map_err(|error| session::no_browser(&error))?;
    let retraced = retrace(steps, &mut driver, &mut watch).await;
    let _ = driver.stop().await;
    let retraced = retraced.map_err(|error| Failure {
        code: exit::UNAVAILABLE,
        message: error.to_string(),
        hint: Some("is the app running, and in the state it was explored in?".into()),
    })?;
    let met = crash.is_some_and(|crash| {
        let mut seen = retraced.crashes.iter();
        seen.any(|(_, seen)| {
            seen.kind == crash.kind && output::safe(&seen.signature.0) == crash.signature.0
        })
    });
    Ok((retraced.events, met))
}

/// Writes the scenario, and reads back what was written (REP-107).
fn write(path: &Path, scenario: &Scenario, redactor: &Redactor) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(scenario)
        .map_err(|error| Failure::internal(error.to_string()))?;
    // Each step was looked at; this is the last line of defence (RED-080).
    if redactor
        .text(&text)
        .map_or(true, |safe| safe.as_str() != text)
    {
        return Err(Failure::internal(
            "REDACTION_FAILED: the scenario is withheld",
        ));
    }
    write_report(path, &(text + "\n")).map_err(|error| {
        let source = std::error::Error::source(&error);
        let why = source.map_or_else(String::new, |source| format!(": {source}"));
        Failure::internal(format!("{error}{why}"))
            .hint("give a file in a directory that you may write to with --output")
    })?;
    let bytes = std::fs::read(path).map_err(|error| Failure::internal(error.to_string()))?;
    match load(&bytes) {
        Ok(read) if read == *scenario => Ok(()),
        other => {
            let _ = std::fs::remove_file(path);
            let why = other
                .err()
                .map_or_else(|| "it reads as another one".to_owned(), |e| e.to_string());
            Err(Failure::internal(format!(
                "the scenario was not kept: {why}"
            )))
        }
    }
}

/// How often a scenario passed, and how often the crash came up.
#[derive(Debug, Default)]
struct Verified {
    passed: u32,
    reproduced: u32,
}

async fn verify(
    args: &ExportArgs,
    options: &CdpOptions,
    scenario: &Scenario,
    crash: Option<&StoredCrash>,
    redactor: &Redactor,
) -> Result<Verified, Failure> {
    let mut verified = Verified::default();
    for _ in 0..args.verify {
        let (mut driver, mut watch) = CdpDriver::open(options.clone())
            .await
            .map_err(|error| session::no_browser(&error))?;
        let ports = ReplayPorts {
            driver: &mut driver,
            watch: &mut watch,
            stop: &StopSignal::default(),
        };
        let how = ReplayOptions {
            started_at: qa_report::timestamp(),
            strict_uniqueness: false,
            fail_on_crash: true,
        };
        let report = replay(scenario, ports, &how).await;
        verified.passed += u32::from(report.status == RunStatus::Pass);
        let is_met = crash.is_some_and(|crash| {
            let mut seen = report.crashes.iter();
            seen.any(|seen| {
                let safe = redactor.text(&seen.signature.0);
                safe.is_ok_and(|safe| safe.as_str() == crash.signature.0)
            })
        });
        verified.reproduced += u32::from(is_met);
    }
    Ok(verified)
}

fn say(args: &ExportArgs, made: &Exported, met: bool, verified: &Verified) -> Result<(), Failure> {
    let steps = made.scenario.as_ref().map_or(0, |made| made.steps.len());
    let excluded = &made.excluded;
    if args.json {
        let summary = json!({
            "scenario": args.output.display().to_string(),
            "steps": steps,
            "excludedActions": excluded,
            "crash_met_again": args.crash.as_ref().map(|_| met),
            "verified": {"runs": args.verify, "passed": verified.passed, "reproduced": verified.reproduced},
        });
        return output::print(&summary.to_string());
    }
    for action in excluded {
        output::say(&format!(
            "left out {}: {}: {}",
            action.action_id, action.reason, action.detail
        ));
    }
    if !excluded.is_empty() {
        output::say("note: what was left out may be needed by what follows it");
    }
    if args.crash.is_some() && !met {
        output::say("note: the crash did not come up again while the steps were done again");
    }
    let verdict = match (&args.crash, args.verify) {
        (_, 0) => String::new(),
        (Some(_), runs) => format!(
            "; the crash came up in {} of {runs} replays",
            verified.reproduced
        ),
        (None, runs) => format!("; {} of {runs} replays passed", verified.passed),
    };
    output::print(&format!(
        "{}: {steps} steps{verdict}",
        args.output.display()
    ))
}
