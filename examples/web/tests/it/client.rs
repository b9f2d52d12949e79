use std::error::Error;

use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1::handshake;
use hyper::header::{CONTENT_TYPE, COOKIE, HOST, HeaderMap, SET_COOKIE};
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

/// A whole answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Answer {
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).expect("the answer is JSON")
    }

    pub(crate) fn content_type(&self) -> &str {
        self.headers[CONTENT_TYPE].to_str().expect("a plain header")
    }

    /// The cookie to send back.
    pub(crate) fn cookie(&self) -> Option<String> {
        let value = self
            .headers
            .get(SET_COOKIE)?
            .to_str()
            .expect("a plain header");
        Some(value.split(';').next().unwrap_or_default().to_owned())
    }
}

/// Sends one request on a connection of its own and gives the answer's head, with the body still to come.
pub(crate) async fn open(
    origin: &str,
    method: &str,
    path: &str,
    cookie: &str,
    body: &str,
) -> Result<Response<Incoming>, Box<dyn Error>> {
    let address = origin
        .strip_prefix("http://")
        .expect("an http origin")
        .to_owned();
    let stream = TcpStream::connect(&address).await?;
    let (mut sender, connection) = handshake(TokioIo::new(stream)).await?;
    tokio::spawn(connection);
    let request = Request::builder()
        .method(method)
        .uri(path)
        .header(HOST, address)
        .header(COOKIE, cookie)
        .body(Full::new(Bytes::copy_from_slice(body.as_bytes())))?;
    Ok(sender.send_request(request).await?)
}

pub(crate) async fn send(
    origin: &str,
    method: &str,
    path: &str,
    cookie: &str,
    body: &str,
) -> Answer {
    let response = open(origin, method, path, cookie, body)
        .await
        .expect("the server answers");
    let (head, body) = response.into_parts();
    Answer {
        status: head.status.as_u16(),
        headers: head.headers,
        body: body.collect().await.expect("the body ends").to_bytes(),
    }
}

pub(crate) async fn get(origin: &str, path: &str) -> Answer {
    send(origin, "GET", path, "", "").await
}
