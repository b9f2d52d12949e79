//! What a driver's hands do, and what they refuse to do.

use qa_core::{Action, Driver as _, ReceiptStatus};

use crate::server::{Reply, html};
use crate::session::{Session, by_id, code, real_clock, target};

// WEB-050: handlers that need trusted input run.
#[tokio::test]
async fn a_tap_is_real_input() {
    let mut session = Session::at(
        "<button id=b>go</button><p id=said></p><script>
           for (const type of ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click'])
             b.addEventListener(type, (e) => { said.textContent += type + e.isTrusted + ' '; });
         </script>",
    )
    .await;
    assert!(session.tap("b").await.is_ok());
    let expected = "pointerdowntrue mousedowntrue pointeruptrue mouseuptrue clicktrue ";
    assert_eq!(session.said().await, expected);
    session.end().await;
}

// WEB-052
#[tokio::test]
async fn filling_replaces_and_reads_back() {
    let mut session = Session::at(
        "<input id=text value=old aria-label=a><textarea id=area>old</textarea>
         <div id=edit contenteditable>old</div><input id=date type=date><input id=time type=time>
         <input id=color type=color><input id=number type=number value=1>
         <input id=short maxlength=3 aria-label=s>
         <input id=upper aria-label=u oninput=\"this.value=this.value.toUpperCase()\">
         <input id=locked readonly value=fixed aria-label=l><input id=off disabled aria-label=o>
         <input id=check type=checkbox aria-label=c><p id=said></p><script>
           date.addEventListener('change', () => { said.textContent = date.value; });
         </script>",
    )
    .await;
    for (id, text) in [
        ("text", "new \u{1f600} \"quoted\" </script>"),
        ("area", "two\nlines"),
        ("edit", "edited"),
        ("date", "2026-03-09"),
        ("time", "13:37"),
        ("color", "#00ff7f"),
        ("number", "-1.5"),
        ("upper", "DONE"),
        ("text", ""),
    ] {
        let receipt = session.fill(id, text).await;
        assert!(receipt.is_ok(), "{id} {text:?}: {receipt:?}");
        let expression = format!(
            "document.getElementById('{id}').value ?? document.getElementById('{id}').innerText"
        );
        assert_eq!(session.ask(&expression).await, text, "{id}");
    }
    assert_eq!(session.said().await, "2026-03-09");
    for (id, text, expected) in [
        ("short", "too long", "VALUE_NOT_TAKEN"),
        ("upper", "small", "VALUE_NOT_TAKEN"),
        ("number", "letters", "VALUE_NOT_TAKEN"),
        ("date", "tomorrow", "VALUE_NOT_TAKEN"),
        ("locked", "x", "TARGET_NOT_EDITABLE"),
        ("off", "x", "TARGET_DISABLED"),
        ("check", "x", "TARGET_NOT_EDITABLE"),
    ] {
        let receipt = session.fill(id, text).await;
        assert_eq!(code(&receipt), expected, "{id}: {receipt:?}");
        assert!(!receipt.is_ok());
    }
    session.end().await;
}

// REP-030, REP-086: what is there stays, and the caret is put behind it.
#[tokio::test]
async fn typing_adds_to_what_a_field_holds() {
    let mut session = Session::at(
        "<input id=text value=old aria-label=a><textarea id=area>old\nlines</textarea>
         <div id=edit contenteditable>old</div><input id=email type=email value=a@b>
         <input id=number type=number value=1><input id=short maxlength=4 value=abc aria-label=s>
         <input id=locked readonly value=fixed aria-label=l><input id=off disabled aria-label=o>
         <input id=date type=date><input id=check type=checkbox aria-label=c>
         <input id=secret type=password aria-label=p><p id=said></p><script>
           secret.addEventListener('input', () => { said.textContent = 'typed'; });
         </script>",
    )
    .await;
    for (id, text, expected) in [
        ("text", " and new", "old and new"),
        ("text", "!", "old and new!"),
        ("area", " more", "old\nlines more"),
        ("edit", " edit", "old edit"),
        ("email", ".test", "a@b.test"),
        ("number", "2", "12"),
    ] {
        let receipt = session.add(id, text).await;
        assert!(receipt.is_ok(), "{id} {text:?}: {receipt:?}");
        let expression = format!(
            "document.getElementById('{id}').value ?? document.getElementById('{id}').innerText"
        );
        assert_eq!(session.ask(&expression).await, expected, "{id}");
    }
    for (id, status, expected) in [
        ("short", ReceiptStatus::Failed, "VALUE_NOT_TAKEN"),
        ("locked", ReceiptStatus::Rejected, "TARGET_NOT_EDITABLE"),
        ("off", ReceiptStatus::Rejected, "TARGET_DISABLED"),
        ("date", ReceiptStatus::Rejected, "TARGET_NOT_EDITABLE"),
        ("check", ReceiptStatus::Rejected, "TARGET_NOT_EDITABLE"),
        ("secret", ReceiptStatus::Rejected, "SECURE_FIELD_REFUSED"),
    ] {
        let receipt = session.add(id, "xy").await;
        assert_eq!((receipt.status, code(&receipt)), (status, expected), "{id}");
        assert_eq!(
            receipt.dispatched,
            status == ReceiptStatus::Failed,
            "{id}: {receipt:?}"
        );
    }
    assert_eq!(session.said().await, "");
    session.end().await;
}

// REP-086, WEB-051
#[tokio::test]
async fn pointing_and_focusing_do_no_more_than_that() {
    let mut session = Session::at(
        "<style>#menu:hover #item { visibility: visible } #item { visibility: hidden }</style>
         <div id=menu role=button tabindex=0 aria-label=menu style='height:40px'>menu<b id=item>item</b></div>
         <input id=field aria-label=field onfocus=\"said.textContent+='focus '\">
         <button id=off disabled>off</button><button id=covered>covered</button>
         <div id=veil style='position:absolute;left:0;top:200px;width:100%;height:60px;background:#eee'>veil</div>
         <p style='height:2000px'></p><button id=far>far</button><p id=said></p><script>
           covered.style = 'position:absolute;top:210px';
           for (const type of ['pointerenter', 'pointerdown', 'click'])
             for (const id of ['menu', 'far'])
               window[id].addEventListener(type, (e) => { said.textContent += id + type + e.isTrusted + ' '; });
         </script>",
    )
    .await;
    assert!(session.hover("menu").await.is_ok());
    assert_eq!(session.said().await, "menupointerentertrue ");
    let visible = "getComputedStyle(document.getElementById('item')).visibility";
    assert_eq!(session.ask(visible).await, "visible");
    // The pointer is there already, which is no reason to say that it is not.
    let again = session.hover("menu").await;
    assert!(again.is_ok(), "{again:?}");
    let far = session.hover("far").await;
    assert!(far.is_ok(), "{far:?}");
    assert_eq!(
        session.said().await,
        "menupointerentertrue farpointerentertrue "
    );
    let covered = session.hover("covered").await;
    assert_eq!(code(&covered), "TARGET_OBSCURED");
    assert!(session.focus("field").await.is_ok());
    assert!(session.said().await.ends_with("focus "));
    assert_eq!(session.ask("document.activeElement.id").await, "field");
    let receipt = session.focus("off").await;
    assert_eq!(code(&receipt), "TARGET_DISABLED");
    assert!(!receipt.dispatched);
    session.end().await;
}

// REP-086, REP-110
#[tokio::test]
async fn an_element_is_brought_into_view_however_far_away_it_is() {
    let mut session = Session::at(
        "<p style='height:3000px'>long</p>
         <div role=region aria-label=box style='height:100px;overflow:auto'>
           <p style='height:900px'>tall</p><button id=inner>inner</button></div>
         <iframe srcdoc=\"<p style='height:2000px'>x</p><button id=framed>framed</button>\"></iframe>
         <p style='height:3000px'>long</p><button id=off disabled>off</button>
         <button id=gone>gone</button><p id=said></p>",
    )
    .await;
    for id in ["inner", "framed", "off", "inner"] {
        assert!(!by_id(&session.look().await, id).flags.in_viewport, "{id}");
        let receipt = session.scroll_to(id).await;
        assert!(receipt.is_ok(), "{id}: {receipt:?}");
        assert!(by_id(&session.look().await, id).flags.in_viewport, "{id}");
    }
    let place = session.ask("scrollY").await;
    assert!(session.scroll_to("inner").await.is_ok());
    assert_eq!(session.ask("scrollY").await, place, "it was there already");
    let view = session.look().await;
    let gone = target(by_id(&view, "gone"));
    session
        .ask("document.getElementById('gone').remove() ?? true")
        .await;
    let receipt = session.act(Action::ScrollTo { target: gone }).await;
    assert_eq!(code(&receipt), "TARGET_DETACHED");
    assert!(!receipt.dispatched);
    session.end().await;
}

// REP-110: what comes into view may take the place of what was scrolled to.
#[tokio::test]
async fn the_end_of_an_endless_list_has_been_seen_even_if_it_is_gone_then() {
    let mut session = Session::with(|path| match path {
        "/" => html(
            "<p style='height:3000px'>long</p><div id=end><button id=more>more</button></div><script>
             new IntersectionObserver(async (seen, watch) => {
               if (!seen[0].isIntersecting) return;
               watch.disconnect();
               await fetch('/more');
               end.innerHTML = '<p style=height:3000px>rows</p><button id=last>last</button>';
             }).observe(end);</script>",
        ),
        _ => Reply::Bytes("text/plain", b"more".to_vec()),
    })
    .await;
    let receipt = session.scroll_to("more").await;
    assert!(receipt.is_ok(), "{receipt:?}");
    let receipt = session.scroll_to("last").await;
    assert!(receipt.is_ok(), "{receipt:?}");
    assert!(by_id(&session.look().await, "last").flags.in_viewport);
    session.end().await;
}

// WEB-013, WEB-062
#[tokio::test]
async fn nothing_is_typed_into_a_secret_field() {
    let mut session = Session::at(
        "<input id=p type=password aria-label=p oninput=\"said.textContent='typed'\">
         <input id=o autocomplete=one-time-code aria-label=o oninput=\"said.textContent='typed'\">
         <p id=said></p>",
    )
    .await;
    for id in ["p", "o"] {
        let receipt = session.fill(id, "x").await;
        let got = (receipt.status, code(&receipt));
        assert_eq!(got, (ReceiptStatus::Rejected, "SECURE_FIELD_REFUSED"));
        assert!(!receipt.dispatched);
    }
    assert_eq!(session.said().await, "");
    session.end().await;
}

// WEB-051, WEB-053: what is at a point may change as soon as the pointer comes.
#[tokio::test]
async fn a_press_that_would_land_elsewhere_is_kept_from_the_page_and_says_so() {
    let mut session = Session::at(
        "<button id=b onpointermove=\"veil.hidden = false\" onclick=\"said.textContent = 'b'\">go</button>
         <div id=veil hidden style='position:fixed;inset:0' onclick=\"said.textContent = 'veil'\"></div>
         <p id=said></p>",
    )
    .await;
    let receipt = session.tap("b").await;
    assert_eq!(code(&receipt), "TARGET_MISSED", "{receipt:?}");
    assert_eq!(
        (receipt.status, receipt.dispatched),
        (ReceiptStatus::Failed, true)
    );
    assert!(receipt.reason.unwrap().contains("veil"));
    // The press is kept from what it would have hit (D-08).
    assert_eq!(session.said().await, "");
    session.end().await;
}

// WEB-051: what is scrolled into view may load more, which moves what was there.
#[tokio::test]
async fn what_loading_pushes_away_is_pressed_where_it_went() {
    let mut session = Session::with(|path| match path {
        "/" => html(
            "<p style='height:3000px'>long</p><div id=more></div>
             <button id=b onclick=\"said.textContent = 'pressed'\">go</button><p id=said>-</p><script>
             new IntersectionObserver(async (seen, watch) => {
               if (!seen[0].isIntersecting) return;
               watch.disconnect();
               await fetch('/more');
               more.style.height = '300px';
             }).observe(more);</script>",
        ),
        _ => Reply::Bytes("text/plain", b"more".to_vec()),
    })
    .await;
    let receipt = session.tap("b").await;
    assert!(receipt.is_ok(), "{receipt:?}");
    assert_eq!(session.said().await, "pressed");
    session.end().await;
}

// WEB-052
#[tokio::test]
async fn options_and_keys_reach_the_page() {
    let mut session = Session::at(
        "<select id=s onchange=\"said.textContent+='chose '+value+' '\"><option value=a>Apple
         <option value=b>Pear<option value=c disabled>Plum</select>
         <form onsubmit=\"event.preventDefault();said.textContent+='sent '\"><input id=i aria-label=i></form>
         <div id=keys tabindex=0 role=button aria-label=keys onkeydown=\"said.textContent+=event.key+' '\">k</div>
         <p id=said></p>",
    )
    .await;
    let view = session.look().await;
    let at = |id: &str| target(by_id(&view, id));
    let select = |option: &str| Action::Select {
        target: at("s"),
        option: option.into(),
    };
    assert!(session.act(select("Pear")).await.is_ok());
    assert!(session.act(select("a")).await.is_ok());
    assert_eq!(code(&session.act(select("Plum")).await), "OPTION_DISABLED");
    assert_eq!(
        code(&session.act(select("Cherry")).await),
        "OPTION_NOT_FOUND"
    );
    let press = |id: &str, key: &str| Action::Press {
        target: Some(at(id)),
        key: key.into(),
    };
    assert!(session.act(press("i", "Enter")).await.is_ok());
    for key in ["Escape", "ArrowDown", "a", "Tab"] {
        assert!(session.act(press("keys", key)).await.is_ok(), "{key}");
    }
    let receipt = session.act(press("keys", "Hyper+Q")).await;
    assert_eq!(
        (receipt.status, code(&receipt)),
        (ReceiptStatus::Rejected, "UNSUPPORTED_KEY")
    );
    assert_eq!(
        session.said().await,
        "chose b chose a sent Escape ArrowDown a Tab "
    );
    session.end().await;
}

// WEB-052
#[tokio::test]
async fn scrolling_moves_what_is_under_it() {
    let mut session = Session::at(
        "<div id=box role=region aria-label=box style='height:50px;width:200px;overflow:auto'>
         <p style='height:900px'>tall</p></div><p style='height:5000px'>long</p>",
    )
    .await;
    let view = session.look().await;
    let scroll = |target| Action::Scroll {
        target,
        dx: 0,
        dy: 120,
    };
    let at = |id: &str| target(by_id(&view, id));
    assert!(session.act(scroll(Some(at("box")))).await.is_ok());
    session.pass(500).await;
    assert_eq!(
        session
            .ask("document.getElementById('box').scrollTop")
            .await,
        120
    );
    assert!(session.act(scroll(None)).await.is_ok());
    session.pass(500).await;
    assert_eq!(session.ask("scrollY").await, 120);
    session.end().await;
}

// WEB-051
#[tokio::test]
async fn what_cannot_be_clicked_honestly_is_not_clicked() {
    let mut session = Session::at(
        "<style>@keyframes go { to { transform: translateX(300px) } }</style>
         <button id=covered>covered</button>
         <div id=veil style='position:absolute;left:0;top:0;width:300px;height:60px;background:#eee'>veil</div>
         <p style='height:60px'></p><button id=off disabled>off</button>
         <button id=aria aria-disabled=true>aria</button>
         <button id=moving style='animation:go 2s linear infinite alternate'>moving</button>
         <label id=label>label<input type=checkbox id=inside></label>
         <p style='height:3000px'></p><button id=far>far</button><p id=said></p><script>
           document.addEventListener('click', (e) => { said.textContent += e.target.id + ' '; }, true);
         </script>",
    )
    .await;
    for (id, expected) in [
        ("covered", "TARGET_OBSCURED"),
        ("off", "TARGET_DISABLED"),
        ("aria", "TARGET_DISABLED"),
    ] {
        let receipt = session.tap(id).await;
        assert_eq!(code(&receipt), expected, "{id}: {receipt:?}");
        assert_eq!(receipt.status, ReceiptStatus::Failed);
        if id == "covered" {
            assert!(receipt.reason.unwrap().contains("veil"));
        }
    }
    assert_eq!(session.said().await, "");
    // While time is held nothing moves.
    for id in ["far", "inside", "moving"] {
        let receipt = session.tap(id).await;
        assert!(receipt.is_ok(), "{id}: {receipt:?}");
    }
    assert_eq!(session.said().await, "far inside moving ");
    session.end().await;
}

// WEB-051
#[tokio::test]
async fn what_moves_on_wall_time_is_not_clicked() {
    let mut session = Session::open(
        |_| {
            html(
                "<style>@keyframes go { to { transform: translateX(300px) } }</style>
                 <button id=b style='animation:go 2s linear infinite alternate'>moving</button>",
            )
        },
        real_clock,
    )
    .await;
    let receipt = session.tap("b").await;
    assert_eq!(
        (receipt.status, code(&receipt)),
        (ReceiptStatus::Failed, "TARGET_MOVING")
    );
    session.end().await;
}

// WEB-054
#[tokio::test]
async fn back_is_a_history_step_or_not_available() {
    let mut session = Session::with(|path| match path {
        "/" => html("<h1>first</h1><a id=next href=/second>next</a>"),
        "/second" => html("<h1>second</h1>"),
        _ => Reply::Status(404),
    })
    .await;
    let receipt = session.act(Action::Back).await;
    assert_eq!(code(&receipt), "BACK_UNAVAILABLE", "{receipt:?}");
    assert!(session.tap("next").await.is_ok());
    session.pass(500).await;
    assert!(
        session
            .look()
            .await
            .nodes
            .iter()
            .any(|node| node.name == "second")
    );
    assert!(session.act(Action::Back).await.is_ok());
    session.pass(500).await;
    assert!(
        session
            .look()
            .await
            .nodes
            .iter()
            .any(|node| node.name == "first")
    );
    assert_eq!(code(&session.act(Action::Back).await), "BACK_UNAVAILABLE");
    session.end().await;
}

// WEB-010, WEB-053
#[tokio::test]
async fn an_address_outside_the_app_is_refused_and_a_dead_one_fails() {
    let mut session = Session::at("<h1>home</h1>").await;
    for url in [
        "http://127.0.0.1:9/",
        "mailto:a@example.com",
        "javascript:alert(1)",
        "file:///etc/passwd",
    ] {
        let receipt = session.act(Action::Navigate { url: url.into() }).await;
        let got = (receipt.status, code(&receipt), receipt.dispatched);
        assert_eq!(got, (ReceiptStatus::Rejected, "UNSAFE_URL", false), "{url}");
    }
    assert!(session.driver.take_notices().is_empty());
    session.end().await;
}

// WEB-006: each launch is a clean start.
#[tokio::test]
async fn a_launch_forgets_what_the_app_stored() {
    let mut session = Session::at(
        "<p id=said></p><script>said.textContent = (localStorage.n ?? '-') + (document.cookie || '-');
         localStorage.n = 1; document.cookie = 'c=1';</script>",
    )
    .await;
    assert_eq!(session.said().await, "--");
    session.driver.launch().await.unwrap();
    session.pass(250).await;
    assert_eq!(session.said().await, "--");
    session.end().await;
}
