//! Exploring: the loop and each of its decisions.

mod config;
mod inputs;

pub use config::{ConfigError, ExploreConfig, GivenInput, Inputs, Navigation};
pub use inputs::{fillable, input_value, synthetic_value};
