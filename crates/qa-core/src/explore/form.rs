//! Filling what is empty before something is submitted (WEB-060).

use std::collections::BTreeSet;

use super::deed::Deed;
use super::here::Here;
use super::run::{Flow, Run};
use crate::{
    Candidate, CandidateAction, Capability, ElementKey, Inputs, Node, Observation, Toggle,
    input_value,
};

/// Which fields a round of filling is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Filling {
    /// What is empty.
    Empty,
    /// What is empty, and what the app has rejected.
    Rejected,
}

/// What to do to a field.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Entry {
    Text(String),
    Option(String),
    Check,
    /// This time it is left as it is, on purpose.
    Leave,
}

impl Run<'_> {
    /// Fills the fields that go with a submitting element, each in a formal step. Says how many,
    /// or `None` where the app or the page was lost on the way.
    pub(super) async fn fill_form(
        &mut self,
        submit: &ElementKey,
        filling: Filling,
    ) -> Flow<Option<u32>> {
        if self.config.inputs == Inputs::None || !self.can(Capability::Fill) {
            return Ok(Some(0));
        }
        let mut attempted = BTreeSet::new();
        let mut filled = 0;
        loop {
            let Some(page) = self.here.as_ref().and_then(Here::target_page) else {
                return Ok(None);
            };
            let Some((key, deed)) = self.next_entry(submit, filling, &attempted) else {
                return Ok(Some(filled));
            };
            attempted.insert(key.clone());
            *self.fills.entry((page, key.clone())).or_default() += 1;
            let Some(deed) = deed else { continue };
            if !self.perform(deed).await?.alive {
                self.poison.insert(key);
                return Ok(None);
            }
            filled += 1;
        }
    }

    /// The next field that is due, and what to do to it, if anything.
    fn next_entry(
        &self,
        submit: &ElementKey,
        filling: Filling,
        attempted: &BTreeSet<ElementKey>,
    ) -> Option<(ElementKey, Option<Deed>)> {
        let here = self.here.as_ref()?;
        let view = &here.view;
        let submit = position(view, submit)?;
        scope(view, submit).find_map(|index| {
            let node = view.nodes.get(index)?;
            let key = ElementKey::of(view.platform, node);
            let refused = here.found.refused.iter().any(|refusal| refusal.key == key);
            let usable = node.flags.visible
                && !node.flags.obscured
                && self.boundary.owns(node)
                && position(view, &key) == Some(index);
            if refused || !usable || attempted.contains(&key) || self.poison.contains(&key) {
                return None;
            }
            let visit = self.fills.get(&(here.page.clone(), key.clone()));
            let deed = match self.entry(view, node, filling, visit.copied().unwrap_or(0))? {
                Entry::Text(value) => Some(Deed::fill(node, &key, &value)),
                Entry::Option(option) => Some(Deed::select(node, &key, &option)),
                Entry::Check => Some(Deed::tap(node, &key)),
                Entry::Leave => None,
            };
            Some((key, deed))
        })
    }

    /// What a field needs, if it needs anything. What the app rejected gets the plainest value.
    fn entry(
        &self,
        view: &Observation,
        node: &Node,
        filling: Filling,
        visit: u32,
    ) -> Option<Entry> {
        if needs_check(view, node) {
            return Some(Entry::Check);
        }
        let held = node.value.as_deref().unwrap_or_default();
        let rejected = filling == Filling::Rejected && node.states.invalid == Some(true);
        if !held.trim().is_empty() && !rejected {
            return None;
        }
        if is_list(node) {
            return first_option(node).map(Entry::Option);
        }
        let visit = if rejected { 0 } else { visit };
        let value = input_value(node, &self.config.inputs, self.config.seed, visit)?;
        Some(if value == held {
            Entry::Leave
        } else {
            Entry::Text(value)
        })
    }
}

/// Whether a candidate sends what was entered.
pub(super) fn submits(candidate: &Candidate, view: &Observation) -> bool {
    let node = view.nodes.get(candidate.node_index);
    candidate.action == CandidateAction::Enter
        || candidate.action == CandidateAction::Tap
            && node.is_some_and(|node| {
                node.flags.submit || node.role == "button" && node.form.is_some()
            })
}

fn position(view: &Observation, key: &ElementKey) -> Option<usize> {
    view.nodes
        .iter()
        .position(|node| ElementKey::of(view.platform, node) == *key)
}

/// The elements that go with a submitting one: those of its form, else those of its dialog, else
/// all of the page that belong to no form.
fn scope(view: &Observation, submit: usize) -> impl Iterator<Item = usize> {
    let form = view.nodes[submit].form;
    let dialog = dialog_of(view, submit);
    (0..view.nodes.len()).filter(move |&index| match form {
        Some(_) => view.nodes[index].form == form,
        None => view.nodes[index].form.is_none() && dialog_of(view, index) == dialog,
    })
}

/// The dialog that an element is in.
fn dialog_of(view: &Observation, index: usize) -> Option<usize> {
    let mut at = Some(index);
    while let Some(index) = at {
        let node = view.nodes.get(index)?;
        if matches!(node.role.as_str(), "dialog" | "alertdialog") {
            return Some(index);
        }
        at = node.parent;
    }
    None
}

fn is_list(node: &Node) -> bool {
    node.field
        .as_ref()
        .is_some_and(|field| field.kind == "select")
}

/// The first option that says something.
fn first_option(node: &Node) -> Option<String> {
    let field = node.field.as_ref()?;
    let choice = field
        .choices
        .iter()
        .find(|choice| !choice.disabled && !choice.value.trim().is_empty())?;
    let label = choice.label.trim();
    Some(
        if label.is_empty() {
            &choice.value
        } else {
            label
        }
        .to_owned(),
    )
}

/// Whether a box must be checked and neither it nor another of its group is.
fn needs_check(view: &Observation, node: &Node) -> bool {
    let is_box = matches!(node.role.as_str(), "checkbox" | "radio" | "switch");
    if !is_box
        || node.states.required != Some(true)
        || node.states.checked != Some(Toggle::Off)
        || node.states.disabled == Some(true)
    {
        return false;
    }
    let group = |node: &Node| {
        node.field
            .as_ref()
            .and_then(|field| field.form_name.clone())
    };
    let Some(name) = group(node).filter(|_| node.role == "radio") else {
        return true;
    };
    !view.nodes.iter().any(|other| {
        other.form == node.form
            && other.states.checked == Some(Toggle::On)
            && group(other).as_ref() == Some(&name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Choice, Field, States};

    fn node(role: &str, form: Option<usize>, parent: Option<usize>) -> Node {
        Node {
            role: role.into(),
            form,
            parent,
            ..Node::default()
        }
    }

    fn view(nodes: Vec<Node>) -> Observation {
        Observation {
            platform: crate::Platform::Web,
            front: None,
            url: None,
            title: String::new(),
            viewport: (0.0, 0.0),
            nodes,
            completeness: crate::Completeness::default(),
            document: 1,
            animating: Vec::new(),
        }
    }

    // WEB-060
    #[test]
    fn the_scope_is_the_form_else_the_dialog_else_the_page() {
        let view = view(vec![
            node("group", None, None),
            node("textbox", None, Some(0)),
            node("textbox", Some(0), Some(0)),
            node("button", Some(0), Some(0)),
            node("dialog", None, Some(0)),
            node("textbox", None, Some(4)),
            node("button", None, Some(4)),
        ]);
        assert_eq!(scope(&view, 3).collect::<Vec<_>>(), [2, 3]);
        assert_eq!(scope(&view, 6).collect::<Vec<_>>(), [4, 5, 6]);
        assert_eq!(scope(&view, 1).collect::<Vec<_>>(), [0, 1]);
    }

    #[test]
    fn one_radio_of_a_group_is_enough() {
        let radio = |checked| Node {
            states: States {
                checked: Some(checked),
                required: Some(true),
                ..States::default()
            },
            field: Some(Box::new(Field {
                form_name: Some("size".into()),
                ..Field::default()
            })),
            ..node("radio", None, None)
        };
        let open = view(vec![radio(Toggle::Off), radio(Toggle::Off)]);
        assert!(needs_check(&open, &open.nodes[0]));
        let chosen = view(vec![radio(Toggle::Off), radio(Toggle::On)]);
        assert!(!needs_check(&chosen, &chosen.nodes[0]));
    }

    #[test]
    fn the_first_real_option_is_chosen() {
        let choice = |value: &str, label: &str, disabled| Choice {
            value: value.into(),
            label: label.into(),
            disabled,
            selected: false,
        };
        let mut list = node("combobox", None, None);
        list.field = Some(Box::new(Field {
            choices: vec![
                choice("", "Choose…", false),
                choice("a", "A", true),
                choice("b", "Second", false),
            ],
            ..Field::default()
        }));
        assert_eq!(first_option(&list).as_deref(), Some("Second"));
    }
}
