//! The vectors of redaction: one input and what must come out of it, on each line.

use std::collections::BTreeMap;
use std::path::Path;

use qa_redact::{FieldClass, RedactionError, Redactor, RedactorConfig, Root, Schema, Secret};
use serde::Deserialize;
use serde_json::Value;

use super::{Miss, Score};
use crate::failure::Failure;

const FILE: &str = "vectors.jsonl";
/// A record that has one field with a path.
const ARTIFACT: Schema = &[("/path", FieldClass::Path)];

#[derive(Debug, Deserialize)]
struct Vector {
    id: String,
    context: String,
    input: Value,
    #[serde(default)]
    given: Given,
    must_equal: Option<Value>,
    #[serde(default)]
    must_contain: Vec<String>,
    #[serde(default)]
    must_not_contain: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Given {
    origins: Vec<String>,
    registered: Vec<String>,
    devices: Vec<String>,
    roots: BTreeMap<String, String>,
}

/// Redacts every vector and compares.
pub(super) fn check(dir: &Path) -> Result<Vec<Score>, Failure> {
    let path = dir.join(FILE);
    let unreadable =
        |error: &dyn std::fmt::Display| Failure::usage(format!("{}: {error}", path.display()));
    let lines = std::fs::read_to_string(&path).map_err(|error| unreadable(&error))?;
    let mut score = Score {
        what: "vectors",
        cases: 0,
        out_of_scope: 0,
        misses: Vec::new(),
        bar_percent: 100,
    };
    for line in lines.lines() {
        let vector: Vector = serde_json::from_str(line).map_err(|error| unreadable(&error))?;
        let Some(found) = vector.redact()? else {
            score.out_of_scope += 1;
            continue;
        };
        score.cases += 1;
        if let Some(wrong) = vector.wrong(&found) {
            score.misses.push(Miss {
                line: format!("{}: {wrong}", vector.id),
                reason: None,
            });
        }
    }
    Ok(vec![score])
}

impl Vector {
    /// What comes out, as text or JSON; nothing where the context is no matter of redaction alone.
    fn redact(&self) -> Result<Option<Value>, Failure> {
        let redactor = self.given.redactor().map_err(failure)?;
        let found = match (self.context.split(':').next(), &self.input) {
            (Some("text"), Value::String(text)) => {
                let once = redactor.text(text).map_err(failure)?.into_string();
                let twice = redactor.text(&once).map_err(failure)?.into_string();
                // A text that is not stable equals nothing that is expected.
                Value::from(if once == twice {
                    once
                } else {
                    format!("first {once}, then {twice}")
                })
            }
            (Some("json"), input) => match redactor.json(input) {
                Ok(safe) => safe.as_value().clone(),
                Err(error) => Value::from(format!("{}: {error}", error.code())),
            },
            (Some("path"), Value::String(path)) => {
                let record = redactor.record(ARTIFACT, &serde_json::json!({ "path": path }));
                record.map_err(failure)?.value.as_value()["path"].clone()
            }
            _ => return Ok(None),
        };
        Ok(Some(found))
    }

    /// What is wrong with it, if something is.
    fn wrong(&self, found: &Value) -> Option<String> {
        let text = found
            .as_str()
            .map_or_else(|| found.to_string(), str::to_owned);
        let expected = self.must_equal.as_ref().filter(|value| *value != found);
        let missing = self.must_contain.iter().find(|part| !text.contains(*part));
        let leaked = self
            .must_not_contain
            .iter()
            .find(|part| text.contains(*part));
        match (expected, missing, leaked) {
            (Some(value), ..) => Some(format!("expected {value}, found {found}")),
            (_, Some(part), _) => Some(format!("{part:?} is missing in {text:?}")),
            (.., Some(part)) => Some(format!("{part:?} is left in {text:?}")),
            _ => None,
        }
    }
}

impl Given {
    fn redactor(&self) -> Result<Redactor, RedactionError> {
        let root = |(alias, path): (&String, &String)| Root {
            alias: alias.clone(),
            path: path.clone(),
        };
        Redactor::new(RedactorConfig {
            allowed_origins: self.origins.clone(),
            roots: self.roots.iter().map(root).collect(),
            secrets: self.registered.iter().map(Secret::new).collect(),
            devices: self.devices.clone(),
        })
    }
}

fn failure(error: RedactionError) -> Failure {
    Failure::failed(error.to_string())
}
