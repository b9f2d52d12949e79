//! A name for an element that will still be its name next time (section 16).

use qa_core::{Observation, Platform, Predicate, is_generated_id};

use super::Reason;

const UNNAMED: Reason = (
    "TARGET_HAS_NO_ACCESSIBLE_NAME",
    "nothing but its place tells it from others",
);
const TWINS: Reason = ("TARGET_NOT_UNIQUE", "others have the same role and name");

/// A predicate that only this node matches, in the words of older scenario files where they do
/// (VIEW-012), and what weakens it.
pub(super) fn durable(
    view: &Observation,
    index: usize,
) -> Result<(Predicate, Option<&'static str>), Reason> {
    if view.platform != Platform::Web {
        return durable_on_phone(view, index);
    }
    let node = &view.nodes[index];
    let own = (node.role.as_str(), node.name.as_str());
    let (role, name) = match &node.seed {
        Some(seed) if !seed.name.trim().is_empty() => (seed.role.as_str(), seed.name.as_str()),
        _ => own,
    };
    if name.trim().is_empty() && own.1.trim().is_empty() {
        return Err(UNNAMED);
    }
    let weak = view
        .completeness
        .truncated
        .then_some("the view was not complete");
    let is_unique = |predicate: &Predicate| {
        let found = predicate.matches(view, None);
        matches!(found[..], [one] if one.index == index)
    };
    let by_name = Predicate {
        name: Some(name.to_owned()),
        role_hint: Some(role.to_owned()),
        ..Predicate::default()
    };
    // Roles drift when pages come to life; names hold longer (REP-119).
    if is_unique(&by_name) {
        return Ok((by_name, weak));
    }
    let both = |(role, name): (&str, &str)| Predicate {
        role: Some(role.to_owned()),
        name: Some(name.to_owned()),
        ..Predicate::default()
    };
    if is_unique(&both((role, name))) {
        return Ok((both((role, name)), weak));
    }
    if is_unique(&both(own)) {
        return Ok((both(own), Some("only its ARIA name is unique")));
    }
    Err(TWINS)
}

/// Role, name and identifier as far as it has them, together unique (REP-121).
fn durable_on_phone(
    view: &Observation,
    index: usize,
) -> Result<(Predicate, Option<&'static str>), Reason> {
    let node = &view.nodes[index];
    let id = node.id.as_deref().filter(|id| !is_generated_id(id));
    let filled = |text: &str| Some(text.to_owned()).filter(|text| !text.trim().is_empty());
    let predicate = Predicate {
        role: filled(&node.role),
        name: filled(&node.name),
        identifier: id.and_then(filled),
        ..Predicate::default()
    };
    if predicate.name.is_none() && predicate.identifier.is_none() {
        return Err(UNNAMED);
    }
    if predicate.matches(view, None).len() > 1 {
        return Err(TWINS);
    }
    let weak = if view.completeness.truncated {
        Some("the view was not complete")
    } else if predicate.identifier.is_none() {
        Some("its element has no identifier")
    } else {
        None
    };
    Ok((predicate, weak))
}
