//! What an action brought, as a claim that can be judged again (REP-106 to REP-113).

use std::collections::{HashMap, HashSet};

use qa_core::{
    Claim, Node, NodeRef, Observation, PageAddress, Predicate, ReceiptStatus, Settle, States,
    Valued, Verdict, judge,
};

use super::{Event, Reason, trace};
use crate::Action;
use crate::run::written;

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

pub(super) const NOTHING: Reason = (
    "ASSERTION_NOT_PROVABLE",
    "nothing that can be named came of it",
);

const FRAGILE: Reason = (
    "FRAGILE_PROOF_ONLY",
    "only what is named by all of its content has changed",
);

/// A proof, and what weakens it.
pub(super) struct Proof {
    pub(super) claim: Claim,
    pub(super) weak: Vec<&'static str>,
}

/// The best proof of what came of an action. What held before proves nothing where the device
/// acknowledged nothing (REP-109).
pub(super) fn of(event: &Event, action: &Action) -> Result<Proof, Reason> {
    let proof = best(event, action)?;
    let receipt = event.receipt.as_ref();
    let is_unknown = receipt.is_none_or(|receipt| receipt.status == ReceiptStatus::Unknown);
    let held = |view| judge(&proof.claim, view, None).verdict == Verdict::Pass;
    if is_unknown && event.before.as_ref().is_some_and(held) {
        return Err((
            "ASSERTION_NOT_PROVABLE",
            "nothing acknowledged it, and nothing changed",
        ));
    }
    Ok(proof)
}

/// Its own value, a changed address, a new node.
fn best(event: &Event, action: &Action) -> Result<Proof, Reason> {
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
    let node = event.node();
    if let Some(index) = node
        && let Ok(done) = &event.action
        && let Some(claim) = value(&before.nodes[index], after, done)
    {
        return plain(claim);
    }
    if matches!(
        action,
        Action::Scroll {
            direction: None,
            ..
        }
    ) && let Some(index) = node
        && let Some(claim) = seen(&before.nodes[index], after)
    {
        return plain(claim);
    }
    if let (Some(from), Some(to)) = (&before.url, &after.url) {
        let (from, to) = (bare_address(from), bare_address(to));
        if from != to {
            return plain(Claim::PageUrl(PageAddress::Url(to.to_owned())));
        }
    }
    if let Some(proof) = new_node(before, after, node) {
        return Ok(proof);
    }
    let came = matches!(action, Action::Scroll { .. }).then(|| came_into_view(before, after));
    let nothing = if is_fragile_only(before, after) {
        FRAGILE
    } else {
        NOTHING
    };
    came.flatten().map_or(Err(nothing), plain)
}

/// Whether something that has a name is gone. No step is proven by that (REP-117).
pub(super) fn made_go(event: &Event) -> bool {
    let (Some(before), Some(after)) = (&event.before, &event.after) else {
        return false;
    };
    let known: HashSet<(&str, &str)> = after
        .nodes
        .iter()
        .map(|node| (node.role.as_str(), node.name.as_str()))
        .collect();
    let named = before.nodes.iter().filter(|node| is_lasting(&node.name));
    let mut named = named.map(|node| (node.role.as_str(), node.name.as_str()));
    named.any(|node| !known.contains(&node))
}

/// Whether something is in another state, or the target holds another value, which no claim can
/// tell: a box that is checked, a text that is too long to be read (REP-085).
pub(super) fn changed_state(event: &Event) -> bool {
    let (Some(before), Some(after)) = (&event.before, &event.after) else {
        return false;
    };
    let target = event.node();
    let later: HashMap<&NodeRef, &Node> = after
        .nodes
        .iter()
        .map(|node| (&node.node_ref, node))
        .collect();
    let mut nodes = before.nodes.iter().enumerate();
    nodes.any(|(index, node)| {
        later.get(&node.node_ref).is_some_and(|later| {
            let is_held_anew = Some(index) == target && later.value != node.value;
            is_held_anew || lasting(&later.states) != lasting(&node.states)
        })
    })
}

/// States without those that come and go by themselves.
fn lasting(states: &States) -> States {
    States {
        focused: None,
        busy: None,
        ..states.clone()
    }
}

/// Whether something new came, but only what is named by all of its content (REP-110).
fn is_fragile_only(before: &Observation, after: &Observation) -> bool {
    let mut gathered = after.nodes.iter().filter(|node| is_gathered(node));
    gathered.any(|node| {
        let mut known = before.nodes.iter();
        !known.any(|known| known.role == node.role && known.name == node.name)
    })
}

/// Whether a node's name is all of its content, and too much to last.
fn is_gathered(node: &Node) -> bool {
    GATHERING.contains(&node.role.as_str()) && node.name.chars().count() > MAX_GATHERED
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
    far.filter(|node| is_lasting(&node.name))
        .find_map(|node| seen(node, after))
}

/// That the target is where it was: no proof, but better than none for what broke.
pub(super) fn still_there(event: &Event, target: Option<&Predicate>) -> Option<Claim> {
    let after = event.after.as_ref().or(event.before.as_ref())?;
    let node = event.before.as_ref()?.nodes.get(event.node()?)?;
    let by_role = target.map(|target| Predicate {
        role: target.role.clone().or_else(|| target.role_hint.clone()),
        role_hint: None,
        ..target.clone()
    });
    let there = by_role.filter(|by_role| !by_role.matches(after, None).is_empty());
    let there = there.or_else(|| first_heading(after));
    there.map(Claim::NodePresent).or_else(|| {
        let url = bare_address(after.url.as_deref()?);
        let is_somewhere = !node.name.is_empty();
        is_somewhere.then(|| Claim::PageUrl(PageAddress::Url(url.to_owned())))
    })
}

fn first_heading(view: &Observation) -> Option<Predicate> {
    let headings = view.nodes.iter().filter(|node| node.role == "heading");
    let mut named = headings.map(named);
    named.find(|heading| heading.name.as_deref().is_some_and(is_lasting))
}

/// What a scenario keeps of an address: no query, and no fragment but one that is a route (`#/…`,
/// D-18).
#[must_use]
pub fn bare_address(url: &str) -> &str {
    let is_route = |part: &str| part.starts_with('/') || part.starts_with("!/");
    let fragment = url.split_once('#').map(|(_, fragment)| fragment);
    if fragment.is_some_and(is_route) && !url.contains('?') {
        url
    } else {
        url.split(['?', '#']).next().unwrap_or_default()
    }
}

/// That a field shows what was written or chosen (REP-112). Where writing made another element of
/// it, the one of its name or role that shows this is meant.
fn value(field: &Node, after: &Observation, done: &qa_core::Action) -> Option<Claim> {
    let text = written(done, field)?;
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    // A list tells the value of an option, not its label.
    let shows = |node: &Node| {
        let is_chosen = matches!(done, qa_core::Action::Select { .. }) && node.value != field.value;
        let flags = node.flags;
        let is_readable = !(flags.value_withheld || flags.secret || flags.value_truncated);
        is_readable
            && node
                .value
                .as_deref()
                .is_some_and(|value| is_chosen || value == text)
    };
    let only = |is_it: &dyn Fn(&Node) -> bool| {
        let mut found = after.nodes.iter().filter(|node| is_it(node) && shows(node));
        found.next().filter(|_| found.next().is_none())
    };
    let is_itself = |node: &Node| {
        node.node_ref == field.node_ref && (node.role == field.role || node.name == field.name)
    };
    let node = only(&is_itself)
        .or_else(|| only(&|node| node.name == field.name && !field.name.is_empty()))
        .or_else(|| only(&|node| node.role == field.role))?;
    let mut predicate = named(node);
    if node.role != field.role {
        predicate.role = None;
    }
    let is_one = predicate.name.is_some() && predicate.matches(after, None).len() == 1;
    is_one.then(|| {
        Claim::NodeValue(Valued {
            node: predicate,
            value: node.value.clone().unwrap_or_default(),
        })
    })
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

/// Whether a name will be the same next time, and may be written down.
fn is_lasting(name: &str) -> bool {
    !name.trim().is_empty() && !is_time(name) && !trace::is_marked(name)
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
        !is_gathered(node)
            && is_lasting(&node.name)
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
