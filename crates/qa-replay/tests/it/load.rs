//! Loading: whatever is added to a file is refused, and nothing of it is told.

use proptest::prelude::*;
use qa_replay::{Claim, Code, PageAddress, Scenario, load};
use serde_json::{Value, json};

/// A scenario that has nearly every field.
pub(crate) fn file() -> Value {
    json!({
        "schemaVersion": 1,
        "meta": {
            "name": "shop", "description": "", "driver": "browser",
            "createdAt": "2026-11-30T08:00:00.000Z", "notes": ["a note"],
            "settle": {"budgetMs": 90000, "adaptiveBudgetMs": 0},
        },
        "target": {
            "launch": "http://127.0.0.1:8080/",
            "loginState": {"source": "state.json", "origins": ["https://a.test"]},
        },
        "steps": [
            {
                "index": 1, "intent": "Fill it.",
                "action": {"kind": "fill", "target": {"role": "textbox", "name": "Title"}, "text": ""},
                "assert": {
                    "kind": "node-value",
                    "expected": {"role": "textbox", "name": "Title", "value": ""},
                    "scope": {"role": "main", "name": "", "path": [{"role": "region", "name": ""}]},
                },
            },
            {
                "index": 2, "intent": "Scroll.",
                "action": {"kind": "scroll", "target": {"tag": "nav"}, "direction": "up", "amount": 2.5},
                "assert": {"kind": "page-url", "expected": {"contains": "/a"}},
                "escalationRefused": {"reason": "target-not-returned", "code": "REF_EXPIRED"},
            },
        ],
        "assertions": [{"kind": "node-absent", "expected": {"role": "alert"}, "description": "none"}],
        "advisory": [{"kind": "visual", "question": "Is it there?"}],
    })
}

/// The JSON pointers of all objects.
fn objects(value: &Value, at: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            found.push(at.to_owned());
            for (name, field) in fields {
                objects(field, &format!("{at}/{name}"), found);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                objects(item, &format!("{at}/{index}"), found);
            }
        }
        _ => {}
    }
}

// REP-INV-20
#[test]
fn what_is_read_is_written_back_the_same() {
    let scenario = load(file().to_string().as_bytes()).unwrap();
    assert_eq!(serde_json::to_value(&scenario).unwrap(), file());
    let mut plain = file();
    for optional in ["schemaVersion", "advisory"] {
        plain.as_object_mut().unwrap().remove(optional);
    }
    let scenario = load(plain.to_string().as_bytes()).unwrap();
    assert_eq!(serde_json::to_value(&scenario).unwrap(), plain);
}

// REP-083, REP-084, REP-INV-24
#[test]
fn a_newer_version_says_so_before_anything_else() {
    let mut newer = file();
    newer["schemaVersion"] = 2.into();
    newer["meta"]["unheardOf"] = true.into();
    let error = load(newer.to_string().as_bytes()).unwrap_err();
    assert_eq!(error.code, Code::Version);
    assert!(
        error.reason.contains('2') && error.reason.contains('1'),
        "{error}"
    );
}

// REP-087, REP-142: an address that a browser would mend first is none
#[test]
fn an_address_is_written_as_all_programs_read_it() {
    let check = |pointer: &str, text: &str, is_taken: bool| {
        let mut file = file();
        *file.pointer_mut(pointer).unwrap() = text.into();
        let loaded = load(file.to_string().as_bytes());
        assert_eq!(loaded.is_ok(), is_taken, "{pointer} {text:?}: {loaded:?}");
    };
    for text in [
        " http://a.test/",
        "http://a.test/ ",
        "http:a.test",
        "http:///a.test",
        "ht\ntp://a.test/",
        "http://a.test/\t",
        "http://@a.test/",
        "http://ann:x@a.test/",
        "http://",
        "javascript://a.test/",
        "data:text/html,http://a.test/",
    ] {
        check("/target/launch", text, false);
        check("/target/loginState/origins/0", text, false);
    }
    for text in ["HTTPS://A.test", "http://[::1]:80"] {
        check("/target/launch", text, true);
        check("/target/loginState/origins/0", text, true);
    }
    for text in [
        "http://a.test/?q=a b#/c@d",
        "http://a.test\\b",
        "http://搜索.test/",
    ] {
        check("/target/launch", text, true);
    }
    for text in ["http://a.test\\b", "http://a.test/", "http://*.a.test"] {
        check("/target/loginState/origins/0", text, false);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    // REP-093, REP-INV-23
    #[test]
    fn one_unknown_field_anywhere_is_refused_without_a_word_of_it(
        at in any::<prop::sample::Index>(),
        name in "[a-z]{6}Q[a-z]{6}",
        secret in "[a-z]{6}Z[a-z]{6}",
    ) {
        let mut file = file();
        let mut found = Vec::new();
        objects(&file, "", &mut found);
        let pointer = &found[at.index(found.len())];
        file.pointer_mut(pointer).unwrap()[&name] = secret.clone().into();
        let error = load(file.to_string().as_bytes()).unwrap_err();
        prop_assert_eq!(error.code, Code::UnknownField);
        let told = format!("{error} {error:?}");
        prop_assert!(!told.contains(&name) && !told.contains(&secret), "{}", told);
    }

    // REP-092: no bytes make it panic, and what is cut off is never a scenario
    #[test]
    fn any_bytes_are_loaded_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200), end in any::<prop::sample::Index>()) {
        let _ = load(&bytes);
        let whole = file().to_string();
        let cut = &whole.as_bytes()[..end.index(whole.len())];
        prop_assert!(load(cut).is_err());
    }
}

// REP-087: an address may be spelled in more than one way, a browser shows one.
#[test]
fn addresses_are_compared_as_a_browser_shows_them() {
    let mut file = file();
    file["target"]["launch"] = "HTTP://A.test:80".into();
    file["assertions"] = json!([{"kind": "page-url", "expected": {"url": "http://A.TEST/./next"}}]);
    let scenario = load(file.to_string().as_bytes()).unwrap();
    let url_of = |scenario: &Scenario| match &scenario.assertions[0].claim {
        Claim::PageUrl(PageAddress::Url(url)) => url.clone(),
        other => panic!("{other:?}"),
    };
    let shown = scenario.as_shown();
    assert_eq!(
        (&shown.target.launch[..], &url_of(&shown)[..]),
        ("http://a.test/", "http://a.test/next")
    );
    let moved = scenario.moved("http://a.test", "http://b.test:81", "http://b.test:81/x");
    assert_eq!(
        (&moved.target.launch[..], &url_of(&moved)[..]),
        ("http://b.test:81/x", "http://b.test:81/next")
    );
}
