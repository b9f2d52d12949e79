//! What an agent does with a driver becomes a scenario.

use std::time::Duration;

use futures_executor::block_on;
use proptest::prelude::*;
use qa_core::{
    Action, Awaited, Driver, ElementKey, Observation, ObserveRequest, Projection, SettlePolicy,
    Settled, Target, Verdict, settle,
};
use qa_redact::{Redactor, RedactorConfig, Secret};
use qa_replay::{
    About, Action as Replayed, Assertion, Claim, Echo, Exported, Predicate, Recorder, RunStatus,
    Valued, load,
};
use qa_sim::{Effect, Element, Screen, SimApp, SimDriver, demo_shop};
use serde_json::json;

use crate::play::run;

const SECRET: &str = "tulip77kestrel";

fn basket() -> SimApp {
    let home = Screen::new("home", "Basket")
        .with(Element::button(
            "add",
            "Add",
            [Effect::Add("lamps".into(), 1)],
        ))
        .with(Element::button(
            "late",
            "Add later",
            [Effect::After(900, vec![Effect::Add("lamps".into(), 1)])],
        ))
        .with(Element::button("idle", "Do nothing", []))
        .with(Element::field("note", "Note", "text", false))
        .with(Element::text("count", "{lamps} lamps"));
    SimApp::new("com.example.app", "home").screen(home)
}

/// Somebody who acts and looks as an agent does.
struct Agent<D> {
    driver: D,
    view: Observation,
    may_widen: bool,
}

impl<D: Driver> Agent<D> {
    fn begin(mut driver: D) -> Self {
        block_on(driver.launch()).unwrap();
        let mut may_widen = true;
        let rested = rest(&mut driver, &Awaited::default(), &mut may_widen);
        Self {
            driver,
            view: rested.view,
            may_widen,
        }
    }

    fn target(&self, name: &str) -> Target {
        let mut nodes = self.view.nodes.iter();
        let node = nodes.find(|node| node.name == name).unwrap();
        Target {
            node_ref: node.node_ref.clone(),
            key: ElementKey::of(self.view.platform, node),
        }
    }

    fn act(&mut self, action: &Action) {
        let echo = Echo::of(action, &self.view);
        let without_echo = |view: &Observation| echo.without(view);
        let awaited = Awaited {
            before: Some(without_echo(&self.view)),
            without_echo: Some(&without_echo),
            is_proven: None,
        };
        block_on(self.driver.act(action)).unwrap();
        self.view = rest(&mut self.driver, &awaited, &mut self.may_widen).view;
    }

    fn tap(&mut self, name: &str) {
        let target = self.target(name);
        self.act(&Action::Tap { target });
    }

    fn fill(&mut self, name: &str, text: &str) {
        let target = self.target(name);
        let text = text.into();
        self.act(&Action::Fill { target, text });
    }
}

fn rest(driver: &mut dyn Driver, awaited: &Awaited<'_>, may_widen: &mut bool) -> Settled {
    let request = ObserveRequest::JUDGING;
    block_on(settle(
        driver,
        &SettlePolicy::PROVE,
        awaited,
        request,
        may_widen,
    ))
    .unwrap()
}

fn recorder(app: SimApp) -> Recorder<SimDriver> {
    let redactor = Redactor::new(RedactorConfig {
        secrets: vec![Secret::new(SECRET)],
        ..RedactorConfig::default()
    });
    Recorder::new(
        SimDriver::new(app).0,
        SettlePolicy::PROVE,
        redactor.unwrap(),
    )
}

fn exported(agent: &mut Agent<Recorder<SimDriver>>) -> Exported {
    agent.driver.export(About {
        name: "a session",
        description: "",
        created_at: "2026-11-30T08:00:00Z",
    })
}

fn claim(claim: Claim) -> Assertion {
    Assertion {
        claim,
        description: None,
        scope: None,
    }
}

fn named(role: &str, name: &str) -> Predicate {
    Predicate {
        role: Some(role.into()),
        name: Some(name.into()),
        ..Predicate::default()
    }
}

fn reasons(exported: &Exported) -> Vec<(&str, &str)> {
    let excluded = exported.excluded.iter();
    excluded
        .map(|one| (one.action_id.as_str(), one.reason))
        .collect()
}

// REP-103, REP-106, REP-112, REP-117
#[test]
fn a_session_becomes_a_scenario_that_passes() {
    let mut agent = Agent::begin(recorder(basket()));
    agent.tap("Add");
    agent.fill("Note", "for the hall");
    agent.tap("Add later");
    let two = claim(Claim::NodePresent(named("text", "2 lamps")));
    assert!(agent.driver.claim(two.clone()).is_some());
    let three = claim(Claim::NodePresent(named("text", "3 lamps")));
    assert!(agent.driver.claim(three).is_some());

    let exported = exported(&mut agent);
    assert_eq!(
        (reasons(&exported), &exported.excluded_assertions[..]),
        (vec![], &[][..])
    );
    let scenario = exported.scenario.unwrap();
    assert_eq!(scenario.target.launch, "com.example.app");
    assert_eq!(scenario.meta.settle, None);
    // REP-121
    let Replayed::Click { target } = &scenario.steps[0].action else {
        panic!("{:?}", scenario.steps[0])
    };
    assert_eq!(target.role.as_deref(), Some("button"));
    assert!(target.identifier.is_some(), "{target:?}");
    let proofs: Vec<&Claim> = scenario
        .steps
        .iter()
        .map(|step| &step.assert.claim)
        .collect();
    let note = Claim::NodeValue(Valued {
        node: named("textbox", "Note"),
        value: "for the hall".into(),
    });
    assert_eq!(proofs[1..], [&note, &two.claim]);
    assert_eq!(scenario.assertions, [two]);

    let (report, probe) = run(basket(), &scenario);
    assert_eq!(report.status, RunStatus::Pass, "{report:#?}");
    assert_eq!(probe.counter("lamps"), 2);
    // The app that does less is not green.
    let broken = SimApp::new("com.example.app", "home").screen(
        Screen::new("home", "Basket")
            .with(Element::button("add", "Add", []))
            .with(Element::text("count", "0 lamps")),
    );
    assert_eq!(run(broken, &scenario).0.status, RunStatus::Fail);
}

// REP-042, REP-108, REP-109, REP-114, REP-INV-21
#[test]
fn what_was_not_proven_or_must_not_be_kept_is_left_out_with_its_reason() {
    let mut agent = Agent::begin(recorder(basket()));
    agent.fill("Note", SECRET);
    agent.tap("Do nothing");
    // Looked at once, and never until it was at rest.
    let target = agent.target("Add");
    block_on(agent.driver.act(&Action::Tap { target })).unwrap();
    let request = ObserveRequest::JUDGING;
    block_on(agent.driver.observe(ObserveRequest {
        thorough: false,
        ..request
    }))
    .unwrap();
    let one = || claim(Claim::NodePresent(named("text", "1 lamps")));
    assert_eq!(agent.driver.claim(one()), None);
    agent.tap("Add");
    let exported = exported(&mut agent);
    assert_eq!(
        reasons(&exported),
        [
            ("action-1", "ACTION_PAYLOAD_REDACTED"),
            ("action-2", "ASSERTION_NOT_PROVABLE"),
            ("action-3", "ASSERTION_NOT_PROVABLE"),
        ]
    );
    assert_eq!(exported.scenario.unwrap().steps.len(), 1);
    let trajectory = agent.driver.trajectory();
    assert_eq!((trajectory.actions, trajectory.evidence_references), (4, 0));
    assert_eq!(trajectory.events, 4 + trajectory.observations);
}

// REP-117
#[test]
fn a_claim_on_the_way_is_the_proof_of_its_step_or_is_named() {
    let mut agent = Agent::begin(recorder(basket()));
    let add = || claim(Claim::NodePresent(named("button", "Add")));
    agent.driver.claim(add());
    agent.tap("Add");
    // It held before as well.
    agent.driver.claim(add());
    agent.tap("Add");
    let exported = exported(&mut agent);
    let unsaid = exported.excluded_assertions.iter();
    let unsaid: Vec<&str> = unsaid.map(|claim| claim.reason).collect();
    assert_eq!(unsaid, ["CLAIM_NOT_AT_THE_END"; 2]);
    let scenario = exported.scenario.unwrap();
    assert_eq!(scenario.assertions, [scenario.steps[1].assert.clone()]);
}

// REP-037, REP-043: what comes late is claimed once it is there, and a replay waits for it.
#[test]
fn what_came_later_is_what_an_agent_saw_last() {
    let app = || {
        let add = Effect::After(4_000, vec![Effect::Add("lamps".into(), 1)]);
        let home = Screen::new("home", "Basket")
            .with(Element::button("add", "Add", [add]))
            .with(Element::text("count", "{lamps} lamps"));
        SimApp::new("com.example.app", "home").screen(home)
    };
    let mut agent = Agent::begin(recorder(app()));
    agent.tap("Add");
    let one = || claim(Claim::NodePresent(named("text", "1 lamps")));
    let refuted = agent.driver.claim(one()).unwrap();
    assert_eq!(refuted.verdict, Verdict::Fail);
    block_on(agent.driver.advance(Duration::from_secs(3))).unwrap();
    // Nobody has seen that it is at rest again.
    let _ = block_on(agent.driver.observe(ObserveRequest {
        thorough: false,
        ..ObserveRequest::JUDGING
    }));
    assert_eq!(agent.driver.claim(one()), None);
    rest(&mut agent.driver, &Awaited::default(), &mut agent.may_widen);
    assert_eq!(agent.driver.claim(one()).unwrap().verdict, Verdict::Pass);
    let scenario = exported(&mut agent).scenario.unwrap();
    assert_eq!(scenario.assertions, [one()]);
    assert_eq!(run(app(), &scenario).0.status, RunStatus::Pass);
}

// REP-108: a scenario has one start.
#[test]
fn what_was_done_before_a_new_start_is_left_out() {
    let mut agent = Agent::begin(recorder(basket()));
    agent.tap("Add");
    let mut agent = Agent::begin(agent.driver);
    agent.tap("Add");
    let exported = exported(&mut agent);
    assert_eq!(
        reasons(&exported),
        [("action-1", "UNSUPPORTED_REPLAY_ACTION")]
    );
    let (report, _) = run(basket(), &exported.scenario.unwrap());
    assert_eq!(report.status, RunStatus::Pass);
}

// REP-112, REP-TRAP-03
#[test]
fn what_a_field_shows_of_what_was_typed_is_no_change() {
    let mut agent = Agent::begin(recorder(basket()));
    let action = Action::Fill {
        target: agent.target("Note"),
        text: "for the hall".into(),
    };
    block_on(agent.driver.act(&action)).unwrap();
    // Somebody takes it for one, and does not wait until nothing more can come.
    let awaited = Awaited {
        before: Some(Projection::of(&agent.view)),
        ..Awaited::default()
    };
    agent.view = rest(&mut agent.driver, &awaited, &mut agent.may_widen).view;
    agent.tap("Add");
    let exported = exported(&mut agent);
    assert_eq!(reasons(&exported), [("action-1", "ASSERTION_NOT_PROVABLE")]);
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(24)
    })]

    // REP-103, REP-104, REP-INV-20, REP-INV-21, REP-INV-22: whatever an agent does, recording it
    // changes nothing, and what comes of it loads and says nothing of that one session.
    #[test]
    fn recording_changes_nothing_and_keeps_only_what_lasts(
        picks in proptest::collection::vec(any::<prop::sample::Index>(), 1..8),
    ) {
        let mut plain = Agent::begin(SimDriver::new(demo_shop()).0);
        let mut recorded = Agent::begin(recorder(demo_shop()));
        let mut acted = 0;
        for pick in picks {
            prop_assert_eq!(&plain.view, &recorded.view);
            let nodes = plain.view.nodes.iter();
            let taps: Vec<String> = nodes
                .filter(|node| node.flags.actionable && !node.flags.editable)
                .map(|node| node.name.clone())
                .collect();
            if taps.is_empty() {
                break;
            }
            let name = &taps[pick.index(taps.len())];
            let action = Action::Tap { target: plain.target(name) };
            let answers = (
                block_on(plain.driver.act(&action)),
                block_on(recorded.driver.act(&action)),
            );
            prop_assert_eq!(&answers.0, &answers.1);
            acted += 1;
            // An app that broke is not looked at any more.
            let request = ObserveRequest::JUDGING;
            let policy = SettlePolicy::PROVE;
            let awaited = Awaited {
                before: Some(Projection::of(&plain.view)),
                ..Awaited::default()
            };
            let seen = (
                block_on(settle(&mut plain.driver, &policy, &awaited, request, &mut plain.may_widen)),
                block_on(settle(&mut recorded.driver, &policy, &awaited, request, &mut recorded.may_widen)),
            );
            let (Ok(one), Ok(other)) = seen else { break };
            prop_assert_eq!(&one.view, &other.view);
            (plain.view, recorded.view) = (one.view, other.view);
        }
        let exported = exported(&mut recorded);
        let steps = exported.scenario.as_ref().map_or(0, |scenario| scenario.steps.len());
        prop_assert_eq!(steps + exported.excluded.len(), acted);
        let written = json!(exported.scenario).to_string();
        if let Some(scenario) = &exported.scenario {
            prop_assert_eq!(&load(written.as_bytes()).unwrap(), scenario);
        }
        for node in &recorded.view.nodes {
            let quoted = format!("\"{}\"", node.node_ref);
            prop_assert!(!written.contains(&quoted), "{}", written);
        }
    }
}
