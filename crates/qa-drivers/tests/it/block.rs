//! Requests to other origins that are blocked on request.

use std::sync::{Arc, OnceLock};

use qa_core::{CrashWatch as _, Driver as _, Notice};
use qa_drivers::cdp::CdpOptions;

use crate::server::{Reply, html};
use crate::session::Session;

/// Asks another origin in every way there is; each way says that it failed.
const PAGE: &str = "<p id=said></p><script>
    const other = 'http://localhost:' + location.port;
    const fails = (way) => { said.textContent += way + ' '; };
    const listen = (worker) => { worker.onmessage = (e) => fails(e.data); };
    fetch(other + '/fetch').catch(() => fails('fetch'));
    const socket = new WebSocket(other.replace('http', 'ws') + '/socket');
    socket.onerror = () => fails('socket');
    const events = new EventSource(other + '/events');
    events.onerror = () => { fails('events'); events.close(); };
    listen(new Worker('/dedicated.js'));
    const shared = new SharedWorker('/shared.js');
    listen(shared.port);
    shared.port.start();
    navigator.serviceWorker.register('/service.js');
    listen(navigator.serviceWorker);
    navigator.serviceWorker.ready.then((ready) => ready.active.postMessage('go'));
    navigator.sendBeacon(other + '/beacon', 'x');
    document.write(`<img src=${other}/image.png><img src=/moved.png>
        <iframe src=${other}/frame></iframe><link rel=prefetch href=${other}/prefetch>`);
    </script>";
const WAYS: [&str; 7] = [
    "fetch",
    "socket",
    "events",
    "dedicated",
    "nested",
    "shared",
    "service",
];
const ASK: &str = "const ask = (way, say) =>
    fetch('http://localhost:' + location.port + '/' + way).catch(() => say(way));";
const DEDICATED: &str = "ask('dedicated', postMessage);
    new Worker('/nested.js').onmessage = (e) => postMessage(e.data);";
const NESTED: &str = "ask('nested', postMessage);";
const SHARED: &str = "onconnect = (e) => ask('shared', (way) => e.ports[0].postMessage(way));";
const SERVICE: &str =
    "onmessage = (e) => e.waitUntil(ask('service', (way) => e.source.postMessage(way)));";

fn script(text: &str) -> Reply {
    Reply::Bytes("text/javascript", format!("{ASK}\n{text}").into_bytes())
}

async fn at_the_page(change: impl FnOnce(&mut CdpOptions)) -> Session {
    let origin = Arc::new(OnceLock::new());
    let elsewhere = Arc::clone(&origin);
    Session::open(
        move |path| match path {
            "/" => html(PAGE),
            "/dedicated.js" => script(DEDICATED),
            "/nested.js" => script(NESTED),
            "/shared.js" => script(SHARED),
            "/service.js" => script(SERVICE),
            "/moved.png" => Reply::Moved(format!("{}moved-image.png", elsewhere.get().unwrap())),
            _ => html("there"),
        },
        |options| {
            origin
                .set(options.url.replace("127.0.0.1", "localhost"))
                .unwrap();
            options.block_origins = true;
            change(options);
        },
    )
    .await
}

async fn check_all_is_blocked(mut session: Session) {
    let mut said = String::new();
    for _ in 0..80 {
        session.pass(250).await;
        let view = session.look().await;
        session.watch.judge_view(&view);
        said = session.said().await;
        if WAYS.iter().all(|way| said.contains(way)) {
            break;
        }
    }
    assert!(WAYS.iter().all(|way| said.contains(way)), "{said}");
    assert_eq!(session.server.asked_at("localhost"), [""; 0]);
    // Beside these seven: the beacon, two images, the frame and the prefetch.
    let host = format!("localhost:{}", session.server.port);
    let told = session.driver.take_notices();
    assert_eq!(told, [Notice::Blocked { host, count: 12 }]);
    assert_eq!(session.driver.take_notices(), []);
    // What we blocked ourselves is no finding.
    let crashes = session.crashes().await;
    assert!(crashes.is_empty(), "{crashes:#?}");
    session.end().await;
}

// WEB-012
#[tokio::test]
async fn nothing_elsewhere_is_asked_and_each_request_is_counted() {
    check_all_is_blocked(at_the_page(|_| ()).await).await;
}

// WEB-012
#[tokio::test]
async fn nothing_elsewhere_is_asked_in_real_time() {
    check_all_is_blocked(at_the_page(crate::session::real_clock).await).await;
}

// WEB-012: the app's own server is asked as ever, and a socket to it too.
#[tokio::test]
async fn the_app_s_own_origins_are_asked() {
    let mut session = at_the_page(|options| {
        options.allow_origins = vec![options.url.replace("127.0.0.1", "localhost")];
    })
    .await;
    let paths = [
        "/fetch",
        "/socket",
        "/events",
        "/dedicated",
        "/nested",
        "/shared",
        "/service",
        "/beacon",
        "/image.png",
        "/moved-image.png",
        "/frame",
        "/prefetch",
    ];
    let mut asked = Vec::new();
    for _ in 0..80 {
        session.pass(250).await;
        asked = session.server.asked_at("localhost");
        if paths
            .iter()
            .all(|path| asked.iter().any(|asked| asked == path))
        {
            break;
        }
    }
    for path in paths {
        assert!(
            asked.iter().any(|asked| asked == path),
            "{path} of {asked:?}"
        );
    }
    let told = session.driver.take_notices();
    let blocked = told
        .iter()
        .any(|notice| matches!(notice, Notice::Blocked { .. }));
    assert!(!blocked, "{told:?}");
    session.end().await;
}

// WEB-012: a storm of blocked requests does not crowd out what else happens.
#[tokio::test]
async fn a_storm_is_counted_in_full_beside_other_notices() {
    let mut session = Session::open(
        |path| match path {
            "/" => html(
                "<p id=said></p><button id=b onclick=\"storm()\">go</button><script>
                 const storm = async () => {
                     for (let n = 0; n < 300; n++) await fetch('http://localhost:1/' + n).catch(() => 0);
                     alert('over');
                     said.textContent = 'over';
                 };</script>",
            ),
            _ => Reply::Status(404),
        },
        |options| options.block_origins = true,
    )
    .await;
    assert!(session.tap("b").await.is_ok());
    for _ in 0..80 {
        if session.said().await == "over" {
            break;
        }
        session.pass(250).await;
    }
    let told = session.driver.take_notices();
    let host = "localhost:1".to_owned();
    assert!(
        told.contains(&Notice::Blocked { host, count: 300 }),
        "{told:?}"
    );
    let dialogs = told
        .iter()
        .filter(|notice| matches!(notice, Notice::Dialog { .. }));
    assert_eq!(dialogs.count(), 1, "{told:?}");
    session.end().await;
}
