//! `qa report`: the reports of a session directory, made anew; of several; and what changed.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use qa_replay::{Suite, junit as replay_junit, merge_suites};
use qa_report::{Diff, Merge, RenderError, Session, SessionError, write_report};
use serde_json::json;

use super::replay::{SUITE_FILE, keep};
use super::session;
use crate::args::{DiffArgs, MergeArgs, ReportArgs, ReportCommand};
use crate::exit::{self, Failure};
use crate::output;

pub(crate) fn run(args: &ReportArgs) -> Result<u8, Failure> {
    match (&args.command, &args.dir) {
        (Some(ReportCommand::Merge(args)), _) => merge(args),
        (Some(ReportCommand::Diff(args)), _) => diff(args),
        (None, Some(dir)) => render(args, dir),
        (None, None) => Err(Failure::usage("no session directory is given")),
    }
}

fn render(args: &ReportArgs, dir: &Path) -> Result<u8, Failure> {
    let session = Session::read(dir).map_err(|error| no_session(dir, &error))?;
    qa_report::render(&session).map_err(|error| not_made(&error))?;
    let report = dir.join("report.html");
    if args.json {
        output::print(&qa_report::summary_json(&session).to_string())?;
    } else {
        output::print(&report.display().to_string())?;
    }
    if let Some(file) = &args.junit {
        junit(session, file)?;
    }
    if args.open {
        open(&report)?;
    }
    Ok(exit::PASS)
}

/// Refuses a place where no JUnit report can be, before any work is done for it.
pub(super) fn check_junit(file: &Path) -> Result<(), Failure> {
    if file.is_dir() {
        let message = format!("--junit {} is a directory", file.display());
        return Err(Failure::usage(message).hint("such as --junit report.xml"));
    }
    Ok(())
}

/// Writes a session as a JUnit report.
pub(super) fn junit(session: Session, file: &Path) -> Result<(), Failure> {
    let merge = Merge::of(vec![session]);
    let report = merge.to_junit();
    report
        .and_then(|report| write_report(file, &report))
        .map_err(|error| not_made(&error))
}

fn merge(args: &MergeArgs) -> Result<u8, Failure> {
    let suites = suites(&args.dirs)?;
    if !suites.is_empty() {
        return merge_replays(args, suites);
    }
    let merge = read(&args.dirs)?;
    merge.write(&args.out).map_err(|error| not_made(&error))?;
    if args.json {
        output::print(&merge.to_json().to_string())?;
    } else {
        output::print(&args.out.join("report.md").display().to_string())?;
    }
    Ok(merge.status().exit_code())
}

/// The results of replays in these directories, or right below them; none where they hold sessions.
fn suites(dirs: &[PathBuf]) -> Result<Vec<Suite>, Failure> {
    let mut suites = Vec::new();
    let mut others = Vec::new();
    for dir in dirs {
        let mut files = vec![dir.join(SUITE_FILE)];
        let inside = std::fs::read_dir(dir).into_iter().flatten().flatten();
        let mut inside: Vec<PathBuf> = inside.map(|it| it.path().join(SUITE_FILE)).collect();
        inside.sort_unstable();
        files.extend(inside);
        files.retain(|file| file.is_file());
        if files.is_empty() {
            others.push(dir);
        }
        for file in files {
            suites.push(suite(&file)?);
        }
    }
    if !suites.is_empty()
        && let Some(session) = dirs.iter().find_map(|dir| session_in(dir))
    {
        let message = format!(
            "{} is a session, and replays are there too",
            session.display()
        );
        return Err(Failure::usage(message).hint(
            "merge sessions with sessions, and replays with replays: name their directories",
        ));
    }
    match others.first() {
        Some(other) if !suites.is_empty() => Err(Failure::usage(format!(
            "{} holds no results of a replay, and another directory does",
            other.display()
        ))
        .hint("merge sessions with sessions, and replays with replays")),
        _ => Ok(suites),
    }
}

/// A session that is this directory, or lies right below it.
fn session_in(dir: &Path) -> Option<PathBuf> {
    let inside = std::fs::read_dir(dir).into_iter().flatten().flatten();
    let mut all = std::iter::once(dir.to_owned()).chain(inside.map(|it| it.path()));
    all.find(|dir| dir.join("meta.json").is_file())
}

/// One suite; its reports are named as they are seen from here.
fn suite(file: &Path) -> Result<Suite, Failure> {
    let refused = |why: String| Failure::usage(format!("{}: {why}", file.display()));
    let text = std::fs::read_to_string(file).map_err(|error| refused(error.to_string()))?;
    let mut suite = Suite::parse(&text).map_err(|error| refused(error.to_string()))?;
    let dir = file.parent().unwrap_or(Path::new(""));
    let attempts = suite
        .scenarios
        .iter_mut()
        .flat_map(|case| &mut case.attempts);
    for attempt in attempts {
        attempt.report = dir.join(&attempt.report).display().to_string();
    }
    Ok(suite)
}

fn merge_replays(args: &MergeArgs, suites: Vec<Suite>) -> Result<u8, Failure> {
    let suite = merge_suites(suites).map_err(|error| {
        Failure::usage(error.to_string()).hint("merge the shards of one job, or whole runs")
    })?;
    // What was stored has been redacted with all that was known then.
    let redactor = session::redactor(&[], &[])?;
    keep(&args.out, &suite, &redactor)?;
    let text =
        replay_junit(&suite, &redactor).map_err(|error| Failure::internal(error.to_string()))?;
    write_report(&args.out.join("report.xml"), &text).map_err(|error| not_made(&error))?;
    let missing = suite.missing_shards();
    for shard in &missing {
        output::say(&format!("the results of shard {shard} are missing"));
    }
    let status = suite.status();
    if args.json {
        let summary = json!({
            "status": status.as_str(),
            "exit_code": status.exit_code(),
            "missing_shards": missing,
            "scenarios": suite.scenarios,
        });
        let safe = redactor.json(&summary);
        let safe = safe.map_err(|error| Failure::internal(error.to_string()))?;
        output::print(&safe.as_value().to_string())?;
    } else {
        output::print(&args.out.join("replay.md").display().to_string())?;
    }
    Ok(status.exit_code())
}

fn diff(args: &DiffArgs) -> Result<u8, Failure> {
    let (before, after) = (read(&[&args.before])?, read(&[&args.after])?);
    let diff = Diff::of(&before, &after);
    if args.json {
        output::print(&diff.to_json().to_string())?;
    } else {
        output::print(&diff.to_text())?;
    }
    Ok(diff.exit_code())
}

fn read(dirs: &[impl AsRef<Path>]) -> Result<Merge, Failure> {
    Merge::read(dirs).map_err(|error| {
        Failure::usage(with_source(&error))
            .hint("give session directories, or a directory that holds some")
    })
}

fn no_session(dir: &Path, error: &SessionError) -> Failure {
    Failure::usage(format!("{}: {}", dir.display(), with_source(error)))
        .hint("give a session directory, as `qa explore` prints it at its end")
}

pub(super) fn not_made(error: &RenderError) -> Failure {
    match error {
        RenderError::Refused { .. } => Failure::usage(error.to_string()),
        _ => Failure::internal(with_source(error)),
    }
}

/// An error and what the system said.
pub(super) fn with_source(error: &dyn std::error::Error) -> String {
    match error.source() {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    }
}

fn open(report: &Path) -> Result<(), Failure> {
    let program = if cfg!(target_os = "macos") {
        "open"
    } else if cfg!(windows) {
        "explorer"
    } else {
        "xdg-open"
    };
    let report = report.canonicalize().unwrap_or_else(|_| report.to_owned());
    Command::new(program)
        .arg(&report)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map(drop)
        .map_err(|error| Failure {
            code: exit::UNAVAILABLE,
            message: format!("{program} did not start: {error}"),
            hint: Some(format!("open {} by hand", report.display())),
        })
}
