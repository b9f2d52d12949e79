//! A small session with a crash, a finding and hostile texts.

use std::collections::BTreeMap;
use std::time::Duration;

use qa_core::{
    Back, BlockedHost, Capability, Clock, Crash, CrashKind, CrashRecord, CrashSummary, DriverInfo,
    EdgeInfo, ElementKey, Ended, ExploreConfig, Fingerprint, Image, Notice, Outcome, PageIdentity,
    PageInfo, Picture, Platform, Receipt, Refused, Replay, Settle, SettleRecord, Severity,
    Signature, StateGraph, Status, StepNotes, StepRecord, StepResult, Unexplored, UnexploredReason,
};
use qa_redact::{Redactor, RedactorConfig};
use qa_report::{Language, SessionStart, SessionWriter};

pub(crate) const ORIGIN: &str = "http://127.0.0.1:8000";

pub(crate) fn writer(root: &std::path::Path) -> SessionWriter {
    writer_in(root, Language::EnUs)
}

pub(crate) fn writer_in(root: &std::path::Path, language: Language) -> SessionWriter {
    writer_with_seed(root, language, 0)
}

pub(crate) fn writer_with_seed(
    root: &std::path::Path,
    language: Language,
    seed: u64,
) -> SessionWriter {
    started(language, seed, |start| {
        SessionWriter::create(root, start).unwrap()
    })
}

/// What is begun with the start of a session.
pub(crate) fn started<T>(
    language: Language,
    seed: u64,
    begin: impl FnOnce(SessionStart<'_>) -> T,
) -> T {
    let mut config = ExploreConfig::new(vec![ORIGIN.into()]);
    config.seed = seed;
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
        remarks: vec!["sandbox off: running as root".into()],
    };
    begin(SessionStart {
        name: "qa-shop",
        driver: &driver,
        config: &config,
        viewport: Some((40.0, 30.0)),
        arguments: &["--url=http://127.0.0.1:8000/".into(), "--seed=1".into()],
        language,
        redactor: redactor(),
    })
}

pub(crate) fn redactor() -> Redactor {
    let config = RedactorConfig {
        allowed_origins: vec![ORIGIN.into()],
        ..RedactorConfig::default()
    };
    Redactor::new(config).unwrap()
}

pub(crate) fn page(number: u32) -> Fingerprint {
    Fingerprint(format!("{number:012x}"))
}

/// A picture of one colour, twice as dense as its viewport, in which nothing is written.
pub(crate) fn picture(shade: u8) -> Picture {
    let pixels = image::RgbImage::from_pixel(80, 60, image::Rgb([shade, 90, 160]));
    let mut bytes = std::io::Cursor::new(Vec::new());
    pixels
        .write_to(&mut bytes, image::ImageFormat::Png)
        .unwrap();
    Picture {
        image: Image {
            extension: "png",
            bytes: bytes.into_inner(),
        },
        viewport: (40.0, 30.0),
        shown: Vec::new(),
        whole: true,
    }
}

pub(crate) fn step(index: u32, text: &str) -> StepRecord {
    let key = ElementKey("role:button|Add".into());
    StepRecord {
        index,
        action: format!("tap button {text}"),
        result: StepResult::Ok,
        notes: StepNotes {
            replay: Some(match index {
                1 => Replay::Launch,
                _ => Replay::Tap { element_key: key },
            }),
            page_from: (index > 1).then(|| page(index - 1)),
            page_to: Some(page(index)),
            url: Some(format!("{ORIGIN}/p{index}")),
            observation: Some(format!("seen {text}")),
            receipt: Some(Receipt::ok(u64::from(index))),
            settle: Some(SettleRecord {
                outcome: Settle::Changed,
                passes: 4,
                elapsed_ms: 900,
                clock: Clock::Virtual,
                widened: false,
                proven_early: false,
                ignored: vec![text.into()],
            }),
            notices: vec![Notice::Dialog {
                kind: "alert".into(),
                message: text.into(),
                accepted: true,
            }],
            touched: Some([10.0, 5.0, 8.0, 6.0]),
            app_ms: u64::from(index) * 1000,
            ..StepNotes::default()
        },
    }
}

pub(crate) fn crash(id: &str, step: u32, text: &str) -> CrashRecord {
    let finding = id.starts_with('f');
    let kind = if finding {
        CrashKind::ConsoleError
    } else {
        CrashKind::JsException
    };
    CrashRecord {
        id: id.into(),
        step_index: step,
        repro_path: (1..=step).collect(),
        crash: Crash {
            kind,
            severity: if finding {
                Severity::Finding
            } else {
                Severity::Crash
            },
            signature: Signature(format!("js-exception|TypeError|{text}")),
            label: format!("TypeError: {text}"),
            stack: format!("TypeError: {text}\n    at add (app.js:3:7)\n\nconsole: none"),
            count: 2,
            after_action: Some(u64::from(step)),
            place: Some(format!("{ORIGIN}/p{step}")),
            at: Duration::from_millis(2500),
            ends_path: false,
        },
    }
}

pub(crate) fn graph(text: &str) -> StateGraph {
    let mut graph = StateGraph::new(PageIdentity::Shape, 8);
    for number in 1..=3 {
        let info = PageInfo {
            summary: Some(format!("page {text}")),
            at_ms: u64::from(number),
            ..PageInfo::default()
        };
        graph.visit(&page(number), info, &[ElementKey(format!("text:{text}"))]);
    }
    graph.set_launch_page(&page(1));
    for (from, to) in [(1, 2), (2, 3), (3, 1)] {
        graph.record_edge(EdgeInfo {
            from: page(from),
            replay: Replay::Tap {
                element_key: ElementKey("role:button|Add".into()),
            },
            action: format!("tap {text}"),
            to: page(to),
            at_ms: 5,
            via_screenshot: false,
            late: false,
            failed: false,
            crashed: true,
        });
    }
    graph
}

pub(crate) fn outcome(text: &str) -> Outcome {
    let crash = crash("c1", 3, text);
    Outcome {
        status: Status::Failed,
        reasons: Vec::new(),
        ended: Ended::MaxSteps,
        steps: 3,
        max_steps: 30,
        pages: 3,
        edges: 3,
        actions: 2,
        duration_ms: 4200,
        app_ms: 3000,
        crashes: vec![CrashSummary {
            id: "c1".into(),
            kind: crash.crash.kind,
            signature: crash.crash.signature,
            label: crash.crash.label,
            step: 3,
            count: 5,
            repro_path: vec![1, 2, 3],
        }],
        findings: BTreeMap::from([(CrashKind::ConsoleError, 1)]),
        refused: BTreeMap::from([(
            "delete".into(),
            Refused {
                count: 2,
                examples: vec![format!("button {text}")],
            },
        )]),
        unexplored: vec![Unexplored {
            page: page(2),
            summary: Some(format!("page {text}")),
            reason: UnexploredReason::Budget,
            open_keys: vec![ElementKey(format!("text:{text}"))],
        }],
        foreign: vec![format!("elsewhere {text}")],
        blocked: vec![BlockedHost {
            host: format!("cdn.test {text}"),
            requests: 7,
        }],
        unsettled_steps: vec![2],
        duplicates: 4,
        warnings: Vec::new(),
    }
}

/// A whole session whose every text is `text`.
pub(crate) fn session(root: &std::path::Path, text: &str) -> SessionWriter {
    filled(writer(root), text)
}

/// The records of a whole session.
pub(crate) fn filled(mut writer: SessionWriter, text: &str) -> SessionWriter {
    use qa_core::Archive as _;
    for index in 1..=3_u8 {
        let (before, after) = (picture(index * 20), picture(index * 20 + 20));
        let before = (index > 1).then_some(&before);
        writer
            .step(&step(index.into(), text), before, Some(&after))
            .unwrap();
        writer.graph(&graph(text)).unwrap();
    }
    writer.crash(&crash("c1", 3, text)).unwrap();
    writer.finding(&crash("f1", 2, text)).unwrap();
    writer
}
