//! Whether what came into view is the very element that was scrolled to (REP-077 to REP-080).

use qa_core::{Claim, Judgement, NodeRef, Observation, Predicate, Verdict, judge};
use serde::Serialize;

/// Why an element that was scrolled to is not taken for the one that is claimed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ScopeRefusal {
    /// A stable code, where the driver is the reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<&'static str>,
    /// `anchor-not-connected`, `anchor-not-contained`, `anchor-unavailable` or
    /// `target-not-returned`.
    pub reason: &'static str,
}

/// What is known of the element that was scrolled to.
#[derive(Debug, Clone)]
pub(super) enum Anchor {
    /// Its ref, which outlives a look.
    Kept(NodeRef),
    /// The driver's refs say nothing of a later look.
    Unsupported,
}

/// Judges that a node is in the viewport, inside a container, and the one that was scrolled to. It
/// is never looked for by its name instead (REP-079).
pub(super) fn judge_scroll(
    wanted: &Predicate,
    view: &Observation,
    (container, is_proven): (usize, bool),
    anchor: &Anchor,
) -> (Judgement, Option<ScopeRefusal>) {
    let plain = judge(
        &Claim::NodeInViewport(wanted.clone()),
        view,
        Some(container),
    );
    let found = wanted.matches(view, Some(container));
    // Two are no one's target, wherever they are.
    if found.len() > 1 {
        let several = Judgement {
            verdict: Verdict::Fail,
            code: Some("TARGET_NOT_UNIQUE"),
            detail: format!("{} nodes of the container match", found.len()),
            may_come: false,
            rests_on_unseen: false,
            ..plain
        };
        return (several, None);
    }
    let unproven = |code, detail: &str, plain: Judgement| Judgement {
        verdict: Verdict::Inconclusive,
        code: Some(code),
        detail: detail.to_owned(),
        ..plain
    };
    let refused = |refusal: ScopeRefusal, plain: Judgement| {
        let detail = format!("what was scrolled to is not known here: {}", refusal.reason);
        let judgement = Judgement {
            may_come: false,
            rests_on_unseen: view.completeness.truncated,
            ..unproven("INCONCLUSIVE_SCOPE", &detail, plain)
        };
        (judgement, Some(refusal))
    };
    let node_ref = match anchor {
        Anchor::Kept(node_ref) => node_ref,
        Anchor::Unsupported => {
            let refusal = ScopeRefusal {
                code: Some("ANCHOR_UNSUPPORTED"),
                reason: "anchor-unavailable",
            };
            return refused(refusal, plain);
        }
    };
    let lost = |reason| ScopeRefusal { code: None, reason };
    let place = view
        .nodes
        .iter()
        .position(|node| &node.node_ref == node_ref);
    let reason = match (place, &found[..]) {
        (None, _) if view.completeness.truncated => Some("target-not-returned"),
        (None, _) => Some("anchor-not-connected"),
        (Some(place), [one]) if one.index == place => None,
        _ if view
            .subtree(container)
            .any(|node| &node.node_ref == node_ref) =>
        {
            Some("target-not-returned")
        }
        _ => Some("anchor-not-contained"),
    };
    if let Some(reason) = reason {
        return refused(lost(reason), plain);
    }
    let judgement = if !is_proven {
        let detail = "another such container may exist in what was not seen";
        Judgement {
            rests_on_unseen: true,
            ..unproven("INCONCLUSIVE_SCOPE", detail, plain)
        }
    } else if plain.verdict == Verdict::Pass && !view.completeness.coverage.verified {
        let detail = "nobody knows whether all of the container was seen";
        Judgement {
            rests_on_unseen: true,
            ..unproven("COVERAGE_UNVERIFIED", detail, plain)
        }
    } else {
        plain
    };
    (judgement, None)
}

#[cfg(test)]
mod tests {
    use qa_core::{Completeness, Coverage, Flags, Node, Platform};

    use super::*;

    fn node(node_ref: &str, name: &str, parent: Option<usize>, in_viewport: bool) -> Node {
        Node {
            node_ref: NodeRef(node_ref.into()),
            parent,
            role: "listitem".into(),
            name: name.into(),
            flags: Flags {
                in_viewport,
                ..Flags::default()
            },
            ..Node::default()
        }
    }

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
                coverage: Coverage {
                    verified: true,
                    ..Coverage::default()
                },
                ..Completeness::default()
            },
            document: 1,
            animating: Vec::new(),
        }
    }

    #[track_caller]
    fn check(
        view: &Observation,
        is_proven: bool,
        anchor: &Anchor,
        expected: (Verdict, Option<&str>, Option<&str>),
    ) {
        let row = Predicate {
            role: Some("listitem".into()),
            name: Some("Row".into()),
            ..Predicate::default()
        };
        let (judgement, refusal) = judge_scroll(&row, view, (0, is_proven), anchor);
        let found = (
            judgement.verdict,
            judgement.code,
            refusal.map(|it| it.reason),
        );
        assert_eq!(found, expected, "{judgement:?}");
    }

    // REP-078 to REP-080, REP-TRAP-08
    #[test]
    fn only_the_element_that_was_scrolled_to_proves_the_scroll() {
        use Verdict::{Fail, Inconclusive, Pass};
        const SCOPE: Option<&str> = Some("INCONCLUSIVE_SCOPE");
        let list = || node("e1", "List", None, true);
        let row = |node_ref, is_near| node(node_ref, "Row", Some(0), is_near);
        let kept = Anchor::Kept(NodeRef("e2".into()));
        let there = view(vec![list(), row("e2", true)]);
        check(&there, true, &kept, (Pass, None, None));
        check(&there, false, &kept, (Inconclusive, SCOPE, None));
        let refused = |reason| (Inconclusive, SCOPE, Some(reason));
        check(
            &there,
            true,
            &Anchor::Unsupported,
            refused("anchor-unavailable"),
        );
        let far = view(vec![list(), row("e2", false)]);
        check(&far, true, &kept, (Fail, None, None));
        // A contradiction under a container that is not sure proves nothing (REP-076).
        check(&far, false, &kept, (Inconclusive, SCOPE, None));
        let replaced = view(vec![list(), row("e3", true)]);
        check(&replaced, true, &kept, refused("anchor-not-connected"));
        let moved = view(vec![list(), node("e2", "Row", None, true), row("e3", true)]);
        check(&moved, true, &kept, refused("anchor-not-contained"));
        let renamed = view(vec![list(), node("e2", "Other", Some(0), true)]);
        check(&renamed, true, &kept, refused("target-not-returned"));
        let twins = view(vec![list(), row("e2", true), row("e3", false)]);
        check(&twins, true, &kept, (Fail, Some("TARGET_NOT_UNIQUE"), None));
        let mut doubtful = there.clone();
        doubtful.completeness.coverage.verified = false;
        let unverified = (Inconclusive, Some("COVERAGE_UNVERIFIED"), None);
        check(&doubtful, true, &kept, unverified);
    }
}
