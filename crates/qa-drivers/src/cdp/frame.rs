//! The frames of a page, and in each the isolated world that our walker lives in.

use std::collections::HashMap;

/// Frames by the protocol's name.
#[derive(Default)]
pub(crate) struct Frames {
    frames: HashMap<String, Frame>,
    main: Option<String>,
    /// Worlds that live; the number is part of each ref and never used again.
    worlds: HashMap<u32, World>,
    last_world: u32,
}

#[derive(Debug, Default)]
struct Frame {
    parent: Option<String>,
    url: String,
    session: Option<String>,
    world: Option<u32>,
}

/// One document's isolated world.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct World {
    /// Its number in refs.
    pub(crate) number: u32,
    /// Which frame it is in.
    pub(crate) frame: String,
    /// The session that reaches it.
    pub(crate) session: String,
    /// The protocol's number for it, unique within the session.
    pub(crate) context: i64,
}

impl Frames {
    /// Forgets all frames; the numbers of their worlds stay used.
    pub(crate) fn clear(&mut self) {
        *self = Self {
            last_world: self.last_world,
            ..Self::default()
        };
    }

    /// A frame appeared inside another.
    pub(crate) fn attached(&mut self, frame: &str, parent: &str, session: Option<&str>) {
        let entry = self.frames.entry(frame.to_owned()).or_default();
        entry.parent = Some(parent.to_owned());
        if entry.session.is_none() {
            entry.session = session.map(str::to_owned);
        }
    }

    /// A frame got a new document.
    pub(crate) fn navigated(
        &mut self,
        frame: &str,
        parent: Option<&str>,
        url: String,
        session: Option<&str>,
    ) {
        if parent.is_none()
            && self
                .frames
                .get(frame)
                .is_none_or(|known| known.parent.is_none())
        {
            self.main = Some(frame.to_owned());
        }
        let entry = self.frames.entry(frame.to_owned()).or_default();
        entry.url = url;
        if let Some(parent) = parent {
            entry.parent = Some(parent.to_owned());
        }
        entry.session = session.map(str::to_owned).or(entry.session.take());
    }

    /// The address changed and the document stayed.
    pub(crate) fn moved_within(&mut self, frame: &str, url: String) {
        if let Some(frame) = self.frames.get_mut(frame) {
            frame.url = url;
        }
    }

    /// A frame went away, with all inside it.
    pub(crate) fn detached(&mut self, frame: &str) {
        let children: Vec<String> = self.children(frame).map(|(id, _)| id.to_owned()).collect();
        for child in children {
            self.detached(&child);
        }
        if let Some(world) = self.frames.remove(frame).and_then(|frame| frame.world) {
            self.worlds.remove(&world);
        }
    }

    /// A frame is served by a process, and so a session, of its own.
    pub(crate) fn session_began(&mut self, frame: &str, session: &str) {
        let entry = self.frames.entry(frame.to_owned()).or_default();
        entry.session = Some(session.to_owned());
    }

    /// A session ended; its worlds with it.
    pub(crate) fn session_ended(&mut self, session: &str) {
        self.worlds_ended(session);
    }

    /// Our world in a document exists.
    pub(crate) fn world_began(&mut self, frame: &str, session: &str, context: i64) -> u32 {
        self.last_world += 1;
        let number = self.last_world;
        let entry = self.frames.entry(frame.to_owned()).or_default();
        if let Some(old) = entry.world.replace(number) {
            self.worlds.remove(&old);
        }
        let world = World {
            number,
            frame: frame.to_owned(),
            session: session.to_owned(),
            context,
        };
        self.worlds.insert(number, world);
        number
    }

    /// A world went away with its document.
    pub(crate) fn world_ended(&mut self, session: &str, context: i64) {
        self.end_worlds(|world| world.session == session && world.context == context);
    }

    /// All worlds of a session went away.
    pub(crate) fn worlds_ended(&mut self, session: &str) {
        self.end_worlds(|world| world.session == session);
    }

    fn end_worlds(&mut self, ends: impl Fn(&World) -> bool) {
        self.worlds.retain(|_, world| !ends(world));
        for frame in self.frames.values_mut() {
            if frame
                .world
                .is_some_and(|number| !self.worlds.contains_key(&number))
            {
                frame.world = None;
            }
        }
    }

    /// The main frame.
    pub(crate) fn main(&self) -> Option<&str> {
        self.main.as_deref()
    }

    /// Sets the main frame of a page that was already there.
    pub(crate) fn set_main(&mut self, frame: &str, session: &str) {
        self.main = Some(frame.to_owned());
        let entry = self.frames.entry(frame.to_owned()).or_default();
        entry.session = Some(session.to_owned());
    }

    /// The address of the main document.
    pub(crate) fn main_url(&self) -> Option<String> {
        let frame = self.frames.get(self.main.as_deref()?)?;
        (!frame.url.is_empty()).then(|| frame.url.clone())
    }

    /// The world of a frame's present document.
    pub(crate) fn world_of(&self, frame: &str) -> Option<&World> {
        self.worlds.get(&self.frames.get(frame)?.world?)
    }

    /// The world with a number, if its document still lives.
    pub(crate) fn world(&self, number: u32) -> Option<&World> {
        self.worlds.get(&number)
    }

    /// The session that a frame's owner element is reached by: that of its parent.
    pub(crate) fn parent_of(&self, frame: &str) -> Option<&str> {
        self.frames.get(frame)?.parent.as_deref()
    }

    /// The frames directly inside a frame, with their addresses.
    pub(crate) fn children(&self, frame: &str) -> impl Iterator<Item = (&str, &str)> {
        self.frames
            .iter()
            .filter(move |(_, child)| child.parent.as_deref() == Some(frame))
            .map(|(id, child)| (id.as_str(), child.url.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // WEB-026, WEB-INV-03
    #[test]
    fn a_world_number_is_never_used_again() {
        let mut frames = Frames::default();
        frames.navigated("m", None, "http://a.test/".into(), Some("s"));
        let first = frames.world_began("m", "s", 3);
        frames.worlds_ended("s");
        assert_eq!(frames.world(first), None);
        assert_eq!(frames.world_of("m"), None);
        let second = frames.world_began("m", "s", 3);
        assert_ne!(first, second);
        assert_eq!(frames.world_of("m").map(|world| world.number), Some(second));
        frames.clear();
        assert_ne!(second, frames.world_began("m", "s", 3));
    }

    #[test]
    fn a_frame_goes_away_with_all_inside_it() {
        let mut frames = Frames::default();
        frames.navigated("m", None, "http://a.test/".into(), Some("s"));
        frames.attached("a", "m", Some("s"));
        frames.attached("b", "a", Some("s"));
        let world = frames.world_began("b", "s", 9);
        frames.detached("a");
        assert_eq!(frames.children("m").count(), 0);
        assert_eq!(frames.world(world), None);
        assert_eq!(frames.main(), Some("m"));
    }
}
