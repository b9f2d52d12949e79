//! Real input to a page, and what became of it (WEB-050 to WEB-054).

use std::time::Duration;

use qa_core::{Action, DriverError, NodeRef, Receipt, ReceiptStatus};
use serde::Deserialize;
use serde_json::{Value, json};

use super::clock::{self, HANG};
use super::field::{Entry, enter, select};
use super::frame::World;
use super::key::Key;
use super::page::{DEADLINE, Page};
use super::parse::split_ref;
use super::transport::{Answer, CallError, mend};

/// A page that draws frames answers a probe well within this.
const FRAMES_DEADLINE: Duration = Duration::from_millis(1200);

/// What comes into view may load more and push the element away again; an endless list does so for
/// ever.
const SCROLLS: u32 = 5;

/// The walker's word for input that its document did not get.
const NOT_SEEN: &str = "INPUT_NOT_SEEN";

/// The walker's word for a press that would have hit another element.
const MISSED: &str = "TARGET_MISSED";

/// The walker's word for a press that began on its element and would have ended on another one.
const INTERRUPTED: &str = "PRESS_INTERRUPTED";

/// The walker's word for an element that is no longer what it was at the last look (REP-025).
const CHANGED: &str = "TARGET_CHANGED";

/// The walker's answer to a question about one element.
#[derive(Debug, Deserialize, Default)]
#[serde(default)]
pub(super) struct Probe {
    ok: bool,
    code: Option<String>,
    by: Option<String>,
    x: f64,
    y: f64,
    scrolled: bool,
    pub(super) value: Option<String>,
    pub(super) withheld: bool,
    pub(super) editable: bool,
    pub(super) readonly: bool,
    pub(super) disabled: bool,
    pub(super) secret: bool,
}

/// Why an action was not done.
pub(super) enum Stop {
    /// A receipt says so.
    Receipt(ReceiptStatus, &'static str, String),
    /// As before, with the walker's code.
    Refused(String, String),
    /// The page did not answer.
    Call(CallError),
    /// Time could not be made to pass.
    Driver(DriverError),
}

impl From<CallError> for Stop {
    fn from(error: CallError) -> Self {
        Self::Call(error)
    }
}

/// Does one thing, once.
pub(crate) async fn act(page: &Page<'_>, action: &Action, ordinal: u64) -> Receipt {
    let mut sent = false;
    let done = match action {
        Action::Tap { target } => tap(page, &target.node_ref, &mut sent).await,
        Action::Focus { target } => focus(page, &target.node_ref, &mut sent).await,
        Action::Hover { target } => hover(page, &target.node_ref, &mut sent).await,
        Action::Fill { target, text } => {
            enter(page, &target.node_ref, text, Entry::Replace, &mut sent).await
        }
        Action::Type { target, text } => {
            enter(page, &target.node_ref, text, Entry::Append, &mut sent).await
        }
        Action::Select { target, option } => {
            select(page, &target.node_ref, option, &mut sent).await
        }
        Action::Press { target, key } => {
            press(
                page,
                target.as_ref().map(|target| &target.node_ref),
                key,
                &mut sent,
            )
            .await
        }
        Action::Scroll { target, dx, dy } => {
            let target = target.as_ref().map(|target| &target.node_ref);
            scroll(page, target, (*dx, *dy), &mut sent).await
        }
        Action::ScrollTo { target } => scroll_to(page, &target.node_ref, &mut sent).await,
        Action::Navigate { url } => navigate(page, url, &mut sent).await,
        Action::Back => back(page, &mut sent).await,
        _ => Err(Stop::Receipt(
            ReceiptStatus::Rejected,
            "UNSUPPORTED_ACTION",
            "this driver does not know the action".into(),
        )),
    };
    let stop = match done {
        Ok(()) => return Receipt::ok(ordinal),
        Err(stop) => stop,
    };
    let not_ok = |status, code: String, reason: String| {
        let mut receipt = Receipt::not_ok(status, ordinal, code, reason);
        receipt.dispatched |= sent;
        receipt
    };
    match stop {
        Stop::Receipt(status, code, reason) => not_ok(status, code.to_owned(), reason),
        Stop::Refused(code, reason) => {
            // What is another element by now was not touched; the rest could not be done.
            let status = if code == CHANGED {
                ReceiptStatus::Rejected
            } else {
                ReceiptStatus::Failed
            };
            not_ok(status, code, reason)
        }
        Stop::Driver(error) => not_ok(
            ReceiptStatus::Failed,
            error.code().to_owned(),
            error.to_string(),
        ),
        Stop::Call(error) => {
            let error = page.error(name(action), error).await;
            // Whether it arrived is not known: only a new look can tell (WEB-053).
            let status = if sent {
                ReceiptStatus::Unknown
            } else {
                ReceiptStatus::Failed
            };
            Receipt::not_ok(status, ordinal, error.code(), error.to_string())
        }
    }
}

fn name(action: &Action) -> &'static str {
    match action {
        Action::Tap { .. } => "a tap",
        Action::Focus { .. } => "focusing",
        Action::Hover { .. } => "pointing",
        Action::Fill { .. } | Action::Type { .. } => "typing",
        Action::Select { .. } => "choosing an option",
        Action::Press { .. } => "a key press",
        Action::Scroll { .. } | Action::ScrollTo { .. } => "scrolling",
        Action::Navigate { .. } => "going to an address",
        _ => "an action",
    }
}

async fn tap(page: &Page<'_>, node_ref: &NodeRef, sent: &mut bool) -> Result<(), Stop> {
    let (world, raw) = locate(page, node_ref)?;
    let (x, y) = point(page, &world, raw, sent).await?;
    if world.session != page.session {
        reach(page, &world, x, y).await?;
    }
    click(page, x, y, sent).await?;
    match ask(page, &world, "__qa.pressArrived()", HANG).await {
        // The press replaced its document, or came too late for it.
        Err(Stop::Call(CallError::Refused { .. } | CallError::TargetGone)) => {
            let question = page.evaluate("__qa.pressCame()", false, FRAMES_DEADLINE);
            let answer: Result<String, CallError> = question.await;
            match answer.map(|text| serde_json::from_slice(&mend(text.as_bytes())).map(accept)) {
                Ok(Ok(Err(Stop::Refused(code, reason)))) if code == MISSED => {
                    Err(Stop::Refused(code, reason))
                }
                _ => Ok(()),
            }
        }
        Err(Stop::Refused(code, reason)) if code == NOT_SEEN => {
            Err(Stop::Receipt(ReceiptStatus::Unknown, NOT_SEEN, reason))
        }
        // What began on the element may have been enough for it.
        Err(Stop::Refused(code, reason)) if code == INTERRUPTED => {
            Err(Stop::Receipt(ReceiptStatus::Unknown, INTERRUPTED, reason))
        }
        other => other.map(drop),
    }
}

/// Points at a place until its document notices: the browser learns where a frame of another
/// process is a while after the page has scrolled.
async fn reach(page: &Page<'_>, world: &World, x: f64, y: f64) -> Result<(), Stop> {
    const TRIES: u32 = 40;
    const PAUSE: Duration = Duration::from_millis(25);
    let mut params = json!({"type": "mouseMoved", "x": x, "y": y, "button": "none", "buttons": 0});
    stamp(&mut params, clock::input_time(page).await?);
    let mut tries = 0;
    loop {
        let session = Some(page.session.as_str());
        let moved = page
            .connection
            .send(session, "Input.dispatchMouseEvent", &params);
        confirmed([moved]).await?;
        tries += 1;
        match ask(page, world, "__qa.pointerArrived()", HANG).await {
            Err(Stop::Refused(..)) if tries < TRIES => tokio::time::sleep(PAUSE).await,
            other => return other.map(drop),
        }
    }
}

/// Points at an element without pressing.
async fn hover(page: &Page<'_>, node_ref: &NodeRef, sent: &mut bool) -> Result<(), Stop> {
    let (world, raw) = locate(page, node_ref)?;
    let (x, y) = point(page, &world, raw, sent).await?;
    *sent = true;
    let pointed = match reach(page, &world, x, y).await {
        Ok(()) => ask(page, &world, "__qa.hoverArrived()", HANG).await,
        Err(stop) => Err(stop),
    };
    match pointed {
        Err(Stop::Refused(code, reason)) if code == NOT_SEEN => {
            Err(Stop::Receipt(ReceiptStatus::Unknown, NOT_SEEN, reason))
        }
        other => other.map(drop),
    }
}

async fn click(page: &Page<'_>, x: f64, y: f64, sent: &mut bool) -> Result<(), Stop> {
    let time = clock::input_time(page).await?;
    let mouse = |kind: &str, buttons: u32| {
        let button = if kind == "mouseMoved" { "none" } else { "left" };
        let mut params = json!({
            "type": kind, "x": x, "y": y, "button": button, "buttons": buttons, "clickCount": 1,
        });
        stamp(&mut params, time);
        page.connection
            .send(Some(&page.session), "Input.dispatchMouseEvent", &params)
    };
    let answers = [
        mouse("mouseMoved", 0),
        mouse("mousePressed", 1),
        mouse("mouseReleased", 0),
    ];
    *sent = true;
    confirmed(answers).await
}

/// Input without a time of its own gets the display's.
fn stamp(params: &mut Value, time: Option<f64>) {
    if let Some(time) = time {
        params["timestamp"] = json!(time);
    }
}

/// Input counts as dispatched when each part of it was acknowledged.
pub(super) async fn confirmed(answers: impl IntoIterator<Item = Answer>) -> Result<(), Stop> {
    for answer in answers {
        answer.within(HANG).await?;
    }
    Ok(())
}

/// Where to point at to hit an element, after everything that a careful person would check
/// (WEB-051).
async fn point(
    page: &Page<'_>,
    world: &World,
    raw: &str,
    sent: &mut bool,
) -> Result<(f64, f64), Stop> {
    let mut scrolls = 0;
    let probe = loop {
        let probe = probe(page, world, raw, sent).await?;
        scrolls += 1;
        if !probe.scrolled || scrolls > SCROLLS {
            break probe;
        }
        clock::let_requests_end(page).await.map_err(Stop::Driver)?;
    };
    in_page(page, world, (probe.x, probe.y)).await
}

/// Scrolling is something done to the app, too: it may load what was not there.
async fn probe(page: &Page<'_>, world: &World, raw: &str, sent: &mut bool) -> Result<Probe, Stop> {
    let question = |frames: bool| format!("__qa.probe({}, {{frames:{frames}}})", quote(raw));
    let probe = match answer(page, world, &question(true), FRAMES_DEADLINE).await {
        Err(CallError::Deadline(_)) => {
            page.ping("a probe")
                .await
                .map_err(|_| CallError::Deadline(HANG))?;
            answer(page, world, &question(false), DEADLINE).await?
        }
        other => other?,
    };
    *sent |= probe.scrolled;
    accept(probe)
}

/// Where a point of a document's viewport lies in the page. Each frame on the way is brought into
/// view and must be what is seen at the point.
async fn in_page(
    page: &Page<'_>,
    world: &World,
    (mut x, mut y): (f64, f64),
) -> Result<(f64, f64), Stop> {
    let mut frame = world.frame.clone();
    loop {
        let (parent, session) = {
            let state = page.tab.state();
            let Some(parent) = state.frames.parent_of(&frame) else {
                break;
            };
            let world = state.frames.world_of(parent).cloned();
            (world.ok_or(CallError::TargetGone)?, parent.to_owned())
        };
        let raw = super::observe::owner_ref(page, &parent, &frame).await?;
        let question = format!("__qa.framePoint({}, {x}, {y})", quote(&raw));
        let point = match ask(page, &parent, &question, FRAMES_DEADLINE).await {
            // Where no frames are drawn it is in view by now.
            Err(Stop::Call(CallError::Deadline(_))) => {
                ask(page, &parent, &question, DEADLINE).await?
            }
            other => other?,
        };
        (x, y) = (point.x, point.y);
        frame = session;
    }
    Ok((x, y))
}

/// The live document and element that a ref names.
pub(super) fn locate<'r>(page: &Page<'_>, node_ref: &'r NodeRef) -> Result<(World, &'r str), Stop> {
    let expired = || {
        Stop::Receipt(
            ReceiptStatus::Rejected,
            "REF_EXPIRED",
            "the element's document is gone; look again".into(),
        )
    };
    let (number, raw) = split_ref(node_ref).ok_or_else(|| {
        Stop::Receipt(
            ReceiptStatus::Rejected,
            "UNKNOWN_REF",
            format!("{node_ref} names nothing"),
        )
    })?;
    let world = page.tab.state().frames.world(number).cloned();
    Ok((world.ok_or_else(expired)?, raw))
}

pub(super) async fn ask(
    page: &Page<'_>,
    world: &World,
    question: &str,
    deadline: Duration,
) -> Result<Probe, Stop> {
    accept(answer(page, world, question, deadline).await?)
}

async fn answer(
    page: &Page<'_>,
    world: &World,
    question: &str,
    deadline: Duration,
) -> Result<Probe, CallError> {
    let text: String = page.evaluate_in(world, question, true, deadline).await?;
    serde_json::from_slice(&mend(text.as_bytes()))
        .map_err(|error| CallError::Shape(error.to_string()))
}

/// An answer that says yes.
fn accept(probe: Probe) -> Result<Probe, Stop> {
    if probe.ok {
        return Ok(probe);
    }
    let code = probe.code.unwrap_or_else(|| "TARGET_UNAVAILABLE".into());
    let reason = match (&*code, probe.by) {
        ("TARGET_OBSCURED", Some(by)) => format!("{by} lies over it"),
        ("TARGET_DETACHED", _) => "it is no longer on the page".into(),
        ("TARGET_DISABLED", _) => "it is disabled".into(),
        ("TARGET_MOVING", _) => "it moves".into(),
        ("TARGET_INVISIBLE", _) => "it cannot be seen".into(),
        (CHANGED, _) => "it is another element than the one that was looked at".into(),
        (MISSED, Some(by)) => format!("the press landed on {by}"),
        (INTERRUPTED, Some(by)) => format!("the press would have ended on {by}"),
        (NOT_SEEN, _) => "its document did not notice the pointer".into(),
        (_, Some(by)) => by,
        (_, None) => "the element cannot be used".into(),
    };
    Err(Stop::Refused(code, reason))
}

async fn press(
    page: &Page<'_>,
    target: Option<&NodeRef>,
    key: &str,
    sent: &mut bool,
) -> Result<(), Stop> {
    if Key::named(key).is_none() {
        let reason = format!("{key:?} is the name of no key");
        return Err(Stop::Receipt(
            ReceiptStatus::Rejected,
            "UNSUPPORTED_KEY",
            reason,
        ));
    }
    let Some(node_ref) = target else {
        *sent = true;
        return key_stroke(page, key).await;
    };
    let (world, _) = locate(page, node_ref)?;
    focus(page, node_ref, sent).await?;
    *sent = true;
    key_stroke(page, key).await?;
    match ask(page, &world, "__qa.keyArrived()", HANG).await {
        // The key replaced its document.
        Err(Stop::Call(CallError::Refused { .. } | CallError::TargetGone)) => Ok(()),
        other => other.map(drop),
    }
}

/// Gives an element the focus.
async fn focus(page: &Page<'_>, node_ref: &NodeRef, sent: &mut bool) -> Result<(), Stop> {
    let (world, raw) = locate(page, node_ref)?;
    let question = format!("__qa.focusOn({})", quote(raw));
    let focused = ask(page, &world, &question, DEADLINE).await;
    *sent |= match &focused {
        // The page has its listeners run, even if it then gives the focus to something else.
        Ok(_) | Err(Stop::Call(_)) => true,
        Err(Stop::Refused(code, _)) => code == "TARGET_NOT_FOCUSED",
        Err(_) => false,
    };
    focused.map(drop)
}

pub(super) async fn key_stroke(page: &Page<'_>, name: &str) -> Result<(), Stop> {
    let Some(key) = Key::named(name) else {
        return Ok(());
    };
    let time = clock::input_time(page).await?;
    let event = |kind: &str| {
        let mut params = json!({
            "type": kind, "key": key.key, "code": key.code,
            "windowsVirtualKeyCode": key.virtual_code, "nativeVirtualKeyCode": key.virtual_code,
        });
        if kind == "keyDown"
            && let Some(text) = &key.text
        {
            params["text"] = json!(text);
            params["unmodifiedText"] = json!(text);
        }
        stamp(&mut params, time);
        page.connection
            .send(Some(&page.session), "Input.dispatchKeyEvent", &params)
    };
    let down = if key.text.is_some() {
        "keyDown"
    } else {
        "rawKeyDown"
    };
    confirmed([event(down), event("keyUp")]).await
}

async fn scroll(
    page: &Page<'_>,
    target: Option<&NodeRef>,
    (dx, dy): (i32, i32),
    sent: &mut bool,
) -> Result<(), Stop> {
    let (x, y) = match target {
        Some(node_ref) => {
            let (world, raw) = locate(page, node_ref)?;
            point(page, &world, raw, sent).await?
        }
        None => {
            let (width, height) = super::setup::VIEWPORT;
            (f64::from(width) / 2.0, f64::from(height) / 2.0)
        }
    };
    let mut params = json!({"type": "mouseWheel", "x": x, "y": y, "deltaX": dx, "deltaY": dy});
    stamp(&mut params, clock::input_time(page).await?);
    *sent = true;
    let session = Some(page.session.as_str());
    confirmed([page
        .connection
        .send(session, "Input.dispatchMouseEvent", &params)])
    .await
}

/// Brings an element into view. What comes into view may load more and push it away again, or take
/// its place: then it has been seen all the same.
async fn scroll_to(page: &Page<'_>, node_ref: &NodeRef, sent: &mut bool) -> Result<(), Stop> {
    let (world, raw) = locate(page, node_ref)?;
    let question = format!("__qa.scrollTo({})", quote(raw));
    for _ in 0..=SCROLLS {
        match ask(page, &world, &question, DEADLINE).await {
            Ok(Probe { scrolled: true, .. }) => *sent = true,
            Err(stop) if !(*sent && matches!(stop, Stop::Refused(..))) => return Err(stop),
            _ => break,
        }
        clock::let_requests_end(page).await.map_err(Stop::Driver)?;
    }
    Ok(())
}

async fn navigate(page: &Page<'_>, url: &str, sent: &mut bool) -> Result<(), Stop> {
    if !page.tab.state().is_inside(url) {
        let reason = "the address is outside the app".to_owned();
        return Err(Stop::Receipt(ReceiptStatus::Rejected, "UNSAFE_URL", reason));
    }
    *sent = true;
    let answer: Value = page
        .call("Page.navigate", &json!({"url": url}), DEADLINE)
        .await?;
    match answer["errorText"].as_str() {
        Some(text) => Err(Stop::Refused("NAVIGATION_FAILED".into(), text.to_owned())),
        None => Ok(()),
    }
}

async fn back(page: &Page<'_>, sent: &mut bool) -> Result<(), Stop> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct History {
        current_index: usize,
        entries: Vec<Entry>,
    }
    #[derive(Deserialize)]
    struct Entry {
        id: i64,
        url: String,
    }
    let history: History = page
        .call("Page.getNavigationHistory", &json!({}), DEADLINE)
        .await?;
    let earlier = history
        .current_index
        .checked_sub(1)
        .and_then(|index| history.entries.get(index));
    // The empty page that the browser began with is not a page of the app (WEB-054).
    let Some(entry) = earlier.filter(|entry| entry.url != "about:blank") else {
        let reason = "there is no earlier page in the history".to_owned();
        return Err(Stop::Refused("BACK_UNAVAILABLE".into(), reason));
    };
    *sent = true;
    let params = json!({"entryId": entry.id});
    page.call::<Value>("Page.navigateToHistoryEntry", &params, DEADLINE)
        .await?;
    Ok(())
}

/// A text as a JavaScript literal; JSON is one.
pub(super) fn quote(text: &str) -> String {
    Value::from(text).to_string()
}
