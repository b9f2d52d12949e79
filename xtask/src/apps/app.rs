//! Which apps there are, and where they live.

use std::path::{Path, PathBuf};
use std::process::Command;

use clap::ValueEnum;

/// A real web app.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum App {
    /// Explores databases.
    Datasette,
    /// Edits databases.
    SqliteWeb,
    /// A wiki that is one page.
    Tiddlywiki,
    /// An editor of flows.
    NodeRed,
}

/// The registry a package comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Registry {
    /// Python's.
    PyPi,
    /// Node's.
    Npm,
}

impl App {
    /// All of them.
    pub(super) const ALL: &'static [Self] = &[
        Self::Datasette,
        Self::SqliteWeb,
        Self::Tiddlywiki,
        Self::NodeRed,
    ];

    /// Its package, pinned so that two runs meet the same app.
    pub(super) fn package(self) -> (Registry, &'static str) {
        match self {
            Self::Datasette => (Registry::PyPi, "datasette==0.65.5"),
            Self::SqliteWeb => (Registry::PyPi, "sqlite-web==0.8.2"),
            Self::Tiddlywiki => (Registry::Npm, "tiddlywiki@5.4.1"),
            Self::NodeRed => (Registry::Npm, "node-red@4.1.15"),
        }
    }

    /// The command that serves it with its sample data.
    pub(super) fn server(self, place: &Place, port: u16) -> Command {
        let (program, arguments) = match self {
            Self::Datasette => (
                place.python("datasette"),
                format!("serve --host 127.0.0.1 --port {port} --setting sql_time_limit_ms 1000"),
            ),
            Self::SqliteWeb => (
                place.python("sqlite_web"),
                format!("--host 127.0.0.1 --port {port} --no-browser"),
            ),
            Self::Tiddlywiki => (
                place.npm("tiddlywiki"),
                format!("wiki --listen host=127.0.0.1 port={port}"),
            ),
            Self::NodeRed => (
                place.npm("node-red"),
                format!("--userDir node-red --port {port}"),
            ),
        };
        let mut command = Command::new(program);
        command
            .args(arguments.split_ascii_whitespace())
            .current_dir(place.data());
        if matches!(self, Self::Datasette | Self::SqliteWeb) {
            command.arg("sample.db");
        }
        command
    }
}

impl std::fmt::Display for App {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::Datasette => "datasette",
            Self::SqliteWeb => "sqlite-web",
            Self::Tiddlywiki => "tiddlywiki",
            Self::NodeRed => "node-red",
        })
    }
}

/// Where apps are installed and keep their data.
#[derive(Debug)]
pub(super) struct Place(PathBuf);

impl Place {
    /// The place inside a target folder.
    pub(super) fn new(target: &Path) -> Self {
        Self(target.join("apps"))
    }

    /// The folder of the virtual environment.
    pub(super) fn environment(&self) -> PathBuf {
        self.0.join("python")
    }

    /// A program of the virtual environment.
    pub(super) fn python(&self, program: &str) -> PathBuf {
        let folder = if cfg!(windows) { "Scripts" } else { "bin" };
        self.environment().join(folder).join(program)
    }

    /// The folder that npm installs into.
    pub(super) fn node(&self) -> PathBuf {
        self.0.join("node")
    }

    /// A program that npm installed.
    pub(super) fn npm(&self, program: &str) -> PathBuf {
        let file = if cfg!(windows) {
            format!("{program}.cmd")
        } else {
            program.to_owned()
        };
        self.node().join("node_modules").join(".bin").join(file)
    }

    /// The folder of the sample data, made anew for each serving.
    pub(super) fn data(&self) -> PathBuf {
        self.0.join("data")
    }

    /// The folder of the sessions that explored the apps.
    pub(super) fn sessions(&self) -> PathBuf {
        self.0.join("sessions")
    }
}
