//! Source maps of the app's scripts: found, fetched and kept.
//!
//! The protocol tells of a script's map only to a debugger, and a page that has one stops at each
//! `debugger;` and runs slower. So a map is looked for as a browser does: in the header that came
//! with the script, else in the comment at its end. Both script and map come through the browser,
//! with the cookies of the page and without its knowledge: no script or worker of the page sees the
//! request, and neither the page's clock nor its process is needed.
//!
//! Only scripts and maps of the app's origins are asked for. A redirect by the app's own server is
//! followed, as it is for what the page loads.
//!
//! The browser holds such a request to the page's policy (`connect-src`), and a breach would be
//! reported to the page and its server. So what the policy does not clearly allow is not asked for.
//!
//! Gaps: code that `eval` made, inline scripts, and maps that name further maps.

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use base64::Engine as _;
use futures_util::future::join_all;
use qa_crash::{BrowserFault, Frame};
use serde::Deserialize;
use serde_json::json;
use url::Url;

use super::network::ScriptHead;
use super::observe::origin_of;
use super::original::Script;
use super::tab::Tab;
use super::transport::{CallError, Connection};

/// How long finding the map of one script may take in all.
const PATIENCE: Duration = Duration::from_secs(5);
/// The largest script or map that is read.
const LARGEST: usize = 32 << 20;
/// Bytes of scripts and maps that are kept.
const KEPT: usize = 256 << 20;
/// Maps that are read at the same time: each may be as large as the largest.
const AT_ONCE: usize = 4;
/// Scripts that are asked for in a session.
const ASKED: usize = 500;

/// What is known of scripts, by their address. An answer, and a failure too, is final: one script
/// never has two names for one place in a session.
#[derive(Default)]
pub(crate) struct SourceMaps {
    known: HashMap<String, Found>,
    weight: usize,
}

enum Found {
    Script(Box<Script>),
    /// It names no map.
    None,
    /// It names one that cannot be used.
    Unusable(String),
}

/// Why there is no map.
enum Lack {
    /// None is named.
    Unnamed,
    /// One is named, and cannot be used.
    Unusable(String),
    /// The page is gone; a later one may be asked.
    NoPage,
}

impl From<String> for Lack {
    fn from(reason: String) -> Self {
        Self::Unusable(reason)
    }
}

impl SourceMaps {
    /// Looks for the maps of scripts, a few at once. Says whether there was anything to look for.
    pub(crate) async fn load(
        &mut self,
        connection: &Connection,
        tab: &Tab,
        scripts: BTreeSet<String>,
    ) -> bool {
        let new: Vec<String> = scripts
            .into_iter()
            .filter(|url| !self.known.contains_key(url) && tab.state().is_inside(url))
            .take(ASKED.saturating_sub(self.known.len()))
            .collect();
        let mut found = Vec::with_capacity(new.len());
        for urls in new.chunks(AT_ONCE) {
            found.extend(join_all(urls.iter().map(|url| find(connection, tab, url))).await);
        }
        let mut any = false;
        for (url, found) in new.into_iter().zip(found) {
            let found = match found {
                Ok(script) if self.weight.saturating_add(script.weight()) > KEPT => {
                    Found::Unusable("too many maps are kept already".into())
                }
                Ok(script) => {
                    self.weight += script.weight();
                    Found::Script(Box::new(script))
                }
                Err(Lack::Unnamed) => Found::None,
                Err(Lack::Unusable(reason)) => Found::Unusable(reason),
                Err(Lack::NoPage) => continue,
            };
            any = true;
            self.known.insert(url, found);
        }
        any
    }

    /// Names the sources in a fault's stack, and says which maps were missing.
    pub(crate) fn trace(&self, fault: &mut BrowserFault) {
        let missing: BTreeSet<String> = fault
            .frames
            .iter()
            .filter_map(|frame| match self.known.get(&frame.url)? {
                Found::Unusable(reason) => Some(format!("source map of {}: {reason}", frame.url)),
                Found::Script(_) | Found::None => None,
            })
            .collect();
        fault.remarks.extend(missing);
        fault.trace(|frame, caller| {
            let caller = caller.and_then(|caller| Some((self.script(caller)?, caller)));
            self.script(frame)?.original(frame, caller)
        });
    }

    fn script(&self, frame: &Frame) -> Option<&Script> {
        match self.known.get(&frame.url)? {
            Found::Script(script) => Some(script),
            Found::None | Found::Unusable(_) => None,
        }
    }
}

async fn find(connection: &Connection, tab: &Tab, url: &str) -> Result<Script, Lack> {
    tokio::time::timeout(PATIENCE, read(connection, tab, url))
        .await
        .unwrap_or_else(|_| Err(Lack::Unusable("it did not come in time".into())))
}

async fn read(connection: &Connection, tab: &Tab, url: &str) -> Result<Script, Lack> {
    let head = tab.state().scripts.head(url).cloned();
    let text = match &head {
        Some(head) => text(connection, head).await,
        None => None,
    };
    let text = match text {
        Some(text) => text,
        None => {
            let bytes = resource(connection, tab, url)
                .await
                .map_err(|lack| match lack {
                    Lack::Unusable(_) => Lack::Unnamed,
                    lack => lack,
                })?;
            String::from_utf8_lossy(&bytes).into_owned()
        }
    };
    let named = head
        .as_ref()
        .and_then(|head| head.source_map.as_deref())
        .or_else(|| comment(&text))
        .ok_or(Lack::Unnamed)?;
    let script = Url::parse(url).map_err(|error| error.to_string())?;
    let (map, base) = if named.starts_with("data:") {
        (inline(named)?, script)
    } else {
        let address = script
            .join(named)
            .map_err(|error| format!("{named}: {error}"))?;
        if !tab.state().is_inside(address.as_str()) {
            return Err(Lack::Unusable(format!("{address} is outside the app")));
        }
        let map = resource(connection, tab, address.as_str()).await?;
        (map, address)
    };
    // A map is data of the page: one that makes its reader panic is one that cannot be read.
    tokio::task::spawn_blocking(move || Script::new(text, &map, base))
        .await
        .map_err(|_| "it cannot be read".to_owned())?
        .map_err(Lack::Unusable)
}

/// The text of a script that the page has loaded, if the browser still has it.
async fn text(connection: &Connection, head: &ScriptHead) -> Option<String> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Body {
        body: String,
        base64_encoded: bool,
    }
    let params = json!({"requestId": head.request_id});
    let session = head.session.as_deref();
    let asked = connection.call(session, "Network.getResponseBody", &params, PATIENCE / 2);
    let body: Body = asked.await.ok()?;
    (!body.base64_encoded && body.body.len() <= LARGEST).then_some(body.body)
}

/// `Network.getSecurityIsolationStatus`.
#[derive(Deserialize)]
struct Isolation {
    status: IsolationStatus,
}

#[derive(Deserialize)]
struct IsolationStatus {
    #[serde(default)]
    csp: Vec<Policy>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Policy {
    effective_directives: String,
}

/// Whether a policy clearly lets a page ask an address.
fn allows(policy: &str, page: &str, url: &str) -> bool {
    let directive = |name: &str| {
        policy.split(';').find_map(|directive| {
            let mut words = directive.split_whitespace();
            (words.next()? == name).then(|| words.collect::<Vec<_>>())
        })
    };
    let Some(sources) = directive("connect-src").or_else(|| directive("default-src")) else {
        return true;
    };
    let origin = origin_of(url);
    sources.iter().any(|source| match *source {
        "*" => true,
        "'self'" => origin == origin_of(page),
        source => origin.is_some() && origin_of(source) == origin && !has_path(source),
    })
}

/// Whether a source of a policy names more than an origin.
fn has_path(source: &str) -> bool {
    source
        .split_once("://")
        .is_some_and(|(_, rest)| rest.contains('/'))
}

/// What an address of the app answers with, through the browser.
async fn resource(connection: &Connection, tab: &Tab, url: &str) -> Result<Vec<u8>, Lack> {
    #[derive(Deserialize)]
    struct Loaded {
        resource: Resource,
    }
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Resource {
        success: bool,
        #[serde(default)]
        net_error_name: String,
        http_status_code: Option<f64>,
        stream: Option<String>,
    }
    let (session, frame) = {
        let state = tab.state();
        let page = state.page.as_ref().filter(|_| state.gone.is_none());
        let session = page.map(|page| page.session.clone());
        let frame = state.frames.main().map(str::to_owned);
        session.zip(frame).ok_or(Lack::NoPage)?
    };
    let failed = |error: CallError| match error {
        CallError::TargetGone | CallError::Closed(_) => Lack::NoPage,
        error => Lack::Unusable(error.to_string()),
    };
    let params = json!({"frameId": frame});
    let asked = connection.call(
        Some(&session),
        "Network.getSecurityIsolationStatus",
        &params,
        PATIENCE,
    );
    match asked.await {
        Ok(Isolation { status }) => {
            let page = tab.state().frames.main_url().unwrap_or_default();
            let allows = |policy: &Policy| allows(&policy.effective_directives, &page, url);
            if !status.csp.iter().all(allows) {
                let reason = format!("the page's policy forbids to ask for {url}");
                return Err(Lack::Unusable(reason));
            }
        }
        // A browser that does not know the question.
        Err(CallError::Refused { .. } | CallError::Shape(_)) => {}
        Err(error) => return Err(failed(error)),
    }
    let params = json!({
        "frameId": frame, "url": url,
        "options": {"disableCache": false, "includeCredentials": true},
    });
    let asked = connection.call(
        Some(&session),
        "Network.loadNetworkResource",
        &params,
        PATIENCE,
    );
    let Loaded { resource } = asked.await.map_err(failed)?;
    let Some(stream) = resource.stream.filter(|_| resource.success) else {
        return Err(Lack::Unusable(match resource.http_status_code {
            Some(status) if status >= 400.0 => format!("{url} answered {status}"),
            _ => format!("{url}: {}", resource.net_error_name),
        }));
    };
    let bytes = drain(connection, &session, &stream).await;
    drop(connection.send(Some(&session), "IO.close", &json!({"handle": stream})));
    bytes
        .map_err(failed)?
        .ok_or_else(|| Lack::Unusable(format!("{url} has more than {} MiB", LARGEST >> 20)))
}

/// All bytes of a stream; none if they are too many.
async fn drain(
    connection: &Connection,
    session: &str,
    stream: &str,
) -> Result<Option<Vec<u8>>, CallError> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Chunk {
        #[serde(default)]
        base64_encoded: bool,
        data: String,
        eof: bool,
    }
    let mut bytes = Vec::new();
    loop {
        let params = json!({"handle": stream, "size": 1 << 20});
        let chunk: Chunk = connection
            .call(Some(session), "IO.read", &params, PATIENCE)
            .await?;
        if chunk.base64_encoded {
            let decoded = base64::engine::general_purpose::STANDARD.decode(chunk.data);
            bytes.extend(decoded.map_err(|error| CallError::Shape(error.to_string()))?);
        } else {
            bytes.extend(chunk.data.into_bytes());
        }
        if bytes.len() > LARGEST {
            return Ok(None);
        }
        if chunk.eof {
            return Ok(Some(bytes));
        }
    }
}

/// What the comment at a script's end names.
fn comment(text: &str) -> Option<&str> {
    let named = ["//# sourceMappingURL=", "//@ sourceMappingURL="]
        .iter()
        .filter_map(|mark| text.rfind(mark).map(|at| (at, &text[at + mark.len()..])))
        .max_by_key(|(at, _)| *at)
        .map(|(_, rest)| rest)?;
    let end = named.find(char::is_whitespace).unwrap_or(named.len());
    let named = &named[..end];
    // In a script about scripts it may stand inside a text.
    (!named.is_empty() && !named.contains(['"', '\'', '`'])).then_some(named)
}

/// The map inside a `data:` address.
fn inline(address: &str) -> Result<Vec<u8>, Lack> {
    let (_, data) = address
        .split_once(";base64,")
        .ok_or_else(|| "the one inside it is not in base64".to_owned())?;
    if data.len() / 4 * 3 > LARGEST {
        return Err(Lack::Unusable("the one inside it is too large".into()));
    }
    base64::engine::general_purpose::STANDARD
        .decode(data)
        .map_err(|error| Lack::Unusable(format!("the one inside it is torn: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    // WEB-041
    #[test]
    fn only_what_a_policy_clearly_allows_is_asked_for() {
        const PAGE: &str = "http://a.test/shop";
        const MAP: &str = "http://a.test/app.js.map";
        for (policy, expected) in [
            ("", true),
            ("img-src 'none'", true),
            ("default-src 'self'", true),
            ("default-src 'none'; connect-src 'self' http://b.test", true),
            ("default-src *; connect-src http://a.test", true),
            ("connect-src http://a.test/api/", false),
            ("connect-src", false),
            ("connect-src 'none'; default-src 'self'", false),
            ("default-src http://b.test", false),
        ] {
            assert_eq!(allows(policy, PAGE, MAP), expected, "{policy}");
        }
        assert!(!allows("connect-src 'self'", "http://b.test/", MAP));
    }

    // WEB-044
    #[test]
    fn the_last_comment_names_the_map() {
        for (text, expected) in [
            ("f();\n//# sourceMappingURL=a.js.map", Some("a.js.map")),
            (
                "f();\n//@ sourceMappingURL=a.js.map\r\n\n",
                Some("a.js.map"),
            ),
            (
                "//# sourceMappingURL=a\nf();//# sourceMappingURL=b",
                Some("b"),
            ),
            ("f('//# sourceMappingURL=' + x)", None),
            ("f();", None),
            ("//# sourceMappingURL=", None),
        ] {
            assert_eq!(comment(text), expected, "{text}");
        }
    }
}
