//! A request as plain data, so that routing needs no connection.

use http_body_util::{BodyExt, Limited};
use hyper::Method;
use hyper::body::{Bytes, Incoming};
use hyper::header::{AUTHORIZATION, COOKIE};

const MAX_BODY_BYTES: usize = 1 << 20;

#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) query: Vec<(String, String)>,
    pub(crate) cookies: String,
    pub(crate) authorized: bool,
    pub(crate) body: Bytes,
}

impl Request {
    /// Reads a whole request; a body that is too long or breaks off counts as empty.
    pub(crate) async fn read(request: hyper::Request<Incoming>) -> Self {
        let (head, body) = request.into_parts();
        let body = Limited::new(body, MAX_BODY_BYTES).collect().await;
        let cookies = head
            .headers
            .get_all(COOKIE)
            .iter()
            .filter_map(|value| value.to_str().ok());
        Self {
            method: head.method,
            path: head.uri.path().to_owned(),
            query: form_urlencoded::parse(head.uri.query().unwrap_or_default().as_bytes())
                .into_owned()
                .collect(),
            cookies: cookies.collect::<Vec<_>>().join("; "),
            authorized: head.headers.contains_key(AUTHORIZATION),
            body: body
                .map(http_body_util::Collected::to_bytes)
                .unwrap_or_default(),
        }
    }

    pub(crate) fn parameter(&self, name: &str) -> Option<&str> {
        self.query
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.as_str())
    }

    pub(crate) fn cookie(&self, name: &str) -> Option<&str> {
        self.cookies
            .split(';')
            .filter_map(|pair| pair.trim().split_once('='))
            .find(|(key, _)| *key == name)
            .map(|(_, value)| value)
    }

    /// The body as JSON, null if it is none.
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }
}
