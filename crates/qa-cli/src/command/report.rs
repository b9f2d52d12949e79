//! `qa report`: the reports of a session directory, made anew; of several; and what changed.

use std::path::Path;
use std::process::{Command, Stdio};

use qa_report::{Diff, Merge, RenderError, Session, SessionError, write_report};

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
    let merge = read(&args.dirs)?;
    merge.write(&args.out).map_err(|error| not_made(&error))?;
    if args.json {
        output::print(&merge.to_json().to_string())?;
    } else {
        output::print(&args.out.join("report.md").display().to_string())?;
    }
    Ok(merge.status().exit_code())
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
fn with_source(error: &dyn std::error::Error) -> String {
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
