//! The fields of a scenario, in the order of the grammar (REP-081 to REP-091).

use qa_core::{Assertion, Claim, PageAddress, PathItem, Predicate, Scope, Valued};
use url::Url;

use super::MAX_STEPS;
use super::error::{Code, LoadError};
use super::fields::{At, Fields};
use super::tree::{Node, Value};
use crate::{
    Action, Advisory, AdvisoryKind, Amount, Direction, DriverWord, Escalation, LoginState, Meta,
    Provenance, ProvenanceSource, SCENARIO_SCHEMA, Scenario, Settings, Step, Target,
};

type Read<T> = Result<T, LoadError>;

const DRIVERS: [(&str, DriverWord); 4] = [
    ("browser", DriverWord::Browser),
    ("computer", DriverWord::Computer),
    ("ios", DriverWord::Ios),
    ("android", DriverWord::Android),
];
const DIRECTIONS: [(&str, Direction); 2] = [("up", Direction::Up), ("down", Direction::Down)];

pub(super) fn scenario(tree: &Node) -> Read<Scenario> {
    let root = At::root(tree);
    // A newer file says so first, whatever else is new in it (REP-084).
    let schema_version = root
        .peek("schemaVersion")
        .map(|at| version(&at))
        .transpose()?;
    let fields = root.object(&[
        "schemaVersion",
        "meta",
        "target",
        "steps",
        "assertions",
        "advisory",
    ])?;
    let meta = meta(&fields.need("meta")?)?;
    let platform = Platform(meta.driver);
    let target = platform.target(&fields.need("target")?)?;
    let steps = platform.steps(&fields.need("steps")?)?;
    let assertions = fields.need("assertions")?.list()?;
    let advisory = fields.get("advisory").map(|at| {
        let items = at.list()?;
        items.iter().map(advisory).collect::<Read<Vec<_>>>()
    });
    Ok(Scenario {
        schema_version,
        meta,
        target,
        steps,
        assertions: assertions
            .iter()
            .map(|at| platform.assertion(at))
            .collect::<Read<_>>()?,
        advisory: advisory.transpose()?,
    })
}

fn version(at: &At<'_>) -> Read<u32> {
    let refuse = |reason: String| Err(at.error(Code::Version, reason));
    let Value::Number(number) = at.node.value else {
        return refuse("it must be a whole number from 1 on".into());
    };
    if number < 1.0 || number.fract() != 0.0 {
        return refuse("it must be a whole number from 1 on".into());
    }
    if number > f64::from(SCENARIO_SCHEMA) {
        return refuse(format!(
            "the file has version {number}, but this program reads up to {SCENARIO_SCHEMA}"
        ));
    }
    Ok(SCENARIO_SCHEMA)
}

fn meta(at: &At<'_>) -> Read<Meta> {
    let fields = at.object(&[
        "name",
        "description",
        "driver",
        "createdAt",
        "notes",
        "settle",
    ])?;
    let created = fields.need("createdAt")?;
    let created_at = created.text()?;
    if !is_time(&created_at) {
        return Err(created.bad("it must be a time such as 2026-11-30T08:00:00Z"));
    }
    Ok(Meta {
        name: fields.text("name")?,
        description: fields.need("description")?.any_text()?.to_owned(),
        driver: fields.need("driver")?.word(&DRIVERS)?,
        created_at,
        notes: fields
            .get("notes")
            .map(|at| texts(&at.list()?))
            .transpose()?,
        settle: fields.get("settle").map(|at| settings(&at)).transpose()?,
    })
}

fn is_time(text: &str) -> bool {
    text.parse::<jiff::Timestamp>().is_ok() || text.parse::<jiff::civil::DateTime>().is_ok()
}

fn texts(items: &[At<'_>]) -> Read<Vec<String>> {
    items.iter().map(At::text).collect()
}

fn settings(at: &At<'_>) -> Read<Settings> {
    let fields = at.object(&[
        "budgetMs",
        "quietMs",
        "postChangeQuietMs",
        "intervalMs",
        "adaptiveBudgetMs",
    ])?;
    let figure = |name: &str, least: u64| -> Read<Option<u64>> {
        let Some(at) = fields.get(name) else {
            return Ok(None);
        };
        let value = at.whole()?;
        if value < least {
            return Err(at.bad("it must be greater than 0"));
        }
        Ok(Some(value))
    };
    Ok(Settings {
        budget_ms: figure("budgetMs", 1)?,
        quiet_ms: figure("quietMs", 1)?,
        post_change_quiet_ms: figure("postChangeQuietMs", 1)?,
        interval_ms: figure("intervalMs", 1)?,
        adaptive_budget_ms: figure("adaptiveBudgetMs", 0)?,
    })
}

fn login_state(at: &At<'_>) -> Read<LoginState> {
    let fields = at.object(&["source", "origins"])?;
    let mut origins = Vec::new();
    for origin in fields.need("origins")?.some()? {
        let text = origin.text()?;
        if !is_origin(&text) {
            let reason = "it must be an exact http(s) origin, without path, query or user";
            return Err(origin.bad(reason));
        }
        origins.push(text);
    }
    Ok(LoginState {
        source: fields.text("source")?,
        origins,
    })
}

fn is_origin(text: &str) -> bool {
    let rest = web(text).unwrap_or_default();
    !rest.is_empty() && !rest.contains(['/', '\\', '?', '#', '*'])
}

/// What follows the scheme in an http(s) address without a user. It is written as all programs
/// read it: what a browser would mend first (white space around it, missing slashes) is none.
fn web(text: &str) -> Option<&str> {
    let url = Url::parse(text).ok()?;
    let (scheme, rest) = text.split_once("://")?;
    let is_web = scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https");
    let authority = rest.split(['/', '\\', '?', '#']).next()?;
    let is_plain = !authority.is_empty() && !authority.contains(|c| c <= ' ' || c == '@');
    let is_whole = url.host_str().is_some() && !text.contains(|c| c < ' ') && !text.ends_with(' ');
    (is_web && is_plain && is_whole).then_some(rest)
}

fn address(at: &At<'_>) -> Read<String> {
    let text = at.text()?;
    if web(&text).is_none() {
        return Err(at.bad("it must be an http(s) address without a user"));
    }
    Ok(text)
}

fn advisory(at: &At<'_>) -> Read<Advisory> {
    let fields = at.object(&["kind", "question", "description"])?;
    Ok(Advisory {
        kind: fields
            .need("kind")?
            .word(&[("visual", AdvisoryKind::Visual)])?,
        question: fields.text("question")?,
        description: fields.optional_text("description")?,
    })
}

/// What depends on the platform that a scenario is for.
#[derive(Debug, Clone, Copy)]
struct Platform(DriverWord);

impl Platform {
    fn is_phone(self) -> bool {
        matches!(self.0, DriverWord::Ios | DriverWord::Android)
    }

    fn target(self, at: &At<'_>) -> Read<Target> {
        let fields = at.object(&["launch", "loginState", "windowTitle", "deviceId"])?;
        fields.foreign("loginState", self.0 != DriverWord::Browser)?;
        fields.foreign("windowTitle", self.0 != DriverWord::Computer)?;
        fields.foreign("deviceId", !self.is_phone())?;
        let launch = fields.need("launch")?;
        Ok(Target {
            launch: match self.0 {
                DriverWord::Browser => address(&launch)?,
                DriverWord::Android => package(&launch)?,
                DriverWord::Computer | DriverWord::Ios => launch.text()?,
            },
            login_state: fields
                .get("loginState")
                .map(|at| login_state(&at))
                .transpose()?,
            window_title: fields.optional_text("windowTitle")?,
            device_id: fields.optional_text("deviceId")?,
        })
    }

    fn steps(self, at: &At<'_>) -> Read<Vec<Step>> {
        let items = at.some()?;
        if items.len() > MAX_STEPS {
            let reason = format!("there are more than {MAX_STEPS} steps");
            return Err(at.error(Code::TooLarge, reason));
        }
        items
            .iter()
            .zip(1..)
            .map(|(at, number)| self.step(at, number))
            .collect()
    }

    fn step(self, at: &At<'_>, number: u64) -> Read<Step> {
        let fields = at.object(&["index", "intent", "action", "assert", "escalationRefused"])?;
        let index = fields.need("index")?;
        if index.whole()? != number {
            return Err(index.bad(format!("it must be {number}, the position of its step")));
        }
        Ok(Step {
            index: number,
            intent: fields.text("intent")?,
            action: self.action(&fields.need("action")?)?,
            assert: self.assertion(&fields.need("assert")?)?,
            escalation_refused: fields
                .get("escalationRefused")
                .map(|at| escalation(&at))
                .transpose()?,
        })
    }

    fn action(self, at: &At<'_>) -> Read<Action> {
        const KINDS: [(&str, &[&str]); 13] = [
            ("click", &["target"]),
            ("focus", &["target"]),
            ("hover", &["target"]),
            ("fill", &["target", "text"]),
            ("type", &["target", "text"]),
            ("press", &["target", "key"]),
            ("key", &["target", "key", "modifiers"]),
            ("select", &["target", "option"]),
            ("navigate", &["url"]),
            ("scroll", &["target", "direction", "amount"]),
            ("visual_click", &["targetDescription", "provenance"]),
            (
                "visual_drag",
                &["targetDescription", "toDescription", "provenance"],
            ),
            (
                "visual_scroll",
                &["targetDescription", "direction", "amount", "provenance"],
            ),
        ];
        let kinds = KINDS.map(|(kind, _)| (kind, kind));
        let kind = kind(at, &kinds)?;
        let known = KINDS.iter().find(|(known, _)| *known == kind);
        let mut names = vec!["kind"];
        names.extend(known.iter().flat_map(|(_, names)| names.iter()));
        let fields = at.object(&names)?;
        let target = || self.predicate(&fields.need("target")?);
        Ok(match kind {
            "click" => Action::Click { target: target()? },
            "focus" => Action::Focus { target: target()? },
            "hover" => Action::Hover { target: target()? },
            "fill" => Action::Fill {
                target: target()?,
                text: fields.need("text")?.any_text()?.to_owned(),
            },
            "type" => Action::Type {
                target: target()?,
                text: fields.text("text")?,
            },
            "press" => Action::Press {
                target: target()?,
                key: fields.text("key")?,
            },
            "key" => Action::Key {
                target: target()?,
                key: fields.text("key")?,
                modifiers: fields
                    .get("modifiers")
                    .map(|at| texts(&at.list()?))
                    .transpose()?,
            },
            "select" => Action::Select {
                target: target()?,
                option: fields.text("option")?,
            },
            "navigate" => Action::Navigate {
                url: address(&fields.need("url")?)?,
            },
            "scroll" => self.scroll(at, &fields)?,
            "visual_click" => Action::VisualClick {
                target_description: fields.text("targetDescription")?,
                provenance: provenance(&fields)?,
            },
            "visual_drag" => Action::VisualDrag {
                target_description: fields.text("targetDescription")?,
                to_description: fields.text("toDescription")?,
                provenance: provenance(&fields)?,
            },
            _ => Action::VisualScroll {
                target_description: fields.text("targetDescription")?,
                direction: fields.need("direction")?.word(&DIRECTIONS)?,
                amount: amount(&fields, true)?,
                provenance: provenance(&fields)?,
            },
        })
    }

    fn scroll(self, at: &At<'_>, fields: &Fields<'_>) -> Read<Action> {
        let target = fields
            .get("target")
            .map(|at| self.predicate(&at))
            .transpose()?;
        let direction = fields
            .get("direction")
            .map(|at| at.word(&DIRECTIONS))
            .transpose()?;
        if target.is_none() && direction.is_none() {
            return Err(at.bad("a scroll needs a target, a direction, or both"));
        }
        if let Some(amount) = fields.get("amount").filter(|_| direction.is_none()) {
            return Err(amount.bad("it needs a direction"));
        }
        Ok(Action::Scroll {
            amount: amount(fields, target.is_some())?,
            target,
            direction,
        })
    }

    fn assertion(self, at: &At<'_>) -> Read<Assertion> {
        const KINDS: [&str; 5] = [
            "node-present",
            "node-absent",
            "node-in-viewport",
            "node-value",
            "page-url",
        ];
        let kind = kind(at, &KINDS.map(|kind| (kind, kind)))?;
        let fields = at.object(&["kind", "expected", "description", "scope"])?;
        let expected = fields.need("expected")?;
        Ok(Assertion {
            claim: match kind {
                "node-present" => Claim::NodePresent(self.predicate(&expected)?),
                "node-absent" => Claim::NodeAbsent(self.predicate(&expected)?),
                "node-in-viewport" => Claim::NodeInViewport(self.predicate(&expected)?),
                "node-value" => Claim::NodeValue(self.valued(&expected)?),
                _ => Claim::PageUrl(place(&expected)?),
            },
            description: fields.optional_text("description")?,
            scope: fields.get("scope").map(|at| scope(&at)).transpose()?,
        })
    }

    fn predicate(self, at: &At<'_>) -> Read<Predicate> {
        let fields = at.object(&["role", "name", "tag", "identifier", "roleHint"])?;
        self.matchers(at, &fields)
    }

    fn valued(self, at: &At<'_>) -> Read<Valued> {
        let fields = at.object(&["role", "name", "tag", "identifier", "value"])?;
        Ok(Valued {
            node: self.matchers(at, &fields)?,
            value: fields.need("value")?.any_text()?.to_owned(),
        })
    }

    fn matchers(self, at: &At<'_>, fields: &Fields<'_>) -> Read<Predicate> {
        fields.foreign("identifier", !self.is_phone())?;
        let predicate = Predicate {
            role: fields.optional_text("role")?,
            name: fields.optional_text("name")?,
            tag: fields.optional_text("tag")?,
            identifier: fields.optional_text("identifier")?,
            role_hint: fields.optional_text("roleHint")?,
        };
        let matchers = [
            &predicate.role,
            &predicate.name,
            &predicate.tag,
            &predicate.identifier,
        ];
        if matchers.into_iter().all(Option::is_none) {
            return Err(at.bad("it would match everything: give role, name, tag or identifier"));
        }
        Ok(predicate)
    }
}

/// The word that says which fields an object has.
fn kind<'w>(at: &At<'_>, words: &[(&'w str, &'w str)]) -> Read<&'w str> {
    match at.peek("kind") {
        Some(kind) => kind.word(words),
        // The object says by itself what is wrong with it.
        None => at.object(&["kind"])?.need("kind")?.word(words),
    }
}

fn package(at: &At<'_>) -> Read<String> {
    let text = at.text()?;
    let is_part = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
            && part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
    };
    let begins = text.starts_with(|c: char| c.is_ascii_alphabetic());
    if !begins || !text.contains('.') || !text.split('.').all(is_part) {
        return Err(at.bad("it must be a package name such as com.example.app"));
    }
    Ok(text)
}

fn escalation(at: &At<'_>) -> Read<Escalation> {
    let fields = at.object(&["reason", "code"])?;
    Ok(Escalation {
        reason: fields.text("reason")?,
        code: fields.optional_text("code")?,
    })
}

fn amount(fields: &Fields<'_>, has_target: bool) -> Read<Option<Amount>> {
    let Some(at) = fields.get("amount") else {
        return Ok(None);
    };
    let amount = match &at.node.value {
        Value::Text(word) if word == "line" && has_target => Amount::Line,
        Value::Text(word) if word == "page" => Amount::Page,
        Value::Text(word) if word == "line" => {
            return Err(at.bad("a line needs a target to scroll in"));
        }
        Value::Number(units) if *units >= 0.0 => Amount::Units(*units),
        Value::Text(_) | Value::Number(_) => {
            return Err(at.bad("it must be line, page, or a number that is not negative"));
        }
        _ => return Err(at.error(Code::WrongType, "it must be a word or a number")),
    };
    Ok(Some(amount))
}

fn provenance(fields: &Fields<'_>) -> Read<Option<Provenance>> {
    let Some(at) = fields.get("provenance") else {
        return Ok(None);
    };
    let fields = at.object(&["source", "provider", "model", "confidence"])?;
    let confidence = match fields.get("confidence") {
        None => None,
        Some(at) => {
            let number = at.number()?;
            if !(0.0..=1.0).contains(&number) {
                return Err(at.bad("it must lie between 0 and 1"));
            }
            Some(number)
        }
    };
    Ok(Some(Provenance {
        source: fields.need("source")?.word(&[
            ("model-grounding", ProvenanceSource::ModelGrounding),
            ("harness-point", ProvenanceSource::HarnessPoint),
            ("replay-grounding", ProvenanceSource::ReplayGrounding),
        ])?,
        provider: fields.optional_text("provider")?,
        model: fields.optional_text("model")?,
        confidence,
    }))
}

fn place(at: &At<'_>) -> Read<PageAddress> {
    let fields = at.object(&["url", "contains"])?;
    match (fields.get("url"), fields.get("contains")) {
        (Some(url), None) => Ok(PageAddress::Url(address(&url)?)),
        (None, Some(part)) => Ok(PageAddress::Contains(part.text()?)),
        _ => Err(at.bad("it needs exactly one of url and contains")),
    }
}

fn scope(at: &At<'_>) -> Read<Scope> {
    let fields = at.object(&["role", "name", "tag", "path"])?;
    let path = fields.get("path").map(|at| {
        let items = at.some()?;
        items.iter().map(path_item).collect::<Read<Vec<_>>>()
    });
    Ok(Scope {
        role: fields.text("role")?,
        name: fields.need("name")?.any_text()?.to_owned(),
        tag: fields.optional_text("tag")?,
        path: path.transpose()?,
    })
}

fn path_item(at: &At<'_>) -> Read<PathItem> {
    let fields = at.object(&["role", "name", "tag"])?;
    let name = fields
        .get("name")
        .map(|at| at.any_text().map(str::to_owned));
    Ok(PathItem {
        role: fields.text("role")?,
        name: name.transpose()?,
        tag: fields.optional_text("tag")?,
    })
}
