//! An action with all that the ledger stores of it.

use crate::{Action, Candidate, CandidateAction, ElementKey, Node, NodeRef, Replay, Target};

/// An action with all that the ledger stores of it.
#[derive(Debug, Clone)]
pub(super) struct Deed {
    pub(super) action: Action,
    /// One readable line.
    pub(super) text: String,
    pub(super) replay: Replay,
    /// What is marked as seen once it is done.
    pub(super) trial: Option<ElementKey>,
    pub(super) touched: Option<[f64; 4]>,
    /// A hop on the way to somewhere else.
    pub(super) navigation: bool,
}

impl Deed {
    /// What a candidate proposes, done to the live element.
    pub(super) fn of(candidate: &Candidate, node: &Node) -> Self {
        let element_key = candidate.key.clone();
        let target = target(node, &candidate.key);
        let label = &candidate.label;
        let (action, text, replay) = match &candidate.action {
            CandidateAction::Tap => (
                Action::Tap { target },
                format!("tap {label}"),
                Replay::Tap { element_key },
            ),
            CandidateAction::Enter => (
                Action::Press {
                    target: Some(target),
                    key: "Enter".into(),
                },
                format!("press Enter in {label}"),
                Replay::PressKey {
                    element_key: Some(element_key),
                    key: "Enter".into(),
                },
            ),
            CandidateAction::Select { option } => select(target, element_key, option, label),
        };
        Self {
            trial: Some(candidate.trial.clone()),
            touched: touched(node),
            ..Self::plain(action, text, replay)
        }
    }

    /// Replaces what a field holds.
    pub(super) fn fill(node: &Node, key: &ElementKey, value: &str) -> Self {
        let action = Action::Fill {
            target: target(node, key),
            text: value.to_owned(),
        };
        let shown: String = value.chars().take(60).collect();
        let text = format!("fill {} with {shown:?}", label(node));
        let replay = Replay::InputText {
            element_key: key.clone(),
            input_value: Some(value.to_owned()),
            input_redacted: false,
        };
        Self {
            touched: touched(node),
            ..Self::plain(action, text, replay)
        }
    }

    /// Chooses an option of a list.
    pub(super) fn select(node: &Node, key: &ElementKey, option: &str) -> Self {
        let (action, text, replay) = select(target(node, key), key.clone(), option, &label(node));
        Self {
            touched: touched(node),
            ..Self::plain(action, text, replay)
        }
    }

    /// Taps an element that is no candidate: a box to be checked, a permission to be granted.
    pub(super) fn tap(node: &Node, key: &ElementKey) -> Self {
        let action = Action::Tap {
            target: target(node, key),
        };
        let replay = Replay::Tap {
            element_key: key.clone(),
        };
        Self {
            touched: touched(node),
            ..Self::plain(action, format!("tap {}", label(node)), replay)
        }
    }

    /// One step back.
    pub(super) fn back() -> Self {
        let replay = Replay::PressButton {
            button: "BACK".into(),
        };
        Self::plain(Action::Back, "back".into(), replay)
    }

    /// Goes to an address.
    pub(super) fn navigate(url: &str) -> Self {
        let url = url.to_owned();
        let text = format!("navigate to {url}");
        Self::plain(
            Action::Navigate { url: url.clone() },
            text,
            Replay::Navigate { url },
        )
    }

    /// The same as a hop.
    pub(super) fn into_hop(self) -> Self {
        Self {
            navigation: true,
            trial: None,
            ..self
        }
    }

    /// Whether it exercises the app, as taps and inputs do.
    pub(super) fn is_exercise(&self) -> bool {
        !matches!(self.action, Action::Back | Action::Navigate { .. })
    }

    fn plain(action: Action, text: String, replay: Replay) -> Self {
        Self {
            action,
            text,
            replay,
            trial: None,
            touched: None,
            navigation: false,
        }
    }
}

fn select(
    target: Target,
    element_key: ElementKey,
    option: &str,
    label: &str,
) -> (Action, String, Replay) {
    let option = option.to_owned();
    (
        Action::Select {
            target,
            option: option.clone(),
        },
        format!("select {option:?} in {label}"),
        Replay::Select {
            element_key,
            option,
        },
    )
}

fn target(node: &Node, key: &ElementKey) -> Target {
    Target {
        node_ref: NodeRef::clone(&node.node_ref),
        key: key.clone(),
    }
}

fn touched(node: &Node) -> Option<[f64; 4]> {
    let bounds = node.bounds?;
    Some([bounds.x, bounds.y, bounds.width, bounds.height])
}

/// An element as a person knows it: `textbox "Email"`.
fn label(node: &Node) -> String {
    let name = [Some(node.name.as_str()), node.id.as_deref()]
        .into_iter()
        .flatten()
        .find(|name| !name.trim().is_empty())
        .unwrap_or("(no label)");
    format!("{} \"{}\"", node.role, crate::clip(name.trim(), 80))
}
