//! Records with a closed schema: each field has a class, and a field without one does not pass.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::error::{RedactionError, Sink};
use crate::json::{MAX_DEPTH, Walk, to_value};
use crate::redacted::Redacted;
use crate::redactor::Redactor;
use crate::rule::Tally;
use crate::span::MARKER;

/// What a field may hold, and so how it is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FieldClass {
    /// A word of a closed set or pattern: at most 128 of `A-Z a-z 0-9 _ . : | / # -`; passes unread.
    Word,
    /// A number; passes unread.
    Count,
    /// A boolean; passes unread.
    Flag,
    /// An RFC 3339 time, or a number; passes unread.
    Time,
    /// A path: its alias inside a known root, or the marker.
    Path,
    /// A URL: kept when its origin is allowed and it is canonical, or the marker of a URL.
    Url,
    /// A role, a name, an element key: read by the text rules, and a masked one must not be replayed.
    Selector,
    /// A free text.
    Text,
    /// Never written.
    Secret,
    /// A JSON value of unknown shape.
    Open,
}

/// The fields of one kind of record: JSON pointers, with `*` for any list item or map key.
///
/// A list stands under its own pointer with `/*`; objects on the way to a field need no entry.
///
/// ```
/// use qa_redact::{FieldClass, Schema};
///
/// const STEP: Schema = &[
///     ("/index", FieldClass::Count),
///     ("/element_key", FieldClass::Selector),
///     ("/notes/*", FieldClass::Text),
/// ];
/// assert_eq!(STEP.len(), 3);
/// ```
pub type Schema = &'static [(&'static str, FieldClass)];

/// A redacted record and the number of fields that its schema did not know.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// The safe record.
    pub value: Redacted<Value>,
    /// Fields left out; more than none is a fault of the schema.
    pub dropped: usize,
}

impl Redactor {
    /// Redacts a record field by field.
    ///
    /// # Errors
    /// [`RedactionError::Failed`] when the record cannot be serialised, when two keys become equal, or when a
    /// secret remains.
    pub fn record(&self, schema: Schema, value: &impl Serialize) -> Result<Record, RedactionError> {
        let value = to_value(value, Sink::Record)?;
        let mut fields = Fields {
            walk: Walk {
                redactor: self,
                sink: Sink::Record,
                position: 0,
                tally: Tally::default(),
                is_archive: false,
            },
            schema,
            dropped: 0,
        };
        let safe = fields
            .value(&value, &mut Vec::new())?
            .unwrap_or(Value::Null);
        Ok(Record {
            value: Redacted::new(safe),
            dropped: fields.dropped,
        })
    }
}

struct Fields<'r> {
    walk: Walk<'r>,
    schema: Schema,
    dropped: usize,
}

impl Fields<'_> {
    fn value(
        &mut self,
        value: &Value,
        path: &mut Vec<String>,
    ) -> Result<Option<Value>, RedactionError> {
        if let Some(class) = self.class(path) {
            return self.field(value, class).map(Some);
        }
        if path.len() > MAX_DEPTH || !self.leads_somewhere(path) {
            self.dropped += 1;
            return Ok(None);
        }
        match value {
            Value::Null => Ok(Some(Value::Null)),
            Value::Array(items) => {
                let mut out = Vec::with_capacity(items.len());
                for (index, item) in items.iter().enumerate() {
                    path.push(index.to_string());
                    // A dropped item leaves its place, so that the length of the list stays.
                    out.push(self.value(item, path)?.unwrap_or(Value::Null));
                    path.pop();
                }
                Ok(Some(Value::Array(out)))
            }
            Value::Object(fields) => {
                let mut sorted: Vec<(&String, &Value)> = fields.iter().collect();
                sorted.sort_by_key(|(key, _)| *key);
                let mut out = Map::new();
                for (key, field) in sorted {
                    path.push(key.clone());
                    let safe = self.value(field, path)?;
                    let known = self.names_key(path);
                    path.pop();
                    let Some(safe) = safe else { continue };
                    // A key that stands for a star comes from outside.
                    let safe_key = if known {
                        key.clone()
                    } else {
                        self.walk.text(key)?
                    };
                    if out.insert(safe_key, safe).is_some() {
                        let position = self.walk.position;
                        return Err(RedactionError::Failed {
                            sink: Sink::Record,
                            position,
                        });
                    }
                }
                Ok(Some(Value::Object(out)))
            }
            _ => {
                self.dropped += 1;
                Ok(None)
            }
        }
    }

    fn class(&self, path: &[String]) -> Option<FieldClass> {
        self.schema
            .iter()
            .find(|(pointer, _)| matched(pointer, path) == Some(true))
            .map(|(_, class)| *class)
    }

    fn leads_somewhere(&self, path: &[String]) -> bool {
        self.schema
            .iter()
            .any(|(pointer, _)| matched(pointer, path).is_some())
    }

    /// Whether the last part of `path` is written out in the schema.
    fn names_key(&self, path: &[String]) -> bool {
        self.schema.iter().any(|(pointer, _)| {
            matched(pointer, path).is_some()
                && pointer.split('/').nth(path.len()) == path.last().map(String::as_str)
        })
    }

    fn field(&mut self, value: &Value, class: FieldClass) -> Result<Value, RedactionError> {
        if value.is_null() && class != FieldClass::Secret {
            return Ok(Value::Null);
        }
        let marker = || Value::from(MARKER);
        Ok(match (class, value) {
            (FieldClass::Word, Value::String(word)) if is_word(word) => self.unread(word)?,
            (FieldClass::Time, Value::String(time)) if is_time(time) => self.unread(time)?,
            (FieldClass::Count | FieldClass::Time, Value::Number(_))
            | (FieldClass::Flag, Value::Bool(_)) => value.clone(),
            (FieldClass::Path, Value::String(path)) => {
                let path = self.walk.redactor.path(path);
                self.unread(&path)?
            }
            (FieldClass::Url | FieldClass::Selector | FieldClass::Text, Value::String(text)) => {
                Value::from(self.walk.text(text)?)
            }
            (FieldClass::Open, value) => self.walk.open(value, 0)?,
            _ => marker(),
        })
    }

    /// A string that no rule reads; only the last scan sees it.
    fn unread(&mut self, word: &str) -> Result<Value, RedactionError> {
        self.walk.position += 1;
        if self.walk.redactor.leaks(word) {
            Ok(Value::from(self.walk.text(word)?))
        } else {
            Ok(Value::from(word))
        }
    }
}

/// `Some(true)` when the pointer is this path, `Some(false)` when it only begins with it.
fn matched(pointer: &str, path: &[String]) -> Option<bool> {
    let mut parts = pointer.split('/').skip(1);
    for part in path {
        let own = parts.next()?;
        if own != "*" && own != part {
            return None;
        }
    }
    Some(parts.next().is_none())
}

fn is_word(word: &str) -> bool {
    (1..=128).contains(&word.len())
        && word
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"_.:|/#-".contains(&b))
}

fn is_time(time: &str) -> bool {
    let shape = "dddd-dd-ddTdd:dd:dd";
    let begins = time.len() <= 35
        && time.len() >= shape.len()
        && time.bytes().zip(shape.bytes()).all(|(b, s)| {
            if s == b'd' {
                b.is_ascii_digit()
            } else {
                b == s
            }
        });
    begins
        && time
            .bytes()
            .skip(shape.len())
            .all(|b| b.is_ascii_digit() || b".:+-Z".contains(&b))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::redactor::RedactorConfig;
    use crate::root::Root;
    use crate::secret::Secret;

    const STEP: Schema = &[
        ("/index", FieldClass::Count),
        ("/status", FieldClass::Word),
        ("/startedAt", FieldClass::Time),
        ("/ok", FieldClass::Flag),
        ("/notes/replay/element_key", FieldClass::Selector),
        ("/artifacts/*/path", FieldClass::Path),
        ("/typed", FieldClass::Secret),
        ("/labels/*", FieldClass::Text),
        ("/driver", FieldClass::Open),
    ];

    fn redact(value: &Value) -> Record {
        let redactor = Redactor::new(RedactorConfig {
            roots: vec![Root {
                alias: "$ARTIFACTS".into(),
                path: "/srv/run7".into(),
            }],
            secrets: vec![Secret::new("zebra9931")],
            ..RedactorConfig::default()
        });
        redactor
            .and_then(|redactor| redactor.record(STEP, value))
            .expect("the record is redacted")
    }

    #[test]
    fn each_class_has_its_own_rule() {
        // RED-010 to RED-015: RED-011 for words, RED-014 for texts.
        let safe = redact(&json!({
            "index": 13_800_138_000_u64, "status": "pass", "startedAt": "2026-11-30T01:43:48.123Z", "ok": true,
            "notes": {"replay": {"element_key": "role:button|Add to cart"}},
            "artifacts": [{"path": "/srv/run7/a.png"}, {"path": "/etc/passwd"}],
            "typed": "tulip77", "labels": {"a": "password=x", "13800138000": "b"}, "driver": {"pin": 4711},
        }));
        assert_eq!(safe.dropped, 0);
        assert_eq!(
            safe.value.as_value(),
            &json!({
                "index": 13_800_138_000_u64, "status": "pass", "startedAt": "2026-11-30T01:43:48.123Z", "ok": true,
                "notes": {"replay": {"element_key": "role:button|Add to cart"}},
                "artifacts": [{"path": "$ARTIFACTS/a.png"}, {"path": MARKER}],
                "typed": MARKER, "labels": {"a": "password=[REDACTED]", MARKER: "b"}, "driver": {"pin": MARKER},
            })
        );
    }

    #[test]
    fn what_does_not_fit_its_class_does_not_pass() {
        // RED-005, RED-010, RED-080
        let safe = redact(&json!({
            "index": "tulip", "status": "two words", "startedAt": "tulip", "ok": "yes",
            "artifacts": [1, {"path": 3}], "unknown": "tulip", "notes": {"other": 1},
        }));
        assert_eq!(safe.dropped, 3);
        assert_eq!(
            safe.value.as_value(),
            &json!({
                "index": MARKER, "status": MARKER, "startedAt": MARKER, "ok": MARKER,
                "artifacts": [null, {"path": MARKER}], "notes": {},
            })
        );
        assert_eq!(
            redact(&json!({"status": "got-zebra9931"})).value.as_value(),
            &json!({"status": "got-[REDACTED]"})
        );
    }
}
