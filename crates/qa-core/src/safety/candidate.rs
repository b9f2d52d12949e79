//! Which elements of a view may be tried.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Blocklist, Boundary, commit_sign};
use crate::{ElementKey, Inputs, Node, Observation, Platform};

/// Something that may be tried on a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// Index of the element in its observation.
    pub node_index: usize,
    /// The element.
    pub key: ElementKey,
    /// What the state graph marks as seen; differs from `key` where one element can be tried in
    /// several ways.
    pub trial: ElementKey,
    /// What to do with it.
    pub action: CandidateAction,
    /// The element as a person knows it.
    pub label: String,
}

/// What to do with a candidate.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum CandidateAction {
    /// Tap it.
    Tap,
    /// Press Enter in it.
    Enter,
    /// Choose an option of it.
    Select {
        /// Label of the option, else its value.
        option: String,
    },
}

/// Everything on a view that could be tried, and what may not be.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Candidates {
    /// In document order; no two have the same `trial`.
    pub offered: Vec<Candidate>,
    /// Elements that a rule of safety keeps from being touched.
    pub refused: Vec<Refusal>,
    /// How many candidates were left out because an earlier one has the same key.
    pub duplicates: u64,
}

/// An element that is never touched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The rule, in one word: `blocklist:Log Out`, `external-link`, `external-scheme`,
    /// `foreign-form`, `secret-field`, `key-twin` or `gone`.
    pub rule: String,
    /// The element as a person knows it.
    pub label: String,
    /// The element.
    pub key: ElementKey,
}

/// Greatest number of options that are tried of one list control.
const MAX_OPTIONS: usize = 3;

/// What may be tried on a view, in document order, and what may not.
#[must_use]
pub fn candidates(
    view: &Observation,
    boundary: &Boundary,
    blocklist: &Blocklist,
    inputs: &Inputs,
) -> Candidates {
    let survey = Survey::new(view, blocklist);
    let mut found = Candidates::default();
    let mut trials = FxHashSet::default();
    for (index, node) in view.nodes.iter().enumerate() {
        if !is_eligible(view, boundary, index, node) || survey.is_redundant_label(index) {
            continue;
        }
        let key = survey.keys[index].clone();
        let label = label(node);
        if let Some(rule) = survey.refusal(index, boundary) {
            found.refused.push(Refusal { rule, label, key });
            continue;
        }
        if is_text_entry(view.platform, node) && node.flags.secret {
            found.refused.push(Refusal {
                rule: "secret-field".into(),
                label,
                key,
            });
            continue;
        }
        for action in actions(view.platform, node, inputs) {
            if let CandidateAction::Select { option } = &action {
                if let Some(hit) = blocklist.hit(option) {
                    found.refused.push(Refusal {
                        rule: format!("blocklist:{}", hit.word),
                        label: format!("{label}: {option}"),
                        key: key.clone(),
                    });
                    continue;
                }
            }
            let trial = trial_key(&key, &action);
            if !trials.insert(trial.clone()) {
                found.duplicates += 1;
                continue;
            }
            found.offered.push(Candidate {
                node_index: index,
                key: key.clone(),
                trial,
                action,
                label: label.clone(),
            });
        }
    }
    found
}

/// Looks at a candidate once more in a newer view, right before it is tapped: where it is now, or
/// why it may no longer be touched (EXP-022).
pub fn recheck(
    view: &Observation,
    candidate: &Candidate,
    boundary: &Boundary,
    blocklist: &Blocklist,
) -> Result<usize, Refusal> {
    let refuse = |rule: String| Refusal {
        rule,
        label: candidate.label.clone(),
        key: candidate.key.clone(),
    };
    let survey = Survey::new(view, blocklist);
    let index = survey
        .keys
        .iter()
        .position(|key| *key == candidate.key)
        .filter(|&index| is_eligible(view, boundary, index, &view.nodes[index]))
        .ok_or_else(|| refuse("gone".into()))?;
    if let Some(rule) = survey.refusal(index, boundary) {
        return Err(refuse(rule));
    }
    if let CandidateAction::Select { option } = &candidate.action {
        if let Some(hit) = blocklist.hit(option) {
            return Err(refuse(format!("blocklist:{}", hit.word)));
        }
    }
    Ok(index)
}

/// What the rules need to know of a whole view, found in one pass.
struct Survey<'a> {
    view: &'a Observation,
    keys: Vec<ElementKey>,
    /// Per node the word its own texts meet.
    hits: Vec<Option<String>>,
    /// Per node the word that it or anything below it meets.
    deep_hits: Vec<Option<String>>,
    /// Words by the keys of elements that meet them.
    hit_keys: FxHashMap<ElementKey, String>,
    /// Names of labels whose control is on the page itself.
    labelled: FxHashSet<String>,
}

impl<'a> Survey<'a> {
    fn new(view: &'a Observation, blocklist: &Blocklist) -> Self {
        let keys: Vec<_> = view
            .nodes
            .iter()
            .map(|node| ElementKey::of(view.platform, node))
            .collect();
        let hits: Vec<Option<String>> = view
            .nodes
            .iter()
            .map(|node| blocklist.hit_any(texts(node)).map(|hit| hit.word))
            .collect();
        let mut deep_hits = hits.clone();
        for index in (0..view.nodes.len()).rev() {
            let node = &view.nodes[index];
            // On the web a click on a container does not click the controls inside it; those that
            // lie under the very point are met by the rule about overlays.
            let stops = view.platform == Platform::Web && node.flags.actionable;
            if let (Some(parent), Some(word), false) = (node.parent, &deep_hits[index], stops) {
                if deep_hits[parent].is_none() {
                    deep_hits[parent] = Some(word.clone());
                }
            }
        }
        let mut hit_keys = FxHashMap::default();
        for (key, hit) in keys.iter().zip(&hits) {
            if let Some(word) = hit {
                hit_keys.entry(key.clone()).or_insert_with(|| word.clone());
            }
        }
        let labelled = view
            .nodes
            .iter()
            .filter(|node| node.field.is_some() && node.class != "label")
            .flat_map(|node| {
                let label = node.field.as_ref().and_then(|field| field.label.as_deref());
                [label, Some(node.name.as_str())]
            })
            .flatten()
            .map(super::plain)
            .collect();
        Self {
            view,
            keys,
            hits,
            deep_hits,
            hit_keys,
            labelled,
        }
    }

    /// The rule that keeps an element from being touched.
    fn refusal(&self, index: usize, boundary: &Boundary) -> Option<String> {
        let node = &self.view.nodes[index];
        let blocked = |word: &String| format!("blocklist:{word}");
        if let Some(word) = &self.deep_hits[index] {
            return Some(blocked(word));
        }
        if let Some(sign) = commit_sign(node, boundary) {
            return Some(sign.code().into());
        }
        if self.hit_keys.contains_key(&self.keys[index]) {
            return Some("key-twin".into());
        }
        self.overlay(index).map(blocked)
    }

    /// The word of something that is drawn later and lies over the tap point (EXP-020).
    fn overlay(&self, index: usize) -> Option<&String> {
        let (x, y) = self.view.nodes[index].bounds?.center();
        self.view.nodes[index + 1..]
            .iter()
            .zip(&self.hits[index + 1..])
            .filter(|(node, _)| node.flags.visible)
            .filter(|(node, _)| node.bounds.is_some_and(|bounds| bounds.contains(x, y)))
            .find_map(|(_, hit)| hit.as_ref())
    }

    /// Whether it is the label of a control that can be tried itself.
    fn is_redundant_label(&self, index: usize) -> bool {
        let node = &self.view.nodes[index];
        self.view.platform == Platform::Web
            && node.class == "label"
            && self.labelled.contains(&super::plain(&node.name))
    }
}

/// Whether a person could act on it now, and may by the boundary.
fn is_eligible(view: &Observation, boundary: &Boundary, _index: usize, node: &Node) -> bool {
    let usable = node.flags.visible
        && !node.flags.obscured
        && node.states.disabled != Some(true)
        && boundary.owns(node);
    if !usable {
        return false;
    }
    match view.platform {
        Platform::Web | Platform::Android => node.flags.actionable,
        Platform::Ios => is_ios_candidate(view, node),
    }
}

/// EXP-142, EXP-143, EXP-145.
fn is_ios_candidate(view: &Observation, node: &Node) -> bool {
    const INTERACTIVE: [&str; 14] = [
        "button",
        "link",
        "cell",
        "tab",
        "menuitem",
        "textfield",
        "securetextfield",
        "searchfield",
        "switch",
        "toggle",
        "checkbox",
        "slider",
        "image",
        "icon",
    ];
    let Some(bounds) = node.bounds.filter(|bounds| !bounds.is_empty()) else {
        return false;
    };
    let finite = [bounds.x, bounds.y, bounds.width, bounds.height]
        .iter()
        .all(|figure| figure.is_finite());
    let (x, y) = bounds.center();
    let (width, height) = view.viewport;
    let on_screen = x > 0.0 && y > 0.0 && x < width && y < height;
    let kind = node
        .class
        .strip_prefix("XCUIElementType")
        .unwrap_or(&node.class)
        .to_lowercase();
    let identified = node.id.as_deref().is_some_and(|id| !id.trim().is_empty());
    finite
        && on_screen
        && (INTERACTIVE.contains(&kind.as_str())
            || identified && kind != "application" && kind != "window")
}

/// The ways to try an element.
fn actions(platform: Platform, node: &Node, inputs: &Inputs) -> Vec<CandidateAction> {
    if platform != Platform::Web {
        return vec![CandidateAction::Tap];
    }
    if let Some(field) = node.field.as_ref().filter(|field| field.kind == "select") {
        return field
            .choices
            .iter()
            .filter(|choice| !choice.disabled && !choice.selected)
            .map(|choice| {
                let label = choice.label.trim();
                if label.is_empty() {
                    choice.value.clone()
                } else {
                    label.to_owned()
                }
            })
            .filter(|option| !option.is_empty())
            .take(MAX_OPTIONS)
            .map(|option| CandidateAction::Select { option })
            .collect();
    }
    if !is_text_entry(platform, node) {
        return vec![CandidateAction::Tap];
    }
    let mut actions = Vec::new();
    if node.role == "combobox" {
        actions.push(CandidateAction::Tap);
    }
    let one_line = !node
        .field
        .as_ref()
        .is_some_and(|field| matches!(field.kind.as_str(), "textarea" | "contenteditable"));
    if one_line && *inputs != Inputs::None && node.states.readonly != Some(true) {
        actions.push(CandidateAction::Enter);
    }
    actions
}

/// Whether it is a field of the web that takes typed text.
fn is_text_entry(platform: Platform, node: &Node) -> bool {
    platform == Platform::Web
        && node.flags.editable
        && matches!(
            node.role.as_str(),
            "textbox" | "searchbox" | "spinbutton" | "combobox"
        )
}

fn trial_key(key: &ElementKey, action: &CandidateAction) -> ElementKey {
    match action {
        CandidateAction::Tap => key.clone(),
        CandidateAction::Enter => ElementKey(format!("{key}#enter")),
        CandidateAction::Select { option } => ElementKey(format!("{key}#option:{option}")),
    }
}

/// Every text by which the blocklist knows an element (EXP-019, WEB-013).
fn texts(node: &Node) -> impl Iterator<Item = &str> {
    let field = node.field.as_deref();
    [
        Some(node.name.as_str()),
        node.text.as_deref(),
        node.description.as_deref(),
        node.value.as_deref(),
        node.id.as_deref(),
        node.test_id.as_deref(),
        node.link.as_deref(),
        field.and_then(|field| field.placeholder.as_deref()),
        field.and_then(|field| field.label.as_deref()),
    ]
    .into_iter()
    .flatten()
    .filter(|text| !text.trim().is_empty())
}

/// An element as a person knows it: `button "Save"`.
fn label(node: &Node) -> String {
    let id = node
        .id
        .as_deref()
        .map(|id| id.rsplit('/').next().unwrap_or(id));
    let name = [
        Some(node.name.as_str()),
        node.text.as_deref(),
        node.description.as_deref(),
        node.test_id.as_deref(),
        id,
    ]
    .into_iter()
    .flatten()
    .map(str::trim)
    .find(|name| !name.is_empty())
    .unwrap_or("(no label)");
    let role = if node.role.is_empty() {
        &node.class
    } else {
        &node.role
    };
    let short: String = name.chars().take(80).collect();
    format!("{role} \"{short}\"")
}
