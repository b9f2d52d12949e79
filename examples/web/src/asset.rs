//! The apps' files, embedded in the binary.

use crate::reply::Reply;

macro_rules! embed {
    ($directory:literal, [$($path:literal),* $(,)?]) => {
        &[$(($path, include_bytes!(concat!("../", $directory, "/", $path)).as_slice())),*]
    };
}

const SHOP: &[(&str, &[u8])] = embed!(
    "shop",
    [
        "assets/account.js",
        "assets/api.js",
        "assets/app.js",
        "assets/catalog.js",
        "assets/checkout.js",
        "assets/corner.js",
        "assets/dom.js",
        "assets/gift-finder.js",
        "assets/img/1.svg",
        "assets/img/2.svg",
        "assets/img/3.svg",
        "assets/img/4.svg",
        "assets/img/5.svg",
        "assets/img/6.svg",
        "assets/img/blanket-back.svg",
        "assets/img/store.svg",
        "assets/plant-off.js",
        "assets/plant-on.js",
        "assets/preview-worker.js",
        "assets/shop.css",
        "assets/terms.js",
        "assets/trap.js",
        "catalog.json",
        "documents/about.html",
        "documents/annual.html",
        "documents/terms.html",
        "faults.json",
        "favicon.svg",
        "frame/planner.html",
        "index.html",
    ]
);

const HOSTILE: &[(&str, &[u8])] = embed!(
    "hostile",
    [
        "alert-loop.html",
        "bodyless.html",
        "busy-click.html",
        "busy-load.html",
        "console-loop.html",
        "console-text.html",
        "debugger.html",
        "deep-nesting.html",
        "frameset.html",
        "full-screen.html",
        "instructions.html",
        "late-write.html",
        "many-frames.html",
        "many-nodes.html",
        "plain.html",
        "popup-loop.html",
        "push-loop.html",
        "reload-loop.html",
        "service-worker.html",
        "service-worker.js",
        "tamper.js",
        "text-node.html",
        "throw-loop.html",
        "zero-viewport.html",
    ]
);

/// A file of the shop.
pub(crate) fn shop(path: &str) -> Option<&'static [u8]> {
    find(SHOP, path)
}

/// A file of the hostile pages.
pub(crate) fn hostile(path: &str) -> Option<&'static [u8]> {
    find(HOSTILE, path)
}

/// An embedded file as an answer, typed by its name.
pub(crate) fn reply(path: &str, bytes: &'static [u8]) -> Reply {
    Reply::new(content_type(path), bytes)
}

fn find(files: &'static [(&str, &[u8])], path: &str) -> Option<&'static [u8]> {
    let index = files.binary_search_by_key(&path, |(name, _)| name).ok()?;
    Some(files[index].1)
}

fn content_type(path: &str) -> &'static str {
    match path.rsplit_once('.').map(|(_, extension)| extension) {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("json") => "application/json",
        Some("svg") => "image/svg+xml",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::{Path, PathBuf};

    fn files_on_disk(root: &Path) -> Vec<String> {
        let mut found = Vec::new();
        let mut open: Vec<PathBuf> = vec![root.to_owned()];
        while let Some(directory) = open.pop() {
            for entry in fs::read_dir(directory).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    open.push(path);
                } else {
                    found.push(
                        path.strip_prefix(root)
                            .unwrap()
                            .to_str()
                            .unwrap()
                            .replace('\\', "/"),
                    );
                }
            }
        }
        found.sort();
        found
    }

    #[test]
    fn every_file_is_embedded_in_order() {
        for (directory, files) in [("shop", SHOP), ("hostile", HOSTILE)] {
            let names: Vec<_> = files.iter().map(|(name, _)| (*name).to_owned()).collect();
            assert_eq!(
                names,
                files_on_disk(&Path::new(env!("CARGO_MANIFEST_DIR")).join(directory))
            );
        }
    }

    #[test]
    fn every_file_has_a_type() {
        for (name, _) in SHOP.iter().chain(HOSTILE) {
            assert_ne!(content_type(name), "application/octet-stream", "{name}");
        }
    }
}
