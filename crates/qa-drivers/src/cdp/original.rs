//! Where a place in a script was written, and what its function is called there: pure look-ups in
//! a script and its source map.
//!
//! A source map names identifiers, not functions: at a frame's place stands what was being called
//! or made, not what it is in. So a function's name is looked for where it is called, in the
//! caller's frame, and then where it is defined, before the place in the script. Both count only
//! where the script has the very word there that the browser calls the function by.

use qa_crash::{Frame, Original};
use sourcemap::{DecodedMap, SourceMap, Token};
use url::Url;

/// A script with its source map.
pub(crate) struct Script {
    text: String,
    line_starts: Vec<usize>,
    map: SourceMap,
    /// What names of sources are relative to.
    base: Url,
}

/// How far before a place its function may begin, in bytes.
const WINDOW: usize = 64 * 1024;

impl Script {
    /// Reads a map. Names of sources are relative to `base`.
    pub(crate) fn new(text: String, map: &[u8], base: Url) -> Result<Self, String> {
        let wrong = |error: sourcemap::Error| format!("it cannot be read: {error}");
        let mut map = match sourcemap::decode_slice(map).map_err(wrong)? {
            DecodedMap::Regular(map) => map,
            DecodedMap::Index(index) => index.flatten().map_err(wrong)?,
            DecodedMap::Hermes(_) => return Err("it is of another engine".into()),
        };
        // The sources themselves are not needed, and most of a map's size.
        for source in 0..map.get_source_count() {
            map.set_source_contents(source, None);
        }
        let mut line_starts = vec![0];
        let mut characters = text.char_indices().peekable();
        while let Some((at, character)) = characters.next() {
            let ends = match character {
                '\r' => characters.peek().is_none_or(|(_, next)| *next != '\n'),
                '\n' | '\u{2028}' | '\u{2029}' => true,
                _ => false,
            };
            if ends {
                line_starts.push(at + character.len_utf8());
            }
        }
        Ok(Self {
            text,
            line_starts,
            map,
            base,
        })
    }

    /// About how many bytes it takes.
    pub(crate) fn weight(&self) -> usize {
        const TOKEN: usize = 28;
        let tokens = usize::try_from(self.map.get_token_count()).unwrap_or(usize::MAX);
        self.text.len() + tokens.saturating_mul(TOKEN)
    }

    /// Where a frame of this script was written.
    pub(crate) fn original(
        &self,
        frame: &Frame,
        caller: Option<(&Script, &Frame)>,
    ) -> Option<Original> {
        let (line, column) = place(frame)?;
        let token = self.token_before(line, column).filter(Token::has_source)?;
        let source = token.get_source().filter(|source| !source.is_empty())?;
        let url = self.base.join(source).map_or(source.into(), String::from);
        Some(Original {
            function: self.function(frame, (line, column), caller),
            url,
            line: u64::from(token.get_src_line()) + 1,
            column: u64::from(token.get_src_col()) + 1,
        })
    }

    /// What a frame's function is called in the source.
    fn function(
        &self,
        frame: &Frame,
        place_in: (u32, u32),
        caller: Option<(&Script, &Frame)>,
    ) -> Option<String> {
        let word = frame.function.rsplit('.').next().unwrap_or_default();
        if word.is_empty() || !word.chars().all(is_word) {
            return None;
        }
        if !self.map.has_names() {
            // Nothing was renamed.
            return Some(word.to_owned());
        }
        let called = caller.and_then(|(script, frame)| {
            let (line, column) = place(frame)?;
            script.name_at(script.offset(line, column)?, word)
        });
        called.or_else(|| {
            let definition = self.definition(self.offset(place_in.0, place_in.1)?, word)?;
            self.name_at(definition, word)
        })
    }

    /// What the source calls the word that begins at an offset.
    fn name_at(&self, offset: usize, word: &str) -> Option<String> {
        let after = self.text.get(offset..)?.strip_prefix(word)?;
        if after.starts_with(is_word) {
            return None;
        }
        let (line, column) = self.position(offset)?;
        let exact = self
            .token_before(line, column)
            .filter(|token| token.get_dst() == (line, column));
        match exact {
            Some(token) => Some(token.get_name().unwrap_or(word).to_owned()),
            // Properties keep their names.
            None if self.text[..offset].ends_with('.') => Some(word.to_owned()),
            None => None,
        }
    }

    /// Where the nearest function of a name begins before an offset: `function f`, `f=function`,
    /// `f:()=>`, `f(){`.
    fn definition(&self, before: usize, word: &str) -> Option<usize> {
        let mut start = before.saturating_sub(WINDOW);
        while !self.text.is_char_boundary(start) {
            start += 1;
        }
        let window = self.text.get(start..before)?;
        window
            .rmatch_indices(word)
            .map(|(at, _)| start + at)
            .find(|&at| {
                let (head, tail) = (&self.text[..at], &self.text[at + word.len()..]);
                !head.ends_with(is_word) && !tail.starts_with(is_word) && defines(head, tail)
            })
    }

    /// The token that a place belongs to: the last one of its line that does not begin after it.
    fn token_before(&self, line: u32, column: u32) -> Option<Token<'_>> {
        let (mut low, mut high) = (0, self.map.get_token_count());
        while low < high {
            let middle = low + (high - low) / 2;
            let token = self.map.get_token(usize::try_from(middle).ok()?)?;
            if token.get_dst() <= (line, column) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        let last = usize::try_from(low.checked_sub(1)?).ok()?;
        self.map
            .get_token(last)
            .filter(|token| token.get_dst_line() == line)
    }

    /// The offset of a line and a column in UTF-16 units, both from 0.
    fn offset(&self, line: u32, column: u32) -> Option<usize> {
        let start = *self.line_starts.get(usize::try_from(line).ok()?)?;
        let mut left = usize::try_from(column).ok()?;
        let line = &self.text[start..];
        if line.get(..left).is_some_and(str::is_ascii) {
            return Some(start + left);
        }
        for (at, character) in line.char_indices() {
            if left == 0 {
                return Some(start + at);
            }
            left = left.checked_sub(character.len_utf16())?;
        }
        (left == 0).then_some(self.text.len())
    }

    /// Line and column of an offset, the way back of [`offset`](Self::offset).
    fn position(&self, offset: usize) -> Option<(u32, u32)> {
        let line = self.line_starts.partition_point(|start| *start <= offset) - 1;
        let before = self.text.get(self.line_starts[line]..offset)?;
        let column = if before.is_ascii() {
            before.len()
        } else {
            before.encode_utf16().count()
        };
        Some((u32::try_from(line).ok()?, u32::try_from(column).ok()?))
    }
}

/// Line and column, from 0.
fn place(frame: &Frame) -> Option<(u32, u32)> {
    let from_zero = |number: u64| u32::try_from(number.checked_sub(1)?).ok();
    Some((from_zero(frame.line)?, from_zero(frame.column)?))
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '$')
}

/// Whether a word between two texts names a function there.
fn defines(head: &str, tail: &str) -> bool {
    let head = head.trim_end().trim_end_matches('*').trim_end();
    let keyword = |word: &str| {
        head.strip_suffix(word)
            .is_some_and(|before| !before.ends_with(is_word))
    };
    if keyword("function") || keyword("class") {
        return true;
    }
    let tail = tail.trim_start();
    if tail.starts_with('(') {
        return after_brackets(tail).is_some_and(|body| body.starts_with('{'));
    }
    let Some(value) = tail.strip_prefix(['=', ':']) else {
        return false;
    };
    let value = value.trim_start();
    let value = match value.strip_prefix("async") {
        Some(rest) if !rest.starts_with(is_word) => rest.trim_start(),
        _ => value,
    };
    if value.starts_with('(') {
        return after_brackets(value).is_some_and(|body| body.starts_with("=>"));
    }
    let end = value.find(|c: char| !is_word(c)).unwrap_or(value.len());
    let (word, rest) = value.split_at(end);
    word == "function"
        || word == "class"
        || (!word.is_empty() && rest.trim_start().starts_with("=>"))
}

/// What stands after the brackets that a text begins with.
fn after_brackets(text: &str) -> Option<&str> {
    const LONGEST: usize = 1_000;
    let mut depth = 0_u32;
    for (at, character) in text.char_indices().take(LONGEST) {
        match character {
            '(' => depth += 1,
            ')' if depth == 1 => return Some(text[at + 1..].trim_start()),
            ')' => depth -= 1,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = include_str!("../../tests/maps/esbuild-main.js");
    const MAP: &str = include_str!("../../tests/maps/esbuild-main.js.map");

    fn script(text: &str, map: &str) -> Result<Script, String> {
        let base = Url::parse("http://a.test/assets/x.js.map").unwrap();
        Script::new(text.into(), map.as_bytes(), base)
    }

    fn frame(function: &str, line: u64, column: u64) -> Frame {
        Frame {
            function: function.into(),
            url: "http://a.test/assets/x.js".into(),
            line,
            column,
            original: None,
        }
    }

    // WEB-044
    #[test]
    fn a_function_is_found_by_its_definition_without_a_caller() {
        let script = script(TEXT, MAP).unwrap();
        for (generated, column, expected) in [
            ("i", 114, Some("priceOf")),
            ("r", 198, Some("showTotal")),
            ("total", 56, Some("total")),
            ("", 72, None),
            ("nowhere", 72, None),
        ] {
            let original = script.original(&frame(generated, 1, column), None).unwrap();
            assert_eq!(original.function.as_deref(), expected, "{generated}");
            assert!(original.url.starts_with("http://a.test/assets/src/"));
        }
        // Beyond the script's end its last line is torn off, too.
        assert_eq!(script.original(&frame("i", 9, 1), None), None);
        assert_eq!(script.original(&frame("i", 0, 0), None), None);
    }

    // WEB-044
    #[test]
    fn without_names_in_its_map_a_script_has_those_of_its_source() {
        let map = r#"{"version":3,"sources":["x.ts"],"names":[],"mappings":"AAAA"}"#;
        let script = script("function whole() { throw 1 }", map).unwrap();
        let original = script.original(&frame("whole", 1, 20), None).unwrap();
        assert_eq!(original.function.as_deref(), Some("whole"));
    }

    #[test]
    fn columns_count_as_javascript_does() {
        let script = script("'😀é';\r\nf()\u{2028}g()", MAP).unwrap();
        for (line, column, rest) in [(0, 4, "'"), (0, 5, ";"), (1, 0, "f"), (2, 2, ")")] {
            let offset = script.offset(line, column).unwrap();
            assert!(script.text[offset..].starts_with(rest), "{line}:{column}");
            assert_eq!(script.position(offset), Some((line, column)));
        }
        assert_eq!(script.offset(0, 2), None, "inside a character");
        assert_eq!(script.offset(7, 0), None);
    }

    #[test]
    fn definitions_are_told_from_uses() {
        for (head, tail, expected) in [
            ("function ", "(e){", true),
            ("async function* ", "(e){", true),
            ("var ", "=()=>{", true),
            ("var ", " = async e => e", true),
            ("var ", "=function(){", true),
            ("{", "(a,(b)){return", true),
            ("{", ":async(t)=>t", true),
            ("", "=(a+b)*2", false),
            ("", "==t", false),
            ("", "(e)", false),
            ("myfunction ", ";", false),
            ("", "=5", false),
        ] {
            assert_eq!(defines(head, tail), expected, "{head}f{tail}");
        }
    }

    // A map is data of the page.
    #[test]
    fn a_map_torn_or_bent_anywhere_does_no_harm() {
        let look = |map: &str| {
            if let Ok(script) = script(TEXT, map) {
                for column in [1, 72, 114, 300, u64::MAX] {
                    let _ = script.original(&frame("i", 1, column), None);
                }
            }
        };
        for end in (0..MAP.len()).filter(|end| MAP.is_char_boundary(*end)) {
            look(&MAP[..end]);
        }
        for at in MAP.find("\"mappings\"").unwrap()..MAP.len() - 1 {
            for other in ["A", "D", "+", ";", "//////9"] {
                look(&format!("{}{other}{}", &MAP[..at], &MAP[at + 1..]));
            }
        }
        let ranges = MAP.replacen('{', r#"{"rangeMappings":"////","#, 1);
        look(&ranges);
        look(r#"{"version":3,"sections":[]}"#);
        look(r#"{"version":3,"sections":[{"offset":{"line":0,"column":0},"url":"x"}]}"#);
        look(r#"{"version":3,"sources":[null],"names":[],"mappings":"AAAA"}"#);
    }
}
