//! The files for CI: their commands, run as they stand.

use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::program::{Ended, Place, browser, program};
use crate::server::Shop;

/// The lines of a file for CI that call `qa`, with `- ` in front or not.
fn commands(file: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../examples/ci")
        .join(file);
    let text = std::fs::read_to_string(&path).unwrap();
    let lines = text
        .lines()
        .map(|line| line.trim().trim_start_matches("- "));
    lines
        .filter(|line| line.starts_with("qa "))
        .map(str::to_owned)
        .collect()
}

/// Runs a line in a shell, with `qa` on PATH.
fn shell(place: &Place, line: &str, variables: &[(&str, &str)]) -> Ended {
    let program = program();
    let bin = program.parent().unwrap();
    let path = std::env::join_paths(
        std::iter::once(bin.to_owned())
            .chain(std::env::split_paths(&std::env::var_os("PATH").unwrap())),
    );
    let mut command = Command::new("sh");
    command
        .args(["-ec", line])
        .current_dir(place.path())
        .env("PATH", path.unwrap())
        .env("TMPDIR", place.temporary())
        .envs(variables.iter().copied())
        .stdin(Stdio::null());
    Ended::of(&mut command)
}

/// A place with four scenarios of the shop, one of which its faults break.
fn scenarios() -> Place {
    let place = Place::new();
    std::fs::create_dir(place.path().join("scenarios")).unwrap();
    let links = ["Journal", "Help", "Offers", "Newsletter"];
    for (number, link) in (1..).zip(links) {
        let step = |index: u32, intent: &str, name: &str, url: &str| {
            format!(
                r#"{{"index": {index}, "intent": "{intent}", "action": {{"kind": "click", "target":
                {{"role": "link", "name": "{name}"}}}}, "assert": {{"kind": "page-url",
                "expected": {{"contains": "{url}"}}}}}}"#
            )
        };
        let more = step(1, "Go on.", "More", "/more");
        let there = step(2, "Go there.", link, &format!("/{}", link.to_lowercase()));
        let text = format!(
            r#"{{"meta": {{"name": "{link}", "description": "", "driver": "browser",
            "createdAt": "2026-11-30T08:00:00Z"}}, "target": {{"launch": "http://127.0.0.1:1/"}},
            "steps": [{more}, {there}], "assertions": []}}"#
        );
        let path = place.path().join(format!("scenarios/{number}.json"));
        std::fs::write(path, text).unwrap();
    }
    place
}

/// What a suite says, without what differs from run to run.
fn verdicts(file: &Path) -> Vec<(Value, Value, Value, usize)> {
    let text = std::fs::read_to_string(file).unwrap();
    let suite: Value = serde_json::from_str(&text).unwrap();
    let cases = suite["scenarios"].as_array().unwrap();
    let case = |case: &Value| {
        let attempts = case["attempts"].as_array().unwrap().len();
        let part = |name: &str| case[name].clone();
        (part("position"), part("file"), part("status"), attempts)
    };
    cases.iter().map(case).collect()
}

fn tried(
    file: &str,
    replace: impl Fn(&str, u32) -> String,
    variables: impl Fn(u32) -> Vec<(&'static str, String)>,
) {
    browser();
    let shop = Shop::without_faults();
    let place = scenarios();
    let lines = commands(file);
    let [replay, merge] = &lines[..] else {
        panic!("{lines:?}")
    };
    let url = format!("{}/", shop.url());
    for shard in 1..=3 {
        let line = replace(replay, shard).replace("http://127.0.0.1:3000/", &url);
        let own = variables(shard);
        let own: Vec<(&str, &str)> = own
            .iter()
            .map(|(name, value)| (*name, value.as_str()))
            .collect();
        let ended = shell(
            &place,
            &line,
            &[&[("APP_URL", url.as_str())], &own[..]].concat(),
        );
        assert_eq!(ended.code, Some(0), "{line}: {ended:?}");
    }
    let merged = shell(&place, merge, &[]);
    assert_eq!(merged.code, Some(0), "{merged:?}");

    // Shards put together are the one run.
    let whole = shell(
        &place,
        &format!("qa replay scenarios/*.json --url {url} --out whole"),
        &[],
    );
    assert_eq!(whole.code, Some(0), "{whole:?}");
    let of = |dir: &str| verdicts(&place.path().join(dir).join("replay.json"));
    assert_eq!(of("merged").len(), 4);
    assert_eq!(of("merged"), of("whole"));

    // A shard that is lost is no pass.
    std::fs::remove_dir_all(place.path().join("shards/2")).unwrap();
    let lost = shell(&place, merge, &[]);
    assert_eq!(lost.code, Some(2), "{lost:?}");
    assert!(lost.stderr.contains("shard 2 are missing"), "{lost:?}");
}

#[test]
fn the_github_recipe_works() {
    tried(
        "github-actions.yml",
        |line, shard| line.replace("${{ matrix.shard }}", &shard.to_string()),
        |_| Vec::new(),
    );
}

#[test]
fn the_gitlab_recipe_works() {
    tried(
        "gitlab-ci.yml",
        |line, _| line.to_owned(),
        |shard| {
            vec![
                ("CI_NODE_INDEX", shard.to_string()),
                ("CI_NODE_TOTAL", "3".to_owned()),
            ]
        },
    );
}

// A retry makes no pass: what passed the second time is flaky in each report, and exit 2.
#[test]
fn what_passes_in_a_retry_is_flaky() {
    browser();
    let place = scenarios();
    let served = std::sync::atomic::AtomicU32::new(0);
    let url = crate::server::serve_pages(move |path, _| {
        let first = path == "/" && served.fetch_add(1, std::sync::atomic::Ordering::Relaxed) == 0;
        let link = if first { "Less" } else { "More" };
        format!(
            "<!doctype html><title>t</title><a href=/more>{link}</a> <a href=/journal>Journal</a>"
        )
    });
    let line = format!(
        "qa replay scenarios/1.json --url {url}/ --retries 2 --out flaky --junit flaky.xml --json"
    );
    let ended = shell(&place, &line, &[]);
    assert_eq!(ended.code, Some(2), "{ended:?}");
    let told = ended.json();
    assert_eq!(told["status"], "flaky", "{told}");
    assert_eq!(told["scenarios"][0]["status"], "flaky");
    assert_eq!(told["scenarios"][0]["attempts"], 2);
    assert_eq!(told["scenarios"][0]["reason"], "TARGET_NOT_FOUND");
    let read = |file: &str| std::fs::read_to_string(place.path().join(file)).unwrap();
    assert!(read("flaky/replay.md").starts_with("# Replay: flaky"));
    let junit = read("flaky.xml");
    assert!(
        junit.contains("type=\"flaky\"") && junit.contains("errors=\"1\""),
        "{junit}"
    );
    assert!(
        place
            .path()
            .join("flaky/001-1/attempt-2/report.json")
            .is_file()
    );
}
