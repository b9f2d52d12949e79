//! The figures of settling that a scenario asks for.

use std::time::Duration;

use qa_core::SettlePolicy;

use crate::Settings;

/// The figures of a scenario brought into range, then those of the run, then the default ones
/// (REP-038, REP-039).
pub(super) fn policy(scenario: Option<&Settings>, run: &Settings) -> SettlePolicy {
    let plain = SettlePolicy::PROVE;
    let own = scenario.copied().unwrap_or_default();
    let settings = Settings {
        budget_ms: own.budget_ms.or(run.budget_ms),
        quiet_ms: own.quiet_ms.or(run.quiet_ms),
        post_change_quiet_ms: own.post_change_quiet_ms.or(run.post_change_quiet_ms),
        interval_ms: own.interval_ms.or(run.interval_ms),
        adaptive_budget_ms: own.adaptive_budget_ms.or(run.adaptive_budget_ms),
    };
    if settings == Settings::default() {
        return plain;
    }
    let ms = |value: Option<u64>, plain: Duration, least: Duration, most: Duration| {
        value
            .map_or(plain, Duration::from_millis)
            .clamp(least, most.max(least))
    };
    let milli = Duration::from_millis;
    let most = milli(if own.budget_ms.is_some() {
        15_000
    } else {
        60_000
    });
    let budget = ms(settings.budget_ms, plain.budget, milli(20), most);
    let quiet = ms(
        settings.quiet_ms,
        plain.quiet.min(budget),
        milli(10),
        milli(10_000).min(budget),
    );
    let post_quiet = ms(
        settings.post_change_quiet_ms,
        (quiet * 2).min(budget),
        quiet,
        budget,
    );
    let interval = ms(
        settings.interval_ms,
        plain.interval.min(quiet),
        milli(1),
        milli(1000).min(quiet),
    );
    let adaptive = match settings.adaptive_budget_ms {
        Some(0) => Duration::ZERO,
        value => ms(value, plain.adaptive.max(budget), budget, milli(15_000)),
    };
    SettlePolicy {
        budget,
        quiet,
        post_quiet,
        interval,
        adaptive,
        unchanged_after: budget,
    }
}

/// Figures as a scenario gives them; nothing where they are the default ones (REP-117).
pub(crate) fn settings(policy: &SettlePolicy) -> Option<Settings> {
    (*policy != SettlePolicy::PROVE).then(|| full_settings(policy))
}

/// All figures.
pub(super) fn full_settings(policy: &SettlePolicy) -> Settings {
    let ms = |span: Duration| u64::try_from(span.as_millis()).ok();
    Settings {
        budget_ms: ms(policy.budget),
        quiet_ms: ms(policy.quiet),
        post_change_quiet_ms: ms(policy.post_quiet),
        interval_ms: ms(policy.interval),
        adaptive_budget_ms: ms(policy.adaptive),
    }
}
