//! What we ask for.

use serde::{Deserialize, Serialize};

use crate::{ElementKey, NodeRef};

/// One thing a person could do. Targets are live elements of the latest observation.
///
/// A start of the app is not among them: it goes through [`Driver::launch`](crate::Driver::launch).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "action_type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Action {
    /// Tap or click an element.
    Tap {
        /// What to tap.
        target: Target,
    },
    /// Give an element the focus, and do nothing else to it.
    Focus {
        /// What to focus.
        target: Target,
    },
    /// Point at an element without pressing.
    Hover {
        /// What to point at.
        target: Target,
    },
    /// Replace the content of a text field, and read it back.
    Fill {
        /// The field.
        target: Target,
        /// The whole new content.
        text: String,
    },
    /// Add to the end of what a text field holds, and read it back.
    Type {
        /// The field.
        target: Target,
        /// What is added.
        text: String,
    },
    /// Choose an option of a list control.
    Select {
        /// The list.
        target: Target,
        /// Label of the option, else its value.
        option: String,
    },
    /// Press one key, after focusing the target if there is one.
    Press {
        /// What gets the focus first.
        target: Option<Target>,
        /// Name of the key as in the DOM standard (`Enter`, `Escape`, `ArrowDown`, `a`).
        key: String,
    },
    /// Scroll an element's content, or the page.
    Scroll {
        /// The container; the page if absent.
        target: Option<Target>,
        /// To the right, in the unit of the observation.
        dx: i32,
        /// Downwards.
        dy: i32,
    },
    /// Bring an element into view, however far away it is.
    ScrollTo {
        /// What is to be seen.
        target: Target,
    },
    /// Go to an address inside the app's boundary.
    Navigate {
        /// Absolute URL.
        url: String,
    },
    /// One step back: a history step or the BACK key.
    Back,
}

impl Action {
    /// The element it acts on.
    #[must_use]
    pub fn target(&self) -> Option<&Target> {
        match self {
            Self::Tap { target }
            | Self::Focus { target }
            | Self::Hover { target }
            | Self::Fill { target, .. }
            | Self::Type { target, .. }
            | Self::Select { target, .. }
            | Self::ScrollTo { target } => Some(target),
            Self::Press { target, .. } | Self::Scroll { target, .. } => target.as_ref(),
            Self::Navigate { .. } | Self::Back => None,
        }
    }
}

/// The live element an action is meant for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Target {
    /// The element itself.
    pub node_ref: NodeRef,
    /// Its identity in the state graph.
    pub key: ElementKey,
}
