//! One module a command.

mod again;
pub(crate) mod demo;
pub(crate) mod doctor;
pub(crate) mod explore;
pub(crate) mod report;
mod session;
