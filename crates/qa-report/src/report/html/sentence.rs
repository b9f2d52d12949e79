//! Sentences of `report.html` with numbers or names in them.

use qa_core::Settle;

use super::super::phrase;
use super::super::text::counted;
use super::word::Words;

impl Words {
    /// A number and what it counts; the Chinese has no plural.
    fn count(&self, count: impl TryInto<u64>, one: &str, many: &str, chinese: &str) -> String {
        let count = count.try_into().unwrap_or(u64::MAX);
        self.pick(counted(count, one, many), format!("{count} {chinese}"))
    }

    pub(super) fn span(&self, ms: u64) -> String {
        phrase::span(self.language, ms)
    }

    pub(crate) fn visits(&self, count: u64) -> String {
        self.count(count, "visit", "visits", "次访问")
    }

    pub(super) fn elements(&self, count: usize) -> String {
        phrase::elements(self.language, count as u64)
    }

    pub(super) fn kinds(&self, count: usize) -> String {
        self.count(count, "kind", "kinds", "种")
    }

    pub(super) fn ways_between(&self, count: usize) -> String {
        self.count(count, "way between them", "ways between them", "条路径相连")
    }

    pub(super) fn ways_out(&self, count: usize) -> String {
        self.count(count, "way out", "ways out", "条出路")
    }

    pub(super) fn notices(&self, count: usize) -> String {
        self.count(count, "notice", "notices", "条提示")
    }

    pub(super) fn seen_times(&self, count: u64) -> String {
        self.pick(
            format!("seen {}", counted(count, "time", "times")),
            format!("出现 {count} 次"),
        )
    }

    pub(super) fn of_at_most(&self, count: u32) -> String {
        self.pick(format!("of at most {count}"), format!("上限 {count}"))
    }

    pub(super) fn in_the_app(&self, ms: u64) -> String {
        self.pick(
            format!("{} in the app", self.span(ms)),
            format!("应用内 {}", self.span(ms)),
        )
    }

    pub(super) fn step(&self, index: u32) -> String {
        self.pick(format!("step {index}"), format!("步骤 {index}"))
    }

    pub(super) fn after_step(&self, index: u32) -> String {
        self.pick(format!("after step {index}"), format!("步骤 {index} 之后"))
    }

    pub(super) fn first_after_step(&self, index: u32) -> String {
        self.pick(
            format!("first after step {index}"),
            format!("首次在步骤 {index} 之后"),
        )
    }

    pub(super) fn different(&self, count: usize) -> String {
        self.pick(format!("{count} different"), format!("{count} 个不同"))
    }

    pub(super) fn and_more(&self, count: usize) -> String {
        self.pick(format!("and {count} more"), format!("另有 {count} 个"))
    }

    pub(super) fn earlier_steps(&self, count: usize) -> String {
        self.count(count, "earlier step", "earlier steps", "个更早的步骤")
    }

    pub(super) fn path(&self, steps: usize) -> String {
        self.pick(
            format!(
                "To see it again: {} from a fresh start",
                counted(steps as u64, "step", "steps")
            ),
            format!("重现方法：重新启动后 {steps} 步"),
        )
    }

    pub(super) fn path_of(&self, id: &str) -> String {
        self.pick(
            format!("Steps to see {id} again, as text"),
            format!("重现 {id} 的步骤（文字版）"),
        )
    }

    pub(super) fn alt_before(&self, index: u32, action: &str) -> String {
        self.pick(
            format!("Screen before step {index}: {action}"),
            format!("步骤 {index} 之前的画面：{action}"),
        )
    }

    pub(super) fn alt_after(&self, index: u32, action: &str) -> String {
        self.pick(
            format!("Screen after step {index}: {action}"),
            format!("步骤 {index} 之后的画面：{action}"),
        )
    }

    pub(super) fn alt_page(&self, number: usize) -> String {
        self.pick(
            format!("Picture of page P{number}"),
            format!("页面 P{number} 的截图"),
        )
    }

    pub(super) fn map_name(&self, pages: usize) -> String {
        self.pick(
            format!("{pages} pages and the ways between them"),
            format!("{pages} 个页面及其间的路径"),
        )
    }

    pub(super) fn map_hidden(&self, shown: usize, hidden: usize) -> String {
        self.pick(
            format!("The {shown} most visited pages are shown; {hidden} are not."),
            format!("仅显示访问最多的 {shown} 个页面，另有 {hidden} 个未显示。"),
        )
    }

    pub(crate) fn gone(&self, from: usize, to: usize, count: u64) -> String {
        self.pick(
            format!("P{from} → P{to}, gone {count}×"),
            format!("P{from} → P{to}，走过 {count} 次"),
        )
    }

    pub(super) fn unseen(&self, count: usize) -> String {
        self.pick(format!("{count} unseen"), format!("{count} 个未试"))
    }

    pub(super) fn never_tried(&self, count: usize) -> String {
        self.pick(
            format!("{count} never tried"),
            format!("{count} 个从未试过"),
        )
    }

    pub(super) fn tried(&self, count: usize) -> String {
        self.pick(format!("{count} tried"), format!("已试 {count} 个"))
    }

    pub(super) fn first_at(&self, ms: u64) -> String {
        self.pick(
            format!("first at {}", self.span(ms)),
            format!("首次于 {}", self.span(ms)),
        )
    }

    pub(super) fn all_pages(&self, count: usize) -> String {
        phrase::pages(self.language, count as u64)
    }

    pub(super) fn refused(&self, count: u64) -> String {
        self.pick(
            format!("{} never touched", counted(count, "element", "elements")),
            format!("{count} 个元素从未触碰"),
        )
    }

    pub(super) fn refused_why(&self, rule: &str) -> String {
        self.pick(
            format!("refused by the rule {rule}"),
            format!("被规则 {rule} 拒绝"),
        )
    }

    pub(super) fn blocked(&self, count: u64) -> String {
        self.pick(
            format!("{} blocked", counted(count, "request", "requests")),
            format!("已拦截 {count} 个请求"),
        )
    }

    pub(super) fn blocked_why(&self, host: &str) -> String {
        self.pick(
            format!("they asked {host}, which is outside the app"),
            format!("它们请求的 {host} 在应用之外"),
        )
    }

    pub(super) fn duplicates(&self, count: u64) -> String {
        self.pick(
            format!("{} left out", counted(count, "element", "elements")),
            format!("略去 {count} 个元素"),
        )
    }

    pub(super) fn settled(&self, settle: Settle, ms: u64, looks: u32) -> String {
        let word = phrase::settle(self.language, settle);
        self.pick(
            format!(
                "{word} after {}, {}",
                self.span(ms),
                counted(u64::from(looks), "look", "looks")
            ),
            format!("{}后{word}，查看 {looks} 次", self.span(ms)),
        )
    }

    pub(super) fn contract(&self, platform: &str, contract: u32) -> String {
        self.pick(
            format!("{platform}, driver contract {contract}"),
            format!("{platform}，驱动协议 {contract}"),
        )
    }

    pub(super) fn limit(&self, steps: u32, ms: u64) -> String {
        self.pick(
            format!("{steps} steps, {}", self.span(ms)),
            format!("{steps} 步，{}", self.span(ms)),
        )
    }

    // What is not in the file, and where it is.

    pub(super) fn hidden_crashes(&self, count: usize) -> String {
        self.pick(
            format!("{count} crashes, which are in crashes.jsonl"),
            format!("{count} 个崩溃，见 crashes.jsonl"),
        )
    }

    pub(super) fn hidden_findings(&self, count: usize) -> String {
        self.pick(
            format!("{count} findings, which are in findings.jsonl"),
            format!("{count} 个发现，见 findings.jsonl"),
        )
    }

    pub(super) fn hidden_pages(&self, count: usize) -> String {
        self.pick(
            format!("{count} pages found late, which are in state-graph.json"),
            format!("{count} 个较晚发现的页面，见 state-graph.json"),
        )
    }

    pub(super) fn hidden_steps(&self, count: usize) -> String {
        self.pick(
            format!("{count} steps in the middle, which are in steps.jsonl"),
            format!("中间的 {count} 个步骤，见 steps.jsonl"),
        )
    }

    pub(super) fn hidden_pictures(&self, count: usize) -> String {
        self.pick(
            format!("{count} pictures, which are in steps/"),
            format!("{count} 张截图，见 steps/"),
        )
    }

    pub(super) fn unreadable_pictures(&self, count: usize) -> String {
        self.pick(
            format!("{count} pictures that could not be read"),
            format!("{count} 张无法读取的截图"),
        )
    }

    /// `shown` and `all` are put in by the script.
    pub(super) fn matches(&self) -> &'static str {
        self.pick("{shown} of {all} steps", "{all} 个步骤中的 {shown} 个")
    }
}
