//! Checks that take minutes to hours: the tests run a short form of each.

mod explore;
mod fuzz;
mod green;
mod kill;
mod minimize;
mod properties;
mod random;
mod report;
mod shop;
mod target;

use clap::Subcommand;

use crate::failure::Failure;

/// What to repeat.
#[derive(Debug, Subcommand)]
pub(crate) enum Task {
    /// Explore the bundled shop again and again, and see whether anything stays behind.
    Explore(explore::Explore),
    /// Kill explorations at any moment, read what they left, and resume them.
    Kill(kill::Kill),
    /// Break the bundled shop in hundreds of ways, and see whether a replay ever passes though
    /// something that it lists is broken.
    Green(green::Green),
    /// Fuzz what reads untrusted bytes; needs a nightly compiler and cargo-fuzz.
    Fuzz(fuzz::Fuzz),
    /// Try each invariant of the libraries on many generated cases.
    Properties(properties::Properties),
    /// Act on a page that changes between the look and the press, and see which element got it.
    Target(target::Targets),
    /// Explore the bundled shop, and minimise each planted fault that was found: are the scenarios
    /// short, and do they bring it about each time?
    Minimize(minimize::Minimizations),
    /// Check the HTML report with axe-core, and measure one as large as they get; what that needs
    /// is installed from npm.
    Report(report::Report),
}

pub(crate) fn run(task: &Task) -> Result<(), Failure> {
    match task {
        Task::Explore(explore) => explore::run(explore),
        Task::Kill(kill) => kill::run(kill),
        Task::Green(green) => green::run(green),
        Task::Fuzz(fuzz) => fuzz::run(fuzz),
        Task::Properties(properties) => properties::run(properties),
        Task::Target(targets) => target::run(targets),
        Task::Minimize(minimizations) => minimize::run(minimizations),
        Task::Report(report) => report::run(report),
    }
}
