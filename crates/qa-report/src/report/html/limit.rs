//! How much of a session one file carries. What it does not, it names.

/// Most of each thing in the file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limit {
    /// From the first and to the last; those that led to a crash come on top.
    pub(super) steps: usize,
    /// In the order of discovery.
    pub(super) pages: usize,
    pub(super) crashes: usize,
    pub(super) findings: usize,
    /// Of all pictures together, as text.
    pub(super) picture_bytes: usize,
    /// Of all evidence together.
    pub(super) evidence_chars: usize,
}

/// From generous to frugal: the first whose document fits is taken. Only texts that a hostile app
/// made as long as it could need another than the first.
pub(super) const LIMITS: [Limit; 3] = [
    Limit {
        steps: 2_000,
        pages: 1_000,
        crashes: 300,
        findings: 1_000,
        picture_bytes: 20 << 20,
        evidence_chars: 2_000_000,
    },
    Limit {
        steps: 500,
        pages: 200,
        crashes: 100,
        findings: 200,
        picture_bytes: 8 << 20,
        evidence_chars: 400_000,
    },
    Limit {
        steps: 100,
        pages: 50,
        crashes: 30,
        findings: 50,
        picture_bytes: 2 << 20,
        evidence_chars: 50_000,
    },
];

/// Steps of a path that are shown as pictures.
pub(super) const STRIP: usize = 30;
/// Steps of a path that are listed as text.
pub(super) const PATH: usize = 100;
/// Crashes whose last pictures are large.
pub(super) const LARGE: usize = 8;
/// Links and entries of one list that is only an aside.
pub(super) const LINKS: usize = 12;
/// Characters of one piece of evidence; all of it is in its file.
pub(super) const EVIDENCE: usize = 60_000;
/// Characters of a text of the app in a line of a list.
pub(super) const LINE: usize = 300;
/// Characters of a text of the app that has room.
pub(super) const TEXT: usize = 2_000;
