//! Brings a login into a page that is still empty (WEB-006).
//!
//! Cookies belong to the browser context. Storage belongs to an origin, and is written by a
//! document of it: the page goes to each origin once and is given an empty document by ourselves,
//! so no server is asked. Then it is an empty page again, without a past.

use std::time::Duration;

use qa_core::DriverError;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::login_state::{LoginState, OriginStorage};
use super::page::{DEADLINE, Page};
use super::setup::{self, SETUP_DEADLINE};
use super::tab::TabState;
use super::transport::CallError;

/// What a page that is to be filled gets from any address. Its icon keeps the browser from asking
/// for one.
pub(crate) const EMPTY_PAGE: &str = "<!doctype html><link rel=icon href=data:,>";

/// Brings a login in. In a context that was there before, cookies and local storage are the app's
/// by now; only the page's own storage is new.
pub(crate) async fn bring_in(
    page: &Page<'_>,
    login: &LoginState,
    new_context: bool,
    start_origin: Option<&str>,
) -> Result<(), DriverError> {
    let failed = |error: CallError| match error {
        CallError::Closed(_) | CallError::TargetGone => page.gone(),
        // The browser's own words might repeat what it was given.
        CallError::Refused { .. } | CallError::Shape(_) => protocol("the browser refused it"),
        CallError::Deadline(_) => protocol("the browser did not answer"),
    };
    if new_context && !login.cookies().is_empty() {
        let context = page.tab.state().context.clone();
        let params = json!({"cookies": login.cookies(), "browserContextId": context});
        page.connection
            .call::<Value>(None, "Storage.setCookies", &params, SETUP_DEADLINE)
            .await
            .map_err(failed)?;
        let params = json!({"browserContextId": context});
        let taken: Value = page
            .connection
            .call(None, "Storage.getCookies", &params, SETUP_DEADLINE)
            .await
            .map_err(failed)?;
        // A cookie that the browser does not like is left out in silence.
        let refused = missing(login.cookies(), &taken["cookies"]);
        if refused > 0 {
            return Err(protocol(&format!("the browser left {refused} cookies out")));
        }
    }
    // The start page's origin comes last: what follows stays in its process.
    let mut todo: Vec<(&str, Value)> = login
        .storage()
        .iter()
        .map(|(origin, storage)| (origin.as_str(), items(storage, new_context)))
        .filter(|(_, items)| items.as_array().is_some_and(|items| !items.is_empty()))
        .collect();
    todo.sort_by_key(|(origin, _)| Some(*origin) == start_origin);
    if todo.is_empty() {
        return Ok(());
    }
    let pages = EmptyPages::begin(page).await.map_err(failed)?;
    let mut done = Ok(());
    for (origin, items) in &todo {
        done = pages.fill(origin, items).await;
        if done.is_err() {
            break;
        }
    }
    let ended = pages.end().await;
    done.and(ended).map_err(failed)
}

fn protocol(reason: &str) -> DriverError {
    DriverError::Protocol {
        what: "bringing the login in".into(),
        reason: reason.into(),
    }
}

/// How many cookies the browser does not have.
fn missing(cookies: &[Value], taken: &Value) -> usize {
    let identity = |cookie: &Value| {
        let text = |field: &str| cookie[field].as_str().unwrap_or_default().to_owned();
        let domain = text("domain").to_ascii_lowercase();
        let host = domain.strip_prefix('.').unwrap_or(&domain).to_owned();
        (text("name"), host, text("path"))
    };
    let taken: Vec<_> = taken
        .as_array()
        .into_iter()
        .flatten()
        .map(identity)
        .collect();
    let is_missing = |cookie: &&Value| !taken.contains(&identity(cookie));
    cookies.iter().filter(is_missing).count()
}

/// `[area, name, value]` for each entry.
fn items(storage: &OriginStorage, new_context: bool) -> Value {
    let local = storage.local.iter().filter(|_| new_context);
    let local = local.map(|(name, value)| json!(["localStorage", name, value]));
    let session = storage.session.iter();
    let session = session.map(|(name, value)| json!(["sessionStorage", name, value]));
    local.chain(session).collect()
}

/// A page that gets an empty document from any address: no server is asked.
pub(crate) struct EmptyPages<'p> {
    page: &'p Page<'p>,
}

impl<'p> EmptyPages<'p> {
    pub(crate) async fn begin(page: &'p Page<'p>) -> Result<Self, CallError> {
        let (bypass, patterns) = (json!({"bypass": true}), setup::all_requests());
        command(page, "Network.setBypassServiceWorker", &bypass).await?;
        command(page, "Fetch.enable", &patterns).await?;
        page.tab.state().answer_empty = true;
        Ok(Self { page })
    }

    /// Makes the page what it was: empty, and with nowhere to go back to. To be called whatever
    /// became of the rest.
    pub(crate) async fn end(self) -> Result<(), CallError> {
        let page = self.page;
        page.tab.state().answer_empty = false;
        go(page, "about:blank").await?;
        command(page, "Page.resetNavigationHistory", &json!({})).await?;
        command(
            page,
            "Network.setBypassServiceWorker",
            &json!({"bypass": false}),
        )
        .await?;
        if !page.tab.state().block_origins {
            command(page, "Fetch.disable", &json!({})).await?;
        }
        page.tab.state().begin_anew();
        Ok(())
    }

    /// Writes the storage of an origin.
    async fn fill(&self, origin: &str, items: &Value) -> Result<(), CallError> {
        let write = format!(
            "{items}.forEach(([area, name, value]) => window[area].setItem(name, value)) ?? true"
        );
        self.within::<bool>(origin, &write).await.map(|_| ())
    }

    /// What an origin has stored, as pairs of name and value: local, and of this page's session.
    pub(crate) async fn read(&self, origin: &str) -> Result<[Vec<(String, String)>; 2], CallError> {
        const READ: &str = "[localStorage, sessionStorage].map((area) => \
            Array.from({length: area.length}, (_, at) => [area.key(at), area.getItem(area.key(at))]))";
        self.within(origin, READ).await
    }

    /// Goes to an origin and evaluates an expression there, in the walker's world: the storage is
    /// the same, and a script that an app left with the browser cannot look on.
    async fn within<R: DeserializeOwned>(
        &self,
        origin: &str,
        expression: &str,
    ) -> Result<R, CallError> {
        go(self.page, &format!("{origin}/")).await?;
        let guarded = format!(
            "location.origin === {} ? [{expression}] : []",
            json!(origin)
        );
        // A world that is on its way out may answer for the document before.
        for _ in 0..20 {
            let page = self.page;
            match page.evaluate::<Vec<R>>(&guarded, false, DEADLINE).await {
                Ok(mut found) if !found.is_empty() => return Ok(found.remove(0)),
                Ok(_) | Err(CallError::Refused { .. }) => {
                    tokio::time::sleep(Duration::from_millis(25)).await;
                }
                // An error of the page quotes what it was asked.
                Err(CallError::Shape(_)) => break,
                Err(error) => return Err(error),
            }
        }
        Err(CallError::Shape("the storage did not answer".into()))
    }
}

async fn go(page: &Page<'_>, url: &str) -> Result<(), CallError> {
    page.tab.state().loaded = false;
    let answer: Value = page
        .call("Page.navigate", &json!({"url": url}), DEADLINE)
        .await?;
    if answer["errorText"].is_string() {
        return Err(CallError::Shape("an empty page did not open".into()));
    }
    let there = |state: &TabState| {
        let arrived = state.loaded && state.frames.main_url().as_deref() == Some(url);
        (arrived || state.gone.is_some() || state.lost.is_some()).then_some(arrived)
    };
    match page.tab.wait_for(DEADLINE, there).await {
        Some(true) => Ok(()),
        Some(false) => Err(CallError::TargetGone),
        None => Err(CallError::Deadline(DEADLINE)),
    }
}

async fn command(page: &Page<'_>, method: &str, params: &Value) -> Result<(), CallError> {
    page.call::<Value>(method, params, SETUP_DEADLINE)
        .await
        .map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;

    // WEB-006: whatever the browser makes of a domain.
    #[test]
    fn a_cookie_that_was_left_out_is_noticed() {
        let cookie =
            |name: &str, domain: &str| json!({"name": name, "domain": domain, "path": "/"});
        let given = [
            cookie("a", ".App.test"),
            cookie("a", "app.test"),
            cookie("b", "app.test"),
        ];
        let taken = json!([cookie("a", ".app.test"), cookie("c", "app.test")]);
        assert_eq!(missing(&given, &taken), 1);
        assert_eq!(missing(&given, &Value::Null), 3);
    }
}
