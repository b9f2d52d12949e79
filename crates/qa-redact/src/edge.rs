//! What a rule would have to know of the text before and behind the one it reads.
//!
//! A stream reads line by line; where a rule reaches over the end of its text, it says so here or by a tie
//! ([`Mark::Tie`](crate::span::Mark::Tie)), and more lines are read together.

use crate::span::Span;

/// What the rules met at the two ends of a text.
#[derive(Debug, Clone, Default)]
pub(crate) struct Edge {
    /// A quoted key may begin before the text.
    pub(crate) reaches_back: bool,
    /// A value, a key block or an address may go on behind it.
    pub(crate) reaches_on: bool,
    /// The text ends like the beginning of a registered secret.
    pub(crate) is_pending: bool,
    /// The line ends, by number, that nothing reaches over; only kept where somebody asks for it.
    pub(crate) free: Option<Vec<usize>>,
}

impl Edge {
    /// Asks which line ends are free.
    pub(crate) fn of_lines(text: &str) -> Self {
        Self {
            free: Some((0..memchr::memchr_iter(b'\n', text.as_bytes()).count()).collect()),
            ..Self::default()
        }
    }

    /// Whether the text can be judged alone.
    pub(crate) fn is_calm(&self) -> bool {
        !(self.reaches_back || self.reaches_on || self.is_pending)
    }

    /// Notes what was found in `text`.
    pub(crate) fn found(&mut self, text: &str, spans: &[Span]) {
        self.reaches_on |= spans.iter().any(|span| span.end == text.len());
        let Some(free) = &mut self.free else { return };
        let mut sorted: Vec<(usize, usize)> =
            spans.iter().map(|span| (span.start, span.end)).collect();
        sorted.sort_unstable();
        let mut sorted = sorted.into_iter().peekable();
        let mut reached = 0;
        let mut numbers = std::mem::take(free).into_iter();
        for at in memchr::memchr_iter(b'\n', text.as_bytes()) {
            while let Some((_, end)) = sorted.next_if(|(start, _)| *start <= at) {
                reached = reached.max(end);
            }
            let number = numbers.next();
            free.extend(number.filter(|_| reached <= at));
        }
    }
}
