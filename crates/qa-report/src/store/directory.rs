//! A directory that is reached without following a link, and files in it.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use rustix::fs::{self, AtFlags, FileType, Mode, OFlags};

const DIRECTORY: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);
const PLAIN: OFlags = OFlags::NOFOLLOW.union(OFlags::CLOEXEC);
const DIRECTORY_MODE: Mode = Mode::RWXU;
const FILE_MODE: Mode = Mode::RUSR.union(Mode::WUSR);

/// An open directory. Names are single path segments, resolved from the directory itself: whoever
/// swaps a directory on the way for a link after it was opened changes nothing.
#[derive(Debug)]
pub(crate) struct Directory {
    fd: OwnedFd,
    path: PathBuf,
}

impl Directory {
    /// Opens a directory that is not a link itself.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let fd = fs::open(path, DIRECTORY, Mode::empty())?;
        let path = std::path::absolute(path)?;
        Ok(Self { fd, path })
    }

    /// Opens a directory that the owner names. A link there is the owner's wish.
    pub(crate) fn named(path: &Path) -> io::Result<Self> {
        Self::open(&path.canonicalize()?)
    }

    /// Creates a directory 0700 that was not there.
    pub(crate) fn create(&self, name: &str) -> io::Result<Self> {
        let name = segment(name)?;
        fs::mkdirat(&self.fd, name, DIRECTORY_MODE)?;
        self.sync()?;
        self.enter(name)
    }

    /// Opens a directory in this one.
    pub(crate) fn enter(&self, name: &str) -> io::Result<Self> {
        let name = segment(name)?;
        let fd = fs::openat(&self.fd, name, DIRECTORY, Mode::empty())?;
        let path = self.path.join(name);
        Ok(Self { fd, path })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Makes the names in it durable.
    pub(crate) fn sync(&self) -> io::Result<()> {
        Ok(fs::fsync(&self.fd)?)
    }

    /// Writes a file 0600 that was not there, and makes its content durable; its name is after
    /// the next [`sync`](Self::sync). A file that could not be written whole is removed.
    pub(crate) fn write_new(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let name = segment(name)?;
        let mut file = self.file(
            name,
            OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL,
            FILE_MODE,
        )?;
        file.write_all(bytes)
            .and_then(|()| file.sync_data())
            .inspect_err(|_| self.remove(name))
    }

    /// Puts a file in the place of another, so that a reader sees the one or the other whole.
    pub(crate) fn replace(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let name = segment(name)?;
        let draft = format!("{name}.new");
        self.remove(&draft);
        self.write_new(&draft, bytes)?;
        fs::renameat(&self.fd, &draft, &self.fd, name).inspect_err(|_| self.remove(&draft))?;
        self.sync()
    }

    /// Opens a file for appending, 0600 if it is new.
    pub(crate) fn append(&self, name: &str) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::APPEND | OFlags::CREATE;
        let file = self.file(segment(name)?, flags, FILE_MODE)?;
        single(&file)?;
        Ok(file)
    }

    /// Opens a file for locking, 0600 if it is new.
    pub(crate) fn lock_file(&self, name: &str) -> io::Result<File> {
        let flags = OFlags::RDWR | OFlags::CREATE;
        loop {
            let file = self.file(segment(name)?, flags, FILE_MODE)?;
            match single(&file) {
                Ok(_) => return Ok(file),
                // Whoever gave the lock back has removed its file in between.
                Err(_) if fs::fstat(&file)?.st_nlink == 0 => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Whether an open file is what a name stands for now.
    pub(crate) fn is_named(&self, file: &File, name: &str) -> bool {
        match (
            fs::fstat(file),
            fs::statat(&self.fd, name, AtFlags::SYMLINK_NOFOLLOW),
        ) {
            (Ok(open), Ok(named)) => (open.st_dev, open.st_ino) == (named.st_dev, named.st_ino),
            _ => false,
        }
    }

    /// The names in it, in order.
    pub(crate) fn names(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in fs::Dir::read_from(&self.fd)? {
            let entry = entry?;
            match entry.file_name().to_str() {
                Ok("." | "..") | Err(_) => {}
                Ok(name) => names.push(name.to_owned()),
            }
        }
        names.sort();
        Ok(names)
    }

    /// Gives a file another name, which must be free.
    pub(crate) fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        let (from, to) = (segment(from)?, segment(to)?);
        if self.has(to) {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        fs::renameat(&self.fd, from, &self.fd, to)?;
        self.sync()
    }

    /// Makes it the owner's own.
    pub(crate) fn tighten(&self) -> io::Result<()> {
        Ok(fs::fchmod(&self.fd, DIRECTORY_MODE)?)
    }

    /// The content of a file that has one name, is no longer than `limit` bytes and does not
    /// change while it is read. One that another process is writing is looked at again.
    pub(crate) fn read(&self, name: &str, limit: u64) -> io::Result<Vec<u8>> {
        const TRIES: usize = 5;
        for _ in 0..TRIES {
            if let Some(bytes) = self.try_read(name, limit)? {
                return Ok(bytes);
            }
        }
        Err(invalid("changed while it was read".into()))
    }

    /// None if it changed while it was read.
    fn try_read(&self, name: &str, limit: u64) -> io::Result<Option<Vec<u8>>> {
        let file = self.file(segment(name)?, OFlags::RDONLY, Mode::empty())?;
        let before = single(&file)?;
        let (size, _) = before;
        if size > limit {
            return Err(invalid(format!("{size} bytes, at most {limit} are read")));
        }
        let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default());
        (&file).take(limit + 1).read_to_end(&mut bytes)?;
        let same = bytes.len() as u64 == size && state(&file)? == before;
        Ok(same.then_some(bytes))
    }

    /// Whether a name is taken, by whatever.
    pub(crate) fn has(&self, name: &str) -> bool {
        fs::statat(&self.fd, name, AtFlags::SYMLINK_NOFOLLOW).is_ok()
    }

    /// Whether a name is that of a link, a pipe, a device or a directory.
    pub(crate) fn has_other_than_file(&self, name: &str) -> bool {
        fs::statat(&self.fd, name, AtFlags::SYMLINK_NOFOLLOW)
            .is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile)
    }

    /// Removes a file; that it is not there is no error.
    pub(crate) fn remove(&self, name: &str) {
        let _ = fs::unlinkat(&self.fd, name, AtFlags::empty());
    }

    fn file(&self, name: &str, flags: OFlags, mode: Mode) -> io::Result<File> {
        Ok(fs::openat(
            self.fd.as_fd(),
            name,
            flags | PLAIN | OFlags::NONBLOCK,
            mode,
        )?
        .into())
    }
}

/// Opens a directory that the owner names, and makes it and those above it, 0700, if they are not
/// there. A link there is the owner's wish.
pub(crate) fn create_private(path: &Path) -> io::Result<Directory> {
    std::fs::DirBuilder::new()
        .recursive(true)
        .mode(DIRECTORY_MODE.bits())
        .create(path)?;
    Directory::named(path)
}

/// The state of a file that is a regular one and has one name.
fn single(file: &File) -> io::Result<(u64, SystemTime)> {
    let stat = fs::fstat(file)?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile || stat.st_nlink != 1 {
        return Err(invalid("not a regular file with one name".into()));
    }
    state(file)
}

/// The size of a file, and when it was written last.
fn state(file: &File) -> io::Result<(u64, SystemTime)> {
    let metadata = file.metadata()?;
    Ok((metadata.len(), metadata.modified()?))
}

fn segment(name: &str) -> io::Result<&str> {
    if name.is_empty() || name == "." || name == ".." || name.contains(['/', '\\', '\0']) {
        return Err(invalid(format!(
            "`{}` is no file name",
            name.escape_debug()
        )));
    }
    Ok(name)
}

fn invalid(reason: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, reason)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn directory() -> (tempfile::TempDir, Directory) {
        let root = tempfile::tempdir().unwrap();
        let directory = Directory::open(root.path()).unwrap();
        (root, directory)
    }

    fn mode(path: &Path) -> u32 {
        path.symlink_metadata().unwrap().permissions().mode() & 0o777
    }

    // EXP-INV-32
    #[test]
    fn everything_is_for_the_owner_only() {
        let (_root, directory) = directory();
        let sub = directory.create("sub").unwrap();
        sub.write_new("new", b"1").unwrap();
        sub.replace("replaced", b"2").unwrap();
        sub.append("appended").unwrap();
        assert_eq!(mode(sub.path()), 0o700);
        for name in ["new", "replaced", "appended"] {
            assert_eq!(mode(&sub.path().join(name)), 0o600, "{name}");
        }
    }

    // EXP-176
    #[test]
    fn no_link_is_followed() {
        let (root, directory) = directory();
        let outside = tempfile::tempdir().unwrap();
        let target = outside.path().join("target");
        std::fs::write(&target, b"secret").unwrap();
        symlink(&target, root.path().join("soft")).unwrap();
        std::fs::hard_link(&target, root.path().join("hard")).unwrap();
        symlink(outside.path(), root.path().join("dir")).unwrap();
        for name in ["soft", "hard"] {
            assert!(directory.read(name, 100).is_err(), "{name}");
            assert!(directory.append(name).is_err(), "{name}");
            assert!(directory.write_new(name, b"x").is_err(), "{name}");
        }
        assert!(directory.enter("dir").is_err());
        assert!(Directory::open(&root.path().join("dir")).is_err());
        directory.replace("soft", b"new").unwrap();
        assert_eq!(std::fs::read(&target).unwrap(), b"secret");
    }

    // EXP-177: a lock on a file that lost its name locks nobody out
    #[test]
    fn a_name_may_come_to_mean_another_file() {
        let (_root, directory) = directory();
        let first = directory.lock_file("lock").unwrap();
        assert!(directory.is_named(&first, "lock"));
        directory.remove("lock");
        assert!(!directory.is_named(&first, "lock"));
        let second = directory.lock_file("lock").unwrap();
        assert!(directory.is_named(&second, "lock") && !directory.is_named(&first, "lock"));
    }

    // EXP-176
    #[test]
    fn a_name_is_one_segment() {
        let (_root, directory) = directory();
        for name in ["", ".", "..", "a/b", "/etc/passwd", "a\0b", "..\\x"] {
            assert!(directory.write_new(name, b"x").is_err(), "{name:?}");
        }
    }

    // EXP-176
    #[test]
    fn reading_is_bounded() {
        let (_root, directory) = directory();
        directory.write_new("four", b"1234").unwrap();
        assert_eq!(directory.read("four", 4).unwrap(), b"1234");
        assert!(directory.read("four", 3).is_err());
    }
}
