//! What a page logs and asks of servers, in bounded memory whatever it does.

use std::collections::VecDeque;

use qa_core::{ConsoleLine, Dropped, Evidence, Exchange, clip};

/// So many lines, and so many exchanges, are kept until somebody asks for them.
const KEPT: usize = 200;
const CHARS: usize = 500;

#[derive(Default)]
pub(crate) struct EvidenceLog {
    console: VecDeque<ConsoleLine>,
    network: VecDeque<Exchange>,
    dropped: Dropped,
}

impl EvidenceLog {
    /// The page logged something.
    pub(crate) fn logged(&mut self, kind: &str, text: &str) {
        let line = ConsoleLine {
            kind: clip(kind, CHARS),
            text: clip(text, CHARS),
        };
        self.dropped.console += keep(&mut self.console, line);
    }

    /// A request was answered, or failed.
    pub(crate) fn exchanged(&mut self, exchange: Exchange) {
        self.dropped.network += keep(&mut self.network, exchange);
    }

    /// Hands over all that is new.
    pub(crate) fn take(&mut self) -> Evidence {
        let Self {
            console,
            network,
            dropped,
        } = std::mem::take(self);
        Evidence {
            console: console.into(),
            network: network.into(),
            dropped,
        }
    }
}

/// Says how many had to go for it.
fn keep<T>(all: &mut VecDeque<T>, one: T) -> u64 {
    let is_full = all.len() == KEPT;
    if is_full {
        all.pop_front();
    }
    all.push_back(one);
    u64::from(is_full)
}

/// An address without credentials, query and fragment (RED-034).
pub(crate) fn bare(url: &str) -> String {
    let Ok(mut parsed) = url::Url::parse(url) else {
        return "unknown".to_owned();
    };
    parsed.set_query(None);
    parsed.set_fragment(None);
    // An address without a host has no credentials.
    let _ = (parsed.set_username(""), parsed.set_password(None));
    clip(parsed.as_str(), CHARS)
}

#[cfg(test)]
mod tests {
    use super::*;

    // RED-034
    #[test]
    fn an_address_says_neither_who_nor_what_for() {
        assert_eq!(bare("http://a:b@c.test/d/e@f?g=h#i"), "http://c.test/d/e@f");
        assert_eq!(bare("https://c.test?a@b"), "https://c.test/");
        assert_eq!(bare("about:blank#a"), "about:blank");
    }

    // REP-128
    #[test]
    fn the_latest_lines_are_kept_and_the_rest_is_counted() {
        let mut log = EvidenceLog::default();
        for number in 0..KEPT + 3 {
            log.logged("log", &number.to_string());
        }
        let evidence = log.take();
        assert_eq!(evidence.console.len(), KEPT);
        assert_eq!(evidence.console[0].text, "3");
        assert_eq!(evidence.dropped.console, 3);
        assert_eq!(log.take(), Evidence::default());
    }
}
