//! Reads crash evidence and gives it an identity, so that the same defect is known again. It
//! performs no I/O, reads no clock and never panics on what it is given.
//!
//! ```
//! use qa_core::CrashKind;
//! use qa_crash::BrowserFault;
//!
//! let mut fault = BrowserFault::new(CrashKind::JsException, "cart total is NaN for item 17");
//! fault.class = Some("TypeError".into());
//! let again = BrowserFault { message: "cart total is NaN for item 4".into(), ..fault.clone() };
//! assert_eq!(fault.signature(&[]), again.signature(&[]));
//! ```
#![cfg_attr(test, allow(clippy::unwrap_used, reason = "a test may fail"))]

mod browser;
mod frame;
mod mask;

pub use browser::BrowserFault;
pub use frame::{Frame, Original};
pub use mask::{mask_message, mask_path};
