//! The one look that decides, where a conclusion would rest on what was not seen.

use super::{Awaited, Projection, Settle, SettlePolicy, Settled, projection, settle_or_prove};
use crate::{Driver, DriverError, ObserveRequest};

/// Looks once more, and thoroughly, at a view that came to rest: with the budget of
/// [`NodeBudget::escalated`](crate::NodeBudget::escalated) where it was cut short, else with that of `request` (REP-049,
/// REP-059). True where the budget was escalated; then the projection is not one to compare looks
/// of a smaller budget with.
///
/// A page that now shows something else, beyond nodes that were not seen before, is settled again
/// once and looked at again; if it does not come to rest, the view is [`Settle::Unsettled`] and
/// proves nothing (REP-055).
pub async fn look_closer(
    driver: &mut dyn Driver,
    policy: &SettlePolicy,
    settled: &mut Settled,
    request: ObserveRequest,
    may_widen: &mut bool,
) -> Result<bool, DriverError> {
    let escalates = settled.view.completeness.truncated;
    let closer = if escalates {
        driver.info().nodes.escalated()
    } else {
        ObserveRequest {
            thorough: true,
            ..request
        }
    };
    let mut view = driver.observe(closer).await?;
    if !projection::holds(&view, &settled.view) {
        let rest = Awaited::default();
        let again = settle_or_prove(driver, policy, &rest, closer, may_widen).await?;
        settled.record = again.record;
        view = match settled.record.outcome {
            Settle::Unsettled => again.view,
            _ => driver.observe(closer).await?,
        };
    }
    settled.projection = Projection::of(&view);
    settled.view = view;
    Ok(escalates)
}
