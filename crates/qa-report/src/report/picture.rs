//! The pictures of a session, small enough to carry in a report, each of them once.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Cursor;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use image::codecs::jpeg::JpegEncoder;
use image::{ImageFormat, ImageReader, Limits};

/// Greatest width of a usual picture, in pixels; shown at less, it stays sharp on fine screens.
const SMALL: u32 = 360;
/// Greatest width of a picture that shows where something crashed.
const LARGE: u32 = 960;
const QUALITY: u8 = 70;
/// The same, where there are more pictures than [`FEW`].
const SMALLER: u32 = 240;
const FEW: usize = 500;
/// Pixels of larger pictures are not decoded.
const DECODED_BYTES: u64 = 256 << 20;
/// So many are held in memory at a time.
const BATCH: usize = 32;

/// Pictures by file name.
#[derive(Debug, Default)]
pub(crate) struct Album {
    pictures: Vec<Picture>,
    by_name: HashMap<(String, Size), usize>,
    by_content: HashMap<(u64, Size), usize>,
    bytes: usize,
    /// Pictures that are in files only, because the report would become too large.
    pub(crate) left_out: usize,
    /// Names of pictures that could not be read.
    pub(crate) unreadable: HashSet<String>,
}

/// How large a picture is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Size {
    Small,
    Large,
}

/// One picture.
#[derive(Debug)]
pub(crate) struct Picture {
    /// In pixels of the original.
    pub(crate) width: u32,
    pub(crate) height: u32,
    /// As a `data:` address.
    pub(crate) data: String,
}

impl Album {
    /// Loads pictures, the most important first; what does not fit into `most_bytes` of text is left
    /// in its file.
    pub(crate) fn load(
        read: impl Fn(&str) -> Option<Vec<u8>>,
        wanted: &[(String, Size)],
        most_bytes: usize,
    ) -> Self {
        let mut album = Self::default();
        let mut known = HashSet::new();
        let wanted: Vec<_> = wanted.iter().filter(|wish| known.insert(*wish)).collect();
        let names: HashSet<&str> = wanted.iter().map(|(name, _)| name.as_str()).collect();
        let small = if names.len() > FEW { SMALLER } else { SMALL };
        for batch in wanted.chunks(BATCH) {
            if album.bytes < most_bytes {
                album.load_batch(&read, batch, small, most_bytes);
            }
        }
        let held = |name: &str| {
            let sizes = [Size::Small, Size::Large];
            sizes
                .into_iter()
                .any(|size| album.find(name, size).is_some())
        };
        let lacking = names.iter().filter(|name| !held(name)).count();
        album.left_out = lacking.saturating_sub(album.unreadable.len());
        album
    }

    pub(crate) fn find(&self, name: &str, size: Size) -> Option<(usize, &Picture)> {
        let large = self.by_name.get(&(name.to_owned(), size));
        let number = *large.or_else(|| self.by_name.get(&(name.to_owned(), Size::Small)))?;
        Some((number, self.pictures.get(number)?))
    }

    pub(crate) fn pictures(&self) -> &[Picture] {
        &self.pictures
    }

    fn load_batch(
        &mut self,
        read: impl Fn(&str) -> Option<Vec<u8>>,
        batch: &[&(String, Size)],
        small: u32,
        most_bytes: usize,
    ) {
        let mut new = Vec::new();
        let mut waiting = HashMap::new();
        let mut names = Vec::new();
        for (name, size) in batch {
            let Some(bytes) = read(name) else {
                self.unreadable.insert(name.clone());
                continue;
            };
            let mut hasher = DefaultHasher::new();
            bytes.hash(&mut hasher);
            let content = (hasher.finish(), *size);
            if !self.by_content.contains_key(&content) && !waiting.contains_key(&content) {
                waiting.insert(content, new.len());
                new.push((bytes, *size));
            }
            names.push((name.clone(), content));
        }
        let made = in_parallel(&new, |(bytes, size)| match size {
            Size::Small => shrink(bytes, small),
            Size::Large => shrink(bytes, LARGE),
        });
        let mut numbers = HashMap::new();
        let mut broken = HashSet::new();
        for (position, picture) in made.into_iter().enumerate() {
            match picture {
                Some(picture) if self.bytes + picture.data.len() <= most_bytes => {
                    self.bytes += picture.data.len();
                    numbers.insert(position, self.pictures.len());
                    self.pictures.push(picture);
                }
                Some(_) => {}
                None => {
                    broken.insert(position);
                }
            }
        }
        for (name, content) in names {
            let position = waiting.get(&content);
            if let Some(number) = position.and_then(|position| numbers.get(position)) {
                self.by_content.insert(content, *number);
            }
            if let Some(number) = self.by_content.get(&content) {
                self.by_name.insert((name, content.1), *number);
            } else if position.is_some_and(|position| broken.contains(position)) {
                self.unreadable.insert(name);
            }
        }
    }
}

/// Decodes, scales down to a width and encodes as JPEG.
fn shrink(bytes: &[u8], most: u32) -> Option<Picture> {
    let mut reader = ImageReader::new(Cursor::new(bytes))
        .with_guessed_format()
        .ok()?;
    if !matches!(reader.format()?, ImageFormat::Png | ImageFormat::Jpeg) {
        return None;
    }
    let mut limits = Limits::default();
    limits.max_alloc = Some(DECODED_BYTES);
    reader.limits(limits);
    let full = reader.decode().ok()?.into_rgb8();
    let (width, height) = full.dimensions();
    let shown = if width > most {
        let scaled = u64::from(height) * u64::from(most) / u64::from(width);
        image::imageops::thumbnail(&full, most, u32::try_from(scaled.max(1)).ok()?)
    } else {
        full
    };
    let mut jpeg = Vec::new();
    JpegEncoder::new_with_quality(&mut jpeg, QUALITY)
        .encode_image(&shown)
        .ok()?;
    let data = format!("data:image/jpeg;base64,{}", STANDARD.encode(jpeg));
    Some(Picture {
        width,
        height,
        data,
    })
}

/// Maps items on all cores; results stand in the order of the items.
fn in_parallel<T: Sync, R: Send>(items: &[T], map: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let share = items.len().div_ceil(threads).max(1);
    std::thread::scope(|scope| {
        let workers: Vec<_> = items
            .chunks(share)
            .map(|share| scope.spawn(|| share.iter().map(&map).collect::<Vec<_>>()))
            .collect();
        let results = workers.into_iter().map(std::thread::ScopedJoinHandle::join);
        results
            .flat_map(|result| result.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::{Rgb, RgbImage};

    /// Pictures by name: the number in it is the picture; `broken` is none, others are not there.
    fn read(name: &str) -> Option<Vec<u8>> {
        if name == "broken" {
            return Some(b"no picture".to_vec());
        }
        let seed: u32 = name.strip_prefix("picture-")?.parse().ok()?;
        let noise = |x: u32, y: u32| {
            let [a, b, c, _] = (x * 31 + y * 17 + seed)
                .wrapping_mul(2_654_435_761)
                .to_le_bytes();
            Rgb([a, b, c])
        };
        let pixels = RgbImage::from_fn(60, 40, noise);
        let mut bytes = Cursor::new(Vec::new());
        pixels.write_to(&mut bytes, ImageFormat::Png).unwrap();
        Some(bytes.into_inner())
    }

    fn wanted(names: &[&str]) -> Vec<(String, Size)> {
        let names = names.iter();
        names
            .map(|name| ((*name).to_owned(), Size::Small))
            .collect()
    }

    #[test]
    fn pictures_fit_into_what_is_given_and_the_others_are_counted() {
        let names: Vec<String> = (0..40).map(|number| format!("picture-{number}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let all = Album::load(read, &wanted(&names), usize::MAX);
        assert_eq!((all.pictures().len(), all.left_out), (40, 0));
        let one = all.bytes / 40;
        for most in [0, one / 2, 3 * one, 20 * one] {
            let album = Album::load(read, &wanted(&names), most);
            let bytes: usize = album
                .pictures()
                .iter()
                .map(|picture| picture.data.len())
                .sum();
            assert!(bytes <= most);
            assert_eq!(
                album.pictures().len() + album.left_out,
                40,
                "in {most} bytes"
            );
            // The important ones come first.
            assert_eq!(album.find("picture-0", Size::Small).is_some(), most > one);
        }
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        let names = ["picture-1", "broken", "gone", "picture-1"];
        let album = Album::load(read, &wanted(&names), usize::MAX);
        let unreadable = ["broken".to_owned(), "gone".to_owned()];
        assert_eq!(album.unreadable, HashSet::from(unreadable));
        assert_eq!((album.pictures().len(), album.left_out), (1, 0));
    }
}
