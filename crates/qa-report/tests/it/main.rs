//! Sessions written and read back, and the reports made from them.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

mod directory;
mod fixture;
mod html;
mod junit;
mod markdown;
mod merge;
mod resume;
mod word;
