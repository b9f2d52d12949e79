//! The words of `report.html`, in each language. Codes, keys, paths and the app's own texts are
//! the same in all of them.

use std::borrow::Cow;

use crate::{Language, action_text};

/// Fixed texts, each a line with the English and the Chinese: a text without one of them does not
/// compile.
macro_rules! words {
    ($($name:ident: $english:literal, $chinese:literal;)*) => {
        /// The fixed texts of one language.
        #[derive(Debug)]
        pub(crate) struct Words {
            pub(super) language: Language,
            $(pub(crate) $name: &'static str,)*
        }

        static ENGLISH: Words = Words { language: Language::EnUs, $($name: $english,)* };
        static CHINESE: Words = Words { language: Language::ZhCn, $($name: $chinese,)* };
    };
}

words! {
    // The frame.
    skip: "Skip to the report", "跳到报告正文";
    sections: "Sections", "章节";
    shortcuts: "Keyboard", "键盘快捷键";
    made_by: "Made by qa", "由 qa 生成";
    whole_record: "The whole record is in the directory of this file.", "完整记录在本文件所在的目录中。";
    left_out: "Left out of this file", "本文件未包含";
    // Headings.
    crashes: "Crashes", "崩溃";
    findings: "Findings", "发现";
    map: "Map of the app", "应用地图";
    map_short: "Map", "地图";
    pages: "Pages", "页面";
    not_explored: "Not explored", "未探索";
    steps: "Steps", "步骤";
    every_step: "Every step", "全部步骤";
    setup: "How it was set up", "运行设置";
    setup_short: "Setup", "设置";
    duration: "Duration", "时长";
    // The head.
    none_seen: "none seen", "未发现";
    unseen_pages: "pages with something unseen", "个页面仍有未试的元素";
    run_again: "Run it again", "重新运行";
    same_seed: "The same seed takes the same steps as long as the app gives the same answers.", "只要应用的响应相同，同一随机种子就会走同样的步骤。";
    redacted_command: "[REDACTED] stands for what is not stored: put the real value in its place.", "[REDACTED] 处的值没有保存：请换成真实的值。";
    copy: "Copy", "复制";
    copy_steps: "Copy steps", "复制步骤";
    copied: "Copied", "已复制";
    copy_failed: "Select and copy by hand", "请手动选择并复制";
    // Crashes and findings.
    no_crash: "No crash was seen. What was not explored is listed", "未发现崩溃。未探索的内容列在";
    no_crash_link: "below", "下方";
    no_crash_stored: "No crash was stored before the run ended.", "运行结束前没有记录到崩溃。";
    nothing_noticed: "Nothing else was noticed.", "没有发现其他问题。";
    findings_lead: "Faults that do not fail a run by themselves.", "这些问题本身不会使运行失败。";
    signature: "Signature", "特征";
    place: "Where", "位置";
    seen: "Seen", "出现";
    before_cause: "Before the step that caused it", "引发它的步骤之前";
    and_touched: "; the touched element is framed", "；被操作的元素已用框标出";
    after_cause: "After it", "之后";
    open_picture: "Open the whole picture", "打开完整截图";
    no_picture: "no picture", "无截图";
    crash: "crash", "崩溃";
    evidence: "Evidence", "证据";
    evidence_cut: "Cut here.", "在此截断。";
    evidence_file: "All of it:", "全文：";
    lost: "(lost)", "（已丢失）";
    // The map and pages.
    map_lead: "Each picture is a page, each arrow a way that was gone; dashed ones lead back. Point at a page to see its ways.", "每张图是一个页面，每个箭头是走过的一条路径，虚线表示返回。指向页面可突出显示它的路径。";
    map_region: "Map, scrolls in both directions", "地图，可双向滚动";
    map_zoom: "Zoom of the map", "地图缩放";
    zoom_in: "Zoom in", "放大";
    zoom_out: "Zoom out", "缩小";
    zoom_fit: "Whole map", "显示全图";
    map_keys: "Drag to move, Ctrl + wheel or two fingers to zoom; with the map focused: arrows, +, − and 0.", "拖动可移动，Ctrl + 滚轮或双指可缩放；聚焦地图后可用方向键、+、− 和 0。";
    no_page: "No page was stored.", "没有记录到页面。";
    nameless: "Page without a name", "未命名页面";
    start: "start", "起点";
    reached: "Reached", "到达";
    // Not explored.
    nothing_left: "Nothing that is known of was left.", "已知范围内没有遗漏。";
    left_unknown: "Not known: the end of the run was not stored.", "未知：没有记录到运行的结束。";
    left_pages: "Pages with elements that were never tried", "仍有未试元素的页面";
    left_foreign: "Places outside the app", "应用之外的位置";
    left_foreign_why: "a link or a window led there, and the run went back", "链接或窗口通向那里，运行随即返回";
    left_unsettled: "Views that never came to rest", "始终没有稳定下来的画面";
    left_unsettled_why: "what these steps did is not proven", "这些步骤的结果无法证实";
    left_duplicates_why: "another one on the same page has the same key, and stands for it", "同一页面上另一个元素有相同的键，由它代表";
    // Steps.
    search: "Search steps", "搜索步骤";
    search_hint: "Text, page, address, code …", "文字、页面、地址、代码……";
    result: "Result", "结果";
    page: "Page", "页面";
    any: "any", "全部";
    with_crash: "With a crash", "有崩溃";
    with_finding: "With a finding", "有发现";
    reset: "Reset", "重置";
    private: "Pictures may show what is private: look at them before you pass them on.", "截图可能包含隐私内容，转交他人前请检查。";
    no_match: "No step matches.", "没有匹配的步骤。";
    on_the_way: "on the way", "途中";
    before: "before", "之前";
    after: "after", "之后";
    no_page_short: "none", "无";
    saw: "Saw", "看到";
    action: "Action", "操作";
    address: "Address", "地址";
    rest: "Came to rest", "稳定";
    device: "Device", "设备";
    notice: "Notice", "提示";
    view: "View", "画面";
    incomplete: "was not read completely", "没有读取完整";
    pictures: "Pictures", "截图";
    masked: "masked or left out", "已遮盖或略去";
    app_time: "App time", "应用时间";
    not_confirmed: "not confirmed", "未确认";
    // The setup.
    session: "Session", "会话";
    started: "Started", "开始";
    ended: "Ended", "结束";
    not_stored: "not stored", "未记录";
    app: "App", "应用";
    platform: "Platform", "平台";
    viewport: "Viewport", "视口";
    clock: "Clock", "时钟";
    boundary: "Boundary", "边界";
    seed: "Seed", "随机种子";
    limits: "Limits", "上限";
    navigation: "Navigation", "导航";
    identity: "Page identity", "页面识别";
    inputs: "Inputs", "输入";
    blocked_words: "Further blocked words", "另外禁止的词";
    fail_on: "Kinds that fail besides", "另外算作失败的类型";
    tolerated: "Kinds tolerated", "容许的类型";
    actions: "Taps and inputs", "点按与输入";
    version: "Version", "版本";
    remark: "Remark", "备注";
    none: "none", "无";
    // Keys.
    keys_lead: "What the keys do", "按键说明";
    key_step: "next and previous step", "下一个、上一个步骤";
    key_crash: "next and previous crash", "下一个、上一个崩溃";
    key_finding: "next and previous finding", "下一个、上一个发现";
    key_open: "open or close what has the focus", "展开或收起当前项";
    key_search: "search steps", "搜索步骤";
    key_map: "map of the app", "应用地图";
    key_top: "back to the top", "回到顶部";
    key_help: "this help", "本说明";
    key_close: "close this help, leave the search", "关闭说明，离开搜索";
    keys_on: "Single keys act", "启用单键快捷键";
    close: "Close", "关闭";
}

/// The words of a language.
pub(crate) fn words(language: Language) -> &'static Words {
    match language {
        Language::EnUs => &ENGLISH,
        Language::ZhCn => &CHINESE,
    }
}

impl Words {
    /// One of two texts.
    pub(super) fn pick<T>(&self, english: T, chinese: T) -> T {
        self.language.pick(english, chinese)
    }

    /// The tag of the language, for `lang`.
    pub(super) fn tag(&self) -> &'static str {
        self.language.tag()
    }

    /// The line of a step.
    pub(crate) fn action<'a>(&self, action: &'a str) -> Cow<'a, str> {
        action_text(self.language, action)
    }
}
