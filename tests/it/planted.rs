//! Which planted fault a crash or finding is.

use qa_core::Replay;
use qa_report::{Session, StoredCrash, StoredStep};
use qa_web_apps::{Cause, CauseAction, PlantedFault, ground_truth};

/// The planted fault that a record is: of its kind, with its words, and blamed on a step that
/// does what brings it about.
pub(crate) fn fault_of(session: &Session, record: &StoredCrash) -> Option<PlantedFault> {
    let step = session.steps.get(record.step_index as usize - 1)?;
    ground_truth().into_iter().find(|fault| {
        let kind = record.kind.as_str();
        [&record.label, &record.stack]
            .into_iter()
            .any(|text| fault.is_shown_by(kind, text))
            && std::iter::once(&fault.cause)
                .chain(&fault.also)
                .any(|cause| is_cause(cause, &fault.r#where, step))
    })
}

fn is_cause(cause: &Cause, place: &str, step: &StoredStep) -> bool {
    let key = match (cause.action, &step.record.notes.replay) {
        (CauseAction::Tap, Some(Replay::Tap { element_key })) => Some(element_key),
        (CauseAction::Fill, Some(Replay::InputText { element_key, .. })) => Some(element_key),
        (CauseAction::PressEnter, Some(Replay::PressKey { element_key, key })) => {
            element_key.as_ref().filter(|_| key == "Enter")
        }
        (CauseAction::Navigate, Some(_)) => return is_at(step, place),
        _ => None,
    };
    key.is_some_and(|key| key.0 == cause.element)
}

/// Whether a step ended at a path of the shop.
fn is_at(step: &StoredStep, place: &str) -> bool {
    let url = step.record.notes.url.as_deref();
    url.and_then(|url| url::Url::parse(url).ok())
        .is_some_and(|url| url.path() == place)
}
