//! One module a command.

mod advisor;
mod again;
pub(crate) mod demo;
pub(crate) mod doctor;
pub(crate) mod example;
pub(crate) mod explore;
pub(crate) mod export;
pub(crate) mod login_state;
pub(crate) mod minimize;
mod nodes;
pub(crate) mod redact;
pub(crate) mod replay;
pub(crate) mod report;
mod rerun;
mod secret;
mod session;
mod settle;
mod stage;
pub(crate) mod validate;
