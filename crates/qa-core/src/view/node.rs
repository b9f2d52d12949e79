//! One element of a screen, in the model that all platforms share.

use serde::{Deserialize, Serialize};

/// One element of an [`Observation`](crate::Observation).
///
/// Each platform says what it knows and leaves the rest `None`: a missing attribute is never
/// replaced by a default that looks like knowledge.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Node {
    /// Names the live element until its document goes away.
    pub node_ref: NodeRef,
    /// Index of the nearest emitted ancestor in the same observation; always smaller than the
    /// node's own index.
    pub parent: Option<usize>,
    /// The ARIA word for what the element is (`button`, `link`, `textbox`, `text`, …).
    pub role: String,
    /// The accessible name, white space collapsed; empty if there is none.
    pub name: String,
    /// Visible text of its own, where it differs from the name.
    pub text: Option<String>,
    /// Accessible description.
    pub description: Option<String>,
    /// What a control holds. Never read from a secret one.
    pub value: Option<String>,
    /// The durable identifier an app's author gave: DOM id, Android resource id, iOS
    /// accessibility identifier.
    pub id: Option<String>,
    /// An identifier given for tests (`data-testid` and its relatives); web only.
    pub test_id: Option<String>,
    /// Element name, widget class or element type, as the platform spells it.
    pub class: String,
    /// Who owns the element: an origin, an Android package or an iOS bundle id.
    pub package: Option<String>,
    /// A structural path (`div:nth-of-type(2)>…`), given where nothing better names the node.
    pub path: Option<String>,
    /// Where it is on the screen.
    pub bounds: Option<Bounds>,
    /// What state it is in.
    pub states: States,
    /// What can be done with it, and whether it can be seen.
    pub flags: Flags,
    /// Where a link leads, resolved to an absolute URL.
    pub link: Option<String>,
    /// Address of an image that failed to load.
    pub source: Option<String>,
    /// Where the form that this control submits sends its data, resolved.
    pub form_action: Option<String>,
    /// Which form it belongs to; equal numbers, same form.
    pub form: Option<usize>,
    /// What a form control asks for.
    pub field: Option<Box<Field>>,
    /// The simpler role and name that older scenario files use, where they differ.
    pub seed: Option<SeedPair>,
}

/// Names a live element. Stable for one document; never comes to mean another element.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct NodeRef(pub String);

impl std::fmt::Display for NodeRef {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// A box on the screen, origin at the top left.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Bounds {
    /// Distance from the left edge.
    pub x: f64,
    /// Distance from the top edge.
    pub y: f64,
    /// Width; zero for an empty box.
    pub width: f64,
    /// Height; zero for an empty box.
    pub height: f64,
    /// What the four figures count.
    pub unit: Unit,
}

/// The unit of a [`Bounds`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// CSS pixels of the viewport (web).
    #[default]
    CssPx,
    /// Physical pixels of the device (Android).
    DevicePx,
    /// Points (iOS).
    Point,
}

impl Bounds {
    /// The point in the middle.
    #[must_use]
    pub fn center(&self) -> (f64, f64) {
        (self.x + self.width / 2.0, self.y + self.height / 2.0)
    }

    /// Whether a point lies inside, edges excluded.
    #[must_use]
    pub fn contains(&self, x: f64, y: f64) -> bool {
        x > self.x && y > self.y && x < self.x + self.width && y < self.y + self.height
    }

    /// Whether the box covers no area.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.width <= 0.0 || self.height <= 0.0
    }
}

/// A state with a middle: a checkbox that stands for a mixed group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Toggle {
    /// Off.
    Off,
    /// On.
    On,
    /// Partly on.
    Mixed,
}

/// The states of a node; `None` where the platform does not say.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct States {
    /// Checkbox, radio, switch.
    pub checked: Option<Toggle>,
    /// Cannot be used now.
    pub disabled: Option<bool>,
    /// Its content is open.
    pub expanded: Option<bool>,
    /// Chosen in a list or tab row.
    pub selected: Option<bool>,
    /// Toggle button.
    pub pressed: Option<Toggle>,
    /// Shown but not to be edited.
    pub readonly: Option<bool>,
    /// Must be filled.
    pub required: Option<bool>,
    /// Holds a value the app rejects.
    pub invalid: Option<bool>,
    /// Has the keyboard focus.
    pub focused: Option<bool>,
    /// Heading or tree level.
    pub level: Option<u32>,
    /// Marks the current item (`page`, `step`, `true`, …).
    pub current: Option<String>,
    /// A dialog that blocks the rest.
    pub modal: Option<bool>,
    /// Still loading.
    pub busy: Option<bool>,
}

/// What can be done with a node and how visible it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Flags {
    /// A tap may do something.
    pub actionable: bool,
    /// Text can be typed into it.
    pub editable: bool,
    /// Holds something that must not be read or typed (password, one-time code, card number).
    pub secret: bool,
    /// Has a box that a person could see.
    pub visible: bool,
    /// That box meets the viewport.
    pub in_viewport: bool,
    /// Something else lies over its middle.
    pub obscured: bool,
    /// Hidden from assistive technology although visible.
    pub aria_hidden: bool,
    /// Its content scrolls.
    pub scrollable: bool,
    /// Submits a form.
    pub submit: bool,
    /// Opens a new window.
    pub new_window: bool,
    /// Leads to a file that is to be kept, not shown.
    pub download: bool,
    /// An image that failed to load.
    pub broken_image: bool,
    /// A secret value was left out.
    pub value_withheld: bool,
    /// The value was longer than what is kept.
    pub value_truncated: bool,
    /// More text is shown than what is kept.
    pub text_truncated: bool,
    /// Belongs to the smaller set of nodes that older scenario files see.
    pub in_seed_view: bool,
}

/// The role and name by which older scenario files know a node (VIEW-010).
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct SeedPair {
    /// Role, by simpler rules than ARIA's.
    pub role: String,
    /// Name, by simpler rules than the accessible name's.
    pub name: String,
}

/// What a form control asks for, as far as the app says.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Field {
    /// Kind of control: an HTML input type, `textarea`, `select`, `contenteditable`.
    pub kind: String,
    /// The autocomplete word.
    pub autocomplete: Option<String>,
    /// The name under which a form sends it.
    pub form_name: Option<String>,
    /// Text of its label.
    pub label: Option<String>,
    /// Placeholder or hint.
    pub placeholder: Option<String>,
    /// Regular expression that the whole value must match.
    pub pattern: Option<String>,
    /// Smallest number or date.
    pub min: Option<String>,
    /// Largest number or date.
    pub max: Option<String>,
    /// Step between valid numbers.
    pub step: Option<String>,
    /// Greatest number of characters.
    pub max_length: Option<usize>,
    /// Least number of characters.
    pub min_length: Option<usize>,
    /// Must not be left empty.
    pub required: bool,
    /// More than one option can be chosen.
    pub multiple: bool,
    /// Options of a list, at most the first 50.
    pub choices: Vec<Choice>,
}

/// One option of a list control.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Choice {
    /// What is sent.
    pub value: String,
    /// What is shown.
    pub label: String,
    /// Cannot be chosen.
    pub disabled: bool,
    /// Is chosen.
    pub selected: bool,
}
