//! Codes in the words of people.

use qa_core::{Clock, CrashKind, Ended, Notice, Settle, Status, StepResult, UnexploredReason};

use super::super::text::counted;
use super::word::Words;
use crate::Session;

impl Words {
    /// A shape and a word for the verdict.
    pub(super) fn status(&self, session: &Session) -> (&'static str, &'static str) {
        match session.meta.status {
            Status::Passed => ("✓", self.pick("Passed", "通过")),
            Status::Failed => ("✕", self.pick("Failed", "失败")),
            Status::Aborted => ("▲", self.pick("Not proven", "未能证实")),
            Status::Running if session.live => ("●", self.pick("Still running", "仍在运行")),
            Status::Running => ("◌", self.pick("Not finished", "未完成")),
        }
    }

    /// The verdict in one sentence; what was met several times is one crash.
    pub(super) fn verdict(&self, session: &Session, crashes: usize) -> String {
        let outcome = session.outcome();
        let steps = self.steps(outcome.steps);
        let pages = self.all_pages(outcome.pages);
        let found = match crashes {
            0 => self.pick("no crash was seen", "没有发现崩溃").to_owned(),
            _ => self.pick(
                format!(
                    "{} seen",
                    counted(crashes as u64, "crash was", "crashes were")
                ),
                format!("发现 {crashes} 个崩溃"),
            ),
        };
        match session.meta.status {
            Status::Running => self.pick(
                format!(
                    "The end of this run was not stored. Until then: {steps}, {pages}, and {found}."
                ),
                format!("没有记录到运行的结束。在此之前：{steps}，{pages}，{found}。"),
            ),
            Status::Aborted => self.pick(
                format!(
                    "This run proves nothing: it was given up after {steps}. Until then {found}."
                ),
                format!("本次运行不能证明任何结论：在 {steps}后放弃。在此之前{found}。"),
            ),
            Status::Failed if crashes == 0 => self.pick(
                format!("In {steps} on {pages} {found}, but evidence may have been lost."),
                format!("在 {pages}上执行了 {steps}，{found}，但证据可能已丢失。"),
            ),
            _ => self.pick(
                format!("In {steps} on {pages} {found}."),
                format!("在 {pages}上执行了 {steps}，{found}。"),
            ),
        }
    }

    /// What ended the exploration.
    pub(super) fn ended_by(&self, session: &Session) -> &'static str {
        if !session.is_finished() {
            return if session.live {
                self.pick("still running", "仍在运行")
            } else {
                self.pick("ended from outside", "被外部终止")
            };
        }
        match session.outcome().ended {
            Ended::Exhausted => self.pick(
                "nothing unseen was left within reach",
                "可到达的范围内已没有未试的元素",
            ),
            Ended::MaxSteps => self.pick("the limit of steps was reached", "达到步数上限"),
            Ended::Duration => self.pick("the limit of time was reached", "达到时间上限"),
            Ended::Aborted => self.pick("given up", "已放弃"),
            Ended::Interrupted => self.pick("interrupted", "被中断"),
        }
    }

    /// A shape and a word for the end of a step.
    pub(super) fn step_result(&self, result: StepResult) -> (&'static str, &'static str) {
        match result {
            StepResult::Ok => ("✓", self.pick("ok", "成功")),
            StepResult::Fail => ("✕", self.pick("failed", "失败")),
            StepResult::Skip => ("–", self.pick("left out", "略过")),
        }
    }

    /// How a view came to rest.
    pub(super) fn settle(&self, settle: Settle) -> &'static str {
        match settle {
            Settle::Changed => self.pick("changed", "有变化"),
            Settle::Unchanged => self.pick("unchanged", "无变化"),
            Settle::Unsettled => self.pick("never at rest", "未稳定"),
        }
    }

    pub(super) fn clock_kind(&self, clock: Clock) -> &'static str {
        match clock {
            Clock::Real => self.pick("real", "真实"),
            Clock::Virtual => self.pick("virtual", "虚拟"),
        }
    }

    /// Why a page was left, as the end of a sentence.
    pub(super) fn unexplored(&self, reason: UnexploredReason) -> &'static str {
        match reason {
            UnexploredReason::Budget => self.pick(
                "the limit of steps or time came first",
                "先达到了步数或时间上限",
            ),
            UnexploredReason::Unreachable => {
                self.pick("no recorded way leads there", "没有已记录的路径通向那里")
            }
            UnexploredReason::Dropped => {
                self.pick("the way there did not work", "通向那里的路径走不通")
            }
            UnexploredReason::VisualOnly => {
                self.pick("it is known from pictures only", "只能从截图得知")
            }
        }
    }

    /// What a kind of crash or finding is; none for one that has no name of its own yet.
    pub(super) fn kind(&self, kind: CrashKind) -> Option<&'static str> {
        Some(match kind {
            CrashKind::JsException | CrashKind::Js => {
                self.pick("Uncaught JavaScript exception", "未捕获的 JavaScript 异常")
            }
            CrashKind::RendererCrash => self.pick("The page's process died", "页面进程崩溃"),
            CrashKind::Hang => self.pick("The page does not answer", "页面无响应"),
            CrashKind::Http5xx => self.pick("The app's server failed", "应用服务器出错"),
            CrashKind::BlankPage => self.pick("Blank page", "空白页面"),
            CrashKind::Http4xx => self.pick("Missing or refused request", "请求不存在或被拒绝"),
            CrashKind::RequestFailed => self.pick("Request without an answer", "请求没有响应"),
            CrashKind::ConsoleError => self.pick("Error on the console", "控制台错误"),
            CrashKind::CspViolation => self.pick(
                "Blocked by the content security policy",
                "被内容安全策略拦截",
            ),
            CrashKind::MixedContent => self.pick("Insecure content", "不安全的混合内容"),
            CrashKind::BrokenImage => self.pick("Broken image", "图片无法加载"),
            CrashKind::Java => self.pick(
                "Uncaught Java or Kotlin exception",
                "未捕获的 Java 或 Kotlin 异常",
            ),
            CrashKind::Native => self.pick("Native crash", "原生崩溃"),
            CrashKind::Anr => self.pick("The app does not answer", "应用无响应"),
            CrashKind::Ios => self.pick("iOS crash report", "iOS 崩溃报告"),
            _ => return None,
        })
    }

    /// What happened beside a view.
    pub(super) fn notice_text(&self, notice: &Notice) -> String {
        match notice {
            Notice::Dialog {
                kind,
                message,
                accepted,
            } => {
                let answer = match accepted {
                    true => self.pick("accepted", "已接受"),
                    false => self.pick("dismissed", "已关闭"),
                };
                self.pick(
                    format!("{kind} “{message}” was {answer}"),
                    format!("{kind}“{message}”{answer}"),
                )
            }
            Notice::Popup { url, inside } => {
                let side = match inside {
                    true => self.pick("inside", "内"),
                    false => self.pick("outside", "外"),
                };
                self.pick(
                    format!("a window to {url} ({side} the app) was closed"),
                    format!("通向 {url} 的窗口（应用{side}）已关闭"),
                )
            }
            Notice::Download { url, name } => self.pick(
                format!("the download of “{name}” from {url} was denied"),
                format!("已拒绝从 {url} 下载“{name}”"),
            ),
            Notice::FileChooser { answered: true } => self
                .pick("a file chooser was answered", "已应答文件选择框")
                .to_owned(),
            Notice::FileChooser { answered: false } => self
                .pick("a file chooser was cancelled", "已取消文件选择框")
                .to_owned(),
            Notice::Blocked { host, count: 1 } => self.pick(
                format!("a request to {host} was blocked"),
                format!("已拦截一个发往 {host} 的请求"),
            ),
            Notice::Blocked { host, count } => self.pick(
                format!("{count} requests to {host} were blocked"),
                format!("已拦截 {count} 个发往 {host} 的请求"),
            ),
            Notice::Closed => self
                .pick("the app closed its window", "应用关闭了自己的窗口")
                .to_owned(),
            Notice::ClockFallback { reason } => self.pick(
                format!("the virtual clock was left: {reason}"),
                format!("已停用虚拟时钟：{reason}"),
            ),
            other => format!("{other:?}"),
        }
    }
}
