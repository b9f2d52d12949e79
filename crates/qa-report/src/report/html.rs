//! `report.html`: one file that opens anywhere, needs no network and runs no script.

use std::collections::{BTreeSet, HashMap};

use askama::Template;
use qa_core::{Fingerprint, Outcome, Reason, Settle, StepResult};

use super::group::{Group, groups};
use super::map::{Map, Marks, map};
use super::markdown::reason;
use super::picture::{Album, Size};
use super::text::{counted, span};
use super::word;
use crate::{Meta, Session, StoredCrash, StoredStep};

/// The steps shown, from the first and to the last, beside those that led to a crash.
const STEPS: usize = 2_000;
/// Pages shown, in the order of discovery.
const PAGES: usize = 1_000;
/// Steps of a path that are shown as pictures.
const STRIP: usize = 30;
/// Crashes whose last pictures are large.
const LARGE: usize = 8;
/// Steps of a finding that are linked.
const LINKS: usize = 12;
/// Characters of evidence shown; all of it is in its file.
const STACK_CHARS: usize = 60_000;

#[derive(Template)]
#[template(path = "report.html")]
struct Document<'a> {
    meta: &'a Meta,
    outcome: &'a Outcome,
    status: (&'static str, &'static str),
    status_class: &'static str,
    verdict: String,
    ended: &'static str,
    tiles: Vec<Tile>,
    crashes: Vec<Card<'a>>,
    findings: Vec<(&'static str, Vec<Card<'a>>)>,
    map: Option<Map>,
    thumbs: HashMap<String, Shot>,
    pages: Vec<PageCard<'a>>,
    hidden_pages: usize,
    steps: Vec<Row<'a>>,
    hidden_steps: usize,
    left: Vec<Left<'a>>,
    finished: bool,
    facts: Vec<(&'static str, String)>,
    warnings: Vec<&'a Reason>,
    album: &'a Album,
}

/// A figure at the top.
struct Tile {
    name: &'static str,
    value: String,
    detail: String,
    class: &'static str,
    link: &'static str,
}

/// A picture as it is shown in a place.
#[derive(Clone)]
struct Shot {
    id: usize,
    width: f64,
    height: f64,
    alt: String,
    /// The touched element, in the picture's pixels.
    touched: Option<[f64; 4]>,
    file: String,
}

/// A crash or finding.
struct Card<'a> {
    group: Group<'a>,
    ids: String,
    anchor: &'a str,
    records: Vec<(&'a str, u32, u64)>,
    more_records: usize,
    earlier: usize,
    strip: Vec<Frame<'a>>,
    last: Option<Shot>,
    after: Option<Shot>,
    stack: &'a str,
    stack_cut: bool,
    stack_file: &'a str,
}

/// A step as part of a path.
struct Frame<'a> {
    index: u32,
    action: &'a str,
    shot: Option<Shot>,
}

/// A page with what is known of it.
struct PageCard<'a> {
    number: usize,
    hash: &'a str,
    summary: &'a str,
    shot: Option<Shot>,
    visits: String,
    seen: usize,
    open: Vec<&'a str>,
    more_open: usize,
    first_ms: String,
    steps: Vec<u32>,
    more_steps: usize,
    ways: Vec<(&'a str, usize, u32)>,
    more_ways: usize,
    crashes: Vec<String>,
}

/// A step in the list.
struct Row<'a> {
    step: &'a StoredStep,
    result: (&'static str, &'static str),
    class: &'static str,
    from: Option<usize>,
    to: Option<usize>,
    before: Option<Shot>,
    after: Option<Shot>,
    settle: Option<(&'static str, String, bool)>,
    notices: Vec<String>,
    receipt: Option<String>,
    records: Vec<&'a StoredCrash>,
    time: String,
    redacted: bool,
}

/// Something that was not explored, and why.
struct Left<'a> {
    title: String,
    why: String,
    items: Vec<LeftItem<'a>>,
}

enum LeftItem<'a> {
    Page(Option<usize>, &'a str, String),
    Text(&'a str),
    Step(u32),
}

/// Renders the whole document.
pub(super) fn html(session: &Session) -> Result<String, askama::Error> {
    let outcome = session.outcome();
    let crashes = groups(session, &session.crashes);
    let findings = groups(session, &session.findings);
    let view = View::new(session, &crashes);
    let shown_map = map(&session.graph, &view.numbers, &view.marks());
    let mut pages: Vec<_> = session.graph.pages.values().collect();
    pages.sort_by_key(|page| page.order);
    let shown_pages: Vec<PageCard<'_>> = pages
        .iter()
        .take(PAGES)
        .map(|page| view.page(page))
        .collect();
    let thumbs = shown_map.iter().flat_map(|map| &map.nodes);
    let thumbs = thumbs.filter_map(|node| {
        let shot = view.page_shot(&Fingerprint(node.hash.clone()))?;
        Some((node.hash.clone(), shot))
    });
    let steps = view.rows();
    let mut by_kind: Vec<(&'static str, Vec<Card<'_>>)> = Vec::new();
    for group in findings {
        let kind = group.kind.as_str();
        let card = view.card(group, None);
        match by_kind.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, cards)) => cards.push(card),
            None => by_kind.push((kind, vec![card])),
        }
    }
    let cards = crashes.into_iter().enumerate();
    let cards = cards
        .map(|(at, group)| view.card(group, Some(at < LARGE)))
        .collect();
    let document = Document {
        meta: &session.meta,
        status: word::status(session),
        status_class: status_class(session),
        verdict: word::verdict(session),
        ended: word::ended(session),
        tiles: tiles(session, &outcome),
        crashes: cards,
        findings: by_kind,
        thumbs: thumbs.collect(),
        map: shown_map,
        hidden_pages: pages.len() - shown_pages.len(),
        pages: shown_pages,
        hidden_steps: session.steps.len() - steps.len(),
        steps,
        left: left(&outcome, &view.numbers),
        finished: session.is_finished(),
        facts: facts(session, &outcome),
        warnings: outcome
            .reasons
            .iter()
            .chain(&outcome.warnings)
            .chain(&session.warnings)
            .collect(),
        album: &view.album,
        outcome: &outcome,
    };
    document.render()
}

fn status_class(session: &Session) -> &'static str {
    match session.meta.status {
        qa_core::Status::Passed => "passed",
        qa_core::Status::Failed => "failed",
        _ => "open",
    }
}

/// A session with its pictures and the numbers of its pages.
struct View<'a> {
    session: &'a Session,
    album: Album,
    numbers: HashMap<Fingerprint, usize>,
    /// File name of a picture of each page.
    portraits: HashMap<&'a Fingerprint, &'a str>,
    arrivals: HashMap<&'a Fingerprint, Vec<u32>>,
    records: HashMap<u32, Vec<&'a StoredCrash>>,
    listed: BTreeSet<usize>,
}

impl<'a> View<'a> {
    fn new(session: &'a Session, crashes: &[Group<'a>]) -> Self {
        let mut pages: Vec<_> = session.graph.pages.values().collect();
        pages.sort_by_key(|page| page.order);
        let numbers = pages
            .iter()
            .zip(1..)
            .map(|(page, number)| (page.hash.clone(), number));
        let mut portraits = HashMap::new();
        let mut arrivals: HashMap<_, Vec<u32>> = HashMap::new();
        for step in &session.steps {
            let notes = &step.record.notes;
            if let (Some(page), Some(name)) = (&notes.page_to, &step.screenshot_after) {
                portraits.entry(page).or_insert(name.as_str());
            }
            if let (Some(page), Some(name)) = (&notes.page_from, &step.screenshot) {
                portraits.entry(page).or_insert(name.as_str());
            }
            if let Some(page) = &notes.page_to {
                arrivals.entry(page).or_default().push(step.record.index);
            }
        }
        let mut records: HashMap<u32, Vec<_>> = HashMap::new();
        for record in session.crashes.iter().chain(&session.findings) {
            records.entry(record.step_index).or_default().push(record);
        }
        let listed = listed(session, crashes);
        let wanted = wanted(session, crashes, &pages, &portraits, &listed);
        Self {
            album: Album::load(session, &wanted),
            numbers: numbers.collect(),
            session,
            portraits,
            arrivals,
            records,
            listed,
        }
    }

    fn step(&self, index: u32) -> Option<&'a StoredStep> {
        self.session.steps.get((index as usize).checked_sub(1)?)
    }

    fn shot(&self, name: &str, size: Size, alt: String, touched: Option<[f64; 4]>) -> Option<Shot> {
        let (id, picture) = self.album.find(name, size)?;
        let (width, height) = (f64::from(picture.width), f64::from(picture.height));
        let viewport = self.session.meta.extra.viewport.filter(|size| size.0 > 0.0);
        let scale = viewport.map_or(1.0, |size| width / size.0);
        let touched = touched.and_then(|[x, y, w, h]| {
            let (left, top) = ((x * scale).max(0.0), (y * scale).max(0.0));
            let (right, bottom) = (((x + w) * scale).min(width), ((y + h) * scale).min(height));
            (right > left && bottom > top).then_some([left, top, right - left, bottom - top])
        });
        Some(Shot {
            id,
            width,
            height,
            alt,
            touched,
            file: name.to_owned(),
        })
    }

    fn before(&self, step: &StoredStep, size: Size) -> Option<Shot> {
        let alt = format!(
            "Screen before step {}: {}",
            step.record.index, step.record.action
        );
        self.shot(
            step.screenshot.as_deref()?,
            size,
            alt,
            step.record.notes.touched,
        )
    }

    fn after(&self, step: &StoredStep, size: Size) -> Option<Shot> {
        let alt = format!(
            "Screen after step {}: {}",
            step.record.index, step.record.action
        );
        self.shot(step.screenshot_after.as_deref()?, size, alt, None)
    }

    fn page_shot(&self, page: &Fingerprint) -> Option<Shot> {
        let number = self.numbers.get(page).copied().unwrap_or(0);
        let name = self.portraits.get(page)?;
        self.shot(
            name,
            Size::Small,
            format!("Picture of page P{number}"),
            None,
        )
    }

    fn marks(&self) -> HashMap<Fingerprint, Marks> {
        let mut marks: HashMap<Fingerprint, Marks> = HashMap::new();
        for page in self.session.graph.pages.keys() {
            let shot = self.page_shot(page);
            marks.entry(page.clone()).or_default().picture =
                shot.map(|shot| (shot.width, shot.height));
        }
        for crash in &self.session.crashes {
            let step = self.step(crash.step_index);
            let notes = step.map(|step| &step.record.notes);
            // A crash while a page is loaded belongs to that page, not to the one before.
            let page = notes.and_then(|notes| notes.page_from.as_ref().or(notes.page_to.as_ref()));
            if let Some(page) = page {
                marks
                    .entry(page.clone())
                    .or_default()
                    .crashes
                    .push(crash.id.clone());
            }
        }
        marks
    }

    /// `large` is none for findings, which have no pictures.
    fn card(&self, group: Group<'a>, large: Option<bool>) -> Card<'a> {
        let ids: Vec<_> = group
            .records
            .iter()
            .take(3)
            .map(|record| record.id)
            .collect();
        let more = if group.records.len() > 3 { ", …" } else { "" };
        let path = group.repro_path;
        let earlier = path.len().saturating_sub(STRIP);
        let strip = path[earlier..].iter().map(|index| {
            let step = self.step(*index);
            Frame {
                index: *index,
                action: step.map_or("(lost)", |step| &step.record.action),
                shot: step.and_then(|step| self.before(step, Size::Small)),
            }
        });
        let size = if large == Some(true) {
            Size::Large
        } else {
            Size::Small
        };
        let blamed = path
            .last()
            .and_then(|index| self.step(*index))
            .filter(|_| large.is_some());
        let cut = group
            .stack
            .char_indices()
            .nth(STACK_CHARS)
            .map(|(at, _)| at);
        let records = group.records.iter().take(LINKS);
        Card {
            ids: ids.join(", ") + more,
            anchor: group.records.first().map_or("", |record| record.id),
            records: records
                .map(|record| (record.id, record.step, record.count))
                .collect(),
            more_records: group.records.len().saturating_sub(LINKS),
            earlier,
            strip: if large.is_some() {
                strip.collect()
            } else {
                Vec::new()
            },
            last: blamed.and_then(|step| self.before(step, size)),
            after: blamed.and_then(|step| self.after(step, size)),
            stack: &group.stack[..cut.unwrap_or(group.stack.len())],
            stack_cut: cut.is_some(),
            stack_file: group.records.first().map_or("", |record| record.stack_path),
            group,
        }
    }

    fn page(&self, page: &'a qa_core::PageSnapshot) -> PageCard<'a> {
        let steps = self.arrivals.get(&page.hash).map_or(&[][..], Vec::as_slice);
        let mut ways: Vec<_> = self
            .session
            .graph
            .edges
            .iter()
            .filter(|edge| edge.from == page.hash)
            .filter_map(|edge| {
                Some((
                    edge.action.as_str(),
                    *self.numbers.get(&edge.to)?,
                    edge.count,
                ))
            })
            .collect();
        let more_ways = ways.len().saturating_sub(LINKS);
        ways.truncate(LINKS);
        PageCard {
            number: self.numbers.get(&page.hash).copied().unwrap_or(0),
            hash: &page.hash.0,
            summary: page.summary.as_deref().unwrap_or("Page without a name"),
            shot: self.page_shot(&page.hash),
            visits: counted(page.visit_count, "visit", "visits"),
            seen: page.elements_seen.len(),
            open: page
                .open_keys
                .iter()
                .take(LINKS)
                .map(|key| key.0.as_str())
                .collect(),
            more_open: page.open_keys.len().saturating_sub(LINKS),
            first_ms: span(page.first_seen),
            steps: steps.iter().take(LINKS).copied().collect(),
            more_steps: steps.len().saturating_sub(LINKS),
            ways,
            more_ways,
            crashes: self.marks_of(&page.hash),
        }
    }

    fn marks_of(&self, page: &Fingerprint) -> Vec<String> {
        let on = |crash: &&StoredCrash| {
            let notes = self.step(crash.step_index).map(|step| &step.record.notes);
            notes.and_then(|notes| notes.page_from.as_ref().or(notes.page_to.as_ref()))
                == Some(page)
        };
        self.session
            .crashes
            .iter()
            .filter(on)
            .map(|crash| crash.id.clone())
            .collect()
    }

    fn rows(&self) -> Vec<Row<'a>> {
        self.listed
            .iter()
            .filter_map(|at| self.session.steps.get(*at))
            .map(|step| self.row(step))
            .collect()
    }

    fn row(&self, step: &'a StoredStep) -> Row<'a> {
        let notes = &step.record.notes;
        let number = |page: &Option<Fingerprint>| self.numbers.get(page.as_ref()?).copied();
        let receipt = notes
            .receipt
            .as_ref()
            .filter(|receipt| !receipt.is_ok())
            .map(|receipt| {
                let reason = receipt.reason.as_deref().unwrap_or("");
                format!(
                    "{} {reason}",
                    receipt.code.as_deref().unwrap_or("not confirmed")
                )
            });
        Row {
            result: word::result(step.record.result),
            class: match step.record.result {
                StepResult::Ok => "ok",
                StepResult::Fail => "fail",
                StepResult::Skip => "skip",
            },
            from: number(&notes.page_from),
            to: number(&notes.page_to),
            before: self.before(step, Size::Small),
            after: self.after(step, Size::Small),
            settle: notes.settle.as_ref().map(|settle| {
                let text = format!(
                    "{} after {}, {}",
                    word::settle(settle.outcome),
                    span(settle.elapsed_ms),
                    counted(u64::from(settle.passes), "look", "looks")
                );
                (
                    word::settle(settle.outcome),
                    text,
                    settle.outcome == Settle::Unsettled,
                )
            }),
            notices: notes.notices.iter().map(word::notice).collect(),
            receipt,
            records: self
                .records
                .get(&step.record.index)
                .cloned()
                .unwrap_or_default(),
            time: span(notes.app_ms),
            redacted: notes.screenshot_redacted,
            step,
        }
    }
}

/// Positions of the steps that are listed.
fn listed(session: &Session, crashes: &[Group<'_>]) -> BTreeSet<usize> {
    let count = session.steps.len();
    if count <= STEPS {
        return (0..count).collect();
    }
    let paths = crashes
        .iter()
        .flat_map(|group| group.repro_path.iter().rev().take(STRIP));
    let paths = paths.filter_map(|index| (*index as usize).checked_sub(1));
    let ends = (0..STEPS / 2).chain(count - STEPS / 2..count);
    paths.chain(ends).collect()
}

/// Names of pictures, the most important first.
fn wanted(
    session: &Session,
    crashes: &[Group<'_>],
    pages: &[&qa_core::PageSnapshot],
    portraits: &HashMap<&Fingerprint, &str>,
    listed: &BTreeSet<usize>,
) -> Vec<(String, Size)> {
    let step = |index: u32| session.steps.get((index as usize).checked_sub(1)?);
    let mut wanted = Vec::new();
    for (at, group) in crashes.iter().enumerate() {
        let shown = group.repro_path.iter().rev().take(STRIP);
        for (back, step) in shown.filter_map(|index| step(*index)).enumerate() {
            wanted.extend(step.screenshot.clone().map(|name| (name, Size::Small)));
            if back == 0 {
                let size = if at < LARGE { Size::Large } else { Size::Small };
                let both = [&step.screenshot, &step.screenshot_after];
                wanted.extend(both.into_iter().flatten().map(|name| (name.clone(), size)));
            }
        }
    }
    let pages = pages
        .iter()
        .take(PAGES)
        .filter_map(|page| portraits.get(&page.hash));
    wanted.extend(pages.map(|name| ((*name).to_owned(), Size::Small)));
    for step in listed.iter().filter_map(|at| session.steps.get(*at)) {
        let both = [&step.screenshot, &step.screenshot_after];
        wanted.extend(
            both.into_iter()
                .flatten()
                .map(|name| (name.clone(), Size::Small)),
        );
    }
    wanted
}

fn tiles(session: &Session, outcome: &Outcome) -> Vec<Tile> {
    let findings = outcome.findings.values().sum::<u64>();
    let kinds = outcome.findings.len() as u64;
    let crashes = outcome.crashes.len();
    let times = outcome.crashes.iter().map(|crash| crash.count).sum::<u64>();
    let left = outcome.unexplored.len();
    vec![
        Tile {
            name: "Crashes",
            value: crashes.to_string(),
            detail: if crashes == 0 {
                "none seen".into()
            } else {
                format!("seen {}", counted(times, "time", "times"))
            },
            class: if crashes == 0 { "good" } else { "bad" },
            link: "#crashes",
        },
        Tile {
            name: "Findings",
            value: findings.to_string(),
            detail: counted(kinds, "kind", "kinds"),
            class: if findings == 0 { "good" } else { "warn" },
            link: "#findings",
        },
        Tile {
            name: "Steps",
            value: outcome.steps.to_string(),
            detail: format!("of at most {}", outcome.max_steps),
            class: "",
            link: "#steps",
        },
        Tile {
            name: "Pages",
            value: outcome.pages.to_string(),
            detail: counted(
                outcome.edges as u64,
                "way between them",
                "ways between them",
            ),
            class: "",
            link: "#map",
        },
        Tile {
            name: "Not explored",
            value: if session.is_finished() {
                left.to_string()
            } else {
                "?".into()
            },
            detail: "pages with something unseen".into(),
            class: if left == 0 { "" } else { "warn" },
            link: "#left",
        },
        Tile {
            name: "Duration",
            value: span(outcome.duration_ms),
            detail: format!("{} in the app", span(outcome.app_ms)),
            class: "",
            link: "#run",
        },
    ]
}

fn left<'a>(outcome: &'a Outcome, numbers: &HashMap<Fingerprint, usize>) -> Vec<Left<'a>> {
    let mut left: Vec<Left<'a>> = Vec::new();
    for page in &outcome.unexplored {
        let why = reason(page.reason);
        let item = LeftItem::Page(
            numbers.get(&page.page).copied(),
            page.summary.as_deref().unwrap_or("Page without a name"),
            counted(page.open_keys.len() as u64, "element", "elements"),
        );
        match left.iter_mut().find(|group| group.why == why) {
            Some(group) => group.items.push(item),
            None => left.push(Left {
                title: "Pages with elements that were never tried".into(),
                why: why.into(),
                items: vec![item],
            }),
        }
    }
    for (rule, refused) in &outcome.refused {
        left.push(Left {
            title: format!(
                "{} never touched",
                counted(refused.count, "element", "elements")
            ),
            why: format!("refused by the rule {rule}"),
            items: refused
                .examples
                .iter()
                .map(|example| LeftItem::Text(example))
                .collect(),
        });
    }
    if !outcome.foreign.is_empty() {
        left.push(Left {
            title: "Places outside the app".into(),
            why: "a link or a window led there, and the run went back".into(),
            items: outcome
                .foreign
                .iter()
                .map(|place| LeftItem::Text(place))
                .collect(),
        });
    }
    for blocked in &outcome.blocked {
        left.push(Left {
            title: format!(
                "{} blocked",
                counted(blocked.requests, "request", "requests")
            ),
            why: format!("they asked {}, which is outside the app", blocked.host),
            items: Vec::new(),
        });
    }
    if !outcome.unsettled_steps.is_empty() {
        left.push(Left {
            title: "Views that never came to rest".into(),
            why: "what these steps did is not proven".into(),
            items: outcome
                .unsettled_steps
                .iter()
                .map(|step| LeftItem::Step(*step))
                .collect(),
        });
    }
    if outcome.duplicates > 0 {
        left.push(Left {
            title: format!(
                "{} left out",
                counted(outcome.duplicates, "element", "elements")
            ),
            why: "another one on the same page has the same key, and stands for it".into(),
            items: Vec::new(),
        });
    }
    left
}

fn facts(session: &Session, outcome: &Outcome) -> Vec<(&'static str, String)> {
    let (meta, setup) = (&session.meta, &session.meta.extra);
    let config = &setup.config;
    let list = |items: Vec<String>| {
        if items.is_empty() {
            "none".to_owned()
        } else {
            items.join(", ")
        }
    };
    let kinds =
        |kinds: &[qa_core::CrashKind]| list(kinds.iter().map(ToString::to_string).collect());
    let word = |value: &dyn erased::Word| value.word();
    let mut facts = vec![
        ("Session", meta.id.clone()),
        ("Started", meta.started_at.clone()),
        (
            "Ended",
            meta.ended_at.clone().unwrap_or_else(|| "not stored".into()),
        ),
        ("App", setup.driver.target.clone()),
        ("Device", setup.driver.device.clone()),
        (
            "Platform",
            format!(
                "{}, driver contract {}",
                word(&setup.driver.platform),
                setup.driver.contract
            ),
        ),
        ("Clock", word::clock(setup.driver.clock).to_owned()),
        ("Boundary", list(config.boundary.clone())),
        ("Seed", config.seed.to_string()),
        (
            "Limits",
            format!("{} steps, {}", config.max_steps, span(config.duration_ms)),
        ),
        ("Navigation", word(&config.navigation)),
        ("Page identity", word(&config.page_identity)),
        ("Inputs", config.inputs.clone()),
        ("Further blocked words", list(config.blocklist.clone())),
        ("Kinds that fail besides", kinds(&config.fail_on)),
        ("Kinds tolerated", kinds(&config.tolerate)),
        ("Taps and inputs", outcome.actions.to_string()),
        ("Version", format!("qa {}", setup.version)),
    ];
    if let Some((width, height)) = setup.viewport {
        facts.insert(7, ("Viewport", format!("{width} × {height}")));
    }
    facts
}

/// The word that a closed set uses in files.
mod erased {
    use serde::Serialize;

    pub(super) trait Word {
        fn word(&self) -> String;
    }

    impl<T: Serialize> Word for T {
        fn word(&self) -> String {
            match serde_json::to_value(self) {
                Ok(serde_json::Value::String(word)) => word,
                _ => String::new(),
            }
        }
    }
}
