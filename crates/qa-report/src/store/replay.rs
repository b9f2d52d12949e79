//! Where the reports of a replay go (REP-125).

use std::io;
use std::path::Path;

use qa_redact::Redacted;
use serde_json::Value;

use super::create_private;
use super::lines::Lines;

/// Writes `report.json` and `report.md` of a replay into a directory, in the place of earlier ones,
/// and appends it to `report.jsonl`. The directory is made if it is not there.
pub fn write_replay(
    dir: &Path,
    report: &Redacted<Value>,
    markdown: &Redacted<String>,
) -> io::Result<()> {
    let root = create_private(dir)?;
    let json = serde_json::to_string_pretty(report.as_value()).map_err(io::Error::other)? + "\n";
    root.replace("report.json", json.as_bytes())?;
    root.replace("report.md", markdown.as_str().as_bytes())?;
    Lines::open(&root, "report.jsonl")?.append(report)
}
