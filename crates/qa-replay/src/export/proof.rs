//! What an action brought, as a claim that can be judged again (REP-106 to REP-113).

use std::collections::HashSet;

use qa_core::{Claim, Node, Observation, PageAddress, Predicate, Settle, Valued};

use super::{Event, Proof, Reason};
use crate::Action;

/// A changed node so near to the target, in document order, is likely its outcome.
const NEAR: usize = 6;
/// Longer names of these are only all of their content.
const MAX_GATHERED: usize = 80;
/// These are named by their content, which changes with whatever is in them.
pub(crate) const GATHERING: [&str; 10] = [
    "search",
    "region",
    "list",
    "listbox",
    "group",
    "navigation",
    "main",
    "form",
    "table",
    "menu",
];
const TELLING: [&str; 4] = ["alert", "status", "dialog", "heading"];

const NOTHING: Reason = (
    "ASSERTION_NOT_PROVABLE",
    "nothing that can be named came of it",
);

/// The best proof of what came of an action: its own value, a changed address, a new node.
pub(super) fn of(event: &Event, action: &Action) -> Result<Proof, Reason> {
    let missing = ("FRESH_OBSERVATION_MISSING", "no view was read after it");
    let (Some(before), Some(after)) = (&event.before, &event.after) else {
        return Err(missing);
    };
    if event
        .settle
        .is_none_or(|settle| settle == Settle::Unsettled)
    {
        return Err(("ASSERTION_NOT_PROVABLE", "the page never came to rest"));
    }
    let plain = |claim| {
        Ok(Proof {
            claim,
            weak: Vec::new(),
        })
    };
    if let (Action::Fill { text, .. }, Some(index)) = (action, event.node)
        && let Some(claim) = value(&before.nodes[index], after, text)
    {
        return plain(claim);
    }
    if matches!(
        action,
        Action::Scroll {
            direction: None,
            ..
        }
    ) && let Some(index) = event.node
        && let Some(claim) = seen(&before.nodes[index], after)
    {
        return plain(claim);
    }
    if let (Some(from), Some(to)) = (&before.url, &after.url) {
        let (from, to) = (without_query(from), without_query(to));
        if from != to {
            return plain(Claim::PageUrl(PageAddress::Url(to.to_owned())));
        }
    }
    if let Some(proof) = new_node(before, after, event.node) {
        return Ok(proof);
    }
    let came = matches!(action, Action::Scroll { .. }).then(|| came_into_view(before, after));
    came.flatten().map_or(Err(NOTHING), plain)
}

/// That an element is on the screen.
fn seen(element: &Node, after: &Observation) -> Option<Claim> {
    let node = after.node(&element.node_ref)?;
    let predicate = named(node);
    let is_one = predicate.name.is_some() && predicate.matches(after, None).len() == 1;
    (is_one && node.flags.in_viewport).then_some(Claim::NodeInViewport(predicate))
}

/// That something is on the screen that was not.
fn came_into_view(before: &Observation, after: &Observation) -> Option<Claim> {
    let far = before.nodes.iter().filter(|node| !node.flags.in_viewport);
    far.filter(|node| !is_time(&node.name))
        .find_map(|node| seen(node, after))
}

/// That the target is where it was: no proof, but better than none for what broke.
pub(super) fn still_there(event: &Event, target: Option<&Predicate>) -> Option<Claim> {
    let after = event.after.as_ref().or(event.before.as_ref())?;
    let node = event.before.as_ref()?.nodes.get(event.node?)?;
    let by_role = target.map(|target| Predicate {
        role: target.role.clone().or_else(|| target.role_hint.clone()),
        role_hint: None,
        ..target.clone()
    });
    let there = by_role.filter(|by_role| !by_role.matches(after, None).is_empty());
    let there = there.or_else(|| first_heading(after));
    there.map(Claim::NodePresent).or_else(|| {
        let url = without_query(after.url.as_deref()?);
        let is_somewhere = !node.name.is_empty();
        is_somewhere.then(|| Claim::PageUrl(PageAddress::Url(url.to_owned())))
    })
}

fn first_heading(view: &Observation) -> Option<Predicate> {
    let headings = view.nodes.iter().filter(|node| node.role == "heading");
    headings.map(named).find(|heading| heading.name.is_some())
}

fn without_query(url: &str) -> &str {
    url.split(['?', '#']).next().unwrap_or_default()
}

/// That the field shows what was typed.
fn value(field: &Node, after: &Observation, text: &str) -> Option<Claim> {
    let shown = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let node = after
        .nodes
        .iter()
        .find(|node| node.node_ref == field.node_ref)?;
    let flags = node.flags;
    let is_readable = !(flags.value_withheld || flags.secret || flags.value_truncated);
    let predicate = named(node);
    let is_one = predicate.name.is_some() && predicate.matches(after, None).len() == 1;
    let holds = is_readable && is_one && node.value.as_deref() == Some(shown.as_str());
    holds.then_some(Claim::NodeValue(Valued {
        node: predicate,
        value: shown,
    }))
}

/// Role and name of a node, in the words of older scenario files where it has some.
fn named(node: &Node) -> Predicate {
    let (role, name) = node.seed.as_ref().map_or_else(
        || (node.role.clone(), node.name.clone()),
        |seed| (seed.role.clone(), seed.name.clone()),
    );
    Predicate {
        role: Some(role),
        name: Some(name).filter(|name| !name.trim().is_empty()),
        ..Predicate::default()
    }
}

/// Whether a name tells a time of day, which is another one next time.
fn is_time(name: &str) -> bool {
    let parts: Vec<&str> = name.split(':').collect();
    parts.windows(2).any(|pair| {
        let digits = |part: &str, count: usize| {
            part.len() >= count && part.bytes().take(count).all(|b| b.is_ascii_digit())
        };
        pair[0].ends_with(|c: char| c.is_ascii_digit()) && digits(pair[1], 2)
    })
}

/// A node that was not there before, and is the only one of its role and name.
fn new_node(before: &Observation, after: &Observation, target: Option<usize>) -> Option<Proof> {
    let known: HashSet<(&str, &str)> = before
        .nodes
        .iter()
        .map(|node| (node.role.as_str(), node.name.as_str()))
        .collect();
    let place = target.and_then(|target| {
        let wanted = &before.nodes[target].node_ref;
        after.nodes.iter().position(|node| &node.node_ref == wanted)
    });
    let is_new = |node: &Node| {
        let gathers = GATHERING.contains(&node.role.as_str());
        let is_fragile = gathers && node.name.chars().count() > MAX_GATHERED;
        let is_named = !node.name.trim().is_empty();
        is_named
            && !is_fragile
            && !is_time(&node.name)
            && !known.contains(&(node.role.as_str(), node.name.as_str()))
    };
    let rank = |(index, node): &(usize, &Node)| {
        let is_near = place.is_some_and(|place| place.abs_diff(*index) <= NEAR);
        // A counter may be another one next time.
        let counts = node.name.chars().any(char::is_numeric);
        let tells = TELLING.contains(&node.role.as_str());
        (counts, !is_near, !tells, *index)
    };
    let mut found: Vec<(usize, &Node)> = after
        .nodes
        .iter()
        .enumerate()
        .filter(|(_, node)| is_new(node))
        .collect();
    found.sort_by_key(rank);
    let unique = found.into_iter().find_map(|(index, node)| {
        let predicate = named(node);
        let is_one = predicate.name.is_some() && predicate.matches(after, None).len() == 1;
        is_one.then_some((index, node, predicate))
    });
    let (index, node, predicate) = unique?;
    let mut weak = Vec::new();
    if place.is_none_or(|place| place.abs_diff(index) > NEAR)
        && !TELLING.contains(&node.role.as_str())
    {
        weak.push("what changed is not near the target");
    }
    if node.name.chars().any(char::is_numeric) {
        weak.push("its name holds a number");
    }
    if before.completeness.truncated || after.completeness.truncated {
        weak.push("a view was not complete");
    }
    Some(Proof {
        claim: Claim::NodePresent(predicate),
        weak,
    })
}
