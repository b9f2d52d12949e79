//! What a walker inside a page cannot see but the protocol knows: closed shadow roots, and which
//! elements listen for clicks (WEB-021, WEB-025).

use std::collections::{BTreeMap, HashSet};

use serde::Deserialize;
use serde_json::{Value, json};

use super::frame::World;
use super::page::{DEADLINE, Page};
use super::transport::{Answer, CallError};

/// What has been told to the walkers, so that it is told once.
#[derive(Default)]
pub(crate) struct Told {
    nodes: HashSet<(u32, i64)>,
}

/// So many nodes in closed roots, and so many clickable elements, are told to the walkers after one search.
const MAX_TOLD: usize = 2_000;

/// The parts we read of `DOMSnapshot.captureSnapshot`: parallel lists, one item a node.
#[derive(Deserialize)]
struct Snapshot {
    documents: Vec<Document>,
    strings: Vec<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Document {
    frame_id: usize,
    nodes: Nodes,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Nodes {
    parent_index: Vec<i64>,
    node_name: Vec<i64>,
    backend_node_id: Vec<i64>,
    shadow_root_type: RareStrings,
    is_clickable: RareFlags,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct RareStrings {
    index: Vec<usize>,
    value: Vec<i64>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct RareFlags {
    index: Vec<usize>,
}

const REGISTER_ROOTS: &str = "function (...nodes) {
    const rootOf = Node.prototype.getRootNode;
    for (const node of nodes) {
        const root = rootOf.call(node);
        if (root instanceof ShadowRoot) __qa.registerClosedRoot(root.host, root);
    }
}";
const REGISTER_CLICKABLES: &str =
    "function (...elements) { __qa.registerClickables(...elements); }";

/// One thing to tell a document's walker.
#[derive(Debug, PartialEq, Eq, Clone, Copy)]
enum Fact {
    /// A node that is in a closed root, right below it as far as the snapshot tells.
    InClosedRoot(i64),
    Clickable(i64),
}

impl Fact {
    fn node(self) -> i64 {
        let (Self::InClosedRoot(node) | Self::Clickable(node)) = self;
        node
    }
}

/// Searches all documents of a session, and tells their walkers what is new. False where there are more
/// closed roots than can be told after one search; the next one goes on.
pub(crate) async fn search(
    page: &Page<'_>,
    session: &str,
    told: &mut Told,
) -> Result<bool, CallError> {
    let params = json!({"computedStyles": []});
    let snapshot: Snapshot = page
        .connection
        .call(
            Some(session),
            "DOMSnapshot.captureSnapshot",
            &params,
            DEADLINE,
        )
        .await?;
    let (mut in_roots, mut clickables) = (Vec::new(), Vec::new());
    for document in &snapshot.documents {
        let Some(frame) = snapshot.strings.get(document.frame_id) else {
            continue;
        };
        let world = page.tab.state().frames.world_of(frame).cloned();
        if let Some(world) = world.filter(|world| world.session == session) {
            for fact in facts_of(&document.nodes, &snapshot.strings) {
                if !told.nodes.contains(&(world.number, fact.node())) {
                    let of_kind = match fact {
                        Fact::InClosedRoot(_) => &mut in_roots,
                        Fact::Clickable(_) => &mut clickables,
                    };
                    of_kind.push((world.clone(), fact));
                }
            }
        }
    }
    let is_all = in_roots.len() <= MAX_TOLD;
    in_roots.truncate(MAX_TOLD);
    in_roots.extend(clickables.into_iter().take(MAX_TOLD));
    let facts = in_roots;
    if !facts.is_empty() {
        tell(page, session, &facts).await?;
        if told.nodes.len() > 100_000 {
            told.nodes.clear();
        }
        let nodes = facts
            .iter()
            .map(|(world, fact)| (world.number, fact.node()));
        told.nodes.extend(nodes);
    }
    Ok(is_all)
}

fn facts_of(nodes: &Nodes, strings: &[String]) -> Vec<Fact> {
    // These are actionable by what they are, or only pass clicks on to what is inside them.
    const TOLD_BY_NAME: [&str; 12] = [
        "A",
        "AREA",
        "BUTTON",
        "INPUT",
        "SELECT",
        "TEXTAREA",
        "LABEL",
        "OPTION",
        "SUMMARY",
        "BODY",
        "HTML",
        "#document",
    ];
    let text = |index: i64| {
        usize::try_from(index)
            .ok()
            .and_then(|index| strings.get(index))
            .map(String::as_str)
    };
    let backend = |index: usize| nodes.backend_node_id.get(index).copied();
    let name = |index: usize| nodes.node_name.get(index).and_then(|name| text(*name));
    // The snapshot has no shadow roots, but says of each node whether it is inside one, and of
    // which kind. Below a root its host stands as the parent: an element outside any closed root,
    // or one that may be a host itself.
    let inside: HashSet<usize> = nodes
        .shadow_root_type
        .index
        .iter()
        .zip(&nodes.shadow_root_type.value)
        .filter(|(_, kind)| text(**kind) == Some("closed"))
        .map(|(index, _)| *index)
        .collect();
    let below_root = |index: &&usize| {
        let parent = nodes
            .parent_index
            .get(**index)
            .and_then(|index| usize::try_from(*index).ok());
        parent.is_none_or(|parent| !inside.contains(&parent) || name(parent).is_some_and(may_host))
    };
    let mut below: Vec<usize> = inside.iter().filter(below_root).copied().collect();
    below.sort_unstable();
    let closed = below
        .into_iter()
        .filter_map(|index| backend(index).map(Fact::InClosedRoot));
    let clickable = nodes.is_clickable.index.iter().filter_map(|index| {
        let name = name(*index)?;
        let known = TOLD_BY_NAME
            .iter()
            .any(|known| known.eq_ignore_ascii_case(name));
        if known {
            None
        } else {
            backend(*index).map(Fact::Clickable)
        }
    });
    closed.chain(clickable).collect()
}

/// Whether an element of this name can have a shadow root of its own.
fn may_host(name: &str) -> bool {
    const BUILT_IN: [&str; 18] = [
        "ARTICLE",
        "ASIDE",
        "BLOCKQUOTE",
        "BODY",
        "DIV",
        "FOOTER",
        "H1",
        "H2",
        "H3",
        "H4",
        "H5",
        "H6",
        "HEADER",
        "MAIN",
        "NAV",
        "P",
        "SECTION",
        "SPAN",
    ];
    name.contains('-') || BUILT_IN.iter().any(|host| host.eq_ignore_ascii_case(name))
}

async fn tell(page: &Page<'_>, session: &str, facts: &[(World, Fact)]) -> Result<(), CallError> {
    // All questions leave before the first answer is awaited: one round trip, not hundreds.
    let ask = |world: &World, node: i64| {
        let params = json!({
            "backendNodeId": node, "executionContextId": world.context, "objectGroup": "qa",
        });
        page.connection
            .send(Some(session), "DOM.resolveNode", &params)
    };
    let asked: Vec<(&World, Fact, Answer)> = facts
        .iter()
        .map(|(world, fact)| (world, *fact, ask(world, fact.node())))
        .collect();
    let mut of_worlds: BTreeMap<u32, (World, Vec<Value>, Vec<Value>)> = BTreeMap::new();
    for (world, fact, answer) in asked {
        // A node that went away meanwhile has nothing to tell.
        let Some(object) = object(answer).await? else {
            continue;
        };
        let of_world = of_worlds.entry(world.number);
        let (_, in_roots, clickables) =
            of_world.or_insert_with(|| (world.clone(), Vec::new(), Vec::new()));
        match fact {
            Fact::InClosedRoot(_) => in_roots.push(object),
            Fact::Clickable(_) => clickables.push(object),
        }
    }
    for (world, in_roots, clickables) in of_worlds.into_values() {
        if !in_roots.is_empty() {
            call(page, &world, REGISTER_ROOTS, in_roots).await?;
        }
        if !clickables.is_empty() {
            call(page, &world, REGISTER_CLICKABLES, clickables).await?;
        }
    }
    let params = json!({"objectGroup": "qa"});
    drop(
        page.connection
            .send(Some(session), "Runtime.releaseObjectGroup", &params),
    );
    Ok(())
}

async fn object(answer: Answer) -> Result<Option<Value>, CallError> {
    let raw = match answer.within(DEADLINE).await {
        Err(CallError::Refused { .. }) => return Ok(None),
        answered => answered?,
    };
    let value: Value =
        serde_json::from_str(raw.get()).map_err(|error| CallError::Shape(error.to_string()))?;
    let id = value["object"]["objectId"].as_str();
    Ok(id.map(|id| json!({"objectId": id})))
}

async fn call(
    page: &Page<'_>,
    world: &World,
    function: &str,
    arguments: Vec<Value>,
) -> Result<(), CallError> {
    let params = json!({
        "executionContextId": world.context, "functionDeclaration": function,
        "arguments": arguments, "returnByValue": true,
    });
    let session = Some(world.session.as_str());
    match page
        .connection
        .call::<Value>(session, "Runtime.callFunctionOn", &params, DEADLINE)
        .await
    {
        // The document went away: so did what there was to tell.
        Ok(_) | Err(CallError::Refused { .. }) => Ok(()),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // WEB-021, WEB-025
    #[test]
    fn closed_roots_and_listeners_are_found_in_a_snapshot() {
        let snapshot: Snapshot = serde_json::from_str(
            r##"{"strings":["DIV","closed","open","F","BUTTON","X-Y"],
            "documents":[{"frameId":3,"nodes":{
              "parentIndex":[-1,0,1,2,3,0],"nodeName":[0,4,5,4,0,4],
              "backendNodeId":[10,11,12,13,14,15],
              "shadowRootType":{"index":[1,3,4],"value":[2,1,1]},
              "isClickable":{"index":[2,4,5]}}}]}"##,
        )
        .unwrap();
        assert_eq!(
            facts_of(&snapshot.documents[0].nodes, &snapshot.strings),
            [
                Fact::InClosedRoot(13),
                Fact::Clickable(12),
                Fact::Clickable(14)
            ]
        );
    }
}
