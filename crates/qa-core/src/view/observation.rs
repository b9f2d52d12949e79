//! What one look at the screen returned.

use serde::{Deserialize, Serialize};

use super::{Completeness, ElementKey, Node, NodeRef};

/// The three kinds of app.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Platform {
    /// A page in a browser.
    Web,
    /// An Android app.
    Android,
    /// An iOS app.
    Ios,
}

/// One look at the screen: who is in front, and its nodes in document order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Observation {
    /// Kind of app.
    pub platform: Platform,
    /// Who is in front: an origin (`http://127.0.0.1:8000`), a package or a bundle id; `None`
    /// when the driver could not tell.
    pub front: Option<String>,
    /// Full address of the page; web only.
    pub url: Option<String>,
    /// Title of the page or window; empty if there is none.
    pub title: String,
    /// Size of the viewport or screen, in the unit of the nodes' bounds.
    pub viewport: (f64, f64),
    /// Nodes in document order; a parent comes before its children.
    pub nodes: Vec<Node>,
    /// What is not in `nodes`.
    pub completeness: Completeness,
    /// Grows by one with each new document or process: refs of an earlier one are expired.
    pub document: u64,
    /// Finite animations that still run; a view with any of them is not settled.
    pub animating: Vec<String>,
}

impl Observation {
    /// The node that a ref names.
    #[must_use]
    pub fn node(&self, node_ref: &NodeRef) -> Option<&Node> {
        self.nodes.iter().find(|node| &node.node_ref == node_ref)
    }

    /// The first node, in document order, that has an element key.
    #[must_use]
    pub fn find(&self, key: &ElementKey) -> Option<&Node> {
        self.nodes
            .iter()
            .find(|node| ElementKey::of(self.platform, node) == *key)
    }

    /// The number of nodes a person could see.
    #[must_use]
    pub fn visible_nodes(&self) -> usize {
        self.nodes.iter().filter(|node| node.flags.visible).count()
    }

    /// A node and all below it, in document order.
    pub fn subtree(&self, root: usize) -> impl Iterator<Item = &Node> {
        let mut inside = vec![false; self.nodes.len()];
        self.nodes
            .iter()
            .enumerate()
            .filter(move |(index, node)| {
                inside[*index] = *index == root || node.parent.is_some_and(|parent| inside[parent]);
                inside[*index]
            })
            .map(|(_, node)| node)
    }
}
