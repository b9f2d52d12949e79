//! Stable codes in the words of people (EXP-162). Codes themselves are never translated.

use qa_core::Reason;

use crate::Language;

/// How much of a reason's own text its sentence leaves open. Free text is not translated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rest {
    /// The sentence says it all.
    Nothing,
    /// The first number of the text.
    Number,
    /// What follows the first `: `, where somebody else is quoted.
    Tail,
    /// All of it.
    All,
}

/// A code and what it means.
#[derive(Debug)]
struct Entry {
    code: &'static str,
    en: &'static str,
    zh: &'static str,
    rest: Rest,
}

/// What a code means, as a sentence without a full stop; none if it is not known.
#[must_use]
pub fn code_text(language: Language, code: &str) -> Option<&'static str> {
    entry(code).map(|entry| language.pick(entry.en, entry.zh))
}

/// A reason in the words of a language. Its own text is English where this program wrote it: that
/// is put into other words; what an app, a device or the system said stays as it is.
#[must_use]
pub fn reason_text(language: Language, reason: &Reason) -> String {
    let own = reason.text.trim();
    let Some(entry) = entry(&reason.code) else {
        return own.to_owned();
    };
    match language {
        Language::EnUs if own.is_empty() => entry.en.to_owned(),
        Language::EnUs => own.to_owned(),
        Language::ZhCn => match rest(entry.rest, own) {
            "" => entry.zh.to_owned(),
            rest => format!("{}：{rest}", entry.zh),
        },
    }
}

fn entry(code: &str) -> Option<&'static Entry> {
    ENTRIES.iter().find(|entry| entry.code == code)
}

fn rest(rest: Rest, text: &str) -> &str {
    match rest {
        Rest::Nothing => "",
        Rest::Number => text
            .split(|character: char| !character.is_ascii_digit())
            .find(|digits| !digits.is_empty())
            .unwrap_or(""),
        Rest::Tail => text.split_once(": ").map_or("", |(_, tail)| tail),
        Rest::All => text,
    }
}

macro_rules! entries {
    ($($code:literal, $rest:ident: $en:literal, $zh:literal;)*) => {
        const ENTRIES: &[Entry] = &[
            $(Entry { code: $code, en: $en, zh: $zh, rest: Rest::$rest },)*
        ];
    };
}

entries! {
    // Why a run is not passed.
    "CRASHES", Number: "crashes were recorded", "记录到的崩溃数";
    "INTERRUPTED", Nothing: "the run was asked to stop", "运行被要求停止";
    "NO_ACTION_EXECUTED", Nothing: "nothing was tapped or entered", "没有执行任何点击或输入";
    "NOT_FINISHED", Nothing: "the run was ended from outside before it could finish", "运行在完成之前被外部终止";
    "STILL_RUNNING", Nothing: "the run still goes on", "运行仍在进行";
    "INVALID_CONFIG", All: "what was asked for cannot be done", "配置无效";
    "LAUNCH_FAILED", Tail: "the app did not start", "应用未能启动";
    "RELAUNCH_FAILED", Tail: "the app did not start again", "应用未能重新启动";
    "LAUNCH_CRASHED", Nothing: "the app crashed while it was started", "应用在启动时崩溃";
    "RELAUNCH_CRASHED", Nothing: "the app crashed while it was started again", "应用在重新启动时崩溃";
    "RELAUNCHED_IN_VAIN", Nothing: "the app was lost again and again before anything new could be tried", "应用一再丢失，重启后未能尝试任何新内容";
    "FOREGROUND_UNKNOWN", Nothing: "nobody can tell which app is in front", "无法判断前台是哪个应用";
    "CAPTURE_FAILED", All: "the crash watch ended or never began", "崩溃监视未启动或已中断";
    "CAPTURE_DISAPPEARED", All: "the crash watch disappeared", "崩溃监视意外消失";
    "CRASH_QUERY_FAILED", All: "crashes could not be asked for", "崩溃查询失败";
    "CRASH_ARCHIVE_FAILED", All: "a crash could not be stored", "崩溃记录未能保存";
    "STEP_ARCHIVE_FAILED", All: "a step could not be stored", "步骤未能保存";
    "FINISH_FAILED", All: "the end of the run could not be stored", "运行结果未能保存";
    "MAX_STEPS_PLAN_INCOMPLETE", Nothing: "the limit of steps came before the end of the plan", "计划未完成，步数已达上限";
    "DURATION_PLAN_INCOMPLETE", Nothing: "the limit of time came before the end of the plan", "计划未完成，时间已达上限";
    "REDACTION_FAILED", Nothing: "what could not be redacted was withheld", "无法脱敏的内容已被扣留";
    // What a reader must know besides.
    "CLOCK_FALLBACK", All: "the virtual clock was left", "已退出虚拟时钟";
    "DRAIN_SHORT", Nothing: "the device did not wait for late crashes", "设备未等待迟到的崩溃";
    "DRAIN_SKIPPED", Nothing: "late crashes were not waited for", "未等待迟到的崩溃";
    "DRIVER_REMARK", All: "a condition of the device", "设备说明";
    "EVIDENCE_KEPT", Tail: "evidence without a record was kept", "没有记录的证据已保留";
    "EVIDENCE_UNREADABLE", Tail: "evidence could not be read", "证据无法读取";
    "GRAPH_ARCHIVE_FAILED", All: "the state graph could not be stored", "状态图未能保存";
    "GRAPH_TRUNCATED", Nothing: "the state graph met a limit and is incomplete", "状态图已达上限，不完整";
    "NO_GRAPH", Nothing: "no snapshot of the state graph was stored before the run ended", "运行结束前没有保存状态图";
    "NUMBER_SKIPPED", Tail: "the record of a step is lost, and its number is not used again", "有步骤的记录丢失，其编号不再使用";
    "RESUMED", Tail: "the run was resumed", "运行已恢复，恢复前的最后一步和恢复时间";
    "SCREENSHOT_FAILED", All: "a picture could not be taken", "截图失败";
    "STEP_LOST", Tail: "a crash or finding belongs to a step that is lost", "有崩溃或发现所属的步骤已丢失";
    "STOP_FAILED", All: "the device could not be given back properly", "设备未能正常释放";
    "TORN_LINE", Tail: "a last line was cut off and is left out", "最后一行被截断，已略去";
    // Why a step was not done.
    "APP_GONE", Tail: "the app is gone", "应用已消失";
    "APP_UNRESPONSIVE", Nothing: "the app did not answer", "应用没有响应";
    "BACK_UNAVAILABLE", Nothing: "there is no way back from here", "无法返回";
    "DEVICE_LOST", Tail: "the connection to the device is lost", "与设备的连接已断开";
    "DISPATCH_UNKNOWN", Nothing: "whether the action arrived is not known", "操作是否送达未知";
    "DRIVER_PROTOCOL", All: "the device answered something that cannot be", "设备返回了无效的应答";
    "HINT_NOT_ALLOWLISTED", Nothing: "the plan proposes something that is not allowed", "计划中的操作不在允许范围内";
    "INPUT_FOCUS_UNVERIFIED", Nothing: "whether the field has the focus could not be verified", "无法确认输入框已获得焦点";
    "INPUT_NOT_SEEN", Nothing: "the document did not notice the input", "文档没有接收到输入";
    "NAVIGATION_FAILED", All: "the address could not be opened", "地址无法打开";
    "NOT_PICKED", Nothing: "the text of the field could not be selected", "无法选中输入框中的文字";
    "OPTION_NOT_FOUND", Nothing: "the list has no such option", "列表中没有该选项";
    "OPTION_DISABLED", Nothing: "the option is disabled", "该选项已禁用";
    "PRESS_INTERRUPTED", Nothing: "the page changed while the element was pressed", "按下过程中页面发生了变化";
    "REF_EXPIRED", Nothing: "the element is not there any more", "元素已不存在";
    "SECURE_FIELD_REFUSED", Nothing: "nothing is typed into a field for secrets", "拒绝在密码框中输入";
    "START_FAILED", Nothing: "the app did not come to the front", "应用没有到前台";
    "TARGET_CHANGED", Nothing: "the element became another one", "元素已变为其他元素";
    "TARGET_DETACHED", Nothing: "the element is no longer on the page", "元素已不在页面上";
    "TARGET_DISABLED", Nothing: "the element is disabled", "元素已禁用";
    "TARGET_INVISIBLE", Nothing: "the element cannot be seen", "元素不可见";
    "TARGET_MISSED", Nothing: "the press landed on another element", "点击落在了其他元素上";
    "TARGET_MOVING", Nothing: "the element moves", "元素正在移动";
    "TARGET_NOT_EDITABLE", Nothing: "the element takes no text", "元素不可编辑";
    "TARGET_NOT_FOCUSED", Nothing: "the element did not take the focus", "元素未获得焦点";
    "TARGET_NOT_FOUND", Nothing: "the element was not found", "未找到元素";
    "TARGET_NOT_SELECT", Nothing: "the element is no list of options", "元素不是选项列表";
    "TARGET_NOT_UNIQUE", Nothing: "more than one element fits", "匹配的元素不唯一";
    "TARGET_OBSCURED", Nothing: "another element lies over it", "元素被遮挡";
    "TARGET_UNAVAILABLE", Nothing: "the element cannot be used", "元素不可用";
    "UNKNOWN_REF", Nothing: "the reference names no element", "引用不指向任何元素";
    "UNSAFE_URL", Nothing: "the address is outside the app", "地址在应用之外";
    "UNSUPPORTED_ACTION", Nothing: "the driver does not know the action", "驱动不支持该操作";
    "UNSUPPORTED_KEY", Nothing: "the driver does not know the key", "驱动不支持该按键";
    "VALUE_MISMATCH", Nothing: "the field holds another text", "输入框中是其他文字";
    "VALUE_NOT_TAKEN", Nothing: "the field did not take the text", "输入框没有接受文字";
    "VISUAL_STATE_UNAVAILABLE", Nothing: "the screen could not be recognised from its picture", "无法从截图识别界面";
    "VISUAL_TARGET_NOT_FOUND", Nothing: "the element was not found on the picture", "截图中未找到元素";
    // What a replay does not touch.
    "BLOCKLISTED_TARGET", Nothing: "its word is on the blocklist", "其文字在禁用列表中";
    "CREDENTIAL_ENTRY_REJECTED", Nothing: "a replay enters no passwords", "回放不输入密码";
    "DESTRUCTIVE_TARGET", Nothing: "a replay deletes nothing", "回放不执行删除操作";
    "DOWNLOAD_REJECTED", Nothing: "a replay downloads nothing", "回放不下载文件";
    "EXTERNAL_COMMIT_TARGET", Nothing: "a replay sends and publishes nothing", "回放不发送或发布任何内容";
    "FILE_UPLOAD_REJECTED", Nothing: "a replay uploads nothing", "回放不上传文件";
    "FINANCIAL_TARGET", Nothing: "a replay pays for nothing", "回放不执行支付";
    "SECURITY_TARGET", Nothing: "a replay changes no security settings", "回放不更改安全设置";
    // Why an assertion does not hold, or cannot be judged.
    "COVERAGE_UNVERIFIED", Tail: "nobody knows whether all of the page was seen", "无法确认是否看到了整个页面";
    "INCONCLUSIVE_TRUNCATED", Nothing: "the view left something out, so that nothing can be said", "视图不完整，无法下结论";
    "VALUE_SECURE", Nothing: "its value is secret", "其值为机密";
    "VALUE_TRUNCATED", Nothing: "its value is longer than what is read", "其值超出读取长度";
    "VALUE_WITHHELD", Nothing: "its value is not read", "其值未被读取";
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn reason(code: &str, text: &str) -> Reason {
        Reason {
            code: code.into(),
            text: text.into(),
        }
    }

    // EXP-162
    #[test]
    fn a_reason_is_said_in_both_languages() {
        let check = |code: &str, text: &str, zh: &str| {
            let reason = reason(code, text);
            assert_eq!(reason_text(Language::EnUs, &reason), text);
            assert_eq!(reason_text(Language::ZhCn, &reason), zh);
        };
        check("CRASHES", "12 crashes were recorded", "记录到的崩溃数：12");
        check("INTERRUPTED", "the run was asked to stop", "运行被要求停止");
        let refused = "the app did not start 2 times in a row: in front is: nothing";
        check(
            "LAUNCH_FAILED",
            refused,
            "应用未能启动：in front is: nothing",
        );
        check("SCREENSHOT_FAILED", "no frame", "截图失败：no frame");
        check("OF_TOMORROW", "as it is", "as it is");
    }

    #[test]
    fn a_reason_without_text_has_the_words_of_its_code() {
        let silent = reason("TARGET_OBSCURED", "");
        assert_eq!(
            reason_text(Language::EnUs, &silent),
            "another element lies over it"
        );
        assert_eq!(
            code_text(Language::ZhCn, "TARGET_OBSCURED"),
            Some("元素被遮挡")
        );
        assert_eq!(code_text(Language::EnUs, "OF_TOMORROW"), None);
    }

    #[test]
    fn each_code_stands_once_and_has_words_in_its_language() {
        let codes: HashSet<_> = ENTRIES.iter().map(|entry| entry.code).collect();
        assert_eq!(codes.len(), ENTRIES.len());
        for entry in ENTRIES {
            assert!(entry.en.is_ascii() && !entry.zh.is_ascii(), "{entry:?}");
        }
    }
}
