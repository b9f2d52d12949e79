//! Doing stored steps again, to see with one's own eyes what a session tells only in keys.

use qa_core::{
    Action, Awaited, Blocklist, Boundary, CandidateAction, Crash, CrashWatch, Driver, DriverError,
    ElementKey, Observation, Projection, Replay, Settle, SettlePolicy, Severity, Target,
    WatchError, settle, touch_refusal,
};

use super::{Event, Undone};
use crate::run::{Echo, UNSUPPORTED_CONTRACT, contract_refusal};

/// What came of doing steps again.
#[derive(Debug)]
pub struct Retraced {
    /// What was done, one for each step but the start.
    pub events: Vec<Event>,
    /// The crashes and findings that came up, with the number of the event before them; 0 is the
    /// start.
    pub crashes: Vec<(usize, Crash)>,
}

/// Why steps could not be done again.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RetraceError {
    /// The device was lost.
    #[error(transparent)]
    Driver(#[from] DriverError),
    /// The evidence of crashes was lost.
    #[error(transparent)]
    Watch(#[from] WatchError),
    /// The driver keeps another contract than the one that is understood.
    #[error("{UNSUPPORTED_CONTRACT}: {0}")]
    Contract(String),
    /// The app did not start.
    #[error("the app did not start: {0}")]
    Launch(String),
}

/// What becomes of a walk when the element of a step is not found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    /// It goes on without it.
    Skip,
    /// It ends there.
    Stop,
}

/// What a walk goes by.
#[derive(Debug, Clone, Copy)]
pub struct Walk<'a> {
    /// What becomes of it when an element is missing.
    pub missing: Missing,
    /// After the start and each step the whole time passes in which it may bring something, so that what comes
    /// late is not taken for the next step's.
    pub patient: bool,
    /// Whose elements may be touched.
    pub boundary: &'a Boundary,
    /// What is never touched: an element keeps its key when it is called something else one day.
    pub blocklist: &'a Blocklist,
}

/// Starts the app and does steps of one path again, each once the page has come to rest. Elements
/// are found by their keys, and judged by the rules of exploring before they are touched; what is
/// not found or not touched is an event without a receipt. Stops where the app does not survive a
/// step. The driver and the watch are the caller's to stop; both may be used for one walk after the
/// other.
pub async fn retrace(
    steps: &[Replay],
    walk: Walk<'_>,
    driver: &mut dyn Driver,
    watch: &mut dyn CrashWatch,
) -> Result<Retraced, RetraceError> {
    if let Some(reason) = contract_refusal(driver.info()) {
        return Err(RetraceError::Contract(reason));
    }
    watch.start().await?;
    let refused = match driver.launch().await {
        Ok(launched) if launched.is_ok() => None,
        Ok(launched) => {
            let reason = launched.reason.unwrap_or_else(|| "no reason given".into());
            Some(RetraceError::Launch(reason))
        }
        Err(error) => Some(error.into()),
    };
    let missing = walk.missing;
    let mut walker = Walker {
        rules: walk,
        driver,
        watch,
        may_widen: true,
        view: None,
        retraced: Retraced {
            events: Vec::new(),
            crashes: Vec::new(),
        },
    };
    if let Some(error) = refused {
        // An app that breaks as it starts has shown what there is to see.
        let is_crash = |(_, crash): &(usize, Crash)| crash.severity == Severity::Crash;
        let is_broken =
            walker.note_crashes().await.is_ok() && walker.retraced.crashes.iter().any(is_crash);
        return if is_broken {
            Ok(walker.retraced)
        } else {
            Err(error)
        };
    }
    let begun = walker.rest(&Awaited::default()).await;
    walker.note_crashes().await?;
    match begun {
        Ok(()) => {}
        // An app that does not survive its start has shown what there is to see.
        Err(error) if error.is_recoverable() => return Ok(walker.retraced),
        Err(error) => return Err(error.into()),
    }
    for replay in steps.iter().filter(|replay| **replay != Replay::Launch) {
        let survived = walker.step(replay).await?;
        walker.note_crashes().await?;
        let last = walker.retraced.events.last();
        let is_missing = last.is_some_and(|event| event.receipt.is_none());
        if !survived || is_missing && missing == Missing::Stop {
            return Ok(walker.retraced);
        }
    }
    if !walker.rules.patient {
        // What the last step brings late, be it the end of the app.
        let waited = walker.driver.advance(SettlePolicy::PROVE.budget).await;
        walker.note_crashes().await?;
        if let Some(error) = waited.err().filter(|error| !error.is_recoverable()) {
            return Err(error.into());
        }
    }
    Ok(walker.retraced)
}

struct Walker<'a> {
    rules: Walk<'a>,
    driver: &'a mut dyn Driver,
    watch: &'a mut dyn CrashWatch,
    may_widen: bool,
    view: Option<(Observation, Projection, Settle)>,
    retraced: Retraced,
}

impl Walker<'_> {
    async fn rest(&mut self, awaited: &Awaited<'_>) -> Result<(), DriverError> {
        let began = self.driver.now();
        let request = self.driver.info().nodes.judging();
        let settled = settle(
            self.driver,
            &SettlePolicy::PROVE,
            awaited,
            request,
            &mut self.may_widen,
        )
        .await?;
        self.watch.judge_view(&settled.view);
        self.view = Some((settled.view, settled.projection, settled.record.outcome));
        let waited = self.driver.now().saturating_sub(began);
        let left = SettlePolicy::PROVE.budget.saturating_sub(waited);
        let outcome = settled.record.outcome;
        if !self.rules.patient || outcome == Settle::Unsettled || left.is_zero() {
            return Ok(());
        }
        self.driver.advance(left).await?;
        let later = settle(
            self.driver,
            &SettlePolicy::PROVE,
            &Awaited::default(),
            request,
            &mut self.may_widen,
        )
        .await?;
        self.watch.judge_view(&later.view);
        let outcome = match later.record.outcome {
            Settle::Unsettled => Settle::Unsettled,
            _ if later.projection != settled.projection => Settle::Changed,
            _ => outcome,
        };
        self.view = Some((later.view, later.projection, outcome));
        Ok(())
    }

    async fn note_crashes(&mut self) -> Result<(), WatchError> {
        let number = self.retraced.events.len();
        let crashes = self.watch.query().await?.into_iter();
        let numbered = crashes.map(|crash| (number, crash));
        self.retraced.crashes.extend(numbered);
        Ok(())
    }

    /// Whether the app survived it.
    async fn step(&mut self, replay: &Replay) -> Result<bool, DriverError> {
        let before = self.view.take();
        let view = before.as_ref().map(|(view, ..)| view);
        let bound = view.map_or(Err(Undone::NoElement), |view| {
            bind(replay, view, self.rules)
        });
        let mut event = Event {
            action: bound.clone(),
            before: view.cloned(),
            receipt: None,
            after: None,
            settle: None,
            claims: Vec::new(),
        };
        let Ok(action) = bound else {
            self.view = before;
            self.retraced.events.push(event);
            return Ok(true);
        };
        let acted = self.driver.act(&action).await;
        // A view of a larger budget is not compared with those of smaller ones: then an echo counts.
        let comparable = before
            .as_ref()
            .filter(|(view, projection, _)| Projection::of(view) == *projection);
        let echo = comparable.map_or_else(Echo::default, |(view, ..)| Echo::of(&action, view));
        let without_echo = |view: &Observation| echo.without(view);
        let masked = match comparable {
            Some((view, ..)) => Some(without_echo(view)),
            None => before.as_ref().map(|(_, projection, _)| *projection),
        };
        let rested = match acted {
            Ok(receipt) => {
                event.receipt = Some(receipt);
                let awaited = Awaited {
                    before: masked,
                    without_echo: Some(&without_echo),
                    is_proven: None,
                };
                self.rest(&awaited).await
            }
            Err(error) => Err(error),
        };
        match rested {
            Ok(()) => {
                let rested = self.view.as_ref();
                event.after = rested.map(|(view, ..)| view.clone());
                event.settle = rested.map(|(.., outcome)| *outcome);
            }
            Err(error) if !error.is_recoverable() => return Err(error),
            Err(_) => {}
        }
        let survived = event.after.is_some();
        self.retraced.events.push(event);
        Ok(survived)
    }
}

/// The key of the element that a step is about.
fn key(replay: &Replay) -> Option<&ElementKey> {
    match replay {
        Replay::Tap { element_key }
        | Replay::InputText { element_key, .. }
        | Replay::Select { element_key, .. } => Some(element_key),
        Replay::PressKey { element_key, .. } | Replay::Scroll { element_key, .. } => {
            element_key.as_ref()
        }
        Replay::Launch | Replay::PressButton { .. } | Replay::Navigate { .. } => None,
    }
}

/// A step as an action on the elements that are there now, or why it is not done.
fn bind(replay: &Replay, view: &Observation, rules: Walk<'_>) -> Result<Action, Undone> {
    let found = || {
        let key = key(replay)?;
        let mut nodes = view.nodes.iter();
        let index = nodes.position(|node| ElementKey::of(view.platform, node) == *key)?;
        Some((key, index))
    };
    let target = || {
        let (key, index) = found().ok_or(Undone::NoElement)?;
        let how = match replay {
            Replay::Select { option, .. } => CandidateAction::Select {
                option: option.clone(),
            },
            Replay::PressKey { key, .. } if key == "Enter" => CandidateAction::Enter,
            _ => CandidateAction::Tap,
        };
        let node = &view.nodes[index];
        let types_a_secret = matches!(replay, Replay::InputText { .. }) && node.flags.secret;
        let rule = touch_refusal(view, index, &how, rules.boundary, rules.blocklist);
        if types_a_secret || rule.is_some() {
            return Err(Undone::Forbidden);
        }
        Ok(Target {
            node_ref: node.node_ref.clone(),
            key: key.clone(),
        })
    };
    let if_any = |element_key: &Option<ElementKey>| match element_key {
        Some(_) => target().map(Some),
        None => Ok(None),
    };
    Ok(match replay {
        Replay::Tap { .. } => Action::Tap { target: target()? },
        Replay::InputText { input_value, .. } => Action::Fill {
            target: target()?,
            text: input_value.clone().ok_or(Undone::Withheld)?,
        },
        Replay::Select { option, .. } => Action::Select {
            target: target()?,
            option: option.clone(),
        },
        Replay::PressKey {
            element_key, key, ..
        } => Action::Press {
            target: if_any(element_key)?,
            key: key.clone(),
        },
        Replay::Scroll {
            element_key,
            dx,
            dy,
        } => Action::Scroll {
            target: if_any(element_key)?,
            dx: *dx,
            dy: *dy,
        },
        Replay::Navigate { url } => Action::Navigate { url: url.clone() },
        Replay::PressButton { .. } => Action::Back,
        Replay::Launch => return Err(Undone::StartedAnew),
    })
}
