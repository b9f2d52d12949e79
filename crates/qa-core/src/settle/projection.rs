//! What of a view must hold still for it to be at rest.

use sha1::{Digest, Sha1};

use crate::{Node, Observation};

/// What of a view must hold still for it to be at rest, as a hash.
///
/// Inside are the address, the title, who is in front, whether the view is complete, and of each
/// node in document order role, name, texts, element, identifiers, link, states but the focus,
/// flags but geometry, and value. Outside are refs, boxes and the focus (REP-034).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Projection([u8; 20]);

impl Projection {
    /// The projection of a view.
    #[must_use]
    pub fn of(view: &Observation) -> Self {
        let mut hash = Sha1::new();
        let mut line = head(view);
        line.push(u8::from(view.completeness.truncated));
        hash.update(&line);
        for node in &view.nodes {
            line.clear();
            put_node(&mut line, node);
            line.push(u8::from(node.flags.actionable));
            hash.update(&line);
        }
        Self(hash.finalize().into())
    }
}

/// Whether a closer look shows all that another one showed, in the same order; it may show more
/// nodes, and know of more of them that they can be used.
pub(super) fn holds(closer: &Observation, view: &Observation) -> bool {
    let line = |node| {
        let mut line = Vec::new();
        put_node(&mut line, node);
        line
    };
    let mut nodes = closer.nodes.iter().map(line);
    head(closer) == head(view)
        && view.nodes.iter().all(|node| {
            let wanted = line(node);
            nodes.any(|found| found == wanted)
        })
}

/// What does not belong to a node.
fn head(view: &Observation) -> Vec<u8> {
    let mut line = Vec::new();
    put(&mut line, view.url.as_deref());
    put(&mut line, Some(&view.title));
    put(&mut line, view.front.as_deref());
    line
}

/// What belongs to a node, but for whether it can be used: that is not known at each look.
fn put_node(line: &mut Vec<u8>, node: &Node) {
    for text in [
        Some(node.role.as_str()),
        Some(&node.name),
        node.text.as_deref(),
        node.description.as_deref(),
        node.value.as_deref(),
        node.id.as_deref(),
        node.test_id.as_deref(),
        Some(&node.class),
        node.link.as_deref(),
        node.states.current.as_deref(),
    ] {
        put(line, text);
    }
    let states = &node.states;
    for toggle in [states.checked, states.pressed] {
        line.push(toggle.map_or(0, |toggle| toggle as u8 + 1));
    }
    for state in [
        states.disabled,
        states.expanded,
        states.selected,
        states.readonly,
        states.required,
        states.invalid,
        states.modal,
        states.busy,
    ] {
        line.push(state.map_or(0, |state| u8::from(state) + 1));
    }
    line.extend(states.level.unwrap_or(0).to_le_bytes());
    let flags = node.flags;
    line.extend(
        [
            flags.editable,
            flags.secret,
            flags.visible,
            flags.in_viewport,
            flags.aria_hidden,
        ]
        .map(u8::from),
    );
}

/// Appends a text so that no two lists of texts give the same bytes.
fn put(line: &mut Vec<u8>, text: Option<&str>) {
    match text {
        None => line.push(0),
        Some(text) => {
            line.push(1);
            line.extend((text.len() as u64).to_le_bytes());
            line.extend(text.as_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Bounds, NodeRef, Platform, any_observation};

    proptest! {
        // REP-034, REP-INV-13
        #[test]
        fn refs_boxes_and_focus_do_not_count_and_the_rest_does(
            view in any_observation(Platform::Web, "http://127.0.0.1:8000"),
            at in any::<prop::sample::Index>(),
        ) {
            let same = Projection::of(&view);
            let mut other = view.clone();
            other.document += 1;
            for node in &mut other.nodes {
                node.node_ref = NodeRef("other".into());
                node.bounds = Some(Bounds::default());
                node.states.focused = Some(true);
                node.flags.obscured = true;
            }
            prop_assert_eq!(same, Projection::of(&other));
            prop_assume!(!view.nodes.is_empty());
            let at = at.index(view.nodes.len());
            let changes: [fn(&mut crate::Node); 6] = [
                |node| node.name.push('x'),
                |node| node.value = Some("other".into()),
                |node| node.states.checked = Some(crate::Toggle::On),
                |node| node.states.expanded = Some(false),
                |node| node.flags.in_viewport = !node.flags.in_viewport,
                |node| node.link = Some(String::new()),
            ];
            for change in changes {
                let mut other = view.clone();
                change(&mut other.nodes[at]);
                prop_assert_ne!(same, Projection::of(&other));
            }
            let mut other = view.clone();
            other.completeness.truncated = true;
            prop_assert_ne!(same, Projection::of(&other));
        }

        // REP-055
        #[test]
        fn a_closer_look_holds_what_was_seen_and_may_hold_more(
            view in any_observation(Platform::Web, "http://127.0.0.1:8000"),
            at in any::<prop::sample::Index>(),
        ) {
            prop_assert!(holds(&view, &view));
            prop_assume!(!view.nodes.is_empty());
            let mut less = view.clone();
            less.completeness.truncated = !view.completeness.truncated;
            let removed = less.nodes.remove(at.index(view.nodes.len()));
            prop_assert!(holds(&view, &less));
            let twins = less.nodes.iter().filter(|node| node.name == removed.name).count();
            prop_assert!(twins > 0 || !holds(&less, &view));
            let mut other = view.clone();
            other.nodes[0].flags.actionable = !other.nodes[0].flags.actionable;
            prop_assert!(holds(&other, &view));
            other.title.push('x');
            prop_assert!(!holds(&other, &view));
        }
    }
}
