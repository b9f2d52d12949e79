//! Programs from the npm registry, installed beside the build.

use std::path::PathBuf;
use std::process::Command;

use crate::failure::Failure;
use crate::process;
use crate::workspace::Workspace;

/// Installs packages into a folder of `target` and returns it.
pub(crate) fn install(
    workspace: &Workspace,
    folder: &str,
    packages: &[&str],
) -> Result<PathBuf, Failure> {
    if !process::answers("npm", &["--version"]) {
        return Err(Failure::missing(
            "this needs Node.js with npm; on Debian run `sudo apt-get install npm`",
        ));
    }
    let folder = workspace.target.join(folder);
    std::fs::create_dir_all(&folder)?;
    process::run(
        Command::new("npm")
            .args(["install", "--no-audit", "--no-fund", "--loglevel=error"])
            .arg("--prefix")
            .arg(&folder)
            .args(packages),
    )?;
    Ok(folder)
}
