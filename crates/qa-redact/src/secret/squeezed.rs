//! Registered secrets that are broken by white space, line ends or separators.

use aho_corasick::Anchored;
use aho_corasick::automaton::Automaton as _;
use aho_corasick::nfa::contiguous::NFA;

use crate::edge::Edge;
use crate::rule::Rule;
use crate::span::Span;

/// Secrets that are looked for as if some characters were not in the text.
#[derive(Clone)]
pub(super) struct Squeezed {
    automaton: Option<NFA>,
    /// The number of the secret that each needle is a form of.
    secrets: Vec<usize>,
    /// The bytes that a needle may begin with.
    begins: [bool; 256],
    pub(super) longest: usize,
}

impl Squeezed {
    /// Takes each needle with the number of its secret.
    pub(super) fn new(needles: Vec<(String, usize)>) -> Option<Self> {
        let (needles, secrets): (Vec<String>, Vec<usize>) = needles.into_iter().unzip();
        let mut begins = [false; 256];
        for byte in needles.iter().filter_map(|needle| needle.bytes().next()) {
            begins[usize::from(byte.to_ascii_lowercase())] = true;
            begins[usize::from(byte.to_ascii_uppercase())] = true;
        }
        let build = || NFA::builder().ascii_case_insensitive(true).build(&needles);
        let automaton = if needles.is_empty() {
            None
        } else {
            Some(build().ok()?)
        };
        let longest = needles.iter().map(String::len).max().unwrap_or(0);
        Some(Self {
            automaton,
            secrets,
            begins,
            longest,
        })
    }

    pub(super) fn may_cross(&self, line: &str, after: &str, drop: impl Fn(char) -> bool) -> bool {
        let Some(nfa) = &self.automaton else {
            return false;
        };
        let Ok(start) = nfa.start_state(Anchored::No) else {
            return true;
        };
        let next = |state, c: char| {
            let mut bytes = [0; 4];
            let bytes = c.encode_utf8(&mut bytes).bytes();
            bytes.fold(state, |state, byte| {
                nfa.next_state(Anchored::No, state, byte)
            })
        };
        let kept = line.char_indices().rev().filter(|(_, c)| !drop(*c));
        let tail = kept
            .take(self.longest)
            .last()
            .map_or(line.len(), |(at, _)| at);
        let mut state = line[tail..].chars().filter(|c| !drop(*c)).fold(start, next);
        for c in after.chars().filter(|c| !drop(*c)) {
            if state == start {
                return false;
            }
            state = next(state, c);
            if nfa.is_special(state) && nfa.is_match(state) {
                return true;
            }
        }
        state != start
    }

    pub(super) fn find(
        &self,
        text: &str,
        drop: impl Fn(char) -> bool,
        mut found: impl FnMut(usize, Span),
        edge: &mut Edge,
    ) {
        let Some(nfa) = &self.automaton else { return };
        // An automaton of the standard kind has a start state.
        let Ok(start) = nfa.start_state(Anchored::No) else {
            return;
        };
        let bytes = text.as_bytes();
        let mut state = start;
        let mut end = 0;
        loop {
            if state == start {
                let begins = |b: &u8| self.begins[usize::from(*b)];
                end += bytes[end..]
                    .iter()
                    .position(begins)
                    .unwrap_or(bytes.len() - end);
            }
            let Some(c) = text[end..].chars().next() else {
                edge.is_pending |= state != start;
                return;
            };
            let at = end;
            end += c.len_utf8();
            if drop(c) {
                continue;
            }
            for byte in &bytes[at..end] {
                state = nfa.next_state(Anchored::No, state, *byte);
            }
            if nfa.is_special(state) && nfa.is_match(state) {
                for index in 0..nfa.match_len(state) {
                    let pattern = nfa.match_pattern(state, index);
                    let mut missing = nfa.pattern_len(pattern);
                    let kept = text[..end].char_indices().rev().filter(|(_, c)| !drop(*c));
                    let start = kept
                        .map(|(at, c)| {
                            missing = missing.saturating_sub(c.len_utf8());
                            (at, missing)
                        })
                        .find(|(_, missing)| *missing == 0);
                    let start = start.map_or(0, |(at, _)| at);
                    let secret = self.secrets[pattern.as_usize()];
                    found(secret, Span::value(start, end, Rule::Secret));
                }
            }
        }
    }
}

/// A soft break of quoted-printable is an equals sign before the line feed.
pub(super) fn is_gap(c: char) -> bool {
    c.is_whitespace() || c == '='
}

pub(super) fn is_digit_gap(c: char) -> bool {
    matches!(c, ' ' | '-' | '.' | '\n' | '/')
}
