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

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use args::{Cli, Command, LoginStateCommand};
use clap::{CommandFactory as _, Parser as _};
use exit::Failure;

fn main() -> ExitCode {
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
        Err(error) => return refused(&error),
    };
    let done = catch_unwind(AssertUnwindSafe(|| {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .map_err(|error| Failure::internal(format!("no threads can be had: {error}")))?;
        runtime.block_on(run(cli))
    }));
    match done {
        Ok(Ok(code)) => ExitCode::from(code),
        Ok(Err(failure)) => {
            output::say(&format!("error: {}", failure.message));
            if let Some(hint) = failure.hint {
                output::say(&format!("  to do: {hint}"));
            }
            ExitCode::from(failure.code)
        }
        // The hook has said what there is to say.
        Err(_) => ExitCode::from(exit::INTERNAL),
    }
}

async fn run(cli: Cli) -> Result<u8, Failure> {
    match cli.command {
        Command::Explore(args) => command::explore::run(&args).await,
        Command::Demo(args) => command::demo::run(&args).await,
        Command::Export(args) => command::export::run(&args).await,
        Command::Minimize(args) => command::minimize::run(&args).await,
        Command::Replay(args) => command::replay::run(&args).await,
        Command::Validate(args) => command::validate::run(&args),
        Command::Example(args) => command::example::run(&args).await,
        Command::LoginState(LoginStateCommand::Capture(args)) => {
            command::login_state::capture(&args).await
        }
        Command::Redact(args) => command::redact::run(&args),
        Command::Report(args) => command::report::run(&args),
        Command::Doctor(args) => command::doctor::run(&args).await,
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "qa", &mut script);
            output::print(String::from_utf8_lossy(&script).trim_end()).map(|()| exit::PASS)
        }
    }
}

/// A command line that cannot be used, or that asks for help. A refusal repeats what was given,
/// which may hold a secret.
fn refused(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        // Nothing is left to say when even the help cannot be printed.
        let _ = error.print();
        return ExitCode::from(exit::PASS);
    }
    let text = error.render().to_string();
    if output::safe(&text) == text {
        let _ = error.print();
    } else {
        output::say(text.trim_end());
    }
    ExitCode::from(exit::USAGE)
}
