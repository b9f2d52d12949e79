//! What can go wrong; nothing here ever carries a byte of the input.

use std::fmt;

/// Where a value was on its way to when its redaction failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Sink {
    /// A free text.
    Text,
    /// An open JSON value.
    Json,
    /// A record with a closed schema.
    Record,
    /// A picture.
    Image,
}

impl fmt::Display for Sink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Text => "text",
            Self::Json => "json",
            Self::Record => "record",
            Self::Image => "image",
        })
    }
}

/// Why a value was withheld, or why a redactor could not be built.
///
/// Both variants hold numbers and fixed words only, so `Debug` is as safe as `Display`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RedactionError {
    /// The value could not be proven safe; it must not be written.
    #[error("redact {sink} at position {position}: withheld")]
    Failed {
        /// Where the value was going.
        sink: Sink,
        /// Byte offset in a text or picture, running number of the leaf in a JSON value.
        position: usize,
    },
    /// One entry of the configuration cannot be used.
    #[error("read redaction setting {field}, entry {index}: not usable")]
    Config {
        /// Name of the field of [`RedactorConfig`](crate::RedactorConfig).
        field: &'static str,
        /// Position in that list, from 0.
        index: usize,
    },
}

impl RedactionError {
    /// The stable code for machines.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Failed { .. } => "REDACTION_FAILED",
            Self::Config { .. } => "REDACTION_CONFIG_INVALID",
        }
    }
}
