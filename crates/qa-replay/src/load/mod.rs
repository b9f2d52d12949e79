//! Reading a scenario, fail-closed and without loss (REP-092 to REP-096).
//!
//! The checks follow each other in a fixed order: size, encoding, syntax and depth, losslessness,
//! version, fields. An error says where and what, and never holds a byte of a value or the name
//! of an unknown field.

mod error;
mod fields;
mod read;
mod tree;
mod word;

use crate::Scenario;

pub use error::{Code, LoadError};

/// The largest file that is read.
pub const MAX_BYTES: usize = 5 << 20;
/// How deep values may lie in each other.
pub const MAX_DEPTH: usize = 64;
/// How many steps a scenario may have.
pub const MAX_STEPS: usize = 1000;

/// Reads a scenario from the bytes of its file.
pub fn load(bytes: &[u8]) -> Result<Scenario, LoadError> {
    if bytes.len() > MAX_BYTES {
        let reason = format!("the file is larger than {MAX_BYTES} bytes");
        return Err(LoadError::new(Code::TooLarge, "", reason, 0..0));
    }
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let at = error.valid_up_to();
        let reason = format!("the file is not UTF-8 from byte {at} on");
        LoadError::new(Code::NotLossless, "", reason, at..at)
    })?;
    if text.starts_with('\u{feff}') {
        let reason = "the file begins with a byte order mark";
        return Err(LoadError::new(Code::NotLossless, "", reason, 0..3));
    }
    let tree = tree::parse(text)?;
    read::scenario(&tree)
}
