//! Elements of XML, property lists among them.

use memchr::memmem;

use super::push;
use crate::key::{Verdict, verdict};
use crate::span::{Mark, Span};

/// A value is at most so long, in bytes; `<token>` alone is a placeholder in prose.
const MAX_VALUE: usize = 1024;
const MAX_TAG: usize = 256;

/// `<password>x</password>`, and `<key>password</key><string>x</string>`.
pub(super) fn find(text: &str, spans: &mut Vec<Span>) {
    let bytes = text.as_bytes();
    let last_closing = memmem::rfind(bytes, b"</").unwrap_or(0);
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'<', &bytes[at..]) {
        let open = at + found;
        at = open + 1;
        let is_open = |name: &str| matches!(verdict(name), Verdict::Open | Verdict::Device);
        let (name, body) = match tag(text, open) {
            Tag::None => continue,
            Tag::Begun(name) => {
                if !is_open(name) || name == "key" {
                    spans.push(Span::tie(open, text.len()));
                }
                continue;
            }
            Tag::Open(name, body) => (name, body),
        };
        let mut limit = bytes.len().min(body + MAX_VALUE);
        while !text.is_char_boundary(limit) {
            limit -= 1;
        }
        let closing = |name: &str, from: usize| {
            // Looking for what is not there, from each tag on, would take long.
            if from > last_closing {
                return None;
            }
            let end = format!("</{name}");
            memmem::find(&bytes[from..limit], end.as_bytes()).map(|found| from + found)
        };
        if !is_open(name) {
            spans.push(Span::tie(open, limit));
            if let Some(end) = closing(name, body) {
                push(text, spans, body, end, Mark::Value);
                at = end;
            }
        } else if name == "key" {
            // The value of a property list stands in the next element.
            let Some(end) = closing(name, body) else {
                if limit == text.len() {
                    spans.push(Span::tie(open, limit));
                }
                continue;
            };
            if is_open(&text[body..end]) {
                continue;
            }
            spans.push(Span::tie(open, limit));
            let next = memchr::memchr(b'<', &bytes[end + 1..limit]).map(|found| end + 1 + found);
            if let Some(Tag::Open(name, body)) = next.map(|next| tag(text, next))
                && body <= limit
                && let Some(end) = closing(name, body)
            {
                push(text, spans, body, end, Mark::Value);
                at = end;
            }
        }
    }
}

enum Tag<'t> {
    /// Its name and where it ends.
    Open(&'t str, usize),
    /// Its name; the text ends before it does.
    Begun(&'t str),
    /// No opening tag.
    None,
}

fn tag(text: &str, at: usize) -> Tag<'_> {
    let bytes = text.as_bytes();
    let name = bytes[at + 1..]
        .iter()
        .take(MAX_TAG)
        .take_while(|b| b.is_ascii_alphanumeric() || b"_-.:".contains(b) || !b.is_ascii())
        .count();
    let Some(name) = text
        .get(at + 1..at + 1 + name)
        .filter(|name| !name.is_empty())
    else {
        return Tag::None;
    };
    let rest = &bytes[at + 1 + name.len()..];
    match memchr::memchr(b'>', &rest[..rest.len().min(MAX_TAG)]) {
        // An empty element.
        Some(end) if rest[..end].ends_with(b"/") => Tag::None,
        Some(end) => Tag::Open(name, at + 1 + name.len() + end + 1),
        None if rest.len() < MAX_TAG => Tag::Begun(name),
        None => Tag::None,
    }
}
