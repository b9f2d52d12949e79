//! What was replaced, for people and programs.

use qa_redact::{Redactor, Tally};
use serde_json::{Map, Value, json};

use super::format::Format;
use crate::args::RedactArgs;
use crate::exit::Failure;

/// The version of the JSON form.
const VERSION: u32 = 1;

/// What was done with each file.
#[derive(Debug, Default)]
pub(super) struct Report(Vec<Entry>);

/// What was done with one file.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) name: String,
    pub(super) format: Format,
    /// Whether something of it could not be judged and was not written.
    pub(super) is_withheld: bool,
    pub(super) tally: Tally,
}

impl Report {
    pub(super) fn add(&mut self, entry: Entry) {
        self.0.push(entry);
    }

    pub(super) fn write(&self, args: &RedactArgs, redactor: &Redactor) -> Result<(), Failure> {
        let entries = self.0.iter();
        let text = if args.json {
            let files = entries.map(|entry| entry.json(redactor));
            let files = files.collect::<Result<Vec<Value>, Failure>>()?;
            json!({"schema_version": VERSION, "files": files}).to_string()
        } else {
            let lines = entries.map(|entry| entry.line(redactor));
            lines.collect::<Result<Vec<String>, Failure>>()?.join("\n")
        };
        super::deliver(args, &text)
    }
}

impl Entry {
    /// A file may be named after a customer.
    fn safe_name(&self, redactor: &Redactor) -> Result<String, Failure> {
        let safe = redactor.text(&self.name);
        safe.map(qa_redact::Redacted::into_string)
            .map_err(|error| Failure::internal(error.to_string()))
    }

    fn line(&self, redactor: &Redactor) -> Result<String, Failure> {
        let rules: Vec<String> = self
            .tally
            .iter()
            .map(|(rule, count)| format!("{} {count}", rule.word()))
            .collect();
        let rules = match rules.len() {
            0 => String::new(),
            _ => format!(" ({})", rules.join(", ")),
        };
        let withheld = if self.is_withheld {
            ", the rest withheld"
        } else {
            ""
        };
        Ok(format!(
            "{} as {}: {} replaced{rules}{withheld}",
            self.safe_name(redactor)?,
            self.format.word(),
            self.tally.total(),
        ))
    }

    fn json(&self, redactor: &Redactor) -> Result<Value, Failure> {
        let rules: Map<String, Value> = self
            .tally
            .iter()
            .map(|(rule, count)| (rule.word().to_owned(), Value::from(count)))
            .collect();
        Ok(json!({
            "file": self.safe_name(redactor)?,
            "format": self.format.word(),
            "replaced": self.tally.total(),
            "rules": rules,
            "withheld": self.is_withheld,
        }))
    }
}
