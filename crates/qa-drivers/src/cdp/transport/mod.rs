//! Bytes to and from a browser: commands out, answers and events in.
//!
//! The Chrome DevTools Protocol is JSON messages, over a pipe (each ended by a NUL byte) or over a
//! WebSocket. Commands carry an `id` that their answer repeats; events carry a `method`. Both may
//! carry a `sessionId` that names the target they belong to.

mod pipe;
mod socket;
mod surrogate;

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tokio::sync::{mpsc, oneshot};

pub(crate) use pipe::over_pipe;
pub(crate) use socket::over_socket;
pub(crate) use surrogate::mend;

/// A browser's end of the protocol.
#[derive(Clone)]
pub(crate) struct Connection {
    shared: Arc<Shared>,
}

struct Shared {
    next_id: AtomicU64,
    waiting: Mutex<Waiting>,
    outgoing: mpsc::UnboundedSender<String>,
}

#[derive(Default)]
struct Waiting {
    /// Why no answer will come any more.
    closed: Option<String>,
    calls: HashMap<u64, Call>,
}

struct Call {
    session: Option<String>,
    answer: oneshot::Sender<Result<Box<RawValue>, CallError>>,
}

/// What the browser says unasked.
#[derive(Debug)]
pub(crate) struct Event {
    /// The session it belongs to; the browser itself if absent.
    pub(crate) session: Option<String>,
    /// `Domain.name`.
    pub(crate) method: String,
    params: Option<Box<RawValue>>,
}

impl Event {
    /// The event's parameters. A shape we do not know is `None`: a newer browser never breaks the
    /// driver (WEB-005).
    pub(crate) fn params<T: DeserializeOwned>(&self) -> Option<T> {
        let text = self.params.as_deref().map_or("{}", RawValue::get);
        serde_json::from_str(text).ok()
    }
}

/// Gets each event, in the order of the wire, before any later answer is delivered.
pub(crate) trait EventSink: Send + 'static {
    /// Must not block; it may send commands.
    fn on_event(&mut self, connection: &Connection, event: Event);

    /// The connection ended.
    fn on_close(&mut self, reason: &str);
}

/// A command that was not answered as wished.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum CallError {
    /// The browser refused.
    #[error("{message}")]
    Refused {
        /// Its words.
        message: String,
    },
    /// It said nothing in time.
    #[error("no answer within {} ms", .0.as_millis())]
    Deadline(Duration),
    /// The target it was for is gone (crashed, closed).
    #[error("the target is gone")]
    TargetGone,
    /// The connection is closed.
    #[error("the connection is closed: {0}")]
    Closed(String),
    /// It answered in a shape that cannot be read.
    #[error("unexpected answer: {0}")]
    Shape(String),
}

#[derive(Deserialize)]
struct Incoming {
    id: Option<u64>,
    method: Option<String>,
    #[serde(rename = "sessionId")]
    session: Option<String>,
    params: Option<Box<RawValue>>,
    result: Option<Box<RawValue>>,
    error: Option<Refusal>,
}

#[derive(Deserialize)]
struct Refusal {
    message: String,
}

#[derive(Serialize)]
struct Outgoing<'a, P> {
    id: u64,
    method: &'a str,
    params: &'a P,
    #[serde(rename = "sessionId", skip_serializing_if = "Option::is_none")]
    session: Option<&'a str>,
}

impl Connection {
    fn new() -> (Self, mpsc::UnboundedReceiver<String>) {
        let (outgoing, to_write) = mpsc::unbounded_channel();
        let shared = Arc::new(Shared {
            next_id: AtomicU64::new(1),
            waiting: Mutex::default(),
            outgoing,
        });
        (Self { shared }, to_write)
    }

    /// Sends a command; the answer may be awaited or dropped.
    pub(crate) fn send(
        &self,
        session: Option<&str>,
        method: &str,
        params: &impl Serialize,
    ) -> Answer {
        let id = self.shared.next_id.fetch_add(1, Ordering::Relaxed);
        let (answer, receiver) = oneshot::channel();
        let message = Outgoing {
            id,
            method,
            params,
            session,
        };
        let text = match serde_json::to_string(&message) {
            Ok(text) => text,
            Err(error) => return Answer::refused(CallError::Shape(error.to_string())),
        };
        {
            let mut waiting = self.waiting();
            if let Some(reason) = &waiting.closed {
                return Answer::refused(CallError::Closed(reason.clone()));
            }
            let call = Call {
                session: session.map(str::to_owned),
                answer,
            };
            waiting.calls.insert(id, call);
        }
        // A closed channel means that the writer ended; `close` then answers every call.
        let _ = self.shared.outgoing.send(text);
        Answer {
            receiver,
            connection: Some((self.clone(), id)),
        }
    }

    /// Sends a command and waits for its answer.
    pub(crate) async fn call<R: DeserializeOwned>(
        &self,
        session: Option<&str>,
        method: &str,
        params: &impl Serialize,
        deadline: Duration,
    ) -> Result<R, CallError> {
        let raw = self.send(session, method, params).within(deadline).await?;
        serde_json::from_str(raw.get()).map_err(|error| CallError::Shape(error.to_string()))
    }

    /// Answers every open call of a session: nobody else will.
    pub(crate) fn session_gone(&self, session: &str) {
        let mut waiting = self.waiting();
        let gone: Vec<u64> = waiting
            .calls
            .iter()
            .filter(|(_, call)| call.session.as_deref() == Some(session))
            .map(|(id, _)| *id)
            .collect();
        for id in gone {
            if let Some(call) = waiting.calls.remove(&id) {
                let _ = call.answer.send(Err(CallError::TargetGone));
            }
        }
    }

    /// Takes one message from the wire.
    fn receive(&self, text: &[u8], sink: &mut dyn EventSink) {
        let Ok(message) = serde_json::from_slice::<Incoming>(&mend(text)) else {
            return;
        };
        if let Some(id) = message.id {
            let Some(call) = self.waiting().calls.remove(&id) else {
                return;
            };
            let answer = match (message.error, message.result) {
                (Some(refusal), _) => Err(CallError::Refused {
                    message: refusal.message,
                }),
                (None, Some(result)) => Ok(result),
                (None, None) => Err(CallError::Shape("neither result nor error".into())),
            };
            let _ = call.answer.send(answer);
        } else if let Some(method) = message.method {
            let event = Event {
                session: message.session,
                method,
                params: message.params,
            };
            sink.on_event(self, event);
        }
    }

    fn close(&self, reason: &str, sink: &mut dyn EventSink) {
        let calls = {
            let mut waiting = self.waiting();
            waiting.closed.get_or_insert_with(|| reason.to_owned());
            std::mem::take(&mut waiting.calls)
        };
        for call in calls.into_values() {
            let _ = call.answer.send(Err(CallError::Closed(reason.to_owned())));
        }
        sink.on_close(reason);
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        // Every critical section leaves the map whole, so a poisoned lock is still good.
        self.shared
            .waiting
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// An answer that is on its way.
pub(crate) struct Answer {
    receiver: oneshot::Receiver<Result<Box<RawValue>, CallError>>,
    connection: Option<(Connection, u64)>,
}

impl Answer {
    fn refused(error: CallError) -> Self {
        let (answer, receiver) = oneshot::channel();
        let _ = answer.send(Err(error));
        Self {
            receiver,
            connection: None,
        }
    }

    /// Waits for it.
    pub(crate) async fn within(self, deadline: Duration) -> Result<Box<RawValue>, CallError> {
        match tokio::time::timeout(deadline, self.receiver).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(_)) => Err(CallError::Closed("the reader ended".into())),
            Err(_) => {
                if let Some((connection, id)) = &self.connection {
                    connection.waiting().calls.remove(id);
                }
                Err(CallError::Deadline(deadline))
            }
        }
    }
}
