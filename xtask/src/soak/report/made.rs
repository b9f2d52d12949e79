//! A run that nobody did, as large as one likes.

use std::collections::BTreeMap;
use std::io::Cursor;
use std::path::{Path, PathBuf};
use std::time::Duration;

use image::{Rgb, RgbImage};
use qa_core::{
    Archive as _, Back, Capability, Clock, Crash, CrashKind, CrashRecord, CrashSummary, DriverInfo,
    EdgeInfo, ElementKey, Ended, ExploreConfig, Fingerprint, Image, Outcome, PageIdentity,
    PageInfo, Picture, Platform, Receipt, Refused, Replay, Settle, SettleRecord, Signature,
    StateGraph, Status, StepNotes, StepRecord, StepResult, Unexplored, UnexploredReason,
};
use qa_redact::{Redactor, RedactorConfig};
use qa_report::{Language, SessionStart, SessionWriter};

use crate::failure::Failure;

const ORIGIN: &str = "http://127.0.0.1:8000";
const VIEWPORT: (u32, u32) = (1280, 800);

/// How much of each thing a run has.
#[derive(Debug, Clone, Copy)]
pub(super) struct Size {
    pub(super) steps: u32,
    /// Different ones.
    pub(super) pictures: u32,
    pub(super) pages: u32,
    pub(super) crashes: u32,
    pub(super) findings: u32,
}

/// Stores a run of this size, with its reports, and returns its directory.
pub(super) fn session(root: &Path, size: &Size, language: Language) -> Result<PathBuf, Failure> {
    std::fs::create_dir_all(root)?;
    let mut writer = writer(root, language)?;
    let stored = |error: qa_core::ArchiveError| Failure::internal(error.to_string());
    let mut shown = picture(0);
    for index in 1..=size.steps {
        let before = (index > 1).then(|| shown.clone());
        // As many steps change what is shown as there are pictures.
        let number = u64::from(index) * u64::from(size.pictures) / u64::from(size.steps);
        let last = u64::from(index - 1) * u64::from(size.pictures) / u64::from(size.steps);
        if number != last {
            shown = picture(number);
        }
        writer
            .step(&step(size, index), before.as_ref(), Some(&shown))
            .map_err(stored)?;
    }
    for number in 1..=size.crashes {
        writer.crash(&crash(size, number)).map_err(stored)?;
    }
    for number in 1..=size.findings {
        writer.finding(&finding(size, number)).map_err(stored)?;
    }
    let dir = writer.dir().to_owned();
    writer
        .finish(&outcome(size), &graph(size))
        .map_err(stored)?;
    Ok(dir)
}

fn writer(root: &Path, language: Language) -> Result<SessionWriter, Failure> {
    let driver = DriverInfo {
        platform: Platform::Web,
        contract: 1,
        device: "Chromium".into(),
        target: format!("{ORIGIN}/"),
        capabilities: [Capability::Tap, Capability::Fill].into(),
        back: Back::Action,
        clock: Clock::Virtual,
        poll_interval: Duration::from_millis(50),
        nodes: qa_core::NodeBudget::default(),
        remarks: vec!["made up for a measurement".into()],
    };
    let redactor = Redactor::new(RedactorConfig {
        allowed_origins: vec![ORIGIN.into()],
        ..RedactorConfig::default()
    });
    let start = SessionStart {
        name: "made-up",
        driver: &driver,
        config: &ExploreConfig::new(vec![ORIGIN.into()]),
        viewport: Some((f64::from(VIEWPORT.0), f64::from(VIEWPORT.1))),
        arguments: &[format!("--url={ORIGIN}/"), "--seed=1".to_owned()],
        language,
        redactor: redactor.map_err(|error| Failure::internal(error.to_string()))?,
    };
    SessionWriter::create(root, start).map_err(|error| Failure::internal(error.to_string()))
}

/// A picture like that of an app: areas of one colour, and lines of words.
fn picture(number: u64) -> Picture {
    let mut random = Random(number.wrapping_mul(0x9e37_79b9_7f4a_7c15) + 1);
    let mut pixels = RgbImage::from_pixel(VIEWPORT.0, VIEWPORT.1, Rgb([250, 248, 244]));
    for _ in 0..12 {
        let (x, y) = (random.below(1000), random.below(600));
        let colour = Rgb([random.shade(), random.shade(), random.shade()]);
        fill(
            &mut pixels,
            (x, y),
            (120 + random.below(160), 80 + random.below(120)),
            colour,
        );
    }
    for line in 0..30 {
        let mut x = 60 + random.below(200);
        while x < 1150 {
            let word = 8 + random.below(60);
            for letter in 0..word / 8 {
                let height = 6 + random.below(6);
                let at = (x + letter * 8, 40 + line * 25);
                fill(&mut pixels, at, (5, height), Rgb([60, 60, 70]));
            }
            x += word + 10;
        }
    }
    let mut bytes = Cursor::new(Vec::new());
    match pixels.write_to(&mut bytes, image::ImageFormat::Png) {
        Ok(()) => Picture {
            image: Image {
                extension: "png",
                bytes: bytes.into_inner(),
            },
            viewport: (f64::from(VIEWPORT.0), f64::from(VIEWPORT.1)),
            shown: Vec::new(),
            whole: true,
        },
        Err(error) => unreachable!("a picture in memory: {error}"),
    }
}

fn fill(pixels: &mut RgbImage, at: (u32, u32), size: (u32, u32), colour: Rgb<u8>) {
    for y in at.1..(at.1 + size.1).min(VIEWPORT.1) {
        for x in at.0..(at.0 + size.0).min(VIEWPORT.0) {
            pixels.put_pixel(x, y, colour);
        }
    }
}

/// A small generator: the same number gives the same picture.
struct Random(u64);

impl Random {
    fn below(&mut self, most: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        u32::try_from(self.0 % u64::from(most)).unwrap_or(0)
    }

    fn shade(&mut self) -> u8 {
        u8::try_from(self.below(256)).unwrap_or(0)
    }
}

fn page(number: u32) -> Fingerprint {
    Fingerprint(format!("{number:012x}"))
}

/// The page after a step: the app is left again and again for another part of it.
fn page_after(size: &Size, step: u32) -> u32 {
    (step * 7 / 5) % size.pages
}

fn step(size: &Size, index: u32) -> StepRecord {
    let result = match index % 17 {
        5 => StepResult::Fail,
        9 => StepResult::Skip,
        _ => StepResult::Ok,
    };
    StepRecord {
        index,
        action: match index {
            1 => format!("launch {ORIGIN}/"),
            _ => format!("tap button \"Choose the thing of number {index}\""),
        },
        result,
        notes: StepNotes {
            replay: Some(match index {
                1 => Replay::Launch,
                _ => Replay::Tap {
                    element_key: ElementKey(format!("role:button|Choose {index}")),
                },
            }),
            page_from: (index > 1).then(|| page(page_after(size, index - 1))),
            page_to: Some(page(page_after(size, index))),
            url: Some(format!("{ORIGIN}/part/{index}")),
            observation: Some(format!(
                "Part {index}: a list of things, and what they cost"
            )),
            receipt: Some(Receipt::ok(u64::from(index))),
            settle: Some(SettleRecord {
                outcome: match index % 23 {
                    7 => Settle::Unsettled,
                    _ => Settle::Changed,
                },
                passes: 4,
                elapsed_ms: 900,
                clock: Clock::Virtual,
                widened: false,
                proven_early: false,
                ignored: Vec::new(),
            }),
            touched: Some([
                f64::from(index * 37 % 900),
                f64::from(index * 53 % 600),
                160.0,
                48.0,
            ]),
            app_ms: u64::from(index) * 1000,
            ..StepNotes::default()
        },
    }
}

/// The step that a record belongs to: they are spread over the run.
fn blamed(size: &Size, number: u32, all: u32) -> u32 {
    (size.steps * number / (all + 1)).max(2)
}

fn crash(size: &Size, number: u32) -> CrashRecord {
    let step = blamed(size, number, size.crashes);
    record(&format!("c{number}"), CrashKind::JsException, step, number)
}

fn finding(size: &Size, number: u32) -> CrashRecord {
    let kinds = [CrashKind::ConsoleError, CrashKind::Http4xx];
    let kind = kinds[number as usize % kinds.len()];
    let step = blamed(size, number, size.findings);
    record(&format!("f{number}"), kind, step, number)
}

fn record(id: &str, kind: CrashKind, step: u32, number: u32) -> CrashRecord {
    let frames: String = (0..40)
        .map(|line| format!("    at frame{line} ({ORIGIN}/app.js:{line}:7)\n"))
        .collect();
    CrashRecord {
        id: id.into(),
        step_index: step,
        repro_path: (1..=step).collect(),
        crash: Crash {
            kind,
            severity: kind.severity(),
            signature: Signature(format!("{kind}|TypeError|part {number}")),
            label: format!("TypeError: part {number} has no price @ add app.js:{number}"),
            stack: format!("TypeError: part {number} has no price\n{frames}"),
            count: 1,
            after_action: Some(u64::from(step)),
            place: Some(format!("{ORIGIN}/part/{step}")),
            at: Duration::from_secs(u64::from(step)),
            ends_path: false,
        },
    }
}

fn graph(size: &Size) -> StateGraph {
    let mut graph = StateGraph::new(PageIdentity::Shape, 8);
    for number in 0..size.pages {
        let info = PageInfo {
            summary: Some(format!("Things of part {number}")),
            at_ms: u64::from(number),
            ..PageInfo::default()
        };
        let open = [
            ElementKey("text:More".into()),
            ElementKey("text:Less".into()),
        ];
        graph.visit(&page(number), info, &open[..(number % 3) as usize]);
    }
    graph.set_launch_page(&page(0));
    for index in 1..size.steps {
        graph.record_edge(EdgeInfo {
            from: page(page_after(size, index)),
            replay: Replay::Tap {
                element_key: ElementKey(format!("role:button|Choose {index}")),
            },
            action: format!("tap button \"Choose {index}\""),
            to: page(page_after(size, index + 1)),
            at_ms: u64::from(index) * 1000,
            via_screenshot: false,
            late: false,
            failed: false,
            crashed: false,
        });
    }
    graph
}

fn outcome(size: &Size) -> Outcome {
    let crashes = (1..=size.crashes).map(|number| {
        let record = crash(size, number);
        CrashSummary {
            id: record.id,
            kind: record.crash.kind,
            signature: record.crash.signature,
            label: record.crash.label,
            step: record.step_index,
            count: 1,
            repro_path: record.repro_path,
        }
    });
    let unexplored = (0..size.pages).filter(|number| number % 3 > 0);
    Outcome {
        status: Status::Failed,
        reasons: Vec::new(),
        ended: Ended::MaxSteps,
        steps: size.steps,
        max_steps: size.steps,
        pages: size.pages as usize,
        edges: size.steps as usize,
        actions: size.steps,
        duration_ms: u64::from(size.steps) * 300,
        app_ms: u64::from(size.steps) * 1000,
        crashes: crashes.collect(),
        findings: BTreeMap::from([(CrashKind::ConsoleError, u64::from(size.findings))]),
        refused: BTreeMap::from([(
            "delete".into(),
            Refused {
                count: 2,
                examples: vec!["button \"Delete everything\"".into()],
            },
        )]),
        unexplored: unexplored
            .map(|number| Unexplored {
                page: page(number),
                summary: Some(format!("Things of part {number}")),
                reason: UnexploredReason::Budget,
                open_keys: vec![ElementKey("text:More".into())],
            })
            .collect(),
        foreign: vec!["http://elsewhere.test/".into()],
        blocked: Vec::new(),
        unsettled_steps: (1..=size.steps).filter(|step| step % 23 == 7).collect(),
        duplicates: 4,
        warnings: Vec::new(),
    }
}
