//! A scenario file, and how its app is reached.

use std::path::{Path, PathBuf};

use qa_core::Clock;
use qa_drivers::cdp::{CdpDriver, CdpOptions, LoginState, origin_of};
use qa_replay::{DriverWord, REFUSED_ACTIONS, Scenario, load, unsupported};
use sha2::{Digest as _, Sha256};

use crate::args::{ClockArg, ReplayArgs};
use crate::command::explore::{answer, choice};
use crate::command::{nodes, validate};
use crate::exit::{self, Failure};

/// A scenario that may run.
pub(super) struct Loaded {
    pub(super) path: PathBuf,
    /// Of the bytes that were read.
    pub(super) digest: String,
    pub(super) scenario: Scenario,
    pub(super) options: CdpOptions,
}

/// Makes a scenario of the bytes of a file, and refuses what could not run to its end.
pub(super) fn read(path: &Path, bytes: &[u8], args: &ReplayArgs) -> Result<Loaded, Failure> {
    let scenario =
        load(bytes).map_err(|error| Failure::usage(validate::excerpt(path, bytes, &error)))?;
    validate::warn(path, &scenario);
    let refused = |what: &str| Failure::usage(format!("{}: {what}", path.display()));
    if scenario.meta.driver != DriverWord::Browser {
        return Err(Failure {
            code: exit::UNAVAILABLE,
            ..refused("DRIVER_NOT_INSTALLED")
                .hint("this version replays scenarios of browsers only")
        });
    }
    if let Some((step, action)) = unsupported(&scenario, &CdpDriver::capabilities()).first() {
        let what = format!("{REFUSED_ACTIONS} at steps[{}].action: {action}", step - 1);
        return Err(refused(&what));
    }
    let launch = args.url.as_deref().unwrap_or(&scenario.target.launch);
    let scenario = rebound(&scenario, launch)?;
    let mut options = CdpOptions::new(launch);
    options.browser = choice(&args.browser);
    options
        .allow_origins
        .clone_from(&args.boundary.allow_origin);
    options.block_origins = args.boundary.block_origins;
    options.blocklist.clone_from(&args.boundary.blocklist);
    options.clock = match args.clock {
        ClockArg::Real => Clock::Real,
        ClockArg::Virtual => Clock::Virtual,
    };
    answer(&mut options, &args.answers)?;
    options.nodes = nodes::from_environment()?;
    options.login_state = login(path, &scenario, args, &options)?;
    Ok(Loaded {
        path: path.to_owned(),
        digest: hex(&Sha256::digest(bytes)),
        scenario,
        options,
    })
}

/// A digest of 160 bits in hex: a longer row of digits would be redacted as a key (RED-069).
pub(super) fn hex(digest: &[u8]) -> String {
    let digits = digest.iter().take(20);
    digits.map(|byte| format!("{byte:02x}")).collect()
}

/// The origins that files and options name, as far as they can be read: words about them may say
/// them.
pub(super) fn origins(args: &ReplayArgs, files: &[Vec<u8>]) -> Vec<String> {
    let scenarios = files.iter().filter_map(|bytes| load(bytes).ok());
    let named = scenarios.flat_map(|scenario| {
        let login = scenario.target.login_state;
        let login = login.into_iter().flat_map(|login| login.origins);
        login.chain([scenario.target.launch])
    });
    let given = args.url.iter().chain(&args.boundary.allow_origin).cloned();
    let mut origins: Vec<String> = named
        .chain(given)
        .filter_map(|address| origin_of(&address))
        .filter(|origin| origin.starts_with("http"))
        .collect();
    origins.sort_unstable();
    origins.dedup();
    origins
}

/// The login to begin with. A scenario only names one; whether it may be used is for the owner to
/// say (REP-142).
fn login(
    path: &Path,
    scenario: &Scenario,
    args: &ReplayArgs,
    options: &CdpOptions,
) -> Result<Option<LoginState>, Failure> {
    // Its path may tell whose login it is (REP-144).
    let read = |source: &Path, origins: &[String]| {
        LoginState::read(source, origins).map_err(|error| {
            Failure::usage(format!("{}: the login: {error}", path.display())).hint(error.hint())
        })
    };
    if let Some(file) = &args.login_state {
        return read(file, &options.origins()).map(Some);
    }
    let Some(wanted) = &scenario.target.login_state else {
        return Ok(None);
    };
    let authorized: Vec<String> = args
        .authorize_origin
        .iter()
        .filter_map(|origin| origin_of(origin))
        .collect();
    let mut origins = Vec::new();
    for origin in &wanted.origins {
        let known = origin_of(origin).filter(|origin| authorized.contains(origin));
        let Some(known) = known else {
            // Redaction leaves the addresses of an origin, not an origin without a path.
            let message = format!("{}: LOGIN_NOT_AUTHORIZED for {origin}/", path.display());
            let hint = format!("say that it may be used there with --authorize-origin {origin}/");
            return Err(Failure::usage(message).hint(hint));
        };
        origins.push(known);
    }
    read(Path::new(&wanted.source), &origins).map(Some)
}

/// The scenario on the app of another address: every address of its own is moved there.
fn rebound(scenario: &Scenario, launch: &str) -> Result<Scenario, Failure> {
    let (Some(from), Some(to)) = (origin_of(&scenario.target.launch), origin_of(launch)) else {
        let message = format!("--url {launch} is no http(s) address");
        return Err(Failure::usage(message));
    };
    Ok(scenario.moved(&from, &to, launch))
}
