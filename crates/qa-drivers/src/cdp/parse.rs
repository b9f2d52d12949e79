//! What the walker says of one document, and the nodes made of it.

use qa_core::{
    Bounds, Choice, Field, Flags, Node, NodeRef, SeedPair, States, Toggle, TruncationReason, Unit,
};
use serde::Deserialize;

/// The walker's reply for one document. Short names: it crosses the wire at each look.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[derive(Default)]
pub(crate) struct Walk {
    pub(crate) url: String,
    pub(crate) title: String,
    pub(crate) vw: f64,
    pub(crate) vh: f64,
    pub(crate) sx: f64,
    pub(crate) sy: f64,
    pub(crate) truncated: bool,
    pub(crate) reasons: Vec<TruncationReason>,
    pub(crate) hidden: usize,
    pub(crate) hidden_partial: bool,
    pub(crate) visited: usize,
    pub(crate) closed_roots: usize,
    pub(crate) finite: Vec<String>,
    pub(crate) nodes: Vec<RawNode>,
}

/// One node as the walker writes it.
#[derive(Debug, Deserialize, Default)]
#[serde(default)]
pub(crate) struct RawNode {
    pub(crate) r: String,
    p: Option<i64>,
    ro: String,
    n: String,
    t: Option<String>,
    d: Option<String>,
    v: Option<String>,
    id: Option<String>,
    ti: Option<String>,
    tag: String,
    path: Option<String>,
    b: Option<[f64; 4]>,
    s: RawStates,
    f: u32,
    h: Option<String>,
    fa: Option<String>,
    im: Option<RawField>,
    fm: Option<usize>,
    pub(crate) fr: u8,
    pub(crate) cb: Option<[f64; 4]>,
    broken: u8,
    src: Option<String>,
    sr: Option<String>,
    sn: Option<String>,
}

#[derive(Debug, Deserialize, Default)]
#[serde(default)]
struct RawStates {
    checked: Option<RawToggle>,
    disabled: Option<bool>,
    expanded: Option<bool>,
    selected: Option<bool>,
    pressed: Option<RawToggle>,
    readonly: Option<bool>,
    required: Option<bool>,
    invalid: Option<bool>,
    focused: Option<bool>,
    level: Option<u32>,
    current: Option<String>,
    modal: Option<bool>,
    busy: Option<bool>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum RawToggle {
    Flag(bool),
    Word(#[expect(dead_code, reason = "any word means mixed")] String),
}

#[derive(Debug, Deserialize, Default)]
#[serde(default)]
struct RawField {
    #[serde(rename = "type")]
    kind: String,
    ac: Option<String>,
    nm: Option<String>,
    lb: Option<String>,
    ph: Option<String>,
    pt: Option<String>,
    min: Option<String>,
    max: Option<String>,
    step: Option<String>,
    ml: Option<i64>,
    mi: Option<i64>,
    req: bool,
    multiple: bool,
    opts: Vec<RawChoice>,
}

#[derive(Debug, Deserialize, Default)]
#[serde(default)]
struct RawChoice {
    v: String,
    l: String,
    dis: bool,
    sel: bool,
}

mod flag {
    pub(super) const ACTIONABLE: u32 = 1;
    pub(super) const EDITABLE: u32 = 2;
    pub(super) const SECRET: u32 = 4;
    pub(super) const IN_VIEWPORT: u32 = 8;
    pub(super) const OBSCURED: u32 = 16;
    pub(super) const ARIA_HIDDEN: u32 = 32;
    pub(super) const IN_SEED_VIEW: u32 = 64;
    pub(super) const SCROLLABLE: u32 = 128;
    pub(super) const SUBMIT: u32 = 256;
    pub(super) const VALUE_WITHHELD: u32 = 512;
    pub(super) const VALUE_TRUNCATED: u32 = 1024;
    pub(super) const VISIBLE: u32 = 2048;
    pub(super) const NEW_WINDOW: u32 = 4096;
    pub(super) const TEXT_TRUNCATED: u32 = 16384;
    pub(super) const DOWNLOAD: u32 = 32768;
}

/// Where a document stands in the page: what its nodes' positions, parents and refs are relative
/// to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    /// Number of its world.
    pub(crate) world: u32,
    /// Its viewport's left top corner, in the page's viewport.
    pub(crate) offset: (f64, f64),
    /// How many nodes come before its first one.
    pub(crate) first: usize,
    /// The node it is inside, for a frame.
    pub(crate) owner: Option<usize>,
    /// How many forms come before its first one.
    pub(crate) first_form: usize,
    /// How far it is scrolled.
    pub(crate) scrolled: (f64, f64),
}

/// The ref by which the engine knows a node: the number of its document's world and the walker's
/// own ref. World numbers are never used again, so neither is a ref (WEB-026).
pub(crate) fn node_ref(world: u32, raw: &str) -> NodeRef {
    NodeRef(format!("w{world}{raw}"))
}

/// Takes a ref apart again.
pub(crate) fn split_ref(node_ref: &NodeRef) -> Option<(u32, &str)> {
    let rest = node_ref.0.strip_prefix('w')?;
    let end = rest.find('e')?;
    Some((rest[..end].parse().ok()?, &rest[end..]))
}

impl RawNode {
    /// The node in the shared model.
    pub(crate) fn into_node(self, place: &Place, origin: Option<&str>) -> Node {
        let has = |bit: u32| self.f & bit != 0;
        let parent = match self.p.and_then(|index| usize::try_from(index).ok()) {
            Some(index) => Some(place.first + index),
            None => place.owner,
        };
        let (dx, dy) = place.offset;
        // Left of or above where a document begins, no scrolling leads: nobody can point there.
        let (sx, sy) = place.scrolled;
        let out_of_reach = self
            .b
            .is_some_and(|[x, y, width, height]| x + width + sx <= 0.0 || y + height + sy <= 0.0);
        let bounds = self.b.map(|[x, y, width, height]| Bounds {
            x: x + dx,
            y: y + dy,
            width,
            height,
            unit: Unit::CssPx,
        });
        let seed = match (self.sr, self.sn) {
            (None, None) => None,
            (role, name) => Some(SeedPair {
                role: role.unwrap_or_else(|| self.ro.clone()),
                name: name.unwrap_or_else(|| self.n.clone()),
            }),
        };
        Node {
            node_ref: node_ref(place.world, &self.r),
            parent,
            role: self.ro,
            name: self.n,
            text: self.t,
            description: self.d,
            value: self.v,
            id: self.id,
            test_id: self.ti,
            class: self.tag,
            package: origin.map(str::to_owned),
            path: self.path,
            bounds,
            states: self.s.into_states(),
            flags: Flags {
                actionable: has(flag::ACTIONABLE),
                editable: has(flag::EDITABLE),
                secret: has(flag::SECRET),
                visible: has(flag::VISIBLE),
                in_viewport: has(flag::IN_VIEWPORT),
                obscured: has(flag::OBSCURED) || out_of_reach,
                aria_hidden: has(flag::ARIA_HIDDEN),
                scrollable: has(flag::SCROLLABLE),
                submit: has(flag::SUBMIT),
                new_window: has(flag::NEW_WINDOW),
                download: has(flag::DOWNLOAD),
                broken_image: self.broken != 0,
                value_withheld: has(flag::VALUE_WITHHELD),
                value_truncated: has(flag::VALUE_TRUNCATED),
                text_truncated: has(flag::TEXT_TRUNCATED),
                in_seed_view: has(flag::IN_SEED_VIEW),
            },
            link: self.h,
            source: self.src,
            form_action: self.fa,
            form: self.fm.map(|form| place.first_form + form),
            field: self.im.map(|field| Box::new(field.into_field())),
            seed,
        }
    }

    /// The number of its form within its own document.
    pub(crate) fn form(&self) -> Option<usize> {
        self.fm
    }
}

impl RawStates {
    fn into_states(self) -> States {
        States {
            checked: self.checked.map(RawToggle::into_toggle),
            disabled: self.disabled,
            expanded: self.expanded,
            selected: self.selected,
            pressed: self.pressed.map(RawToggle::into_toggle),
            readonly: self.readonly,
            required: self.required,
            invalid: self.invalid,
            focused: self.focused,
            level: self.level,
            current: self.current,
            modal: self.modal,
            busy: self.busy,
        }
    }
}

impl RawToggle {
    fn into_toggle(self) -> Toggle {
        match self {
            Self::Flag(true) => Toggle::On,
            Self::Flag(false) => Toggle::Off,
            Self::Word(_) => Toggle::Mixed,
        }
    }
}

impl RawField {
    fn into_field(self) -> Field {
        let length = |length: Option<i64>| length.and_then(|length| usize::try_from(length).ok());
        Field {
            kind: self.kind,
            autocomplete: self.ac,
            form_name: self.nm,
            label: self.lb,
            placeholder: self.ph,
            pattern: self.pt,
            min: self.min,
            max: self.max,
            step: self.step,
            max_length: length(self.ml),
            min_length: length(self.mi),
            required: self.req,
            multiple: self.multiple,
            choices: self
                .opts
                .into_iter()
                .map(|choice| Choice {
                    value: choice.v,
                    label: choice.l,
                    disabled: choice.dis,
                    selected: choice.sel,
                })
                .collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLACE: Place = Place {
        world: 7,
        offset: (10.0, 20.0),
        first: 5,
        owner: Some(4),
        first_form: 2,
        scrolled: (0.0, 0.0),
    };

    #[test]
    fn a_node_of_a_frame_is_moved_into_the_page() {
        let raw: RawNode = serde_json::from_str(
            r#"{"r":"e3","ro":"button","n":"Go","b":[1,2,30,40],"f":2057,"fm":0,
                "s":{"pressed":"mixed","disabled":true},"sr":"focusable","new":1}"#,
        )
        .unwrap();
        let node = raw.into_node(&PLACE, Some("http://a.test"));
        assert_eq!(node.node_ref.0, "w7e3");
        assert_eq!(node.parent, Some(4));
        assert_eq!(
            node.bounds.map(|b| (b.x, b.y, b.width)),
            Some((11.0, 22.0, 30.0))
        );
        assert!(node.flags.actionable && node.flags.visible && node.flags.in_viewport);
        assert!(!node.flags.editable);
        assert_eq!(node.form, Some(2));
        assert_eq!(node.states.pressed, Some(Toggle::Mixed));
        let seed = node.seed.unwrap();
        assert_eq!(
            (seed.role.as_str(), seed.name.as_str()),
            ("focusable", "Go")
        );
    }

    // WEB-026
    #[test]
    fn a_ref_names_its_document_and_its_element() {
        assert_eq!(split_ref(&node_ref(12, "e345")), Some((12, "e345")));
        for bad in ["e3", "w3", "wxe3", "", "w99999999999e1"] {
            assert_eq!(split_ref(&NodeRef(bad.into())), None, "{bad}");
        }
    }
}
