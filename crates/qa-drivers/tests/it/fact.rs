//! Pages with expected facts: what the walker says of them, and what an observation makes of it.
//! The format of the facts is described beside the pages.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use qa_core::{Action, Driver as _, Node, Toggle};
use serde_json::{Map, Value, json};

use crate::server::Reply;
use crate::session::{Session, real_clock};

/// Bits of `f`, in the order of the walker.
const FLAGS: [&str; 16] = [
    "actionable",
    "editable",
    "secret",
    "inViewport",
    "obscured",
    "ariaHidden",
    "seedView",
    "scrollable",
    "submit",
    "withheld",
    "valueCut",
    "hasBox",
    "opensPage",
    "tabbable",
    "textCut",
    "download",
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pages")
}

/// The page of a path, with the type that its extension says.
pub(crate) fn serve(path: &str) -> Reply {
    let file = folder().join(path.trim_start_matches('/'));
    let kind = match file.extension().and_then(|extension| extension.to_str()) {
        Some("svg") => "image/svg+xml",
        Some("txt") => "text/plain; charset=utf-8",
        Some("xml") => "application/xml",
        _ => "text/html; charset=utf-8",
    };
    match fs::read(&file) {
        Ok(bytes) => Reply::Bytes(kind, bytes),
        Err(_) if path == "/" => Reply::Html("<title>start</title>".into()),
        Err(_) => Reply::Status(404),
    }
}

// WEB-020 to WEB-027, WEB-051, WEB-052, WEB-061, WEB-080, VIEW-001 to VIEW-007
#[tokio::test]
async fn every_fact_of_every_page_holds() {
    let mut files: Vec<PathBuf> = fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.retain(|file| {
        file.extension()
            .is_some_and(|extension| extension == "json")
    });
    files.sort();
    assert!(files.len() >= 26, "pages are missing");
    let mut session = Session::open(serve, real_clock).await;
    let mut broken = Vec::new();
    for file in &files {
        let facts: Value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
        let name = file.file_stem().unwrap().to_string_lossy();
        for fault in check(&mut session, &facts).await {
            broken.push(format!("{name}: {fault}"));
        }
    }
    session.end().await;
    assert!(
        broken.is_empty(),
        "{} facts do not hold:\n{}",
        broken.len(),
        broken.join("\n")
    );
}

/// Goes to a page of facts and waits until all of it is there.
pub(crate) async fn open(session: &mut Session, page: &str) {
    let url = format!("{}/{page}", session.server.origin());
    let receipt = session
        .driver
        .act(&Action::Navigate { url: url.clone() })
        .await
        .unwrap();
    assert!(receipt.is_ok(), "{page}: {receipt:?}");
    let there = format!(
        "document.readyState === 'complete' && document.URL === {}",
        json!(url)
    );
    for _ in 0..500 {
        // A page may take long to lay out ten megabytes.
        if session.driver.ask_walker(&there).await == Ok(json!(true)) {
            return;
        }
        session
            .driver
            .advance(Duration::from_millis(10))
            .await
            .unwrap();
    }
    panic!("{page} never loaded");
}

async fn check(session: &mut Session, facts: &Value) -> Vec<String> {
    open(session, facts["page"].as_str().unwrap()).await;
    set_up(session, facts).await;
    let walk = walk(session, &facts["request"]).await;
    let mut broken = Vec::new();
    broken.extend(questions(session, facts).await);
    broken.extend(of_view(session, facts, &walk).await);
    broken.extend(of_nodes(facts, &walk));
    if let Some(other) = facts["sameNodesAs"].as_str() {
        open(session, other).await;
        let twin = self::walk(session, &Value::Null).await;
        if twin["nodes"] != walk["nodes"] {
            broken.push(format!("differs from {other}"));
        }
        open(session, facts["page"].as_str().unwrap()).await;
    }
    if facts["request"].is_null() {
        broken.extend(of_observation(session).await);
    }
    broken.extend(of_actions(session, facts).await);
    broken
}

/// What the driver would find through the protocol. Closed roots can be reached in no other way,
/// so for them it is asked to.
async fn set_up(session: &mut Session, facts: &Value) {
    if !facts["setup"]["closedRoots"].is_null() {
        session.look().await;
    }
    for css in list(&facts["setup"]["clickables"]) {
        session
            .ask(&format!(
                "__qa.registerClickables(document.querySelector({css})), 0"
            ))
            .await;
    }
}

async fn walk(session: &Session, request: &Value) -> Value {
    let request = if request.is_null() {
        json!({})
    } else {
        request.clone()
    };
    parse(&session.ask(&format!("__qa.walk({request})")).await)
}

fn parse(answer: &Value) -> Value {
    serde_json::from_str(answer.as_str().unwrap()).unwrap()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// `roles` and `names`.
async fn questions(session: &Session, facts: &Value) -> Vec<String> {
    let mut broken = Vec::new();
    for (field, word, function) in [("roles", "role", "roleOf"), ("names", "name", "nameOf")] {
        for fact in list(&facts[field]) {
            let css = &fact["css"];
            let said = session
                .ask(&format!("__qa.{function}(document.querySelector({css}))"))
                .await;
            if said != fact[word] {
                broken.push(format!("{css} has the {word} {said}, not {}", fact[word]));
            }
        }
    }
    broken
}

/// What is said of the whole.
async fn of_view(session: &Session, facts: &Value, walk: &Value) -> Vec<String> {
    let mut broken = Vec::new();
    for (field, expected) in facts["view"].as_object().into_iter().flatten() {
        if walk[field] != *expected {
            broken.push(format!("{field} is {}, not {expected}", walk[field]));
        }
    }
    if let Some(css) = facts.get("focused") {
        let own = session
            .ask(&format!("__qa.refOf(document.querySelector({css}))"))
            .await;
        if walk["focused"] != own {
            broken.push(format!("{} has the focus, not {own}", walk["focused"]));
        }
    }
    if let Some(hidden) = facts
        .get("hidden")
        .filter(|hidden| walk["hidden"] != **hidden)
    {
        broken.push(format!("{} are hidden, not {hidden}", walk["hidden"]));
    }
    let nodes = list(&walk["nodes"]).len();
    if facts["nodeCount"]
        .as_u64()
        .is_some_and(|count| count != nodes as u64)
    {
        broken.push(format!("{nodes} nodes"));
    }
    let text = walk.to_string();
    for secret in list(&facts["nowhere"]) {
        if text.contains(secret.as_str().unwrap()) {
            broken.push(format!("{secret} is in the answer"));
        }
    }
    broken
}

/// `nodes`, `absent` and `count`.
fn of_nodes(facts: &Value, walk: &Value) -> Vec<String> {
    let nodes = list(&walk["nodes"]);
    let mut broken = Vec::new();
    for fact in list(&facts["nodes"]) {
        let found = match fact.get("id") {
            Some(id) => nodes.iter().find(|node| node["id"] == *id),
            None => nodes.iter().find(|node| unlike(node, fact).is_none()),
        };
        match found.map(|node| unlike(node, fact)) {
            Some(None) => {}
            Some(Some(field)) => {
                broken.push(format!("{field} of {} is not as in {fact}", found.unwrap()));
            }
            None => broken.push(format!("no node is {fact}")),
        }
    }
    for fact in list(&facts["absent"]) {
        if let Some(node) = nodes.iter().find(|node| unlike(node, fact).is_none()) {
            broken.push(format!("{node} should not be there"));
        }
    }
    for fact in list(&facts["count"]) {
        let count = nodes
            .iter()
            .filter(|node| unlike(node, fact).is_none())
            .count();
        if fact["is"] != json!(count) {
            broken.push(format!("{count} nodes are {fact}"));
        }
    }
    broken
}

/// The first field in which a node is not as described.
fn unlike<'f>(node: &Value, fact: &'f Value) -> Option<&'f str> {
    let flags = node["f"].as_u64().unwrap_or(0);
    let has = |flag: &Value| {
        let bit = FLAGS.iter().position(|known| flag == known);
        flags & (1 << bit.unwrap_or_else(|| panic!("{flag} is no flag"))) != 0
    };
    let holds = |(field, expected): &(&'f String, &Value)| match field.as_str() {
        "is" => true,
        "flags" => list(expected).iter().all(has),
        "without" => !list(expected).iter().any(has),
        "no" => list(expected)
            .iter()
            .all(|field| node.get(field.as_str().unwrap()).is_none()),
        "s" | "im" => {
            let inner: &Map<_, _> = expected.as_object().unwrap();
            inner.iter().all(|(key, value)| node[*field][key] == *value)
        }
        field => node[field] == **expected,
    };
    fact.as_object()
        .unwrap()
        .iter()
        .find(|entry| !holds(entry))
        .map(|(field, _)| field.as_str())
}

/// `probes`, `reads`, `selects` and `fills`, which may change the page.
async fn of_actions(session: &Session, facts: &Value) -> Vec<String> {
    let mut broken = Vec::new();
    let mut judge = |fact: &Value, answer: Value| {
        let answer = parse(&answer);
        let expected = fact.as_object().unwrap().iter();
        let told = |field: &str| !matches!(field, "css" | "inner" | "frames" | "by");
        for (field, expected) in expected.filter(|(field, _)| told(field)) {
            if answer[field] != *expected {
                broken.push(format!("{fact} was answered with {answer}"));
                return;
            }
        }
        let by = fact["by"].as_str().unwrap_or_default();
        if !answer["by"].as_str().unwrap_or_default().starts_with(by) {
            broken.push(format!("{fact} was answered with {answer}"));
        }
    };
    for fact in list(&facts["probes"]) {
        let (css, frames) = (&fact["css"], fact["frames"] == json!(true));
        let inner = match fact.get("inner") {
            Some(inner) => format!(".shadowRoot.querySelector({inner})"),
            None => String::new(),
        };
        let element = format!("__qa.refOf(document.querySelector({css}){inner})");
        judge(
            fact,
            session
                .ask(&format!("__qa.probe({element}, {{frames: {frames}}})"))
                .await,
        );
    }
    for (field, function) in [
        ("reads", "readValue"),
        ("selects", "selectOption"),
        ("fills", "focusForFill"),
    ] {
        for fact in list(&facts[field]) {
            let element = format!("__qa.refOf(document.querySelector({}))", fact["css"]);
            let by = if fact["by"].is_null() {
                json!({})
            } else {
                fact["by"].clone()
            };
            let mut rest = fact.clone();
            rest.as_object_mut().unwrap().remove("by");
            judge(
                &rest,
                session
                    .ask(&format!("__qa.{function}({element}, {by})"))
                    .await,
            );
        }
    }
    broken
}

/// An observation says in the shared model what the walker says in its own words.
async fn of_observation(session: &mut Session) -> Vec<String> {
    // Two looks at what moves would differ.
    session.ask("document.getAnimations().forEach((a) => { a.pause(); a.currentTime = a.currentTime; }), 0").await;
    let view = session.look().await;
    let walk = walk(session, &json!({"maxNodes": 5000})).await;
    session
        .ask("document.getAnimations().forEach((a) => a.play()), 0")
        .await;
    let raw = list(&walk["nodes"]);
    if raw.iter().any(|node| node["fr"] == json!(1)) {
        return Vec::new(); // The nodes of its frames stand among them.
    }
    let scrolled = ["sx", "sy"].map(|axis| walk[axis].as_f64().unwrap_or_default());
    let mut broken = Vec::new();
    if view.nodes.len() != raw.len() {
        broken.push(format!(
            "{} nodes observed of {}",
            view.nodes.len(),
            raw.len()
        ));
    }
    if json!(view.title) != walk["title"]
        || json!(view.completeness.hidden_matches) != walk["hidden"]
    {
        broken.push(format!("title {:?}, {:?}", view.title, view.completeness));
    }
    for (node, raw) in view.nodes.iter().zip(raw) {
        let (told, meant) = (retold(node), meant(raw, scrolled));
        if told != meant {
            broken.push(format!("observed {told}, walked {meant}"));
        }
    }
    broken
}

/// A node of the walker, with what it leaves out filled in.
fn meant(raw: &Value, scrolled: [f64; 2]) -> Value {
    let flags = raw["f"].as_u64().unwrap_or(0);
    let ends_before = |axis: usize| {
        let (start, length) = (raw["b"][axis].as_f64(), raw["b"][axis + 2].as_f64());
        start
            .zip(length)
            .is_some_and(|(start, length)| start + length + scrolled[axis] <= 0.0)
    };
    let out_of_reach = u64::from(ends_before(0) || ends_before(1));
    // Whether the tab key stops at it is not part of the model; what lies where no scrolling leads
    // counts as obscured.
    let flags = flags & !(1 << 13) | out_of_reach << 4;
    let or_empty = |field: &str| raw[field].as_str().unwrap_or_default().to_owned();
    json!({
        "p": raw["p"], "ro": raw["ro"], "n": or_empty("n"), "t": raw["t"], "d": raw["d"],
        "v": raw["v"], "id": raw["id"], "ti": raw["ti"], "tag": raw["tag"], "path": raw["path"],
        "b": floats(&raw["b"]), "h": raw["h"], "fa": raw["fa"], "fm": raw["fm"], "f": flags,
        "broken": raw["broken"] == json!(1),
        "s": raw["s"].as_object().cloned().unwrap_or_default(),
        "sr": raw.get("sr").or_else(|| raw.get("sn").and(raw.get("ro"))),
        "sn": raw.get("sn").or_else(|| raw.get("sr").map(|_| raw.get("n").unwrap_or(&Value::Null))).map(|name| name.as_str().unwrap_or_default()),
        "type": raw["im"]["type"], "options": list(&raw["im"]["opts"]).len(),
    })
}

fn floats(numbers: &Value) -> Value {
    match numbers.as_array() {
        Some(numbers) => numbers.iter().map(Value::as_f64).collect(),
        None => Value::Null,
    }
}

/// The same of an observed node.
fn retold(node: &Node) -> Value {
    let flags = &node.flags;
    let bits = [
        flags.actionable,
        flags.editable,
        flags.secret,
        flags.in_viewport,
        flags.obscured,
        flags.aria_hidden,
        flags.in_seed_view,
        flags.scrollable,
        flags.submit,
        flags.value_withheld,
        flags.value_truncated,
        flags.visible,
        flags.new_window,
        false, // tabbable, which the engine does not need
        flags.text_truncated,
        flags.download,
    ];
    let bits = bits
        .iter()
        .enumerate()
        .fold(0_u64, |sum, (bit, on)| sum | u64::from(*on) << bit);
    let toggle = |toggle: Option<Toggle>| match toggle {
        None => Value::Null,
        Some(Toggle::On) => json!(true),
        Some(Toggle::Off) => json!(false),
        Some(Toggle::Mixed) => json!("mixed"),
    };
    let s = &node.states;
    let states: Map<String, Value> = [
        ("checked", toggle(s.checked)),
        ("disabled", json!(s.disabled)),
        ("expanded", json!(s.expanded)),
        ("selected", json!(s.selected)),
        ("pressed", toggle(s.pressed)),
        ("readonly", json!(s.readonly)),
        ("required", json!(s.required)),
        ("invalid", json!(s.invalid)),
        ("focused", json!(s.focused)),
        ("level", json!(s.level)),
        ("current", json!(s.current)),
        ("modal", json!(s.modal)),
        ("busy", json!(s.busy)),
    ]
    .into_iter()
    .filter(|(_, value)| !value.is_null())
    .map(|(name, value)| (name.to_owned(), value))
    .collect();
    json!({
        "p": node.parent, "ro": node.role, "n": node.name, "t": node.text,
        "d": node.description, "v": node.value, "id": node.id, "ti": node.test_id,
        "tag": node.class, "path": node.path,
        "b": node.bounds.map(|b| [b.x, b.y, b.width, b.height]),
        "h": node.link, "fa": node.form_action, "fm": node.form, "f": bits,
        "broken": node.flags.broken_image, "s": states,
        "sr": node.seed.as_ref().map(|seed| &seed.role),
        "sn": node.seed.as_ref().map(|seed| &seed.name),
        "type": node.field.as_ref().map(|field| &field.kind),
        "options": node.field.as_ref().map_or(0, |field| field.choices.len()),
    })
}
