//! Phone, identity, card and equipment numbers, and IPv4 addresses.
//!
//! Digits are read as clusters of groups, so a number is judged by its digits and its grouping at once.

use crate::rule::Rule;
use crate::span::Span;

/// The shortest number that a rule knows, but for network addresses.
const MIN_DIGITS: usize = 8;
/// No rule needs more digits or more groups than these.
const MAX_DIGITS: usize = 20;
const MAX_GROUPS: usize = 8;

#[derive(Clone, Copy)]
struct Group {
    start: usize,
    end: usize,
}

/// Finds personal numbers (RED-063, RED-064, RED-065) and network addresses (RED-067).
pub(crate) fn find(text: &str, spans: &mut Vec<Span>) {
    let bytes = text.as_bytes();
    let mut groups = Vec::new();
    let mut at = 0;
    while let Some(found) = bytes[at..].iter().position(u8::is_ascii_digit) {
        at = read_cluster(bytes, at + found, &mut groups);
        let digits: usize = groups
            .iter()
            .map(|group: &Group| group.end - group.start)
            .sum();
        if digits >= 7 || groups.len() >= 4 {
            judge_cluster(text, &groups, spans);
        }
    }
}

fn read_cluster(bytes: &[u8], start: usize, groups: &mut Vec<Group>) -> usize {
    groups.clear();
    let mut at = start;
    loop {
        let end = at
            + bytes[at..]
                .iter()
                .take_while(|b| b.is_ascii_digit())
                .count();
        groups.push(Group { start: at, end });
        let gap = bytes[end..]
            .iter()
            .take(3)
            .take_while(|b| b" -.()".contains(b))
            .count();
        if gap == 0 || gap == 3 || !bytes.get(end + gap).is_some_and(u8::is_ascii_digit) {
            return end;
        }
        at = end + gap;
    }
}

fn judge_cluster(text: &str, groups: &[Group], spans: &mut Vec<Span>) {
    let bytes = text.as_bytes();
    let mut first = 0;
    while first < groups.len() {
        let mut hit = None;
        let mut digits = [0; MAX_DIGITS];
        let mut length = 0;
        for (offset, group) in groups[first..].iter().take(MAX_GROUPS).enumerate() {
            let longer = length + (group.end - group.start);
            let Some(place) = digits.get_mut(length..longer) else {
                break;
            };
            place.copy_from_slice(&bytes[group.start..group.end]);
            length = longer;
            // Fewer digits are no number, and an address has four groups.
            if length < MIN_DIGITS && offset != 3 {
                continue;
            }
            let candidate = Candidate {
                text,
                groups: &groups[first..=first + offset],
                digits: &digits[..length],
            };
            if let Some(span) = candidate.judge() {
                hit = Some((span, offset));
            }
        }
        match hit {
            Some((span, offset)) if !in_uuid(bytes, span.start) => {
                spans.push(span);
                first += offset + 1;
            }
            _ => first += 1,
        }
    }
}

struct Candidate<'t> {
    text: &'t str,
    groups: &'t [Group],
    digits: &'t [u8],
}

impl Candidate<'_> {
    fn judge(&self) -> Option<Span> {
        let bytes = self.text.as_bytes();
        let (start, end) = (self.groups.first()?.start, self.groups.last()?.end);
        if self.is_ipv4() {
            let exempt = is_version(&self.text[..start]) || is_local(self.digits, self.groups);
            return (!exempt && self.is_free(start, end))
                .then(|| Span::value(start, end, Rule::Address));
        }
        let (plus, opened) = self.lead(start);
        // The check character of an identity number may be a letter.
        let with_x = self.groups.len() == 1
            && self.digits.len() == 17
            && bytes
                .get(end)
                .is_some_and(|b| b.eq_ignore_ascii_case(&b'x'))
            && is_identity(self.digits, b'X');
        if with_x && self.is_free(start, end + 1) {
            return Some(Span::value(start, end + 1, Rule::Identity));
        }
        if self.digits.len() < MIN_DIGITS
            || !self.is_free(opened, end)
            || opened > 0 && bytes[opened - 1] == b'.'
        {
            return None;
        }
        let is_identity = || {
            self.digits.len() == 18
                && self.groups.len() == 1
                && is_identity(&self.digits[..17], self.digits[17])
        };
        let rule = if self.is_phone(plus) {
            Rule::Phone
        } else if is_identity() {
            Rule::Identity
        } else if self.is_card() {
            Rule::Card
        } else if self.is_imei() {
            Rule::Device
        } else {
            return None;
        };
        Some(Span::value(opened, end, rule))
    }

    /// Whether a plus stands before the digits, and where the number begins with it and its bracket.
    fn lead(&self, start: usize) -> (bool, usize) {
        let before = &self.text.as_bytes()[..start];
        match before {
            [.., b'+', b'('] => (true, start - 2),
            [.., b'+'] => (true, start - 1),
            [.., b'('] if self.gap(0) != Some("(") && self.groups.len() > 1 => (false, start - 1),
            _ => (false, start),
        }
    }

    fn is_free(&self, start: usize, end: usize) -> bool {
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        !self.text[..start].ends_with(word) && !self.text[end..].starts_with(word)
    }

    fn gap(&self, index: usize) -> Option<&str> {
        let next = self.groups.get(index + 1)?;
        Some(&self.text[self.groups[index].end..next.start])
    }

    fn gaps_are(&self, allowed: &[&str]) -> bool {
        (0..self.groups.len() - 1)
            .all(|index| self.gap(index).is_some_and(|gap| allowed.contains(&gap)))
    }

    /// Whether the last groups have these lengths.
    fn ends_in(&self, lengths: &[usize]) -> bool {
        self.groups.len() >= lengths.len()
            && self.groups[self.groups.len() - lengths.len()..]
                .iter()
                .zip(lengths)
                .all(|(group, length)| group.end - group.start == *length)
    }

    fn is_phone(&self, plus: bool) -> bool {
        let digits = self.digits;
        let national = digits
            .strip_prefix(b"0086")
            .or_else(|| digits.strip_prefix(b"86"))
            .unwrap_or(digits);
        let grouped = self.groups.len() == 1 || self.ends_in(&[3, 4, 4]) || self.ends_in(&[11]);
        let mobile = |n: &[u8]| n.len() == 11 && n[0] == b'1' && (b'3'..=b'9').contains(&n[1]);
        if mobile(national) && grouped && self.gaps_are(&[" ", "-"]) {
            return true;
        }
        let american = digits
            .strip_prefix(b"1")
            .filter(|n| n.len() == 10)
            .unwrap_or(digits);
        let reserved = american.len() == 10 && &american[3..8] == b"55501";
        if reserved {
            return false;
        }
        if plus
            && (8..=15).contains(&digits.len())
            && self.gaps_are(&[" ", "-", ".", "(", ")", " (", ") ", ")-", "-("])
        {
            return true;
        }
        american.len() == 10
            && self.ends_in(&[3, 3, 4])
            && self.groups.len() <= 4
            && (b'2'..=b'9').contains(&american[0])
            && (b'2'..=b'9').contains(&american[3])
            && self.gaps_are(&[" ", "-", ".", ")", ") ", " (", "-("])
    }

    fn is_card(&self) -> bool {
        (13..=19).contains(&self.digits.len())
            && (b'2'..=b'6').contains(&self.digits[0])
            && self.digits.iter().any(|digit| *digit != self.digits[0])
            && self.gaps_are(&[" ", "-"])
            && luhn(self.digits)
    }

    fn is_imei(&self) -> bool {
        let known = [&b"35"[..], b"86", b"01", b"99"]
            .iter()
            .any(|prefix| self.digits.starts_with(prefix));
        self.digits.len() == 15 && self.groups.len() == 1 && known && luhn(self.digits)
    }

    fn is_ipv4(&self) -> bool {
        let Some((first, last)) = self.groups.first().zip(self.groups.last()) else {
            return false;
        };
        let longer = self.text[last.end..]
            .strip_prefix('.')
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        self.groups.len() == 4
            && !longer
            && self.gaps_are(&["."])
            && self
                .groups
                .iter()
                .all(|group| self.text[group.start..group.end].parse::<u8>().is_ok())
            && !self.text[..first.start].ends_with('.')
    }
}

fn is_version(before: &str) -> bool {
    let mut low = before.len().saturating_sub(16);
    while !before.is_char_boundary(low) {
        low += 1;
    }
    let before = before[low..]
        .trim_end_matches([' ', ':', '=', '"', '\''])
        .to_ascii_lowercase();
    ["version", "release", "build", "版本"]
        .iter()
        .any(|word| before.ends_with(word))
        || before
            .strip_suffix('v')
            .is_some_and(|rest| !rest.ends_with(char::is_alphanumeric))
}

fn is_local(digits: &[u8], groups: &[Group]) -> bool {
    let mut rest = digits;
    let mut octets = [0u8; 4];
    for (octet, group) in octets.iter_mut().zip(groups) {
        let (own, others) = rest.split_at(group.end - group.start);
        *octet = std::str::from_utf8(own)
            .ok()
            .and_then(|own| own.parse().ok())
            .unwrap_or(255);
        rest = others;
    }
    matches!(
        octets,
        [127, ..]
            | [0, 0, 0, 0]
            | [10, 0, 2, 2]
            | [192, 0, 2, _]
            | [198, 51, 100, _]
            | [203, 0, 113, _]
    )
}

fn luhn(digits: &[u8]) -> bool {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(index, digit)| {
            let value = u32::from(digit - b'0') * if index % 2 == 1 { 2 } else { 1 };
            value / 10 + value % 10
        })
        .sum();
    sum.is_multiple_of(10)
}

/// The check of a Chinese identity number, with a date that can exist.
fn is_identity(digits: &[u8], check: u8) -> bool {
    const WEIGHTS: [u32; 17] = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2];
    let number = |range: std::ops::Range<usize>| {
        digits[range]
            .iter()
            .fold(0u32, |sum, digit| sum * 10 + u32::from(digit - b'0'))
    };
    let dated = (1800..=2199).contains(&number(6..10))
        && (1..=12).contains(&number(10..12))
        && (1..=31).contains(&number(12..14));
    let sum: u32 = digits
        .iter()
        .zip(WEIGHTS)
        .map(|(digit, weight)| u32::from(digit - b'0') * weight)
        .sum();
    dated && b"10X98765432"[(sum % 11) as usize] == check
}

fn in_uuid(bytes: &[u8], at: usize) -> bool {
    let part = |b: &&u8| b.is_ascii_hexdigit() || **b == b'-';
    let start = at - bytes[..at].iter().rev().take(37).take_while(part).count();
    let length = bytes[start..].iter().take(37).take_while(part).count();
    is_uuid(&bytes[start..start + length])
}

/// Eight, four, four, four and twelve hex digits.
pub(crate) fn is_uuid(token: &[u8]) -> bool {
    token.len() == 36
        && token.iter().enumerate().all(|(at, b)| match at {
            8 | 13 | 18 | 23 => *b == b'-',
            _ => b.is_ascii_hexdigit(),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let mut spans = Vec::new();
        find(text, &mut spans);
        let found: Vec<&str> = spans
            .iter()
            .map(|span| &text[span.start..span.end])
            .collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn phones() {
        // RED-063
        check(
            "call 13800138000, 138-0013-8000.",
            &["13800138000", "138-0013-8000"],
        );
        check("+86 138 0013 8000", &["+86 138 0013 8000"]);
        check(
            "+1 (415) 867-2390 or (415) 867-2390",
            &["+1 (415) 867-2390", "(415) 867-2390"],
        );
        check("+44 20 7946 1234", &["+44 20 7946 1234"]);
        check(
            "415-555-0132 +1 415 555 0132 2013800138000 1.13800138000 x13800138000",
            &[],
        );
    }

    #[test]
    fn identity_cards_and_equipment() {
        // RED-064, RED-065
        check(
            "999999199003071234 99999920011230002X 999999199003071230",
            &["999999199003071234", "99999920011230002X"],
        );
        check(
            "4111 1111 1111 1111 and 4111111111111112",
            &["4111 1111 1111 1111"],
        );
        check("imei 356938035643809", &["356938035643809"]);
        check(
            "4444444444444444 1732953600123 2026-11-30 01:43:48.123",
            &[],
        );
        check("id 13800138-0013-4000-8000-138001380000", &[]);
    }

    #[test]
    fn addresses() {
        // RED-067
        check("192.168.1.23:5555", &["192.168.1.23"]);
        check(
            "127.0.0.1 10.0.2.2 203.0.113.9 version 10.4.2.1 v1.2.3.4 1.2.3.4.5 300.1.1.1",
            &[],
        );
    }
}
