//! The `qa` program: it reads the command line, puts the layers together and prints. Everything
//! that another team would want is in a library crate.
#![warn(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "these panic when nobody reads: see `output`"
)]

mod args;
mod command;
mod exit;
mod interrupt;
mod output;
mod terminal;

use std::process::ExitCode;

use args::{Cli, Command};
use clap::{CommandFactory as _, Parser as _};
use exit::Failure;

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() -> ExitCode {
    // What a fault was about may be a secret: only its place is said (RED-078).
    std::panic::set_hook(Box::new(|fault| {
        let place = fault.location().map(ToString::to_string);
        let place = place.unwrap_or_else(|| "an unknown place".into());
        output::say(&format!(
            "error: a fault in qa itself at {place}; please report it"
        ));
    }));
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let code = if error.use_stderr() {
                exit::USAGE
            } else {
                exit::PASS
            };
            // Nothing is left to say when even the error cannot be printed.
            let _ = error.print();
            return ExitCode::from(code);
        }
    };
    let done = match cli.command {
        Command::Explore(args) => command::explore::run(&args).await,
        Command::Demo(args) => command::demo::run(&args).await,
        Command::Redact(args) => command::redact::run(&args),
        Command::Report(args) => command::report::run(&args),
        Command::Doctor(args) => command::doctor::run(&args).await,
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "qa", &mut script);
            output::print(String::from_utf8_lossy(&script).trim_end()).map(|()| exit::PASS)
        }
    };
    match done {
        Ok(code) => ExitCode::from(code),
        Err(Failure {
            code,
            message,
            hint,
        }) => {
            output::say(&format!("error: {message}"));
            if let Some(hint) = hint {
                output::say(&format!("  to do: {hint}"));
            }
            ExitCode::from(code)
        }
    }
}
