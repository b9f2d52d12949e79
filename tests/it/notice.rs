//! What happens beside the views of a replay, what the app logs and asks for, and the screen at its end.

use serde_json::{Value, json};

use crate::program::{Ended, Place};
use crate::server::serve_pages;

const SECRET: &str = "kp-9931-zebra";

fn page(_: &str, _: &str) -> String {
    format!(
        "<!doctype html><title>Fixture</title><h1>{SECRET}</h1><p role=status></p>
         <button onclick=\"document.querySelector('[role=status]').textContent =
           confirm('Is {SECRET} yours?') ? 'yes' : 'no'\">Ask</button>
         <a href=/other target=_blank>Elsewhere</a>"
    )
}

/// Answers the question, follows a link to a new window, and claims that the answer was yes.
fn asking(place: &Place) {
    let click =
        |role: &str, name: &str| json!({"kind": "click", "target": {"role": role, "name": name}});
    let present = |role: &str, name: &str| json!({"kind": "node-present", "expected": {"role": role, "name": name}});
    let file = json!({
        "meta": {"name": "asking", "description": "", "driver": "browser",
                 "createdAt": "2026-11-30T08:00:00Z"},
        "target": {"launch": format!("{}/", serve_pages(page))},
        "steps": [
            {"index": 1, "intent": "Follow.", "action": click("link", "Elsewhere"),
             "assert": present("button", "Ask")},
            {"index": 2, "intent": "Ask.", "action": click("button", "Ask"),
             "assert": present("status", "yes")},
        ],
        "assertions": [],
    });
    std::fs::write(place.path().join("asking.json"), file.to_string()).unwrap();
}

fn replayed(place: &Place, more: &[&str]) -> (Ended, Value) {
    let mut arguments = vec![
        "replay",
        "asking.json",
        "--json",
        "--out",
        "r",
        "--clock",
        "virtual",
    ];
    arguments.extend(more);
    let ended = Ended::of(place.qa(&arguments).env("QA_TEST_SECRET", SECRET));
    let report = std::fs::read(place.path().join("r/001-asking/report.json")).unwrap();
    (ended, serde_json::from_slice(&report).unwrap())
}

// WEB-007, WEB-008, REP-128
#[test]
fn what_happens_beside_the_views_is_told_and_may_be_answered() {
    let place = Place::new();
    asking(&place);
    let secret = ["--secret-env", "QA_TEST_SECRET"];
    let (ended, report) = replayed(&place, &[&secret[..], &["--dialogs", "accept"]].concat());
    assert_eq!(ended.code, Some(0), "{ended:?} {report:#}");
    let told: Vec<_> = report["notices"].as_array().unwrap().iter().collect();
    let [window, dialog] = told[..] else {
        panic!("{report:#}")
    };
    assert_eq!(
        (&window["stepIndex"], &window["notice"]),
        (&json!(1), &json!("popup"))
    );
    assert_eq!(
        (&dialog["stepIndex"], &dialog["accepted"]),
        (&json!(2), &json!(true))
    );
    // That the window could not load is our doing.
    assert!(report.get("findings").is_none(), "{report:#}");
    assert!(report.get("artifacts").is_none(), "{report:#}");

    let (ended, report) = replayed(&place, &secret);
    assert_eq!(ended.code, Some(1), "{ended:?} {report:#}");
    assert_eq!(report["notices"][1]["accepted"], false, "{report:#}");
    let told = ended.json()["scenarios"][0].clone();
    assert_eq!(
        (&told["reason"], &told["step"]),
        (&json!("refuted"), &json!(2)),
        "{told}"
    );
    let markdown = std::fs::read_to_string(place.path().join("r/001-asking/report.md")).unwrap();
    assert!(markdown.contains("yours?” was dismissed"), "{markdown}");
    assert!(
        !markdown.contains(SECRET) && !report.to_string().contains(SECRET),
        "{markdown}"
    );
}

// RED-077, REP-128
#[test]
fn the_screen_at_the_end_of_a_failure_shows_no_secret() {
    let place = Place::new();
    asking(&place);
    let picture = |more: &[&str]| {
        let (ended, report) = replayed(&place, more);
        assert_eq!(ended.code, Some(1), "{ended:?} {report:#}");
        assert_eq!(
            report["artifacts"],
            json!([{"kind": "screenshot", "path": "end.png"}]),
            "{report:#}"
        );
        std::fs::read(place.path().join("r/001-asking/end.png")).unwrap()
    };
    let pixels = |png: &[u8]| image::load_from_memory(png).unwrap().to_rgb8();
    let open = pixels(&picture(&[]));
    let covered = pixels(&picture(&["--secret-env", "QA_TEST_SECRET"]));
    // The heading is alone in its rows: where it is written all is of one colour.
    let rows = 22..52;
    let is_written = |x, y| open.get_pixel(x, y).0.iter().any(|part| *part < 128);
    let heading = rows.flat_map(|y| (0..open.width()).map(move |x| (x, y)));
    let heading: Vec<_> = heading.filter(|(x, y)| is_written(*x, *y)).collect();
    assert!(heading.len() > 100, "{}", heading.len());
    let (x, y) = heading[0];
    let mask = covered.get_pixel(x, y);
    assert!(
        heading
            .iter()
            .all(|(x, y)| covered.get_pixel(*x, *y) == mask)
    );
    let is_beside = |x: u32, y: u32| (0..x).any(|x| covered.get_pixel(x, y) != mask);
    assert!(is_beside(x + 1, y), "all is covered");
}

// REP-056
#[test]
fn a_claim_that_cannot_fail_is_warned_of() {
    let place = Place::new();
    asking(&place);
    let path = place.path().join("asking.json");
    let file = std::fs::read_to_string(&path).unwrap();
    let doubtful = file.replace(
        "\"assertions\":[]",
        r#""assertions":[{"kind":"node-absent","expected":{"role":"alrt"}}]"#,
    );
    assert_ne!(doubtful, file);
    std::fs::write(&path, doubtful).unwrap();
    let checked = Ended::of(&mut place.qa(&["validate", "asking.json", "--json"]));
    assert_eq!(checked.code, Some(0), "{checked:?}");
    let warning = &checked.json()["files"][0]["warnings"][0];
    assert_eq!(warning["position"], "assertions[0].expected.role");
    let checked = Ended::of(&mut place.qa(&["validate", "asking.json"]));
    assert!(
        checked
            .stderr
            .contains("warning: asking.json at assertions[0]"),
        "{checked:?}"
    );
}

fn chatty(_: &str, _: &str) -> String {
    format!(
        "<!doctype html><title>Fixture</title><h1>Tools</h1><p role=status></p>
         <button onclick=\"console.warn('is {SECRET} low?'); console.log('asking');
           fetch('/stock?item=tulip77').then(() => fetch('http://127.0.0.1:1/gone?item=tulip77'))
             .catch(() => document.querySelector('[role=status]').textContent = 'no answer')\">Ask</button>"
    )
}

// REP-128, RED-034
#[test]
fn what_the_app_logs_and_asks_for_is_in_the_report() {
    let place = Place::new();
    let start = format!("{}/", serve_pages(chatty));
    let file = |answer: &str| {
        let status =
            json!({"kind": "node-present", "expected": {"role": "status", "name": answer}});
        json!({
            "meta": {"name": "asking", "description": "", "driver": "browser",
                     "createdAt": "2026-11-30T08:00:00Z"},
            "target": {"launch": start},
            "steps": [
                {"index": 1, "intent": "Ask.",
                 "action": {"kind": "click", "target": {"role": "button", "name": "Ask"}},
                 "assert": status},
            ],
            "assertions": [],
        })
    };
    let secret = ["--secret-env", "QA_TEST_SECRET"];
    let path = place.path().join("asking.json");
    std::fs::write(&path, file("no answer").to_string()).unwrap();
    let (ended, report) = replayed(&place, &secret);
    assert_eq!(ended.code, Some(0), "{ended:?} {report:#}");
    let evidence = &report["evidence"];
    let console = json!([
        {"stepIndex": 1, "kind": "warning", "text": "is [REDACTED] low?"},
        {"stepIndex": 1, "kind": "log", "text": "asking"},
    ]);
    assert_eq!(evidence["console"], console, "{evidence:#}");
    let asked = |entry: &Value| (entry["stepIndex"].as_u64(), entry["url"].clone());
    let network: Vec<_> = evidence["network"].as_array().unwrap().iter().collect();
    let [document, stock, gone] = network[..] else {
        panic!("{evidence:#}")
    };
    assert_eq!(asked(document), (Some(0), json!(start)));
    assert_eq!(asked(stock), (Some(1), json!(format!("{start}stock"))));
    assert_eq!(
        (&stock["method"], &stock["status"]),
        (&json!("GET"), &json!(200))
    );
    assert_eq!(gone["error"], "net::ERR_UNSAFE_PORT", "{evidence:#}");
    assert_eq!(evidence["bounded"], false);

    // A report that is no pass says in its text what may be the reason.
    std::fs::write(&path, file("an answer").to_string()).unwrap();
    let (ended, report) = replayed(&place, &secret);
    assert_eq!(ended.code, Some(1), "{ended:?} {report:#}");
    let text = std::fs::read_to_string(place.path().join("r/001-asking/report.md")).unwrap();
    assert!(
        text.contains("- after step 1: warning: is \\[REDACTED\\] low?"),
        "{text}"
    );
    assert!(text.contains("- after step 1: GET "), "{text}");
    assert!(
        !text.contains("tulip77") && !text.contains(SECRET),
        "{text}"
    );
    assert!(!text.contains("log: asking"), "{text}");
}
