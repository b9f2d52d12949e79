//! One exploration after the other, for as long as one likes: does anything stay behind, and does
//! anything grow?

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use clap::Args;

use super::shop::Shop;
use crate::failure::Failure;
use crate::qa::Qa;
use crate::table;
use crate::workspace::Workspace;

/// How long to explore.
#[derive(Debug, Args)]
pub(crate) struct Explore {
    /// For how long new explorations are begun.
    #[arg(long, default_value_t = 10)]
    minutes: u64,
    /// Limit of steps of each.
    #[arg(long, default_value_t = 200)]
    steps: u32,
}

/// What one exploration did to the machine.
struct Run {
    exit: Option<i32>,
    took: Duration,
    /// The most memory that `qa` itself held.
    peak_kib: u64,
    /// Processes and directories that it left behind.
    left: Vec<String>,
}

/// Explores the bundled shop with one seed after the other.
pub(crate) fn run(soak: &Explore) -> Result<(), Failure> {
    if !Path::new("/proc/self/status").exists() {
        return Err(Failure::missing(
            "soaking reads what processes use from /proc, which this system has not",
        ));
    }
    let workspace = Workspace::read()?;
    let qa = Qa::build(&workspace)?.program;
    let folder = workspace.target.join("soak");
    let shop = Shop::start()?;
    let end = Instant::now() + Duration::from_secs(60 * soak.minutes);
    let mut rows = Vec::new();
    let mut broken = 0_usize;
    for seed in 0.. {
        if Instant::now() >= end {
            break;
        }
        let run = explore(&qa, shop.url(), soak.steps, seed, &folder)?;
        // A crash of the app and a run that proves nothing are proper ends.
        let proper = matches!(run.exit, Some(0..=2)) && run.left.is_empty();
        broken += usize::from(!proper);
        rows.push(vec![
            seed.to_string(),
            run.exit
                .map_or_else(|| "signal".to_owned(), |code| code.to_string()),
            format!("{:.1} s", run.took.as_secs_f64()),
            format!("{} MiB", run.peak_kib / 1024),
            run.left.join(", "),
        ]);
    }
    shop.stop();
    table::print(
        &["seed", "exit", "wall", "peak memory", "left behind"],
        &rows,
    );
    if broken == 0 {
        return Ok(());
    }
    Err(Failure::failed(format!(
        "{broken} of {} explorations left something behind or broke",
        rows.len()
    )))
}

fn explore(qa: &Path, url: &str, steps: u32, seed: u64, folder: &Path) -> Result<Run, Failure> {
    if folder.exists() {
        std::fs::remove_dir_all(folder)?;
    }
    // A place for temporary files of its own tells its leftovers from other people's.
    let temporary = folder.join("tmp");
    std::fs::create_dir_all(&temporary)?;
    let start = Instant::now();
    let mut child = Command::new(qa)
        .args(["explore", "--url", &format!("{url}/")])
        .args(["--max-steps", &steps.to_string()])
        .args(["--seed", &seed.to_string()])
        .arg("--out")
        .arg(folder.join("session"))
        .env("TMPDIR", &temporary)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    let (exit, peak_kib) = watch(&mut child)?;
    let took = start.elapsed();
    Ok(Run {
        exit,
        took,
        peak_kib,
        left: left_behind(&temporary)?,
    })
}

/// Waits for the end, and notes the most memory the process held.
fn watch(child: &mut Child) -> Result<(Option<i32>, u64), Failure> {
    let status_file = PathBuf::from(format!("/proc/{}/status", child.id()));
    let mut peak_kib = 0;
    loop {
        let status = std::fs::read_to_string(&status_file).unwrap_or_default();
        peak_kib = peak_kib.max(peak(&status).unwrap_or(0));
        if let Some(ended) = child.try_wait()? {
            return Ok((ended.code(), peak_kib));
        }
        thread::sleep(Duration::from_millis(200));
    }
}

/// The largest resident size, in KiB, that a status file of the kernel names.
fn peak(status: &str) -> Option<u64> {
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_ascii_whitespace().next()?.parse().ok()
}

/// Processes that name a folder on their command line, and what is in the folder.
pub(super) fn left_behind(folder: &Path) -> Result<Vec<String>, Failure> {
    let mut left: Vec<String> = folder
        .read_dir()?
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    let name = folder.display().to_string();
    for entry in Path::new("/proc").read_dir()?.flatten() {
        let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        if String::from_utf8_lossy(&line).contains(&name) {
            left.push(format!("process {}", entry.file_name().to_string_lossy()));
        }
    }
    Ok(left)
}

#[cfg(test)]
mod tests {
    use super::peak;

    #[test]
    fn the_peak_is_read_from_a_status_file() {
        let status = "Name:\tqa\nVmPeak:\t  200000 kB\nVmHWM:\t   51234 kB\nVmRSS:\t  1 kB\n";
        assert_eq!(peak(status), Some(51_234));
        assert_eq!(peak("Name:\tqa\n"), None);
    }
}
