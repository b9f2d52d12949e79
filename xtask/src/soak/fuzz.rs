//! The fuzz targets, one after the other.

use std::process::Command;

use clap::Args;

use crate::failure::Failure;
use crate::process;
use crate::workspace::Workspace;

/// The targets in `fuzz/fuzz_targets`.
const TARGETS: [&str; 4] = ["stream", "text", "json", "scenario"];
/// Longer inputs are slower and find nothing that shorter ones do not.
const MAX_BYTES: u32 = 800;

/// How long.
#[derive(Debug, Args)]
pub(crate) struct Fuzz {
    /// Minutes for all targets together.
    #[arg(long, default_value_t = 60)]
    minutes: u64,
    /// Only this target.
    #[arg(long)]
    target: Vec<String>,
}

pub(crate) fn run(fuzz: &Fuzz) -> Result<(), Failure> {
    if !process::answers("cargo", &["+nightly", "fuzz", "--version"]) {
        return Err(Failure::missing(
            "fuzzing needs a nightly compiler and cargo-fuzz: run `rustup toolchain install nightly` and \
             `cargo install cargo-fuzz`",
        ));
    }
    let all = TARGETS.map(str::to_owned);
    let targets = if fuzz.target.is_empty() {
        &all
    } else {
        fuzz.target.as_slice()
    };
    let seconds = (fuzz.minutes * 60 / targets.len() as u64).max(1);
    let folder = Workspace::read()?.root.join("fuzz");
    for target in targets {
        let corpus = format!("corpus/{target}");
        std::fs::create_dir_all(folder.join(&corpus))?;
        process::run(
            // The compiler that runs this task pins itself for its children.
            Command::new("cargo")
                .env_remove("RUSTUP_TOOLCHAIN")
                .env_remove("CARGO")
                .current_dir(&folder)
                .args(["+nightly", "fuzz", "run", target, &corpus, "seeds", "--"])
                .arg("-dict=dictionary.txt")
                .arg(format!("-max_len={MAX_BYTES}"))
                .arg(format!("-max_total_time={seconds}")),
        )?;
    }
    Ok(())
}
