//! What a person sees while a run goes on and when it ends: one readable line a step, never more
//! than the terminal is wide, with nothing in it that the app could use to draw on the terminal.

use std::fmt::Write as _;
use std::io::{IsTerminal as _, Write as _};
use std::time::{Duration, Instant};

use qa_core::{CrashRecord, Outcome, Progress, Severity, Status, StepRecord, StepResult};
use qa_redact::Redactor;
use qa_report::{CrashGroup, Language, action_text, crash_groups, reason_text};

/// Prints each step to stderr.
pub(crate) struct Terminal {
    redactor: Redactor,
    language: Language,
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
    pub(crate) fn new(
        redactor: Redactor,
        language: Language,
        quiet: bool,
        max_steps: u32,
        limit: Duration,
    ) -> Self {
        Self {
            redactor,
            language,
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
        let (most, crashes, findings) = (self.max_steps, self.crashes, self.findings);
        let left = format!("{}:{:02}", left / 60, left % 60);
        let text = self.language.pick(
            format!(
                "{step}/{most} steps, {pages} pages, {crashes} crashes, {findings} findings, \
                 {left} left"
            ),
            format!(
                "{step}/{most} 步，{pages} 个页面，{crashes} 个崩溃，{findings} 个发现，剩余 {left}"
            ),
        );
        let mut err = std::io::stderr().lock();
        let _ = write!(err, "{text}");
        let _ = err.flush();
    }

    fn safe(&self, text: &str) -> String {
        fit(&safe(&self.redactor, text))
    }
}

impl Progress for Terminal {
    fn step(&mut self, step: &StepRecord, pages: usize) {
        let result = match step.result {
            StepResult::Ok => self.language.pick("ok  ", "成功"),
            StepResult::Fail => self.language.pick("FAIL", "失败"),
            StepResult::Skip => self.language.pick("skip", "跳过"),
        };
        // Redaction reads what the run said, not its translation.
        let action = safe(&self.redactor, &step.action);
        let action = action_text(self.language, &action);
        let mut text = format!("{:>4} {result} {action}", step.index);
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
                self.language.pick("CRASH", "崩溃")
            }
            Severity::Finding => {
                self.findings += 1;
                self.language.pick("finding", "发现")
            }
        };
        let CrashRecord {
            id,
            step_index,
            crash,
            ..
        } = crash;
        let (kind, label) = (crash.kind, &crash.label);
        self.line(&self.language.pick(
            format!("     {word} {id} {kind} after step {step_index}: {label}"),
            format!("     {word} {id} {kind}，第 {step_index} 步之后：{label}"),
        ));
    }
}

/// The end of a run, for people (EXP-160, EXP-161).
pub(crate) fn summary(
    outcome: &Outcome,
    language: Language,
    app: &str,
    report: &str,
    redactor: &Redactor,
) -> String {
    let word = match outcome.status {
        Status::Passed => language.pick("PASSED: no crash seen", "通过：没有发现崩溃"),
        Status::Failed => language.pick("FAILED", "失败"),
        Status::Aborted => language.pick("ABORTED: nothing is proven", "已中止：未能证明任何结论"),
        Status::Running => language.pick("NOT FINISHED", "未完成"),
    };
    let mut lines = vec![word.to_owned()];
    lines.extend(
        rows(outcome, language, app)
            .into_iter()
            .map(|(name, value)| row(&name, &value)),
    );
    let lines = lines.iter().map(|line| safe(redactor, line));
    let lines: Vec<String> = lines.collect();
    let report = row(language.pick("report", "报告"), report);
    format!("\n{}\n{report}", lines.join("\n"))
}

/// What the end of a run tells, each with its name.
fn rows(outcome: &Outcome, language: Language, app: &str) -> Vec<(String, String)> {
    let mut rows = Vec::new();
    let mut add = |name: &str, value: String| rows.push((name.to_owned(), value));
    let (steps, most, actions) = (outcome.steps, outcome.max_steps, outcome.actions);
    let (pages, edges) = (outcome.pages, outcome.edges);
    let seconds = outcome.duration_ms / 1000;
    add(language.pick("app", "应用"), app.to_owned());
    add(
        language.pick("steps", "步骤"),
        language.pick(
            format!("{steps}/{most} ({actions} actions)"),
            format!("{steps}/{most}（{actions} 个操作）"),
        ),
    );
    add(
        language.pick("pages", "页面"),
        language.pick(
            format!("{pages}, joined by {edges} edges"),
            format!("{pages}，由 {edges} 条边相连"),
        ),
    );
    let time = format!("{}:{:02}", seconds / 60, seconds % 60);
    add(language.pick("time", "用时"), time);
    for crash in crash_groups(&outcome.crashes) {
        add(crash.ids[0], crash_line(language, &crash));
    }
    for (kind, count) in &outcome.findings {
        add(language.pick("finding", "发现"), format!("{kind}: {count}"));
    }
    let refused: u64 = outcome.refused.values().map(|refused| refused.count).sum();
    if refused > 0 {
        let rules = outcome.refused.iter();
        let rules = rules.map(|(rule, refused)| format!("{rule} {}", refused.count));
        let rules = rules.collect::<Vec<_>>().join(", ");
        let text = language.pick(
            format!("{refused} elements ({rules})"),
            format!("{refused} 个元素（{rules}）"),
        );
        add(language.pick("refused", "拒绝"), text);
    }
    let blocked: u64 = outcome.blocked.iter().map(|host| host.requests).sum();
    if blocked > 0 {
        let hosts = outcome.blocked.iter();
        let hosts = hosts.map(|host| format!("{} {}", host.host, host.requests));
        let hosts = hosts.collect::<Vec<_>>().join(", ");
        let text = language.pick(
            format!("{blocked} requests ({hosts})"),
            format!("{blocked} 个请求（{hosts}）"),
        );
        add(language.pick("blocked", "拦截"), text);
    }
    if !outcome.unexplored.is_empty() {
        let pages = outcome.unexplored.len();
        let text = language.pick(
            format!("{pages} pages with something untried"),
            format!("{pages} 个页面仍有未尝试的内容"),
        );
        add(language.pick("left", "剩余"), text);
    }
    // How many crashes there are is seen above.
    let reasons = outcome.reasons.iter().filter(|it| it.code != "CRASHES");
    for reason in reasons.chain(&outcome.warnings) {
        let text = reason_text(language, reason);
        add(
            language.pick("note", "注意"),
            format!("{}: {text}", reason.code),
        );
    }
    rows
}

/// `js-exception TypeError: … (steps 3, 9, 12, …; 5 times)`
fn crash_line(language: Language, crash: &CrashGroup<'_>) -> String {
    const SHOWN: usize = 3;
    let mut steps: Vec<String> = crash.steps.iter().take(SHOWN).map(u32::to_string).collect();
    if crash.steps.len() > SHOWN {
        steps.push("…".into());
    }
    let noun = if crash.steps.len() == 1 {
        "step"
    } else {
        "steps"
    };
    let steps = steps.join(", ");
    let mut facts = language.pick(format!("{noun} {steps}"), format!("第 {steps} 步"));
    if crash.count > crash.steps.len() as u64 {
        let count = crash.count;
        facts += &language.pick(format!("; {count} times"), format!("；{count} 次"));
    }
    format!("{} {} ({facts})", crash.kind, crash.label)
}

/// A name in a column of its own; Chinese characters are two columns wide.
fn row(name: &str, value: &str) -> String {
    const COLUMN: usize = 9;
    let width: usize = name.chars().map(|c| if c.is_ascii() { 1 } else { 2 }).sum();
    let pad = " ".repeat(COLUMN.saturating_sub(width).max(1));
    format!("  {name}{pad}{value}")
}

/// What may be shown of a line: nothing secret, and nothing that acts.
fn safe(redactor: &Redactor, line: &str) -> String {
    match redactor.text(line) {
        Ok(line) => neutral(line.as_str()),
        Err(error) => format!("(withheld: {})", error.code()),
    }
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
