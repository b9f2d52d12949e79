//! Explores something that is neither a phone nor a browser: a coffee machine with a panel of
//! buttons, behind a driver of one's own. The engine learns nothing of it but nodes.
//!
//! Run it with `cargo run -p qa-examples --example own_driver`.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use qa_core::{
    Action, Advanced, Back, Capability, Clock, Completeness, Coverage, Crash, CrashKind,
    CrashRecord, CrashWatch, Driver, DriverError, DriverInfo, ExploreConfig, Flags, Image, Node,
    NodeRef, Notice, Observation, ObserveRequest, Platform, Ports, Progress, Receipt,
    ReceiptStatus, Signature, StepRecord, StopSignal, WatchError, WatchState, explore,
};
use qa_sim::MemoryArchive;

const NAME: &str = "org.example.coffee";

/// The machine. Brewing without water jams it.
#[derive(Debug, Default)]
struct Machine {
    is_on: bool,
    water: u32,
    cups: u32,
    jammed: bool,
    actions: u64,
    now: Duration,
}

impl Machine {
    fn buttons(&self) -> Vec<&'static str> {
        if self.is_on {
            vec!["Brew", "Fill water", "Switch off"]
        } else {
            vec!["Switch on"]
        }
    }

    fn press(&mut self, button: &str) {
        match button {
            "Switch on" => self.is_on = true,
            "Switch off" => self.is_on = false,
            "Fill water" => self.water += 1,
            "Brew" if self.water == 0 => self.jammed = true,
            "Brew" => {
                self.water -= 1;
                self.cups += 1;
            }
            _ => {}
        }
    }
}

type Shared = Arc<Mutex<Machine>>;

fn with<T>(machine: &Shared, look: impl FnOnce(&mut Machine) -> T) -> T {
    look(&mut machine.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Hands and eyes.
struct Panel {
    info: DriverInfo,
    machine: Shared,
}

#[async_trait]
impl Driver for Panel {
    fn info(&self) -> &DriverInfo {
        &self.info
    }

    async fn launch(&mut self) -> Result<Receipt, DriverError> {
        Ok(with(&self.machine, |machine| {
            *machine = Machine {
                actions: machine.actions + 1,
                now: machine.now,
                ..Machine::default()
            };
            Receipt::ok(machine.actions)
        }))
    }

    async fn observe(&mut self, request: ObserveRequest) -> Result<Observation, DriverError> {
        let (title, buttons, cups) = with(&self.machine, |machine| {
            let title = if machine.is_on { "Ready" } else { "Off" };
            (title, machine.buttons(), machine.cups)
        });
        let display = node("text", &format!("{title}, {cups} cups"), false);
        let controls = buttons.into_iter().map(|name| node("button", name, true));
        Ok(Observation {
            platform: Platform::Android,
            front: Some(NAME.into()),
            url: None,
            title: title.into(),
            viewport: (200.0, 100.0),
            nodes: std::iter::once(display).chain(controls).collect(),
            completeness: Completeness {
                truncated: false,
                node_budget: request.max_nodes,
                coverage: Coverage {
                    verified: true,
                    ..Coverage::default()
                },
                hidden_matches_partial: false,
                ..Completeness::default()
            },
            document: 1,
            animating: Vec::new(),
        })
    }

    async fn act(&mut self, action: &Action) -> Result<Receipt, DriverError> {
        Ok(with(&self.machine, |machine| {
            machine.actions += 1;
            match action {
                Action::Tap { target } => {
                    machine.press(&target.node_ref.0);
                    Receipt::ok(machine.actions)
                }
                _ => Receipt::not_ok(
                    ReceiptStatus::Failed,
                    machine.actions,
                    "UNSUPPORTED",
                    "the panel has buttons only",
                ),
            }
        }))
    }

    async fn screenshot(&mut self) -> Result<Image, DriverError> {
        Err(DriverError::Protocol {
            what: "the screenshot".into(),
            reason: "the panel has no camera".into(),
        })
    }

    fn take_notices(&mut self) -> Vec<Notice> {
        Vec::new()
    }

    fn now(&self) -> Duration {
        with(&self.machine, |machine| machine.now)
    }

    fn elapsed(&self) -> Duration {
        self.now()
    }

    async fn advance(&mut self, span: Duration) -> Result<Advanced, DriverError> {
        with(&self.machine, |machine| machine.now += span);
        Ok(Advanced {
            clock: Clock::Virtual,
            ignored: Vec::new(),
            pending: Vec::new(),
        })
    }

    async fn stop(&mut self) -> Result<(), DriverError> {
        Ok(())
    }
}

fn node(role: &str, name: &str, is_button: bool) -> Node {
    Node {
        node_ref: NodeRef(name.into()),
        role: role.into(),
        name: name.into(),
        text: Some(name.into()),
        class: role.into(),
        package: Some(NAME.into()),
        flags: Flags {
            actionable: is_button,
            visible: true,
            in_viewport: true,
            ..Flags::default()
        },
        ..Node::default()
    }
}

/// The sensor that knows when the machine is jammed.
struct Sensor(Shared);

#[async_trait]
impl CrashWatch for Sensor {
    async fn start(&mut self) -> Result<(), WatchError> {
        Ok(())
    }

    fn state(&self) -> WatchState {
        WatchState::Running
    }

    async fn query(&mut self) -> Result<Vec<Crash>, WatchError> {
        Ok(with(&self.0, |machine| {
            let jammed = std::mem::take(&mut machine.jammed);
            let kind = CrashKind::Native;
            jammed
                .then(|| Crash {
                    kind,
                    severity: kind.severity(),
                    signature: Signature("jammed".into()),
                    label: "the pump ran dry".into(),
                    stack: "pump: no water".into(),
                    count: 1,
                    after_action: Some(machine.actions),
                    place: None,
                    at: machine.now,
                    ends_path: true,
                })
                .into_iter()
                .collect()
        }))
    }

    async fn stop(&mut self) -> Result<(), WatchError> {
        Ok(())
    }
}

/// Prints what happens.
struct Console;

impl Progress for Console {
    fn step(&mut self, step: &StepRecord, pages: usize) {
        println!("{:2}  {} ({pages} pages)", step.index, step.action);
    }

    fn crash(&mut self, crash: &CrashRecord) {
        println!(
            "    {}: {} after {:?}",
            crash.id, crash.crash.label, crash.repro_path
        );
    }
}

fn main() {
    let machine = Shared::default();
    let mut panel = Panel {
        info: DriverInfo {
            platform: Platform::Android,
            contract: 1,
            device: "coffee machine".into(),
            target: NAME.into(),
            capabilities: [Capability::Tap].into(),
            back: Back::Element,
            clock: Clock::Virtual,
            poll_interval: Duration::from_millis(100),
            nodes: qa_core::NodeBudget::default(),
            remarks: Vec::new(),
        },
        machine: Arc::clone(&machine),
    };
    let config = ExploreConfig::new(vec![NAME.into()]);
    let mut archive = MemoryArchive::default();
    let outcome = futures_executor::block_on(explore(
        &config,
        Ports {
            driver: &mut panel,
            watch: &mut Sensor(machine),
            archive: &mut archive,
            progress: &mut Console,
            stop: &StopSignal::default(),
        },
    ));
    println!(
        "{:?} after {} steps on {} pages",
        outcome.status, outcome.steps, outcome.pages
    );
}
