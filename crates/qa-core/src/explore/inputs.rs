//! What may be typed into which field.

use crate::{GivenInput, Inputs, Node};

/// Whether a made-up value may be typed into a field (WEB-062).
#[must_use]
pub fn fillable(node: &Node) -> bool {
    node.flags.editable
        && !node.flags.secret
        && node.states.disabled != Some(true)
        && node.states.readonly != Some(true)
}

/// A made-up value that fits a field.
#[must_use]
pub fn synthetic_value(node: &Node, seed: u64, visit: u32) -> Option<String> {
    let _ = (seed, visit);
    fillable(node).then(|| "example".to_owned())
}

/// The value to type into a field: the owner's, else a made-up one.
#[must_use]
pub fn input_value(node: &Node, inputs: &Inputs, seed: u64, visit: u32) -> Option<String> {
    match inputs {
        Inputs::None => None,
        Inputs::Synthetic => synthetic_value(node, seed, visit),
        Inputs::Given(given) => given
            .iter()
            .find(|given| is_meant(given, node))
            .map(|given| given.value.clone())
            .or_else(|| synthetic_value(node, seed, visit)),
    }
}

fn is_meant(given: &GivenInput, node: &Node) -> bool {
    given.field == node.name
}
