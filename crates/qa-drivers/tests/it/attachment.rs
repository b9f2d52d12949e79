//! A browser that runs already and is not ours.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use qa_core::{
    CrashKind, CrashWatch as _, Driver as _, DriverError, Notice, ObserveRequest, Severity,
};
use qa_drivers::cdp::{BrowserChoice, CdpDriver, CdpOptions, find_browser};
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;

use crate::server::{Server, html};

/// A browser that somebody else started.
struct Running {
    child: Child,
    address: String,
    _profile: tempfile::TempDir,
}

impl Running {
    fn start() -> Self {
        Self::with(&[])
    }

    /// Started with flags that a browser of our own never gets.
    fn with(flags: &[&str]) -> Self {
        let profile = tempfile::tempdir().unwrap();
        let mut child = Command::new(find_browser(None).unwrap())
            .args([
                "--headless=new",
                "--no-sandbox",
                "--remote-debugging-port=0",
                "--disable-quic",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "about:blank",
            ])
            .args(flags)
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let said = lines.map_while(Result::ok).find_map(|line| {
            let (_, address) = line.split_once("DevTools listening on ws://")?;
            Some(format!("http://{}", address.split('/').next()?))
        });
        Self {
            child,
            address: said.unwrap(),
            _profile: profile,
        }
    }

    /// What it says at a path of its DevTools.
    async fn get(&self, path: &str) -> String {
        let host = self.address.trim_start_matches("http://");
        let mut stream = TcpStream::connect(host).await.unwrap();
        let request = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut reply = vec![0; 1 << 16];
        let mut got = String::new();
        // It keeps the connection open after its answer, which ends with the JSON, or is one line.
        while !got.trim_end().ends_with([']', '}']) && !got.ends_with("closing") {
            let read = stream.read(&mut reply).await.unwrap();
            got.push_str(&String::from_utf8_lossy(&reply[..read]));
            if read == 0 {
                break;
            }
        }
        got
    }

    /// The list it has at a path.
    async fn json(&self, path: &str) -> Vec<Value> {
        let got = self.get(path).await;
        serde_json::from_str(got.split_once("\r\n\r\n").unwrap().1).unwrap()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

// WEB-003
#[tokio::test]
async fn a_running_browser_is_used_and_left_running() {
    let running = Running::start();
    let server = Server::start(|_| html("<h1>attached</h1>")).await;
    let mut options = CdpOptions::new(format!("{}/", server.origin()));
    options.browser = BrowserChoice::Attach {
        url: running.address.clone(),
    };
    let (mut driver, mut watch) = CdpDriver::open(options).await.unwrap();
    watch.start().await.unwrap();
    assert!(driver.launch().await.unwrap().is_ok());
    let view = driver.observe(ObserveRequest::JUDGING).await.unwrap();
    assert!(view.nodes.iter().any(|node| node.name == "attached"));
    assert!(running.get("/json/list").await.contains(&server.origin()));
    // WEB-009: somebody closes our page.
    let pages: Vec<Value> = running.json("/json/list").await;
    let is_ours = |page: &&Value| {
        page["url"]
            .as_str()
            .is_some_and(|url| url.starts_with(&server.origin()))
    };
    let ours = pages.iter().find(is_ours).unwrap();
    running
        .get(&format!("/json/close/{}", ours["id"].as_str().unwrap()))
        .await;
    let gone = async {
        loop {
            if let Err(error) = driver.observe(ObserveRequest::JUDGING).await {
                return error;
            }
        }
    };
    let error = tokio::time::timeout(Duration::from_secs(20), gone)
        .await
        .unwrap();
    assert!(matches!(error, DriverError::AppGone { .. }), "{error:?}");
    assert_eq!(driver.take_notices(), [Notice::Closed]);
    assert!(driver.launch().await.unwrap().is_ok());
    let view = driver.observe(ObserveRequest::JUDGING).await.unwrap();
    assert!(view.nodes.iter().any(|node| node.name == "attached"));
    watch.stop().await.unwrap();
    driver.stop().await.unwrap();
    assert!(
        running
            .get("/json/version")
            .await
            .contains("webSocketDebuggerUrl")
    );
    let left = running.get("/json/list").await;
    assert!(
        left.contains("about:blank") && !left.contains(&server.origin()),
        "{left}"
    );
}

// WEB-003
#[tokio::test]
async fn a_browser_is_reached_at_an_ipv6_literal() {
    let running = Running::start();
    let host = running.address.trim_start_matches("http://").to_owned();
    // A browser listens on IPv4 first: this passes on what comes to it by IPv6.
    let listener = TcpListener::bind("[::1]:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let passing = tokio::spawn(async move {
        while let Ok((mut ours, _)) = listener.accept().await {
            let mut theirs = TcpStream::connect(&host).await.unwrap();
            tokio::spawn(async move {
                tokio::io::copy_bidirectional(&mut ours, &mut theirs)
                    .await
                    .ok()
            });
        }
    });
    let mut options = CdpOptions::new("about:blank");
    options.browser = BrowserChoice::Attach {
        url: format!("http://{address}"),
    };
    let (mut driver, _watch) = CdpDriver::open(options).await.unwrap();
    driver.stop().await.unwrap();
    passing.abort();
}

// WEB-003
#[tokio::test]
async fn an_address_without_a_browser_is_said_so() {
    let server = Server::start(|_| html("not a browser")).await;
    for url in [
        server.origin(),
        "http://127.0.0.1:1".into(),
        "ftp://x".into(),
        "nonsense".into(),
    ] {
        let mut options = CdpOptions::new("http://127.0.0.1/");
        options.browser = BrowserChoice::Attach { url: url.clone() };
        let error = CdpDriver::open(options).await.err().unwrap();
        assert!(error.to_string().contains(&url), "{error}");
        assert!(!error.hint().is_empty());
    }
}

/// A second origin for a server: the same over TLS, with a certificate of its own making.
async fn secured(server: &Server) -> String {
    let made = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).unwrap();
    let key = PrivateKeyDer::Pkcs8(made.signing_key.serialize_der().into());
    let config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], key)
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let (address, port) = (listener.local_addr().unwrap(), server.port);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let acceptor = acceptor.clone();
            // A browser that hangs up early is its own affair.
            tokio::spawn(async move {
                let mut ours = acceptor.accept(stream).await?;
                let mut theirs = TcpStream::connect(("127.0.0.1", port)).await?;
                tokio::io::copy_bidirectional(&mut ours, &mut theirs).await
            });
        }
    });
    format!("https://{address}")
}

// WEB-041: a secure page asks for a picture that the browser then asks for securely itself, and for a script.
#[tokio::test]
async fn what_a_secure_page_loads_insecurely_is_a_finding() {
    let running = Running::with(&["--ignore-certificate-errors"]);
    let server = Server::start(|_| {
        html(
            "<h1>secure</h1><img src=http://pictures.invalid/a.png alt=a>
             <script src=http://scripts.invalid/a.js></script>",
        )
    })
    .await;
    let mut options = CdpOptions::new(format!("{}/", secured(&server).await));
    options.browser = BrowserChoice::Attach {
        url: running.address.clone(),
    };
    let (mut driver, mut watch) = CdpDriver::open(options).await.unwrap();
    watch.start().await.unwrap();
    assert!(driver.launch().await.unwrap().is_ok());
    driver.advance(Duration::from_millis(500)).await.unwrap();
    let crashes = watch.query().await.unwrap();
    let mixed = crashes
        .iter()
        .filter(|crash| crash.kind == CrashKind::MixedContent);
    assert_eq!(mixed.count(), 2, "{crashes:#?}");
    assert!(
        crashes
            .iter()
            .all(|crash| crash.kind.severity() == Severity::Finding)
    );
    watch.stop().await.unwrap();
    driver.stop().await.unwrap();
}
