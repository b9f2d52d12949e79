//! Keys with values, authorization headers and cookies, in whatever notation they stand.

use memchr::memchr3;

use crate::clue::{Clue, Clues};
use crate::edge::Edge;
use crate::key::{self, CHINESE, Verdict, verdict};
use crate::rule::Rule;
use crate::span::{Mark, Span, is_atom};
use crate::url::is_wide_punctuation;

mod element;
mod flag;

/// A key is looked for so many bytes before its separator, in so many words.
const MAX_KEY: usize = 96;
const MAX_KEY_WORDS: usize = 4;
/// How far after `name="password"` its `value=` may stand, in bytes.
const MAX_SIBLING: usize = 256;

/// Finds the values of sensitive keys (RED-040 to RED-046).
pub(crate) fn find(text: &str, clues: Clues, spans: &mut Vec<Span>, edge: &mut Edge) {
    if clues.has(Clue::Separator) {
        find_pairs(text, spans, edge);
    }
    if clues.has(Clue::Flag) {
        flag::find(text, spans);
    }
    if clues.has(Clue::Client) {
        flag::find_short(text, spans);
    }
    if clues.has(Clue::Element) {
        element::find(text, spans);
    }
    if clues.has(Clue::Verb) {
        find_chinese(text, spans);
    }
    if clues.has(Clue::Scheme) {
        find_schemes(text, spans);
    }
}

struct Key<'t> {
    text: &'t str,
    start: usize,
    /// The quote around the key and the backslashes before it.
    quote: Option<(u8, usize)>,
}

fn find_pairs(text: &str, spans: &mut Vec<Span>, edge: &mut Edge) {
    let bytes = text.as_bytes();
    let mut at = 0;
    let mut floor = 0;
    while let Some(found) = memchr3(b'=', b':', 0xEF, &bytes[at..]) {
        let separator = at + found;
        let length = separator_length(&bytes[separator..]);
        if length == 0 {
            at = separator + 1;
            continue;
        }
        at = separator + length;
        if !may_be_key(bytes, separator) {
            continue;
        }
        let Some(key) = key_before(text, floor, separator, edge) else {
            continue;
        };
        let verdict = verdict(key.text);
        // Skipping a long run of separators for each of them would not be linear.
        let value = |key: &Key<'_>| value_start(text, at, key.quote.is_some());
        if verdict == Verdict::Open {
            if names_a_field(key.text)
                && let Some((start, end)) = named_secret(text, &key, value(&key), spans)
            {
                push(text, spans, start, end, Mark::Value);
                at = at.max(end);
                floor = at;
            }
            continue;
        }
        let value = value(&key);
        let (start, end, mark) = value_span(text, &key, verdict, value, bytes[separator]);
        tie(text, key.start, end, is_block(&text[value..]), spans);
        if verdict == Verdict::Device && !text[start..end].bytes().any(|b| b.is_ascii_digit()) {
            at = at.max(start);
            continue;
        }
        push(text, spans, start, end, mark);
        at = at.max(end);
        floor = at;
    }
}

fn push(text: &str, spans: &mut Vec<Span>, start: usize, end: usize, mark: Mark) {
    // A value that consists of earlier replacements is already safe.
    if start < end && !text[start..end].chars().all(|c| is_atom(c) || c == ' ') {
        spans.push(Span {
            start,
            end,
            mark,
            rule: Rule::Pair,
        });
    }
}

fn separator_length(bytes: &[u8]) -> usize {
    match bytes {
        [b'=' | b':', ..] => 1,
        _ if bytes.starts_with("：".as_bytes()) || bytes.starts_with("＝".as_bytes()) => 3,
        _ => 0,
    }
}

/// Whether what stands before a separator can end a key that says something; looking for the beginning of
/// each key would take most of the time.
fn may_be_key(bytes: &[u8], separator: usize) -> bool {
    let before = &bytes[separator.saturating_sub(MAX_KEY)..separator];
    match before.trim_ascii_end().last() {
        None => false,
        Some(b'"' | b'\'') => true,
        // Of several separators the first has the key.
        Some(b':' | b'=') => false,
        Some(_) => key::may_end(before),
    }
}

fn key_before<'t>(
    text: &'t str,
    floor: usize,
    separator: usize,
    edge: &mut Edge,
) -> Option<Key<'t>> {
    let bytes = text.as_bytes();
    let mut low = floor.max(separator.saturating_sub(MAX_KEY));
    while !text.is_char_boundary(low) {
        low += 1;
    }
    let mut end = separator;
    while end > low && bytes[end - 1] == b' ' {
        end -= 1;
    }
    if end > low && matches!(bytes[end - 1], b'"' | b'\'') {
        let quote = bytes[end - 1];
        let inner = text[low..end - 1].trim_end_matches('\\');
        let backslashes = end - 1 - low - inner.len();
        if let Some(open) = inner.bytes().rposition(|b| b == quote) {
            let start = low + open + 1;
            return Some(Key {
                text: &text[start..low + inner.len()],
                start,
                quote: Some((quote, backslashes)),
            });
        }
        edge.reaches_back |= low == 0;
    }
    while end > low
        && matches!(
            bytes[end - 1],
            b'"' | b'\'' | b'\\' | b'`' | b']' | b')' | b'*' | b'?' | b' '
        )
    {
        end -= 1;
    }
    let mut words = 0;
    let mut start = end;
    while start > low {
        let byte = bytes[start - 1];
        words += usize::from(byte == b' ');
        let length = if byte.is_ascii() {
            usize::from(byte.is_ascii_alphanumeric() || b"_-./%: ".contains(&byte))
        } else {
            let last = text[low..start].chars().next_back();
            last.filter(|c| c.is_alphanumeric())
                .map_or(0, char::len_utf8)
        };
        if length == 0 || words == MAX_KEY_WORDS {
            break;
        }
        start -= length;
    }
    (start < end).then(|| Key {
        text: &text[start..end],
        start,
        quote: None,
    })
}

fn value_start(text: &str, from: usize, quoted_key: bool) -> usize {
    let skip = |c: char| matches!(c, ' ' | '=' | ':' | '：' | '＝') || (quoted_key && c == '\n');
    let rest = text[from..].trim_start_matches(skip);
    let rest = match rest.strip_prefix('>') {
        Some(arrow) if text[..text.len() - rest.len()].ends_with('=') => {
            arrow.trim_start_matches(' ')
        }
        _ => rest,
    };
    text.len() - rest.len()
}

fn value_span(
    text: &str,
    key: &Key<'_>,
    verdict: Verdict,
    value: usize,
    separator: u8,
) -> (usize, usize, Mark) {
    let bytes = text.as_bytes();
    let backslashes = bytes[value..].iter().take_while(|b| **b == b'\\').count();
    let quote_at = value + backslashes;
    if let Some(quote) = bytes
        .get(quote_at)
        .copied()
        .filter(|b| matches!(b, b'"' | b'\'' | b'`'))
    {
        let start = quote_at + 1;
        let end = closing_quote(bytes, start, quote, backslashes);
        return (after_scheme(text, start, end, verdict), end, Mark::Value);
    }
    if let Some((_, backslashes)) = key.quote
        && separator != b'='
    {
        let end = match bytes.get(value) {
            Some(b'{' | b'[') => balanced(bytes, value),
            _ => scalar_end(text, value),
        };
        return (
            value,
            end,
            Mark::Quoted(u8::try_from(backslashes).unwrap_or(u8::MAX)),
        );
    }
    let end = match verdict {
        Verdict::Header => line_end(bytes, value, enclosing_quote(bytes, key.start)),
        Verdict::Device => token_end(text, value),
        _ => unquoted_end(text, value),
    };
    (after_scheme(text, value, end, verdict), end, Mark::Value)
}

/// `Bearer` and `Basic` stay readable, what follows them does not.
fn after_scheme(text: &str, start: usize, end: usize, verdict: Verdict) -> usize {
    let value = &text.as_bytes()[start..end];
    let named = [&b"bearer "[..], b"basic "].into_iter().find(|scheme| {
        value.len() > scheme.len() && value[..scheme.len()].eq_ignore_ascii_case(scheme)
    });
    match named {
        Some(scheme) if verdict == Verdict::Header => {
            start
                + scheme.len()
                + text[start + scheme.len()..end]
                    .bytes()
                    .take_while(|b| *b == b' ')
                    .count()
        }
        _ => start,
    }
}

/// The quote that closes a value: not escaped deeper than its opener, and followed by a boundary.
fn closing_quote(bytes: &[u8], start: usize, quote: u8, opener_backslashes: usize) -> usize {
    for found in memchr::memchr_iter(quote, &bytes[start..]) {
        let at = start + found;
        let backslashes = bytes[start..at]
            .iter()
            .rev()
            .take_while(|b| **b == b'\\')
            .count();
        let closes = if opener_backslashes == 0 {
            backslashes % 2 == 0
        } else {
            backslashes <= opener_backslashes
        };
        let rest = &bytes[at + 1..];
        let bounded = match rest.first() {
            None => true,
            Some(b'.' | b'!' | b'?') => rest.get(1).is_none_or(u8::is_ascii_whitespace),
            Some(b) => b.is_ascii_whitespace() || b",;)]}<>&:|/\\\"'`".contains(b) || *b >= 0x80,
        };
        if closes && bounded {
            return if opener_backslashes == 0 {
                at
            } else {
                at - backslashes
            };
        }
    }
    bytes.len()
}

fn balanced(bytes: &[u8], start: usize) -> usize {
    let mut depth = 0usize;
    let mut in_string = false;
    let mut at = start;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' if bytes.get(at + 1) != Some(&b'"') || in_string => at += 1,
            b'"' => in_string = !in_string,
            b'{' | b'[' if !in_string => depth += 1,
            b'}' | b']' if !in_string => {
                depth -= 1;
                if depth == 0 {
                    return at + 1;
                }
            }
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}

fn scalar_end(text: &str, start: usize) -> usize {
    let rest = &text[start..];
    start
        + rest
            .find([',', '}', ']', '\n'])
            .map_or(rest.len(), |end| rest[..end].trim_end().len())
}

fn token_end(text: &str, start: usize) -> usize {
    let rest = &text[start..];
    let stop = |c: char| c.is_whitespace() || is_wide_punctuation(c) || ",;&\"'`<>)]}".contains(c);
    start + rest.find(stop).unwrap_or(rest.len())
}

fn enclosing_quote(bytes: &[u8], key_start: usize) -> Option<u8> {
    let before = bytes.get(key_start.checked_sub(1)?)?;
    matches!(before, b'"' | b'\'' | b'`').then_some(*before)
}

fn line_end(bytes: &[u8], start: usize, quote: Option<u8>) -> usize {
    let line = memchr::memchr(b'\n', &bytes[start..]).map_or(bytes.len(), |found| start + found);
    let end = quote.map_or(line, |quote| closing_quote(&bytes[..line], start, quote, 0));
    end - bytes[start..end]
        .iter()
        .rev()
        .take_while(|b| **b == b' ')
        .count()
}

fn unquoted_end(text: &str, start: usize) -> usize {
    let rest = &text[start..];
    let mut end = rest.len();
    for (at, c) in rest.char_indices() {
        let stops = match c {
            '\n' | ',' | ';' | '&' | ')' | ']' | '}' | '<' | '>' => true,
            '"' | '\'' | '`' => !rest[at + 1..].starts_with(char::is_alphanumeric),
            ' ' => begins_pair(&rest[at + 1..]),
            _ => is_wide_punctuation(c) && c != '：',
        };
        if stops {
            end = at;
            break;
        }
    }
    let value = rest[..end].trim_end_matches([' ', '\\']);
    if matches!(value, "|" | ">" | "|-" | ">-" | "|+" | ">+")
        || (value.is_empty() && rest.starts_with('>'))
    {
        return start + block_end(rest);
    }
    start + value.len()
}

/// Holds a key and its value together where they stand in different lines. What reaches to the end of the
/// text, or is a block with nothing but white space behind it, may go on behind it.
fn tie(text: &str, start: usize, end: usize, is_block: bool, spans: &mut Vec<Span>) {
    let is_open = end == text.len() || is_block && text[end..].trim_end().is_empty();
    let end = if is_open { text.len() } else { end };
    if is_open || memchr::memchr(b'\n', &text.as_bytes()[start..end]).is_some() {
        spans.push(Span::tie(start, end));
    }
}

/// Whether a block scalar may begin here, which goes on in the next lines.
fn is_block(value: &str) -> bool {
    value.starts_with(['|', '>'])
}

/// The end of the indented lines that follow the first line of a YAML block scalar.
fn block_end(rest: &str) -> usize {
    let mut end = 0;
    for (index, line) in rest.split_inclusive('\n').enumerate() {
        if index > 0 && !line.starts_with(' ') && line != "\n" {
            break;
        }
        end += line.len();
    }
    rest[..end].trim_end().len()
}

/// Whether the next word is the key of another pair.
fn begins_pair(rest: &str) -> bool {
    let bytes = rest.as_bytes();
    let length = bytes
        .iter()
        .take(MAX_KEY)
        .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.'))
        .count();
    length > 0
        && match bytes.get(length) {
            Some(b'=') => true,
            Some(b':') => matches!(bytes.get(length + 1), Some(b' ' | b'"' | b'\'')),
            _ => rest[length..].starts_with('：'),
        }
}

fn names_a_field(key: &str) -> bool {
    let last = key.rsplit([' ', '.', ':', '/']).next().unwrap_or_default();
    key::FIELD_NAMES
        .iter()
        .any(|word| last.eq_ignore_ascii_case(word))
}

/// The value of a field that a sibling names: `name="token" value="x"`, or the part of a form.
fn named_secret(
    text: &str,
    named: &Key<'_>,
    value: usize,
    spans: &mut Vec<Span>,
) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    let backslashes = bytes[value..].iter().take_while(|b| **b == b'\\').count();
    let open = value + backslashes;
    let mut tie = |end: usize| spans.push(Span::tie(named.start, end));
    if open == bytes.len() {
        tie(open);
    }
    let quote = *bytes.get(open).filter(|b| matches!(b, b'"' | b'\''))?;
    let name = &bytes[open + 1..bytes.len().min(open + 1 + MAX_KEY)];
    let length = memchr::memchr(quote, name);
    if length.is_none() && name.len() < MAX_KEY {
        tie(text.len());
    }
    let close = open + 1 + length?;
    if !matches!(
        verdict(text[open + 1..close].trim_end_matches('\\')),
        Verdict::Sensitive | Verdict::Header
    ) {
        return None;
    }
    let after = close + 1;
    let mut limit = bytes.len().min(after + MAX_SIBLING);
    while !text.is_char_boundary(limit) {
        limit -= 1;
    }
    let window = &text[after..limit];
    // The sibling may stand in another line, or behind the text.
    tie(limit);
    if window.starts_with("\n\n") {
        let end = line_end(bytes, after + 2, None);
        tie(end);
        return Some((after + 2, end));
    }
    let window = &window[..window.find(['>', '}', '{']).unwrap_or(window.len())];
    let label = after + window.find("value")? + "value".len();
    let separator = label
        + text[label..limit]
            .find(['=', ':'])
            .filter(|gap| *gap <= 4)?;
    let start = value_start(text, separator + 1, true);
    let key = Key {
        text: "value",
        start: label,
        quote: Some((quote, backslashes)),
    };
    let (start, end, _) = value_span(text, &key, Verdict::Sensitive, start, b'=');
    tie(end);
    Some((start, end))
}

/// A Chinese label with the verb for "is".
fn find_chinese(text: &str, spans: &mut Vec<Span>) {
    for verb in ["是", "为"] {
        let mut done = 0;
        for (at, _) in text.match_indices(verb) {
            if at < done {
                continue;
            }
            let label = text[..at].trim_end_matches(' ');
            if CHINESE.iter().any(|word| label.ends_with(word)) {
                let value = value_start(text, at + verb.len(), false);
                done = unquoted_end(text, value);
                tie(text, label.len(), done, is_block(&text[value..]), spans);
                push(text, spans, value, done, Mark::Value);
            }
        }
    }
}

/// `Bearer x` and `Basic x` outside a header (RED-045).
fn find_schemes(text: &str, spans: &mut Vec<Span>) {
    let bytes = text.as_bytes();
    for at in memchr::memchr2_iter(b'b', b'B', bytes) {
        let rest = &bytes[at..];
        let word = if rest.len() > 7 && rest[..7].eq_ignore_ascii_case(b"bearer ") {
            7
        } else if rest.len() > 6 && rest[..6].eq_ignore_ascii_case(b"basic ") {
            6
        } else {
            continue;
        };
        // Behind a letter it is another word ("forbearer"), unless something was glued to it.
        let is_glued = at > 0 && bytes[at - 1].is_ascii_alphanumeric();
        let start = at + word + rest[word..].iter().take_while(|b| **b == b' ').count();
        let end = token_end(text, start);
        let token = &text[start..end];
        let has = |test: fn(&char) -> bool| token.chars().any(|c| test(&c));
        let opaque = has(char::is_ascii_digit)
            || token.contains('=')
            || token.chars().skip(1).any(char::is_uppercase);
        // "Basic settings" is a heading, "bearer of news" is prose.
        let hides = if word == 7 && !is_glued {
            opaque || token.len() >= 6
        } else {
            opaque && token.len() >= 4
        };
        if hides {
            push(text, spans, start, end, Mark::Value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::Tally;
    use crate::span::Atoms;

    fn check(text: &str, expected: &str) {
        let mut spans = Vec::new();
        find(text, Clues::of(text), &mut spans, &mut Edge::default());
        spans.retain(|span| span.mark != Mark::Tie);
        let mut tally = Tally::default();
        let mut atoms = Atoms::new(&[], &mut tally);
        let marked = atoms.apply(text, spans);
        assert_eq!(atoms.render(&marked).replace("[REDACTED]", "§"), expected);
    }

    #[test]
    fn values_end_where_their_notation_says() {
        // RED-043, RED-044
        check("DB_PASSWORD=a1 host=db1", "DB_PASSWORD=§ host=db1");
        check("Password: tulip 77 and more\nnext", "Password: §\nnext");
        check("PASSWD='it's tulip' ok", "PASSWD='§' ok");
        check(r#"{"pin":4711,"n":1}"#, r#"{"pin":"§","n":1}"#);
        check(r#"{"token":{"a":["}"]},"n":1}"#, r#"{"token":"§","n":1}"#);
        check(
            r#"x {\"password\":\"tu\\\"lip\",\"n\":2}"#,
            r#"x {\"password\":\"§\",\"n\":2}"#,
        );
        check("token=", "token=");
        check("Password:\nName: Ann", "Password:\nName: Ann");
        check("password: \"open", "password: \"§");
        check(
            "password: |\n  line\n  more\nnext: 1",
            "password: §\nnext: 1",
        );
        check("{ :password => 'x' }", "{ :password => '§' }");
        check("form[password]=x&b=1", "form[password]=§&b=1");
    }

    #[test]
    fn headers_reach_to_the_end_of_the_line_or_of_their_quotes() {
        // RED-045
        check(
            "Authorization: Bearer q1 q2\nAccept: x",
            "Authorization: Bearer §\nAccept: x",
        );
        check(
            "curl -H \"Cookie: a=1; b=2\" -v",
            "curl -H \"Cookie: §\" -v",
        );
        check("Authorization: Digest a=\"u\", b=\"9\"", "Authorization: §");
        check("sent Bearer zz-téken9 twice", "sent Bearer § twice");
        check(
            "Basic settings, bearer of news, pallbearer carried",
            "Basic settings, bearer of news, pallbearer carried",
        );
        check("xBearer tulip77", "xBearer §");
    }

    #[test]
    fn other_notations_are_pairs_too() {
        // RED-046
        check("run --password tulip --fast", "run --password § --fast");
        check(
            "<input name=\"csrf_token\" value=\"x1\">",
            "<input name=\"csrf_token\" value=\"§\">",
        );
        check(
            r#"{"name":"password","value":"x"}"#,
            r#"{"name":"password","value":"§"}"#,
        );
        check(
            "<ns:password type=\"x\">tu\nlip</ns:password> <name>Ann</name> use <token>",
            "<ns:password type=\"x\">§</ns:password> <name>Ann</name> use <token>",
        );
        check(
            "<key>apiKey</key>\n\t<string>tulip</string><key>a</key><string>b</string>",
            "<key>apiKey</key>\n\t<string>§</string><key>a</key><string>b</string>",
        );
        check("mysql -u root -ptulip db1", "mysql -u root -p§ db1");
        check(
            "sshpass -p 'tu lip' ssh h -p 22",
            "sshpass -p '§' ssh h -p §",
        );
        check("curl -u ann:tulip h", "curl -u § h");
        check("redis-cli -h h -a tulip ping", "redis-cli -h h -a § ping");
        check(
            "mkdir -p a/b; ssh -p 22 h, curl -v h",
            "mkdir -p a/b; ssh -p 22 h, curl -v h",
        );
        check(
            "form-data; name=\"password\"\n\ntulip\n--b",
            "form-data; name=\"password\"\n\n§\n--b",
        );
    }
}
