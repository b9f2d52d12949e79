//! A claim about a view, on the whole page or inside one container.

use serde::{Deserialize, Serialize};

use super::{Predicate, Scope};

/// A claim about a view, on the whole page or inside one container.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Assertion {
    /// What is claimed.
    #[serde(flatten)]
    pub claim: Claim,
    /// The same for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Inside which container.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scope>,
}

/// What is claimed (REP-085).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", content = "expected", rename_all = "kebab-case")]
pub enum Claim {
    /// At least one node matches.
    NodePresent(Predicate),
    /// No node that the driver can see matches.
    NodeAbsent(Predicate),
    /// A matching node is in the viewport.
    NodeInViewport(Predicate),
    /// The one matching node holds a value.
    NodeValue(Valued),
    /// The page has an address.
    PageUrl(PageAddress),
}

impl Claim {
    /// Whether it claims that something is there: such a claim may come true later (REP-043).
    #[must_use]
    pub fn is_positive(&self) -> bool {
        !matches!(self, Self::NodeAbsent(_))
    }
}

/// A predicate and the value that its node must hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Valued {
    /// Which node; without a role hint.
    #[serde(flatten)]
    pub node: Predicate,
    /// What it holds; may be empty.
    pub value: String,
}

/// An address, or a part of one. Query and fragment count only where the text itself has one
/// (REP-087).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum PageAddress {
    /// The whole address.
    Url(String),
    /// A part of it.
    Contains(String),
}

impl PageAddress {
    /// Whether a page's address is this one.
    #[must_use]
    pub fn is(&self, url: &str) -> bool {
        let (Self::Url(wanted) | Self::Contains(wanted)) = self;
        let end = url
            .find(['?', '#'])
            .filter(|_| !wanted.contains(['?', '#']));
        let url = &url[..end.unwrap_or(url.len())];
        match self {
            Self::Url(wanted) => url == wanted,
            Self::Contains(part) => url.contains(part.as_str()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::PageAddress;

    // REP-087
    #[test]
    fn query_and_fragment_count_only_where_they_are_asked_for() {
        let url = |text: &str| PageAddress::Url(text.into());
        let part = |text: &str| PageAddress::Contains(text.into());
        let page = "http://a.test/list?page=2#top";
        assert!(url("http://a.test/list").is(page));
        assert!(!url("http://a.test/lis").is(page));
        assert!(!url("http://a.test/list?page=2").is(page));
        assert!(url("http://a.test/list?page=2#top").is(page));
        assert!(part("/list").is(page));
        assert!(!part("page").is(page));
        assert!(part("?page=2").is(page));
        assert!(part("#top").is(page));
    }
}
