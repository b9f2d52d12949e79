//! `--block-origins`, as a person meets it in the reports.

use crate::program::Explored;
use crate::server::serve_pages;

/// A page with more requests to elsewhere than a step keeps notices.
fn page(_: &str, _: &str) -> String {
    "<h1>Start</h1><button>Nothing</button><script>
     for (let n = 0; n < 50; n++) new Image().src = 'http://cdn.invalid/' + n + '.png';
     fetch('https://metrics.invalid:8443/').catch(() => 0);
     </script><img src='http://cdn.invalid/logo.png' alt=Logo>"
        .to_owned()
}

// WEB-012
#[test]
fn each_blocked_request_is_counted_in_every_report() {
    let url = serve_pages(page);
    let args = ["--block-origins", "--max-steps", "2"];
    let explored = Explored::run(&url, &args);
    let ended = &explored.ended;
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let counts = serde_json::json!([
        {"host": "cdn.invalid", "requests": 51},
        {"host": "metrics.invalid:8443", "requests": 1},
    ]);
    let summary = ended.json();
    assert_eq!(summary["blocked"], counts);
    // What was blocked on purpose is no finding.
    assert_eq!(summary["findings"], serde_json::json!({}));
    for name in ["report.json", "report.md", "report.html"] {
        let report = std::fs::read_to_string(explored.session.dir.join(name)).unwrap();
        let report = report.replace("&#58;", ":");
        assert!(report.contains("cdn.invalid"), "{name}");
        assert!(report.contains("51"), "{name}");
        assert!(report.contains("metrics.invalid:8443"), "{name}");
    }
    // A run whose end was not stored counts from its steps.
    let mut killed = explored.session;
    let blocked = killed.outcome().blocked;
    killed.meta.outcome = None;
    assert_eq!(killed.outcome().blocked, blocked);
    drop(explored.place);
}
