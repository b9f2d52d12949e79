//! What of a picture must not be seen (EXP-030 to EXP-033, RED-077).

use std::collections::HashMap;

use qa_core::{Bounds, Fingerprint, Picture, Replay, StepRecord};
use qa_redact::{Rect, RedactionError, Redactor};

/// Texts whose judgement is remembered.
const REMEMBERED: usize = 20_000;
/// Painted beyond each edge, in pixels: letters reach out of their boxes.
const MARGIN: f64 = 2.0;

/// Decides what is painted over in the pictures of a session, and which are left out.
#[derive(Debug, Default)]
pub(super) struct Veil {
    /// Sensitive texts that were typed and may still be on the screen.
    typed: Vec<String>,
    /// Whether redaction changes a text.
    known: HashMap<String, bool>,
}

/// What becomes of a picture.
#[derive(Debug, PartialEq)]
pub(super) enum Verdict {
    /// It is stored after these are painted over.
    Store(Vec<Rect>),
    /// It is left out.
    Omit,
}

impl Veil {
    /// Takes notice of a step before its pictures are judged: a sensitive text may be on the screen
    /// from the moment it was typed, whatever the receipt says (EXP-030).
    pub(super) fn note(
        &mut self,
        step: &StepRecord,
        redactor: &Redactor,
    ) -> Result<(), RedactionError> {
        if let Some(Replay::InputText {
            input_value: Some(value),
            input_redacted,
            ..
        }) = &step.notes.replay
            && (*input_redacted || self.changes(value, redactor)?)
        {
            self.typed.push(value.clone());
        }
        Ok(())
    }

    /// What becomes of a picture.
    pub(super) fn judge(
        &mut self,
        picture: &Picture,
        redactor: &Redactor,
    ) -> Result<Verdict, RedactionError> {
        if !self.typed.is_empty() && !picture.whole {
            return Ok(Verdict::Omit);
        }
        let scale = width(&picture.image.bytes)
            .filter(|_| picture.viewport.0 > 0.0)
            .map(|width| f64::from(width) / picture.viewport.0);
        let mut masks = Vec::new();
        for shown in &picture.shown {
            let mut hides = shown.hidden;
            for text in &shown.texts {
                hides = hides || self.shows_typed(text) || self.changes(text, redactor)?;
            }
            match (shown.bounds, scale) {
                _ if !hides => {}
                // Where nothing says where it is, or where it was a moment ago, it may be anywhere.
                (Some(bounds), Some(scale)) if picture.whole => masks.push(rect(bounds, scale)),
                _ => return Ok(Verdict::Omit),
            }
        }
        Ok(Verdict::Store(masks))
    }

    /// After a step: what was typed is forgotten once the app has moved on and a complete view
    /// shows nothing of it (EXP-033).
    pub(super) fn lift(&mut self, step: &StepRecord, after: Option<&Picture>) {
        let moved = |from: &Option<Fingerprint>, to: &Option<Fingerprint>| matches!((from, to), (Some(from), Some(to)) if from != to);
        let Some(after) = after.filter(|after| after.whole) else {
            return;
        };
        let mut texts = after.shown.iter().flat_map(|shown| &shown.texts);
        if moved(&step.notes.page_from, &step.notes.page_to)
            && !texts.any(|text| self.shows_typed(text))
        {
            self.typed.clear();
        }
    }

    fn shows_typed(&self, text: &str) -> bool {
        self.typed.iter().any(|typed| text.contains(typed.as_str()))
    }

    fn changes(&mut self, text: &str, redactor: &Redactor) -> Result<bool, RedactionError> {
        if let Some(known) = self.known.get(text) {
            return Ok(*known);
        }
        let changes = redactor.text(text)?.as_str() != text;
        if self.known.len() >= REMEMBERED {
            self.known.clear();
        }
        self.known.insert(text.to_owned(), changes);
        Ok(changes)
    }
}

/// How many pixels wide a PNG file says it is, in the header that its first chunk must be.
fn width(png: &[u8]) -> Option<u32> {
    let four = png.get(16..20)?;
    Some(u32::from_be_bytes([four[0], four[1], four[2], four[3]])).filter(|width| *width > 0)
}

/// The pixels of a box, and a little more.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a cast to integers stops at their limits, and no picture is that large"
)]
fn rect(bounds: Bounds, scale: f64) -> Rect {
    let left = (bounds.x * scale - MARGIN).floor().max(0.0);
    let top = (bounds.y * scale - MARGIN).floor().max(0.0);
    let right = ((bounds.x + bounds.width) * scale + MARGIN).ceil();
    let bottom = ((bounds.y + bounds.height) * scale + MARGIN).ceil();
    Rect {
        x: left as u32,
        y: top as u32,
        width: (right - left).max(1.0) as u32,
        height: (bottom - top).max(1.0) as u32,
    }
}

#[cfg(test)]
mod tests {
    use qa_core::{ElementKey, Image, Shown, StepNotes, StepResult};
    use qa_redact::{RedactorConfig, Secret};

    use super::*;

    fn redactor() -> Redactor {
        Redactor::new(RedactorConfig {
            secrets: vec![Secret::new("kp-9931-zebra")],
            ..RedactorConfig::default()
        })
        .unwrap()
    }

    fn shown(text: &str, x: Option<f64>) -> Shown {
        Shown {
            bounds: x.map(|x| Bounds {
                x,
                y: 10.0,
                width: 20.0,
                height: 5.0,
                ..Bounds::default()
            }),
            texts: vec![text.to_owned()],
            hidden: false,
        }
    }

    fn picture(shown: Vec<Shown>, whole: bool) -> Picture {
        Picture {
            image: Image {
                extension: "png",
                // As many bytes as tell that it is 200 pixels wide.
                bytes: [&[0; 16][..], &200_u32.to_be_bytes()].concat(),
            },
            viewport: (100.0, 50.0),
            shown,
            whole,
        }
    }

    fn typing(value: &str, from: &str, to: &str) -> StepRecord {
        StepRecord {
            index: 1,
            action: "fill".into(),
            result: StepResult::Fail,
            notes: StepNotes {
                replay: Some(Replay::InputText {
                    element_key: ElementKey("id:a".into()),
                    input_value: Some(value.into()),
                    input_redacted: false,
                }),
                page_from: Some(Fingerprint(from.into())),
                page_to: Some(Fingerprint(to.into())),
                ..StepNotes::default()
            },
        }
    }

    // RED-077
    #[test]
    fn what_redaction_changes_is_painted_over() {
        let mut veil = Veil::default();
        let seen = picture(
            vec![
                shown("Hello", Some(1.0)),
                shown("it is kp-9931-zebra", Some(30.0)),
            ],
            true,
        );
        let verdict = veil.judge(&seen, &redactor()).unwrap();
        let mask = Rect {
            x: 58,
            y: 18,
            width: 44,
            height: 14,
        };
        assert_eq!(verdict, Verdict::Store(vec![mask]));
    }

    // EXP-031, RED-077
    #[test]
    fn a_picture_is_left_out_where_nothing_says_where_to_paint() {
        let mut veil = Veil::default();
        let nowhere = picture(vec![shown("kp-9931-zebra", None)], true);
        assert_eq!(veil.judge(&nowhere, &redactor()).unwrap(), Verdict::Omit);
        let moving = picture(vec![shown("kp-9931-zebra", Some(1.0))], false);
        assert_eq!(veil.judge(&moving, &redactor()).unwrap(), Verdict::Omit);
        let harmless = picture(vec![shown("Hello", None)], false);
        assert_eq!(
            veil.judge(&harmless, &redactor()).unwrap(),
            Verdict::Store(Vec::new())
        );
    }

    // EXP-030 to EXP-033
    #[test]
    fn what_was_typed_is_hidden_until_the_app_has_moved_on() {
        let redactor = redactor();
        let mut veil = Veil::default();
        let harmless = typing("anna", "one", "two");
        veil.note(&harmless, &redactor).unwrap();
        let unread = picture(Vec::new(), false);
        assert_eq!(
            veil.judge(&unread, &redactor).unwrap(),
            Verdict::Store(Vec::new())
        );

        // The receipt of a typed secret does not matter, nor does it how the value is shown.
        let secret = typing("kp-9931-zebra", "one", "one");
        veil.note(&secret, &redactor).unwrap();
        assert_eq!(veil.judge(&unread, &redactor).unwrap(), Verdict::Omit);
        let whole = picture(Vec::new(), true);
        veil.lift(&secret, Some(&whole));
        assert_eq!(veil.judge(&unread, &redactor).unwrap(), Verdict::Omit);

        let onward = typing("anna", "one", "two");
        veil.lift(
            &onward,
            Some(&picture(vec![shown("<kp-9931-zebra>", Some(0.0))], true)),
        );
        veil.lift(&onward, Some(&unread));
        veil.lift(&onward, None);
        assert_eq!(veil.judge(&unread, &redactor).unwrap(), Verdict::Omit);
        veil.lift(&onward, Some(&whole));
        assert_eq!(
            veil.judge(&unread, &redactor).unwrap(),
            Verdict::Store(Vec::new())
        );
    }
}
