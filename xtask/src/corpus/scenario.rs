//! Scenario files: each is loaded or refused exactly as the index says, and the JSON Schema of the
//! format says the same.

use std::collections::BTreeSet;
use std::path::Path;

use jsonschema::Validator;
use qa_replay::Code;
use serde_json::Value;

use super::{Miss, Score};
use crate::failure::Failure;

const INDEX: &str = "index.tsv";

/// Loads every file of the index.
pub(super) fn check(dir: &Path) -> Result<Vec<Score>, Failure> {
    let path = dir.join(INDEX);
    let unreadable = |path: &Path, error: &dyn std::fmt::Display| {
        Failure::usage(format!("{}: {error}", path.display()))
    };
    let index = std::fs::read_to_string(&path).map_err(|error| unreadable(&path, &error))?;
    let validator = jsonschema::draft202012::new(&qa_replay::schema())
        .map_err(|error| Failure::failed(format!("the schema is none: {error}")))?;
    let none = |what, bar_percent| Score {
        what,
        cases: 0,
        out_of_scope: 0,
        misses: Vec::new(),
        bar_percent,
    };
    let mut score = none("files", 100);
    let mut valid = none("loaded files, valid by the schema", 100);
    let mut invalid = none("refused files, invalid by the schema", 90);
    for line in index.lines().skip(1) {
        let columns: Vec<&str> = line.split('\t').collect();
        let [file, outcome, code, position, ..] = columns[..] else {
            return Err(unreadable(&path, &"a line has too few columns"));
        };
        let file_path = dir.join(file);
        let bytes = std::fs::read(&file_path).map_err(|error| unreadable(&file_path, &error))?;
        let wrong = match outcome {
            "load" => loaded(&bytes).err(),
            "refuse" => refused(&bytes, code, position).err(),
            _ => {
                score.out_of_scope += 1;
                continue;
            }
        };
        score.cases += 1;
        score.misses.extend(wrong.map(|wrong| Miss {
            line: format!("{file}: {wrong}"),
            reason: None,
        }));
        let judged = if outcome == "load" {
            &mut valid
        } else {
            &mut invalid
        };
        compare(judged, &validator, file, &bytes);
    }
    Ok(vec![score, valid, invalid])
}

/// What the schema says of a file, beside the loader. What is lost in reading is nothing that a
/// schema sees.
fn compare(score: &mut Score, validator: &Validator, file: &str, bytes: &[u8]) {
    let loaded = qa_replay::load(bytes);
    let value: Option<Value> = serde_json::from_slice(bytes).ok();
    let is_seen = !matches!(&loaded, Err(error) if error.code == Code::NotLossless);
    let Some(value) = value.filter(|_| is_seen) else {
        score.out_of_scope += 1;
        return;
    };
    score.cases += 1;
    let line = match (loaded, validator.validate(&value)) {
        (Ok(_), Err(error)) => format!("{file}: loads, but {error}"),
        (Err(error), Ok(())) => format!("{file}: valid, but {error}"),
        _ => return,
    };
    let is_place = line.contains("the position of its step");
    score.misses.push(Miss {
        line,
        reason: is_place.then(|| "a schema does not count".to_owned()),
    });
}

/// Loads, and comes back the same: no field appears or vanishes.
fn loaded(bytes: &[u8]) -> Result<(), String> {
    let scenario = qa_replay::load(bytes).map_err(|error| error.to_string())?;
    let written = serde_json::to_vec(&scenario).map_err(|error| error.to_string())?;
    let again = qa_replay::load(&written).map_err(|error| format!("written: {error}"))?;
    if again != scenario {
        return Err("it is another one after writing and reading".to_owned());
    }
    let value = |bytes: &[u8]| serde_json::from_slice::<Value>(bytes);
    match (value(bytes), value(&written)) {
        (Ok(before), Ok(after)) if before == after => Ok(()),
        _ => Err("a field appears, vanishes or changes in writing".to_owned()),
    }
}

/// Is refused with this code and place, and without a word of the file.
fn refused(bytes: &[u8], code: &str, position: &str) -> Result<(), String> {
    let Err(error) = qa_replay::load(bytes) else {
        return Err("it was loaded".to_owned());
    };
    if (error.code.as_str(), error.position.as_str()) != (code, position) {
        return Err(format!("expected {code} at {position}, found {error}"));
    }
    let mut values = BTreeSet::new();
    if let Ok(value) = serde_json::from_slice(bytes) {
        texts(&value, &mut values);
    }
    match values.iter().find(|text| error.reason.contains(*text)) {
        Some(text) => Err(format!("the message repeats {text:?}: {error}")),
        None => Ok(()),
    }
}

/// Whether it may be a word of the format, as kinds and directions are.
fn is_word(text: &str) -> bool {
    text.bytes()
        .all(|b| b.is_ascii_lowercase() || b == b'-' || b == b'_')
}

/// The texts among the values that are no words of the format itself.
fn texts(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::String(text) if text.len() > 3 && !is_word(text) => {
            found.insert(text.clone());
        }
        Value::Array(items) => items.iter().for_each(|item| texts(item, found)),
        Value::Object(fields) => fields.values().for_each(|field| texts(field, found)),
        _ => {}
    }
}
