//! From a crash that was met by the way to the fewest steps that bring it about.

use crate::program::{Ended, Place};
use crate::server::Shop;

// REP-110, D-01: the letter is on the third page of a list that grows as it is scrolled.
#[test]
fn a_crash_comes_down_to_the_steps_that_it_needs() {
    /// More, Journal, older entries, oldest entries, the letter.
    const SHORTEST: u64 = 5;
    let broken = Shop::with_faults();
    let place = Place::new();
    let url = format!("{}/", broken.url());
    let explored = Ended::of(&mut place.explore(&url, &["--max-steps", "24"]));
    let summary = explored.json();
    let crashes = summary["crashes"].as_array().unwrap();
    let letter = crashes.iter().find(|crash| {
        let signature = crash["signature"].as_str().unwrap();
        signature.contains("the attic letter is torn")
    });
    let letter = letter.unwrap_or_else(|| panic!("{summary}"));
    let dir = place.session().unwrap();
    let (dir, id) = (dir.to_str().unwrap(), letter["id"].as_str().unwrap());
    let arguments = [
        "minimize",
        dir,
        "--crash",
        id,
        "-o",
        "letter.json",
        "--json",
    ];
    let found = Ended::of(&mut place.qa(&arguments));
    assert_eq!(found.code, Some(0), "{found:?}");
    let told = found.json();
    assert!(told["steps"].as_u64().unwrap() <= SHORTEST + 2, "{told}");
    assert!(told["of_steps"].as_u64().unwrap() > 10, "{told}");
    assert_eq!(told["is_minimal"], true, "{told}");
    assert_eq!(told["verified"]["reproduced"], 3, "{told}");

    // What is there is not taken the place of, and what cannot be is refused.
    let again = Ended::of(&mut place.qa(&arguments));
    assert_eq!(again.code, Some(64), "{again:?}");
    let arguments = [
        "minimize", dir, "--crash", id, "-o", "x.json", "--need", "3",
    ];
    let refused = Ended::of(&mut place.qa(&arguments));
    assert_eq!(refused.code, Some(64), "{refused:?}");

    // On a sound app there is nothing to meet: not proven, and nothing is written.
    let sound = Shop::without_faults();
    let url = format!("{}/", sound.url());
    let arguments = [
        "minimize", dir, "--crash", id, "-o", "x.json", "--url", &url,
    ];
    let unmet = Ended::of(&mut place.qa(&arguments));
    assert_eq!(unmet.code, Some(2), "{unmet:?}");
    assert!(unmet.stderr.contains("on no known way"), "{unmet:?}");
    assert!(!place.path().join("x.json").exists());
    assert_eq!(
        [broken.touched_traps().len(), sound.touched_traps().len()],
        [0, 0]
    );
}
