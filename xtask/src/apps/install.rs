//! Installing apps from their registries.

use std::fs;
use std::process::Command;

use super::app::{App, Place, Registry};
use crate::failure::Failure;
use crate::process;

/// Installs apps.
pub(super) fn install(place: &Place, apps: &[App]) -> Result<(), Failure> {
    let of = |registry| -> Vec<&str> {
        apps.iter()
            .map(|app| app.package())
            .filter(|(found, _)| *found == registry)
            .map(|(_, package)| package)
            .collect()
    };
    pip(place, &of(Registry::PyPi))?;
    npm(place, &of(Registry::Npm))
}

fn pip(place: &Place, packages: &[&str]) -> Result<(), Failure> {
    if packages.is_empty() {
        return Ok(());
    }
    let python = ["python3", "python"]
        .into_iter()
        .find(|program| process::answers(program, &["-c", "import venv, ensurepip"]))
        .ok_or_else(|| {
            Failure::missing(
                "datasette and sqlite-web need Python with venv; on Debian run `sudo apt-get \
                 install python3-venv`",
            )
        })?;
    if !place.python("python").exists() {
        process::run(
            Command::new(python)
                .args(["-m", "venv"])
                .arg(place.environment()),
        )?;
    }
    process::run(
        Command::new(place.python("python"))
            .args([
                "-m",
                "pip",
                "install",
                "--quiet",
                "--disable-pip-version-check",
            ])
            .args(packages),
    )
}

fn npm(place: &Place, packages: &[&str]) -> Result<(), Failure> {
    if packages.is_empty() {
        return Ok(());
    }
    if !process::answers("npm", &["--version"]) {
        return Err(Failure::missing(
            "tiddlywiki and node-red need Node.js with npm; on Debian run `sudo apt-get install \
             npm`",
        ));
    }
    fs::create_dir_all(place.node())?;
    process::run(
        Command::new("npm")
            .args(["install", "--no-audit", "--no-fund", "--loglevel=error"])
            .arg("--prefix")
            .arg(place.node())
            .args(packages),
    )
}
