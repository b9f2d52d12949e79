//! Work spread over threads, each with a shop and a browser of its own.

use std::cell::RefCell;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use qa_core::{Clock, Driver as _};
use qa_drivers::cdp::{CdpDriver, CdpOptions, CdpWatch};
use qa_web_apps::{Options, RunningServer, WebApp, serve};
use tokio::runtime::Runtime;

use crate::failure::Failure;

/// So many threads, with browsers on this clock.
#[derive(Debug, Clone, Copy)]
pub(super) struct Crew {
    pub(super) jobs: usize,
    pub(super) clock: Clock,
}

impl Crew {
    /// Does a piece of work with each item, on the shop of whichever thread is free; what comes of
    /// them stands in the order of the items.
    pub(super) fn each<'t, T, R>(
        self,
        items: &'t [T],
        work: impl AsyncFn(&Stand, &'t T) -> Result<R, Failure> + Sync,
    ) -> Result<Vec<R>, Failure>
    where
        T: Sync,
        R: Send,
    {
        let next = AtomicUsize::new(0);
        let done: Mutex<Vec<(usize, R)>> = Mutex::new(Vec::new());
        let hand = || -> Result<(), Failure> {
            let (runtime, stand) = stand(self.clock)?;
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some(item) = items.get(index) else {
                    break;
                };
                let result = runtime.block_on(work(&stand, item)).inspect_err(|_| {
                    // The others need not begin anything more.
                    next.store(items.len(), Ordering::Relaxed);
                })?;
                let done = done.lock();
                done.map_err(|_| Failure::internal("a thread panicked"))?
                    .push((index, result));
            }
            runtime.block_on(stand.close());
            Ok(())
        };
        thread::scope(|scope| {
            let hands: Vec<_> = (0..self.jobs.min(items.len()))
                .map(|_| scope.spawn(hand))
                .collect();
            for hand in hands {
                hand.join()
                    .map_err(|_| Failure::internal("a thread panicked"))??;
            }
            Ok::<(), Failure>(())
        })?;
        let mut done = done
            .into_inner()
            .map_err(|_| Failure::internal("a thread panicked"))?;
        done.sort_by_key(|(index, _)| *index);
        Ok(done.into_iter().map(|(_, result)| result).collect())
    }

    /// Does one piece of work on a shop.
    pub(super) fn one<R>(
        self,
        work: impl AsyncFnOnce(&Stand) -> Result<R, Failure>,
    ) -> Result<R, Failure> {
        let (runtime, stand) = stand(self.clock)?;
        let result = runtime.block_on(work(&stand));
        runtime.block_on(stand.close());
        result
    }
}

/// A shop, and a browser that is kept from one piece of work to the next: each start of the app is
/// in a context of its own.
pub(super) struct Stand {
    pub(super) server: RunningServer,
    clock: Clock,
    idle: RefCell<Option<Browser>>,
}

/// A browser and what watches it.
pub(super) type Browser = (CdpDriver, CdpWatch);

impl Stand {
    /// The browser that is kept, or a new one.
    pub(super) async fn browser(&self) -> Result<Browser, Failure> {
        let idle = self.idle.take();
        if let Some(browser) = idle {
            return Ok(browser);
        }
        let mut options = CdpOptions::new(format!("{}/", self.server.url()));
        options.clock = self.clock;
        CdpDriver::open(options)
            .await
            .map_err(|error| Failure::missing(format!("{error}; {}", error.hint())))
    }

    /// Keeps a browser for the next piece of work.
    pub(super) fn keep(&self, browser: Browser) {
        self.idle.replace(Some(browser));
    }

    async fn close(self) {
        if let Some((mut driver, _)) = self.idle.take() {
            // What is lost at the end is lost with its browser.
            let _ = driver.stop().await;
        }
        self.server.stop().await;
    }
}

/// The sound shop, and what it runs on.
fn stand(clock: Clock) -> Result<(Runtime, Stand), Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()?;
    let options = Options {
        faults: false,
        ..Options::default()
    };
    let server = runtime
        .block_on(serve(WebApp::Shop, options))
        .map_err(|error| Failure::internal(error.to_string()))?;
    let stand = Stand {
        server,
        clock,
        idle: RefCell::new(None),
    };
    Ok((runtime, stand))
}
