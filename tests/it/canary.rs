//! Secrets planted in everything that an app can say, looked for in everything that is left.
//!
//! Each place holds a word that only its registration can keep from being stored, and a token that
//! its shape gives away. A place that leaks is named by what is found.

use std::fmt::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use serde_json::json;

use crate::program::{Ended, Place};
use crate::server::serve_pages;

/// Where a secret is planted.
const PLACES: [&str; 36] = [
    "title",
    "heading",
    "paragraph",
    "button",
    "label",
    "placeholder",
    "value",
    "option",
    "image",
    "identifier",
    "testid",
    "tag",
    "link",
    "route",
    "query",
    "frame",
    "shadow",
    "dialog",
    "popup",
    "download",
    "console",
    "object",
    "exception",
    "function",
    "rejection",
    "request",
    "header",
    "cookie",
    "body",
    "picture",
    "percent",
    "entity",
    "hex",
    "base",
    "json",
    "split",
];

/// A word that looks like any other.
fn word(place: &str) -> String {
    format!("amber{place}lantern")
}

/// A token that its issuer's prefix gives away.
fn token(place: &str) -> String {
    format!("ghp_{:0<36}", format!("Zq7{place}"))
}

fn both(place: &str) -> String {
    format!("{} {}", word(place), token(place))
}

fn percent(text: &str) -> String {
    text.bytes().fold(String::new(), |mut out, byte| {
        let _ = write!(out, "%{byte:02x}");
        out
    })
}

fn entity(text: &str) -> String {
    text.chars().fold(String::new(), |mut out, c| {
        let _ = write!(out, "&#{};", u32::from(c));
        out
    })
}

fn hex(text: &str) -> String {
    percent(text).replace('%', "")
}

fn escaped(text: &str) -> String {
    text.chars().fold(String::new(), |mut out, c| {
        let _ = write!(out, "\\u{:04x}", u32::from(c));
        out
    })
}

/// The app: a page that shows and says everything, and what it loads.
fn page(path: &str, _: &str) -> String {
    if path.starts_with("/fail") {
        let body = format!("{{\"error\":\"{}\"}}", both("body"));
        return format!(
            "HTTP/1.1 500 {header}\r\nX-Token: {header}\r\nSet-Cookie: sid={cookie}\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len(),
            header = both("header"),
            cookie = word("cookie"),
        );
    }
    if path.starts_with("/file") {
        return format!(
            "HTTP/1.1 200 OK\r\nContent-Disposition: attachment; filename=\"{}.txt\"\r\n\
             Content-Length: 1\r\nConnection: close\r\n\r\nx",
            word("download"),
        );
    }
    if path.starts_with("/frame") {
        return format!("<button>{}</button>", both("frame"));
    }
    if path != "/" && !path.starts_with("/?") {
        return format!("<title>{0}</title><h1>Elsewhere</h1><p>{0}", both("route"));
    }
    let split = word("split");
    let (start, end) = split.split_at(6);
    let mut html = String::from("<!doctype html><meta charset=utf-8>");
    let _ = write!(
        html,
        "<title>{title}</title><h1>{heading}</h1><p>{paragraph}</p>
         <button onclick=\"fetch('/fail/{request}?t={request}').then(r => r.text())\">
         Load {button}</button>
         <button aria-label='{label}' onclick=\"console.error('{console}')\">x</button>
         <input aria-label=Name placeholder='{placeholder}'><input aria-label=Other value='{value}'>
         <select aria-label=Choose><option>None<option>{option}</select>
         <img alt='{image}' src='/fail/{picture}.png'>
         <button id='{identifier}' onclick=\"console.error({{token: '{object}'}})\">Object</button>
         <button data-testid='{testid}' onclick=\"history.replaceState(0, '', '?q={query}')\">Ask</button>
         <x-{tag} onclick=\"alert('{dialog}'); confirm('{dialog}')\" role=button>Talk</x-{tag}>
         <a href='/to/{link}'>Go</a>
         <a href='/file'>Save</a>
         <button onclick=\"open('/pop/{popup}')\">Open</button>
         <button onclick=\"function {function}() {{ throw new Error('{exception}') }} {function}()\">
         Throw</button>
         <button onclick=\"Promise.reject(new Error('{rejection}'))\">Reject</button>
         <iframe src='/frame' title='Inside'></iframe><div id=host></div>
         <p>{percent}</p><p>{entity}</p><p>{hex}</p><p>data {base}</p><p>{json}</p>
         <p>{start}\u{ad}{end} and {start}\u{200b}{end}</p>
         <script>
         document.getElementById('host').attachShadow({{mode: 'closed'}}).innerHTML =
             '<button>{shadow}</button>';
         console.error('{percent} {hex} {base} {start}\\u00ad{end}');
         </script>",
        title = both("title"),
        heading = both("heading"),
        paragraph = both("paragraph"),
        button = both("button"),
        label = both("label"),
        placeholder = both("placeholder"),
        value = both("value"),
        option = both("option"),
        image = both("image"),
        identifier = word("identifier"),
        testid = word("testid"),
        tag = word("tag"),
        link = word("link"),
        query = word("query"),
        dialog = both("dialog"),
        popup = word("popup"),
        console = both("console"),
        object = both("object"),
        exception = both("exception"),
        function = word("function"),
        rejection = both("rejection"),
        request = word("request"),
        picture = word("picture"),
        shadow = both("shadow"),
        percent = percent(&word("percent")),
        entity = entity(&entity(&word("entity"))).replace("&#38;", "&amp;"),
        hex = hex(&word("hex")),
        base = STANDARD_NO_PAD.encode(format!("to {} now", word("base"))),
        json = escaped(&word("json")),
    );
    html
}

/// Every spelling under which a secret could be read again.
fn spellings(secret: &str) -> Vec<String> {
    let utf16 = secret.chars().fold(String::new(), |mut out, c| {
        out.extend([c, '\0']);
        out
    });
    let mut found = vec![
        secret.to_owned(),
        percent(secret),
        entity(secret),
        hex(secret),
        escaped(secret),
        utf16,
    ];
    for before in 0..3_usize {
        // The letters of the secret that do not share a group with their neighbours.
        let padded = format!("{}{secret}", "x".repeat(before));
        let encoded = STANDARD_NO_PAD.encode(&padded);
        let start = before.div_ceil(3) * 4;
        let end = padded.len() / 3 * 4;
        found.push(encoded[start..end].to_owned());
    }
    found
}

/// All spellings of all secrets.
fn forbidden() -> Vec<String> {
    let secrets = PLACES.iter().flat_map(|place| [word(place), token(place)]);
    secrets.flat_map(|secret| spellings(&secret)).collect()
}

/// The secrets that can be read in some bytes.
fn leaks(bytes: &[u8], forbidden: &[String]) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes);
    let lower = text.to_lowercase();
    let is_there = |needle: &&String| match needle.starts_with("amber") {
        true => lower.contains(needle.as_str()),
        false => text.contains(needle.as_str()),
    };
    forbidden.iter().filter(is_there).cloned().collect()
}

/// Looks into everything that a directory holds, the names of files too.
fn look_into(dir: &Path, forbidden: &[String], found: &mut Vec<String>) {
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            look_into(&path, forbidden, found);
            continue;
        }
        let mut bytes = std::fs::read(&path).unwrap();
        bytes.extend(path.to_string_lossy().as_bytes());
        for leak in leaks(&bytes, forbidden) {
            found.push(format!("{leak} in {}", path.display()));
        }
    }
}

// RED-002, RED-003, RED-050, RED-080
#[test]
fn no_secret_is_left_in_any_file_or_on_any_stream() {
    let origin = serve_pages(page);
    let place = Place::new();
    let storage: Vec<_> = PLACES
        .iter()
        .map(|name| json!({"name": name, "value": word(name)}))
        .collect();
    let state = json!({"cookies": [], "origins": [{"origin": origin, "localStorage": storage}]});
    let login = place.temporary().join("login.json");
    std::fs::write(&login, state.to_string()).unwrap();
    std::fs::set_permissions(&login, std::fs::Permissions::from_mode(0o600)).unwrap();

    let url = format!("{origin}/");
    let forbidden = forbidden();
    let check = |ended: &Ended| {
        assert_eq!(ended.code, Some(1), "{ended:?}");
        for stream in [&ended.stdout, &ended.stderr] {
            assert_eq!(leaks(stream.as_bytes(), &forbidden), [""; 0]);
        }
        let mut found = Vec::new();
        look_into(&place.out(), &forbidden, &mut found);
        assert!(found.is_empty(), "{found:#?}");
    };

    // As a person sees it, each step on a line.
    let args = ["--dialogs", "accept", "--max-steps", "40", "--login-state"];
    let mut command = place.qa(&["explore", "--url", &url, "--out"]);
    let ended = Ended::of(command.arg(place.out()).args(args).arg(&login));
    check(&ended);
    // The app was gone through: otherwise nothing could have leaked.
    let dir = place.session().unwrap();
    let steps = std::fs::read_to_string(dir.join("steps.jsonl")).unwrap();
    for told in [
        "Load [REDACTED]",
        "Throw",
        "Reject",
        "Go",
        "Ask",
        "Talk",
        "Object",
        "Save",
    ] {
        assert!(steps.contains(told), "{told}: {steps}");
    }
    assert!(ended.stderr.contains("Load [REDACTED]"), "{ended:?}");
    let crashes = std::fs::read_to_string(dir.join("crashes.jsonl")).unwrap();
    for kind in ["js-exception", "http-5xx"] {
        assert!(crashes.contains(kind), "{kind}: {crashes}");
    }

    // As a program reads it.
    let mut command = place.explore(&url, &["--max-steps", "8", "--login-state"]);
    check(&Ended::of(command.arg(&login)));
}

// RED-078
#[test]
fn a_refused_command_line_repeats_no_secret() {
    let place = Place::new();
    for args in [
        vec![
            "explore",
            "--url",
            "http://a.test/",
            "--max-steps",
            "token=tulip7788",
        ],
        vec!["explore", "--url", "htp://ann:tulip7788@a.test/"],
        vec![
            "explore",
            "--url",
            "http://a.test/",
            "--inputs",
            "/no/password=tulip7788",
        ],
        vec!["report", "/no/such/dir/password=tulip7788"],
    ] {
        let ended = Ended::of(&mut place.qa(&args));
        assert_eq!(ended.code, Some(64), "{ended:?}");
        assert!(!ended.stderr.contains("tulip"), "{ended:?}");
        assert!(!ended.stdout.contains("tulip"), "{ended:?}");
        assert!(ended.stderr.contains("[REDACTED"), "{ended:?}");
    }
    let ended = Ended::of(&mut place.qa(&["explore", "--password=tulip7788"]));
    assert_eq!(ended.code, Some(64), "{ended:?}");
    assert!(!ended.stderr.contains("tulip"), "{ended:?}");
}
