//! Input goes to the element that was looked at, or to none.

use qa_core::{Action, Driver as _, Receipt, ReceiptStatus};

use crate::server::{Reply, html};
use crate::session::{Session, by_id, code, real_clock, target};

const PAGE: &str = "<button id=b onclick=\"said.textContent='b'\">Keep</button>
    <input id=i aria-label=Name onkeydown=\"said.textContent='i'\">
    <select id=s aria-label=Colour onchange=\"said.textContent='s'\"><option>red<option>blue</select>
    <p id=said></p>";

fn actions(session_view: &qa_core::Observation) -> Vec<Action> {
    let at = |id: &str| target(by_id(session_view, id));
    vec![
        Action::Tap { target: at("b") },
        Action::Fill {
            target: at("i"),
            text: "x".into(),
        },
        Action::Press {
            target: Some(at("i")),
            key: "a".into(),
        },
        Action::Select {
            target: at("s"),
            option: "blue".into(),
        },
    ]
}

fn is_untouched(receipt: &Receipt) -> bool {
    receipt.status == ReceiptStatus::Rejected && !receipt.dispatched
}

// REP-025, VIEW-007, D-08: a row of a list that is used again for another thing is another element.
#[tokio::test]
async fn an_element_that_became_another_one_is_not_touched() {
    let mut session = Session::at(PAGE).await;
    let view = session.look().await;
    session
        .ask("b.textContent = 'Throw away'; i.ariaLabel = s.ariaLabel = 'Other'; 0")
        .await;
    for action in actions(&view) {
        let receipt = session.act(action).await;
        assert_eq!(code(&receipt), "TARGET_CHANGED", "{receipt:?}");
        assert!(is_untouched(&receipt), "{receipt:?}");
    }
    assert_eq!(session.said().await, "");
    // What is looked at anew is what it is.
    let view = session.look().await;
    for action in actions(&view) {
        let receipt = session.act(action).await;
        assert!(receipt.is_ok(), "{receipt:?}");
    }
    assert_eq!(session.said().await, "s");
    session.end().await;
}

// REP-025: what does not make another element of it.
#[tokio::test]
async fn a_value_a_place_or_a_look_make_no_other_element() {
    let mut session = Session::at(PAGE).await;
    let view = session.look().await;
    session
        .ask(
            "i.value = 'old'; s.selectedIndex = 0; b.className = 'wide'; b.style.margin = '40px';
             document.body.append(b); 0",
        )
        .await;
    for action in actions(&view) {
        let receipt = session.act(action).await;
        assert!(receipt.is_ok(), "{receipt:?}");
    }
    session.end().await;
}

// D-08: what a key would write goes nowhere else.
#[tokio::test]
async fn a_key_that_would_go_elsewhere_is_kept_from_the_page() {
    let mut session = Session::at(
        "<input id=a aria-label=a onfocus=\"queueMicrotask(() => b.focus())\">
         <input id=b aria-label=b onkeydown=\"said.textContent += 'down '\"
           oninput=\"said.textContent += 'input '\"><p id=said></p>",
    )
    .await;
    let at = target(by_id(&session.look().await, "a"));
    let pressed = session
        .act(Action::Press {
            target: Some(at.clone()),
            key: "x".into(),
        })
        .await;
    assert_eq!(code(&pressed), "TARGET_MISSED", "{pressed:?}");
    let filled = session
        .act(Action::Fill {
            target: at,
            text: "words".into(),
        })
        .await;
    assert_eq!(code(&filled), "VALUE_NOT_TAKEN", "{filled:?}");
    assert_eq!(session.said().await, "");
    assert_eq!(session.ask("b.value").await, "");
    // The next key is meant for the other one.
    let at = target(by_id(&session.look().await, "b"));
    let pressed = session
        .act(Action::Press {
            target: Some(at),
            key: "y".into(),
        })
        .await;
    assert!(pressed.is_ok(), "{pressed:?}");
    assert_eq!(session.said().await, "down input ");
    session.end().await;
}

// D-08, WEB-053: a press whose end would hit something else is not finished there.
#[tokio::test]
async fn a_press_that_would_end_elsewhere_is_not_known_to_have_come() {
    let mut session = Session::at(
        "<button id=b onmousedown=\"veil.hidden = false; said.textContent += 'down '\"
           onclick=\"said.textContent += 'click '\">go</button>
         <div id=veil hidden style='position:fixed;inset:0'
           onmouseup=\"said.textContent += 'veil '\"></div>
         <p id=said></p><script>
           document.addEventListener('click', () => { said.textContent += 'document '; });
         </script>",
    )
    .await;
    let receipt = session.tap("b").await;
    let got = (receipt.status, code(&receipt));
    assert_eq!(got, (ReceiptStatus::Unknown, "PRESS_INTERRUPTED"));
    assert_eq!(session.said().await, "down ");
    session.end().await;
}

// D-08: a pointer that comes may make another element of it.
#[tokio::test]
async fn what_changes_as_the_pointer_comes_is_not_pressed() {
    let mut session = Session::at(
        "<button id=b onpointermove=\"b.textContent = 'Throw away'\"
           onclick=\"said.textContent = 'pressed'\">Keep</button><p id=said></p>",
    )
    .await;
    let receipt = session.tap("b").await;
    assert_eq!(code(&receipt), "TARGET_MISSED", "{receipt:?}");
    assert_eq!(session.said().await, "");
    session.end().await;
}

// D-08, WEB-053: a page that leaves as the pointer comes is not pressed in the page after it.
#[tokio::test]
async fn a_press_never_reaches_the_document_after_the_one_that_was_looked_at() {
    let page = |next: &str| {
        format!(
            "<button id=b style='position:fixed;inset:0;width:100%' onclick=\"said.textContent='b'\">go</button>
             <p id=said></p><script>
               onpointermove = () => {{ location.assign('{next}'); const until = Date.now() + 50;
                 while (Date.now() < until); }};
             </script>"
        )
    };
    let mut session = Session::open(
        move |path| match path {
            "/" => html(page("/next")),
            "/next" => html(page("/next").replace("onpointermove", "unused")),
            _ => Reply::Status(404),
        },
        real_clock,
    )
    .await;
    for _ in 0..5 {
        let receipt = session.tap("b").await;
        session.pass(300).await;
        // It was pressed before the page left, or not at all.
        assert_eq!(session.said().await, "", "{receipt:?}");
        session.driver.launch().await.unwrap();
        session.pass(300).await;
    }
    session.end().await;
}
