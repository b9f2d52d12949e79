//! Faults of a page in a browser.

use std::fmt::Write as _;
use std::time::Duration;

use qa_core::{Crash, CrashKind, Severity, Signature};

use crate::frame::{Frame, Original, trace_text};
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
    /// What a reader of the stack must know, such as a source map that was missing.
    pub remarks: Vec<String>,
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
            remarks: Vec::new(),
        }
    }

    /// Asks of each place in its stack where the code was written, and keeps the answers beside
    /// the places. The question comes with the place of the caller, where there is one: what a
    /// function is called is often known only there.
    pub fn trace(&mut self, mut original: impl FnMut(&Frame, Option<&Frame>) -> Option<Original>) {
        let found: Vec<_> = self
            .frames
            .iter()
            .enumerate()
            .map(|(index, frame)| original(frame, self.frames.get(index + 1)))
            .collect();
        for (frame, found) in self.frames.iter_mut().zip(found) {
            frame.original = found;
        }
        if let Some(stack) = &mut self.stack {
            *stack = trace_text(stack, original);
        }
    }

    /// The frames that its identity names: the top three whose script comes from one of the app's
    /// origins; where none does, the top three of any.
    #[must_use]
    pub fn identity_frames(&self, app_origins: &[String]) -> Vec<&Frame> {
        let of_app = |frame: &&Frame| {
            app_origins.iter().any(|origin| {
                frame
                    .url
                    .strip_prefix(origin.as_str())
                    .is_some_and(|rest| rest.starts_with('/'))
            })
        };
        let frames: Vec<&Frame> = self
            .frames
            .iter()
            .filter(of_app)
            .take(IDENTITY_FRAMES)
            .collect();
        if frames.is_empty() {
            self.frames.iter().take(IDENTITY_FRAMES).collect()
        } else {
            frames
        }
    }

    /// Its identity (WEB-043): kind, type, masked message, and function and file of the
    /// [identity's frames](Self::identity_frames).
    ///
    /// A frame whose original is known is named by it: a minifier gives other names with each
    /// build, the source keeps its own. A function whose original name is not known is then left
    /// out, and its file alone stands for it. A frame without an original is named as the browser
    /// did, so a build that comes without its map makes other groups than one that has it.
    #[must_use]
    pub fn signature(&self, app_origins: &[String]) -> Signature {
        let mut text = self.kind.to_string();
        let class = self.class.iter().cloned();
        let message = std::iter::once(mask_message(&self.message));
        let places = self.identity_frames(app_origins).into_iter().map(|frame| {
            let (function, file) = frame.name();
            format!("{}@{}", qa_core::mask_digits(function), mask_path(file))
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
            let _ = write!(label, " @ {}", frame.short());
        }
        let line = label.split_whitespace().collect::<Vec<_>>().join(" ");
        qa_core::clip(&line, LABEL_CHARS)
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
        for remark in &self.remarks {
            let _ = writeln!(text, "remark: {remark}");
        }
        if let Some(stack) = &self.stack {
            let _ = writeln!(text, "\n{stack}");
        }
        // The browser's own text usually ends with the same places; then they are not repeated.
        let told = |frame: &Frame| {
            self.stack
                .as_deref()
                .is_some_and(|stack| stack.contains(&frame.place()))
        };
        if !self.frames.iter().all(told) {
            text.push('\n');
            for frame in &self.frames {
                let _ = writeln!(text, "    at {frame}");
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

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(function: &str, url: &str) -> Frame {
        Frame {
            function: function.into(),
            url: url.into(),
            line: 12,
            column: 3,
            original: None,
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

    fn written(frame: &Frame, name: &str) -> Option<Original> {
        (frame.url.contains("cart") && frame.column < 1000).then(|| Original {
            function: (!name.is_empty()).then(|| name.to_owned()),
            url: "http://shop.test/src/cart.ts".into(),
            line: 7,
            column: 2,
        })
    }

    // WEB-043, WEB-044: what a minifier calls things is no part of what a defect is.
    #[test]
    fn builds_of_one_source_have_one_signature() {
        let origins = ["http://shop.test".to_owned()];
        let signature_of = |function: &str, name: &str, column: u64| {
            let mut fault = fault();
            fault.frames[1].function = function.into();
            fault.frames[1].column = column;
            fault.trace(|frame, _| written(frame, name));
            fault.signature(&origins).0
        };
        let with_name = "js-exception|RangeError|no price for #|total@/src/cart.ts|@/js/app.js"
            .replace("RangeError", "TypeError");
        assert_eq!(signature_of("n", "total", 3), with_name);
        assert_eq!(signature_of("e", "total", 99), with_name);
        let nameless = with_name.replace("total@", "@");
        assert_eq!(signature_of("n", "", 3), nameless);
        assert_eq!(signature_of("e", "", 3), nameless);
        // Without its map a frame keeps the browser's names.
        assert!(signature_of("n", "total", 1000).contains("n@/js/cart.#.js"));
    }

    // WEB-044
    #[test]
    fn the_evidence_names_the_source_and_keeps_the_place_in_the_script() {
        let mut fault = fault();
        fault.stack = Some(
            "TypeError: no price for 17\n    at new Array.n (http://shop.test/js/cart.js:1:9)\n    \
             at http://shop.test/js/app.js:12:3"
                .into(),
        );
        fault.trace(|frame, _| written(frame, "total"));
        fault.remarks.push("no map for app.js".into());
        let text = fault.evidence(&[]);
        for line in [
            "    at total (http://shop.test/src/cart.ts:7:2) (generated: n http://shop.test/js/cart.js:1:9)",
            "    at http://shop.test/js/app.js:12:3",
            "    at total (http://shop.test/src/cart.ts:7:2) (generated: total \
             http://shop.test/js/cart.0a1b2c3d.js?v=9:12:3)",
            "remark: no map for app.js",
        ] {
            assert!(text.lines().any(|found| found == line), "{line} in {text}");
        }
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
