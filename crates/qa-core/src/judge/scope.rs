//! The container in which something is claimed (section 10).

use serde::{Deserialize, Serialize};

use super::Predicate;
use crate::Observation;

/// A container in which something is claimed (REP-070).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Scope {
    /// Its role.
    pub role: String,
    /// Its name; an empty one is literal.
    pub name: String,
    /// Its element name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tag: Option<String>,
    /// What is around it, outermost first; it locates, and proves nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<Vec<PathItem>>,
}

/// One container around a scope. What is absent is not compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PathItem {
    /// Its role.
    pub role: String,
    /// Its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its element name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tag: Option<String>,
}

/// Where a container was found, and how sure that is (26.4).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Located {
    /// There is one, and the view is complete.
    Proven(usize),
    /// There is one in what was seen, and the rest is not known.
    Provisional(usize),
    /// There is none in what was seen, and the rest is not known.
    NotLocated,
    /// There is none.
    Missing,
    /// There are several.
    Ambiguous,
}

/// How one level of a scope was found, outermost first, the container last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Level {
    /// Its number, from 0.
    pub level: usize,
    /// Role and name.
    pub what: String,
    /// `proven`, `provisional`, `not-located`, `missing` or `ambiguous`.
    pub resolution: &'static str,
}

/// Finds a container, level by level, each one below the one before (REP-071).
#[must_use]
pub fn locate(scope: &Scope, view: &Observation) -> (Located, Vec<Level>) {
    let container = PathItem {
        role: scope.role.clone(),
        name: Some(scope.name.clone()),
        tag: scope.tag.clone(),
    };
    let path = scope.path.iter().flatten();
    let mut levels = Vec::new();
    let mut within = None;
    let mut located = Located::Missing;
    for (level, item) in path.chain([&container]).enumerate() {
        let predicate = Predicate {
            role: Some(item.role.clone()),
            name: item.name.clone(),
            tag: item.tag.clone(),
            ..Predicate::default()
        };
        let found = predicate.matches(view, within);
        let is_whole = !view.completeness.truncated;
        located = match (&found[..], is_whole) {
            ([one], true) => Located::Proven(one.index),
            ([one], false) => Located::Provisional(one.index),
            ([], true) => Located::Missing,
            ([], false) => Located::NotLocated,
            _ => Located::Ambiguous,
        };
        levels.push(Level {
            level,
            what: format!("{} {:?}", item.role, item.name.as_deref().unwrap_or("")),
            resolution: located.word(),
        });
        match located {
            Located::Proven(index) | Located::Provisional(index) => within = Some(index),
            _ => break,
        }
    }
    (located, levels)
}

impl Located {
    /// The word that reports use.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Proven(_) => "proven",
            Self::Provisional(_) => "provisional",
            Self::NotLocated => "not-located",
            Self::Missing => "missing",
            Self::Ambiguous => "ambiguous",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::predicate::tests::{node, view};
    use super::*;

    fn scope(name: &str, path: Option<Vec<PathItem>>) -> Scope {
        Scope {
            role: "list".into(),
            name: name.into(),
            tag: None,
            path,
        }
    }

    // REP-070 to REP-075
    #[test]
    fn a_container_is_found_level_by_level() {
        let complete = view(vec![
            node("main", "", None),
            node("list", "Cart", Some(0)),
            node("dialog", "Pay", None),
            node("list", "Cart", Some(2)),
            node("list", "Other", Some(2)),
        ]);
        let in_main = || {
            Some(vec![PathItem {
                role: "main".into(),
                name: None,
                tag: None,
            }])
        };
        assert_eq!(
            locate(&scope("Cart", None), &complete).0,
            Located::Ambiguous
        );
        let (located, levels) = locate(&scope("Cart", in_main()), &complete);
        assert_eq!(located, Located::Proven(1));
        let words: Vec<_> = levels.iter().map(|level| level.resolution).collect();
        assert_eq!(words, ["proven", "proven"]);
        assert_eq!(
            locate(&scope("Other", in_main()), &complete).0,
            Located::Missing
        );
        assert_eq!(locate(&scope("", None), &complete).0, Located::Missing);

        let mut cut = complete;
        cut.completeness.truncated = true;
        assert_eq!(
            locate(&scope("Other", None), &cut).0,
            Located::Provisional(4)
        );
        assert_eq!(locate(&scope("None", None), &cut).0, Located::NotLocated);
    }
}
