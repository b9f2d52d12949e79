//! Which elements of a view may be tried.

use rustc_hash::FxHashSet;

use super::{Blocklist, Boundary, commit_sign};
use crate::{ElementKey, Inputs, Node, Observation, Platform, Replay};

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
        if !is_eligible(view, boundary, node) || survey.is_redundant_label(index) {
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
            if let Some(rule) = survey.refusal_of_action(index, &action, boundary, blocklist) {
                let label = match &action {
                    CandidateAction::Select { option } => format!("{label}: {option}"),
                    CandidateAction::Enter => format!("{label}: Enter"),
                    CandidateAction::Tap => label.clone(),
                };
                let key = key.clone();
                found.refused.push(Refusal { rule, label, key });
                continue;
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
    let index = (0..view.nodes.len())
        .find(|&index| {
            survey.keys[index] == candidate.key && is_eligible(view, boundary, &view.nodes[index])
        })
        .ok_or_else(|| refuse("gone".into()))?;
    if let Some(rule) = survey.refusal(index, boundary) {
        return Err(refuse(rule));
    }
    if let Some(rule) = survey.refusal_of_action(index, &candidate.action, boundary, blocklist) {
        return Err(refuse(rule));
    }
    Ok(index)
}

/// The rule that keeps an action from being done to an element of a view, whether or not a person
/// could do it just now.
#[must_use]
pub fn touch_refusal(
    view: &Observation,
    index: usize,
    action: &CandidateAction,
    boundary: &Boundary,
    blocklist: &Blocklist,
) -> Option<String> {
    if !boundary.owns(view.nodes.get(index)?) {
        return Some("outside".to_owned());
    }
    let survey = Survey::new(view, blocklist);
    survey
        .refusal(index, boundary)
        .or_else(|| survey.refusal_of_action(index, action, boundary, blocklist))
}

/// What the rules need to know of a whole view, found in one pass.
struct Survey<'a> {
    view: &'a Observation,
    keys: Vec<ElementKey>,
    /// Nodes whose own texts meet a word, with the word, in document order.
    hits: Vec<(usize, String)>,
    /// Per node the word that it or anything below it meets.
    deep_hits: Vec<Option<String>>,
    /// Keys of elements that meet a word.
    hit_keys: FxHashSet<ElementKey>,
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
        let hits: Vec<(usize, String)> = hits
            .into_iter()
            .enumerate()
            .filter_map(|(index, hit)| hit.map(|word| (index, word)))
            .collect();
        for index in (0..view.nodes.len()).rev() {
            let node = &view.nodes[index];
            // On the web a click on a container does not click the controls inside it; those that
            // lie under the very point are met by the rule about overlays.
            let stops = view.platform == Platform::Web && node.flags.actionable;
            if let (Some(parent), Some(word), false) = (node.parent, &deep_hits[index], stops)
                && deep_hits[parent].is_none()
            {
                deep_hits[parent] = Some(word.clone());
            }
        }
        let mut hit_keys = FxHashSet::default();
        for (index, _) in &hits {
            hit_keys.insert(keys[*index].clone());
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
        if self.hit_keys.contains(&self.keys[index]) {
            return Some("key-twin".into());
        }
        self.overlay(index).map(blocked)
    }

    /// The rule that keeps an action from being done to an element that may be touched. Enter in a
    /// field does what the form's button would do, so it is refused where that button is.
    fn refusal_of_action(
        &self,
        index: usize,
        action: &CandidateAction,
        boundary: &Boundary,
        blocklist: &Blocklist,
    ) -> Option<String> {
        match action {
            CandidateAction::Tap => None,
            CandidateAction::Select { option } => blocklist
                .hit(option)
                .map(|hit| format!("blocklist:{}", hit.word)),
            CandidateAction::Enter => {
                let form = self.view.nodes[index].form?;
                let sends = |node: &Node| node.form == Some(form) && node.flags.submit;
                (0..self.view.nodes.len())
                    .filter(|&other| sends(&self.view.nodes[other]))
                    .find_map(|other| self.refusal(other, boundary))
            }
        }
    }

    /// The word of something that is drawn later and lies over the tap point (EXP-020).
    fn overlay(&self, index: usize) -> Option<&String> {
        let (x, y) = self.view.nodes[index].bounds?.center();
        self.hits
            .iter()
            .filter(|(later, _)| *later > index)
            .map(|(later, word)| (&self.view.nodes[*later], word))
            .filter(|(node, _)| node.flags.visible)
            .find(|(node, _)| node.bounds.is_some_and(|bounds| bounds.contains(x, y)))
            .map(|(_, word)| word)
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
fn is_eligible(view: &Observation, boundary: &Boundary, node: &Node) -> bool {
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
    // In a form, a text of several lines is filled before the form is sent; without one, nobody
    // else would write into it.
    let on_its_own = one_line || node.form.is_none();
    if on_its_own && *inputs != Inputs::None && node.states.readonly != Some(true) {
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

/// What the graph calls an attempt, of how it is done again; nothing for what is no candidate.
pub(crate) fn trial_of(replay: &Replay) -> Option<ElementKey> {
    let (key, action) = match replay {
        Replay::Tap { element_key } => (element_key, CandidateAction::Tap),
        Replay::PressKey {
            element_key: Some(key),
            ..
        } => (key, CandidateAction::Enter),
        Replay::Select {
            element_key,
            option,
        } => {
            let option = option.clone();
            (element_key, CandidateAction::Select { option })
        }
        _ => return None,
    };
    Some(trial_key(key, &action))
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
    format!("{role} \"{}\"", crate::clip(name, 80))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Bounds, Choice, Completeness, Field, Flags, States, any_observation};

    const WEB: &str = "https://shop.test";

    fn node(role: &str, name: &str) -> Node {
        Node {
            role: role.into(),
            name: name.into(),
            class: role.into(),
            flags: Flags {
                actionable: true,
                visible: true,
                in_viewport: true,
                editable: role == "textbox",
                ..Flags::default()
            },
            ..Node::default()
        }
    }

    fn view(platform: Platform, nodes: Vec<Node>) -> Observation {
        Observation {
            platform,
            front: None,
            url: Some(WEB.into()),
            title: String::new(),
            viewport: (400.0, 800.0),
            nodes,
            completeness: Completeness::default(),
            document: 1,
            animating: Vec::new(),
        }
    }

    fn boundary(platform: Platform) -> Boundary {
        let owner = if platform == Platform::Web {
            WEB
        } else {
            "com.acme.app"
        };
        Boundary::new(platform, vec![owner.into()])
    }

    fn find(view: &Observation) -> Candidates {
        let inputs = Inputs::Synthetic;
        candidates(
            view,
            &boundary(view.platform),
            &Blocklist::default(),
            &inputs,
        )
    }

    fn trials(view: &Observation) -> Vec<String> {
        find(view)
            .offered
            .into_iter()
            .map(|candidate| candidate.trial.0)
            .collect()
    }

    fn rules(view: &Observation) -> Vec<String> {
        find(view)
            .refused
            .into_iter()
            .map(|refusal| refusal.rule)
            .collect()
    }

    #[test]
    fn what_cannot_be_used_now_is_no_candidate() {
        let mut nodes: Vec<Node> = ["a", "b", "c", "d", "e"]
            .map(|name| node("button", name))
            .into();
        nodes[0].flags.visible = false;
        nodes[1].flags.obscured = true;
        nodes[2].states.disabled = Some(true);
        nodes[3].flags.actionable = false;
        // Outside the viewport it can be scrolled to.
        nodes[4].flags.in_viewport = false;
        assert_eq!(trials(&view(Platform::Web, nodes)), ["role:button|e"]);
    }

    // EXP-039
    #[test]
    fn equal_keys_are_one_candidate() {
        let found = find(&view(
            Platform::Web,
            vec![node("link", "Item 1"), node("link", "Item 2")],
        ));
        assert_eq!(found.offered.len(), 1);
        assert_eq!(found.offered[0].node_index, 0);
        assert_eq!(found.duplicates, 1);
    }

    // EXP-019, WEB-013
    #[test]
    fn every_text_of_an_element_is_checked() {
        let set: [fn(&mut Node, String); 7] = [
            |node, text| node.name = text,
            |node, text| node.text = Some(text),
            |node, text| node.description = Some(text),
            |node, text| node.value = Some(text),
            |node, text| node.id = Some(text),
            |node, text| node.test_id = Some(text),
            |node, text| node.link = Some(format!("{WEB}/{text}")),
        ];
        for set in set {
            let mut bad = node("button", "x");
            set(&mut bad, "logout".into());
            let view = view(Platform::Web, vec![bad]);
            assert_eq!(rules(&view), ["blocklist:Logout"], "{:?}", view.nodes[0]);
            assert!(trials(&view).is_empty());
        }
    }

    // EXP-020, EXP-TRAP-04
    #[test]
    fn the_label_below_a_container_is_checked() {
        for platform in [Platform::Web, Platform::Android] {
            let mut label = node("text", "退出");
            label.parent = Some(1);
            label.flags.actionable = false;
            let mut middle = node("generic", "");
            middle.parent = Some(0);
            middle.flags.actionable = false;
            let view = view(platform, vec![node("generic", ""), middle, label]);
            assert_eq!(rules(&view), ["blocklist:退出"]);
        }
    }

    // EXP-020
    #[test]
    fn a_dangerous_control_in_a_web_container_matters_only_under_the_tap() {
        let card = Bounds {
            width: 100.0,
            height: 100.0,
            ..Bounds::default()
        };
        let corner = Bounds {
            width: 20.0,
            height: 20.0,
            ..Bounds::default()
        };
        let mut container = node("generic", "Card");
        container.bounds = Some(card);
        let mut button = node("button", "Buy Now");
        button.parent = Some(0);
        button.bounds = Some(corner);
        let mut view = view(Platform::Web, vec![container, button]);
        assert_eq!(trials(&view), ["role:generic|Card"]);
        view.nodes[1].bounds = Some(card);
        assert!(trials(&view).is_empty());
        view.nodes[1].bounds = Some(corner);
        view.platform = Platform::Android;
        assert!(trials(&view).is_empty());
    }

    // EXP-021
    #[test]
    fn a_twin_of_a_dangerous_element_is_refused() {
        let mut one = node("button", "More");
        one.id = Some("row".into());
        let mut other = node("button", "Uninstall");
        other.id = Some("row".into());
        other.flags.actionable = false;
        let view = view(Platform::Web, vec![one, other]);
        assert_eq!(rules(&view), ["key-twin"]);
    }

    // EXP-020
    #[test]
    fn something_dangerous_drawn_over_the_tap_point_is_refused() {
        let bounds = Bounds {
            width: 100.0,
            height: 40.0,
            ..Bounds::default()
        };
        let mut under = node("button", "Save");
        under.bounds = Some(bounds);
        let mut over = node("text", "Confirm Payment");
        over.flags.actionable = false;
        over.bounds = Some(bounds);
        let mut view = view(Platform::Android, vec![under, over]);
        assert_eq!(rules(&view), ["blocklist:Confirm Payment"]);
        view.nodes[1].bounds = Some(Bounds { x: 60.0, ..bounds });
        assert!(rules(&view).is_empty());
    }

    // WEB-010
    #[test]
    fn links_elsewhere_and_foreign_frames_are_left_alone() {
        let mut out = node("link", "Docs");
        out.link = Some("https://docs.test/".into());
        let mut framed = node("button", "Advert");
        framed.package = Some("https://ads.test".into());
        let view = view(Platform::Web, vec![out, framed]);
        assert!(trials(&view).is_empty());
        assert_eq!(rules(&view), ["external-link"]);
    }

    fn field(role: &str, kind: &str) -> Node {
        let mut node = node(role, "Colour");
        node.flags.editable = kind != "select";
        node.field = Some(Box::new(Field {
            kind: kind.into(),
            ..Field::default()
        }));
        node
    }

    // WEB-060
    #[test]
    fn enter_is_tried_in_fields_that_nobody_else_would_fill() {
        let text = view(Platform::Web, vec![field("textbox", "text")]);
        assert_eq!(trials(&text), ["role:textbox|Colour#enter"]);
        assert_eq!(find(&text).offered[0].key.0, "role:textbox|Colour");
        let none = candidates(
            &text,
            &boundary(Platform::Web),
            &Blocklist::default(),
            &Inputs::None,
        );
        assert!(none.offered.is_empty());
        let mut area = field("textbox", "textarea");
        assert_eq!(
            trials(&view(Platform::Web, vec![area.clone()])),
            ["role:textbox|Colour#enter"]
        );
        area.form = Some(0);
        assert!(trials(&view(Platform::Web, vec![area])).is_empty());
        let combo = view(Platform::Web, vec![field("combobox", "text")]);
        assert_eq!(
            trials(&combo),
            ["role:combobox|Colour", "role:combobox|Colour#enter"]
        );
    }

    // REP-013
    #[test]
    fn secret_fields_of_the_web_are_refused() {
        let mut secret = field("textbox", "password");
        secret.flags.secret = true;
        assert_eq!(rules(&view(Platform::Web, vec![secret])), ["secret-field"]);
    }

    // WEB-052
    #[test]
    fn a_list_offers_its_first_options() {
        let mut list = field("combobox", "select");
        let choice = |label: &str, selected| Choice {
            value: label.to_lowercase(),
            label: label.into(),
            selected,
            disabled: false,
        };
        if let Some(field) = &mut list.field {
            field.choices = vec![
                choice("Red", true),
                choice("Logout", false),
                choice("", false),
                choice("Blue", false),
                choice("Green", false),
                choice("Grey", false),
            ];
        }
        let view = view(Platform::Web, vec![list]);
        assert_eq!(
            trials(&view),
            [
                "role:combobox|Colour#option:Blue",
                "role:combobox|Colour#option:Green"
            ]
        );
        assert_eq!(rules(&view), ["blocklist:Logout"]);
    }

    #[test]
    fn the_label_of_a_control_is_left_to_the_control() {
        let mut label = node("generic", "Colour");
        label.class = "label".into();
        let mut other = label.clone();
        other.name = "Size".into();
        let view = view(
            Platform::Web,
            vec![label, other, field("checkbox", "checkbox")],
        );
        assert_eq!(trials(&view), ["role:generic|Size", "role:checkbox|Colour"]);
    }

    fn ios(class: &str, id: Option<&str>, bounds: Bounds) -> Node {
        Node {
            class: class.into(),
            name: "x".into(),
            id: id.map(str::to_owned),
            bounds: Some(bounds),
            flags: Flags {
                visible: true,
                ..Flags::default()
            },
            ..Node::default()
        }
    }

    // EXP-142, EXP-143, EXP-145
    #[test]
    fn ios_candidates_have_a_type_or_an_identifier_and_a_box_on_the_screen() {
        let on = Bounds {
            x: 10.0,
            y: 10.0,
            width: 50.0,
            height: 20.0,
            ..Bounds::default()
        };
        let offered = |node| !trials(&view(Platform::Ios, vec![node])).is_empty();
        assert!(offered(ios("XCUIElementTypeButton", None, on)));
        assert!(offered(ios("Cell", None, on)));
        assert!(offered(ios("XCUIElementTypeOther", Some("card"), on)));
        assert!(!offered(ios("XCUIElementTypeOther", Some(" "), on)));
        assert!(!offered(ios("XCUIElementTypeWindow", Some("main"), on)));
        assert!(!offered(ios("XCUIElementTypeStaticText", None, on)));
        assert!(!offered(ios(
            "XCUIElementTypeButton",
            None,
            Bounds { y: 900.0, ..on }
        )));
        assert!(!offered(ios(
            "XCUIElementTypeButton",
            None,
            Bounds { width: 0.0, ..on }
        )));
        assert!(!offered(ios(
            "XCUIElementTypeButton",
            None,
            Bounds { x: f64::NAN, ..on }
        )));
    }

    // EXP-069
    #[test]
    fn android_candidates_are_the_apps_own() {
        let mut own = node("button", "a");
        own.package = Some("com.acme.app".into());
        let mut unsaid = node("button", "b");
        unsaid.package = Some(String::new());
        let mut foreign = node("button", "c");
        foreign.package = Some("com.android.systemui".into());
        for (node, text) in [(&mut own, "a"), (&mut unsaid, "b"), (&mut foreign, "c")] {
            node.text = Some(text.into());
        }
        let view = view(Platform::Android, vec![own, unsaid, foreign]);
        assert_eq!(trials(&view), ["text:a", "text:b"]);
    }

    // EXP-022
    #[test]
    fn a_candidate_is_checked_again_in_the_view_it_is_tapped_in() {
        let before = view(Platform::Web, vec![node("button", "Save")]);
        let candidate = find(&before).offered.remove(0);
        let check = |view: &Observation| {
            recheck(
                view,
                &candidate,
                &boundary(Platform::Web),
                &Blocklist::default(),
            )
            .map_err(|refusal| refusal.rule)
        };
        assert_eq!(check(&before), Ok(0));
        let moved = view(
            Platform::Web,
            vec![node("link", "New"), node("button", "Save")],
        );
        assert_eq!(check(&moved), Ok(1));
        let mut changed = before.clone();
        changed.nodes[0].description = Some("Log out".into());
        assert_eq!(check(&changed), Err("blocklist:Logout".into()));
        changed.nodes[0].states = States {
            disabled: Some(true),
            ..States::default()
        };
        assert_eq!(check(&changed), Err("gone".into()));
        assert_eq!(check(&view(Platform::Web, Vec::new())), Err("gone".into()));
    }

    fn any_view() -> impl Strategy<Value = Observation> {
        prop_oneof![
            any_observation(Platform::Web, WEB),
            any_observation(Platform::Android, "com.acme.app"),
            any_observation(Platform::Ios, "com.acme.app"),
        ]
    }

    proptest! {
        // EXP-INV-05
        #[test]
        fn nothing_dangerous_is_offered(view in any_view()) {
            let list = Blocklist::default();
            let bad = |node: &Node| list.hit_any(texts(node)).is_some();
            for candidate in find(&view).offered {
                let node = &view.nodes[candidate.node_index];
                prop_assert!(!bad(node));
                prop_assert!(node.flags.visible && node.states.disabled != Some(true));
                let key = ElementKey::of(view.platform, node);
                let twin = view.nodes.iter().any(|other| {
                    bad(other) && ElementKey::of(view.platform, other) == key
                });
                prop_assert!(!twin);
                if view.platform != Platform::Web {
                    prop_assert!(!view.subtree(candidate.node_index).any(bad));
                }
                let (x, y) = node.bounds.unwrap().center();
                let over = view.nodes[candidate.node_index + 1..].iter().any(|other| {
                    bad(other) && other.flags.visible && other.bounds.unwrap().contains(x, y)
                });
                prop_assert!(!over);
            }
        }

        // EXP-INV-06
        #[test]
        fn another_word_never_offers_more(view in any_view(), word in "(Save|Next|Item|搜索|x)") {
            let more = Blocklist::new(&[word]);
            let boundary = boundary(view.platform);
            let fewer = candidates(&view, &boundary, &more, &Inputs::Synthetic);
            let all = trials(&view);
            for candidate in fewer.offered {
                prop_assert!(all.contains(&candidate.trial.0));
            }
        }

        // EXP-INV-26, EXP-145
        #[test]
        fn ios_tap_points_lie_inside_their_boxes(view in any_observation(Platform::Ios, "com.acme.app")) {
            for candidate in find(&view).offered {
                let bounds = view.nodes[candidate.node_index].bounds.unwrap();
                let (x, y) = bounds.center();
                prop_assert!(bounds.contains(x, y));
            }
        }
    }

    // WEB-011, EXP-INV-05
    #[test]
    fn enter_is_refused_where_the_button_of_its_form_is() {
        let check = |name: &str, action: Option<&str>, expected: &str| {
            let field = Node {
                role: "textbox".into(),
                name: "Email".into(),
                class: "input".into(),
                form: Some(0),
                bounds: Some(crate::Bounds {
                    width: 10.0,
                    height: 10.0,
                    ..Default::default()
                }),
                flags: crate::Flags {
                    actionable: true,
                    editable: true,
                    visible: true,
                    in_viewport: true,
                    ..Default::default()
                },
                ..Node::default()
            };
            let mut button = Node {
                role: "button".into(),
                name: name.into(),
                class: "button".into(),
                form_action: action.map(str::to_owned),
                bounds: Some(crate::Bounds {
                    y: 20.0,
                    ..field.bounds.unwrap_or_default()
                }),
                ..field.clone()
            };
            button.flags.editable = false;
            button.flags.submit = true;
            let view = Observation {
                platform: Platform::Web,
                front: Some("https://shop.test".into()),
                url: Some("https://shop.test/".into()),
                title: String::new(),
                viewport: (100.0, 100.0),
                nodes: vec![field, button],
                completeness: crate::Completeness::default(),
                document: 1,
                animating: Vec::new(),
            };
            let boundary = Boundary::new(Platform::Web, vec!["https://shop.test".into()]);
            let found = candidates(&view, &boundary, &Blocklist::default(), &Inputs::Synthetic);
            assert!(found.offered.is_empty(), "{:?}", found.offered);
            assert!(found.refused.iter().all(|refusal| refusal.rule == expected));
            assert_eq!(found.refused.len(), 2);
        };
        check("Pay now", None, "blocklist:Pay Now");
        check("Join", Some("https://other.test/join"), "foreign-form");
    }
}
