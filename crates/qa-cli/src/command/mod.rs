//! One module a command.

pub(crate) mod demo;
pub(crate) mod doctor;
pub(crate) mod explore;
pub(crate) mod redact;
pub(crate) mod report;
mod secret;
mod session;
