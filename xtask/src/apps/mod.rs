//! Real web apps that nobody here wrote: installed from their registries, served on loopback with
//! sample data of our own, and explored. They are no part of the tests, which need no network.

mod app;
mod explore;
mod install;
mod sample;
mod serve;

use clap::Subcommand;

use app::App;

use crate::failure::Failure;
use crate::workspace::Workspace;

/// What to do with real apps.
#[derive(Debug, Subcommand)]
pub(crate) enum Task {
    /// Install apps into `target/apps`; all of them if none is named.
    Install {
        /// Which.
        #[arg(value_enum)]
        names: Vec<App>,
    },
    /// Serve one installed app on loopback until it is interrupted.
    Serve {
        /// Which.
        #[arg(value_enum)]
        name: App,
        /// The port; a free one if absent.
        #[arg(long)]
        port: Option<u16>,
    },
    /// Serve installed apps one after the other, explore each with the release build of `qa`, and
    /// print what was found; all of them if none is named.
    Run {
        /// Which.
        #[arg(value_enum)]
        names: Vec<App>,
        /// Limit of steps for each app.
        #[arg(long, default_value_t = 150)]
        steps: u32,
    },
}

pub(crate) fn run(task: &Task) -> Result<(), Failure> {
    let workspace = Workspace::read()?;
    let place = app::Place::new(&workspace.target);
    match task {
        Task::Install { names } => install::install(&place, or_all(names)),
        Task::Serve { name, port } => {
            let served = serve::serve(&place, *name, *port, None)?;
            println!("{name} is served at {}", served.url);
            served.wait()
        }
        Task::Run { names, steps } => explore::explore(&place, &workspace, or_all(names), *steps),
    }
}

fn or_all(names: &[App]) -> &[App] {
    if names.is_empty() { App::ALL } else { names }
}
