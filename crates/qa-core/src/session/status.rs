//! The verdict of a run.

use serde::{Deserialize, Serialize};

use super::Latches;

/// The verdict of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Not finished.
    Running,
    /// Explored, and no crash seen.
    Passed,
    /// A crash, or evidence that was lost.
    Failed,
    /// Could not be done as asked: proves nothing.
    Aborted,
}

impl Status {
    /// Exit code of the command line (EXP-134).
    #[must_use]
    pub fn exit_code(self) -> u8 {
        match self {
            Self::Passed => 0,
            Self::Failed => 1,
            Self::Running | Self::Aborted => 2,
        }
    }

    /// The verdict on a run that has ended: the first row of table 22.1 that holds.
    #[must_use]
    pub fn of(crashes: usize, latches: &Latches, max_steps: u32, actions: u32) -> Self {
        if crashes > 0 || latches.evidence_lost() || !latches.forced_failure.is_empty() {
            Self::Failed
        } else if !latches.aborted.is_empty() || nothing_was_tried(max_steps, actions) {
            Self::Aborted
        } else {
            Self::Passed
        }
    }
}

/// Whether a run that had room for an action did none: green would prove nothing (EXP-133).
pub(crate) fn nothing_was_tried(max_steps: u32, actions: u32) -> bool {
    max_steps >= 2 && actions == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Reason;

    /// Every combination of the latches, as bits.
    fn latches(bits: u32) -> Latches {
        let text = |bit: u32| {
            if bits >> bit & 1 == 1 {
                vec!["x".into()]
            } else {
                vec![]
            }
        };
        let reason = |bit: u32| {
            let reason = Reason {
                code: "X".into(),
                text: "x".into(),
            };
            if bits >> bit & 1 == 1 {
                vec![reason]
            } else {
                vec![]
            }
        };
        Latches {
            crash_archive: text(0),
            capture: text(1),
            crash_query: text(2),
            forced_failure: reason(3),
            aborted: reason(4),
        }
    }

    // EXP-INV-07, EXP-INV-10
    #[test]
    fn no_latch_ever_improves_the_verdict() {
        let rank = |status| match status {
            Status::Passed => 0,
            Status::Aborted => 1,
            Status::Failed => 2,
            Status::Running => unreachable!("a run that has ended"),
        };
        for (crashes, actions) in [(0, 0), (0, 3), (1, 3)] {
            for bits in 0..32 {
                let status = Status::of(crashes, &latches(bits), 9, actions);
                if bits != 0 || crashes > 0 {
                    assert_ne!(status, Status::Passed, "{bits:05b}");
                }
                for bit in 0..5 {
                    let worse = Status::of(crashes, &latches(bits | 1 << bit), 9, actions);
                    assert!(rank(worse) >= rank(status), "{bits:05b} and {bit}");
                }
            }
        }
    }

    // EXP-133
    #[test]
    fn a_run_that_tried_nothing_proves_nothing() {
        assert_eq!(Status::of(0, &latches(0), 2, 0), Status::Aborted);
        assert_eq!(Status::of(0, &latches(0), 1, 0), Status::Passed);
        assert_eq!(Status::of(0, &latches(0), 2, 1), Status::Passed);
    }
}
