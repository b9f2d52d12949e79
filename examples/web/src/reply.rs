//! An answer as plain data, and the body type that sends it.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use hyper::body::{Body, Bytes, Frame, SizeHint};
use hyper::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderName, HeaderValue};
use hyper::{Response, StatusCode};

#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    pub(crate) headers: Vec<(HeaderName, String)>,
    pub(crate) body: ReplyBody,
}

/// The bytes of an answer.
#[derive(Debug)]
pub(crate) enum ReplyBody {
    /// All of it.
    Whole(Bytes),
    /// A beginning without an end: the connection stays open.
    Endless(Bytes),
    /// No answer at all: the connection is closed.
    Nothing,
}

impl Reply {
    pub(crate) fn new(content_type: &str, body: impl Into<Bytes>) -> Self {
        Self {
            status: StatusCode::OK,
            headers: vec![(CONTENT_TYPE, content_type.to_owned())],
            body: ReplyBody::Whole(body.into()),
        }
    }

    pub(crate) fn html(body: impl Into<Bytes>) -> Self {
        Self::new("text/html; charset=utf-8", body)
    }

    pub(crate) fn json(value: &serde_json::Value) -> Self {
        Self::new("application/json", value.to_string())
    }

    pub(crate) fn text(status: StatusCode, words: &'static str) -> Self {
        Self::new("text/plain; charset=utf-8", words).status(status)
    }

    pub(crate) fn not_found() -> Self {
        Self::text(StatusCode::NOT_FOUND, "not found")
    }

    /// Closes the connection without an answer.
    pub(crate) fn nothing() -> Self {
        Self {
            body: ReplyBody::Nothing,
            ..Self::not_found()
        }
    }

    pub(crate) fn status(mut self, status: StatusCode) -> Self {
        self.status = status;
        self
    }

    pub(crate) fn header(mut self, name: HeaderName, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// The response to send; `None` if the connection is to be closed instead.
    pub(crate) fn into_response(self) -> Option<Response<ReplyBody>> {
        if matches!(self.body, ReplyBody::Nothing) {
            return None;
        }
        let mut response = Response::new(self.body);
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        for (name, value) in self.headers {
            headers.append(name, HeaderValue::from_str(&value).ok()?);
        }
        Some(response)
    }
}

impl Body for ReplyBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match &mut *self {
            Self::Whole(bytes) | Self::Endless(bytes) if !bytes.is_empty() => {
                Poll::Ready(Some(Ok(Frame::data(std::mem::take(bytes)))))
            }
            Self::Whole(_) | Self::Nothing => Poll::Ready(None),
            // Nobody is woken: the connection ends when either side closes it.
            Self::Endless(_) => Poll::Pending,
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Whole(bytes) => SizeHint::with_exact(bytes.len() as u64),
            Self::Nothing => SizeHint::with_exact(0),
            Self::Endless(_) => SizeHint::default(),
        }
    }
}
