//! A picture of the screen, with what is known of the texts in it.

use crate::{Bounds, Image, Node, Observation};

/// A picture of the screen, and what the view of the same moment says is to be seen in it, so that
/// an archive can paint over what must not be stored (EXP-031, RED-077).
#[derive(Debug, Clone, PartialEq)]
pub struct Picture {
    /// The picture.
    pub image: Image,
    /// Size of the screen in the unit of the bounds.
    pub viewport: (f64, f64),
    /// The elements in it that show a text or hold a secret.
    pub shown: Vec<Shown>,
    /// The view is complete and was at rest: nothing else can be seen in the picture.
    pub whole: bool,
}

/// An element that a picture may show.
#[derive(Debug, Clone, PartialEq)]
pub struct Shown {
    /// Where it is; absent where the view does not say.
    pub bounds: Option<Bounds>,
    /// All that it may show.
    pub texts: Vec<String>,
    /// It holds what must not be seen, or more than was read of it.
    pub hidden: bool,
}

impl Picture {
    /// A picture and the view that was taken of the same screen. `is_restless` says that the
    /// screen never came to rest, so that the two may differ.
    #[must_use]
    pub fn new(image: Image, view: &Observation, is_restless: bool) -> Self {
        Self {
            image,
            viewport: view.viewport,
            shown: view
                .nodes
                .iter()
                .filter_map(|node| shown(node, view.viewport))
                .collect(),
            whole: !is_restless && !view.completeness.truncated,
        }
    }
}

fn shown(node: &Node, viewport: (f64, f64)) -> Option<Shown> {
    let bounds = node.bounds;
    if bounds.is_some_and(|bounds| !meets(bounds, viewport)) {
        return None;
    }
    let placeholder = node.field.as_deref().map(|field| &field.placeholder);
    let texts: Vec<String> = [Some(&node.name), node.text.as_ref(), node.value.as_ref()]
        .into_iter()
        .chain([placeholder.and_then(Option::as_ref)])
        .flatten()
        .filter(|text| !text.trim().is_empty())
        .cloned()
        .collect();
    let hidden = node.flags.secret || node.flags.value_truncated || node.flags.text_truncated;
    (hidden || !texts.is_empty()).then_some(Shown {
        bounds,
        texts,
        hidden,
    })
}

/// Whether a part of it is on the screen.
fn meets(bounds: Bounds, viewport: (f64, f64)) -> bool {
    bounds.width > 0.0
        && bounds.height > 0.0
        && bounds.x < viewport.0
        && bounds.y < viewport.1
        && bounds.x + bounds.width > 0.0
        && bounds.y + bounds.height > 0.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Completeness, Field, Flags, Platform};

    fn node(name: &str, x: f64, width: f64) -> Node {
        Node {
            name: name.into(),
            bounds: Some(Bounds {
                x,
                width,
                height: 10.0,
                ..Bounds::default()
            }),
            ..Node::default()
        }
    }

    fn picture(nodes: Vec<Node>) -> Picture {
        let image = Image {
            extension: "png",
            bytes: Vec::new(),
        };
        let view = Observation {
            platform: Platform::Web,
            front: None,
            url: None,
            title: String::new(),
            viewport: (100.0, 100.0),
            nodes,
            completeness: Completeness {
                truncated: false,
                ..Completeness::default()
            },
            document: 1,
            animating: Vec::new(),
        };
        Picture::new(image, &view, false)
    }

    // RED-077
    #[test]
    fn what_can_be_seen_in_it_is_named() {
        let mut field = node("Mail", 5.0, 20.0);
        field.value = Some("ann".into());
        field.field = Some(Box::new(Field {
            placeholder: Some("you@example.com".into()),
            ..Field::default()
        }));
        let unknown = Node {
            name: "somewhere".into(),
            ..Node::default()
        };
        let picture = picture(vec![
            node("right of it", 100.0, 10.0),
            node("without a size", 0.0, 0.0),
            node("", 0.0, 10.0),
            field,
            unknown,
        ]);
        let texts: Vec<_> = picture.shown.iter().map(|shown| &shown.texts).collect();
        assert_eq!(
            texts,
            [
                &vec!["Mail".to_owned(), "ann".into(), "you@example.com".into()],
                &vec!["somewhere".to_owned()],
            ]
        );
        assert_eq!(picture.shown[1].bounds, None);
        assert!(picture.whole);
    }

    // EXP-031, RED-077
    #[test]
    fn secret_fields_and_values_that_were_cut_are_hidden() {
        let flagged = |flags: Flags| Node {
            flags,
            ..node("", 0.0, 10.0)
        };
        let secret = flagged(Flags {
            secret: true,
            ..Flags::default()
        });
        let cut = flagged(Flags {
            value_truncated: true,
            ..Flags::default()
        });
        let picture = picture(vec![secret, cut]);
        assert!(picture.shown.iter().all(|shown| shown.hidden));
        assert_eq!(picture.shown.len(), 2);
    }
}
