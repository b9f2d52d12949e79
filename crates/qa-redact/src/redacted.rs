//! The proof that a value may leave: writers accept nothing else.

use std::fmt;

use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::image::Image;

/// A value that has passed redaction.
///
/// Reading it is free, since it is safe; making one is not, since only this crate can.
///
/// RED-INV-09:
///
/// ```compile_fail
/// let forged = qa_redact::Redacted(String::from("password=tulip77"));
/// ```
///
/// ```compile_fail
/// let forged = qa_redact::Redacted::new(String::from("password=tulip77"));
/// ```
///
/// ```compile_fail
/// let forged: qa_redact::Redacted<String> = String::from("password=tulip77").into();
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Redacted<T>(T);

impl<T> Redacted<T> {
    pub(crate) fn new(safe: T) -> Self {
        Self(safe)
    }
}

impl Redacted<String> {
    /// The safe text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The safe text as an owned string, which is no longer a proof of anything.
    #[must_use]
    pub fn into_string(self) -> String {
        self.0
    }
}

impl Redacted<Value> {
    /// The safe JSON value.
    #[must_use]
    pub fn as_value(&self) -> &Value {
        &self.0
    }

    /// The value on one line, as a writer of JSON lines stores it, without the line feed.
    #[must_use]
    pub fn to_line(&self) -> Redacted<String> {
        Redacted(self.0.to_string())
    }

    /// The value on lines of its own, indented for people.
    #[must_use]
    pub fn to_pretty(&self) -> Redacted<String> {
        Redacted(format!("{:#}", self.0))
    }
}

impl Redacted<Image> {
    /// The safe picture as the bytes of a PNG file.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

impl fmt::Display for Redacted<String> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<T: fmt::Debug> fmt::Debug for Redacted<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Redacted").field(&self.0).finish()
    }
}

impl<T: Serialize> Serialize for Redacted<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}
