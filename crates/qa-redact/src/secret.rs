//! Registered secrets and the forms under which they are searched.

use std::collections::BTreeSet;
use std::fmt::{self, Write as _};

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use unicode_normalization::UnicodeNormalization as _;
use zeroize::Zeroizing;

use crate::clue::{self, Clues};
use crate::edge::Edge;
use crate::rule::Rule;
use crate::span::{MARKER, Mark, Span};
use crate::view::View;

mod squeezed;

use squeezed::{Squeezed, is_digit_gap, is_gap};

/// Shorter secrets are never searched: they would blank half of every text.
const MIN_SEARCHED: usize = 4;
const MIN_CASELESS: usize = 8;
const MIN_SQUEEZED: usize = 12;
/// Longer forms together are searched more slowly, in a fraction of the memory.
const MAX_TABLED_BYTES: usize = 1 << 14;
/// Words of the interface itself, which cannot be registered by accident (RED-053).
const OWN_WORDS: &[&str] = &[
    "true", "false", "null", "none", "pass", "fail", "step", "page", "tap", "click", "back",
    "open", "text", "value", "name", "role", "button", "link", "image", "list", "user", "test",
    "demo", "home", "menu", "login", "admin", "crash", "state", "error", "web", "android",
    "device", "tmp", "redact", "redacted",
];

/// A value that must never be written; overwritten in memory when dropped.
///
/// ```
/// let secret = qa_redact::Secret::new("kp-9931-zebra");
/// assert_eq!(format!("{secret:?}"), "[REDACTED]");
/// ```
#[derive(Clone)]
pub struct Secret(Zeroizing<String>);

impl Secret {
    /// Takes hold of a secret.
    #[must_use]
    pub fn new(value: impl Into<String>) -> Self {
        Self(Zeroizing::new(value.into()))
    }

    /// Whether a text can be searched for it: at least four characters and no word of the interface.
    ///
    /// What cannot be searched is protected by its field alone; the owner should be warned.
    #[must_use]
    pub fn is_searched(&self) -> bool {
        let short_word =
            self.0.chars().count() < 8 && OWN_WORDS.contains(&self.0.to_lowercase().as_str());
        self.0.chars().count() >= MIN_SEARCHED && !short_word && !self.0.trim().is_empty()
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(MARKER)
    }
}

/// The automata that find every form of every secret and device identifier.
#[derive(Clone)]
pub(crate) struct Registry {
    needles: Needles,
    /// Clues and needles together, so that a text without any is read once.
    gate: Option<AhoCorasick>,
    /// Secrets searched with all white space left out, and digits with their separators left out.
    squeezed: Squeezed,
    digits: Squeezed,
}

/// One reading of a text and what it holds.
pub(crate) struct Read<'t> {
    pub(crate) view: View<'t>,
    pub(crate) clues: Clues,
    /// Whether a form of a registered secret, or a device identifier, is in it.
    pub(crate) has_needle: bool,
}

#[derive(Clone)]
struct Needles {
    automaton: Option<AhoCorasick>,
    needles: Vec<Needle>,
}

/// A registered secret, or a device identifier, that a text holds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hit {
    /// Its number in the order of registration, devices first.
    pub(crate) secret: usize,
    pub(crate) span: Span,
}

/// One form, searched in any case.
#[derive(Clone)]
struct Needle {
    secret: usize,
    kind: Kind,
    /// How it must be spelled, if its case counts.
    exact: Option<Secret>,
}

#[derive(Clone, Copy)]
enum Kind {
    Plain(Mark),
    /// The run of base64 around the hit goes with it.
    Base64,
}

/// The automata hold the secrets, so nothing of them is printed.
impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(MARKER)
    }
}

impl Registry {
    /// `None` when an automaton cannot be built.
    pub(crate) fn new(secrets: &[Secret], devices: &[String]) -> Option<Self> {
        let mut forms = Vec::new();
        let exact = |form: String, kind, secret| {
            let exact = Some(Secret::new(form.as_str()));
            (
                form,
                Needle {
                    secret,
                    kind,
                    exact,
                },
            )
        };
        let [mut squeezed, mut digits] = [const { Vec::new() }; 2];
        let searched = secrets.iter().filter(|secret| secret.is_searched());
        for (number, secret) in (devices.len()..).zip(searched) {
            let value = secret.0.as_str();
            let plain = Kind::Plain(Mark::Value);
            let in_any_case = value.chars().count() >= MIN_CASELESS;
            if in_any_case {
                let spellings = spellings(value).into_iter();
                let distinct: BTreeSet<String> =
                    spellings.map(|form| form.to_ascii_lowercase()).collect();
                let needle = Needle {
                    secret: number,
                    kind: plain,
                    exact: None,
                };
                forms.extend(distinct.into_iter().map(|form| (form, needle.clone())));
            } else {
                let spellings = spellings(value).into_iter();
                forms.extend(spellings.map(|form| exact(form, plain, number)));
            }
            let hidden = base64_forms(value).into_iter();
            forms.extend(hidden.map(|form| exact(form, Kind::Base64, number)));
            // A stream reads by lines, so what holds a line feed is always searched without it.
            if value.chars().count() >= MIN_SQUEEZED || value.contains('\n') {
                // Equals signs are left out of the text, for they break lines.
                let tight = |form: &str| {
                    let kept = form.chars().filter(|c| !c.is_whitespace() && *c != '=');
                    kept.collect::<String>()
                };
                let mut tight_forms = vec![tight(value), tight(&quoted_printable(value))];
                if in_any_case {
                    tight_forms.extend(cases(value).iter().map(|case| tight(case)));
                }
                tight_forms.extend(base64_forms(value));
                tight_forms.retain(|form| form.chars().count() >= MIN_SEARCHED);
                squeezed.extend(tight_forms.into_iter().map(|form| (form, number)));
            }
            if value.len() >= 8 && value.bytes().all(|b| b.is_ascii_digit()) {
                digits.push((value.to_owned(), number));
            }
        }
        for (index, device) in devices
            .iter()
            .enumerate()
            .filter(|(_, device)| !device.is_empty())
        {
            forms.push(exact(
                device.clone(),
                Kind::Plain(Mark::Alias(index)),
                index,
            ));
        }
        Some(Self {
            gate: if forms.is_empty() {
                None
            } else {
                let mut all: Vec<&str> = clue::words();
                all.extend(forms.iter().map(|(form, _)| form.as_str()));
                Some(automaton(&all)?)
            },
            needles: Needles::new(forms)?,
            squeezed: Squeezed::new(squeezed)?,
            digits: Squeezed::new(digits)?,
        })
    }

    /// Looks once at what a text holds.
    pub(crate) fn read<'t>(&self, view: View<'t>) -> Read<'t> {
        let (clues, has_needle) = match &self.gate {
            Some(gate) => Clues::found_by(gate, &view.text),
            None => (Clues::of(&view.text), false),
        };
        Read {
            view,
            clues,
            has_needle,
        }
    }

    /// Finds every form in the text that `view` reads; spans are those of the source.
    pub(crate) fn find(&self, read: &Read<'_>, hits: &mut Vec<Hit>, edge: &mut Edge) {
        let view = &read.view;
        let mut found = |secret, span| {
            let span = view.source(span);
            hits.push(Hit { secret, span });
        };
        if read.has_needle {
            self.needles.find(&view.text, &mut found);
        }
        self.squeezed.find(&view.text, is_gap, &mut found, edge);
        self.digits.find(&view.text, is_digit_gap, &mut found, edge);
    }

    /// Whether a secret may begin in a line and end in what follows, both without escapes; also if too little
    /// follows to tell.
    pub(crate) fn may_cross(&self, line: &str, after: &str) -> bool {
        self.squeezed.may_cross(line, after, is_gap)
            || self.digits.may_cross(line, after, is_digit_gap)
    }

    /// So many bytes that are not left out must be known behind a place to tell that no broken secret lies
    /// over it.
    pub(crate) fn reach(&self) -> usize {
        self.squeezed.longest.max(self.digits.longest)
    }

    pub(crate) fn is_empty(&self) -> bool {
        // What is squeezed is searched as it is as well.
        self.needles.automaton.is_none()
    }
}

impl Needles {
    fn new(forms: Vec<(String, Needle)>) -> Option<Self> {
        if forms.is_empty() {
            return Some(Self {
                automaton: None,
                needles: Vec::new(),
            });
        }
        let automaton = automaton(
            &forms
                .iter()
                .map(|(form, _)| form.as_str())
                .collect::<Vec<_>>(),
        )?;
        Some(Self {
            automaton: Some(automaton),
            needles: forms.into_iter().map(|(_, needle)| needle).collect(),
        })
    }

    fn find(&self, text: &str, mut found: impl FnMut(usize, Span)) {
        let Some(automaton) = &self.automaton else {
            return;
        };
        // Overlapping search finds the longest form wherever a shorter one begins or ends inside it.
        let mut done = 0;
        for hit in automaton.find_overlapping_iter(text) {
            let needle = &self.needles[hit.pattern().as_usize()];
            let spelled = &text.as_bytes()[hit.start()..hit.end()];
            if needle
                .exact
                .as_ref()
                .is_some_and(|exact| exact.0.as_bytes() != spelled)
            {
                continue;
            }
            match needle.kind {
                Kind::Plain(mark) => {
                    let (start, end) = (hit.start(), hit.end());
                    // Before more letters or digits an alias would read as another one.
                    let is_glued = text[end..].starts_with(char::is_alphanumeric);
                    let (mark, rule) = match mark {
                        Mark::Alias(_) if is_glued => (Mark::Value, Rule::Device),
                        Mark::Alias(_) => (mark, Rule::Device),
                        _ => (mark, Rule::Secret),
                    };
                    let span = Span {
                        start,
                        end,
                        mark,
                        rule,
                    };
                    found(needle.secret, span);
                }
                Kind::Base64 if hit.end() <= done => {}
                Kind::Base64 => {
                    let span = base64_run(text.as_bytes(), hit.start(), hit.end(), done);
                    done = span.end;
                    found(needle.secret, span);
                }
            }
        }
    }
}

/// Searches in any case; `None` when it cannot be built.
fn automaton(words: &[&str]) -> Option<AhoCorasick> {
    // Of a few long secrets the library would make a table of hundreds of megabytes.
    let total: usize = words.iter().map(|word| word.len()).sum();
    let kind = if total > MAX_TABLED_BYTES {
        AhoCorasickKind::ContiguousNFA
    } else {
        AhoCorasickKind::DFA
    };
    AhoCorasick::builder()
        .match_kind(MatchKind::Standard)
        .kind(Some(kind))
        .ascii_case_insensitive(true)
        .build(words)
        .ok()
}

fn base64_run(bytes: &[u8], start: usize, end: usize, floor: usize) -> Span {
    let part = |b: &&u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'-' | b'_');
    let before = bytes[floor.min(start)..start]
        .iter()
        .rev()
        .take_while(part)
        .count();
    let after = bytes[end..].iter().take_while(part).count();
    let padding = bytes[end + after..]
        .iter()
        .take(2)
        .take_while(|b| **b == b'=')
        .count();
    Span::value(start - before, end + after + padding, Rule::Secret)
}

/// Spellings that views do not undo, besides the raw one (RED-051).
fn spellings(value: &str) -> BTreeSet<String> {
    let mut out = BTreeSet::from([
        value.to_owned(),
        value.nfc().collect(),
        value.nfd().collect(),
    ]);
    if value.chars().count() >= MIN_CASELESS {
        out.extend(cases(value));
    }
    for spelling in out.clone() {
        out.extend(masked(&spelling));
        out.insert(spelling.replace(' ', "+"));
        for bytes in [spelling.as_bytes(), &utf16(&spelling)] {
            let hex = bytes.iter().fold(String::new(), |mut hex, byte| {
                // Writing to a string cannot fail.
                let _ = write!(hex, "{byte:02x}");
                hex
            });
            out.insert(hex.to_uppercase());
            out.insert(hex);
        }
        out.insert(quoted_printable(&spelling));
        // The views drop what a joiner stands for, so a secret that holds one is searched without it too.
        out.insert(
            spelling
                .chars()
                .filter(|c| !crate::normalise::is_separator(*c))
                .collect(),
        );
    }
    out.retain(|form| form.chars().count() >= MIN_SEARCHED);
    out
}

/// A secret in small and in large letters, and with each letter beyond ASCII in either case, as far
/// as there are few of them: the search itself knows the case of ASCII letters alone.
fn cases(secret: &str) -> BTreeSet<String> {
    const MOST: usize = 4;
    let mut cases = BTreeSet::from([secret.to_lowercase(), secret.to_uppercase()]);
    let other = |c: char| {
        let mut swapped: Vec<char> = c.to_lowercase().collect();
        if swapped == [c] {
            swapped = c.to_uppercase().collect();
        }
        match swapped[..] {
            [swapped] if !c.is_ascii() && swapped != c => Some(swapped),
            _ => None,
        }
    };
    let places: Vec<(usize, char)> = secret
        .char_indices()
        .filter_map(|(at, c)| Some((at, other(c)?)))
        .take(MOST)
        .collect();
    for chosen in 0..1_u32 << places.len() {
        let swapped = |at: usize| {
            let place = places.iter().position(|(place, _)| *place == at)?;
            (chosen >> place & 1 == 1).then_some(places[place].1)
        };
        let letters = secret.char_indices();
        cases.insert(letters.map(|(at, c)| swapped(at).unwrap_or(c)).collect());
    }
    cases
}

/// A secret as it stands in element keys and signatures, where a run of digits is one `#`; nothing
/// where few letters are left of it.
fn masked(secret: &str) -> Option<String> {
    const MIN_LETTERS: usize = 4;
    let mut masked = String::with_capacity(secret.len());
    for c in secret.chars() {
        if !c.is_numeric() {
            masked.push(c);
        } else if !masked.ends_with('#') {
            masked.push('#');
        }
    }
    let letters = masked.chars().filter(|c| c.is_alphabetic()).count();
    (masked != secret && letters >= MIN_LETTERS).then_some(masked)
}

/// The part of the base64 form that does not depend on its neighbours, at each alignment.
fn base64_forms(value: &str) -> BTreeSet<String> {
    let mut out = base64_of(value.as_bytes());
    out.extend(base64_of(&utf16(value)));
    out
}

/// As Windows tools hold it in memory (RED-TRAP-03), without the zero at its end, which may be cut off.
fn utf16(text: &str) -> Vec<u8> {
    let mut bytes: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    bytes.pop_if(|byte| *byte == 0);
    bytes
}

/// As mails hold it, without soft breaks.
fn quoted_printable(text: &str) -> String {
    text.bytes().fold(String::new(), |mut out, byte| {
        if byte.is_ascii() && byte != b'=' {
            out.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(out, "={byte:02X}");
        }
        out
    })
}

fn base64_of(plain: &[u8]) -> BTreeSet<String> {
    let mut out = BTreeSet::new();
    for shift in 0..3 {
        let mut bytes = vec![0; shift];
        bytes.extend(plain);
        for encoded in [
            STANDARD_NO_PAD.encode(&bytes),
            URL_SAFE_NO_PAD.encode(&bytes),
        ] {
            let start = [0, 2, 3][shift];
            let end = bytes.len() / 3 * 4 + [0, 1, 2][bytes.len() % 3];
            if let Some(stable) = encoded.get(start..end).filter(|stable| stable.len() >= 8) {
                out.insert(stable.to_owned());
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(secrets: &[&str], text: &str, expected: &[&str]) {
        let secrets: Vec<Secret> = secrets.iter().copied().map(Secret::new).collect();
        let registry = Registry::new(&secrets, &[]).expect("automata can be built");
        let mut hits = Vec::new();
        let plain = View::plain(text);
        let views = [plain.unescaped(), Some(plain)];
        for view in views.into_iter().flatten() {
            registry.find(&registry.read(view), &mut hits, &mut Edge::default());
        }
        let spans: Vec<Span> = hits.iter().map(|hit| hit.span).collect();
        let inside = |a: &Span, b: &Span| a != b && b.start <= a.start && a.end <= b.end;
        let found: BTreeSet<&str> = spans
            .iter()
            .filter(|span| !spans.iter().any(|other| inside(span, other)))
            .map(|span| &text[span.start..span.end])
            .collect();
        assert_eq!(found, expected.iter().copied().collect(), "{text}");
    }

    #[test]
    fn every_form_of_a_secret_is_found() {
        // RED-051
        let secret = &["kp-9931-zebra"][..];
        check(secret, "typed KP-9931-Zebra", &["KP-9931-Zebra"]);
        check(secret, "q=eDprcC05OTMxLXplYnJh", &["eDprcC05OTMxLXplYnJh"]);
        check(
            secret,
            "6b702d393933312d7a65627261",
            &["6b702d393933312d7a65627261"],
        );
        check(secret, "%6b%70-9931-zebr%61", &["%6b%70-9931-zebr%61"]);
        check(
            secret,
            "&#107;p-9931-z\\u0065bra",
            &["&#107;p-9931-z\\u0065bra"],
        );
        check(secret, "kp-99=\n31-ze bra", &["kp-99=\n31-ze bra"]);
        // Found by fuzzing: a letter beyond ASCII in another case, and a gap.
        check(&["kp-99/31 \"zé\""], "kp-99/31\"zÉ\"", &["kp-99/31\"zÉ\""]);
        check(&["Zoë-Straße"], "zoË-straße", &["zoË-straße"]);
        check(&["Blau$Wal7 mit"], "Blau%24Wal7+mit", &["Blau%24Wal7+mit"]);
        check(&["90210447"], "9021-0447", &["9021-0447"]);
        check(&["Zoë-Straße"], "Zoe\u{308}-Straße", &["Zoe\u{308}-Straße"]);
        check(
            &["Zoë-Straße 1"],
            "Zo=C3=AB-Stra=\n=C3=9Fe 1",
            &["Zo=C3=AB-Stra=\n=C3=9Fe 1"],
        );
        check(&["a=b=c=d=e=f=g"], "a=b=c =d=e=f=g", &["a=b=c =d=e=f=g"]);
        check(
            &["Zoë-Straße"],
            "Zo&euml;-Stra&szlig;e",
            &["Zo&euml;-Stra&szlig;e"],
        );
        // RED-TRAP-03: UTF-16 in base64, as PowerShell takes it, and in hex.
        check(
            secret,
            "awBwAC0AOQA5ADMAMQAtAHoAZQBiAHIAYQA=",
            &["awBwAC0AOQA5ADMAMQAtAHoAZQBiAHIAYQA="],
        );
        check(
            secret,
            "6b0070002d0039003900330031002d007a0065006200720061 00 ",
            &["6b0070002d0039003900330031002d007a0065006200720061"],
        );
    }

    #[test]
    fn short_and_common_words_are_not_searched() {
        // RED-052, RED-053
        check(&["abc", "true", "Step", "    "], "abc true step", &[]);
        assert!(!Secret::new("abc").is_searched());
        assert!(Secret::new("abcd").is_searched());
    }
}
