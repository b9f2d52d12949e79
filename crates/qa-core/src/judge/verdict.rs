//! What one view says of a claim (tables 26.3 and 26.4).

use serde::Serialize;

use super::predicate::{Match, composed};
use super::{Claim, Predicate, Valued};
use crate::{Node, Observation};

/// Proven, refuted, or neither.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It holds.
    Pass,
    /// It does not.
    Fail,
    /// The view cannot tell.
    Inconclusive,
}

/// What one view says of a claim, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    /// Proven, refuted, or neither.
    pub verdict: Verdict,
    /// A stable code, where the verdict is not plain.
    pub code: Option<&'static str>,
    /// One sentence.
    pub detail: String,
    /// What was found.
    pub seen: Vec<Seen>,
    /// A later view may say something else: a positive claim whose node is not there yet.
    pub may_come: bool,
    /// A node that this view does not show could make it another verdict.
    pub rests_on_unseen: bool,
    /// The claim holds of one node alone, so that two views in a row prove it (D-05).
    pub is_unique: bool,
}

/// A node as a judgement found it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Seen {
    /// Its role, in the words that matched.
    pub role: String,
    /// Its name, in the words that matched.
    pub name: String,
    /// Its element name.
    pub tag: String,
    /// Its durable identifier, on phones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub identifier: Option<String>,
    /// Part of it is on the screen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub in_viewport: Option<bool>,
    /// What it holds, where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
}

const TRUNCATED: &str = "INCONCLUSIVE_TRUNCATED";

/// Judges a claim on one view, inside a container if one is given.
#[must_use]
pub fn judge(claim: &Claim, view: &Observation, within: Option<usize>) -> Judgement {
    let judge = Judge { view, within };
    match claim {
        Claim::NodePresent(wanted) => judge.present(wanted),
        Claim::NodeAbsent(unwanted) => judge.absent(unwanted),
        Claim::NodeInViewport(wanted) => judge.in_viewport(wanted),
        Claim::NodeValue(wanted) => judge.value(wanted),
        Claim::PageUrl(wanted) => {
            let url = view.url.as_deref().unwrap_or_default();
            let is_there = wanted.is(url);
            Judgement {
                verdict: verdict(is_there),
                code: None,
                detail: format!(
                    "the page's address {} the expected one",
                    if is_there { "is" } else { "is not" }
                ),
                seen: Vec::new(),
                may_come: !is_there,
                rests_on_unseen: false,
                is_unique: true,
            }
        }
    }
}

fn verdict(holds: bool) -> Verdict {
    if holds { Verdict::Pass } else { Verdict::Fail }
}

struct Judge<'v> {
    view: &'v Observation,
    within: Option<usize>,
}

impl<'v> Judge<'v> {
    fn matches(&self, predicate: &Predicate) -> Vec<Match<'v>> {
        predicate.matches(self.view, self.within)
    }

    fn node(&self, found: &Match<'_>) -> &'v Node {
        &self.view.nodes[found.index]
    }

    fn seen(&self, found: &[Match<'_>]) -> Vec<Seen> {
        const MOST: usize = 10;
        let seen = |found: &Match<'_>| {
            let node = self.node(found);
            Seen {
                role: found.role.to_owned(),
                name: found.name.to_owned(),
                tag: node.class.clone(),
                ..Seen::default()
            }
        };
        found.iter().take(MOST).map(seen).collect()
    }

    fn is_truncated(&self) -> bool {
        self.view.completeness.truncated
    }

    /// Where it was looked, in words.
    fn place(&self) -> String {
        match self.within {
            Some(index) => {
                let node = &self.view.nodes[index];
                format!("{} {:?}", node.role, node.name)
            }
            None => "the whole page".to_owned(),
        }
    }

    fn plain(&self, verdict: Verdict, detail: String, found: &[Match<'_>]) -> Judgement {
        Judgement {
            verdict,
            code: None,
            detail,
            seen: self.seen(found),
            may_come: false,
            rests_on_unseen: false,
            is_unique: found.len() == 1,
        }
    }

    /// A positive claim whose node is not there.
    fn nothing(&self, wanted: &Predicate) -> Judgement {
        let detail = format!("no node of {} has {}", self.place(), wanted.describe());
        let (verdict, code) = if self.is_truncated() {
            (Verdict::Inconclusive, Some(TRUNCATED))
        } else {
            (Verdict::Fail, None)
        };
        Judgement {
            code,
            may_come: true,
            rests_on_unseen: true,
            ..self.plain(verdict, detail, &[])
        }
    }

    fn present(&self, wanted: &Predicate) -> Judgement {
        let found = self.matches(wanted);
        match found.len() {
            0 => self.nothing(wanted),
            _ => self.plain(
                Verdict::Pass,
                format!("there is {}", listed(&found)),
                &found,
            ),
        }
    }

    fn absent(&self, unwanted: &Predicate) -> Judgement {
        let found = unwanted.matches_anything(self.view, self.within);
        if !found.is_empty() {
            let detail = format!("must not be there, and is: {}", listed(&found));
            return self.plain(Verdict::Fail, detail, &found);
        }
        let completeness = &self.view.completeness;
        let unproven = |code: &'static str, detail: String| Judgement {
            code: Some(code),
            rests_on_unseen: true,
            ..self.plain(Verdict::Inconclusive, detail, &[])
        };
        if completeness.truncated {
            let reasons = completeness
                .reasons
                .iter()
                .map(|reason| format!("{reason:?}"));
            let reasons = reasons.collect::<Vec<_>>().join(", ");
            return unproven(TRUNCATED, format!("the view is not complete: {reasons}"));
        }
        if !completeness.coverage.verified {
            let reason = completeness
                .coverage
                .reason
                .as_deref()
                .unwrap_or("not told");
            let detail = format!("nobody knows whether all of the page was seen: {reason}");
            return unproven("COVERAGE_UNVERIFIED", detail);
        }
        let bound = if completeness.hidden_matches_partial {
            " (lower bound)"
        } else {
            ""
        };
        let detail = format!(
            "No driver-observable semantic node matching {} was found within {}; coverage verified \
             ({} nodes probed). {} hidden candidates{bound} excluded.",
            unwanted.describe(),
            self.place(),
            completeness.coverage.probed_nodes,
            completeness.hidden_matches,
        );
        Judgement {
            rests_on_unseen: true,
            ..self.plain(Verdict::Pass, detail, &[])
        }
    }

    fn in_viewport(&self, wanted: &Predicate) -> Judgement {
        let found = self.matches(wanted);
        if found.is_empty() {
            return self.nothing(wanted);
        }
        let is_shown = found.iter().any(|found| self.node(found).flags.in_viewport);
        let mut judgement = self.plain(
            verdict(is_shown),
            format!(
                "there is {}, {} in the viewport",
                listed(&found),
                if is_shown { "at least one" } else { "none" }
            ),
            &found,
        );
        for (seen, found) in judgement.seen.iter_mut().zip(&found) {
            seen.in_viewport = Some(self.node(found).flags.in_viewport);
        }
        judgement.may_come = !is_shown;
        judgement.rests_on_unseen = !is_shown;
        if !is_shown && self.is_truncated() {
            judgement.verdict = Verdict::Inconclusive;
            judgement.code = Some(TRUNCATED);
        }
        judgement
    }

    /// REP-053
    fn value(&self, wanted: &Valued) -> Judgement {
        let found = self.matches(&wanted.node);
        let [one] = &found[..] else {
            if found.is_empty() {
                return self.nothing(&wanted.node);
            }
            let detail = format!(
                "where one is meant there are {}: {}",
                found.len(),
                listed(&found)
            );
            return Judgement {
                code: Some("TARGET_NOT_UNIQUE"),
                ..self.plain(Verdict::Fail, detail, &found)
            };
        };
        let node = self.node(one);
        let coded = |code: &'static str, detail: &str| Judgement {
            code: Some(code),
            ..self.plain(Verdict::Fail, detail.to_owned(), &found)
        };
        if node.flags.value_withheld {
            return coded("VALUE_WITHHELD", "its value is not read");
        }
        if node.flags.secret {
            return coded("VALUE_SECURE", "its value is secret");
        }
        if node.flags.value_truncated {
            return coded("VALUE_TRUNCATED", "its value is longer than what is read");
        }
        let value = node.value.as_deref().map(composed);
        let holds = value == Some(composed(&wanted.value));
        let detail = if holds {
            "its value is the expected one".to_owned()
        } else {
            let told = |text: &str| crate::clip(text, 80);
            let seen = node.value.as_deref().map(told);
            let seen = seen.map_or_else(
                || "it holds no value".to_owned(),
                |seen| format!("its value is {seen:?}"),
            );
            format!("{seen}, not {:?}", told(&wanted.value))
        };
        let mut judgement = self.plain(verdict(holds), detail, &found);
        for seen in &mut judgement.seen {
            seen.value.clone_from(&node.value);
        }
        judgement.may_come = !holds;
        if !holds && self.is_truncated() {
            judgement.verdict = Verdict::Inconclusive;
            judgement.code = Some(TRUNCATED);
            judgement.rests_on_unseen = true;
        }
        judgement
    }
}

/// Matches in words, the first few of them by name.
#[must_use]
pub fn listed(found: &[Match<'_>]) -> String {
    const NAMED: usize = 3;
    let named = found.iter().take(NAMED);
    let named = named.map(|found| format!("{} {:?}", found.role, found.name));
    let mut text = named.collect::<Vec<_>>().join(", ");
    if let more @ 1.. = found.len().saturating_sub(NAMED) {
        text += &format!(" and {more} more");
    }
    text
}

impl Predicate {
    /// What it asks for, in words.
    #[must_use]
    pub fn describe(&self) -> String {
        let fields = [
            ("role", &self.role),
            ("name", &self.name),
            ("tag", &self.tag),
            ("identifier", &self.identifier),
        ];
        let fields = fields
            .into_iter()
            .filter_map(|(field, value)| Some(format!("{field} {:?}", value.as_ref()?)));
        fields.collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::super::predicate::tests::{named, node, view};
    use super::*;
    use crate::PageAddress;

    #[track_caller]
    fn check(claim: &Claim, view: &Observation, verdict: Verdict, code: Option<&str>) {
        let judgement = judge(claim, view, None);
        assert_eq!(
            (judgement.verdict, judgement.code),
            (verdict, code),
            "{judgement:?}"
        );
    }

    fn cut(mut view: Observation) -> Observation {
        view.completeness.truncated = true;
        view
    }

    // VIEW-011, D-07: without a role only what older files see counts, but not for an absence.
    #[test]
    fn a_text_is_not_overlooked_by_an_absence() {
        let mut text = node("text", "pear 2 EUR", None);
        text.flags.in_seed_view = false;
        let page = view(vec![text]);
        let named = || Predicate {
            name: Some("pear 2 EUR".into()),
            ..Predicate::default()
        };
        check(&Claim::NodeAbsent(named()), &page, Verdict::Fail, None);
        check(&Claim::NodePresent(named()), &page, Verdict::Fail, None);
    }

    // REP-048, REP-050, REP-INV-06
    #[test]
    fn presence_is_proven_by_what_is_seen_and_refuted_by_a_complete_view_alone() {
        let claim = Claim::NodePresent(named("button", "Save"));
        let with = view(vec![node("button", "Save", None)]);
        let without = view(vec![node("button", "Back", None)]);
        check(&claim, &with, Verdict::Pass, None);
        check(&claim, &cut(with), Verdict::Pass, None);
        check(&claim, &without, Verdict::Fail, None);
        check(
            &claim,
            &cut(without),
            Verdict::Inconclusive,
            Some(TRUNCATED),
        );
    }

    // REP-056 to REP-061, REP-INV-03 to 05
    #[test]
    fn absence_needs_a_complete_view_with_verified_coverage() {
        let claim = Claim::NodeAbsent(named("alert", "Failed"));
        let with = view(vec![node("alert", "Failed", None)]);
        let without = view(vec![node("button", "Save", None)]);
        check(&claim, &cut(with), Verdict::Fail, None);
        check(
            &claim,
            &cut(without.clone()),
            Verdict::Inconclusive,
            Some(TRUNCATED),
        );
        let mut unproven = without.clone();
        unproven.completeness.coverage.verified = false;
        check(
            &claim,
            &unproven,
            Verdict::Inconclusive,
            Some("COVERAGE_UNVERIFIED"),
        );
        let proven = judge(&claim, &without, None);
        assert_eq!(proven.verdict, Verdict::Pass);
        assert_eq!(
            proven.detail,
            "No driver-observable semantic node matching role \"alert\", name \"Failed\" was found \
             within the whole page; coverage verified (12 nodes probed). 2 hidden candidates \
             excluded."
        );
    }

    // REP-053
    #[test]
    fn a_value_is_that_of_one_node_that_may_be_read() {
        let claim = |value: &str| {
            Claim::NodeValue(Valued {
                node: named("textbox", "Name"),
                value: value.into(),
            })
        };
        let mut field = node("textbox", "Name", None);
        field.value = Some("Ann".into());
        let one = view(vec![field.clone()]);
        check(&claim("Ann"), &one, Verdict::Pass, None);
        check(&claim("ann"), &one, Verdict::Fail, None);
        check(
            &claim("ann"),
            &cut(one),
            Verdict::Inconclusive,
            Some(TRUNCATED),
        );
        let two = view(vec![field.clone(), field.clone()]);
        check(
            &claim("Ann"),
            &two,
            Verdict::Fail,
            Some("TARGET_NOT_UNIQUE"),
        );
        assert!(!judge(&claim("Ann"), &two, None).may_come);
        field.flags.value_withheld = true;
        let withheld = view(vec![field.clone()]);
        check(
            &claim("Ann"),
            &withheld,
            Verdict::Fail,
            Some("VALUE_WITHHELD"),
        );
        field.flags.value_withheld = false;
        field.flags.value_truncated = true;
        check(
            &claim("Ann"),
            &view(vec![field]),
            Verdict::Fail,
            Some("VALUE_TRUNCATED"),
        );
    }

    // REP-085
    #[test]
    fn what_is_below_the_fold_is_present_but_not_in_the_viewport() {
        let claim = Claim::NodeInViewport(named("button", "Save"));
        let mut far = node("button", "Save", None);
        far.flags.in_viewport = false;
        let only_far = view(vec![far.clone()]);
        check(&claim, &only_far, Verdict::Fail, None);
        check(
            &claim,
            &cut(only_far),
            Verdict::Inconclusive,
            Some(TRUNCATED),
        );
        let near = node("button", "Save", None);
        check(&claim, &view(vec![far, near]), Verdict::Pass, None);
        let address = Claim::PageUrl(PageAddress::Contains("/list".into()));
        check(&address, &view(Vec::new()), Verdict::Pass, None);
    }
}
