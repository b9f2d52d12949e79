//! What went wrong on a page, from the protocol's events to evidence of the engine.

use std::collections::{BTreeSet, VecDeque};
use std::time::Duration;

use qa_core::{Crash, CrashKind, Signature, clip};
use qa_crash::{BrowserFault, Frame};
use serde::Deserialize;
use serde_json::Value;

/// Faults that nobody has asked for yet, in bounded memory whatever the page does.
#[derive(Default)]
pub(crate) struct FaultLog {
    open: Vec<Entry>,
    context: VecDeque<String>,
    origins: Vec<String>,
}

/// Equal faults after one action.
pub(crate) struct Entry {
    pub(crate) fault: BrowserFault,
    /// Its identity as the browser names things.
    signature: Signature,
    /// Lines and columns of its identity's frames: two functions that a minifier gave one name are
    /// told apart by them until their source is known.
    places: Vec<(u64, u64)>,
    context: Vec<String>,
    count: u64,
    after_action: u64,
    at: Duration,
    exception_ids: Vec<i64>,
}

/// Distinct faults kept of one action; further ones only add to the last one's count (WEB-043).
const KEPT_PER_ACTION: usize = 100;
/// So many places of one fault are told apart after an action.
const PLACES: usize = 10;
const CONTEXT_LINES: usize = 30;
const LINE_CHARS: usize = 500;
const MESSAGE_CHARS: usize = 4_000;
const STACK_CHARS: usize = 32_000;

impl FaultLog {
    pub(crate) fn new(origins: Vec<String>) -> Self {
        Self {
            origins,
            ..Self::default()
        }
    }

    /// A new action begins: what the page logs from here on is its context.
    pub(crate) fn begin_action(&mut self) {
        self.context.clear();
    }

    /// A line that a later fault's evidence may show.
    pub(crate) fn note(&mut self, line: &str) {
        if self.context.len() == CONTEXT_LINES {
            self.context.pop_front();
        }
        self.context.push_back(clip(line, LINE_CHARS));
    }

    /// Adds a fault; an equal one after the same action only counts.
    pub(crate) fn push(
        &mut self,
        fault: BrowserFault,
        after_action: u64,
        at: Duration,
        exception_id: Option<i64>,
    ) {
        let signature = fault.signature(&self.origins);
        let place = |frame: &Frame| (frame.line, frame.column);
        let identity = fault.identity_frames(&self.origins);
        let places: Vec<_> = identity.into_iter().map(place).collect();
        let of_action = |entry: &&mut Entry| entry.after_action == after_action;
        let alike =
            |entry: &Entry| entry.after_action == after_action && entry.signature == signature;
        let crowded = self.open.iter().filter(|entry| alike(entry)).count() >= PLACES;
        let known = self
            .open
            .iter_mut()
            .filter(of_action)
            .find(|entry| entry.signature == signature && (crowded || entry.places == places));
        if let Some(entry) = known {
            entry.count += 1;
            if entry.exception_ids.len() < KEPT_PER_ACTION {
                entry.exception_ids.extend(exception_id);
            }
            return;
        }
        // Counted by kind: a page that logs without end must not hide that it crashed.
        let alike = |entry: &&mut Entry| {
            entry.after_action == after_action && entry.fault.kind == fault.kind
        };
        if self.open.iter_mut().filter(alike).count() >= KEPT_PER_ACTION {
            let same = |entry: &Entry| entry.signature == signature;
            let like = self.open.iter_mut().filter(alike);
            // The last one with the same signature, else the last one.
            if let Some(last) = like.max_by_key(|entry| same(entry)) {
                last.count += 1;
            }
            return;
        }
        self.open.push(Entry {
            fault,
            signature,
            places,
            context: self.context.iter().cloned().collect(),
            count: 1,
            after_action,
            at,
            exception_ids: exception_id.into_iter().collect(),
        });
    }

    /// A rejected promise got its handler after all.
    pub(crate) fn revoke(&mut self, exception_id: i64) {
        for entry in &mut self.open {
            let before = entry.exception_ids.len();
            entry.exception_ids.retain(|id| *id != exception_id);
            if entry.exception_ids.len() < before {
                entry.count = entry.count.saturating_sub(1);
            }
        }
        self.open.retain(|entry| entry.count > 0);
    }

    /// Scripts that the stacks of new faults name.
    pub(crate) fn scripts(&self) -> BTreeSet<String> {
        let frames = self.open.iter().flat_map(|entry| &entry.fault.frames);
        frames.map(|frame| frame.url.clone()).collect()
    }

    /// Hands over all that is new.
    pub(crate) fn take(&mut self) -> Vec<Entry> {
        std::mem::take(&mut self.open)
    }
}

/// Faults as evidence: one record for each signature and action (WEB-INV-06).
pub(crate) fn into_crashes(entries: Vec<Entry>, origins: &[String]) -> Vec<Crash> {
    let mut crashes: Vec<Crash> = Vec::with_capacity(entries.len());
    for entry in entries {
        let Entry {
            fault,
            context,
            count,
            after_action,
            at,
            ..
        } = entry;
        let crash = fault.into_crash(origins, &context, count, after_action, at);
        let known = crashes.iter_mut().find(|known| {
            known.signature == crash.signature && known.after_action == crash.after_action
        });
        match known {
            Some(known) => known.count += crash.count,
            None => crashes.push(crash),
        }
    }
    crashes
}

/// `Runtime.ExceptionDetails`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[derive(Default)]
pub(crate) struct ExceptionDetails {
    pub(crate) exception_id: i64,
    text: String,
    line_number: u64,
    column_number: u64,
    url: Option<String>,
    stack_trace: Option<StackTrace>,
    exception: Option<RemoteObject>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct StackTrace {
    call_frames: Vec<CallFrame>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct CallFrame {
    function_name: String,
    url: String,
    line_number: u64,
    column_number: u64,
}

/// `Runtime.RemoteObject`.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct RemoteObject {
    class_name: Option<String>,
    description: Option<String>,
    value: Option<Value>,
    unserializable_value: Option<String>,
}

impl RemoteObject {
    /// What a console would show.
    pub(crate) fn text(&self) -> String {
        match (&self.value, &self.description, &self.unserializable_value) {
            (Some(Value::String(text)), ..) => text.clone(),
            (_, Some(description), _) => description.clone(),
            (Some(value), ..) => value.to_string(),
            (None, None, Some(text)) => text.clone(),
            (None, None, None) => "undefined".into(),
        }
    }
}

impl ExceptionDetails {
    /// The exception as a fault of the page.
    pub(crate) fn into_fault(self, page: Option<String>, source: Option<String>) -> BrowserFault {
        let told = self.exception.as_ref().map(RemoteObject::text);
        let is_error = self
            .exception
            .as_ref()
            .is_some_and(|exception| exception.class_name.is_some() && exception.value.is_none());
        let first_line = told
            .as_deref()
            .and_then(|text| text.lines().next())
            .unwrap_or_default();
        let (class, message) = match first_line.split_once(": ") {
            Some((class, message)) if is_error && is_identifier(class) => {
                (Some(class.to_owned()), message.to_owned())
            }
            _ if is_error && is_identifier(first_line) => {
                (Some(first_line.to_owned()), String::new())
            }
            _ if first_line.is_empty() => (None, self.text.clone()),
            _ => (None, format!("{}: {first_line}", self.text)),
        };
        let mut frames = self
            .stack_trace
            .map(StackTrace::into_frames)
            .unwrap_or_default();
        if frames.is_empty()
            && let Some(url) = self.url
        {
            frames.push(Frame {
                function: String::new(),
                url,
                line: self.line_number + 1,
                column: self.column_number + 1,
                original: None,
            });
        }
        BrowserFault {
            class,
            message: clip(&message, MESSAGE_CHARS),
            frames,
            stack: told
                .filter(|text| text.lines().count() > 1)
                .map(|text| clip(&text, STACK_CHARS)),
            page,
            source,
            ..BrowserFault::new(CrashKind::JsException, "")
        }
    }
}

impl StackTrace {
    fn into_frames(self) -> Vec<Frame> {
        const KEPT: usize = 64;
        let place = |frame: CallFrame| Frame {
            function: frame.function_name,
            url: frame.url,
            line: frame.line_number + 1,
            column: frame.column_number + 1,
            original: None,
        };
        self.call_frames.into_iter().take(KEPT).map(place).collect()
    }
}

fn is_identifier(text: &str) -> bool {
    !text.is_empty()
        && text
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | '.'))
        && !text.starts_with(|c: char| c.is_numeric())
}

/// `Runtime.consoleAPICalled`.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct ConsoleCall {
    #[serde(rename = "type")]
    pub(crate) kind: String,
    args: Vec<RemoteObject>,
    stack_trace: Option<StackTrace>,
}

impl ConsoleCall {
    /// What was written.
    pub(crate) fn text(&self) -> String {
        let words: Vec<String> = self
            .args
            .iter()
            .take(20)
            .map(|arg| clip(&arg.text(), LINE_CHARS))
            .collect();
        clip(&words.join(" "), MESSAGE_CHARS)
    }

    /// An error that the app wrote, as a finding.
    pub(crate) fn into_fault(self, page: Option<String>, source: Option<String>) -> BrowserFault {
        let message = self.text();
        BrowserFault {
            frames: self
                .stack_trace
                .map(StackTrace::into_frames)
                .unwrap_or_default(),
            page,
            source,
            ..BrowserFault::new(CrashKind::ConsoleError, message)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn details(json: &str) -> BrowserFault {
        serde_json::from_str::<ExceptionDetails>(json)
            .unwrap()
            .into_fault(None, None)
    }

    // WEB-040
    #[test]
    fn an_error_object_gives_type_and_message() {
        let fault = details(
            r#"{"exceptionId":1,"text":"Uncaught","lineNumber":3,"columnNumber":8,
            "exception":{"type":"object","className":"RangeError",
            "description":"RangeError: too deep\n    at f (http://a.test/x.js:4:9)"},
            "stackTrace":{"callFrames":[{"functionName":"f","url":"http://a.test/x.js","lineNumber":3,"columnNumber":8}]}}"#,
        );
        assert_eq!(fault.class.as_deref(), Some("RangeError"));
        assert_eq!(fault.message, "too deep");
        assert_eq!((fault.frames[0].line, fault.frames[0].column), (4, 9));
    }

    // WEB-040
    #[test]
    fn a_thrown_text_is_kept_as_it_is() {
        let fault = details(
            r#"{"text":"Uncaught (in promise)","exception":{"type":"string","value":"no: way"}}"#,
        );
        assert_eq!(fault.class, None);
        assert_eq!(fault.message, "Uncaught (in promise): no: way");
    }

    // WEB-005
    #[test]
    fn an_empty_report_is_still_a_fault() {
        assert_eq!(details("{}").kind, CrashKind::JsException);
    }

    // WEB-043, WEB-INV-06
    #[test]
    fn a_loop_of_throws_is_one_record_with_a_count() {
        let mut log = FaultLog::new(Vec::new());
        for number in 0..1000 {
            let message = format!("item {number}");
            let fault = BrowserFault::new(CrashKind::JsException, message);
            log.push(fault, 2, Duration::ZERO, None);
        }
        log.push(
            BrowserFault::new(CrashKind::JsException, "item 1"),
            3,
            Duration::ZERO,
            None,
        );
        let crashes = into_crashes(log.take(), &[]);
        assert_eq!(
            crashes.iter().map(|crash| crash.count).collect::<Vec<_>>(),
            [1000, 1]
        );
        assert!(log.take().is_empty());
    }

    // WEB-043
    #[test]
    fn ever_new_messages_cost_bounded_memory() {
        let mut log = FaultLog::new(Vec::new());
        for number in 0..1000_u32 {
            let letters: String = number
                .to_string()
                .bytes()
                .map(|b| char::from(b + 50))
                .collect();
            log.push(
                BrowserFault::new(CrashKind::JsException, letters),
                2,
                Duration::ZERO,
                None,
            );
        }
        let crashes = into_crashes(log.take(), &[]);
        assert_eq!(crashes.len(), KEPT_PER_ACTION);
        assert_eq!(crashes.iter().map(|crash| crash.count).sum::<u64>(), 1000);
    }

    // WEB-043
    #[test]
    fn a_flood_of_findings_does_not_hide_a_crash() {
        let mut log = FaultLog::new(Vec::new());
        for number in 0..200_u32 {
            let letters: String = number
                .to_string()
                .bytes()
                .map(|b| char::from(b + 50))
                .collect();
            let finding = BrowserFault::new(CrashKind::ConsoleError, letters);
            log.push(finding, 2, Duration::ZERO, None);
        }
        let hang = BrowserFault::new(CrashKind::Hang, "no answer");
        log.push(hang, 2, Duration::ZERO, None);
        let crashes = into_crashes(log.take(), &[]);
        assert_eq!(crashes.len(), KEPT_PER_ACTION + 1);
        assert!(crashes.iter().any(|crash| crash.kind == CrashKind::Hang));
    }

    fn thrown_at(column: u64) -> BrowserFault {
        let mut fault = BrowserFault::new(CrashKind::JsException, "torn");
        fault.frames.push(Frame {
            function: "n".into(),
            url: "http://a.test/app.js".into(),
            line: 1,
            column,
            original: None,
        });
        fault
    }

    // WEB-043, WEB-INV-06: a minifier gives many functions one name.
    #[test]
    fn functions_of_one_generated_name_are_told_apart_by_their_source() {
        let log = || {
            let mut log = FaultLog::new(Vec::new());
            for column in [7, 9, 7] {
                log.push(thrown_at(column), 2, Duration::ZERO, None);
            }
            log
        };
        let mut entries = log().take();
        for entry in &mut entries {
            entry.fault.trace(|frame, _| {
                Some(qa_crash::Original {
                    function: Some(format!(
                        "column{}",
                        if frame.column == 7 { "A" } else { "B" }
                    )),
                    url: "http://a.test/src/app.ts".into(),
                    line: 3,
                    column: 1,
                })
            });
        }
        let counts = |crashes: Vec<Crash>| crashes.iter().map(|c| c.count).collect::<Vec<_>>();
        assert_eq!(counts(into_crashes(entries, &[])), [2, 1]);
        // Without their source they are one.
        assert_eq!(counts(into_crashes(log().take(), &[])), [3]);
    }

    #[test]
    fn a_rejection_that_is_handled_later_is_no_fault() {
        let mut log = FaultLog::new(Vec::new());
        log.push(
            BrowserFault::new(CrashKind::JsException, "a"),
            1,
            Duration::ZERO,
            Some(7),
        );
        log.revoke(7);
        assert!(log.take().is_empty());
    }
}
