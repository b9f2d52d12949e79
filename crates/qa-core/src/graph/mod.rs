//! Pages joined by actions, with what has been tried.

mod interner;
mod navigator;
mod novelty;
mod record;
mod route;
mod snapshot;
mod state_graph;

pub use navigator::{Arrival, Navigator};
pub use record::{EdgeInfo, FrontierPage, GraphLimits, GraphSummary, PageInfo, PageKind, Pick};
pub use route::{Hop, Route, plan_route};
pub use snapshot::{EdgeSnapshot, GraphSnapshot, PageSnapshot, SnapshotError};
pub use state_graph::StateGraph;
