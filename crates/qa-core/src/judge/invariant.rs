//! What holds for every view and every claim.

use proptest::prelude::*;

use super::{Claim, Located, any_assertion, any_claim, any_predicate, any_scope, judge, locate};
use crate::{Observation, Platform, Verdict, any_observation};

/// Whether a code says that a view cannot tell.
fn says_unproven(code: &str) -> bool {
    code.starts_with("INCONCLUSIVE_") || code.starts_with("COVERAGE_")
}

/// Any view, complete or not, walked or not.
fn any_view() -> impl Strategy<Value = Observation> {
    let view = any_observation(Platform::Web, "http://127.0.0.1:8000");
    (view, any::<[bool; 2]>()).prop_map(|(mut view, [truncated, verified])| {
        for node in &mut view.nodes {
            node.flags.in_seed_view = true;
        }
        view.completeness.truncated = truncated;
        view.completeness.coverage.verified = verified;
        view
    })
}

/// The first nodes of a view, as a smaller budget shows them.
fn cut(view: &Observation, count: usize) -> Observation {
    let mut cut = view.clone();
    cut.nodes.truncate(count);
    cut.completeness.truncated = true;
    cut.completeness.coverage.verified = false;
    cut
}

proptest! {
    // REP-INV-03, REP-INV-04: an absence is proven by a complete view that was walked, and by no other.
    #[test]
    fn an_absence_is_proven_by_a_complete_view_alone(
        view in any_view(),
        unwanted in any_predicate(Platform::Web),
    ) {
        let judged = judge(&Claim::NodeAbsent(unwanted), &view, None);
        if judged.verdict == Verdict::Pass {
            prop_assert!(!view.completeness.truncated);
            prop_assert!(view.completeness.coverage.verified);
        }
    }

    // REP-INV-05, on the whole page and in each container that is proven.
    #[test]
    fn a_match_makes_an_absence_fail(
        view in any_view(),
        unwanted in any_predicate(Platform::Web),
        scope in any_scope(),
    ) {
        let mut places = vec![None];
        if let Located::Proven(container) = locate(&scope, &view).0 {
            places.push(Some(container));
        }
        for within in places {
            let is_there = !unwanted.matches(&view, within).is_empty();
            let judged = judge(&Claim::NodeAbsent(unwanted.clone()), &view, within);
            prop_assert_eq!(judged.verdict == Verdict::Fail, is_there);
        }
    }

    // REP-INV-06: nodes stay where they are, and more of them come.
    #[test]
    fn a_more_complete_view_takes_no_presence_back(
        view in any_view(),
        count in any::<prop::sample::Index>(),
        wanted in any_predicate(Platform::Web),
    ) {
        let part = cut(&view, count.index(view.nodes.len() + 1));
        for claim in [Claim::NodePresent(wanted.clone()), Claim::NodeInViewport(wanted)] {
            if judge(&claim, &part, None).verdict == Verdict::Pass {
                prop_assert_eq!(judge(&claim, &view, None).verdict, Verdict::Pass);
            }
        }
    }

    // REP-048, REP-050: what was not seen refutes no positive claim about a node.
    #[test]
    fn an_incomplete_view_refutes_only_by_what_it_shows(
        view in any_view(),
        claim in any_claim(Platform::Web),
    ) {
        let is_of_node = claim.is_positive() && !matches!(claim, Claim::PageUrl(_));
        let judged = judge(&claim, &cut(&view, view.nodes.len()), None);
        if is_of_node && judged.verdict == Verdict::Fail {
            let code = judged.code.unwrap_or_default();
            prop_assert!(code == "TARGET_NOT_UNIQUE" || code.starts_with("VALUE_"), "{judged:?}");
        }
    }

    // REP-INV-16: a container is proven only where there is one in a complete view.
    #[test]
    fn a_container_is_proven_only_in_a_complete_view(view in any_view(), scope in any_scope()) {
        let (located, levels) = locate(&scope, &view);
        let is_proven = matches!(located, Located::Proven(_));
        prop_assert!(!is_proven || !view.completeness.truncated);
        prop_assert_eq!(levels.last().map(|level| level.resolution), Some(located.word()));
        let depth = 1 + scope.path.as_ref().map_or(0, Vec::len);
        prop_assert!(!is_proven || levels.len() == depth);
    }

    // REP-INV-32
    #[test]
    fn a_code_that_says_unproven_stands_with_that_verdict_alone(
        view in any_view(),
        assertion in any_assertion(Platform::Web),
    ) {
        let judged = judge(&assertion.claim, &view, None);
        let is_unproven = judged.code.is_some_and(says_unproven);
        prop_assert_eq!(is_unproven, judged.verdict == Verdict::Inconclusive);
    }
}
