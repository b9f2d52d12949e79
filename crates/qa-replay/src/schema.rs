//! The JSON Schema of the scenario format, made from its types (REP-089). The types say which
//! fields there are; what else the loader asks for is a condition here.
//!
//! It says less than the loader: not that an `index` is the position of its step, nor what of JSON
//! would be lost, nor what makes a time.

use std::borrow::Cow;

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value, json};

use crate::{Amount, MAX_STEPS, SCENARIO_SCHEMA, Scenario};

/// A text that says something: one character at least that is no white space.
const SAYS: &str = r"[^\t-\r \u0085\u00A0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000]";
/// An http(s) address without a user.
const ADDRESS: &str = r"^[Hh][Tt][Tt][Pp][Ss]?://[^/\\?#@\u0000-\u0020]+([/\\?#]([^\u0000-\u001F]*[^\u0000-\u0020])?)?$";
/// An http(s) origin.
const ORIGIN: &str = r"^[Hh][Tt][Tt][Pp][Ss]?://[^/\\?#@*\u0000-\u0020]+$";
/// An Android package (D-12).
const PACKAGE: &str = r"^[A-Za-z][A-Za-z0-9_]*(\.[A-Za-z0-9_]+)+$";
/// How a time begins.
const TIME: &str = r"^([+-][0-9]{2})?[0-9]{4}-?[0-9]{2}-?[0-9]{2}";
/// Whole numbers beyond this are not read.
const MAX_WHOLE: u64 = (1 << 53) - 1;

impl JsonSchema for Amount {
    fn schema_name() -> Cow<'static, str> {
        "Amount".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "How far to scroll: a line, what fits on the screen, or so many pixels.",
            "oneOf": [
                {"enum": ["line", "page"]},
                {"type": "number", "minimum": 0, "maximum": MAX_WHOLE},
            ],
        })
    }
}

/// The JSON Schema (draft 2020-12) of scenario files.
///
/// What [`load`](crate::load) reads is valid by it. What it refuses for the fields of a file is
/// invalid, as far as a schema can tell.
///
/// ```
/// let schema = qa_replay::schema();
/// assert_eq!(schema["properties"]["steps"]["minItems"], 1);
/// ```
#[must_use]
pub fn schema() -> Value {
    let generator = SchemaSettings::draft2020_12()
        .for_serialize()
        .into_generator();
    let mut schema = generator.into_root_schema_for::<Scenario>().to_value();
    close(&mut schema);
    limit(&mut schema);
    relate(&mut schema);
    schema["allOf"] = platforms();
    schema
}

/// Closes all objects, takes `null` out, and lets no text be empty.
fn close(schema: &mut Value) {
    match schema {
        Value::Array(items) => items.iter_mut().for_each(close),
        Value::Object(fields) => {
            fields.values_mut().for_each(close);
            not_null(fields);
            fields.remove("format");
            let is = |kind: &str| fields.get("type").is_some_and(|found| found == kind);
            if is("object") {
                fields.insert("additionalProperties".into(), false.into());
            } else if is("string") && !fields.contains_key("const") && !fields.contains_key("enum")
            {
                fields.insert("pattern".into(), SAYS.into());
            }
        }
        _ => {}
    }
}

/// What is optional is absent, and never `null`.
fn not_null(fields: &mut Map<String, Value>) {
    let null = json!({"type": "null"});
    if let Some(Value::Array(types)) = fields.get("type")
        && let [one, Value::String(other)] = &types[..]
        && other == "null"
    {
        let one = one.clone();
        fields.insert("type".into(), one);
    }
    if let Some(Value::Array(choices)) = fields.get("anyOf")
        && let [Value::Object(one), other] = &choices[..]
        && *other == null
    {
        let one = one.clone();
        fields.remove("anyOf");
        fields.extend(one);
    }
}

/// What a single value must be.
fn limit(schema: &mut Value) {
    for place in [
        "/Meta/properties/description",
        "/Scope/properties/name",
        "/PathItem/properties/name",
        "/Valued/properties/value",
    ] {
        fields(at(schema, place)).remove("pattern");
    }
    fields(&mut action(schema, "fill")["properties"]["text"]).remove("pattern");
    action(schema, "navigate")["properties"]["url"]["pattern"] = ADDRESS.into();
    at(schema, "/PageAddress/oneOf/0/properties/url")["pattern"] = ADDRESS.into();
    at(schema, "/Meta/properties/createdAt")["pattern"] = TIME.into();
    let origins = at(schema, "/LoginState/properties/origins");
    origins["items"]["pattern"] = ORIGIN.into();
    origins["minItems"] = 1.into();
    at(schema, "/Scope/properties/path")["minItems"] = 1.into();
    let index = at(schema, "/Step/properties/index");
    index["minimum"] = 1.into();
    index["maximum"] = MAX_STEPS.into();
    let confidence = at(schema, "/Provenance/properties/confidence");
    confidence["minimum"] = 0.into();
    confidence["maximum"] = 1.into();
    for (name, figure) in fields(at(schema, "/Settings/properties")) {
        figure["minimum"] = u8::from(name != "adaptiveBudgetMs").into();
        figure["maximum"] = MAX_WHOLE.into();
    }
    let version = &mut schema["properties"]["schemaVersion"];
    version["minimum"] = 1.into();
    version["maximum"] = SCENARIO_SCHEMA.into();
    let steps = &mut schema["properties"]["steps"];
    steps["minItems"] = 1.into();
    steps["maxItems"] = MAX_STEPS.into();
}

/// What the fields of one object must be together.
fn relate(schema: &mut Value) {
    let one_of_four = json!([
        {"required": ["role"]},
        {"required": ["name"]},
        {"required": ["tag"]},
        {"required": ["identifier"]},
    ]);
    at(schema, "/Predicate")["anyOf"] = one_of_four.clone();
    let valued = at(schema, "/Valued");
    valued["anyOf"] = one_of_four;
    fields(&mut valued["properties"]).remove("roleHint");

    let scroll = action(schema, "scroll");
    scroll["anyOf"] = json!([{"required": ["target"]}, {"required": ["direction"]}]);
    scroll["dependentRequired"] = json!({"amount": ["direction"]});
    scroll["if"] = json!({"properties": {"amount": {"const": "line"}}, "required": ["amount"]});
    scroll["then"] = json!({"required": ["target"]});

    // The fields beside the claim stand in each form of it, so that the forms can be closed.
    let assertion = at(schema, "/Assertion");
    let shared = fields(assertion).remove("properties");
    for field in ["type", "additionalProperties"] {
        fields(assertion).remove(field);
    }
    for form in assertion["oneOf"].as_array_mut().into_iter().flatten() {
        let shared = shared.as_ref().and_then(Value::as_object).cloned();
        fields(&mut form["properties"]).extend(shared.unwrap_or_default());
    }
}

/// What depends on the platform word (REP-087, REP-090).
fn platforms() -> Value {
    let no_identifier = json!({"properties": {"identifier": false}});
    let expected = json!({"properties": {"expected": no_identifier}});
    let nowhere = json!({
        "steps": {"items": {"properties": {
            "action": {"properties": {"target": no_identifier}},
            "assert": expected,
        }}},
        "assertions": {"items": expected},
    });
    let platform = |word: &str, target: Value, has_identifiers: bool| {
        let mut then = if has_identifiers {
            json!({})
        } else {
            nowhere.clone()
        };
        then["target"] = json!({"properties": target});
        let is_word = json!({"properties": {"driver": {"const": word}}, "required": ["driver"]});
        json!({
            "if": {"properties": {"meta": is_word}, "required": ["meta"]},
            "then": {"properties": then},
        })
    };
    json!([
        platform(
            "browser",
            json!({"launch": {"pattern": ADDRESS}, "windowTitle": false, "deviceId": false}),
            false,
        ),
        platform(
            "computer",
            json!({"loginState": false, "deviceId": false}),
            false
        ),
        platform(
            "ios",
            json!({"loginState": false, "windowTitle": false}),
            true
        ),
        platform(
            "android",
            json!({"launch": {"pattern": PACKAGE}, "loginState": false, "windowTitle": false}),
            true,
        ),
    ])
}

/// A place below the definitions of the types. It is there, whatever is loaded: the types are ours.
fn at<'s>(schema: &'s mut Value, place: &str) -> &'s mut Value {
    let there = schema["$defs"].pointer_mut(place);
    there.unwrap_or_else(|| panic!("the types have no {place}"))
}

fn fields(schema: &mut Value) -> &mut Map<String, Value> {
    let fields = schema.as_object_mut();
    fields.expect("a schema of ours is an object")
}

/// The form of one kind of action.
fn action<'s>(schema: &'s mut Value, kind: &str) -> &'s mut Value {
    let forms = at(schema, "/Action/oneOf").as_array_mut();
    let form = forms
        .into_iter()
        .flatten()
        .find(|form| form["properties"]["kind"]["const"] == kind);
    form.unwrap_or_else(|| panic!("the types have no action {kind}"))
}
