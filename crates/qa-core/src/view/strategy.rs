//! Arbitrary views for property tests.

use proptest::collection::vec;
use proptest::prelude::*;

use super::{Bounds, Field, Flags, Node, NodeRef, Observation, Platform, States, Unit};
use crate::{Completeness, Coverage};

/// Any view of a platform: a tree of up to 40 nodes, owned by `owner` (an origin, a package or a
/// bundle id) and complete.
pub fn any_observation(
    platform: Platform,
    owner: impl Into<String>,
) -> impl Strategy<Value = Observation> {
    let owner = owner.into();
    vec((any_node(platform), any::<prop::sample::Index>()), 0..40).prop_map(move |nodes| {
        let mut view = Observation {
            platform,
            front: Some(owner.clone()),
            url: (platform == Platform::Web).then(|| format!("{owner}/shop?page=2")),
            title: "Shop".into(),
            viewport: (400.0, 800.0),
            nodes: Vec::new(),
            completeness: Completeness {
                truncated: false,
                reasons: Vec::new(),
                node_budget: 5_000,
                coverage: Coverage {
                    verified: true,
                    ..Coverage::default()
                },
                hidden_matches: 0,
                hidden_matches_partial: false,
            },
            document: 1,
            animating: Vec::new(),
        };
        // The node drawn last and those above it, outermost first.
        let mut chain: Vec<usize> = Vec::new();
        for (index, (mut node, depth)) in nodes.into_iter().enumerate() {
            node.node_ref = NodeRef(format!("e{}", index + 1));
            chain.truncate(depth.index(chain.len() + 1));
            node.parent = chain.last().copied();
            chain.push(index);
            view.nodes.push(node);
        }
        view
    })
}

/// Any node, without ref and parent.
pub fn any_node(platform: Platform) -> impl Strategy<Value = Node> {
    let role = prop::sample::select(vec![
        "button",
        "link",
        "textbox",
        "listitem",
        "list",
        "text",
        "heading",
        "generic",
        "img",
        "checkbox",
        "row",
        "status",
        "form",
        "navigation",
    ]);
    let word = prop::sample::select(vec![
        "",
        "Save",
        "Item 7",
        "Log out",
        "Price 12.50",
        "Delete account",
        "Dial",
        "搜索",
        "退出",
        "Next",
    ]);
    let id = prop::option::of(prop::sample::select(vec![
        "save",
        "list",
        "row-10234",
        ":r1:",
    ]));
    let place = (0..8u8, 0..16u8, 0..4u8, 0..4u8);
    (role, word, word_or_none(), id, place, any::<[bool; 4]>()).prop_map(
        move |(
            role,
            name,
            value,
            id,
            (x, y, width, height),
            [actionable, hidden, disabled, scrollable],
        )| {
            let editable = role == "textbox";
            Node {
                role: role.into(),
                name: name.into(),
                text: (platform != Platform::Web && !name.is_empty()).then(|| name.to_owned()),
                value: value.map(str::to_owned),
                id: id.map(str::to_owned),
                class: class_of(platform, role).into(),
                path: (platform == Platform::Web).then(|| format!("body>{role}")),
                bounds: Some(Bounds {
                    x: f64::from(x) * 50.0,
                    y: f64::from(y) * 50.0,
                    width: f64::from(width) * 50.0,
                    height: f64::from(height) * 50.0,
                    unit: match platform {
                        Platform::Web => Unit::CssPx,
                        Platform::Android => Unit::DevicePx,
                        Platform::Ios => Unit::Point,
                    },
                }),
                states: States {
                    disabled: Some(disabled),
                    ..States::default()
                },
                flags: Flags {
                    actionable: actionable || editable || matches!(role, "button" | "link"),
                    editable,
                    visible: !hidden,
                    in_viewport: !hidden,
                    scrollable,
                    ..Flags::default()
                },
                field: editable.then(|| {
                    Box::new(Field {
                        kind: "text".into(),
                        ..Field::default()
                    })
                }),
                ..Node::default()
            }
        },
    )
}

fn word_or_none() -> impl Strategy<Value = Option<&'static str>> {
    prop::option::of(prop::sample::select(vec!["", "7", "abc"]))
}

fn class_of(platform: Platform, role: &str) -> &'static str {
    match (platform, role) {
        (Platform::Web, "button") => "button",
        (Platform::Web, "link") => "a",
        (Platform::Web, "textbox") => "input",
        (Platform::Web, "listitem") => "li",
        (Platform::Web, _) => "div",
        (Platform::Android, "button" | "link") => "android.widget.Button",
        (Platform::Android, "textbox") => "android.widget.EditText",
        (Platform::Android, _) => "android.widget.TextView",
        (Platform::Ios, "button" | "link") => "XCUIElementTypeButton",
        (Platform::Ios, "textbox") => "XCUIElementTypeTextField",
        (Platform::Ios, _) => "XCUIElementTypeStaticText",
    }
}
