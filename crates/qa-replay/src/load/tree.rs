//! Strict JSON: a tree that knows where each value stands. What would be lost when the value is
//! written again is an error, too: keys that come twice, numbers in another than their shortest
//! form, halves of surrogate pairs (REP-094).

use std::collections::HashSet;
use std::ops::Range;

use super::MAX_DEPTH;
use super::error::{Code, LoadError};
use super::word;

/// Whole numbers beyond this are not exact in all readers of JSON.
const MAX_EXACT: f64 = 9_007_199_254_740_991.0;

/// A value and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Node {
    pub(super) value: Value,
    pub(super) span: Range<usize>,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
    List(Vec<Node>),
    Object(Vec<(Key, Node)>),
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Key {
    pub(super) name: String,
    pub(super) span: Range<usize>,
}

/// Parses a whole file.
pub(super) fn parse(text: &str) -> Result<Node, LoadError> {
    let mut parser = Parser {
        text,
        at: 0,
        position: String::new(),
        is_foreign: false,
        depth: 0,
        loss: None,
    };
    parser.space();
    let node = parser.value()?;
    parser.space();
    if parser.at < text.len() {
        return Err(parser.syntax("something follows after the end"));
    }
    match parser.loss {
        Some(loss) => Err(loss),
        None => Ok(node),
    }
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
    /// Where in the tree it is, as far as the format's own names go.
    position: String,
    /// It is inside a field that the format does not have.
    is_foreign: bool,
    depth: usize,
    /// The first loss; syntax is checked to the end before it is told.
    loss: Option<LoadError>,
}

impl Parser<'_> {
    fn syntax(&self, reason: &str) -> LoadError {
        let reason = format!("{reason} (byte {})", self.at);
        LoadError::new(Code::NotJson, "", reason, self.at..self.at)
    }

    fn lose(&mut self, reason: &str, span: Range<usize>) {
        if self.loss.is_none() {
            let loss = LoadError::new(Code::NotLossless, &self.position, reason, span);
            self.loss = Some(loss);
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn eat(&mut self, byte: u8) -> bool {
        let is_there = self.peek() == Some(byte);
        self.at += usize::from(is_there);
        is_there
    }

    fn value(&mut self) -> Result<Node, LoadError> {
        let start = self.at;
        let value = match self.peek() {
            Some(b'{') => self.nested(Self::object)?,
            Some(b'[') => self.nested(Self::list)?,
            Some(b'"') => Value::Text(self.string()?),
            Some(b'-' | b'0'..=b'9') => Value::Number(self.number()?),
            Some(b't') => self.word("true", Value::Bool(true))?,
            Some(b'f') => self.word("false", Value::Bool(false))?,
            Some(b'n') => self.word("null", Value::Null)?,
            Some(_) => return Err(self.syntax("no value begins here")),
            None => return Err(self.syntax("the file ends where a value is due")),
        };
        Ok(Node {
            value,
            span: start..self.at,
        })
    }

    fn word(&mut self, word: &str, value: Value) -> Result<Value, LoadError> {
        if !self.text[self.at..].starts_with(word) {
            return Err(self.syntax("no value begins here"));
        }
        self.at += word.len();
        Ok(value)
    }

    fn nested(
        &mut self,
        inner: fn(&mut Self) -> Result<Value, LoadError>,
    ) -> Result<Value, LoadError> {
        if self.depth == MAX_DEPTH {
            let reason = format!("values lie deeper than {MAX_DEPTH} in each other");
            return Err(LoadError::new(Code::TooLarge, "", reason, self.at..self.at));
        }
        self.depth += 1;
        self.at += 1;
        let value = inner(self)?;
        self.depth -= 1;
        Ok(value)
    }

    /// Reads the value of a field. Of one that the format does not have its parent is named.
    fn field(&mut self, name: &str) -> Result<Node, LoadError> {
        let was_foreign = self.is_foreign;
        self.is_foreign |= !word::is_field(name);
        let dot = if self.position.is_empty() { "" } else { "." };
        let node = self.inside(&format!("{dot}{name}"));
        self.is_foreign = was_foreign;
        node
    }

    /// Reads a value one level deeper in the tree.
    fn inside(&mut self, step: &str) -> Result<Node, LoadError> {
        let length = self.position.len();
        if !self.is_foreign {
            self.position.push_str(step);
        }
        let node = self.value()?;
        self.position.truncate(length);
        Ok(node)
    }

    fn list(&mut self) -> Result<Value, LoadError> {
        let mut items = Vec::new();
        self.space();
        if self.eat(b']') {
            return Ok(Value::List(items));
        }
        loop {
            self.space();
            items.push(self.inside(&format!("[{}]", items.len()))?);
            self.space();
            if self.eat(b']') {
                return Ok(Value::List(items));
            }
            if !self.eat(b',') {
                return Err(self.syntax("a comma or the end of a list is due"));
            }
        }
    }

    fn object(&mut self) -> Result<Value, LoadError> {
        let mut fields: Vec<(Key, Node)> = Vec::new();
        let mut names = HashSet::new();
        self.space();
        if self.eat(b'}') {
            return Ok(Value::Object(fields));
        }
        loop {
            self.space();
            let start = self.at;
            if self.peek() != Some(b'"') {
                return Err(self.syntax("a field name is due"));
            }
            let name = self.string()?;
            let span = start..self.at;
            if !names.insert(name.clone()) {
                self.lose("a field comes twice", span.clone());
            }
            self.space();
            if !self.eat(b':') {
                return Err(self.syntax("a colon is due"));
            }
            self.space();
            let node = self.field(&name)?;
            fields.push((Key { name, span }, node));
            self.space();
            if self.eat(b'}') {
                return Ok(Value::Object(fields));
            }
            if !self.eat(b',') {
                return Err(self.syntax("a comma or the end of an object is due"));
            }
        }
    }

    fn number(&mut self) -> Result<f64, LoadError> {
        let start = self.at;
        self.eat(b'-');
        if !self.eat(b'0') && self.digits() == 0 {
            return Err(self.syntax("a digit is due"));
        }
        if matches!(self.peek(), Some(b'0'..=b'9')) {
            return Err(self.syntax("a number begins with a zero too many"));
        }
        if self.eat(b'.') && self.digits() == 0 {
            return Err(self.syntax("a digit is due after the point"));
        }
        if self.eat(b'e') || self.eat(b'E') {
            let _ = self.eat(b'-') || self.eat(b'+');
            if self.digits() == 0 {
                return Err(self.syntax("a digit is due in the exponent"));
            }
        }
        let source = &self.text[start..self.at];
        // What the grammar above lets through can be parsed; if it is too large, it is infinite.
        let value: f64 = source.parse().unwrap_or(f64::INFINITY);
        let is_negative_zero = value == 0.0 && value.is_sign_negative();
        if is_negative_zero || value.abs() > MAX_EXACT || shortest(value) != source {
            self.lose("a number is not in its shortest exact form", start..self.at);
        }
        Ok(value)
    }

    fn digits(&mut self) -> usize {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        self.at - start
    }

    fn string(&mut self) -> Result<String, LoadError> {
        self.at += 1;
        let mut out = String::new();
        loop {
            let rest = &self.text[self.at..];
            let plain = rest
                .find(|c: char| c == '"' || c == '\\' || c < ' ')
                .unwrap_or(rest.len());
            out.push_str(&rest[..plain]);
            self.at += plain;
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(out);
                }
                Some(b'\\') => self.escape(&mut out)?,
                Some(_) => return Err(self.syntax("a control character stands in a text")),
                None => return Err(self.syntax("the file ends inside a text")),
            }
        }
    }

    fn escape(&mut self, out: &mut String) -> Result<(), LoadError> {
        let start = self.at;
        let letter = self.text.as_bytes().get(self.at + 1).copied();
        let plain = match letter {
            Some(c @ (b'"' | b'\\' | b'/')) => char::from(c),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                let unit = self.unit()?;
                let mut units = vec![unit];
                if (0xd800..0xdc00).contains(&unit) && self.text[self.at..].starts_with("\\u") {
                    let before = self.at;
                    let low = self.unit()?;
                    if (0xdc00..0xe000).contains(&low) {
                        units.push(low);
                    } else {
                        self.at = before;
                    }
                }
                if let Some(Ok(c)) = char::decode_utf16(units).next() {
                    out.push(c);
                } else {
                    self.lose("half of a surrogate pair stands alone", start..self.at);
                }
                return Ok(());
            }
            _ => return Err(self.syntax("an escape is not known")),
        };
        out.push(plain);
        self.at += 2;
        Ok(())
    }

    /// The four digits of `\uXXXX`.
    fn unit(&mut self) -> Result<u16, LoadError> {
        let digits = self.text.as_bytes().get(self.at + 2..self.at + 6);
        let digits = digits.filter(|digits| digits.iter().all(u8::is_ascii_hexdigit));
        let unit = digits
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .and_then(|digits| u16::from_str_radix(digits, 16).ok());
        let Some(unit) = unit else {
            return Err(self.syntax("an escape is not whole"));
        };
        self.at += 6;
        Ok(unit)
    }
}

/// A number as it is written in its shortest form.
#[expect(clippy::cast_possible_truncation, reason = "whole and within 2^53")]
fn shortest(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() <= MAX_EXACT {
        return (value as i64).to_string();
    }
    serde_json::Number::from_f64(value).map_or_else(String::new, |number| number.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn refused(text: &str, code: Code, position: &str) {
        let error = parse(text).unwrap_err();
        assert_eq!(
            (error.code, &*error.position),
            (code, position),
            "{text}: {error}"
        );
    }

    // REP-094
    #[test]
    fn what_is_no_json_is_refused_with_its_place() {
        for text in [
            "",
            "{",
            "[1,]",
            "{\"a\":1,}",
            "{a:1}",
            "01",
            "1.",
            "1e",
            "-",
            "+1",
            "NaN",
            "nul",
            "\"a",
            "\"\n\"",
            "\"\\x\"",
            "\"\\u12\"",
            "[1] 2",
            "// x\n1",
            "'a'",
            "{\"a\" 1}",
        ] {
            refused(text, Code::NotJson, "$");
        }
        let error = parse("{\"a\": tru}").unwrap_err();
        assert_eq!(error.span, 6..6);
    }

    // REP-094
    #[test]
    fn what_would_be_lost_is_refused_after_the_syntax() {
        refused("{\"a\":1,\"a\":1}", Code::NotLossless, "$");
        refused(
            "{\"meta\":{\"a\":1,\"\\u0061\":2}}",
            Code::NotLossless,
            "meta",
        );
        for number in [
            "1.0",
            "1e3",
            "-0",
            "0.50",
            "9007199254740992",
            "1E400",
            "0e1",
        ] {
            refused(&format!("[{number}]"), Code::NotLossless, "[0]");
        }
        refused("{\"steps\":[\"\\ud800\"]}", Code::NotLossless, "steps[0]");
        refused("{\"meta\":{\"\\udc00\":1}}", Code::NotLossless, "meta");
        refused("{\"a\":1.0,", Code::NotJson, "$");
    }

    // REP-093, REP-INV-23
    #[test]
    fn a_name_of_the_file_is_never_told() {
        refused(
            "{\"meta\":{\"Ann\":[{\"name\":1.0}]}}",
            Code::NotLossless,
            "meta",
        );
        refused("{\"Ann\":[1.0]}", Code::NotLossless, "$");
        refused("{\"Ann\":1,\"meta\":[1.0]}", Code::NotLossless, "meta[0]");
    }

    // REP-094
    #[test]
    fn depth_has_a_limit() {
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(parse(&nested(MAX_DEPTH)).is_ok());
        refused(&nested(MAX_DEPTH + 1), Code::TooLarge, "$");
        refused(&"[".repeat(100_000), Code::TooLarge, "$");
    }

    #[test]
    fn values_are_read_with_their_places() {
        let node = parse(" {\"a\": [1, -2.5, \"\\ud83d\\ude00\\n\", true, null]} ").unwrap();
        let Value::Object(fields) = &node.value else {
            panic!("{node:?}")
        };
        let Value::List(items) = &fields[0].1.value else {
            panic!("{node:?}")
        };
        let values: Vec<&Value> = items.iter().map(|item| &item.value).collect();
        assert_eq!(
            values,
            [
                &Value::Number(1.0),
                &Value::Number(-2.5),
                &Value::Text("😀\n".into()),
                &Value::Bool(true),
                &Value::Null
            ]
        );
        assert_eq!(items[1].span, 11..15);
    }
}
