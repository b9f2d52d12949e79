//! The bundled shop, served in the background of a test.

use qa_web_apps::{Options, RunningServer, WebApp, serve};
use tokio::runtime::Runtime;

/// The bundled shop; dropping it stops it.
pub(crate) struct Shop {
    runtime: Runtime,
    server: RunningServer,
}

impl Shop {
    pub(crate) fn with_faults() -> Self {
        Self::serve(true)
    }

    pub(crate) fn without_faults() -> Self {
        Self::serve(false)
    }

    fn serve(faults: bool) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .unwrap();
        let options = Options {
            faults,
            ..Options::default()
        };
        let server = runtime.block_on(serve(WebApp::Shop, options)).unwrap();
        Self { runtime, server }
    }

    pub(crate) fn url(&self) -> &str {
        self.server.url()
    }

    /// Where asynchronous work of a test may run.
    pub(crate) fn runtime(&self) -> &Runtime {
        &self.runtime
    }

    /// The traps that somebody touched.
    pub(crate) fn touched_traps(&self) -> Vec<String> {
        let touched = self.server.traps().into_iter();
        touched
            .filter(|(_, count)| *count > 0)
            .map(|(name, _)| name)
            .collect()
    }
}
