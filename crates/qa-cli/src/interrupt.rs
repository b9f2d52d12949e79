//! Ctrl-C and its relatives: the first asks the run to end properly, the second ends it at once.

use std::path::PathBuf;
use std::time::Duration;

use qa_core::StopSignal;
use qa_report::Language;

use crate::exit::{Failure, INTERRUPTED};
use crate::output;

/// Listens for the signals that ask a program to end. The second one ends it without waiting for
/// the page, late crashes or reports, but its session says so.
pub(crate) fn listen(stop: StopSignal, session: PathBuf, language: Language) {
    tokio::spawn(async move {
        let mut signals = Signals::new();
        signals.next().await;
        stop.stop();
        output::say(language.pick(
            "stopping; once more to stop at once",
            "正在停止；再按一次立即停止",
        ));
        signals.next().await;
        let dir = session.display();
        output::say(&match qa_report::abandon(&session) {
            Ok(()) => language.pick(
                format!("stopped; `qa report {dir}` makes the reports of what was stored"),
                format!("已停止；`qa report {dir}` 可生成已保存内容的报告"),
            ),
            Err(error) => language.pick(
                format!("stopped; {dir} does not say so: {error}"),
                format!("已停止；{dir} 中未能记录：{error}"),
            ),
        });
        // The browser notices that its pipe is closed, and ends by itself.
        std::process::exit(i32::from(INTERRUPTED));
    });
}

/// Listens for the first signal alone; the second one ends the program as it always does.
pub(crate) fn listen_only(stop: StopSignal) {
    tokio::spawn(async move {
        let mut signals = Signals::new();
        signals.next().await;
        stop.stop();
        output::say("stopping; once more to stop at once");
        signals.next().await;
        std::process::exit(i32::from(INTERRUPTED));
    });
}

/// Ends when somebody has asked to stop.
pub(crate) async fn stopped(stop: &StopSignal) {
    const PATIENCE: Duration = Duration::from_millis(100);
    while !stop.is_stopped() {
        tokio::time::sleep(PATIENCE).await;
    }
}

/// What is said of work that somebody ended.
pub(crate) fn failure() -> Failure {
    Failure {
        code: INTERRUPTED,
        message: "stopped before it was done".to_owned(),
        hint: None,
    }
}

/// The signals of one program; none is missed between two questions.
struct Signals {
    #[cfg(unix)]
    terminate: Option<tokio::signal::unix::Signal>,
    #[cfg(unix)]
    interrupt: Option<tokio::signal::unix::Signal>,
}

#[cfg(unix)]
impl Signals {
    fn new() -> Self {
        use tokio::signal::unix::{SignalKind, signal};

        Self {
            terminate: signal(SignalKind::terminate()).ok(),
            interrupt: signal(SignalKind::interrupt()).ok(),
        }
    }

    async fn next(&mut self) {
        async fn of(signal: &mut Option<tokio::signal::unix::Signal>) {
            match signal {
                Some(signal) => {
                    signal.recv().await;
                }
                // A signal that cannot be listened for ends the program by itself.
                None => std::future::pending().await,
            }
        }
        tokio::select! {
            () = of(&mut self.interrupt) => {}
            () = of(&mut self.terminate) => {}
        }
    }
}

#[cfg(not(unix))]
impl Signals {
    fn new() -> Self {
        Self {}
    }

    async fn next(&mut self) {
        let _ = tokio::signal::ctrl_c().await;
    }
}
