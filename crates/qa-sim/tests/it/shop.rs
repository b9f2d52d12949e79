//! The built-in shop.

use qa_core::{Ended, Status};
use qa_sim::{SHOP_FAULTS, demo_shop};

use crate::play::{config, play};

// EXP-INV-05, D-03
#[test]
fn every_planted_fault_is_found_and_no_trap_is_touched() {
    let shop = demo_shop();
    let played = play(shop.clone(), &config(&shop, 400));
    let story = played.story();
    println!("{story}\n{:#?}", played.outcome);
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
}
