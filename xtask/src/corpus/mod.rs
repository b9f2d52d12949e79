//! Checks parsers and names against captures of real tools, which are not part of this project.
//!
//! The folder has one sub-folder for each kind of capture. A kind with a checker gets a row of
//! counts; a kind without one is listed as not checked, so that nobody takes silence for success.

mod accname;
mod browser;
mod redaction;
mod scenario;

use std::path::Path;

use crate::failure::Failure;
use crate::table;

/// Reads the captures of one kind and says how many were understood.
type Check = fn(&Path) -> Result<Vec<Score>, Failure>;

/// The kinds that are checked, by the name of their folder.
const CHECKS: &[(&str, Check)] = &[
    ("accname", accname::check),
    ("redaction", redaction::check),
    ("scenario", scenario::check),
];

/// How many cases of one sort were understood.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Score {
    /// What was checked.
    what: &'static str,
    /// How many cases there are, those out of scope left out.
    cases: usize,
    /// How many cases no observation can answer.
    out_of_scope: usize,
    /// The cases that were not understood, one line each.
    misses: Vec<Miss>,
    /// The least share that must be understood, in percent.
    bar_percent: usize,
}

/// A case that was not understood.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Miss {
    /// One line: case, expected, found.
    line: String,
    /// Why it is accepted; an unexplained miss fails the check.
    reason: Option<String>,
}

impl Score {
    fn passed(&self) -> usize {
        self.cases.saturating_sub(self.misses.len())
    }

    fn unexplained(&self) -> usize {
        self.misses
            .iter()
            .filter(|miss| miss.reason.is_none())
            .count()
    }

    /// Whether the bar is reached and each miss has a reason. Nothing to check is no success.
    fn holds(&self) -> bool {
        self.cases > 0
            && self.unexplained() == 0
            && self.passed() * 100 >= self.bar_percent * self.cases
    }

    fn row(&self, kind: &str) -> Vec<String> {
        let percent = 100.0 * self.passed() as f64 / self.cases.max(1) as f64;
        let verdict = if self.holds() { "ok" } else { "FAILED" };
        vec![
            format!("{kind}: {}", self.what),
            format!("{}/{}", self.passed(), self.cases),
            format!("{percent:.1} %"),
            format!("{} %", self.bar_percent),
            self.out_of_scope.to_string(),
            self.unexplained().to_string(),
            verdict.to_owned(),
        ]
    }
}

/// Checks every kind of capture in a folder.
pub(crate) fn run(dir: &Path) -> Result<(), Failure> {
    let kinds = kinds(dir)?;
    let mut rows = Vec::new();
    let mut failed = Vec::new();
    let mut unchecked = Vec::new();
    for kind in &kinds {
        let Some((_, check)) = CHECKS.iter().find(|(name, _)| name == kind) else {
            unchecked.push(kind.as_str());
            continue;
        };
        for score in check(&dir.join(kind))? {
            for miss in score.misses.iter().filter(|miss| miss.reason.is_none()) {
                println!("miss in {kind}: {}", miss.line);
            }
            if !score.holds() {
                failed.push(format!("{kind}: {}", score.what));
            }
            rows.push(score.row(kind));
        }
    }
    table::print(
        &[
            "kind",
            "passed",
            "share",
            "bar",
            "out of scope",
            "unexplained",
            "verdict",
        ],
        &rows,
    );
    if !unchecked.is_empty() {
        println!("not checked yet: {}", unchecked.join(", "));
    }
    if failed.is_empty() {
        return Ok(());
    }
    Err(Failure::failed(format!(
        "below the bar: {}",
        failed.join(", ")
    )))
}

fn kinds(dir: &Path) -> Result<Vec<String>, Failure> {
    let unreadable = |error: std::io::Error| {
        Failure::usage(format!("cannot read folder {}: {error}", dir.display()))
    };
    let mut kinds = Vec::new();
    for entry in dir.read_dir().map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        if entry.path().is_dir() {
            kinds.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    kinds.sort();
    if kinds.is_empty() {
        return Err(Failure::usage(format!(
            "{} has no folder with captures",
            dir.display()
        )));
    }
    Ok(kinds)
}

#[cfg(test)]
mod tests {
    use super::{Miss, Score};

    fn score(cases: usize, reasons: &[Option<&str>]) -> Score {
        Score {
            what: "names",
            cases,
            out_of_scope: 0,
            misses: reasons
                .iter()
                .map(|reason| Miss {
                    line: "a case".into(),
                    reason: reason.map(str::to_owned),
                })
                .collect(),
            bar_percent: 98,
        }
    }

    // WEB-022
    #[test]
    fn a_bar_holds_only_with_reasons_for_every_miss() {
        assert!(score(100, &[]).holds());
        assert!(score(100, &[Some("x"), Some("y")]).holds());
        assert!(!score(100, &[Some("x"), None]).holds());
        assert!(!score(100, &[Some("x"), Some("y"), Some("z")]).holds());
    }

    #[test]
    fn nothing_to_check_is_no_success() {
        assert!(!score(0, &[]).holds());
    }
}
