//! App time: how it passes, and how a frame gets drawn at the end of it (WEB-070 to WEB-077).
//!
//! On the virtual clock the browser runs the page's timers as fast as it can for a budget of app
//! time and then holds them still. What Chromium 156 was seen to do, and what follows:
//!
//! - One large budget runs out before the compositor draws: so a span passes in slices, each
//!   followed by a barrier of two animation frames.
//! - The compositor works by the page's clock, but is woken by the display's, which is real: no
//!   frame is drawn while app time is behind real time. So an empty page is sent an hour ahead
//!   before the app comes into it ([`take_lead`]), with its calendar set back by as much. A page
//!   that moves to another process loses the lead; there app time is made to pass as far as real
//!   time did ([`catch_up`]).
//! - A document whose page was left for it begins, for the browser, at the app's time, and input
//!   that is older than its document ends the page's process. So input bears the app's time
//!   ([`input_time`]).
//! - `requestAnimationFrame` tells the display's time, `performance.now()` the app's. An animation
//!   that begins with one and goes on with the other would never end; so the page is told the
//!   app's time in both ([`FRAME_TIME`]).
//! - A page in the back-forward cache is counted as one with an open request for ever: a browser of
//!   our own has no such cache, and the count of another's is trusted in its first document only.
//! - A budget does not run out while a request is open: one that stays open too long is named and
//!   no longer waited for.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use qa_core::{Advanced, Clock, DriverError, Notice};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::page::Page;
use super::tab::TabState;
use super::transport::CallError;

/// A quiet time of 600 ms is two of these.
const SLICE: Duration = Duration::from_millis(300);
/// About one frame of a display.
const FRAME: Duration = Duration::from_millis(20);
/// How far a page's clock is ahead of ours when the app comes.
const LEAD: Duration = Duration::from_secs(3600);
const FRAME_DEADLINE: Duration = Duration::from_millis(400);
/// A request that is open this long no longer keeps a page waiting (the settle budget).
const REQUEST_PATIENCE: Duration = Duration::from_millis(2500);
/// After so long a budget that has not run out is given up (WEB-071).
const BUDGET_DEADLINE: Duration = Duration::from_secs(10);
/// A page that answers nothing for so long hangs (WEB-040).
pub(crate) const HANG: Duration = Duration::from_secs(5);

/// Two animation frames, or the word that there will be none.
const BARRIER: &str = "new Promise(done => document.hidden ? done('hidden') : \
    requestAnimationFrame(() => requestAnimationFrame(() => done('drawn'))))";

/// Gives a page's animation frames the app's time. It stands in the page's own world, and only on
/// the virtual clock.
pub(crate) const FRAME_TIME: &str = "{
    const clock = performance;
    const now = Performance.prototype.now;
    const apply = Reflect.apply;
    window.requestAnimationFrame = new Proxy(window.requestAnimationFrame, {
        apply: (request, self, [callback, ...more]) => apply(request, self, [
            typeof callback === 'function' ? () => callback(apply(now, clock, [])) : callback,
            ...more,
        ]),
    });
}";

/// Sends an empty page ahead of real time, and holds its time still.
pub(crate) async fn take_lead(page: &Page<'_>) -> Result<(), DriverError> {
    let calendar = since_epoch(SystemTime::now()).saturating_sub(LEAD);
    let params = json!({"policy": "pause", "initialVirtualTime": calendar.as_secs_f64()});
    set_policy(page, &params).await?;
    pass_budget(page, "advance", LEAD).await
}

/// Lets app time pass.
pub(crate) async fn advance(
    page: &Page<'_>,
    clock: Clock,
    span: Duration,
) -> Result<Advanced, DriverError> {
    let real = clock == Clock::Real || page.tab.state().real_time.is_some();
    if real {
        tokio::time::sleep(span).await;
        page.tab
            .state()
            .requests
            .ignore_older_than(REQUEST_PATIENCE);
    }
    if clock == Clock::Virtual {
        let mut left = span;
        while !left.is_zero() {
            let slice = left.min(SLICE);
            pass_slice(page, slice).await?;
            left -= slice;
        }
    } else {
        page.tab.state().app_time += span;
    }
    let state = page.tab.state();
    Ok(Advanced {
        clock: if real { Clock::Real } else { Clock::Virtual },
        ignored: state.requests.ignored(),
        pending: state.requests.pending(),
    })
}

/// Lets as much app time pass as a document needs to draw its first frame.
pub(crate) async fn draw_frame(page: &Page<'_>) -> Result<(), DriverError> {
    pass_slice(page, FRAME).await
}

/// Lets the requests that the page has open come to their end, or long enough.
pub(crate) async fn let_requests_end(page: &Page<'_>) -> Result<(), DriverError> {
    let waits = {
        let state = page.tab.state();
        state.virtual_clock && state.real_time.is_none()
    };
    if waits {
        return pass_slice(page, FRAME).await;
    }
    let ended = |state: &TabState| state.requests.pending().is_empty().then_some(());
    page.tab.wait_for(Duration::from_secs(1), ended).await;
    Ok(())
}

/// The app's time as input must bear it, in seconds; none where time is real.
pub(crate) async fn input_time(page: &Page<'_>) -> Result<Option<f64>, CallError> {
    if !page.tab.state().virtual_clock {
        return Ok(None);
    }
    const NOW: &str = "performance.timeOrigin + performance.now()";
    let now: f64 = page.evaluate(NOW, false, HANG).await?;
    Ok(Some(now / 1000.0 + LEAD.as_secs_f64()))
}

async fn pass_slice(page: &Page<'_>, slice: Duration) -> Result<(), DriverError> {
    let began = Instant::now();
    // A page on the real clock has slept already; its timers must not wait for its streams.
    let mut patient = page.tab.state().real_time.is_none();
    let mut expired = start_budget(page, slice, patient).await?;
    loop {
        let step = if patient { REQUEST_PATIENCE } else { HANG };
        if budget_expired(page, expired, step).await? {
            break;
        }
        page.ping("letting time pass").await?;
        if began.elapsed() >= BUDGET_DEADLINE {
            let reason = "a budget of app time did not run out within 10 s";
            give_up(page, reason);
            break;
        }
        page.tab
            .state()
            .requests
            .ignore_older_than(REQUEST_PATIENCE);
        patient = false;
        expired = start_budget(page, slice, patient).await?;
    }
    page.tab.state().app_time += slice;
    barrier(page).await
}

/// Starts a budget; returns how many had run out before.
async fn start_budget(page: &Page<'_>, slice: Duration, patient: bool) -> Result<u64, DriverError> {
    let trust_browser = {
        let state = page.tab.state();
        let nothing_open = state.requests.pending().is_empty();
        let all_ignored = nothing_open && !state.requests.ignored().is_empty();
        let counts = state.browser_counts || state.documents <= 1 || !nothing_open;
        patient && counts && !all_ignored
    };
    let policy = if trust_browser {
        "pauseIfNetworkFetchesPending"
    } else {
        "advance"
    };
    let expired = page.tab.state().budgets_expired;
    set_policy(page, &budget(policy, slice)).await?;
    Ok(expired)
}

/// Lets a span pass in one piece, without frames.
async fn pass_budget(page: &Page<'_>, policy: &str, span: Duration) -> Result<(), DriverError> {
    let expired = page.tab.state().budgets_expired;
    set_policy(page, &budget(policy, span)).await?;
    if !budget_expired(page, expired, HANG).await? {
        page.ping("letting time pass").await?;
    }
    Ok(())
}

fn budget(policy: &str, span: Duration) -> Value {
    json!({"policy": policy, "budget": span.as_secs_f64() * 1000.0})
}

/// Whether a further budget runs out in time. A page that loads itself again and again always has a
/// request open; it is not waited for.
async fn budget_expired(
    page: &Page<'_>,
    before: u64,
    deadline: Duration,
) -> Result<bool, DriverError> {
    const RELOADS: u32 = 3;
    let documents = page.tab.state().documents;
    let look = |state: &TabState| {
        let over = state.budgets_expired > before;
        let gone = state.gone.is_some() || state.lost.is_some();
        (over || gone || state.documents > documents + RELOADS).then_some((over, gone))
    };
    match page.tab.wait_for(deadline, look).await {
        Some((false, true)) => Err(page.gone()),
        Some((over, _)) => Ok(over),
        None => Ok(false),
    }
}

fn give_up(page: &Page<'_>, reason: &str) {
    let mut state = page.tab.state();
    if state.real_time.is_none() {
        state.real_time = Some(reason.to_owned());
        state.notices.push(Notice::ClockFallback {
            reason: reason.to_owned(),
        });
    }
}

/// Waits for a drawn frame, with time held.
async fn barrier(page: &Page<'_>) -> Result<(), DriverError> {
    if page.tab.state().frameless {
        let frameless = !drawn(page, FRAME).await?;
        page.tab.state().frameless = frameless;
        return Ok(());
    }
    // A document that still waits for what it looks like draws nothing yet.
    if !drawn(page, FRAME_DEADLINE).await? && page.tab.state().loaded {
        catch_up(page).await?;
        // A document without a world or without frames (XML, PDF) has nothing to wait for; a busy
        // one may draw again.
        let frameless = !drawn(page, FRAME_DEADLINE).await?;
        page.tab.state().frameless = frameless;
    }
    Ok(())
}

async fn drawn(page: &Page<'_>, deadline: Duration) -> Result<bool, DriverError> {
    match page.evaluate::<Value>(BARRIER, true, deadline).await {
        Ok(_) => {
            let mut state = page.tab.state();
            state.frame_owed = false;
            state.last_frame = Instant::now();
            Ok(true)
        }
        Err(CallError::Closed(_) | CallError::TargetGone) => Err(page.gone()),
        Err(_) => Ok(false),
    }
}

/// Lets as much app time pass as real time did since the last frame.
async fn catch_up(page: &Page<'_>) -> Result<(), DriverError> {
    let behind = page.tab.state().last_frame.elapsed() + SLICE;
    pass_budget(page, "advance", behind).await?;
    page.tab.state().app_time += behind;
    Ok(())
}

async fn set_policy(page: &Page<'_>, params: &Value) -> Result<(), DriverError> {
    match page
        .call::<Value>("Emulation.setVirtualTimePolicy", params, HANG)
        .await
    {
        Ok(_) => Ok(()),
        Err(CallError::Deadline(waited)) => Err(page.unresponsive("letting time pass", waited)),
        Err(CallError::Closed(_) | CallError::TargetGone) => Err(page.gone()),
        Err(error) => Err(DriverError::Protocol {
            what: "letting time pass".into(),
            reason: error.to_string(),
        }),
    }
}

fn since_epoch(time: SystemTime) -> Duration {
    time.duration_since(UNIX_EPOCH).unwrap_or_default()
}
