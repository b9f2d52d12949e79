//! What `--block-origins` keeps from being asked (WEB-012).
//!
//! Requests of documents and workers wait for our word and are refused. Whatever the protocol does
//! not hold up — `WebSocket`s above all — is sent to a proxy that is not there: the browser context
//! has one for all places but the app's.

use std::collections::BTreeMap;

use qa_core::Notice;
use serde_json::{Value, json};
use url::Url;

/// Hosts that are counted one by one, between two looks; the rest is counted together.
const KEPT: usize = 50;
const FURTHER: &str = "further hosts";

/// What a request to nowhere ends with.
pub(crate) const NO_PROXY: &str = "net::ERR_PROXY_CONNECTION_FAILED";

/// Requests that were blocked and not told yet, by host.
#[derive(Default)]
pub(crate) struct Blocked {
    counts: BTreeMap<String, u64>,
}

impl Blocked {
    /// One more.
    pub(crate) fn add(&mut self, url: &str) {
        let host = host_of(url);
        let kept = self.counts.contains_key(&host) || self.counts.len() < KEPT;
        let host = if kept { host } else { FURTHER.to_owned() };
        *self.counts.entry(host).or_default() += 1;
    }

    /// What was blocked since the last time.
    pub(crate) fn take(&mut self) -> impl Iterator<Item = Notice> + use<> {
        std::mem::take(&mut self.counts)
            .into_iter()
            .map(|(host, count)| Notice::Blocked { host, count })
    }
}

/// The settings of a browser context that reaches the app's origins and nothing else.
pub(crate) fn proxy(origins: &[String]) -> Value {
    // Loopback is reached directly unless that is taken back.
    let mut direct = vec!["<-loopback>".to_owned()];
    let places = origins.iter().filter_map(|origin| Url::parse(origin).ok());
    direct.extend(places.filter_map(|url| {
        let (host, port) = (url.host_str()?, url.port_or_known_default()?);
        Some(format!("{host}:{port}"))
    }));
    // Nobody listens at the port of a service that is long gone.
    json!({"proxyServer": "http://127.0.0.1:1", "proxyBypassList": direct.join(";")})
}

/// Host and port; the port only where it is not the scheme's own.
fn host_of(url: &str) -> String {
    let parsed = Url::parse(url).ok();
    let host = parsed.as_ref().and_then(Url::host_str).unwrap_or("?");
    match parsed.as_ref().and_then(Url::port) {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // WEB-012
    #[test]
    fn each_host_has_its_count_and_endless_hosts_have_one() {
        let mut blocked = Blocked::default();
        for _ in 0..3 {
            blocked.add("https://cdn.test/a.js");
        }
        blocked.add("wss://cdn.test:8443/socket");
        let told: Vec<Notice> = blocked.take().collect();
        let count = |host: &str, count| Notice::Blocked {
            host: host.into(),
            count,
        };
        assert_eq!(told, [count("cdn.test", 3), count("cdn.test:8443", 1)]);
        assert_eq!(blocked.take().count(), 0);

        for number in 0..1_000 {
            blocked.add(&format!("http://h{number}.test/"));
        }
        let told: Vec<Notice> = blocked.take().collect();
        assert_eq!(told.len(), KEPT + 1);
        assert!(told.contains(&count(FURTHER, 950)));
    }

    // WEB-012
    #[test]
    fn the_app_is_reached_without_a_proxy() {
        let origins = [
            "http://127.0.0.1:8080".to_owned(),
            "https://app.test".to_owned(),
        ];
        let direct = "<-loopback>;127.0.0.1:8080;app.test:443";
        assert_eq!(proxy(&origins)["proxyBypassList"], direct);
    }
}
