//! App time: how it passes, and how a frame gets drawn at the end of it (WEB-070 to WEB-077).
//!
//! On the virtual clock the browser runs the page's timers as fast as it can for a budget of app
//! time and then holds them still. What Chromium 156 was seen to do, and what follows:
//!
//! - One large budget runs out before the compositor draws: so a span passes in slices, each
//!   followed by a barrier of two animation frames.
//! - A document that began while time was held draws no frame at all: so after each navigation, and
//!   when a barrier does not answer, time is let go until a frame comes.
//! - A budget does not run out while a request is open: one that stays open too long is named and
//!   no longer waited for.

use std::time::Duration;

use qa_core::{Advanced, Clock, DriverError, Notice};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::page::Page;
use super::transport::CallError;

const SLICE: Duration = Duration::from_millis(250);
const BARRIER_DEADLINE: Duration = Duration::from_millis(150);
const FRAME_DEADLINE: Duration = Duration::from_millis(1000);
/// A request that is open this long no longer keeps a page waiting (the settle budget).
const REQUEST_PATIENCE: Duration = Duration::from_millis(2500);
/// A budget that has not run out in so long although no request is open is held for one that
/// Chromium 156 miscounts: seen in each document that an app went to on the virtual clock.
const MISCOUNT: Duration = Duration::from_millis(400);
/// After so long a budget that has not run out is given up (WEB-071).
const BUDGET_DEADLINE: Duration = Duration::from_secs(10);
/// A page that answers nothing for so long hangs (WEB-040).
pub(crate) const HANG: Duration = Duration::from_secs(5);

/// Two animation frames, or the word that there will be none.
const BARRIER: &str = "new Promise(done => document.hidden ? done('hidden') : \
    requestAnimationFrame(() => requestAnimationFrame(() => done('drawn'))))";

/// Holds time still in a page that has just begun, after its first frame.
pub(crate) async fn hold(page: &Page<'_>) -> Result<(), DriverError> {
    draw_owed_frame(page).await
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
    }
    let mut state = page.tab.state();
    state.app_time += span;
    Ok(Advanced {
        clock: if real { Clock::Real } else { Clock::Virtual },
        ignored: state.requests.ignored(),
        pending: state.requests.pending(),
    })
}

async fn pass_slice(page: &Page<'_>, slice: Duration) -> Result<(), DriverError> {
    if page.tab.state().frame_owed {
        draw_owed_frame(page).await?;
    }
    let began = Instant::now();
    // A page on the real clock has slept already; its timers must not wait for its streams.
    let mut patient = page.tab.state().real_time.is_none();
    let mut expired = start_budget(page, slice, patient).await?;
    loop {
        let nothing_open = {
            let state = page.tab.state();
            state.documents > 1 && state.requests.pending().is_empty()
        };
        let step = match (patient, nothing_open) {
            (true, true) => MISCOUNT,
            (true, false) => REQUEST_PATIENCE,
            (false, _) => HANG,
        };
        let done = page
            .tab
            .wait_for(step, |state| {
                let over = state.budgets_expired > expired;
                (over || state.gone.is_some() || state.lost.is_some()).then_some(over)
            })
            .await;
        match done {
            Some(true) => break,
            Some(false) => return Err(page.gone()),
            None => {}
        }
        page.ping("letting time pass").await?;
        if began.elapsed() >= BUDGET_DEADLINE {
            let reason = "a budget of app time did not run out within 10 s";
            give_up(page, reason);
            break;
        }
        if patient && nothing_open {
            page.tab.state().miscounted = true;
        }
        page.tab
            .state()
            .requests
            .ignore_older_than(REQUEST_PATIENCE);
        if page.tab.state().frame_owed {
            draw_owed_frame(page).await?;
        }
        patient = false;
        expired = start_budget(page, slice, patient).await?;
    }
    barrier(page).await
}

/// Starts a budget; returns how many had run out before.
async fn start_budget(page: &Page<'_>, slice: Duration, patient: bool) -> Result<u64, DriverError> {
    let expired = page.tab.state().budgets_expired;
    let trust_browser = {
        let state = page.tab.state();
        let nothing_open = state.requests.pending().is_empty();
        let all_ignored = nothing_open && !state.requests.ignored().is_empty();
        patient && !all_ignored && !(state.miscounted && nothing_open)
    };
    let policy = if trust_browser {
        "pauseIfNetworkFetchesPending"
    } else {
        "advance"
    };
    let params = json!({"policy": policy, "budget": slice.as_millis()});
    set_policy(page, &params, HANG).await?;
    Ok(expired)
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

/// Waits for a drawn frame, with time held; lets time go where that does not help.
async fn barrier(page: &Page<'_>) -> Result<(), DriverError> {
    match page
        .evaluate::<Value>(BARRIER, true, BARRIER_DEADLINE)
        .await
    {
        Ok(_) => Ok(()),
        Err(CallError::Closed(_) | CallError::TargetGone) => Err(page.gone()),
        Err(_) => draw_owed_frame(page).await,
    }
}

/// Lets time go until a frame is drawn, and holds it again.
async fn draw_owed_frame(page: &Page<'_>) -> Result<(), DriverError> {
    set_policy(page, &json!({"policy": "advance"}), HANG).await?;
    page.tab.state().frame_owed = false;
    let drawn = page.evaluate::<Value>(BARRIER, true, FRAME_DEADLINE).await;
    set_policy(page, &json!({"policy": "pause"}), HANG).await?;
    match drawn {
        Err(CallError::Closed(_) | CallError::TargetGone) => Err(page.gone()),
        // A document without a world or without frames (XML, PDF, a hidden page) has nothing to
        // wait for.
        _ => Ok(()),
    }
}

async fn set_policy(
    page: &Page<'_>,
    params: &Value,
    deadline: Duration,
) -> Result<(), DriverError> {
    match page
        .call::<Value>("Emulation.setVirtualTimePolicy", params, deadline)
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
