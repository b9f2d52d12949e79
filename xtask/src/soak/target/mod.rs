//! A page that changes between the look and the press: does input ever reach another element than
//! the one that was meant?

use std::collections::BTreeMap;
use std::time::Duration;

use clap::Args;
use qa_core::{
    Action, Clock, Driver as _, ElementKey, Node, ObserveRequest, Platform, Receipt, ReceiptStatus,
    Target,
};
use qa_drivers::cdp::{CdpDriver, CdpOptions};
use serde::Deserialize;
use serde_json::{Value, json};

use super::random::Random;
use crate::failure::Failure;
use crate::page_server::PageServer;
use crate::table;

/// How often to try.
#[derive(Debug, Args)]
pub(crate) struct Targets {
    /// Rounds on each clock.
    #[arg(long, default_value_t = 1_000)]
    rounds: usize,
    /// Seed of the choices.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// A few rounds.
    #[arg(long)]
    quick: bool,
}

/// What the page does.
const CHANGES: [&str; 12] = [
    "nothing", "swap", "reuse", "renumber", "replace", "twin", "shift", "cover", "remove", "hide",
    "focus", "leave",
];
/// When it does so. A timer runs only where time does.
const MOMENTS: [&str; 5] = ["before", "frame", "move", "focus", "timer"];

/// One round.
#[derive(Debug)]
struct Round {
    change: &'static str,
    when: &'static str,
    action: &'static str,
    receipt: Receipt,
    /// The token of the element that was meant.
    meant: u64,
    log: Vec<Entry>,
}

/// Input that arrived.
#[derive(Debug, Deserialize)]
struct Entry {
    r#type: String,
    /// Of the element that got it; 0 where that has none.
    token: u64,
}

impl Round {
    /// Input reached something that was not meant.
    fn is_wrong(&self) -> bool {
        self.log.iter().any(|entry| entry.token != self.meant)
    }

    /// It is said to be done, and did not arrive. A document that leaves while it is pressed is
    /// taken for one that the press replaced: nobody is left who could tell.
    fn is_hollow(&self) -> bool {
        let shows = match self.action {
            "tap" => "click",
            "fill" => "input",
            "press" => "keydown",
            _ => "change",
        };
        let arrived = self.log.iter().any(|entry| entry.r#type == shows);
        self.receipt.is_ok() && !arrived && self.change != "leave"
    }

    fn outcome(&self) -> String {
        match (&self.receipt.code, self.receipt.status) {
            (Some(code), ReceiptStatus::Unknown) => format!("unknown: {code}"),
            (Some(code), _) => code.clone(),
            (None, _) => "acted".to_owned(),
        }
    }
}

pub(crate) fn run(targets: &Targets) -> Result<(), Failure> {
    let rounds = if targets.quick {
        targets.rounds.min(50)
    } else {
        targets.rounds
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()?;
    let mut all = Vec::new();
    for clock in [Clock::Virtual, Clock::Real] {
        all.extend(runtime.block_on(play(clock, rounds, targets.seed))?);
    }
    print(&all);
    verdict(&all)
}

async fn play(clock: Clock, rounds: usize, seed: u64) -> Result<Vec<Round>, Failure> {
    let is_page = |path: &str| path == "/" || path == "/other";
    let server =
        PageServer::start(move |path| is_page(path).then(|| include_str!("page.html").to_owned()))?;
    let mut random = Random::new(seed);
    let mut played = Vec::new();
    let mut options = CdpOptions::new(format!("{}/", server.origin));
    options.clock = clock;
    let (driver, _watch) = CdpDriver::open(options)
        .await
        .map_err(|error| Failure::missing(format!("{error}; {}", error.hint())))?;
    let mut stage = Stage { driver, clock };
    stage.launch().await?;
    while played.len() < rounds {
        match stage.round(&mut random).await {
            Ok(round) => {
                if round.is_wrong() || round.is_hollow() {
                    // What came late of the round before shows in this one's log.
                    let before = played.last();
                    eprintln!("WRONG ({clock:?}): {round:?}, after {before:?}");
                }
                played.push(round);
            }
            Err(failure) => {
                // A round that cannot be judged is not counted; the page is opened anew.
                eprintln!("a round is left out: {failure}");
                stage.launch().await?;
            }
        }
    }
    stage.driver.stop().await.map_err(lost)?;
    Ok(played)
}

struct Stage {
    driver: CdpDriver,
    clock: Clock,
}

impl Stage {
    async fn launch(&mut self) -> Result<(), Failure> {
        let receipt = self.driver.launch().await.map_err(lost)?;
        if !receipt.is_ok() {
            return Err(Failure::failed(format!("launch: {receipt:?}")));
        }
        self.pass(100).await
    }

    async fn pass(&mut self, ms: u64) -> Result<(), Failure> {
        let span = Duration::from_millis(ms);
        self.driver.advance(span).await.map_err(lost)?;
        Ok(())
    }

    /// Looks, lets the page change at some moment, acts, and reads what arrived where.
    async fn round(&mut self, random: &mut Random) -> Result<Round, Failure> {
        self.tell(&json!({"change": "draw"})).await?;
        self.pass(20).await?;
        let view = self.driver.observe(ObserveRequest::JUDGING).await;
        let view = view.map_err(lost)?;
        let nodes: Vec<&Node> = view.nodes.iter().filter(|node| is_thing(node)).collect();
        let node = *random
            .one(&nodes)
            .ok_or_else(|| Failure::failed("the page shows nothing"))?;
        let (action, word) = action(node, random);
        let change = random.one(&CHANGES).copied().unwrap_or("nothing");
        let when = random.one(&MOMENTS).copied().unwrap_or("before");
        let ms = random.below(60);
        let meant = self.token(&node.name).await?;
        let first = self.first_token().await?;
        let plan = json!({"change": change, "when": when, "ms": ms, "name": node.name});
        self.tell(&plan).await?;
        let receipt = self.driver.act(&action).await.map_err(lost)?;
        // Whatever is on its way arrives.
        self.pass(if self.clock == Clock::Real { 90 } else { 120 })
            .await?;
        let log = self.ask("sessionStorage.getItem('log')").await?;
        let log = log
            .as_str()
            .ok_or_else(|| Failure::failed("the page kept no log"))?;
        let mut log: Vec<Entry> =
            serde_json::from_str(log).map_err(|error| Failure::failed(error.to_string()))?;
        // A document that came meanwhile brings the log of the round before with it.
        log.retain(|entry| entry.token == 0 || entry.token >= first);
        Ok(Round {
            change,
            when,
            action: word,
            receipt,
            meant,
            log,
        })
    }

    async fn ask(&self, expression: &str) -> Result<Value, Failure> {
        self.driver.ask_walker(expression).await.map_err(lost)
    }

    async fn tell(&self, plan: &Value) -> Result<(), Failure> {
        let plan = Value::from(plan.to_string());
        let expression =
            format!("document.dispatchEvent(new CustomEvent('restless', {{detail: {plan}}}))");
        self.ask(&expression).await.map(drop)
    }

    /// The least token of what is on the page now; later ones are newer.
    async fn first_token(&self) -> Result<u64, Failure> {
        let expression = "Math.min(...[...document.querySelectorAll('[data-token]')]\
                          .map(el => Number(el.dataset.token)))";
        let token = self.ask(expression).await?;
        let token = token.as_u64();
        token.ok_or_else(|| Failure::failed("the page has no token"))
    }

    /// The token of what has a name now, as the page's own attributes say.
    async fn token(&self, name: &str) -> Result<u64, Failure> {
        let name = Value::from(name);
        let expression = format!(
            "Number([...document.querySelectorAll('[data-token]')].find(el => \
             (el.localName === 'button' ? el.textContent : el.getAttribute('aria-label')) === {name})\
             ?.dataset.token)"
        );
        let token = self.ask(&expression).await?;
        token
            .as_u64()
            .ok_or_else(|| Failure::failed(format!("{name} has no token")))
    }
}

fn is_thing(node: &Node) -> bool {
    matches!(node.role.as_str(), "button" | "textbox" | "combobox")
}

fn action(node: &Node, random: &mut Random) -> (Action, &'static str) {
    let target = Target {
        node_ref: node.node_ref.clone(),
        key: ElementKey::of(Platform::Web, node),
    };
    match (node.role.as_str(), random.below(3)) {
        ("textbox", 0) => (
            Action::Press {
                target: Some(target),
                key: "a".into(),
            },
            "press",
        ),
        ("textbox", 1) => (
            Action::Fill {
                target,
                text: "words".into(),
            },
            "fill",
        ),
        ("combobox", _) => (
            Action::Select {
                target,
                option: "two".into(),
            },
            "select",
        ),
        _ => (Action::Tap { target }, "tap"),
    }
}

fn print(rounds: &[Round]) {
    let mut counts: BTreeMap<(&str, String), usize> = BTreeMap::new();
    for round in rounds {
        *counts.entry((round.action, round.outcome())).or_default() += 1;
    }
    let rows: Vec<Vec<String>> = counts
        .iter()
        .map(|((action, outcome), count)| {
            vec![(*action).to_owned(), outcome.clone(), count.to_string()]
        })
        .collect();
    table::print(&["action", "outcome", "rounds"], &rows);
    let mut changes: BTreeMap<(&str, &str), [usize; 3]> = BTreeMap::new();
    for round in rounds {
        let [all, acted, changed] = changes.entry((round.change, round.when)).or_default();
        *all += 1;
        *acted += usize::from(round.receipt.is_ok());
        *changed += usize::from(round.receipt.code.as_deref() == Some("TARGET_CHANGED"));
    }
    let rows: Vec<Vec<String>> = changes
        .iter()
        .map(|((change, when), counts)| {
            let counts = counts.map(|count| count.to_string());
            let words = [(*change).to_owned(), (*when).to_owned()];
            words.into_iter().chain(counts).collect()
        })
        .collect();
    table::print(
        &["the page does", "when", "rounds", "acted", "TARGET_CHANGED"],
        &rows,
    );
}

fn verdict(rounds: &[Round]) -> Result<(), Failure> {
    let count = |is_it: fn(&Round) -> bool| rounds.iter().filter(|round| is_it(round)).count();
    let (wrong, hollow) = (count(Round::is_wrong), count(Round::is_hollow));
    let acted = count(|round| round.receipt.is_ok());
    println!(
        "{} rounds: {acted} acted, {wrong} on another element, {hollow} only said so",
        rounds.len()
    );
    if wrong + hollow == 0 {
        return Ok(());
    }
    Err(Failure::failed(format!(
        "input reached another element in {wrong} rounds, and nothing in {hollow}"
    )))
}

fn lost(error: qa_core::DriverError) -> Failure {
    Failure::failed(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    // D-08, WEB-026, REP-INV-17
    #[test]
    fn input_never_reaches_another_element() {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let rounds = runtime.block_on(play(Clock::Virtual, 50, 1)).unwrap();
        print(&rounds);
        let count = |is_it: fn(&Round) -> bool| rounds.iter().filter(|round| is_it(round)).count();
        assert!(count(|round| round.receipt.is_ok()) >= 10);
        assert!(count(|round| round.receipt.code.as_deref() == Some("TARGET_CHANGED")) >= 2);
        verdict(&rounds).unwrap();
    }
}
