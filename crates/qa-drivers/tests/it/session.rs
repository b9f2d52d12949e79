//! A browser at a page of a server.

use std::time::Duration;

use qa_core::{
    Action, Clock, Crash, CrashWatch as _, Driver as _, ElementKey, Node, Observation,
    ObserveRequest, Platform, Receipt, Target,
};
use qa_drivers::cdp::{CdpDriver, CdpOptions, CdpWatch};
use serde_json::Value;

use crate::server::{Reply, Server};

/// A driver that has launched the start page of a server.
pub(crate) struct Session {
    pub(crate) server: Server,
    pub(crate) driver: CdpDriver,
    pub(crate) watch: CdpWatch,
}

impl Session {
    /// One page and nothing else, on the virtual clock.
    pub(crate) async fn at(page: &str) -> Self {
        let page = page.to_owned();
        Self::with(move |path| match path {
            "/" => Reply::Html(page.clone()),
            _ => Reply::Status(404),
        })
        .await
    }

    /// Several pages, on the virtual clock.
    pub(crate) async fn with(route: impl Fn(&str) -> Reply + Send + Sync + 'static) -> Self {
        Self::open(route, |_| ()).await
    }

    /// Several pages, with options of one's own.
    pub(crate) async fn open(
        route: impl Fn(&str) -> Reply + Send + Sync + 'static,
        change: impl FnOnce(&mut CdpOptions),
    ) -> Self {
        let server = Server::start(route).await;
        let mut options = CdpOptions::new(format!("{}/", server.origin()));
        change(&mut options);
        let (driver, watch) = CdpDriver::open(options).await.unwrap();
        let mut session = Self {
            server,
            driver,
            watch,
        };
        session.watch.start().await.unwrap();
        let receipt = session.driver.launch().await.unwrap();
        assert!(receipt.is_ok(), "{receipt:?}");
        session.pass(500).await;
        session
    }

    /// Lets app time pass.
    pub(crate) async fn pass(&mut self, ms: u64) {
        self.driver
            .advance(Duration::from_millis(ms))
            .await
            .unwrap();
    }

    /// A thorough look.
    pub(crate) async fn look(&mut self) -> Observation {
        self.driver.observe(ObserveRequest::JUDGING).await.unwrap()
    }

    /// Does something and lets a moment of app time pass.
    pub(crate) async fn act(&mut self, action: Action) -> Receipt {
        let receipt = self.driver.act(&action).await.unwrap();
        self.pass(250).await;
        receipt
    }

    /// Taps the node with an id.
    pub(crate) async fn tap(&mut self, id: &str) -> Receipt {
        let target = target(by_id(&self.look().await, id));
        self.act(Action::Tap { target }).await
    }

    /// Types into the node with an id.
    pub(crate) async fn fill(&mut self, id: &str, text: &str) -> Receipt {
        let target = target(by_id(&self.look().await, id));
        self.act(Action::Fill {
            target,
            text: text.to_owned(),
        })
        .await
    }

    /// Adds to the text of the node with an id.
    pub(crate) async fn add(&mut self, id: &str, text: &str) -> Receipt {
        let target = target(by_id(&self.look().await, id));
        self.act(Action::Type {
            target,
            text: text.to_owned(),
        })
        .await
    }

    /// Points at the node with an id.
    pub(crate) async fn hover(&mut self, id: &str) -> Receipt {
        let target = target(by_id(&self.look().await, id));
        self.act(Action::Hover { target }).await
    }

    /// Gives the focus to the node with an id.
    pub(crate) async fn focus(&mut self, id: &str) -> Receipt {
        let target = target(by_id(&self.look().await, id));
        self.act(Action::Focus { target }).await
    }

    /// Brings the node with an id into view.
    pub(crate) async fn scroll_to(&mut self, id: &str) -> Receipt {
        let target = target(by_id(&self.look().await, id));
        self.act(Action::ScrollTo { target }).await
    }

    /// Goes to a path of the server.
    pub(crate) async fn go(&mut self, path: &str) -> Receipt {
        let url = format!("{}{path}", self.server.origin());
        self.act(Action::Navigate { url }).await
    }

    /// What the walker's world makes of an expression.
    pub(crate) async fn ask(&self, expression: &str) -> Value {
        self.driver.ask_walker(expression).await.unwrap()
    }

    /// The text of the element `#said`, where these tests' pages write what happened to them.
    pub(crate) async fn said(&self) -> String {
        let text = self
            .ask("document.querySelector('#said').textContent")
            .await;
        text.as_str().unwrap().to_owned()
    }

    /// The evidence of faults so far.
    pub(crate) async fn crashes(&mut self) -> Vec<Crash> {
        self.watch.query().await.unwrap()
    }

    /// Ends the browser.
    pub(crate) async fn end(mut self) {
        self.watch.stop().await.unwrap();
        self.driver.stop().await.unwrap();
    }
}

/// The node with an id.
pub(crate) fn by_id<'v>(view: &'v Observation, id: &str) -> &'v Node {
    let found = view
        .nodes
        .iter()
        .find(|node| node.id.as_deref() == Some(id));
    found.unwrap_or_else(|| panic!("no node {id} in {:#?}", words(view)))
}

/// Roles and names of a view, to say what was there instead.
pub(crate) fn words(view: &Observation) -> Vec<String> {
    view.nodes
        .iter()
        .map(|node| format!("{} {:?} {:?}", node.role, node.name, node.id))
        .collect()
}

/// The target of an action.
pub(crate) fn target(node: &Node) -> Target {
    Target {
        node_ref: node.node_ref.clone(),
        key: ElementKey::of(Platform::Web, node),
    }
}

/// The code of a receipt that is not `Ok`.
pub(crate) fn code(receipt: &Receipt) -> &str {
    receipt.code.as_deref().unwrap_or("none")
}

/// The options of a session on wall time.
pub(crate) fn real_clock(options: &mut CdpOptions) {
    options.clock = Clock::Real;
}
