//! URLs: which bytes belong to one, and which may stay.

use memchr::memmem;

use crate::rule::Rule;
use crate::span::{Mark, Span, is_atom};

/// White space or a quote may cut user info from its host; so many of them are looked past.
const MAX_CUT: usize = 8;

/// Finds every URL with `//`, whole, sentence punctuation left outside (RED-030, RED-031).
pub(crate) fn find(text: &str, spans: &mut Vec<Span>) {
    let bytes = text.as_bytes();
    let mut done = 0;
    for at in memmem::find_iter(bytes, b"//") {
        if at < done {
            continue;
        }
        let scheme = scheme_start(bytes, done, at);
        let from = at + 2;
        let authority = authority(text, from);
        // Without a scheme only user info makes a URL of it; looking no further keeps the time linear.
        if scheme.is_none() && authority.find('@').unwrap_or(0) == 0 {
            continue;
        }
        let raw_end = extent(text, from);
        let authority = &text[from..raw_end.min(from + authority.len())];
        let start = scheme.unwrap_or(at);
        let cut = if from + authority.len() == raw_end {
            cut_host(text, raw_end, authority)
        } else {
            Cut::None
        };
        let raw_end = match cut {
            Cut::Host(end) => end,
            Cut::None => raw_end,
            Cut::Unknown => {
                spans.push(Span::tie(start, text.len()));
                raw_end
            }
        };
        let end = trim(text, from, raw_end);
        spans.push(Span {
            start,
            end,
            mark: Mark::Url,
            rule: Rule::Url,
        });
        done = end;
    }
}

/// Where the scheme before `://` begins; letters glued to it are part of it.
fn scheme_start(bytes: &[u8], floor: usize, slashes: usize) -> Option<usize> {
    let colon = slashes
        .checked_sub(1)
        .filter(|at| *at >= floor && bytes[*at] == b':')?;
    let length = bytes[floor..colon]
        .iter()
        .rev()
        .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.' | b'_'))
        .count();
    (length > 0).then_some(colon - length)
}

fn authority(text: &str, from: usize) -> &str {
    let stop =
        |c: char| c.is_whitespace() || matches!(c, '/' | '?' | '#' | '\\' | '"' | '\'' | '<' | '>');
    let rest = &text[from..];
    &rest[..rest.find(stop).unwrap_or(rest.len())]
}

fn extent(text: &str, from: usize) -> usize {
    let mut open = [0usize; 3];
    let mut previous = '/';
    for (offset, c) in text[from..].char_indices() {
        let bracket = |set: &str| set.find(c);
        if let Some(kind) = bracket("([{") {
            open[kind] += 1;
        } else if let Some(kind) = bracket(")]}") {
            if open[kind] == 0 {
                return from + offset;
            }
            open[kind] -= 1;
        }
        // A quoted parameter value is still inside; any other quote is around the URL.
        let quote = matches!(c, '"' | '\'' | '`') && previous != '=';
        if quote
            || c.is_whitespace()
            || matches!(c, '<' | '>')
            || is_atom(c)
            || is_wide_punctuation(c)
        {
            return from + offset;
        }
        previous = c;
    }
    text.len()
}

pub(crate) fn is_wide_punctuation(c: char) -> bool {
    matches!(
        c,
        '，' | '。'
            | '；'
            | '！'
            | '？'
            | '、'
            | '）'
            | '】'
            | '」'
            | '》'
            | '“'
            | '”'
            | '‘'
            | '’'
            | '：'
    )
}

fn trim(text: &str, from: usize, end: usize) -> usize {
    from + text[from..end]
        .trim_end_matches(['.', ',', ';', ':', '!', '?'])
        .len()
}

/// What follows user info after white space or a quote.
enum Cut {
    /// No host.
    None,
    /// Its host, with the end of the URL.
    Host(usize),
    /// The text ends before that can be told.
    Unknown,
}

fn cut_host(text: &str, end: usize, authority: &str) -> Cut {
    let is_cut = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '<' | '>');
    let rest = &text[end..];
    let skipped: usize = rest
        .chars()
        .take_while(|c| is_cut(*c))
        .take(MAX_CUT)
        .map(char::len_utf8)
        .sum();
    if skipped == rest.len() {
        return Cut::Unknown;
    }
    if skipped == 0 {
        return Cut::None;
    }
    let token = &rest[skipped..];
    let token = &token[..token.find(is_cut).unwrap_or(token.len())];
    let has_password = authority
        .split_once(':')
        .is_some_and(|(_, port)| !port.is_empty() && !port.bytes().all(|b| b.is_ascii_digit()));
    if token.starts_with('@') || has_password && token.contains('@') {
        return Cut::Host(extent(text, end + skipped));
    }
    if skipped + token.len() == rest.len() {
        return Cut::Unknown;
    }
    Cut::None
}

/// An origin in canonical form: lower-case scheme and host, no default port, nothing after it.
pub(crate) fn is_origin(origin: &str) -> bool {
    let Some((scheme, authority)) = origin.split_once("://") else {
        return false;
    };
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => (host, Some(port)),
        _ => (authority, None),
    };
    let default = match scheme {
        "http" => "80",
        "https" => "443",
        _ => return false,
    };
    let port_fits = port.is_none_or(|port| {
        port != default && !port.starts_with('0') && port.parse::<u16>().is_ok()
    });
    let name = |host: &str| {
        host.bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-' || b == b'.')
    };
    let v6 = |host: &str| host.bytes().all(|b| b.is_ascii_hexdigit() || b == b':');
    let host_fits = match host
        .strip_prefix('[')
        .and_then(|host| host.strip_suffix(']'))
    {
        Some(host) => v6(host),
        None => name(host),
    };
    port_fits && host_fits && !host.is_empty()
}

/// Whether the bytes of `url` may stay: an allowed origin, a canonical path and, at most, a hash route.
///
/// Every segment must also pass `is_clean` (RED-032). Behind a file may stand a line and a column, as
/// in a stack: they are no part of its name and are not judged with it.
pub(crate) fn may_stay(url: &str, origins: &[String], is_clean: impl Fn(&str) -> bool) -> bool {
    let Some(path) = origins
        .iter()
        .find_map(|origin| url.strip_prefix(origin.as_str()))
    else {
        return false;
    };
    let (path, route) = match path.split_once('#') {
        Some((path, route)) => (path, Some(route)),
        None => (path, None),
    };
    let tidy = |path: &str| {
        let Some(path) = path.strip_prefix('/') else {
            return false;
        };
        path.is_empty() || {
            let mut segments = path.split('/').peekable();
            std::iter::from_fn(|| {
                segments
                    .next()
                    .map(|segment| (segment, segments.peek().is_none()))
            })
            .all(|(segment, is_last)| {
                let segment = if is_last {
                    without_place(segment)
                } else {
                    segment
                };
                (is_last || !segment.is_empty())
                    && !matches!(segment, "." | "..")
                    && segment
                        .bytes()
                        .all(|b| b.is_ascii_alphanumeric() || b"._~:@,+=-".contains(&b))
                    && is_clean(segment)
            })
        }
    };
    tidy(path) && route.is_none_or(tidy)
}

/// A file's name without the line and column behind it (`app.js:12:5`): two numbers that are too
/// short to be anything else of worth.
fn without_place(segment: &str) -> &str {
    const DIGITS: usize = 7;
    let number = |text: &str| {
        (1..=DIGITS).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
    };
    let split = || {
        let (rest, column) = segment.rsplit_once(':')?;
        let (file, line) = rest.rsplit_once(':')?;
        (file.contains('.') && number(line) && number(column)).then_some(file)
    };
    split().unwrap_or(segment)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let mut spans = Vec::new();
        find(text, &mut spans);
        spans.retain(|span| span.mark != Mark::Tie);
        let found: Vec<&str> = spans
            .iter()
            .map(|span| &text[span.start..span.end])
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_url_is_one_whole_span() {
        // RED-030
        check(
            "see (https://a.test/x_(1)?q=2), or file:///srv/a.",
            &["https://a.test/x_(1)?q=2", "file:///srv/a"],
        );
        check("xhttps://a/b\"c", &["xhttps://a/b"]);
        check("https://a/?t=\"tok\" x", &["https://a/?t=\"tok"]);
        check("// a comment, a//b and //cdn.test/lib.js", &[]);
    }

    #[test]
    fn user_info_takes_its_host_along() {
        // RED-031
        check("http://ann:pw9\n@h/x y", &["http://ann:pw9\n@h/x"]);
        check("http://ann:p \"w9@h/x y", &["http://ann:p \"w9@h/x"]);
        check("http://h:80 ann@example.com", &["http://h:80"]);
        check("//ann:pw9@h/x", &["//ann:pw9@h/x"]);
    }

    #[test]
    fn only_canonical_urls_of_allowed_origins_stay() {
        // RED-032
        let origins = vec![String::from("http://127.0.0.1:8080")];
        let stays = |url: &str| may_stay(url, &origins, |segment| segment != "dirty");
        for url in ["/", "/a/b.html", "/a/", "/#/cart/3"] {
            assert!(stays(&format!("http://127.0.0.1:8080{url}")), "{url}");
        }
        for url in [
            "",
            "1/a",
            "/a?q",
            "/a#top",
            "/%41",
            "//a",
            "/a/../b",
            "/dirty",
            "/#/dirty",
            "/é",
            ".evil.test/",
        ] {
            assert!(!stays(&format!("http://127.0.0.1:8080{url}")), "{url}");
        }
    }

    // WEB-044: a stack without its places is of little use.
    #[test]
    fn the_place_behind_a_file_is_not_judged_with_its_name() {
        for (segment, file) in [
            ("main.3f2a9c1b.js:2:123456", "main.3f2a9c1b.js"),
            ("CheckoutForm.tsx:123:45", "CheckoutForm.tsx"),
            ("app.js:12", "app.js:12"),
            ("app.js:12:", "app.js:12:"),
            ("app.js:12:12345678", "app.js:12:12345678"),
            ("app.js:12:4x", "app.js:12:4x"),
            ("token:12:34", "token:12:34"),
        ] {
            assert_eq!(without_place(segment), file, "{segment}");
        }
        let origins = vec![String::from("http://a.test")];
        let stays = |url: &str| may_stay(url, &origins, |segment| segment == "x.js");
        assert!(stays("http://a.test/x.js:1:2"));
        assert!(!stays("http://a.test/y.js:1:2"), "the name is judged");
        assert!(!stays("http://a.test/x.js:1:2/x.js"), "only at the end");
    }

    #[test]
    fn origins_are_checked() {
        for good in [
            "http://localhost",
            "https://shop.test:8443",
            "http://[::1]:3000",
        ] {
            assert!(is_origin(good), "{good}");
        }
        for bad in [
            "http://a:80",
            "https://A",
            "http://a/",
            "ftp://a",
            "a.test",
            "http://u@a",
            "http://",
        ] {
            assert!(!is_origin(bad), "{bad}");
        }
    }
}
