//! What is wrong with a file, and where.

use std::fmt;
use std::ops::Range;

/// A scenario that is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{code} at {position}: {reason}")]
#[non_exhaustive]
pub struct LoadError {
    /// What kind of fault it is.
    pub code: Code,
    /// Where it is (`steps[0].action.target`); `$` is the whole file. Of an unknown field its
    /// parent is named.
    pub position: String,
    /// What is wrong, without anything that the file says.
    pub reason: String,
    /// The bytes of the file that are meant; an empty range marks a place between two bytes.
    pub span: Range<usize>,
}

impl LoadError {
    pub(super) fn new(
        code: Code,
        position: &str,
        reason: impl Into<String>,
        span: Range<usize>,
    ) -> Self {
        Self {
            code,
            position: if position.is_empty() { "$" } else { position }.to_owned(),
            reason: reason.into(),
            span,
        }
    }
}

/// The kinds of faults (REP-093).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Code {
    /// Larger, deeper or longer than what is read.
    TooLarge,
    /// No JSON.
    NotJson,
    /// JSON whose value would not survive reading and writing.
    NotLossless,
    /// A version that is not understood.
    Version,
    /// A field that the format does not have.
    UnknownField,
    /// A field that must be there.
    MissingField,
    /// A value of another type.
    WrongType,
    /// A value that the format does not allow.
    BadValue,
    /// A field that the platform does not have.
    ForeignField,
}

impl Code {
    /// The code as it stands in reports.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::TooLarge => "SCENARIO_TOO_LARGE",
            Self::NotJson => "SCENARIO_NOT_JSON",
            Self::NotLossless => "SCENARIO_NOT_LOSSLESS",
            Self::Version => "SCENARIO_VERSION",
            Self::UnknownField => "SCENARIO_UNKNOWN_FIELD",
            Self::MissingField => "SCENARIO_MISSING_FIELD",
            Self::WrongType => "SCENARIO_WRONG_TYPE",
            Self::BadValue => "SCENARIO_BAD_VALUE",
            Self::ForeignField => "SCENARIO_FOREIGN_FIELD",
        }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}
