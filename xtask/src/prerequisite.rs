//! What the tests need beside the Rust toolchain, and how to get it.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failure::Failure;
use crate::process;

const BROWSERS: [&str; 5] = [
    "google-chrome",
    "google-chrome-stable",
    "chromium",
    "chromium-browser",
    "microsoft-edge",
];

const PLACES: [&str; 3] = [
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
];

/// Makes sure that everything the tests need is there: installs it where that is possible, and
/// otherwise fails with the command that a person must run.
pub(crate) fn ensure() -> Result<(), Failure> {
    let mut missing = Vec::new();
    if browser().is_none() {
        if let Some(given) = std::env::var_os("QA_BROWSER") {
            return Err(Failure::missing(format!(
                "QA_BROWSER names {}, which is no file",
                given.display()
            )));
        }
        missing.push("chromium");
    }
    if cfg!(target_os = "linux") && !has_font() {
        // Without any font, text has no width and so nobody could see it.
        missing.push("fonts-liberation");
    }
    if missing.is_empty() {
        return Ok(());
    }
    install(&missing)?;
    match browser() {
        Some(_) => Ok(()),
        None => Err(Failure::missing(
            "the package chromium is installed, but no browser is on PATH; set QA_BROWSER to one",
        )),
    }
}

/// The browser that the tests will use.
pub(crate) fn browser() -> Option<PathBuf> {
    if let Some(given) = std::env::var_os("QA_BROWSER") {
        return Some(PathBuf::from(given)).filter(|file| file.is_file());
    }
    let on_path = BROWSERS.iter().find_map(|name| process::find(name));
    on_path.or_else(|| PLACES.iter().map(PathBuf::from).find(|file| file.is_file()))
}

fn has_font() -> bool {
    let home = std::env::var_os("HOME").map(|home| Path::new(&home).join(".fonts"));
    ["/usr/share/fonts", "/usr/local/share/fonts"]
        .into_iter()
        .map(PathBuf::from)
        .chain(home)
        .any(|folder| holds_font(&folder))
}

fn holds_font(folder: &Path) -> bool {
    let Ok(entries) = folder.read_dir() else {
        return false;
    };
    entries.flatten().map(|entry| entry.path()).any(|path| {
        if path.is_dir() {
            return holds_font(&path);
        }
        path.extension()
            .is_some_and(|extension| ["ttf", "otf", "ttc", "pfb"].iter().any(|e| *e == extension))
    })
}

fn install(packages: &[&str]) -> Result<(), Failure> {
    let list = packages.join(" ");
    eprintln!("missing: {list}");
    let prefix: &[&str] = if process::find("apt-get").is_none() {
        return Err(by_hand(&list));
    } else if is_root() {
        &[]
    } else if process::answers("sudo", &["-n", "true"]) {
        &["sudo", "-n"]
    } else {
        return Err(by_hand(&list));
    };
    apt_get(prefix, &["update"])?;
    let mut arguments = vec!["install", "--yes", "--no-install-recommends"];
    arguments.extend(packages);
    apt_get(prefix, &arguments)
}

fn apt_get(prefix: &[&str], arguments: &[&str]) -> Result<(), Failure> {
    let mut words = prefix.iter().copied().chain(["apt-get"]);
    let program = words.next().unwrap_or("apt-get");
    process::run(
        Command::new(program)
            .args(words)
            .args(arguments)
            .env("DEBIAN_FRONTEND", "noninteractive"),
    )
}

/// Whether this runs as root, where a browser has no sandbox.
pub(crate) fn is_root() -> bool {
    process::output(Command::new("id").arg("-u")).is_ok_and(|id| id.trim() == "0")
}

fn by_hand(list: &str) -> Failure {
    Failure::missing(format!(
        "the tests need {list}, which cannot be installed from here; on Debian or Ubuntu run \
         `sudo apt-get install {list}`, elsewhere install Chrome or Chromium and set QA_BROWSER to \
         its path"
    ))
}
