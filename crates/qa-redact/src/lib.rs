//! Fail-closed redaction: makes the only values that may be stored, printed or sent; it stores and sends nothing.
//!
//! ```
//! use qa_redact::{Redactor, RedactorConfig};
//!
//! let redactor = Redactor::new(RedactorConfig::default())?;
//! let safe = redactor.text("Authorization: Bearer abc.def-1")?;
//! assert_eq!(safe.as_str(), "Authorization: Bearer [REDACTED]");
//! # Ok::<(), qa_redact::RedactionError>(())
//! ```
//!
//! | stage | module |
//! | --- | --- |
//! | line ends, control and format characters, earlier markers | `normalise` |
//! | readings without joiners and escapes | `view` |
//! | which rules a text cannot need | `clue` |
//! | key blocks, then URLs | `key_block`, `url` |
//! | registered secrets | `secret` |
//! | keys with values, headers | `key`, `pair` |
//! | tokens, addresses, numbers, devices | `detector`, `number` |
//! | directories | `root` |
//! | random tokens, hidden base64 | `entropy` |
//! | records and open JSON | `schema`, `json` |
//! | texts of any length | `stream`, `edge`, `encoding` |
//! | pictures | `image` |
#![cfg_attr(not(test), warn(clippy::expect_used, clippy::panic))]

mod clue;
mod detector;
mod edge;
mod encoding;
mod entropy;
mod error;
#[cfg(test)]
mod hostile;
mod image;
mod json;
mod key;
mod key_block;
mod normalise;
mod number;
mod pair;
mod redacted;
mod redactor;
mod root;
mod rule;
mod schema;
mod secret;
mod span;
mod stream;
mod url;
mod view;

pub use error::{RedactionError, Sink};
pub use image::{Image, Rect};
pub use redacted::Redacted;
pub use redactor::{Redactor, RedactorConfig};
pub use root::Root;
pub use rule::{Rule, Tally};
pub use schema::{FieldClass, Record, Schema};
pub use secret::Secret;
pub use span::{MARKER, URL_MARKER};
pub use stream::Stream;
