//! A login that is given with `--login-state`, and that is nowhere afterwards.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::program::{Ended, Place};
use crate::server::serve_pages;

/// Shaped like a word, so that nothing but its registration can keep it from being stored.
const COOKIE: &str = "amberfieldlantern";
const STORED: &str = "willowbrookharbour";

/// An app that has a page beyond its login, and that tells everybody what it was given.
fn page(path: &str, head: &str) -> String {
    if !head.contains(&format!("sid={COOKIE}")) {
        return "<h1>Please sign in</h1><input type=password aria-label=Password>".to_owned();
    }
    match path {
        "/" => format!(
            "<h1>Hello</h1><p>You came as {COOKIE}</p><a href='/deep/{COOKIE}?as={COOKIE}'>Deep</a>
             <label>Who <input id=who></label>"
        ),
        _ => format!(
            "<h1>Deep</h1><button onclick=\"console.error(localStorage.auth);
             throw new Error('{COOKIE} ' + localStorage.auth)\">Break {COOKIE}</button>"
        ),
    }
}

/// Writes a file that its owner alone may read.
fn write(place: &Place, content: &str) -> PathBuf {
    let path = place.temporary().join("state-of-ann.json");
    std::fs::write(&path, content).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
    path
}

fn state(origin: &str) -> Value {
    json!({
        "cookies": [{
            "name": "sid", "value": COOKIE, "domain": "127.0.0.1", "path": "/", "expires": -1,
            "httpOnly": true, "secure": false, "sameSite": "Lax",
        }],
        "origins": [{
            "origin": origin,
            "localStorage": [{"name": "auth", "value": format!("{{\"token\":\"{STORED}\"}}")}],
        }],
    })
}

/// Everything that a directory holds.
fn files(dir: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(self::files(&path));
        } else {
            let bytes = std::fs::read(&path).unwrap();
            files.push((path, bytes));
        }
    }
    files
}

// WEB-006, REP-144, RED-050
#[test]
fn an_app_behind_a_login_is_explored_and_the_login_is_stored_nowhere() {
    let origin = serve_pages(page);
    let place = Place::new();
    let path = write(&place, &state(&origin).to_string());
    let url = format!("{origin}/");
    let mut command = place.explore(&url, &["--max-steps", "8", "--login-state"]);
    let ended = Ended::of(command.arg(&path));
    // The page beyond the login breaks.
    assert_eq!(ended.code, Some(1), "{ended:?}");
    let crashes = ended.json()["crashes"].to_string();
    assert!(crashes.contains("js-exception"), "{crashes}");

    let dir = place.session().unwrap();
    let files = files(&dir);
    for secret in [COOKIE, STORED, "state-of-ann"] {
        for (file, bytes) in &files {
            let found = bytes
                .windows(secret.len())
                .any(|part| part.eq_ignore_ascii_case(secret.as_bytes()));
            assert!(!found, "{secret} is in {}", file.display());
        }
        assert!(!ended.stdout.contains(secret), "{ended:?}");
        assert!(!ended.stderr.contains(secret), "{ended:?}");
    }
    let report = std::fs::read_to_string(dir.join("report.md")).unwrap();
    let told = "(1 cookie, 1 storage entry; 0 of elsewhere left out)";
    assert!(report.contains(told), "{report}");
    assert!(report.contains("Break \\[REDACTED\\]"), "{report}");
}

// REP-142, REP-144: what was explored behind a login is exported and replayed with it, and with it
// only where its owner said so.
#[test]
fn a_scenario_behind_a_login_needs_its_owner() {
    let origin = serve_pages(|_, head| {
        if head.contains(&format!("sid={COOKIE}")) {
            "<h1>Hello</h1><button onclick=\"this.insertAdjacentHTML('afterend',
             '<p role=status>Welcome back</p>')\">Greet</button>"
                .to_owned()
        } else {
            "<h1>Please sign in</h1>".to_owned()
        }
    });
    let place = Place::new();
    let login = write(&place, &state(&origin).to_string());
    let login = login.to_str().unwrap();
    let url = format!("{origin}/");
    let arguments = ["--max-steps", "3", "--login-state", login];
    let explored = Ended::of(&mut place.explore(&url, &arguments));
    assert_eq!(explored.code, Some(0), "{explored:?}");
    let dir = place.session().unwrap();
    let dir = dir.to_str().unwrap();

    let without = Ended::of(&mut place.qa(&["export", dir, "-o", "greet.json"]));
    assert_eq!(without.code, Some(64), "{without:?}");
    assert!(without.stderr.contains("--login-state"), "{without:?}");
    let arguments = ["export", dir, "-o", "greet.json", "--login-state", login];
    let exported = Ended::of(&mut place.qa(&arguments));
    assert_eq!(exported.code, Some(0), "{exported:?}");

    let replay = |file: &str, more: &[&str]| {
        let mut arguments = vec!["replay", file, "--out", "replays"];
        arguments.extend(more);
        Ended::of(&mut place.qa(&arguments))
    };
    let passed = replay("greet.json", &["--login-state", login]);
    assert_eq!(passed.code, Some(0), "{passed:?}");
    assert_eq!(replay("greet.json", &[]).code, Some(1));

    // A scenario that names the login itself.
    let text = std::fs::read_to_string(place.path().join("greet.json")).unwrap();
    let mut scenario: Value = serde_json::from_str(&text).unwrap();
    scenario["target"]["loginState"] = json!({"source": login, "origins": [origin]});
    std::fs::write(place.path().join("own.json"), scenario.to_string()).unwrap();
    let refused = replay("own.json", &[]);
    assert_eq!(refused.code, Some(64), "{refused:?}");
    assert!(
        refused.stderr.contains("LOGIN_NOT_AUTHORIZED"),
        "{refused:?}"
    );
    // The remedy can be followed as it stands.
    let remedy = format!("--authorize-origin {origin}/");
    assert!(refused.stderr.contains(&remedy), "{refused:?}");
    let allowed = replay("own.json", &["--authorize-origin", &format!("{origin}/")]);
    assert_eq!(allowed.code, Some(0), "{allowed:?}");
    for (file, bytes) in files(&place.path().join("replays")) {
        let text = String::from_utf8_lossy(&bytes).to_lowercase();
        assert!(!text.contains(COOKIE), "{}", file.display());
        assert!(!text.contains("state-of-ann"), "{}", file.display());
    }
}

/// An app that logs in by itself when it is asked to, and says from then on who came.
fn self_service(path: &str, _head: &str) -> String {
    if path == "/login" {
        return format!(
            "<script>document.cookie = 'sid={COOKIE}; path=/; max-age=3600';
             localStorage.auth = '{STORED}'; sessionStorage.tab = 'birchwoodcottage';</script>"
        );
    }
    format!(
        "<h1></h1><a href=/more>More</a><script>
         const all = [document.cookie, localStorage.auth, sessionStorage.tab].join();
         const known = 'sid={COOKIE},{STORED},birchwoodcottage';
         document.querySelector('h1').textContent = all === known ? 'Welcome back' : 'Please sign in';
         </script>"
    )
}

// REP-142 to REP-144, WEB-006
#[test]
fn a_login_by_hand_becomes_a_file_that_logs_in() {
    let origin = serve_pages(self_service);
    let place = Place::new();
    let login = format!("{origin}/login");
    let capture = |more: &[&str]| {
        let args = [
            "login-state",
            "capture",
            "--headless",
            "--url",
            &login,
            "-o",
            "ann.json",
        ];
        // The end of stdin is as good as Enter.
        Ended::of(place.qa(&args).args(more))
    };
    let captured = capture(&["--json"]);
    assert_eq!(captured.code, Some(0), "{captured:?}");
    let told = captured.json();
    let counts =
        ["cookies", "storage_entries", "cookies_left_out"].map(|count| told[count].clone());
    assert_eq!(counts, [1, 2, 0].map(Value::from), "{captured:?}");
    assert_eq!(told["origins"], json!([origin]));
    let file = place.path().join("ann.json");
    let mode = file.metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    for secret in [COOKIE, STORED, "birchwoodcottage", "ann.json"] {
        let said = [&captured.stdout, &captured.stderr];
        assert!(
            said.iter().all(|text| !text.contains(secret)),
            "{captured:?}"
        );
    }

    let before = std::fs::read(&file).unwrap();
    let again = capture(&[]);
    assert_eq!((again.code, &*again.stdout), (Some(64), ""), "{again:?}");
    assert_eq!(std::fs::read(&file).unwrap(), before);
    assert_eq!(capture(&["--overwrite"]).code, Some(0));

    let url = format!("{origin}/");
    let mut explore = place.explore(&url, &["--max-steps", "3", "--login-state", "ann.json"]);
    let explored = Ended::of(&mut explore);
    assert_eq!(explored.code, Some(0), "{explored:?}");
    let graph = place.session().unwrap().join("state-graph.json");
    let pages = std::fs::read_to_string(graph).unwrap();
    assert!(pages.contains("Welcome back"), "{pages}");
    assert!(!pages.contains("sign in"), "{pages}");
}

// REP-143: what would be of no use is no file.
#[test]
fn a_browser_without_a_login_gives_no_file() {
    let origin = serve_pages(|_, _| "<h1>Nothing to keep</h1>".to_owned());
    let place = Place::new();
    let url = format!("{origin}/");
    let capture = [
        "login-state",
        "capture",
        "--headless",
        "--url",
        &url,
        "-o",
        "ann.json",
    ];
    let ended = Ended::of(&mut place.qa(&capture));
    assert_eq!((ended.code, &*ended.stdout), (Some(64), ""), "{ended:?}");
    assert!(ended.stderr.contains("nothing for"), "{ended:?}");
    assert!(!place.path().join("ann.json").exists());
}

// REP-143, REP-144
#[test]
fn a_login_that_is_not_understood_is_refused_without_being_shown() {
    let place = Place::new();
    let origin = "http://127.0.0.1:9";
    let mut unclear = state(origin);
    unclear["cookies"][0]["sameSite"] = COOKIE.into();
    let foreign = state("http://other.example")
        .to_string()
        .replace("127.0.0.1", "other.example");
    let cases = [
        (
            format!("{{\"cookies\": {COOKIE}}}"),
            0o600,
            "line 1, column 13",
        ),
        (unclear.to_string(), 0o600, "cookies[0].sameSite"),
        (foreign, 0o600, "nothing for http://127.0.0.1:9/: 2 entries"),
        (state(origin).to_string(), 0o644, "chmod 600"),
    ];
    for (content, mode, told) in cases {
        let path = write(&place, &content);
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        let mut command = place.explore(origin, &["--login-state"]);
        let ended = Ended::of(command.arg(&path));
        assert_eq!((ended.code, &*ended.stdout), (Some(64), ""), "{ended:?}");
        assert!(ended.stderr.contains("--login-state"), "{ended:?}");
        assert!(ended.stderr.contains(told), "{told}: {ended:?}");
        assert!(ended.stderr.contains("to do: "), "{ended:?}");
        for secret in [COOKIE, STORED, "state-of-ann"] {
            assert!(!ended.stderr.contains(secret), "{ended:?}");
        }
        assert!(!place.out().exists());
    }
}
