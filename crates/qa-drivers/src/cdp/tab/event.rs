//! What the protocol's events change in the state of the page.

use base64::Engine as _;
use qa_core::{CrashKind, Exchange, Notice, clip};
use qa_crash::BrowserFault;
use serde::Deserialize;
use serde_json::{Value, json};

use super::super::fault::{ConsoleCall, ExceptionDetails};
use super::super::network::{LoadingFailed, RequestWillBeSent, ResponseReceived};
use super::super::transport::{Connection, Event, EventSink};
use super::{PageIds, Tab, TabState};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Attached {
    session_id: String,
    target_info: TargetInfo,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TargetInfo {
    target_id: String,
    #[serde(rename = "type")]
    kind: String,
    url: String,
    browser_context_id: Option<String>,
}

impl EventSink for Tab {
    fn on_event(&mut self, connection: &Connection, event: Event) {
        let session = event.session.as_ref();
        if session.is_some_and(|session| self.state().closing.contains(session)) {
            return;
        }
        match event
            .method
            .split_once('.')
            .map_or("", |(domain, _)| domain)
        {
            "Target" => self.on_target(connection, &event),
            "Page" => self.on_page(connection, &event),
            "Runtime" | "Log" | "Inspector" => self.on_runtime(connection, &event),
            "Network" => self.on_network(&event),
            "Browser" => self.on_browser(&event),
            "Fetch" => self.on_fetch(connection, &event),
            "Emulation" if event.method == "Emulation.virtualTimeBudgetExpired" => {
                self.state().budgets_expired += 1;
            }
            _ => return,
        }
        self.shared.changed.notify_waiters();
    }

    fn on_close(&mut self, reason: &str) {
        self.state().lost.get_or_insert_with(|| reason.to_owned());
        self.shared.changed.notify_waiters();
    }
}

impl Tab {
    fn on_target(&self, connection: &Connection, event: &Event) {
        match event.method.as_str() {
            "Target.attachedToTarget" => {
                if let Some(attached) = event.params::<Attached>() {
                    self.on_attached(connection, event.session.as_deref(), attached);
                }
            }
            "Target.detachedFromTarget" => {
                #[derive(Deserialize)]
                #[serde(rename_all = "camelCase")]
                struct Detached {
                    session_id: String,
                }
                if let Some(Detached { session_id }) = event.params() {
                    self.on_detached(connection, &session_id);
                }
            }
            _ => {}
        }
    }

    fn on_attached(&self, connection: &Connection, parent: Option<&str>, attached: Attached) {
        let Attached {
            session_id: session,
            target_info: target,
        } = attached;
        let mut state = self.state();
        match target.kind.as_str() {
            _ if parent.is_none() && target.browser_context_id != state.context => {
                resume(connection, &session);
                let params = json!({"sessionId": session});
                drop(connection.send(None, "Target.detachFromTarget", &params));
            }
            "page" if parent.is_none() => {
                if state.page.is_none() && state.gone.is_none() {
                    // It stays paused until the launch has set it up.
                    state.page = Some(PageIds {
                        target: target.target_id,
                        session,
                    });
                } else {
                    // A second page of ours is a pop-up; it is closed before it asks for anything.
                    if !target.url.is_empty() && target.url != "about:blank" {
                        push_popup(&mut state, target.url);
                    }
                    // Its opener waits until it goes on; so it does, out of reach of any server.
                    let offline = json!({
                        "offline": true, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1,
                    });
                    drop(connection.send(Some(&session), "Network.enable", &json!({})));
                    drop(connection.send(
                        Some(&session),
                        "Network.emulateNetworkConditions",
                        &offline,
                    ));
                    let params = json!({"targetId": target.target_id});
                    drop(connection.send(None, "Target.closeTarget", &params));
                    resume(connection, &session);
                    state.closing.insert(session);
                }
            }
            "iframe" => {
                state.frames.session_began(&target.target_id, &session);
                let block = state.block_origins;
                drop(state);
                super::super::setup::frame_session(connection, &session, block);
                resume(connection, &session);
            }
            kind => {
                if kind.contains("worker") {
                    let label = format!("{} {}", kind.replace('_', " "), target.url);
                    state.workers.insert(session.clone(), label);
                    super::super::setup::worker_session(connection, &session, state.block_origins);
                }
                resume(connection, &session);
            }
        }
    }

    fn on_detached(&self, connection: &Connection, session: &str) {
        connection.session_gone(session);
        let mut state = self.state();
        state.frames.session_ended(session);
        state.workers.remove(session);
        state.closing.remove(session);
        if state.is_page(Some(session)) && state.gone.is_none() {
            state.gone = Some("the page closed its window".into());
            state.notices.push(Notice::Closed);
        }
    }

    fn on_page(&self, connection: &Connection, event: &Event) {
        let session = event.session.as_deref();
        let mut state = self.state();
        match event.method.as_str() {
            "Page.frameAttached" => {
                #[derive(Deserialize)]
                #[serde(rename_all = "camelCase")]
                struct FrameAttached {
                    frame_id: String,
                    parent_frame_id: String,
                }
                if let Some(FrameAttached {
                    frame_id,
                    parent_frame_id,
                }) = event.params()
                {
                    state.frames.attached(&frame_id, &parent_frame_id, session);
                }
            }
            "Page.frameDetached" => {
                #[derive(Deserialize)]
                #[serde(rename_all = "camelCase")]
                struct FrameDetached {
                    frame_id: String,
                    reason: Option<String>,
                }
                if let Some(FrameDetached { frame_id, reason }) = event.params()
                    && reason.as_deref() != Some("swap")
                {
                    state.frames.detached(&frame_id);
                }
            }
            "Page.frameNavigated" => {
                #[derive(Deserialize)]
                #[serde(rename_all = "camelCase")]
                struct FrameNavigated {
                    frame: FrameInfo,
                }
                #[derive(Deserialize)]
                #[serde(rename_all = "camelCase")]
                struct FrameInfo {
                    id: String,
                    parent_id: Option<String>,
                    loader_id: String,
                    url: String,
                    #[serde(default)]
                    url_fragment: String,
                }
                if let Some(FrameNavigated { frame }) = event.params() {
                    let main = frame.parent_id.is_none() && state.is_page(session);
                    let url = format!("{}{}", frame.url, frame.url_fragment);
                    state
                        .frames
                        .navigated(&frame.id, frame.parent_id.as_deref(), url, session);
                    if main {
                        state.requests.new_document(&frame.loader_id);
                        state.frame_owed = true;
                        state.frameless = false;
                        state.documents += 1;
                        state.loaded = false;
                        state.broken_images = 0;
                        state.broken_seen = 0;
                    }
                }
            }
            "Page.navigatedWithinDocument" => {
                #[derive(Deserialize)]
                #[serde(rename_all = "camelCase")]
                struct Within {
                    frame_id: String,
                    url: String,
                }
                if let Some(Within { frame_id, url }) = event.params() {
                    state.frames.moved_within(&frame_id, url);
                }
            }
            "Page.loadEventFired" if state.is_page(session) => state.loaded = true,
            "Page.javascriptDialogOpening" => {
                #[derive(Deserialize)]
                struct Dialog {
                    #[serde(rename = "type")]
                    kind: String,
                    message: String,
                }
                if let Some(Dialog { kind, message }) = event.params() {
                    // WEB-008
                    let accepted = matches!(kind.as_str(), "alert" | "beforeunload")
                        || state.accept_dialogs && state.blocklist.hit(&message).is_none();
                    let params = json!({"accept": accepted});
                    drop(connection.send(session, "Page.handleJavaScriptDialog", &params));
                    let message = clip(&message, 500);
                    push_notice(
                        &mut state.notices,
                        Notice::Dialog {
                            kind,
                            message,
                            accepted,
                        },
                    );
                }
            }
            "Page.windowOpen" => {
                #[derive(Deserialize)]
                struct WindowOpen {
                    url: String,
                }
                if let Some(WindowOpen { url }) = event.params() {
                    push_popup(&mut state, url);
                }
            }
            "Page.fileChooserOpened" => {
                #[derive(Deserialize)]
                #[serde(rename_all = "camelCase")]
                struct Chooser {
                    backend_node_id: Option<i64>,
                }
                let node = event
                    .params::<Chooser>()
                    .and_then(|chooser| chooser.backend_node_id);
                let answered = node.is_some() && !state.upload.is_empty();
                if answered {
                    let params = json!({"files": state.upload, "backendNodeId": node});
                    drop(connection.send(session, "DOM.setFileInputFiles", &params));
                }
                push_notice(&mut state.notices, Notice::FileChooser { answered });
            }
            _ => {}
        }
    }

    fn on_runtime(&self, connection: &Connection, event: &Event) {
        let session = event.session.as_deref();
        match event.method.as_str() {
            "Runtime.executionContextCreated" => {
                #[derive(Deserialize)]
                struct Created {
                    context: Context,
                }
                #[derive(Deserialize)]
                #[serde(rename_all = "camelCase")]
                struct Context {
                    id: i64,
                    name: String,
                    #[serde(default)]
                    aux_data: Value,
                }
                if let Some(Created { context }) = event.params()
                    && context.name == super::super::setup::WORLD
                    && let Some(frame) = context.aux_data["frameId"].as_str()
                    && let Some(session) = session
                {
                    self.state().frames.world_began(frame, session, context.id);
                }
            }
            "Runtime.executionContextDestroyed" => {
                #[derive(Deserialize)]
                #[serde(rename_all = "camelCase")]
                struct Destroyed {
                    execution_context_id: i64,
                }
                if let (
                    Some(Destroyed {
                        execution_context_id: id,
                    }),
                    Some(session),
                ) = (event.params(), session)
                {
                    self.state().frames.world_ended(session, id);
                }
            }
            "Runtime.executionContextsCleared" => {
                if let Some(session) = session {
                    self.state().frames.worlds_ended(session);
                }
            }
            "Runtime.exceptionThrown" => {
                #[derive(Deserialize)]
                #[serde(rename_all = "camelCase")]
                struct Thrown {
                    exception_details: ExceptionDetails,
                }
                if let Some(Thrown {
                    exception_details: details,
                }) = event.params()
                {
                    let (page, source) = self.place(session);
                    let id = details.exception_id;
                    self.fault(details.into_fault(page, source), Some(id));
                }
            }
            "Runtime.exceptionRevoked" => {
                #[derive(Deserialize)]
                #[serde(rename_all = "camelCase")]
                struct Revoked {
                    exception_id: i64,
                }
                if let Some(Revoked { exception_id }) = event.params() {
                    self.state().faults.revoke(exception_id);
                }
            }
            "Runtime.consoleAPICalled" => {
                if let Some(call) = event.params::<ConsoleCall>() {
                    let text = call.text();
                    let line = format!("console.{}: {text}", call.kind);
                    self.state().faults.note(&line);
                    self.logged(&call.kind, &text);
                    if matches!(call.kind.as_str(), "error" | "assert") {
                        let (page, source) = self.place(session);
                        self.fault(call.into_fault(page, source), None);
                    }
                }
            }
            "Log.entryAdded" => self.on_log_entry(session, event),
            "Inspector.targetCrashed" => self.on_renderer_crash(connection, session),
            _ => {}
        }
    }

    fn on_log_entry(&self, session: Option<&str>, event: &Event) {
        #[derive(Deserialize)]
        struct EntryAdded {
            entry: LogEntry,
        }
        #[derive(Deserialize)]
        struct LogEntry {
            source: String,
            level: String,
            text: String,
        }
        let Some(EntryAdded { entry }) = event.params() else {
            return;
        };
        // What the network brings is evidence of its own.
        if entry.source != "network" {
            self.logged(&entry.level, &entry.text);
        }
        let kind = if entry.text.contains("Content Security Policy") {
            CrashKind::CspViolation
        } else if entry.text.contains("Mixed Content") {
            CrashKind::MixedContent
        } else if entry.level == "error" && !matches!(entry.source.as_str(), "network" | "worker") {
            CrashKind::ConsoleError
        } else {
            return;
        };
        let (page, source) = self.place(session);
        let mut fault = BrowserFault::new(kind, clip(&entry.text, 2_000));
        (fault.page, fault.source) = (page, source);
        self.fault(fault, None);
    }

    /// The page logged something: evidence, if somebody watches.
    fn logged(&self, kind: &str, text: &str) {
        if self.is_watching() {
            self.state().evidence.logged(kind, text);
        }
    }

    fn on_renderer_crash(&self, connection: &Connection, session: Option<&str>) {
        let (page, is_page) = {
            let mut state = self.state();
            let is_page = state.is_page(session);
            if is_page {
                state.gone = Some("the page's process died".into());
            }
            (state.frames.main_url(), is_page)
        };
        let what = if is_page {
            "the page's process died"
        } else {
            "a frame's process died"
        };
        let mut fault = BrowserFault::new(CrashKind::RendererCrash, what);
        fault.page = page;
        self.fault(fault, None);
        if let Some(session) = session {
            connection.session_gone(session);
        }
    }

    fn on_network(&self, event: &Event) {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Finished {
            request_id: String,
        }
        let mut state = self.state();
        let mut exchange = None;
        let fault = match event.method.as_str() {
            "Network.requestWillBeSent" => {
                let sent = event.params::<RequestWillBeSent>();
                exchange = sent.and_then(|sent| state.requests.sent(sent));
                None
            }
            "Network.responseReceived" => event.params::<ResponseReceived>().and_then(|answer| {
                if let Some((url, head)) = answer.script(event.session.as_deref()) {
                    state.scripts.came(url, head);
                }
                let TabState {
                    requests, origins, ..
                } = &mut *state;
                exchange = requests.answer(&answer);
                requests.answered(&answer, origins)
            }),
            "Network.loadingFinished" => {
                if let Some(Finished { request_id }) = event.params() {
                    state.requests.finished(&request_id);
                }
                None
            }
            "Network.loadingFailed" => event.params::<LoadingFailed>().and_then(|failure| {
                let (told, fault) = failed(&mut state, &failure);
                exchange = told;
                fault
            }),
            "Network.webSocketCreated" => {
                #[derive(Deserialize)]
                struct Created {
                    url: String,
                }
                if let Some(Created { url }) = event.params()
                    && state.block_origins
                    && !state.is_inside(&url)
                {
                    state.blocked.add(&url);
                    return;
                }
                need_real_time(&mut state, "the page opened a WebSocket");
                None
            }
            "Network.eventSourceMessageReceived" => {
                need_real_time(&mut state, "the page reads an event stream");
                None
            }
            _ => None,
        };
        if let Some(exchange) = exchange
            && self.is_watching()
            && !state.answer_empty
        {
            state.note_reach(&exchange);
            state.evidence.exchanged(exchange);
        }
        if let Some(mut fault) = fault {
            fault.page = state.frames.main_url();
            state.broken_images += u64::from(fault.kind == CrashKind::BrokenImage);
            let line = format!(
                "{} {}",
                fault.class.as_deref().unwrap_or_default(),
                fault.message
            );
            state.faults.note(&line);
            drop(state);
            self.fault(fault, None);
        }
    }

    /// A request waits for our word (`--block-origins`, WEB-012).
    fn on_fetch(&self, connection: &Connection, event: &Event) {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Paused {
            request_id: String,
            request: PausedRequest,
            #[serde(default)]
            resource_type: String,
            redirected_request_id: Option<String>,
        }
        #[derive(Deserialize)]
        struct PausedRequest {
            url: String,
        }
        let Some(Paused {
            request_id,
            request,
            resource_type,
            redirected_request_id,
        }) = event.params()
        else {
            return;
        };
        let mut state = self.state();
        if state.answer_empty {
            let page =
                base64::engine::general_purpose::STANDARD.encode(super::super::login::EMPTY_PAGE);
            let params = json!({
                "requestId": request_id, "responseCode": 200, "body": page,
                "responseHeaders": [{"name": "Content-Type", "value": "text/html"}],
            });
            drop(connection.send(event.session.as_deref(), "Fetch.fulfillRequest", &params));
            return;
        }
        // What has no host (data, blob, about) asks nobody.
        let to_host = ["http:", "https:", "ws:", "wss:"]
            .iter()
            .any(|scheme| request.url.starts_with(scheme));
        let (method, params) = if !to_host || state.is_inside(&request.url) {
            ("Fetch.continueRequest", json!({"requestId": request_id}))
        } else {
            state.blocked.add(&request.url);
            // The page calls it by the address that led there; by that it cannot be told in a view.
            let led_there = resource_type == "Image" && redirected_request_id.is_some();
            state.broken_images += u64::from(led_there);
            let params = json!({"requestId": request_id, "errorReason": "BlockedByClient"});
            ("Fetch.failRequest", params)
        };
        drop(connection.send(event.session.as_deref(), method, &params));
    }

    fn on_browser(&self, event: &Event) {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Download {
            url: String,
            suggested_filename: String,
        }
        if event.method == "Browser.downloadWillBegin"
            && let Some(Download {
                url,
                suggested_filename: name,
            }) = event.params()
        {
            // The address of a file that the page made itself is the file.
            let url = if url.starts_with("data:") {
                "data:".into()
            } else {
                clip(&url, 2_000)
            };
            let name = clip(&name, 200);
            push_notice(&mut self.state().notices, Notice::Download { url, name });
        }
    }

    /// The page's address, and what the session is called if it is not the page.
    fn place(&self, session: Option<&str>) -> (Option<String>, Option<String>) {
        let state = self.state();
        let source = session
            .filter(|session| !state.is_page(Some(session)))
            .map(|session| {
                state
                    .workers
                    .get(session)
                    .cloned()
                    .unwrap_or_else(|| "a frame".into())
            });
        (state.frames.main_url(), source)
    }
}

/// A request failed: what is told of it, and whose fault it is. What we kept from being asked is none
/// of the app's (WEB-012).
fn failed(
    state: &mut TabState,
    failure: &LoadingFailed,
) -> (Option<Exchange>, Option<BrowserFault>) {
    let url = state.requests.address(failure).map(str::to_owned);
    let told = state.requests.failure(failure);
    let fault = state.requests.failed(failure);
    match url {
        Some(url) if state.block_origins && !state.is_inside(&url) => {
            // Otherwise it has been counted where it waited for our word.
            if failure.met_no_proxy() {
                state.blocked.add(&url);
            }
            (None, None)
        }
        _ => (told, fault),
    }
}

fn need_real_time(state: &mut TabState, why: &str) {
    if state.virtual_clock && state.real_time.is_none() {
        state.real_time = Some(why.to_owned());
        push_notice(
            &mut state.notices,
            Notice::ClockFallback {
                reason: why.to_owned(),
            },
        );
    }
}

fn resume(connection: &Connection, session: &str) {
    drop(connection.send(Some(session), "Runtime.runIfWaitingForDebugger", &json!({})));
}

fn push_popup(state: &mut TabState, url: String) {
    // An address that is cut is not the address any more.
    let inside = url.chars().count() <= 2_000 && state.is_inside(&url);
    let popup = Notice::Popup {
        url: clip(&url, 2_000),
        inside,
    };
    if !state.notices.contains(&popup) {
        push_notice(&mut state.notices, popup);
    }
}

/// Notices of one step, in bounded memory: a page can open dialogs for ever.
fn push_notice(notices: &mut Vec<Notice>, notice: Notice) {
    const KEPT: usize = 20;
    if notices.len() < KEPT {
        notices.push(notice);
    }
}
