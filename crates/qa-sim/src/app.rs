//! An app as data: its screens, what is on them and what they do.

use std::collections::{BTreeMap, BTreeSet};

use qa_core::{Choice, CrashKind, Notice, Platform};
use serde::{Deserialize, Serialize};

/// An app as data. Built in Rust with the methods here, or read with [`SimApp::from_json`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SimApp {
    /// Package, or origin where the platform is the web.
    pub package: String,
    /// Kind of app that the observations claim.
    #[serde(default = "android")]
    pub platform: Platform,
    /// Where a launch leads.
    pub start: String,
    /// What happens at each launch and restart, before the start screen is entered.
    #[serde(default)]
    pub on_launch: Vec<Effect>,
    /// All screens, those of other apps included.
    pub screens: Vec<Screen>,
    /// The planted faults, by the name that effects use.
    #[serde(default)]
    pub faults: BTreeMap<String, Fault>,
    /// Addresses that can be navigated to, and their screens.
    #[serde(default)]
    pub addresses: BTreeMap<String, String>,
}

fn android() -> Platform {
    Platform::Android
}

/// One screen, dialog or foreign app.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Screen {
    /// Its name in effects; unique in the app.
    pub id: String,
    /// Title of the window.
    pub title: String,
    /// Who owns it, where that is not the app: a permission controller, a browser.
    pub package: Option<String>,
    /// A dialog that blocks what is below.
    pub dialog: bool,
    /// How long the transition into it is animated.
    pub animation_ms: u64,
    /// BACK does nothing here.
    pub back_ignored: bool,
    /// What is on it, from top to bottom.
    pub elements: Vec<Element>,
    /// What happens when it comes to the front.
    pub on_enter: Vec<Effect>,
}

/// One element of a screen.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Element {
    /// Its name in effects and conditions; unique among what its screen shows at one time.
    pub id: String,
    /// It has no durable identifier: the observation leaves `id` out.
    pub anonymous: bool,
    /// ARIA word for what it is.
    pub role: String,
    /// Label. `{name}` stands for a counter; `{row}` for the number of a repeated element;
    /// `{clock_s}` and `{flicker}` for app time in seconds and in tenths of a second.
    pub name: String,
    /// What a tap does. An element without effects is no control unless it is a field.
    pub tap: Vec<Effect>,
    /// What can be entered, where it is a field.
    pub input: Option<Input>,
    /// The counter that says whether it is checked; a tap flips it.
    pub checks: Option<String>,
    /// It sends the fields of its screen.
    pub submit: bool,
    /// As many of it as the counter says.
    pub repeat: Option<String>,
    /// When it is there.
    pub shown_if: Option<Condition>,
    /// When it cannot be used.
    pub disabled_if: Option<Condition>,
    /// How it misbehaves when touched.
    pub quirk: Option<Quirk>,
    /// A touch does damage in a real app, so touches are counted.
    pub trap: bool,
    /// Elements inside it.
    pub children: Vec<Element>,
}

/// What a field takes.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Input {
    /// Kind of control in HTML's words: `text`, `email`, `number`, `password`, `select`.
    pub kind: String,
    /// Must not stay empty.
    pub required: bool,
    /// Smallest number.
    pub min: Option<i64>,
    /// Largest number.
    pub max: Option<i64>,
    /// Longer texts are cut silently, as many apps do.
    pub max_length: Option<usize>,
    /// Options of a list.
    pub choices: Vec<Choice>,
    /// What it holds at first.
    pub initial: String,
    /// What Enter does in it.
    pub enter: Vec<Effect>,
}

/// Something that happens.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Another screen comes to the front, over this one.
    Go(String),
    /// Another screen takes this one's place.
    Replace(String),
    /// The front screen goes away.
    Back,
    /// The app starts anew from its start screen and keeps its counters.
    Restart,
    /// A counter gets a value.
    Set(String, i64),
    /// A counter grows.
    Add(String, i64),
    /// Later, on the app's clock, unless the app ended before.
    After(u64, Vec<Effect>),
    /// Only if a condition holds.
    When(Condition, Vec<Effect>),
    /// If the fields of the front screen are valid; otherwise they are marked.
    IfValid(Vec<Effect>),
    /// Something that is told beside the view.
    Notice(Notice),
    /// A planted fault happens.
    Fault(String),
}

/// A question about an app's state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Condition {
    /// A counter has at least this value. Counters begin at zero with each launch; `launches`
    /// counts those.
    AtLeast(String, i64),
    /// A screen was entered at least so often since the launch.
    Visited(String, u32),
    /// A field of a screen holds something.
    Filled(String, String),
    /// The opposite.
    Not(Box<Condition>),
}

/// A defect that was put in on purpose.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fault {
    /// Its kind.
    pub kind: CrashKind,
    /// Its message, the first line of the stack.
    pub message: String,
    /// What becomes of the app.
    pub leaves: Aftermath,
}

/// What becomes of an app after a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Aftermath {
    /// It runs on.
    Running,
    /// It is gone and the launcher is in front.
    Launcher,
    /// It is gone and so is its window: looking at it is an error.
    Gone,
    /// It does not answer any more.
    Hung,
}

/// How an element misbehaves when touched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Quirk {
    /// Something lies over it: refused with `TARGET_OBSCURED`.
    Obscured,
    /// It does not keep still: refused with `TARGET_MOVING`.
    Moving,
    /// It is replaced between look and touch: refused with `TARGET_DETACHED`.
    Stale,
    /// Refused by a rule, with this code.
    Rejected(String),
    /// The touch arrives, but the acknowledgement is `unknown`.
    UnknownButDone,
    /// The touch gets lost, and the acknowledgement is `unknown`.
    UnknownAndLost,
}

impl SimApp {
    /// An Android app that starts at the screen `start`.
    #[must_use]
    pub fn new(package: &str, start: &str) -> Self {
        Self {
            package: package.into(),
            platform: Platform::Android,
            start: start.into(),
            on_launch: Vec::new(),
            screens: Vec::new(),
            faults: BTreeMap::new(),
            addresses: BTreeMap::new(),
        }
    }

    /// Adds a screen.
    #[must_use]
    pub fn screen(mut self, screen: Screen) -> Self {
        self.screens.push(screen);
        self
    }

    /// Adds a fault.
    #[must_use]
    pub fn fault(mut self, name: &str, kind: CrashKind, leaves: Aftermath, message: &str) -> Self {
        let fault = Fault {
            kind,
            message: message.into(),
            leaves,
        };
        self.faults.insert(name.into(), fault);
        self
    }

    /// Reads and checks an app.
    pub fn from_json(text: &str) -> Result<Self, AppError> {
        let app: Self =
            serde_json::from_str(text).map_err(|error| AppError::Json(error.to_string()))?;
        app.check()?;
        Ok(app)
    }

    /// Whether every name that an effect uses exists, and none twice.
    pub fn check(&self) -> Result<(), AppError> {
        let mut known = BTreeSet::new();
        for screen in &self.screens {
            if !known.insert(screen.id.as_str()) {
                return Err(AppError::Twice(screen.id.clone()));
            }
        }
        let screen_exists = |id: &str| {
            let exists = known.contains(id);
            exists.then_some(()).ok_or_else(|| AppError::Missing {
                what: "screen",
                name: id.to_owned(),
            })
        };
        screen_exists(&self.start)?;
        for screen in self.addresses.values() {
            screen_exists(screen)?;
        }
        for effect in self.effects() {
            match effect {
                Effect::Go(screen) | Effect::Replace(screen) => screen_exists(screen)?,
                Effect::Fault(fault) if !self.faults.contains_key(fault) => {
                    return Err(AppError::Missing {
                        what: "fault",
                        name: fault.clone(),
                    });
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The screen with a name.
    #[must_use]
    pub fn find(&self, id: &str) -> Option<&Screen> {
        self.screens.iter().find(|screen| screen.id == id)
    }

    /// All effects, nested ones too.
    fn effects(&self) -> Vec<&Effect> {
        let mut open: Vec<&Effect> = self.on_launch.iter().collect();
        for screen in &self.screens {
            open.extend(&screen.on_enter);
            for element in screen.all_elements() {
                open.extend(&element.tap);
                open.extend(element.input.iter().flat_map(|input| &input.enter));
            }
        }
        let mut all = Vec::new();
        while let Some(effect) = open.pop() {
            if let Effect::After(_, inner) | Effect::When(_, inner) | Effect::IfValid(inner) =
                effect
            {
                open.extend(inner);
            }
            all.push(effect);
        }
        all
    }
}

impl Screen {
    /// An empty screen.
    #[must_use]
    pub fn new(id: &str, title: &str) -> Self {
        Self {
            id: id.into(),
            title: title.into(),
            ..Self::default()
        }
    }

    /// Adds an element at the end.
    #[must_use]
    pub fn with(mut self, element: Element) -> Self {
        self.elements.push(element);
        self
    }

    /// Adds what happens on entering.
    #[must_use]
    pub fn on_enter(mut self, effect: Effect) -> Self {
        self.on_enter.push(effect);
        self
    }

    /// Makes it a dialog.
    #[must_use]
    pub fn dialog(mut self) -> Self {
        self.dialog = true;
        self
    }

    /// Makes it part of another app.
    #[must_use]
    pub fn owned_by(mut self, package: &str) -> Self {
        self.package = Some(package.into());
        self
    }

    /// Its elements, nested ones too, in document order.
    #[must_use]
    pub fn all_elements(&self) -> Vec<&Element> {
        fn walk<'a>(elements: &'a [Element], all: &mut Vec<&'a Element>) {
            for element in elements {
                all.push(element);
                walk(&element.children, all);
            }
        }
        let mut all = Vec::new();
        walk(&self.elements, &mut all);
        all
    }
}

impl Element {
    /// An element of any role.
    #[must_use]
    pub fn new(role: &str, id: &str, name: &str) -> Self {
        Self {
            id: id.into(),
            role: role.into(),
            name: name.into(),
            ..Self::default()
        }
    }

    /// A text.
    #[must_use]
    pub fn text(id: &str, name: &str) -> Self {
        Self::new("text", id, name)
    }

    /// A button that leads to a screen.
    #[must_use]
    pub fn link(id: &str, name: &str, screen: &str) -> Self {
        Self::button(id, name, [Effect::Go(screen.into())])
    }

    /// A button.
    #[must_use]
    pub fn button(id: &str, name: &str, tap: impl Into<Vec<Effect>>) -> Self {
        Self {
            tap: tap.into(),
            ..Self::new("button", id, name)
        }
    }

    /// A text field.
    #[must_use]
    pub fn field(id: &str, name: &str, kind: &str, required: bool) -> Self {
        Self {
            input: Some(Input {
                kind: kind.into(),
                required,
                ..Input::default()
            }),
            ..Self::new("textbox", id, name)
        }
    }

    /// A checkbox over a counter.
    #[must_use]
    pub fn checkbox(id: &str, name: &str, counter: &str) -> Self {
        Self {
            checks: Some(counter.into()),
            ..Self::new("checkbox", id, name)
        }
    }

    /// Makes it send the fields of its screen.
    #[must_use]
    pub fn submits(mut self) -> Self {
        self.submit = true;
        self
    }

    /// Counts its touches as damage.
    #[must_use]
    pub fn trap(mut self) -> Self {
        self.trap = true;
        self
    }

    /// Makes it misbehave.
    #[must_use]
    pub fn quirk(mut self, quirk: Quirk) -> Self {
        self.quirk = Some(quirk);
        self
    }

    /// Shows it only under a condition.
    #[must_use]
    pub fn shown_if(mut self, condition: Condition) -> Self {
        self.shown_if = Some(condition);
        self
    }

    /// Repeats it as often as a counter says.
    #[must_use]
    pub fn repeat(mut self, counter: &str) -> Self {
        self.repeat = Some(counter.into());
        self
    }

    /// Puts an element into it.
    #[must_use]
    pub fn with(mut self, child: Element) -> Self {
        self.children.push(child);
        self
    }
}

/// An app that cannot be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AppError {
    /// Not JSON, or not of this shape.
    #[error("could not read the app: {0}")]
    Json(String),
    /// An effect names something that does not exist.
    #[error("no {what} is named `{name}`")]
    Missing {
        /// What is missing.
        what: &'static str,
        /// Its name.
        name: String,
    },
    /// Two screens with one name.
    #[error("two screens are named `{0}`")]
    Twice(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_app_is_read_from_json() {
        let text = r#"{
            "package": "com.example.app", "start": "home",
            "screens": [
                {"id": "home", "elements": [{"id": "go", "role": "button", "name": "Go", "tap": [{"go": "next"}]}]},
                {"id": "next"}
            ]
        }"#;
        let app = SimApp::from_json(text).unwrap();
        assert_eq!(app.screens[0].elements[0].tap, [Effect::Go("next".into())]);
    }

    #[test]
    fn an_app_whose_names_do_not_fit_is_refused() {
        let go = |screen: &str| Element::link("go", "Go", screen);
        let app = SimApp::new("a", "home").screen(Screen::new("home", "Home").with(go("away")));
        let error = app.check().unwrap_err().to_string();
        assert_eq!(error, "no screen is named `away`");
        let twice = SimApp::new("a", "home")
            .screen(Screen::new("home", "Home"))
            .screen(Screen::new("home", "Home"));
        assert_eq!(twice.check(), Err(AppError::Twice("home".into())));
        assert!(matches!(SimApp::from_json("{}"), Err(AppError::Json(_))));
    }
}
