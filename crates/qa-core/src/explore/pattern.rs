//! Texts that match a simple regular expression.

use super::values::Draw;

/// A text that the whole of a form field's pattern matches, or `None` where the pattern uses more
/// than literals, classes, groups, alternatives and counts.
pub(super) fn example(pattern: &str, draw: &mut Draw) -> Option<String> {
    let mut parser = Parser {
        rest: pattern
            .strip_prefix('^')
            .unwrap_or(pattern)
            .chars()
            .collect(),
        at: 0,
        draw,
        depth: 0,
    };
    let text = parser.alternatives()?;
    (parser.at == parser.rest.len() && text.len() <= 1_000).then_some(text)
}

struct Parser<'a> {
    rest: Vec<char>,
    at: usize,
    draw: &'a mut Draw,
    depth: u8,
}

/// Repeats beyond this are not made up.
const MAX_REPEATS: usize = 200;
/// Groups nested deeper than this are not read.
const MAX_DEPTH: u8 = 20;

impl Parser<'_> {
    /// The first alternative; the others are read to find the end.
    fn alternatives(&mut self) -> Option<String> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        let text = self.sequence()?;
        while self.eat('|') {
            self.sequence()?;
        }
        self.depth -= 1;
        Some(text)
    }

    fn sequence(&mut self) -> Option<String> {
        let mut text = String::new();
        while let Some(next) = self.peek() {
            if matches!(next, '|' | ')') {
                break;
            }
            if next == '$' && self.at + 1 == self.rest.len() {
                self.at += 1;
                break;
            }
            let start = self.at;
            let once = self.atom()?;
            let end = self.at;
            let times = self.count()?;
            if times == 0 {
                continue;
            }
            text.push_str(&once);
            let after = self.at;
            for _ in 1..times {
                // Read again, so that each repeat draws anew.
                self.at = start;
                text.push_str(&self.atom()?);
                debug_assert_eq!(self.at, end);
            }
            self.at = after;
        }
        Some(text)
    }

    fn atom(&mut self) -> Option<String> {
        let next = self.next()?;
        match next {
            '(' => {
                if self.eat('?') && !self.eat(':') {
                    return None;
                }
                let text = self.alternatives()?;
                self.eat(')').then_some(text)
            }
            '[' => self.class().map(String::from),
            '\\' => {
                let escaped = self.next()?;
                self.escape(escaped).map(String::from)
            }
            '.' => Some(self.among(&[('a', 'z')]).into()),
            '^' | '$' | '*' | '+' | '?' | '{' | ')' | ']' => None,
            literal => Some(literal.into()),
        }
    }

    fn escape(&mut self, escaped: char) -> Option<char> {
        match escaped {
            'd' => Some(self.among(&[('0', '9')])),
            'w' => Some(self.among(&[('a', 'z')])),
            's' => Some(' '),
            'D' | 'S' | 'W' => Some(if escaped == 'W' { '-' } else { 'a' }),
            't' => Some('\t'),
            letter if letter.is_alphanumeric() => None,
            sign => Some(sign),
        }
    }

    fn class(&mut self) -> Option<char> {
        if self.peek() == Some('^') {
            return None;
        }
        let mut ranges = Vec::new();
        loop {
            let from = match self.next()? {
                ']' => break,
                '\\' => match self.next()? {
                    'd' => {
                        ranges.push(('0', '9'));
                        continue;
                    }
                    'w' => {
                        ranges.push(('a', 'z'));
                        continue;
                    }
                    's' => ' ',
                    letter if letter.is_alphanumeric() => return None,
                    sign => sign,
                },
                plain => plain,
            };
            let is_range = self.peek() == Some('-')
                && self.rest.get(self.at + 1).is_some_and(|next| *next != ']');
            let to = if is_range {
                self.at += 1;
                match self.next()? {
                    '\\' => self.next()?,
                    to => to,
                }
            } else {
                from
            };
            if to < from {
                return None;
            }
            ranges.push((from, to));
        }
        (!ranges.is_empty()).then(|| self.among(&ranges))
    }

    /// How often the atom before occurs: as seldom as allowed, but once where it may.
    fn count(&mut self) -> Option<usize> {
        let times = match self.peek() {
            Some('?' | '*' | '+') => {
                self.at += 1;
                1
            }
            Some('{') => {
                self.at += 1;
                let least = self.digits()?;
                let most = if self.eat(',') {
                    self.digits_or_none()?
                } else {
                    Some(least)
                };
                if !self.eat('}') || most.is_some_and(|most| most < least) {
                    return None;
                }
                if least == 0 && most != Some(0) {
                    1
                } else {
                    least
                }
            }
            _ => return Some(1),
        };
        // A lazy count matches the same texts.
        self.eat('?');
        (times <= MAX_REPEATS).then_some(times)
    }

    fn digits(&mut self) -> Option<usize> {
        self.digits_or_none()?
    }

    /// `Some(None)` where there are no digits, `None` where there are too many.
    #[expect(clippy::option_option, reason = "absent and unreadable differ")]
    fn digits_or_none(&mut self) -> Option<Option<usize>> {
        let start = self.at;
        while self.peek().is_some_and(|next| next.is_ascii_digit()) {
            self.at += 1;
        }
        if start == self.at {
            return Some(None);
        }
        let text: String = self.rest[start..self.at].iter().collect();
        text.parse().ok().map(Some)
    }

    /// A character of the ranges.
    fn among(&mut self, ranges: &[(char, char)]) -> char {
        let range = usize::try_from(self.draw.below(ranges.len() as u64)).unwrap_or(0);
        let (from, to) = ranges[range];
        let size = u64::from(u32::from(to) - u32::from(from)) + 1;
        let offset = u32::try_from(self.draw.below(size)).unwrap_or(0);
        char::from_u32(u32::from(from) + offset).unwrap_or(from)
    }

    fn peek(&self) -> Option<char> {
        self.rest.get(self.at).copied()
    }

    fn next(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += 1;
        Some(next)
    }

    fn eat(&mut self, wanted: char) -> bool {
        let met = self.peek() == Some(wanted);
        self.at += usize::from(met);
        met
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pattern: &str, matches: impl Fn(&str) -> bool) {
        for seed in 0..20 {
            let text = example(pattern, &mut Draw::new(seed, std::iter::empty()));
            let text = text.unwrap_or_else(|| panic!("{pattern} was not understood"));
            assert!(matches(&text), "{pattern} gave {text}");
        }
    }

    // WEB-061
    #[test]
    fn common_patterns_have_examples() {
        let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
        check("[0-9]{5}", |text| text.len() == 5 && digits(text));
        check(r"^\d{3}-\d{4}$", |text| {
            text.len() == 8 && text.as_bytes()[3] == b'-' && digits(&text.replace('-', ""))
        });
        check("[A-Z]{2}[0-9]+", |text| {
            text.len() == 3
                && text[..2].bytes().all(|b| b.is_ascii_uppercase())
                && digits(&text[2..])
        });
        check("(?:red|green)", |text| text == "red");
        check(r"[\w.-]+@[a-z]+\.com", |text| {
            text.ends_with(".com") && text.contains('@')
        });
        check("a{0}b?", |text| text == "b");
    }

    // WEB-061
    #[test]
    fn other_patterns_are_left_alone() {
        for pattern in [
            "(?=.*[A-Z]).{8,}",
            "[^a]+",
            r"\p{L}+",
            "(a",
            "[a",
            "a{2",
            "[z-a]",
            "x{99999999999999999999}",
            r"(a)\1",
        ] {
            assert_eq!(
                example(pattern, &mut Draw::new(1, std::iter::empty())),
                None,
                "{pattern}"
            );
        }
    }
}
