//! `qa report`: the reports of a session directory, made anew.

use std::path::Path;
use std::process::{Command, Stdio};

use qa_report::Session;

use crate::args::ReportArgs;
use crate::exit::{self, Failure};
use crate::output;

pub(crate) fn run(args: &ReportArgs) -> Result<u8, Failure> {
    let session = Session::read(&args.dir).map_err(|error| {
        Failure::usage(format!("{}: {error}", args.dir.display()))
            .hint("give a session directory, as `qa explore` prints it at its end")
    })?;
    qa_report::render(&session).map_err(|error| Failure::internal(error.to_string()))?;
    let report = args.dir.join("report.html");
    if args.json {
        output::print(&qa_report::summary_json(&session).to_string())?;
    } else {
        output::print(&report.display().to_string())?;
    }
    if args.open {
        open(&report)?;
    }
    Ok(exit::PASS)
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
