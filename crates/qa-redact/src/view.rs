//! Other readings of one text: without joiners, without escapes, without white space.
//!
//! A rule reads each view as if it were the text; what it finds is carried back to the text itself, so one
//! plain rule also sees `pass<soft hyphen>word`, `%70assword` and `&#112;assword`.

use std::borrow::Cow;

use crate::normalise::is_separator;
use crate::span::{JOINER, Span};

/// Escapes within escapes are undone this often.
const LEVELS: usize = 3;

/// A reading of a text with, for each of its bytes, where that byte came from.
pub(crate) struct View<'t> {
    pub(crate) text: Cow<'t, str>,
    /// Start and end in the source of each byte; `None` when the view has the source's offsets.
    origin: Option<Vec<(u32, u32)>>,
}

impl<'t> View<'t> {
    /// The text with joiners read as spaces.
    pub(crate) fn plain(text: &'t str) -> Self {
        let text = if has_joiner(text) {
            Cow::Owned(text.replace(JOINER, " "))
        } else {
            Cow::Borrowed(text)
        };
        Self { text, origin: None }
    }

    /// The text without its joiners; `None` when it has none.
    pub(crate) fn joinless(text: &str) -> Option<View<'static>> {
        has_joiner(text)
            .then(|| View::without(text, |c| c == JOINER))
            .flatten()
    }

    /// The text without the characters that `drop` names; `None` when it has none of them.
    pub(crate) fn without(text: &str, drop: impl Fn(char) -> bool) -> Option<View<'static>> {
        if !text.chars().any(&drop) {
            return None;
        }
        let mut builder = Builder::new(text.len());
        for (at, c) in text.char_indices().filter(|(_, c)| !drop(*c)) {
            builder.push(c, at, at + c.len_utf8());
        }
        Some(builder.finish())
    }

    /// This view with percent, entity and backslash escapes undone; `None` when it has none.
    pub(crate) fn unescaped(&self) -> Option<View<'static>> {
        let mut view = unescape(self)?;
        for _ in 1..LEVELS {
            match unescape(&view) {
                Some(deeper) => view = deeper,
                None => break,
            }
        }
        Some(view)
    }

    /// The bytes of the source that a span of this view stands for.
    pub(crate) fn source(&self, span: Span) -> Span {
        let (start, end) = self.place(span.start, span.end);
        Span { start, end, ..span }
    }

    fn place(&self, start: usize, end: usize) -> (usize, usize) {
        match &self.origin {
            None => (start, end),
            Some(_) if start >= end => (0, 0),
            Some(origin) => (origin[start].0 as usize, origin[end - 1].1 as usize),
        }
    }
}

fn has_joiner(text: &str) -> bool {
    memchr::memchr(1, text.as_bytes()).is_some()
}

struct Builder {
    text: String,
    origin: Vec<(u32, u32)>,
}

impl Builder {
    fn new(capacity: usize) -> Self {
        Self {
            text: String::with_capacity(capacity),
            origin: Vec::with_capacity(capacity),
        }
    }

    // Texts are limited to far less than 4 GiB before they come here.
    fn push(&mut self, c: char, start: usize, end: usize) {
        self.text.push(c);
        let place = (
            u32::try_from(start).unwrap_or(u32::MAX),
            u32::try_from(end).unwrap_or(u32::MAX),
        );
        self.origin.resize(self.text.len(), place);
    }

    fn finish(self) -> View<'static> {
        View {
            text: Cow::Owned(self.text),
            origin: Some(self.origin),
        }
    }
}

fn unescape(view: &View<'_>) -> Option<View<'static>> {
    let text = view.text.as_ref();
    let first = memchr::memchr3(b'%', b'&', b'\\', text.as_bytes())?;
    let mut builder = Builder::new(text.len());
    let mut changed = false;
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let decoded = if at < first { None } else { escape(rest) };
        let (c, length) = match decoded {
            Some(found) => {
                changed = true;
                found
            }
            None => {
                let Some(c) = rest.chars().next() else { break };
                (c, c.len_utf8())
            }
        };
        let (start, end) = view.place(at, at + length);
        if decoded.is_none() || !is_separator(c) {
            builder.push(c, start, end);
        }
        at += length;
    }
    changed.then(|| builder.finish())
}

/// The character that `rest` begins with in escaped form, and the bytes it takes there.
fn escape(rest: &str) -> Option<(char, usize)> {
    let bytes = rest.as_bytes();
    match bytes[0] {
        b'%' => percent(bytes),
        b'&' => entity(rest),
        b'\\' => match bytes.get(1)? {
            b'u' => unicode(bytes),
            b'x' => Some((char::from(hex(bytes.get(2..4)?)?), 4)),
            b'n' => Some(('\n', 2)),
            b'r' | b't' => Some((' ', 2)),
            c @ (b'"' | b'\'' | b'\\' | b'/') => Some((char::from(*c), 2)),
            _ => None,
        },
        _ => None,
    }
}

fn hex(digits: &[u8]) -> Option<u8> {
    let digit = |b: u8| char::from(b).to_digit(16);
    match digits {
        [a, b] => u8::try_from(digit(*a)? * 16 + digit(*b)?).ok(),
        _ => None,
    }
}

fn percent(bytes: &[u8]) -> Option<(char, usize)> {
    let first = hex(bytes.get(1..3)?)?;
    let length = match first {
        0..=0x7F => 1,
        0xC2..=0xDF => 2,
        0xE0..=0xEF => 3,
        0xF0..=0xF4 => 4,
        _ => return None,
    };
    let mut raw = [0; 4];
    for (index, byte) in raw.iter_mut().take(length).enumerate() {
        let at = index * 3;
        if *bytes.get(at)? != b'%' {
            return None;
        }
        *byte = hex(bytes.get(at + 1..at + 3)?)?;
    }
    let c = std::str::from_utf8(&raw[..length]).ok()?.chars().next()?;
    Some((c, length * 3))
}

/// Named entities of ASCII; HTML knows one for nearly every sign that a password may hold.
const ENTITIES: &[(&str, char)] = &[
    ("amp", '&'),
    ("lt", '<'),
    ("gt", '>'),
    ("quot", '"'),
    ("apos", '\''),
    ("Tab", '\t'),
    ("NewLine", '\n'),
    ("excl", '!'),
    ("num", '#'),
    ("dollar", '$'),
    ("percnt", '%'),
    ("lpar", '('),
    ("rpar", ')'),
    ("ast", '*'),
    ("plus", '+'),
    ("comma", ','),
    ("period", '.'),
    ("sol", '/'),
    ("colon", ':'),
    ("semi", ';'),
    ("equals", '='),
    ("quest", '?'),
    ("commat", '@'),
    ("lsqb", '['),
    ("lbrack", '['),
    ("bsol", '\\'),
    ("rsqb", ']'),
    ("rbrack", ']'),
    ("Hat", '^'),
    ("lowbar", '_'),
    ("grave", '`'),
    ("lcub", '{'),
    ("lbrace", '{'),
    ("verbar", '|'),
    ("vert", '|'),
    ("rcub", '}'),
    ("rbrace", '}'),
];
/// Named entities of U+00A0 to U+00FF, in order.
#[rustfmt::skip]
const LATIN_ENTITIES: [&str; 96] = [
    "nbsp", "iexcl", "cent", "pound", "curren", "yen", "brvbar", "sect", "uml", "copy", "ordf",
    "laquo", "not", "shy", "reg", "macr", "deg", "plusmn", "sup2", "sup3", "acute", "micro", "para",
    "middot", "cedil", "sup1", "ordm", "raquo", "frac14", "frac12", "frac34", "iquest", "Agrave",
    "Aacute", "Acirc", "Atilde", "Auml", "Aring", "AElig", "Ccedil", "Egrave", "Eacute", "Ecirc",
    "Euml", "Igrave", "Iacute", "Icirc", "Iuml", "ETH", "Ntilde", "Ograve", "Oacute", "Ocirc",
    "Otilde", "Ouml", "times", "Oslash", "Ugrave", "Uacute", "Ucirc", "Uuml", "Yacute", "THORN",
    "szlig", "agrave", "aacute", "acirc", "atilde", "auml", "aring", "aelig", "ccedil", "egrave",
    "eacute", "ecirc", "euml", "igrave", "iacute", "icirc", "iuml", "eth", "ntilde", "ograve",
    "oacute", "ocirc", "otilde", "ouml", "divide", "oslash", "ugrave", "uacute", "ucirc", "uuml",
    "yacute", "thorn", "yuml",
];

fn named(name: &str) -> Option<char> {
    let ascii = ENTITIES.iter().find(|(own, _)| *own == name);
    ascii.map(|(_, c)| *c).or_else(|| {
        let index = LATIN_ENTITIES.iter().position(|own| *own == name)?;
        char::from_u32(0xA0 + u32::try_from(index).ok()?)
    })
}

fn entity(rest: &str) -> Option<(char, usize)> {
    let end = rest.bytes().take(12).position(|b| b == b';')?;
    let c = match rest[1..end].strip_prefix('#') {
        Some(number) => {
            let code = match number.strip_prefix(['x', 'X']) {
                Some(digits) => u32::from_str_radix(digits, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code)?
        }
        None => named(&rest[1..end])?,
    };
    // A space that does not break is a space.
    Some((if c == '\u{A0}' { ' ' } else { c }, end + 1))
}

fn unicode(bytes: &[u8]) -> Option<(char, usize)> {
    let unit = |at: usize| {
        let digits = bytes.get(at + 2..at + 6)?;
        let escaped = bytes[at] == b'\\' && bytes[at + 1] == b'u';
        escaped.then_some(u16::from_be_bytes([hex(&digits[..2])?, hex(&digits[2..])?]))
    };
    let first = unit(0)?;
    if let Some(c) = char::from_u32(u32::from(first)) {
        return Some((c, 6));
    }
    let c = char::decode_utf16([first, unit(6)?]).next()?.ok()?;
    Some((c, 12))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str, find: &str, source: &str) {
        let view = View::plain(text).unescaped().expect("the text has escapes");
        assert_eq!(view.text, expected);
        let start = view.text.find(find).expect("the view has the word");
        let (start, end) = view.place(start, start + find.len());
        assert_eq!(&text[start..end], source);
    }

    #[test]
    fn escapes_are_undone_and_traced_back() {
        // RED-002
        check("a%20bc%C3%A9d", "a bcéd", "é", "%C3%A9");
        check(
            "<b>&#107;&#x70;&lt;</b>",
            "<b>kp<</b>",
            "kp",
            "&#107;&#x70;",
        );
        check(
            r#"{\"pw\":\"a\u0062\"}"#,
            r#"{"pw":"ab"}"#,
            "ab",
            r"a\u0062",
        );
        check(r"\ud83d\ude00!", "😀!", "😀", r"\ud83d\ude00");
        check(
            "tu&dollar;l&equals;&euml;p",
            "tu$l=ëp",
            "$l=ë",
            "&dollar;l&equals;&euml;",
        );
        check("100%2525 sure", "100% sure", "%", "%2525");
        check("pass%00word", "password", "password", "pass%00word");
        assert!(View::plain("100% & a\\b, %zz, %é").unescaped().is_none());
    }
}
