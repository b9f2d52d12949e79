//! The `qa` program, used as a person uses it.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use qa_report::Session;
use serde_json::Value;
use tempfile::TempDir;

/// A temporary directory in which `qa` runs: all that it writes, and all that its browser writes,
/// lies there.
pub(crate) struct Place(TempDir);

impl Place {
    pub(crate) fn new() -> Self {
        let place = Self(tempfile::Builder::new().prefix("qa-it-").tempdir().unwrap());
        std::fs::create_dir(place.temporary()).unwrap();
        place
    }

    /// Where temporary files go: the browser's profile, among others.
    pub(crate) fn temporary(&self) -> PathBuf {
        self.0.path().join("tmp")
    }

    /// Where `qa` runs.
    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// Where session directories are made.
    pub(crate) fn out(&self) -> PathBuf {
        self.0.path().join("out")
    }

    /// The one session directory, once it is there.
    pub(crate) fn session(&self) -> Option<PathBuf> {
        let entries = std::fs::read_dir(self.out()).ok()?;
        let paths = entries.map(|entry| entry.unwrap().path());
        let mut dirs = paths.filter(|path| path.is_dir());
        let dir = dirs.next()?;
        assert!(dirs.next().is_none(), "more than one session directory");
        Some(dir)
    }

    /// `qa` with these arguments.
    pub(crate) fn qa(&self, args: &[&str]) -> Command {
        let mut command = Command::new(program());
        command
            .args(args)
            .current_dir(self.0.path())
            .env("TMPDIR", self.temporary())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// `qa explore` with the common arguments and these.
    pub(crate) fn explore(&self, url: &str, args: &[&str]) -> Command {
        browser();
        let mut command = self.qa(&["explore", "--url", url, "--json", "--out"]);
        command.arg(self.out()).args(args);
        command
    }
}

/// How a run of `qa` ended.
#[derive(Debug)]
pub(crate) struct Ended {
    /// The exit code; `None` if a signal ended it.
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ended {
    /// Runs a command to its end.
    pub(crate) fn of(command: &mut Command) -> Self {
        command.output().unwrap().into()
    }

    /// Waits for a program that was started.
    pub(crate) fn wait(child: Child) -> Self {
        child.wait_with_output().unwrap().into()
    }

    /// Standard output as the one JSON object that it must be.
    pub(crate) fn json(&self) -> Value {
        let value: Value = serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("stdout is not one JSON value ({error}): {self:?}"));
        assert!(value.is_object(), "{self:?}");
        value
    }
}

impl From<Output> for Ended {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

/// A run of `qa explore` that has ended, with what it left.
pub(crate) struct Explored {
    pub(crate) place: Place,
    pub(crate) ended: Ended,
    pub(crate) session: Session,
}

impl Explored {
    pub(crate) fn run(url: &str, args: &[&str]) -> Self {
        let place = Place::new();
        let ended = Ended::of(&mut place.explore(url, args));
        let dir = place
            .session()
            .unwrap_or_else(|| panic!("no session directory was made: {ended:?}"));
        let session = Session::read(&dir).unwrap();
        Self {
            place,
            ended,
            session,
        }
    }
}

/// The debug or release build of `qa` that belongs to these tests.
pub(crate) fn program() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let profile = test.parent().and_then(Path::parent).unwrap();
    let program = profile.join(format!("qa{}", std::env::consts::EXE_SUFFIX));
    assert!(
        program.is_file(),
        "{} is missing: run `cargo build --package qa-cli` with the profile of these tests",
        program.display()
    );
    program
}

/// The browser that `qa` will find.
pub(crate) fn browser() -> PathBuf {
    qa_drivers::cdp::find_browser(None)
        .unwrap_or_else(|error| panic!("{error}; these tests need one: {}", error.hint()))
}
