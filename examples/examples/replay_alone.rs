//! Replays a scenario over a driver of one's own: here a simulated app.
//!
//! `cargo run -p qa-examples --example replay_alone`

use futures_executor::block_on;
use qa_core::StopSignal;
use qa_redact::{Redactor, RedactorConfig};
use qa_replay::{ReplayOptions, ReplayPorts, load, markdown, replay};
use qa_sim::{Effect, Element, Screen, SimApp, SimDriver};

const SCENARIO: &str = r#"{
    "schemaVersion": 1,
    "meta": {"name": "fill the basket", "description": "", "driver": "android",
             "createdAt": "2026-11-30T08:00:00Z"},
    "target": {"launch": "com.example.basket"},
    "steps": [{
        "index": 1, "intent": "Put a lamp into the basket.",
        "action": {"kind": "click", "target": {"role": "button", "name": "Add"}},
        "assert": {"kind": "node-present", "expected": {"role": "text", "name": "1 lamps"}}
    }],
    "assertions": [{"kind": "node-present", "expected": {"name": "Add"}}]
}"#;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let scenario = load(SCENARIO.as_bytes())?;
    let home = Screen::new("home", "Basket")
        .with(Element::button(
            "add",
            "Add",
            [Effect::Add("lamps".into(), 1)],
        ))
        .with(Element::text("count", "{lamps} lamps"));
    let (mut driver, mut watch) =
        SimDriver::new(SimApp::new("com.example.basket", "home").screen(home));
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
    let redactor = Redactor::new(RedactorConfig::default())?;
    println!("{}", markdown(&report, &redactor));
    assert_eq!(report.status.as_str(), "pass");
    Ok(())
}
