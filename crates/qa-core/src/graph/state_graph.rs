//! Pages joined by actions.

/// Pages joined by actions, with what has been tried on each.
#[derive(Debug, Clone, Default)]
pub struct StateGraph {}
