//! What to serve, and how.

/// A bundled app.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WebApp {
    /// A small shop with planted faults; see [`ground_truth`](crate::ground_truth).
    Shop,
    /// Pages that try to break the browser or its driver; see [`hostile_cases`](crate::hostile_cases).
    Hostile,
}

/// How an app is served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Whether the shop has its planted faults and findings; without them it has none at all.
    pub faults: bool,
    /// How long the shop's JSON interface waits before each answer.
    pub slow_ms: u64,
    /// Every n-th answer of the shop's JSON interface is a 500; `None` or 0 for never. Counted, not drawn by lot, so
    /// that two runs meet the same failures.
    pub fail_every: Option<u32>,
    /// Whether `/api/control?slow_ms=…&fail=…` may change the two values above while the server runs.
    pub control: bool,
    /// The port on 127.0.0.1; 0 lets the system choose.
    pub port: u16,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            faults: true,
            slow_ms: 0,
            fail_every: None,
            control: false,
            port: 0,
        }
    }
}
