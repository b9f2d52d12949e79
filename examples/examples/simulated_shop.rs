//! Explores the built-in simulated shop and says which of its planted faults were found, and in
//! which step.
//!
//! Run it with `cargo run -p qa-examples --example simulated_shop`.

use qa_core::{ExploreConfig, Ports, Silent, StopSignal, explore};
use qa_sim::{MemoryArchive, SHOP_FAULTS, SimDriver, demo_shop};

fn main() {
    let shop = demo_shop();
    let mut config = ExploreConfig::new(vec![shop.package.clone()]);
    config.max_steps = 150;
    let (mut driver, mut watch) = SimDriver::new(shop);
    let probe = driver.probe();
    let mut archive = MemoryArchive::default();
    let outcome = futures_executor::block_on(explore(
        &config,
        Ports {
            driver: &mut driver,
            watch: &mut watch,
            archive: &mut archive,
            progress: &mut Silent,
            stop: &StopSignal::default(),
        },
    ));
    for planted in SHOP_FAULTS {
        let found = outcome
            .crashes
            .iter()
            .find(|crash| crash.signature.0.ends_with(planted.fault));
        match found {
            Some(crash) => println!("step {:3}  {}: {}", crash.step, crash.id, planted.how),
            None => println!("not found {}: {}", planted.fault, planted.how),
        }
    }
    println!(
        "{} steps, {} pages, {} traps touched, {:.1} s of app time",
        outcome.steps,
        outcome.pages,
        probe.touched_traps().len(),
        f64::from(u32::try_from(outcome.app_ms).unwrap_or(u32::MAX)) / 1000.0,
    );
}
