//! A name for an element that will still be its name next time (section 16).

use qa_core::{Observation, Predicate};

use super::Reason;

/// A predicate that only this node matches, in the words of older scenario files where they do
/// (VIEW-012), and what weakens it.
pub(super) fn durable(
    view: &Observation,
    index: usize,
) -> Result<(Predicate, Option<&'static str>), Reason> {
    let node = &view.nodes[index];
    let own = (node.role.as_str(), node.name.as_str());
    let (role, name) = match &node.seed {
        Some(seed) if !seed.name.trim().is_empty() => (seed.role.as_str(), seed.name.as_str()),
        _ => own,
    };
    if name.trim().is_empty() && own.1.trim().is_empty() {
        return Err((
            "TARGET_HAS_NO_ACCESSIBLE_NAME",
            "nothing but its place tells it from others",
        ));
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
    Err(("TARGET_NOT_UNIQUE", "others have the same role and name"))
}
