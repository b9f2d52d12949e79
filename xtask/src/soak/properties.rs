//! Each invariant, on many more generated cases than the tests try.

use clap::Args;

use crate::failure::Failure;
use crate::process;

/// The packages whose tests generate their cases.
const PACKAGES: [&str; 6] = [
    "qa-core",
    "qa-crash",
    "qa-redact",
    "qa-replay",
    "qa-report",
    "qa-sim",
];

/// How many cases.
#[derive(Debug, Args)]
pub(crate) struct Properties {
    /// Cases of each invariant.
    #[arg(long, default_value_t = 10_000)]
    cases: u32,
    /// Only this package; all if it is not given.
    #[arg(long, short)]
    package: Vec<String>,
}

pub(crate) fn run(properties: &Properties) -> Result<(), Failure> {
    let mut command = process::cargo();
    command.args(["nextest", "run", "--profile", "soak", "--no-fail-fast"]);
    command.args(["--all-features", "--cargo-profile", "soak"]);
    let all = PACKAGES.map(str::to_owned);
    let packages = if properties.package.is_empty() {
        &all
    } else {
        properties.package.as_slice()
    };
    for package in packages {
        command.args(["--package", package]);
    }
    process::run(command.env("PROPTEST_CASES", properties.cases.to_string()))
}
