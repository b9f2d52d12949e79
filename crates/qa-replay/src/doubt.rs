//! What a scenario says that can be run, and is probably not what was meant.

use qa_core::{Claim, Predicate};

use crate::{DriverWord, Scenario};

/// Every role that a view of a web page may show: those of WAI-ARIA 1.2 and its modules as far as
/// browsers know them, and the words of older scenario files.
const ROLES: &str = "alert alertdialog application article banner blockquote button caption cell \
    checkbox code columnheader combobox comment complementary contentinfo definition deletion dialog \
    directory document emphasis feed figure focusable form generic graphics-document graphics-object \
    graphics-symbol grid gridcell group heading iframe image img insertion link list listbox listitem \
    log main mark marquee math menu menubar menuitem menuitemcheckbox menuitemradio meter navigation \
    none note option paragraph presentation progressbar radio radiogroup region row rowgroup rowheader \
    scrollbar search searchbox separator slider spinbutton status strong subscript suggestion \
    superscript switch tab table tablist tabpanel term text textbox time timer toolbar tooltip tree \
    treegrid treeitem";

/// Names of elements are read up to here.
const MAX_NAME: usize = 500;

/// Something that is probably not what was meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Doubt {
    /// Where, such as `steps[0].assert.expected.role`.
    pub position: String,
    /// One sentence.
    pub reason: &'static str,
}

/// Looks for claims that prove nothing because they cannot fail.
#[must_use]
pub fn doubts(scenario: &Scenario) -> Vec<Doubt> {
    if scenario.meta.driver != DriverWord::Browser {
        return Vec::new();
    }
    let steps = scenario.steps.iter().enumerate();
    let steps = steps.map(|(at, step)| (format!("steps[{at}].assert"), &step.assert));
    let end = scenario.assertions.iter().enumerate();
    let end = end.map(|(at, assertion)| (format!("assertions[{at}]"), assertion));
    let absent = steps
        .chain(end)
        .filter_map(|(position, it)| match &it.claim {
            Claim::NodeAbsent(unwanted) => Some((position, unwanted)),
            _ => None,
        });
    absent
        .flat_map(|(position, unwanted)| {
            let all = impossible(unwanted).into_iter();
            all.map(move |(field, reason)| Doubt {
                position: format!("{position}.expected.{field}"),
                reason,
            })
        })
        .collect()
}

/// What keeps any element of a web page from being it.
fn impossible(unwanted: &Predicate) -> Vec<(&'static str, &'static str)> {
    let is_role = |role: &&String| {
        let mut known = ROLES.split_whitespace();
        known.any(|known| known == *role) || role.starts_with("doc-")
    };
    let is_tag = |tag: &&String| !tag.chars().any(|c| c.is_uppercase() || c.is_whitespace());
    let is_read = |name: &&String| name.chars().count() <= MAX_NAME;
    let (role, tag, name) = (&unwanted.role, &unwanted.tag, &unwanted.name);
    let checks = [
        (
            role.as_ref().is_some_and(|role| !is_role(&role)),
            "role",
            "no such role is known: if the app does not write it so, its absence proves nothing",
        ),
        (
            tag.as_ref().is_some_and(|tag| !is_tag(&tag)),
            "tag",
            "names of elements have small letters only, so that its absence proves nothing",
        ),
        (
            name.as_ref().is_some_and(|name| !is_read(&name)),
            "name",
            "no name is read that far, so that its absence proves nothing",
        ),
    ];
    let doubtful = checks.into_iter().filter(|(is_doubtful, ..)| *is_doubtful);
    doubtful.map(|(_, field, reason)| (field, reason)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load;

    // REP-056: an absence that nothing could refute is no proof.
    #[test]
    fn the_absence_of_a_role_that_does_not_exist_is_doubted() {
        let scenario = |kind: &str, role: &str| {
            let claim = format!(
                r#"{{"kind": "{kind}", "expected": {{"role": "{role}", "name": "Lost"}}}}"#
            );
            let file = format!(
                r#"{{"schemaVersion": 1,
                    "meta": {{"name": "n", "description": "", "driver": "browser", "createdAt": "2026-11-30T08:00:00Z"}},
                    "target": {{"launch": "http://127.0.0.1:8000/"}},
                    "steps": [{{"index": 1, "intent": "Look.", "action": {{"kind": "press", "key": "Tab", "target": {{"role": "button"}}}}, "assert": {claim}}}],
                    "assertions": [{claim}]}}"#
            );
            load(file.as_bytes()).unwrap()
        };
        let positions = |kind, role| -> Vec<String> {
            let doubts = doubts(&scenario(kind, role)).into_iter();
            doubts.map(|doubt| doubt.position).collect()
        };
        assert_eq!(
            positions("node-absent", "alrt"),
            [
                "steps[0].assert.expected.role",
                "assertions[0].expected.role"
            ]
        );
        assert!(positions("node-absent", "alert").is_empty());
        assert!(positions("node-absent", "doc-footnote").is_empty());
        // It fails where it is run.
        assert!(positions("node-present", "alrt").is_empty());
    }
}
