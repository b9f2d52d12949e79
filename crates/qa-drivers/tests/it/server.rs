//! Pages on loopback, written where they are tested.

use std::sync::{Arc, Mutex};

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// What a path is answered with.
pub(crate) enum Reply {
    /// A page.
    Html(String),
    /// A page with further lines in its head, each with its line end.
    Headed(&'static str, String),
    /// Bytes of another type.
    Bytes(&'static str, Vec<u8>),
    /// The way to another address.
    Moved(String),
    /// A status and nothing more.
    Status(u16),
    /// A file to be kept.
    Attachment(&'static str),
    /// An endless stream of events, one of them at once.
    Stream,
    /// Nothing, until [`Server::release`]; then an empty text.
    Held,
}

/// A reply of HTML.
pub(crate) fn html(text: impl Into<String>) -> Reply {
    Reply::Html(text.into())
}

/// One request.
struct Asked {
    path: String,
    host: String,
    cookie: String,
}

/// Serves until it is dropped with the test's runtime.
pub(crate) struct Server {
    /// The port; it answers to `127.0.0.1` and, as another site, to `localhost`.
    pub(crate) port: u16,
    asked: Arc<Mutex<Vec<Asked>>>,
    release: watch::Sender<bool>,
}

impl Server {
    /// Serves what `route` makes of a path.
    pub(crate) async fn start(route: impl Fn(&str) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (release, released) = watch::channel(false);
        let (route, log) = (Arc::new(route), Arc::clone(&asked));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (route, log, released) =
                    (Arc::clone(&route), Arc::clone(&log), released.clone());
                // A browser that hangs up early is its own affair.
                tokio::spawn(async move { answer(stream, &*route, &log, released).await.ok() });
            }
        });
        Self {
            port,
            asked,
            release,
        }
    }

    /// Its origin.
    pub(crate) fn origin(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// How often a path was asked for.
    pub(crate) fn asked(&self, path: &str) -> usize {
        self.asked
            .lock()
            .unwrap()
            .iter()
            .filter(|asked| asked.path == path)
            .count()
    }

    /// The paths that a host was asked for.
    pub(crate) fn asked_at(&self, host: &str) -> Vec<String> {
        let host = format!("{host}:{}", self.port);
        let asked = self.asked.lock().unwrap();
        let matching = asked.iter().filter(|asked| asked.host == host);
        matching.map(|asked| asked.path.clone()).collect()
    }

    /// The cookies that each request for a path to a host bore.
    pub(crate) fn cookies(&self, host: &str, path: &str) -> Vec<String> {
        let host = format!("{host}:{}", self.port);
        let asked = self.asked.lock().unwrap();
        let matching = asked
            .iter()
            .filter(|asked| asked.path == path && asked.host == host);
        matching.map(|asked| asked.cookie.clone()).collect()
    }

    /// Answers all requests that are held.
    pub(crate) fn release(&self) {
        self.release.send_replace(true);
    }
}

async fn answer(
    stream: TcpStream,
    route: &(dyn Fn(&str) -> Reply + Send + Sync),
    log: &Mutex<Vec<Asked>>,
    mut released: watch::Receiver<bool>,
) -> std::io::Result<()> {
    let mut stream = BufReader::new(stream);
    let mut head = String::new();
    stream.read_line(&mut head).await?;
    let (mut host, mut cookie) = (String::new(), String::new());
    let mut line = String::new();
    while stream.read_line(&mut line).await? > 2 {
        match line.trim_end().split_once(": ") {
            Some((name, value)) if name.eq_ignore_ascii_case("host") => host = value.into(),
            Some((name, value)) if name.eq_ignore_ascii_case("cookie") => cookie = value.into(),
            _ => {}
        }
        line.clear();
    }
    let path = head.split(' ').nth(1).unwrap_or("/").to_owned();
    let reply = match path.as_str() {
        "/favicon.ico" => Reply::Bytes("image/x-icon", Vec::new()),
        path => route(path),
    };
    log.lock().unwrap().push(Asked { path, host, cookie });
    let more = match &reply {
        Reply::Headed(lines, _) => (*lines).to_owned(),
        Reply::Moved(url) => format!("Location: {url}\r\n"),
        Reply::Attachment(name) => {
            format!("Content-Disposition: attachment; filename=\"{name}\"\r\n")
        }
        _ => String::new(),
    };
    let (status, kind, body) = match reply {
        Reply::Html(text) | Reply::Headed(_, text) => {
            (200, "text/html; charset=utf-8", text.into_bytes())
        }
        Reply::Bytes(kind, bytes) => (200, kind, bytes),
        Reply::Moved(_) => (302, "text/plain", Vec::new()),
        Reply::Status(status) => (status, "text/plain", Vec::new()),
        Reply::Attachment(_) => (200, "application/octet-stream", b"bytes".to_vec()),
        Reply::Held => {
            let _ = released.wait_for(|released| *released).await;
            (200, "text/plain", Vec::new())
        }
        Reply::Stream => {
            let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: 1\n\n";
            stream.write_all(head.as_bytes()).await?;
            let _ = released.wait_for(|released| *released).await;
            return Ok(());
        }
    };
    let head = format!(
        "HTTP/1.1 {status} Said\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n{more}\
         Cache-Control: no-store\r\nConnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).await?;
    stream.write_all(&body).await?;
    stream.flush().await
}
