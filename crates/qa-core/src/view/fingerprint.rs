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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Bounds, Completeness, Flags, any_observation};

    const WEB: &str = "http://127.0.0.1:8000";
    const APP: &str = "com.acme.app";

    /// `depth role name`, one line each; indented lines lie below the line before.
    fn page(outline: &str) -> Observation {
        let mut view = Observation {
            platform: Platform::Web,
            front: Some(WEB.into()),
            url: Some(format!("{WEB}/shop")),
            title: "Shop".into(),
            viewport: (400.0, 800.0),
            nodes: Vec::new(),
            completeness: Completeness::default(),
            document: 1,
            animating: Vec::new(),
        };
        let mut above: Vec<(usize, usize)> = Vec::new();
        for line in outline.lines().filter(|line| !line.trim().is_empty()) {
            let depth = line.len() - line.trim_start().len();
            while above.last().is_some_and(|(deep, _)| *deep >= depth) {
                above.pop();
            }
            let (role, name) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
            let editable = role == "textbox";
            view.nodes.push(Node {
                role: role.into(),
                name: name.into(),
                class: "div".into(),
                parent: above.last().map(|(_, index)| *index),
                flags: Flags {
                    visible: true,
                    editable,
                    ..Flags::default()
                },
                ..Node::default()
            });
            above.push((depth, view.nodes.len() - 1));
        }
        view
    }

    fn shape(view: &Observation) -> Fingerprint {
        let owner = match view.platform {
            Platform::Web => WEB,
            Platform::Android | Platform::Ios => APP,
        };
        let boundary = Boundary::new(view.platform, vec![owner.into()]);
        fingerprint(view, &boundary, PageIdentity::Shape)
    }

    fn same(one: &str, other: &str) {
        assert_eq!(shape(&page(one)), shape(&page(other)), "{one}\n{other}");
    }

    fn differ(one: &str, other: &str) {
        assert_ne!(shape(&page(one)), shape(&page(other)), "{one}\n{other}");
    }

    // WEB-031
    #[test]
    fn rows_count_by_what_they_are_made_of() {
        let two =
            "list\n listitem\n  link Milk\n  button Buy\n listitem\n  link Bread\n  button Buy";
        let three = "list\n listitem\n  link Eggs\n  button Buy\n listitem\n  link Tea\n  button Buy\n listitem\n  link Rum\n  button Buy";
        same(two, three);
        differ(two, "list\n listitem\n  link Milk\n  button Buy");
        differ(two, "list");
        differ(two, "list\n listitem\n  img Milk\n listitem\n  img Bread");
        same(
            "list\n listitem\n  link Milk",
            "list\n listitem\n  link Bread",
        );
    }

    // WEB-031
    #[test]
    fn cards_without_a_mark_are_rows_when_they_repeat() {
        let two = "main\n img Red\n heading Red shirt\n button Add\n img Blue\n heading Blue shirt\n button Add";
        let three = "main\n img A\n heading A\n button Add\n img B\n heading B\n button Add\n img C\n heading C\n button Add";
        same(two, three);
        differ(two, "main\n img A\n heading A\n button Add");
        same(
            "main\n text a\n text b\n text c",
            "main\n text d\n text e\n text f\n text g",
        );
        same(
            "main\n generic\n  heading A\n generic\n  heading B",
            "main\n generic\n  heading C\n generic\n  heading D\n generic\n  heading E",
        );
    }

    // WEB-031
    #[test]
    fn controls_forms_tabs_and_dialogs_make_pages() {
        differ("main\n button Save", "main\n button Save\n button Undo");
        differ(
            "form\n text Name\n textbox Name\n text City\n textbox City",
            "form\n text Name\n textbox Name\n text City\n textbox City\n text Zip\n textbox Zip",
        );
        differ("tablist\n tab A\n tab B", "tablist\n tab A\n tab B\n tab C");
        differ(
            "navigation\n list\n  listitem\n   link Home",
            "navigation\n list\n  listitem\n   link Account",
        );
        differ("main", "main\ndialog Sure?");
        differ("main\ndialog Sure?", "main\ndialog Sure?\ndialog Sure?");
        differ("list\n listitem", "list\n listitem\n  dialog Sure?");
        differ("dialog Sure?", "dialog Really?");
    }

    // WEB-031
    #[test]
    fn counters_messages_and_typed_text_make_no_page() {
        same("button Cart (3)", "button Cart (12)");
        same("status Saved", "status Not saved");
        same("status\n text Saved", "status\n text Not saved");
        differ("main", "main\n alert");
        same("textbox Name\n text abc", "textbox Name\n text xyz");
        same("main\n text 12:30", "main\n text 09:41");
    }

    #[test]
    fn only_what_is_the_apps_and_visible_counts() {
        let mut view = page("main\n button Save\n button Advert");
        let one = shape(&page("main\n button Save"));
        view.nodes[2].package = Some("https://ads.test".into());
        assert_eq!(shape(&view), one);
        view.nodes[2].package = None;
        assert_ne!(shape(&view), one);
        view.nodes[2].flags.visible = false;
        assert_eq!(shape(&view), one);
    }

    // WEB-032
    #[test]
    fn exact_identity_tells_texts_apart() {
        let boundary = Boundary::new(Platform::Web, vec![WEB.into()]);
        let exact = |outline| fingerprint(&page(outline), &boundary, PageIdentity::Exact);
        assert_ne!(exact("button Cart (3)"), exact("button Cart (12)"));
        assert_eq!(exact("button Cart (3)"), exact("button Cart (3)"));
    }

    fn android(lines: &[(&str, &str, &str)]) -> Observation {
        let mut view = page("");
        view.platform = Platform::Android;
        view.nodes = lines
            .iter()
            .map(|(id, text, package)| Node {
                class: "android.widget.TextView".into(),
                id: Some((*id).into()),
                text: Some((*text).into()),
                package: Some((*package).into()),
                bounds: Some(Bounds {
                    width: 10.0,
                    height: 10.0,
                    ..Bounds::default()
                }),
                ..Node::default()
            })
            .collect();
        view
    }

    // EXP-041, EXP-TRAP-24
    #[test]
    fn android_counts_its_own_texts_without_digits() {
        let clock = ("clock", "12:30", "com.android.systemui");
        let title = ("title", "Inbox (4)", APP);
        let one = android(&[clock, title]);
        let mut other = android(&[("clock", "9:41 pm", "com.android.systemui"), title]);
        other.nodes[1].text = Some("Inbox (17)".into());
        assert_eq!(shape(&one), shape(&other));
        other.nodes[1].text = Some("Sent".into());
        assert_ne!(shape(&one), shape(&other));
    }

    // EXP-041
    #[test]
    fn android_rows_of_a_scroller_count_once() {
        let row = ("row", "Milk", APP);
        let mut two = android(&[("list", "x", APP), row, row]);
        let mut three = android(&[
            ("list", "x", APP),
            row,
            ("row", "Tea", APP),
            ("row", "Rum", APP),
        ]);
        for view in [&mut two, &mut three] {
            view.nodes[0].flags.scrollable = true;
            for node in &mut view.nodes[1..] {
                node.parent = Some(0);
            }
        }
        assert_eq!(shape(&two), shape(&three));
    }

    // EXP-041: the bytes are fixed, so that stored graphs stay valid.
    #[test]
    fn the_exact_android_hash_is_length_prefixed_json() {
        let view = android(&[("b", "Zwei", APP), ("a", "Eins", APP)]);
        let boundary = Boundary::new(Platform::Android, vec![APP.into()]);
        let mut hash = Sha1::new();
        for line in ["[\"a\",\"Eins\",\"\"]", "[\"b\",\"Zwei\",\"\"]"] {
            hash.update(u32::try_from(line.len()).unwrap().to_be_bytes());
            hash.update(line);
        }
        let found = fingerprint(&view, &boundary, PageIdentity::Exact);
        assert_eq!(found.0, twelve_digits(hash));
    }

    // EXP-TRAP-14
    #[test]
    fn ios_fields_do_not_run_into_each_other() {
        let mut one = android(&[("a", "bc", APP)]);
        one.platform = Platform::Ios;
        let mut other = one.clone();
        other.nodes[0].id = Some("ab".into());
        other.nodes[0].text = Some("c".into());
        assert_ne!(shape(&one), shape(&other));
    }

    // EXP-173
    #[test]
    fn a_skeleton_knows_no_texts() {
        assert_eq!(
            skeleton(&page("heading Red")),
            skeleton(&page("heading Blue"))
        );
        assert_ne!(
            skeleton(&page("heading Red")),
            skeleton(&page("button Red"))
        );
        assert_eq!(skeleton(&page("")).len(), 12);
    }

    /// A view with its nodes in another order: whole subtrees of one parent swap places.
    fn swap_subtrees(view: &Observation, first: usize, second: usize) -> Observation {
        let mut order: Vec<usize> = Vec::new();
        let subtree = |root: usize| {
            let mut inside = vec![false; view.nodes.len()];
            for (index, node) in view.nodes.iter().enumerate() {
                inside[index] = index == root || node.parent.is_some_and(|parent| inside[parent]);
            }
            (0..view.nodes.len())
                .filter(|&index| inside[index])
                .collect::<Vec<_>>()
        };
        let (one, other) = (subtree(first), subtree(second));
        for index in 0..view.nodes.len() {
            if index == first {
                order.extend(&other);
            } else if index == second {
                order.extend(&one);
            } else if !one.contains(&index) && !other.contains(&index) {
                order.push(index);
            }
        }
        let mut moved = view.clone();
        moved.nodes = order
            .iter()
            .map(|&index| {
                let mut node = view.nodes[index].clone();
                node.parent = node
                    .parent
                    .map(|parent| order.iter().position(|&at| at == parent).unwrap());
                node
            })
            .collect();
        moved
    }

    /// What a node and all below it look like.
    fn look(view: &Observation, root: usize) -> String {
        let node = &view.nodes[root];
        let inner: String = (root + 1..view.nodes.len())
            .filter(|&index| view.nodes[index].parent == Some(root))
            .map(|index| look(view, index))
            .collect();
        format!(
            "({} {} {:?}{inner})",
            node.role,
            mask_digits(&node.name),
            node.flags
        )
    }

    proptest! {
        // WEB-INV-07
        #[test]
        fn digits_and_typing_make_no_page(
            view in any_observation(Platform::Web, WEB),
            digits in "[0-9]{1,4}",
            typed in "[a-z0-9]{0,6}",
        ) {
            let mut other = view.clone();
            for node in &mut other.nodes {
                node.name = node.name.replace(|c: char| c.is_ascii_digit(), &digits);
                if node.flags.editable {
                    node.value = Some(typed.clone());
                }
            }
            prop_assert_eq!(shape(&view), shape(&other));
        }

        // WEB-INV-07
        #[test]
        fn a_dialog_always_makes_a_page(
            view in any_observation(Platform::Web, WEB),
            name in "[A-Z][a-z]{0,4}",
        ) {
            let mut other = view.clone();
            let mut dialog = page(&format!("dialog {name}"));
            other.nodes.append(&mut dialog.nodes);
            prop_assert_ne!(shape(&view), shape(&other));
            let mut twice = other.clone();
            twice.nodes.push(other.nodes.last().unwrap().clone());
            prop_assert_ne!(shape(&other), shape(&twice));
        }

        // WEB-INV-07
        #[test]
        fn equal_siblings_may_swap(
            view in any_observation(Platform::Web, WEB),
            root in any::<prop::sample::Index>(),
            copies in 1..4usize,
        ) {
            prop_assume!(!view.nodes.is_empty());
            // Copies of one subtree as siblings, with other digits and values.
            let mut view = view;
            let root = root.index(view.nodes.len());
            let members: Vec<usize> = (root..view.nodes.len())
                .filter(|&index| {
                    let mut at = Some(index);
                    while let Some(here) = at.filter(|&here| here != root) {
                        at = view.nodes[here].parent;
                    }
                    at == Some(root)
                })
                .collect();
            let mut roots = vec![root];
            for copy in 0..copies {
                let offset = view.nodes.len();
                roots.push(offset);
                for &index in &members {
                    let mut node = view.nodes[index].clone();
                    node.name = node.name.replace('7', &copy.to_string());
                    node.value = Some(copy.to_string());
                    if index != root {
                        node.parent = node.parent
                            .and_then(|parent| members.iter().position(|&at| at == parent))
                            .map(|place| offset + place);
                    }
                    view.nodes.push(node);
                }
            }
            let last = *roots.last().unwrap();
            prop_assert_eq!(look(&view, root), look(&view, last));
            let swapped = swap_subtrees(&view, root, last);
            prop_assert_eq!(shape(&view), shape(&swapped));
        }

        // EXP-INV-25
        #[test]
        fn the_ios_hash_knows_no_order_and_no_value(
            view in any_observation(Platform::Ios, APP),
            value in "[a-z]{1,5}",
            at in any::<prop::sample::Index>(),
        ) {
            let mut other = view.clone();
            for node in &mut other.nodes {
                node.value = Some(value.clone());
                node.parent = None;
            }
            other.nodes.reverse();
            prop_assert_eq!(shape(&view), shape(&other));
            if !other.nodes.is_empty() {
                let at = at.index(other.nodes.len());
                other.nodes[at].name.push_str(" other");
                prop_assert_ne!(shape(&view), shape(&other));
            }
        }
    }
}
