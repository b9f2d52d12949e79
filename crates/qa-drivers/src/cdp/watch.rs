//! Evidence of faults, as the engine asks for it.

use async_trait::async_trait;
use qa_core::{Crash, CrashKind, CrashWatch, Evidence, Observation, WatchError, WatchState};
use qa_crash::BrowserFault;
use serde_json::{Value, json};

use super::fault::into_crashes;
use super::source_map::SourceMaps;
use super::tab::Tab;
use super::transport::{CallError, Connection};

/// Watches the page that a [`CdpDriver`](super::CdpDriver) drives.
pub struct CdpWatch {
    connection: Connection,
    tab: Tab,
    maps: SourceMaps,
}

impl CdpWatch {
    pub(crate) fn new(connection: Connection, tab: Tab) -> Self {
        Self {
            connection,
            tab,
            maps: SourceMaps::default(),
        }
    }

    /// Loads what there is of source maps for the stacks of new faults. The faults stay where they
    /// are meanwhile: whoever gives up this question loses none.
    async fn load_maps(&mut self) {
        // Faults that come meanwhile may name further scripts; one that never ends to do so is not
        // waited for.
        const ROUNDS: usize = 3;
        for _ in 0..ROUNDS {
            let scripts = self.tab.state().faults.scripts();
            if !self.maps.load(&self.connection, &self.tab, scripts).await {
                break;
            }
        }
    }
}

#[async_trait]
impl CrashWatch for CdpWatch {
    async fn start(&mut self) -> Result<(), WatchError> {
        self.tab.watch(true);
        let mut state = self.tab.state();
        drop((state.faults.take(), state.evidence.take()));
        Ok(())
    }

    fn state(&self) -> WatchState {
        match &self.tab.state().lost {
            Some(reason) => WatchState::Failed(reason.clone()),
            None if self.tab.is_watching() => WatchState::Running,
            None => WatchState::Stopped,
        }
    }

    async fn query(&mut self) -> Result<Vec<Crash>, WatchError> {
        let page = {
            let state = self.tab.state();
            state.page.clone().filter(|_| state.gone.is_none())
        };
        // What happened before this answer was sent has been told before it: events and answers
        // of a session keep their order. So nothing that is older than the question is missed.
        if let Some(page) = page {
            let params = json!({"expression": "0", "returnByValue": true});
            let session = Some(page.session.as_str());
            let patience = self.tab.patience();
            let asked =
                self.connection
                    .call::<Value>(session, "Runtime.evaluate", &params, patience);
            if let Err(CallError::Deadline(waited)) = asked.await {
                self.tab.hang("a query", waited);
            }
        }
        self.load_maps().await;
        let (mut faults, origins, lost) = {
            let mut state = self.tab.state();
            let faults = state.faults.take();
            (faults, state.origins.clone(), state.lost.clone())
        };
        match lost {
            Some(reason) if faults.is_empty() => Err(WatchError { reason }),
            _ => {
                for entry in &mut faults {
                    self.maps.trace(&mut entry.fault);
                }
                Ok(into_crashes(faults, &origins))
            }
        }
    }

    fn take_evidence(&mut self) -> Option<Evidence> {
        Some(self.tab.state().evidence.take())
    }

    fn judge_view(&mut self, view: &Observation) {
        let inside = view
            .url
            .as_deref()
            .is_some_and(|url| self.tab.state().is_inside(url));
        if !inside {
            return;
        }
        // What we kept from being asked holds no picture for that reason (WEB-012).
        let blocked = |source: &str| {
            let state = self.tab.state();
            state.block_origins && source.starts_with("http") && !state.is_inside(source)
        };
        let broken: Vec<_> = view
            .nodes
            .iter()
            .filter(|node| node.flags.broken_image)
            .filter(|node| !node.source.as_deref().is_some_and(blocked))
            .collect();
        let count = u64::try_from(broken.len()).unwrap_or(u64::MAX);
        let new = self.tab.state().new_broken_images(count);
        for image in broken
            .iter()
            .rev()
            .take(usize::try_from(new).unwrap_or(usize::MAX))
        {
            let source = image.source.as_deref().unwrap_or("an image");
            let message = format!("{source} holds no picture");
            let mut fault = BrowserFault::new(CrashKind::BrokenImage, message);
            fault.page.clone_from(&view.url);
            self.tab.fault(fault, None);
        }
        let visible = view.visible_nodes();
        let before = std::mem::replace(&mut self.tab.state().visible_before, visible);
        if visible == 0 && before > 0 {
            let message = "nothing can be seen where something was";
            let mut fault = BrowserFault::new(CrashKind::BlankPage, message);
            fault.page.clone_from(&view.url);
            self.tab.fault(fault, None);
        }
    }

    async fn stop(&mut self) -> Result<(), WatchError> {
        self.tab.watch(false);
        let state = self.tab.state();
        // What an app does without its server says little of the app.
        let silent = state.silent.as_ref().map(|(origin, error)| {
            format!("{origin}/ answered at first, and does not any more: {error}")
        });
        match state.lost.clone().or(silent) {
            Some(reason) => Err(WatchError { reason }),
            None => Ok(()),
        }
    }
}
