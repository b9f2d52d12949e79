//! A browser whose DevTools listen on a port, so that two programs can use it at once.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::failure::Failure;

const START_LIMIT: Duration = Duration::from_secs(30);

/// A browser that runs until this is dropped.
#[derive(Debug)]
pub(super) struct Browser {
    child: Child,
    profile: PathBuf,
    /// The port of its DevTools.
    pub(super) port: u16,
    /// The address of its DevTools.
    pub(super) address: String,
}

impl Browser {
    /// Starts a program with a fresh profile inside a folder.
    pub(super) fn start(program: &Path, folder: &Path) -> Result<Self, Failure> {
        let profile = folder.join("profile");
        if profile.exists() {
            std::fs::remove_dir_all(&profile)?;
        }
        std::fs::create_dir_all(&profile)?;
        let mut command = Command::new(program);
        command
            .arg("--headless")
            .arg("--remote-debugging-port=0")
            .arg(format!("--user-data-dir={}", profile.display()))
            .args([
                "--disable-quic",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
            ])
            .arg("about:blank")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        if crate::prerequisite::is_root() {
            command.arg("--no-sandbox");
        }
        let child = command.spawn().map_err(|error| {
            Failure::missing(format!(
                "{} could not be started: {error}",
                program.display()
            ))
        })?;
        let mut browser = Self {
            child,
            profile,
            port: 0,
            address: String::new(),
        };
        (browser.port, browser.address) = browser.wait_for_devtools()?;
        Ok(browser)
    }

    /// The browser writes the port and the path of its DevTools into a file.
    fn wait_for_devtools(&self) -> Result<(u16, String), Failure> {
        let file = self.profile.join("DevToolsActivePort");
        let start = Instant::now();
        while start.elapsed() < START_LIMIT {
            let written = std::fs::read_to_string(&file).unwrap_or_default();
            if let Some((port, path)) = written.split_once('\n')
                && let Ok(number) = port.parse()
                && !path.is_empty()
            {
                return Ok((number, format!("ws://127.0.0.1:{port}{}", path.trim())));
            }
            thread::sleep(Duration::from_millis(50));
        }
        Err(Failure::failed("the browser's DevTools did not answer"))
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.profile);
    }
}
