//! Pictures: what must not be seen is painted over, what is not pixels is left out.

use serde::{Deserialize, Serialize};

use crate::error::{RedactionError, Sink};
use crate::redacted::Redacted;

const SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";
/// Chunks that say how pixels look; every other one is dropped, known or not.
const KEPT: [&[u8; 4]; 9] = [
    b"IHDR", b"PLTE", b"IDAT", b"IEND", b"tRNS", b"sRGB", b"gAMA", b"cHRM", b"pHYs",
];
/// Larger pictures are withheld rather than decoded, in bytes of pixels.
const MAX_PIXEL_BYTES: usize = 256 << 20;

/// The bytes of a PNG file without metadata; only [`Redacted`] holds one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image(Vec<u8>);

impl Image {
    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

/// A rectangle of the picture in its own pixels; what lies outside the picture is ignored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rect {
    /// Pixels from the left edge.
    pub x: u32,
    /// Pixels from the upper edge.
    pub y: u32,
    /// Width; none means that the bounds are unknown.
    pub width: u32,
    /// Height; none means that the bounds are unknown.
    pub height: u32,
}

impl Redacted<Image> {
    /// Paints `masks` black in a PNG file and drops its metadata.
    ///
    /// Without masks the pixels are not decoded: chunks are copied or left out. The caller vouches that the
    /// masks belong to the same moment as the picture.
    ///
    /// # Errors
    /// [`RedactionError::Failed`] when the file is no sound PNG, is too large, or when a mask has no area: the
    /// picture must then be withheld.
    pub fn png(bytes: &[u8], masks: &[Rect]) -> Result<Self, RedactionError> {
        if let Some(position) = masks
            .iter()
            .position(|mask| mask.width == 0 || mask.height == 0)
        {
            return Err(RedactionError::Failed {
                sink: Sink::Image,
                position,
            });
        }
        let plain = strip(bytes).map_err(|position| RedactionError::Failed {
            sink: Sink::Image,
            position,
        })?;
        if masks.is_empty() {
            return Ok(Self::new(Image(plain)));
        }
        let painted = paint(&plain, masks).ok_or(RedactionError::Failed {
            sink: Sink::Image,
            position: 0,
        })?;
        Ok(Self::new(Image(painted)))
    }
}

/// Copies the chunks that matter; an error is the offset where the file stops being a PNG.
fn strip(bytes: &[u8]) -> Result<Vec<u8>, usize> {
    if !bytes.starts_with(SIGNATURE) {
        return Err(0);
    }
    let mut out = SIGNATURE.to_vec();
    let mut at = SIGNATURE.len();
    let mut pixels = false;
    loop {
        let word = |from: usize| {
            let four = bytes.get(from..from + 4)?;
            Some(u32::from_be_bytes([four[0], four[1], four[2], four[3]]))
        };
        let length = word(at).ok_or(at)? as usize;
        let end = at
            .checked_add(length)
            .and_then(|end| end.checked_add(12))
            .ok_or(at)?;
        let chunk = bytes.get(at..end).ok_or(at)?;
        let (name, checksum) = (&chunk[4..8], word(end - 4).ok_or(at)?);
        if crc32fast::hash(&chunk[4..length + 8]) != checksum
            || (out.len() == SIGNATURE.len()) != (name == b"IHDR")
        {
            return Err(at);
        }
        pixels |= name == b"IDAT";
        if KEPT.iter().any(|kept| name == *kept) {
            out.extend_from_slice(chunk);
        }
        if name == b"IEND" {
            return if pixels && length == 0 {
                Ok(out)
            } else {
                Err(at)
            };
        }
        at = end;
    }
}

fn paint(bytes: &[u8], masks: &[Rect]) -> Option<Vec<u8>> {
    let mut decoder = png::Decoder::new_with_limits(
        std::io::Cursor::new(bytes),
        png::Limits {
            bytes: MAX_PIXEL_BYTES,
        },
    );
    decoder.set_transformations(png::Transformations::EXPAND | png::Transformations::STRIP_16);
    let mut reader = decoder.read_info().ok()?;
    let size = reader
        .output_buffer_size()
        .filter(|size| *size <= MAX_PIXEL_BYTES)?;
    let mut pixels = vec![0; size];
    let frame = reader.next_frame(&mut pixels).ok()?;
    let samples = frame.color_type.samples();
    let line = frame.line_size;
    for mask in masks {
        let right = mask.x.saturating_add(mask.width).min(frame.width) as usize;
        let bottom = mask.y.saturating_add(mask.height).min(frame.height) as usize;
        let left = (mask.x as usize).min(right);
        for row in (mask.y as usize).min(bottom)..bottom {
            let start = row * line;
            let row = pixels.get_mut(start + left * samples..start + right * samples)?;
            for pixel in row.chunks_exact_mut(samples) {
                pixel.fill(0);
                // The last sample of two or four is the alpha channel, which must be opaque.
                if samples % 2 == 0 {
                    pixel[samples - 1] = u8::MAX;
                }
            }
        }
    }
    let mut out = Vec::new();
    let mut encoder = png::Encoder::new(&mut out, frame.width, frame.height);
    encoder.set_color(frame.color_type);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Fast);
    let mut writer = encoder.write_header().ok()?;
    writer.write_image_data(&pixels).ok()?;
    writer.finish().ok()?;
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(color: png::ColorType, note: &str) -> Vec<u8> {
        let mut out = Vec::new();
        let mut encoder = png::Encoder::new(&mut out, 4, 3);
        encoder.set_color(color);
        encoder
            .add_text_chunk("Comment".into(), note.into())
            .expect("the note is Latin-1");
        let mut writer = encoder.write_header().expect("the header is written");
        writer
            .write_image_data(&vec![200; 12 * color.samples()])
            .expect("the pixels are written");
        writer.finish().expect("the file is finished");
        out
    }

    fn pixels(bytes: &[u8]) -> Vec<u8> {
        let mut reader = png::Decoder::new(std::io::Cursor::new(bytes))
            .read_info()
            .expect("a PNG");
        let mut out = vec![0; reader.output_buffer_size().expect("a small picture")];
        reader.next_frame(&mut out).expect("pixels");
        out
    }

    #[test]
    fn metadata_goes_and_pixels_stay() {
        // RED-077
        let raw = picture(png::ColorType::Rgb, "tulip77");
        let mut trailing = raw.clone();
        trailing.extend(b"tulip77");
        let safe = Redacted::png(&trailing, &[]).expect("a sound PNG");
        assert!(
            !safe
                .as_bytes()
                .windows(7)
                .any(|window| window == b"tulip77")
        );
        assert_eq!(pixels(safe.as_bytes()), pixels(&raw));
        assert_eq!(
            Redacted::png(safe.as_bytes(), &[]).expect("a sound PNG"),
            safe
        );
    }

    #[test]
    fn masks_are_opaque_and_clipped() {
        // RED-077
        let raw = picture(png::ColorType::Rgba, "tulip77");
        let mask = Rect {
            x: 2,
            y: 1,
            width: u32::MAX,
            height: 1,
        };
        let painted = pixels(
            Redacted::png(&raw, &[mask])
                .expect("a sound PNG")
                .as_bytes(),
        );
        for (index, pixel) in painted.chunks(4).enumerate() {
            let covered = index / 4 == 1 && index % 4 >= 2;
            assert_eq!(
                pixel,
                if covered { [0, 0, 0, 255] } else { [200; 4] },
                "pixel {index}"
            );
        }
    }

    #[test]
    fn doubtful_pictures_are_withheld() {
        // RED-005, RED-077
        let raw = picture(png::ColorType::Grayscale, "note");
        for end in 0..raw.len() {
            assert!(Redacted::png(&raw[..end], &[]).is_err(), "cut at {end}");
        }
        assert!(
            Redacted::png(
                &raw,
                &[Rect {
                    x: 0,
                    y: 0,
                    width: 0,
                    height: 5
                }]
            )
            .is_err()
        );
        assert!(Redacted::png(b"GIF89a", &[]).is_err());
    }
}
