//! Drivers for real apps behind the ports of `qa-core`: they translate what the engine asks into
//! a platform's own protocol and its replies back. They never decide what to do next.
//!
//! | feature | drives |
//! | --- | --- |
//! | `cdp` | a page in Chromium, Chrome or Edge, over the Chrome DevTools Protocol |
#![cfg_attr(test, allow(clippy::unwrap_used, reason = "a test may fail"))]

#[cfg(feature = "cdp")]
pub mod cdp;
