//! One piece of crash evidence and its identity.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// One piece of crash evidence, as a [`CrashWatch`](crate::CrashWatch) reports it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Crash {
    /// What happened.
    pub kind: CrashKind,
    /// Whether it fails a run.
    pub severity: Severity,
    /// Identity for de-duplication.
    pub signature: Signature,
    /// One line for people, at most 160 characters; never compared.
    pub label: String,
    /// The whole evidence: message, stack, console lines, failed requests.
    pub stack: String,
    /// How often it happened since the last query.
    pub count: u64,
    /// [`Receipt::ordinal`](crate::Receipt::ordinal) of the last action begun before it happened;
    /// `None` when the source cannot tell.
    pub after_action: Option<u64>,
    /// Address of the page or name of the component it happened on.
    pub place: Option<String>,
    /// App time.
    pub at: Duration,
    /// The app cannot go on: the path ends and the app is started anew.
    pub ends_path: bool,
}

/// Identity of a crash: equal signatures, equal defect.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Signature(pub String);

impl std::fmt::Display for Signature {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// Whether a piece of evidence fails a run (CRA-004).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Fails the run.
    Crash,
    /// Reported; does not fail the run.
    Finding,
}

macro_rules! crash_kinds {
    ($($(#[$doc:meta])* $name:ident = $word:literal, $severity:ident;)*) => {
        /// What happened.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[non_exhaustive]
        pub enum CrashKind {
            $($(#[$doc])* #[serde(rename = $word)] $name,)*
        }

        impl CrashKind {
            /// Every kind there is.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// The word used in files, output and options.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$name => $word,)* }
            }

            /// Its severity unless an option says otherwise.
            #[must_use]
            pub fn severity(self) -> Severity {
                match self { $(Self::$name => Severity::$severity,)* }
            }
        }
    };
}

crash_kinds! {
    /// Uncaught JavaScript exception, rejected promise or worker error.
    JsException = "js-exception", Crash;
    /// The page's process died.
    RendererCrash = "renderer-crash", Crash;
    /// The page does not answer.
    Hang = "hang", Crash;
    /// The app's own server failed.
    Http5xx = "http-5xx", Crash;
    /// Nothing is visible where something was.
    BlankPage = "blank-page", Crash;
    /// The app asked for something that is not there or not allowed.
    Http4xx = "http-4xx", Finding;
    /// A request that got no answer.
    RequestFailed = "request-failed", Finding;
    /// The app wrote an error to its console.
    ConsoleError = "console-error", Finding;
    /// The content security policy blocked something.
    CspViolation = "csp-violation", Finding;
    /// An insecure resource on a secure page.
    MixedContent = "mixed-content", Finding;
    /// An image that did not load.
    BrokenImage = "broken-image", Finding;
    /// Uncaught Java or Kotlin exception.
    Java = "java", Crash;
    /// Uncaught JavaScript exception in a React Native app.
    Js = "js", Crash;
    /// Native crash.
    Native = "native", Crash;
    /// Android's "application not responding".
    Anr = "anr", Crash;
    /// iOS crash report.
    Ios = "ios", Crash;
}

impl std::fmt::Display for CrashKind {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl std::str::FromStr for CrashKind {
    type Err = UnknownCrashKind;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .iter()
            .copied()
            .find(|kind| kind.as_str() == word)
            .ok_or_else(|| UnknownCrashKind(word.to_owned()))
    }
}

/// A word that names no [`CrashKind`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown crash kind `{0}`; known are {known}", known = CrashKind::ALL.iter().map(|kind| kind.as_str()).collect::<Vec<_>>().join(", "))]
pub struct UnknownCrashKind(pub String);
