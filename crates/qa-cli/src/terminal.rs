//! What a person sees while a run goes on and when it ends: one readable line a step, never more
//! than the terminal is wide, with nothing in it that the app could use to draw on the terminal.

use std::fmt::Write as _;
use std::io::{IsTerminal as _, Write as _};
use std::time::{Duration, Instant};

use qa_core::{CrashRecord, Outcome, Progress, Severity, Status, StepRecord, StepResult};
use qa_redact::Redactor;

/// Prints each step to stderr.
pub(crate) struct Terminal {
    redactor: Redactor,
    quiet: bool,
    live: bool,
    max_steps: u32,
    limit: Duration,
    began: Instant,
    crashes: u32,
    findings: u32,
}

impl Terminal {
    /// `quiet` prints nothing.
    pub(crate) fn new(redactor: Redactor, quiet: bool, max_steps: u32, limit: Duration) -> Self {
        Self {
            redactor,
            quiet,
            live: std::io::stderr().is_terminal(),
            max_steps,
            limit,
            began: Instant::now(),
            crashes: 0,
            findings: 0,
        }
    }

    fn line(&self, text: &str) {
        if self.quiet {
            return;
        }
        let safe = self.safe(text);
        let clear = if self.live { "\r\x1b[2K" } else { "" };
        let mut err = std::io::stderr().lock();
        // A terminal that went away is no reason to end a run.
        let _ = writeln!(err, "{clear}{safe}");
    }

    /// The line below the steps: how far the run is. Only on a terminal, where it can be replaced.
    fn status(&self, step: u32, pages: usize) {
        if self.quiet || !self.live {
            return;
        }
        let left = self.limit.saturating_sub(self.began.elapsed()).as_secs();
        let text = format!(
            "{step}/{} steps, {pages} pages, {} crashes, {} findings, {}:{:02} left",
            self.max_steps,
            self.crashes,
            self.findings,
            left / 60,
            left % 60
        );
        let mut err = std::io::stderr().lock();
        let _ = write!(err, "{text}");
        let _ = err.flush();
    }

    fn safe(&self, text: &str) -> String {
        let redacted = match self.redactor.text(text) {
            Ok(redacted) => redacted.into_string(),
            Err(error) => format!("(withheld: {})", error.code()),
        };
        fit(&neutral(&redacted))
    }
}

impl Progress for Terminal {
    fn step(&mut self, step: &StepRecord, pages: usize) {
        let result = match step.result {
            StepResult::Ok => "ok  ",
            StepResult::Fail => "FAIL",
            StepResult::Skip => "skip",
        };
        let mut text = format!("{:>4} {result} {}", step.index, step.action);
        if let Some(code) = &step.notes.code {
            let _ = write!(text, "  [{code}]");
        }
        self.line(&text);
        self.status(step.index, pages);
    }

    fn crash(&mut self, crash: &CrashRecord) {
        let word = match crash.crash.severity {
            Severity::Crash => {
                self.crashes += 1;
                "CRASH"
            }
            Severity::Finding => {
                self.findings += 1;
                "finding"
            }
        };
        let CrashRecord {
            id,
            step_index,
            crash,
            ..
        } = crash;
        self.line(&format!(
            "     {word} {id} {} after step {step_index}: {}",
            crash.kind, crash.label
        ));
    }
}

/// The end of a run, for people (EXP-160).
pub(crate) fn summary(outcome: &Outcome, app: &str, report: &str, redactor: &Redactor) -> String {
    let word = match outcome.status {
        Status::Passed => "PASSED: no crash seen",
        Status::Failed => "FAILED",
        Status::Aborted => "ABORTED: nothing is proven",
        Status::Running => "NOT FINISHED",
    };
    let seconds = outcome.duration_ms / 1000;
    let mut text = format!(
        "\n{word}\n  app      {app}\n  steps    {}/{} ({} actions)\n  pages    {}, joined by {} \
         edges\n  time     {}:{:02}\n",
        outcome.steps,
        outcome.max_steps,
        outcome.actions,
        outcome.pages,
        outcome.edges,
        seconds / 60,
        seconds % 60,
    );
    for crash in &outcome.crashes {
        let times = if crash.count > 1 {
            format!(", {} times", crash.count)
        } else {
            String::new()
        };
        let _ = writeln!(
            text,
            "  {:<8} {} {} (step {}{times})",
            crash.id, crash.kind, crash.label, crash.step
        );
    }
    for (kind, count) in &outcome.findings {
        let _ = writeln!(text, "  finding  {kind}: {count}");
    }
    let refused: u64 = outcome.refused.values().map(|refused| refused.count).sum();
    if refused > 0 {
        let rules: Vec<String> = outcome
            .refused
            .iter()
            .map(|(rule, refused)| format!("{rule} {}", refused.count))
            .collect();
        let _ = writeln!(text, "  refused  {refused} elements ({})", rules.join(", "));
    }
    let blocked: u64 = outcome.blocked.iter().map(|host| host.requests).sum();
    if blocked > 0 {
        let hosts: Vec<String> = outcome
            .blocked
            .iter()
            .map(|host| format!("{} {}", host.host, host.requests))
            .collect();
        let _ = writeln!(text, "  blocked  {blocked} requests ({})", hosts.join(", "));
    }
    if !outcome.unexplored.is_empty() {
        let pages = outcome.unexplored.len();
        let _ = writeln!(text, "  left     {pages} pages with something untried");
    }
    for reason in outcome.reasons.iter().chain(&outcome.warnings) {
        let _ = writeln!(text, "  note     {}: {}", reason.code, reason.text);
    }
    let lines: Vec<String> = text
        .lines()
        .map(|line| match redactor.text(line) {
            Ok(line) => neutral(line.as_str()),
            Err(error) => format!("  (withheld: {})", error.code()),
        })
        .collect();
    format!("{}\n  report   {report}", lines.join("\n"))
}

/// Without anything that a terminal would obey: control characters, escapes, and the marks that
/// turn the direction of text (WEB-081).
pub(crate) fn neutral(text: &str) -> String {
    text.chars()
        .map(|character| match character {
            '\n' | '\r' | '\u{2028}' | '\u{2029}' => '⏎',
            '\t' => ' ',
            '\u{061c}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}'
            | '\u{200e}'
            | '\u{200f}' => '�',
            other if other.is_control() => '�',
            other => other,
        })
        .collect()
}

/// Cut to a length that most terminals show in one line.
fn fit(text: &str) -> String {
    const WIDTH: usize = 160;
    match text.char_indices().nth(WIDTH) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // WEB-081
    #[test]
    fn a_page_cannot_draw_on_the_terminal() {
        let hostile = "tap \"\u{1b}[2J\u{202e}olleh\r\n\u{7}\"";
        let shown = neutral(hostile);
        assert!(!shown.chars().any(char::is_control), "{shown:?}");
        assert!(!shown.contains('\u{202e}'));
        assert!(shown.contains("olleh"));
    }
}
