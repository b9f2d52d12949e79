//! Recording what somebody does with a driver, to make a scenario of it (REP-103 to REP-117).

use std::time::Duration;

use async_trait::async_trait;
use qa_core::{
    Action, Advanced, Assertion, Boundary, Driver, DriverError, DriverInfo, Image, Judgement, Look,
    Notice, Observation, ObserveRequest, Platform, Projection, Receipt, Settle, SettleMachine,
    SettlePolicy, Verdict,
};
use qa_redact::Redactor;
use serde::Serialize;

use super::trace::Projector;
use super::{About, Event, ExcludedAssertion, Export, Exported, Undone, bare_address, export};
use crate::DriverWord;
use crate::run::{Echo, judge_alone, settings};

/// A driver that is recorded while it is used: by an agent, or by a person.
///
/// It changes nothing of what the driver is asked and answers. A page counts as at rest when it is
/// so by the looks that were taken: whoever uses it looks with [`settle`](qa_core::settle) after
/// each action, with the projection from before it, both without the [`Echo`] of what was typed.
/// What was not looked at long enough proves nothing, and its action is left out of the scenario.
///
/// What is kept went through the redactor first; where that failed it is not kept, and the session
/// goes on.
pub struct Recorder<D> {
    driver: D,
    policy: SettlePolicy,
    projector: Projector,
    may_widen: bool,
    window: Window,
    /// The last action, until the next one.
    last: Option<Event>,
    events: Vec<Event>,
    /// What was claimed before anything was done.
    excluded: Vec<ExcludedAssertion>,
    observations: u64,
    evidence_references: u64,
}

/// How much was recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Trajectory {
    /// Everything of what follows.
    pub events: u64,
    /// Looks at the screen.
    pub observations: u64,
    /// Actions, starts of the app not among them.
    pub actions: u64,
    /// Pictures that were taken.
    pub evidence_references: u64,
}

/// The looks since the last action.
struct Window {
    policy: SettlePolicy,
    machine: SettleMachine,
    outcome: Option<Settle>,
    pending: Vec<String>,
    /// App time has passed since the last look that counts.
    is_later: bool,
    /// What that look saw.
    projection: Option<Projection>,
    /// The same, as a view.
    compared: Option<Observation>,
    /// What the action's own target shows of it.
    echo: Echo,
    /// The last look.
    view: Option<Observation>,
    /// The last one at rest.
    rested: Option<Observation>,
}

impl Window {
    fn new(
        policy: SettlePolicy,
        before: Option<&Observation>,
        echo: Echo,
        now: Duration,
        may_widen: bool,
    ) -> Self {
        let before = before.map(|view| echo.without(view));
        Self {
            policy,
            machine: SettleMachine::new(policy, before, now, may_widen),
            outcome: None,
            pending: Vec::new(),
            is_later: false,
            projection: None,
            compared: None,
            echo,
            view: None,
            rested: None,
        }
    }

    fn is_at_rest(&self) -> bool {
        self.outcome
            .is_some_and(|outcome| outcome != Settle::Unsettled)
    }

    /// Takes a look into account. One that costs extra, or has a larger budget, tells more of a page
    /// that has just come to rest, and is not compared with the others.
    fn look(&mut self, at: Duration, view: Option<&Observation>, is_closer: bool) {
        if let Some(view) = view {
            self.view = Some(view.clone());
        }
        if is_closer {
            if self.is_at_rest() && !self.is_later {
                self.rested.clone_from(&self.view);
            }
            return;
        }
        self.is_later = false;
        let projection = view.map(Projection::of);
        if view.is_some() {
            self.compared.clone_from(&self.view);
        }
        if self.is_at_rest() && (projection.is_none() || projection == self.projection) {
            return;
        }
        let goes_on = self.outcome.take().is_some();
        if goes_on {
            // It must come to rest once more; what is awaited has no beginning then (REP-037).
            self.machine = SettleMachine::new(self.policy, None, at, false);
        }
        self.projection = projection.or(self.projection);
        self.outcome = self.machine.look(Look {
            at,
            projection,
            effect: view.map(|view| self.echo.without(view)),
            animating: view.is_some_and(|view| !view.animating.is_empty()),
            pending: &self.pending,
        });
        if self.outcome.is_some() {
            self.rested.clone_from(&self.view);
        }
    }
}

impl<D: Driver> Recorder<D> {
    /// Records a session that settles by `policy`.
    pub fn new(driver: D, policy: SettlePolicy, redactor: Redactor) -> Self {
        let window = Window::new(policy, None, Echo::default(), driver.now(), true);
        Self {
            driver,
            policy,
            projector: Projector::new(redactor),
            may_widen: true,
            window,
            last: None,
            events: Vec::new(),
            excluded: Vec::new(),
            observations: 0,
            evidence_references: 0,
        }
    }

    /// Judges a claim on the page at rest; nothing while it is not. A claim that holds after the
    /// last action stands at the end of the scenario; one that came true by an action is the proof
    /// of its step.
    pub fn claim(&mut self, assertion: Assertion) -> Option<Judgement> {
        let view = self.window.rested.as_ref();
        let view = view.filter(|_| self.window.is_at_rest())?;
        let judgement = judge_alone(&assertion, view)?;
        if judgement.verdict == Verdict::Pass {
            self.keep(assertion);
        }
        Some(judgement)
    }

    fn keep(&mut self, assertion: Assertion) {
        match &mut self.last {
            None => self.excluded.push(ExcludedAssertion {
                reason: "CLAIM_NOT_AT_THE_END",
                detail: "nothing was done before it".into(),
            }),
            Some(last) if last.claims.contains(&assertion) => {}
            Some(last) => last.claims.push(assertion),
        }
    }

    /// How much was recorded.
    #[must_use]
    pub fn trajectory(&self) -> Trajectory {
        let actions = (self.events.len() + usize::from(self.last.is_some())) as u64;
        Trajectory {
            events: actions + self.observations + self.evidence_references,
            observations: self.observations,
            actions,
            evidence_references: self.evidence_references,
        }
    }

    /// A scenario of what was done since the last start of the app. The session may go on.
    pub fn export(&mut self, about: About<'_>) -> Exported {
        let mut events = self.events.clone();
        let last = self.last.clone();
        events.extend(last.map(|last| self.with_outcome(last)));
        let info = self.driver.info();
        let boundary = Boundary::new(info.platform, vec![info.target.clone()]);
        let mut exported = export(
            &events,
            &Export {
                about,
                driver: match info.platform {
                    Platform::Web => DriverWord::Browser,
                    Platform::Android => DriverWord::Android,
                    Platform::Ios => DriverWord::Ios,
                },
                launch: bare_address(&info.target),
                boundary: &boundary,
                settle: settings(&self.policy),
                keep_unproven: false,
                redactor: self.projector.redactor(),
            },
        );
        let early = self.excluded.iter().cloned();
        exported.excluded_assertions.splice(0..0, early);
        exported
    }

    /// Ends the recording.
    pub fn into_inner(self) -> D {
        self.driver
    }

    /// An action with what came of it until now.
    fn with_outcome(&mut self, mut event: Event) -> Event {
        let seen = self.window.rested.as_ref().or(self.window.view.as_ref());
        event.after = seen.and_then(|view| self.projector.view(view));
        event.settle = seen.map(|_| self.window.outcome.unwrap_or(Settle::Unsettled));
        event
    }

    /// Begins anew: nothing has been seen since. What is to come is compared with `before`, an echo
    /// left out.
    fn begin(&mut self, before: Option<&Observation>, echo: Echo) {
        if let Some(last) = self.last.take() {
            let last = self.with_outcome(last);
            self.events.push(last);
        }
        self.may_widen &= !self.window.machine.widened();
        let now = self.driver.now();
        self.window = Window::new(self.policy, before, echo, now, self.may_widen);
    }
}

#[async_trait]
impl<D: Driver> Driver for Recorder<D> {
    fn info(&self) -> &DriverInfo {
        self.driver.info()
    }

    async fn launch(&mut self) -> Result<Receipt, DriverError> {
        self.begin(None, Echo::default());
        for event in &mut self.events {
            event.action = Err(Undone::StartedAnew);
        }
        self.driver.launch().await
    }

    async fn observe(&mut self, request: ObserveRequest) -> Result<Observation, DriverError> {
        let at = self.driver.now();
        let seen = self.driver.observe(request).await;
        let usual = self.driver.info().nodes.judging();
        let is_closer = request.thorough || request.max_nodes > usual.max_nodes;
        self.observations += u64::from(seen.is_ok());
        self.window.look(at, seen.as_ref().ok(), is_closer);
        seen
    }

    async fn act(&mut self, action: &Action) -> Result<Receipt, DriverError> {
        let seen = self.window.view.as_ref();
        let before = seen.and_then(|view| self.projector.view(view));
        let done = self.projector.action(action);
        let compared = self.window.compared.take();
        let echo = compared
            .as_ref()
            .map_or_else(Echo::default, |view| Echo::of(action, view));
        self.begin(compared.as_ref(), echo);
        let receipt = self.driver.act(action).await;
        self.last = Some(Event {
            action: done,
            before,
            receipt: receipt.as_ref().ok().cloned(),
            after: None,
            settle: None,
            claims: Vec::new(),
        });
        receipt
    }

    async fn screenshot(&mut self) -> Result<Image, DriverError> {
        let picture = self.driver.screenshot().await;
        self.evidence_references += u64::from(picture.is_ok());
        picture
    }

    fn take_notices(&mut self) -> Vec<Notice> {
        self.driver.take_notices()
    }

    fn now(&self) -> Duration {
        self.driver.now()
    }

    fn elapsed(&self) -> Duration {
        self.driver.elapsed()
    }

    async fn advance(&mut self, span: Duration) -> Result<Advanced, DriverError> {
        let advanced = self.driver.advance(span).await;
        self.window.is_later = true;
        if let Ok(advanced) = &advanced {
            self.window.pending.clone_from(&advanced.pending);
        }
        advanced
    }

    async fn stop(&mut self) -> Result<(), DriverError> {
        self.driver.stop().await
    }
}
