//! Serving an app on loopback.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use super::app::{App, Place};
use super::sample;
use crate::failure::Failure;
use crate::process::Service;

const START_LIMIT: Duration = Duration::from_secs(60);

/// An app that is being served, until this is dropped.
#[derive(Debug)]
pub(super) struct Served {
    /// Where.
    pub(super) url: String,
    service: Service,
}

impl Served {
    /// Waits until the app ends by itself.
    pub(super) fn wait(self) -> Result<(), Failure> {
        self.service.wait()
    }
}

/// Serves an app with fresh sample data; returns when it answers. What it says goes to a file, or
/// else to the reader.
pub(super) fn serve(
    place: &Place,
    app: App,
    port: Option<u16>,
    log: Option<&Path>,
) -> Result<Served, Failure> {
    let port = match port {
        Some(port) => port,
        None => free_port()?,
    };
    let mut server = app.server(place, port);
    if !Path::new(server.get_program()).exists() {
        return Err(Failure::missing(format!(
            "{app} is not installed; run `cargo xtask apps install {app}`"
        )));
    }
    sample::make(place, app)?;
    let mut service = Service::start(&mut server, log)?;
    let start = Instant::now();
    while !answers(port) {
        service.check()?;
        if start.elapsed() > START_LIMIT {
            return Err(Failure::failed(format!(
                "{app} did not answer on port {port} within {} s",
                START_LIMIT.as_secs()
            )));
        }
        thread::sleep(Duration::from_millis(100));
    }
    service.check()?;
    Ok(Served {
        url: format!("http://127.0.0.1:{port}/"),
        service,
    })
}

fn free_port() -> Result<u16, Failure> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?
        .local_addr()?
        .port())
}

/// Whether a web server answers with success or a redirect.
fn answers(port: u16) -> bool {
    let ask = || -> std::io::Result<String> {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
        stream.set_read_timeout(Some(Duration::from_secs(5)))?;
        write!(stream, "GET / HTTP/1.0\r\nHost: 127.0.0.1:{port}\r\n\r\n")?;
        let mut head = [0; 12];
        stream.read_exact(&mut head)?;
        Ok(String::from_utf8_lossy(&head).into_owned())
    };
    ask().is_ok_and(|head| head.ends_with(" 200") || head.ends_with(" 302"))
}
