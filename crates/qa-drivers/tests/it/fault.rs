//! What counts as a fault of a page, how often, and after which action.

use qa_core::{Action, Crash, CrashKind, CrashWatch as _, Driver as _, DriverError, WatchState};

use crate::server::{Reply, html};
use crate::session::{Session, by_id, target};

fn kinds(crashes: &[Crash]) -> Vec<(CrashKind, u64)> {
    crashes
        .iter()
        .map(|crash| (crash.kind, crash.count))
        .collect()
}

// WEB-040, WEB-043, WEB-045
#[tokio::test]
async fn exceptions_are_told_once_with_the_action_before_them() {
    let mut session = Session::with(|path| match path {
        "/" => html("<script src=/app.js></script><button id=a onclick=\"fail(1)\">a</button>
                     <button id=b onclick=\"for (let i = 0; i < 50; i++) setTimeout(() => fail(i))\">b</button>"),
        "/app.js" => Reply::Bytes(
            "text/javascript",
            b"function fail(n) {\n  deep(n);\n}\nfunction deep(n) {\n  throw new RangeError(`item ${n} failed`);\n}".to_vec(),
        ),
        _ => Reply::Status(404),
    })
    .await;
    assert!(session.crashes().await.is_empty());
    let receipt = session.tap("a").await;
    let crashes = session.crashes().await;
    assert_eq!(kinds(&crashes), [(CrashKind::JsException, 1)]);
    assert_eq!(crashes[0].after_action, Some(receipt.ordinal));
    assert!(
        crashes[0].stack.contains("deep") && crashes[0].stack.contains("/app.js"),
        "{}",
        crashes[0].stack
    );
    assert!(
        crashes[0].label.contains("RangeError"),
        "{}",
        crashes[0].label
    );
    let receipt = session.tap("b").await;
    let more = session.crashes().await;
    assert_eq!(kinds(&more), [(CrashKind::JsException, 50)]);
    assert_eq!(more[0].after_action, Some(receipt.ordinal));
    assert!(session.crashes().await.is_empty());
    session.end().await;
}

// WEB-040
#[tokio::test]
async fn a_rejection_counts_unless_it_is_handled_after_all() {
    let mut session = Session::at(
        "<button id=a onclick=\"Promise.reject(new TypeError('nobody cares'))\">a</button>
         <button id=b onclick=\"const p = Promise.reject(new TypeError('late')); setTimeout(() => p.catch(() => 0), 100)\">b</button>
         <button id=c onclick=\"Promise.reject(new TypeError('in time')).catch(() => 0)\">c</button>",
    )
    .await;
    for id in ["b", "c"] {
        assert!(session.tap(id).await.is_ok());
        session.pass(500).await;
        assert_eq!(kinds(&session.crashes().await), [], "{id}");
    }
    assert!(session.tap("a").await.is_ok());
    let crashes = session.crashes().await;
    assert_eq!(kinds(&crashes), [(CrashKind::JsException, 1)]);
    assert!(
        crashes[0].label.contains("nobody cares"),
        "{}",
        crashes[0].label
    );
    session.end().await;
}

// WEB-040
#[tokio::test]
async fn a_workers_error_counts_once() {
    let mut session = Session::with(|path| match path {
        "/" => html("<p id=said></p><button id=b onclick=\"new Worker('/w.js').onerror = () => said.textContent = 'failed'\">b</button>"),
        "/w.js" => Reply::Bytes("text/javascript", b"setTimeout(() => { throw new Error('in the worker'); }, 1);".to_vec()),
        _ => Reply::Status(404),
    })
    .await;
    assert!(session.tap("b").await.is_ok());
    let mut crashes = session.crashes().await;
    for _ in 0..200 {
        if session.said().await == "failed" {
            break;
        }
        session.pass(50).await;
    }
    assert_eq!(session.said().await, "failed");
    crashes.extend(session.crashes().await);
    assert_eq!(
        kinds(&crashes),
        [(CrashKind::JsException, 1)],
        "{crashes:#?}"
    );
    assert!(crashes[0].stack.contains("in the worker"));
    session.end().await;
}

// WEB-040, WEB-041
#[tokio::test]
async fn failed_requests_are_told_by_kind() {
    let mut session = Session::with(|path| match path {
        "/" => html(
            "<button id=a onclick=\"fetch('/500')\">a</button><button id=b onclick=\"fetch('/404')\">b</button>
             <button id=c onclick=\"fetch('http://127.0.0.1:1/').catch(() => 0)\">c</button>
             <button id=d onclick=\"console.error('bad', {a: 1}, 2)\">d</button>
             <button id=e onclick=\"const c = new AbortController(); fetch('/held', {signal: c.signal}).catch(() => 0); c.abort()\">e</button>
             <a id=f href=/503>f</a>",
        ),
        "/held" => Reply::Held,
        path => Reply::Status(path[1..].parse().unwrap_or(404)),
    })
    .await;
    for (id, expected) in [
        ("a", &[CrashKind::Http5xx][..]),
        ("b", &[CrashKind::Http4xx]),
        ("c", &[CrashKind::RequestFailed]),
        ("d", &[CrashKind::ConsoleError]),
        ("e", &[]),
        ("f", &[CrashKind::Http5xx]),
    ] {
        assert!(session.tap(id).await.is_ok());
        session.pass(250).await;
        let crashes = session.crashes().await;
        let got: Vec<CrashKind> = crashes.iter().map(|crash| crash.kind).collect();
        assert_eq!(got, expected, "{id}: {crashes:#?}");
    }
    session.end().await;
}

// WEB-041
#[tokio::test]
async fn what_a_policy_blocks_is_a_finding() {
    let mut session = Session::at(
        "<meta http-equiv=Content-Security-Policy content=\"img-src 'none'\">
         <button id=b onclick=\"const i = new Image(); i.src = '/x.png'; document.body.append(i)\">b</button>",
    )
    .await;
    assert!(session.tap("b").await.is_ok());
    let crashes = session.crashes().await;
    assert_eq!(
        kinds(&crashes),
        [(CrashKind::CspViolation, 1)],
        "{crashes:#?}"
    );
    session.end().await;
}

// WEB-040
#[tokio::test]
async fn a_page_that_goes_blank_is_a_fault() {
    let mut session = Session::at(
        "<h1>here</h1><button id=b onclick=\"document.body.textContent=''\">b</button>",
    )
    .await;
    let view = session.look().await;
    session.watch.judge_view(&view);
    assert!(session.crashes().await.is_empty());
    assert!(session.tap("b").await.is_ok());
    let view = session.look().await;
    session.watch.judge_view(&view);
    session.watch.judge_view(&view);
    assert_eq!(kinds(&session.crashes().await), [(CrashKind::BlankPage, 1)]);
    session.end().await;
}

// WEB-040, WEB-042, WEB-053
#[tokio::test]
async fn an_endless_loop_is_a_hang_and_a_launch_ends_it() {
    let mut session = Session::at("<button id=b onclick=\"for (;;);\">b</button>").await;
    let target = target(by_id(&session.look().await, "b"));
    let receipt = session.driver.act(&Action::Tap { target }).await.unwrap();
    assert!(!receipt.is_ok(), "{receipt:?}");
    assert!(receipt.dispatched, "{receipt:?}");
    let crashes = session.watch.query().await.unwrap();
    assert_eq!(kinds(&crashes), [(CrashKind::Hang, 1)]);
    assert!(crashes[0].ends_path);
    assert_eq!(crashes[0].after_action, Some(receipt.ordinal));
    assert!(session.driver.launch().await.unwrap().is_ok());
    by_id(&session.look().await, "b");
    // That the process of the old page was ended is our doing.
    assert_eq!(kinds(&session.crashes().await), []);
    session.end().await;
}

// WEB-040, WEB-080: what a script leaves of a text that it cut through an emoji.
#[tokio::test]
async fn half_a_character_hides_neither_a_fault_nor_the_page() {
    let mut session = Session::at(
        "<p id=p></p><button id=b onclick=\"
           const half = 'great 😀'.slice(0, 7);
           document.title = p.textContent = half;
           console.error(half);
           throw new Error(half)\">b</button>",
    )
    .await;
    assert!(session.tap("b").await.is_ok());
    let view = session.look().await;
    assert_eq!(view.title, "great \u{FFFD}");
    assert_eq!(by_id(&view, "p").name, "");
    assert!(view.nodes.iter().any(|node| node.name == "great \u{FFFD}"));
    let kinds = kinds(&session.crashes().await);
    assert_eq!(
        kinds,
        [(CrashKind::ConsoleError, 1), (CrashKind::JsException, 1)]
    );
    session.end().await;
}

// WEB-040: a frame's faults are the page's.
#[tokio::test]
async fn a_frame_of_another_process_is_watched_too() {
    let mut session = Session::with(|path| match path {
        "/" => html("<script>document.write(`<iframe src='http://localhost:${location.port}/f'></iframe>`)</script>"),
        _ => html("<button id=b onclick=\"throw new Error('in the frame')\">b</button>"),
    })
    .await;
    session.pass(250).await;
    assert!(session.tap("b").await.is_ok());
    let crashes = session.crashes().await;
    assert_eq!(kinds(&crashes), [(CrashKind::JsException, 1)]);
    assert!(crashes[0].stack.contains("in the frame"));
    session.end().await;
}

// EXP-090: a lost browser is never silence.
#[tokio::test]
async fn a_watch_without_a_browser_fails() {
    let mut session = Session::at("<h1>here</h1>").await;
    session.driver.stop().await.unwrap();
    let failed = async {
        while !matches!(session.watch.state(), WatchState::Failed(_)) {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(std::time::Duration::from_secs(20), failed)
        .await
        .unwrap();
    assert!(session.watch.query().await.is_err());
    assert!(matches!(session.watch.state(), WatchState::Failed(_)));
    let error = session
        .driver
        .observe(qa_core::ObserveRequest::JUDGING)
        .await
        .unwrap_err();
    assert!(matches!(error, DriverError::Lost { .. }), "{error:?}");
}
