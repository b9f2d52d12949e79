//! Ctrl-C and its relatives: the first asks the run to end properly, the second ends it at once.

use qa_core::StopSignal;

use crate::exit::INTERRUPTED;

/// Listens for the signals that ask a program to end.
pub(crate) fn listen(stop: StopSignal) {
    tokio::spawn(async move {
        wait().await;
        stop.stop();
        eprintln!("stopping; once more to stop at once");
        wait().await;
        // The browser notices that its pipe is closed, and ends by itself.
        std::process::exit(i32::from(INTERRUPTED));
    });
}

#[cfg(unix)]
async fn wait() {
    use tokio::signal::unix::{SignalKind, signal};

    let Ok(mut terminate) = signal(SignalKind::terminate()) else {
        let _ = tokio::signal::ctrl_c().await;
        return;
    };
    tokio::select! {
        _ = tokio::signal::ctrl_c() => {}
        _ = terminate.recv() => {}
    }
}

#[cfg(not(unix))]
async fn wait() {
    let _ = tokio::signal::ctrl_c().await;
}
