//! Sessions written and read back, and the reports made from them.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

mod directory;
mod fixture;
mod html;
mod markdown;
mod resume;
mod word;
