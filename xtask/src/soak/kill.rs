//! Explorations that are killed at any moment: is what was told stored, and do they go on?

use std::io::{BufRead as _, BufReader, ErrorKind};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use clap::Args;
use qa_core::Status;
use qa_report::Session;

use super::explore::left_behind;
use super::shop::Shop;
use crate::failure::Failure;
use crate::qa::Qa;
use crate::table;
use crate::workspace::Workspace;

/// How often to kill.
#[derive(Debug, Args)]
pub(crate) struct Kill {
    /// Explorations that are killed.
    #[arg(long, default_value_t = 50)]
    times: u64,
    /// Limit of steps of each.
    #[arg(long, default_value_t = 25)]
    steps: u32,
    /// The latest moment of a kill, in milliseconds after the start.
    #[arg(long, default_value_t = 9_000)]
    within_ms: u64,
}

/// Kills explorations of the bundled shop, reads what they left, and resumes them.
pub(crate) fn run(kill: &Kill) -> Result<(), Failure> {
    let workspace = Workspace::read()?;
    let qa = Qa::build(&workspace)?.program;
    let shop = Shop::start()?;
    let folder = workspace.target.join("soak");
    let mut rows = Vec::new();
    let mut broken = 0_usize;
    for number in 0..kill.times {
        // Spread over the whole span, in an order that has no pattern.
        let after = Duration::from_millis(number * 7_919 % kill.within_ms);
        let place = Place::new(&folder)?;
        let told = place.explore_and_kill(&qa, shop.url(), kill.steps, after)?;
        let (stored, outcome) = match place.go_on(&qa, told) {
            Ok((stored, how)) => (stored.to_string(), how),
            Err(why) => {
                broken += 1;
                ("?".to_owned(), format!("BROKEN: {why}"))
            }
        };
        rows.push(vec![
            format!("{} ms", after.as_millis()),
            told.to_string(),
            stored,
            outcome,
        ]);
    }
    shop.stop();
    table::print(&["killed after", "told", "stored", "then"], &rows);
    if broken == 0 {
        return Ok(());
    }
    Err(Failure::failed(format!(
        "{broken} of {} killed explorations lost something",
        rows.len()
    )))
}

/// Where one exploration writes.
struct Place {
    out: PathBuf,
    temporary: PathBuf,
}

impl Place {
    fn new(folder: &Path) -> Result<Self, Failure> {
        // A browser that has just lost its `qa` may still be at work here.
        const PATIENCE: u32 = 50;
        for attempt in 0.. {
            match std::fs::remove_dir_all(folder) {
                Err(error) if error.kind() == ErrorKind::NotFound => break,
                Err(error) if attempt == PATIENCE => return Err(error.into()),
                _ => thread::sleep(Duration::from_millis(100)),
            }
        }
        let temporary = folder.join("tmp");
        std::fs::create_dir_all(&temporary)?;
        Ok(Self {
            out: folder.join("session"),
            temporary,
        })
    }

    fn qa(&self, qa: &Path) -> Command {
        let mut command = Command::new(qa);
        command
            .env("TMPDIR", &self.temporary)
            .stdin(Stdio::null())
            .stdout(Stdio::null());
        command
    }

    /// How many steps were told before the end.
    fn explore_and_kill(
        &self,
        qa: &Path,
        url: &str,
        steps: u32,
        after: Duration,
    ) -> Result<usize, Failure> {
        let mut child = self
            .qa(qa)
            .args(["explore", "--url", &format!("{url}/")])
            .args(["--max-steps", &steps.to_string(), "--out"])
            .arg(&self.out)
            .stderr(Stdio::piped())
            .spawn()?;
        let stderr = child
            .stderr
            .take()
            .ok_or_else(|| Failure::internal("no pipe from qa"))?;
        let told = thread::spawn(move || {
            let lines = BufReader::new(stderr).lines().map_while(Result::ok);
            lines.filter(|line| is_step(line)).count()
        });
        thread::sleep(after);
        // One that has ended already is not killed; that is a proper case, too.
        let _ = child.kill();
        child.wait()?;
        told.join()
            .map_err(|_| Failure::internal("the reader of qa's words panicked"))
    }

    /// Reads what is left, goes on to the end, and says how many steps had been stored.
    fn go_on(&self, qa: &Path, told: usize) -> Result<(usize, String), String> {
        let Some(dir) = self.session()? else {
            return match told {
                0 => Ok((0, "no session yet".to_owned())),
                _ => Err("there is no session".to_owned()),
            };
        };
        let session = Session::read(&dir).map_err(|error| format!("unreadable: {error}"))?;
        let stored = session.steps.len();
        if stored < told {
            return Err(format!("{} steps are lost", told - stored));
        }
        if session.meta.status != Status::Running {
            return Ok((stored, "had ended".to_owned()));
        }
        let end = self
            .qa(qa)
            .args(["explore", "--resume"])
            .arg(&dir)
            .output()
            .map_err(|error| error.to_string())?;
        if !matches!(end.status.code(), Some(0..=2)) {
            let words = String::from_utf8_lossy(&end.stderr).into_owned();
            return Err(format!("resumed with {}: {words}", end.status));
        }
        let whole = Session::read(&dir).map_err(|error| format!("then unreadable: {error}"))?;
        if whole.meta.status == Status::Running || whole.steps.len() < stored {
            return Err("resumed, but not to the end".to_owned());
        }
        let left = left_behind(&self.temporary).map_err(|error| error.to_string())?;
        if !left.is_empty() {
            return Err(format!("left behind: {}", left.join(", ")));
        }
        Ok((stored, format!("resumed to step {}", whole.steps.len())))
    }

    /// The session directory, if there is one.
    fn session(&self) -> Result<Option<PathBuf>, String> {
        if !self.out.exists() {
            return Ok(None);
        }
        let mut entries = self.out.read_dir().map_err(|error| error.to_string())?;
        let dir = entries
            .next()
            .transpose()
            .map_err(|error| error.to_string())?;
        // A directory without its first file is of a run that had not begun.
        Ok(dir
            .map(|entry| entry.path())
            .filter(|dir| dir.join("meta.json").exists()))
    }
}

/// Whether a line of `qa` tells of a step: its number, and how it ended.
fn is_step(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let number = words.next().is_some_and(|word| word.parse::<u32>().is_ok());
    number && matches!(words.next(), Some("ok" | "FAIL" | "skip"))
}

#[cfg(test)]
mod tests {
    use super::is_step;

    #[test]
    fn steps_are_told_from_other_lines() {
        assert!(is_step("  12 ok   tap link \"Help\""));
        assert!(is_step("   1 FAIL launch http://127.0.0.1:1/"));
        assert!(!is_step("     CRASH c1 js-exception after step 12: Error"));
        assert!(!is_step("going on after step 3"));
    }
}
