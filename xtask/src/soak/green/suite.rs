//! The scenarios: exported from an exploration and from walks, and a few made by hand for what an
//! export cannot say yet. Each one passes on the sound shop, and the witness agrees.

use std::collections::{BTreeSet, HashSet};
use std::path::Path;

use qa_core::{
    Blocklist, Boundary, ElementKey, ExploreConfig, Platform, Ports, Replay, Silent, StepRecord,
    StepResult, StopSignal, explore,
};
use qa_redact::{Redactor, RedactorConfig};
use qa_replay::{
    About, Action, DriverWord, Export, Missing, Scenario, Walk, export, load, retrace,
    shortest_route,
};
use qa_sim::MemoryArchive;
use serde_json::Value;

use super::super::random::Random;
use super::mutation::Mutation;
use super::part::{Part, parts};
use super::play::play;
use super::worker::{Crew, Stand};
use crate::failure::Failure;

/// A scenario that passes on the sound shop.
#[derive(Debug, Clone)]
pub(super) struct Sound {
    pub(super) scenario: Scenario,
    /// What it touches.
    pub(super) parts: Vec<Part>,
    /// The calls of the app's interface that it leads to.
    pub(super) calls: Vec<String>,
}

impl Sound {
    pub(super) fn name(&self) -> &str {
        &self.scenario.meta.name
    }
}

/// How large a suite.
#[derive(Debug, Clone, Copy)]
pub(super) struct Size {
    /// Steps of the exploration; none is made if 0.
    pub(super) explored_steps: u32,
    /// Scenarios that are taken from it at most.
    pub(super) explored: usize,
    /// Walks that are taken.
    pub(super) walks: usize,
    /// Scenarios made by hand that are taken.
    pub(super) by_hand: usize,
}

/// Makes a suite, and proves each scenario on the sound shop.
pub(super) fn make(crew: &Crew, size: Size, seed: u64) -> Result<Vec<Sound>, Failure> {
    let walks = walks().into_iter().take(size.walks).map(|(name, walk)| {
        let launched = std::iter::once(Replay::Launch).chain(walk).collect();
        (format!("walk: {name}"), launched)
    });
    let walks: Vec<(String, Vec<Replay>)> = walks.collect();
    let mut suite = Vec::new();
    for exported in crew.each(&walks, exported)? {
        let (name, sound) = exported;
        suite.push(sound.ok_or_else(|| broken(&name))?);
    }
    let by_hand: Vec<Scenario> = by_hand()?.into_iter().take(size.by_hand).collect();
    for proven in crew.each(&by_hand, proven)? {
        let (name, proven) = proven;
        suite.push(proven.map_err(|why| Failure::failed(format!("{}: {why}", broken(&name))))?);
    }
    if size.explored_steps > 0 {
        let steps = crew.one(async |stand| explored(stand, size.explored_steps, seed).await)?;
        let mut ways = ways(&steps, seed);
        let mut known: HashSet<String> = suite.iter().filter_map(last_action).collect();
        eprintln!("exploring: {} steps, {} ways", steps.len(), ways.len());
        // In portions, so that no more are done again than are needed.
        let mut taken = 0;
        while taken < size.explored && !ways.is_empty() {
            let portion: Vec<_> = ways.drain(..ways.len().min(8)).collect();
            for (name, sound) in crew.each(&portion, exported)? {
                match sound {
                    Some(sound) if taken < size.explored => {
                        if last_action(&sound).is_some_and(|action| known.insert(action)) {
                            taken += 1;
                            suite.push(sound);
                        }
                    }
                    Some(_) => {}
                    None => eprintln!("not taken: {name}"),
                }
            }
        }
    }
    Ok(suite)
}

fn broken(name: &str) -> Failure {
    Failure::failed(format!(
        "the suite is broken: {name:?} does not pass on the sound shop"
    ))
}

/// Reads a suite that was kept, and proves it again.
pub(super) fn read(crew: &Crew, dir: &Path) -> Result<Vec<Sound>, Failure> {
    let mut files: Vec<_> = dir
        .read_dir()?
        .flatten()
        .map(|entry| entry.path())
        .collect();
    files.sort();
    let mut scenarios = Vec::new();
    for file in files {
        let scenario = load(&std::fs::read(&file)?)
            .map_err(|error| Failure::failed(format!("{}: {error}", file.display())))?;
        scenarios.push(scenario);
    }
    let mut suite = Vec::new();
    for (name, proven) in crew.each(&scenarios, proven)? {
        suite.push(proven.map_err(|why| Failure::failed(format!("{}: {why}", broken(&name))))?);
    }
    Ok(suite)
}

/// Keeps a suite, for [`read`].
pub(super) fn keep(suite: &[Sound], dir: &Path) -> Result<(), Failure> {
    if dir.exists() {
        std::fs::remove_dir_all(dir)?;
    }
    std::fs::create_dir_all(dir)?;
    for (number, sound) in (1..).zip(suite) {
        let text = serde_json::to_string_pretty(&sound.scenario)
            .map_err(|error| Failure::internal(error.to_string()))?;
        std::fs::write(dir.join(format!("{number:03}.json")), text)?;
    }
    Ok(())
}

/// Explores the sound shop.
async fn explored(stand: &Stand, max_steps: u32, seed: u64) -> Result<Vec<StepRecord>, Failure> {
    let server = &stand.server;
    server.change(Mutation::none().change());
    let (mut driver, mut watch) = stand.browser().await?;
    let mut config = ExploreConfig::new(vec![server.url().to_owned()]);
    config.max_steps = max_steps;
    config.seed = seed;
    let mut archive = MemoryArchive::default();
    let ports = Ports {
        driver: &mut driver,
        watch: &mut watch,
        archive: &mut archive,
        progress: &mut Silent,
        stop: &StopSignal::default(),
    };
    explore(&config, ports).await;
    Ok(archive.steps)
}

/// The shortest ways to what was tried, one for each element, the long ones among them first.
fn ways(steps: &[StepRecord], seed: u64) -> Vec<(String, Vec<Replay>)> {
    const MOST: usize = 7;
    let mut seen = BTreeSet::new();
    let mut ways = Vec::new();
    for step in steps.iter().filter(|step| step.result == StepResult::Ok) {
        let key = match &step.notes.replay {
            Some(Replay::Tap { element_key } | Replay::Select { element_key, .. }) => element_key,
            Some(Replay::PressKey {
                element_key: Some(key),
                ..
            }) => key,
            _ => continue,
        };
        if !seen.insert((step.notes.page_from.clone(), key.clone())) {
            continue;
        }
        let Some(route) = shortest_route(steps, step.index) else {
            continue;
        };
        let way: Vec<Replay> = route
            .iter()
            .filter_map(|index| steps.get(*index as usize - 1)?.notes.replay.clone())
            .collect();
        if (3..=MOST).contains(&way.len()) {
            ways.push((format!("explored: to step {}, {key}", step.index), way));
        }
    }
    Random::new(seed).shuffle(&mut ways);
    ways.sort_by_key(|(_, way)| std::cmp::Reverse(way.len()));
    ways
}

/// Does steps again and exports them; nothing if that gives no whole scenario that passes.
async fn exported(
    stand: &Stand,
    (name, steps): &(String, Vec<Replay>),
) -> Result<(String, Option<Sound>), Failure> {
    let server = &stand.server;
    server.change(Mutation::none().change());
    let (mut driver, mut watch) = stand.browser().await?;
    let boundary = Boundary::new(Platform::Web, vec![server.url().to_owned()]);
    let walk = Walk {
        missing: Missing::Skip,
        patient: true,
        boundary: &boundary,
        blocklist: &Blocklist::default(),
    };
    let retraced = retrace(steps, walk, &mut driver, &mut watch).await;
    stand.keep((driver, watch));
    let Ok(retraced) = retraced else {
        return Ok((name.clone(), None));
    };
    let redactor = Redactor::new(RedactorConfig {
        allowed_origins: vec![server.url().to_owned()],
        ..RedactorConfig::default()
    })
    .map_err(|error| Failure::internal(error.to_string()))?;
    let made = export(
        &retraced.events,
        &Export {
            about: About {
                name,
                description: "",
                created_at: "2026-11-30T08:00:00Z",
            },
            driver: DriverWord::Browser,
            launch: &format!("{}/", server.url()),
            boundary: &boundary,
            settle: None,
            keep_unproven: false,
            redactor: &redactor,
        },
    );
    for excluded in &made.excluded {
        eprintln!("{name}: {} {}", excluded.action_id, excluded.reason);
    }
    let Some(scenario) = made.scenario.filter(|_| made.excluded.is_empty()) else {
        return Ok((name.clone(), None));
    };
    let (name, proven) = proven(stand, &scenario).await?;
    if let Err(why) = &proven {
        eprintln!("{name}: exported, and on the sound shop: {why}");
    }
    Ok((name, proven.ok()))
}

/// Replays a scenario on the sound shop; says why not, if it does not pass or the witness does not
/// agree.
async fn proven(
    stand: &Stand,
    scenario: &Scenario,
) -> Result<(String, Result<Sound, String>), Failure> {
    let before = stand.server.hits();
    let played = play(scenario, &Mutation::none(), stand).await?;
    let name = scenario.meta.name.clone();
    if !played.passed() {
        return Ok((name, Err(played.why())));
    }
    if let Some(doubt) = played.testimony.refutes(scenario) {
        return Ok((name, Err(format!("the witness says that {doubt}"))));
    }
    let calls = stand.server.hits().into_iter().filter_map(|(call, count)| {
        let is_ours = call.contains(" /api/") && !call.contains("/api/trap/");
        (is_ours && before.get(&call) != Some(&count)).then_some(call)
    });
    Ok((
        name,
        Ok(Sound {
            parts: parts(scenario),
            calls: calls.collect(),
            scenario: scenario.clone(),
        }),
    ))
}

/// What a scenario does last, to tell two from each other.
fn last_action(sound: &Sound) -> Option<String> {
    let step = sound.scenario.steps.last()?;
    Some(match &step.action {
        Action::Click { target } => format!("click {:?}", target.name),
        other => format!("{other:?}"),
    })
}

fn by_hand() -> Result<Vec<Scenario>, Failure> {
    let unreadable = |error: String| Failure::internal(format!("hand.json: {error}"));
    let list: Vec<Value> = serde_json::from_str(include_str!("hand.json"))
        .map_err(|error| unreadable(error.to_string()))?;
    let scenarios = list.iter().map(|scenario| {
        load(scenario.to_string().as_bytes()).map_err(|error| unreadable(error.to_string()))
    });
    scenarios.collect()
}

/// Ways through the shop that an exploration seldom goes.
fn walks() -> Vec<(&'static str, Vec<Replay>)> {
    let tap = |key: &str| Replay::Tap {
        element_key: ElementKey(key.into()),
    };
    let fill = |key: &str, text: &str| Replay::InputText {
        element_key: ElementKey(key.into()),
        input_value: Some(text.into()),
        input_redacted: false,
    };
    let enter = |key: &str| Replay::PressKey {
        element_key: Some(ElementKey(key.into())),
        key: "Enter".into(),
    };
    let more = || tap("role:link|More");
    vec![
        (
            "a lamp into the cart",
            vec![
                tap("role:link|Copper Desk Lamp"),
                tap("testid:add-to-cart"),
                tap("testid:view-cart"),
            ],
        ),
        (
            "another name",
            vec![
                more(),
                tap("role:link|Settings"),
                tap("id:edit-profile"),
                fill("role:textbox|Nickname", "Robin"),
                tap("role:button|Keep name"),
            ],
        ),
        (
            "a search",
            vec![fill("id:search", "lantern"), enter("id:search")],
        ),
        (
            "a gift from a closed shadow root",
            vec![
                more(),
                tap("role:link|Gift finder"),
                tap("role:button|Surprise me"),
            ],
        ),
        (
            "compare",
            vec![tap("role:link|Desk"), tap("role:button|Compare all")],
        ),
        (
            "a room in a frame",
            vec![more(), tap("role:link|Workshop"), tap("id:seat-plan")],
        ),
        (
            "a letter",
            vec![
                more(),
                tap("role:link|Newsletter"),
                fill("role:textbox|First name", "Robin"),
            ],
        ),
        (
            "stock",
            vec![tap("role:link|Glass Carafe"), tap("id:check-stock")],
        ),
        (
            "no help",
            vec![more(), tap("role:link|Help"), tap("id:helpful-no")],
        ),
        (
            "a note",
            vec![
                tap("role:link|Oak Bookend"),
                tap("testid:add-to-cart"),
                tap("testid:view-cart"),
                fill("id:delivery-note", "Ring twice"),
            ],
        ),
        (
            "saved for later",
            vec![
                tap("role:link|Linen Notebook"),
                tap("testid:save-for-later"),
                tap("role:link|Saved"),
            ],
        ),
    ]
}
