//! Where a browser is found (WEB-001). Nothing is ever downloaded.

use std::path::{Path, PathBuf};

/// No browser where one was looked for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no browser found; looked for {}", .tried.join(", "))]
pub struct BrowserNotFound {
    /// Every place that was tried, in order.
    pub tried: Vec<String>,
}

impl BrowserNotFound {
    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        if cfg!(target_os = "linux") {
            "install one (Debian and Ubuntu: `apt-get install chromium`; Fedora: `dnf install \
             chromium`), or name one with --browser PATH or QA_BROWSER"
        } else if cfg!(target_os = "macos") {
            "install one (`brew install --cask chromium`), or name one with --browser PATH or \
             QA_BROWSER"
        } else {
            "install Chrome, Edge or Chromium, or name one with --browser PATH or QA_BROWSER"
        }
    }
}

const NAMES: [&str; 8] = [
    "google-chrome-stable",
    "google-chrome",
    "chrome",
    "chromium",
    "chromium-browser",
    "microsoft-edge-stable",
    "microsoft-edge",
    "msedge",
];

const USUAL_PLACES: &[&str] = if cfg!(target_os = "macos") {
    &[
        "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
        "/Applications/Chromium.app/Contents/MacOS/Chromium",
        "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    ]
} else if cfg!(windows) {
    &[
        r"C:\Program Files\Google\Chrome\Application\chrome.exe",
        r"C:\Program Files (x86)\Google\Chrome\Application\chrome.exe",
        r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe",
        r"C:\Program Files\Chromium\Application\chrome.exe",
    ]
} else {
    &[
        "/opt/google/chrome/chrome",
        "/usr/bin/chromium",
        "/usr/lib/chromium/chromium",
        "/snap/bin/chromium",
        "/opt/microsoft/msedge/msedge",
    ]
};

/// Finds a browser: the one that was asked for, else `QA_BROWSER`, else Chrome, Chromium or Edge on
/// `PATH`, else at the usual places of the system. One that was asked for and is not there is not
/// replaced by another.
pub fn find_browser(asked: Option<&Path>) -> Result<PathBuf, BrowserNotFound> {
    let from_environment = || std::env::var_os("QA_BROWSER").filter(|path| !path.is_empty());
    let search = std::env::var_os("PATH").unwrap_or_default();
    find_among(
        asked
            .map(Path::to_owned)
            .or_else(|| from_environment().map(PathBuf::from)),
        std::env::split_paths(&search),
        USUAL_PLACES,
    )
}

fn find_among(
    asked: Option<PathBuf>,
    search: impl Iterator<Item = PathBuf>,
    usual: &[&str],
) -> Result<PathBuf, BrowserNotFound> {
    if let Some(path) = asked {
        return if path.is_file() {
            Ok(path)
        } else {
            Err(BrowserNotFound {
                tried: vec![path.display().to_string()],
            })
        };
    }
    let folders: Vec<PathBuf> = search.collect();
    let on_path = NAMES.iter().flat_map(|name| {
        let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
        folders.iter().map(move |folder| folder.join(&file))
    });
    on_path
        .chain(usual.iter().map(PathBuf::from))
        .find(|path| path.is_file())
        .ok_or_else(|| BrowserNotFound {
            tried: NAMES
                .iter()
                .map(|name| format!("{name} on PATH"))
                .chain(usual.iter().map(|&place| place.to_owned()))
                .collect(),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    // WEB-001
    #[test]
    fn a_browser_that_was_asked_for_is_never_replaced() {
        let error = find_among(
            Some("/nowhere/chrome".into()),
            std::iter::once("/usr/bin".into()),
            USUAL_PLACES,
        )
        .unwrap_err();
        assert_eq!(error.tried, ["/nowhere/chrome"]);
    }

    // WEB-001
    #[test]
    fn without_any_browser_the_error_lists_every_place() {
        let error = find_among(None, std::iter::empty(), &["/nowhere/a"]).unwrap_err();
        assert!(error.to_string().contains("chromium on PATH, "), "{error}");
        assert!(error.to_string().ends_with("/nowhere/a"), "{error}");
    }

    // WEB-001
    #[test]
    fn the_search_path_comes_before_the_usual_places() {
        let folder = tempfile::tempdir().unwrap();
        let browser = folder.path().join("chromium");
        std::fs::write(&browser, "").unwrap();
        let found = find_among(
            None,
            std::iter::once(folder.path().to_owned()),
            &["/bin/sh"],
        );
        assert_eq!(found.unwrap(), browser);
    }
}
