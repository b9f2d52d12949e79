//! Stacks in the words of the source (WEB-044): of scripts that esbuild and terser made.

use base64::Engine as _;
use qa_core::{Crash, CrashKind};

use crate::server::{Reply, html};
use crate::session::Session;

const MAIN: &str = include_str!("../maps/esbuild-main.js");
const MAIN_MAP: &str = include_str!("../maps/esbuild-main.js.map");
const NEXT: &str = include_str!("../maps/esbuild-next.js");
const NEXT_MAP: &str = include_str!("../maps/esbuild-next.js.map");
const TERSER: &str = include_str!("../maps/terser.js");
const TERSER_MAP: &str = include_str!("../maps/terser.js.map");

/// A page with a script under `/assets/`, and what its map's address is answered with.
async fn app(
    name: &'static str,
    script: impl Into<String>,
    map: impl Fn() -> Reply + Send + Sync + 'static,
) -> Session {
    let script = script.into();
    let (script_path, map_path) = (format!("/assets/{name}"), format!("/assets/{name}.map"));
    Session::with(move |path| match path {
        "/" => html(format!(
            "<button id=tap>tap</button><button id=later>later</button>
             <script src={script_path}></script>"
        )),
        path if path == script_path => script_reply(&script),
        path if path == map_path => map(),
        _ => Reply::Status(404),
    })
    .await
}

fn script_reply(text: &str) -> Reply {
    Reply::Bytes("text/javascript", text.as_bytes().to_vec())
}

fn json(text: &'static str) -> impl Fn() -> Reply + Send + Sync {
    move || Reply::Bytes("application/json", text.as_bytes().to_vec())
}

/// Taps a button, and expects one exception and nothing else.
async fn crash(session: &mut Session, button: &str) -> Crash {
    assert!(session.tap(button).await.is_ok());
    session.pass(250).await;
    let mut crashes = session.crashes().await;
    assert_eq!(crashes.len(), 1, "{crashes:#?}");
    assert_eq!(crashes[0].kind, CrashKind::JsException);
    crashes.remove(0)
}

fn has_line(crash: &Crash, expected: &str) {
    let found = crash.stack.lines().any(|line| line.trim() == expected);
    assert!(found, "{expected}\nin\n{}", crash.stack);
}

// WEB-044
#[tokio::test]
async fn a_stack_names_the_source_and_the_place_in_the_script() {
    let mut session = app("esbuild-main.js", MAIN, json(MAIN_MAP)).await;
    let origin = session.server.origin();
    let crash_now = crash(&mut session, "tap").await;
    assert_eq!(
        crash_now.label,
        "RangeError: a line has no price @ priceOf /assets/src/cart.ts:12"
    );
    let script = format!("{origin}/assets/esbuild-main.js:1");
    let source = format!("{origin}/assets/src");
    for line in [
        format!("at priceOf ({source}/cart.ts:12:11) (generated: i {script}:114)"),
        format!("at {source}/cart.ts:6:51 (generated: {script}:72)"),
        "at Array.reduce (<anonymous>)".to_owned(),
        format!("at total ({source}/cart.ts:6:23) (generated: total {script}:56)"),
        format!("at showTotal ({source}/main.ts:4:28) (generated: r {script}:198)"),
    ] {
        has_line(&crash_now, &line);
    }
    // From a second way in, the map is known already; an async caller keeps its mark.
    let crash_later = crash(&mut session, "later").await;
    assert!(
        crash_later.stack.contains("checkOut ("),
        "{}",
        crash_later.stack
    );
    assert_eq!(session.server.asked("/assets/esbuild-main.js.map"), 1);
    assert_eq!(session.server.asked("/assets/esbuild-main.js"), 1);
    session.end().await;
}

// WEB-043
#[tokio::test]
async fn a_signature_outlives_the_names_of_a_build() {
    let mut session = app(
        "app.js",
        MAIN.replace("esbuild-main", "app"),
        json(MAIN_MAP),
    )
    .await;
    let of_main = crash(&mut session, "tap").await.signature;
    session.end().await;
    let mut session = app(
        "app.js",
        NEXT.replace("esbuild-next", "app"),
        json(NEXT_MAP),
    )
    .await;
    let of_next = crash(&mut session, "tap").await.signature;
    session.end().await;
    assert_eq!(of_main, of_next);
    assert_eq!(
        of_main.0,
        "js-exception|RangeError|a line has no price|priceOf@/assets/src/cart.ts|\
         @/assets/src/cart.ts|total@/assets/src/cart.ts"
    );
}

// WEB-044
#[tokio::test]
async fn a_map_may_come_in_the_script_or_be_named_by_a_header() {
    let bare = TERSER.replace("//# sourceMappingURL=terser.js.map", "");
    let inside = base64::engine::general_purpose::STANDARD.encode(TERSER_MAP);
    let inline = format!("{bare}//# sourceMappingURL=data:application/json;base64,{inside}\n");
    let mut session = app("terser.js", inline, || Reply::Status(404)).await;
    let crash_inline = crash(&mut session, "tap").await;
    assert_eq!(session.server.asked("/assets/terser.js.map"), 0);
    session.end().await;
    let mut session = Session::with(move |path| match path {
        "/" => html("<button id=tap>tap</button><button id=later>later</button><script src=/assets/terser.js></script>"),
        "/assets/terser.js" => Reply::Headed("SourceMap: terser.js.map\r\n", bare.clone()),
        "/assets/terser.js.map" => json(TERSER_MAP)(),
        _ => Reply::Status(404),
    })
    .await;
    let crash_header = crash(&mut session, "tap").await;
    session.end().await;
    for crash in [&crash_inline, &crash_header] {
        assert!(
            crash.label.ends_with("@ /assets/src/cart.ts:12"),
            "{}",
            crash.label
        );
        assert!(crash.stack.contains("at showTotal ("), "{}", crash.stack);
    }
    assert_eq!(crash_inline.signature, crash_header.signature);
}

// WEB-044: a missing map loses no fault, makes no fault of its own, and is asked for once.
#[tokio::test]
async fn a_map_that_cannot_be_had_costs_nothing_but_its_names() {
    let torn: fn() -> Reply =
        || Reply::Bytes("application/json", MAIN_MAP.as_bytes()[..700].to_vec());
    let missing: fn() -> Reply = || Reply::Status(404);
    for (map, reason) in [(torn, "it cannot be read"), (missing, "answered 404")] {
        let mut session = app("esbuild-main.js", MAIN, map).await;
        let origin = session.server.origin();
        let first = crash(&mut session, "tap").await;
        has_line(
            &first,
            &format!("at i ({origin}/assets/esbuild-main.js:1:114)"),
        );
        let remark = first
            .stack
            .lines()
            .find(|line| line.starts_with("remark: "));
        assert!(
            remark.is_some_and(|remark| remark.contains(reason)),
            "{remark:?}"
        );
        assert_eq!(crash(&mut session, "tap").await.signature, first.signature);
        assert_eq!(session.server.asked("/assets/esbuild-main.js.map"), 1);
        session.end().await;
    }
}

// WEB-044, WEB-INV-04
#[tokio::test]
async fn nobody_outside_the_app_is_asked_for_a_map() {
    let other = crate::server::Server::start(|_| json(MAIN_MAP)()).await;
    let elsewhere = format!("sourceMappingURL={}/esbuild-main.js.map", other.origin());
    let script = MAIN.replace("sourceMappingURL=esbuild-main.js.map", &elsewhere);
    let mut session = app("esbuild-main.js", script, json(MAIN_MAP)).await;
    let crash = crash(&mut session, "tap").await;
    assert!(
        crash.stack.contains("is outside the app"),
        "{}",
        crash.stack
    );
    session.end().await;
    assert_eq!(other.asked("/esbuild-main.js.map"), 0);
}

// WEB-044: a server that never answers for a map ends up as one that has none.
#[tokio::test]
async fn a_map_that_does_not_come_keeps_no_fault_waiting_for_ever() {
    let mut session = app("esbuild-main.js", MAIN, || Reply::Held).await;
    let late = crash(&mut session, "tap").await;
    // Whichever limit is reached first: that of the request, or that of all maps.
    let words = ["did not come in time", "no answer within"];
    let is_said = words.iter().any(|words| late.stack.contains(words));
    assert!(is_said, "{}", late.stack);
    crash(&mut session, "tap").await;
    assert_eq!(session.server.asked("/assets/esbuild-main.js.map"), 1);
    session.end().await;
}

// WEB-041: that a page may not ask for a map itself is no fault of it.
#[tokio::test]
async fn a_policy_of_the_page_is_kept_and_no_finding() {
    let mut session = Session::with(|path| match path {
        "/" => html(
            "<meta http-equiv=Content-Security-Policy content=\"connect-src 'none'\">
             <button id=tap>tap</button><button id=later>later</button>
             <script src=/esbuild-main.js></script>",
        ),
        "/esbuild-main.js" => script_reply(MAIN),
        _ => Reply::Status(404),
    })
    .await;
    let held = crash(&mut session, "tap").await;
    assert!(
        held.stack.contains("the page's policy forbids"),
        "{}",
        held.stack
    );
    assert_eq!(session.server.asked("/esbuild-main.js.map"), 0);
    assert!(session.crashes().await.is_empty());
    session.end().await;
}

/// A script that throws at its first column, and its map.
const THROWING: &str = "throw new Error('torn')\n//# sourceMappingURL=w.js.map";
const THROWING_MAP: &str = r#"{"version":3,"sources":["src/w.ts"],"names":[],"mappings":"AAUA"}"#;

// WEB-044: of a worker, and of a page that is left before anybody asks for the fault.
#[tokio::test]
async fn scripts_that_the_page_no_longer_has_are_mapped_too() {
    let mut session = Session::with(|path| match path {
        "/" => html("<button id=worker onclick=\"new Worker('/w.js')\">worker</button>"),
        "/w.js" => script_reply(THROWING),
        "/w.js.map" => json(THROWING_MAP)(),
        _ => html("<h1>next</h1>"),
    })
    .await;
    let place = format!("{}/src/w.ts:11:1", session.server.origin());
    assert!(session.tap("worker").await.is_ok());
    let mut crashes = session.crashes().await;
    for _ in 0..200 {
        if !crashes.is_empty() {
            break;
        }
        session.pass(50).await;
        crashes = session.crashes().await;
    }
    assert_eq!(crashes.len(), 1, "{crashes:#?}");
    assert!(crashes[0].stack.contains(&place), "{}", crashes[0].stack);
    session.end().await;

    let mut session = Session::with(|path| match path {
        "/" => html(
            "<button id=leave onclick=\"const s = document.createElement('script');
               s.src = '/w.js'; s.onload = () => location = '/next'; document.body.append(s)\">leave</button>",
        ),
        "/w.js" => script_reply(THROWING),
        "/w.js.map" => json(THROWING_MAP)(),
        _ => html("<h1 id=next>next</h1>"),
    })
    .await;
    let place = format!("{}/src/w.ts:11:1", session.server.origin());
    assert!(session.tap("leave").await.is_ok());
    session.pass(500).await;
    crate::session::by_id(&session.look().await, "next");
    let crashes = session.crashes().await;
    assert_eq!(crashes.len(), 1, "{crashes:#?}");
    assert!(crashes[0].stack.contains(&place), "{}", crashes[0].stack);
    session.end().await;
}
