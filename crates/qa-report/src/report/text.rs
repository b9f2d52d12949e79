//! Texts of an app as people read them: nothing in them acts on a terminal, a browser or a reader.

use std::fmt::{self, Write};

/// Escapes for HTML and neutralises; every expression of a template passes through it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Neutral;

impl askama::filters::Escaper for Neutral {
    fn write_escaped_str<W: Write>(&self, mut out: W, text: &str) -> fmt::Result {
        text.chars().try_for_each(|character| match character {
            '&' => out.write_str("&amp;"),
            '<' => out.write_str("&lt;"),
            '>' => out.write_str("&gt;"),
            '"' => out.write_str("&quot;"),
            '\'' => out.write_str("&#39;"),
            other => write_neutral(&mut out, other),
        })
    }
}

/// A text in which nothing acts: control characters as their pictures, characters that turn the
/// direction of writing as their numbers.
pub(crate) fn neutral(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        let _ = write_neutral(&mut out, character);
    }
    out
}

fn write_neutral(out: &mut impl Write, character: char) -> fmt::Result {
    match character {
        '\n' | '\t' => out.write_char(character),
        '\u{0}'..='\u{1f}' => out.write_char(picture(character)),
        '\u{7f}' => out.write_char('\u{2421}'),
        '\u{80}'..='\u{9f}'
        | '\u{61c}'
        | '\u{200e}'
        | '\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2066}'..='\u{2069}'
        | '\u{feff}' => write!(out, "[U+{:04X}]", u32::from(character)),
        other => out.write_char(other),
    }
}

/// The picture of a C0 control character.
fn picture(character: char) -> char {
    char::from_u32(0x2400 + u32::from(character)).unwrap_or('\u{fffd}')
}

/// A text inside a line of Markdown.
pub(crate) fn inline(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in neutral(text).chars() {
        match character {
            '\n' => out.push('\u{23ce}'),
            '\t' => out.push(' '),
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '#' | '~' | '!' => {
                out.push('\\');
                out.push(character);
            }
            // A bare address would become a link.
            ':' => out.push_str("&#58;"),
            other => out.push(other),
        }
    }
    out
}

/// A text as code inside a line of Markdown.
pub(crate) fn code(text: &str) -> String {
    let text = neutral(text).replace('\n', "\u{23ce}");
    let fence = "`".repeat(longest_run(&text) + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') || text.is_empty() {
        " "
    } else {
        ""
    };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// A text of many lines as a block of code in Markdown.
pub(crate) fn block(text: &str) -> String {
    let text = neutral(text);
    let fence = "`".repeat((longest_run(&text) + 1).max(3));
    format!("{fence}text\n{}\n{fence}\n", text.trim_end_matches('\n'))
}

fn longest_run(text: &str) -> usize {
    text.split(|character| character != '`')
        .map(str::len)
        .max()
        .unwrap_or(0)
}

/// At most `most` characters, the last an ellipsis if there were more.
pub(crate) fn short(text: &str, most: usize) -> String {
    let mut characters = text.chars();
    let mut out: String = characters.by_ref().take(most).collect();
    if characters.next().is_some() {
        out.pop();
        out.truncate(out.trim_end().len());
        out.push('…');
    }
    out
}

/// A span of time in the unit that fits it: `850 ms`, `12.3 s`, `4 min 05 s`.
pub(crate) fn span(ms: u64) -> String {
    let seconds = ms / 1000;
    match ms {
        0..1000 => format!("{ms} ms"),
        1000..60_000 => format!("{seconds}.{} s", ms % 1000 / 100),
        60_000..3_600_000 => format!("{} min {:02} s", seconds / 60, seconds % 60),
        _ => format!("{} h {:02} min", seconds / 3600, seconds % 3600 / 60),
    }
}

/// A number and what it counts: `1 page`, `3 pages`.
pub(crate) fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    // WEB-081, RED-079
    #[test]
    fn nothing_acts_in_a_neutral_text() {
        assert_eq!(neutral("a\u{1b}[31mb\u{7}\u{7f}"), "a␛[31mb␇␡");
        assert_eq!(
            neutral("evil\u{202e}txt.exe\u{9b}"),
            "evil[U+202E]txt.exe[U+009B]"
        );
        assert_eq!(neutral("two\nlines\tè 中"), "two\nlines\tè 中");
    }

    // RED-079
    #[test]
    fn markdown_stays_text() {
        assert_eq!(
            inline("[a](javascript:x)\n<b>"),
            "\\[a\\](javascript&#58;x)⏎&lt;b&gt;"
        );
        assert_eq!(code("a`b"), "``a`b``");
        assert_eq!(code("`"), "`` ` ``");
        assert_eq!(block("x\n````\ny"), "`````text\nx\n````\ny\n`````\n");
    }

    #[test]
    fn figures_are_for_people() {
        assert_eq!(span(999), "999 ms");
        assert_eq!(span(12_345), "12.3 s");
        assert_eq!(span(245_000), "4 min 05 s");
        assert_eq!(short("abcdef", 4), "abc…");
        assert_eq!(short("abcd", 4), "abcd");
        assert_eq!(counted(1, "page", "pages"), "1 page");
    }
}
