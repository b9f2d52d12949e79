//! A login that is there before the app is.

use std::time::SystemTime;

use qa_core::{Action, Driver as _};
use qa_drivers::cdp::{CdpDriver, CdpOptions, LoginState};
use serde_json::{Value, json};

use crate::server::{Reply, Server, html};
use crate::session::{Session, code};

/// Tells what it has been given, as its first script finds it.
const WITNESS: &str = "<p id=said></p><script>
    said.textContent = [document.cookie, localStorage.auth, sessionStorage.tab, history.length].join(' ');
    </script>";

fn cookie(name: &str, domain: &str, http_only: bool) -> Value {
    json!({
        "name": name, "value": format!("{name}-of-{domain}"), "domain": domain, "path": "/",
        "expires": -1, "httpOnly": http_only, "secure": false, "sameSite": "Lax",
    })
}

/// A login at `127.0.0.1` and at `localhost`, of which the options' origins get theirs.
fn login(options: &CdpOptions) -> LoginState {
    let port = url::Url::parse(&options.url).unwrap().port().unwrap();
    let storage = |host: &str| {
        json!({
            "origin": format!("http://{host}:{port}"),
            "localStorage": [{"name": "auth", "value": format!("auth-of-{host} <b>\u{2028}'\"")}],
            "sessionStorage": [{"name": "tab", "value": format!("tab-of-{host}")}],
        })
    };
    let file = json!({
        "cookies": [
            cookie("sid", "127.0.0.1", true), cookie("seen", "127.0.0.1", false),
            cookie("sid", "localhost", true), cookie("seen", "localhost", false),
        ],
        "origins": [storage("127.0.0.1"), storage("localhost")],
    });
    LoginState::parse(
        file.to_string().as_bytes(),
        &options.origins(),
        SystemTime::now(),
    )
    .unwrap()
}

async fn logged_in(page: &'static str, change: impl FnOnce(&mut CdpOptions)) -> Session {
    Session::open(
        move |_| html(page),
        |options| {
            change(options);
            options.login_state = Some(login(options));
        },
    )
    .await
}

fn given(host: &str) -> String {
    format!("seen=seen-of-{host} auth-of-{host} <b>\u{2028}'\" tab-of-{host}")
}

async fn check_each_launch(mut session: Session) {
    for launch in 1..=2 {
        assert_eq!(session.said().await, format!("{} 2", given("127.0.0.1")));
        // What the app makes of it is forgotten at the next launch.
        session
            .ask(
                "document.cookie = 'seen=changed'; localStorage.auth = 'changed';
                 sessionStorage.clear(); 0",
            )
            .await;
        // Nothing of the way in can be gone back to.
        let back = session.act(Action::Back).await;
        assert_eq!(code(&back), "BACK_UNAVAILABLE", "{back:?}");
        let cookies = session.server.cookies("127.0.0.1", "/");
        assert_eq!(
            cookies,
            vec!["sid=sid-of-127.0.0.1; seen=seen-of-127.0.0.1"; launch]
        );
        if launch == 1 {
            assert_eq!(session.driver.take_notices(), []);
            assert!(session.driver.launch().await.unwrap().is_ok());
            session.pass(500).await;
        }
    }
    assert_eq!(session.crashes().await, []);
    session.end().await;
}

// WEB-006, REP-143
#[tokio::test]
async fn each_launch_begins_logged_in() {
    check_each_launch(logged_in(WITNESS, |_| ()).await).await;
}

// WEB-006, REP-143
#[tokio::test]
async fn each_launch_begins_logged_in_in_real_time() {
    check_each_launch(logged_in(WITNESS, crate::session::real_clock).await).await;
}

// WEB-006, WEB-012
#[tokio::test]
async fn a_login_comes_in_where_other_origins_are_blocked() {
    check_each_launch(logged_in(WITNESS, |options| options.block_origins = true).await).await;
}

// WEB-006, WEB-070, WEB-075: the clock is the one of a page without a login.
#[tokio::test]
async fn app_time_passes_as_without_a_login() {
    let page = "<p id=said></p><script>
        const start = performance.now();
        let frames = 0;
        const frame = () => { frames++; requestAnimationFrame(frame); };
        requestAnimationFrame(frame);
        setTimeout(() => { said.textContent = [Math.round((performance.now() - start) / 1000),
            frames > 8, Math.round(start / 60000)].join(' '); }, 2000);
        </script>";
    let mut with = logged_in(page, |_| ()).await;
    let mut without = Session::at(page).await;
    for session in [&mut with, &mut without] {
        session.pass(2000).await;
        assert_eq!(session.said().await, "2 true 60");
    }
    with.end().await;
    without.end().await;
}

// WEB-006, REP-143: each origin gets what is its own.
#[tokio::test]
async fn every_origin_of_the_app_gets_its_part() {
    let mut session = logged_in(WITNESS, |options| {
        let other = options.url.replace("127.0.0.1", "localhost");
        options.allow_origins = vec![other];
    })
    .await;
    assert_eq!(session.said().await, format!("{} 2", given("127.0.0.1")));
    assert_eq!(session.server.cookies("localhost", "/"), [""; 0]);
    let url = format!("http://localhost:{}/", session.server.port);
    assert!(session.act(Action::Navigate { url }).await.is_ok());
    assert_eq!(session.said().await, format!("{} 3", given("localhost")));
    session.end().await;
}

// REP-143: what a page shows of elsewhere is not logged in there.
#[tokio::test]
async fn elsewhere_gets_nothing() {
    let session = Session::open(
        |path| match path {
            "/" => html(
                "<p id=said></p><script>
                 onmessage = (e) => { said.textContent = e.data; };
                 document.write(`<iframe src=http://localhost:${location.port}/frame></iframe>`);
                 </script>",
            ),
            _ => html(
                "<script>parent.postMessage(JSON.stringify([document.cookie,
                 localStorage.length, sessionStorage.length]), '*')</script>",
            ),
        },
        |options| options.login_state = Some(login(options)),
    )
    .await;
    assert_eq!(session.said().await, "[\"\",0,0]");
    assert_eq!(session.server.cookies("localhost", "/frame"), [""]);
    session.end().await;
}

// WEB-006: what the app has changed stays, if a person wants that; a new page has a storage of its
// own.
#[tokio::test]
async fn storage_that_is_kept_is_not_given_again() {
    let mut session = logged_in(WITNESS, |options| options.keep_storage = true).await;
    session
        .ask("document.cookie = 'seen=changed'; localStorage.auth = 'changed'; 0")
        .await;
    assert!(session.driver.launch().await.unwrap().is_ok());
    session.pass(500).await;
    assert_eq!(
        session.said().await,
        "seen=changed changed tab-of-127.0.0.1 2"
    );
    session.end().await;
}

// REP-144
#[tokio::test]
async fn the_report_is_told_how_much_was_brought_in_and_not_what() {
    let server = Server::start(|_| Reply::Status(404)).await;
    let mut options = CdpOptions::new(server.origin());
    options.login_state = Some(login(&options));
    assert!(!format!("{options:?}").contains("-of-"), "{options:?}");
    let (mut driver, _) = CdpDriver::open(options).await.unwrap();
    let told = format!(
        "a login is given for {}/ (2 cookies, 2 storage entries; 4 of elsewhere left out)",
        server.origin()
    );
    assert!(
        driver.info().remarks.contains(&told),
        "{:?}",
        driver.info().remarks
    );
    driver.stop().await.unwrap();
}
