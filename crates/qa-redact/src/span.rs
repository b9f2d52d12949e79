//! Spans to replace, and the atoms that stand for replacements while rules still read the text.
//!
//! A marker, an alias or a kept URL is one private-use character during redaction. No rule can then read
//! into it, cut it in two, or take its letters for a key; [`Atoms::render`] spells it out at the end.

use std::borrow::Cow;
use std::ops::Range;

use crate::rule::{Rule, Tally};

/// What stands where a value was.
pub const MARKER: &str = "[REDACTED]";
/// What stands where a URL was.
pub const URL_MARKER: &str = "[REDACTED_URL]";

const FIRST_ATOM: u32 = 0xF_0000;
const LAST_ATOM: u32 = 0xF_FFFD;
/// Stands for a run of removed control or format characters; printed as a space.
pub(crate) const JOINER: char = '\u{1}';

/// Whether `c` stands for a marker, an alias or a kept URL.
pub(crate) fn is_atom(c: char) -> bool {
    (FIRST_ATOM..=LAST_ATOM).contains(&u32::from(c))
}

/// What a span becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    /// Stays, and no later rule reads into it.
    Kept,
    /// [`URL_MARKER`].
    Url,
    /// [`MARKER`].
    Value,
    /// [`MARKER`] between quotes, for JSON values that had none; the number counts backslashes.
    Quoted(u8),
    /// The alias with this number in the redactor's table.
    Alias(usize),
    /// Replaces nothing: the lines it reaches over must be judged together.
    Tie,
}

/// A byte range of the text and what it becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) mark: Mark,
    /// The rule that found it.
    pub(crate) rule: Rule,
}

impl Span {
    pub(crate) fn value(start: usize, end: usize, rule: Rule) -> Self {
        Self {
            start,
            end,
            mark: Mark::Value,
            rule,
        }
    }

    /// Says that a rule needs all of the text from `start` to `end`.
    pub(crate) fn tie(start: usize, end: usize) -> Self {
        Self {
            mark: Mark::Tie,
            ..Self::value(start, end, Rule::Pair)
        }
    }

    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        self.start < other.end && other.start < self.end
    }
}

/// The replacements of one text.
#[derive(Debug)]
pub(crate) struct Atoms<'a> {
    aliases: &'a [String],
    kept: Vec<String>,
    /// What was replaced, by rule.
    pub(crate) tally: &'a mut Tally,
}

impl<'a> Atoms<'a> {
    pub(crate) fn new(aliases: &'a [String], tally: &'a mut Tally) -> Self {
        Self {
            aliases,
            kept: Vec::new(),
            tally,
        }
    }

    /// The atom of [`MARKER`].
    pub(crate) fn marker() -> char {
        atom(0).unwrap_or(JOINER)
    }

    /// The atom of [`URL_MARKER`].
    pub(crate) fn url_marker() -> char {
        atom(1).unwrap_or(JOINER)
    }

    /// Replaces `spans`, in any order and overlapping as they like, by atoms.
    pub(crate) fn apply(&mut self, text: &str, spans: Vec<Span>) -> String {
        let mut out = String::with_capacity(text.len());
        let mut at = 0;
        for span in merged(spans) {
            out.push_str(&text[at..span.start]);
            self.push(&mut out, &text[span.start..span.end], &span);
            at = span.end;
        }
        out.push_str(&text[at..]);
        out
    }

    fn push(&mut self, out: &mut String, raw: &str, span: &Span) {
        let mut only = raw.chars();
        if let (Some(c), None) = (only.next(), only.next())
            && is_atom(c)
        {
            out.push(c);
            return;
        }
        if span.mark != Mark::Kept {
            self.tally.add(span.rule);
        }
        match span.mark {
            Mark::Value => out.push(Self::marker()),
            Mark::Url => out.push(Self::url_marker()),
            Mark::Quoted(backslashes) => push_quoted(out, backslashes),
            Mark::Alias(index) => out.push(atom(2 + index).unwrap_or_else(Self::marker)),
            Mark::Tie => out.push_str(raw),
            Mark::Kept => match atom(2 + self.aliases.len() + self.kept.len()) {
                Some(c) => {
                    self.kept.push(raw.to_owned());
                    out.push(c);
                }
                None => out.push(Self::url_marker()),
            },
        }
    }

    /// Spells every atom out and prints each joiner as a space.
    pub(crate) fn render<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if memchr::memchr2(0xF3, 1, text.as_bytes()).is_none() {
            return Cow::Borrowed(text);
        }
        let mut out = String::with_capacity(text.len() + 64);
        for c in text.chars() {
            if c == JOINER {
                out.push(' ');
            } else if is_atom(c) {
                out.push_str(self.spell((u32::from(c) - FIRST_ATOM) as usize));
            } else {
                out.push(c);
            }
        }
        Cow::Owned(out)
    }

    fn spell(&self, index: usize) -> &str {
        match index {
            0 => MARKER,
            1 => URL_MARKER,
            _ => {
                let index = index - 2;
                self.aliases
                    .get(index)
                    .or_else(|| self.kept.get(index.wrapping_sub(self.aliases.len())))
                    .map_or(MARKER, String::as_str)
            }
        }
    }
}

/// A text with atoms in place of what will be replaced, for rules that read what is left.
#[derive(Debug)]
pub(crate) struct Masked {
    pub(crate) text: String,
    /// Each replaced part, and where its atom stands.
    places: Vec<(Span, Range<usize>)>,
}

impl Masked {
    /// Masks `spans`, in any order and overlapping as they like; an alias is text like any other.
    pub(crate) fn new(text: &str, spans: Vec<Span>, aliases: &[String]) -> Self {
        let mut masked = String::with_capacity(text.len());
        let mut places = Vec::new();
        let mut at = 0;
        for span in merged(spans) {
            masked.push_str(&text[at..span.start]);
            let start = masked.len();
            match span.mark {
                Mark::Quoted(backslashes) => push_quoted(&mut masked, backslashes),
                Mark::Alias(index) if index < aliases.len() => masked.push_str(&aliases[index]),
                _ => masked.push(Atoms::marker()),
            }
            at = span.end;
            places.push((span, start..masked.len()));
        }
        masked.push_str(&text[at..]);
        Self {
            text: masked,
            places,
        }
    }

    /// What a span of the masked text stands for in the text; `None` when all of it is masked.
    pub(crate) fn source(&self, span: Span) -> Option<Span> {
        let before = |at: usize| {
            let count = self.places.partition_point(|(_, place)| place.start <= at);
            count.checked_sub(1).map(|index| &self.places[index])
        };
        let start = match before(span.start) {
            Some((own, place)) if span.start < place.end => {
                if span.end <= place.end {
                    return None;
                }
                own.start
            }
            Some((own, place)) => span.start - place.end + own.end,
            None => span.start,
        };
        let end = match span.end.checked_sub(1).and_then(before) {
            Some((own, place)) => own.end + span.end.saturating_sub(place.end),
            None => span.end,
        };
        Some(Span { start, end, ..span })
    }
}

fn push_quoted(out: &mut String, backslashes: u8) {
    let quote = |out: &mut String| {
        out.extend(std::iter::repeat_n('\\', usize::from(backslashes)));
        out.push('"');
    };
    quote(out);
    out.push(Atoms::marker());
    quote(out);
}

fn atom(index: usize) -> Option<char> {
    let code = FIRST_ATOM.checked_add(u32::try_from(index).ok()?)?;
    char::from_u32(code).filter(|c| is_atom(*c))
}

/// The spans in order, those that overlap as one.
fn merged(mut spans: Vec<Span>) -> Vec<Span> {
    spans.retain(|span| span.start < span.end);
    spans.sort_by_key(|span| (span.start, std::cmp::Reverse(span.end)));
    let mut merged: Vec<Span> = Vec::with_capacity(spans.len());
    for span in spans {
        match merged.last_mut() {
            Some(last) if last.overlaps(&span) => *last = merge(*last, span),
            _ => merged.push(span),
        }
    }
    merged
}

/// The union of two overlapping spans, of which `a` starts first; the outer one's mark wins.
fn merge(a: Span, b: Span) -> Span {
    let mark = match (a.mark, b.mark) {
        (Mark::Kept, mark) | (mark, Mark::Kept) => mark,
        (x, y) if x == y => x,
        (x, y) if (a.start, a.end) == (b.start, b.end) => match (x, y) {
            (Mark::Alias(index), _) | (_, Mark::Alias(index)) => Mark::Alias(index),
            (Mark::Quoted(n), _) | (_, Mark::Quoted(n)) => Mark::Quoted(n),
            _ => Mark::Value,
        },
        (outer, _) if b.end <= a.end => outer,
        _ => Mark::Value,
    };
    let rule = if (a.start, a.end) == (b.start, b.end) {
        a.rule.min(b.rule)
    } else {
        a.rule
    };
    Span {
        start: a.start,
        end: a.end.max(b.end),
        mark,
        rule,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(start: usize, end: usize, mark: Mark) -> Span {
        Span {
            start,
            end,
            mark,
            rule: Rule::Pair,
        }
    }

    fn check(spans: Vec<Span>, expected: &str) {
        let aliases = vec![String::from("$TMP")];
        let mut tally = Tally::default();
        let mut atoms = Atoms::new(&aliases, &mut tally);
        let text = atoms.apply("abcdef", spans);
        assert_eq!(atoms.render(&text), expected);
    }

    #[test]
    fn what_is_found_in_a_masked_text_is_traced_back() {
        let span = |start, end| value(start, end, Mark::Value);
        let masked = Masked::new("abcdefgh", vec![span(2, 3), span(4, 6)], &[]);
        assert_eq!(masked.text.len(), 13);
        let source = |start, end| {
            let found = masked.source(span(start, end));
            found.map(|span| (span.start, span.end))
        };
        // ab####d####gh
        assert_eq!(source(0, 2), Some((0, 2)));
        assert_eq!(source(1, 6), Some((1, 3)));
        assert_eq!(source(2, 7), Some((2, 4)));
        assert_eq!(source(7, 11), None);
        assert_eq!(source(6, 12), Some((3, 7)));
        assert_eq!(source(11, 13), Some((6, 8)));
    }

    #[test]
    fn overlapping_spans_become_one_marker() {
        // RED-024
        check(
            vec![value(1, 3, Mark::Value), value(2, 5, Mark::Value)],
            "a[REDACTED]f",
        );
        check(
            vec![value(0, 6, Mark::Url), value(2, 3, Mark::Value)],
            "[REDACTED_URL]",
        );
        check(vec![value(0, 2, Mark::Alias(0))], "$TMPcdef");
        check(vec![value(0, 2, Mark::Kept)], "abcdef");
        check(vec![value(5, 6, Mark::Quoted(1))], r#"abcde\"[REDACTED]\""#);
    }
}
