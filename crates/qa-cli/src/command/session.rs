//! One run from its configuration to its reports, whatever is driven.

use std::path::{Path, PathBuf};

use qa_core::{
    CrashWatch, Driver, Ended, ExploreConfig, History, Outcome, Ports, StopSignal, explore, resume,
};
use qa_drivers::cdp::OpenError;
use qa_redact::{Redactor, RedactorConfig, Root, Secret};
use qa_report::{Language, Session, SessionError, SessionStart, SessionWriter};

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
    /// The options that make it again, for `--resume`.
    pub(crate) arguments: &'a [String],
    /// The session directory of the run that it goes on with.
    pub(crate) resume: Option<&'a Path>,
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
    // Fixed before anything of the app is read (EXP-181), and for good.
    let language = match setup.resume {
        Some(dir) => Session::read(dir).map_or_else(
            |_| Language::from(out.lang),
            |session| session.meta.report_language,
        ),
        None => Language::from(out.lang),
    };
    let redactor = redactor(&config.boundary, setup.secrets)?;
    output::use_redactor(&redactor);
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
        arguments: setup.arguments,
        language,
        redactor: redactor.clone(),
    };
    let opened = match setup.resume {
        Some(dir) => take_up(dir, start).map(|(archive, history)| (archive, Some(history))),
        None => create(&out.out, start).map(|archive| (archive, None)),
    };
    let (mut archive, history) = match opened {
        Ok(opened) => opened,
        Err(failure) => {
            let _ = driver.stop().await;
            return Err(failure);
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
    let ports = Ports {
        driver,
        watch,
        archive: &mut archive,
        progress: &mut progress,
        stop: &stop,
    };
    let outcome = match history {
        None => explore(config, ports).await,
        Some(history) => {
            output::say(&language.pick(
                format!("going on after step {}", history.steps.len()),
                format!("从第 {} 步之后继续", history.steps.len()),
            ));
            resume(config, ports, history).await
        }
    };
    let finished = Finished { outcome, dir };
    if !out.json {
        let report = finished.dir.join("report.html");
        let report = if report.exists() {
            report.display().to_string()
        } else {
            let dir = finished.dir.display();
            language.pick(
                format!("(not written; {dir} holds what was stored)"),
                format!("（未写入；已保存的内容在 {dir}）"),
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

fn create(root: &Path, start: SessionStart<'_>) -> Result<SessionWriter, Failure> {
    SessionWriter::create(root, start).map_err(|error| Failure {
        code: exit::INTERNAL,
        message: error.to_string(),
        hint: Some("give a directory that can be written with --out".into()),
    })
}

fn take_up(dir: &Path, start: SessionStart<'_>) -> Result<(SessionWriter, History), Failure> {
    let refuse = |error: SessionError| {
        let source = std::error::Error::source(&error);
        let why = source.map_or_else(String::new, |source| format!(": {source}"));
        Failure::usage(format!("--resume {}: {error}{why}", dir.display()))
    };
    let resumed = SessionWriter::resume(dir, start).map_err(refuse)?;
    Ok((resumed.writer, resumed.history))
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
