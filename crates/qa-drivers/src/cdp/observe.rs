//! One look at a page: all its documents, joined into one list of nodes.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use qa_core::{
    Completeness, Coverage, DriverError, Node, Observation, ObserveRequest, Platform,
    TruncationReason,
};
use serde::Deserialize;
use serde_json::{Value, json};

use super::frame::World;
use super::page::{DEADLINE, Page};
use super::parse::{Place, Walk};
use super::search::{Told, search};
use super::transport::{CallError, mend};

/// Frames entered in one look; the others are named as not traversed.
const MAX_FRAMES: usize = 64;
const WALK_DEADLINE: Duration = Duration::from_secs(10);

/// What the driver remembers from one look to the next.
#[derive(Default)]
pub(crate) struct Eye {
    /// The walker's ref of the element that holds a frame, by (parent's world, frame).
    owners: HashMap<(u32, String), String>,
    /// Documents that have been searched for what a walker cannot see.
    searched: HashSet<u32>,
    told: Told,
}

impl Eye {
    /// Searches a document and the others of its session, at its first look and, once in a look, at each
    /// thorough one.
    async fn search(
        &mut self,
        page: &Page<'_>,
        world: &World,
        joined: &mut Joined,
    ) -> Result<(), CallError> {
        let is_known = self.searched.contains(&world.number);
        if is_known && (!joined.thorough || joined.searched.contains(&world.session)) {
            return Ok(());
        }
        joined.searched.insert(world.session.clone());
        if !search(page, &world.session, &mut self.told).await? {
            joined.lacks(TruncationReason::ShadowCoverageUnverified);
        }
        self.searched.insert(world.number);
        Ok(())
    }
}

/// Looks at the page.
pub(crate) async fn observe(
    page: &Page<'_>,
    eye: &mut Eye,
    request: ObserveRequest,
) -> Result<Observation, DriverError> {
    if page.tab.is_hanging() {
        // Does it answer again? A walk would be waited for longer.
        page.ping("observing").await?;
    }
    // A document that goes away under the walker is looked at again: the next one is there soon.
    let mut last = CallError::TargetGone;
    for _ in 0..4 {
        match look(page, eye, request).await {
            Ok(view) => return Ok(view),
            Err(error @ (CallError::Refused { .. } | CallError::Shape(_))) => last = error,
            Err(error) => return Err(page.error("observing", error).await),
        }
        page.ping("observing").await?;
    }
    Err(page.error("observing", last).await)
}

async fn look(
    page: &Page<'_>,
    eye: &mut Eye,
    request: ObserveRequest,
) -> Result<Observation, CallError> {
    let main = page.main_world(DEADLINE).await?;
    let mut joined = Joined {
        nodes: Vec::new(),
        completeness: Completeness {
            truncated: false,
            reasons: Vec::new(),
            node_budget: request.max_nodes,
            coverage: Coverage::default(),
            hidden_matches: 0,
            hidden_matches_partial: false,
        },
        animating: Vec::new(),
        forms: 0,
        frames: 0,
        budget: request.max_nodes,
        thorough: request.thorough,
        searched: HashSet::new(),
    };
    eye.search(page, &main, &mut joined).await?;
    let walk = walk(page, &main, request.max_nodes, request.thorough).await?;
    let url = full_url(page, &walk);
    let origin = url.as_deref().and_then(origin_of);
    joined.nodes.reserve(walk.nodes.len());
    let title = walk.title.clone();
    let viewport = (walk.vw, walk.vh);
    let root = Place {
        world: main.number,
        offset: (0.0, 0.0),
        first: 0,
        owner: None,
        first_form: 0,
        scrolled: (walk.sx, walk.sy),
    };
    join(page, eye, &main, walk, root, origin.as_deref(), &mut joined).await?;
    let completeness = &mut joined.completeness;
    completeness.truncated |= !completeness.reasons.is_empty();
    completeness.coverage.verified = !completeness.truncated && request.thorough;
    if !completeness.coverage.verified {
        let reason = if completeness.truncated {
            "truncated"
        } else {
            "skipped"
        };
        completeness.coverage.reason = Some(reason.to_owned());
    }
    Ok(Observation {
        platform: Platform::Web,
        front: origin,
        url,
        title,
        viewport,
        nodes: joined.nodes,
        completeness: joined.completeness,
        document: u64::from(main.number),
        animating: joined.animating,
    })
}

/// The nodes of all documents so far.
struct Joined {
    nodes: Vec<Node>,
    completeness: Completeness,
    animating: Vec<String>,
    forms: usize,
    frames: usize,
    budget: usize,
    thorough: bool,
    /// Sessions that were searched in this look.
    searched: HashSet<String>,
}

impl Joined {
    fn lacks(&mut self, reason: TruncationReason) {
        if !self.completeness.reasons.contains(&reason) {
            self.completeness.reasons.push(reason);
        }
    }
}

/// Adds a document's nodes, and after each frame's node those of the frame's document.
async fn join(
    page: &Page<'_>,
    eye: &mut Eye,
    world: &World,
    walk: Walk,
    place: Place,
    origin: Option<&str>,
    joined: &mut Joined,
) -> Result<(), CallError> {
    let completeness = &mut joined.completeness;
    completeness.truncated |= walk.truncated;
    completeness.hidden_matches += walk.hidden;
    completeness.hidden_matches_partial |= walk.hidden_partial;
    completeness.coverage.closed_shadow_roots += walk.closed_roots;
    completeness.coverage.probed_nodes += walk.visited;
    for reason in walk.reasons {
        joined.lacks(reason);
    }
    joined.animating.extend(walk.finite);
    let forms = walk
        .nodes
        .iter()
        .filter_map(super::parse::RawNode::form)
        .max();
    joined.forms += forms.map_or(0, |last| last + 1);
    let has_frames = walk.nodes.iter().any(|node| node.fr != 0);
    let owners = if has_frames {
        owners(page, eye, world).await?
    } else {
        HashMap::new()
    };
    // Frames inside push the nodes after them: parents are looked up by the walker's index.
    let mut index_of = Vec::with_capacity(walk.nodes.len());
    for raw in walk.nodes {
        let frame = (raw.fr != 0).then(|| (raw.r.clone(), raw.cb));
        let mut node = raw.into_node(&Place { first: 0, ..place }, origin);
        let inside = node
            .parent
            .filter(|_| node.parent != place.owner || !index_of.is_empty());
        node.parent = match inside {
            Some(raw_parent) if raw_parent < index_of.len() => Some(index_of[raw_parent]),
            _ => place.owner,
        };
        index_of.push(joined.nodes.len());
        joined.nodes.push(node);
        let Some((raw_ref, content)) = frame else {
            continue;
        };
        let owner = joined.nodes.len() - 1;
        let child = owners.get(&raw_ref).cloned().flatten();
        match (child, content) {
            (Some(child), Some([x, y, ..])) if joined.frames < MAX_FRAMES => {
                joined.frames += 1;
                let offset = (place.offset.0 + x, place.offset.1 + y);
                Box::pin(enter(page, eye, &child, offset, owner, joined)).await?;
            }
            _ => joined.lacks(TruncationReason::IframeNotTraversed),
        }
    }
    Ok(())
}

/// Walks a frame's document. One that does not answer is named as not traversed; only the loss of
/// the page itself is an error.
async fn enter(
    page: &Page<'_>,
    eye: &mut Eye,
    world: &World,
    offset: (f64, f64),
    owner: usize,
    joined: &mut Joined,
) -> Result<(), CallError> {
    let left = joined.budget.saturating_sub(joined.nodes.len());
    if left == 0 {
        joined.lacks(TruncationReason::NodeBudgetExceeded);
        return Ok(());
    }
    if eye.search(page, world, joined).await.is_err() {
        // The frame is walked all the same; what is hidden in it is not known.
        joined.lacks(TruncationReason::ShadowCoverageUnverified);
    }
    let Ok(walk) = walk(page, world, left, joined.thorough).await else {
        joined.lacks(TruncationReason::IframeNotTraversed);
        return Ok(());
    };
    let origin = origin_of(&walk.url);
    let place = Place {
        world: world.number,
        offset,
        first: 0,
        owner: Some(owner),
        first_form: joined.forms,
        scrolled: (walk.sx, walk.sy),
    };
    join(page, eye, world, walk, place, origin.as_deref(), joined).await
}

/// The worlds of the frames directly inside a document, by the walker's ref of their element;
/// `None` for a frame whose document has no world.
async fn owners(
    page: &Page<'_>,
    eye: &mut Eye,
    parent: &World,
) -> Result<HashMap<String, Option<World>>, CallError> {
    let children: Vec<(String, Option<World>)> = {
        let state = page.tab.state();
        let mut children: Vec<_> = state
            .frames
            .children(&parent.frame)
            .map(|(id, _)| (id.to_owned(), state.frames.world_of(id).cloned()))
            .collect();
        children.sort_by(|a, b| a.0.cmp(&b.0));
        children.truncate(MAX_FRAMES);
        children
    };
    let mut owners = HashMap::new();
    for (frame, world) in children {
        let key = (parent.number, frame);
        let raw_ref = match eye.owners.get(&key) {
            Some(known) => known.clone(),
            None => match owner_ref(page, parent, &key.1).await {
                Ok(found) => {
                    eye.owners.insert(key, found.clone());
                    found
                }
                // The frame went away while we asked.
                Err(CallError::Refused { .. } | CallError::Shape(_)) => continue,
                Err(error) => return Err(error),
            },
        };
        owners.insert(raw_ref, world);
    }
    Ok(owners)
}

/// The walker's ref of the element that holds a frame.
pub(crate) async fn owner_ref(
    page: &Page<'_>,
    parent: &World,
    frame: &str,
) -> Result<String, CallError> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Owner {
        backend_node_id: i64,
    }
    let session = Some(parent.session.as_str());
    let owner: Owner = page
        .connection
        .call(
            session,
            "DOM.getFrameOwner",
            &json!({"frameId": frame}),
            DEADLINE,
        )
        .await?;
    let object = resolve(page, parent, owner.backend_node_id).await?;
    let params = json!({
        "objectId": object, "returnByValue": true,
        "functionDeclaration": "function () { return __qa.refOf(this); }",
    });
    let answer: Value = page
        .connection
        .call(session, "Runtime.callFunctionOn", &params, DEADLINE)
        .await?;
    let raw_ref = answer["result"]["value"].as_str();
    raw_ref
        .map(str::to_owned)
        .ok_or_else(|| CallError::Shape("no ref".into()))
}

/// A node as an object of a world.
async fn resolve(page: &Page<'_>, world: &World, backend: i64) -> Result<String, CallError> {
    let params = json!({"backendNodeId": backend, "executionContextId": world.context});
    let answer: Value = page
        .connection
        .call(Some(&world.session), "DOM.resolveNode", &params, DEADLINE)
        .await?;
    let object = answer["object"]["objectId"].as_str();
    object
        .map(str::to_owned)
        .ok_or_else(|| CallError::Shape("no object".into()))
}

/// Walks a document; only a thorough walk tests what lies over what.
async fn walk(
    page: &Page<'_>,
    world: &World,
    max_nodes: usize,
    thorough: bool,
) -> Result<Walk, CallError> {
    let expression = format!("__qa.walk({{maxNodes:{max_nodes},hit:{thorough}}})");
    let text: String = page
        .evaluate_in(world, &expression, false, WALK_DEADLINE)
        .await?;
    serde_json::from_slice(&mend(text.as_bytes()))
        .map_err(|error| CallError::Shape(error.to_string()))
}

fn full_url(page: &Page<'_>, walk: &Walk) -> Option<String> {
    if walk.url.is_empty() {
        page.tab.state().frames.main_url()
    } else {
        Some(walk.url.clone())
    }
}

/// Scheme, host and port of an address; of an address without a host its scheme and path, so that
/// `about:blank` and an error page are recognisably not the app.
pub fn origin_of(url: &str) -> Option<String> {
    let parsed = url::Url::parse(url).ok()?;
    match parsed.origin() {
        origin @ url::Origin::Tuple(..) => Some(origin.ascii_serialization()),
        url::Origin::Opaque(_) => Some(format!("{}:{}", parsed.scheme(), parsed.path())),
    }
}
