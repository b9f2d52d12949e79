//! The script that reads a page from inside, in a world of its own (see `walker/open.js`).

use std::sync::LazyLock;

const PARTS: [&str; 15] = [
    include_str!("walker/open.js"),
    include_str!("walker/dom.js"),
    include_str!("walker/role.js"),
    include_str!("walker/name.js"),
    include_str!("walker/state.js"),
    include_str!("walker/seed.js"),
    include_str!("walker/ref.js"),
    include_str!("walker/hit.js"),
    include_str!("walker/node.js"),
    include_str!("walker/walk.js"),
    include_str!("walker/probe.js"),
    include_str!("walker/pick.js"),
    include_str!("walker/arrive.js"),
    include_str!("walker/guard.js"),
    include_str!("walker/close.js"),
];

/// The whole script. It defines `__qa`, once per document.
pub(crate) fn source() -> &'static str {
    static SOURCE: LazyLock<String> = LazyLock::new(|| PARTS.concat());
    &SOURCE
}
