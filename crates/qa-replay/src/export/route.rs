//! The shortest known way to where a crash happened: cycles cut, and what was typed kept together
//! with what sent it.

use std::collections::{HashMap, VecDeque};

use qa_core::{Fingerprint, Replay, StepRecord, StepResult};

use super::scrolled_only;

/// The numbers of the steps that lead from a start of the app to a step, over the fewest pages that
/// are known to lead there, that step last. Nothing where its page cannot be reached so.
#[must_use]
pub fn shortest_route(steps: &[StepRecord], step: u32) -> Option<Vec<u32>> {
    let at = |index: u32| steps.get((index as usize).checked_sub(1)?);
    let last = at(step)?;
    let target = last.notes.page_from.as_ref()?;
    let launches = steps.iter().filter(|step| is_launch(step));
    let mut queue: VecDeque<&Fingerprint> = VecDeque::new();
    // How each page was come to first: by which step, and from where.
    let mut ways: HashMap<&Fingerprint, Option<u32>> = HashMap::new();
    let mut starts = HashMap::new();
    for launch in launches {
        if let Some(page) = &launch.notes.page_to {
            starts.entry(page).or_insert(launch.index);
            if ways.insert(page, None).is_none() {
                queue.push_back(page);
            }
        }
    }
    while let Some(page) = queue.pop_front() {
        if page == target {
            break;
        }
        let leads_on = |step: &&StepRecord| step.notes.page_from.as_ref() == Some(page);
        for way in steps.iter().filter(leads_on).filter(|step| is_way(step)) {
            if let Some(to) = &way.notes.page_to
                && !ways.contains_key(to)
            {
                ways.insert(to, Some(way.index));
                queue.push_back(to);
            }
        }
    }
    let mut route = with_fills(steps, step);
    let mut page = target;
    while let Some(way) = ways.get(page)? {
        route.splice(0..0, with_fills(steps, *way));
        page = at(*way)?.notes.page_from.as_ref()?;
    }
    route.insert(0, *starts.get(page)?);
    Some(route)
}

/// A step, and right before it what was typed or chosen on the same page.
fn with_fills(steps: &[StepRecord], step: u32) -> Vec<u32> {
    let page = |index: u32| &steps[index as usize - 1].notes.page_from;
    let fills = (1..step).rev().take_while(|index| {
        let before = &steps[*index as usize - 1];
        let is_fill = matches!(
            before.notes.replay,
            Some(Replay::InputText { .. } | Replay::Select { .. })
        );
        is_fill && page(*index) == page(step) && before.notes.page_to == *page(step)
    });
    let mut numbers: Vec<u32> = fills.collect();
    numbers.reverse();
    numbers.push(step);
    numbers
}

fn is_launch(step: &StepRecord) -> bool {
    step.notes.replay == Some(Replay::Launch)
}

/// Whether a step leads to another page, in a way that a scenario can go. Bringing something into
/// view does so, too, where that loads more.
fn is_way(step: &StepRecord) -> bool {
    let notes = &step.notes;
    let scrolled = notes.receipt.as_ref().zip(notes.replay.as_ref());
    let scrolled = scrolled.is_some_and(|(receipt, replay)| scrolled_only(replay, receipt));
    let can_go = matches!(
        notes.replay,
        Some(
            Replay::Tap { .. }
                | Replay::Select { .. }
                | Replay::PressKey { .. }
                | Replay::InputText { .. }
        )
    );
    can_go && (step.result == StepResult::Ok || scrolled) && notes.page_from != notes.page_to
}

#[cfg(test)]
mod tests {
    use qa_core::{ElementKey, Receipt, ReceiptStatus, StepNotes};

    use super::*;

    fn step(index: u32, replay: Replay, from: Option<&str>, to: Option<&str>) -> StepRecord {
        let page = |name: Option<&str>| name.map(|name| Fingerprint(name.into()));
        StepRecord {
            index,
            action: String::new(),
            result: StepResult::Ok,
            notes: StepNotes {
                replay: Some(replay),
                page_from: page(from),
                page_to: page(to),
                ..StepNotes::default()
            },
        }
    }

    fn tap() -> Replay {
        Replay::Tap {
            element_key: ElementKey("id:a".into()),
        }
    }

    fn fill() -> Replay {
        Replay::InputText {
            element_key: ElementKey("id:f".into()),
            input_value: Some("x".into()),
            input_redacted: false,
        }
    }

    #[test]
    fn cycles_are_cut_and_fills_stay_with_what_sends_them() {
        let mut steps = vec![
            step(1, Replay::Launch, None, Some("home")),
            step(2, tap(), Some("home"), Some("help")),
            step(3, tap(), Some("help"), Some("home")),
            step(4, fill(), Some("home"), Some("home")),
            step(5, tap(), Some("home"), Some("cart")),
            step(6, tap(), Some("cart"), Some("cart")),
            step(7, fill(), Some("cart"), Some("cart")),
            step(8, fill(), Some("cart"), Some("cart")),
            step(9, tap(), Some("cart"), Some("cart")),
        ];
        assert_eq!(shortest_route(&steps, 9), Some(vec![1, 4, 5, 7, 8, 9]));
        assert_eq!(shortest_route(&steps, 2), Some(vec![1, 2]));
        // A way that failed is none, unless it brought into view what it could not touch then.
        steps[4].result = StepResult::Fail;
        assert_eq!(shortest_route(&steps, 9), None);
        let mut receipt = Receipt::not_ok(ReceiptStatus::Failed, 1, "TARGET_DETACHED", "gone");
        steps[4].notes.receipt = Some(receipt.clone());
        assert_eq!(shortest_route(&steps, 9), None);
        receipt.dispatched = true;
        steps[4].notes.receipt = Some(receipt);
        assert_eq!(shortest_route(&steps, 9), Some(vec![1, 4, 5, 7, 8, 9]));
        assert_eq!(shortest_route(&steps, 99), None);
    }
}
