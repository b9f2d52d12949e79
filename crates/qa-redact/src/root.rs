//! Known directories, which are written as aliases.

use crate::rule::Rule;
use crate::span::{Mark, Span};

/// A directory of the machine and the alias that stands for it, such as `$ARTIFACTS`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Root {
    /// `$` and upper-case letters, digits or underscores.
    pub alias: String,
    /// Absolute path with `/` between its parts; the last part has no `/` after it.
    pub path: String,
}

impl Root {
    pub(crate) fn is_usable(&self) -> bool {
        let name = self.alias.strip_prefix('$').unwrap_or_default();
        let alias_fits = name.starts_with(|c: char| c.is_ascii_uppercase())
            && name
                .bytes()
                .all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_');
        alias_fits
            && self.path.len() > 1
            && resolve(&self.path).as_deref() == Some(self.path.as_str())
    }
}

/// An absolute path without `.`, `..` and doubled slashes; `None` for anything else.
///
/// Links cannot be followed here: whoever passes a path has followed them.
fn resolve(path: &str) -> Option<String> {
    let path = path.strip_prefix('/')?;
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            _ => parts.push(part),
        }
    }
    Some(format!("/{}", parts.join("/")))
}

/// The path as alias and rest, when it lies inside a root (RED-013).
pub(crate) fn alias(path: &str, roots: &[Root]) -> Option<String> {
    if path.chars().any(crate::normalise::is_separator) || path.contains(['\n', '\\']) {
        return None;
    }
    let path = resolve(path)?;
    let inside = |root: &&Root| {
        path.strip_prefix(&root.path)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let root = roots
        .iter()
        .filter(inside)
        .max_by_key(|root| root.path.len())?;
    Some(format!("{}{}", root.alias, &path[root.path.len()..]))
}

/// Finds roots in a text; `first_alias` is the number of the first root's alias.
pub(crate) fn find(text: &str, roots: &[Root], first_alias: usize, spans: &mut Vec<Span>) {
    let word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    let mut found: Vec<Span> = Vec::new();
    for (index, root) in roots.iter().enumerate() {
        for (start, _) in text.match_indices(root.path.as_str()) {
            let end = start + root.path.len();
            if !text[..start].ends_with(|c| word(c) || c == '/' || c == '.')
                && !text[end..].starts_with(word)
            {
                found.push(Span {
                    start,
                    end,
                    mark: Mark::Alias(first_alias + index),
                    rule: Rule::Path,
                });
            }
        }
    }
    // The longest root wins where one lies inside another.
    found.sort_by_key(|span| (span.start, std::cmp::Reverse(span.end)));
    found.dedup_by_key(|span| span.start);
    spans.extend(found);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn roots() -> Vec<Root> {
        [("$ARTIFACTS", "/srv/run7"), ("$TMP", "/srv")]
            .map(|(alias, path)| Root {
                alias: alias.into(),
                path: path.into(),
            })
            .to_vec()
    }

    #[test]
    fn paths_are_aliased_or_refused() {
        // RED-013
        let check = |path: &str, expected: Option<&str>| {
            assert_eq!(alias(path, &roots()).as_deref(), expected);
        };
        check("/srv/run7/shots/a.png", Some("$ARTIFACTS/shots/a.png"));
        check("/srv/run7", Some("$ARTIFACTS"));
        check("/srv/run77/./a", Some("$TMP/run77/a"));
        check("/srv/run7/../../etc/passwd", None);
        check("~/s/a.png", None);
        check("C:\\srv\\a", None);
        check("/srv/a\u{0}b", None);
    }

    #[test]
    fn only_whole_directories_match_in_text() {
        let mut spans = Vec::new();
        find(
            "wrote /srv/run7/a and /srv/run77, x/srv/b",
            &roots(),
            0,
            &mut spans,
        );
        assert_eq!(spans.len(), 2);
        assert_eq!(
            spans[0],
            Span {
                start: 6,
                end: 15,
                mark: Mark::Alias(0),
                rule: Rule::Path,
            }
        );
        assert_eq!(
            spans[1],
            Span {
                start: 22,
                end: 26,
                mark: Mark::Alias(1),
                rule: Rule::Path,
            }
        );
    }
}
