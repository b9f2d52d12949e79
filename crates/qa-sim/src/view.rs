//! What a look at a simulated app returns.

use qa_core::{
    Bounds, Completeness, Coverage, Field, Flags, Node, NodeRef, Observation, Platform, States,
    Toggle, TruncationReason, Unit,
};

use crate::app::{Element, Input, Screen};
use crate::world::{Life, World};

/// Size of the simulated screen, in its own pixels.
pub(crate) const SCREEN: (f64, f64) = (1080.0, 2400.0);
const ROW_HEIGHT: f64 = 120.0;
const MARGIN: f64 = 40.0;
const TOP: f64 = 160.0;
/// More rows than this are not drawn, so that a runaway counter costs bounded memory.
const MAX_ROWS: i64 = 200;
/// Package of the launcher.
pub(crate) const LAUNCHER: &str = "com.android.launcher3";

/// Looks at the screen.
pub(crate) fn observe(world: &World, max_nodes: usize) -> Observation {
    let (front, title, nodes) = match world.front().filter(|_| world.life == Life::Running) {
        Some(screen) => {
            let owner = owner(world, screen).to_owned();
            let nodes = Layout::new(world, screen, &owner).nodes;
            (owner, screen.title.clone(), nodes)
        }
        None => (LAUNCHER.to_owned(), "Home".to_owned(), launcher()),
    };
    let total = nodes.len();
    let kept: Vec<Node> = nodes.into_iter().take(max_nodes).collect();
    Observation {
        platform: world.app.platform,
        url: url(world, &front),
        front: Some(front),
        title,
        viewport: SCREEN,
        completeness: completeness(max_nodes, total),
        nodes: kept,
        document: world.launches,
        animating: if world.is_animating() {
            vec!["screen transition".into()]
        } else {
            Vec::new()
        },
    }
}

/// Who owns a screen.
pub(crate) fn owner<'a>(world: &'a World, screen: &'a Screen) -> &'a str {
    screen.package.as_deref().unwrap_or(&world.app.package)
}

fn url(world: &World, front: &str) -> Option<String> {
    if world.app.platform != Platform::Web {
        return None;
    }
    let screen = world.front().map_or("", |screen| screen.id.as_str());
    Some(format!("{front}/{screen}"))
}

fn completeness(max_nodes: usize, total: usize) -> Completeness {
    let truncated = total > max_nodes;
    Completeness {
        truncated,
        reasons: if truncated {
            vec![TruncationReason::NodeBudgetExceeded]
        } else {
            Vec::new()
        },
        node_budget: max_nodes,
        coverage: Coverage {
            verified: !truncated,
            probed_nodes: total,
            ..Coverage::default()
        },
        hidden_matches: 0,
        hidden_matches_partial: false,
    }
}

/// Scrolls the front screen until the element of a ref can be seen.
pub(crate) fn scroll_to(world: &mut World, node_ref: &NodeRef) {
    let view = observe(world, usize::MAX);
    let Some(node) = view.node(node_ref).filter(|node| !node.flags.in_viewport) else {
        return;
    };
    if let Some(bounds) = node.bounds {
        let middle = bounds.y + bounds.height / 2.0;
        world.scrolled = (world.scrolled + middle - SCREEN.1 / 2.0).max(0.0);
    }
}

/// The element that a ref names, with the number of its row, if it is on the screen now.
pub(crate) fn resolve<'a>(world: &'a World, node_ref: &NodeRef) -> Option<(&'a Element, i64)> {
    let screen = world.front()?;
    let (place, row) = node_ref.0.rsplit_once('#')?;
    let (place, element_id) = place.split_once('/')?;
    let (document, screen_id) = place.split_once(':')?;
    let element = screen
        .all_elements()
        .into_iter()
        .find(|element| element.id == element_id && is_shown(world, element))?;
    let fresh = document == format!("d{}", world.launches) && screen_id == screen.id;
    let row: i64 = row.parse().ok()?;
    (fresh && row < rows(world, element)).then_some((element, row))
}

fn node_ref(world: &World, screen: &Screen, element: &Element, row: i64) -> NodeRef {
    NodeRef(format!(
        "d{}:{}/{}#{row}",
        world.launches, screen.id, element.id
    ))
}

fn is_shown(world: &World, element: &Element) -> bool {
    element
        .shown_if
        .as_ref()
        .is_none_or(|condition| world.holds(condition))
}

fn rows(world: &World, element: &Element) -> i64 {
    element
        .repeat
        .as_ref()
        .map_or(1, |counter| world.counter(counter).clamp(0, MAX_ROWS))
}

/// Whether an element cannot be used now.
pub(crate) fn is_disabled(world: &World, element: &Element) -> bool {
    element
        .disabled_if
        .as_ref()
        .is_some_and(|condition| world.holds(condition))
}

/// A label with its counters filled in.
pub(crate) fn label(world: &World, template: &str, row: i64) -> String {
    let mut text = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        let Some((name, tail)) = after.split_once('}') else {
            break;
        };
        text.push_str(before);
        let value = match name {
            "row" => row + 1,
            "clock_s" => i64::try_from(world.now.as_secs()).unwrap_or(i64::MAX),
            "flicker" => i64::try_from(world.now.as_millis() / 100).unwrap_or(i64::MAX),
            counter => world.counter(counter),
        };
        text.push_str(&value.to_string());
        rest = tail;
    }
    text.push_str(rest);
    text
}

/// Puts elements below each other.
struct Layout<'a> {
    world: &'a World,
    screen: &'a Screen,
    owner: &'a str,
    nodes: Vec<Node>,
    y: f64,
    form: Option<usize>,
    forms: usize,
}

impl<'a> Layout<'a> {
    fn new(world: &'a World, screen: &'a Screen, owner: &'a str) -> Self {
        let mut layout = Self {
            world,
            screen,
            owner,
            nodes: Vec::new(),
            y: TOP - world.scrolled,
            form: None,
            forms: 0,
        };
        layout.nodes.push(root(screen, owner));
        for element in &screen.elements {
            layout.place(element, 0, 0);
        }
        layout
    }

    fn place(&mut self, element: &Element, parent: usize, depth: u32) {
        if !is_shown(self.world, element) {
            return;
        }
        for row in 0..rows(self.world, element) {
            let index = self.nodes.len();
            let top = self.y;
            self.nodes.push(Node::default());
            if element.children.is_empty() {
                self.y += ROW_HEIGHT;
            } else {
                self.y += MARGIN / 2.0;
                let outer = self.form;
                if element.role == "form" {
                    self.form = Some(self.forms);
                    self.forms += 1;
                }
                for child in &element.children {
                    self.place(child, index, depth + 1);
                }
                self.form = outer;
                self.y += MARGIN / 2.0;
            }
            let inset = MARGIN + f64::from(depth) * MARGIN / 2.0;
            let bounds = Bounds {
                x: inset,
                y: top,
                width: SCREEN.0 - 2.0 * inset,
                height: self.y - top - MARGIN / 4.0,
                unit: unit(self.world.app.platform),
            };
            self.nodes[index] = self.node(element, row, parent, bounds);
        }
    }

    fn node(&self, element: &Element, row: i64, parent: usize, bounds: Bounds) -> Node {
        let world = self.world;
        let name = label(world, &element.name, row);
        let input = element.input.as_ref();
        let secret = input.is_some_and(|input| input.kind == "password");
        let durable = match world.app.platform {
            Platform::Android => format!("{}:id/{}", self.owner, element.id),
            Platform::Web | Platform::Ios => element.id.clone(),
        };
        let value = input
            .filter(|_| !secret)
            .map(|input| world.field_value(&self.screen.id, element, input));
        Node {
            node_ref: node_ref(world, self.screen, element, row),
            parent: Some(parent),
            role: element.role.clone(),
            text: match (world.app.platform, &value) {
                (Platform::Android, Some(value)) => Some(value.clone()),
                (Platform::Android, None) => Some(name.clone()),
                _ => None,
            },
            description: None,
            name,
            value,
            id: (!element.anonymous).then_some(durable),
            class: class(world.app.platform, &element.role).to_owned(),
            package: Some(self.owner.to_owned()),
            path: Some(format!("{}/{}", self.screen.id, element.id)),
            bounds: Some(bounds),
            states: self.states(element),
            flags: Flags {
                actionable: is_control(element),
                editable: input.is_some_and(|input| input.kind != "select"),
                secret,
                value_withheld: secret,
                visible: true,
                in_viewport: bounds.y >= 0.0 && bounds.y + bounds.height <= SCREEN.1,
                submit: element.submit,
                scrollable: element.role == "list",
                ..Flags::default()
            },
            form: self.form,
            field: input.map(|input| Box::new(field(element, input))),
            ..Node::default()
        }
    }

    fn states(&self, element: &Element) -> States {
        let id = (self.screen.id.clone(), element.id.clone());
        States {
            checked: element.checks.as_ref().map(|counter| {
                if self.world.counter(counter) > 0 {
                    Toggle::On
                } else {
                    Toggle::Off
                }
            }),
            disabled: is_control(element).then(|| is_disabled(self.world, element)),
            required: element.input.as_ref().map(|input| input.required),
            invalid: element
                .input
                .as_ref()
                .map(|_| self.world.invalid.contains(&id)),
            ..States::default()
        }
    }
}

fn is_control(element: &Element) -> bool {
    let by_itself = !element.tap.is_empty() || element.input.is_some() || element.trap;
    by_itself || element.checks.is_some() || element.quirk.is_some()
}

fn field(element: &Element, input: &Input) -> Field {
    Field {
        kind: input.kind.clone(),
        form_name: Some(element.id.clone()),
        label: Some(element.name.clone()),
        min: input.min.map(|min| min.to_string()),
        max: input.max.map(|max| max.to_string()),
        max_length: input.max_length,
        required: input.required,
        choices: input.choices.clone(),
        ..Field::default()
    }
}

fn root(screen: &Screen, owner: &str) -> Node {
    Node {
        node_ref: NodeRef("root".into()),
        role: if screen.dialog { "dialog" } else { "group" }.into(),
        name: screen.title.clone(),
        text: Some(screen.title.clone()),
        class: "android.widget.FrameLayout".into(),
        package: Some(owner.to_owned()),
        bounds: Some(Bounds {
            x: 0.0,
            y: 0.0,
            width: SCREEN.0,
            height: SCREEN.1,
            unit: Unit::DevicePx,
        }),
        states: States {
            modal: screen.dialog.then_some(true),
            ..States::default()
        },
        flags: Flags {
            visible: true,
            in_viewport: true,
            ..Flags::default()
        },
        ..Node::default()
    }
}

fn launcher() -> Vec<Node> {
    let screen = Screen::new("launcher", "Home");
    vec![root(&screen, LAUNCHER)]
}

fn unit(platform: Platform) -> Unit {
    match platform {
        Platform::Web => Unit::CssPx,
        Platform::Android => Unit::DevicePx,
        Platform::Ios => Unit::Point,
    }
}

fn class(platform: Platform, role: &str) -> &'static str {
    if platform == Platform::Web {
        return match role {
            "button" => "button",
            "link" => "a",
            "textbox" | "searchbox" | "checkbox" => "input",
            "combobox" | "listbox" => "select",
            "form" => "form",
            _ => "div",
        };
    }
    match role {
        "button" | "link" => "android.widget.Button",
        "textbox" | "searchbox" => "android.widget.EditText",
        "checkbox" => "android.widget.CheckBox",
        "switch" => "android.widget.Switch",
        "combobox" | "listbox" => "android.widget.Spinner",
        "image" => "android.widget.ImageView",
        "text" | "heading" => "android.widget.TextView",
        "list" => "androidx.recyclerview.widget.RecyclerView",
        _ => "android.view.ViewGroup",
    }
}
