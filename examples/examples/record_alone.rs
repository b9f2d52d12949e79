//! Records what an agent does with a driver of one's own, makes a scenario of it and replays that:
//! here with a simulated app.
//!
//! `cargo run -p qa-examples --example record_alone`

use futures_executor::block_on;
use qa_core::{
    Action, Assertion, Awaited, Claim, Driver, DriverError, ElementKey, Observation,
    ObserveRequest, Predicate, SettlePolicy, StopSignal, Target, settle,
};
use qa_redact::{Redactor, RedactorConfig};
use qa_replay::{About, Echo, Recorder, ReplayOptions, ReplayPorts, replay};
use qa_sim::{Effect, Element, Screen, SimApp, SimDriver};

fn app() -> SimApp {
    let home = Screen::new("home", "Basket")
        .with(Element::button(
            "add",
            "Add",
            [Effect::Add("lamps".into(), 1)],
        ))
        .with(Element::text("count", "{lamps} lamps"));
    SimApp::new("com.example.basket", "home").screen(home)
}

/// What an agent does, on whatever driver it is given.
async fn put_a_lamp_into_the_basket(driver: &mut dyn Driver) -> Result<(), DriverError> {
    const POLICY: SettlePolicy = SettlePolicy::PROVE;
    const LOOK: ObserveRequest = ObserveRequest::JUDGING;
    let mut may_widen = true;
    driver.launch().await?;
    let start = settle(driver, &POLICY, &Awaited::default(), LOOK, &mut may_widen).await?;
    let nodes = start.view.nodes.iter();
    for node in nodes.filter(|node| node.name == "Add") {
        let target = Target {
            node_ref: node.node_ref.clone(),
            key: ElementKey::of(start.view.platform, node),
        };
        let action = Action::Tap { target };
        // What an element shows of what was done to it is not what came of it.
        let echo = Echo::of(&action, &start.view);
        let without_echo = |view: &Observation| echo.without(view);
        let awaited = Awaited {
            before: Some(without_echo(&start.view)),
            without_echo: Some(&without_echo),
            is_proven: None,
        };
        driver.act(&action).await?;
        settle(driver, &POLICY, &awaited, LOOK, &mut may_widen).await?;
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let redactor = Redactor::new(RedactorConfig::default())?;
    let mut recorder = Recorder::new(SimDriver::new(app()).0, SettlePolicy::PROVE, redactor);
    block_on(put_a_lamp_into_the_basket(&mut recorder))?;
    // What the agent holds to be so, and what is seen to be so, stands at the scenario's end.
    let judgement = recorder.claim(Assertion {
        claim: Claim::NodePresent(Predicate {
            name: Some("1 lamps".into()),
            ..Predicate::default()
        }),
        description: None,
        scope: None,
    });
    println!("claimed: {judgement:?}");
    let exported = recorder.export(About {
        name: "fill the basket",
        description: "recorded",
        created_at: "2026-11-30T08:00:00Z",
    });
    println!(
        "recorded {:?}, left out {:?}",
        recorder.trajectory(),
        exported.excluded
    );
    let scenario = exported.scenario.ok_or("nothing was proven")?;
    println!("{}", serde_json::to_string_pretty(&scenario)?);

    let (mut driver, mut watch) = SimDriver::new(app());
    let ports = ReplayPorts {
        driver: &mut driver,
        watch: &mut watch,
        stop: &StopSignal::default(),
    };
    let options = ReplayOptions {
        started_at: "2026-11-30T08:00:00Z".into(),
        strict_uniqueness: false,
        fail_on_crash: true,
        ..ReplayOptions::default()
    };
    let report = block_on(replay(&scenario, ports, &options));
    println!("replayed: {}", report.status.as_str());
    assert_eq!(report.status.as_str(), "pass");
    Ok(())
}
