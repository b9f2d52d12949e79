//! Everything that must hold before a change is merged.

use std::process::Command;
use std::time::{Duration, Instant};

use crate::failure::Failure;
use crate::prerequisite;
use crate::process::{self, cargo};
use crate::workspace::Workspace;

/// Runs all parts in turn and stops at the first that fails.
pub(crate) fn run(quick: bool) -> Result<(), Failure> {
    let mut times = Times::default();
    times.part("prerequisites", prerequisite::ensure)?;
    times.part("format", || {
        process::run(cargo().args(["fmt", "--all", "--check"]))
    })?;
    times.part("lints", || {
        process::run(
            cargo()
                .args(["clippy", "--workspace", "--all-targets", "--all-features"])
                .args(["--", "-D", "warnings"]),
        )
    })?;
    if !quick {
        times.part("documentation", || {
            process::run(
                cargo()
                    .args(["doc", "--workspace", "--no-deps", "--all-features"])
                    .env("RUSTDOCFLAGS", "-D warnings"),
            )
        })?;
    }
    times.part("tests", || {
        // The tests that cross crates run the program itself, as a person would.
        process::run(cargo().args(["build", "--package", "qa-cli"]))?;
        process::run(&mut tests())
    })?;
    times.part("documentation tests", || {
        process::run(cargo().args(["test", "--doc", "--workspace", "--all-features"]))
    })?;
    if !quick {
        times.part("each feature alone", each_feature_alone)?;
    }
    times.print();
    Ok(())
}

fn tests() -> Command {
    let mut command = cargo();
    if process::answers("cargo-nextest", &["nextest", "--version"]) {
        command.args(["nextest", "run", "--workspace", "--all-features"]);
    } else {
        command
            .args(["test", "--workspace", "--all-features"])
            .args(["--lib", "--bins", "--tests", "--examples"]);
    }
    command
}

/// A feature that compiles only beside another one, and a package that compiles only because a
/// sibling turns on a feature of a dependency, are found here.
fn each_feature_alone() -> Result<(), Failure> {
    for package in Workspace::read()?.packages {
        let check = || {
            let mut command = cargo();
            command.args(["check", "--package", &package.name, "--no-default-features"]);
            command
        };
        process::run(&mut check())?;
        for feature in package.features.keys().filter(|name| *name != "default") {
            process::run(check().args(["--features", feature]))?;
        }
    }
    Ok(())
}

/// How long each part took.
#[derive(Debug, Default)]
struct Times(Vec<(&'static str, Duration)>);

impl Times {
    fn part(
        &mut self,
        name: &'static str,
        work: impl FnOnce() -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        eprintln!("\n== {name}");
        let start = Instant::now();
        let outcome = work();
        self.0.push((name, start.elapsed()));
        outcome.map_err(|failure| Failure {
            message: format!("{name}: {failure}"),
            ..failure
        })
    }

    fn print(&self) {
        let parts: Vec<String> = self
            .0
            .iter()
            .map(|(name, took)| format!("{name} {:.0} s", took.as_secs_f64()))
            .collect();
        let total: Duration = self.0.iter().map(|(_, took)| took).sum();
        println!(
            "\nall passed in {:.0} s: {}",
            total.as_secs_f64(),
            parts.join(", ")
        );
    }
}
