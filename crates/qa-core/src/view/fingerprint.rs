//! A page's identity.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use sha1::{Digest, Sha1};

use super::shape::shapes;
use super::{Node, Observation, Platform, is_generated_id, mask_digits, route_shape};
use crate::Boundary;

/// A page's identity: the first 12 hex digits of a SHA-1.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Fingerprint(pub String);

impl std::fmt::Display for Fingerprint {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// How much two views may differ and still be one page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PageIdentity {
    /// Counters, clocks, typed text and the number of equal rows do not make a new page.
    #[default]
    Shape,
    /// Every text counts.
    Exact,
}

/// The identity of the page that a view shows. Only elements that belong to the app count, in any
/// order; what fields hold does not (WEB-031, EXP-040, EXP-041).
#[must_use]
pub fn fingerprint(view: &Observation, boundary: &Boundary, identity: PageIdentity) -> Fingerprint {
    let mut hash = Sha1::new();
    match (view.platform, identity) {
        (Platform::Web, PageIdentity::Shape) => {
            put(
                &mut hash,
                &route_shape(view.url.as_deref().unwrap_or_default()),
            );
            for shape in shapes(view, boundary) {
                put(&mut hash, &shape);
            }
        }
        (Platform::Web, PageIdentity::Exact) => {
            put(&mut hash, view.url.as_deref().unwrap_or_default());
            put(&mut hash, &view.title);
            for line in sorted(
                view.nodes
                    .iter()
                    .filter(|node| boundary.owns(node))
                    .map(web_line),
            ) {
                put(&mut hash, &line);
            }
        }
        (Platform::Android, _) => {
            for line in sorted(android_lines(view, boundary, identity)) {
                put(&mut hash, &line);
            }
        }
        (Platform::Ios, _) => {
            let lines = view.nodes.iter().filter(|node| boundary.owns(node));
            let lines = sorted(lines.map(|node| ios_line(node, identity)));
            hash.update(lines.join("\u{1e}"));
        }
    }
    Fingerprint(twelve_digits(hash))
}

/// What pages of one make have in common: the set of their elements' kinds and identifiers, as 12
/// hex digits (EXP-173).
#[must_use]
pub fn skeleton(view: &Observation) -> String {
    let parts: BTreeSet<String> = view
        .nodes
        .iter()
        .filter(|node| node.flags.visible)
        .map(|node| {
            let kind = match view.platform {
                Platform::Web => format!("{}/{}", node.class, node.role),
                Platform::Android | Platform::Ios => node.class.clone(),
            };
            let id = node
                .test_id
                .as_deref()
                .or(node.id.as_deref())
                .filter(|id| !is_generated_id(id))
                .map(mask_digits)
                .unwrap_or_default();
            format!("{kind}\u{1f}{id}")
        })
        .collect();
    let mut hash = Sha1::new();
    for part in parts {
        put(&mut hash, &part);
    }
    twelve_digits(hash)
}

fn web_line(node: &Node) -> String {
    let id = node.id.as_deref().unwrap_or_default();
    let text = node.text.as_deref().unwrap_or_default();
    [&node.role, &node.name, id, text]
        .map(str::trim)
        .join("\u{1f}")
}

/// Greatest number of UTF-16 units of a text that count.
const ANDROID_TEXT: usize = 20;

fn android_lines(
    view: &Observation,
    boundary: &Boundary,
    identity: PageIdentity,
) -> impl Iterator<Item = String> {
    let mut scrolled = vec![false; view.nodes.len()];
    for (index, node) in view.nodes.iter().enumerate() {
        scrolled[index] = node
            .parent
            .is_some_and(|parent| scrolled[parent] || view.nodes[parent].flags.scrollable);
    }
    let mut rows = BTreeSet::new();
    let mut lines = Vec::new();
    for (node, scrolled) in view.nodes.iter().zip(scrolled) {
        let on_screen = node
            .bounds
            .is_none_or(|bounds| !bounds.is_empty() && bounds.x >= 0.0 && bounds.y >= 0.0);
        let id = trimmed(node.id.as_deref());
        let text = trimmed(node.text.as_deref());
        let description = trimmed(node.description.as_deref());
        if !on_screen || [id, text, description].iter().all(|part| part.is_empty()) {
            continue;
        }
        if identity == PageIdentity::Exact {
            lines.push(if node.flags.secret {
                json(&[id, "[password-redacted]", ""])
            } else {
                json(&[id, &cut(text), &cut(description)])
            });
            continue;
        }
        if !boundary.owns(node) {
            continue;
        }
        if scrolled {
            rows.insert(json(&[&node.class, id]));
        } else if node.flags.secret {
            lines.push(json(&[&node.class, id, "[password-redacted]", ""]));
        } else {
            let text = if node.flags.editable { "" } else { text };
            let (text, description) = (mask_digits(text), mask_digits(description));
            lines.push(json(&[&node.class, id, &cut(&text), &cut(&description)]));
        }
    }
    lines.extend(rows);
    lines.into_iter()
}

fn ios_line(node: &Node, identity: PageIdentity) -> String {
    let text = trimmed(node.text.as_deref());
    let kept = !node.flags.secret && (identity == PageIdentity::Exact || !node.flags.editable);
    let parts = [
        node.class.trim(),
        trimmed(node.id.as_deref()),
        if kept { text } else { "" },
        trimmed(node.description.as_deref()),
        node.name.trim(),
    ];
    match identity {
        PageIdentity::Exact => parts.join("\u{1f}"),
        PageIdentity::Shape => parts.map(mask_digits).join("\u{1f}"),
    }
}

fn trimmed(text: Option<&str>) -> &str {
    text.map(str::trim).unwrap_or_default()
}

fn cut(text: &str) -> String {
    let units: Vec<u16> = text.encode_utf16().take(ANDROID_TEXT).collect();
    String::from_utf16_lossy(&units)
}

fn json(parts: &[&str]) -> String {
    serde_json::Value::from(parts.to_vec()).to_string()
}

fn sorted(lines: impl Iterator<Item = String>) -> Vec<String> {
    let mut lines: Vec<_> = lines.collect();
    lines.sort();
    lines
}

fn put(hash: &mut Sha1, text: &str) {
    hash.update(u32::try_from(text.len()).unwrap_or(u32::MAX).to_be_bytes());
    hash.update(text);
}

fn twelve_digits(hash: Sha1) -> String {
    let digest = hash.finalize();
    digest
        .iter()
        .take(6)
        .map(|byte| format!("{byte:02x}"))
        .collect()
}
