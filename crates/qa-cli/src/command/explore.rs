//! `qa explore`: a web app in a real browser.

use std::collections::BTreeMap;
use std::time::Duration;

use qa_core::{Clock, ExploreConfig, GivenInput, Inputs, Navigation, PageIdentity};
use qa_drivers::cdp::{
    BrowserChoice, CdpDriver, CdpOptions, LoginState, PERMISSIONS, VIEWPORT, origin_of,
};
use qa_redact::Secret;

use super::again;
use super::nodes;
use super::secret;
use super::session::{self, Setup};
use crate::args::{
    AnswerArgs, BrowserArgs, ClockArg, DialogsArg, ExploreArgs, IdentityArg, NavigationArg,
};
use crate::exit::Failure;
use crate::output;

pub(crate) async fn run(args: &ExploreArgs) -> Result<u8, Failure> {
    let resumed = match &args.resume {
        Some(dir) => Some((dir.as_path(), again::resumed(dir, &given())?)),
        None => None,
    };
    let (resume, args) = match &resumed {
        Some((dir, args)) => (Some(*dir), args),
        None => (None, args),
    };
    let options = options(args)?;
    let config = config(args, &options)?;
    let mut secrets: Vec<Secret> = options
        .login_state
        .iter()
        .flat_map(LoginState::secrets)
        .map(Secret::new)
        .collect();
    secrets.extend(secret::register(&args.secrets)?);
    let (mut driver, mut watch) = CdpDriver::open(options)
        .await
        .map_err(|error| session::no_browser(&error))?;
    let name = session_name(args.url());
    let arguments = again::stored(args);
    let viewport = Some((f64::from(VIEWPORT.0), f64::from(VIEWPORT.1)));
    let setup = Setup {
        config: &config,
        name: &name,
        viewport,
        arguments: &arguments,
        resume,
        secrets: &secrets,
    };
    let finished = session::run(&mut driver, &mut watch, &setup, &args.out).await?;
    let code = finished.exit_code();
    if let Some(file) = &args.junit {
        super::report::junit(session::read(&finished.dir)?, file)?;
    }
    if args.out.json {
        session::print_json(&finished, code)?;
    }
    Ok(code)
}

/// The words after `qa explore`.
fn given() -> Vec<String> {
    let words = std::env::args_os().skip(2);
    words
        .map(|word| word.to_string_lossy().into_owned())
        .collect()
}

fn is_web(address: &str) -> bool {
    let has_scheme = address.starts_with("http://") || address.starts_with("https://");
    has_scheme && origin_of(address).is_some()
}

/// Refuses what `--url` cannot be.
pub(super) fn check_url(url: &str) -> Result<(), Failure> {
    if is_web(url) {
        return Ok(());
    }
    let example = "give an absolute address, such as --url http://127.0.0.1:8000/";
    Err(Failure::usage(format!("--url {url} is no http(s) address")).hint(example))
}

/// Refuses what is no origin of a web app.
pub(super) fn check_origins(option: &str, origins: &[String]) -> Result<(), Failure> {
    match origins.iter().find(|origin| !is_web(origin)) {
        None => Ok(()),
        Some(origin) => {
            let message = format!("{option} {origin} is no http(s) origin");
            Err(Failure::usage(message).hint(format!("such as {option} http://127.0.0.1:9000/")))
        }
    }
}

pub(super) fn options(args: &ExploreArgs) -> Result<CdpOptions, Failure> {
    check_url(args.url())?;
    if let Some(file) = &args.junit {
        super::report::check_junit(file)?;
    }
    check_origins("--allow-origin", &args.boundary.allow_origin)?;
    let mut options = CdpOptions::new(args.url());
    options.browser = choice(&args.browser);
    options
        .allow_origins
        .clone_from(&args.boundary.allow_origin);
    options.clock = match args.clock {
        ClockArg::Real => Clock::Real,
        ClockArg::Virtual => Clock::Virtual,
    };
    answer(&mut options, &args.answers)?;
    options.nodes = nodes::from_environment()?;
    options.keep_storage = args.keep_storage;
    options.blocklist.clone_from(&args.boundary.blocklist);
    options.block_origins = args.boundary.block_origins;
    // What is said from here on may name the app's own addresses.
    output::use_redactor(&session::redactor(&options.origins(), &[])?);
    if let Some(path) = &args.login_state {
        // Its path may tell whose login it is (REP-144).
        let login = LoginState::read(path, &options.origins()).map_err(|error| {
            Failure::usage(format!("--login-state: {error}")).hint(error.hint())
        })?;
        options.login_state = Some(login);
    }
    Ok(options)
}

fn config(args: &ExploreArgs, options: &CdpOptions) -> Result<ExploreConfig, Failure> {
    let mut config = ExploreConfig::new(options.origins());
    config.max_steps = args.limits.max_steps;
    config.duration = Duration::from_secs_f64(args.limits.duration_min * 60.0);
    config.seed = args.limits.seed;
    config.navigation = match args.navigation {
        NavigationArg::Frontier => Navigation::Frontier,
        NavigationArg::Back => Navigation::Back,
    };
    config.page_identity = match args.page_identity {
        IdentityArg::Shape => PageIdentity::Shape,
        IdentityArg::Exact => PageIdentity::Exact,
    };
    config.blocklist.clone_from(&args.boundary.blocklist);
    config.inputs = inputs(&args.inputs)?;
    config.fail_on = args.fail_on.iter().copied().collect();
    config.tolerate = args.tolerate.iter().copied().collect();
    if let Some(kind) = config.fail_on.intersection(&config.tolerate).next() {
        let message = format!("{kind} is named by both --fail-on and --tolerate");
        return Err(Failure::usage(message));
    }
    config
        .validate()
        .map_err(|error| Failure::usage(error.to_string()))?;
    Ok(config)
}

fn inputs(word: &str) -> Result<Inputs, Failure> {
    match word {
        "none" => Ok(Inputs::None),
        "synthetic" => Ok(Inputs::Synthetic),
        path => {
            let refuse = |reason: String| {
                Failure::usage(format!("--inputs {path}: {reason}")).hint(
                    "none, synthetic, or a YAML file with lines such as `Email: qa@example.com`",
                )
            };
            let text = std::fs::read_to_string(path).map_err(|error| refuse(error.to_string()))?;
            values(&text)
                .map(Inputs::Given)
                .map_err(|error| refuse(error.to_string()))
        }
    }
}

/// The values of a file. A number, a date, `true` or `~` is typed as it is written.
fn values(text: &str) -> Result<Vec<GivenInput>, serde_yaml::Error> {
    let values: BTreeMap<String, String> = serde_yaml::from_str(text)?;
    let given = |(field, value)| GivenInput { field, value };
    Ok(values.into_iter().map(given).collect())
}

/// Settles what the app gets when it asks.
pub(crate) fn answer(options: &mut CdpOptions, args: &AnswerArgs) -> Result<(), Failure> {
    let mut names = args.grant.iter();
    if let Some(name) = names.find(|name| !PERMISSIONS.contains(&name.as_str())) {
        let known = PERMISSIONS.join(", ");
        return Err(
            Failure::usage(format!("--grant {name} is no permission that is known"))
                .hint(format!("give one of {known}")),
        );
    }
    for path in &args.upload {
        let path = path
            .canonicalize()
            .map_err(|error| Failure::usage(format!("--upload {}: {error}", path.display())))?;
        options.upload.push(path);
    }
    options.accept_dialogs = args.dialogs == DialogsArg::Accept;
    options.grant.clone_from(&args.grant);
    Ok(())
}

pub(crate) fn choice(args: &BrowserArgs) -> BrowserChoice {
    match &args.cdp {
        Some(url) => BrowserChoice::Attach { url: url.clone() },
        None => BrowserChoice::Launch {
            path: args.browser.clone(),
            headed: args.headed,
            no_sandbox: args.no_sandbox,
        },
    }
}

/// `qa-` and the host, so that a directory listing tells sessions apart (EXP-043).
fn session_name(url: &str) -> String {
    let host = url::Url::parse(url)
        .ok()
        .and_then(|url| url.host_str().map(str::to_owned));
    format!("qa-{}", host.unwrap_or_else(|| "web".into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    // WEB-061
    #[test]
    fn given_values_are_typed_as_they_are_written() {
        for (written, typed) in [
            ("qa@example.com", "qa@example.com"),
            ("42", "42"),
            ("-7", "-7"),
            ("00123", "00123"),
            ("0x1F", "0x1F"),
            ("1.50", "1.50"),
            ("99999999999999999999999", "99999999999999999999999"),
            ("true", "true"),
            ("No", "No"),
            ("2026-01-02", "2026-01-02"),
            ("~", "~"),
            ("", ""),
            ("'7'", "7"),
        ] {
            let values = values(&format!("field: {written}\n3: x")).unwrap();
            let field = values.iter().find(|given| given.field == "field").unwrap();
            assert_eq!(field.value, typed, "{written}");
            assert!(values.iter().any(|given| given.field == "3"));
        }
        for nested in ["field: [1, 2]", "field: {a: 1}", "- a", "text"] {
            assert!(super::values(nested).is_err(), "{nested}");
        }
    }
}
