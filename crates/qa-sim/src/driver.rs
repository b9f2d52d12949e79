//! The hands, eyes and clock of a simulated device.

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use async_trait::async_trait;
use qa_core::{
    Action, Advanced, Back, Capability, Clock, Driver, DriverError, DriverInfo, Image, NodeRef,
    Notice, Observation, ObserveRequest, Platform, Receipt, ReceiptStatus,
};

use crate::app::{Effect, Element, Input, Quirk, SimApp};
use crate::mishap::Mishaps;
use crate::picture;
use crate::probe::{SimProbe, lock};
use crate::view;
use crate::watch::SimWatch;
use crate::world::{Life, World};

/// How long a device waits for an app that does not answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// A simulated device with one app on it. App time passes only in [`Driver::advance`], and while
/// it waits for an app that hangs.
#[derive(Debug)]
pub struct SimDriver {
    info: DriverInfo,
    world: Arc<Mutex<World>>,
    mishaps: Mishaps,
    looks: u64,
    /// App time that a look takes; zero on a virtual clock.
    look_cost: Duration,
}

impl SimDriver {
    /// A device on which nothing goes wrong, and the watch over it.
    #[must_use]
    pub fn new(app: SimApp) -> (Self, SimWatch) {
        Self::with_mishaps(app, Mishaps::default())
    }

    /// A device on which things go wrong, and the watch over it.
    #[must_use]
    pub fn with_mishaps(app: SimApp, mishaps: Mishaps) -> (Self, SimWatch) {
        let info = info(&app);
        let world = Arc::new(Mutex::new(World::new(app)));
        let watch = SimWatch::new(Arc::clone(&world), mishaps.clone());
        let driver = Self {
            info,
            world,
            mishaps,
            looks: 0,
            look_cost: Duration::ZERO,
        };
        (driver, watch)
    }

    /// Lets the app's clock run on while it is looked at, as on a real device: each look takes so
    /// long.
    #[must_use]
    pub fn on_real_clock(mut self, look: Duration) -> Self {
        self.info.clock = Clock::Real;
        self.look_cost = look;
        self
    }

    /// A look from outside that stays valid after the run.
    #[must_use]
    pub fn probe(&self) -> SimProbe {
        SimProbe(Arc::clone(&self.world))
    }

    fn world(&self) -> MutexGuard<'_, World> {
        lock(&self.world)
    }

    fn lost(&self) -> DriverError {
        DriverError::Lost {
            device: self.info.device.clone(),
            reason: "the simulated cable was pulled".into(),
        }
    }

    /// Counts an action and checks that it can begin.
    fn begin(&self, what: &str) -> Result<u64, DriverError> {
        let mut world = self.world();
        world.ordinal += 1;
        let ordinal = world.ordinal;
        if self.mishaps.lost_at_action.is_some_and(|at| ordinal >= at) {
            return Err(self.lost());
        }
        if what != "launch" {
            answers(&mut world, what)?;
        }
        Ok(ordinal)
    }
}

fn info(app: &SimApp) -> DriverInfo {
    let mut capabilities = vec![
        Capability::Tap,
        Capability::Fill,
        Capability::Type,
        Capability::Select,
        Capability::Press,
        Capability::ScrollTo,
        Capability::Screenshot,
        Capability::LastingRefs,
    ];
    if !app.addresses.is_empty() {
        capabilities.push(Capability::Navigate);
    }
    DriverInfo {
        platform: app.platform,
        contract: match app.platform {
            Platform::Web => 9,
            Platform::Android | Platform::Ios => 1,
        },
        device: concat!("qa-sim ", env!("CARGO_PKG_VERSION")).into(),
        target: app.package.clone(),
        capabilities: capabilities.into_iter().collect(),
        back: Back::Action,
        clock: Clock::Virtual,
        poll_interval: Duration::from_millis(100),
        nodes: qa_core::NodeBudget::default(),
        remarks: Vec::new(),
    }
}

/// Whether the app can be talked to.
fn answers(world: &mut World, what: &str) -> Result<(), DriverError> {
    match world.life {
        Life::Running | Life::Launcher => Ok(()),
        Life::Hung => {
            world.advance(PATIENCE);
            Err(DriverError::Unresponsive {
                what: what.into(),
                waited_ms: u64::try_from(PATIENCE.as_millis()).unwrap_or(u64::MAX),
            })
        }
        Life::Gone | Life::Stopped => Err(DriverError::AppGone {
            reason: "its process has ended".into(),
        }),
    }
}

#[async_trait]
impl Driver for SimDriver {
    fn info(&self) -> &DriverInfo {
        &self.info
    }

    async fn launch(&mut self) -> Result<Receipt, DriverError> {
        let ordinal = self.begin("launch")?;
        let mut world = self.world();
        let launch = world.launches + 1;
        if self.mishaps.failed_launches.contains(&launch) {
            world.launches = launch;
            world.end(Life::Launcher);
            return Ok(Receipt::not_ok(
                ReceiptStatus::Failed,
                ordinal,
                "START_FAILED",
                "the app did not come to the front",
            ));
        }
        world.launch();
        Ok(Receipt::ok(ordinal))
    }

    async fn observe(&mut self, request: ObserveRequest) -> Result<Observation, DriverError> {
        self.looks += 1;
        let look = self.looks;
        if self.mishaps.lost_at_look.is_some_and(|at| look >= at) {
            return Err(self.lost());
        }
        let mut world = self.world();
        world.advance(self.look_cost);
        answers(&mut world, "a look at the screen")?;
        let mut observation = view::observe(&world, request.max_nodes);
        let unknown = self.mishaps.front_unknown;
        if unknown.is_some_and(|(first, looks)| look >= first && look < first + looks) {
            observation.front = None;
        }
        Ok(observation)
    }

    async fn act(&mut self, action: &Action) -> Result<Receipt, DriverError> {
        let ordinal = self.begin("an action")?;
        Ok(perform(&mut self.world(), action, ordinal))
    }

    async fn screenshot(&mut self) -> Result<Image, DriverError> {
        if self.mishaps.no_screenshot {
            return Err(DriverError::Protocol {
                what: "the screenshot".into(),
                reason: "the simulated screen is secure".into(),
            });
        }
        let mut world = self.world();
        answers(&mut world, "a screenshot")?;
        Ok(picture::draw(&view::observe(&world, usize::MAX)))
    }

    fn take_notices(&mut self) -> Vec<Notice> {
        std::mem::take(&mut self.world().notices)
    }

    fn now(&self) -> Duration {
        self.world().now
    }

    /// The same as app time: a simulated device has no other clock, so that runs are repeatable.
    fn elapsed(&self) -> Duration {
        self.world().now
    }

    async fn advance(&mut self, span: Duration) -> Result<Advanced, DriverError> {
        self.world().advance(span);
        Ok(Advanced {
            clock: self.info.clock,
            ignored: Vec::new(),
            pending: Vec::new(),
        })
    }

    async fn stop(&mut self) -> Result<(), DriverError> {
        self.world().end(Life::Stopped);
        if self.mishaps.stop_fails {
            return Err(DriverError::Protocol {
                what: "stopping".into(),
                reason: "the simulated device did not confirm".into(),
            });
        }
        Ok(())
    }
}

/// Does one thing to a running app.
fn perform(world: &mut World, action: &Action, ordinal: u64) -> Receipt {
    match action {
        Action::Back => {
            if world.life == Life::Running {
                world.back(ordinal);
            }
            Receipt::ok(ordinal)
        }
        Action::Navigate { url } => match world.app.addresses.get(url).cloned() {
            Some(screen) => {
                world.navigate(&screen, ordinal);
                Receipt::ok(ordinal)
            }
            None => failed(ordinal, "NAVIGATION_FAILED", "nothing is at this address"),
        },
        Action::Press { target: None, .. } | Action::Scroll { target: None, .. } => {
            Receipt::ok(ordinal)
        }
        _ => match action.target() {
            Some(target) => touch(world, &target.node_ref, action, ordinal),
            None => failed(
                ordinal,
                "UNSUPPORTED",
                "the simulated device cannot do this",
            ),
        },
    }
}

fn failed(ordinal: u64, code: &str, reason: &str) -> Receipt {
    Receipt::not_ok(ReceiptStatus::Failed, ordinal, code, reason)
}

/// Does something to one element.
fn touch(world: &mut World, node_ref: &NodeRef, action: &Action, ordinal: u64) -> Receipt {
    let Some((element, row)) = view::resolve(world, node_ref) else {
        return failed(ordinal, "REF_EXPIRED", "the element is not there any more");
    };
    let element = element.clone();
    let screen = world
        .front()
        .map(|front| front.id.clone())
        .unwrap_or_default();
    if view::is_disabled(world, &element) {
        return failed(ordinal, "TARGET_DISABLED", "the element is disabled");
    }
    let refusal = match &element.quirk {
        Some(Quirk::Obscured) => Some(("TARGET_OBSCURED", "a banner lies over the element")),
        Some(Quirk::Moving) => Some(("TARGET_MOVING", "the element does not keep still")),
        Some(Quirk::Stale) => Some(("TARGET_DETACHED", "the element was replaced")),
        _ => None,
    };
    if let Some((code, reason)) = refusal {
        return failed(ordinal, code, reason);
    }
    let unknown =
        |reason| Receipt::not_ok(ReceiptStatus::Unknown, ordinal, "DISPATCH_UNKNOWN", reason);
    match &element.quirk {
        Some(Quirk::Rejected(code)) => {
            return Receipt::not_ok(ReceiptStatus::Rejected, ordinal, code, "refused by a rule");
        }
        Some(Quirk::UnknownAndLost) => return unknown("no acknowledgement came"),
        _ => {}
    }
    if element.trap {
        *world
            .touches
            .entry(format!("{screen}/{}", element.id))
            .or_default() += 1;
    }
    world.counters.insert("row".into(), row);
    if matches!(action, Action::ScrollTo { .. }) {
        view::scroll_to(world, node_ref);
        return Receipt::ok(ordinal);
    }
    let receipt = deliver(world, &screen, &element, action, ordinal);
    if element.quirk == Some(Quirk::UnknownButDone) {
        return unknown("the acknowledgement got lost");
    }
    receipt
}

fn deliver(
    world: &mut World,
    screen: &str,
    element: &Element,
    action: &Action,
    ordinal: u64,
) -> Receipt {
    match (action, &element.input) {
        (Action::Fill { text, .. } | Action::Type { text, .. }, Some(input)) => {
            let wanted = match action {
                Action::Type { .. } => world.field_value(screen, element, input) + text,
                _ => text.clone(),
            };
            let kept = shorten(input, &wanted);
            let id = (screen.to_owned(), element.id.clone());
            world.fields.insert(id.clone(), kept.clone());
            world.invalid.remove(&id);
            if kept != wanted {
                return failed(ordinal, "VALUE_MISMATCH", "the field holds another text");
            }
        }
        (Action::Select { option, .. }, Some(input)) => {
            let known = input
                .choices
                .iter()
                .find(|choice| choice.label == *option || choice.value == *option);
            let Some(choice) = known else {
                return failed(ordinal, "OPTION_NOT_FOUND", "the list has no such option");
            };
            let id = (screen.to_owned(), element.id.clone());
            world.fields.insert(id, choice.value.clone());
        }
        (Action::Fill { .. } | Action::Type { .. } | Action::Select { .. }, None) => {
            return failed(ordinal, "TARGET_NOT_EDITABLE", "the element is no field");
        }
        (Action::Press { key, .. }, Some(input)) if key == "Enter" => {
            world.run(&input.enter, ordinal);
        }
        (Action::Tap { .. }, _) => {
            if let Some(counter) = &element.checks {
                let flipped = i64::from(world.counter(counter) == 0);
                world.run(&[Effect::Set(counter.clone(), flipped)], ordinal);
            }
            world.run(&element.tap, ordinal);
        }
        _ => {}
    }
    Receipt::ok(ordinal)
}

fn shorten(input: &Input, text: &str) -> String {
    match input.max_length {
        Some(limit) => text.chars().take(limit).collect(),
        None => text.to_owned(),
    }
}
