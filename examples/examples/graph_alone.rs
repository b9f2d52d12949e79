//! Uses the state graph without an exploration: pages and edges go in, the shortest way to
//! something unseen comes out.
//!
//! Run it with `cargo run -p qa-examples --example graph_alone`.

use qa_core::{
    EdgeInfo, ElementKey, Fingerprint, Navigator, PageIdentity, PageInfo, Replay, StateGraph,
};

fn page(name: &str) -> Fingerprint {
    Fingerprint(name.into())
}

fn key(name: &str) -> ElementKey {
    ElementKey(name.into())
}

fn main() {
    let mut graph = StateGraph::new(PageIdentity::Shape, 8);
    graph.visit(&page("home"), PageInfo::default(), &[key("id:list")]);
    graph.visit(
        &page("list"),
        PageInfo::default(),
        &[key("id:item"), key("id:sort")],
    );
    graph.visit(&page("item"), PageInfo::default(), &[]);
    for (from, name, to) in [("home", "id:list", "list"), ("list", "id:item", "item")] {
        graph.mark_seen(&page(from), &key(name));
        graph.record_edge(EdgeInfo {
            from: page(from),
            replay: Replay::Tap {
                element_key: key(name),
            },
            action: format!("tap {name}"),
            to: page(to),
            at_ms: 0,
            via_screenshot: false,
            late: false,
            failed: false,
            crashed: false,
        });
    }
    graph.set_launch_page(&page("home"));

    let steps_left = 20;
    match Navigator::default().plan(&graph, &page("item"), steps_left) {
        Some(route) => {
            println!("{} is {} steps away:", route.target, route.cost);
            for hop in route.hops {
                println!("  {} -> {} by {:?}", hop.from, hop.to, hop.replay);
            }
        }
        None => println!("nothing unseen is within reach"),
    }
}
