//! Shows pages to the browser driver and writes down what it says of their elements.

use std::time::Duration;

use qa_core::{Action, Clock, Driver, DriverError, Node, Observation, ObserveRequest, Projection};
use qa_drivers::cdp::{CdpDriver, CdpOptions};

use super::accname::{Case, Mark, Seen};
use crate::failure::Failure;
use crate::page_server::PageServer;

/// How often a page is looked at until it is there and still.
const LOOKS: usize = 200;

/// An observation leaves out what nobody can see, and some elements under test are empty: this
/// gives them a box.
const BOX: &str = "<style>#test, #t, [data-testid^=case-] { padding: 1px }</style>";

/// Opens each page and asks `word` of each node that bears a mark.
pub(super) fn look(
    cases: Vec<Case>,
    word: impl Fn(&Node) -> String,
) -> Result<Vec<(Case, Seen)>, Failure> {
    let pages: Vec<String> = cases
        .iter()
        .map(|case| format!("{}{BOX}", case.html))
        .collect();
    let server = PageServer::start(move |path| {
        if path == "/" {
            return Some("<title>start</title>".into());
        }
        pages
            .get(path.strip_prefix('/')?.parse::<usize>().ok()?)
            .cloned()
    })?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let mut options = CdpOptions::new(format!("{}/", server.origin));
        options.clock = Clock::Real;
        let (mut driver, _watch) = CdpDriver::open(options)
            .await
            .map_err(|error| Failure::missing(format!("{error}; {}", error.hint())))?;
        driver.launch().await.map_err(lost)?;
        let mut seen = Vec::with_capacity(cases.len());
        for (index, case) in cases.into_iter().enumerate() {
            let view = open(&mut driver, format!("{}/{index}", server.origin)).await?;
            let words = words(&view, &word);
            seen.push((case, words));
        }
        driver.stop().await.map_err(lost)?;
        Ok(seen)
    })
}

/// Goes to a page and looks until it holds still.
async fn open(driver: &mut CdpDriver, url: String) -> Result<Observation, Failure> {
    let receipt = driver
        .act(&Action::Navigate { url: url.clone() })
        .await
        .map_err(lost)?;
    if !receipt.is_ok() {
        return Err(Failure::failed(format!("{url}: {receipt:?}")));
    }
    let mut last = None;
    for _ in 0..LOOKS {
        driver
            .advance(Duration::from_millis(20))
            .await
            .map_err(lost)?;
        let view = driver
            .observe(ObserveRequest::JUDGING)
            .await
            .map_err(lost)?;
        let projection = Projection::of(&view);
        if view.url.as_deref() == Some(&url) && last == Some(projection) {
            return Ok(view);
        }
        last = Some(projection);
    }
    Err(Failure::failed(format!("{url} never came to rest")))
}

fn words(view: &Observation, word: &impl Fn(&Node) -> String) -> Seen {
    let mut words = Seen::new();
    for node in &view.nodes {
        let marks = [
            node.id.clone().map(Mark::Id),
            node.test_id.clone().map(Mark::TestId),
        ];
        for mark in marks.into_iter().flatten() {
            words.entry(mark).or_insert_with(|| word(node));
        }
    }
    words
}

fn lost(error: DriverError) -> Failure {
    Failure::failed(error.to_string())
}
