//! What a scenario must say of a mutation, from what the mutation destroys and what the scenario
//! touches. It knows nothing of how a replay judges.

use super::mutation::{Class, Mutation};
use super::part::{Element, Part, Touch};

/// What a run must come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Expected {
    /// Something that the scenario lists is broken.
    MustNotPass,
    /// Nothing that it lists is.
    MustPass,
    /// The oracle cannot tell; the witness in the page can.
    Either,
}

/// What a run must come to.
pub(super) fn expected(mutation: &Mutation, parts: &[Part]) -> Expected {
    let own = |touches: &dyn Fn(&Part) -> bool| {
        let element = mutation.element.as_ref();
        let is_it = |part: &&Part| element.is_some_and(|element| part.element == *element);
        parts.iter().filter(is_it).any(touches)
    };
    let broken_if = |is_broken: bool| {
        if is_broken {
            Expected::MustNotPass
        } else {
            Expected::Either
        }
    };
    let positive = |part: &Part| part.touch != Touch::Absent;
    let activated = |part: &Part| part.touch == Touch::Activated;
    let claimed = |part: &Part| is_claimed(&part.touch);
    match mutation.class {
        Class::TextChanged | Class::Hidden | Class::Removed | Class::NameChanged => {
            broken_if(own(&positive))
        }
        // Presses, and what is said after them, are the outcome of the app's handlers.
        Class::HandlerRemoved | Class::WrongPage | Class::DelayedBeyond => {
            broken_if(own(&activated))
        }
        // An action finds its element by name even if the role is another one (REP-054).
        Class::RoleChanged => broken_if(own(&claimed)),
        // Two that fit are no reason to doubt that there is one.
        Class::TwinAdded => broken_if(own(&|part| {
            !matches!(
                part.touch,
                Touch::Present | Touch::InViewport | Touch::Absent
            )
        })),
        Class::WrongValue => broken_if(own(&claimed)),
        Class::DelayedWithin => Expected::MustPass,
        Class::ListReordered => unless_placed(parts),
        Class::Harmless => unless_placed(parts),
        Class::RequestFailing | Class::SlowContent => Expected::Either,
        // Shorter than the quiet time, so that what is judged at the end has not got it.
        Class::Flicker => {
            let is_short = mutation.plan["ms"].as_u64().is_some_and(|ms| ms <= 250);
            broken_if(is_short && own(&|part| claimed(part) && part.is_final))
        }
        Class::Leftover => {
            let is_claimed_absent = own(&|part| part.touch == Touch::Absent);
            match (mutation.plan["where"].as_str(), is_claimed_absent) {
                (Some("hidden"), true) => Expected::MustPass,
                (_, is_broken) => broken_if(is_broken),
            }
        }
        Class::OutOfView => broken_if(own(&|part| part.touch == Touch::InViewport)),
        Class::OutOfContainer => broken_if(own(&|part| claimed(part) && part.scope.is_some())),
    }
}

/// Whether a scenario is about the element of a mutation at all.
pub(super) fn concerns(mutation: &Mutation, parts: &[Part]) -> bool {
    let names = |element: &Element| parts.iter().any(|part| part.element.name == element.name);
    mutation.element.as_ref().is_some_and(names)
}

fn is_claimed(touch: &Touch) -> bool {
    matches!(touch, Touch::Present | Touch::InViewport | Touch::Value(_))
}

/// What moves about may come into view or leave it.
fn unless_placed(parts: &[Part]) -> Expected {
    let is_placed = |part: &Part| matches!(part.touch, Touch::InViewport | Touch::ScrolledTo);
    if parts.iter().any(is_placed) {
        Expected::Either
    } else {
        Expected::MustPass
    }
}
