//! Exit codes, the same for every command (D-01).

/// Explored, and no crash seen.
pub(crate) const PASS: u8 = 0;
/// A crash, or evidence that was lost.
pub(crate) const FAIL: u8 = 1;
/// Not proven: inconclusive or aborted.
pub(crate) const UNPROVEN: u8 = 2;
/// Wrong usage or refused input.
pub(crate) const USAGE: u8 = 64;
/// A browser, device or tool is missing, or was lost before the work began.
pub(crate) const UNAVAILABLE: u8 = 69;
/// Something in `qa` itself went wrong.
pub(crate) const INTERNAL: u8 = 70;
/// Ended by Ctrl-C or by the system.
pub(crate) const INTERRUPTED: u8 = 130;

/// A command that could not do its work: what was wrong, what to do next, and the exit code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure {
    pub(crate) code: u8,
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
}

impl Failure {
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self {
            code: USAGE,
            message: message.into(),
            hint: None,
        }
    }

    pub(crate) fn internal(message: impl Into<String>) -> Self {
        Self {
            code: INTERNAL,
            message: message.into(),
            hint: None,
        }
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}
