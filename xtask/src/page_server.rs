//! Pages of our own on loopback, for a browser to be pointed at.

use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use crate::failure::Failure;

/// Serves HTML until the process ends.
#[derive(Debug)]
pub(crate) struct PageServer {
    /// Its address, without a slash at the end.
    pub(crate) origin: String,
}

impl PageServer {
    /// Serves what `page` makes of a path; a path it does not know is not found.
    pub(crate) fn start(
        page: impl Fn(&str) -> Option<String> + Send + Sync + 'static,
    ) -> Result<Self, Failure> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let origin = format!("http://{}", listener.local_addr()?);
        let page = Arc::new(page);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let page = Arc::clone(&page);
                // A browser that hangs up early is its own affair.
                thread::spawn(move || answer(&stream, &*page).ok());
            }
        });
        Ok(Self { origin })
    }
}

fn answer(stream: &TcpStream, page: &dyn Fn(&str) -> Option<String>) -> std::io::Result<()> {
    stream.set_read_timeout(Some(Duration::from_secs(10)))?;
    let mut lines = BufReader::new(stream).lines();
    let request = lines.next().transpose()?.unwrap_or_default();
    while lines
        .next()
        .transpose()?
        .is_some_and(|line| !line.is_empty())
    {}
    let path = request.split(' ').nth(1).unwrap_or("/");
    let (status, body) = match page(path) {
        Some(body) => ("200 OK", body),
        None => ("404 Not Found", String::new()),
    };
    let mut stream = stream;
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\n\
         Cache-Control: no-store\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpStream;

    use super::PageServer;

    #[test]
    fn a_known_path_is_served_and_another_is_not_found() {
        let server = PageServer::start(|path| (path == "/a").then(|| "<p>a".into())).unwrap();
        let ask = |path: &str| {
            let mut stream =
                TcpStream::connect(server.origin.trim_start_matches("http://")).unwrap();
            write!(stream, "GET {path} HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
            let mut reply = String::new();
            stream.read_to_string(&mut reply).unwrap();
            reply
        };
        assert!(ask("/a").ends_with("\r\n\r\n<p>a"));
        assert!(ask("/b").starts_with("HTTP/1.1 404"));
    }
}
