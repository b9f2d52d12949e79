//! An agent's session with a browser becomes a scenario, and the program replays it.

use qa_core::{
    Action, Assertion, Awaited, Claim, Driver, ElementKey, Observation, ObserveRequest, Predicate,
    SettlePolicy, Target, settle,
};
use qa_drivers::cdp::{CdpDriver, CdpOptions};
use qa_redact::{Redactor, RedactorConfig};
use qa_replay::{About, Echo, Exported, Recorder};

use crate::program::{Ended, Place};
use crate::server::Shop;

struct Agent {
    driver: Recorder<CdpDriver>,
    view: Observation,
    may_widen: bool,
}

impl Agent {
    async fn begin(url: &str) -> Self {
        let (driver, _watch) = CdpDriver::open(CdpOptions::new(url)).await.unwrap();
        let redactor = Redactor::new(RedactorConfig {
            allowed_origins: vec![url.trim_end_matches('/').to_owned()],
            ..RedactorConfig::default()
        });
        let mut driver = Recorder::new(driver, SettlePolicy::PROVE, redactor.unwrap());
        let launched = driver.launch().await.unwrap();
        assert!(launched.is_ok(), "{launched:?}");
        let mut may_widen = true;
        let view = look(&mut driver, &Awaited::default(), &mut may_widen).await;
        Self {
            driver,
            view,
            may_widen,
        }
    }

    fn target(&self, role: &str, name: &str) -> Target {
        let mut nodes = self.view.nodes.iter();
        let node = nodes.find(|node| node.role == role && node.name == name);
        let node = node.unwrap_or_else(|| panic!("no {role} {name:?}: {:#?}", self.view));
        Target {
            node_ref: node.node_ref.clone(),
            key: ElementKey::of(self.view.platform, node),
        }
    }

    async fn act(&mut self, action: Action) {
        let receipt = self.driver.act(&action).await.unwrap();
        assert!(receipt.is_ok(), "{action:?}: {receipt:?}");
        let echo = Echo::of(&action, &self.view);
        let without_echo = |view: &Observation| echo.without(view);
        let awaited = Awaited {
            before: Some(without_echo(&self.view)),
            without_echo: Some(&without_echo),
            is_proven: None,
        };
        self.view = look(&mut self.driver, &awaited, &mut self.may_widen).await;
    }

    async fn tap(&mut self, role: &str, name: &str) {
        let target = self.target(role, name);
        self.act(Action::Tap { target }).await;
    }
}

async fn look(driver: &mut dyn Driver, awaited: &Awaited<'_>, may_widen: &mut bool) -> Observation {
    let request = ObserveRequest::JUDGING;
    let settled = settle(driver, &SettlePolicy::PROVE, awaited, request, may_widen).await;
    settled.unwrap().view
}

/// Changes the language, types, points, scrolls, and puts something into the cart.
async fn session(url: &str) -> (Exported, String) {
    let mut agent = Agent::begin(url).await;
    agent.tap("link", "More").await;
    agent.tap("link", "Settings").await;
    let target = agent.target("combobox", "Language");
    let option = "Português".into();
    agent.act(Action::Select { target, option }).await;
    let target = agent.target("searchbox", "Search the shop");
    let text = "lan".into();
    agent.act(Action::Fill { target, text }).await;
    let target = agent.target("searchbox", "Search the shop");
    let text = "tern".into();
    agent.act(Action::Type { target, text }).await;
    let target = Some(agent.target("searchbox", "Search the shop"));
    let key = "Enter".into();
    agent.act(Action::Press { target, key }).await;
    agent.tap("link", "Paper Lantern").await;
    agent.tap("button", "Add to cart").await;
    let in_cart = Assertion {
        claim: Claim::NodePresent(Predicate {
            name: Some("Paper Lantern is in your cart.".into()),
            role: Some("status".into()),
            ..Predicate::default()
        }),
        description: Some("the shop says so".into()),
        scope: None,
    };
    let judgement = agent.driver.claim(in_cart).unwrap();
    assert_eq!(judgement.seen.len(), 1, "{judgement:?}");
    let refs: Vec<String> = agent
        .view
        .nodes
        .iter()
        .map(|node| node.node_ref.to_string())
        .collect();
    let exported = agent.driver.export(About {
        name: "a lantern in Portuguese",
        description: "recorded",
        created_at: "2026-11-30T08:00:00Z",
    });
    agent.driver.stop().await.unwrap();
    let written = serde_json::to_string_pretty(&exported.scenario).unwrap();
    for node_ref in refs {
        assert!(!written.contains(&format!("\"{node_ref}\"")), "{node_ref}");
    }
    (exported, written)
}

// REP-001, REP-103, REP-104, REP-110, REP-112, REP-117, REP-INV-22
#[test]
fn what_an_agent_did_in_a_browser_is_replayed() {
    let shop = Shop::without_faults();
    let url = format!("{}/", shop.url());
    let (exported, written) = shop.runtime().block_on(session(&url));
    assert_eq!(exported.excluded, [], "{written}");
    assert_eq!(exported.excluded_assertions, []);
    let scenario = exported.scenario.unwrap();
    let words: Vec<&str> = scenario
        .steps
        .iter()
        .map(|step| match &step.assert.claim {
            Claim::NodeValue(valued) => valued.value.as_str(),
            Claim::PageUrl(_) => "url",
            _ => "node",
        })
        .collect();
    assert_eq!(
        words,
        ["url", "url", "pt", "lan", "lantern", "url", "url", "node"]
    );
    let place = Place::new();
    std::fs::write(place.path().join("lantern.json"), &written).unwrap();
    // Another visit: the language that was chosen is the shop's memory of that visit alone.
    let replayed = Ended::of(&mut place.qa(&["replay", "lantern.json", "--json"]));
    assert_eq!(replayed.code, Some(0), "{replayed:?}");
    assert_eq!(replayed.json()["status"], "pass");
    assert_eq!(shop.touched_traps(), Vec::<String>::new());
}
