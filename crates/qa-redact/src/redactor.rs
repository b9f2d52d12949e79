//! The pipeline: one text in, one safe text out.

use std::borrow::Cow;

use crate::error::{RedactionError, Sink};
use crate::normalise::normalise;
use crate::redacted::Redacted;
use crate::root::{self, Root};
use crate::secret::{Registry, Secret};
use crate::span::{Atoms, JOINER, MARKER, Mark, Span};
use crate::view::View;
use crate::{detector, entropy, key_block, pair, url};

/// Longer texts are replaced as a whole.
const MAX_BYTES: usize = 16 << 20;
/// A text must be stable after so many passes, or it is replaced as a whole.
const MAX_PASSES: usize = 5;
/// Base64 within base64 is followed this deep.
const MAX_HIDDEN: usize = 3;

/// What a [`Redactor`] has to know of the run.
#[derive(Debug, Clone, Default)]
pub struct RedactorConfig {
    /// Origins whose plain URLs stay readable: `http://127.0.0.1:8080`, in canonical form.
    pub allowed_origins: Vec<String>,
    /// Directories that are written as aliases.
    pub roots: Vec<Root>,
    /// Values that must never appear, in any encoding.
    pub secrets: Vec<Secret>,
    /// Device identifiers in the order of first use; they become `$DEVICE_1`, `$DEVICE_2`, ….
    pub devices: Vec<String>,
}

/// Redacts texts, JSON values and records; cheap to call and to clone, costly to build.
///
/// ```
/// use qa_redact::{Redactor, RedactorConfig, Secret};
///
/// let redactor = Redactor::new(RedactorConfig {
///     allowed_origins: vec!["http://127.0.0.1:8080".into()],
///     secrets: vec![Secret::new("kp-9931-zebra")],
///     ..RedactorConfig::default()
/// })?;
/// let safe = redactor.text("tapped role:button|Add to cart, typed %6bp-9931-zebra, password=tulip77")?;
/// assert_eq!(safe.as_str(), "tapped role:button|Add to cart, typed [REDACTED], password=[REDACTED]");
/// # Ok::<(), qa_redact::RedactionError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Redactor {
    origins: Vec<String>,
    roots: Vec<Root>,
    registry: Registry,
    devices: usize,
    aliases: Vec<String>,
}

impl Redactor {
    /// Checks the configuration and prepares the search for secrets.
    ///
    /// # Errors
    /// [`RedactionError::Config`] names the entry that cannot be used.
    pub fn new(config: RedactorConfig) -> Result<Self, RedactionError> {
        let refuse = |field, index: Option<usize>| match index {
            Some(index) => Err(RedactionError::Config { field, index }),
            None => Ok(()),
        };
        refuse(
            "allowed_origins",
            config
                .allowed_origins
                .iter()
                .position(|origin| !url::is_origin(origin)),
        )?;
        refuse(
            "roots",
            config.roots.iter().position(|root| !root.is_usable()),
        )?;
        refuse(
            "devices",
            config
                .devices
                .iter()
                .position(|device| device.chars().count() < 4),
        )?;
        refuse("patterns", (!detector::are_ready()).then_some(0))?;
        let registry =
            Registry::new(&config.secrets, &config.devices).ok_or(RedactionError::Config {
                field: "secrets",
                index: 0,
            })?;
        let aliases = (1..=config.devices.len())
            .map(|number| format!("$DEVICE_{number}"))
            .chain(config.roots.iter().map(|root| root.alias.clone()))
            .collect();
        Ok(Self {
            origins: config.allowed_origins,
            roots: config.roots,
            registry,
            devices: config.devices.len(),
            aliases,
        })
    }

    /// Redacts a free text.
    ///
    /// # Errors
    /// [`RedactionError::Failed`] when a secret is still found in the result; nothing may be written then.
    pub fn text(&self, text: &str) -> Result<Redacted<String>, RedactionError> {
        self.safe(text, Sink::Text, 0).map(Redacted::new)
    }

    /// The safe form of one string of a larger value.
    pub(crate) fn safe(
        &self,
        text: &str,
        sink: Sink,
        position: usize,
    ) -> Result<String, RedactionError> {
        let safe = self.stable(text, 0).into_owned();
        if !self.leaks(&safe) {
            return Ok(safe);
        }
        // The leaf is blanked, and a registry that matches the marker itself can protect nothing.
        if self.leaks(MARKER) {
            Err(RedactionError::Failed { sink, position })
        } else {
            Ok(MARKER.to_owned())
        }
    }

    /// The alias form of a path, or the marker (RED-013).
    pub(crate) fn path(&self, path: &str) -> String {
        root::alias(path, &self.roots).unwrap_or_else(|| MARKER.to_owned())
    }

    /// The last line of defence: secrets in all forms, key blocks and issuers' tokens (RED-080).
    pub(crate) fn leaks(&self, safe: &str) -> bool {
        let mut spans = Vec::new();
        key_block::find(safe, &mut spans);
        detector::find_tokens(safe, &mut spans);
        if !self.registry.is_empty() {
            let plain = View::plain(safe);
            self.registry.find(&plain, &mut spans);
            if let Some(view) = plain.unescaped() {
                self.registry.find(&view, &mut spans);
            }
        }
        !spans.is_empty()
    }

    /// Passes until nothing changes, so that a second call changes nothing either (RED-INV-01).
    fn stable<'t>(&self, text: &'t str, hidden: usize) -> Cow<'t, str> {
        if text.len() > MAX_BYTES {
            return Cow::Borrowed(MARKER);
        }
        let mut current = Cow::Borrowed(text);
        for _ in 0..MAX_PASSES {
            let next = self.pass(&current, hidden);
            if next == *current {
                return current;
            }
            current = Cow::Owned(next.into_owned());
        }
        Cow::Borrowed(MARKER)
    }

    fn pass<'t>(&self, text: &'t str, hidden: usize) -> Cow<'t, str> {
        let text = normalise(text);
        let mut atoms = Atoms::new(&self.aliases);
        let outer = self.find_outer(&text);
        let text = if outer.is_empty() {
            text
        } else {
            Cow::Owned(atoms.apply(&text, outer))
        };
        let inner = self.find_inner(&text, hidden);
        let text = if inner.is_empty() {
            text
        } else {
            Cow::Owned(atoms.apply(&text, inner))
        };
        match text {
            Cow::Borrowed(text) => atoms.render(text),
            Cow::Owned(text) => Cow::Owned(atoms.render(&text).into_owned()),
        }
    }

    /// Key blocks and URLs, which no later rule may read into, and the secrets that touch them.
    fn find_outer(&self, text: &str) -> Vec<Span> {
        let mut spans = Vec::new();
        let views = views(text);
        for view in &views {
            let mut found = Vec::new();
            key_block::find(&view.text, &mut found);
            url::find(&view.text, &mut found);
            spans.extend(found.into_iter().map(|span| view.source(span)));
        }
        for span in spans.iter_mut().filter(|span| span.mark == Mark::Url) {
            let url = &text[span.start..span.end];
            if url::may_stay(url, &self.origins, |segment| {
                self.find_inner(segment, 0).is_empty()
            }) {
                span.mark = Mark::Kept;
            }
        }
        if !spans.is_empty() && !self.registry.is_empty() {
            let mut secrets = Vec::new();
            for view in &views {
                self.registry.find(view, &mut secrets);
            }
            spans.sort_by_key(|span| span.start);
            let touching = |secret: &Span| {
                let after = spans.partition_point(|span| span.start < secret.end);
                after > 0
                    && spans[..after]
                        .iter()
                        .rev()
                        .take(3)
                        .any(|span| span.overlaps(secret))
            };
            secrets.retain(touching);
            spans.extend(secrets);
        }
        spans
    }

    /// What all other rules find; a further secret only ever adds to it (RED-INV-05).
    fn find_inner(&self, text: &str, hidden: usize) -> Vec<Span> {
        let mut spans = Vec::new();
        for view in &views(text) {
            let mut found = Vec::new();
            pair::find(&view.text, &mut found);
            detector::find(&view.text, &mut found);
            root::find(&view.text, &self.roots, self.devices, &mut found);
            entropy::find(&view.text, &mut found);
            if hidden < MAX_HIDDEN {
                let changes = |plain: &str| self.pass(plain, hidden + 1) != plain;
                entropy::find_hidden(&view.text, &mut found, changes);
            }
            spans.extend(found.into_iter().map(|span| view.source(span)));
            if !self.registry.is_empty() {
                self.registry.find(view, &mut spans);
            }
        }
        spans
    }
}

/// The text as it stands, without joiners, and without escapes, as far as they differ.
fn views(text: &str) -> Vec<View<'_>> {
    let mut views = vec![View::plain(text)];
    views.extend(View::without(text, |c| c == JOINER));
    views.extend(views.last().and_then(View::unescaped));
    views
}
