//! Pages joined by actions, with what has been tried.

mod state_graph;

pub use state_graph::StateGraph;
