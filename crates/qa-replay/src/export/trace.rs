//! What of a session may be kept: views and actions without what is sensitive, and without the
//! names that a driver gives to its elements for a while (REP-103, REP-104).

use std::collections::HashMap;

use qa_core::{Action, ElementKey, NodeRef, Observation, Target};
use qa_redact::{MARKER, Redacted, Redactor};

use super::{Undone, bare_address};

/// Whether redaction has taken something out of a text.
pub(super) fn is_marked(text: &str) -> bool {
    // The markers of its kinds begin alike.
    text.contains(MARKER.trim_end_matches(']'))
}

/// Makes of what was seen and done what may be kept.
pub(super) struct Projector {
    redactor: Redactor,
    aliases: HashMap<NodeRef, NodeRef>,
}

impl Projector {
    pub(super) fn new(redactor: Redactor) -> Self {
        Self {
            redactor,
            aliases: HashMap::new(),
        }
    }

    pub(super) fn redactor(&self) -> &Redactor {
        &self.redactor
    }

    /// A view as it may be kept; nothing where that cannot be told.
    pub(super) fn view(&mut self, view: &Observation) -> Option<Observation> {
        let mut kept = view.clone();
        kept.url = view.url.as_deref().and_then(|url| self.address(url));
        kept.title = self.text(&view.title)?;
        for node in &mut kept.nodes {
            node.node_ref = self.alias(&node.node_ref);
            node.name = self.text(&node.name)?;
            let texts = [&mut node.text, &mut node.description];
            for text in texts.into_iter().flatten() {
                *text = self.text(text)?;
            }
            if let Some(seed) = &mut node.seed {
                seed.name = self.text(&seed.name)?;
            }
            if !node
                .value
                .as_deref()
                .is_none_or(|value| self.is_plain(value))
            {
                node.value = None;
                node.flags.value_withheld = true;
            }
            // They are no part of a scenario in a browser, and whole or useless elsewhere.
            for name in [
                &mut node.id,
                &mut node.test_id,
                &mut node.path,
                &mut node.link,
                &mut node.source,
                &mut node.form_action,
            ] {
                name.take_if(|name| !self.is_plain(name));
            }
        }
        Some(kept)
    }

    /// An action as it may be kept.
    pub(super) fn action(&mut self, action: &Action) -> Result<Action, Undone> {
        let mut kept = action.clone();
        let (target, payload) = parts(&mut kept);
        if payload.is_some_and(|payload| !self.is_plain(payload)) {
            return Err(Undone::Withheld);
        }
        if let Some(target) = target {
            let key = self.text(&target.key.0).ok_or(Undone::Withheld)?;
            target.key = ElementKey(key);
            target.node_ref = self.alias(&target.node_ref);
        }
        Ok(kept)
    }

    fn alias(&mut self, node_ref: &NodeRef) -> NodeRef {
        let next = NodeRef(format!("n{}", self.aliases.len() + 1));
        self.aliases.entry(node_ref.clone()).or_insert(next).clone()
    }

    fn text(&self, text: &str) -> Option<String> {
        if text.is_empty() {
            return Some(String::new());
        }
        self.redactor.text(text).ok().map(Redacted::into_string)
    }

    fn is_plain(&self, text: &str) -> bool {
        self.text(text).is_some_and(|safe| safe == text)
    }

    /// An address, without its query where that must not be kept.
    fn address(&self, url: &str) -> Option<String> {
        let mut forms = [url, bare_address(url)].into_iter();
        forms.find(|form| self.is_plain(form)).map(str::to_owned)
    }
}

/// The element of an action, and what it sends.
fn parts(action: &mut Action) -> (Option<&mut Target>, Option<&str>) {
    match action {
        Action::Fill { target, text } | Action::Type { target, text } => (Some(target), Some(text)),
        Action::Select { target, option } => (Some(target), Some(option)),
        Action::Press { target, key } => (target.as_mut(), Some(key)),
        Action::Tap { target }
        | Action::Focus { target }
        | Action::Hover { target }
        | Action::ScrollTo { target } => (Some(target), None),
        Action::Scroll { target, .. } => (target.as_mut(), None),
        Action::Navigate { url } => (None, Some(url)),
        _ => (None, None),
    }
}
