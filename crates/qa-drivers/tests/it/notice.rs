//! What happens beside the view: dialogs, windows, downloads, choosers, permissions.

use qa_core::{Driver as _, Notice, ObserveRequest};
use qa_drivers::cdp::PERMISSIONS;

use crate::server::{Reply, html};
use crate::session::{Session, by_id};

fn dialog(kind: &str, message: &str, accepted: bool) -> Notice {
    Notice::Dialog {
        kind: kind.into(),
        message: message.into(),
        accepted,
    }
}

// WEB-008
#[tokio::test]
async fn dialogs_are_answered_and_told() {
    let mut session = Session::at(
        "<p id=said></p><button id=b onclick=\"alert('one'); said.textContent = confirm('two') + ' ' + prompt('three', 'x')\">ask</button>",
    )
    .await;
    assert!(session.tap("b").await.is_ok());
    let told = [
        dialog("alert", "one", true),
        dialog("confirm", "two", false),
        dialog("prompt", "three", false),
    ];
    assert_eq!(session.driver.take_notices(), told);
    assert_eq!(session.said().await, "false null");
    assert!(session.driver.take_notices().is_empty());
    session.end().await;
}

// WEB-008, REP-011: who accepts dialogs does not mean those that ask for something dangerous.
#[tokio::test]
async fn what_is_dangerous_is_never_agreed_to() {
    let mut session = Session::open(
        |_| {
            html(
                "<p id=said></p><button id=b onclick=\"said.textContent =
                   [confirm('Use the old one?'), confirm('Delete account?'), confirm('Feed the otter?')]\">ask</button>",
            )
        },
        |options| {
            options.accept_dialogs = true;
            options.blocklist = vec!["otter".into()];
        },
    )
    .await;
    assert!(session.tap("b").await.is_ok());
    assert_eq!(session.said().await, "true,false,false");
    session.end().await;
}

// WEB-008: also while somebody looks.
#[tokio::test]
async fn a_dialog_that_opens_under_a_look_is_answered() {
    let mut session = Session::open(
        |_| {
            html(
                "<p id=said>0</p><script>
                 const ask = () => { alert('again'); said.textContent++; setTimeout(ask, 1); };
                 setTimeout(ask, 100);</script>",
            )
        },
        crate::session::real_clock,
    )
    .await;
    for _ in 0..20 {
        let view = session
            .driver
            .observe(ObserveRequest::JUDGING)
            .await
            .unwrap();
        assert!(
            view.nodes
                .iter()
                .any(|node| node.id.as_deref() == Some("said"))
        );
    }
    let notices = session.driver.take_notices();
    assert!(notices.contains(&dialog("alert", "again", true)));
    assert!(
        notices.len() <= 20,
        "notices are bounded: {}",
        notices.len()
    );
    session.end().await;
}

// WEB-008
#[tokio::test]
async fn a_page_cannot_keep_anybody_from_leaving() {
    let mut session = Session::with(|path| match path {
        "/" => html(
            "<button id=b onclick=\"onbeforeunload = (e) => { e.preventDefault(); return 'stay'; }\">hold</button>",
        ),
        _ => html("<h1>away</h1>"),
    })
    .await;
    assert!(session.tap("b").await.is_ok());
    let receipt = session.go("/away").await;
    assert!(receipt.is_ok(), "{receipt:?}");
    assert!(
        session
            .look()
            .await
            .nodes
            .iter()
            .any(|node| node.name == "away")
    );
    let notices = session.driver.take_notices();
    assert!(
        matches!(&notices[..], [Notice::Dialog { kind, accepted: true, .. }] if kind == "beforeunload"),
        "{notices:?}"
    );
    session.end().await;
}

// WEB-007
#[tokio::test]
async fn another_window_is_closed_and_told() {
    let mut session = Session::with(|path| match path {
        "/" => html(
            "<a id=a href=/other target=_blank>blank</a>
             <button id=b onclick=\"window.open('/scripted', 'w', 'width=300')\">open</button>
             <button id=c onclick=\"window.open('http://localhost:1/foreign')\">foreign</button>",
        ),
        _ => html("<h1>other</h1><script>fetch('/popup-ran')</script>"),
    })
    .await;
    for (id, path, inside) in [
        ("a", "/other", true),
        ("b", "/scripted", true),
        ("c", "", false),
    ] {
        let receipt = session.tap(id).await;
        assert!(receipt.is_ok(), "{id}: {receipt:?}");
        session.pass(250).await;
        let url = if inside {
            format!("{}{path}", session.server.origin())
        } else {
            "http://localhost:1/foreign".into()
        };
        assert_eq!(
            session.driver.take_notices(),
            [Notice::Popup { url, inside }],
            "{id}"
        );
        let view = session.look().await;
        assert!(by_id(&view, "a").flags.new_window);
    }
    assert_eq!(session.server.asked("/popup-ran"), 0);
    // That they could not load is our doing, not the app's.
    assert_eq!(session.crashes().await, []);
    session.end().await;
}

// WEB-009
#[tokio::test]
async fn a_download_is_denied_and_told() {
    let mut session = Session::with(|path| match path {
        "/" => html("<a id=a href=/file>get</a>"),
        _ => Reply::Attachment("report.bin"),
    })
    .await;
    assert!(session.tap("a").await.is_ok());
    session.pass(500).await;
    let url = format!("{}/file", session.server.origin());
    let told = Notice::Download {
        url,
        name: "report.bin".into(),
    };
    assert_eq!(session.driver.take_notices(), [told]);
    by_id(&session.look().await, "a");
    session.end().await;
}

const UPLOAD: &str = "<input id=f type=file aria-label=file><p id=said></p><script>
    f.oncancel = () => { said.textContent = 'cancelled'; };
    f.onchange = () => { said.textContent = f.files[0].name; };</script>";

// WEB-009
#[tokio::test]
async fn a_chooser_of_files_is_cancelled() {
    let mut session = Session::at(UPLOAD).await;
    assert!(session.tap("f").await.is_ok());
    session.pass(250).await;
    assert_eq!(
        session.driver.take_notices(),
        [Notice::FileChooser { answered: false }]
    );
    // The page goes on, and can ask again.
    assert!(session.tap("f").await.is_ok());
    assert_eq!(
        session.driver.take_notices(),
        [Notice::FileChooser { answered: false }]
    );
    session.end().await;
}

// WEB-009
#[tokio::test]
async fn a_chooser_of_files_gets_what_a_person_gave() {
    let file = tempfile::NamedTempFile::with_prefix("upload").unwrap();
    let path = file.path().to_owned();
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    let mut session =
        Session::open(|_| html(UPLOAD), move |options| options.upload = vec![path]).await;
    assert!(session.tap("f").await.is_ok());
    session.pass(250).await;
    assert_eq!(
        session.driver.take_notices(),
        [Notice::FileChooser { answered: true }]
    );
    assert_eq!(session.said().await, name);
    session.end().await;
}

const WHERE: &str =
    "<p id=said></p><button id=b onclick=\"navigator.geolocation.getCurrentPosition(
    () => said.textContent = 'told', (e) => said.textContent = 'code ' + e.code);
    Notification.requestPermission().then((p) => said.title = p)\">where</button>";

// WEB-009
#[tokio::test]
async fn permissions_are_denied() {
    let mut session = Session::at(WHERE).await;
    assert!(session.tap("b").await.is_ok());
    session.pass(1000).await;
    assert_eq!(session.said().await, "code 1");
    assert_eq!(
        session.ask("document.getElementById('said').title").await,
        "denied"
    );
    session.end().await;
}

// WEB-009: the browser knows every name that is offered.
#[tokio::test]
async fn each_known_permission_can_be_granted() {
    let session = Session::open(
        |_| html("<h1>here</h1>"),
        |options| options.grant = PERMISSIONS.map(str::to_owned).to_vec(),
    )
    .await;
    session.end().await;
}

// WEB-009
#[tokio::test]
async fn a_permission_that_a_person_grants_is_granted() {
    let mut session = Session::open(
        |_| html(WHERE),
        |options| options.grant = vec!["geolocation".into()],
    )
    .await;
    assert!(session.tap("b").await.is_ok());
    session.pass(1000).await;
    assert_ne!(session.said().await, "code 1");
    session.end().await;
}

// WEB-009: printing does nothing, and blocks nothing.
#[tokio::test]
async fn printing_does_nothing() {
    let mut session = Session::at(
        "<p id=said></p><button id=b onclick=\"print(); said.textContent='on'\">print</button>",
    )
    .await;
    assert!(session.tap("b").await.is_ok());
    assert_eq!(session.said().await, "on");
    session.end().await;
}
