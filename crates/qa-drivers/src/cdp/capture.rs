//! Takes a login out of a page in which somebody has logged in: what `login` brings in.
//!
//! Cookies belong to the browser context. Storage belongs to an origin, and that of a session to
//! the page too: the page goes to each origin once and is given an empty document by ourselves, as
//! when a login is brought in.

use std::fmt;
use std::time::SystemTime;

use qa_core::DriverError;
use serde::Deserialize;
use serde_json::{Value, json};

use super::CdpDriver;
use super::login::EmptyPages;
use super::login_state::{LoginState, LoginStateError, host_of};
use super::setup::SETUP_DEADLINE;
use super::transport::CallError;

/// The content of a login file, as [`LoginState::parse`] reads it.
#[derive(Clone, PartialEq, Eq)]
pub struct CapturedLogin {
    json: String,
    /// Cookies in it.
    pub cookies: usize,
    /// Storage entries in it.
    pub storage_entries: usize,
    /// Cookies of other hosts, and nameless ones, which are not in it.
    pub left_out: usize,
    state: LoginState,
}

impl CapturedLogin {
    /// The file, secrets and all.
    #[must_use]
    pub fn json(&self) -> &str {
        &self.json
    }

    /// The same, as it is read for the origins of the app.
    #[must_use]
    pub fn state(&self) -> &LoginState {
        &self.state
    }
}

impl fmt::Debug for CapturedLogin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (cookies, entries) = (self.cookies, self.storage_entries);
        write!(
            formatter,
            "CapturedLogin({cookies} cookies, {entries} storage entries)"
        )
    }
}

/// Why there is no login to keep. No message holds a name or a value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CaptureError {
    /// The page or the browser is gone, or did not answer.
    #[error("failed to read the login: {0}")]
    Driver(#[from] DriverError),
    /// There is nothing of the app's, or something that could not be brought in again.
    #[error(transparent)]
    State(#[from] LoginStateError),
}

impl CdpDriver {
    /// Takes the login out of the page: cookies of the hosts of the app's origins, local and session
    /// storage of exactly these origins. The page shows an empty document afterwards.
    ///
    /// # Errors
    /// A page that is gone, and a login that [`LoginState::parse`] would refuse.
    pub async fn capture_login(&mut self) -> Result<CapturedLogin, CaptureError> {
        let origins = self.options.origins();
        let page = self.page()?;
        let failed = |error: CallError| match error {
            CallError::Closed(_) | CallError::TargetGone => page.gone(),
            // The browser's own words might repeat what it holds.
            CallError::Refused { .. } | CallError::Shape(_) => unreadable("it was refused"),
            CallError::Deadline(_) => unreadable("the browser did not answer"),
        };
        let params = json!({"browserContextId": page.tab.state().context.clone()});
        let held: Held = page
            .connection
            .call(None, "Storage.getCookies", &params, SETUP_DEADLINE)
            .await
            .map_err(failed)?;
        let hosts: Vec<String> = origins
            .iter()
            .filter_map(|origin| host_of(origin))
            .collect();
        let all = held.cookies.len();
        let cookies: Vec<Value> = held
            .cookies
            .into_iter()
            .filter(|cookie| cookie.is_of(&hosts))
            .map(Cookie::into_file)
            .collect();
        let pages = EmptyPages::begin(&page).await.map_err(failed)?;
        let mut storage = Vec::new();
        let mut entries = 0;
        let mut read = Ok(());
        for origin in &origins {
            match pages.read(origin).await {
                Ok([local, session]) => {
                    entries += local.len() + session.len();
                    storage.push(json!({
                        "origin": origin,
                        "localStorage": pairs(local),
                        "sessionStorage": pairs(session),
                    }));
                }
                Err(error) => {
                    read = Err(error);
                    break;
                }
            }
        }
        let ended = pages.end().await;
        read.and(ended).map_err(failed)?;
        let file = json!({"cookies": cookies, "origins": storage});
        let json = format!("{file:#}\n");
        let state = LoginState::parse(json.as_bytes(), &origins, SystemTime::now())?;
        Ok(CapturedLogin {
            json,
            cookies: cookies.len(),
            storage_entries: entries,
            left_out: all - cookies.len(),
            state,
        })
    }
}

fn unreadable(reason: &str) -> DriverError {
    DriverError::Protocol {
        what: "reading cookies and storage".into(),
        reason: reason.into(),
    }
}

fn pairs(entries: Vec<(String, String)>) -> Value {
    let pair = |(name, value)| json!({"name": name, "value": value});
    entries.into_iter().map(pair).collect()
}

#[derive(Deserialize)]
struct Held {
    cookies: Vec<Cookie>,
}

/// A cookie in the words of the protocol (`Network.Cookie`).
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Cookie {
    name: String,
    value: String,
    domain: String,
    path: String,
    /// Seconds since 1970; -1 where it ends with the browser.
    expires: f64,
    http_only: bool,
    secure: bool,
    /// Absent where the page did not say it; browsers then take `Lax`.
    same_site: Option<String>,
    partition_key: Option<Partition>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Partition {
    top_level_site: String,
    has_cross_site_ancestor: bool,
}

impl Cookie {
    /// Whether it is brought in again for one of these hosts. One without a name cannot be.
    fn is_of(&self, hosts: &[String]) -> bool {
        let host = self.domain.strip_prefix('.').unwrap_or(&self.domain);
        !self.name.is_empty() && hosts.contains(&host.to_ascii_lowercase())
    }

    /// The same in the words of the file.
    fn into_file(self) -> Value {
        let mut file = json!({
            "name": self.name,
            "value": self.value,
            "domain": self.domain,
            "path": self.path,
            "expires": if self.expires < 0.0 { -1.0 } else { self.expires },
            "httpOnly": self.http_only,
            "secure": self.secure,
            "sameSite": self.same_site.unwrap_or_else(|| "Lax".to_owned()),
        });
        if let Some(partition) = self.partition_key {
            file["partitionKey"] = partition.top_level_site.into();
            file["_crHasCrossSiteAncestor"] = partition.has_cross_site_ancestor.into();
        }
        file
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // REP-143: as Chromium 156 gives them.
    #[test]
    fn a_cookie_of_the_browser_is_one_that_can_be_brought_in() {
        let cookies = json!([
            {"name": "sid", "value": "kp-9931-zebra", "domain": "app.test", "path": "/", "expires": -1,
             "size": 16, "httpOnly": true, "secure": false, "session": true, "priority": "Medium",
             "sourceScheme": "NonSecure", "sourcePort": 80},
            {"name": "", "value": "x", "domain": "app.test", "path": "/", "expires": -1,
             "httpOnly": false, "secure": false},
            {"name": "p", "value": "x", "domain": ".app.test", "path": "/", "expires": 4e9,
             "httpOnly": false, "secure": true, "sameSite": "None",
             "partitionKey": {"topLevelSite": "https://top.test", "hasCrossSiteAncestor": true}},
            {"name": "other", "value": "x", "domain": ".test", "path": "/", "expires": -1,
             "httpOnly": false, "secure": false},
        ]);
        let held: Held = serde_json::from_value(json!({"cookies": cookies})).unwrap();
        let hosts = ["app.test".to_owned()];
        let kept: Vec<Value> = held
            .cookies
            .into_iter()
            .filter(|cookie| cookie.is_of(&hosts))
            .map(Cookie::into_file)
            .collect();
        assert_eq!(kept.len(), 2);
        assert_eq!(kept[0]["sameSite"], "Lax");
        assert_eq!(kept[1]["partitionKey"], "https://top.test");
        let file = json!({"cookies": kept, "origins": []}).to_string();
        let origins = ["http://app.test".to_owned()];
        let read = LoginState::parse(file.as_bytes(), &origins, SystemTime::UNIX_EPOCH).unwrap();
        assert_eq!(read.cookies().len(), 2);
    }
}
