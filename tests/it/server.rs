//! Apps, served in the background of a test.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;

use qa_web_apps::{Options, RunningServer, WebApp, serve};
use tokio::runtime::Runtime;

/// A bundled app, the shop above all; dropping it stops it.
pub(crate) struct Shop {
    runtime: Runtime,
    server: RunningServer,
}

impl Shop {
    pub(crate) fn with_faults() -> Self {
        Self::serve(true)
    }

    pub(crate) fn without_faults() -> Self {
        Self::serve(false)
    }

    /// The hostile pages instead.
    pub(crate) fn hostile() -> Self {
        Self::of(WebApp::Hostile, true)
    }

    fn serve(faults: bool) -> Self {
        Self::of(WebApp::Shop, faults)
    }

    fn of(app: WebApp, faults: bool) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .unwrap();
        let options = Options {
            faults,
            ..Options::default()
        };
        let server = runtime.block_on(serve(app, options)).unwrap();
        Self { runtime, server }
    }

    pub(crate) fn url(&self) -> &str {
        self.server.url()
    }

    /// Where asynchronous work of a test may run.
    pub(crate) fn runtime(&self) -> &Runtime {
        &self.runtime
    }

    /// The traps that somebody touched.
    pub(crate) fn touched_traps(&self) -> Vec<String> {
        let touched = self.server.traps().into_iter();
        touched
            .filter(|(_, count)| *count > 0)
            .map(|(name, _)| name)
            .collect()
    }
}

/// What an app answers to a path and a request's head.
type Page = dyn Fn(&str, &str) -> String + Send + Sync;

/// Serves what `page` makes of a path and a request's head until the test ends; returns the origin.
/// What begins with `HTTP/` is a whole response, anything else a page.
pub(crate) fn serve_pages(page: impl Fn(&str, &str) -> String + Send + Sync + 'static) -> String {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let origin = format!("http://{}", listener.local_addr().unwrap());
    let page: Arc<Page> = Arc::new(page);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let page = Arc::clone(&page);
            // A browser that hangs up early is its own affair.
            std::thread::spawn(move || answer(&stream, &*page).ok());
        }
    });
    origin
}

fn answer(mut stream: &TcpStream, page: &Page) -> std::io::Result<()> {
    let mut head = String::new();
    for line in BufReader::new(stream).lines() {
        match line? {
            line if line.is_empty() => break,
            line => head = head + &line + "\n",
        }
    }
    let page = page(head.split(' ').nth(1).unwrap_or("/"), &head);
    if page.starts_with("HTTP/") {
        return stream.write_all(page.as_bytes());
    }
    write!(
        stream,
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{page}",
        page.len()
    )
}
