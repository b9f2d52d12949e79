//! The state graph as a picture.

use std::collections::{BTreeMap, HashMap, HashSet};

use qa_core::{Fingerprint, GraphSnapshot};

use super::html::Words;
use super::layout::{Place, places};
use super::text::short;

/// So many pages are shown, the most visited ones.
const PAGES: usize = 60;
const THUMB: (f64, f64) = (168.0, 190.0);
const CAPTION: f64 = 42.0;
const GAP: (f64, f64) = (92.0, 34.0);
const MARGIN: f64 = 28.0;
const ACTIONS: usize = 6;
/// Characters of a title.
const TITLE: usize = 200;

/// The drawing, in its own unit.
#[derive(Debug)]
pub(super) struct Map {
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) nodes: Vec<MapNode>,
    pub(super) edges: Vec<MapEdge>,
    /// Pages that are not shown.
    pub(super) hidden: usize,
}

/// A page on the map.
#[derive(Debug)]
pub(super) struct MapNode {
    /// Position in the order of discovery, from 1.
    pub(super) number: usize,
    pub(super) hash: Fingerprint,
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) width: f64,
    /// Of the picture; the caption is below.
    pub(super) height: f64,
    pub(super) title: String,
    pub(super) caption: String,
    pub(super) detail: String,
    pub(super) is_start: bool,
    pub(super) crashes: Vec<String>,
    pub(super) open: usize,
    /// Ways from the page to itself.
    pub(super) loops: u64,
}

/// All ways from one page to another.
#[derive(Debug)]
pub(super) struct MapEdge {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) path: String,
    pub(super) title: String,
    /// Leads back towards the start.
    pub(super) back: bool,
    pub(super) stroke: f64,
}

/// What the map says of a page beside the graph.
#[derive(Debug, Default)]
pub(super) struct Marks {
    /// Ids of crashes that happened on it.
    pub(super) crashes: Vec<String>,
    /// Width and height of its picture, in any unit.
    pub(super) picture: Option<(f64, f64)>,
}

/// Draws a graph; `numbers` names its pages.
pub(super) fn map(
    graph: &GraphSnapshot,
    numbers: &HashMap<Fingerprint, usize>,
    marks: &HashMap<Fingerprint, Marks>,
    words: &Words,
) -> Option<Map> {
    let mut shown: Vec<_> = graph.pages.values().collect();
    shown.sort_by_key(|page| (std::cmp::Reverse(page.visit_count), page.order));
    let hidden = shown.len().saturating_sub(PAGES);
    shown.truncate(PAGES);
    shown.sort_by_key(|page| page.order);
    let index: HashMap<_, _> = shown
        .iter()
        .zip(0..)
        .map(|(page, at)| (&page.hash, at))
        .collect();
    let start = graph
        .launch_page
        .as_ref()
        .and_then(|page| index.get(page))
        .copied()
        .unwrap_or(0);

    let mut ways: BTreeMap<(usize, usize), (u64, Vec<&str>)> = BTreeMap::new();
    for edge in &graph.edges {
        if let (Some(from), Some(to)) = (index.get(&edge.from), index.get(&edge.to)) {
            let way = ways.entry((*from, *to)).or_default();
            way.0 += u64::from(edge.count);
            way.1.push(&edge.action);
        }
    }
    let pairs: Vec<_> = ways.keys().copied().collect();
    let places = places(shown.len(), &pairs, start);
    let ratio = marks.values().find_map(|mark| mark.picture);
    let (width, height) = thumb(ratio);
    let rows = places.iter().map(|place| place.rows).max()? as f64;
    let columns = places.iter().map(|place| place.column + 1).max()? as f64;
    let cell = (width + GAP.0, height + CAPTION + GAP.1);
    let corner = |place: &Place| {
        let free = (rows - place.rows as f64) / 2.0;
        (
            MARGIN + place.column as f64 * cell.0,
            MARGIN + (place.row as f64 + free) * cell.1,
        )
    };
    let none = Marks::default();
    let nodes: Vec<MapNode> = shown
        .iter()
        .zip(&places)
        .enumerate()
        .map(|(at, (page, place))| {
            let (x, y) = corner(place);
            let number = numbers.get(&page.hash).copied().unwrap_or(at + 1);
            let summary = page.summary.as_deref().unwrap_or(words.nameless);
            MapNode {
                number,
                hash: page.hash.clone(),
                x,
                y,
                width,
                height,
                title: short(&format!("P{number} {summary}"), TITLE),
                caption: short(&format!("P{number} {summary}"), (width / 8.6) as usize),
                detail: words.visits(page.visit_count),
                is_start: at == start,
                crashes: marks.get(&page.hash).unwrap_or(&none).crashes.clone(),
                open: page.open_keys.len(),
                loops: ways.get(&(at, at)).map_or(0, |way| way.0),
            }
        })
        .collect();
    let edges = draw(&ways, &nodes, &places, words);
    Some(Map {
        width: columns * cell.0 - GAP.0 + 2.0 * MARGIN,
        height: rows * cell.1 - GAP.1 + 2.0 * MARGIN,
        nodes,
        edges,
        hidden,
    })
}

/// The size of all thumbnails: as wide or as high as there is room.
fn thumb(picture: Option<(f64, f64)>) -> (f64, f64) {
    let (width, height) = picture.filter(|size| size.0 > 0.0).unwrap_or((8.0, 5.0));
    let scale = (THUMB.0 / width).min(THUMB.1 / height);
    ((width * scale).max(96.0), height * scale)
}

fn draw(
    ways: &BTreeMap<(usize, usize), (u64, Vec<&str>)>,
    nodes: &[MapNode],
    places: &[Place],
    words: &Words,
) -> Vec<MapEdge> {
    let ends: HashSet<_> = ways.keys().copied().collect();
    let mut edges: Vec<MapEdge> = ways
        .iter()
        .filter(|((from, to), _)| from != to)
        .map(|(&(from, to), (count, actions))| {
            let back = places[to].column <= places[from].column;
            let both = ends.contains(&(to, from));
            MapEdge {
                from: nodes[from].number,
                to: nodes[to].number,
                path: curve(
                    &nodes[from],
                    &nodes[to],
                    places[from].column,
                    places[to].column,
                    both,
                ),
                title: title(
                    words.gone(nodes[from].number, nodes[to].number, *count),
                    actions,
                    words,
                ),
                back,
                stroke: (1.4 + (*count as f64).log2() * 0.5).min(4.0),
            }
        })
        .collect();
    // Ways back are drawn first, so that ways forward lie above them.
    edges.sort_by_key(|edge| !edge.back);
    edges
}

fn title(mut title: String, actions: &[&str], words: &Words) -> String {
    for action in actions.iter().take(ACTIONS) {
        title.push('\n');
        title.push_str(&short(&words.action(action), 80));
    }
    if actions.len() > ACTIONS {
        title.push_str("\n…");
    }
    title
}

/// A curve between two boxes. Two ways between the same pages do not lie on each other.
fn curve(from: &MapNode, to: &MapNode, column: usize, to_column: usize, both: bool) -> String {
    let shift = if both { 10.0 } else { 0.0 };
    let middle = |node: &MapNode| node.y + node.height / 2.0;
    if to_column == column {
        let (x, y, z) = (
            from.x + from.width,
            middle(from) + shift,
            middle(to) - shift,
        );
        let bulge = x + GAP.0 * 0.55;
        return format!(
            "M{x:.0} {y:.0} C{bulge:.0} {y:.0} {bulge:.0} {z:.0} {:.0} {z:.0}",
            x + 7.0
        );
    }
    let forward = to_column > column;
    let (x, end, direction) = if forward {
        (from.x + from.width, to.x - 7.0, 1.0)
    } else {
        (from.x, to.x + to.width + 7.0, -1.0)
    };
    let shift = shift * direction;
    let (y, z) = (middle(from) - shift, middle(to) - shift);
    let reach = ((end - x).abs() * 0.45).max(36.0) * direction;
    format!(
        "M{x:.0} {y:.0} C{:.0} {y:.0} {:.0} {z:.0} {end:.0} {z:.0}",
        x + reach,
        end - reach
    )
}
