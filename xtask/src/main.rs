//! Project tasks. `cargo xtask test` is everything that must hold before a change is merged; the
//! other tasks need the world outside: captures of real tools, real apps, rival programs.

mod apps;
mod bench;
mod corpus;
mod failure;
mod npm;
mod page_server;
mod prerequisite;
mod process;
mod qa;
mod soak;
mod table;
mod test;
mod workspace;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use failure::Failure;

#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", about, version)]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Check format, lints, documentation, tests and every feature alone.
    Test {
        /// Leave out the documentation and the feature checks.
        #[arg(long)]
        quick: bool,
    },
    /// Check parsers and names against a folder of captures from real tools.
    Corpus {
        /// A folder with one sub-folder for each kind of capture.
        dir: PathBuf,
    },
    /// Install, serve and explore real web apps that nobody here wrote.
    #[command(subcommand)]
    Apps(apps::Task),
    /// Compare speed and yield with rivals.
    #[command(subcommand)]
    Bench(bench::Task),
    /// Repeat for minutes or hours what the tests do in a short form.
    #[command(subcommand)]
    Soak(soak::Task),
}

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            let exit = if error.use_stderr() {
                Failure::USAGE
            } else {
                0
            };
            // Nothing is left to say when not even the message can be printed.
            let _ = error.print();
            return ExitCode::from(exit);
        }
    };
    let outcome = match arguments.task {
        Task::Test { quick } => test::run(quick),
        Task::Corpus { dir } => corpus::run(&dir),
        Task::Apps(task) => apps::run(&task),
        Task::Bench(task) => bench::run(&task),
        Task::Soak(task) => soak::run(&task),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("error: {failure}");
            ExitCode::from(failure.exit)
        }
    }
}
