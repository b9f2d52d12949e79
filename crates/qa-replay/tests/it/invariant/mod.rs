//! What holds for every scenario, every app and every trace (section 25).

mod format;
mod run;
mod trace;
mod wire;

use proptest::prelude::*;

/// As many cases as `PROPTEST_CASES` says, else the usual number; nothing is left in the tree.
fn config() -> ProptestConfig {
    ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}
