//! The pipeline: one text in, one safe text out.

use std::borrow::Cow;

use crate::clue::Clue;
use crate::edge::Edge;
use crate::error::{RedactionError, Sink};
use crate::normalise::normalise;
use crate::redacted::Redacted;
use crate::root::{self, Root};
use crate::rule::{Rule, Tally};
use crate::secret::{Hit, Read, Registry, Secret};
use crate::span::{Atoms, MARKER, Mark, Masked, Span};
use crate::view::View;
use crate::{detector, entropy, key_block, pair, url};

/// Longer texts are replaced as a whole.
pub(crate) const MAX_BYTES: usize = 16 << 20;
/// A text must be stable after so many passes, or it is replaced as a whole.
const MAX_PASSES: usize = 5;
/// So often rules read a text anew around its secrets; of a text with very many, the last ones are replaced
/// together.
const MAX_ROUNDS: usize = 20;
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
    pub(crate) registry: Registry,
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
        self.text_tallied(text, &mut Tally::default())
    }

    /// Redacts a free text and counts, in `tally`, which rules replaced something.
    ///
    /// # Errors
    /// As [`Redactor::text`].
    pub fn text_tallied(
        &self,
        text: &str,
        tally: &mut Tally,
    ) -> Result<Redacted<String>, RedactionError> {
        let place = Place {
            sink: Sink::Text,
            position: 0,
        };
        self.safe(text, place, tally)
            .map(|safe| Redacted::new(safe.into_owned()))
    }

    /// The safe form of one string of a larger value.
    pub(crate) fn safe<'t>(
        &self,
        text: &'t str,
        place: Place,
        tally: &mut Tally,
    ) -> Result<Cow<'t, str>, RedactionError> {
        let first = if text.len() <= MAX_BYTES {
            self.pass(text, 0, tally, &mut Edge::default())
        } else {
            tally.add(Rule::Unjudged);
            Pass::changed(Cow::Borrowed(MARKER))
        };
        self.safe_after(first, place, tally, &mut Edge::default())
    }

    /// The safe form of a text after its first pass.
    pub(crate) fn safe_after<'t>(
        &self,
        first: Pass<'t>,
        place: Place,
        tally: &mut Tally,
        edge: &mut Edge,
    ) -> Result<Cow<'t, str>, RedactionError> {
        let (safe, is_searched) = self.stable(first, tally, edge);
        if is_searched || !self.leaks(&safe) {
            return Ok(safe);
        }
        // The leaf is blanked, and a registry that matches the marker itself can protect nothing.
        if self.leaks(MARKER) {
            let Place { sink, position } = place;
            Err(RedactionError::Failed { sink, position })
        } else {
            tally.add(Rule::Unjudged);
            Ok(Cow::Borrowed(MARKER))
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
        let plain = View::plain(safe);
        let views = [plain.unescaped(), Some(plain)].into_iter().flatten();
        let views: Vec<_> = views.map(|view| self.registry.read(view)).collect();
        !without_ties(spans).is_empty()
            || !self.find_secrets(&views, &mut Edge::default()).is_empty()
    }

    /// Whether a text ends like the beginning of a registered secret.
    pub(crate) fn is_pending(&self, text: &str) -> bool {
        let mut edge = Edge::default();
        self.find_secrets(&self.views(&normalise(text)), &mut edge);
        edge.is_pending
    }

    /// Passes until nothing changes, so that a second call changes nothing either (RED-INV-01), and whether
    /// the last scan would only repeat what was looked for already.
    fn stable<'t>(
        &self,
        first: Pass<'t>,
        tally: &mut Tally,
        edge: &mut Edge,
    ) -> (Cow<'t, str>, bool) {
        if first.is_settled {
            return (first.text, true);
        }
        let mut current = first.text;
        for _ in 1..MAX_PASSES {
            let next = self.pass(&current, 0, tally, edge).text;
            if next == current {
                return (current, false);
            }
            current = Cow::Owned(next.into_owned());
        }
        tally.add(Rule::Unjudged);
        (Cow::Borrowed(MARKER), false)
    }

    pub(crate) fn pass<'t>(
        &self,
        text: &'t str,
        hidden: usize,
        tally: &mut Tally,
        edge: &mut Edge,
    ) -> Pass<'t> {
        let text = normalise(text);
        let views = self.views(&text);
        let mut spans = self.find_outer(&text, &views);
        let mut secrets = self.find_secrets(&views, edge);
        if hidden > 0 && !secrets.is_empty() {
            return Pass::changed(Cow::Borrowed(MARKER));
        }
        if spans.is_empty() {
            spans = self.find_rules(&views, hidden, edge);
        } else {
            self.find_more(&text, &mut spans, hidden, edge);
        }
        drop(views);
        // Secrets are replaced in the order of registration, each once the rules have read what the earlier
        // ones left, so that a further one only ever adds to what is replaced (RED-INV-05).
        secrets.sort_by_key(|hit| hit.secret);
        // As a second pass would read it; offsets stay.
        let plain = View::plain(&text).text;
        let mut rounds = 0;
        for hits in secrets.chunk_by(|a, b| a.secret == b.secret) {
            while rounds < MAX_ROUNDS {
                rounds += 1;
                if !self.find_more(&plain, &mut spans, hidden, edge) {
                    break;
                }
            }
            spans.extend(hits.iter().map(|hit| hit.span));
        }
        edge.found(&text, &spans);
        spans.retain(|span| span.mark != Mark::Tie);
        let mut atoms = Atoms::new(&self.aliases, tally);
        if spans.is_empty() {
            // Without joiners and atoms the rules have read the very bytes that are left.
            let is_settled = memchr::memchr2(1, 0xF3, text.as_bytes()).is_none();
            let text = if is_settled {
                text
            } else {
                Cow::Owned(atoms.render(&text).into_owned())
            };
            return Pass { text, is_settled };
        }
        let text = atoms.apply(&text, spans);
        Pass::changed(atoms.render(&text))
    }

    /// The text as it stands, without joiners, and without escapes, as far as they differ.
    fn views<'t>(&self, text: &'t str) -> Vec<Read<'t>> {
        let mut views = vec![View::plain(text)];
        views.extend(View::joinless(text));
        let unescaped: Vec<_> = views.iter().filter_map(View::unescaped).collect();
        views.extend(unescaped);
        views
            .into_iter()
            .map(|view| self.registry.read(view))
            .collect()
    }

    /// Key blocks and URLs, which no later rule may read into.
    fn find_outer(&self, text: &str, views: &[Read<'_>]) -> Vec<Span> {
        let mut spans = Vec::new();
        for Read { view, clues, .. } in views {
            let mut found = Vec::new();
            if clues.has(Clue::Block) {
                key_block::find(&view.text, &mut found);
            }
            if clues.has(Clue::Slashes) {
                url::find(&view.text, &mut found);
            }
            spans.extend(found.into_iter().map(|span| view.source(span)));
        }
        for span in spans.iter_mut().filter(|span| span.mark == Mark::Url) {
            let url = &text[span.start..span.end];
            if url::may_stay(url, &self.origins, |segment| {
                let mut edge = Edge::default();
                let views = self.views(segment);
                self.find_secrets(&views, &mut edge).is_empty()
                    && without_ties(self.find_rules(&views, 0, &mut edge)).is_empty()
            }) {
                span.mark = Mark::Kept;
            }
        }
        spans
    }

    fn find_secrets(&self, views: &[Read<'_>], edge: &mut Edge) -> Vec<Hit> {
        let mut hits = Vec::new();
        if !self.registry.is_empty() {
            for read in views {
                self.registry.find(read, &mut hits, edge);
            }
        }
        hits
    }

    /// What all rules find but those of [`find_outer`](Self::find_outer).
    fn find_rules(&self, views: &[Read<'_>], hidden: usize, edge: &mut Edge) -> Vec<Span> {
        let mut spans = Vec::new();
        for Read { view, clues, .. } in views {
            let mut found = Vec::new();
            pair::find(&view.text, *clues, &mut found, edge);
            detector::find(&view.text, *clues, &mut found);
            root::find(&view.text, &self.roots, self.devices, &mut found);
            entropy::find(&view.text, &mut found);
            if hidden < MAX_HIDDEN {
                let changes = |plain: &str| {
                    let (mut tally, mut edge) = Default::default();
                    self.pass(plain, hidden + 1, &mut tally, &mut edge).text != plain
                };
                entropy::find_hidden(&view.text, &mut found, changes);
            }
            spans.extend(found.into_iter().map(|span| view.source(span)));
        }
        spans
    }

    /// Adds what the rules find in the text as the replacement of `spans` leaves it, and whether there was more.
    fn find_more(&self, text: &str, spans: &mut Vec<Span>, hidden: usize, edge: &mut Edge) -> bool {
        let masked = Masked::new(text, without_ties(spans.clone()), &self.aliases);
        let found = self.find_rules(&self.views(&masked.text), hidden, edge);
        let before = spans.len();
        spans.extend(found.into_iter().filter_map(|span| masked.source(span)));
        spans[before..].iter().any(|span| span.mark != Mark::Tie)
    }
}

fn without_ties(mut spans: Vec<Span>) -> Vec<Span> {
    spans.retain(|span| span.mark != Mark::Tie);
    spans
}

/// Where a value was on its way to, for errors.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    pub(crate) sink: Sink,
    pub(crate) position: usize,
}

/// What one reading by all rules left.
pub(crate) struct Pass<'t> {
    pub(crate) text: Cow<'t, str>,
    /// Nothing was found, and neither another pass nor the last scan could find more.
    is_settled: bool,
}

impl Pass<'_> {
    fn changed(text: Cow<'_, str>) -> Self {
        Self {
            text: Cow::Owned(text.into_owned()),
            is_settled: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use proptest::prelude::*;

    use super::*;
    use crate::clue::Clues;
    use crate::hostile::hostile;

    static REDACTOR: LazyLock<Redactor> = LazyLock::new(|| {
        Redactor::new(RedactorConfig {
            secrets: vec![Secret::new("kp-9931-zebra")],
            devices: vec!["R58M12ABCDE".into()],
            ..RedactorConfig::default()
        })
        .expect("the configuration is valid")
    });

    proptest! {
        #[test]
        fn no_rule_fires_without_its_clue(text in hostile()) {
            let text = normalise(&text);
            let with_clues = REDACTOR.views(&text);
            let mut without = REDACTOR.views(&text);
            without.iter_mut().for_each(|read| (read.clues, read.has_needle) = (Clues::ALL, true));
            let edge = &mut Edge::default();
            let found = |views: &[Read<'_>], edge: &mut Edge| {
                let hits = REDACTOR.find_secrets(views, edge).into_iter().map(|hit| hit.span);
                (REDACTOR.find_outer(&text, views), REDACTOR.find_rules(views, 0, edge), hits.collect::<Vec<_>>())
            };
            prop_assert_eq!(found(&with_clues, edge), found(&without, edge));
        }

        #[test]
        fn a_settled_text_needs_no_other_pass_and_no_last_scan(text in hostile()) {
            let first = REDACTOR.pass(&text, 0, &mut Tally::default(), &mut Edge::default());
            if first.is_settled {
                prop_assert!(!REDACTOR.leaks(&first.text));
                let second = REDACTOR.pass(&first.text, 0, &mut Tally::default(), &mut Edge::default());
                prop_assert_eq!(&second.text, &first.text);
            }
        }
    }
}
