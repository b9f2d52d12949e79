//! The pictures of a session, small enough to carry in a report, each of them once.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Cursor;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use image::codecs::jpeg::JpegEncoder;
use image::{ImageFormat, ImageReader, Limits};

use crate::Session;

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
const MOST_BYTES: u64 = 32 << 20;
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
    pub(crate) fn load(session: &Session, wanted: &[(String, Size)], most_bytes: usize) -> Self {
        let mut album = Self::default();
        let mut known = HashSet::new();
        let wanted: Vec<_> = wanted.iter().filter(|wish| known.insert(*wish)).collect();
        let names: HashSet<&str> = wanted.iter().map(|(name, _)| name.as_str()).collect();
        let small = if names.len() > FEW { SMALLER } else { SMALL };
        for batch in wanted.chunks(BATCH) {
            if album.bytes < most_bytes {
                album.load_batch(session, batch, small, most_bytes);
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
        session: &Session,
        batch: &[&(String, Size)],
        small: u32,
        most_bytes: usize,
    ) {
        let mut new = Vec::new();
        let mut waiting = HashMap::new();
        let mut names = Vec::new();
        for (name, size) in batch {
            let Ok(bytes) = session.pictures.read(name, MOST_BYTES) else {
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
