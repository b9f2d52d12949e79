//! `report.md` of several sessions.

use std::fmt::{self, Write};

use super::{Defect, Merge};
use crate::report::phrase;
use crate::report::text::{block, code, inline};
use crate::{Language, Session, action_text, reason_text};

/// So many lines of evidence of a crash stand in the report.
const STACK_LINES: usize = 30;
/// So many records of a defect are named.
const SIGHTINGS: usize = 20;

impl Merge {
    /// All that was merged, for a ticket or a pull request.
    #[must_use]
    pub fn to_markdown(&self) -> String {
        let mut out = String::new();
        match self.write_markdown(&mut out) {
            Ok(()) => out,
            Err(error) => unreachable!("a string takes what is written: {error}"),
        }
    }

    fn write_markdown(&self, out: &mut String) -> fmt::Result {
        let language = self.language();
        let (icon, status) = phrase::verdict_word(language, self.status());
        let runs = phrase::runs(language, self.runs.len() as u64);
        writeln!(out, "# {icon} {status}: {runs}\n")?;
        let (crashes, findings) = (self.crashes(), self.findings());
        let pages = phrase::pages(language, self.pages().len() as u64);
        let crashed = phrase::crashes(language, crashes.len() as u64);
        let found = phrase::findings(language, findings.len() as u64);
        let summary = language.pick(
            format!("{crashed} and {found} on {pages}."),
            format!("共 {pages}，{crashed}，{found}。"),
        );
        writeln!(out, "{summary}\n")?;
        self.table(out, language)?;
        self.reasons(out, language)?;
        if !crashes.is_empty() {
            writeln!(out, "\n## {}", language.pick("Crashes", "崩溃"))?;
        }
        for defect in &crashes {
            crash(out, language, defect)?;
        }
        if !findings.is_empty() {
            writeln!(out, "\n## {}\n", language.pick("Findings", "发现"))?;
        }
        for finding in &findings {
            let times = phrase::times(language, finding.count);
            let label = inline(finding.label);
            writeln!(out, "- **{}** {label} ({times})", finding.kind)?;
        }
        Ok(())
    }

    fn table(&self, out: &mut String, language: Language) -> fmt::Result {
        let names = language.pick(
            "| App | Seed | Attempt | Status | Steps | Pages | Crashes | Started | Session |",
            "| 应用 | 随机种子 | 第几次 | 状态 | 步骤 | 页面 | 崩溃 | 开始 | 会话 |",
        );
        writeln!(out, "{names}\n|{}", " --- |".repeat(9))?;
        for run in &self.runs {
            for (session, number) in run.attempts.iter().zip(1..) {
                let setup = &session.meta.extra;
                let outcome = session.outcome();
                writeln!(
                    out,
                    "| {} | {} | {number}/{} | {} | {}/{} | {} | {} | {} | {} |",
                    inline(&setup.driver.target),
                    setup.config.seed,
                    run.attempts.len(),
                    phrase::status_in(language, session).1,
                    outcome.steps,
                    outcome.max_steps,
                    outcome.pages,
                    outcome.crashes.len(),
                    inline(&session.meta.started_at),
                    code(&session.meta.id),
                )?;
            }
        }
        Ok(())
    }

    fn reasons(&self, out: &mut String, language: Language) -> fmt::Result {
        let mut first = true;
        for session in self.sessions() {
            let outcome = session.outcome();
            let warnings = outcome.warnings.iter().chain(&session.warnings);
            // How many crashes there are is said already.
            let reasons = outcome.reasons.iter().filter(|it| it.code != "CRASHES");
            for reason in reasons.chain(warnings) {
                if std::mem::take(&mut first) {
                    writeln!(out)?;
                }
                let text = inline(&reason_text(language, reason));
                let id = code(&session.meta.id);
                writeln!(out, "- {id} {}: {text}", code(&reason.code))?;
            }
        }
        Ok(())
    }
}

fn crash(out: &mut String, language: Language, defect: &Defect<'_>) -> fmt::Result {
    writeln!(out, "\n### {}: {}\n", defect.kind, inline(defect.label))?;
    let signature = language.pick("Signature", "签名");
    writeln!(out, "- {signature}: {}", code(&defect.signature.0))?;
    if let Some(place) = defect.place {
        writeln!(
            out,
            "- {}: {}",
            language.pick("Where", "位置"),
            inline(place)
        )?;
    }
    for sighting in defect.sightings.iter().take(SIGHTINGS) {
        let (id, step, session) = (sighting.id, sighting.step, code(sighting.session));
        let times = phrase::times(language, sighting.count);
        let text = language.pick(
            format!("{session} {id}: after step {step}, {times}"),
            format!("{session} {id}：第 {step} 步之后，{times}"),
        );
        writeln!(out, "- {text}")?;
    }
    if defect.sightings.len() > SIGHTINGS {
        let more = defect.sightings.len() - SIGHTINGS;
        let text = language.pick(
            format!("{more} more in `report.json`"),
            format!("其余 {more} 条见 `report.json`"),
        );
        writeln!(out, "- {text}")?;
    }
    let session: &Session = defect.session;
    let id = code(&session.meta.id);
    let heading = language.pick(
        format!("To see it again, as in {id}:"),
        format!("重现步骤（取自 {id}）："),
    );
    writeln!(out, "\n{heading}\n")?;
    for ((_, action), number) in defect.actions().zip(1..) {
        let lost = language.pick("(lost)", "（丢失）");
        let action = action_text(language, action.unwrap_or(lost));
        writeln!(out, "{number}. {}", inline(&action))?;
    }
    let lines: Vec<&str> = defect.stack.lines().take(STACK_LINES).collect();
    if !lines.is_empty() {
        write!(out, "\n{}", block(&lines.join("\n")))?;
    }
    Ok(())
}
