//! A rival in a Node.js process that answers one request a line.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::Value;

use crate::failure::Failure;

/// A script in Node.js.
#[derive(Debug)]
pub(super) struct Rival {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

/// A script and the folder it stands in, as they were when this program was built.
pub(super) const PLAYWRIGHT: &str = "playwright.mjs";
/// As [`PLAYWRIGHT`].
pub(super) const HUNT: &str = "hunt.mjs";

/// As [`PLAYWRIGHT`].
pub(super) const MCP: &str = "mcp.mjs";

const SCRIPTS: [(&str, &str); 4] = [
    (PLAYWRIGHT, include_str!("playwright.mjs")),
    (HUNT, include_str!("hunt.mjs")),
    (MCP, include_str!("mcp.mjs")),
    ("devtools.mjs", include_str!("devtools.mjs")),
];

impl Rival {
    /// Starts a script with the folder of its modules as the first argument.
    pub(super) fn start(modules: &Path, script: &str, arguments: &[&str]) -> Result<Self, Failure> {
        for (name, text) in SCRIPTS {
            std::fs::write(modules.join(name), text)?;
        }
        let mut child = Command::new("node")
            .arg(modules.join(script))
            .arg(modules)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| Failure::missing(format!("node could not be started: {error}")))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(Failure::internal("the system gave no pipes"));
        };
        Ok(Self {
            child,
            input: Some(input),
            output: BufReader::new(output),
        })
    }

    /// Asks, and waits for the answer.
    pub(super) fn ask(&mut self, request: &Value) -> Result<Value, Failure> {
        let Some(input) = self.input.as_mut() else {
            return Err(Failure::internal("a rival was asked after its end"));
        };
        writeln!(input, "{request}")?;
        let answer = self.answer()?;
        match answer["error"].as_str() {
            Some(error) => Err(Failure::failed(format!("{request}: {error}"))),
            None => Ok(answer),
        }
    }

    /// Waits for the next line.
    pub(super) fn answer(&mut self) -> Result<Value, Failure> {
        let mut line = String::new();
        self.output.read_line(&mut line)?;
        serde_json::from_str(&line)
            .map_err(|error| Failure::failed(format!("a rival said {line:?}: {error}")))
    }

    /// Says that nothing more will be asked.
    pub(super) fn end_input(&mut self) {
        self.input = None;
    }
}

impl Drop for Rival {
    fn drop(&mut self) {
        self.input = None;
        // At the end of its input it closes its browser and ends; a broken one is helped.
        for _ in 0..50 {
            if !matches!(self.child.try_wait(), Ok(None)) {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(100));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
