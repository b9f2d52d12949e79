//! The JSON Schema and the loader agree on what a scenario is.

use std::sync::LazyLock;

use jsonschema::Validator;
use qa_replay::{Code, LoadError, load, schema};
use serde_json::{Value, json};

use crate::load::file;

static VALIDATOR: LazyLock<Validator> =
    LazyLock::new(|| jsonschema::draft202012::new(&schema()).unwrap());

/// A scenario for a phone or a desktop, whose fields a browser does not have.
fn elsewhere(driver: &str, launch: &str) -> Value {
    json!({
        "meta": {"name": "n", "description": "d", "driver": driver, "createdAt": "2026-11-30T08:00:00Z"},
        "target": {"launch": launch},
        "steps": [{
            "index": 1, "intent": "i",
            "action": {"kind": "click", "target": {"identifier": "save", "roleHint": "button"}},
            "assert": {"kind": "node-in-viewport", "expected": {"identifier": "saved"}},
        }],
        "assertions": [{"kind": "node-value", "expected": {"identifier": "n", "value": "7"}}],
    })
}

/// Each action that the main fixture does not have.
fn actions() -> Value {
    let target = json!({"name": "Save"});
    let model =
        json!({"source": "model-grounding", "provider": "p", "model": "m", "confidence": 0.5});
    let all = [
        json!({"kind": "click", "target": target}),
        json!({"kind": "focus", "target": target}),
        json!({"kind": "hover", "target": target}),
        json!({"kind": "type", "target": target, "text": "a"}),
        json!({"kind": "press", "target": target, "key": "Enter"}),
        json!({"kind": "key", "target": target, "key": "a", "modifiers": ["Shift"]}),
        json!({"kind": "select", "target": target, "option": "b"}),
        json!({"kind": "navigate", "url": "http://a.test/b?c#d"}),
        json!({"kind": "scroll", "direction": "down"}),
        json!({"kind": "scroll", "direction": "down", "amount": "page"}),
        json!({"kind": "scroll", "target": target}),
        json!({"kind": "scroll", "target": target, "direction": "up", "amount": "line"}),
        json!({"kind": "visual_click", "targetDescription": "t", "provenance": model}),
        json!({"kind": "visual_drag", "targetDescription": "t", "toDescription": "u"}),
        json!({"kind": "visual_scroll", "targetDescription": "t", "direction": "up", "amount": "line"}),
    ];
    let mut file = file();
    let kinds = ["node-present", "node-absent", "node-in-viewport"];
    let steps = all.into_iter().zip(1..).map(|(action, index)| {
        let kind = kinds[index % kinds.len()];
        let assert = json!({"kind": kind, "expected": {"tag": "a", "roleHint": "link"}});
        json!({"index": index, "intent": "i", "action": action, "assert": assert})
    });
    file["steps"] = steps.collect();
    file["assertions"][0] = json!({"kind": "page-url", "expected": {"url": "https://a.test/"}});
    file
}

fn fixtures() -> Vec<Value> {
    vec![
        file(),
        actions(),
        elsewhere("android", "com.example.app"),
        elsewhere("ios", "com.example"),
    ]
}

/// The JSON pointers of all values but the root.
fn places(value: &Value, at: &str, found: &mut Vec<String>) {
    if !at.is_empty() {
        found.push(at.to_owned());
    }
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                places(field, &format!("{at}/{name}"), found);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                places(item, &format!("{at}/{index}"), found);
            }
        }
        _ => {}
    }
}

/// Whether a schema can see what the loader refuses: not the position of a step, nor a time that
/// only begins like one.
fn can_tell(refused: &LoadError) -> bool {
    let is_position = refused.code == Code::BadValue && refused.position.ends_with("].index");
    !is_position && refused.position != "meta.createdAt"
}

/// What schema and loader say of a file, where one takes it and the other does not.
fn quarrel(file: &Value) -> Option<String> {
    let valid = VALIDATOR.validate(file);
    match (load(file.to_string().as_bytes()), valid) {
        (Ok(_), Err(error)) => Some(format!("loads, but {error} at {}", error.instance_path())),
        (Err(error), Ok(())) if can_tell(&error) => Some(format!("valid, but {error}")),
        _ => None,
    }
}

// REP-089: every grammatical form loads and is valid.
#[test]
fn every_fixture_is_valid() {
    for file in fixtures() {
        load(file.to_string().as_bytes()).unwrap();
        VALIDATOR
            .validate(&file)
            .unwrap_or_else(|error| panic!("{error}: {file:#}"));
    }
    let counts = [file(), actions()].map(|file| file["steps"].as_array().map_or(0, Vec::len));
    assert_eq!(counts, [2, 15]);
}

// REP-089, REP-092: whatever single thing is changed, schema and loader say the same.
#[test]
fn each_change_of_one_value_is_judged_alike() {
    let mut values = vec![
        json!(null),
        json!(true),
        json!(0),
        json!(1),
        json!(-1),
        json!(1.5),
        json!(2),
        json!(9_007_199_254_740_993_u64),
        json!([]),
        json!({}),
        json!([{}]),
        json!([""]),
    ];
    values.extend(
        [
            "",
            " ",
            "\u{85}",
            "\u{feff}",
            "x",
            "up",
            "line",
            "page",
            "visual",
            "browser",
            "android",
            "com.example.app",
            "com",
            "http://a.test/b",
            "http://a.test",
            "http://ann@a.test/",
            " http://a.test",
            "ftp://a.test/",
            "2026-11-30",
            "11/30/2026",
            "node-value",
            "click",
            "scroll",
            "navigate",
            "page-url",
        ]
        .map(Value::from),
    );
    let mut changes = Vec::new();
    for fixture in fixtures() {
        let mut found = Vec::new();
        places(&fixture, "", &mut found);
        for place in &found {
            for value in &values {
                let mut changed = fixture.clone();
                *changed.pointer_mut(place).unwrap() = value.clone();
                changes.push((format!("{place} = {value}"), changed));
            }
            let (parent, name) = place.rsplit_once('/').unwrap();
            let mut without = fixture.clone();
            if let Some(Value::Object(fields)) = without.pointer_mut(parent) {
                fields.remove(name);
                changes.push((format!("{place} removed"), without));
            }
            if fixture.pointer(place).is_some_and(Value::is_object) {
                for name in [
                    "unheardOf",
                    "identifier",
                    "roleHint",
                    "tag",
                    "url",
                    "scope",
                    "value",
                ] {
                    let more = more_of(&fixture, place, name);
                    changes.push((format!("{place} with {name}"), more));
                }
            }
        }
    }
    assert!(changes.len() > 5_000, "{}", changes.len());
    let quarrels: Vec<String> = changes
        .iter()
        .filter_map(|(change, file)| Some(format!("{change}: {}", quarrel(file)?)))
        .collect();
    assert_eq!(quarrels, [""; 0]);
}

/// A fixture with one field more.
fn more_of(fixture: &Value, place: &str, name: &str) -> Value {
    let mut more = fixture.clone();
    let fields = more.pointer_mut(place).and_then(Value::as_object_mut);
    fields.unwrap().entry(name).or_insert("x".into());
    more
}

// REP-083
#[test]
fn a_newer_version_is_invalid() {
    let mut newer = file();
    newer["schemaVersion"] = 2.into();
    assert!(!VALIDATOR.is_valid(&newer));
}
