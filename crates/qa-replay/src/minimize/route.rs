//! Known ways to where a crash happened, what was typed kept together with what sent it.

use std::collections::{HashMap, VecDeque};

use qa_core::{Fingerprint, Replay, StepRecord, StepResult};

use super::group::{groups, is_fill, page, record};
use crate::export::scrolled_only;

/// The ways to a step of a session, the shortest first, as numbers of its steps: over the fewest
/// pages that are known to lead there; the same with that step done twice, as some faults show the
/// second time only; that on which it was met, without what only leads back; and the whole of it.
/// `met` are the steps on which it was met, from a start of the app on.
#[must_use]
pub fn ways(steps: &[StepRecord], met: &[u32]) -> Vec<Vec<u32>> {
    let short = met.last().and_then(|step| shortest_route(steps, *step));
    let twice = met.last().and_then(|step| twice(steps, *step));
    let mut ways: Vec<Vec<u32>> = short
        .into_iter()
        .chain(twice)
        .chain([without_cycles(steps, met), met.to_vec()])
        .collect();
    ways.sort_by_key(Vec::len);
    ways.dedup();
    ways
}

/// Steps without those that only lead back to a page on which one has been.
fn without_cycles(steps: &[StepRecord], way: &[u32]) -> Vec<u32> {
    let mut straight: Vec<Vec<u32>> = Vec::new();
    let at = |group: &[u32]| group.first().and_then(|step| page(steps, *step));
    for group in groups(steps, way) {
        let here = at(&group);
        let before = straight.iter().position(|earlier| at(earlier) == here);
        if let Some(before) = before.filter(|_| here.is_some()) {
            straight.truncate(before);
        }
        straight.push(group);
    }
    straight.concat()
}

/// The numbers of the steps that lead from a start of the app to a step, over the fewest pages that
/// are known to lead there, that step last. Nothing where its page cannot be reached so.
#[must_use]
pub fn shortest_route(steps: &[StepRecord], step: u32) -> Option<Vec<u32>> {
    let here = page(steps, step)?;
    let mut starts = HashMap::new();
    for launch in steps.iter().filter(|step| is_launch(step)) {
        if let Some(page) = &launch.notes.page_to {
            starts.entry(page).or_insert(launch.index);
        }
    }
    let mut first: Vec<(&&Fingerprint, &u32)> = starts.iter().collect();
    first.sort_by_key(|(_, launch)| **launch);
    let pages: Vec<&Fingerprint> = first.into_iter().map(|(page, _)| *page).collect();
    let (page, way) = walk(steps, &pages, here)?;
    let launch = *starts.get(page)?;
    Some([vec![launch], way, with_fills(steps, step)].concat())
}

/// The shortest route to a step, back to where the step can be done, and the step once more.
fn twice(steps: &[StepRecord], step: u32) -> Option<Vec<u32>> {
    let last = record(steps, step)?;
    // Where the same step led to when nothing was wrong yet.
    let same = |other: &&StepRecord| {
        other.index < step
            && other.notes.replay == last.notes.replay
            && other.notes.page_to.is_some()
    };
    let once = steps.iter().find(same)?;
    let after = once.notes.page_to.as_ref()?;
    let (_, back) = walk(steps, &[after], page(steps, step)?)?;
    let first = shortest_route(steps, once.index)?;
    Some([first, back, with_fills(steps, step)].concat())
}

/// The steps that lead from one of some pages to another, over the fewest pages that are known to
/// lead there, and the page where they begin.
fn walk<'s>(
    steps: &'s [StepRecord],
    from: &[&'s Fingerprint],
    to: &'s Fingerprint,
) -> Option<(&'s Fingerprint, Vec<u32>)> {
    let mut queue: VecDeque<&Fingerprint> = from.iter().copied().collect();
    // How each page was come to first: by which step.
    let mut ways: HashMap<&Fingerprint, Option<u32>> = HashMap::new();
    ways.extend(from.iter().map(|page| (*page, None)));
    while let Some(page) = queue.pop_front() {
        if page == to {
            break;
        }
        let leads_on = |step: &&StepRecord| step.notes.page_from.as_ref() == Some(page);
        for way in steps.iter().filter(leads_on).filter(|step| is_way(step)) {
            if let Some(next) = &way.notes.page_to
                && !ways.contains_key(next)
            {
                ways.insert(next, Some(way.index));
                queue.push_back(next);
            }
        }
    }
    let mut route = Vec::new();
    let mut at = to;
    while let Some(way) = ways.get(at)? {
        route.splice(0..0, with_fills(steps, *way));
        at = page(steps, *way)?;
    }
    Some((at, route))
}

/// A step, and right before it what was typed or chosen on the same page.
fn with_fills(steps: &[StepRecord], step: u32) -> Vec<u32> {
    let here = page(steps, step);
    let fills = (1..step).rev().take_while(|index| {
        page(steps, *index) == here && record(steps, *index).is_some_and(is_fill)
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
    let scrolled = scrolled.is_some_and(|(receipt, replay)| {
        scrolled_only(matches!(replay, Replay::Tap { .. }), receipt)
    });
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
        let whole: Vec<u32> = (1..=9).collect();
        let all = ways(&steps, &whole);
        assert_eq!(all.first().unwrap(), &[1, 4, 5, 7, 8, 9]);
        assert_eq!(all.last(), Some(&whole));
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

    // A fault that shows the second time: there, back, and there again.
    #[test]
    fn a_step_may_be_needed_twice() {
        let offers = || Replay::Tap {
            element_key: ElementKey("id:offers".into()),
        };
        let steps = [
            step(1, Replay::Launch, None, Some("home")),
            step(2, tap(), Some("home"), Some("list")),
            step(3, tap(), Some("list"), Some("home")),
            step(4, offers(), Some("home"), Some("offers")),
            step(5, tap(), Some("offers"), Some("home")),
            step(6, tap(), Some("home"), Some("help")),
            step(7, offers(), Some("help"), None),
        ];
        assert_eq!(twice(&steps, 7), Some(vec![1, 4, 5, 6, 7]));
        assert_eq!(twice(&steps, 4), None);
        assert_eq!(
            ways(&steps, &(1..=7).collect::<Vec<_>>())[..2],
            [vec![1, 6, 7], vec![1, 4, 5, 6, 7]]
        );
    }
}
