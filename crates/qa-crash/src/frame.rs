//! Lines of a stack: where code ran, and where it was written.

use std::fmt;

/// One line of a stack, as the browser told it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// Name of the function; empty for code outside any.
    pub function: String,
    /// Address of the script.
    pub url: String,
    /// Line, from 1.
    pub line: u64,
    /// Column, from 1.
    pub column: u64,
    /// Where the code was written, if a source map told.
    pub original: Option<Original>,
}

/// Where code was written before a tool made a script of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Original {
    /// Name of the function in the source; absent where it has none or it is not known.
    pub function: Option<String>,
    /// Address of the source file, as its source map names it.
    pub url: String,
    /// Line, from 1.
    pub line: u64,
    /// Column, from 1.
    pub column: u64,
}

impl Frame {
    /// Address, line and column in the script.
    #[must_use]
    pub fn place(&self) -> String {
        format!("{}:{}:{}", self.url, self.line, self.column)
    }

    /// Function and file that it is known by: those of the source, where they are known. The
    /// function may be empty.
    #[must_use]
    pub fn name(&self) -> (&str, &str) {
        match &self.original {
            Some(original) => (
                original.function.as_deref().unwrap_or_default(),
                &original.url,
            ),
            None => (&self.function, &self.url),
        }
    }

    /// Function, file without its host, and line, for one line of text.
    pub(crate) fn short(&self) -> String {
        let (function, url) = self.name();
        let line = self
            .original
            .as_ref()
            .map_or(self.line, |original| original.line);
        let path = url.split_once("://").map_or(url, |(_, rest)| {
            rest.find('/').map_or(rest, |slash| &rest[slash..])
        });
        let file = path.split(['?', '#']).next().unwrap_or(path);
        if function.is_empty() {
            format!("{file}:{line}")
        } else {
            format!("{function} {file}:{line}")
        }
    }
}

/// As V8 writes a line of a stack, without its `at`. Behind the place in the source stands the one
/// in the script.
impl fmt::Display for Frame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(original) = &self.original else {
            let function = match self.function.as_str() {
                "" => "(anonymous)",
                function => function,
            };
            return write!(f, "{function} ({})", self.place());
        };
        let Original {
            function,
            url,
            line,
            column,
        } = original;
        match function {
            Some(function) => write!(f, "{function} ({url}:{line}:{column})")?,
            None => write!(f, "{url}:{line}:{column}")?,
        }
        let gap = if self.function.is_empty() { "" } else { " " };
        write!(f, " (generated: {}{gap}{})", self.function, self.place())
    }
}

/// A stack in V8's words, with the places in the source where they are known. Other lines stay.
pub(crate) fn trace_text(
    stack: &str,
    mut original: impl FnMut(&Frame, Option<&Frame>) -> Option<Original>,
) -> String {
    let lines: Vec<_> = stack.lines().map(|line| (line, parse(line))).collect();
    let mut traced = Vec::with_capacity(lines.len());
    for (index, (line, parsed)) in lines.iter().enumerate() {
        let Some((lead, frame)) = parsed else {
            traced.push((*line).to_owned());
            continue;
        };
        let caller = lines[index + 1..]
            .iter()
            .find_map(|(_, parsed)| parsed.as_ref().map(|(_, frame)| frame));
        let found = original(frame, caller);
        traced.push(if found.is_some() {
            let frame = Frame {
                original: found,
                ..frame.clone()
            };
            format!("{lead}{frame}")
        } else {
            (*line).to_owned()
        });
    }
    traced.join("\n")
}

/// What stands before the function's name, and the frame: `at f (url:1:2)`, `at async f (url:1:2)`,
/// `at new F (url:1:2)`, `at T.f [as g] (url:1:2)`, `at url:1:2`.
fn parse(line: &str) -> Option<(&str, Frame)> {
    let mut rest = line.trim_start().strip_prefix("at ")?;
    rest = rest.strip_prefix("async ").unwrap_or(rest);
    let lead = &line[..line.len() - rest.len()];
    let (function, place) = match rest.strip_suffix(')').and_then(|all| all.rsplit_once(" (")) {
        Some((function, place)) => (function, place),
        None => ("", rest),
    };
    let (place, column) = place.rsplit_once(':')?;
    let (url, line) = place.rsplit_once(':')?;
    let function = function.split(" [as ").next().unwrap_or_default();
    let function = function.strip_prefix("new ").unwrap_or(function);
    let function = function.rsplit('.').next().unwrap_or_default();
    let frame = Frame {
        function: function.to_owned(),
        url: url.to_owned(),
        line: line.parse().ok()?,
        column: column.parse().ok()?,
        original: None,
    };
    Some((lead, frame))
}

#[cfg(test)]
mod tests {
    use super::*;

    // WEB-044
    #[test]
    fn lines_of_v8_are_read() {
        for (line, expected) in [
            (
                "    at u (http://a.test/x.js:1:222)",
                Some(("    at ", "u", 222)),
            ),
            (
                "    at http://a.test/x.js:1:357",
                Some(("    at ", "", 357)),
            ),
            (
                "    at async Object.l [as go] (http://a.test/x.js:1:4)",
                Some(("    at async ", "l", 4)),
            ),
            (
                "    at new Cart (http://a.test/x.js:1:4)",
                Some(("    at ", "Cart", 4)),
            ),
            ("    at Array.reduce (<anonymous>)", None),
            ("RangeError: meet me at 12:30:15", None),
            ("    at http://a.test/x.js", None),
        ] {
            let parsed = parse(line);
            let got = parsed
                .as_ref()
                .map(|(lead, frame)| (*lead, frame.function.as_str(), frame.column));
            assert_eq!(got, expected, "{line}");
            if let Some((_, frame)) = parsed {
                assert_eq!((frame.url.as_str(), frame.line), ("http://a.test/x.js", 1));
            }
        }
    }

    #[test]
    fn the_caller_is_the_next_line_that_names_a_place() {
        let stack = "Error\n    at a (http://a.test/x.js:1:1)\n    at Array.map (<anonymous>)\n    at b (http://a.test/x.js:1:2)";
        let mut pairs = Vec::new();
        let same = trace_text(stack, |frame, caller| {
            pairs.push((frame.column, caller.map(|caller| caller.column)));
            None
        });
        assert_eq!(pairs, [(1, Some(2)), (2, None)]);
        assert_eq!(same, stack);
    }
}
