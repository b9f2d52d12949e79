//! What cargo knows about this workspace.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Deserialize;

use crate::failure::Failure;
use crate::process;

/// What cargo knows about this workspace.
#[derive(Debug, Deserialize)]
pub(crate) struct Workspace {
    /// Its members.
    pub(crate) packages: Vec<Package>,
    /// Where `Cargo.lock` is.
    #[serde(rename = "workspace_root")]
    pub(crate) root: PathBuf,
    /// Where cargo builds.
    #[serde(rename = "target_directory")]
    pub(crate) target: PathBuf,
}

/// A member of the workspace.
#[derive(Debug, Deserialize)]
pub(crate) struct Package {
    /// Its name.
    pub(crate) name: String,
    /// Its features, with what each turns on.
    pub(crate) features: BTreeMap<String, Vec<String>>,
}

impl Workspace {
    /// Asks cargo.
    pub(crate) fn read() -> Result<Self, Failure> {
        let json = process::output(process::cargo().args([
            "metadata",
            "--format-version=1",
            "--no-deps",
        ]))?;
        serde_json::from_str(&json)
            .map_err(|error| Failure::internal(format!("cargo metadata is unreadable: {error}")))
    }
}
