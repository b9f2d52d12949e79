//! A browser of our own: started with a private profile, and gone afterwards (WEB-002, WEB-004).

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

/// What a started browser is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ProcessOptions {
    pub(crate) browser: PathBuf,
    pub(crate) headed: bool,
    pub(crate) sandbox: bool,
    pub(crate) extra_args: Vec<String>,
}

/// A browser process with its profile directory.
pub(crate) struct Process {
    child: Child,
    profile: Option<TempDir>,
    last_words: Arc<Mutex<Vec<String>>>,
}

/// The browser could not be started.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("could not start {}: {reason}", .browser.display())]
pub struct StartError {
    /// Which browser.
    pub browser: PathBuf,
    /// What the system or the browser said.
    pub reason: String,
}

const LAST_WORDS: usize = 20;

/// Begins the browser with the protocol on the file descriptors 3 and 4, waits for it and removes
/// its profile. The shell outlives a killed `qa`: the pipe then closes, the browser ends by
/// itself, and the profile still goes away. Its ends of the pipes are closed, so that both sides
/// see the other's end at once. Arguments: profile directory, then the browser's command line.
const KEEPER: &str = r#"
trap '' HUP INT TERM
profile=$1
shift
exec 3<&0 4>&1 </dev/null >/dev/null
"$@" &
exec 3<&- 4>&-
wait $!
code=$?
for pause in 0.05 0.2 0.5 1 2 4 8; do
    rm -rf -- "$profile" 2>/dev/null && [ ! -e "$profile" ] && break
    sleep $pause
done
exit $code
"#;

impl Process {
    /// Starts a browser. Returns it with its ends of the pipe: what it reads and what it writes.
    pub(crate) fn start(
        options: &ProcessOptions,
    ) -> Result<(Self, ChildStdin, ChildStdout), StartError> {
        let fail = |reason: String| StartError {
            browser: options.browser.clone(),
            reason,
        };
        let profile = tempfile::Builder::new()
            .prefix("qa-profile-")
            .tempdir()
            .map_err(|error| fail(format!("no profile directory: {error}")))?;
        let mut command = Command::new("/bin/sh");
        command
            .arg("-c")
            .arg(KEEPER)
            .arg("qa-browser-keeper")
            .arg(profile.path())
            .arg(&options.browser)
            .args(arguments(options, profile.path()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .kill_on_drop(false);
        let mut child = command.spawn().map_err(|error| fail(error.to_string()))?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(to_browser), Some(from_browser), Some(words)) = pipes else {
            return Err(fail("the system gave no pipes".into()));
        };
        let last_words = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&last_words);
        tokio::spawn(async move {
            let mut lines = BufReader::new(words).lines();
            while let Ok(Some(line)) = lines.next_line().await {
                let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                if kept.len() == LAST_WORDS {
                    kept.remove(0);
                }
                kept.push(qa_core::clip(&line, 300));
            }
        });
        let process = Self {
            child,
            profile: Some(profile),
            last_words,
        };
        Ok((process, to_browser, from_browser))
    }

    /// What the browser last said on its error stream.
    pub(crate) fn last_words(&self) -> String {
        self.last_words
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .join("\n")
    }

    /// Waits until the browser is gone, helping after a while, and sees to it that the profile is
    /// gone too.
    pub(crate) async fn end(mut self, grace: Duration) -> Result<(), String> {
        if tokio::time::timeout(grace, self.child.wait())
            .await
            .is_err()
        {
            self.kill();
            let waited = tokio::time::timeout(Duration::from_secs(5), self.child.wait()).await;
            if waited.is_err() {
                return Err("the browser did not end when it was killed".into());
            }
        }
        self.remove_profile()
    }

    fn kill(&self) {
        let group = self.child.id().and_then(|id| i32::try_from(id).ok());
        if let Some(group) = group.and_then(rustix::process::Pid::from_raw) {
            // The group may be gone already, which is what we want.
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
    }

    fn remove_profile(&mut self) -> Result<(), String> {
        let Some(profile) = self.profile.take() else {
            return Ok(());
        };
        // Helper processes of the browser may write for a moment after it ended.
        let path = profile.keep();
        for _ in 0..40 {
            match std::fs::remove_dir_all(&path) {
                Ok(()) => return Ok(()),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
                Err(_) => std::thread::sleep(Duration::from_millis(25)),
            }
        }
        Err(format!(
            "the profile directory {} could not be removed",
            path.display()
        ))
    }
}

impl Drop for Process {
    /// The safety net for panics and early returns; the proper way is [`Process::end`].
    fn drop(&mut self) {
        if self.profile.is_some() {
            self.kill();
            let _ = self.remove_profile();
        }
    }
}

fn arguments(options: &ProcessOptions, profile: &Path) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = [
        "--remote-debugging-pipe",
        "--no-first-run",
        "--no-default-browser-check",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-default-apps",
        "--disable-domain-reliability",
        "--disable-extensions",
        "--disable-sync",
        "--disable-quic",
        "--disable-search-engine-choice-screen",
        "--disable-breakpad",
        "--disable-crash-reporter",
        "--disable-client-side-phishing-detection",
        "--disable-hang-monitor",
        "--disable-prompt-on-repost",
        "--disable-popup-blocking",
        "--disable-dev-shm-usage",
        "--disable-backgrounding-occluded-windows",
        "--disable-renderer-backgrounding",
        "--disable-background-timer-throttling",
        "--disable-features=Translate,OptimizationHints,MediaRouter,AutofillServerCommunication,\
         CertificateTransparencyComponentUpdater,InterestFeedContentSuggestions,\
         HttpsUpgrades,PaintHolding,BackForwardCache",
        "--metrics-recording-only",
        "--mute-audio",
        "--no-pings",
        "--password-store=basic",
        "--use-mock-keychain",
        "--force-color-profile=srgb",
        "--window-size=1280,800",
        "--noerrdialogs",
    ]
    .iter()
    .map(OsString::from)
    .collect();
    let mut data = OsString::from("--user-data-dir=");
    data.push(profile);
    arguments.push(data);
    if !options.headed {
        arguments.push("--headless=new".into());
        arguments.push("--hide-scrollbars".into());
    }
    if !options.sandbox {
        arguments.push("--no-sandbox".into());
    }
    arguments.extend(options.extra_args.iter().map(OsString::from));
    arguments.push("about:blank".into());
    arguments
}

/// Whether this process runs as root, where Chromium's sandbox refuses to start.
pub(crate) fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}
