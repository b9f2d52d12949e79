//! What a rule would have to know of the text before and behind the one it reads.
//!
//! A stream reads line by line; where a rule reaches over the end of its text, it says so here or by a tie
//! ([`Mark::Tie`](crate::span::Mark::Tie)), and more lines are read together.

use memchr::memchr_iter;

use crate::span::{Mark, Span};

/// What the rules met at the two ends of a text.
#[derive(Debug, Clone, Default)]
pub(crate) struct Edge {
    /// A quoted key may begin before the text.
    pub(crate) reaches_back: bool,
    /// A value, a key block or an address may go on behind it.
    pub(crate) reaches_on: bool,
    /// The text ends like the beginning of a registered secret.
    pub(crate) is_pending: bool,
    /// The line ends that are left; only kept where somebody asks for it.
    lines: Option<Vec<LineEnd>>,
}

#[derive(Debug, Clone, Copy)]
struct LineEnd {
    /// Its number in the text before the first pass.
    number: usize,
    /// Whether nothing reaches over it.
    is_free: bool,
}

impl Edge {
    /// Asks which line ends are free.
    pub(crate) fn of_lines(text: &str) -> Self {
        let count = memchr_iter(b'\n', text.as_bytes()).count();
        let line_end = |number| LineEnd {
            number,
            is_free: true,
        };
        Self {
            lines: Some((0..count).map(line_end).collect()),
            ..Self::default()
        }
    }

    /// The numbers of the line ends that nothing reaches over, in order.
    pub(crate) fn free_lines(&self) -> Vec<usize> {
        let lines = self.lines.iter().flatten();
        lines
            .filter(|line| line.is_free)
            .map(|line| line.number)
            .collect()
    }

    /// Whether a rule needs more than the text.
    pub(crate) fn reaches(&self) -> bool {
        self.reaches_back || self.reaches_on
    }

    /// Notes what was found in `text`.
    pub(crate) fn found(&mut self, text: &str, spans: &[Span]) {
        self.reaches_on |= spans.iter().any(|span| span.end == text.len());
        let Some(lines) = &mut self.lines else { return };
        let mut sorted: Vec<&Span> = spans.iter().collect();
        sorted.sort_unstable_by_key(|span| span.start);
        let mut sorted = sorted.into_iter().peekable();
        let (mut tied, mut replaced) = (0, 0);
        let mut ends = memchr_iter(b'\n', text.as_bytes());
        lines.retain_mut(|line| {
            let Some(at) = ends.next() else { return false };
            while let Some(span) = sorted.next_if(|span| span.start <= at) {
                tied = tied.max(span.end);
                if span.mark != Mark::Tie {
                    replaced = replaced.max(span.end);
                }
            }
            line.is_free &= tied <= at;
            replaced <= at
        });
    }
}
