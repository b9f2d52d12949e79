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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use qa_redact::{Redactor, RedactorConfig};
    use serde_json::json;

    use super::*;

    proptest! {
        // Each case writes files.
        #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

        // REP-INV-27, REP-125
        #[test]
        fn what_was_appended_stays_as_it_is(names in proptest::collection::vec("\\PC{0,9}\n?", 1..5)) {
            let dir = tempfile::tempdir().unwrap();
            let redactor = Redactor::new(RedactorConfig::default()).unwrap();
            let mut before = String::new();
            for name in names {
                let json = redactor.json(&json!({"scenario": name, "status": "pass"})).unwrap();
                let text = redactor.text("# it passed").unwrap();
                write_replay(dir.path(), &json, &text).unwrap();
                let now = std::fs::read_to_string(dir.path().join("report.jsonl")).unwrap();
                prop_assert!(now.starts_with(&before));
                let line: Value = serde_json::from_str(&now[before.len()..]).unwrap();
                prop_assert_eq!(&line, json.as_value());
                prop_assert!(now.ends_with('\n'));
                before = now;
            }
        }
    }
}
