//! A browser to work in: one that we start, or one that runs already.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};

use super::blocked;
use super::discovery::{BrowserNotFound, find_browser};
use super::process::{Process, ProcessOptions, StartError, is_root};
use super::setup::SETUP_DEADLINE;
use super::tab::Tab;
use super::transport::{CallError, Connection, over_pipe, over_socket};

/// Which browser to work in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BrowserChoice {
    /// One of our own, with a private profile.
    Launch {
        /// Its program; found by [`find_browser`] if absent.
        path: Option<PathBuf>,
        /// With a window that can be seen.
        headed: bool,
        /// Without the sandbox, whoever runs it. As root it is always off.
        no_sandbox: bool,
    },
    /// One that runs already, by the address of its DevTools (`http://host:port`, `ws://…`). It is
    /// never closed.
    Attach {
        /// The address.
        url: String,
    },
}

impl Default for BrowserChoice {
    fn default() -> Self {
        Self::Launch {
            path: None,
            headed: false,
            no_sandbox: false,
        }
    }
}

/// No browser to work in.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// None is installed.
    #[error(transparent)]
    NotFound(#[from] BrowserNotFound),
    /// It could not be started.
    #[error(transparent)]
    Start(#[from] StartError),
    /// It did not speak as expected.
    #[error("{browser} did not answer as a browser does: {reason}")]
    Silent {
        /// Which browser.
        browser: String,
        /// What is known, its last words included.
        reason: String,
    },
}

impl OpenError {
    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::NotFound(error) => error.hint().to_owned(),
            Self::Start(_) => "run `qa doctor` to see which browsers there are".into(),
            Self::Silent { reason, .. } if reason.contains("Missing X server") => {
                "there is no screen here: leave out --headed, or give --headless".into()
            }
            Self::Silent { reason, .. } if reason.contains("sandbox") => {
                "the sandbox cannot start here; give --no-sandbox if you trust the pages".into()
            }
            Self::Silent { .. } => {
                "run `qa doctor`; with --cdp, check that the address is the browser's".into()
            }
        }
    }
}

/// A browser that answers.
pub(crate) struct Browser {
    pub(crate) connection: Connection,
    /// The product's name and version (`Chrome/156.0.8078.108`).
    pub(crate) product: String,
    /// What a report must name.
    pub(crate) remarks: Vec<String>,
    process: Mutex<Option<Process>>,
}

impl Browser {
    /// Starts or reaches the browser; events go to the tab.
    pub(crate) async fn open(choice: &BrowserChoice, tab: Tab) -> Result<Self, OpenError> {
        let (connection, process, name, remarks) = match choice {
            BrowserChoice::Launch {
                path,
                headed,
                no_sandbox,
            } => {
                let program = find_browser(path.as_deref())?;
                let root = is_root();
                let options = ProcessOptions {
                    browser: program.clone(),
                    headed: *headed,
                    sandbox: !root && !no_sandbox,
                    extra_args: Vec::new(),
                };
                let remarks = match (root, no_sandbox) {
                    (true, _) => vec!["the browser's sandbox is off: running as root".to_owned()],
                    (false, true) => vec!["the browser's sandbox is off: --no-sandbox".to_owned()],
                    (false, false) => Vec::new(),
                };
                let (process, to_browser, from_browser) = Process::start(&options)?;
                let connection = over_pipe(from_browser, to_browser, tab);
                (
                    connection,
                    Some(process),
                    program.display().to_string(),
                    remarks,
                )
            }
            BrowserChoice::Attach { url } => {
                let silent = |reason: String| OpenError::Silent {
                    browser: url.clone(),
                    reason,
                };
                let address = socket_address(url).await.map_err(silent)?;
                let connection = over_socket(&address, tab, SETUP_DEADLINE)
                    .await
                    .map_err(|error| silent(error.to_string()))?;
                (connection, None, url.clone(), Vec::new())
            }
        };
        let mut browser = Self {
            connection,
            product: String::new(),
            remarks,
            process: Mutex::new(process),
        };
        match browser.greet().await {
            Ok(product) => {
                browser.product = product;
                Ok(browser)
            }
            Err(error) => {
                let process = browser.take_process();
                let words = process.as_ref().map(Process::last_words);
                let words = words.unwrap_or_default();
                if let Some(process) = process {
                    let _ = process.end(Duration::ZERO).await;
                }
                let reason = format!("{error}\n{words}").trim().to_owned();
                Err(OpenError::Silent {
                    browser: name,
                    reason,
                })
            }
        }
    }

    /// Asks for its version, and to be told of each page before that page runs; of shared workers
    /// too, which belong to no page.
    async fn greet(&self) -> Result<String, CallError> {
        #[derive(Deserialize)]
        struct Version {
            product: String,
        }
        let version: Version = self
            .connection
            .call(None, "Browser.getVersion", &json!({}), SETUP_DEADLINE)
            .await?;
        let params = json!({
            "autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true,
            "filter": [{"type": "page"}, {"type": "shared_worker"}, {"exclude": true}],
        });
        let _: Value = self
            .connection
            .call(None, "Target.setAutoAttach", &params, SETUP_DEADLINE)
            .await?;
        Ok(version.product)
    }

    /// Makes a browser context of our own: no cookies, no storage, nothing granted, no downloads. It
    /// may reach these origins only, if any are given.
    pub(crate) async fn new_context(
        &self,
        granted: &[String],
        reach: Option<&[String]>,
    ) -> Result<String, CallError> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Created {
            browser_context_id: String,
        }
        let call = |method, params: Value| async move {
            self.connection
                .call::<Value>(None, method, &params, SETUP_DEADLINE)
                .await
        };
        let mut params = reach.map_or_else(|| json!({}), blocked::proxy);
        params["disposeOnDetach"] = json!(true);
        let created: Created = self
            .connection
            .call(None, "Target.createBrowserContext", &params, SETUP_DEADLINE)
            .await?;
        let context = created.browser_context_id;
        call(
            "Browser.setDownloadBehavior",
            json!({"behavior": "deny", "browserContextId": context, "eventsEnabled": true}),
        )
        .await?;
        // What is not in the list is denied (WEB-009).
        call(
            "Browser.grantPermissions",
            json!({"permissions": granted, "browserContextId": context}),
        )
        .await?;
        Ok(context)
    }

    /// Ends a context with all its pages.
    pub(crate) async fn dispose(&self, context: &str) -> Result<(), CallError> {
        let params = json!({"browserContextId": context});
        self.connection
            .call::<Value>(
                None,
                "Target.disposeBrowserContext",
                &params,
                Duration::from_secs(5),
            )
            .await
            .map(|_| ())
    }

    fn take_process(&self) -> Option<Process> {
        let mut process = self.process.lock().unwrap_or_else(PoisonError::into_inner);
        process.take()
    }

    /// Closes a browser that we started; leaves another as it was.
    pub(crate) async fn close(&self) -> Result<(), String> {
        let Some(process) = self.take_process() else {
            return Ok(());
        };
        drop(self.connection.send(None, "Browser.close", &json!({})));
        process.end(Duration::from_secs(5)).await
    }
}

/// The WebSocket address of a browser. An `http` address is asked for it, as the protocol's
/// documentation says (`/json/version`).
async fn socket_address(url: &str) -> Result<String, String> {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    let parsed = url::Url::parse(url).map_err(|error| format!("not an address: {error}"))?;
    if matches!(parsed.scheme(), "ws" | "wss") {
        return Ok(url.to_owned());
    }
    if parsed.scheme() != "http" {
        return Err(format!(
            "the scheme {} is none of http, ws, wss",
            parsed.scheme()
        ));
    }
    let host = parsed.host_str().ok_or("no host in it")?;
    // In an address the brackets of `[::1]` are no part of the host.
    let literal = host.trim_start_matches('[').trim_end_matches(']');
    let port = parsed.port_or_known_default().ok_or("no port in it")?;
    let ask = async {
        let mut stream = tokio::net::TcpStream::connect((literal, port)).await?;
        let request = format!(
            "GET /json/version HTTP/1.1\r\nHost: {host}:{port}\r\nConnection: close\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).await?;
        // A browser keeps the connection open whatever it was asked: the JSON's end is the end.
        let mut reply = Vec::new();
        let mut stream = stream.take(1 << 20);
        while stream.read_buf(&mut reply).await? > 0 && !reply.trim_ascii_end().ends_with(b"}") {}
        Ok::<_, std::io::Error>(reply)
    };
    let reply = tokio::time::timeout(SETUP_DEADLINE, ask)
        .await
        .map_err(|_| "no reply".to_owned())?
        .map_err(|error| error.to_string())?;
    let reply = String::from_utf8_lossy(&reply);
    let body = reply.split_once("\r\n\r\n").map_or("", |(_, body)| body);
    let start = body.find('{').ok_or("no JSON in its reply")?;
    let end = body.rfind('}').ok_or("no JSON in its reply")?;
    let version: Value =
        serde_json::from_str(&body[start..=end]).map_err(|error| error.to_string())?;
    let address = version["webSocketDebuggerUrl"]
        .as_str()
        .ok_or("it names no WebSocket")?;
    Ok(address.to_owned())
}
