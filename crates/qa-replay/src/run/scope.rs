//! The container in which a step is done and judged (REP-070 to REP-077).

use qa_core::{Level, Located, NodeRef, Observation, Scope, Verdict, locate};

use crate::Step;
use crate::export::GATHERING;

/// How a container was found.
#[derive(Debug, Clone)]
pub(super) struct Scoped {
    pub(super) located: Located,
    pub(super) levels: Vec<Level>,
    /// It is the one that was acted in, though what it is named by has changed.
    pub(super) name_changed: bool,
}

/// A container that something was done in.
#[derive(Debug, Clone)]
pub(super) struct Known {
    node_ref: NodeRef,
    role: String,
    class: String,
}

impl Known {
    pub(super) fn of(view: &Observation, index: usize) -> Self {
        let node = &view.nodes[index];
        Self {
            node_ref: node.node_ref.clone(),
            role: node.role.clone(),
            class: node.class.clone(),
        }
    }
}

/// Finds a container; one that was acted in is known by more than by a name that only gathers what
/// is in it (REP-075).
pub(super) fn find(scope: &Scope, view: &Observation, known: Option<&Known>) -> Scoped {
    let (located, levels) = locate(scope, view);
    let mut scoped = Scoped {
        located,
        levels,
        name_changed: false,
    };
    let is_last = scoped.levels.len() == scope.path.as_ref().map_or(0, Vec::len) + 1;
    let is_lost = matches!(scoped.located, Located::Missing | Located::NotLocated);
    let Some(known) =
        known.filter(|known| is_lost && is_last && GATHERING.contains(&known.role.as_str()))
    else {
        return scoped;
    };
    let index = view.nodes.iter().position(|node| {
        node.node_ref == known.node_ref && node.role == known.role && node.class == known.class
    });
    if let Some(index) = index {
        scoped.located = if view.completeness.truncated {
            Located::Provisional(index)
        } else {
            Located::Proven(index)
        };
        scoped.name_changed = true;
        if let Some(level) = scoped.levels.last_mut() {
            level.resolution = scoped.located.word();
        }
    }
    scoped
}

/// Why nothing is done or judged in a container (26.4).
pub(super) struct Unscoped {
    pub(super) verdict: Verdict,
    pub(super) code: &'static str,
    pub(super) detail: String,
    /// A closer look may find it.
    pub(super) rests_on_unseen: bool,
}

impl Scoped {
    /// The word for the whole way to it: `proven` only where each level is.
    pub(super) fn resolution(&self) -> &'static str {
        let unproven = self
            .levels
            .iter()
            .find(|level| level.resolution != "proven");
        unproven.map_or("proven", |level| level.resolution)
    }

    /// The container; one in a view that is not complete only where `may_be_provisional`.
    pub(super) fn index(&self, scope: &Scope, may_be_provisional: bool) -> Result<usize, Unscoped> {
        let (verdict, code, what) = match self.located {
            Located::Proven(index) => return Ok(index),
            Located::Provisional(index) if may_be_provisional => return Ok(index),
            Located::Provisional(_) => (
                Verdict::Inconclusive,
                "INCONCLUSIVE_TRUNCATED",
                "one is seen, but the view is not complete",
            ),
            Located::NotLocated => (
                Verdict::Inconclusive,
                "INCONCLUSIVE_TRUNCATED",
                "it is not among what was seen",
            ),
            Located::Missing => (Verdict::Fail, "SCOPE_NOT_FOUND", "there is none"),
            Located::Ambiguous => (Verdict::Fail, "TARGET_NOT_UNIQUE", "there are several"),
        };
        Err(Unscoped {
            verdict,
            code,
            detail: format!("the container {} {:?}: {what}", scope.role, scope.name),
            rests_on_unseen: self.located != Located::Ambiguous,
        })
    }
}

/// Whether a step brings something into view inside of a container: then the very element that was
/// scrolled to must be seen there (REP-077).
pub(super) fn is_scroll_proof(step: &Step) -> bool {
    let scrolls = matches!(
        step.action,
        crate::Action::Scroll {
            target: Some(_),
            direction: None,
            ..
        }
    );
    let shows = matches!(step.assert.claim, qa_core::Claim::NodeInViewport(_));
    scrolls && shows && step.assert.scope.is_some()
}

#[cfg(test)]
mod tests {
    use qa_core::{Completeness, Node, Platform};

    use super::*;

    fn view(nodes: Vec<Node>) -> Observation {
        Observation {
            platform: Platform::Web,
            front: None,
            url: None,
            title: String::new(),
            viewport: (0.0, 0.0),
            nodes,
            completeness: Completeness {
                truncated: false,
                ..Completeness::default()
            },
            document: 1,
            animating: Vec::new(),
        }
    }

    fn node(node_ref: &str, role: &str, name: &str) -> Node {
        Node {
            node_ref: NodeRef(node_ref.into()),
            role: role.into(),
            name: name.into(),
            ..Node::default()
        }
    }

    fn scope(role: &str) -> Scope {
        Scope {
            role: role.into(),
            name: "2 rows".into(),
            tag: None,
            path: None,
        }
    }

    // REP-075, REP-TRAP-25
    #[test]
    fn a_container_that_is_named_by_its_content_keeps_its_identity() {
        for (role, is_found) in [("list", true), ("dialog", false)] {
            let before = view(vec![node("e1", role, "2 rows")]);
            let known = Known::of(&before, 0);
            let same = find(&scope(role), &before, Some(&known));
            assert_eq!(
                (&same.located, same.name_changed),
                (&Located::Proven(0), false)
            );
            let renamed = view(vec![node("e2", "button", "x"), node("e1", role, "3 rows")]);
            let found = find(&scope(role), &renamed, Some(&known));
            assert_eq!(found.name_changed, is_found, "{role}");
            assert_eq!(found.located == Located::Proven(1), is_found, "{role}");
            let other = view(vec![node("e9", role, "3 rows")]);
            let found = find(&scope(role), &other, Some(&known));
            assert_eq!(found.located, Located::Missing);
        }
    }
}
