//! Web apps whose faults are known, and a loopback server for them; it drives no browser and judges nothing.
//!
//! Two apps are embedded in the binary: a small shop with a fault of every kind planted at a known place, and a
//! collection of hostile pages that a browser driver has to survive.
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use qa_web_apps::{Options, WebApp, ground_truth, serve};
//!
//! let server = serve(WebApp::Shop, Options::default()).await?;
//! println!("{} has {} planted faults", server.url(), ground_truth().len());
//! assert_eq!(server.traps().values().sum::<u64>(), 0);
//! server.stop().await;
//! # Ok(())
//! # }
//! ```
//!
//! | with | the shop |
//! | --- | --- |
//! | `Options::default()` | has the faults and findings of `shop/faults.json` |
//! | `faults: false` | works, and writes nothing to the console |
//! | `slow_ms`, `fail_every`, `control` | has a slow or failing JSON interface |
//! | a `Change` | is no longer what its files say |

mod asset;
#[cfg(feature = "tls")]
mod certificate;
mod change;
mod ground_truth;
mod hostile;
mod options;
mod reply;
mod request;
mod server;
mod session;
mod shop;
mod trap;

pub use change::{Broken, Change};
pub use ground_truth::{Cause, CauseAction, FaultKind, PlantedFault, Severity, ground_truth};
pub use hostile::{Expectation, HostileCase, hostile_cases};
pub use options::{Options, WebApp};
pub use server::{RunningServer, ServeError, serve};
pub use trap::TRAPS;
