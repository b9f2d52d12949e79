//! `qa export`: a scenario out of what a session found.

use qa_core::{Replay, StopSignal};
use qa_report::StoredCrash;
use serde_json::json;

use super::rerun::{Made, Rerun, Verified, check_output};
use crate::args::ExportArgs;
use crate::exit::{self, Failure};
use crate::{interrupt, output};

pub(crate) async fn run(args: &ExportArgs) -> Result<u8, Failure> {
    check_output(&args.output, args.overwrite, &args.session)?;
    let rerun = Rerun::new(&args.session, &args.today)?;
    let stop = StopSignal::default();
    interrupt::listen_only(stop.clone());
    let crash = match &args.crash {
        Some(id) => Some(rerun.crash(id)?),
        None => None,
    };
    // The shortest way on which the crash comes up again; else the way it was met on.
    let mut done = None;
    for way in ways(args, &rerun, crash)? {
        let retraced = rerun.retrace(&way, &stop).await?;
        let met = crash.is_some_and(|crash| rerun.met(crash, &retraced));
        done = Some((way, retraced.events, met));
        if met {
            break;
        }
    }
    let Some((way, events, met)) = done else {
        return Err(Failure::internal("there is no way to go"));
    };
    let made = rerun.scenario(&events, &way, crash)?;
    rerun.write(&args.output, &made.scenario)?;
    let verified = rerun
        .verify(&made.scenario, crash, args.verify, &stop)
        .await?;
    say(args, &made, met, &verified)?;
    if stop.is_stopped() {
        return Err(interrupt::failure());
    }
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

/// The ways to try, the best first, as the numbers of their steps: those to a crash, the steps that
/// were asked for, or those from the first start of the app to the next one. They always begin at a
/// start.
fn ways(
    args: &ExportArgs,
    rerun: &Rerun,
    crash: Option<&StoredCrash>,
) -> Result<Vec<Vec<u32>>, Failure> {
    if let Some(crash) = crash {
        return Ok(qa_replay::ways(&rerun.records(), &crash.repro_path));
    }
    let session = &rerun.session;
    let is_launch = |index: u32| {
        let step = session.steps.get(index as usize - 1);
        step.is_some_and(|step| step.record.notes.replay == Some(Replay::Launch))
    };
    let count = u32::try_from(session.steps.len()).unwrap_or(u32::MAX);
    let (first, last) = if let Some((from, to)) = args.steps {
        if to > count || from < 1 || from > to {
            let message = format!("--steps {from}..{to}: the session has the steps 1..{count}");
            return Err(Failure::usage(message));
        }
        let start = (1..=from).rev().find(|index| is_launch(*index));
        (start.unwrap_or(1), to)
    } else {
        let next = (2..=count).find(|index| is_launch(*index));
        if let Some(next) = next {
            output::say(&format!(
                "note: the app was started anew in step {next}, and a scenario has one start: the steps {next} to \
                 {count} are left out; give them with --steps"
            ));
        }
        (1, next.map_or(count, |next| next - 1))
    };
    if (first + 1..=last).any(is_launch) {
        let message = format!("the steps {first}..{last} hold more than one start of the app");
        return Err(Failure::usage(message).hint("a scenario has one: give fewer with --steps"));
    }
    Ok(vec![(first..=last).collect()])
}

fn say(args: &ExportArgs, made: &Made, met: bool, verified: &Verified) -> Result<(), Failure> {
    let steps = made.scenario.steps.len();
    if args.json {
        let summary = json!({
            "scenario": args.output.display().to_string(),
            "steps": steps,
            "excludedActions": made.excluded,
            "crash_met_again": args.crash.as_ref().map(|_| met),
            "verified": {"runs": verified.runs, "passed": verified.passed, "reproduced": verified.reproduced, "why": verified.why},
        });
        return output::print(&summary.to_string());
    }
    made.say_excluded();
    verified.say_why();
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
