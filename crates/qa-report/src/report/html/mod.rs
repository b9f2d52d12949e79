//! `report.html`: one file that opens anywhere and needs no network. All of it can be read without
//! its script, which adds search, keys, zoom and copying.

mod card;
mod command;
mod head;
mod kind;
mod left;
mod limit;
mod page;
mod policy;
mod row;
mod sentence;
mod view;
mod word;

use std::collections::HashMap;
use std::fmt::Write as _;

use askama::Template;
use qa_core::{Outcome, Reason};

use super::group::{Group, groups};
use super::map::{Map, map};
use super::phrase;
use super::picture::Picture;
use super::text::short;
use crate::store::REPORT_BYTES;
use crate::{Meta, Session, reason_text};
use card::{Card, cards};
pub use command::shell_word;
use command::{Command, command};
use head::{Counts, Fact, Tile};
use left::{Left, LeftItem};
use limit::{LIMITS, Limit, TEXT};
use page::PageCard;
use row::Row;
use view::{Shot, View};
pub(super) use word::Words;

const STYLE: &str = include_str!("../../../templates/report/report.css");
const SCRIPT: &str = include_str!("../../../templates/report/report.js");

#[derive(Template)]
#[template(path = "report/report.html")]
struct Document<'a> {
    words: &'static Words,
    policy: String,
    style: String,
    script: &'static str,
    meta: &'a Meta,
    outcome: &'a Outcome,
    status: (&'static str, &'static str),
    status_class: &'static str,
    verdict: String,
    started: String,
    ended: &'static str,
    counts: Counts,
    tiles: Vec<Tile>,
    command: Option<Command>,
    crashes: Vec<Card<'a>>,
    findings: Vec<Kind<'a>>,
    map: Option<Map>,
    thumbs: HashMap<String, Shot>,
    pages: Vec<PageCard<'a>>,
    /// Classes of the ends that steps can have, and their words.
    results: [(&'static str, &'static str); 3],
    steps: Vec<Row<'a>>,
    left: Vec<Left>,
    finished: bool,
    facts: Vec<Fact>,
    /// Codes, and what they mean.
    reasons: Vec<(String, String)>,
    /// What is not in the file.
    missing: Vec<String>,
    pictures: &'a [Picture],
}

/// Findings of one kind.
struct Kind<'a> {
    kind: &'static str,
    name: Option<&'static str>,
    cards: Vec<Card<'a>>,
}

/// Renders the whole document, as much of it as a report may hold.
pub(super) fn html(session: &Session) -> Result<String, askama::Error> {
    within(session, REPORT_BYTES)
}

fn within(session: &Session, most_bytes: usize) -> Result<String, askama::Error> {
    let mut document = String::new();
    for limit in &LIMITS {
        document = render(session, limit)?;
        if document.len() <= most_bytes {
            break;
        }
    }
    Ok(document)
}

fn render(session: &Session, limit: &Limit) -> Result<String, askama::Error> {
    let outcome = session.outcome();
    let mut crashes = groups(session, &session.crashes);
    let mut findings = groups(session, &session.findings);
    let counts = Counts {
        crashes: crashes.len(),
        findings: findings.len(),
    };
    let hidden_crashes = cut(&mut crashes, limit.crashes);
    let hidden_findings = cut(&mut findings, limit.findings);
    let view = View::new(session, &crashes, &findings, limit);
    let words = view.words;
    let marks = view.marks();
    let map = map(&session.graph, &view.numbers, &marks, words);
    let thumbs = map.iter().flat_map(|map| &map.nodes);
    let thumbs = thumbs.filter_map(|node| Some((node.hash.0.clone(), view.page_shot(&node.hash)?)));
    let pages: Vec<_> = view
        .pages
        .iter()
        .take(limit.pages)
        .map(|page| {
            let crashes = marks
                .get(&page.hash)
                .map_or(&[][..], |marks| &marks.crashes);
            page::card(&view, page, crashes)
        })
        .collect();
    let steps = row::rows(&view);
    let hidden_pages = view.pages.len() - pages.len();
    let hidden_steps = session.steps.len() - steps.len();
    let (left_out, unreadable) = (view.album.left_out, view.album.unreadable.len());
    let mut evidence_chars = limit.evidence_chars;
    let crashes = cards(&view, &crashes, &mut evidence_chars);
    let findings = cards(&view, &findings, &mut evidence_chars);
    let missing = [
        (hidden_crashes, words.hidden_crashes(hidden_crashes)),
        (hidden_findings, words.hidden_findings(hidden_findings)),
        (hidden_pages, words.hidden_pages(hidden_pages)),
        (hidden_steps, words.hidden_steps(hidden_steps)),
        (left_out, words.hidden_pictures(left_out)),
        (unreadable, words.unreadable_pictures(unreadable)),
    ];
    let style = style(map.as_ref());
    let reason = |reason: &Reason| {
        (
            reason.code.clone(),
            short(&reason_text(words.language, reason), TEXT),
        )
    };
    // The head counts them already, each defect once.
    let reasons = outcome.reasons.iter().filter(|it| it.code != "CRASHES");
    let reasons = reasons.chain(&outcome.warnings);
    Document {
        words,
        policy: policy::policy(&style, SCRIPT),
        style,
        script: SCRIPT,
        meta: &session.meta,
        status: phrase::status(session),
        status_class: head::status_class(session),
        verdict: phrase::verdict(session),
        started: head::day_and_time(&session.meta.started_at),
        ended: phrase::ended(session),
        tiles: head::tiles(session, &outcome, counts, words),
        counts,
        command: command(&session.meta),
        crashes,
        findings: by_kind(findings),
        thumbs: thumbs.collect(),
        map,
        pages,
        results: row::RESULTS
            .map(|result| (row::class(result), phrase::result(words.language, result).1)),
        steps,
        left: left::left(&view, &outcome),
        finished: session.is_finished(),
        facts: head::facts(session, &outcome, words),
        reasons: reasons.chain(&session.warnings).map(reason).collect(),
        missing: missing
            .into_iter()
            .filter_map(|(count, text)| (count > 0).then_some(text))
            .collect(),
        pictures: view.album.pictures(),
        outcome: &outcome,
    }
    .render()
}

/// Drops what is over the limit and says how many that were.
fn cut(groups: &mut Vec<Group<'_>>, most: usize) -> usize {
    let hidden = groups.len().saturating_sub(most);
    groups.truncate(most);
    hidden
}

fn by_kind(cards: Vec<Card<'_>>) -> Vec<Kind<'_>> {
    let mut kinds: Vec<Kind<'_>> = Vec::new();
    for card in cards {
        match kinds.iter_mut().find(|kind| kind.kind == card.kind) {
            Some(kind) => kind.cards.push(card),
            None => kinds.push(Kind {
                kind: card.kind,
                name: card.kind_name,
                cards: vec![card],
            }),
        }
    }
    kinds
}

/// The style, with rules that bring out the ways of the page of the map that is pointed at.
fn style(map: Option<&Map>) -> String {
    let mut style = String::from(STYLE);
    for node in map.iter().flat_map(|map| &map.nodes) {
        let n = node.number;
        let _ = writeln!(
            style,
            "#graph:has(#n{n}:is(:hover,:focus-visible)) :is(.f{n},.t{n}){{stroke:var(--accent);opacity:1}}"
        );
    }
    style
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Language;
    use crate::fixture::{session, step, writer};
    use qa_core::Archive as _;
    use scraper::{Html, Selector};

    // EXP-175
    #[test]
    fn what_a_file_cannot_hold_is_left_out_and_named() {
        let root = tempfile::tempdir().unwrap();
        let mut writer = writer(root.path());
        for index in 1..=600 {
            writer.step(&step(index, "Add"), None, None).unwrap();
        }
        let session = Session::read(writer.dir()).unwrap();
        let check = |most_bytes, steps| {
            let html = within(&session, most_bytes).unwrap();
            assert_eq!(html.matches(" id=\"step-").count(), steps);
            let hidden = format!("{} steps in the middle, which are in", 600 - steps);
            assert_eq!(html.contains(&hidden), steps < 600);
            html.len()
        };
        let whole = check(REPORT_BYTES, 600);
        let frugal = check(whole - 1, 500);
        check(frugal - 1, 100);
    }

    // EXP-181, D-09
    #[test]
    fn a_report_is_in_the_language_of_its_session() {
        let root = tempfile::tempdir().unwrap();
        let writer = session(root.path(), "应用");
        let mut session = Session::read(writer.dir()).unwrap();
        session.meta.report_language = Language::ZhCn;
        let html = Html::parse_document(&html(&session).unwrap());
        let texts = |selector: &str| -> Vec<String> {
            let selector = Selector::parse(selector).unwrap();
            let found = html.select(&selector);
            found.map(|element| element.text().collect()).collect()
        };
        assert_eq!(texts("html[lang=zh-CN]").len(), 1);
        let heads = ["崩溃", "发现", "应用地图", "未探索", "全部步骤", "运行设置"];
        assert_eq!(texts("main h2"), heads);
        // What the app said, codes and keys stay as they are.
        assert_eq!(texts("#crash-c1 h3"), ["TypeError: 应用"]);
        assert!(texts("#crash-c1 .eyebrow")[0].contains("js-exception"));
        // No word of ours is left in English: a dash tells codes from words, figures have units.
        let places = "nav a, dt, figcaption, h2, h3 > .muted, h4, .button, label, .lead, .tile, \
                      .chip, .rest, summary > .muted, .check";
        for text in texts(places) {
            let mut words = text.split(|c: char| !c.is_ascii_alphabetic() && c != '-');
            let known = |word: &str| {
                let codes = [
                    "j", "k", "c", "C", "f", "F", "m", "t", "P", "s", "ms", "min", "page",
                ];
                codes.contains(&word) || word.contains('-') || ["Enter", "Esc"].contains(&word)
            };
            let english = words.find(|word| !word.is_empty() && !known(word));
            assert_eq!(english, None, "in {text:?}");
        }
    }
}
