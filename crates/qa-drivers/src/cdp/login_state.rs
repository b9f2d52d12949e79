//! The file that holds a login: Playwright's `storageState`, read without ever showing what it
//! holds (REP-142 to REP-144).

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use percent_encoding::percent_decode_str;
use serde_json::{Map, Value, json};

use super::observe::origin_of;

/// Larger files are refused: each value is searched for, in many forms, in all that is stored.
const MAX_BYTES: u64 = 1 << 20;
/// Strings inside a stored JSON value that are long enough to be keys rather than words.
const MIN_LEAF_CHARS: usize = 12;

/// The part of a login that belongs to the app: cookies of its hosts, storage of its origins.
///
/// ```
/// use std::time::SystemTime;
/// use qa_drivers::cdp::LoginState;
///
/// let file = br#"{"cookies": [{"name": "sid", "value": "kp-9931-zebra", "domain": "127.0.0.1",
///     "path": "/", "expires": -1, "httpOnly": true, "secure": false, "sameSite": "Lax"}]}"#;
/// let origins = ["http://127.0.0.1:8080".to_owned()];
/// let login = LoginState::parse(file, &origins, SystemTime::now())?;
/// assert_eq!(login.summary(), "1 cookie, 0 storage entries; 0 of elsewhere left out");
/// assert!(!format!("{login:?}").contains("zebra"));
/// # Ok::<(), qa_drivers::cdp::LoginStateError>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct LoginState {
    cookies: Vec<Value>,
    storage: BTreeMap<String, OriginStorage>,
    /// Every value of the file, also of what was left out.
    values: BTreeSet<String>,
    elsewhere: usize,
    expired: usize,
}

/// What one origin has stored, as pairs of key and value.
#[derive(Clone, Default, PartialEq, Eq)]
pub(crate) struct OriginStorage {
    pub(crate) local: Vec<(String, String)>,
    pub(crate) session: Vec<(String, String)>,
}

/// A login that is not taken. No message holds a name, a value or a path (REP-144).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LoginStateError {
    /// The system does not give it.
    #[error("the file cannot be read: {0}")]
    Unreadable(String),
    /// A directory, a pipe, a device.
    #[error("it is no regular file")]
    NotAFile,
    /// Others may read or change it.
    #[error("the file is open to others than its owner (mode {mode:04o})")]
    NotPrivate {
        /// Its permissions.
        mode: u32,
    },
    /// Larger than a login is.
    #[error("the file is larger than {max_bytes} bytes")]
    TooLarge {
        /// The limit.
        max_bytes: u64,
    },
    /// No JSON.
    #[error("the file is no JSON from line {line}, column {column} on")]
    NotJson {
        /// Counted from 1.
        line: usize,
        /// Counted from 1.
        column: usize,
    },
    /// Something in it cannot be classified.
    #[error("{place}: {reason}")]
    Entry {
        /// Where, such as `cookies[0].sameSite`; `$` is the whole file.
        place: String,
        /// What is wrong there.
        reason: &'static str,
    },
    /// Nothing in it belongs to the app.
    #[error(
        "the file holds nothing for {}: {elsewhere} entries of elsewhere, {expired} expired cookies",
        roots(origins)
    )]
    Nothing {
        /// The origins of the app.
        origins: Vec<String>,
        /// Entries of other hosts and origins.
        elsewhere: usize,
        /// Cookies of the app whose time is over.
        expired: usize,
    },
}

/// Origins as the addresses of their roots: only addresses stay readable in what is printed.
fn roots(origins: &[String]) -> String {
    let roots: Vec<String> = origins.iter().map(|origin| format!("{origin}/")).collect();
    roots.join(", ")
}

impl LoginStateError {
    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        match self {
            Self::NotPrivate { .. } => "take it from all others: chmod 600 FILE",
            Self::Nothing { expired, .. } if *expired > 0 => {
                "log in again and save the state anew; it has expired"
            }
            Self::Nothing { .. } => {
                "save the state of the app at --url, or name its other origin with --allow-origin"
            }
            Self::Unreadable(_) | Self::NotAFile | Self::TooLarge { .. } => {
                "give a file as Playwright saves it: context.storageState({ path })"
            }
            Self::NotJson { .. } | Self::Entry { .. } => {
                "save it anew as Playwright does, context.storageState({ path }), or mend this place"
            }
        }
    }
}

impl LoginState {
    /// Reads a file that its owner alone may read; of it only what belongs to these origins.
    ///
    /// # Errors
    /// See [`LoginStateError`]: what cannot be classified is never left out in silence.
    pub fn read(path: &Path, origins: &[String]) -> Result<Self, LoginStateError> {
        let unreadable =
            |error: std::io::Error| LoginStateError::Unreadable(error.kind().to_string());
        // A pipe would be waited for.
        if !std::fs::metadata(path).map_err(unreadable)?.is_file() {
            return Err(LoginStateError::NotAFile);
        }
        let file = File::open(path).map_err(unreadable)?;
        let metadata = file.metadata().map_err(unreadable)?;
        if !metadata.is_file() {
            return Err(LoginStateError::NotAFile);
        }
        #[cfg(unix)]
        {
            let mode = std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o7777;
            if mode & 0o077 != 0 {
                return Err(LoginStateError::NotPrivate { mode });
            }
        }
        let mut bytes = Vec::new();
        file.take(MAX_BYTES + 1)
            .read_to_end(&mut bytes)
            .map_err(unreadable)?;
        Self::parse(&bytes, origins, SystemTime::now())
    }

    /// Takes from a file's bytes what belongs to these origins: cookies whose domain is one of
    /// their hosts, storage of exactly these.
    ///
    /// # Errors
    /// See [`LoginStateError`].
    pub fn parse(
        bytes: &[u8],
        origins: &[String],
        now: SystemTime,
    ) -> Result<Self, LoginStateError> {
        if bytes.len() as u64 > MAX_BYTES {
            let max_bytes = MAX_BYTES;
            return Err(LoginStateError::TooLarge { max_bytes });
        }
        let file: Value = serde_json::from_slice(bytes).map_err(|error| {
            let (line, column) = (error.line(), error.column());
            LoginStateError::NotJson { line, column }
        })?;
        let mut state = Self {
            cookies: Vec::new(),
            storage: BTreeMap::new(),
            values: BTreeSet::new(),
            elsewhere: 0,
            expired: 0,
        };
        let root = Place::root().object(&file)?;
        root.only(&["cookies", "origins"])?;
        let hosts: BTreeSet<String> = origins
            .iter()
            .filter_map(|origin| host_of(origin))
            .collect();
        for place in root.list("cookies")? {
            state.cookie(&place, &hosts, now)?;
        }
        for place in root.list("origins")? {
            state.origin(&place, origins)?;
        }
        if state.cookies.is_empty() && state.storage.is_empty() {
            return Err(LoginStateError::Nothing {
                origins: origins.to_vec(),
                elsewhere: state.elsewhere,
                expired: state.expired,
            });
        }
        Ok(state)
    }

    /// How much of what there is, and nothing of it, for people.
    #[must_use]
    pub fn summary(&self) -> String {
        let entries: usize = self.storage.values().map(OriginStorage::len).sum();
        let mut text = format!(
            "{}, {}; {} of elsewhere left out",
            counted(self.cookies.len(), "cookie", "cookies"),
            counted(entries, "storage entry", "storage entries"),
            self.elsewhere
        );
        if self.expired > 0 {
            text.push_str(&format!(", {} expired", self.expired));
        }
        text
    }

    /// All values of the file, and the keys inside them: what must be registered as secret before
    /// anything of the run is stored.
    pub fn secrets(&self) -> impl Iterator<Item = &str> {
        self.values.iter().map(String::as_str)
    }

    /// Cookies as `Storage.setCookies` takes them.
    pub(crate) fn cookies(&self) -> &[Value] {
        &self.cookies
    }

    /// Storage by origin.
    pub(crate) fn storage(&self) -> &BTreeMap<String, OriginStorage> {
        &self.storage
    }

    fn cookie(
        &mut self,
        place: &Place<'_>,
        hosts: &BTreeSet<String>,
        now: SystemTime,
    ) -> Result<(), LoginStateError> {
        let cookie = place.as_object()?;
        cookie.only(&[
            "name",
            "value",
            "domain",
            "path",
            "expires",
            "httpOnly",
            "secure",
            "sameSite",
            "partitionKey",
            "_crHasCrossSiteAncestor",
        ])?;
        let name = cookie.text("name")?;
        let value = cookie.text("value")?;
        let domain = cookie.text("domain")?;
        let path = cookie.text("path")?;
        let http_only = cookie.truth("httpOnly")?;
        let secure = cookie.truth("secure")?;
        let same_site = cookie.text("sameSite")?;
        let unfit = |text: &str| text.contains(|c: char| c == ';' || c.is_control());
        if name.is_empty() || name.contains('=') || unfit(name) {
            return Err(cookie.at("name").refuse("cannot be a cookie's name"));
        }
        if unfit(value) {
            return Err(cookie.at("value").refuse("cannot be a cookie's value"));
        }
        if domain.trim_start_matches('.').is_empty() || domain.contains(['/', ':', ';', ',', ' ']) {
            return Err(cookie.at("domain").refuse("is no domain"));
        }
        if !path.starts_with('/') || unfit(path) {
            return Err(cookie.at("path").refuse("is no path"));
        }
        if !matches!(same_site, "Strict" | "Lax" | "None") {
            let reason = "is none of Strict, Lax, None";
            return Err(cookie.at("sameSite").refuse(reason));
        }
        // A browser would leave these out in silence, or refuse them all.
        if same_site == "None" && !secure {
            return Err(cookie.at("sameSite").refuse("is None without secure"));
        }
        let bound_to_host = secure && path == "/" && !domain.starts_with('.');
        let prefixed = |prefix: &str| {
            name.get(..prefix.len())
                .is_some_and(|start| start.eq_ignore_ascii_case(prefix))
        };
        if (prefixed("__Secure-") && !secure) || (prefixed("__Host-") && !bound_to_host) {
            let reason = "promises what the cookie does not keep";
            return Err(cookie.at("name").refuse(reason));
        }
        let Some(expires) = cookie
            .get("expires")?
            .as_f64()
            .filter(|at| *at >= 0.0 || *at == -1.0)
        else {
            let reason = "is neither -1 nor seconds since 1970";
            return Err(cookie.at("expires").refuse(reason));
        };
        let mut param = json!({
            "name": name, "value": value, "domain": domain, "path": path,
            "httpOnly": http_only, "secure": secure, "sameSite": same_site,
        });
        if expires >= 0.0 {
            param["expires"] = json!(expires);
        }
        if let Some(site) = cookie.optional_text("partitionKey")? {
            let ancestor = cookie.fields.contains_key("_crHasCrossSiteAncestor")
                && cookie.truth("_crHasCrossSiteAncestor")?;
            param["partitionKey"] = json!({"topLevelSite": site, "hasCrossSiteAncestor": ancestor});
        }
        self.register(value);
        let host = domain.strip_prefix('.').unwrap_or(domain);
        if !hosts.contains(&host.to_ascii_lowercase()) {
            self.elsewhere += 1;
        } else if expires >= 0.0 && expires <= seconds(now) {
            self.expired += 1;
        } else {
            self.cookies.push(param);
        }
        Ok(())
    }

    fn origin(&mut self, place: &Place<'_>, origins: &[String]) -> Result<(), LoginStateError> {
        let entry = place.as_object()?;
        entry.only(&["origin", "localStorage", "sessionStorage", "indexedDB"])?;
        let origin = entry.text("origin")?;
        let is_web = origin.starts_with("http://") || origin.starts_with("https://");
        let origin = origin_of(origin)
            .filter(|exact| is_web && exact == origin)
            .ok_or_else(|| entry.at("origin").refuse("is no http(s) origin"))?;
        if !entry.list("indexedDB")?.is_empty() {
            let reason = "cannot be brought in; save the state without it";
            return Err(entry.at("indexedDB").refuse(reason));
        }
        let mut storage = OriginStorage {
            local: pairs(&entry, "localStorage")?,
            session: pairs(&entry, "sessionStorage")?,
        };
        for (_, value) in storage.local.iter().chain(&storage.session) {
            self.register(value);
        }
        if !origins.contains(&origin) {
            self.elsewhere += storage.len();
        } else if storage.len() > 0 {
            let known = self.storage.entry(origin).or_default();
            known.local.append(&mut storage.local);
            known.session.append(&mut storage.session);
        }
        Ok(())
    }

    /// A value is secret, and so are the keys in it: a page writes them out one by one.
    fn register(&mut self, value: &str) {
        /// How deep JSON may lie in strings of JSON, as some stores of apps keep it.
        const DEPTH: u32 = 4;
        let decoded = percent_decode_str(value).decode_utf8_lossy();
        for text in [value, &*decoded] {
            self.register_json(text, DEPTH);
        }
        if decoded != value {
            self.values.insert(decoded.into_owned());
        }
        self.values.insert(value.to_owned());
    }

    fn register_json(&mut self, text: &str, depth: u32) {
        if let Some(depth) = depth.checked_sub(1)
            && let Ok(json @ (Value::Object(_) | Value::Array(_) | Value::String(_))) =
                serde_json::from_str(text)
        {
            self.register_leaves(&json, depth);
        }
    }

    fn register_leaves(&mut self, value: &Value, depth: u32) {
        match value {
            Value::String(text) => {
                if text.chars().count() >= MIN_LEAF_CHARS {
                    self.values.insert(text.clone());
                }
                self.register_json(text, depth);
            }
            Value::Array(items) => items
                .iter()
                .for_each(|item| self.register_leaves(item, depth)),
            Value::Object(fields) => fields
                .values()
                .for_each(|field| self.register_leaves(field, depth)),
            _ => {}
        }
    }
}

impl fmt::Debug for LoginState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LoginState({})", self.summary())
    }
}

impl OriginStorage {
    fn len(&self) -> usize {
        self.local.len() + self.session.len()
    }
}

/// A value of the file, and how an error names it.
struct Place<'v> {
    name: String,
    value: &'v Value,
}

/// An object of the file.
struct Object<'v> {
    name: String,
    fields: &'v Map<String, Value>,
}

impl<'v> Place<'v> {
    fn root() -> Place<'static> {
        Place {
            name: "$".into(),
            value: &Value::Null,
        }
    }

    fn object(self, value: &'v Value) -> Result<Object<'v>, LoginStateError> {
        Place { value, ..self }.as_object()
    }

    fn as_object(&self) -> Result<Object<'v>, LoginStateError> {
        match self.value {
            Value::Object(fields) => Ok(Object {
                name: self.name.clone(),
                fields,
            }),
            _ => Err(self.refuse("is no object")),
        }
    }

    fn refuse(&self, reason: &'static str) -> LoginStateError {
        LoginStateError::Entry {
            place: self.name.clone(),
            reason,
        }
    }
}

impl<'v> Object<'v> {
    /// Refuses fields beside these; they are not named, for anybody may have chosen the name.
    fn only(&self, known: &[&str]) -> Result<(), LoginStateError> {
        if self
            .fields
            .keys()
            .all(|field| known.contains(&field.as_str()))
        {
            return Ok(());
        }
        Err(LoginStateError::Entry {
            place: self.name.clone(),
            reason: "has a field that is not known",
        })
    }

    fn at(&self, field: &str) -> Place<'v> {
        let name = match self.name.as_str() {
            "$" => field.to_owned(),
            parent => format!("{parent}.{field}"),
        };
        let value = self.fields.get(field).unwrap_or(&Value::Null);
        Place { name, value }
    }

    fn get(&self, field: &str) -> Result<&'v Value, LoginStateError> {
        self.fields
            .get(field)
            .ok_or_else(|| self.at(field).refuse("is missing"))
    }

    fn text(&self, field: &str) -> Result<&'v str, LoginStateError> {
        self.get(field)?
            .as_str()
            .ok_or_else(|| self.at(field).refuse("is no text"))
    }

    fn optional_text(&self, field: &str) -> Result<Option<&'v str>, LoginStateError> {
        match self.fields.get(field) {
            None | Some(Value::Null) => Ok(None),
            Some(_) => self.text(field).map(Some),
        }
    }

    fn truth(&self, field: &str) -> Result<bool, LoginStateError> {
        self.get(field)?
            .as_bool()
            .ok_or_else(|| self.at(field).refuse("is neither true nor false"))
    }

    /// The items of a list; none if it is not there.
    fn list(&self, field: &str) -> Result<Vec<Place<'v>>, LoginStateError> {
        let place = self.at(field);
        let items = match self.fields.get(field) {
            None => return Ok(Vec::new()),
            Some(Value::Array(items)) => items,
            Some(_) => return Err(place.refuse("is no list")),
        };
        let named = items.iter().enumerate();
        Ok(named
            .map(|(index, value)| Place {
                name: format!("{}[{index}]", place.name),
                value,
            })
            .collect())
    }
}

fn pairs(entry: &Object<'_>, field: &str) -> Result<Vec<(String, String)>, LoginStateError> {
    let mut pairs = Vec::new();
    for place in entry.list(field)? {
        let item = place.as_object()?;
        item.only(&["name", "value"])?;
        pairs.push((
            item.text("name")?.to_owned(),
            item.text("value")?.to_owned(),
        ));
    }
    Ok(pairs)
}

pub(crate) fn host_of(origin: &str) -> Option<String> {
    let url = url::Url::parse(origin).ok()?;
    Some(url.host_str()?.to_ascii_lowercase())
}

fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

fn seconds(time: SystemTime) -> f64 {
    time.duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .as_secs_f64()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const NOW: Duration = Duration::from_secs(1_800_000_000);

    fn parse(text: &str) -> Result<LoginState, LoginStateError> {
        let origins = [
            "http://app.test:8080".to_owned(),
            "https://id.test".to_owned(),
        ];
        LoginState::parse(text.as_bytes(), &origins, UNIX_EPOCH + NOW)
    }

    fn cookie() -> Value {
        json!({
            "name": "sid", "value": "SECRET-1", "domain": "app.test", "path": "/", "expires": -1,
            "httpOnly": true, "secure": false, "sameSite": "Lax",
        })
    }

    fn with_cookie(field: &str, value: Value) -> String {
        let mut cookie = cookie();
        cookie[field] = value;
        json!({"cookies": [self::cookie(), cookie], "origins": []}).to_string()
    }

    fn with_origin(origin: Value) -> String {
        json!({"cookies": [cookie()], "origins": [origin]}).to_string()
    }

    // REP-143
    #[test]
    fn only_what_belongs_to_the_app_is_taken() {
        let mut cookies = Vec::new();
        for domain in [
            ".app.test",
            "APP.test",
            "id.test",
            "sub.app.test",
            "other.test",
            ".test",
        ] {
            let mut cookie = cookie();
            cookie["domain"] = domain.into();
            cookies.push(cookie);
        }
        let mut old = cookie();
        old["expires"] = json!(NOW.as_secs());
        cookies.push(old);
        let entry = |origin: &str| {
            json!({"origin": origin, "localStorage": [{"name": "a", "value": "SECRET-2"}],
                "sessionStorage": [{"name": "b", "value": ""}]})
        };
        let origins = ["http://app.test:8080", "http://app.test", "https://id.test"].map(entry);
        let state = parse(&json!({"cookies": cookies, "origins": origins}).to_string()).unwrap();
        let domains: Vec<_> = state
            .cookies
            .iter()
            .map(|cookie| &cookie["domain"])
            .collect();
        assert_eq!(domains, [".app.test", "APP.test", "id.test"]);
        let taken: Vec<_> = state.storage.keys().map(String::as_str).collect();
        assert_eq!(taken, ["http://app.test:8080", "https://id.test"]);
        let summary = "3 cookies, 4 storage entries; 5 of elsewhere left out, 1 expired";
        assert_eq!(state.summary(), summary);
    }

    // REP-143, REP-144
    #[test]
    fn what_cannot_be_classified_is_refused_with_its_place_and_without_its_content() {
        let mut missing = cookie();
        missing.as_object_mut().unwrap().remove("sameSite");
        let missing = json!({"cookies": [missing]}).to_string();
        let storage = |items: Value| {
            with_origin(json!({"origin": "http://app.test:8080", "localStorage": items}))
        };
        let cases = [
            ("[]".to_owned(), "$"),
            (json!({"SECRET": 1}).to_string(), "$"),
            (json!({"cookies": {}}).to_string(), "cookies"),
            (json!({"cookies": ["SECRET"]}).to_string(), "cookies[0]"),
            (missing, "cookies[0].sameSite"),
            (with_cookie("SECRET", json!(1)), "cookies[1]"),
            (with_cookie("name", json!("")), "cookies[1].name"),
            (with_cookie("name", json!("SECRET=")), "cookies[1].name"),
            (with_cookie("value", json!(7)), "cookies[1].value"),
            (
                with_cookie("value", json!("SECRET\r\n")),
                "cookies[1].value",
            ),
            (
                with_cookie("domain", json!("http://SECRET")),
                "cookies[1].domain",
            ),
            (
                with_cookie("domain", json!("SECRET, b")),
                "cookies[1].domain",
            ),
            (with_cookie("domain", json!(".")), "cookies[1].domain"),
            (with_cookie("path", json!("SECRET")), "cookies[1].path"),
            (
                with_cookie("expires", json!("SECRET")),
                "cookies[1].expires",
            ),
            (with_cookie("expires", json!(-2)), "cookies[1].expires"),
            (with_cookie("httpOnly", json!(1)), "cookies[1].httpOnly"),
            (with_cookie("sameSite", json!("lax")), "cookies[1].sameSite"),
            (
                with_cookie("sameSite", json!("None")),
                "cookies[1].sameSite",
            ),
            (
                with_cookie("name", json!("__Host-SECRET")),
                "cookies[1].name",
            ),
            (
                with_cookie("name", json!("__secure-SECRET")),
                "cookies[1].name",
            ),
            (
                with_cookie("partitionKey", json!(1)),
                "cookies[1].partitionKey",
            ),
            (
                with_origin(json!({"origin": "http://SECRET.test/path"})),
                "origins[0].origin",
            ),
            (
                with_origin(json!({"origin": "file:///SECRET"})),
                "origins[0].origin",
            ),
            (
                storage(json!([{"name": "SECRET"}])),
                "origins[0].localStorage[0].value",
            ),
            (
                storage(json!([{"name": "a", "value": null}])),
                "origins[0].localStorage[0].value",
            ),
            (
                with_origin(json!({"origin": "http://app.test:8080", "indexedDB": [{}]})),
                "origins[0].indexedDB",
            ),
        ];
        for (text, expected) in cases {
            let error = parse(&text).unwrap_err();
            let LoginStateError::Entry { place, .. } = &error else {
                panic!("{text}: {error}");
            };
            assert_eq!(place, expected, "{text}");
            assert!(!format!("{error} {error:?}").contains("SECRET"), "{error}");
            assert!(!error.hint().is_empty());
        }
    }

    // REP-143, REP-144
    #[test]
    fn no_json_too_much_and_nothing_for_the_app_are_refused() {
        for text in [
            "",
            "SECRET",
            "\u{feff}{}",
            "{} SECRET",
            "{\"cookies\": [SECRET]}",
        ] {
            let error = parse(text).unwrap_err();
            assert!(matches!(error, LoginStateError::NotJson { .. }), "{text}");
            assert!(!error.to_string().contains("SECRET"), "{error}");
        }
        let large = " ".repeat(usize::try_from(MAX_BYTES).unwrap()) + "{}";
        let too_large = LoginStateError::TooLarge {
            max_bytes: MAX_BYTES,
        };
        assert_eq!(parse(&large), Err(too_large));
        let mut foreign = cookie();
        foreign["domain"] = "other.test".into();
        for (cookies, elsewhere) in [(json!([]), 0), (json!([foreign]), 1)] {
            let error = parse(&json!({"cookies": cookies}).to_string()).unwrap_err();
            let origins = vec![
                "http://app.test:8080".to_owned(),
                "https://id.test".to_owned(),
            ];
            let nothing = LoginStateError::Nothing {
                origins,
                elsewhere,
                expired: 0,
            };
            assert_eq!(error, nothing);
        }
    }

    // REP-144, RED-050
    #[test]
    fn every_value_is_a_secret_and_so_are_the_keys_inside_it() {
        let mut encoded = cookie();
        encoded["domain"] = "other.test".into();
        encoded["value"] = "%7B%22t%22%3A%22inner-cookie-key%22%7D".into();
        let file = json!({
            "cookies": [cookie(), encoded],
            "origins": [{"origin": "http://app.test:8080", "localStorage": [
                {"name": "auth", "value": r#"{"user": "Ann", "keys": ["inner-stored-key"]}"#},
                {"name": "token", "value": r#""quoted-stored-key""#},
                {"name": "persist:root", "value": r#"{"auth": "{\"t\": \"nested-stored-key\"}"}"#},
            ]}],
        });
        let state = parse(&file.to_string()).unwrap();
        let secrets: Vec<&str> = state.secrets().collect();
        for secret in [
            "SECRET-1",
            "inner-cookie-key",
            "inner-stored-key",
            "quoted-stored-key",
            "nested-stored-key",
        ] {
            assert!(secrets.contains(&secret), "{secret}");
        }
        assert!(!secrets.contains(&"Ann"));
        assert!(!format!("{state:?}").contains("SECRET"));
    }

    // REP-144
    #[cfg(unix)]
    #[test]
    fn a_file_that_others_may_read_is_refused() {
        use std::os::unix::fs::PermissionsExt as _;

        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("login.json");
        let origins = ["http://app.test".to_owned()];
        std::fs::write(&path, json!({"cookies": [cookie()]}).to_string()).unwrap();
        for (mode, taken) in [
            (0o640, false),
            (0o604, false),
            (0o620, false),
            (0o600, true),
        ] {
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
            let read = LoginState::read(&path, &origins);
            assert_eq!(read.is_ok(), taken, "{mode:o}: {read:?}");
        }
        let error = LoginState::read(dir.path(), &origins).unwrap_err();
        assert_eq!(error, LoginStateError::NotAFile);
        let error = LoginState::read(&dir.path().join("missing"), &origins).unwrap_err();
        assert!(!error.to_string().contains("missing"), "{error}");
    }
}
