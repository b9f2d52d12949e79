//! Open JSON: every string, every key and every long number is read by the text rules.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::error::{RedactionError, Sink};
use crate::key::{Verdict, verdict};
use crate::redacted::Redacted;
use crate::redactor::{Place, Redactor};
use crate::rule::Tally;
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
        let value = to_value(value, Sink::Json)?;
        let mut walk = Walk {
            redactor: self,
            sink: Sink::Json,
            position: 0,
            tally: Tally::default(),
        };
        walk.open(&value, 0).map(Redacted::new)
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

    pub(crate) fn open(&mut self, value: &Value, depth: usize) -> Result<Value, RedactionError> {
        if depth > MAX_DEPTH {
            return Ok(Value::from(MARKER));
        }
        Ok(match value {
            Value::Null | Value::Bool(_) => value.clone(),
            Value::Number(number) => {
                let digits = number.to_string();
                let long = digits.bytes().filter(u8::is_ascii_digit).count() >= MIN_DIGITS;
                if long && self.text(&digits)? != digits {
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
                let mut sorted: Vec<(&String, &Value)> = fields.iter().collect();
                sorted.sort_by_key(|(key, _)| *key);
                let mut out = Map::new();
                for (key, value) in sorted {
                    let safe_key = self.text(key)?;
                    let hides = safe_key != *key || verdict(key) != Verdict::Open;
                    let safe = if hides {
                        Value::from(MARKER)
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
