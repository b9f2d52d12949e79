//! Connections: accept, read, answer.

use std::collections::BTreeMap;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hyper::StatusCode;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

#[cfg(feature = "tls")]
use crate::certificate;
use crate::change::Change;
use crate::options::{Options, WebApp};
use crate::reply::Reply;
use crate::request::Request;
use crate::session::Sessions;
use crate::trap::TrapCounts;
use crate::{hostile, shop};

/// Why an app could not be served.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The loopback address could not be bound.
    #[error("failed to listen on {address}")]
    Listen {
        /// The address asked for.
        address: SocketAddr,
        /// What the system said.
        source: io::Error,
    },
    /// No certificate could be made.
    #[cfg(feature = "tls")]
    #[error("failed to make a certificate: {reason}")]
    Certificate {
        /// What the library said.
        reason: String,
    },
}

/// Serves an app on 127.0.0.1, and a second origin on 127.0.0.2 or, where that address does not exist, on another
/// port of 127.0.0.1. With the feature `tls` a third one speaks TLS, with a certificate of its own making. Needs a
/// running tokio runtime.
///
/// # Errors
///
/// [`ServeError::Listen`] if an address cannot be bound, for example because the port is taken; with the feature `tls`
/// also if no certificate can be made.
pub async fn serve(app: WebApp, options: Options) -> Result<RunningServer, ServeError> {
    let (own, own_address) = listen(Ipv4Addr::LOCALHOST, options.port).await?;
    let (foreign, foreign_address) = match listen(Ipv4Addr::new(127, 0, 0, 2), 0).await {
        Ok(bound) => bound,
        Err(_) => listen(Ipv4Addr::LOCALHOST, 0).await?,
    };
    #[cfg(feature = "tls")]
    let (secure, secure_url) = {
        let (listener, address) = listen(Ipv4Addr::LOCALHOST, 0).await?;
        (listener, Some(format!("https://{address}/")))
    };
    #[cfg(not(feature = "tls"))]
    let secure_url = None;
    let site = Arc::new(Site {
        app,
        faults: options.faults,
        control: options.control,
        cookie: format!("shop_{}", own_address.port()),
        foreign_url: format!("http://{foreign_address}"),
        secure_url,
        traps: TrapCounts::new(),
        sessions: Sessions::default(),
        slow_ms: AtomicU64::new(options.slow_ms),
        fail_every: AtomicU32::new(options.fail_every.unwrap_or(0)),
        calls: AtomicU64::new(0),
        hits: Mutex::default(),
        change: Mutex::default(),
    });
    let mut tasks = JoinSet::new();
    tasks.spawn(accept(own, Arc::clone(&site), plain, answer));
    tasks.spawn(accept(foreign, Arc::clone(&site), plain, answer_foreign));
    #[cfg(feature = "tls")]
    {
        let acceptor = certificate::self_signed()?;
        let shake_hands = move |stream| {
            let acceptor = acceptor.clone();
            async move { acceptor.accept(stream).await }
        };
        tasks.spawn(accept(
            secure,
            Arc::clone(&site),
            shake_hands,
            answer_foreign,
        ));
    }
    Ok(RunningServer {
        url: format!("http://{own_address}"),
        site,
        tasks,
    })
}

/// An app being served; dropping it stops it.
#[derive(Debug)]
pub struct RunningServer {
    url: String,
    site: Arc<Site>,
    tasks: JoinSet<()>,
}

impl RunningServer {
    /// The app's origin, without a slash at the end.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The second origin, where nobody should go; without a slash at the end.
    #[must_use]
    pub fn foreign_url(&self) -> &str {
        &self.site.foreign_url
    }

    /// Touches of each trap so far; all of [`TRAPS`](crate::TRAPS) are present, untouched ones as 0.
    #[must_use]
    pub fn traps(&self) -> BTreeMap<String, u64> {
        self.site.traps.snapshot()
    }

    /// Requests so far by method and path, for example `GET /api/cart`; those of the second origin are not counted.
    #[must_use]
    pub fn hits(&self) -> BTreeMap<String, u64> {
        self.site
            .hits
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Makes the app differ from its files from now on, until the next change.
    pub fn change(&self, change: Change) {
        *self
            .site
            .change
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = Arc::new(change);
    }

    /// Closes the listeners and all connections, and waits until they are closed.
    pub async fn stop(mut self) {
        self.tasks.shutdown().await;
    }
}

/// What all connections of one server share.
#[derive(Debug)]
pub(crate) struct Site {
    pub(crate) app: WebApp,
    pub(crate) faults: bool,
    pub(crate) control: bool,
    /// The session cookie's name; it holds the port because browsers share cookies between ports.
    pub(crate) cookie: String,
    pub(crate) foreign_url: String,
    /// A server with a certificate that nobody vouches for.
    pub(crate) secure_url: Option<String>,
    pub(crate) traps: TrapCounts,
    pub(crate) sessions: Sessions,
    pub(crate) slow_ms: AtomicU64,
    /// 0 for never.
    pub(crate) fail_every: AtomicU32,
    calls: AtomicU64,
    hits: Mutex<BTreeMap<String, u64>>,
    change: Mutex<Arc<Change>>,
}

impl Site {
    /// Whether this call of the JSON interface is one that has to fail.
    fn fails_now(&self) -> bool {
        match u64::from(self.fail_every.load(Ordering::Relaxed)) {
            0 => false,
            every => (self.calls.fetch_add(1, Ordering::Relaxed) + 1).is_multiple_of(every),
        }
    }

    fn change(&self) -> Arc<Change> {
        let change = self.change.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(&change)
    }

    fn count_hit(&self, request: &Request) {
        let key = format!("{} {}", request.method, request.path);
        let mut hits = self.hits.lock().unwrap_or_else(PoisonError::into_inner);
        *hits.entry(key).or_default() += 1;
    }
}

async fn listen(host: Ipv4Addr, port: u16) -> Result<(TcpListener, SocketAddr), ServeError> {
    let address = SocketAddr::from((host, port));
    let bound = async {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        Ok((listener, address))
    };
    bound
        .await
        .map_err(|source| ServeError::Listen { address, source })
}

async fn accept<H, S, A>(
    listener: TcpListener,
    site: Arc<Site>,
    shake_hands: impl Fn(TcpStream) -> H,
    answer: fn(Arc<Site>, Request) -> A,
) where
    H: Future<Output = io::Result<S>> + Send + 'static,
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    A: Future<Output = Reply> + Send + 'static,
{
    let mut connections = JoinSet::new();
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                let stream = shake_hands(stream);
                connections.spawn(connection(stream, Arc::clone(&site), answer));
            }
            // Out of file descriptors, for example: wait for connections to end instead of spinning.
            Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
        }
        while connections.try_join_next().is_some() {}
    }
}

/// A connection as it is.
async fn plain(stream: TcpStream) -> io::Result<TcpStream> {
    Ok(stream)
}

async fn connection<S, A>(
    stream: impl Future<Output = io::Result<S>>,
    site: Arc<Site>,
    answer: fn(Arc<Site>, Request) -> A,
) where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    A: Future<Output = Reply> + Send + 'static,
{
    // A browser that does not trust us hangs up.
    let Ok(stream) = stream.await else { return };
    let service = service_fn(move |request: hyper::Request<Incoming>| {
        let site = Arc::clone(&site);
        async move {
            let request = Request::read(request).await;
            let reply = answer(site, request).await;
            reply.into_response().ok_or_else(closed)
        }
    });
    // A connection that breaks is the browser's business.
    let _: Result<(), hyper::Error> = http1::Builder::new()
        .serve_connection(TokioIo::new(stream), service)
        .await;
}

/// The error that makes hyper close a connection without an answer.
fn closed() -> io::Error {
    io::Error::from(io::ErrorKind::ConnectionAborted)
}

async fn answer(site: Arc<Site>, request: Request) -> Reply {
    site.count_hit(&request);
    let change = site.change();
    match change.answer(&request) {
        Some(failure) => failure,
        None => change.apply(sound_answer(&site, &request).await),
    }
}

/// What the app answers by itself.
async fn sound_answer(site: &Site, request: &Request) -> Reply {
    match site.app {
        WebApp::Hostile => hostile::answer(site, request),
        WebApp::Shop => {
            if shop::can_be_slow(request) {
                let slow_ms = site.slow_ms.load(Ordering::Relaxed);
                if slow_ms > 0 {
                    tokio::time::sleep(Duration::from_millis(slow_ms)).await;
                }
                if site.fails_now() {
                    return Reply::text(StatusCode::INTERNAL_SERVER_ERROR, "asked to fail");
                }
            }
            shop::answer(site, request)
        }
    }
}

async fn answer_foreign(site: Arc<Site>, request: Request) -> Reply {
    if request.path == "/favicon.ico" {
        return Reply::not_found();
    }
    site.traps.touch("foreign-origin");
    Reply::html("<!doctype html><html lang=en><title>Elsewhere</title><h1>Another origin</h1>")
}
