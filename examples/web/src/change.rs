//! What is different about an app from its own files, for whoever measures whether that is noticed.

use std::collections::BTreeMap;

use hyper::StatusCode;
use hyper::body::Bytes;

use crate::reply::{Reply, ReplyBody};
use crate::request::Request;

/// What is different about an app; nothing by default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// A script that runs in each document before anything of its own; none if empty.
    pub script: String,
    /// Calls that fail, by method and path, for example `GET /api/cart`.
    pub broken: BTreeMap<String, Broken>,
}

/// How a call fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Broken {
    /// It is answered with this status.
    Status(u16),
    /// The connection is closed without an answer.
    Silent,
}

impl Change {
    /// The answer to a call that fails.
    pub(crate) fn answer(&self, request: &Request) -> Option<Reply> {
        let key = format!("{} {}", request.method, request.path);
        Some(match self.broken.get(&key)? {
            Broken::Status(status) => Reply::text(
                StatusCode::from_u16(*status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR),
                "changed to fail",
            ),
            Broken::Silent => Reply::nothing(),
        })
    }

    /// A document with the script in front of everything; any other answer as it is.
    pub(crate) fn apply(&self, mut reply: Reply) -> Reply {
        const DOCTYPE: &str = "<!doctype html>";
        if self.script.is_empty() {
            return reply;
        }
        if let ReplyBody::Whole(body) = &reply.body
            && let Some(rest) = body.strip_prefix(DOCTYPE.as_bytes())
        {
            let start = format!("{DOCTYPE}<script>{}</script>", self.script);
            let whole = [start.as_bytes(), rest].concat();
            reply.body = ReplyBody::Whole(Bytes::from(whole));
        }
        reply
    }
}
