//! Documents inside documents, of the same process and of others.

use qa_core::{Action, TruncationReason};

use crate::server::{Reply, html};
use crate::session::{Session, by_id, code, target};

/// A page with a frame, in which there is a frame, and so on; each is moved and has a border.
fn nested(outer: &'static str) -> impl Fn(&str, u16) -> Reply + Send + Sync {
    move |path, port| {
        match path {
        "/" => html(format!(
            "<h1>outer</h1><iframe id=f src='http://{outer}:{port}/middle' width=600 height=400
             style='margin:37px 0 0 41px;border:7px solid;padding:5px'></iframe><p>after</p>"
        )),
        "/middle" => html(format!(
            "<p style='height:900px'>scroll</p><iframe id=g src='http://127.0.0.1:{port}/inner'
             width=400 height=300 style='border:3px solid;margin-left:23px'></iframe>"
        )),
        "/inner" => html(
            "<p style='height:500px'>scroll</p><button id=b onclick=\"this.textContent='pressed'\">go</button>
             <input id=i aria-label=field oninput=\"o.textContent=this.value\"><p id=o></p>",
        ),
        _ => Reply::Status(404),
    }
    }
}

async fn session(route: impl Fn(&str, u16) -> Reply + Send + Sync + 'static) -> Session {
    // The page's own links name the port, which is in each request's path as `?port`.
    let port = std::sync::Arc::new(std::sync::OnceLock::new());
    let known = std::sync::Arc::clone(&port);
    Session::open(
        move |path| route(path, *known.get().unwrap()),
        move |options| {
            let own = url_port(&options.url);
            options
                .allow_origins
                .push(format!("http://localhost:{own}"));
            port.set(own).unwrap();
        },
    )
    .await
}

fn url_port(url: &str) -> u16 {
    url.trim_end_matches('/')
        .rsplit(':')
        .next()
        .unwrap()
        .parse()
        .unwrap()
}

// WEB-021, WEB-051
#[tokio::test]
async fn nested_frames_of_one_process_are_read_and_acted_on() {
    acts_in_the_innermost(session(nested("127.0.0.1")).await).await;
}

// WEB-021, WEB-051
#[tokio::test]
async fn nested_frames_of_other_processes_are_read_and_acted_on() {
    acts_in_the_innermost(session(nested("localhost")).await).await;
}

async fn acts_in_the_innermost(mut session: Session) {
    session.pass(500).await;
    let view = session.look().await;
    assert!(
        view.completeness.coverage.verified,
        "{:?}",
        view.completeness
    );
    // The nodes of a frame stand between the frame and what follows it, below the frame's node.
    let at = |name: &str| {
        view.nodes
            .iter()
            .position(|node| node.name == name)
            .unwrap()
    };
    let id = |id: &str| {
        view.nodes
            .iter()
            .position(|node| node.id.as_deref() == Some(id))
            .unwrap()
    };
    assert!(
        at("outer") < id("f") && id("f") < id("g") && id("g") < at("go") && at("go") < at("after")
    );
    let mut above = view.nodes[at("go")].parent;
    let mut parents = Vec::new();
    while let Some(parent) = above {
        parents.push(parent);
        above = view.nodes[parent].parent;
    }
    assert!(
        parents.contains(&id("g")) && parents.contains(&id("f")),
        "{parents:?}"
    );
    // Positions are those of the page: the frame's own, its border, what stands in it.
    let (frame, inner) = (
        view.nodes[id("f")].bounds.unwrap(),
        view.nodes[id("g")].bounds.unwrap(),
    );
    assert_eq!(inner.x, frame.x + 7.0 + 5.0 + 8.0 + 23.0);
    let receipt = session.tap("b").await;
    assert!(receipt.is_ok(), "{receipt:?}");
    assert_eq!(by_id(&session.look().await, "b").name, "pressed");
    let receipt = session.fill("i", "typed").await;
    assert!(receipt.is_ok(), "{receipt:?}");
    let view = session.look().await;
    assert_eq!(by_id(&view, "i").value.as_deref(), Some("typed"));
    assert!(
        view.nodes
            .iter()
            .any(|node| node.role == "text" && node.name == "typed")
    );
    session.end().await;
}

// WEB-051: a frame may be far down the page while what is in it is at its top.
#[tokio::test]
async fn a_frame_below_the_fold_is_scrolled_into_view() {
    for host in ["127.0.0.1", "localhost"] {
        let mut session = session(move |path, port| match path {
            "/" => html(format!(
                "<p style='height:3000px'>far</p><iframe id=f src='http://{host}:{port}/inner'></iframe>"
            )),
            _ => html("<button id=b onclick=\"this.textContent='pressed'\">go</button>"),
        })
        .await;
        let receipt = session.tap("b").await;
        assert!(receipt.is_ok(), "{receipt:?}");
        assert_eq!(by_id(&session.look().await, "b").name, "pressed", "{host}");
        session.end().await;
    }
}

// WEB-051: what lies over a frame lies over all that is in it.
#[tokio::test]
async fn what_is_in_a_covered_frame_is_obscured() {
    let mut session = session(|path, port| match path {
        "/" => html(format!(
            "<iframe id=f src='http://localhost:{port}/inner'></iframe>
             <div id=veil style='position:fixed;inset:0;background:#fff'>wait</div>"
        )),
        _ => html("<button id=b>go</button>"),
    })
    .await;
    let receipt = session.tap("b").await;
    assert_eq!(code(&receipt), "TARGET_OBSCURED", "{receipt:?}");
    assert!(
        receipt
            .reason
            .as_deref()
            .is_some_and(|reason| reason.contains("veil")),
        "{receipt:?}"
    );
    session.end().await;
}

// WEB-026: the document of a frame can go away alone.
#[tokio::test]
async fn a_ref_into_a_frame_ends_with_the_frames_document() {
    let mut session = session(|path, port| match path {
        "/" => html(format!(
            "<iframe id=f src='http://127.0.0.1:{port}/inner'></iframe>
             <button id=turn onclick=\"f.contentWindow.location='http://127.0.0.1:{port}/next'\">turn</button>"
        )),
        _ => html("<button id=b>go</button>"),
    })
    .await;
    let view = session.look().await;
    let (old, turn) = (by_id(&view, "b").clone(), by_id(&view, "turn").clone());
    assert!(session.tap("turn").await.is_ok());
    session.pass(500).await;
    let view = session.look().await;
    assert_ne!(by_id(&view, "b").node_ref, old.node_ref);
    assert_eq!(by_id(&view, "turn").node_ref, turn.node_ref);
    let receipt = session
        .act(Action::Tap {
            target: target(&old),
        })
        .await;
    assert_eq!(code(&receipt), "REF_EXPIRED");
    session.end().await;
}

// WEB-021: what was not entered is named, and nothing is claimed of it.
#[tokio::test]
async fn a_frame_that_cannot_be_entered_is_named() {
    let mut session = Session::with(|path| match path {
        "/" => {
            let many: String = (0..80)
                .map(|n| format!("<iframe src=/{n} height=9></iframe>"))
                .collect();
            html(many)
        }
        _ => html("<p>in</p>"),
    })
    .await;
    session.pass(1000).await;
    let view = session.look().await;
    let completeness = &view.completeness;
    assert!(
        completeness
            .reasons
            .contains(&TruncationReason::IframeNotTraversed)
    );
    assert!(completeness.truncated && !completeness.coverage.verified);
    let entered = view.nodes.iter().filter(|node| node.name == "in").count();
    assert!((1..80).contains(&entered), "{entered}");
    session.end().await;
}

// WEB-021, REP-058: what a frame of another process hides later is looked for at each thorough look.
#[tokio::test]
async fn a_closed_root_that_comes_later_in_a_frame_is_read() {
    let mut session = session(|path, port| match path {
        "/" => html(format!("<iframe src='http://localhost:{port}/f' width=400 height=300></iframe>")),
        _ => html(
            "<button id=b onclick=\"document.querySelector('#host').attachShadow({mode: 'closed'}).innerHTML =
               '<p role=alert aria-label=Failed>Failed</p>'\">b</button><div id=host></div>",
        ),
    })
    .await;
    session.pass(500).await;
    session.look().await;
    assert!(session.tap("b").await.is_ok());
    let view = session.look().await;
    assert!(view.nodes.iter().any(|node| node.name == "Failed"));
    assert!(
        view.completeness.coverage.verified,
        "{:?}",
        view.completeness
    );
    session.end().await;
}

// WEB-021, REP-060: more closed roots than are told at once are no complete view.
#[tokio::test]
async fn very_many_closed_roots_take_more_than_one_look() {
    let mut session = Session::at(
        "<div id=all></div><script>
           for (let n = 0; n < 2500; n++) {
             const host = document.createElement('div');
             host.attachShadow({mode: 'closed'}).innerHTML = `<b>in ${n}</b>`;
             all.append(host);
           }
         </script>",
    )
    .await;
    let unverified = TruncationReason::ShadowCoverageUnverified;
    let view = session.look().await;
    assert!(
        view.completeness.reasons.contains(&unverified),
        "{:?}",
        view.completeness
    );
    assert!(!view.completeness.coverage.verified);
    let view = session.look().await;
    assert!(
        !view.completeness.reasons.contains(&unverified),
        "{:?}",
        view.completeness
    );
    session.end().await;
}
