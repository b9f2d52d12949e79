//! Exploring: the loop and each of its decisions.

mod config;
mod deed;
mod drain;
mod explorer;
mod form;
mod here;
mod history;
mod inputs;
mod pattern;
mod perform;
mod pick;
mod recovery;
mod run;
mod tally;
mod values;

pub use config::{ConfigError, ExploreConfig, GivenInput, Inputs, Navigation};
pub use explorer::{explore, resume};
pub use history::History;
pub use inputs::{fillable, input_value, synthetic_value};
pub use run::Ports;
