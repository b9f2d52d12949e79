//! A session with its pictures, and the numbers and anchors of what is in it.

use std::collections::{BTreeSet, HashMap};

use qa_core::{Fingerprint, PageSnapshot};

use super::super::group::Group;
use super::super::map::Marks;
use super::super::picture::{Album, Size};
use super::super::text::short;
use super::limit::{LARGE, LINE, Limit, STRIP};
use super::word::{Words, words};
use crate::{Session, StoredCrash, StoredStep};

/// A larger file is not read.
const PICTURE_BYTES: u64 = 32 << 20;

/// A picture as it is shown in a place.
#[derive(Clone)]
pub(super) struct Shot {
    pub(super) id: usize,
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) alt: String,
    /// The touched element, in the picture's pixels.
    pub(super) touched: Option<[f64; 4]>,
    pub(super) file: String,
}

/// What every part of the document looks things up in.
pub(super) struct View<'a> {
    pub(super) session: &'a Session,
    pub(super) words: &'static Words,
    pub(super) album: Album,
    /// Pages in the order of discovery.
    pub(super) pages: Vec<&'a PageSnapshot>,
    /// Numbers of the pages, from 1.
    pub(super) numbers: HashMap<Fingerprint, usize>,
    /// Steps that led to a page.
    pub(super) arrivals: HashMap<&'a Fingerprint, Vec<u32>>,
    /// Crashes and findings of a step.
    pub(super) records: HashMap<u32, Vec<&'a StoredCrash>>,
    /// Positions of the steps that are listed.
    pub(super) listed: BTreeSet<usize>,
    /// File name of a picture of each page.
    portraits: HashMap<&'a Fingerprint, &'a str>,
    /// Where a record stands in the document, by its id; those of groups that are not shown lack.
    anchors: HashMap<&'a str, String>,
    most_pages: usize,
}

/// The anchor of a crash or finding: `crash-c1`, `finding-f1`.
pub(super) fn anchor(id: &str) -> String {
    let kind = if is_crash(id) { "crash" } else { "finding" };
    format!("{kind}-{id}")
}

pub(super) fn is_crash(id: &str) -> bool {
    id.starts_with('c')
}

impl<'a> View<'a> {
    /// Reads the pictures; `crashes` and `findings` are the groups that are shown.
    pub(super) fn new(
        session: &'a Session,
        crashes: &[Group<'a>],
        findings: &[Group<'a>],
        limit: &Limit,
    ) -> Self {
        let mut pages: Vec<_> = session.graph.pages.values().collect();
        pages.sort_by_key(|page| page.order);
        let numbers = pages.iter().zip(1..);
        let mut view = Self {
            session,
            words: words(session.meta.report_language),
            album: Album::default(),
            numbers: numbers.map(|(page, n)| (page.hash.clone(), n)).collect(),
            pages,
            arrivals: HashMap::new(),
            records: HashMap::new(),
            listed: listed(session, crashes, limit.steps),
            portraits: HashMap::new(),
            anchors: HashMap::new(),
            most_pages: limit.pages,
        };
        for step in &session.steps {
            view.index(step);
        }
        for record in session.crashes.iter().chain(&session.findings) {
            let records = view.records.entry(record.step_index).or_default();
            records.push(record);
        }
        for group in crashes.iter().chain(findings) {
            for record in &group.records {
                let first = group.records.first().map_or(record.id, |first| first.id);
                view.anchors.insert(record.id, anchor(first));
            }
        }
        let read = |name: &str| session.pictures.read(name, PICTURE_BYTES).ok();
        view.album = Album::load(read, &view.wanted(crashes), limit.picture_bytes);
        view
    }

    fn index(&mut self, step: &'a StoredStep) {
        let notes = &step.record.notes;
        if let (Some(page), Some(name)) = (&notes.page_to, &step.screenshot_after) {
            self.portraits.entry(page).or_insert(name.as_str());
        }
        if let (Some(page), Some(name)) = (&notes.page_from, &step.screenshot) {
            self.portraits.entry(page).or_insert(name.as_str());
        }
        if let Some(page) = &notes.page_to {
            let arrivals = self.arrivals.entry(page).or_default();
            arrivals.push(step.record.index);
        }
    }

    pub(super) fn step(&self, index: u32) -> Option<&'a StoredStep> {
        self.session.steps.get((index as usize).checked_sub(1)?)
    }

    /// What a step did, in one line.
    pub(super) fn action(&self, index: u32) -> String {
        let step = self.step(index);
        step.map_or(self.words.lost.to_owned(), |step| {
            self.action_line(&step.record.action)
        })
    }

    /// An action in the words of the report, in one line.
    pub(super) fn action_line(&self, action: &str) -> String {
        short(&self.words.action(action), LINE)
    }

    /// Whether a step is in the list of steps.
    pub(super) fn lists(&self, index: u32) -> bool {
        let position = (index as usize).checked_sub(1);
        position.is_some_and(|position| self.listed.contains(&position))
    }

    /// The number of a page that has an entry in the document.
    pub(super) fn number(&self, page: Option<&Fingerprint>) -> Option<usize> {
        let number = self.numbers.get(page?).copied()?;
        (number <= self.most_pages).then_some(number)
    }

    /// Where the group of a record stands.
    pub(super) fn anchor(&self, id: &str) -> Option<&str> {
        self.anchors.get(id).map(String::as_str)
    }

    pub(super) fn before(&self, step: &StoredStep, size: Size) -> Option<Shot> {
        let record = &step.record;
        let alt = self
            .words
            .alt_before(record.index, &self.action_line(&record.action));
        let name = step.screenshot.as_deref()?;
        self.shot(name, size, alt, record.notes.touched)
    }

    pub(super) fn after(&self, step: &StoredStep, size: Size) -> Option<Shot> {
        let record = &step.record;
        let alt = self
            .words
            .alt_after(record.index, &self.action_line(&record.action));
        self.shot(step.screenshot_after.as_deref()?, size, alt, None)
    }

    pub(super) fn page_shot(&self, page: &Fingerprint) -> Option<Shot> {
        let number = self.numbers.get(page).copied().unwrap_or(0);
        let name = self.portraits.get(page)?;
        self.shot(name, Size::Small, self.words.alt_page(number), None)
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

    /// The page that a crash happened on.
    fn page_of(&self, crash: &StoredCrash) -> Option<&'a Fingerprint> {
        let notes = &self.step(crash.step_index)?.record.notes;
        // A crash while a page is loaded belongs to that page, not to the one before.
        notes.page_from.as_ref().or(notes.page_to.as_ref())
    }

    /// What the map shows of each page beside the graph.
    pub(super) fn marks(&self) -> HashMap<Fingerprint, Marks> {
        let mut marks: HashMap<Fingerprint, Marks> = HashMap::new();
        for page in self.session.graph.pages.keys() {
            let shot = self.page_shot(page);
            marks.entry(page.clone()).or_default().picture =
                shot.map(|shot| (shot.width, shot.height));
        }
        for crash in &self.session.crashes {
            if let Some(page) = self.page_of(crash) {
                let marks = marks.entry(page.clone()).or_default();
                marks.crashes.push(crash.id.clone());
            }
        }
        marks
    }

    /// Names of pictures, the most important first.
    fn wanted(&self, crashes: &[Group<'_>]) -> Vec<(String, Size)> {
        let mut wanted = Vec::new();
        let both = |step: &StoredStep, size: Size| {
            let both = [step.screenshot.clone(), step.screenshot_after.clone()];
            both.into_iter().flatten().map(move |name| (name, size))
        };
        for (at, group) in crashes.iter().enumerate() {
            let shown = group.repro_path.iter().rev().take(STRIP);
            for (back, step) in shown.filter_map(|index| self.step(*index)).enumerate() {
                wanted.extend(step.screenshot.clone().map(|name| (name, Size::Small)));
                if back == 0 {
                    let large = at < LARGE;
                    wanted.extend(both(step, if large { Size::Large } else { Size::Small }));
                }
            }
        }
        let pages = self.pages.iter().take(self.most_pages);
        let pages = pages.filter_map(|page| self.portraits.get(&page.hash));
        wanted.extend(pages.map(|name| ((*name).to_owned(), Size::Small)));
        let steps = self.listed.iter();
        let steps = steps.filter_map(|at| self.session.steps.get(*at));
        wanted.extend(steps.flat_map(|step| both(step, Size::Small)));
        wanted
    }
}

/// Positions of the steps that are listed.
fn listed(session: &Session, crashes: &[Group<'_>], most: usize) -> BTreeSet<usize> {
    let count = session.steps.len();
    if count <= most {
        return (0..count).collect();
    }
    let paths = crashes
        .iter()
        .flat_map(|group| group.repro_path.iter().rev().take(STRIP));
    let paths = paths.filter_map(|index| (*index as usize).checked_sub(1));
    let ends = (0..most / 2).chain(count - most / 2..count);
    paths.chain(ends).filter(|at| *at < count).collect()
}
