//! Spans to replace, and the atoms that stand for replacements while rules still read the text.
//!
//! A marker, an alias or a kept URL is one private-use character during redaction. No rule can then read
//! into it, cut it in two, or take its letters for a key; [`Atoms::render`] spells it out at the end.

use std::borrow::Cow;

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

    /// Replaces `spans`, in any order and overlapping as they like, by atoms, and moves `others` to where
    /// their text is then: an atom that one of them touches belongs to it.
    pub(crate) fn apply(&mut self, text: &str, spans: Vec<Span>, others: &mut [Span]) -> String {
        let merged = merged(spans);
        let mut out = String::with_capacity(text.len());
        let mut at = 0;
        // Where each replaced part was and is.
        let mut places: Vec<(Span, std::ops::Range<usize>)> = Vec::with_capacity(merged.len());
        for span in merged {
            out.push_str(&text[at..span.start]);
            let start = out.len();
            self.push(&mut out, &text[span.start..span.end], &span);
            at = span.end;
            places.push((span, start..out.len()));
        }
        out.push_str(&text[at..]);
        let moved = |at: usize, is_end: bool| {
            let before = places.partition_point(|(span, _)| span.start < at + usize::from(!is_end));
            match before.checked_sub(1).map(|index| &places[index]) {
                None => at,
                Some((span, place)) if at < span.end => {
                    if is_end {
                        place.end
                    } else {
                        place.start
                    }
                }
                Some((span, place)) => at - span.end + place.end,
            }
        };
        for other in others {
            (other.start, other.end) = (moved(other.start, false), moved(other.end, true));
        }
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
            Mark::Quoted(backslashes) => {
                for side in 0..2 {
                    if side == 1 {
                        out.push(Self::marker());
                    }
                    out.extend(std::iter::repeat_n('\\', usize::from(backslashes)));
                    out.push('"');
                }
            }
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
        let text = atoms.apply("abcdef", spans, &mut []);
        assert_eq!(atoms.render(&text), expected);
    }

    #[test]
    fn what_touches_a_replacement_is_moved_with_it() {
        let mut tally = Tally::default();
        let mut atoms = Atoms::new(&[], &mut tally);
        let span = |start, end| value(start, end, Mark::Value);
        let mut others = [
            span(0, 2),
            span(1, 3),
            span(2, 4),
            span(4, 6),
            span(5, 7),
            span(6, 8),
        ];
        let text = atoms.apply("abcdefgh", vec![span(2, 3), span(4, 6)], &mut others);
        assert_eq!(text.len(), 13);
        let places = others.map(|span| (span.start, span.end));
        assert_eq!(places, [(0, 2), (1, 6), (2, 7), (7, 11), (7, 12), (11, 13)]);
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
