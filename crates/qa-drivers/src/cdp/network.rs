//! What a page asks of servers: what is still open, and what went wrong.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use qa_core::{CrashKind, Exchange, clip};
use qa_crash::BrowserFault;
use serde::Deserialize;
use serde_json::Value;

use super::evidence::bare;

/// Requests on their way.
#[derive(Default)]
pub(crate) struct Requests {
    open: HashMap<String, Request>,
}

#[derive(Debug, Clone)]
struct Request {
    url: String,
    method: String,
    kind: String,
    began: Instant,
    /// When its answer came; the rest of that may come later, or never be read.
    answered: Option<Instant>,
    ignored: bool,
}

/// So long the rest of an answer is waited for. Of one that must not be stored the browser reads no more
/// than the page does, so it may never end.
const BODY_PATIENCE: Duration = Duration::from_secs(1);

impl Request {
    fn is_unread(&self) -> bool {
        self.answered
            .is_some_and(|at| at.elapsed() >= BODY_PATIENCE)
    }
}

/// `Network.requestWillBeSent`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RequestWillBeSent {
    request_id: String,
    request: RequestHead,
    #[serde(rename = "type", default)]
    kind: String,
    /// What sent it here.
    redirect_response: Option<ResponseHead>,
}

#[derive(Deserialize)]
struct RequestHead {
    url: String,
    method: String,
}

/// `Network.responseReceived`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ResponseReceived {
    request_id: String,
    #[serde(rename = "type", default)]
    kind: String,
    response: ResponseHead,
}

#[derive(Deserialize)]
struct ResponseHead {
    url: String,
    status: u16,
    #[serde(default)]
    headers: HashMap<String, Value>,
}

impl ResponseReceived {
    /// The browser asks for this one by itself, whether the app has it or not.
    fn is_by_browser(&self) -> bool {
        self.kind == "Other" && self.response.url.ends_with("/favicon.ico")
    }

    /// The script that it brings, and its address.
    pub(crate) fn script(&self, session: Option<&str>) -> Option<(String, ScriptHead)> {
        if self.kind != "Script" || self.response.status >= 400 {
            return None;
        }
        let named = |name: &&str| {
            let mut headers = self.response.headers.iter();
            headers.find_map(|(key, value)| {
                let found = key.eq_ignore_ascii_case(name).then(|| value.as_str());
                found.flatten().map(str::to_owned)
            })
        };
        let head = ScriptHead {
            session: session.map(str::to_owned),
            request_id: self.request_id.clone(),
            source_map: ["SourceMap", "X-SourceMap"].iter().find_map(named),
        };
        Some((self.response.url.clone(), head))
    }
}

/// How a script came.
#[derive(Debug, Clone)]
pub(crate) struct ScriptHead {
    /// Whose request it was.
    pub(crate) session: Option<String>,
    /// The protocol's name of the request.
    pub(crate) request_id: String,
    /// What its header says of its source map.
    pub(crate) source_map: Option<String>,
}

/// Scripts by their address, the latest of each; in bounded memory whatever a page loads.
#[derive(Default)]
pub(crate) struct Scripts {
    heads: HashMap<String, ScriptHead>,
}

impl Scripts {
    /// A script came.
    pub(crate) fn came(&mut self, url: String, head: ScriptHead) {
        const KEPT: usize = 2_000;
        if self.heads.len() < KEPT || self.heads.contains_key(&url) {
            self.heads.insert(url, head);
        }
    }

    /// How the script at an address came.
    pub(crate) fn head(&self, url: &str) -> Option<&ScriptHead> {
        self.heads.get(url)
    }
}

/// `Network.loadingFailed`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LoadingFailed {
    request_id: String,
    #[serde(rename = "type", default)]
    kind: String,
    #[serde(default)]
    error_text: String,
    #[serde(default)]
    canceled: bool,
    #[serde(default)]
    blocked_reason: Option<String>,
}

impl LoadingFailed {
    /// An answer that a browser does not show. Its status has been reported.
    fn is_told_by_status(&self) -> bool {
        self.error_text == "net::ERR_HTTP_RESPONSE_CODE_FAILURE"
    }

    /// The page wanted it no more, or went away.
    fn is_given_up(&self) -> bool {
        self.canceled || self.error_text == "net::ERR_ABORTED"
    }

    /// It was to go where nothing answers.
    pub(crate) fn met_no_proxy(&self) -> bool {
        self.error_text == super::blocked::NO_PROXY
    }
}

/// Kinds of request that may stay open for good without meaning that a page is loading (WEB-074).
const NEVER_AWAITED: [&str; 6] = [
    "EventSource",
    "WebSocket",
    "Ping",
    "Media",
    "Preflight",
    "CSPViolationReport",
];

impl Requests {
    /// A request left the page. Says what came of the one before, if an answer to that sent it.
    pub(crate) fn sent(&mut self, event: RequestWillBeSent) -> Option<Exchange> {
        if is_local(&event.request.url) {
            return None;
        }
        let answer = event.redirect_response.as_ref();
        let redirected = answer.map(|answer| Exchange {
            status: Some(answer.status),
            ..self.exchange(&event.request_id, &event.kind, &answer.url)
        });
        let ignored = NEVER_AWAITED.contains(&event.kind.as_str());
        self.open.insert(
            event.request_id,
            Request {
                url: event.request.url,
                method: event.request.method,
                kind: event.kind,
                began: Instant::now(),
                answered: None,
                ignored,
            },
        );
        redirected
    }

    /// What an answer says of its request, for evidence.
    pub(crate) fn answer(&self, event: &ResponseReceived) -> Option<Exchange> {
        let url = &event.response.url;
        (!is_local(url) && !event.is_by_browser()).then(|| Exchange {
            status: Some(event.response.status),
            ..self.exchange(&event.request_id, &event.kind, url)
        })
    }

    /// The same of a request that failed. One that the page gave up has not.
    pub(crate) fn failure(&self, event: &LoadingFailed) -> Option<Exchange> {
        let url = self.address(event)?;
        if event.is_given_up() || event.is_told_by_status() {
            return None;
        }
        let blocked = event.blocked_reason.as_ref();
        let error = blocked.map_or_else(
            || event.error_text.clone(),
            |reason| format!("blocked: {reason}"),
        );
        Some(Exchange {
            error: Some(error),
            ..self.exchange(&event.request_id, &event.kind, url)
        })
    }

    fn exchange(&self, request_id: &str, kind: &str, url: &str) -> Exchange {
        let request = self.open.get(request_id);
        Exchange {
            // A page may make up a method of any length.
            method: request.map_or_else(|| "GET".to_owned(), |request| clip(&request.method, 20)),
            status: None,
            error: None,
            resource_type: kind.to_ascii_lowercase(),
            url: bare(url),
        }
    }

    /// A request ended well.
    pub(crate) fn finished(&mut self, request_id: &str) {
        self.open.remove(request_id);
    }

    /// A new document: what the old one had asked for no longer matters. The request for the
    /// document itself bears the loader's name.
    pub(crate) fn new_document(&mut self, loader_id: &str) {
        self.open.retain(|id, _| id == loader_id);
    }

    /// An answer came. What it says of the app, if anything.
    pub(crate) fn answered(
        &mut self,
        event: &ResponseReceived,
        app_origins: &[String],
    ) -> Option<BrowserFault> {
        if let Some(request) = self.open.get_mut(&event.request_id) {
            request.answered = Some(Instant::now());
        }
        let status = event.response.status;
        if status < 400 || event.is_by_browser() {
            return None;
        }
        let method = self
            .open
            .get(&event.request_id)
            .map_or("GET", |request| request.method.as_str());
        let url = &event.response.url;
        let own = app_origins.iter().any(|origin| has_origin(url, origin));
        let kind = match event.kind.as_str() {
            "Document" | "Fetch" | "XHR" if status >= 500 && own => CrashKind::Http5xx,
            "Image" => CrashKind::BrokenImage,
            _ if status >= 500 => CrashKind::RequestFailed,
            _ => CrashKind::Http4xx,
        };
        let mut fault = BrowserFault::new(kind, url.clone());
        fault.class = Some(format!("{method} {status}"));
        Some(fault)
    }

    /// Where a request went that failed.
    pub(crate) fn address(&self, event: &LoadingFailed) -> Option<&str> {
        let request = self.open.get(&event.request_id)?;
        Some(&request.url)
    }

    /// A request got no answer, or only half of one. What that says of the app, if anything.
    pub(crate) fn failed(&mut self, event: &LoadingFailed) -> Option<BrowserFault> {
        let request = self.open.remove(&event.request_id)?;
        // What a page gives up itself, or leaves behind when it goes, is no fault; what a policy
        // blocked is reported as that.
        let harmless = event.is_given_up()
            || event.is_told_by_status()
            || event.blocked_reason.is_some()
            || matches!(event.kind.as_str(), "Ping" | "Preflight");
        if harmless {
            return None;
        }
        let kind = match request.kind.as_str() {
            "Image" => CrashKind::BrokenImage,
            _ => CrashKind::RequestFailed,
        };
        let mut fault = BrowserFault::new(kind, request.url);
        fault.class = Some(format!("{} {}", request.method, event.error_text));
        Some(fault)
    }

    /// Addresses of requests that a settled page would not have open.
    pub(crate) fn pending(&self) -> Vec<String> {
        self.addresses(false)
    }

    /// Addresses of requests that stay open and no longer count.
    pub(crate) fn ignored(&self) -> Vec<String> {
        self.addresses(true)
    }

    /// From here on, requests older than this no longer count.
    pub(crate) fn ignore_older_than(&mut self, age: Duration) {
        for request in self.open.values_mut() {
            request.ignored |= request.began.elapsed() >= age;
        }
    }

    fn addresses(&self, ignored: bool) -> Vec<String> {
        const NAMED: usize = 10;
        let mut addresses: Vec<String> = self
            .open
            .values()
            .filter(|request| (request.ignored || request.is_unread()) == ignored)
            .map(|request| request.url.clone())
            .collect();
        addresses.sort();
        addresses.dedup();
        addresses.truncate(NAMED);
        addresses
    }
}

/// Whether no server is asked.
fn is_local(url: &str) -> bool {
    url.starts_with("data:") || url.starts_with("blob:")
}

/// Whether an address belongs to an origin.
pub(crate) fn has_origin(url: &str, origin: &str) -> bool {
    url.strip_prefix(origin)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '?', '#']))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn requests(kind: &str) -> Requests {
        let mut requests = Requests::default();
        let event = format!(
            r#"{{"requestId":"1","type":"{kind}","request":{{"url":"http://a.test/api","method":"POST"}}}}"#
        );
        requests.sent(serde_json::from_str(&event).unwrap());
        requests
    }

    fn answer(kind: &str, status: u16) -> Option<CrashKind> {
        let event = format!(
            r#"{{"requestId":"1","type":"{kind}","response":{{"url":"http://a.test/api","status":{status}}}}}"#
        );
        requests(kind)
            .answered(
                &serde_json::from_str(&event).unwrap(),
                &["http://a.test".into()],
            )
            .map(|fault| fault.kind)
    }

    // WEB-040, WEB-041
    #[test]
    fn an_error_of_the_own_server_is_a_crash_and_a_refusal_a_finding() {
        assert_eq!(answer("Fetch", 503), Some(CrashKind::Http5xx));
        assert_eq!(answer("Document", 500), Some(CrashKind::Http5xx));
        assert_eq!(answer("Script", 500), Some(CrashKind::RequestFailed));
        assert_eq!(answer("XHR", 404), Some(CrashKind::Http4xx));
        assert_eq!(answer("Image", 404), Some(CrashKind::BrokenImage));
        assert_eq!(answer("Fetch", 200), None);
    }

    // WEB-041
    #[test]
    fn a_request_that_the_page_gave_up_is_no_finding() {
        let failed = |text: &str| {
            let event = format!(r#"{{"requestId":"1","type":"Fetch","errorText":"{text}"}}"#);
            requests("Fetch").failed(&serde_json::from_str(&event).unwrap())
        };
        assert_eq!(failed("net::ERR_ABORTED"), None);
        let fault = failed("net::ERR_CONNECTION_REFUSED").unwrap();
        assert_eq!(fault.kind, CrashKind::RequestFailed);
    }

    // WEB-074: a page that never reads an answer is not waited for.
    #[test]
    fn an_answer_that_is_not_read_keeps_no_page_waiting() {
        let mut requests = requests("Fetch");
        let event = r#"{"requestId":"1","type":"Fetch","response":{"url":"http://a.test/api","status":200}}"#;
        requests.answered(&serde_json::from_str(event).unwrap(), &[]);
        assert_eq!(requests.pending(), ["http://a.test/api"]);
        let request = requests.open.get_mut("1").unwrap();
        request.answered = request.began.checked_sub(BODY_PATIENCE);
        assert!(requests.pending().is_empty());
        assert_eq!(requests.ignored(), ["http://a.test/api"]);
    }

    // WEB-074
    #[test]
    fn streams_and_old_requests_do_not_keep_a_page_waiting() {
        assert!(requests("EventSource").pending().is_empty());
        let mut requests = requests("Fetch");
        assert_eq!(requests.pending(), ["http://a.test/api"]);
        requests.ignore_older_than(Duration::ZERO);
        assert!(requests.pending().is_empty());
        assert_eq!(requests.ignored(), ["http://a.test/api"]);
    }
}
