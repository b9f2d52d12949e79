//! Faults of a page in a browser.

use std::fmt::Write as _;
use std::time::Duration;

use qa_core::{Crash, CrashKind, Severity, Signature};

use crate::{mask_message, mask_path};

/// A fault of a page, as the browser's protocol told it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrowserFault {
    /// What happened.
    pub kind: CrashKind,
    /// Type of the exception (`TypeError`), or another word that tells faults of a kind apart
    /// (`GET 503`).
    pub class: Option<String>,
    /// What it said.
    pub message: String,
    /// Where it was thrown, innermost first.
    pub frames: Vec<Frame>,
    /// The browser's own rendering of the stack, if there is one.
    pub stack: Option<String>,
    /// Address of the page.
    pub page: Option<String>,
    /// Who said it, where that is not the page itself: a worker, a frame.
    pub source: Option<String>,
    /// Why it may not be the app's own: then it is a finding, not a crash.
    pub doubt: Option<String>,
}

/// One line of a stack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// Name of the function; empty for code outside any.
    pub function: String,
    /// Address of the script.
    pub url: String,
    /// Line, from 1.
    pub line: u64,
    /// Column, from 1.
    pub column: u64,
}

const IDENTITY_FRAMES: usize = 3;
const LABEL_CHARS: usize = 160;
const SIGNATURE_CHARS: usize = 600;

impl BrowserFault {
    /// A fault of which nothing but kind and message is known.
    #[must_use]
    pub fn new(kind: CrashKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            class: None,
            message: message.into(),
            frames: Vec::new(),
            stack: None,
            page: None,
            source: None,
            doubt: None,
        }
    }

    /// Its identity (WEB-043): kind, type, masked message, and the top three frames whose script
    /// comes from one of the app's origins. Where no frame does, the top three of any.
    #[must_use]
    pub fn signature(&self, app_origins: &[String]) -> Signature {
        let of_app = |frame: &&Frame| {
            app_origins.iter().any(|origin| {
                frame
                    .url
                    .strip_prefix(origin.as_str())
                    .is_some_and(|rest| rest.starts_with('/'))
            })
        };
        let mut frames: Vec<&Frame> = self
            .frames
            .iter()
            .filter(of_app)
            .take(IDENTITY_FRAMES)
            .collect();
        if frames.is_empty() {
            frames = self.frames.iter().take(IDENTITY_FRAMES).collect();
        }
        let mut text = self.kind.to_string();
        let class = self.class.iter().cloned();
        let message = std::iter::once(mask_message(&self.message));
        let places = frames.into_iter().map(|frame| {
            format!(
                "{}@{}",
                qa_core::mask_digits(&frame.function),
                mask_path(&frame.url)
            )
        });
        for part in class
            .chain(message)
            .chain(places)
            .filter(|part| !part.is_empty())
        {
            text.push('|');
            text.push_str(&part);
        }
        Signature(text.chars().take(SIGNATURE_CHARS).collect())
    }

    /// One line for people.
    #[must_use]
    pub fn label(&self) -> String {
        let mut label = match &self.class {
            Some(class) if !self.message.starts_with(class.as_str()) => {
                format!("{class}: {}", self.message)
            }
            _ => self.message.clone(),
        };
        if let Some(frame) = self.frames.first().filter(|frame| !frame.url.is_empty()) {
            let _ = write!(label, " @ {}", short_place(frame));
        }
        let line = label.split_whitespace().collect::<Vec<_>>().join(" ");
        line.chars().take(LABEL_CHARS).collect()
    }

    /// The evidence as it is stored. `context` is what the page logged and requested in vain since
    /// the step before.
    #[must_use]
    pub fn evidence(&self, context: &[String]) -> String {
        let mut text = String::new();
        let _ = writeln!(text, "{}", self.label());
        if let Some(page) = &self.page {
            let _ = writeln!(text, "page: {page}");
        }
        if let Some(source) = &self.source {
            let _ = writeln!(text, "in: {source}");
        }
        if let Some(doubt) = &self.doubt {
            let _ = writeln!(text, "in doubt: {doubt}");
        }
        if let Some(stack) = &self.stack {
            let _ = writeln!(text, "\n{stack}");
        }
        // The browser's own text usually ends with the same places; then they are not repeated.
        let told = |frame: &Frame| {
            let place = format!("{}:{}:{}", frame.url, frame.line, frame.column);
            self.stack
                .as_deref()
                .is_some_and(|stack| stack.contains(&place))
        };
        if !self.frames.iter().all(told) {
            text.push('\n');
            for frame in &self.frames {
                let Frame {
                    function,
                    url,
                    line,
                    column,
                } = frame;
                let function = if function.is_empty() {
                    "(anonymous)"
                } else {
                    function
                };
                let _ = writeln!(text, "    at {function} ({url}:{line}:{column})");
            }
        }
        if !context.is_empty() {
            text.push_str("\nbefore it, since the previous step:\n");
            for line in context {
                let _ = writeln!(text, "  {line}");
            }
        }
        text
    }

    /// The fault as evidence of the engine. Equal faults become one with a count.
    #[must_use]
    pub fn into_crash(
        self,
        app_origins: &[String],
        context: &[String],
        count: u64,
        after_action: u64,
        at: Duration,
    ) -> Crash {
        Crash {
            kind: self.kind,
            severity: if self.doubt.is_some() {
                Severity::Finding
            } else {
                self.kind.severity()
            },
            signature: self.signature(app_origins),
            label: self.label(),
            stack: self.evidence(context),
            count,
            after_action: Some(after_action),
            at,
            ends_path: matches!(self.kind, CrashKind::RendererCrash | CrashKind::Hang),
            place: self.page,
        }
    }
}

fn short_place(frame: &Frame) -> String {
    let path = frame
        .url
        .split_once("://")
        .map_or(frame.url.as_str(), |(_, rest)| {
            rest.find('/').map_or(rest, |slash| &rest[slash..])
        });
    let file = path.split(['?', '#']).next().unwrap_or(path);
    if frame.function.is_empty() {
        format!("{file}:{}", frame.line)
    } else {
        format!("{} {file}:{}", frame.function, frame.line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(function: &str, url: &str) -> Frame {
        Frame {
            function: function.into(),
            url: url.into(),
            line: 12,
            column: 3,
        }
    }

    fn fault() -> BrowserFault {
        BrowserFault {
            class: Some("TypeError".into()),
            frames: vec![
                frame("invoke", "https://cdn.test/lib.js"),
                frame("total", "http://shop.test/js/cart.0a1b2c3d.js?v=9"),
                frame("", "http://shop.test/js/app.js"),
            ],
            ..BrowserFault::new(CrashKind::JsException, "no price for 17")
        }
    }

    // WEB-043
    #[test]
    fn a_signature_names_the_frames_of_the_app_without_what_a_build_changes() {
        let signature = fault().signature(&["http://shop.test".into()]);
        assert_eq!(
            signature.0,
            "js-exception|TypeError|no price for #|total@/js/cart.#.js|@/js/app.js"
        );
    }

    // WEB-043
    #[test]
    fn another_host_with_the_same_beginning_is_not_the_app() {
        let signature = fault().signature(&["http://shop.tes".into()]);
        assert!(signature.0.contains("invoke@/lib.js"), "{signature}");
    }

    // WEB-044
    #[test]
    fn the_evidence_has_the_stack_and_what_came_before() {
        let text = fault().evidence(&["console.error: stock is low".into()]);
        assert!(
            text.starts_with("TypeError: no price for 17 @ invoke /lib.js:12\n"),
            "{text}"
        );
        assert!(text.contains("at total (http://shop.test/js/cart.0a1b2c3d.js?v=9:12:3)"));
        assert!(text.contains("  console.error: stock is low"));
    }

    #[test]
    fn a_fault_in_doubt_is_a_finding_that_says_why() {
        let mut fault = BrowserFault::new(CrashKind::RendererCrash, "the page's process died");
        fault.doubt = Some("it happened on a page outside the app".into());
        let crash = fault.into_crash(&[], &[], 1, 4, Duration::ZERO);
        assert_eq!(crash.severity, Severity::Finding);
        assert!(crash.ends_path);
        assert!(
            crash
                .stack
                .contains("in doubt: it happened on a page outside the app")
        );
    }

    // WEB-042
    #[test]
    fn only_a_dead_or_silent_page_ends_the_path() {
        for (kind, ends) in [
            (CrashKind::Hang, true),
            (CrashKind::RendererCrash, true),
            (CrashKind::JsException, false),
            (CrashKind::BlankPage, false),
        ] {
            let crash = BrowserFault::new(kind, "x").into_crash(&[], &[], 1, 4, Duration::ZERO);
            assert_eq!(crash.ends_path, ends, "{kind}");
        }
    }
}
