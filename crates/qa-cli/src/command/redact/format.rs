//! What a file holds.

use std::path::Path;

use serde_json::Value;

use crate::args::FormatArg;

/// How a file is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Text,
    Json,
    Jsonl,
    Har,
}

/// What the name of a file says.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Guess {
    Sure(Format),
    ByContent,
}

impl Format {
    pub(super) fn named(wanted: FormatArg, file: &Path) -> Guess {
        let extension = file.extension().unwrap_or_default().to_ascii_lowercase();
        Guess::Sure(match (wanted, extension.to_str()) {
            (FormatArg::Text, _) | (FormatArg::Auto, Some("log" | "txt")) => Self::Text,
            (FormatArg::Json, _) | (FormatArg::Auto, Some("json")) => Self::Json,
            (FormatArg::Jsonl, _) | (FormatArg::Auto, Some("jsonl" | "ndjson")) => Self::Jsonl,
            (FormatArg::Har, _) | (FormatArg::Auto, Some("har")) => Self::Har,
            (FormatArg::Auto, _) => return Guess::ByContent,
        })
    }

    /// By the beginning of a file. Only what is JSON beyond doubt is read as such: the rules for text read
    /// JSON too.
    pub(super) fn of(begin: &[u8]) -> Self {
        let mut lines = begin.split_inclusive(|byte| *byte == b'\n');
        let first = lines.next().unwrap_or_default();
        let is_record = |line: &[u8]| {
            line.trim_ascii_start().starts_with(b"{")
                && serde_json::from_slice::<Value>(line).is_ok()
        };
        let is_begun = |line: &[u8]| !line.ends_with(b"\n") && line.starts_with(b"{");
        match lines.next() {
            Some(second) if is_record(first) && (is_record(second) || is_begun(second)) => {
                Self::Jsonl
            }
            _ => match serde_json::from_slice::<Value>(begin) {
                Ok(value) if value["log"]["entries"].is_array() => Self::Har,
                Ok(Value::Object(_) | Value::Array(_)) => Self::Json,
                _ => Self::Text,
            },
        }
    }

    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Json => "json",
            Self::Jsonl => "jsonl",
            Self::Har => "har",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_json_beyond_doubt_is_read_as_such() {
        for (begin, format) in [
            ("{\"a\": 1}\n{\"b\": 2}\n", Format::Jsonl),
            ("{\"a\": 1}\n{\"b\": ", Format::Jsonl),
            ("{\"a\": 1}\n", Format::Json),
            ("[1, 2]", Format::Json),
            ("{\n  \"a\": 1\n}\n", Format::Json),
            ("{\"log\": {\"entries\": []}}", Format::Har),
            ("{\"a\": 1}\nERROR x\n", Format::Text),
            ("[info] {\"a\": 1}\n", Format::Text),
            ("12\n", Format::Text),
            ("{\"a\": ", Format::Text),
            ("", Format::Text),
        ] {
            assert_eq!(Format::of(begin.as_bytes()), format, "{begin}");
        }
    }

    #[test]
    fn a_name_tells_unless_the_format_is_given() {
        let named = |wanted, file| Format::named(wanted, Path::new(file));
        assert_eq!(named(FormatArg::Auto, "a/b.HAR"), Guess::Sure(Format::Har));
        assert_eq!(named(FormatArg::Auto, "-"), Guess::ByContent);
        assert_eq!(named(FormatArg::Text, "a.json"), Guess::Sure(Format::Text));
    }
}
