//! What a graph keeps of pages and actions, and what it tells of them.

use serde::{Deserialize, Serialize};

use crate::{ElementKey, Fingerprint, Replay};

/// How large a graph may become; at a limit it is marked as truncated and the run goes on
/// (EXP-159).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GraphLimits {
    /// Greatest number of pages.
    pub pages: usize,
    /// Greatest number of edges.
    pub edges: usize,
    /// Greatest number of keys of a page.
    pub keys_per_page: usize,
    /// Greatest number of characters of a key or an action; longer ones are not stored.
    pub text: usize,
    /// Greatest number of characters of a summary; longer ones are cut.
    pub summary: usize,
}

impl Default for GraphLimits {
    fn default() -> Self {
        Self {
            pages: 1_000_000,
            edges: 4_000_000,
            keys_per_page: 10_000,
            text: 4_096,
            summary: 2_048,
        }
    }
}

/// What a page is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PageKind {
    /// A page of the app.
    #[default]
    Page,
    /// A permission dialog of the system; never counted, never aimed at.
    Permission,
}

/// What a visit knows of its page.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PageInfo {
    /// What it is.
    pub kind: PageKind,
    /// What it shows, in one line.
    pub summary: Option<String>,
    /// Which pages are of one make (EXP-173).
    pub skeleton: Option<String>,
    /// Relative path of a picture.
    pub screenshot: Option<String>,
    /// App time of the visit, in milliseconds.
    pub at_ms: u64,
}

#[derive(Debug, Clone)]
pub(super) struct Page {
    pub(super) fingerprint: Fingerprint,
    pub(super) kind: PageKind,
    pub(super) summary: Option<Box<str>>,
    pub(super) screenshot: Option<Box<str>>,
    pub(super) skeleton: Option<u32>,
    /// One of the pages of its skeleton that may be aimed at.
    pub(super) leads_skeleton: bool,
    pub(super) first_seen_ms: u64,
    pub(super) last_seen_ms: u64,
    pub(super) visits: u64,
    pub(super) seen: Vec<u32>,
    pub(super) open: Vec<u32>,
}

/// What an action did: an edge to record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EdgeInfo {
    /// Where it started.
    pub from: Fingerprint,
    /// What was done.
    pub replay: Replay,
    /// The same for people.
    pub action: String,
    /// Where it led.
    pub to: Fingerprint,
    /// App time, in milliseconds.
    pub at_ms: u64,
    /// Acted by coordinates from a picture.
    pub via_screenshot: bool,
    /// Its effect came after the view had been taken for settled (EXP-082).
    pub late: bool,
    /// The step was not done as it should.
    pub failed: bool,
    /// The step was done, and brought a crash that the app survived.
    pub crashed: bool,
}

#[derive(Debug, Clone)]
pub(super) struct Edge {
    pub(super) replay: u32,
    pub(super) action: Box<str>,
    pub(super) count: u32,
    pub(super) first_ms: u64,
    pub(super) last_ms: u64,
    pub(super) via_screenshot: bool,
    pub(super) late: bool,
    pub(super) failed: bool,
    pub(super) crashed: bool,
    /// How often it led elsewhere since it was last confirmed.
    pub(super) misses: u8,
}

/// What is to be tried next on a page (EXP-158).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Pick {
    /// The first key that was tried nowhere yet, else the first that was not tried on this page,
    /// else the first that is familiar.
    pub picked: Option<ElementKey>,
    /// It was tried nowhere yet, but several that differ from it only in their numbers were.
    pub is_familiar: bool,
    /// Candidates that were tried here.
    pub seen_count: usize,
    /// All candidates.
    pub candidates_count: usize,
}

/// The graph in figures (EXP-160).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct GraphSummary {
    /// Pages of the app.
    pub pages_count: usize,
    /// Distinct edges.
    pub edges_count: usize,
    /// Pages that no edge leads away from.
    pub isolated_pages: Vec<Fingerprint>,
    /// The page visited most often; the earliest of several.
    pub most_visited: Option<Fingerprint>,
    /// The page with the fewest tried keys; the earliest of several.
    pub least_explored: Option<Fingerprint>,
    /// Pages with something unseen.
    pub frontier_pages: usize,
}

/// A page that still has something unseen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrontierPage {
    /// Which.
    pub page: Fingerprint,
    /// What it shows, in one line.
    pub summary: Option<String>,
    /// Keys that can be tried there and were not.
    pub open_keys: Vec<ElementKey>,
}
