//! The settle algorithm on a live driver.

use std::time::Duration;

use super::{Look, Projection, Settle, SettleMachine, SettlePolicy, SettleRecord};
use crate::{Clock, Driver, DriverError, Observation, ObserveRequest, TruncationReason};

/// A view that came to rest, or gave up.
#[derive(Debug, Clone)]
pub struct Settled {
    /// The last look, or one with a larger budget where that was cut short.
    pub view: Observation,
    /// The projection of the last look, always with the budget that was asked for, so that it can
    /// be compared with looks of the same budget: to be given as `before` after the next action.
    pub projection: Projection,
    /// How it came to rest.
    pub record: SettleRecord,
}

/// Looks until the view has come to rest, letting app time pass in between.
///
/// `before` is the projection before an action whose effect is awaited; without one a short quiet
/// time is enough. `may_widen` is the session's one wider budget and becomes `false` once it is
/// used. A view with more nodes than `request` allows is read once more with
/// [`ObserveRequest::ESCALATED`].
///
/// An error means that no view was read at all, or that the app or the device is gone; a look that
/// fails on the way only breaks the quiet.
pub async fn settle(
    driver: &mut dyn Driver,
    policy: &SettlePolicy,
    before: Option<&Projection>,
    request: ObserveRequest,
    may_widen: &mut bool,
) -> Result<Settled, DriverError> {
    let interval = policy.interval.max(driver.info().poll_interval);
    let started = driver.now();
    let mut machine = SettleMachine::new(*policy, before.copied(), started, *may_widen);
    let mut clock = driver.info().clock;
    let mut pending = Vec::new();
    let mut ignored: Vec<String> = Vec::new();
    let mut latest: Option<(Observation, Projection)> = None;
    let outcome = loop {
        let at = driver.now();
        let mut failure = None;
        let mut look = Look {
            at,
            projection: None,
            animating: false,
            pending: &pending,
        };
        match driver.observe(request).await {
            Ok(view) => {
                let projection = Projection::of(&view);
                look.projection = Some(projection);
                look.animating = !view.animating.is_empty();
                latest = Some((view, projection));
            }
            Err(error @ DriverError::Protocol { .. }) => failure = Some(error),
            Err(error) => return Err(error),
        }
        if let Some(outcome) = machine.look(look) {
            match failure {
                Some(error) if latest.is_none() => return Err(error),
                _ => break outcome,
            }
        }
        let wait = machine.due(at).clamp(Duration::from_millis(1), interval);
        let advanced = driver.advance(wait).await?;
        if advanced.clock == Clock::Real {
            clock = Clock::Real;
        }
        ignored.extend(advanced.ignored);
        pending = advanced.pending;
    };
    *may_widen &= !machine.widened();
    let Some((mut view, projection)) = latest else {
        return Err(DriverError::Protocol {
            what: "observe".into(),
            reason: "no view was read".into(),
        });
    };
    if outcome != Settle::Unsettled && is_cut(&view, request) {
        view = driver.observe(ObserveRequest::ESCALATED).await?;
    }
    ignored.extend(machine.ignored());
    ignored.sort();
    ignored.dedup();
    let elapsed = driver.now().saturating_sub(started);
    Ok(Settled {
        view,
        projection,
        record: SettleRecord {
            outcome,
            passes: machine.passes(),
            elapsed_ms: u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX),
            clock,
            widened: machine.widened(),
            ignored,
        },
    })
}

/// Whether a larger budget would show more.
fn is_cut(view: &Observation, request: ObserveRequest) -> bool {
    view.completeness.truncated
        && view
            .completeness
            .reasons
            .contains(&TruncationReason::NodeBudgetExceeded)
        && request.max_nodes < ObserveRequest::ESCALATED.max_nodes
}
