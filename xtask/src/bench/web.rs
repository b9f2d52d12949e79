//! The web benchmark: which things are done, and in which order.

use std::path::{Path, PathBuf};

use qa_core::{Clock, ObserveRequest};
use serde_json::json;

use super::measure::{Bar, Comparison};
use super::ours::Ours;
use super::rival::{self, Rival};
use super::{Options, Part, hunt, milliseconds, page, replay};
use crate::failure::Failure;
use crate::page_server::PageServer;
use crate::prerequisite;
use crate::workspace::Workspace;

/// A look as it is made while a page comes to rest.
const FULL: ObserveRequest = ObserveRequest {
    max_nodes: 50_000,
    thorough: false,
};

/// A look that an agent gets.
const LIMITED: ObserveRequest = ObserveRequest {
    max_nodes: 100,
    thorough: false,
};

/// Runs all parts that were asked for.
pub(super) fn measure(
    workspace: &Workspace,
    modules: &Path,
    options: &Options,
) -> Result<Vec<Comparison>, Failure> {
    prerequisite::ensure()?;
    let browser =
        prerequisite::browser().ok_or_else(|| Failure::missing("no browser is installed"))?;
    let bench = Bench {
        browser,
        modules: modules.to_owned(),
        rounds: options.rounds,
        pages: PageServer::start(page::at)?,
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let mut done = Vec::new();
        if options.includes(Part::Observe) {
            for (nodes, bar, limited_bar) in [
                (100, Bar::None, Bar::None),
                (1_000, Bar::AtMost(0.5), Bar::None),
                (10_000, Bar::None, Bar::AtMost(0.1)),
            ] {
                done.extend(bench.observe(nodes, bar, limited_bar).await?);
            }
        }
        if options.includes(Part::Click) {
            done.push(bench.click().await?);
        }
        if options.includes(Part::Step) {
            done.extend(bench.step().await?);
        }
        if options.includes(Part::Replay) {
            let url = format!("{}/steps", bench.pages.origin);
            done.extend(replay::compare(&bench.browser, modules, &url, options.rounds).await?);
        }
        if options.includes(Part::Explore) {
            done.extend(hunt::compare(workspace, &bench.browser, modules, options.seconds).await?);
        }
        Ok(done)
    })
}

struct Bench {
    browser: PathBuf,
    modules: PathBuf,
    rounds: usize,
    pages: PageServer,
}

impl Bench {
    fn playwright(&self, url: &str) -> Result<Rival, Failure> {
        let browser = self.browser.display().to_string();
        let mut rival = Rival::start(&self.modules, rival::PLAYWRIGHT, &[&browser])?;
        rival.ask(&json!({"do": "open", "url": url}))?;
        Ok(rival)
    }

    async fn observe(
        &self,
        nodes: usize,
        bar: Bar,
        limited_bar: Bar,
    ) -> Result<[Comparison; 3], Failure> {
        let url = format!("{}/nodes/{nodes}", self.pages.origin);
        let mut ours = Ours::open(&self.browser, &url, Clock::Real).await?;
        let mut rival = self.playwright(&url)?;
        let request = json!({"do": "observe"});
        let (_, found) = ours.observe(FULL).await?;
        ours.observe(ObserveRequest::ESCALATED).await?;
        rival.ask(&request)?;
        let mut figures = [const { Vec::new() }; 4];
        for _ in 0..self.rounds {
            figures[0].push(ours.observe(FULL).await?.0);
            figures[1].push(ours.observe(ObserveRequest::ESCALATED).await?.0);
            figures[2].push(ours.observe(LIMITED).await?.0);
            figures[3].push(milliseconds(&rival.ask(&request)?)?);
        }
        ours.close().await?;
        let [full, thorough, limited, snapshot] = figures;
        let compare = |what: &str, ours, bar| Comparison {
            what: format!("observe {found} nodes, {what}"),
            ours,
            rival: snapshot.clone(),
            unit: "ms",
            bar,
        };
        Ok([
            compare("all", full, bar),
            compare("all, thorough", thorough, Bar::None),
            compare("the first 100", limited, limited_bar),
        ])
    }

    async fn click(&self) -> Result<Comparison, Failure> {
        let url = format!("{}/click", self.pages.origin);
        let mut ours = Ours::open(&self.browser, &url, Clock::Real).await?;
        let mut rival = self.playwright(&url)?;
        let request = json!({"do": "click", "css": format!("#{}", page::BUTTON)});
        ours.click(page::BUTTON).await?;
        rival.ask(&request)?;
        let (mut own, mut others) = (Vec::new(), Vec::new());
        for _ in 0..self.rounds {
            own.push(ours.click(page::BUTTON).await?);
            others.push(milliseconds(&rival.ask(&request)?)?);
        }
        let counted = format!("counted {}", self.rounds + 1);
        let titles = [
            ours.title().await?,
            rival.ask(&json!({"do": "title"}))?["title"]
                .as_str()
                .unwrap_or_default()
                .to_owned(),
        ];
        ours.close().await?;
        if titles.iter().any(|title| *title != counted) {
            return Err(Failure::failed(format!(
                "clicks were lost: {titles:?} instead of {counted}"
            )));
        }
        Ok(Comparison {
            what: "click, all checks".into(),
            ours: own,
            rival: others,
            unit: "ms",
            bar: Bar::AtMost(0.7),
        })
    }

    async fn step(&self) -> Result<[Comparison; 2], Failure> {
        let url = format!("{}/click", self.pages.origin);
        let mut ahead = Ours::open(&self.browser, &url, Clock::Virtual).await?;
        let mut real = Ours::open(&self.browser, &url, Clock::Real).await?;
        let mut rival = self.playwright(&url)?;
        let request = json!({"do": "step", "css": format!("#{}", page::BUTTON)});
        let mut figures = [const { Vec::new() }; 3];
        ahead.step(page::BUTTON).await?;
        for _ in 0..self.rounds {
            figures[0].push(ahead.step(page::BUTTON).await?);
            figures[1].push(real.step(page::BUTTON).await?);
            figures[2].push(milliseconds(&rival.ask(&request)?)?);
        }
        ahead.close().await?;
        real.close().await?;
        let [ahead, real, polling] = figures;
        let compare = |what: &str, rival, bar| Comparison {
            what: what.into(),
            ours: ahead.clone(),
            rival,
            unit: "ms",
            bar,
        };
        Ok([
            compare(
                "settled step, against our real clock",
                real,
                Bar::AtMost(0.2),
            ),
            compare("settled step, against polling", polling, Bar::None),
        ])
    }
}
