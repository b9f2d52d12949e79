//! Other programs: run to their end, or kept until they are dropped.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::failure::Failure;

/// The cargo that started this task.
pub(crate) fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Runs this task again, in a build that is optimised: what is measured is what people use.
pub(crate) fn in_release() -> Result<(), Failure> {
    run(cargo()
        .args(["run", "--quiet", "--release", "--package", "xtask", "--"])
        .args(std::env::args_os().skip(1)))
}

/// Runs a command whose output the reader sees.
pub(crate) fn run(command: &mut Command) -> Result<(), Failure> {
    let line = line(command);
    eprintln!("$ {line}");
    let status = command
        .status()
        .map_err(|error| start_failure(&line, &error))?;
    if status.success() {
        return Ok(());
    }
    Err(Failure::failed(format!("`{line}` ended with {status}")))
}

/// Runs a command and returns what it wrote to its standard output.
pub(crate) fn output(command: &mut Command) -> Result<String, Failure> {
    let line = line(command);
    let output = command
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| start_failure(&line, &error))?;
    if !output.status.success() {
        return Err(Failure::failed(format!(
            "`{line}` ended with {}",
            output.status
        )));
    }
    String::from_utf8(output.stdout)
        .map_err(|error| Failure::failed(format!("`{line}` wrote no UTF-8: {error}")))
}

/// Whether a program answers to these arguments with success.
pub(crate) fn answers(program: &str, arguments: &[&str]) -> bool {
    Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// Where a program is, if it is on `PATH`.
pub(crate) fn find(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .map(|folder| folder.join(format!("{program}{}", std::env::consts::EXE_SUFFIX)))
        .find(|file| is_executable(file))
}

#[cfg(unix)]
fn is_executable(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.metadata()
        .is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(file: &Path) -> bool {
    file.is_file()
}

/// A program that runs until this is dropped.
#[derive(Debug)]
pub(crate) struct Service {
    child: Child,
    line: String,
}

impl Service {
    /// Starts a program; its output goes to a file, or else to the reader's standard error.
    pub(crate) fn start(command: &mut Command, log: Option<&Path>) -> Result<Self, Failure> {
        let line = line(command);
        eprintln!("$ {line}");
        command.stdin(Stdio::null()).stdout(std::io::stderr());
        if let Some(log) = log {
            let file = std::fs::File::create(log)?;
            command.stdout(file.try_clone()?).stderr(file);
        }
        let child = command
            .spawn()
            .map_err(|error| start_failure(&line, &error))?;
        Ok(Self { child, line })
    }

    /// Fails if the program has ended.
    pub(crate) fn check(&mut self) -> Result<(), Failure> {
        match self.child.try_wait()? {
            None => Ok(()),
            Some(status) => Err(Failure::failed(format!(
                "`{}` ended with {status}",
                self.line
            ))),
        }
    }

    /// Waits until the program ends by itself.
    pub(crate) fn wait(mut self) -> Result<(), Failure> {
        let status = self.child.wait()?;
        eprintln!("`{}` ended with {status}", self.line);
        Ok(())
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn line(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let mut words = vec![
        program
            .file_name()
            .unwrap_or(command.get_program())
            .to_string_lossy()
            .into_owned(),
    ];
    words.extend(
        command
            .get_args()
            .map(|argument| first_line(&argument.to_string_lossy())),
    );
    words.join(" ")
}

/// A script given as an argument is shown by its first line.
fn first_line(argument: &str) -> String {
    match argument.split_once('\n') {
        Some((first, _)) => format!("{first} …"),
        None => argument.to_owned(),
    }
}

fn start_failure(line: &str, error: &std::io::Error) -> Failure {
    if error.kind() == ErrorKind::NotFound {
        Failure::missing(format!("`{line}` could not be started: no such program"))
    } else {
        Failure::internal(format!("`{line}` could not be started: {error}"))
    }
}
