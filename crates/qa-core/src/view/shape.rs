//! What makes a web page the page it is, whatever it holds at the moment.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;

use super::{Node, Observation, mask_digits};
use crate::Boundary;

/// The set of shapes of a web page (WEB-031).
///
/// - A node counts as role and name, digits masked; nodes of other owners, invisible ones and
///   what lies inside a text field do not count.
/// - Rows (items of lists, rows of tables, articles, options, …) count by what they are made of,
///   never by their names: per parent and kind of row one shape with the roles that occur inside,
///   and with whether there is one or many. So neither a new row nor another search result makes
///   a new page. Items of a navigation keep their names, and so do headers of columns.
/// - Siblings that repeat a pattern (picture, heading, price, button; picture, heading, …) are
///   rows without a mark and count the same way.
/// - A message, a clock, a progress bar counts by being there, not by what it says.
/// - Dialogs count one by one: one more is always another page.
pub(super) fn shapes(view: &Observation, boundary: &Boundary) -> BTreeSet<String> {
    let mut found = Shapes {
        tree: Tree::new(view, boundary),
        set: BTreeSet::new(),
        dialogs: BTreeMap::new(),
    };
    found.collect();
    let dialogs = found.dialogs.into_iter();
    found
        .set
        .extend(dialogs.map(|(dialog, count)| format!("{dialog}\u{1f}{count}")));
    found.set
}

/// Kinds of row: elements of which a page has as many as it has data.
const ROWS: [&str; 9] = [
    "listitem",
    "row",
    "article",
    "option",
    "treeitem",
    "comment",
    "figure",
    "term",
    "definition",
];
/// Where items are fixed and their names say which page this is.
const FIXED: [&str; 6] = [
    "navigation",
    "menu",
    "menubar",
    "tablist",
    "toolbar",
    "radiogroup",
];
/// Elements that tell what is going on at the moment.
const LIVE: [&str; 7] = [
    "alert",
    "log",
    "marquee",
    "meter",
    "progressbar",
    "status",
    "timer",
];
const DIALOGS: [&str; 2] = ["dialog", "alertdialog"];

/// Parts of a page that are never rows.
const APART: [&str; 14] = [
    "alert",
    "banner",
    "complementary",
    "contentinfo",
    "form",
    "group",
    "main",
    "navigation",
    "region",
    "search",
    "tab",
    "tablist",
    "tabpanel",
    "toolbar",
];
/// Elements whose names say what can be done.
const CONTROLS: [&str; 8] = [
    "button", "checkbox", "link", "menuitem", "radio", "slider", "switch", "tab",
];
/// Longest pattern of siblings that is looked for.
const MAX_PERIOD: usize = 8;

/// The nodes that count, joined anew.
struct Tree<'a> {
    nodes: &'a [Node],
    roots: Vec<usize>,
    children: Vec<Vec<usize>>,
    /// Per node a hash of the roles in it, whatever their number and order.
    structures: Vec<u64>,
}

impl<'a> Tree<'a> {
    fn new(view: &'a Observation, boundary: &Boundary) -> Self {
        let nodes = &view.nodes;
        let mut roots = Vec::new();
        let mut children = vec![Vec::new(); nodes.len()];
        let mut counts = vec![false; nodes.len()];
        let mut closed = vec![false; nodes.len()];
        // Per node itself if it counts, else the nearest one above it that does.
        let mut nearest: Vec<Option<usize>> = vec![None; nodes.len()];
        for (index, node) in nodes.iter().enumerate() {
            let inside = node.parent.is_some_and(|parent| closed[parent]);
            closed[index] = inside || is_closed(node);
            counts[index] = !inside
                && node.flags.visible
                && !node.flags.aria_hidden
                && boundary.owns(node)
                && !matches!(node.role.as_str(), "document" | "RootWebArea");
            // What lies below a node that does not count moves up to the nearest one that does.
            let parent = node.parent.and_then(|parent| nearest[parent]);
            nearest[index] = if counts[index] { Some(index) } else { parent };
            if !counts[index] {
                continue;
            }
            match parent {
                Some(parent) => children[parent].push(index),
                None => roots.push(index),
            }
        }
        let mut tree = Self {
            nodes,
            roots,
            children,
            structures: vec![0; nodes.len()],
        };
        for index in (0..nodes.len()).rev() {
            tree.structures[index] = tree.structure(index);
        }
        tree
    }

    fn structure(&self, index: usize) -> u64 {
        let inner: BTreeSet<u64> = self.children[index]
            .iter()
            .filter(|&&child| self.nodes[child].role != "text")
            .map(|&child| self.structures[child])
            .collect();
        let mut hasher = FxHasher::default();
        self.nodes[index].role.hash(&mut hasher);
        inner.hash(&mut hasher);
        hasher.finish()
    }
}

/// Whether nothing below a node counts.
fn is_closed(node: &Node) -> bool {
    node.flags.editable || LIVE.contains(&node.role.as_str())
}

/// How a node is met: what names count around it.
#[derive(Clone, Copy)]
struct Context<'a> {
    /// Role of the parent.
    parent: &'a str,
    /// Kind of row around it.
    row: Option<&'a str>,
    /// Inside something whose items are fixed.
    fixed: bool,
}

struct Shapes<'a> {
    tree: Tree<'a>,
    set: BTreeSet<String>,
    dialogs: BTreeMap<String, u32>,
}

impl<'a> Shapes<'a> {
    fn collect(&mut self) {
        let outside = Context {
            parent: "",
            row: None,
            fixed: false,
        };
        // A stack of its own: pages nest deeper than ours may.
        let mut waiting = vec![(std::mem::take(&mut self.tree.roots), outside)];
        while let Some((siblings, context)) = waiting.pop() {
            let repeats = if context.row.is_none() && !context.fixed {
                self.repeats(&siblings)
            } else {
                vec![false; siblings.len()]
            };
            let mut rows: BTreeMap<&str, u32> = BTreeMap::new();
            for (&index, repeated) in siblings.iter().zip(repeats) {
                let inner = self.shape(index, context, repeated, &mut rows);
                let children = std::mem::take(&mut self.tree.children[index]);
                if !children.is_empty() {
                    waiting.push((children, inner));
                }
            }
            for (kind, count) in rows {
                let amount = if count == 1 { "one" } else { "many" };
                self.set
                    .insert(["rows", context.parent, kind, amount].join("\u{1f}"));
            }
        }
    }

    /// Counts one node and says how its children are to be met.
    fn shape(
        &mut self,
        index: usize,
        context: Context<'a>,
        repeated: bool,
        rows: &mut BTreeMap<&'a str, u32>,
    ) -> Context<'a> {
        let node: &'a Node = &self.tree.nodes[index];
        let role = node.role.as_str();
        let name = || {
            let words = node.name.split_whitespace().collect::<Vec<_>>().join(" ");
            mask_digits(&words)
        };
        let mut inner = Context {
            parent: role,
            row: context.row,
            fixed: context.fixed || FIXED.contains(&role),
        };
        if DIALOGS.contains(&role) {
            *self
                .dialogs
                .entry([role, &name()].join("\u{1f}"))
                .or_default() += 1;
            inner.row = None;
            inner.fixed = false;
        } else if role == "columnheader" {
            self.set.insert([role, &name()].join("\u{1f}"));
        } else if repeated || ROWS.contains(&role) && !context.fixed && context.row.is_none() {
            let kind = if repeated { "pattern" } else { role };
            *rows.entry(kind).or_default() += 1;
            if repeated {
                self.set.insert(["row", kind, role].join("\u{1f}"));
            }
            inner.row = Some(kind);
        } else if let Some(row) = context.row {
            if role != "text" {
                self.set.insert(["row", row, role].join("\u{1f}"));
            }
        } else if LIVE.contains(&role) || node.flags.editable && !is_field(role) {
            self.set.insert(role.to_owned());
        } else {
            self.set.insert([role, &name()].join("\u{1f}"));
        }
        inner
    }

    /// Which siblings are part of a pattern that repeats.
    fn repeats(&self, siblings: &[usize]) -> Vec<bool> {
        let mut repeated = vec![false; siblings.len()];
        let mut at = 0;
        while at < siblings.len() {
            let best = (1..=MAX_PERIOD)
                .map(|period| (self.covered(&siblings[at..], period), period))
                .max_by_key(|&(covered, period)| (covered, MAX_PERIOD - period));
            match best {
                Some((covered, _)) if covered > 0 => {
                    repeated[at..at + covered].fill(true);
                    at += covered;
                }
                _ => at += 1,
            }
        }
        repeated
    }

    /// How many siblings from the first on repeat a pattern of `period`; none if that is no row.
    fn covered(&self, siblings: &[usize], period: usize) -> usize {
        let pattern = &siblings[..period.min(siblings.len())];
        // Asked first: what is never a row must not cost a walk along all its siblings.
        let least = self.least_times(pattern);
        if least == usize::MAX {
            return 0;
        }
        let structure = |at: usize| self.tree.structures[siblings[at]];
        let same = (period..siblings.len())
            .take_while(|&at| structure(at) == structure(at - period))
            .count();
        let times = (same + period) / period;
        if times < least {
            return 0;
        }
        times * period
    }

    /// How often a pattern must repeat to be rows rather than a few things side by side.
    fn least_times(&self, pattern: &[usize]) -> usize {
        const NEVER: usize = usize::MAX;
        let node = |index: &usize| &self.tree.nodes[*index];
        let apart = pattern.iter().map(node).any(|node| {
            node.flags.editable
                || DIALOGS.contains(&node.role.as_str())
                || ROWS.contains(&node.role.as_str())
                || APART.contains(&node.role.as_str())
        });
        let first = pattern.first().map(|index| (index, node(index)));
        match (apart, pattern.len(), first) {
            (true, _, _) | (_, 0, _) | (_, _, None) => NEVER,
            (_, 1, Some((index, node))) => match node.role.as_str() {
                "text" | "img" | "image" => 3,
                "link" | "heading" => 5,
                "generic" | "" if !self.tree.children[*index].is_empty() => 2,
                _ => NEVER,
            },
            _ if pattern
                .iter()
                .map(node)
                .all(|node| CONTROLS.contains(&node.role.as_str())) =>
            {
                NEVER
            }
            _ => 2,
        }
    }
}

/// Whether the name of an editable element is its label rather than its content.
fn is_field(role: &str) -> bool {
    matches!(role, "textbox" | "searchbox" | "spinbutton" | "combobox")
}
