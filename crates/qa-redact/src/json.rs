//! Open JSON: every string, every key and every long number is read by the text rules.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::error::{RedactionError, Sink};
use crate::key::{Verdict, verdict};
use crate::redacted::Redacted;
use crate::redactor::{Place, Redactor};
use crate::rule::{Rule, Tally};
use crate::span::MARKER;

pub(crate) const MAX_DEPTH: usize = 64;
/// Numbers with so many digits are judged as text.
const MIN_DIGITS: usize = 7;

impl Redactor {
    /// Redacts a value of unknown shape; keys come out sorted.
    ///
    /// # Errors
    /// [`RedactionError::Failed`] when the value cannot be serialised, when two keys become equal, or when a
    /// secret remains.
    pub fn json(&self, value: &impl Serialize) -> Result<Redacted<Value>, RedactionError> {
        self.json_tallied(value, &mut Tally::default())
    }

    /// Redacts a value of unknown shape and counts, in `tally`, which rules replaced something.
    ///
    /// # Errors
    /// As [`Redactor::json`].
    pub fn json_tallied(
        &self,
        value: &impl Serialize,
        tally: &mut Tally,
    ) -> Result<Redacted<Value>, RedactionError> {
        self.open(&to_value(value, Sink::Json)?, false, tally)
    }

    /// Redacts an HTTP archive (HAR): as any JSON, but its lists of cookies stay lists, of names without
    /// values, so that viewers can open the file.
    ///
    /// # Errors
    /// As [`Redactor::json`].
    pub fn archive_tallied(
        &self,
        value: &Value,
        tally: &mut Tally,
    ) -> Result<Redacted<Value>, RedactionError> {
        self.open(value, true, tally)
    }

    fn open(
        &self,
        value: &Value,
        is_archive: bool,
        tally: &mut Tally,
    ) -> Result<Redacted<Value>, RedactionError> {
        let mut walk = Walk {
            redactor: self,
            sink: Sink::Json,
            position: 0,
            tally: std::mem::take(tally),
            is_archive,
        };
        let safe = walk.open(value, 0);
        *tally = walk.tally;
        let safe = safe?;
        // Every leaf is safe; this is the last scan of the whole (RED-080).
        if self.leaks(&safe.to_string()) {
            return Err(RedactionError::Failed {
                sink: Sink::Json,
                position: 0,
            });
        }
        Ok(Redacted::new(safe))
    }
}

pub(crate) fn to_value(value: &impl Serialize, sink: Sink) -> Result<Value, RedactionError> {
    serde_json::to_value(value).map_err(|_| RedactionError::Failed { sink, position: 0 })
}

pub(crate) struct Walk<'r> {
    pub(crate) redactor: &'r Redactor,
    pub(crate) sink: Sink,
    /// Running number of the leaf or key, for errors.
    pub(crate) position: usize,
    pub(crate) tally: Tally,
    /// Whether it is an HTTP archive.
    pub(crate) is_archive: bool,
}

impl Walk<'_> {
    pub(crate) fn text(&mut self, text: &str) -> Result<String, RedactionError> {
        self.position += 1;
        let place = Place {
            sink: self.sink,
            position: self.position,
        };
        self.redactor
            .safe(text, place, &mut self.tally)
            .map(Cow::into_owned)
    }

    /// The marker where a value was.
    fn hidden(&mut self, rule: Rule) -> Value {
        self.tally.add(rule);
        Value::from(MARKER)
    }

    pub(crate) fn open(&mut self, value: &Value, depth: usize) -> Result<Value, RedactionError> {
        if depth > MAX_DEPTH {
            return Ok(self.hidden(Rule::Unjudged));
        }
        Ok(match value {
            Value::Null | Value::Bool(_) => value.clone(),
            Value::Number(number) => {
                let digits = number.to_string();
                let long = digits.bytes().filter(u8::is_ascii_digit).count() >= MIN_DIGITS;
                // A short number may still be a registered one.
                let changes = long || self.redactor.leaks(&digits);
                if changes && self.text(&digits)? != digits {
                    Value::from(MARKER)
                } else {
                    value.clone()
                }
            }
            Value::String(text) => Value::from(self.text(text)?),
            Value::Array(items) => Value::Array(
                items
                    .iter()
                    .map(|item| self.open(item, depth + 1))
                    .collect::<Result<_, _>>()?,
            ),
            Value::Object(fields) => {
                let is_named = names_a_secret(fields);
                let mut sorted: Vec<(&String, &Value)> = fields.iter().collect();
                sorted.sort_by_key(|(key, _)| *key);
                let mut out = Map::new();
                for (key, value) in sorted {
                    let safe_key = self.text(key)?;
                    let hides = safe_key != *key
                        || verdict(key) != Verdict::Open
                        || is_named && key == "value";
                    let cookies = value
                        .as_array()
                        .filter(|_| self.is_archive && key == "cookies");
                    let safe = if let Some(cookies) = cookies {
                        let nameless = cookies.iter().map(without_value).collect();
                        self.open(&Value::Array(nameless), depth + 1)?
                    } else if hides && *value != MARKER {
                        self.hidden(Rule::Pair)
                    } else if hides {
                        value.clone()
                    } else {
                        self.open(value, depth + 1)?
                    };
                    if out.insert(safe_key, safe).is_some() {
                        return Err(RedactionError::Failed {
                            sink: self.sink,
                            position: self.position,
                        });
                    }
                }
                Value::Object(out)
            }
        })
    }
}

/// A cookie of an HTTP archive with its name and attributes only.
fn without_value(cookie: &Value) -> Value {
    match cookie {
        Value::Object(fields) => {
            let mut fields = fields.clone();
            fields.insert("value".into(), MARKER.into());
            Value::Object(fields)
        }
        _ => Value::from(MARKER),
    }
}

/// Whether the `value` of this object belongs to a sensitive name beside it, as headers, cookies and form
/// fields are written in many formats (RED-046).
fn names_a_secret(fields: &Map<String, Value>) -> bool {
    ["name", "key", "id", "header", "field"]
        .iter()
        .any(|label| {
            let name = fields.get(*label).and_then(Value::as_str);
            name.is_some_and(|name| verdict(name) != Verdict::Open)
        })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::redactor::RedactorConfig;

    fn check(input: Value, expected: Value) {
        let redactor =
            Redactor::new(RedactorConfig::default()).expect("an empty configuration is valid");
        assert_eq!(
            redactor
                .json(&input)
                .expect("the value is redacted")
                .as_value(),
            &expected
        );
    }

    #[test]
    fn keys_values_and_long_numbers_are_read() {
        // RED-015
        check(
            json!({"user": {"password": {"a": [1, 2]}, "name": "Ann"}, "n": 3}),
            json!({"user": {"password": MARKER, "name": "Ann"}, "n": 3}),
        );
        check(
            json!({"token: 88aa": 1}),
            json!({"token: [REDACTED]": MARKER}),
        );
        check(
            json!({"phone": 13_800_138_000_u64, "size": 12_345_678}),
            json!({"phone": MARKER, "size": 12_345_678}),
        );
        check(
            json!(["Cookie: a=1", null, true]),
            json!(["Cookie: [REDACTED]", null, true]),
        );
    }

    #[test]
    fn a_name_beside_a_value_is_its_key() {
        // RED-046
        check(
            json!({"headers": [
                {"name": "X-Auth-Token", "value": "tulip"},
                {"name": "Accept", "value": "text/html"},
                {"value": "sid=1", "name": "Set-Cookie", "comment": "x"},
            ]}),
            json!({"headers": [
                {"name": "X-Auth-Token", "value": MARKER},
                {"name": "Accept", "value": "text/html"},
                {"value": MARKER, "name": "Set-Cookie", "comment": "x"},
            ]}),
        );
    }

    #[test]
    fn the_cookies_of_an_archive_keep_their_names() {
        let redactor =
            Redactor::new(RedactorConfig::default()).expect("an empty configuration is valid");
        let safe = redactor
            .archive_tallied(
                &json!({"cookies": [{"name": "theme", "value": "tulip", "path": "/"}, "sid=1"]}),
                &mut Tally::default(),
            )
            .expect("the value is redacted");
        assert_eq!(
            safe.as_value(),
            &json!({"cookies": [{"name": "theme", "value": MARKER, "path": "/"}, MARKER]})
        );
    }

    #[test]
    fn a_registered_number_is_no_count() {
        // RED-051, RED-TRAP-07
        let redactor = Redactor::new(RedactorConfig {
            secrets: vec![crate::secret::Secret::new("4711")],
            ..RedactorConfig::default()
        })
        .expect("the configuration is valid");
        let mut tally = Tally::default();
        let safe = redactor
            .json_tallied(&json!({"n": 4711, "m": 4712, "pin": 1}), &mut tally)
            .expect("the value is redacted");
        assert_eq!(
            safe.as_value(),
            &json!({"n": MARKER, "m": 4712, "pin": MARKER})
        );
        assert_eq!(tally.count(Rule::Secret), 1);
        assert_eq!(tally.count(Rule::Pair), 1);
    }

    #[test]
    fn keys_that_become_equal_fail_the_value() {
        // RED-015, RED-INV-10
        let redactor =
            Redactor::new(RedactorConfig::default()).expect("an empty configuration is valid");
        let error = redactor
            .json(&json!({"token: aaa": 1, "token: bbb": 2}))
            .expect_err("the keys collide");
        assert_eq!(error.code(), "REDACTION_FAILED");
        assert!(!format!("{error} {error:?}").contains("aaa"));
    }

    #[test]
    fn deep_values_end_in_a_marker() {
        // RED-016
        let deep = (0..200).fold(json!(1), |value, _| json!([value]));
        let redactor =
            Redactor::new(RedactorConfig::default()).expect("an empty configuration is valid");
        let safe = redactor
            .json(&deep)
            .expect("the value is redacted")
            .to_line();
        assert!(safe.as_str().contains(MARKER));
        assert!(safe.as_str().len() < 200);
    }
}
