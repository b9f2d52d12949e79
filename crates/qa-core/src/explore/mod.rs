//! Exploring: the loop and each of its decisions.

mod config;

pub use config::{ConfigError, ExploreConfig, GivenInput, Inputs, Navigation};
