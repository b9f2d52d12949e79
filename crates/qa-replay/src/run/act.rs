//! What a scenario's action is to a driver.

use std::collections::BTreeSet;

use qa_core::{Capability, ElementKey, Node, Observation, Target};

use crate::{Action, Amount, Direction, Predicate, Scenario};

/// The code of an action that a driver cannot do (REP-086).
pub const REFUSED_ACTIONS: &str = "ACTION_UNSUPPORTED_BY_DRIVER";

/// The steps whose action a driver with these capabilities cannot do, with the word of the action.
/// Such a scenario is refused before any app is started.
#[must_use]
pub fn unsupported(scenario: &Scenario, can: &BTreeSet<Capability>) -> Vec<(u64, &'static str)> {
    scenario
        .steps
        .iter()
        .filter_map(|step| {
            let (word, needed) = needs(&step.action);
            let is_there = needed.is_some_and(|needed| can.contains(&needed));
            (!is_there).then_some((step.index, word))
        })
        .collect()
}

/// The word of an action, and what a driver must be able to do for it; nothing where no driver of
/// ours can.
fn needs(action: &Action) -> (&'static str, Option<Capability>) {
    match action {
        Action::Click { .. } => ("click", Some(Capability::Tap)),
        Action::Fill { .. } => ("fill", Some(Capability::Fill)),
        Action::Press { .. } => ("press", Some(Capability::Press)),
        Action::Select { .. } => ("select", Some(Capability::Select)),
        Action::Navigate { .. } => ("navigate", Some(Capability::Navigate)),
        Action::Scroll {
            target: Some(_),
            direction: None,
            ..
        } => ("scroll to an element", Some(Capability::ScrollTo)),
        Action::Scroll { .. } => ("scroll", Some(Capability::Scroll)),
        Action::Focus { .. } => ("focus", Some(Capability::Focus)),
        Action::Hover { .. } => ("hover", Some(Capability::Hover)),
        Action::Type { .. } => ("type", Some(Capability::Type)),
        Action::Key { .. } => ("key", None),
        Action::VisualClick { .. } => ("visual_click", None),
        Action::VisualDrag { .. } => ("visual_drag", None),
        Action::VisualScroll { .. } => ("visual_scroll", None),
    }
}

/// The element that an action is meant for.
pub(super) fn target(action: &Action) -> Option<&Predicate> {
    match action {
        Action::Click { target }
        | Action::Focus { target }
        | Action::Hover { target }
        | Action::Fill { target, .. }
        | Action::Type { target, .. }
        | Action::Press { target, .. }
        | Action::Key { target, .. }
        | Action::Select { target, .. } => Some(target),
        Action::Scroll { target, .. } => target.as_ref(),
        Action::Navigate { .. }
        | Action::VisualClick { .. }
        | Action::VisualDrag { .. }
        | Action::VisualScroll { .. } => None,
    }
}

/// The action for the driver, on a live node where it has a target.
pub(super) fn bind(action: &Action, node: Option<&Node>, view: &Observation) -> qa_core::Action {
    let target = || {
        let node = node?;
        Some(Target {
            node_ref: node.node_ref.clone(),
            key: ElementKey::of(view.platform, node),
        })
    };
    let needed = || {
        target().unwrap_or_else(|| Target {
            node_ref: qa_core::NodeRef::default(),
            key: ElementKey(String::new()),
        })
    };
    match action {
        Action::Focus { .. } => qa_core::Action::Focus { target: needed() },
        Action::Hover { .. } => qa_core::Action::Hover { target: needed() },
        Action::Type { text, .. } => qa_core::Action::Type {
            target: needed(),
            text: text.clone(),
        },
        Action::Fill { text, .. } => qa_core::Action::Fill {
            target: needed(),
            text: text.clone(),
        },
        Action::Select { option, .. } => qa_core::Action::Select {
            target: needed(),
            option: option.clone(),
        },
        Action::Press { key, .. } => qa_core::Action::Press {
            target: target(),
            key: key.clone(),
        },
        Action::Navigate { url } => qa_core::Action::Navigate { url: url.clone() },
        Action::Scroll {
            direction: None, ..
        } => qa_core::Action::ScrollTo { target: needed() },
        Action::Scroll {
            direction, amount, ..
        } => qa_core::Action::Scroll {
            target: target(),
            dx: 0,
            dy: distance(*direction, *amount, view),
        },
        _ => qa_core::Action::Tap { target: needed() },
    }
}

/// How far a scroll goes, downwards.
#[expect(
    clippy::cast_possible_truncation,
    reason = "a cast to an integer stops at its limits"
)]
fn distance(direction: Option<Direction>, amount: Option<Amount>, view: &Observation) -> i32 {
    const LINE: f64 = 40.0;
    const PART_OF_PAGE: f64 = 0.9;
    let far = match amount {
        Some(Amount::Line) => LINE,
        Some(Amount::Units(units)) => units,
        Some(Amount::Page) | None => view.viewport.1 * PART_OF_PAGE,
    };
    match direction {
        Some(Direction::Up) => -far as i32,
        _ => far as i32,
    }
}
