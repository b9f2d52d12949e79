//! `qa validate`: scenario files, checked without running them, and the schema of their format.

use std::fs::File;
use std::io::Read as _;
use std::ops::Range;
use std::path::Path;

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use qa_replay::{Doubt, LoadError, MAX_BYTES, Scenario, doubts, load, schema};
use serde_json::{Value, json};

use crate::args::ValidateArgs;
use crate::exit::{self, Failure};
use crate::output;

pub(crate) fn run(args: &ValidateArgs) -> Result<u8, Failure> {
    if args.schema {
        return output::print(&format!("{:#}", schema())).map(|()| exit::PASS);
    }
    let mut checked = Vec::new();
    for path in &args.files {
        let bytes = read(path)?;
        let loaded = load(&bytes);
        checked.push(told(path, &loaded));
        if !args.json {
            match &loaded {
                Ok(scenario) => {
                    warn(path, scenario);
                    output::print(&format!(
                        "{}: ok, {} steps{}",
                        path.display(),
                        scenario.steps.len(),
                        login(scenario),
                    ))?;
                }
                Err(error) => output::say(&excerpt(path, &bytes, error)),
            }
        }
    }
    let ok = checked.iter().all(|file| file["ok"] == true);
    if args.json {
        output::print(&json!({"ok": ok, "files": checked}).to_string())?;
    }
    Ok(if ok { exit::PASS } else { exit::USAGE })
}

/// Says what a scenario that can be run probably does not mean.
pub(super) fn warn(path: &Path, scenario: &Scenario) {
    for Doubt { position, reason } in doubts(scenario) {
        output::say(&format!(
            "warning: {} at {position}: {reason}",
            path.display()
        ));
    }
}

/// What its owner must say before it may run, if it begins with a login.
fn login(scenario: &Scenario) -> String {
    let Some(login) = &scenario.target.login_state else {
        return String::new();
    };
    let origins = login.origins.iter();
    let options: Vec<String> = origins
        .map(|origin| format!(" --authorize-origin {origin}/"))
        .collect();
    format!("; to replay it give{}", options.concat())
}

/// The bytes of a scenario file; of one that is too large, enough to say so.
pub(super) fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    let most = u64::try_from(MAX_BYTES).unwrap_or(u64::MAX);
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(most + 1).read_to_end(&mut bytes));
    read.map(|_| bytes).map_err(|error| {
        Failure::usage(format!("SCENARIO_UNREADABLE: {}: {error}", path.display()))
            .hint("give the path of a scenario, as `qa export` writes it")
    })
}

fn told(path: &Path, loaded: &Result<Scenario, LoadError>) -> Value {
    let file = path.display().to_string();
    match loaded {
        Ok(scenario) => {
            let warnings: Vec<Value> = doubts(scenario)
                .iter()
                .map(|doubt| json!({"position": doubt.position, "reason": doubt.reason}))
                .collect();
            json!({"file": file, "ok": true, "steps": scenario.steps.len(), "warnings": warnings})
        }
        Err(error) => json!({
            "file": file,
            "ok": false,
            "code": error.code.as_str(),
            "position": error.position,
            "reason": error.reason,
            "span": [error.span.start, error.span.end],
        }),
    }
}

/// An error with the line that it is about, without the values that stand there.
pub(super) fn excerpt(path: &Path, bytes: &[u8], error: &LoadError) -> String {
    let text = veiled(&String::from_utf8_lossy(bytes));
    let title = format!("{} at {}", error.reason, error.position);
    let name = path.display().to_string();
    let span = shown(&text, &error.span);
    let snippet = Snippet::source(&text)
        .path(name)
        .annotation(AnnotationKind::Primary.span(span));
    let message = Level::ERROR
        .primary_title(title)
        .id(error.code.as_str())
        .element(snippet);
    Renderer::plain().render(&[message])
}

/// A JSON text of the same length with nothing readable but names of fields, literals and signs
/// (REP-093).
fn veiled(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut veiled = bytes.to_vec();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        let is_shown = match bytes[at] {
            b'"' => {
                at = string_end(bytes, at + 1);
                let mut rest = bytes[at..].iter();
                rest.find(|byte| !byte.is_ascii_whitespace()) == Some(&b':')
            }
            byte if is_wordy(byte) => {
                let word = bytes[at..].iter().take_while(|byte| is_wordy(**byte));
                at += word.count();
                ["true", "false", "null"].contains(&&text[start..at])
            }
            _ => {
                at += 1;
                true
            }
        };
        if !is_shown {
            let from = start + usize::from(bytes[start] == b'"');
            let to = at - usize::from(at - 1 > start && bytes[at - 1] == b'"');
            veiled[from..to].fill(b'.');
        }
    }
    String::from_utf8(veiled).unwrap_or_default()
}

/// Letters, digits, and all that is no sign of JSON.
fn is_wordy(byte: u8) -> bool {
    !byte.is_ascii_whitespace() && !b"\"{}[]:,".contains(&byte)
}

/// Behind the quote that ends a string, or where its line ends.
fn string_end(bytes: &[u8], mut at: usize) -> usize {
    while at < bytes.len() && bytes[at] != b'\n' {
        match bytes[at] {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    at.min(bytes.len())
}

/// The part of a span that is worth showing: its first line, within the text.
fn shown(text: &str, span: &Range<usize>) -> Range<usize> {
    let inside = |mut at: usize| {
        at = at.min(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let start = inside(span.start);
    let end = inside(span.end).max(start);
    let line = text[start..end].find('\n').map_or(end, |line| start + line);
    start..line
}

#[cfg(test)]
mod tests {
    use super::*;

    // REP-093
    #[test]
    fn an_error_points_into_its_line() {
        let file = b"{\n  \"meta\": {\"name\": 7,\n    \"x\": 1}\n}\n";
        let error = load(file).unwrap_err();
        let text = excerpt(Path::new("a.json"), file, &error);
        assert!(text.starts_with("error[SCENARIO_UNKNOWN_FIELD]"), "{text}");
        assert!(text.contains("a.json:3:5"), "{text}");
        assert!(text.contains("^^^"), "{text}");
    }

    // REP-093
    #[test]
    fn no_value_is_shown() {
        let line = r#"{"a": "kp-\"zebra", "pin": 482913, "ok": true, "é": "zebra"#;
        assert_eq!(
            veiled(line),
            r#"{"a": "..........", "pin": ......, "ok": true, "é": "....."#
        );
        let file = br#"{"schemaVersion": 1, "meta": "kp-9931-zebra", "note": "tulip"}"#;
        let error = load(file).unwrap_err();
        let text = excerpt(Path::new("a.json"), file, &error);
        assert!(!text.contains("zebra") && !text.contains("tulip"), "{text}");
        assert!(text.contains("schemaVersion"), "{text}");
    }

    // REP-093
    #[test]
    fn an_error_at_the_end_or_in_no_text_has_a_place_too() {
        for file in [&b""[..], b"\xff\xfe{", b"{\"a\":", "\u{feff}{}".as_bytes()] {
            let error = load(file).unwrap_err();
            let text = excerpt(Path::new("a.json"), file, &error);
            assert!(text.starts_with("error[SCENARIO_NOT_"), "{text}");
        }
    }
}
