//! What a page is, in one line for people.

use super::{Node, Observation};

/// Greatest number of characters of a summary.
const MAX_CHARS: usize = 120;

/// What a page is, in one line of at most 120 characters: the open dialog, the main heading, the
/// title, or the first text there is. Empty where nothing says what it is.
#[must_use]
pub fn page_summary(view: &Observation) -> String {
    let visible = || view.nodes.iter().filter(|node| node.flags.visible);
    let dialog = visible()
        .rfind(|node| matches!(node.role.as_str(), "dialog" | "alertdialog"))
        .map(|node| {
            let name = first_text(node);
            if name.is_empty() {
                node.role.clone()
            } else {
                format!("{} \"{name}\"", node.role)
            }
        });
    let heading = visible()
        .filter(|node| node.role == "heading" && !first_text(node).is_empty())
        .min_by_key(|node| node.states.level.unwrap_or(9))
        .map(|node| first_text(node).to_owned());
    let line = dialog
        .or(heading)
        .or_else(|| Some(view.title.clone()).filter(|title| !title.trim().is_empty()))
        .or_else(|| {
            visible()
                .filter(|node| !node.flags.secret && !node.flags.editable)
                .map(first_text)
                .find(|text| !text.is_empty())
                .map(str::to_owned)
        })
        .or_else(|| {
            let ids: Vec<_> = visible()
                .filter_map(|node| node.id.as_deref())
                .take(2)
                .collect();
            Some(ids.join(", "))
        })
        .unwrap_or_default();
    one_line(&line)
}

fn first_text(node: &Node) -> &str {
    [
        Some(node.name.as_str()),
        node.text.as_deref(),
        node.description.as_deref(),
    ]
    .into_iter()
    .flatten()
    .map(str::trim)
    .find(|text| !text.is_empty())
    .unwrap_or_default()
}

fn one_line(text: &str) -> String {
    let text = text.replace(char::is_control, " ");
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.chars().count() <= MAX_CHARS {
        return text;
    }
    crate::clip(&text, MAX_CHARS - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Completeness, Flags, Platform};

    fn view(nodes: &[(&str, &str)]) -> Observation {
        Observation {
            platform: Platform::Web,
            front: None,
            url: None,
            title: "Title".into(),
            viewport: (400.0, 800.0),
            nodes: nodes
                .iter()
                .map(|(role, name)| Node {
                    role: (*role).into(),
                    name: (*name).into(),
                    flags: Flags {
                        visible: true,
                        ..Flags::default()
                    },
                    ..Node::default()
                })
                .collect(),
            completeness: Completeness::default(),
            document: 1,
            animating: Vec::new(),
        }
    }

    // EXP-065
    #[test]
    fn the_most_telling_text_sums_a_page_up() {
        let heading = ("heading", "Your cart");
        let dialog = ("dialog", "Really?");
        assert_eq!(
            page_summary(&view(&[heading, dialog])),
            "dialog \"Really?\""
        );
        assert_eq!(page_summary(&view(&[("text", "x"), heading])), "Your cart");
        assert_eq!(page_summary(&view(&[("text", "x")])), "Title");
        let mut untitled = view(&[("text", "a\nb\u{1b}[31m")]);
        untitled.title = " ".into();
        assert_eq!(page_summary(&untitled), "a b [31m");
    }

    #[test]
    fn a_summary_is_short() {
        let long = "字".repeat(500);
        let summary = page_summary(&view(&[("heading", &long)]));
        assert_eq!(summary.chars().count(), MAX_CHARS);
        assert!(summary.ends_with('…'));
    }
}
