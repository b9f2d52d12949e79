//! What a session tells, in the words of its language. Codes themselves are never translated.

use qa_core::{Clock, Ended, Notice, Settle, Status, StepResult, UnexploredReason};

use super::group::crash_groups;
use super::text;
use crate::{Language, Session};

/// A shape and a word for the verdict.
pub(crate) fn status(session: &Session) -> (&'static str, &'static str) {
    status_in(session.meta.report_language, session)
}

/// The same in another language.
pub(crate) fn status_in(language: Language, session: &Session) -> (&'static str, &'static str) {
    match session.meta.status {
        Status::Running if session.live => ("●", language.pick("Still running", "运行中")),
        status => verdict_word(language, status),
    }
}

/// A shape and a word for a verdict.
pub(crate) fn verdict_word(language: Language, status: Status) -> (&'static str, &'static str) {
    match status {
        Status::Passed => ("✓", language.pick("Passed", "通过")),
        Status::Failed => ("✕", language.pick("Failed", "失败")),
        Status::Aborted => ("▲", language.pick("Not proven", "未能证明")),
        Status::Running => ("◌", language.pick("Not finished", "未完成")),
    }
}

/// The verdict in one sentence. What was met several times is one crash.
pub(crate) fn verdict(session: &Session) -> String {
    let language = session.meta.report_language;
    let outcome = session.outcome();
    let crashes = crash_groups(&outcome.crashes).len();
    let steps = steps(language, outcome.steps.into());
    let pages = pages(language, outcome.pages as u64);
    let found = match crashes {
        0 => language.pick("no crash was seen".to_owned(), "没有发现崩溃".to_owned()),
        1 => language.pick("1 crash was seen".to_owned(), "发现了 1 个崩溃".to_owned()),
        many => language.pick(
            format!("{many} crashes were seen"),
            format!("发现了 {many} 个崩溃"),
        ),
    };
    match session.meta.status {
        Status::Running => language.pick(
            format!(
                "The end of this run was not stored. Until then: {steps}, {pages}, and {found}."
            ),
            format!("这次运行的结束没有保存。在此之前：{steps}，{pages}，{found}。"),
        ),
        Status::Aborted => language.pick(
            format!("This run proves nothing: it was given up after {steps}. Until then {found}."),
            format!("这次运行不能证明什么：执行 {steps}后中止。在此之前{found}。"),
        ),
        Status::Failed if crashes == 0 => language.pick(
            format!("In {steps} on {pages} {found}, but evidence may have been lost."),
            format!("在 {pages}上执行了 {steps}，{found}，但可能有证据丢失。"),
        ),
        _ => language.pick(
            format!("In {steps} on {pages} {found}."),
            format!("在 {pages}上执行了 {steps}，{found}。"),
        ),
    }
}

/// What ended the exploration.
pub(crate) fn ended(session: &Session) -> &'static str {
    let language = session.meta.report_language;
    if !session.is_finished() {
        return if session.live {
            language.pick("still running", "运行中")
        } else {
            language.pick("ended from outside", "被外部终止")
        };
    }
    match session.outcome().ended {
        Ended::Exhausted => language.pick(
            "nothing unseen was left within reach",
            "可到达的范围内已无未探索的内容",
        ),
        Ended::MaxSteps => language.pick("the limit of steps was reached", "已达步数上限"),
        Ended::Duration => language.pick("the limit of time was reached", "已达时间上限"),
        Ended::Aborted => language.pick("given up", "已中止"),
        Ended::Interrupted => language.pick("interrupted", "被中断"),
    }
}

/// A shape and a word for the end of a step.
pub(crate) fn result(language: Language, result: StepResult) -> (&'static str, &'static str) {
    match result {
        StepResult::Ok => ("✓", language.pick("ok", "成功")),
        StepResult::Fail => ("✕", language.pick("failed", "失败")),
        StepResult::Skip => ("–", language.pick("left out", "跳过")),
    }
}

/// How a view came to rest.
pub(crate) fn settle(language: Language, settle: Settle) -> &'static str {
    match settle {
        Settle::Changed => language.pick("changed", "有变化"),
        Settle::Unchanged => language.pick("unchanged", "无变化"),
        Settle::Unsettled => language.pick("never at rest", "未稳定"),
    }
}

/// Which clock the app ran on.
pub(crate) fn clock(language: Language, clock: Clock) -> &'static str {
    match clock {
        Clock::Real => language.pick("real clock", "真实时钟"),
        Clock::Virtual => language.pick("virtual clock", "虚拟时钟"),
    }
}

/// Why a page was left, as the end of a sentence.
pub(crate) fn unexplored(language: Language, reason: UnexploredReason) -> &'static str {
    match reason {
        UnexploredReason::Budget => language.pick(
            "the limit of steps or time came first",
            "步数或时间先达到上限",
        ),
        UnexploredReason::Unreachable => {
            language.pick("no recorded way leads there", "没有已知路径可到达")
        }
        UnexploredReason::Dropped => {
            language.pick("the way there did not work", "前往的路径未能走通")
        }
        UnexploredReason::VisualOnly => {
            language.pick("it is known from pictures only", "仅从截图得知")
        }
    }
}

/// What happened beside a view.
pub(crate) fn notice(language: Language, notice: &Notice) -> String {
    language.pick(notice.to_string(), chinese(notice))
}

fn chinese(notice: &Notice) -> String {
    match notice {
        Notice::Dialog {
            kind,
            message,
            accepted,
        } => {
            let answer = if *accepted { "已接受" } else { "已取消" };
            format!("对话框 {kind}“{message}”{answer}")
        }
        Notice::Popup { url, inside } => {
            let side = if *inside { "应用内" } else { "应用外" };
            format!("关闭了指向 {url} 的窗口（{side}）")
        }
        Notice::Download { url, name } => format!("拒绝了从 {url} 下载“{name}”"),
        Notice::FileChooser { answered: true } => "已为文件选择框提供文件".to_owned(),
        Notice::FileChooser { answered: false } => "取消了文件选择框".to_owned(),
        Notice::Blocked { host, count } => format!("拦截了对 {host} 的 {count} 个请求"),
        Notice::Closed => "应用关闭了自己的窗口".to_owned(),
        Notice::ClockFallback { reason } => format!("已退出虚拟时钟：{reason}"),
        other => other.to_string(),
    }
}

/// A span of time in the unit that fits it.
pub(crate) fn span(language: Language, ms: u64) -> String {
    let seconds = ms / 1000;
    language.pick(
        text::span(ms),
        match ms {
            0..1000 => format!("{ms} 毫秒"),
            1000..60_000 => format!("{seconds}.{} 秒", ms % 1000 / 100),
            60_000..3_600_000 => format!("{} 分 {:02} 秒", seconds / 60, seconds % 60),
            _ => format!("{} 小时 {:02} 分", seconds / 3600, seconds % 3600 / 60),
        },
    )
}

/// Nouns behind their number. Each takes the number to tell one from many where the language does.
macro_rules! nouns {
    ($($name:ident: $one:literal, $many:literal, $zh:literal;)*) => {
        $(pub(crate) fn $name(language: Language, count: u64) -> String {
            language.pick(text::counted(count, $one, $many), format!("{count} {}", $zh))
        })*
    };
}

nouns! {
    crashes: "crash", "crashes", "个崩溃";
    elements: "element", "elements", "个元素";
    findings: "finding", "findings", "个发现";
    pages: "page", "pages", "个页面";
    requests: "request", "requests", "个请求";
    runs: "run", "runs", "次运行";
    steps: "step", "steps", "步";
    times: "time", "times", "次";
    ways: "way", "ways", "条路径";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_for_people() {
        for (ms, en, zh) in [
            (999, "999 ms", "999 毫秒"),
            (12_345, "12.3 s", "12.3 秒"),
            (245_000, "4 min 05 s", "4 分 05 秒"),
            (7_500_000, "2 h 05 min", "2 小时 05 分"),
        ] {
            assert_eq!(span(Language::EnUs, ms), en);
            assert_eq!(span(Language::ZhCn, ms), zh);
        }
        assert_eq!(pages(Language::EnUs, 1), "1 page");
        assert_eq!(pages(Language::ZhCn, 1), "1 个页面");
    }
}
