//! The graph as it is stored.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{EdgeInfo, PageInfo, PageKind, StateGraph};
use crate::{ElementKey, Fingerprint, PageIdentity, Replay};

/// Version of the stored form.
const SCHEMA: u32 = 1;

/// The graph as it is stored (EXP-159).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GraphSnapshot {
    /// Version of this form.
    pub schema: u32,
    /// How pages were told apart.
    pub page_identity: PageIdentity,
    /// How many pages of one skeleton were explored fully.
    pub max_pages_per_skeleton: u32,
    /// The page last seen after a launch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub launch_page: Option<Fingerprint>,
    /// Something was left out because a limit was reached.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub graph_truncated: bool,
    /// Pages by hash.
    pub pages: BTreeMap<Fingerprint, PageSnapshot>,
    /// Edges, oldest first.
    pub edges: Vec<EdgeSnapshot>,
}

/// A page as it is stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PageSnapshot {
    /// Its identity.
    pub hash: Fingerprint,
    /// What it is.
    #[serde(default)]
    pub kind: PageKind,
    /// Its place in the order of discovery, from zero.
    pub order: u32,
    /// App time of the first visit, in milliseconds.
    pub first_seen: u64,
    /// App time of the last visit, in milliseconds.
    pub last_seen: u64,
    /// Number of visits.
    pub visit_count: u64,
    /// Keys tried here, in order.
    pub elements_seen: Vec<ElementKey>,
    /// Keys that can be tried here and were not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub open_keys: Vec<ElementKey>,
    /// What it shows, in one line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// Relative path of a picture.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub screenshot: Option<String>,
    /// Which pages are of one make.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skeleton: Option<String>,
    /// Enough pages of its make were known before it: what was tried on any of them counts here.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub beyond_cap: bool,
}

/// An edge as it is stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EdgeSnapshot {
    /// Where it starts.
    pub from: Fingerprint,
    /// What was done, for people.
    pub action: String,
    /// What was done.
    pub replay: Replay,
    /// Where it led.
    pub to: Fingerprint,
    /// App time at which it was first recorded, in milliseconds.
    pub ts: u64,
    /// App time at which it was last recorded, in milliseconds.
    pub last_ts: u64,
    /// How often it was recorded.
    pub count: u32,
    /// Acted by coordinates from a picture.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub via_screenshot: bool,
    /// Its effect came late.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub late: bool,
    /// Its step failed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub failed: bool,
    /// Its step brought a crash that the app survived.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub crashed: bool,
    /// How often it led elsewhere since it was last confirmed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub misses: u8,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the signature serde asks for"
)]
fn is_zero(count: &u8) -> bool {
    *count == 0
}

/// A stored graph that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SnapshotError {
    /// Written by a newer version.
    #[error("the state graph has schema {found}, but this version reads up to {SCHEMA}")]
    Schema {
        /// The version found.
        found: u32,
    },
    /// An edge ends at a page that is not there.
    #[error("an edge joins the unknown page {page}")]
    UnknownPage {
        /// Which page.
        page: Fingerprint,
    },
}

impl StateGraph {
    /// The graph as it is stored.
    #[must_use]
    pub fn to_snapshot(&self) -> GraphSnapshot {
        let key = |&key: &u32| self.keys.value(key).clone();
        let name = |page: petgraph::stable_graph::NodeIndex| self.graph[page].fingerprint.clone();
        let pages = self.graph.node_indices().zip(0..).map(|(index, order)| {
            let page = &self.graph[index];
            let stored = PageSnapshot {
                hash: page.fingerprint.clone(),
                kind: page.kind,
                order,
                first_seen: page.first_seen_ms,
                last_seen: page.last_seen_ms,
                visit_count: page.visits,
                elements_seen: page.seen.iter().map(key).collect(),
                open_keys: page.open.iter().map(key).collect(),
                summary: page.summary.as_deref().map(str::to_owned),
                screenshot: page.screenshot.as_deref().map(str::to_owned),
                skeleton: page
                    .skeleton
                    .map(|skeleton| self.skeletons.value(skeleton).clone()),
                beyond_cap: !page.leads_skeleton,
            };
            (page.fingerprint.clone(), stored)
        });
        let edges = self.graph.edge_indices().filter_map(|index| {
            let (from, to) = self.graph.edge_endpoints(index)?;
            let edge = &self.graph[index];
            Some(EdgeSnapshot {
                from: name(from),
                action: edge.action.to_string(),
                replay: self.replays.value(edge.replay).clone(),
                to: name(to),
                ts: edge.first_ms,
                last_ts: edge.last_ms,
                count: edge.count,
                via_screenshot: edge.via_screenshot,
                late: edge.late,
                failed: edge.failed,
                crashed: edge.crashed,
                misses: edge.misses,
            })
        });
        GraphSnapshot {
            schema: SCHEMA,
            page_identity: self.identity(),
            max_pages_per_skeleton: self.max_pages_per_skeleton(),
            launch_page: self.launch_page().cloned(),
            graph_truncated: self.is_truncated(),
            pages: pages.collect(),
            edges: edges.collect(),
        }
    }

    /// The graph that a snapshot was made of.
    pub fn from_snapshot(snapshot: GraphSnapshot) -> Result<Self, SnapshotError> {
        if snapshot.schema > SCHEMA {
            return Err(SnapshotError::Schema {
                found: snapshot.schema,
            });
        }
        let mut graph = Self::new(snapshot.page_identity, snapshot.max_pages_per_skeleton);
        let mut pages: Vec<_> = snapshot.pages.into_values().collect();
        pages.sort_by_key(|page| page.order);
        for page in pages {
            graph.restore_page(page);
        }
        for edge in snapshot.edges {
            for page in [&edge.from, &edge.to] {
                if !graph.contains(page) {
                    return Err(SnapshotError::UnknownPage { page: page.clone() });
                }
            }
            graph.restore_edge(edge);
        }
        if let Some(page) = &snapshot.launch_page {
            graph.set_launch_page(page);
        }
        if snapshot.graph_truncated {
            graph.set_truncated();
        }
        Ok(graph)
    }

    fn restore_page(&mut self, page: PageSnapshot) {
        let info = PageInfo {
            kind: page.kind,
            summary: page.summary,
            skeleton: page.skeleton,
            screenshot: page.screenshot,
            at_ms: page.first_seen,
        };
        self.visit(&page.hash, info, &[]);
        for key in &page.elements_seen {
            self.mark_seen(&page.hash, key);
        }
        self.set_visits(&page.hash, page.visit_count, page.last_seen);
        self.set_open_keys(&page.hash, &page.open_keys, page.beyond_cap);
    }

    fn restore_edge(&mut self, edge: EdgeSnapshot) {
        let (count, last_ms, misses) = (edge.count, edge.last_ts, edge.misses);
        let info = EdgeInfo {
            from: edge.from,
            replay: edge.replay,
            action: edge.action,
            to: edge.to,
            at_ms: edge.ts,
            via_screenshot: edge.via_screenshot,
            late: edge.late,
            failed: edge.failed,
            crashed: edge.crashed,
        };
        self.record_edge_as(info, count, last_ms, misses);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn any_graph() -> impl Strategy<Value = StateGraph> {
        let visits = proptest::collection::vec((0..12u8, 0..3u8, 0..6u8, any::<bool>()), 0..40);
        let edges = proptest::collection::vec((0..12u8, 0..6u8, 0..12u8, 0..4u8), 0..40);
        (visits, edges).prop_map(|(visits, edges)| {
            let mut graph = StateGraph::new(PageIdentity::Shape, 2);
            let page = |number: u8| Fingerprint(format!("{number:012}"));
            let key = |number: u8| ElementKey(format!("id:{number}"));
            for (at_ms, (at, skeleton, tried, mark)) in (0..).zip(visits) {
                let info = PageInfo {
                    summary: Some(format!("page {at}")),
                    skeleton: (skeleton > 0).then(|| skeleton.to_string()),
                    at_ms,
                    ..PageInfo::default()
                };
                graph.visit(&page(at), info, &(0..6).map(key).collect::<Vec<_>>());
                if mark {
                    graph.mark_seen(&page(at), &key(tried));
                }
                graph.set_launch_page(&page(at));
            }
            for (at_ms, (from, by, to, misses)) in (0..).zip(edges) {
                let replay = Replay::Tap {
                    element_key: key(by),
                };
                graph.record_edge(EdgeInfo {
                    from: page(from),
                    replay: replay.clone(),
                    action: format!("tap {by}"),
                    to: page(to),
                    at_ms,
                    via_screenshot: by == 5,
                    late: by == 4,
                    failed: by == 3,
                    crashed: by == 2,
                });
                for _ in 0..misses {
                    graph.miss_edge(&page(from), &replay, &page(to));
                }
            }
            graph
        })
    }

    proptest! {
        // EXP-159
        #[test]
        fn a_graph_survives_being_stored(graph in any_graph()) {
            let snapshot = graph.to_snapshot();
            let text = serde_json::to_string(&snapshot).unwrap();
            let read: GraphSnapshot = serde_json::from_str(&text).unwrap();
            prop_assert_eq!(&read, &snapshot);
            let restored = StateGraph::from_snapshot(read).unwrap();
            prop_assert_eq!(restored.to_snapshot(), snapshot);
            prop_assert_eq!(restored.summary(), graph.summary());
            prop_assert_eq!(
                restored.frontier_pages().collect::<Vec<_>>(),
                graph.frontier_pages().collect::<Vec<_>>()
            );
            let offered: Vec<_> = (0..6).map(|key| ElementKey(format!("id:{key}"))).collect();
            for page in graph.to_snapshot().pages.keys() {
                prop_assert_eq!(
                    restored.pick_next_unseen(page, &offered),
                    graph.pick_next_unseen(page, &offered)
                );
            }
        }
    }

    #[test]
    fn a_newer_or_broken_graph_is_refused() {
        let mut snapshot = StateGraph::default().to_snapshot();
        snapshot.schema = 2;
        let error = StateGraph::from_snapshot(snapshot.clone()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the state graph has schema 2, but this version reads up to 1"
        );
        snapshot.schema = 1;
        let page = Fingerprint("000000000000".into());
        snapshot.edges.push(EdgeSnapshot {
            from: page.clone(),
            action: String::new(),
            replay: Replay::Launch,
            to: page.clone(),
            ts: 0,
            last_ts: 0,
            count: 1,
            via_screenshot: false,
            late: false,
            failed: false,
            crashed: false,
            misses: 0,
        });
        let error = StateGraph::from_snapshot(snapshot).unwrap_err();
        assert_eq!(error, SnapshotError::UnknownPage { page });
        assert!(serde_json::from_str::<GraphSnapshot>("{\"schema\":1,\"odd\":1}").is_err());
    }
}
