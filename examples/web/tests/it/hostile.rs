use http_body_util::BodyExt;
use hyper::header::{LOCATION, WWW_AUTHENTICATE};
use qa_web_apps::{Options, RunningServer, WebApp, hostile_cases, serve};

use crate::client::{get, open};

async fn hostile() -> RunningServer {
    serve(WebApp::Hostile, Options::default())
        .await
        .expect("the loopback address is free")
}

// WEB-080
#[tokio::test]
async fn every_case_is_served_as_what_it_is() {
    let server = hostile().await;
    let index = get(server.url(), "/").await.text();
    for case in hostile_cases() {
        assert!(index.contains(case.path), "{}", case.name);
        if case.name == "slow-body" {
            continue;
        }
        let answer = get(server.url(), case.path).await;
        let (status, kind) = match case.name {
            "redirect-loop" | "certificate" => (302, "text/html; charset=utf-8"),
            "auth" => (401, "text/plain; charset=utf-8"),
            "xml" => (200, "application/xml"),
            "pdf" => (200, "application/pdf"),
            "text" => (200, "text/plain; charset=utf-8"),
            "image" => (200, "image/svg+xml"),
            _ => (200, "text/html; charset=utf-8"),
        };
        assert_eq!(
            (answer.status, answer.content_type()),
            (status, kind),
            "{}",
            case.name
        );
    }
    server.stop().await;
}

#[tokio::test]
async fn the_loop_leads_to_itself_and_the_prompt_names_its_scheme() {
    let server = hostile().await;
    assert_eq!(
        get(server.url(), "/case/redirect-loop").await.headers[LOCATION],
        "/case/redirect-loop"
    );
    assert!(
        get(server.url(), "/case/auth").await.headers[WWW_AUTHENTICATE]
            .to_str()
            .is_ok_and(|text| text.starts_with("Basic "))
    );
    assert!(
        String::from_utf8(get(server.url(), "/case/invalid-utf8").await.body.to_vec()).is_err()
    );
    server.stop().await;
}

#[tokio::test]
async fn the_slow_body_begins_and_ends_only_with_the_server() {
    let server = hostile().await;
    let mut response = open(server.url(), "GET", "/case/slow-body", "", "")
        .await
        .expect("a head");
    let beginning = response
        .frame()
        .await
        .expect("a frame")
        .expect("bytes")
        .into_data()
        .expect("data");
    assert!(beginning.starts_with(b"<!doctype html>"));
    server.stop().await;
    assert!(response.frame().await.is_some_and(|frame| frame.is_err()));
}

// WEB-INV-02
#[tokio::test]
async fn the_tampered_page_has_an_honest_twin() {
    let server = hostile().await;
    let script = r#"<script src="/case/tamper.js"></script>"#;
    let tampered = get(server.url(), "/case/tampered").await.text();
    assert!(tampered.contains(script));
    assert_eq!(
        tampered.replace(script, ""),
        get(server.url(), "/case/untampered").await.text()
    );
    assert_eq!(get(server.url(), "/case/tamper.js").await.status, 200);
    server.stop().await;
}

#[tokio::test]
async fn what_the_pages_load_is_there() {
    let server = hostile().await;
    for path in ["/part", "/case/service-worker.js", "/favicon.ico"] {
        assert_eq!(get(server.url(), path).await.status, 200, "{path}");
    }
    assert_eq!(get(server.url(), "/case/none").await.status, 404);
    server.stop().await;
}
