//! A page that replaces what scripts read a page with is seen as one that does not.

use qa_core::{Driver as _, Node, NodeRef, ObserveRequest};

use crate::fact::{open, serve};
use crate::session::Session;

// WEB-020, WEB-INV-02
#[tokio::test]
async fn a_tampering_page_is_seen_like_its_twin() {
    let mut session = Session::with(serve).await;
    let mut nodes = Vec::new();
    for page in ["tampering.html", "untampered.html"] {
        open(&mut session, page).await;
        session.pass(500).await;
        let view = session.look().await;
        assert!(
            view.completeness.coverage.verified,
            "{page}: {:?}",
            view.completeness
        );
        nodes.push(comparable(view.nodes));
    }
    assert!(!nodes[0].is_empty());
    assert_eq!(nodes[0], nodes[1]);
    session.end().await;
}

// WEB-INV-02: nor does it keep anybody from acting, or learn that it is looked at.
#[tokio::test]
async fn a_tampering_page_is_acted_on_and_notices_nothing() {
    let mut session = Session::at(
        "<button id=b onclick=\"this.textContent='done'\">go</button>
         <input id=i aria-label=field><p id=said></p><script>
           const say = (word) => { document.getElementById('said').textContent += word + ' '; };
           for (const name of ['getBoundingClientRect', 'getAttribute', 'matches', 'closest']) {
             Element.prototype[name] = () => { say(name); throw new Error(name); };
           }
           Object.defineProperty(Node.prototype, 'parentNode', { get() { say('parentNode'); return null; } });
           Object.defineProperty(HTMLInputElement.prototype, 'value', { get() { say('value'); return 'no'; } });
           window.getComputedStyle = () => { say('style'); return {}; };
           JSON.stringify = () => { say('json'); return 'null'; };
           Promise.prototype.then = () => { say('then'); };
           window.requestAnimationFrame = () => { say('frame'); };
           window.setTimeout = () => { say('timer'); };
           document.elementFromPoint = () => { say('point'); return null; };
         </script>",
    )
    .await;
    assert!(session.tap("b").await.is_ok());
    let receipt = session.fill("i", "typed").await;
    assert!(receipt.is_ok(), "{receipt:?}");
    let view = session.look().await;
    assert!(view.nodes.iter().any(|node| node.name == "done"));
    assert!(
        view.nodes
            .iter()
            .any(|node| node.value.as_deref() == Some("typed"))
    );
    assert_eq!(session.said().await, "");
    session.end().await;
}

// WEB-020: markup alone can hide DOM members, too.
#[tokio::test]
async fn a_name_that_hides_a_member_hides_no_node() {
    let mut session = Session::at(
        "<form id=f><input name=parentNode id=a aria-label=one><input name=getAttribute id=b aria-label=two>
         <input name=children id=c aria-label=three><button id=go name=attributes>send</button></form>
         <img name=querySelectorAll alt=picture src=data:,><a id=__qa href=#x>mine</a>",
    )
    .await;
    let view = session
        .driver
        .observe(ObserveRequest::JUDGING)
        .await
        .unwrap();
    for name in ["one", "two", "three", "send", "mine"] {
        assert!(view.nodes.iter().any(|node| node.name == name), "{name}");
    }
    assert!(session.fill("a", "x").await.is_ok());
    session.end().await;
}

/// Nodes without what tells two documents apart: the number in their refs.
fn comparable(nodes: Vec<Node>) -> Vec<Node> {
    let plain = |node: Node| {
        let raw = node
            .node_ref
            .0
            .find('e')
            .map(|at| node.node_ref.0[at..].to_owned());
        Node {
            node_ref: NodeRef(raw.unwrap()),
            ..node
        }
    };
    nodes.into_iter().map(plain).collect()
}
