//! Texts of any length, in chunks as they come and in bounded memory.
//!
//! The unit is the line, since hardly any rule reaches over its end. Where one may (a key block, a quoted
//! value, a registered secret broken in two), the lines that it can reach are judged together. What belongs
//! together depends on the text alone, never on the chunks.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::fmt::Write as _;

use memchr::{memchr, memchr_iter, memchr3, memrchr};

use crate::edge::Edge;
use crate::encoding::Encoding;
use crate::error::{RedactionError, Sink};
use crate::normalise::is_separator;
use crate::redacted::Redacted;
use crate::redactor::{MAX_BYTES, Place, Redactor};
use crate::rule::{Rule, Tally};
use crate::span::MARKER;

/// A quoted key may begin so many bytes before the line of its separator, counted in safe text: what
/// was replaced no longer keeps the two apart.
const BACK: usize = 128;
/// So much text is looked at first where lines belong together.
const AHEAD: usize = 512;
/// Most secrets that seem to begin at the end of a line are known not to within so many bytes.
const GLANCE: usize = 64;
/// `&#x6b;` is one letter of a secret.
const LONGEST_ESCAPE: usize = 6;
/// A line that is too long to be judged is looked through in pieces of this size.
const PIECE: usize = 1 << 20;
/// So many places to end a piece at are tried, so far apart in signs that may end a value.
const CUTS: usize = 6;
const CUT_STEP: usize = 7;
/// A key must not be cut in two by the pieces.
const OVERLAP: usize = 512;

/// A text of any length on its way through a [`Redactor`].
///
/// Lines longer than 16 MiB become one marker. A value that is opened in such a line, or that is longer
/// itself, takes the rest of the text with it ([`Stream::is_withheld`]). Invalid UTF-8 comes out as visible
/// `\xXX`; UTF-16 with a byte order mark is read as such.
///
/// ```
/// use qa_redact::{Redactor, RedactorConfig, Rule};
///
/// let redactor = Redactor::new(RedactorConfig::default())?;
/// let mut stream = redactor.stream();
/// let mut safe = stream.push(b"start\npassword=\"tu")?.into_string();
/// safe += stream.push(b"lip\n77\" ok\n")?.as_str();
/// safe += stream.finish()?.as_str();
/// assert_eq!(safe, "start\npassword=\"[REDACTED]\" ok\n");
/// assert_eq!(stream.tally().count(Rule::Pair), 1);
/// # Ok::<(), qa_redact::RedactionError>(())
/// ```
#[derive(Debug)]
pub struct Stream<'r> {
    redactor: &'r Redactor,
    encoding: Encoding,
    /// What has come and is not given out; its first byte has the number `position`.
    buffer: Vec<u8>,
    position: usize,
    /// Bytes of the buffer that are judged; their safe form is in `ready`.
    judged: usize,
    parts: VecDeque<Part>,
    ready: String,
    /// The buffer must be so long before another look at its first line is worth it.
    wanted: usize,
    state: State,
    tally: Tally,
    /// Lines and values longer than this are not judged.
    limit: usize,
}

/// A line, or lines that belong together, whose safe form can still be taken back.
#[derive(Debug)]
struct Part {
    start: usize,
    ready_before: usize,
    ready_end: usize,
    tally_before: Tally,
}

/// What came of judging a line alone.
enum Alone {
    Judged,
    /// More of the text must be known.
    Unknown,
    /// It must be judged together with others, perhaps with lines before it.
    Reaches {
        back: bool,
    },
}

/// What a look at several lines told.
struct Look {
    /// Where those end that can be judged.
    end: Option<usize>,
    /// Whether a key may begin before them.
    reaches_back: bool,
}

#[derive(Debug, Clone, PartialEq)]
enum State {
    Reading,
    /// Inside a line that is too long; the end of what was looked through, and whether a value may be open.
    Skipping {
        tail: Vec<u8>,
        is_open: bool,
    },
    Withheld,
}

impl Redactor {
    /// Begins a text that comes in chunks.
    #[must_use]
    pub fn stream(&self) -> Stream<'_> {
        Stream {
            redactor: self,
            encoding: Encoding::default(),
            buffer: Vec::new(),
            position: 0,
            judged: 0,
            parts: VecDeque::new(),
            ready: String::new(),
            wanted: 0,
            state: State::Reading,
            tally: Tally::default(),
            limit: MAX_BYTES,
        }
    }
}

impl Stream<'_> {
    /// Takes the next bytes and gives what can be said by now, which may be nothing.
    ///
    /// # Errors
    /// [`RedactionError::Failed`] with the position of the part that must be withheld; what was given before
    /// is safe. The stream gives nothing more.
    pub fn push(&mut self, bytes: &[u8]) -> Result<Redacted<String>, RedactionError> {
        self.encoding.decode(bytes, &mut self.buffer);
        self.advance(false)
    }

    /// Ends the text and gives the rest of it.
    ///
    /// # Errors
    /// As [`Stream::push`].
    pub fn finish(&mut self) -> Result<Redacted<String>, RedactionError> {
        self.encoding.finish(&mut self.buffer);
        self.advance(true)
    }

    /// What was replaced so far, by rule.
    #[must_use]
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// Whether the rest of the text is withheld since a value has no end within 16 MiB.
    #[must_use]
    pub fn is_withheld(&self) -> bool {
        self.state == State::Withheld
    }

    fn advance(&mut self, is_end: bool) -> Result<Redacted<String>, RedactionError> {
        let advanced = self.judge(is_end);
        if advanced.is_err() {
            self.withhold();
        }
        advanced?;
        // What a later line may reach back to stays.
        let settled = |part: &Part| is_end || part.ready_end + BACK <= self.ready.len();
        let count = self.parts.partition_point(settled);
        let (end, length) = match self.parts.get(count) {
            Some(part) => (part.start, part.ready_before),
            None => (self.judged, self.ready.len()),
        };
        self.parts.drain(..count);
        let rest = self.ready.split_off(length);
        let safe = std::mem::replace(&mut self.ready, rest);
        self.buffer.drain(..end);
        self.position += end;
        self.judged -= end;
        self.wanted = self.wanted.saturating_sub(end);
        for part in &mut self.parts {
            part.start -= end;
            part.ready_before -= length;
            part.ready_end -= length;
        }
        Ok(Redacted::new(safe))
    }

    fn judge(&mut self, is_end: bool) -> Result<(), RedactionError> {
        loop {
            match self.state {
                State::Withheld => {
                    self.buffer.truncate(self.judged);
                    return Ok(());
                }
                State::Skipping { .. } => {
                    if !self.skip(is_end) {
                        return Ok(());
                    }
                }
                State::Reading => {
                    if !self.read(is_end)? {
                        return Ok(());
                    }
                }
            }
        }
    }

    /// Judges the next line; `false` when more of the text must be known.
    fn read(&mut self, is_end: bool) -> Result<bool, RedactionError> {
        let rest = &self.buffer[self.judged..];
        if rest.is_empty() || (self.buffer.len() < self.wanted && !is_end) {
            return Ok(false);
        }
        let line = match memchr(b'\n', &rest[..rest.len().min(self.limit)]) {
            Some(end) => end + 1,
            None if rest.len() > self.limit => {
                self.state = State::Skipping {
                    tail: Vec::new(),
                    is_open: false,
                };
                return Ok(true);
            }
            None if is_end => rest.len(),
            None => {
                // Looking for the line's end again at each of many small chunks would not be linear.
                self.wanted = self.judged + rest.len() + rest.len() / 2;
                return Ok(false);
            }
        };
        let tally_before = self.tally.clone();
        match self.read_alone(line, is_end)? {
            Alone::Judged => Ok(true),
            Alone::Unknown => {
                self.tally = tally_before;
                self.wanted = self.judged + line + GLANCE;
                Ok(false)
            }
            Alone::Reaches { back } => {
                let end = self.judged + line;
                self.tally = tally_before;
                if back {
                    self.take_back();
                }
                // What is taken back must be judged together with the line that reached back to it.
                self.read_together(end - self.judged, !back, is_end)
            }
        }
    }

    /// Judges a line that has nothing to do with others.
    fn read_alone(&mut self, line: usize, is_end: bool) -> Result<Alone, RedactionError> {
        let (start, end) = (self.judged, self.judged + line);
        let text = visible(&self.buffer[start..end]);
        let (mut edge, tally_before) = (Edge::default(), self.tally.clone());
        let first = self.redactor.pass(&text, 0, &mut self.tally, &mut edge);
        if edge.is_pending && !edge.reaches() {
            match self.is_whole(start, line, is_end) {
                Some(true) => {}
                Some(false) => return Ok(Alone::Reaches { back: false }),
                None => return Ok(Alone::Unknown),
            }
        }
        if !edge.reaches() {
            let place = self.place(start);
            let tally = &mut self.tally;
            let safe = self.redactor.safe_after(first, place, tally, &mut edge)?;
            // What was replaced may have uncovered a key that reaches further.
            if !edge.reaches() {
                let ready_before = self.ready.len();
                self.ready.push_str(&safe);
                self.parts.push_back(Part {
                    start,
                    ready_before,
                    ready_end: self.ready.len(),
                    tally_before,
                });
                self.judged = end;
                return Ok(Alone::Judged);
            }
        }
        Ok(Alone::Reaches {
            back: edge.reaches_back,
        })
    }

    /// Whether no secret goes on behind a line that ends like the beginning of one, as far as a glance tells;
    /// nothing when more of the text must be known.
    fn is_whole(&self, start: usize, line: usize, is_end: bool) -> Option<bool> {
        let rest = &self.buffer[start..];
        if rest.len() < line + GLANCE && !is_end {
            return None;
        }
        let after = &rest[line..rest.len().min(line + GLANCE)];
        let after = match std::str::from_utf8(after) {
            Ok(after) => after,
            // The glance may end inside a character.
            Err(error) => std::str::from_utf8(&after[..error.valid_up_to()]).unwrap_or_default(),
        };
        let line = visible(&rest[..line]);
        let is_plain = |text: &str| {
            memchr3(b'%', b'&', b'\\', text.as_bytes()).is_none() && !text.chars().any(is_separator)
        };
        Some(is_plain(&line) && is_plain(after) && !self.redactor.registry.may_cross(&line, after))
    }

    /// Takes the last lines back, as far as a key may begin in them.
    fn take_back(&mut self) {
        let from = self.ready.len().saturating_sub(BACK);
        while self.parts.back().is_some_and(|part| part.ready_end > from) {
            let Some(part) = self.parts.pop_back() else {
                return;
            };
            self.judged = part.start;
            self.ready.truncate(part.ready_before);
            self.tally = part.tally_before;
        }
    }

    /// Judges the next lines, `least` bytes of them, and those that belong to them; lines before them
    /// only once, or what is judged together would depend on how much is still there to be taken back.
    fn read_together(
        &mut self,
        mut least: usize,
        mut may_take_back: bool,
        is_end: bool,
    ) -> Result<bool, RedactionError> {
        let mut start = self.judged;
        let mut length = AHEAD.max(least);
        loop {
            let rest = &self.buffer[start..];
            let line_end = rest.get(length - 1..).and_then(|rest| memchr(b'\n', rest));
            let lines = match line_end {
                Some(end) => length + end,
                None if is_end => rest.len(),
                None if rest.len() <= self.limit * 2 => {
                    self.wanted = start + length.max(rest.len() + rest.len() / 2);
                    return Ok(false);
                }
                None => rest.len(),
            };
            let is_all = is_end && lines == rest.len() && lines <= self.limit;
            let is_limit = lines > self.limit;
            let lines = if is_limit {
                // Behind these there is a line too long to be judged, or a value without an end.
                memrchr(b'\n', &rest[..self.limit]).map_or(0, |end| end + 1)
            } else {
                lines
            };
            let look = self.look(&rest[..lines], least, is_limit);
            if look.reaches_back && may_take_back {
                may_take_back = false;
                self.take_back();
                least += start - self.judged;
                if self.judged < start {
                    start = self.judged;
                    continue;
                }
            }
            match look.end.or_else(|| is_all.then_some(lines)) {
                Some(end) => return self.keep(start, start + end),
                None if is_limit => {
                    self.withhold();
                    return Ok(true);
                }
                None => length = lines * 2,
            }
        }
    }

    /// Where, behind the `least` bytes, a line ends that nothing reaches over, if enough is known of what
    /// follows.
    fn look(&self, lines: &[u8], least: usize, is_limit: bool) -> Look {
        let text = visible(lines);
        let mut edge = Edge::of_lines(&text);
        let tally = &mut Tally::default();
        let first = self.redactor.pass(&text, 0, tally, &mut edge);
        // What could not be redacted is refused when it is kept.
        let _ = self
            .redactor
            .safe_after(first, self.place(0), tally, &mut edge);
        let free = edge.free_lines();
        let ends: Vec<usize> = memchr_iter(b'\n', lines)
            .enumerate()
            .filter(|(number, at)| at + 1 >= least && free.binary_search(number).is_ok())
            .map(|(_, at)| at + 1)
            .collect();
        let known = self.known_until(&text, lines.len());
        let last_known = ends.iter().rfind(|end| **end <= known);
        // As many lines as possible, so that no line is looked at often.
        let end = last_known.copied().or_else(|| {
            let first = *ends.first()?;
            let is_pending = || self.redactor.is_pending(&visible(&lines[..first]));
            (is_limit || !is_pending()).then_some(first)
        });
        Look {
            end,
            reaches_back: edge.reaches_back,
        }
    }

    /// Behind this place too little follows to tell whether a registered secret, broken in two, lies over it.
    fn known_until(&self, text: &str, length: usize) -> usize {
        let mut missing = self.redactor.registry.reach() * LONGEST_ESCAPE;
        if missing == 0 {
            return length;
        }
        let left_out = |c: char| c.is_whitespace() || is_separator(c) || "=-./".contains(c);
        for (at, c) in text.char_indices().rev().filter(|(_, c)| !left_out(*c)) {
            missing = missing.saturating_sub(c.len_utf8());
            if missing == 0 {
                // What is visible of broken bytes is longer than they are.
                return at.saturating_sub(text.len() - length);
            }
        }
        0
    }

    fn keep(&mut self, start: usize, end: usize) -> Result<bool, RedactionError> {
        let text = visible(&self.buffer[start..end]);
        let tally_before = self.tally.clone();
        let place = self.place(start);
        let safe = self.redactor.safe(&text, place, &mut self.tally)?;
        let ready_before = self.ready.len();
        self.ready.push_str(&safe);
        self.parts.push_back(Part {
            start,
            ready_before,
            ready_end: self.ready.len(),
            tally_before,
        });
        self.judged = end;
        Ok(true)
    }

    /// Goes on in a line that is too long; `false` when more of the text must be known.
    fn skip(&mut self, is_end: bool) -> bool {
        let State::Skipping { tail, is_open } = &self.state else {
            return false;
        };
        let start = self.judged;
        let rest = &self.buffer[start..];
        let limit = PIECE.min(self.limit);
        let line_end = memchr(b'\n', &rest[..rest.len().min(limit)]);
        if line_end.is_none() && rest.len() < limit && !is_end {
            return false;
        }
        let piece = &rest[..line_end.unwrap_or(rest.len().min(limit))];
        let is_last = line_end.is_some() || is_end && piece.len() == rest.len();
        let closed = if is_last {
            Some(piece.len()).filter(|_| !self.opens(tail, piece))
        } else {
            // A piece must not end inside a value, or that would seem to go on in the next line.
            let cuts = (0..piece.len())
                .rev()
                .filter(|at| b",;}] ".contains(&piece[*at]));
            let mut cuts = cuts.map(|at| at + 1).step_by(CUT_STEP).take(CUTS);
            cuts.find(|cut| !self.opens(tail, &piece[..*cut]))
        };
        let is_open = *is_open || closed.is_none();
        let judged = closed.unwrap_or(piece.len());
        let length = judged + usize::from(line_end.is_some());
        let tail = [&tail[..], &piece[..judged]].concat();
        let tail = tail[tail.len().saturating_sub(OVERLAP)..].to_vec();
        if is_last {
            self.tally.add(Rule::Unjudged);
            self.ready.push_str(MARKER);
            self.state = State::Reading;
            if line_end.is_some() {
                self.ready.push('\n');
                if is_open {
                    self.withhold();
                }
            }
        } else {
            self.state = State::Skipping { tail, is_open };
        }
        // Nothing reaches back over what is not even looked at as a whole.
        self.parts.clear();
        self.judged += length;
        !(is_end && length == 0)
    }

    /// Whether a value that begins in this part of a line would go on in the next line.
    fn opens(&self, tail: &[u8], piece: &[u8]) -> bool {
        let text = [tail, piece, b"\n"].concat();
        let mut edge = Edge::default();
        let _ = self
            .redactor
            .pass(&visible(&text), 0, &mut Tally::default(), &mut edge);
        edge.reaches_on
    }

    /// Gives up: the rest is one marker.
    fn withhold(&mut self) {
        self.tally.add(Rule::Unjudged);
        self.ready.push_str(MARKER);
        self.state = State::Withheld;
    }

    fn place(&self, start: usize) -> Place {
        Place {
            sink: Sink::Text,
            position: self.position + start,
        }
    }
}

/// The bytes as text; what is no UTF-8 as `\xXX` (RED-017).
fn visible(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    let mut text = String::with_capacity(bytes.len() + 64);
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            // Writing to a string cannot fail.
            let _ = write!(text, "\\x{byte:02X}");
        }
    }
    Cow::Owned(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redactor::RedactorConfig;
    use crate::secret::Secret;

    /// With a limit that is soon reached.
    fn check(chunks: &[&[u8]], expected: &str, is_withheld: bool) {
        let redactor = Redactor::new(RedactorConfig {
            secrets: vec![Secret::new("kp-9931-zebra")],
            ..RedactorConfig::default()
        })
        .expect("the configuration is valid");
        let mut stream = redactor.stream();
        stream.limit = 4096;
        let mut safe = String::new();
        for chunk in chunks {
            safe += stream.push(chunk).expect("a part").as_str();
            assert!(stream.buffer.len() <= 4 * 4096, "the memory is bounded");
        }
        safe += stream.finish().expect("the end").as_str();
        assert_eq!(safe, expected);
        assert_eq!(stream.is_withheld(), is_withheld);
    }

    #[test]
    fn a_line_that_is_too_long_is_one_marker_and_the_next_one_is_read() {
        // RED-016
        for size in [100, 1000, 4096] {
            let line = "a b-".repeat(10_000);
            let text = format!("first\n{line}\npassword=tulip77\n{line}");
            let chunks: Vec<&[u8]> = text.as_bytes().chunks(size).collect();
            let safe = format!("first\n{MARKER}\npassword={MARKER}\n{MARKER}");
            check(&chunks, &safe, false);
        }
    }

    #[test]
    fn a_value_without_an_end_takes_the_rest_along() {
        // RED-005: where it ends cannot be told in bounded memory.
        let filler = "tulip tulip\n".repeat(1000);
        let text = format!("first\npassword=\"{filler}\" behind\n");
        let chunks: Vec<&[u8]> = text.as_bytes().chunks(700).collect();
        check(&chunks, &format!("first\n{MARKER}"), true);
        let values = "x \"password\":\"tu,lip\",".repeat(3000);
        let long = format!("{values}\nnext\n");
        let chunks: Vec<&[u8]> = long.as_bytes().chunks(700).collect();
        check(&chunks, &format!("{MARKER}\nnext\n"), false);
        let long = format!("first\nx=1 password=\"{}\ntulip\n", "tulip ".repeat(1000));
        let chunks: Vec<&[u8]> = long.as_bytes().chunks(700).collect();
        check(&chunks, &format!("first\n{MARKER}\n{MARKER}"), true);
    }
}
