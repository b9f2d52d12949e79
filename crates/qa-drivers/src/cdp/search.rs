//! What a walker inside a page cannot see but the protocol knows: closed shadow roots, and which
//! elements listen for clicks (WEB-021, WEB-025).

use std::collections::{HashMap, HashSet};

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

/// Elements told to the walkers after one search.
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

/// One thing to tell a document's walker.
#[derive(Debug, PartialEq, Eq, Clone, Copy)]
enum Fact {
    ClosedRoot { host: i64, root: i64 },
    Clickable(i64),
}

/// Searches all documents of a session, and tells their walkers what is new.
pub(crate) async fn search(
    page: &Page<'_>,
    session: &str,
    told: &mut Told,
) -> Result<(), CallError> {
    let params = json!({"computedStyles": []});
    let snapshot: Snapshot = page
        .connection
        .call(Some(session), "DOMSnapshot.captureSnapshot", &params, DEADLINE)
        .await?;
    let mut facts = Vec::new();
    for document in &snapshot.documents {
        let Some(frame) = snapshot.strings.get(document.frame_id) else {
            continue;
        };
        let world = page.tab.state().frames.world_of(frame).cloned();
        if let Some(world) = world.filter(|world| world.session == session) {
            for fact in facts_of(&document.nodes, &snapshot.strings) {
                let (Fact::ClosedRoot { root: node, .. } | Fact::Clickable(node)) = fact;
                if facts.len() < MAX_TOLD && told.nodes.insert((world.number, node)) {
                    facts.push((world.clone(), fact));
                }
            }
        }
    }
    if told.nodes.len() > 100_000 {
        told.nodes.clear();
    }
    if !facts.is_empty() {
        tell(page, session, &facts).await?;
    }
    Ok(())
}

fn facts_of(nodes: &Nodes, strings: &[String]) -> Vec<Fact> {
    // These are actionable by what they are, or only pass clicks on to what is inside them.
    const TOLD_BY_NAME: [&str; 12] = [
        "A", "AREA", "BUTTON", "INPUT", "SELECT", "TEXTAREA", "LABEL", "OPTION", "SUMMARY", "BODY",
        "HTML", "#document",
    ];
    let text = |index: i64| {
        usize::try_from(index).ok().and_then(|index| strings.get(index)).map(String::as_str)
    };
    let backend = |index: usize| nodes.backend_node_id.get(index).copied();
    let roots = nodes.shadow_root_type.index.iter().zip(&nodes.shadow_root_type.value);
    let closed = roots.filter(|(_, kind)| text(**kind) == Some("closed")).filter_map(|(root, _)| {
        let host = usize::try_from(*nodes.parent_index.get(*root)?).ok()?;
        Some(Fact::ClosedRoot { host: backend(host)?, root: backend(*root)? })
    });
    let clickable = nodes.is_clickable.index.iter().filter_map(|index| {
        let name = text(*nodes.node_name.get(*index)?)?;
        let known = TOLD_BY_NAME.iter().any(|known| known.eq_ignore_ascii_case(name));
        if known { None } else { backend(*index).map(Fact::Clickable) }
    });
    closed.chain(clickable).collect()
}

async fn tell(
    page: &Page<'_>,
    session: &str,
    facts: &[(World, Fact)],
) -> Result<(), CallError> {
    // All questions leave before the first answer is awaited: one round trip, not hundreds.
    let ask = |world: &World, node: i64| {
        let params = json!({
            "backendNodeId": node, "executionContextId": world.context, "objectGroup": "qa",
        });
        page.connection.send(Some(session), "DOM.resolveNode", &params)
    };
    let asked: Vec<(&World, Answer, Option<Answer>)> = facts
        .iter()
        .map(|(world, fact)| match fact {
            Fact::ClosedRoot { host, root } => (world, ask(world, *host), Some(ask(world, *root))),
            Fact::Clickable(node) => (world, ask(world, *node), None),
        })
        .collect();
    let mut clickables: HashMap<u32, (World, Vec<Value>)> = HashMap::new();
    for (world, first, second) in asked {
        // A node that went away meanwhile has nothing to tell.
        let Some(first) = object(first).await else {
            continue;
        };
        match second {
            None => {
                let of_world = clickables.entry(world.number);
                of_world.or_insert_with(|| (world.clone(), Vec::new())).1.push(first);
            }
            Some(root) => {
                if let Some(root) = object(root).await {
                    let function = "function (host, root) { __qa.registerClosedRoot(host, root); }";
                    call(page, world, function, vec![first, root]).await?;
                }
            }
        }
    }
    for (world, elements) in clickables.into_values() {
        let function = "function (...elements) { __qa.registerClickables(...elements); }";
        call(page, &world, function, elements).await?;
    }
    let params = json!({"objectGroup": "qa"});
    drop(page.connection.send(Some(session), "Runtime.releaseObjectGroup", &params));
    Ok(())
}

async fn object(answer: Answer) -> Option<Value> {
    let raw = answer.within(DEADLINE).await.ok()?;
    let value: Value = serde_json::from_str(raw.get()).ok()?;
    let id = value["object"]["objectId"].as_str()?;
    Some(json!({"objectId": id}))
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
            r##"{"strings":["DIV","closed","open","F","BUTTON","#document-fragment"],
            "documents":[{"frameId":3,"nodes":{
              "parentIndex":[-1,0,0,2,0],"nodeName":[0,5,0,5,4],"backendNodeId":[10,11,12,13,14],
              "shadowRootType":{"index":[1,3],"value":[2,1]},
              "isClickable":{"index":[2,4]}}}]}"##,
        )
        .unwrap();
        assert_eq!(
            facts_of(&snapshot.documents[0].nodes, &snapshot.strings),
            [Fact::ClosedRoot { host: 12, root: 13 }, Fact::Clickable(12)]
        );
    }
}
