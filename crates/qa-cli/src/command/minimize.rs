//! `qa minimize`: the fewest steps that still bring a crash about.

use std::io::{IsTerminal as _, Write as _};
use std::time::Duration;

use qa_core::{Driver as _, StopSignal};
use qa_drivers::cdp::{CdpDriver, CdpWatch};
use qa_replay::{
    Event, MinimizeOptions, Minimized, Missing, Oracle, RetraceError, minimize, retrace, ways,
};
use qa_report::StoredCrash;
use serde_json::json;

use super::rerun::{Made, Rerun, Verified, check_output, listed, not_started};
use crate::args::MinimizeArgs;
use crate::exit::{self, Failure};
use crate::interrupt;
use crate::output;

/// How often in a row an app may not start before the search is given up.
const MOST_LOST: u32 = 3;

pub(crate) async fn run(args: &MinimizeArgs) -> Result<u8, Failure> {
    check_output(&args.output, args.overwrite, &args.session)?;
    if args.need > args.of {
        let message = format!("--need {} is more than --of {}", args.need, args.of);
        return Err(Failure::usage(message));
    }
    let rerun = Rerun::new(&args.session, &args.today)?;
    let crash = rerun.crash(&args.crash)?;
    let ways = ways(&rerun.records(), &crash.repro_path);
    let stop = StopSignal::default();
    interrupt::listen_only(stop.clone());
    // Time that is up ends the search as a budget does; the result is kept.
    let enough = StopSignal::default();
    let timer = tokio::spawn(end_search(
        stop.clone(),
        enough.clone(),
        Duration::from_secs_f64(args.duration_min * 60.0),
    ));
    let mut trial = Trial::new(&rerun, crash, args.json);
    let options = MinimizeOptions {
        need: args.need,
        of: args.of,
        budget: args.budget,
    };
    let found = minimize(&rerun.records(), &ways, options, &enough, &mut trial).await;
    timer.abort();
    trial.close().await;
    let Some(found) = found? else {
        let is_spent = enough.is_stopped() || trial.progress.runs >= args.budget;
        return Err(not_met(args, crash, stop.is_stopped(), is_spent));
    };
    let events = trial.events_of(&rerun, &found).await?;
    let made = rerun.scenario(&events, &found.steps, Some(crash))?;
    rerun.write(&args.output, &made.scenario)?;
    let verified = rerun
        .verify(&made.scenario, Some(crash), args.verify, &stop)
        .await?;
    say(args, crash, &found, &made, &verified)?;
    Ok(if stop.is_stopped() {
        exit::INTERRUPTED
    // As often as was asked of the steps themselves.
    } else if verified.reproduced * args.of >= args.need * verified.runs {
        exit::PASS
    } else {
        exit::FAIL
    })
}

async fn end_search(stop: StopSignal, enough: StopSignal, limit: Duration) {
    const LOOK: Duration = Duration::from_millis(100);
    let until = tokio::time::Instant::now() + limit;
    while !stop.is_stopped() && tokio::time::Instant::now() < until {
        tokio::time::sleep(LOOK).await;
    }
    enough.stop();
}

fn not_met(args: &MinimizeArgs, crash: &StoredCrash, is_stopped: bool, is_spent: bool) -> Failure {
    let (code, why) = if is_stopped {
        (exit::INTERRUPTED, "stopped before")
    } else if is_spent {
        (exit::UNPROVEN, "--budget or --duration-min ended before")
    } else {
        (exit::UNPROVEN, "on no known way")
    };
    let (id, need, of) = (&crash.id, args.need, args.of);
    Failure {
        code,
        message: format!("{why} {id} came up in {need} of {of} runs: {}", crash.label),
        hint: Some(
            "is the app as it was? a crash that comes up now and then needs fewer runs, such as \
             --need 1 --of 5"
                .into(),
        ),
    }
}

/// Tries steps in one browser, with a new context for each run.
struct Trial<'a> {
    rerun: &'a Rerun,
    crash: &'a StoredCrash,
    hands: Option<(CdpDriver, CdpWatch)>,
    lost: u32,
    /// What was done in the run that met the crash last.
    met: Option<(Vec<u32>, Vec<Event>)>,
    progress: Progress,
}

impl<'a> Trial<'a> {
    fn new(rerun: &'a Rerun, crash: &'a StoredCrash, quiet: bool) -> Self {
        Self {
            rerun,
            crash,
            hands: None,
            lost: 0,
            met: None,
            progress: Progress::new(quiet),
        }
    }

    async fn close(&mut self) {
        self.progress.clear();
        if let Some((mut driver, _)) = self.hands.take() {
            let _ = driver.stop().await;
        }
    }

    /// What was done on the steps that were found.
    async fn events_of(&self, rerun: &Rerun, found: &Minimized) -> Result<Vec<Event>, Failure> {
        match &self.met {
            Some((steps, events)) if *steps == found.steps && !events.is_empty() => {
                Ok(events.clone())
            }
            _ => {
                // What was found is written although the search was stopped.
                let stop = StopSignal::default();
                Ok(rerun.retrace(&found.steps, &stop).await?.events)
            }
        }
    }
}

impl Oracle for Trial<'_> {
    type Error = Failure;

    async fn reproduces(
        &mut self,
        steps: &[u32],
        missing: Missing,
    ) -> Result<Option<Vec<u32>>, Failure> {
        self.progress.run(steps);
        let replays = self.rerun.replays(steps);
        loop {
            let (driver, watch) = match &mut self.hands {
                Some(hands) => (&mut hands.0, &mut hands.1),
                None => {
                    let hands = self.hands.insert(self.rerun.open().await?);
                    (&mut hands.0, &mut hands.1)
                }
            };
            match retrace(&replays, self.rerun.walk(missing), driver, watch).await {
                Ok(retraced) => {
                    self.lost = 0;
                    if !self.rerun.met(self.crash, &retraced) {
                        return Ok(None);
                    }
                    let start = steps.first().copied();
                    let (done, events) = done(start, &self.rerun.done_in(steps), retraced.events);
                    self.met = Some((done.clone(), events));
                    return Ok(Some(done));
                }
                // A browser that is gone, or that cannot open the app any more, is replaced.
                Err(error) => {
                    self.close().await;
                    self.lost += 1;
                    let is_down = matches!(error, RetraceError::Launch(_));
                    if is_down || self.lost == MOST_LOST {
                        self.progress.broke(&error);
                        return Err(not_started(&error));
                    }
                }
            }
        }
    }

    fn judged(&mut self, steps: &[u32], holds: bool) {
        self.progress.judged(steps, holds);
    }
}

/// The steps that could be done, the start first, with what was seen around them: an event for each
/// step that is one.
fn done(start: Option<u32>, steps: &[u32], events: Vec<Event>) -> (Vec<u32>, Vec<Event>) {
    let pairs = steps.iter().copied().zip(events);
    let (done, events): (Vec<u32>, Vec<Event>) = pairs
        .filter(|(_, event)| event.receipt.is_some() || event.after.is_some())
        .unzip();
    (start.into_iter().chain(done).collect(), events)
}

/// One line a candidate that holds, and on a terminal one that says what is tried.
struct Progress {
    is_quiet: bool,
    is_live: bool,
    runs: u32,
    fewest: Option<usize>,
}

impl Progress {
    fn new(is_quiet: bool) -> Self {
        Self {
            is_quiet,
            is_live: !is_quiet && std::io::stderr().is_terminal(),
            runs: 0,
            fewest: None,
        }
    }

    fn run(&mut self, steps: &[u32]) {
        self.runs += 1;
        if self.is_live {
            let fewest = self.fewest.map_or("-".into(), |fewest| fewest.to_string());
            let text = format!(
                "run {}: {} steps; fewest so far {fewest}",
                self.runs,
                steps.len()
            );
            let mut err = std::io::stderr().lock();
            let _ = write!(err, "\r\x1b[2K{text}");
            let _ = err.flush();
        }
    }

    /// Why the search ends early.
    fn broke(&mut self, error: &RetraceError) {
        self.clear();
        output::say(&format!("note: the search ended early: {error}"));
    }

    fn judged(&mut self, steps: &[u32], holds: bool) {
        if !holds || self.is_quiet {
            return;
        }
        self.fewest = Some(steps.len());
        self.clear();
        output::say(&format!(
            "{} steps break it (run {}): {}",
            steps.len(),
            self.runs,
            listed(steps)
        ));
    }

    fn clear(&self) {
        if self.is_live {
            let _ = write!(std::io::stderr().lock(), "\r\x1b[2K");
        }
    }
}

fn say(
    args: &MinimizeArgs,
    crash: &StoredCrash,
    found: &Minimized,
    made: &Made,
    verified: &Verified,
) -> Result<(), Failure> {
    let steps = made.scenario.steps.len();
    if args.json {
        let summary = json!({
            "scenario": args.output.display().to_string(),
            "steps": steps,
            "of_steps": crash.repro_path.len(),
            "session_steps": found.steps,
            "is_minimal": found.is_minimal,
            "runs": found.runs,
            "excludedActions": made.excluded,
            "verified": {"runs": verified.runs, "reproduced": verified.reproduced, "why": verified.why},
        });
        return output::print(&summary.to_string());
    }
    made.say_excluded();
    verified.say_why();
    let rest = if found.is_minimal {
        "none can be left out"
    } else {
        "the search was ended early; there may be fewer"
    };
    output::print(&format!(
        "{}: {steps} steps of {} ({rest}, {} runs); the crash came up in {} of {} replays",
        args.output.display(),
        crash.repro_path.len(),
        found.runs,
        verified.reproduced,
        verified.runs,
    ))
}
