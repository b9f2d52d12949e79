//! One replay against a simulated app.

use futures_executor::block_on;
use qa_core::{Driver, StopSignal};
use qa_replay::{ReplayOptions, ReplayPorts, RunReport, Scenario, load, replay};
use qa_sim::{SimApp, SimDriver, SimProbe, SimWatch};
use serde_json::{Value, json};

/// A scenario of these steps and final claims.
pub(crate) fn scenario(steps: &[Value], assertions: &[Value]) -> Scenario {
    let steps: Vec<Value> = steps
        .iter()
        .zip(1..)
        .map(|(step, index)| {
            let mut step = step.clone();
            step["index"] = index.into();
            step["intent"] = "Do it.".into();
            step
        })
        .collect();
    let file = json!({
        "schemaVersion": 1,
        "meta": {
            "name": "test", "description": "", "driver": "android",
            "createdAt": "2026-11-30T08:00:00Z",
        },
        "target": {"launch": "com.example.app"},
        "steps": steps,
        "assertions": assertions,
    });
    load(file.to_string().as_bytes()).unwrap()
}

/// Taps something by its name; then something must be there.
pub(crate) fn tap(name: &str, then: &Value) -> Value {
    json!({"action": {"kind": "click", "target": {"name": name}}, "assert": then})
}

pub(crate) fn present(role: &str, name: &str) -> Value {
    json!({"kind": "node-present", "expected": {"role": role, "name": name}})
}

pub(crate) fn absent(role: &str, name: &str) -> Value {
    json!({"kind": "node-absent", "expected": {"role": role, "name": name}})
}

pub(crate) fn run(app: SimApp, scenario: &Scenario) -> (RunReport, SimProbe) {
    let (mut driver, watch) = SimDriver::new(app);
    let probe = driver.probe();
    (run_on(&mut driver, watch, scenario), probe)
}

pub(crate) fn run_on(driver: &mut dyn Driver, watch: SimWatch, scenario: &Scenario) -> RunReport {
    let options = ReplayOptions {
        started_at: "2026-11-30T08:00:00Z".into(),
        strict_uniqueness: false,
        fail_on_crash: true,
        ..ReplayOptions::default()
    };
    run_with(driver, watch, scenario, &options)
}

pub(crate) fn run_with(
    driver: &mut dyn Driver,
    mut watch: SimWatch,
    scenario: &Scenario,
    options: &ReplayOptions,
) -> RunReport {
    let ports = ReplayPorts {
        driver,
        watch: &mut watch,
        stop: &StopSignal::default(),
    };
    block_on(replay(scenario, ports, options))
}
