//! A device's hands, eyes and clock.

use std::collections::BTreeSet;
use std::time::Duration;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use crate::{Action, Back, Capability, Observation, Platform, Receipt};

/// A device's hands, eyes and clock.
///
/// The driver owns the app's clock: whoever wants app time to pass asks it to
/// [`advance`](Driver::advance) and never sleeps. A real device sleeps, a simulated app jumps, a
/// browser advances virtual time.
#[async_trait]
pub trait Driver: Send {
    /// What it is and can do.
    fn info(&self) -> &DriverInfo;

    /// Ends the app if it runs, and starts it from a clean state. The receipt is `Ok` once the
    /// start was confirmed; what is on the screen then is for an observation to say.
    async fn launch(&mut self) -> Result<Receipt, DriverError>;

    /// Looks at the screen. A screen that cannot be read is an error, never an empty observation.
    async fn observe(&mut self, request: ObserveRequest) -> Result<Observation, DriverError>;

    /// Does one thing, once. Refusals and failures are receipts; an error means that nothing can
    /// be said about what reached the app.
    async fn act(&mut self, action: &Action) -> Result<Receipt, DriverError>;

    /// A picture of the screen.
    async fn screenshot(&mut self) -> Result<Image, DriverError>;

    /// What happened beside the view since the last call: dialogs, pop-ups, downloads.
    fn take_notices(&mut self) -> Vec<Notice>;

    /// App time since the driver began.
    fn now(&self) -> Duration;

    /// Real time since the driver began; for limits that a person set.
    fn elapsed(&self) -> Duration;

    /// Lets app time pass, and a frame be drawn at the end of it.
    async fn advance(&mut self, span: Duration) -> Result<Advanced, DriverError>;

    /// Ends the app and gives back everything the driver holds. Called once.
    async fn stop(&mut self) -> Result<(), DriverError>;
}

/// What a driver is and can do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DriverInfo {
    /// Kind of app.
    pub platform: Platform,
    /// Number of the driver's contract; grows when the meaning of an observation changes.
    pub contract: u32,
    /// Product and version of what is driven (`Chromium 156.0.8078.108`).
    pub device: String,
    /// What is started: a URL, a package or a bundle id.
    pub target: String,
    /// What it can do.
    pub capabilities: BTreeSet<Capability>,
    /// How one gets back from a page.
    pub back: Back,
    /// Which clock the app runs on at the start.
    pub clock: Clock,
    /// How much app time should pass between two looks while a view comes to rest.
    pub poll_interval: Duration,
    /// How much of a screen is read where a verdict rests on it.
    #[serde(default)]
    pub nodes: NodeBudget,
    /// Conditions a report must name (`sandbox off: running as root`).
    pub remarks: Vec<String>,
}

/// The clock an app runs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Clock {
    /// Wall time.
    Real,
    /// App time passes only when the driver says so.
    Virtual,
}

/// How many nodes of a screen are read where a verdict rests on them (D-06, REP-051).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "(usize, usize)", into = "(usize, usize)")]
pub struct NodeBudget {
    judging: usize,
    escalated: usize,
}

impl NodeBudget {
    /// No driver reads more at once.
    pub const MOST: usize = 100_000;

    /// So many nodes at first, and so many, once, where those were not all. Nothing where one is
    /// zero or beyond [`MOST`](Self::MOST), or the second one is the smaller one.
    #[must_use]
    pub fn new(judging: usize, escalated: usize) -> Option<Self> {
        let fits = 0 < judging && judging <= escalated && escalated <= Self::MOST;
        fits.then_some(Self { judging, escalated })
    }

    /// A look that judges.
    #[must_use]
    pub const fn judging(self) -> ObserveRequest {
        ObserveRequest {
            max_nodes: self.judging,
            thorough: true,
        }
    }

    /// The one look after it where it was cut short.
    #[must_use]
    pub const fn escalated(self) -> ObserveRequest {
        ObserveRequest {
            max_nodes: self.escalated,
            thorough: true,
        }
    }
}

impl From<NodeBudget> for (usize, usize) {
    fn from(nodes: NodeBudget) -> Self {
        (nodes.judging, nodes.escalated)
    }
}

impl TryFrom<(usize, usize)> for NodeBudget {
    type Error = String;

    fn try_from((judging, escalated): (usize, usize)) -> Result<Self, Self::Error> {
        Self::new(judging, escalated)
            .ok_or_else(|| format!("{judging} and then {escalated} nodes cannot be read"))
    }
}

/// 5,000 and 50,000.
impl Default for NodeBudget {
    fn default() -> Self {
        Self {
            judging: ObserveRequest::JUDGING.max_nodes,
            escalated: ObserveRequest::ESCALATED.max_nodes,
        }
    }
}

/// How much of a screen to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObserveRequest {
    /// The most nodes to return; more of them make the observation truncated.
    pub max_nodes: usize,
    /// Also look for what costs extra: closed shadow roots, elements that listen for taps. Only
    /// such a look can claim verified coverage. Not for polling (REP-044, WEB-025).
    pub thorough: bool,
}

impl ObserveRequest {
    /// The usual budget for a view that judges (D-06).
    pub const JUDGING: Self = Self {
        max_nodes: 5_000,
        thorough: true,
    };
    /// The usual budget a judging view is escalated to, once (D-06).
    pub const ESCALATED: Self = Self {
        max_nodes: 50_000,
        thorough: true,
    };
}

/// How app time passed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Advanced {
    /// The clock that was used; `Real` where a virtual one gave up.
    pub clock: Clock,
    /// What still runs and no longer counts as unrest (long polls, streams), by address.
    pub ignored: Vec<String>,
    /// What still runs and does count (open requests, navigations), by address.
    pub pending: Vec<String>,
}

/// An encoded picture.
#[derive(Clone, PartialEq, Eq)]
pub struct Image {
    /// File extension: `png`, `jpg` or `webp`.
    pub extension: &'static str,
    /// The encoded bytes.
    pub bytes: Vec<u8>,
}

impl std::fmt::Debug for Image {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            formatter,
            "Image({}, {} bytes)",
            self.extension,
            self.bytes.len()
        )
    }
}

/// Something that happened beside the view.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "notice", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Notice {
    /// A dialog of the platform opened and was answered.
    Dialog {
        /// `alert`, `confirm`, `prompt`, `beforeunload`.
        kind: String,
        /// What it said.
        message: String,
        /// Whether it was accepted.
        accepted: bool,
    },
    /// The app opened another window, which was closed.
    Popup {
        /// Where it led; empty if it did not say.
        url: String,
        /// Whether that address is inside the app's boundary.
        inside: bool,
    },
    /// A download was denied.
    Download {
        /// Where from.
        url: String,
        /// The name the app suggested.
        name: String,
    },
    /// A chooser for files was cancelled, or answered with the given files.
    FileChooser {
        /// Whether files were given.
        answered: bool,
    },
    /// Requests outside the allowed origins were blocked.
    Blocked {
        /// Whom they would have asked, with the port unless it is the usual one.
        host: String,
        /// How many they were.
        count: u64,
    },
    /// The app closed its own window or went away.
    Closed,
    /// The driver had to leave the virtual clock.
    ClockFallback {
        /// Why.
        reason: String,
    },
}

impl std::fmt::Display for Notice {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Dialog {
                kind,
                message,
                accepted,
            } => {
                let answer = if *accepted { "accepted" } else { "dismissed" };
                write!(formatter, "{kind} “{message}” was {answer}")
            }
            Self::Popup { url, inside } => {
                let side = if *inside { "inside" } else { "outside" };
                write!(formatter, "a window to {url} ({side} the app) was closed")
            }
            Self::Download { url, name } => {
                write!(formatter, "the download of “{name}” from {url} was denied")
            }
            Self::FileChooser { answered } => {
                let answer = if *answered { "answered" } else { "cancelled" };
                write!(formatter, "a file chooser was {answer}")
            }
            Self::Blocked { host, count: 1 } => {
                write!(formatter, "a request to {host} was blocked")
            }
            Self::Blocked { host, count } => {
                write!(formatter, "{count} requests to {host} were blocked")
            }
            Self::Closed => formatter.write_str("the app closed its window"),
            Self::ClockFallback { reason } => {
                write!(formatter, "the virtual clock was left: {reason}")
            }
        }
    }
}

/// Why a driver could not do its work.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DriverError {
    /// The app does not answer; it may be restarted.
    #[error("the app did not answer to {what} within {waited_ms} ms")]
    Unresponsive {
        /// What was asked.
        what: String,
        /// For how long.
        waited_ms: u64,
    },
    /// The app is gone (its process died, its window closed); it may be restarted.
    #[error("the app is gone: {reason}")]
    AppGone {
        /// What is known.
        reason: String,
    },
    /// The device or browser is gone; nothing more can be done.
    #[error("the connection to {device} is lost: {reason}")]
    Lost {
        /// Which device.
        device: String,
        /// What is known.
        reason: String,
    },
    /// The device answered something that cannot be.
    #[error("{what} failed: {reason}")]
    Protocol {
        /// What was asked.
        what: String,
        /// What it answered.
        reason: String,
    },
}

impl DriverError {
    /// A stable code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Unresponsive { .. } => "APP_UNRESPONSIVE",
            Self::AppGone { .. } => "APP_GONE",
            Self::Lost { .. } => "DEVICE_LOST",
            Self::Protocol { .. } => "DRIVER_PROTOCOL",
        }
    }

    /// Whether a new launch may help.
    #[must_use]
    pub fn is_recoverable(&self) -> bool {
        !matches!(self, Self::Lost { .. })
    }
}
