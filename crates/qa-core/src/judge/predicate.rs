//! What a node must be.

use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization as _;

use crate::{Node, Observation, Platform};

/// What a node must be. All given fields must match; at least one of the first four is given.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct Predicate {
    /// Role.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// Name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Element name; the accessibility identifier on the desktop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tag: Option<String>,
    /// Resource id or accessibility identifier; phones only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub identifier: Option<String>,
    /// The role when it was recorded; never compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role_hint: Option<String>,
}

/// A node that a predicate matches, with the role and name that matched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Match<'v> {
    /// Its index in the view.
    pub index: usize,
    /// Its role, in the words that matched.
    pub role: &'v str,
    /// Its name, in the words that matched.
    pub name: &'v str,
}

impl Predicate {
    /// The nodes of a view that it matches, in document order; with a container, those below it.
    ///
    /// A web node has the pair of role and name of today and, where it differs, that of older
    /// scenario files; all fields must match one of the two (VIEW-011). Without a role only the
    /// nodes that older files see are looked at: the text inside a link is no second link.
    #[must_use]
    pub fn matches<'v>(&self, view: &'v Observation, within: Option<usize>) -> Vec<Match<'v>> {
        let is_old = self.role.is_none() && view.platform == Platform::Web;
        self.matches_of(view, within, |node| !is_old || node.flags.in_seed_view)
    }

    /// As [`matches`](Self::matches), but any node counts: for an absence, where a text that stands
    /// on the page must not be overlooked for want of a role in the claim.
    pub(super) fn matches_anything<'v>(
        &self,
        view: &'v Observation,
        within: Option<usize>,
    ) -> Vec<Match<'v>> {
        self.matches_of(view, within, |_| true)
    }

    fn matches_of<'v>(
        &self,
        view: &'v Observation,
        within: Option<usize>,
        counts: impl Fn(&Node) -> bool,
    ) -> Vec<Match<'v>> {
        let candidates = view.nodes.iter().enumerate();
        candidates
            .filter(|(_, node)| counts(node))
            .filter(|(index, _)| within.is_none_or(|root| is_below(view, *index, root)))
            .filter_map(|(index, node)| self.match_node(index, node))
            .collect()
    }

    fn match_node<'v>(&self, index: usize, node: &'v Node) -> Option<Match<'v>> {
        let equal = |wanted: &Option<String>, found: &str| {
            wanted.as_deref().is_none_or(|wanted| same(wanted, found))
        };
        if !equal(&self.tag, &node.class)
            || !equal(&self.identifier, node.id.as_deref().unwrap_or_default())
        {
            return None;
        }
        let own = (node.role.as_str(), node.name.as_str());
        let old = node
            .seed
            .as_ref()
            .map(|seed| (seed.role.as_str(), seed.name.as_str()));
        let (role, name) = [Some(own), old]
            .into_iter()
            .flatten()
            .find(|(role, name)| equal(&self.role, role) && equal(&self.name, name))?;
        Some(Match { index, role, name })
    }
}

/// Equal but for white space and the way letters are put together (REP-091).
fn same(wanted: &str, found: &str) -> bool {
    let apart = |text: &str, other: &str| text.split_whitespace().eq(other.split_whitespace());
    wanted == found
        || apart(wanted, found)
        || !(wanted.is_ascii() && found.is_ascii()) && apart(&composed(wanted), &composed(found))
}

/// A text in composed form, NFC.
pub(super) fn composed(text: &str) -> String {
    text.nfc().collect()
}

/// Whether a node stands below another one.
pub(super) fn is_below(view: &Observation, index: usize, root: usize) -> bool {
    let mut at = view.nodes[index].parent;
    while let Some(parent) = at {
        if parent == root {
            return true;
        }
        at = view.nodes[parent].parent;
    }
    false
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::{Completeness, Coverage, Flags, SeedPair};

    /// A complete view with verified coverage.
    pub(in crate::judge) fn view(nodes: Vec<Node>) -> Observation {
        Observation {
            platform: Platform::Web,
            front: None,
            url: Some("http://127.0.0.1:8000/list?page=2".into()),
            title: String::new(),
            viewport: (100.0, 100.0),
            nodes,
            completeness: Completeness {
                truncated: false,
                reasons: Vec::new(),
                node_budget: 5000,
                coverage: Coverage {
                    verified: true,
                    probed_nodes: 12,
                    ..Coverage::default()
                },
                hidden_matches: 2,
                hidden_matches_partial: false,
            },
            document: 1,
            animating: Vec::new(),
        }
    }

    pub(in crate::judge) fn node(role: &str, name: &str, parent: Option<usize>) -> Node {
        Node {
            role: role.into(),
            name: name.into(),
            parent,
            flags: Flags {
                in_seed_view: true,
                visible: true,
                in_viewport: true,
                ..Flags::default()
            },
            ..Node::default()
        }
    }

    pub(in crate::judge) fn named(role: &str, name: &str) -> Predicate {
        Predicate {
            role: Some(role.into()),
            name: Some(name.into()),
            ..Predicate::default()
        }
    }

    // VIEW-011
    #[test]
    fn all_fields_match_one_pair_and_never_a_mixture() {
        let mut status = node("status", "", None);
        status.seed = Some(SeedPair {
            role: "status".into(),
            name: "Saved".into(),
        });
        let mut search = node("searchbox", "Find", None);
        search.seed = Some(SeedPair {
            role: "textbox".into(),
            name: "Find it".into(),
        });
        let view = view(vec![status, search]);
        let count = |role: &str, name: &str| named(role, name).matches(&view, None).len();
        assert_eq!(count("status", "Saved"), 1);
        assert_eq!(count("searchbox", "Find"), 1);
        assert_eq!(count("textbox", "Find it"), 1);
        assert_eq!(count("textbox", "Find"), 0);
        assert_eq!(count("searchbox", "Find  it"), 0);
    }

    // VIEW-011, VIEW-032
    #[test]
    fn a_name_alone_is_looked_for_among_the_nodes_of_older_files() {
        let mut text = node("text", "Help", Some(0));
        text.flags.in_seed_view = false;
        let view = view(vec![node("link", "Help", None), text]);
        let by_name = Predicate {
            name: Some(" Help ".into()),
            ..Predicate::default()
        };
        let found = by_name.matches(&view, None);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].index, found[0].role), (0, "link"));
        assert_eq!(named("text", "Help").matches(&view, None).len(), 1);
        assert_eq!(named("text", "Help").matches(&view, Some(0)).len(), 1);
        assert_eq!(by_name.matches(&view, Some(0)).len(), 0);
    }
}
