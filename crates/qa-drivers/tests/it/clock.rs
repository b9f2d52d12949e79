//! How app time passes.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use qa_core::{Action, Clock, Driver as _, Notice};

use crate::server::{Reply, html};
use crate::session::{Session, real_clock};

// WEB-070, WEB-075, WEB-076
#[tokio::test]
async fn a_second_of_app_time_brings_all_that_a_second_brings() {
    let mut session = Session::at(
        "<style>#t { transition: opacity 300ms; opacity: 1 } #t.off { opacity: 0 }</style>
         <button id=b>go</button><div id=t>fades</div><div style='height:2000px'></div><div id=low>low</div>
         <script>
           const seen = window.seen = { frames: 0, steps: 0 };
           b.onclick = () => {
             const start = performance.now();
             t.ontransitionend = () => { document.body.dataset.transition = performance.now() - start; };
             t.className = 'off';
             setTimeout(() => { document.body.dataset.timer = performance.now() - start; }, 1000);
             const frame = () => { document.body.dataset.frames = ++seen.frames; requestAnimationFrame(frame); };
             requestAnimationFrame(frame);
             setInterval(() => { document.body.dataset.steps = ++seen.steps; }, 100);
             new IntersectionObserver((e) => { document.body.dataset.seen = e[0].isIntersecting; }).observe(low);
           };
         </script>",
    )
    .await;
    let view = session.look().await;
    let target = crate::session::target(crate::session::by_id(&view, "b"));
    assert!(
        session
            .driver
            .act(&Action::Tap { target })
            .await
            .unwrap()
            .is_ok()
    );
    let before = session.driver.now();
    let passed = session
        .driver
        .advance(Duration::from_millis(1000))
        .await
        .unwrap();
    assert_eq!(
        (passed.clock, session.driver.now() - before),
        (Clock::Virtual, Duration::from_millis(1000))
    );
    let data = session.ask("({...document.body.dataset})").await;
    let number = |name: &str| {
        data[name]
            .as_str()
            .and_then(|text| text.parse::<f64>().ok())
    };
    assert!(number("transition").is_some(), "{data}");
    assert!(number("timer").is_some_and(|ms| ms > 999.0), "{data}");
    assert!(
        number("steps").is_some_and(|steps| (9.0..=13.0).contains(&steps)),
        "{data}"
    );
    assert!(
        number("frames").is_some_and(|frames| frames >= 8.0),
        "{data}"
    );
    assert_eq!(data["seen"], "false", "{data}");
    assert!(session.look().await.animating.is_empty());
    session.end().await;
}

// WEB-070: nothing runs while nobody lets time pass.
#[tokio::test]
async fn app_time_stands_still_between_advances() {
    let mut session =
        Session::at("<p id=said>0</p><script>setInterval(() => said.textContent++, 10)</script>")
            .await;
    let before = session.said().await;
    for _ in 0..20 {
        session.look().await;
    }
    assert_eq!(session.said().await, before);
    session.pass(100).await;
    assert_ne!(session.said().await, before);
    session.end().await;
}

// WEB-076
#[tokio::test]
async fn a_running_animation_is_named_and_an_endless_one_is_not() {
    let mut session = Session::at(
        "<style>@keyframes spin { to { rotate: 1turn } } #e { animation: spin 1s infinite }
         @keyframes slide { to { translate: 90px } } #f.go { animation: slide 9000000s }</style>
         <div id=e>endless</div><div id=f>finite</div><button id=b onclick=\"f.className = f.className ? '' : 'go'\">go</button>",
    )
    .await;
    assert!(session.look().await.animating.is_empty());
    assert!(session.tap("b").await.is_ok());
    assert_eq!(session.look().await.animating, ["slide"]);
    assert!(session.tap("b").await.is_ok());
    assert!(session.look().await.animating.is_empty());
    session.end().await;
}

// WEB-070, WEB-074
#[tokio::test]
async fn time_waits_for_the_network_but_not_for_ever() {
    let mut session = Session::with(|path| match path {
        "/" => html("<p id=said>-</p><button id=b onclick=\"fetch('/slow').then(() => said.textContent = 'answered')\">go</button>"),
        _ => Reply::Held,
    })
    .await;
    assert!(session.tap("b").await.is_ok());
    let url = format!("{}/slow", session.server.origin());
    let passed = session
        .driver
        .advance(Duration::from_millis(250))
        .await
        .unwrap();
    assert_eq!(
        (&passed.ignored[..], &passed.pending[..]),
        (&[url][..], &[][..])
    );
    assert_eq!(session.said().await, "-");
    session.server.release();
    for _ in 0..100 {
        if session.said().await == "answered" {
            break;
        }
        session.pass(50).await;
    }
    assert_eq!(session.said().await, "answered");
    let passed = session
        .driver
        .advance(Duration::from_millis(50))
        .await
        .unwrap();
    assert_eq!((passed.ignored.len(), passed.pending.len()), (0, 0));
    session.end().await;
}

// WEB-075: a document that begins while time is held draws frames all the same.
#[tokio::test]
async fn a_new_document_draws_frames() {
    let page = |next: &str| {
        html(format!(
            "<a id=next href={next}>next</a><p id=said>0</p><script>
             const frame = () => {{ said.textContent++; requestAnimationFrame(frame); }}; requestAnimationFrame(frame);</script>"
        ))
    };
    let mut session = Session::with(move |path| match path {
        "/" => page("/a"),
        "/a" => page("/b"),
        _ => page("/"),
    })
    .await;
    for _ in 0..3 {
        assert!(session.tap("next").await.is_ok());
        session.pass(500).await;
        let frames: u32 = session.said().await.parse().unwrap();
        assert!(frames >= 2, "{frames}");
        let picture = session.driver.screenshot().await.unwrap();
        assert!(picture.bytes.starts_with(b"\x89PNG"));
    }
    session.end().await;
}

// WEB-075: input to a document that the app went to is not older than the document. Chromium ends
// the process of a page whose address and content change by such input.
#[tokio::test]
async fn a_document_that_the_app_went_to_takes_input() {
    let mut session = Session::with(|path| match path {
        "/" => html("<a id=next href=/a>next</a>"),
        _ => html(
            "<button id=b onclick=\"history.pushState({}, '', '?2'); said.textContent = event.timeStamp <= performance.now()\">go</button>
             <p id=said>-</p>",
        ),
    })
    .await;
    assert!(session.tap("next").await.is_ok());
    assert!(session.tap("b").await.is_ok());
    session.pass(500).await;
    assert_eq!(session.said().await, "true");
    session.end().await;
}

// WEB-070: no more app time passes than was asked for, whatever the page does and wherever it goes.
#[tokio::test]
async fn a_page_sees_just_the_time_that_passed() {
    const PAGE: &str = "<a id=next href=/a>next</a>";
    let mut session = Session::with(|_| html(PAGE)).await;
    for _ in 0..2 {
        let clock = "performance.now()";
        let (before, told) = (
            session.ask(clock).await.as_f64().unwrap(),
            session.driver.now(),
        );
        session.pass(1000).await;
        session.driver.screenshot().await.unwrap();
        let seen = session.ask(clock).await.as_f64().unwrap() - before;
        let told = (session.driver.now() - told).as_secs_f64() * 1000.0;
        assert!((seen - told).abs() < 1.0, "{seen} {told}");
        let calendar = session.ask("Date.now() / 1000").await.as_f64().unwrap();
        let ours = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        assert!((calendar - ours.as_secs_f64()).abs() < 60.0, "{calendar}");
        assert!(session.tap("next").await.is_ok());
    }
    session.end().await;
}

// WEB-075: an animation that a page draws itself, by the one clock and by the other.
#[tokio::test]
async fn an_animation_drawn_by_the_page_comes_to_its_end() {
    const PAGE: &str = "<a id=next href=/a>next</a><button id=b>go</button><p id=said>-</p><script>
        b.onclick = () => {
          const start = performance.now();
          requestAnimationFrame(function step(now) {
            if (now - start >= 300) said.textContent = 'done'; else requestAnimationFrame(step);
          });
        };</script>";
    let mut session = Session::with(|_| html(PAGE)).await;
    for _ in 0..2 {
        assert!(session.tap("b").await.is_ok());
        session.pass(1000).await;
        assert_eq!(session.said().await, "done");
        assert!(session.tap("next").await.is_ok());
    }
    session.end().await;
}

// WEB-075: a page may move to another process, and lose what its clock was ahead.
#[tokio::test]
async fn a_page_in_a_process_of_its_own_draws_frames() {
    let page = || {
        let body = "<a id=next href=/a>next</a><button id=b onclick=\"said.textContent = 'pressed'\">go</button><p id=said>-</p>";
        Reply::Headed("Cross-Origin-Opener-Policy: same-origin\r\n", body.into())
    };
    let mut session = Session::with(move |_| page()).await;
    for _ in 0..3 {
        assert!(session.tap("b").await.is_ok());
        session.pass(250).await;
        assert_eq!(session.said().await, "pressed");
        let picture = session.driver.screenshot().await.unwrap();
        assert!(picture.bytes.starts_with(b"\x89PNG"));
        assert!(session.tap("next").await.is_ok());
    }
    session.end().await;
}

// WEB-072
#[tokio::test]
async fn sockets_and_streams_put_a_page_on_the_real_clock() {
    let mut session = Session::with(|path| match path {
        "/" => html("<p id=said></p><button id=a onclick=\"new WebSocket('ws://' + location.host + '/socket')\">a</button>"),
        "/stream" => html("<p id=said></p><button id=b onclick=\"new EventSource('/events').onmessage = (e) => said.textContent = e.data\">b</button>"),
        "/events" => Reply::Stream,
        _ => Reply::Status(404),
    })
    .await;
    for (path, id) in [("/", "a"), ("/stream", "b")] {
        assert!(session.go(path).await.is_ok());
        assert!(session.tap(id).await.is_ok());
        session.pass(250).await;
        let passed = session
            .driver
            .advance(Duration::from_millis(50))
            .await
            .unwrap();
        assert_eq!(passed.clock, Clock::Real, "{id}");
        assert!(passed.pending.is_empty(), "{passed:?}");
    }
    assert_eq!(session.said().await, "1");
    let notices = session.driver.take_notices();
    assert!(
        notices
            .iter()
            .any(|notice| matches!(notice, Notice::ClockFallback { .. })),
        "{notices:?}"
    );
    session.end().await;
}

// WEB-071
#[tokio::test]
async fn on_the_real_clock_time_passes_by_itself() {
    let mut session = Session::open(
        |_| {
            html(
                "<p id=said>-</p><script>setTimeout(() => said.textContent = 'late', 300)</script>",
            )
        },
        real_clock,
    )
    .await;
    let passed = session
        .driver
        .advance(Duration::from_millis(300))
        .await
        .unwrap();
    assert_eq!(passed.clock, Clock::Real);
    assert_eq!(session.said().await, "late");
    assert!(session.driver.now() >= Duration::from_millis(800));
    session.end().await;
}
