//! One run from its configuration to its reports, whatever is driven.

use std::path::{Path, PathBuf};

use qa_core::{CrashWatch, Driver, Ended, ExploreConfig, Outcome, Ports, StopSignal, explore};
use qa_drivers::cdp::OpenError;
use qa_redact::{Redactor, RedactorConfig, Root, Secret};
use qa_report::{Language, Session, SessionStart, SessionWriter};

use crate::args::OutArgs;
use crate::exit::{self, Failure};
use crate::interrupt;
use crate::output;
use crate::terminal::{self, Terminal};

/// What a run is to do.
pub(crate) struct Setup<'a> {
    pub(crate) config: &'a ExploreConfig,
    /// What its directory is called after.
    pub(crate) name: &'a str,
    pub(crate) viewport: Option<(f64, f64)>,
    /// What must never be stored or printed.
    pub(crate) secrets: &'a [Secret],
}

/// What a finished run leaves.
pub(crate) struct Finished {
    pub(crate) outcome: Outcome,
    pub(crate) dir: PathBuf,
}

impl Finished {
    /// The exit code that belongs to the verdict. Exit 0 needs a written report (D-01).
    pub(crate) fn exit_code(&self) -> u8 {
        let unwritten = self
            .outcome
            .reasons
            .iter()
            .any(|reason| reason.code == "FINISH_FAILED");
        match (unwritten, self.outcome.ended) {
            (true, _) => exit::INTERNAL,
            (_, Ended::Interrupted) => exit::INTERRUPTED,
            _ => self.outcome.status.exit_code(),
        }
    }
}

/// Runs and stores a session, and prints its end.
pub(crate) async fn run(
    driver: &mut dyn Driver,
    watch: &mut dyn CrashWatch,
    setup: &Setup<'_>,
    out: &OutArgs,
) -> Result<Finished, Failure> {
    let config = setup.config;
    // Fixed before anything of the app is read (EXP-181).
    let language = Language::from(out.lang);
    let redactor = redactor(&config.boundary, setup.secrets)?;
    let unsearched = setup.secrets.iter().filter(|secret| !secret.is_searched());
    let unsearched = unsearched.count();
    if unsearched > 0 {
        output::say(&language.pick(
            format!(
                "note: too short or too common to be looked for in what is stored: {unsearched} \
                 of the login's values"
            ),
            format!("注意：登录数据中有 {unsearched} 个值太短或太常见，无法在保存的内容中查找"),
        ));
    }
    let info = driver.info().clone();
    let start = SessionStart {
        name: setup.name,
        driver: &info,
        config,
        viewport: setup.viewport,
        language,
        redactor: redactor.clone(),
    };
    let mut archive = match SessionWriter::create(&out.out, start) {
        Ok(archive) => archive,
        Err(error) => {
            let _ = driver.stop().await;
            return Err(Failure {
                code: exit::INTERNAL,
                message: error.to_string(),
                hint: Some("give a directory that can be written with --out".into()),
            });
        }
    };
    let dir = archive.dir().to_owned();
    let stop = StopSignal::default();
    interrupt::listen(stop.clone(), dir.clone(), language);
    let mut progress = Terminal::new(
        redactor.clone(),
        language,
        out.json,
        config.max_steps,
        config.duration,
    );
    let outcome = explore(
        config,
        Ports {
            driver,
            watch,
            archive: &mut archive,
            progress: &mut progress,
            stop: &stop,
        },
    )
    .await;
    let finished = Finished { outcome, dir };
    if !out.json {
        let report = finished.dir.join("report.html");
        let dir = finished.dir.display();
        let report = if report.is_file() {
            report.display().to_string()
        } else {
            language.pick(
                format!("was not made; `qa report {dir}` makes it of what is stored"),
                format!("没有生成；`qa report {dir}` 可由已保存的内容生成"),
            )
        };
        output::print(&terminal::summary(
            &finished.outcome,
            language,
            &info.target,
            &report,
            &redactor,
        ))?;
    }
    Ok(finished)
}

/// The one JSON object of `--json`, with the code that the program is about to exit with.
pub(crate) fn print_json(finished: &Finished, exit_code: u8) -> Result<(), Failure> {
    let mut summary = qa_report::summary_json(&read(&finished.dir)?);
    summary["exit_code"] = exit_code.into();
    output::print(&summary.to_string())
}

/// What a run has stored.
pub(crate) fn read(dir: &Path) -> Result<Session, Failure> {
    Session::read(dir)
        .map_err(|error| Failure::internal(format!("the session cannot be read: {error}")))
}

/// The one redactor of a run: addresses of the app stay readable, the machine's paths do not. Of a
/// boundary only origins have addresses; a package has none.
pub(crate) fn redactor(boundary: &[String], secrets: &[Secret]) -> Result<Redactor, Failure> {
    let root = |alias: &str, path: PathBuf| Root {
        alias: alias.into(),
        path: path.display().to_string(),
    };
    let mut roots = Vec::new();
    if let Some(home) = std::env::var_os("HOME")
        .map(PathBuf::from)
        .filter(|home| *home != Path::new("/") && home.is_absolute())
    {
        roots.push(root("$HOME", home));
    }
    let config = RedactorConfig {
        allowed_origins: boundary
            .iter()
            .filter(|place| place.contains("://"))
            .cloned()
            .collect(),
        roots,
        secrets: secrets.to_vec(),
        devices: Vec::new(),
    };
    Redactor::new(config).map_err(|error| Failure::internal(error.to_string()))
}

/// A browser that could not be had.
pub(crate) fn no_browser(error: &OpenError) -> Failure {
    Failure {
        code: exit::UNAVAILABLE,
        message: error.to_string(),
        hint: Some(error.hint()),
    }
}
