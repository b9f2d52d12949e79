//! The command line of a run, as its session keeps it, and how it is taken up again (D-11).

use std::path::Path;

use clap::{CommandFactory as _, FromArgMatches as _, ValueEnum};
use qa_core::Status;
use qa_drivers::cdp::origin_of;
use qa_redact::{MARKER, URL_MARKER};
use qa_report::Session;

use crate::args::{
    Cli, ClockArg, Command, DialogsArg, ExploreArgs, IdentityArg, NavigationArg, TodayArgs,
};
use crate::exit::Failure;

/// What may be given beside `--resume`: limits that are moved, and what belongs to the machine.
const FREE: [&str; 10] = [
    "resume",
    "max-steps",
    "duration-min",
    "json",
    "headed",
    "no-sandbox",
    "browser",
    "cdp",
    "secrets",
    "secret-env",
];

/// The options that make a run what it is, each with its value as one word. Files may hold secrets
/// and their names may tell whose: they are only named, and must be given anew.
pub(crate) fn stored(args: &ExploreArgs) -> Vec<String> {
    let mut words = Vec::new();
    let mut put = |name: &str, value: &str| words.push(format!("--{name}={value}"));
    put("url", args.url());
    put("max-steps", &args.limits.max_steps.to_string());
    put("duration-min", &args.limits.duration_min.to_string());
    put("seed", &args.limits.seed.to_string());
    if args.clock != ClockArg::Virtual {
        put("clock", &word(args.clock));
    }
    for origin in &args.boundary.allow_origin {
        // Redaction leaves the addresses of an origin, not an origin without a path.
        let root = origin_of(origin).map(|origin| origin + "/");
        put("allow-origin", root.as_ref().unwrap_or(origin));
    }
    for text in &args.boundary.blocklist {
        put("blocklist", text);
    }
    match args.inputs.as_str() {
        "synthetic" => {}
        "none" => put("inputs", "none"),
        _ => put("inputs", MARKER),
    }
    if args.navigation != NavigationArg::Frontier {
        put("navigation", &word(args.navigation));
    }
    if args.page_identity != IdentityArg::Shape {
        put("page-identity", &word(args.page_identity));
    }
    if args.answers.dialogs != DialogsArg::Dismiss {
        put("dialogs", &word(args.answers.dialogs));
    }
    for permission in &args.answers.grant {
        put("grant", permission);
    }
    if !args.answers.upload.is_empty() {
        put("upload", MARKER);
    }
    if args.login_state.is_some() {
        put("login-state", MARKER);
    }
    for name in &args.secrets.secret_env {
        put("secret-env", name);
    }
    if args.secrets.secrets.is_some() {
        put("secrets", MARKER);
    }
    let kinds = |kinds: &[qa_core::CrashKind]| -> Vec<String> {
        kinds.iter().map(|kind| kind.as_str().to_owned()).collect()
    };
    for kind in kinds(&args.fail_on) {
        put("fail-on", &kind);
    }
    for kind in kinds(&args.tolerate) {
        put("tolerate", &kind);
    }
    let flags = [
        ("--block-origins", args.boundary.block_origins),
        ("--keep-storage", args.keep_storage),
    ];
    words.extend(
        flags
            .iter()
            .filter(|(_, is_set)| *is_set)
            .map(|(name, _)| (*name).to_owned()),
    );
    words
}

/// The whole command line of a run that is taken up: what its session keeps, and what is given now.
pub(crate) fn resumed(dir: &Path, given: &[String]) -> Result<ExploreArgs, Failure> {
    let session = Session::read(dir).map_err(|error| {
        Failure::usage(format!("--resume {}: {error}", dir.display()))
            .hint("give the session directory of a run that was killed")
    })?;
    if session.live {
        return Err(Failure::usage(format!(
            "--resume {}: another process still writes it",
            dir.display()
        )));
    }
    if session.meta.status != Status::Running {
        return Err(
            Failure::usage(format!("--resume {}: the run has ended", dir.display()))
                .hint("begin another one without --resume"),
        );
    }
    let kept = &session.meta.extra.arguments;
    if kept.is_empty() {
        let message = format!(
            "--resume {}: the session is none of `qa explore`",
            dir.display()
        );
        return Err(Failure::usage(message).hint("begin another one without --resume"));
    }
    parse(&merge(kept, given)?, &[])
}

fn parse(merged: &[String], more: &[String]) -> Result<ExploreArgs, Failure> {
    let command = Cli::command()
        .mut_subcommand("explore", |explore| explore.args_override_self(true))
        .try_get_matches_from(merged.iter().chain(more));
    let cli = command.and_then(|matches| Cli::from_arg_matches(&matches));
    match cli.map(|cli| cli.command) {
        Ok(Command::Explore(args)) => Ok(*args),
        Ok(_) => Err(Failure::internal("the session is of another command")),
        Err(error) => Err(Failure::usage(format!(
            "the session's own options are not understood: {}",
            error.kind()
        ))),
    }
}

/// The options that a session keeps, for doing its steps again: the app may stand at another
/// address today, and a login or secrets must be given again.
pub(crate) fn kept(session: &Session, today: &TodayArgs) -> Result<ExploreArgs, Failure> {
    let mut words: Vec<String> = session.meta.extra.arguments.clone();
    if words.is_empty() {
        // A demo, or a session of an embedder.
        words.push(format!("--url={}", session.meta.extra.driver.target));
    }
    // What was typed stands in the steps; files are given anew.
    words.retain(|word| !matches!(name(word), Some("inputs" | "upload")));
    let mut given: Vec<String> = Vec::new();
    if let Some(url) = &today.url {
        words.retain(|word| name(word) != Some("url"));
        words.push(format!("--url={url}"));
    }
    if let Some(file) = &today.login_state {
        given.push(format!("--login-state={}", file.display()));
    }
    if let Some(file) = &today.secrets.secrets {
        given.push(format!("--secrets={}", file.display()));
    }
    let variables = today.secrets.secret_env.iter();
    given.extend(variables.map(|name| format!("--secret-env={name}")));
    let mut kept = parse(&merge(&words, &given)?, &[])?;
    kept.answers.upload.clone_from(&today.upload);
    Ok(kept)
}

/// One command line out of two. Of what is kept nothing may change but limits; what is not kept
/// must be given.
fn merge(kept: &[String], given: &[String]) -> Result<Vec<String>, Failure> {
    let mut merged = vec!["qa".to_owned(), "explore".to_owned()];
    let mut missing = Vec::new();
    let mut open: Vec<&str> = FREE.to_vec();
    for word in kept {
        if !word.contains(MARKER) && !word.contains(URL_MARKER) {
            merged.push(word.clone());
            continue;
        }
        let name = name(word).unwrap_or_default();
        open.push(name);
        if !given.iter().any(|word| self::name(word) == Some(name)) {
            missing.push(format!("--{name}"));
        }
    }
    if !missing.is_empty() {
        let message = format!(
            "the session does not keep what was given with {}",
            missing.join(", ")
        );
        return Err(Failure::usage(message).hint("give it again"));
    }
    let fixed = given
        .iter()
        .filter_map(|word| name(word))
        .find(|name| !open.contains(name));
    if let Some(name) = fixed {
        let message = format!("--{name} stays what it was in the session");
        return Err(Failure::usage(message).hint("leave it out"));
    }
    merged.extend(given.iter().cloned());
    Ok(merged)
}

/// The name of an option: `seed` of `--seed=1`.
fn name(word: &str) -> Option<&str> {
    let name = word.strip_prefix("--")?;
    Some(name.split_once('=').map_or(name, |(name, _)| name))
}

fn word(value: impl ValueEnum) -> String {
    value
        .to_possible_value()
        .map_or_else(String::new, |value| value.get_name().to_owned())
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;

    fn parse(line: &[&str]) -> ExploreArgs {
        match Cli::try_parse_from(line).unwrap().command {
            Command::Explore(args) => *args,
            other => panic!("{other:?}"),
        }
    }

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    // D-11: an option that is added and forgotten here is found by its default.
    #[test]
    fn what_is_kept_makes_the_same_run() {
        let line = [
            "qa",
            "explore",
            "--url=http://127.0.0.1:8000/",
            "--max-steps=7",
            "--duration-min=2.5",
            "--seed=3",
            "--clock=real",
            "--allow-origin=https://a.test/",
            "--allow-origin=https://b.test/",
            "--block-origins",
            "--blocklist=Send now",
            "--inputs=none",
            "--navigation=back",
            "--page-identity=exact",
            "--dialogs=accept",
            "--grant=geolocation",
            "--keep-storage",
            "--secret-env=SHOP_KEY",
            "--fail-on=http-4xx,console-error",
            "--tolerate=hang",
        ];
        let args = parse(&line);
        let kept = stored(&args);
        let merged = merge(&kept, &[]).unwrap();
        let merged: Vec<&str> = merged.iter().map(String::as_str).collect();
        assert_eq!(format!("{:?}", parse(&merged)), format!("{args:?}"));
        let plain = ["qa", "explore", "--url=http://127.0.0.1:8000/"];
        assert_eq!(stored(&parse(&plain)).len(), 4);
    }

    // D-11, REP-144
    #[test]
    fn what_is_not_kept_must_be_given_and_the_rest_stays() {
        let mut args = parse(&[
            "qa",
            "explore",
            "--url=http://a.test/",
            "--inputs=/home/ann.yaml",
        ]);
        args.login_state = Some("/home/ann.json".into());
        let kept = stored(&args);
        assert!(!kept.join(" ").contains("ann"), "{kept:?}");
        let error = merge(&kept, &words(&["--login-state", "x.json"])).unwrap_err();
        assert!(error.message.ends_with("--inputs"), "{error:?}");
        let given = words(&["--login-state", "x.json", "--inputs=y", "--max-steps", "9"]);
        assert!(merge(&kept, &given).is_ok());
        let error = merge(
            &stored(&parse(&["qa", "explore", "--url=http://a.test/"])),
            &words(&["--seed=2"]),
        );
        assert!(error.unwrap_err().message.starts_with("--seed stays"));
    }
}
