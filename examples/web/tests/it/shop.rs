use std::collections::{BTreeMap, BTreeSet};

use hyper::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY};
use qa_web_apps::{
    Broken, Change, FaultKind, Options, RunningServer, Severity, TRAPS, WebApp, ground_truth, serve,
};
use serde_json::json;

use crate::client::{get, open, send};

async fn shop(faults: bool) -> RunningServer {
    let options = Options {
        faults,
        ..Options::default()
    };
    serve(WebApp::Shop, options)
        .await
        .expect("the loopback address is free")
}

#[tokio::test]
async fn every_route_of_the_app_is_the_same_document() {
    let server = shop(true).await;
    let home = get(server.url(), "/").await;
    assert_eq!(home.content_type(), "text/html; charset=utf-8");
    assert_eq!(home.headers[CACHE_CONTROL], "no-store");
    assert!(home.text().contains(server.foreign_url()));
    for path in [
        "/search?q=lamp",
        "/category/desk",
        "/product/3",
        "/cart",
        "/checkout/review",
        "/account",
        "/no/such/screen",
    ] {
        let answer = get(server.url(), path).await;
        assert_eq!((answer.status, answer.text()), (200, home.text()), "{path}");
    }
    server.stop().await;
}

#[tokio::test]
async fn everything_that_a_page_names_is_there() {
    let server = shop(false).await;
    let wanted = [
        ("/assets/app.js", "text/javascript; charset=utf-8"),
        ("/assets/plant.js", "text/javascript; charset=utf-8"),
        ("/assets/shop.css", "text/css; charset=utf-8"),
        ("/assets/img/6.svg", "image/svg+xml"),
        ("/favicon.svg", "image/svg+xml"),
        ("/favicon.ico", "image/svg+xml"),
        ("/documents/about.html", "text/html; charset=utf-8"),
        ("/frame/planner.html", "text/html; charset=utf-8"),
        ("/api/products", "application/json"),
    ];
    for (path, content_type) in wanted {
        let answer = get(server.url(), path).await;
        assert_eq!(
            (answer.status, answer.content_type()),
            (200, content_type),
            "{path}"
        );
    }
    assert_eq!(get(server.url(), "/assets/none.js").await.status, 404);
    assert_eq!(get(server.url(), "/api/none").await.status, 404);
    assert_eq!(server.hits()["GET /api/products"], 1);
    server.stop().await;
}

#[tokio::test]
async fn traps_count_touches_and_nothing_else() {
    let server = shop(true).await;
    for name in TRAPS.iter().filter(|name| **name != "foreign-origin") {
        assert_eq!(
            send(server.url(), "POST", &format!("/api/trap/{name}"), "", "")
                .await
                .status,
            200,
            "{name}"
        );
    }
    send(server.url(), "POST", "/api/trap/pay-now", "", "").await;
    assert_eq!(get(server.url(), "/api/trap/pay-now").await.status, 404);
    assert_eq!(
        send(server.url(), "POST", "/api/trap/none", "", "")
            .await
            .status,
        404
    );
    get(server.foreign_url(), "/catalogue").await;
    send(server.foreign_url(), "POST", "/raffle", "", "nickname=x").await;

    let traps = server.traps();
    assert_eq!(traps.len(), TRAPS.len());
    for (name, count) in traps {
        let expected = if name == "pay-now" || name == "foreign-origin" {
            2
        } else {
            1
        };
        assert_eq!(count, expected, "{name}");
    }
    server.stop().await;
}

#[tokio::test]
async fn a_page_uses_every_trap_that_is_counted() {
    let server = shop(true).await;
    let mut scripts = String::new();
    for name in ["app", "catalog", "checkout", "account", "corner"] {
        scripts += &get(server.url(), &format!("/assets/{name}.js"))
            .await
            .text();
    }
    for name in TRAPS.iter().filter(|name| **name != "foreign-origin") {
        assert!(scripts.contains(&format!("('{name}', ")), "{name}");
    }
    server.stop().await;
}

#[tokio::test]
async fn without_faults_no_fault_is_served() {
    let server = shop(false).await;
    assert!(
        !get(server.url(), "/assets/plant.js")
            .await
            .text()
            .contains("planted:")
    );
    assert_eq!(get(server.url(), "/assets/plant-on.js").await.status, 404);
    assert_eq!(
        get(server.url(), "/documents/annual.html").await.status,
        200
    );
    for path in ["/api/reviews/6", "/api/track/1001"] {
        assert_eq!(get(server.url(), path).await.status, 200, "{path}");
    }
    for path in ["/api/voucher", "/api/searches", "/api/chat"] {
        assert_eq!(
            send(server.url(), "POST", path, "", "{}").await.status,
            200,
            "{path}"
        );
    }
    assert!(
        !get(server.url(), "/api/store-map")
            .await
            .text()
            .contains("data:")
    );
    assert_eq!(get(server.url(), "/api/broken-image").await.status, 404);
    server.stop().await;
}

#[tokio::test]
async fn with_faults_the_server_plays_its_part() {
    let server = shop(true).await;
    assert!(
        get(server.url(), "/assets/plant.js")
            .await
            .text()
            .contains("planted:")
    );
    assert_eq!(
        get(server.url(), "/documents/annual.html").await.status,
        500
    );
    assert_eq!(get(server.url(), "/api/reviews/6").await.status, 500);
    assert_eq!(get(server.url(), "/api/reviews/5").await.status, 200);
    assert_eq!(get(server.url(), "/api/track/1001").await.status, 503);
    assert_eq!(
        send(server.url(), "POST", "/api/voucher", "", "{}")
            .await
            .status,
        500
    );
    assert_eq!(
        send(server.url(), "POST", "/api/searches", "", "{}")
            .await
            .status,
        404
    );
    assert!(
        open(server.url(), "POST", "/api/chat", "", "{}")
            .await
            .is_err()
    );
    assert_eq!(
        get(server.url(), "/api/broken-image").await.content_type(),
        "image/png"
    );
    let terms = get(server.url(), "/documents/terms.html").await;
    assert_eq!(terms.headers[CONTENT_SECURITY_POLICY], "img-src 'self'");
    assert!(
        get(server.url(), "/api/store-map")
            .await
            .text()
            .contains("data:")
    );
    server.stop().await;
}

#[tokio::test]
async fn each_session_begins_clean_and_keeps_its_own_state() {
    let server = shop(true).await;
    let first = get(server.url(), "/").await.cookie().expect("a session");
    let second = get(server.url(), "/").await.cookie().expect("a session");
    assert_ne!(first, second);

    send(
        server.url(),
        "POST",
        "/api/cart",
        &first,
        r#"{"id": 3, "quantity": 2}"#,
    )
    .await;
    send(
        server.url(),
        "POST",
        "/api/login",
        &first,
        r#"{"email": "qa@example.com"}"#,
    )
    .await;
    let cart = send(server.url(), "GET", "/api/cart", &first, "").await;
    assert_eq!(cart.cookie(), None);
    assert_eq!(cart.json()["total"], 36);
    assert_eq!(
        send(server.url(), "GET", "/api/me", &first, "")
            .await
            .json()["user"],
        "qa@example.com"
    );

    assert_eq!(
        send(server.url(), "GET", "/api/cart", &second, "")
            .await
            .json(),
        json!({"items": [], "total": 0, "note": ""})
    );
    assert_eq!(
        send(server.url(), "GET", "/api/me", &second, "")
            .await
            .json()["user"],
        json!(null)
    );
    assert_eq!(
        send(server.url(), "GET", "/api/saved", &second, "")
            .await
            .json()[0]["id"],
        1
    );

    send(server.url(), "DELETE", "/api/cart", &first, "").await;
    assert_eq!(
        send(server.url(), "GET", "/api/cart", &first, "")
            .await
            .json()["items"],
        json!([])
    );
    server.stop().await;
}

#[tokio::test]
async fn a_cookie_of_another_server_opens_no_session() {
    let (one, other) = (shop(true).await, shop(true).await);
    let cookie = get(one.url(), "/").await.cookie().expect("a session");
    send(
        one.url(),
        "POST",
        "/api/login",
        &cookie,
        r#"{"email": "qa@example.com"}"#,
    )
    .await;
    get(other.url(), "/").await;
    assert_eq!(
        send(other.url(), "GET", "/api/me", &cookie, "")
            .await
            .json()["user"],
        json!(null)
    );
    one.stop().await;
    other.stop().await;
}

#[tokio::test]
async fn searching_and_browsing_give_the_catalogue() {
    let server = shop(false).await;
    let names = |answer: serde_json::Value| {
        answer
            .as_array()
            .expect("a list")
            .iter()
            .map(|product| product["name"].to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        names(get(server.url(), "/api/search?q=LAN").await.json()),
        ["\"Wool Blanket\"", "\"Paper Lantern\""]
    );
    assert_eq!(
        names(
            get(server.url(), "/api/products?category=desk")
                .await
                .json()
        )
        .len(),
        3
    );
    let last = get(server.url(), "/api/journal?page=2").await.json();
    assert_eq!(
        (&last["rows"][4]["letter"], &last["next"]),
        (&json!("Read the attic letter"), &json!(null))
    );
    server.stop().await;
}

#[tokio::test]
async fn the_interface_fails_as_often_as_asked() {
    let options = Options {
        fail_every: Some(3),
        control: true,
        ..Options::default()
    };
    let server = serve(WebApp::Shop, options)
        .await
        .expect("the loopback address is free");
    let mut statuses = Vec::new();
    for _ in 0..6 {
        statuses.push(get(server.url(), "/api/cart").await.status);
    }
    assert_eq!(statuses, [200, 200, 500, 200, 200, 500]);
    assert_eq!(get(server.url(), "/").await.status, 200);
    assert_eq!(
        get(server.url(), "/api/control?fail=0&slow_ms=1")
            .await
            .json(),
        json!({"slow_ms": 1, "fail": 0})
    );
    for _ in 0..3 {
        assert_eq!(get(server.url(), "/api/cart").await.status, 200);
    }
    server.stop().await;
}

#[tokio::test]
async fn control_is_off_unless_asked_for() {
    let server = shop(true).await;
    assert_eq!(get(server.url(), "/api/control?fail=1").await.status, 404);
    assert_eq!(get(server.url(), "/api/cart").await.status, 200);
    server.stop().await;
}

#[tokio::test]
async fn a_taken_port_is_named_in_the_error() {
    let server = shop(true).await;
    let port: u16 = server
        .url()
        .rsplit(':')
        .next()
        .and_then(|text| text.parse().ok())
        .expect("a port");
    let options = Options {
        port,
        ..Options::default()
    };
    let error = serve(WebApp::Shop, options)
        .await
        .expect_err("the port is taken");
    assert_eq!(
        error.to_string(),
        format!("failed to listen on 127.0.0.1:{port}")
    );
    server.stop().await;
}

#[tokio::test]
async fn a_stopped_server_is_gone() {
    let server = shop(true).await;
    let (own, foreign) = (server.url().to_owned(), server.foreign_url().to_owned());
    server.stop().await;
    assert!(open(&own, "GET", "/", "", "").await.is_err());
    assert!(open(&foreign, "GET", "/", "", "").await.is_err());
}

// WEB-040
#[test]
fn the_ground_truth_covers_every_fault_kind() {
    let crashes: BTreeSet<_> = ground_truth()
        .into_iter()
        .filter(|fault| fault.severity == Severity::Crash)
        .map(|fault| fault.kind)
        .collect();
    let wanted = [
        FaultKind::JsException,
        FaultKind::RendererCrash,
        FaultKind::Hang,
        FaultKind::Http5xx,
        FaultKind::BlankPage,
    ];
    assert_eq!(crashes, BTreeSet::from(wanted));
}

#[tokio::test]
async fn a_change_reaches_each_document_and_breaks_the_calls_it_names() {
    let server = shop(false).await;
    let plain = get(server.url(), "/").await.text();
    server.change(Change {
        script: "window.changed = true".to_owned(),
        broken: BTreeMap::from([
            ("GET /api/cart".to_owned(), Broken::Status(503)),
            ("GET /api/me".to_owned(), Broken::Silent),
        ]),
    });
    for path in ["/", "/documents/about.html", "/frame/planner.html"] {
        let text = get(server.url(), path).await.text();
        assert!(
            text.starts_with("<!doctype html><script>window.changed = true</script>"),
            "{path}: {text}"
        );
    }
    assert_eq!(get(server.url(), "/api/cart").await.status, 503);
    assert_eq!(get(server.url(), "/api/products").await.status, 200);
    let silent = open(server.url(), "GET", "/api/me", "", "").await;
    assert!(silent.is_err());
    server.change(Change::default());
    assert_eq!(get(server.url(), "/").await.text(), plain);
    server.stop().await;
}
