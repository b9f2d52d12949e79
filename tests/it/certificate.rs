//! An app whose certificate nobody vouches for.

use crate::program::Explored;
use crate::server::Shop;

// WEB-080: no page, and the report says why.
#[test]
fn a_certificate_that_is_not_trusted_ends_the_run_by_name() {
    let hostile = Shop::hostile();
    let url = format!("{}/case/certificate", hostile.url());
    for clock in ["virtual", "real"] {
        let explored = Explored::run(&url, &["--clock", clock]);
        let ended = &explored.ended;
        assert_eq!(ended.code, Some(2), "{clock}: {ended:?}");
        assert_eq!(ended.json()["status"], "aborted");
        let outcome = explored.session.outcome();
        assert!(outcome.crashes.is_empty(), "{:?}", outcome.crashes);
        let failed = outcome
            .reasons
            .iter()
            .find(|reason| reason.code == "LAUNCH_FAILED");
        let text = failed.map_or("", |reason| &reason.text);
        assert!(
            text.contains("net::ERR_CERT_AUTHORITY_INVALID"),
            "{outcome:?}"
        );
        for step in &explored.session.steps {
            assert_eq!(step.record.notes.code.as_deref(), Some("LAUNCH_FAILED"));
        }
    }
}
