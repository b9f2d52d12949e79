//! The format: what is written is read back, and what is not of it is refused.

use proptest::prelude::*;
use qa_replay::{Code, DriverWord, Scenario, any_scenario, load};
use serde_json::Value;

use super::config;

fn any_file() -> impl Strategy<Value = Scenario> {
    prop_oneof![
        any_scenario(DriverWord::Browser).boxed(),
        any_scenario(DriverWord::Android).boxed(),
        any_scenario(DriverWord::Ios).boxed(),
        any_scenario(DriverWord::Computer).boxed(),
    ]
}

/// The JSON pointers of all values that `is` picks.
fn places(value: &Value, at: &str, is: fn(&Value) -> bool, found: &mut Vec<String>) {
    if is(value) {
        found.push(at.to_owned());
    }
    let inner: Vec<(String, &Value)> = match value {
        Value::Object(fields) => fields
            .iter()
            .map(|(name, field)| (name.clone(), field))
            .collect(),
        Value::Array(items) => (0..)
            .zip(items)
            .map(|(n, item): (u32, _)| (n.to_string(), item))
            .collect(),
        _ => Vec::new(),
    };
    for (name, value) in inner {
        places(value, &format!("{at}/{name}"), is, found);
    }
}

fn bytes(value: &Value) -> Vec<u8> {
    serde_json::to_vec(value).unwrap()
}

proptest! {
    #![proptest_config(config())]

    // REP-INV-20
    #[test]
    fn what_is_written_is_read_back_the_same(scenario in any_file()) {
        let pretty = serde_json::to_vec_pretty(&scenario).unwrap();
        let plain = serde_json::to_vec(&scenario).unwrap();
        for written in [pretty, plain] {
            let read = load(&written);
            prop_assert_eq!(read.as_ref(), Ok(&scenario));
        }
    }

    // REP-INV-23
    #[test]
    fn one_unknown_field_at_any_depth_is_refused_without_a_word_of_the_file(
        scenario in any_file(),
        at in any::<prop::sample::Index>(),
        name in "[a-z]{6}Q[a-z]{6}",
        secret in "[a-z]{6}Z[a-z]{6}",
    ) {
        let mut file = serde_json::to_value(&scenario).unwrap();
        let mut found = Vec::new();
        places(&file, "", Value::is_object, &mut found);
        let pointer = &found[at.index(found.len())];
        file.pointer_mut(pointer).unwrap()[&name] = secret.clone().into();
        let error = load(&bytes(&file)).unwrap_err();
        prop_assert_eq!(error.code, Code::UnknownField);
        let told = format!("{error} {error:?}");
        prop_assert!(!told.contains(&name) && !told.contains(&secret), "{}", told);
    }

    // REP-093: whichever text is wrong, it is not told.
    #[test]
    fn a_wrong_value_is_never_told(
        scenario in any_file(),
        at in any::<prop::sample::Index>(),
        secret in "[a-z]{6}Z[a-z]{6}",
    ) {
        let mut file = serde_json::to_value(&scenario).unwrap();
        let mut found = Vec::new();
        places(&file, "", |value| !value.is_object(), &mut found);
        let pointer = &found[at.index(found.len())];
        *file.pointer_mut(pointer).unwrap() = secret.clone().into();
        if let Err(error) = load(&bytes(&file)) {
            let told = format!("{error} {error:?}");
            prop_assert!(!told.contains(&secret), "{}", told);
        }
    }

    // REP-INV-24: the version comes first, whatever else is new in the file.
    #[test]
    fn a_newer_version_is_refused_with_both_numbers(
        scenario in any_file(),
        version in 2..1_000_000_u32,
        more in any::<bool>(),
    ) {
        let mut file = serde_json::to_value(&scenario).unwrap();
        file["schemaVersion"] = version.into();
        if more {
            file["unheardOf"] = true.into();
            file["meta"] = 1.into();
        }
        let error = load(&bytes(&file)).unwrap_err();
        prop_assert_eq!(error.code, Code::Version);
        let numbers = [format!("version {version},"), "up to 1".to_owned()];
        prop_assert!(numbers.iter().all(|number| error.reason.contains(number)), "{}", error);
    }

    // REP-INV-24: an absent version is 1, and stays absent.
    #[test]
    fn an_absent_version_is_the_first_and_stays_absent(mut scenario in any_file()) {
        scenario.schema_version = None;
        let unversioned = load(&serde_json::to_vec(&scenario).unwrap()).unwrap();
        let written = serde_json::to_value(&unversioned).unwrap();
        prop_assert!(written.get("schemaVersion").is_none());
        scenario.schema_version = Some(1);
        let versioned = load(&serde_json::to_vec(&scenario).unwrap()).unwrap();
        prop_assert_eq!(&versioned.steps, &unversioned.steps);
    }
}

#[cfg(feature = "schema")]
mod schema {
    use std::sync::LazyLock;

    use jsonschema::Validator;
    use proptest::collection::vec;

    use super::*;

    static VALIDATOR: LazyLock<Validator> =
        LazyLock::new(|| jsonschema::draft202012::new(&qa_replay::schema()).unwrap());

    proptest! {
        #![proptest_config(config())]

        // REP-089: what the loader reads is valid, whatever was changed in it; what lacks a field
        // or has one too many is not.
        #[test]
        fn schema_and_loader_agree(
            scenario in any_file(),
            changes in vec((any::<prop::sample::Index>(), 0..6_u8), 0..3),
        ) {
            let mut file = serde_json::to_value(&scenario).unwrap();
            for (at, change) in changes {
                let mut found = Vec::new();
                places(&file, "", |_| true, &mut found);
                let pointer = &found[at.index(found.len())];
                let value = file.pointer_mut(pointer).unwrap();
                match (change, value) {
                    (0, Value::Object(fields)) => {
                        let name = fields.keys().next().cloned();
                        fields.remove(&name.unwrap_or_default());
                    }
                    (1, Value::Object(fields)) => {
                        fields.insert("tag".into(), "x".into());
                    }
                    (2, value) => *value = Value::Null,
                    (3, value) => *value = "\u{85} ".into(),
                    (4, Value::Array(items)) => items.clear(),
                    (_, value) => *value = 1.into(),
                }
            }
            let is_valid = VALIDATOR.is_valid(&file);
            match load(&bytes(&file)) {
                Ok(_) => prop_assert!(is_valid, "loads: {:#}", file),
                Err(error) => {
                    let is_seen = matches!(
                        error.code,
                        Code::MissingField | Code::UnknownField | Code::ForeignField | Code::WrongType
                    );
                    prop_assert!(!(is_seen && is_valid), "{}: {:#}", error, file);
                }
            }
        }
    }
}
