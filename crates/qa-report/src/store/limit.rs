//! How large things may be. What is larger is refused, never cut.

use qa_core::ArchiveError;

/// Steps of a session: as many as a run may be asked for.
pub(crate) const STEPS: usize = 100_000;
/// Crashes, and findings, of a session.
pub(crate) const CRASHES: usize = 1_000;
/// Findings of a session.
pub(crate) const FINDINGS: usize = 20_000;
/// Steps of one reproduction path.
pub(crate) const PATH_STEPS: usize = 10_000;
/// Characters of the readable line of a step.
pub(crate) const ACTION_CHARS: usize = 16 * 1024;
/// Characters of a step's notes.
pub(crate) const NOTES_CHARS: usize = 64 * 1024;
/// Characters of a signature.
pub(crate) const SIGNATURE_CHARS: usize = 4096;
/// Bytes of one picture.
pub(crate) const IMAGE_BYTES: usize = 32 << 20;
/// Bytes of the evidence of one crash.
pub(crate) const STACK_BYTES: usize = 4 << 20;
/// Bytes of the evidence of all crashes and findings.
pub(crate) const STACKS_BYTES: usize = 64 << 20;
/// Bytes of a file of JSON lines: room for the notes of [`STEPS`] usual steps.
pub(crate) const LINES_BYTES: usize = 256 << 20;
/// Bytes of `meta.json`.
pub(crate) const META_BYTES: usize = 16 << 20;
/// Bytes of `state-graph.json`.
pub(crate) const GRAPH_BYTES: usize = 256 << 20;
/// Bytes of one report.
pub(crate) const REPORT_BYTES: usize = 32 << 20;

/// Refuses what is over a limit.
pub(crate) fn check(what: &str, found: usize, limit: usize) -> Result<(), ArchiveError> {
    if found <= limit {
        return Ok(());
    }
    Err(ArchiveError {
        what: what.to_owned(),
        reason: format!("{found} is over the limit of {limit}"),
    })
}
