//! The settle algorithm on a live driver.

use std::time::Duration;

use super::{Look, Projection, Settle, SettleMachine, SettlePolicy, SettleRecord};
use crate::{
    Capability, Clock, Driver, DriverError, Observation, ObserveRequest, TruncationReason,
};

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

/// Looks in a row that prove what was to come.
const PROOFS: u32 = 2;

/// Looks until the view has come to rest, letting app time pass in between, and looks closely then.
///
/// With the projection before an action ([`Awaited::before`]) its effect is waited for; without one
/// a short quiet time is enough. `may_widen` is the session's one wider budget and becomes `false` once it is
/// used. A view with more nodes than `request` allows is read once more with
/// [`NodeBudget::escalated`](crate::NodeBudget::escalated). A thorough `request` is polled without what costs extra, and looked
/// at thoroughly once it rests.
///
/// An error means that no view was read at all, or that the app or the device is gone; a look that
/// fails on the way only breaks the quiet.
pub async fn settle(
    driver: &mut dyn Driver,
    policy: &SettlePolicy,
    awaited: &Awaited<'_>,
    request: ObserveRequest,
    may_widen: &mut bool,
) -> Result<Settled, DriverError> {
    let started = driver.now();
    let mut settled = settle_or_prove(driver, policy, awaited, request, may_widen).await?;
    let can = &driver.info().capabilities;
    if request.thorough && can.contains(&Capability::ThoroughLook) {
        settled.view = driver.observe(request).await?;
        settled.projection = Projection::of(&settled.view);
    }
    let escalated = driver.info().nodes.escalated();
    let is_small = request.max_nodes < escalated.max_nodes;
    if settled.record.outcome != Settle::Unsettled && is_small && is_cut(&settled.view) {
        settled.view = driver.observe(escalated).await?;
    }
    settled.record.elapsed_ms = milliseconds(driver.now().saturating_sub(started));
    Ok(settled)
}

fn milliseconds(span: Duration) -> u64 {
    u64::try_from(span.as_millis()).unwrap_or(u64::MAX)
}

/// What is known of what an action should bring.
#[derive(Default)]
pub struct Awaited<'a> {
    /// The projection before the action, without its echo.
    pub before: Option<Projection>,
    /// The projection of a view without the echo of what was typed (REP-112).
    pub without_echo: Option<&'a (dyn Fn(&Observation) -> Projection + Send + Sync)>,
    /// Whether a view shows what was to come.
    pub is_proven: Option<&'a (dyn Fn(&Observation) -> bool + Send + Sync)>,
}

/// As [`settle`], without the closer look at the end: the view is that of the last look, never a
/// thorough one, and may be cut short. See [`look_closer`](super::look_closer) for what rests on the
/// rest.
///
/// With [`Awaited::is_proven`] both end as soon as two looks in a row show what is awaited (D-05):
/// whoever knows what is to come need not wait until all is quiet. Such an end is `proven_early`;
/// nothing is known of the rest of that view.
pub async fn settle_or_prove(
    driver: &mut dyn Driver,
    policy: &SettlePolicy,
    awaited: &Awaited<'_>,
    request: ObserveRequest,
    may_widen: &mut bool,
) -> Result<Settled, DriverError> {
    // What costs extra is looked for once, at rest.
    let polled = ObserveRequest {
        thorough: false,
        ..request
    };
    let interval = policy.interval.max(driver.info().poll_interval);
    let started = driver.now();
    let mut machine = SettleMachine::new(*policy, awaited.before, started, *may_widen);
    let mut clock = driver.info().clock;
    let mut pending = Vec::new();
    let mut ignored: Vec<String> = Vec::new();
    let mut latest: Option<(Observation, Projection)> = None;
    let mut proofs = 0;
    let mut proven_early = false;
    let outcome = loop {
        let at = driver.now();
        let mut failure = None;
        let mut look = Look {
            at,
            projection: None,
            effect: None,
            animating: false,
            pending: &pending,
        };
        match driver.observe(polled).await {
            Ok(view) => {
                let projection = Projection::of(&view);
                look.projection = Some(projection);
                look.animating = !view.animating.is_empty();
                look.effect = awaited.without_echo.map(|without_echo| without_echo(&view));
                let is_proven = awaited.is_proven.is_some_and(|is_proven| is_proven(&view));
                proofs = if is_proven { proofs + 1 } else { 0 };
                latest = Some((view, projection));
            }
            Err(error @ DriverError::Protocol { .. }) => {
                proofs = 0;
                failure = Some(error);
            }
            Err(error) => return Err(error),
        }
        let concluded = machine.look(look);
        if proofs >= PROOFS && concluded.is_none() {
            proven_early = true;
            break machine.so_far();
        }
        if let Some(outcome) = concluded {
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
    let Some((view, projection)) = latest else {
        return Err(DriverError::Protocol {
            what: "observe".into(),
            reason: "no view was read".into(),
        });
    };
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
            elapsed_ms: milliseconds(elapsed),
            clock,
            widened: machine.widened(),
            proven_early,
            ignored,
        },
    })
}

/// Whether a larger budget would show more.
fn is_cut(view: &Observation) -> bool {
    let seen = &view.completeness;
    seen.truncated && seen.reasons.contains(&TruncationReason::NodeBudgetExceeded)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    use async_trait::async_trait;
    use proptest::prelude::*;

    use super::super::look_closer;
    use super::*;
    use crate::{
        Action, Advanced, Back, Completeness, DriverInfo, Image, Notice, Platform, Receipt,
    };

    /// A page whose title is the number of the last change, at the times given.
    struct Page {
        info: DriverInfo,
        now: Duration,
        changes: Vec<u64>,
        fails_until: u64,
        gone: bool,
        nodes: usize,
        looks: Vec<ObserveRequest>,
    }

    fn page(changes: &[u64]) -> Page {
        Page {
            info: DriverInfo {
                platform: Platform::Web,
                contract: 9,
                device: "test".into(),
                target: "test".into(),
                capabilities: BTreeSet::new(),
                back: Back::Action,
                clock: Clock::Virtual,
                poll_interval: Duration::from_millis(100),
                nodes: crate::NodeBudget::default(),
                remarks: Vec::new(),
            },
            now: Duration::ZERO,
            changes: changes.to_vec(),
            fails_until: 0,
            gone: false,
            nodes: 10,
            looks: Vec::new(),
        }
    }

    #[async_trait]
    impl Driver for Page {
        fn info(&self) -> &DriverInfo {
            &self.info
        }

        async fn launch(&mut self) -> Result<Receipt, DriverError> {
            Ok(Receipt::ok(1))
        }

        async fn observe(&mut self, request: ObserveRequest) -> Result<Observation, DriverError> {
            self.looks.push(request);
            let now = u64::try_from(self.now.as_millis()).unwrap();
            if self.gone {
                return Err(DriverError::AppGone {
                    reason: "test".into(),
                });
            }
            if now < self.fails_until {
                return Err(DriverError::Protocol {
                    what: "observe".into(),
                    reason: "test".into(),
                });
            }
            let truncated = self.nodes > request.max_nodes;
            Ok(Observation {
                platform: Platform::Web,
                front: None,
                url: None,
                title: self
                    .changes
                    .iter()
                    .filter(|at| **at <= now)
                    .count()
                    .to_string(),
                viewport: (0.0, 0.0),
                nodes: Vec::new(),
                completeness: Completeness {
                    truncated,
                    reasons: if truncated {
                        vec![TruncationReason::NodeBudgetExceeded]
                    } else {
                        Vec::new()
                    },
                    node_budget: request.max_nodes,
                    ..Completeness::default()
                },
                document: 1,
                animating: Vec::new(),
            })
        }

        async fn act(&mut self, _action: &Action) -> Result<Receipt, DriverError> {
            Ok(Receipt::ok(1))
        }

        async fn screenshot(&mut self) -> Result<Image, DriverError> {
            Ok(Image {
                extension: "png",
                bytes: Vec::new(),
            })
        }

        fn take_notices(&mut self) -> Vec<Notice> {
            Vec::new()
        }

        fn now(&self) -> Duration {
            self.now
        }

        fn elapsed(&self) -> Duration {
            self.now
        }

        async fn advance(&mut self, span: Duration) -> Result<Advanced, DriverError> {
            self.now += span;
            Ok(Advanced {
                clock: Clock::Virtual,
                ignored: vec!["/stream".into()],
                pending: Vec::new(),
            })
        }

        async fn stop(&mut self) -> Result<(), DriverError> {
            Ok(())
        }
    }

    /// Nothing here ever waits, so one poll is all it takes.
    fn ready<T>(future: impl Future<Output = T>) -> T {
        match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(value) => value,
            Poll::Pending => panic!("it waits"),
        }
    }

    fn closer(page: &mut Page, settled: &mut Settled) -> bool {
        let mut may_widen = false;
        ready(look_closer(
            page,
            &SettlePolicy::PROVE,
            settled,
            ObserveRequest::JUDGING,
            &mut may_widen,
        ))
        .unwrap()
    }

    fn rested(page: &mut Page) -> Settled {
        let mut may_widen = false;
        let rest = Awaited::default();
        let request = ObserveRequest::JUDGING;
        let policy = SettlePolicy::PROVE;
        ready(settle_or_prove(
            page,
            &policy,
            &rest,
            request,
            &mut may_widen,
        ))
        .unwrap()
    }

    // REP-044, REP-049, REP-059, REP-INV-15
    #[test]
    fn what_decides_is_one_look_and_nothing_costs_extra_before() {
        for (nodes, most) in [(10, 5_000), (20_000, 50_000)] {
            let mut page = page(&[]);
            page.nodes = nodes;
            let mut settled = rested(&mut page);
            assert!(page.looks.iter().all(|look| look.max_nodes == 5_000));
            assert!(page.looks.iter().all(|look| !look.thorough));
            let polled = page.looks.len();
            assert_eq!(closer(&mut page, &mut settled), most == 50_000);
            let [look] = page.looks[polled..] else {
                panic!("{:?}", page.looks)
            };
            assert_eq!((look.max_nodes, look.thorough), (most, true));
            assert!(!settled.view.completeness.truncated);
        }
    }

    // REP-055
    #[test]
    fn what_changed_meanwhile_is_settled_again_once() {
        let mut changing = page(&[350]);
        let mut settled = rested(&mut changing);
        assert_eq!(settled.view.title, "0");
        changing.now = Duration::from_millis(400);
        assert!(!closer(&mut changing, &mut settled));
        assert_eq!(settled.record.outcome, Settle::Unchanged);
        assert_eq!(settled.view.title, "1");
        assert_eq!(settled.projection, Projection::of(&settled.view));

        let every: Vec<u64> = (4..200).map(|at| at * 100).collect();
        let mut restless = page(&every);
        let mut settled = rested(&mut restless);
        restless.now = Duration::from_millis(450);
        closer(&mut restless, &mut settled);
        assert_eq!(settled.record.outcome, Settle::Unsettled);
    }

    fn run(page: &mut Page, before: Option<&Projection>) -> Result<Settled, DriverError> {
        let mut may_widen = false;
        let awaited = Awaited {
            before: before.copied(),
            ..Awaited::default()
        };
        ready(settle(
            page,
            &SettlePolicy::EXPLORE,
            &awaited,
            ObserveRequest::JUDGING,
            &mut may_widen,
        ))
    }

    // REP-033, EXP-082
    #[test]
    fn it_lets_app_time_pass_until_the_view_rests() {
        let mut page = page(&[2_000, 2_300]);
        let first = run(&mut page, None).unwrap();
        assert_eq!(first.record.outcome, Settle::Unchanged);
        assert_eq!(first.record.elapsed_ms, 300);
        assert_eq!(first.record.clock, Clock::Virtual);
        assert_eq!(first.record.ignored, ["/stream"]);
        page.now = Duration::from_millis(1_900);
        let second = run(&mut page, Some(&first.projection)).unwrap();
        assert_eq!(second.record.outcome, Settle::Changed);
        assert_eq!(second.view.title, "2");
        assert_eq!(second.record.elapsed_ms, 400 + 600);
        let third = run(&mut page, Some(&second.projection)).unwrap();
        assert_eq!(third.record.outcome, Settle::Unchanged);
        assert_eq!(third.record.elapsed_ms, 1_500);
    }

    // REP-035 (d)
    #[test]
    fn failed_looks_are_borne_and_a_lost_app_is_not() {
        let mut slow = page(&[]);
        slow.fails_until = 500;
        let settled = run(&mut slow, None).unwrap();
        assert_eq!(settled.record.outcome, Settle::Unchanged);
        assert_eq!(settled.record.elapsed_ms, 800);
        slow.fails_until = u64::MAX;
        assert!(matches!(
            run(&mut slow, None),
            Err(DriverError::Protocol { .. })
        ));
        slow.gone = true;
        assert!(matches!(
            run(&mut slow, None),
            Err(DriverError::AppGone { .. })
        ));
    }

    // D-06
    #[test]
    fn a_view_that_was_cut_is_read_once_more_with_a_larger_budget() {
        let mut large = page(&[]);
        large.nodes = 20_000;
        let settled = run(&mut large, None).unwrap();
        assert!(!settled.view.completeness.truncated);
        let most: Vec<usize> = large.looks.iter().map(|look| look.max_nodes).collect();
        assert_eq!(most.last(), Some(&50_000));
        assert_eq!(most.iter().filter(|most| **most == 50_000).count(), 1);
        // The next action is compared with looks of the same budget.
        let next = run(&mut large, Some(&settled.projection)).unwrap();
        assert_eq!(next.record.outcome, Settle::Unchanged);
    }
    proptest! {
        // REP-INV-14: exploring and replaying, over one stream of looks, end with the same view.
        #[test]
        fn explore_and_replay_settle_on_the_same_view(
            changes in proptest::collection::vec(0..5_000_u64, 0..12),
            is_proof in any::<bool>(),
        ) {
            let mut first = page(&changes);
            let before = is_proof.then(|| run(&mut first, None).unwrap().projection);
            let mut second = page(&changes);
            second.now = first.now;
            let explored = run(&mut first, before.as_ref()).unwrap();
            let awaited = Awaited {
                before,
                without_echo: None,
                is_proven: Some(&|_| false),
            };
            let replayed = ready(settle_or_prove(
                &mut second,
                &SettlePolicy::EXPLORE,
                &awaited,
                ObserveRequest::JUDGING,
                &mut false,
            ))
            .unwrap();
            prop_assert_eq!(explored.view, replayed.view);
            prop_assert_eq!(explored.record, replayed.record);
        }
    }
}
