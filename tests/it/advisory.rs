//! What a model says about pictures is written down, and decides nothing.

use serde_json::{Value, json};

use crate::program::{Ended, Place, browser};
use crate::server::serve_pages;

const SECRETIVE: &str = "<h1>Ready</h1><label>Code <input type=password value=tulip77></label>";

fn replayed(advisor: &str) -> (Ended, Value, String, Place) {
    browser();
    let origin = serve_pages(|_, _| SECRETIVE.to_owned());
    let place = Place::new();
    let file = json!({
        "meta": {"name": "looks", "description": "", "driver": "browser",
                 "createdAt": "2026-11-30T08:00:00Z"},
        "target": {"launch": format!("{origin}/")},
        "steps": [{
            "index": 1, "intent": "Look.",
            "action": {"kind": "navigate", "url": format!("{origin}/again")},
            "assert": {"kind": "page-url", "expected": {"contains": "/again"}},
        }],
        "assertions": [],
        "advisory": [{"kind": "visual", "question": "Is a lamp to be seen?"}],
    });
    std::fs::write(place.path().join("looks.json"), file.to_string()).unwrap();
    let arguments = [
        "replay",
        "looks.json",
        "--json",
        "--out",
        "out",
        "--advisor",
        advisor,
    ];
    let ended = Ended::of(&mut place.qa(&arguments));
    let text = |name: &str| {
        let path = place.out().join("001-looks").join(name);
        std::fs::read_to_string(path).unwrap()
    };
    let report = serde_json::from_str(&text("report.json")).unwrap();
    let markdown = text("report.md");
    (ended, report, markdown, place)
}

// REP-136 to REP-141
#[test]
fn an_answer_is_recorded_and_decides_nothing() {
    let says_no = "cat > asked.json; echo '{\"verdict\": \"no\", \"confidence\": 0.9, \
                   \"reasoning\": \"# It is dark\"}'";
    let (ended, report, markdown, place) = replayed(says_no);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let record = &report["advisory"][0];
    let told = [
        "verdict",
        "confidence",
        "reasoning",
        "reasoningTrust",
        "artifact",
    ]
    .map(|field| record[field].clone());
    let trust = "unverified-model-narration";
    let expected = [
        json!("no"),
        json!(0.9),
        json!("# It is dark"),
        json!(trust),
        json!("advisory-1.png"),
    ];
    assert_eq!(told, expected, "{report:#}");
    assert!(record.get("reason").is_none(), "{report:#}");
    let (_, advisory) = markdown
        .split_once("## Advisory (model-generated; never affects pass/fail)")
        .unwrap();
    assert!(
        advisory.contains("**no**") && advisory.contains("> "),
        "{advisory}"
    );

    let asked = std::fs::read_to_string(place.path().join("asked.json")).unwrap();
    let asked: Value = serde_json::from_str(&asked).unwrap();
    assert_eq!(asked["question"], "Is a lamp to be seen?");
    let picture = std::fs::read(asked["picture"].as_str().unwrap()).unwrap();
    assert!(picture.starts_with(b"\x89PNG"));
}

// REP-138, REP-TRAP-18
#[test]
fn a_command_that_does_not_answer_spoils_nothing() {
    for command in [
        "exit 3",
        "echo yes",
        "echo '{\"verdict\": \"yes\", \"confidence\": 7, \"reasoning\": \"\"}'",
    ] {
        let (ended, report, _, _) = replayed(command);
        assert_eq!(ended.code, Some(0), "{command}: {ended:?}");
        let record = &report["advisory"][0];
        assert_eq!(
            record["reason"], "vision-model-unavailable",
            "{command}: {report:#}"
        );
        assert_eq!(record["verdict"], "unclear", "{command}");
    }
}
