//! A report of a run that is as large as reports get, in a real browser: how large is the file, how
//! long does it load, how much memory does it take, and can everybody use it?

mod made;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use clap::Args;
use qa_report::Language;

use crate::failure::Failure;
use crate::npm;
use crate::prerequisite;
use crate::process;
use crate::workspace::Workspace;
use made::Size;

/// How large a run to make up.
#[derive(Debug, Args)]
pub(crate) struct Report {
    /// Only check that everybody can use a report of usual size; measure none.
    #[arg(long)]
    quick: bool,
    /// Steps of the large run.
    #[arg(long, default_value_t = 2_000)]
    steps: u32,
    /// Different pictures of the large run.
    #[arg(long, default_value_t = 1_000)]
    pictures: u32,
}

const PACKAGES: [&str; 2] = ["playwright-core@1.65.1", "axe-core@4.14.1"];

/// A usual run, in which every part of a report occurs.
const USUAL: Size = Size {
    steps: 60,
    pictures: 40,
    pages: 12,
    crashes: 5,
    findings: 12,
};

/// Makes up the runs, and has their reports checked and measured.
pub(crate) fn run(options: &Report) -> Result<(), Failure> {
    if cfg!(debug_assertions) && !options.quick {
        // What is measured is what people wait for.
        return process::in_release();
    }
    let workspace = Workspace::read()?;
    let browser = prerequisite::browser()
        .ok_or_else(|| Failure::missing("no browser was found; set QA_BROWSER to one"))?;
    let modules = npm::install(&workspace, "report-check", &PACKAGES)?;
    let folder = workspace.target.join("soak-report");
    if folder.exists() {
        std::fs::remove_dir_all(&folder)?;
    }
    let usual = made::session(&folder.join("usual"), &USUAL, Language::EnUs)?;
    let chinese = made::session(&folder.join("chinese"), &USUAL, Language::ZhCn)?;
    let mut sessions = vec![usual, chinese];
    if !options.quick {
        let start = Instant::now();
        sessions.push(made::session(
            &folder.join("large"),
            &large(options),
            Language::EnUs,
        )?);
        let took = start.elapsed().as_secs_f64();
        println!("made up, stored and rendered the large run in {took:.1} s");
    }
    check(&browser, &modules, &sessions)
}

fn large(options: &Report) -> Size {
    Size {
        steps: options.steps,
        pictures: options.pictures.min(options.steps),
        pages: 300,
        crashes: 40,
        findings: 300,
    }
}

/// Runs the script in the folder with its modules.
fn check(browser: &Path, modules: &Path, sessions: &[PathBuf]) -> Result<(), Failure> {
    let script = modules.join("check.mjs");
    std::fs::write(&script, include_str!("check.mjs"))?;
    let reports = sessions.iter().map(|session| session.join("report.html"));
    process::run(Command::new("node").arg(script).arg(browser).args(reports))
}
