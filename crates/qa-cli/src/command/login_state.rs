//! `qa login-state capture`: a person logs in by hand, and the login becomes a file for
//! `--login-state`.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, TryRecvError};
use std::time::Duration;

use qa_core::{Clock, Driver as _, StopSignal};
use qa_drivers::cdp::{
    BrowserChoice, CaptureError, CapturedLogin, CdpDriver, CdpOptions, origin_of,
};
use qa_redact::Secret;
use serde_json::json;

use super::session;
use crate::args::CaptureArgs;
use crate::exit::{self, Failure};
use crate::interrupt;
use crate::output;

/// How often it is looked whether the person is done.
const PATIENCE: Duration = Duration::from_millis(100);

pub(crate) async fn capture(args: &CaptureArgs) -> Result<u8, Failure> {
    let options = options(args)?;
    let origins = options.origins();
    output::use_redactor(&session::redactor(&origins, &[])?);
    // Its path may tell whose login it is (REP-144).
    let dir = args
        .output
        .parent()
        .filter(|dir| !dir.as_os_str().is_empty());
    if args.output.is_dir() || dir.is_some_and(|dir| !dir.is_dir()) {
        let message = "--output is no file in a directory that is there";
        return Err(Failure::usage(message).hint("make the directory, or give another name"));
    }
    if !args.overwrite && args.output.symlink_metadata().is_ok() {
        return Err(Failure::usage("the file of --output is there already")
            .hint("give another name, or --overwrite"));
    }
    let stop = StopSignal::default();
    let (mut driver, _watch) = CdpDriver::open(options)
        .await
        .map_err(|error| session::no_browser(&error))?;
    interrupt::listen_only(stop.clone());
    let captured = by_hand(&mut driver, &stop).await;
    let _ = driver.stop().await;
    let Some(login) = captured? else {
        output::say("cancelled: nothing was written");
        return Ok(exit::INTERRUPTED);
    };
    let secrets: Vec<Secret> = login.state().secrets().map(Secret::new).collect();
    output::use_redactor(&session::redactor(&origins, &secrets)?);
    write(&args.output, login.json().as_bytes(), args.overwrite).map_err(|error| {
        let reason = error.kind();
        Failure::internal(format!(
            "the file of --output could not be written: {reason}"
        ))
        .hint("give a file in a directory that you may write to")
    })?;
    output::print(&told(args, &login, &origins)).map(|()| exit::PASS)
}

fn options(args: &CaptureArgs) -> Result<CdpOptions, Failure> {
    let given = [("--url", &args.url)].into_iter();
    let more = args
        .allow_origin
        .iter()
        .map(|more| ("--allow-origin", more));
    for (option, address) in given.chain(more) {
        let is_web = address.starts_with("http://") || address.starts_with("https://");
        if !is_web || origin_of(address).is_none() {
            let message = format!("{option} {address} is no http(s) address");
            return Err(Failure::usage(message).hint("such as --url http://127.0.0.1:8000/"));
        }
    }
    let mut options = CdpOptions::new(&args.url);
    options.browser = BrowserChoice::Launch {
        path: args.browser.clone(),
        headed: !args.headless,
        no_sandbox: args.no_sandbox,
    };
    options.allow_origins.clone_from(&args.allow_origin);
    // A person lives in wall time.
    options.clock = Clock::Real;
    Ok(options)
}

/// Opens the app, waits until the person is done, and takes the login. Nothing if it is cancelled.
async fn by_hand(
    driver: &mut CdpDriver,
    stop: &StopSignal,
) -> Result<Option<CapturedLogin>, Failure> {
    let unavailable = |message: String| Failure {
        code: exit::UNAVAILABLE,
        message,
        hint: None,
    };
    let launched = driver
        .launch()
        .await
        .map_err(|error| unavailable(error.to_string()))?;
    if !launched.is_ok() {
        let reason = launched.reason.unwrap_or_else(|| "it did not open".into());
        return Err(unavailable(reason));
    }
    output::say("log in in the browser's window, then press Enter here (Ctrl-C cancels)");
    let line = first_line();
    // A line, or the end of what can be read.
    while line.try_recv() == Err(TryRecvError::Empty) {
        if stop.is_stopped() {
            return Ok(None);
        }
        tokio::time::sleep(PATIENCE).await;
    }
    let login = driver.capture_login().await.map_err(|error| match error {
        CaptureError::State(error) => Failure::usage(error.to_string())
            .hint("log in first, and name further origins of the app with --allow-origin"),
        error => unavailable(error.to_string()),
    })?;
    Ok(if stop.is_stopped() { None } else { Some(login) })
}

/// Says when there was a line on stdin, or nothing more can come. Its thread ends with the program:
/// nobody can be made to press a key.
fn first_line() -> Receiver<()> {
    let (done, line) = mpsc::channel();
    std::thread::spawn(move || {
        let _ = io::stdin().read_line(&mut String::new());
        let _ = done.send(());
    });
    line
}

/// Writes a file that its owner alone may read: whole or not at all, and in the place of another
/// one only if that is asked for.
fn write(path: &Path, bytes: &[u8], overwrite: bool) -> io::Result<()> {
    let name = path.file_name().ok_or(io::ErrorKind::InvalidFilename)?;
    let mut part = std::ffi::OsString::from(".");
    part.push(name);
    part.push(format!(".{}.part", std::process::id()));
    let part: PathBuf = path.with_file_name(part);
    let mut create = OpenOptions::new();
    create.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut create, 0o600);
    let mut file = create.open(&part)?;
    let written = file.write_all(bytes).and_then(|()| file.sync_all());
    let placed = written.and_then(|()| {
        if overwrite {
            fs::rename(&part, path)
        } else {
            // Unlike a renaming, a link takes no file's place.
            fs::hard_link(&part, path)
        }
    });
    if placed.is_err() || !overwrite {
        let _ = fs::remove_file(&part);
    }
    placed
}

/// Counts and origins, and nothing else (REP-144).
fn told(args: &CaptureArgs, login: &CapturedLogin, origins: &[String]) -> String {
    let (cookies, entries, left_out) = (login.cookies, login.storage_entries, login.left_out);
    if args.json {
        let told = json!({
            "cookies": cookies,
            "storage_entries": entries,
            "cookies_left_out": left_out,
            "origins": origins,
        });
        return told.to_string();
    }
    let roots: Vec<String> = origins.iter().map(|origin| format!("{origin}/")).collect();
    output::safe(&format!(
        "{cookies} cookies and {entries} storage entries of {} were written; {left_out} cookies of \
         elsewhere were not",
        roots.join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    // REP-144
    #[cfg(unix)]
    #[test]
    fn a_login_is_private_and_takes_no_place_unasked() {
        use std::os::unix::fs::PermissionsExt as _;

        let dir = std::env::temp_dir().join(format!("qa-login-state-{}", std::process::id()));
        fs::create_dir_all(&dir).unwrap();
        let path = dir.join("state.json");
        write(&path, b"one", false).unwrap();
        let mode = path.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let taken = write(&path, b"two", false).unwrap_err();
        assert_eq!(taken.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read(&path).unwrap(), b"one");
        write(&path, b"two", true).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(fs::read_dir(&dir).unwrap().count(), 1);
        fs::remove_dir_all(&dir).unwrap();
    }
}
