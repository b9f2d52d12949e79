//! Why a task did not succeed, and the exit code that says so.

use std::fmt;

/// Why a task did not succeed.
#[derive(Debug)]
pub(crate) struct Failure {
    /// What was wrong, where, and what to do next.
    pub(crate) message: String,
    /// Exit code, with the meaning that the `qa` binary gives it.
    pub(crate) exit: u8,
}

impl Failure {
    /// A check did not hold.
    pub(crate) const FAILED: u8 = 1;
    /// Wrong arguments.
    pub(crate) const USAGE: u8 = 64;
    /// A program that the task needs is missing.
    pub(crate) const MISSING: u8 = 69;
    /// The task itself is broken.
    pub(crate) const INTERNAL: u8 = 70;

    pub(crate) fn failed(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            exit: Self::FAILED,
        }
    }

    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            exit: Self::USAGE,
        }
    }

    pub(crate) fn missing(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            exit: Self::MISSING,
        }
    }

    pub(crate) fn internal(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            exit: Self::INTERNAL,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Self::internal(error.to_string())
    }
}
