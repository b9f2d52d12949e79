//! Somebody who reads a report in a browser.

use std::sync::{Arc, Mutex};

use qa_core::{
    Action, Awaited, CrashWatch as _, Driver as _, ElementKey, Node, Observation, ObserveRequest,
    Platform, SettlePolicy, Target, settle,
};
use qa_drivers::cdp::{CdpDriver, CdpOptions, CdpWatch, VIEWPORT};
use tokio::runtime::Runtime;

use crate::program::browser;
use crate::server::serve_pages;

/// A report that is open in a browser.
pub(super) struct Reader {
    runtime: Runtime,
    driver: CdpDriver,
    watch: CdpWatch,
    /// Paths that the browser asked for.
    asked: Arc<Mutex<Vec<String>>>,
}

impl Reader {
    /// Opens a report at an anchor.
    pub(super) fn open(report: String, anchor: &str) -> Self {
        browser();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let requests = Arc::clone(&asked);
        let origin = serve_pages(move |path, _| {
            requests.lock().unwrap().push(path.to_owned());
            report.clone()
        });
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let options = CdpOptions::new(format!("{origin}/report.html{anchor}"));
        let (driver, watch) = runtime.block_on(async {
            let (mut driver, mut watch) = CdpDriver::open(options).await.unwrap();
            watch.start().await.unwrap();
            driver.launch().await.unwrap();
            (driver, watch)
        });
        Self {
            runtime,
            driver,
            watch,
            asked,
        }
    }

    /// Ends the reading. The report asked for nothing but itself, broke no rule of its policy, wrote
    /// nothing to the console, threw nothing and opened no dialog.
    pub(super) fn close(mut self) {
        let seen = self.runtime.block_on(self.watch.query()).unwrap();
        assert_eq!(seen, []);
        assert_eq!(self.driver.take_notices(), []);
        assert_eq!(*self.asked.lock().unwrap(), ["/report.html"]);
        self.runtime.block_on(self.driver.stop()).unwrap();
    }

    /// What is shown once it has come to rest.
    fn view(&mut self) -> Observation {
        let mut may_widen = true;
        let awaited = Awaited::default();
        let settled = settle(
            &mut self.driver,
            &SettlePolicy::EXPLORE,
            &awaited,
            ObserveRequest::JUDGING,
            &mut may_widen,
        );
        self.runtime.block_on(settled).unwrap().view
    }

    /// Whether some element that is in view says this.
    pub(super) fn shows(&mut self, words: &str) -> bool {
        let view = self.view();
        let mut nodes = view.nodes.iter().filter(|node| node.flags.in_viewport);
        nodes.any(|node| {
            node.name.contains(words) || node.text.as_ref().is_some_and(|text| text.contains(words))
        })
    }

    /// What has the focus.
    pub(super) fn focus(&mut self) -> Option<String> {
        let view = self.view();
        let focused = |node: &&Node| node.states.focused == Some(true);
        view.nodes
            .iter()
            .find(focused)
            .map(|node| node.name.clone())
    }

    /// The lines of the list of steps.
    pub(super) fn steps(&mut self) -> Vec<String> {
        let view = self.view();
        let steps = view.nodes.into_iter().filter(is_step);
        steps.map(|node| node.name).collect()
    }

    /// Those that are open.
    pub(super) fn opened_steps(&mut self) -> Vec<String> {
        let view = self.view();
        let steps = view.nodes.into_iter().filter(is_step);
        let open = steps.filter(|node| node.states.expanded == Some(true));
        open.map(|node| node.name).collect()
    }

    /// The text inside the element with this id.
    pub(super) fn text_of(&mut self, id: &str) -> String {
        let view = self.view();
        let has_id = |node: &Node| node.id.as_deref() == Some(id);
        let at = view.nodes.iter().position(has_id).unwrap();
        let texts = view.subtree(at).filter(|node| node.role == "text");
        texts.map(|node| node.name.as_str()).collect()
    }

    pub(super) fn tap(&mut self, role: &str, name: &str) {
        let target = self.target(role, name);
        self.act(&Action::Tap { target });
    }

    pub(super) fn fill(&mut self, name: &str, text: &str) {
        let target = self.target("searchbox", name);
        self.act(&Action::Fill {
            target,
            text: text.to_owned(),
        });
    }

    pub(super) fn choose(&mut self, name: &str, option: &str) {
        let target = self.target("combobox", name);
        self.act(&Action::Select {
            target,
            option: option.to_owned(),
        });
    }

    pub(super) fn press(&mut self, key: &str) {
        self.act(&Action::Press {
            target: None,
            key: key.to_owned(),
        });
    }

    /// No words are wider than the window, but for those in parts that scroll sideways: the map and
    /// the strips of pictures.
    pub(super) fn fits(&mut self) {
        let view = self.view();
        let scrolls = |node: &Node| {
            node.id.as_deref() == Some("board") || node.name.starts_with("Steps to see")
        };
        let is_inside = |node: &Node| {
            let parent = |node: &Node| node.parent.and_then(|at| view.nodes.get(at));
            std::iter::successors(parent(node), |node| parent(node)).any(&scrolls)
        };
        let words = view.nodes.iter().filter(|node| !node.name.is_empty());
        let mut checked = 0;
        for node in words.filter(|node| !scrolls(node) && !is_inside(node)) {
            let bounds = node.bounds.unwrap();
            let right = bounds.x + bounds.width;
            assert!(right <= f64::from(VIEWPORT.0), "{right}: {}", node.name);
            checked += 1;
        }
        assert!(checked > 50, "only {checked} elements");
    }

    fn target(&mut self, role: &str, name: &str) -> Target {
        let view = self.view();
        let mut nodes = view.nodes.iter();
        let node = nodes
            .find(|node| node.role == role && node.name == name)
            .unwrap_or_else(|| panic!("no {role} {name:?}"));
        Target {
            node_ref: node.node_ref.clone(),
            key: ElementKey::of(Platform::Web, node),
        }
    }

    fn act(&mut self, action: &Action) {
        let receipt = self.runtime.block_on(self.driver.act(action)).unwrap();
        assert!(receipt.is_ok(), "{action:?}: {receipt:?}");
    }
}

fn is_step(node: &Node) -> bool {
    node.role == "button" && node.name.contains(" → P")
}
