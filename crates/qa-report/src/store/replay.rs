//! Where the reports of a replay go (REP-125).

use std::io;
use std::path::Path;

use qa_core::Picture;
use qa_redact::{Redacted, Redactor};
use serde_json::Value;

use super::create_private;
use super::lines::Lines;
use super::veil::{Veil, Verdict};

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

/// Writes a picture into the directory of a replay, with what must not be seen painted over. Says
/// `false` where that cannot be told, and nothing was written.
pub fn write_picture(
    dir: &Path,
    name: &str,
    picture: &Picture,
    redactor: &Redactor,
) -> io::Result<bool> {
    let verdict = Veil::default().judge(picture, redactor);
    let Verdict::Store(masks) = verdict.map_err(io::Error::other)? else {
        return Ok(false);
    };
    let safe = Redacted::png(&picture.image.bytes, &masks).map_err(io::Error::other)?;
    create_private(dir)?.replace(name, safe.as_bytes())?;
    Ok(true)
}
