//! What a driver's hands can do.

use serde::{Deserialize, Serialize};

/// One thing a driver can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Capability {
    /// [`Action::Tap`](crate::Action::Tap).
    Tap,
    /// [`Action::Focus`](crate::Action::Focus).
    Focus,
    /// [`Action::Hover`](crate::Action::Hover).
    Hover,
    /// [`Action::Fill`](crate::Action::Fill): replaces content and reads it back.
    Fill,
    /// [`Action::Type`](crate::Action::Type): adds to content and reads it back.
    Type,
    /// [`Action::Select`](crate::Action::Select).
    Select,
    /// [`Action::Press`](crate::Action::Press).
    Press,
    /// [`Action::Scroll`](crate::Action::Scroll).
    Scroll,
    /// [`Action::ScrollTo`](crate::Action::ScrollTo).
    ScrollTo,
    /// [`Action::Navigate`](crate::Action::Navigate).
    Navigate,
    /// [`Driver::screenshot`](crate::Driver::screenshot).
    Screenshot,
    /// A [`NodeRef`](crate::NodeRef) of an earlier look names the same element in a later one, as
    /// long as its document lives: so an element that was acted upon is found again.
    LastingRefs,
    /// A [thorough](crate::ObserveRequest::thorough) look sees more than a plain one.
    ThoroughLook,
}

/// How one gets back from a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Back {
    /// [`Action::Back`](crate::Action::Back): a hardware key or a history step.
    Action,
    /// By an element of the app that is named so.
    Element,
}
