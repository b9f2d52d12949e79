//! Kinds of crashes and findings in the words of people.

use qa_core::CrashKind;

use super::word::Words;

impl Words {
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
}
