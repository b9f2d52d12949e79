//! `report.md`: for pull requests, tickets and terminals.

use std::fmt::{self, Write};

use qa_core::{Outcome, Reason, StepResult};

use super::group::{Group, crash_groups, groups};
use super::phrase;
use super::text::{block, code, inline};
use crate::{Language, Session, StoredStep, action_text, code_text, reason_text};

/// So many lines of evidence stand in the report; the rest is in its file.
const STACK_LINES: usize = 30;
/// So many steps stand in the report; more are in `steps.jsonl`.
const STEPS: usize = 2_000;

/// Writes the whole report.
pub(super) fn markdown(session: &Session) -> Result<String, fmt::Error> {
    let language = session.meta.report_language;
    let mut out = String::new();
    head(&mut out, session)?;
    let crashes = groups(session, &session.crashes);
    let findings = groups(session, &session.findings);
    if !crashes.is_empty() {
        writeln!(out, "\n## {}", language.pick("Crashes", "崩溃"))?;
        for group in &crashes {
            crash(&mut out, session, group)?;
        }
    }
    if !findings.is_empty() {
        writeln!(out, "\n## {}\n", language.pick("Findings", "发现"))?;
        for group in &findings {
            finding(&mut out, language, group)?;
        }
    }
    unexplored(&mut out, session)?;
    writeln!(out, "\n## {}\n", language.pick("Steps", "步骤"))?;
    if session.steps.iter().any(has_picture) {
        // REP-130
        let text = language.pick(
            "Pictures may show what is private: look at them before you pass them on.",
            "截图可能包含隐私内容，转交他人前请检查。",
        );
        writeln!(out, "{text}\n")?;
    }
    for stored in session.steps.iter().take(STEPS) {
        step(&mut out, language, stored)?;
    }
    if session.steps.len() > STEPS {
        let more = session.steps.len() - STEPS;
        let text = language.pick(
            format!("The other {more} steps are in `steps.jsonl`."),
            format!("其余 {more} 步见 `steps.jsonl`。"),
        );
        writeln!(out, "\n{text}")?;
    }
    Ok(out)
}

fn head(out: &mut String, session: &Session) -> fmt::Result {
    let meta = &session.meta;
    let language = meta.report_language;
    let outcome = session.outcome();
    let (icon, status) = phrase::status(session);
    writeln!(out, "# {icon} {status}: {}\n", inline(&meta.name))?;
    let count = |result: StepResult| {
        let steps = session.steps.iter();
        steps.filter(|step| step.record.result == result).count()
    };
    let (ok, failed) = (count(StepResult::Ok), count(StepResult::Fail));
    let (steps, most) = (outcome.steps, outcome.max_steps);
    let pages = outcome.pages;
    let ways = phrase::ways(language, outcome.edges as u64);
    let (took, app) = (
        phrase::span(language, outcome.duration_ms),
        phrase::span(language, outcome.app_ms),
    );
    let setup = &meta.extra;
    let clock = phrase::clock(language, setup.driver.clock);
    let rows = [
        (language.pick("Session", "会话"), code(&meta.id)),
        (language.pick("App", "应用"), inline(&setup.driver.target)),
        (
            language.pick("Status", "状态"),
            format!("{status} ({})", phrase::ended(session)),
        ),
        (language.pick("Started", "开始"), inline(&meta.started_at)),
        (
            language.pick("Ended", "结束"),
            meta.ended_at.as_deref().map_or("–".to_owned(), inline),
        ),
        (
            language.pick("Duration", "时长"),
            language.pick(
                format!("{took} (app time {app})"),
                format!("{took}（应用时间 {app}）"),
            ),
        ),
        (
            language.pick("Steps", "步骤"),
            language.pick(
                format!("{steps} of {most} ({ok} ok, {failed} fail)"),
                format!("{steps}/{most}（成功 {ok}，失败 {failed}）"),
            ),
        ),
        (
            language.pick("Crashes", "崩溃"),
            crashes(language, &outcome),
        ),
        (
            language.pick("Findings", "发现"),
            outcome.findings.values().sum::<u64>().to_string(),
        ),
        (
            language.pick("Pages", "页面"),
            language.pick(
                format!("{pages}, joined by {ways}"),
                format!("{pages}，由 {ways}相连"),
            ),
        ),
        (
            language.pick("Device", "设备"),
            format!("{}, {clock}", inline(&setup.driver.device)),
        ),
        (
            language.pick("Seed", "随机种子"),
            setup.config.seed.to_string(),
        ),
    ];
    writeln!(out, "| | |\n| --- | --- |")?;
    for (name, value) in rows {
        writeln!(out, "| {name} | {value} |")?;
    }
    let verdict = inline(&phrase::verdict(session));
    writeln!(
        out,
        "\n## {}\n\n{verdict}",
        language.pick("Summary", "摘要")
    )?;
    let remarked = |reason: &&Reason| reason.code == "DRIVER_REMARK";
    let warnings = outcome.warnings.iter().chain(&session.warnings);
    // How many crashes there are is said already.
    let reasons = outcome.reasons.iter().filter(|it| it.code != "CRASHES");
    let reasons: Vec<_> = reasons.chain(warnings).collect();
    // The run notes them, too; one that was killed does not.
    let remarks = setup.driver.remarks.iter();
    let remarks = remarks.filter(|_| !reasons.iter().any(remarked));
    let remarks: Vec<_> = remarks.collect();
    if !reasons.is_empty() || !remarks.is_empty() {
        writeln!(out)?;
    }
    for reason in reasons {
        let text = reason_text(language, reason);
        writeln!(out, "- {}: {}", code(&reason.code), inline(&text))?;
    }
    for remark in remarks {
        writeln!(out, "- {}", inline(remark))?;
    }
    Ok(())
}

/// How many defects, and in how many records where that is more.
fn crashes(language: Language, outcome: &Outcome) -> String {
    let records = outcome.crashes.len();
    let defects = crash_groups(&outcome.crashes).len();
    if defects == records {
        return records.to_string();
    }
    language.pick(
        format!("{defects} in {records} records"),
        format!("{defects}（{records} 条记录）"),
    )
}

fn crash(out: &mut String, session: &Session, group: &Group<'_>) -> fmt::Result {
    let language = session.meta.report_language;
    let ids: Vec<_> = group.records.iter().map(|record| record.id).collect();
    writeln!(
        out,
        "\n### {} {}: {}\n",
        ids.join(", "),
        group.kind,
        inline(group.label)
    )?;
    let signature = language.pick("Signature", "签名");
    writeln!(out, "- {signature}: {}", code(&group.signature.0))?;
    if let Some(place) = group.place {
        writeln!(
            out,
            "- {}: {}",
            language.pick("Where", "位置"),
            inline(place)
        )?;
    }
    for record in &group.records {
        let after = after_step(language, &record.step.to_string());
        let times = phrase::times(language, record.count);
        writeln!(
            out,
            "- {}: {after}, {times}, {}, [{}](crashes/{})",
            record.id,
            inline(record.ts),
            language.pick("evidence", "证据"),
            record.stack_path,
        )?;
    }
    writeln!(
        out,
        "\n{}\n",
        language.pick("To see it again:", "重现步骤：")
    )?;
    for (number, index) in group.repro_path.iter().enumerate() {
        let step = (*index as usize).checked_sub(1);
        let step = step.and_then(|at| session.steps.get(at));
        let action = step.map_or(language.pick("(lost)", "（丢失）").to_owned(), |step| {
            inline(&action_text(language, &step.record.action))
        });
        let step = language.pick(format!(" (step {index})"), format!("（第 {index} 步）"));
        writeln!(out, "{}. {action}{step}", number + 1)?;
    }
    let lines: Vec<&str> = group.stack.lines().collect();
    if lines.is_empty() {
        return Ok(());
    }
    let shown = &lines[..lines.len().min(STACK_LINES)];
    write!(out, "\n{}", block(&shown.join("\n")))?;
    if lines.len() > STACK_LINES {
        let more = lines.len() - STACK_LINES;
        let text = language.pick(
            format!("{more} more lines are in the file."),
            format!("其余 {more} 行见文件。"),
        );
        writeln!(out, "\n{text}")?;
    }
    Ok(())
}

fn finding(out: &mut String, language: Language, group: &Group<'_>) -> fmt::Result {
    const SHOWN: usize = 5;
    let steps = group.records.iter().take(SHOWN);
    let mut steps: Vec<_> = steps.map(|record| record.step.to_string()).collect();
    if group.records.len() > SHOWN {
        steps.push("…".into());
    }
    writeln!(
        out,
        "- **{}** {} ({}, {})",
        group.kind,
        inline(group.label),
        phrase::times(language, group.count),
        after_step(language, &steps.join(", ")),
    )
}

/// `step` is a number or several.
fn after_step(language: Language, step: &str) -> String {
    language.pick(format!("after step {step}"), format!("第 {step} 步之后"))
}

fn unexplored(out: &mut String, session: &Session) -> fmt::Result {
    let language = session.meta.report_language;
    let outcome = session.outcome();
    writeln!(out, "\n## {}\n", language.pick("Not explored", "未探索"))?;
    let before = out.len();
    for page in &outcome.unexplored {
        let nameless = language.pick("page without a name", "无名页面");
        let name = page.summary.as_deref().map_or(nameless.to_owned(), inline);
        let keys = phrase::elements(language, page.open_keys.len() as u64);
        let keys = language.pick(format!("{keys} never tried"), format!("{keys}从未尝试"));
        let why = phrase::unexplored(language, page.reason);
        writeln!(out, "- {name} ({}): {keys}, {why}", code(&page.page.0))?;
    }
    for (rule, refused) in &outcome.refused {
        let examples: Vec<_> = refused
            .examples
            .iter()
            .map(|example| inline(example))
            .collect();
        let elements = phrase::elements(language, refused.count);
        let rule = code(rule);
        let refused = language.pick(
            format!("{elements} refused by {rule}"),
            format!("{elements}被 {rule} 拒绝"),
        );
        writeln!(out, "- {refused}: {}", examples.join(", "))?;
    }
    for place in &outcome.foreign {
        let outside = language.pick("outside the app", "应用之外");
        writeln!(out, "- {outside}: {}", inline(place))?;
    }
    for blocked in &outcome.blocked {
        let requests = phrase::requests(language, blocked.requests);
        let host = inline(&blocked.host);
        let text = language.pick(
            format!("{requests} to {host} blocked"),
            format!("拦截了对 {host} 的 {requests}"),
        );
        writeln!(out, "- {text}")?;
    }
    if !outcome.unsettled_steps.is_empty() {
        let steps: Vec<_> = outcome.unsettled_steps.iter().map(u32::to_string).collect();
        let steps = after_step(language, &steps.join(", "));
        let text = language.pick(
            format!("never came to rest {steps}"),
            format!("{steps}页面未稳定"),
        );
        writeln!(out, "- {text}")?;
    }
    if outcome.duplicates > 0 {
        let elements = phrase::elements(language, outcome.duplicates);
        let text = language.pick(
            format!("{elements} with the key of another one on the same page"),
            format!("{elements}与同页的其他元素键相同"),
        );
        writeln!(out, "- {text}")?;
    }
    if out.len() == before {
        let text = if session.is_finished() {
            language.pick("Nothing that is known of was left.", "没有已知的遗漏。")
        } else {
            language.pick(
                "Not known: the end of the run was not stored.",
                "未知：运行的结束没有保存。",
            )
        };
        writeln!(out, "{text}")?;
    }
    Ok(())
}

fn has_picture(step: &StoredStep) -> bool {
    step.screenshot.is_some() || step.screenshot_after.is_some()
}

fn step(out: &mut String, language: Language, stored: &StoredStep) -> fmt::Result {
    let record = &stored.record;
    let icon = phrase::result(language, record.result).0;
    let action = inline(&action_text(language, &record.action));
    write!(out, "{}. {icon} {action}", record.index)?;
    let notes = &record.notes;
    let mut facts = Vec::new();
    if let Some(why) = &notes.code {
        let text = code_text(language, why).map(|text| format!(" {text}"));
        facts.push(code(why) + &text.unwrap_or_default());
    }
    if let Some(settle) = &notes.settle {
        facts.push(phrase::settle(language, settle.outcome).to_owned());
    }
    for notice in &notes.notices {
        facts.push(inline(&phrase::notice(language, notice)));
    }
    for (name, text) in [
        (&stored.screenshot, language.pick("before", "之前")),
        (&stored.screenshot_after, language.pick("after", "之后")),
    ] {
        if let Some(name) = name {
            facts.push(format!("[{text}](steps/{name})"));
        }
    }
    if facts.is_empty() {
        writeln!(out)
    } else {
        writeln!(out, " — {}", facts.join(", "))
    }
}
