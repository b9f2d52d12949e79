//! Elements whose very structure says that they reach out of the app.

use crate::{Boundary, Node};

/// Why an element reaches out of the app.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CommitSign {
    /// A link to `tel:`, `sms:`, `mailto:` or another scheme that other programs handle.
    ExternalScheme,
    /// A link to an address outside the boundary.
    ExternalLink,
    /// Submits a form to an address outside the boundary.
    ForeignForm,
}

impl CommitSign {
    /// Code word of the rule.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::ExternalScheme => "external-scheme",
            Self::ExternalLink => "external-link",
            Self::ForeignForm => "foreign-form",
        }
    }
}

/// The sign that an element reaches out of the app, if it has one (WEB-010, WEB-011).
#[must_use]
pub fn commit_sign(node: &Node, boundary: &Boundary) -> Option<CommitSign> {
    let link = node.link.as_deref();
    if let Some(sign) = link.and_then(|link| address_sign(link, boundary)) {
        return Some(sign);
    }
    let submits = node.flags.submit || node.flags.editable;
    let action = node.form_action.as_deref().filter(|_| submits)?;
    address_sign(action, boundary).map(|sign| match sign {
        CommitSign::ExternalLink => CommitSign::ForeignForm,
        other => other,
    })
}

fn address_sign(address: &str, boundary: &Boundary) -> Option<CommitSign> {
    let address = address.trim();
    if address.is_empty() || boundary.contains_url(address) {
        return None;
    }
    let scheme = address.split(':').next().unwrap_or_default();
    match scheme.to_ascii_lowercase().as_str() {
        // In-page code, and documents that the page itself made.
        "javascript" => None,
        "about" | "http" | "https" | "ws" | "wss" | "ftp" | "file" | "blob" | "data" => {
            Some(CommitSign::ExternalLink)
        }
        _ => Some(CommitSign::ExternalScheme),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Flags, Platform};

    fn boundary() -> Boundary {
        Boundary::new(Platform::Web, vec!["https://shop.test".into()])
    }

    // WEB-010, WEB-011
    #[test]
    fn links_out_of_the_app_are_told_by_their_address() {
        let check = |link: &str, expected: Option<CommitSign>| {
            let node = Node {
                link: Some(link.into()),
                ..Node::default()
            };
            assert_eq!(commit_sign(&node, &boundary()), expected, "{link}");
        };
        check("https://shop.test/cart", None);
        check("javascript:void(0)", None);
        check("", None);
        check("https://other.test/", Some(CommitSign::ExternalLink));
        check("http://shop.test/", Some(CommitSign::ExternalLink));
        check("TEL:+12025550100", Some(CommitSign::ExternalScheme));
        check("sms:1", Some(CommitSign::ExternalScheme));
        check("mailto:a@example.com", Some(CommitSign::ExternalScheme));
        check("intent://x#Intent;end", Some(CommitSign::ExternalScheme));
    }

    // WEB-011
    #[test]
    fn a_form_to_elsewhere_is_not_submitted() {
        let mut node = Node {
            form_action: Some("https://other.test/pay".into()),
            ..Node::default()
        };
        assert_eq!(commit_sign(&node, &boundary()), None);
        node.flags = Flags {
            submit: true,
            ..Flags::default()
        };
        assert_eq!(
            commit_sign(&node, &boundary()),
            Some(CommitSign::ForeignForm)
        );
        node.form_action = Some("https://shop.test/cart".into());
        assert_eq!(commit_sign(&node, &boundary()), None);
    }
}
