//! The built-in shop.

use qa_core::{Ended, Status};
use qa_sim::{SHOP_FAULTS, demo_shop};

use crate::play::{Play, Played};

// EXP-INV-05, D-03
#[test]
fn every_planted_fault_is_found_and_no_trap_is_touched() {
    let played = Play::new(demo_shop(), 400).run();
    let story = played.story();
    assert_eq!(played.probe.touched_traps().len(), 0, "{story}");
    assert_eq!(played.outcome.ended, Ended::Exhausted, "{story}");
    assert_eq!(played.outcome.status, Status::Failed);
    for planted in SHOP_FAULTS {
        let signature = format!("{}|{}", planted.kind, planted.fault);
        let found = played
            .archive
            .crashes
            .iter()
            .find(|crash| crash.crash.signature.0 == signature);
        assert!(found.is_some(), "{} was not found\n{story}", planted.fault);
    }
    assert!(played.outcome.steps <= 120, "{story}");
}

// EXP-092, WEB-045
#[test]
fn every_fault_is_blamed_on_the_action_that_led_to_it() {
    let mut play = Play::new(demo_shop(), 400);
    check_blame(&play.clone().run());
    play.mishaps.watch_knows_no_actions = true;
    check_blame(&play.run());
}

fn check_blame(played: &Played) {
    let occurrences = played.probe.occurrences();
    assert!(occurrences.len() >= SHOP_FAULTS.len());
    for occurrence in occurrences {
        let cause = played.step_of(occurrence.cause).map(|step| step.index);
        let blamed = played.archive.crashes.iter().any(|crash| {
            crash.crash.signature.0.ends_with(&occurrence.fault) && Some(crash.step_index) == cause
        });
        // A hang leaves no acknowledgement, so its step has no ordinal to be found by.
        let hung = occurrence.fault == "invoice_deadlock";
        assert!(blamed || hung, "{occurrence:?}\n{}", played.story());
    }
    let hang = played
        .archive
        .crashes
        .iter()
        .find(|crash| crash.crash.signature.0.ends_with("invoice_deadlock"))
        .and_then(|crash| played.archive.step(crash.step_index));
    let action = hang.map(|step| step.action.as_str());
    assert_eq!(action, Some("tap button \"Make invoice\""));
}

// EXP-160, D-15
#[test]
fn the_end_names_what_was_refused_and_where_links_led() {
    let played = Play::new(demo_shop(), 400).run();
    let refused: Vec<_> = played
        .outcome
        .refused
        .values()
        .flat_map(|refused| refused.examples.iter().map(String::as_str))
        .collect();
    for trap in ["Pay now", "Log out", "Delete account", "Buy now"] {
        assert!(
            refused.contains(&format!("button \"{trap}\"").as_str()),
            "{refused:?}"
        );
    }
    assert_eq!(played.outcome.foreign, ["com.android.chrome"]);
}

// EXP-048: each step has a picture before and after, as far as the app is there to be seen.
#[test]
fn steps_come_with_pictures() {
    let mut play = Play::new(demo_shop(), 8);
    play.mishaps.no_screenshot = false;
    let played = play.run();
    assert_eq!(played.archive.pictures.len(), 8);
    assert_eq!(played.archive.pictures[0].0, None);
    for (before, after) in &played.archive.pictures[1..] {
        assert!(before.is_some_and(|size| size > 100) && after.is_some_and(|size| size > 100));
    }
}
