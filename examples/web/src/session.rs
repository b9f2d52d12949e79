//! What the shop remembers of one browser session. A new browser context has no cookie and so begins afresh.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use serde_json::{Value, json};

/// Sessions kept at most; beyond that the oldest is forgotten.
const MAX_SESSIONS: usize = 10_000;

#[derive(Debug)]
pub(crate) struct Session {
    /// Quantities by product.
    pub(crate) cart: BTreeMap<u64, u64>,
    pub(crate) note: String,
    pub(crate) saved: BTreeSet<u64>,
    pub(crate) user: Option<String>,
    pub(crate) address: Value,
    pub(crate) delivery: Value,
    pub(crate) message: String,
    pub(crate) settings: Value,
}

impl Session {
    fn new() -> Self {
        Self {
            cart: BTreeMap::new(),
            note: String::new(),
            saved: BTreeSet::from([1]),
            user: None,
            address: Value::Null,
            delivery: Value::Null,
            message: String::new(),
            settings: json!({"nickname": "friend", "language": "en", "news": false, "parcels": true}),
        }
    }
}

#[derive(Debug, Default)]
pub(crate) struct Sessions(Mutex<Store>);

#[derive(Debug, Default)]
struct Store {
    last: u64,
    open: BTreeMap<u64, Session>,
}

impl Sessions {
    /// Uses the session that the cookie names, or a new one; also gives the cookie to set for a new one.
    pub(crate) fn with<T>(
        &self,
        cookie: Option<&str>,
        work: impl FnOnce(&mut Session) -> T,
    ) -> (T, Option<String>) {
        let mut store = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(session) = cookie
            .and_then(|text| text.parse().ok())
            .and_then(|id: u64| store.open.get_mut(&id))
        {
            return (work(session), None);
        }
        store.last += 1;
        let id = store.last;
        if store.open.len() >= MAX_SESSIONS {
            store.open.pop_first();
        }
        let session = store.open.entry(id).or_insert_with(Session::new);
        (work(session), Some(id.to_string()))
    }
}
