//! The mere echo of what was typed: it does not tell that something came of it (REP-112, REP-113).

use qa_core::{Action, Node, NodeRef, Observation, Projection};

/// What an action makes its target hold, as far as that is known.
pub(crate) fn written(action: &Action, target: &Node) -> Option<String> {
    match action {
        Action::Fill { text, .. } => Some(text.clone()),
        Action::Type { text, .. } => {
            let held = target.value.as_deref().unwrap_or_default();
            Some(format!("{held}{text}"))
        }
        Action::Select { option, .. } => Some(option.clone()),
        _ => None,
    }
}

/// What an action's own element shows of it, such as the text that was typed there.
///
/// Who waits for what an action brings compares views without it: give
/// [`without`](Self::without) to [`Awaited`](qa_core::Awaited), and the view before the action
/// without it, too. Otherwise a field that shows what was just typed counts as what came of it.
#[derive(Debug, Clone, Default)]
pub struct Echo(Option<Typed>);

#[derive(Debug, Clone)]
struct Typed {
    node_ref: NodeRef,
    role: String,
    class: String,
    written: Option<String>,
}

impl Echo {
    /// The echo of an action on an element of a view; of most actions there is none.
    #[must_use]
    pub fn of(action: &Action, view: &Observation) -> Self {
        Self(Typed::of(action, view))
    }

    /// Whether there is one.
    pub(super) fn is_heard(&self) -> bool {
        self.0.is_some()
    }

    /// The projection of a view in which the echo is left out.
    #[must_use]
    pub fn without(&self, view: &Observation) -> Projection {
        let Some(typed) = &self.0 else {
            return Projection::of(view);
        };
        let mut masked = view.clone();
        for node in &mut masked.nodes {
            if typed.is_shown_by(node) {
                node.name.clear();
                node.value = None;
                node.text = None;
            }
        }
        Projection::of(&masked)
    }
}

impl Typed {
    fn of(action: &Action, view: &Observation) -> Option<Self> {
        let echoes = matches!(
            action,
            Action::Fill { .. }
                | Action::Type { .. }
                | Action::Select { .. }
                | Action::Press { .. }
        );
        let target = action.target().filter(|_| echoes)?;
        let mut nodes = view.nodes.iter();
        let node = nodes.find(|node| node.node_ref == target.node_ref)?;
        Some(Self::on(node, written(action, node)))
    }

    /// On a node; `written` is what is known to appear.
    fn on(node: &Node, written: Option<String>) -> Self {
        Self {
            node_ref: node.node_ref.clone(),
            role: node.role.clone(),
            class: node.class.clone(),
            written,
        }
    }

    fn is_shown_by(&self, node: &Node) -> bool {
        if node.node_ref == self.node_ref {
            return true;
        }
        if node.role != self.role || node.class != self.class {
            return false;
        }
        // A page that renders anew makes another element of it. A twin with another value counts.
        self.written.as_deref().is_some_and(|written| {
            let value = node.value.as_deref();
            value == Some(written) || !written.is_empty() && node.name.contains(written)
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use qa_core::{Completeness, Platform, any_observation};

    use super::*;

    fn field(node_ref: &str, value: &str) -> Node {
        Node {
            node_ref: NodeRef(node_ref.into()),
            role: "textbox".into(),
            class: "input".into(),
            value: Some(value.into()),
            ..Node::default()
        }
    }

    fn echo(node: &Node, written: Option<String>) -> Echo {
        Echo(Some(Typed::on(node, written)))
    }

    fn shows(echo: &Echo, node: &Node) -> bool {
        echo.0.as_ref().is_some_and(|typed| typed.is_shown_by(node))
    }

    fn view(nodes: Vec<Node>) -> Observation {
        Observation {
            platform: Platform::Web,
            front: None,
            url: None,
            title: String::new(),
            viewport: (0.0, 0.0),
            nodes,
            completeness: Completeness::default(),
            document: 1,
            animating: Vec::new(),
        }
    }

    // REP-113, REP-INV-31, REP-TRAP-03
    #[test]
    fn only_the_field_itself_is_masked() {
        let echo = echo(&field("e1", ""), Some("Lamp".into()));
        let before = echo.without(&view(vec![field("e1", ""), field("e2", "x")]));
        let same = [
            vec![field("e1", "Lamp"), field("e2", "x")],
            vec![field("e9", "Lamp"), field("e2", "x")],
        ];
        for nodes in same {
            assert_eq!(echo.without(&view(nodes)), before);
        }
        let twin = view(vec![field("e1", "Lamp"), field("e2", "y")]);
        assert_ne!(echo.without(&twin), before);
    }
    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        // REP-INV-31: what happens to another node counts, whatever was typed.
        #[test]
        fn a_change_elsewhere_always_counts(
            view in any_observation(Platform::Web, "http://127.0.0.1:8000"),
            picks in any::<[prop::sample::Index; 2]>(),
            written in prop::option::of(prop::sample::select(vec!["", "7", "abc", "Save"])),
            kind in 0..4_u8,
        ) {
            prop_assume!(!view.nodes.is_empty());
            let [target, other] = picks.map(|pick| pick.index(view.nodes.len()));
            let echo = echo(&view.nodes[target], written.map(str::to_owned));
            let mut changed = view.clone();
            let node = &mut changed.nodes[other];
            match kind {
                0 => node.name.push('!'),
                1 => node.value = Some("another".into()),
                2 => node.states.expanded = Some(true),
                _ => node.states.disabled = None,
            }
            let is_covered = shows(&echo, &view.nodes[other]) || shows(&echo, &changed.nodes[other]);
            let is_text = kind < 2;
            prop_assume!(!(is_covered && is_text));
            prop_assert_ne!(echo.without(&view), echo.without(&changed));
        }

        // REP-INV-31: of the field itself, only what it shows is left out.
        #[test]
        fn a_field_may_show_anything(
            view in any_observation(Platform::Web, "http://127.0.0.1:8000"),
            target in any::<prop::sample::Index>(),
            shown in "[a-z]{0,4}",
        ) {
            prop_assume!(!view.nodes.is_empty());
            let target = target.index(view.nodes.len());
            let echo = echo(&view.nodes[target], None);
            let mut typed = view.clone();
            typed.nodes[target].value = Some(shown.clone());
            typed.nodes[target].name = shown;
            prop_assert_eq!(echo.without(&view), echo.without(&typed));
        }
    }
}
