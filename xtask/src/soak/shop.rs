//! The bundled shop with its planted faults, served while something is done to it.

use qa_web_apps::{Options, RunningServer, WebApp, serve};
use tokio::runtime::Runtime;

use crate::failure::Failure;

/// The shop.
pub(super) struct Shop {
    runtime: Runtime,
    server: RunningServer,
}

impl Shop {
    /// Serves it on a port of its own.
    pub(super) fn start() -> Result<Self, Failure> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()?;
        let server = runtime
            .block_on(serve(WebApp::Shop, Options::default()))
            .map_err(|error| Failure::internal(error.to_string()))?;
        Ok(Self { runtime, server })
    }

    /// Where it is, without a slash at the end.
    pub(super) fn url(&self) -> &str {
        self.server.url()
    }

    /// Ends it.
    pub(super) fn stop(self) {
        self.runtime.block_on(self.server.stop());
    }
}
