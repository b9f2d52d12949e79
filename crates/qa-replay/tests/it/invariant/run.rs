//! Runs: whatever the app, the scenario and the wire are like.

use async_trait::async_trait;
use futures_executor::block_on;
use proptest::collection::vec;
use proptest::prelude::*;
use qa_core::{
    Advice, AdvisorError, Claim, Located, Opinion, Picture, Predicate, ReceiptStatus, StopSignal,
    Verdict, VisionAdvisor, locate,
};
use qa_redact::{Redactor, RedactorConfig, Secret};
use qa_replay::{
    Action, Advisory, AdvisoryKind, Attempt, Case, ReplayOptions, ReplayPorts, RunReport,
    RunStatus, Scenario, Step, Suite, junit, markdown, replay_advised, suite_markdown,
};
use qa_sim::{Aftermath, Effect, Element, Quirk, Screen, SimApp, SimDriver};
use serde_json::{Value, json};

use super::config;
use super::wire::{Call, Trouble, Wire, any_trouble};
use crate::play::scenario;

const UNSTABLE: &str = "INCONCLUSIVE_UNSTABLE";
/// Codes that say that a view cannot tell.
const UNPROVEN: [&str; 3] = [
    "INCONCLUSIVE_TRUNCATED",
    "INCONCLUSIVE_SCOPE",
    "COVERAGE_UNVERIFIED",
];

fn any_name() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "Add", "Add", "Next", "Save", "Pay now", "Note", "Cart",
    ])
}

fn any_effect() -> impl Strategy<Value = Effect> {
    let add = || Effect::Add("count".into(), 1);
    prop_oneof![
        6 => Just(add()),
        2 => Just(Effect::Go("second".into())),
        2 => Just(Effect::Replace("home".into())),
        2 => (0..7_000_u64).prop_map(move |ms| Effect::After(ms, vec![add()])),
        1 => prop::sample::select(vec!["js", "gone"]).prop_map(|name| Effect::Fault(name.into())),
    ]
}

fn any_quirk() -> impl Strategy<Value = Option<Quirk>> {
    prop_oneof![
        10 => Just(None),
        1 => Just(Some(Quirk::Obscured)),
        1 => Just(Some(Quirk::Rejected("RULE".into()))),
        2 => Just(Some(Quirk::UnknownButDone)),
        1 => Just(Some(Quirk::UnknownAndLost)),
    ]
}

fn any_element() -> impl Strategy<Value = Element> {
    let button = || {
        (0..20_u8, any_name(), any_effect(), any_quirk()).prop_map(|(id, name, effect, quirk)| {
            Element {
                quirk,
                trap: name == "Pay now",
                ..Element::button(&format!("b{id}"), name, [effect])
            }
        })
    };
    prop_oneof![
        5 => button(),
        2 => Just(Element::text("count", "{count} things")),
        2 => Just(Element::field("note", "Note", "text", false)),
        2 => (any_name(), vec(button(), 0..3)).prop_map(|(name, children)| Element {
            children,
            ..Element::new("list", "cart", name)
        }),
        1 => Just(Element::text("flicker", "{flicker}")),
    ]
}

/// What a plain app has on its screen: names that tell its elements apart.
fn plain_screen() -> impl Strategy<Value = Vec<Element>> {
    let add = || Effect::Add("count".into(), 1);
    let late = prop_oneof![2 => Just(0), 1 => 0..2_000_u64];
    (late, any_quirk()).prop_map(move |(late, quirk)| {
        let effect = if late == 0 {
            add()
        } else {
            Effect::After(late, vec![add()])
        };
        vec![
            Element {
                quirk,
                ..Element::button("add", "Add", [effect])
            },
            Element::text("count", "{count} things"),
            Element::field("note", "Note", "text", false),
            Element::new("list", "cart", "Cart").with(Element::button("save", "Save", [])),
        ]
    })
}

fn any_app() -> impl Strategy<Value = SimApp> {
    let screen = || prop_oneof![plain_screen().boxed(), vec(any_element(), 1..6).boxed(),];
    (screen(), screen()).prop_map(|(home, second)| {
        let screen = |id: &str, elements: Vec<Element>| Screen {
            elements,
            ..Screen::new(id, id)
        };
        SimApp::new("com.example.app", "home")
            .screen(screen("home", home))
            .screen(screen("second", second))
            .fault("js", qa_core::CrashKind::Js, Aftermath::Running, "boom")
            .fault("gone", qa_core::CrashKind::Java, Aftermath::Gone, "boom")
    })
}

fn any_node() -> impl Strategy<Value = Value> {
    prop_oneof![
        4 => any_name().prop_map(|name| json!({"name": name})),
        3 => any_name().prop_map(|name| json!({"role": "button", "name": name})),
        3 => (0..4_u8).prop_map(|n| json!({"role": "text", "name": format!("{n} things")})),
        1 => Just(json!({"role": "textbox"})),
        1 => Just(json!({"role": "alert"})),
    ]
}

fn any_claim() -> impl Strategy<Value = Value> {
    let scope = prop_oneof![
        any_name().prop_map(|name| json!({"role": "list", "name": name})),
        Just(json!({"role": "list", "name": "Cart", "path": [{"role": "list"}]})),
    ];
    let kind = prop::sample::select(vec!["node-present", "node-absent", "node-in-viewport"]);
    let claim = prop_oneof![
        8 => (kind, any_node()).prop_map(|(kind, node)| json!({"kind": kind, "expected": node})),
        1 => prop::sample::select(vec!["", "Ann"]).prop_map(
            |value| json!({"kind": "node-value", "expected": {"name": "Note", "value": value}})
        ),
    ];
    (claim, prop::option::weighted(0.25, scope)).prop_map(|(mut claim, scope)| {
        if let Some(scope) = scope {
            claim["scope"] = scope;
        }
        claim
    })
}

fn any_step() -> impl Strategy<Value = Value> {
    let action = prop_oneof![
        6 => any_name().prop_map(|name| json!({"kind": "click", "target": {"name": name}})),
        2 => any_name().prop_map(
            |name| json!({"kind": "click", "target": {"role": "button", "name": name}})
        ),
        1 => Just(json!({"kind": "fill", "target": {"name": "Note"}, "text": "Ann"})),
        1 => Just(json!({"kind": "press", "target": {"name": "Note"}, "key": "Enter"})),
        1 => Just(json!({"kind": "scroll", "direction": "down"})),
    ];
    (action, any_claim()).prop_map(|(action, claim)| json!({"action": action, "assert": claim}))
}

/// What a plain app does.
fn plain_scenario() -> impl Strategy<Value = Scenario> {
    let count = |n: u8| json!({"role": "text", "name": format!("{n} things")});
    let claim = prop::sample::select(vec![
        json!({"kind": "node-absent", "expected": {"role": "alert"}}),
        json!({"kind": "node-absent", "expected": {"name": "Add"}, "scope": {"role": "list", "name": "Cart"}}),
        json!({"kind": "node-present", "expected": {"name": "Save"}, "scope": {"role": "list", "name": "Cart"}}),
        json!({"kind": "node-value", "expected": {"name": "Note", "value": ""}}),
    ]);
    (1..4_u8, vec(claim, 0..3)).prop_map(move |(steps, claims)| {
        let steps: Vec<Value> = (1..=steps)
            .map(|n| {
                json!({
                    "action": {"kind": "click", "target": {"name": "Add"}},
                    "assert": {"kind": "node-present", "expected": count(n)},
                })
            })
            .collect();
        scenario(&steps, &claims)
    })
}

fn any_scenario() -> impl Strategy<Value = Scenario> {
    let parts = (vec(any_step(), 1..4), vec(any_claim(), 0..3));
    let wild = parts.prop_map(|(steps, claims)| scenario(&steps, &claims));
    prop_oneof![plain_scenario().boxed(), wild.boxed()]
}

fn any_options() -> impl Strategy<Value = ReplayOptions> {
    any::<[bool; 2]>().prop_map(|[strict_uniqueness, fail_on_crash]| ReplayOptions {
        started_at: "2026-11-30T08:00:00Z".into(),
        strict_uniqueness,
        fail_on_crash,
        ..ReplayOptions::default()
    })
}

/// Somebody who always gives the same answer.
struct Model(Result<Advice, AdvisorError>);

#[async_trait]
impl VisionAdvisor for Model {
    async fn ask(&mut self, _: &str, _: &Picture) -> Result<Advice, AdvisorError> {
        self.0.clone()
    }
}

fn any_answer() -> impl Strategy<Value = Result<Advice, AdvisorError>> {
    let verdict = prop::sample::select(vec![Opinion::Yes, Opinion::No, Opinion::Unclear]);
    prop_oneof![
        3 => (verdict, "[a-z# >`]{0,20}").prop_map(|(verdict, reasoning)| Ok(Advice {
            verdict,
            confidence: 0.5,
            reasoning,
            artifact: None,
        })),
        1 => Just(Err(AdvisorError::Unavailable("it is asleep".into()))),
        1 => Just(Err(AdvisorError::Withheld("it is secret".into()))),
    ]
}

/// One run over a wire, and what went over it.
fn run(
    app: &SimApp,
    scenario: &Scenario,
    trouble: &Trouble,
    options: &ReplayOptions,
) -> (RunReport, Vec<Call>) {
    run_advised(app, scenario, trouble, options, None)
}

fn run_advised(
    app: &SimApp,
    scenario: &Scenario,
    trouble: &Trouble,
    options: &ReplayOptions,
    advisor: Option<&mut dyn VisionAdvisor>,
) -> (RunReport, Vec<Call>) {
    let (driver, mut watch) = SimDriver::new(app.clone());
    let (mut wire, log) = Wire::new(driver, trouble.clone());
    let ports = ReplayPorts {
        driver: &mut wire,
        watch: &mut watch,
        stop: &StopSignal::default(),
    };
    let report = block_on(replay_advised(scenario, ports, options, advisor));
    let calls = log.lock().unwrap().clone();
    (report, calls)
}

/// The verdicts of all that was judged, with their codes.
fn verdicts(report: &RunReport) -> Vec<(Verdict, Option<&str>)> {
    let steps = report
        .steps
        .iter()
        .map(|step| (step.status, step.reason.as_deref()));
    let claims = report
        .assertions
        .iter()
        .map(|claim| (claim.status, claim.reason.as_deref()));
    steps.chain(claims).collect()
}

/// What is answered instead of the device where a rule forbids an action.
const REFUSED: [&str; 7] = [
    "CREDENTIAL_ENTRY_REJECTED",
    "DESTRUCTIVE_TARGET",
    "DOWNLOAD_REJECTED",
    "EXTERNAL_COMMIT_TARGET",
    "FILE_UPLOAD_REJECTED",
    "FINANCIAL_TARGET",
    "SECURITY_TARGET",
];

/// The actions that went over the wire, for each step of the report.
fn acts<'c>(report: &RunReport, calls: &'c [Call]) -> Vec<Vec<(usize, &'c Call)>> {
    let mut sent = calls
        .iter()
        .enumerate()
        .filter(|(_, call)| matches!(call, Call::Act(_)));
    let count = |step: &qa_replay::StepResult| {
        let is_sent = step.receipt.as_ref().is_some_and(|receipt| {
            let code = receipt.code.as_deref();
            !code.is_some_and(|code| REFUSED.contains(&code))
        });
        usize::from(is_sent) + step.target_changed_retries.unwrap_or(0) as usize
    };
    report
        .steps
        .iter()
        .map(|step| sent.by_ref().take(count(step)).collect())
        .collect()
}

fn predicate(step: &Step) -> Option<&Predicate> {
    match &step.action {
        Action::Click { target } | Action::Fill { target, .. } | Action::Press { target, .. } => {
            Some(target)
        }
        _ => None,
    }
}

proptest! {
    #![proptest_config(config())]

    // REP-INV-01, REP-INV-02, REP-INV-32, table 26.1
    #[test]
    fn the_status_is_what_the_parts_say(
        app in any_app(),
        scenario in any_scenario(),
        trouble in any_trouble(),
        options in any_options(),
    ) {
        let (report, _) = run(&app, &scenario, &trouble, &options);
        let all = verdicts(&report);
        let has = |wanted: Verdict| all.iter().any(|(verdict, _)| *verdict == wanted);
        if report.status == RunStatus::Pass {
            prop_assert!(all.iter().all(|(verdict, _)| *verdict == Verdict::Pass));
            prop_assert!(report.not_run.is_empty() && report.failure.is_none());
            prop_assert_eq!(report.steps.len(), scenario.steps.len());
            prop_assert_eq!(report.assertions.len(), scenario.assertions.len());
            prop_assert!(!options.fail_on_crash || report.crashes.is_empty());
        }
        if has(Verdict::Fail) {
            prop_assert_eq!(report.status, RunStatus::Fail);
            prop_assert!(report.failure.is_some());
        }
        if report.status == RunStatus::Inconclusive {
            prop_assert!(has(Verdict::Inconclusive) && report.failure.is_none());
        }
        let begun = report.steps.len() as u64;
        let left: Vec<u64> = (begun + 1..=scenario.steps.len() as u64).collect();
        prop_assert_eq!(&report.not_run, &left);
        for (verdict, code) in &all {
            let says_unproven = code.is_some_and(|code| UNPROVEN.contains(&code));
            prop_assert!(!says_unproven || *verdict == Verdict::Inconclusive);
        }
        let failed = report.failure.as_ref().and_then(|failure| failure.code.as_deref());
        prop_assert!(!failed.is_some_and(|code| UNPROVEN.contains(&code)));
        // What a person reads says the same.
        let redactor = Redactor::new(RedactorConfig::default()).unwrap();
        let first = markdown(&report, &redactor).lines().next().unwrap_or_default().to_owned();
        prop_assert!(first.ends_with(report.status.as_str()), "{}", first);
    }

    // REP-INV-03, REP-INV-04, REP-INV-16, REP-INV-19
    #[test]
    fn a_claim_is_proven_only_by_a_view_that_can_tell(
        app in any_app(),
        scenario in any_scenario(),
        trouble in any_trouble(),
        options in any_options(),
    ) {
        let (report, _) = run(&app, &scenario, &trouble, &options);
        let steps = report.steps.iter().map(|step| {
            (&step.assertion, step.status, &step.completeness, step.scope_resolution)
        });
        let claims = report.assertions.iter().map(|claim| {
            (&claim.assertion, claim.status, &claim.completeness, claim.scope_resolution)
        });
        for (assertion, status, seen, resolution) in steps.chain(claims) {
            if status != Verdict::Pass {
                continue;
            }
            if matches!(assertion.claim, Claim::NodeAbsent(_)) {
                let seen = seen.as_ref().unwrap();
                prop_assert!(!seen.truncated && seen.coverage.verified, "{:?}", seen);
            }
            if let Some(scope) = &assertion.scope {
                prop_assert_eq!(resolution, Some("proven"));
                let named = seen.as_ref().and_then(|seen| seen.scope.clone());
                prop_assert_eq!(named, Some(json!({"role": scope.role, "name": scope.name})));
            }
        }
        for step in &report.steps {
            let (Some(scope), Some(levels)) = (&step.assertion.scope, &step.scope_levels) else {
                prop_assert!(step.scope_resolution.is_none());
                continue;
            };
            let depth = scope.path.as_ref().map_or(0, Vec::len) + 1;
            let unproven = levels.iter().find(|level| level.resolution != "proven");
            let word = unproven.map_or("proven", |level| level.resolution);
            prop_assert_eq!(step.scope_resolution, Some(word));
            prop_assert!(levels.len() == depth || unproven.is_some() && levels.len() < depth);
        }
    }

    // REP-INV-07, REP-INV-08, REP-INV-10, REP-INV-17, REP-INV-18
    #[test]
    fn nothing_is_sent_twice_or_to_one_of_two(
        app in any_app(),
        scenario in any_scenario(),
        trouble in any_trouble(),
        options in any_options(),
    ) {
        let (report, calls) = run(&app, &scenario, &trouble, &options);
        for (step, acts) in report.steps.iter().zip(acts(&report, &calls)) {
            let Some(receipt) = &step.receipt else {
                prop_assert!(acts.is_empty() && step.status != Verdict::Pass);
                continue;
            };
            let is_refused = matches!(
                receipt.status,
                ReceiptStatus::Rejected | ReceiptStatus::Failed
            );
            // Between two attempts the wire may break.
            let is_lost = step.reason.as_deref() == Some("DRIVER_ERROR");
            if is_refused && !is_lost {
                prop_assert!(step.status != Verdict::Pass && !step.assertion_passed);
                let code = receipt.code.as_deref();
                let told = if code == Some("TARGET_CHANGED") { Some(UNSTABLE) } else { code };
                prop_assert_eq!(step.reason.as_deref(), told);
            }
            let taken = &scenario.steps[step.index as usize - 1];
            let wanted = predicate(taken);
            for (number, (_, call)) in acts.iter().enumerate() {
                let Call::Act(told) = call else { unreachable!() };
                let (_, view, answer) = &**told;
                if number + 1 < acts.len() {
                    prop_assert_eq!(answer.code.as_deref(), Some("TARGET_CHANGED"));
                    prop_assert!(!answer.dispatched);
                }
                if let (Some(wanted), Some(view)) = (wanted, view) {
                    let by_name = Predicate { role: None, ..wanted.clone() };
                    // In its container, where the claim has one (REP-077).
                    let scope = taken.assert.scope.as_ref().map(|scope| locate(scope, view).0);
                    let within = scope.and_then(|located| match located {
                        Located::Proven(index) | Located::Provisional(index) => Some(index),
                        _ => None,
                    });
                    let count = match wanted.matches(view, within).len() {
                        0 => by_name.matches(view, within).len(),
                        count => count,
                    };
                    prop_assert_eq!(count, 1);
                }
            }
            if step.status == Verdict::Pass {
                let (last, _) = acts.last().unwrap();
                let looked = calls[last + 1..].iter().take_while(|call| !matches!(call, Call::Act(_)));
                prop_assert!(looked.into_iter().any(|call| *call == Call::Observe));
            }
        }
        // Whatever was sent stands in the report; of what broke the wire there is no receipt.
        let sent = calls.iter().filter(|call| matches!(call, Call::Act(_))).count();
        let told: usize = acts(&report, &calls).iter().map(Vec::len).sum();
        let broke = report.failure.as_ref().is_some_and(|it| it.code.as_deref() == Some("DRIVER_ERROR"));
        prop_assert!(sent == told || broke && sent == told + 1, "{} sent, {} told", sent, told);
        prop_assert!(sent == 0 || !report.steps.is_empty());
    }

    // REP-INV-09, REP-020, REP-100
    #[test]
    fn a_driver_is_stopped_once_whatever_happens(
        app in any_app(),
        scenario in any_scenario(),
        trouble in any_trouble(),
        options in any_options(),
    ) {
        let (report, calls) = run(&app, &scenario, &trouble, &options);
        let stops = calls.iter().filter(|call| **call == Call::Stop).count();
        prop_assert_eq!(stops, 1);
        prop_assert_eq!(calls.last(), Some(&Call::Stop));
        prop_assert!(!trouble.stop_fails || report.status != RunStatus::Pass);
    }

    // REP-INV-11
    #[test]
    fn what_never_rests_is_no_pass_and_has_its_code(
        app in any_app(),
        scenario in any_scenario(),
        options in any_options(),
    ) {
        let mut restless = app;
        for screen in &mut restless.screens {
            screen.elements.push(Element::text("flicker", "{flicker}"));
        }
        let (report, _) = run(&restless, &scenario, &Trouble::default(), &options);
        prop_assert_eq!(report.status, RunStatus::Fail);
        let failure = report.failure.unwrap();
        prop_assert_eq!(failure.code.as_deref(), Some(UNSTABLE));
    }

    // REP-INV-28
    #[test]
    fn two_runs_of_one_app_give_one_report(
        app in any_app(),
        scenario in any_scenario(),
        trouble in any_trouble(),
        options in any_options(),
    ) {
        let (first, asked) = run(&app, &scenario, &trouble, &options);
        let (second, again) = run(&app, &scenario, &trouble, &options);
        prop_assert_eq!(first, second);
        prop_assert_eq!(asked, again);
    }

    // REP-INV-26, REP-TRAP-18: whatever a model says, and whether it says anything.
    #[test]
    fn what_a_model_says_changes_nothing_but_its_own_records(
        app in any_app(),
        scenario in any_scenario(),
        trouble in any_trouble(),
        options in any_options(),
        answer in any_answer(),
    ) {
        let mut asking = scenario.clone();
        asking.advisory = Some(vec![Advisory {
            kind: AdvisoryKind::Visual,
            question: "Is it there?".into(),
            description: None,
        }]);
        let (plain, _) = run(&app, &scenario, &trouble, &options);
        let (silent, _) = run(&app, &asking, &trouble, &options);
        prop_assert_eq!(&plain, &silent);
        let mut model = Model(answer);
        let (mut asked, _) = run_advised(&app, &asking, &trouble, &options, Some(&mut model));
        let records = std::mem::take(&mut asked.advisory);
        prop_assert_eq!(records.len(), usize::from(asked.status != RunStatus::Blocked));
        for record in records {
            prop_assert_eq!(record.reasoning_trust, "unverified-model-narration");
            prop_assert!(record.reason.is_none() || record.verdict == Opinion::Unclear);
        }
        prop_assert_eq!(plain, asked);
    }

    // REP-INV-29
    #[test]
    fn a_driver_with_another_contract_is_never_touched(
        app in any_app(),
        scenario in any_scenario(),
        contract in any::<u32>(),
        options in any_options(),
    ) {
        prop_assume!(contract != 1);
        let trouble = Trouble { contract: Some(contract), ..Trouble::default() };
        let (report, calls) = run(&app, &scenario, &trouble, &options);
        prop_assert_eq!(calls, vec![Call::Stop]);
        prop_assert_eq!(report.status, RunStatus::Blocked);
        let failure = report.failure.unwrap();
        prop_assert_eq!(failure.step_index, None);
        let numbers = [format!("contract {contract}"), "1".to_owned()];
        prop_assert!(numbers.iter().all(|number| failure.message.contains(number)));
    }

    // REP-INV-25: whatever the app shows and the scenario says.
    #[test]
    fn a_registered_secret_is_in_no_report(
        app in any_app(),
        scenario in any_scenario(),
        trouble in any_trouble(),
        options in any_options(),
        secret in prop::sample::select(vec![
            "tulip77kestrel", "a\"b<c>&d", "搜索 lantern", "my_pass*word[7]",
        ]),
        places in any::<[bool; 4]>(),
    ) {
        let mut app = app;
        let mut scenario = scenario;
        let told = format!("it says {secret}!");
        if places[0] {
            for screen in &mut app.screens {
                for element in &mut screen.elements {
                    element.name.push_str(&told);
                }
            }
        }
        if places[1] {
            scenario.meta.name.clone_from(&told);
        }
        for step in &mut scenario.steps {
            if places[2] {
                step.intent.clone_from(&told);
            }
            if let (true, Action::Click { target }) = (places[3], &mut step.action) {
                target.name = Some(told.clone());
            }
        }
        let (report, _) = run(&app, &scenario, &trouble, &options);
        let redactor = Redactor::new(RedactorConfig {
            secrets: vec![Secret::new(secret)],
            ..RedactorConfig::default()
        })
        .unwrap();
        let attempt = Attempt::of(&report, "a/report.json".into(), &redactor);
        let case = Case::new(1, "a.json", scenario.meta.name.clone(), vec![attempt]);
        let suite = Suite::new(None, vec![case]);
        let written = [
            redactor.json(&report).unwrap().as_value().to_string(),
            redactor.text(&markdown(&report, &redactor)).unwrap().into_string(),
            redactor.json(&suite).unwrap().as_value().to_string(),
            redactor.text(&suite_markdown(&suite, &redactor)).unwrap().into_string(),
            junit(&suite, &redactor).unwrap(),
        ];
        let escaped = serde_json::to_string(secret).unwrap();
        let markdown: String = secret
            .chars()
            .flat_map(|c| "[]*_".contains(c).then_some('\\').into_iter().chain([c]))
            .collect();
        let xml = secret.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        for text in &written {
            for form in [secret, escaped.trim_matches('"'), &xml, &markdown] {
                prop_assert!(!text.contains(form), "{} in {}", form, text);
            }
        }
        // Status and codes stay (REP-133).
        let status = format!("\"status\":\"{}\"", report.status.as_str());
        prop_assert!(written[0].contains(&status));
    }
}
