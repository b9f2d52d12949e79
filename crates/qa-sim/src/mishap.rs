//! What goes wrong with the device rather than with the app.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

/// What goes wrong with the device rather than with the app. Everything counts from 1.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Mishaps {
    /// The connection is lost when this action (launches included) begins.
    pub lost_at_action: Option<u64>,
    /// The connection is lost at this look.
    pub lost_at_look: Option<u64>,
    /// These launches do not start the app.
    pub failed_launches: BTreeSet<u64>,
    /// From this look on, and for so many looks, nobody can tell who is in front.
    pub front_unknown: Option<(u64, u64)>,
    /// These queries for crashes cannot be answered; what they would have said comes later.
    pub failed_queries: BTreeSet<u64>,
    /// The watch dies by itself when this action begins.
    pub watch_dies_at_action: Option<u64>,
    /// The watch cannot tell after which action something happened.
    pub watch_knows_no_actions: bool,
    /// The watch cannot be started.
    pub watch_start_fails: bool,
    /// The watch cannot say whether it ended cleanly.
    pub watch_stop_fails: bool,
    /// No picture can be taken.
    pub no_screenshot: bool,
    /// The driver cannot be stopped cleanly.
    pub stop_fails: bool,
}
