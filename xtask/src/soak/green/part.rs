//! The elements that a scenario touches, and how: what an oracle must know of it.

use qa_replay::{Action, Claim, Predicate, Scenario};

/// An element by role and name.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Element {
    /// Role, or the role when it was recorded.
    pub(super) role: String,
    /// Name.
    pub(super) name: String,
}

/// What a scenario does with an element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Touch {
    /// It is clicked, or a key is pressed in it, for an outcome elsewhere.
    Activated,
    /// Something is written into it or chosen in it.
    Written,
    /// It is brought into view.
    ScrolledTo,
    /// It is claimed to be there.
    Present,
    /// It is claimed not to be there.
    Absent,
    /// It is claimed to be in the viewport.
    InViewport,
    /// It is claimed to hold a value.
    Value(String),
}

/// One use of an element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Part {
    /// Which element.
    pub(super) element: Element,
    /// How.
    pub(super) touch: Touch,
    /// Inside which container it is claimed.
    pub(super) scope: Option<Element>,
    /// It is judged at the end, when all is quiet.
    pub(super) is_final: bool,
}

/// All that a scenario touches.
pub(super) fn parts(scenario: &Scenario) -> Vec<Part> {
    let mut parts = Vec::new();
    for step in &scenario.steps {
        let (target, touch) = match &step.action {
            Action::Click { target } | Action::Press { target, .. } => {
                (Some(target), Touch::Activated)
            }
            Action::Fill { target, .. } | Action::Select { target, .. } => {
                (Some(target), Touch::Written)
            }
            Action::Scroll { target, .. } => (target.as_ref(), Touch::ScrolledTo),
            _ => (None, Touch::Activated),
        };
        let acted = target.and_then(element).map(|element| Part {
            element,
            touch,
            scope: None,
            is_final: false,
        });
        let claim = claimed(&step.assert, false);
        // Where only the pressed element itself is claimed (a weak proof), no outcome is.
        let is_weak = |acted: &Part| {
            let present = claim.as_ref().filter(|it| it.touch == Touch::Present);
            acted.touch == Touch::Activated
                && present.is_some_and(|present| present.element == acted.element)
        };
        parts.extend(acted.filter(|acted| !is_weak(acted)));
        parts.extend(claim);
    }
    let finals = scenario.assertions.iter();
    parts.extend(finals.filter_map(|assertion| claimed(assertion, true)));
    parts
}

fn claimed(assertion: &qa_replay::Assertion, is_final: bool) -> Option<Part> {
    let (predicate, touch) = match &assertion.claim {
        Claim::NodePresent(predicate) => (predicate, Touch::Present),
        Claim::NodeAbsent(predicate) => (predicate, Touch::Absent),
        Claim::NodeInViewport(predicate) => (predicate, Touch::InViewport),
        Claim::NodeValue(valued) => (&valued.node, Touch::Value(valued.value.clone())),
        Claim::PageUrl(_) => return None,
    };
    Some(Part {
        element: element(predicate)?,
        touch,
        scope: assertion.scope.as_ref().map(|scope| Element {
            role: scope.role.clone(),
            name: scope.name.clone(),
        }),
        is_final,
    })
}

fn element(predicate: &Predicate) -> Option<Element> {
    let role = predicate.role.as_ref().or(predicate.role_hint.as_ref())?;
    Some(Element {
        role: role.clone(),
        name: predicate.name.clone()?,
    })
}
