//! A ref means one element for as long as that lives, and nothing afterwards.

use qa_core::{Action, Driver as _, NodeRef, ReceiptStatus, Target};

use crate::server::{Reply, html};
use crate::session::{Session, by_id, code, target};

const PAGE: &str = "<button id=b onclick=\"said.textContent='pressed'\">go</button><p id=said></p>
    <button id=swap onclick=\"b.outerHTML=b.outerHTML\">swap</button>
    <button id=push onclick=\"history.pushState(0,'','/pushed')\">push</button>
    <button id=reload onclick=\"location.reload()\">reload</button>";

// WEB-026
#[tokio::test]
async fn a_ref_stays_the_same_while_its_document_lives() {
    let mut session = Session::at(PAGE).await;
    let first = by_id(&session.look().await, "b").clone();
    assert!(session.tap("push").await.is_ok());
    let view = session.look().await;
    assert!(
        view.url
            .as_deref()
            .is_some_and(|url| url.ends_with("/pushed")),
        "{:?}",
        view.url
    );
    assert_eq!(by_id(&view, "b").node_ref, first.node_ref);
    let receipt = session
        .act(Action::Tap {
            target: target(&first),
        })
        .await;
    assert!(receipt.is_ok(), "{receipt:?}");
    assert_eq!(session.said().await, "pressed");
    session.end().await;
}

// WEB-026, WEB-INV-03
#[tokio::test]
async fn no_ref_survives_a_navigation() {
    let mut session = Session::with(|path| match path {
        "/" | "/other" => html(PAGE),
        _ => Reply::Status(404),
    })
    .await;
    let mut old = vec![by_id(&session.look().await, "b").clone()];
    assert!(session.go("/other").await.is_ok());
    old.push(by_id(&session.look().await, "b").clone());
    assert!(session.tap("reload").await.is_ok());
    session.pass(500).await;
    old.push(by_id(&session.look().await, "b").clone());
    session.driver.launch().await.unwrap();
    session.pass(500).await;
    let new = by_id(&session.look().await, "b").clone();
    for node in old {
        assert_ne!(node.node_ref, new.node_ref);
        let receipt = session
            .act(Action::Tap {
                target: target(&node),
            })
            .await;
        assert_eq!(
            (receipt.status, code(&receipt)),
            (ReceiptStatus::Rejected, "REF_EXPIRED")
        );
        assert!(!receipt.dispatched);
    }
    assert_eq!(session.said().await, "");
    session.end().await;
}

// WEB-INV-03, WEB-051
#[tokio::test]
async fn an_element_that_was_replaced_by_its_equal_is_not_taken_for_it() {
    let mut session = Session::at(PAGE).await;
    let old = by_id(&session.look().await, "b").clone();
    assert!(session.tap("swap").await.is_ok());
    let new = by_id(&session.look().await, "b").clone();
    assert_ne!(old.node_ref, new.node_ref);
    for action in [
        Action::Tap {
            target: target(&old),
        },
        Action::Press {
            target: Some(target(&old)),
            key: "Enter".into(),
        },
        Action::Fill {
            target: target(&old),
            text: "x".into(),
        },
        Action::Select {
            target: target(&old),
            option: "x".into(),
        },
    ] {
        let receipt = session.act(action).await;
        assert_eq!(
            (receipt.status, code(&receipt)),
            (ReceiptStatus::Failed, "TARGET_DETACHED")
        );
    }
    assert_eq!(session.said().await, "");
    session.end().await;
}

// WEB-026
#[tokio::test]
async fn a_ref_that_was_never_given_names_nothing() {
    let mut session = Session::at(PAGE).await;
    let node = by_id(&session.look().await, "b").clone();
    for (bad, expected) in [
        ("e1", "UNKNOWN_REF"),
        ("w1", "UNKNOWN_REF"),
        ("w999e1", "REF_EXPIRED"),
        (&*format!("{}999", node.node_ref), "TARGET_DETACHED"),
        ("w1e1\"); alert(1); (\"", "TARGET_DETACHED"),
    ] {
        let bad = if bad.starts_with("w1e1") {
            node.node_ref.0.replace("e", "e1\"); alert(1); (\"e")
        } else {
            bad.to_owned()
        };
        let target = Target {
            node_ref: NodeRef(bad.clone()),
            ..target(&node)
        };
        let receipt = session.act(Action::Tap { target }).await;
        assert_eq!(code(&receipt), expected, "{bad}");
    }
    assert!(session.driver.take_notices().is_empty());
    session.end().await;
}
